//! A model of GS1's resolver test suite: its requests and its criteria, in our own words.
//!
//! Written from the published source of the suite (`gs1/GS1DL-resolver-testsuite`) and from what
//! `docs/requirements/resolver.md`, "Running the official suite", says of its copies of 2026. The
//! ids of the tests are those of the suite.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::resolver::{KEY, Resolver};
use crate::server::{Received, Reply};

const JSON: &str = "application/linkset+json";
const ORIGIN: &str = "https://ref.gs1.org/test-suites/resolver/";
/// The URIs of the data begin with this; it stands in for the host of the resolver.
pub(crate) const ROOT: &str = "https://id.example.org";

/// The result of a test of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Pass,
    Warn,
    Fail,
}

use Outcome::{Fail, Pass, Warn};

/// The results of the suite by the id of the test.
pub(crate) type Outcomes = BTreeMap<String, Outcome>;

/// Whether copies of the suite from before mid-2026 judge a test in another way: they look for the
/// methods of a preflight in the answer to GET, lose the headers of linksets, and ask for each of
/// several links of a type in the query string.
pub(crate) fn is_of_later_copies(id: &str) -> bool {
    matches!(id, "methodsCheck" | "linksetJsonldCheck" | "declaredContentType")
        || (id.starts_with("loFor") && id.ends_with(|it: char| it.is_ascii_digit()))
}

/// Returns what the suite says about a resolver with a fault, asked about a path.
pub(crate) fn outcomes(fault: &'static str, path: &str) -> Outcomes {
    Run { resolver: Resolver { fault }, path: path.to_owned() }.all()
}

/// One run of the suite.
struct Run {
    resolver: Resolver,
    path: String,
}

impl Run {
    /// Sends a request as the helper of the suite does: with `Accept: */*` if the test names none.
    fn get(&self, rest: &str, headers: &[(&str, &str)]) -> Reply {
        let mut headers = headers.to_vec();
        headers.push(("origin", ORIGIN));
        if !headers.iter().any(|(name, _)| *name == "accept") {
            headers.push(("accept", "*/*"));
        }
        self.resolver.answer(&Received::get(&format!("{}{rest}", self.path), &headers))
    }

    fn all(&self) -> Outcomes {
        let mut found = Outcomes::new();
        let mut judge = |id: &str, holds: bool, otherwise: Outcome| {
            found.insert(id.to_owned(), if holds { Pass } else { otherwise });
        };
        judge("rdFile", self.has_description(), Fail);
        let plain = self.get("", &[]);
        judge("httpVersion", plain.version != "1.0", Warn);
        judge("corsCheck", !plain.header("access-control-allow-origin").is_empty(), Fail);
        let methods = self.methods();
        judge(
            "methodsCheck",
            ["GET", "HEAD", "OPTIONS"].iter().all(|it| methods.contains(it)),
            Fail,
        );
        let link = plain.header("link");
        judge("linkOnRedirect", link.contains("rel=\"linkset\""), Warn);
        judge("legacyLinkHeaders", !link.contains("rel=\"gs1:"), Warn);
        let invalid = self.get("/foo", &[]).status;
        judge("reportWith400", invalid == 400, Fail);
        judge("noErrorWith200", invalid != 200, Fail);
        let slash = self.get("/", &[]);
        let is_same = (slash.status, slash.location()) == (plain.status, plain.location());
        judge("trailingSlash", is_same, Warn);
        judge("qsPassedOn", self.get("?foo=bar", &[]).location().contains("foo=bar"), Warn);
        let by_type = self.get("?linkType=linkset", &[]);
        judge("ltLinksetNoRedirect", by_type.status == 200, Fail);
        if by_type.status != 200 && by_type.location().is_empty() {
            // The name of releases before 1.0, which is never right.
            let is_known = self.get("?linkType=all", &[]).status == 200;
            judge("ltAllNoRedirect", false, if is_known { Warn } else { Fail });
        }
        let by_accept = self.get("?linkType=all", &[("accept", JSON)]).status == 200;
        judge("ltAcceptHeader", by_accept, Fail);
        let unknown = self.get("?linkType=gs1:nosuchlt", &[]).status;
        judge("specificLinkTypeNotFound", unknown == 404, Fail);
        let linkset = self.get("", &[("accept", JSON)]);
        let context = linkset.header("link").split(',').any(|member| {
            member.contains("rel=\"http://www.w3.org/ns/json-ld#context\"")
                && member.contains("type=\"application/ld+json\"")
        });
        judge("linksetJsonldCheck", context, Warn);
        let media_type = linkset.header("content-type");
        let otherwise = if media_type == "application/json" { Warn } else { Fail };
        judge("declaredContentType", media_type.starts_with(JSON), otherwise);
        let mut value: Value = serde_json::from_str(&linkset.body).unwrap_or_default();
        if value.get("linkset").is_some_and(Value::is_object) {
            // The suite corrects this fault, and goes on.
            judge("hackedLinkset", false, Fail);
            value["linkset"] = Value::Array(vec![value["linkset"].take()]);
        }
        let is_valid = is_valid(&value);
        judge("validLinkset", is_valid, Fail);
        if is_valid {
            self.links(&value, &mut found);
        }
        found
    }

    fn has_description(&self) -> bool {
        let request = Received::get("/.well-known/gs1resolver", &[("accept", "application/json")]);
        // The status is not looked at; a browser needs the header for cross-origin requests.
        let reply = self.resolver.answer(&request);
        let value: Value = serde_json::from_str(&reply.body).unwrap_or_default();
        !reply.header("access-control-allow-origin").is_empty() && is_description(&value)
    }

    fn methods(&self) -> String {
        let mut request = Received::get(
            &self.path,
            &[("origin", ORIGIN), ("access-control-request-method", "GET,HEAD,OPTIONS")],
        );
        request.method = "OPTIONS".to_owned();
        self.resolver.answer(&request).header("access-control-allow-methods").to_owned()
    }

    /// The tests of the links: each type at the most granular level that has it.
    fn links(&self, value: &Value, found: &mut Outcomes) {
        found.insert("defaultLinkExists".to_owned(), Fail);
        found.insert("linkTypesDefined".to_owned(), Pass);
        let mut seen = Vec::new();
        let mut uri = format!("{ROOT}{}", self.path);
        while uri.matches('/').count() > 3 {
            let list = value["linkset"].as_array().into_iter().flatten();
            for (relation, links) in list.filter(|it| it["anchor"] == *uri).flat_map(types) {
                if !seen.contains(&relation) {
                    seen.push(relation.clone());
                    self.links_of_type(&relation, links, found);
                }
            }
            for _ in 0..2 {
                uri.truncate(uri.rfind('/').expect("a path"));
            }
        }
    }

    fn links_of_type(&self, relation: &str, links: &[Value], found: &mut Outcomes) {
        let href = |link: &Value| link["href"].as_str().unwrap_or_default().to_owned();
        if relation.strip_prefix("gs1:").is_some_and(|name| !RATIFIED.contains(&name)) {
            found.insert("linkTypesDefined".to_owned(), Warn);
        }
        if relation == "gs1:defaultLink" {
            found.insert("defaultLinkExists".to_owned(), Pass);
            let is_single = links.len() == 1;
            found.insert("singleDefaulLink".to_owned(), if is_single { Pass } else { Fail });
            if is_single {
                let is_target = self.get("", &[]).location() == href(&links[0]);
                found.insert("defaultTarget".to_owned(), if is_target { Pass } else { Fail });
            }
            return;
        }
        let id = format!("loFor{}", relation.replacen(':', "", 1));
        if let [link] = links {
            if relation == "gs1:defaultLinkMulti" {
                found.insert("singleMultiLink".to_owned(), Warn);
            } else {
                let reply = self.get(&format!("?linkType={relation}"), &[]);
                let leads = without_link_type(reply.location(), relation) == href(link);
                found.insert(id, if leads { Pass } else { Fail });
            }
            return;
        }
        let attributes = |link: &Value| ["type", "hreflang", "context"].map(|it| link[it].clone());
        let mut is_300_tried = false;
        for (index, link) in links.iter().enumerate() {
            let twins = links.iter().filter(|other| attributes(other) == attributes(link)).count();
            if twins > 1 && std::mem::replace(&mut is_300_tried, true) {
                continue;
            }
            // The helper loses `context`, and sends the word of JavaScript for a missing type.
            let mut headers = vec![("accept", link["type"].as_str().unwrap_or("undefined"))];
            headers.extend(link["hreflang"][0].as_str().map(|tag| ("accept-language", tag)));
            let query = match relation {
                "gs1:defaultLinkMulti" => "?".to_owned(),
                _ => format!("?linkType={relation}"),
            };
            let reply = self.get(&query, &headers);
            let outcome = match twins {
                1 if without_link_type(reply.location(), relation) == href(link) => Pass,
                1 => Fail,
                _ if reply.status == 300 => Pass,
                _ => Warn,
            };
            found.insert(format!("{id}{index}"), outcome);
        }
    }
}

/// Returns the link types of a link context object, with GS1's namespaces as `gs1:`.
fn types(context: &Value) -> Vec<(String, &[Value])> {
    let members = context.as_object().into_iter().flatten();
    let types = members.filter_map(|(name, links)| Some((name, links.as_array()?)));
    let spellings =
        ["https://ref.gs1.org/voc/", "https://www.gs1.org/voc/", "https://gs1.org/voc/"];
    let short = |name: &String| {
        let local = spellings.iter().find_map(|it| name.strip_prefix(it));
        local.map_or_else(|| name.clone(), |local| format!("gs1:{local}"))
    };
    types.map(|(name, links)| (short(name), links.as_slice())).collect()
}

fn without_link_type(location: &str, relation: &str) -> String {
    for mark in ['?', '&'] {
        if let Some(at) = location.find(&format!("{mark}linkType={relation}")) {
            let end = if mark == '?' { location.find('?').unwrap_or(at) } else { at };
            return location[..end].to_owned();
        }
    }
    location.to_owned()
}

/// Whether GS1's schema of linksets accepts a document: the schema that the suite loads.
fn is_valid(value: &Value) -> bool {
    let has_only = |object: &Map<String, Value>, known: &[&str]| {
        object.keys().all(|name| known.contains(&name.as_str()))
    };
    let Some(outer) = value.as_object().filter(|it| has_only(it, &["linkset"])) else {
        return false;
    };
    let Some(contexts) = outer.get("linkset").and_then(Value::as_array) else { return false };
    contexts.iter().all(|context| {
        let Some(context) = context.as_object() else { return false };
        let texts = context.get("anchor").is_some_and(is_address)
            && context.get("itemDescription").is_some_and(Value::is_string);
        texts
            && context.iter().all(|(name, links)| {
                matches!(&**name, "anchor" | "itemDescription")
                    || (is_relation(name)
                        && links.as_array().is_some_and(|links| links.iter().all(is_link)))
            })
    })
}

fn is_link(link: &Value) -> bool {
    let Some(link) = link.as_object() else { return false };
    let is_language = |tag: &Value| {
        let tag: Vec<_> = tag.as_str().unwrap_or_default().split('-').collect();
        let word = |it: &str| it.len() == 2 && it.chars().all(|it| it.is_ascii_alphanumeric());
        matches!(tag.len(), 1 | 2) && tag.iter().all(|it| word(it))
    };
    let required = ["href", "title"].iter().all(|name| link.contains_key(*name));
    required
        && link.iter().all(|(name, value)| match &**name {
            "href" => is_address(value),
            "title" => value.is_string(),
            "hreflang" => value.as_array().is_some_and(|tags| tags.iter().all(is_language)),
            "type" => value.as_str().is_some_and(|it| it.contains('/')),
            "context" => value.is_array(),
            "fwqs" | "public" => value.is_boolean(),
            _ => false,
        })
}

fn is_address(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        rest.starts_with(|it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '/'))
    })
}

fn is_relation(name: &str) -> bool {
    let rest = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    match rest {
        Some(rest) => rest.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '/')),
        None => name.chars().all(|it| it.is_ascii_lowercase() || it == '-'),
    }
}

/// Whether GS1's schema of description files accepts a document.
fn is_description(value: &Value) -> bool {
    let is = |name: &str, holds: fn(&Value) -> bool| value.get(name).is_none_or(holds);
    let keys = value.get("supportedPrimaryKeys").and_then(Value::as_array);
    let is_key = |key: &Value| {
        key.as_str().is_some_and(|it| it == "all" || it.bytes().all(|it| it.is_ascii_digit()))
    };
    value.get("resolverRoot").is_some_and(Value::is_string)
        && keys.is_some_and(|keys| keys.iter().all(is_key))
        && is("name", Value::is_string)
        && is("linkTypeDefaultCanBeLinkset", Value::is_boolean)
        && is("supportedContextValuesEnumerated", |it| {
            it.as_array().is_some_and(|list| list.iter().all(Value::is_string))
        })
        && is("supportedLinkType", |it| {
            it.as_array().is_some_and(|list| {
                list.iter().all(|it| it["prefix"].as_str().is_some_and(|it| it.ends_with(':')))
            })
        })
        && is("jsonLdContextLocation", Value::is_string)
}

/// The link types of the data that GS1 lists.
const RATIFIED: [&str; 10] = [
    "defaultLink",
    "defaultLinkMulti",
    "faqs",
    "hasRetailers",
    "instructions",
    "pip",
    "recallStatus",
    "recipeInfo",
    "registerProduct",
    "relatedImage",
];

/// The path of the key of the data, and those of a lot and an item with links of their own.
pub(crate) fn paths() -> [String; 3] {
    ["", "/10/LOT1", "/21/F1"].map(|rest| format!("{KEY}{rest}"))
}
