//! The shared vectors of `testdata/uri-urn-vectors.json`, one test per operation.

use fingerpost_uri::urn::{AnswerKey, Mode, NameKey, NamespaceRegistry, Service, Urn, thttp};
use fingerpost_uri::www::{Grammar, SchemeView, WwwUri};
use fingerpost_uri::{
    ExtractOptions, HostKind, ResolveOptions, Rung, Uri, UriRef, extract, split, www,
};
use serde_json::Value;
use serde_json::json;

/// Runs `check` over every vector of an operation and reports all that fail.
fn each(op: &str, check: impl Fn(&Value, &Value) -> Result<(), String>) {
    let text = include_str!("../../../../testdata/uri-urn-vectors.json");
    let file: Value = serde_json::from_str(text).expect("the vector file is JSON");
    let vectors = file["vectors"].as_array().expect("a list of vectors");
    let chosen: Vec<_> = vectors.iter().filter(|vector| vector["op"] == op).collect();
    assert!(!chosen.is_empty(), "no vector of operation {op}");
    let failures: Vec<_> = chosen
        .iter()
        .filter_map(|vector| {
            let result = check(&vector["input"], &vector["expected"]);
            result.err().map(|why| format!("{}: {why}\n  input {}", vector["id"], vector["input"]))
        })
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} fail:\n{}",
        failures.len(),
        chosen.len(),
        failures.join("\n")
    );
}

/// Compares the fields that `expected` names; the others are free.
fn fields(expected: &Value, found: &[(&str, Value)]) -> Result<(), String> {
    for (name, value) in expected.as_object().expect("an object") {
        let Some((_, found)) = found.iter().find(|(known, _)| known == name) else {
            return Err(format!("no field {name} to compare"));
        };
        if found != value {
            return Err(format!("{name}: expected {value}, found {found}"));
        }
    }
    Ok(())
}

fn text<'v>(input: &'v Value, name: &str) -> &'v str {
    input[name].as_str().unwrap_or_else(|| panic!("no text {name} in {input}"))
}

#[test]
fn parse() {
    each("parse", |input, expected| {
        let source = text(input, "text");
        if input["kind"] == "split" {
            let parts = split(source);
            return fields(
                expected,
                &[
                    ("ok", true.into()),
                    ("scheme", parts.scheme.into()),
                    ("authority", parts.authority.into()),
                    ("path", parts.path.into()),
                    ("query", parts.query.into()),
                    ("fragment", parts.fragment.into()),
                ],
            );
        }
        let reference = match text(input, "kind") {
            "uri" => Uri::parse(source).map(Uri::as_uri_ref),
            "absolute-uri" => Uri::parse_absolute(source).map(Uri::as_uri_ref),
            "relative-ref" => UriRef::parse_relative(source),
            _ => UriRef::parse(source),
        };
        let Ok(reference) = reference else { return fields(expected, &[("ok", false.into())]) };
        let authority = reference.authority();
        let host_kind = authority.map(|authority| match authority.host_kind() {
            HostKind::Ipv4 => "ipv4",
            HostKind::Ipv6 => "ipv6",
            HostKind::IpvFuture => "ipvfuture",
            HostKind::RegName => "reg-name",
        });
        fields(
            expected,
            &[
                ("ok", true.into()),
                ("scheme", reference.scheme().into()),
                ("authority", authority.map(|authority| authority.as_str()).into()),
                (
                    "userinfo",
                    authority.and_then(|a| a.userinfo()).map(|userinfo| userinfo.as_str()).into(),
                ),
                ("host", authority.map(|authority| authority.host_text()).into()),
                ("host_kind", host_kind.into()),
                ("port", authority.and_then(|authority| authority.port()).into()),
                ("path", reference.path().as_str().into()),
                ("path_form", reference.path().form().as_str().into()),
                ("query", reference.query().map(|query| query.as_str()).into()),
                ("fragment", reference.fragment().map(|fragment| fragment.as_str()).into()),
            ],
        )
    });
}

#[test]
fn resolve() {
    each("resolve", |input, expected| {
        let options = ResolveOptions::new()
            .strict(input["strict"].as_bool().unwrap_or(true))
            .decode_dots(input["decode_dots"].as_bool().unwrap_or(false));
        let (Ok(base), Ok(reference)) =
            (Uri::parse(text(input, "base")), UriRef::parse(text(input, "ref")))
        else {
            return fields(expected, &[("ok", false.into())]);
        };
        let mut target = String::new();
        reference.resolve_into(base, options, &mut target);
        Uri::parse(&target).map_err(|error| format!("target {target} does not parse: {error}"))?;
        fields(expected, &[("ok", true.into()), ("target", target.into())])
    });
}

fn rung(level: &str) -> Rung {
    match level {
        "string" => Rung::String,
        "case" => Rung::Case,
        "percent" => Rung::Percent,
        "path" | "syntax" => Rung::Path,
        "scheme" => Rung::Scheme,
        other => panic!("unknown level {other}"),
    }
}

#[test]
fn normalise() {
    each("normalise", |input, expected| {
        let Ok(reference) = UriRef::parse(text(input, "text")) else {
            return fields(expected, &[("ok", false.into())]);
        };
        let level = rung(text(input, "level"));
        let normal = reference.normalise(level);
        let again =
            UriRef::parse(&normal).map_err(|error| format!("{normal} does not parse: {error}"))?;
        if again.normalise(level) != normal {
            return Err(format!("{normal} changes when it is normalised again"));
        }
        fields(expected, &[("ok", true.into()), ("text", normal.into_owned().into())])
    });
}

#[test]
fn equivalent() {
    each("equivalent", |input, expected| {
        let level = text(input, "level");
        if level == "www" {
            let equal = www::equivalent(text(input, "a"), text(input, "b"));
            return fields(expected, &[("equal", equal.into())]);
        }
        let parse =
            |name| UriRef::parse(text(input, name)).map_err(|error| format!("{name}: {error}"));
        let (mut a, mut b) = (parse("a")?, parse("b")?);
        if input["ignore_fragment"] == true {
            (a, b) = (a.without_fragment(), b.without_fragment());
        }
        let equal = a.equal_at(b).is_some_and(|reached| reached <= rung(level));
        fields(expected, &[("equal", equal.into())])
    });
}

#[test]
fn extraction() {
    each("extract", |input, expected| {
        let options = ExtractOptions::new().suffix(input["suffix"] == true);
        let found: Vec<_> = extract(text(input, "text"), options)
            .map(|found| {
                let mut object = json!({ "uri": found.uri(), "form": found.form().as_str() });
                if let Some(alternative) = found.alternative() {
                    object["alternative"] = alternative.into();
                }
                object
            })
            .collect();
        fields(expected, &[("found", found.into())])
    });
}

#[test]
fn partial() {
    each("partial", |input, expected| {
        if input["check"] == "syntax" {
            return www_syntax(input, expected);
        }
        match www::expand_partial(text(input, "context"), text(input, "partial")) {
            Ok(full) => fields(expected, &[("ok", true.into()), ("full", full.into())]),
            Err(_) => fields(expected, &[("ok", false.into())]),
        }
    });
}

fn www_syntax(input: &Value, expected: &Value) -> Result<(), String> {
    let level = match text(input, "level") {
        "bnf" => Grammar::Bnf,
        "canonical" => Grammar::Canonical,
        other => panic!("unknown level {other}"),
    };
    let Ok(uri) = WwwUri::parse(text(input, "text"), level) else {
        return fields(expected, &[("ok", false.into())]);
    };
    let view = uri.view();
    let (gopher_type, selector) = match &view {
        SchemeView::Gopher { item_type, selector, .. } => {
            (item_type.to_string().into(), selector.as_str().into())
        }
        _ => (Value::Null, Value::Null),
    };
    let news_kind = match view {
        SchemeView::NewsGroup { .. } => "group".into(),
        SchemeView::NewsArticle { .. } => "article".into(),
        _ => Value::Null,
    };
    fields(
        expected,
        &[
            ("ok", true.into()),
            ("scheme", uri.scheme().into()),
            ("path", uri.path().into()),
            ("search", uri.search().into()),
            ("fragment", uri.fragment().into()),
            ("search_words", uri.search_words().into()),
            ("experimental", uri.is_experimental().into()),
            ("gopher_type", gopher_type),
            ("selector", selector),
            ("news_kind", news_kind),
        ],
    )
}

fn mode(input: &Value) -> Mode {
    match text(input, "mode") {
        "draft" => Mode::Draft,
        "rfc8141" => Mode::Rfc8141,
        other => panic!("unknown mode {other}"),
    }
}

#[test]
fn urn_parse() {
    each("urn_parse", |input, expected| {
        let Ok(urn) = Urn::parse(text(input, "text"), mode(input)) else {
            return fields(expected, &[("ok", false.into())]);
        };
        // URN-SYN-01: every URN is a URI.
        Uri::parse(urn.as_str()).map_err(|error| format!("not a URI: {error}"))?;
        let directives = urn.directives();
        let of_query = |value: Value| if urn.query().is_some() { value } else { Value::Null };
        let pair = |directive: fingerpost_uri::urn::Directive<'_>| {
            json!([directive.keyword(), directive.value()])
        };
        fields(
            expected,
            &[
                ("ok", true.into()),
                ("nid", urn.nid().into()),
                ("nss", urn.nss().as_str().into()),
                ("query", urn.query().into()),
                ("directives", of_query(directives.iter().map(pair).collect())),
                ("duplicate_keywords", directives.duplicate_keywords().collect()),
                ("effective", of_query(directives.iter_effective().map(pair).collect())),
                ("r", urn.resolver_component().map(|r| r.as_str()).into()),
                ("q", urn.query_component().map(|q| q.as_str()).into()),
                ("fragment", urn.fragment().map(|fragment| fragment.as_str()).into()),
            ],
        )
    });
}

#[test]
fn urn_equivalence() {
    each("urn_equiv", |input, expected| {
        let parse = |name| {
            Urn::parse(text(input, name), mode(input)).map_err(|error| format!("{name}: {error}"))
        };
        let (a, b) = (parse("a")?, parse("b")?);
        let registry = NamespaceRegistry::builtin();
        let known = input["registry"] == "builtin";
        let name =
            |urn| if known { NameKey::with_registry(urn, &registry) } else { NameKey::new(urn) };
        let answer = |urn| {
            if known { AnswerKey::with_registry(urn, &registry) } else { AnswerKey::new(urn) }
        };
        let equal =
            if input["purpose"] == "5b" { answer(a) == answer(b) } else { name(a) == name(b) };
        fields(expected, &[("equal", equal.into())])
    });
}

/// The small store of a vector: names in their preferred spelling, with locators and further names.
struct SmallStore<'v>(&'v Value);

impl SmallStore<'_> {
    fn list(&self, name: &str, member: &str) -> Option<Vec<String>> {
        let list = self.0.get(name)?[member].as_array().expect("a list");
        Some(list.iter().map(|uri| uri.as_str().expect("a text").to_owned()).collect())
    }

    fn name_of(&self, locator: Uri<'_>) -> Option<&str> {
        let names = self.0.as_object().expect("an object");
        let holds = |known: &Value| {
            known["urls"].as_array().is_some_and(|urls| urls.contains(&locator.as_str().into()))
        };
        names.iter().find(|(_, known)| holds(known)).map(|(name, _)| name.as_str())
    }
}

impl thttp::Names for SmallStore<'_> {
    type Error = std::convert::Infallible;

    fn locators(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        Ok(self.list(NameKey::new(name).as_str(), "urls"))
    }

    fn names(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        Ok(self.list(NameKey::new(name).as_str(), "urns"))
    }

    fn names_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        Ok(self.name_of(locator).and_then(|name| self.list(name, "urns")))
    }

    fn locators_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        Ok(self.name_of(locator).and_then(|name| self.list(name, "urls")))
    }
}

fn thttp_response(input: &Value, expected: &Value) -> Result<(), String> {
    use thttp::ServiceAnswer;
    let request =
        thttp::ServiceRequest::parse(text(input, "target")).map_err(|error| error.to_string())?;
    let Ok(answer) = thttp::respond(request, &SmallStore(&input["store"]));
    let (status, location, body) = match answer {
        ServiceAnswer::Redirect(location) => {
            (if text(input, "http") == "1.0" { 302 } else { 303 }, Some(location), None)
        }
        ServiceAnswer::List(list) => (200, None, Some(list)),
        ServiceAnswer::Description => (200, None, None),
        ServiceAnswer::Unknown | ServiceAnswer::NoLocator => (404, None, None),
        ServiceAnswer::NotOffered => (501, None, None),
    };
    let content_type = body.as_ref().map(|_| thttp::URI_LIST);
    fields(
        expected,
        &[
            ("status", status.into()),
            ("location", location.into()),
            ("content_type", content_type.into()),
            ("body", body.into()),
        ],
    )
}

/// The phase `map` belongs to the resolver, which knows GS1 keys; other methods than GET and HEAD
/// to the server.
#[test]
fn thttp_services() {
    each("thttp", |input, expected| match text(input, "phase") {
        "respond" => thttp_response(input, expected),
        "request" if input["method"] == "POST" => Ok(()),
        "request" => {
            use thttp::RequestError::{InvalidOperand, MissingOperand, UnknownService};
            let status = match thttp::ServiceRequest::parse(text(input, "target")) {
                Ok(request) => {
                    let (word, operand) = (request.word().as_str(), request.operand());
                    return fields(
                        expected,
                        &[("ok", true.into()), ("service", word.into()), ("uri", operand.into())],
                    );
                }
                Err(UnknownService) => 404,
                Err(MissingOperand | InvalidOperand) => 400,
            };
            fields(expected, &[("ok", false.into()), ("status", status.into())])
        }
        "select" => {
            let urn =
                Urn::parse(text(input, "uri"), Mode::Auto).map_err(|error| error.to_string())?;
            let service =
                |word: &Value| word.as_str().and_then(Service::from_word).expect("a service");
            let supported: Vec<_> =
                input["supported"].as_array().expect("a list").iter().map(service).collect();
            let chosen = Service::select(urn, service(&input["default"]), &supported);
            fields(expected, &[("service", chosen.as_str().into())])
        }
        // Run by `urn_key.rs` of the resolver.
        "map" => Ok(()),
        phase => Err(format!("no code for phase {phase}")),
    });
}
