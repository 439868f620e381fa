//! The rows of COMPARE.md, run: what this crate and the others answer to the same input. When an
//! update of another crate changes its answer, the row has to change with it.

use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::{ResolveOptions, Rung, Schemes, Uri, UriRef};

/// The answer of each crate.
type Answers = Vec<(&'static str, String)>;

fn or_refused<T: ToString, E>(result: Result<T, E>) -> String {
    result.map_or_else(|_| "refused".to_owned(), |value| value.to_string())
}

fn resolved(base: &str, reference: &str) -> Answers {
    let ours = Uri::parse(base).expect("a base");
    let ours = UriRef::parse(reference).expect("a reference").resolve(ours).to_string();
    let fluent_base = fluent_uri::Uri::parse(base).expect("a base");
    let fluent = fluent_uri::UriRef::parse(reference).expect("a reference");
    let iri_base = iri_string::types::UriAbsoluteStr::new(base).expect("a base");
    let iri = iri_string::types::UriReferenceStr::new(reference).expect("a reference");
    let oxiri_base = oxiri::Iri::parse(base).expect("a base");
    let oxiri = oxiri::IriRef::parse(reference).expect("a reference");
    let iref_base = iref::Uri::new(base).expect("a base");
    let iref = iref::UriRef::new(reference).expect("a reference");
    let uriparse_base = uriparse::URI::try_from(base).expect("a base");
    let uriparse = uriparse::URIReference::try_from(reference).expect("a reference");
    let uriparse = std::panic::catch_unwind(|| uriparse_base.resolve(&uriparse).to_string());
    vec![
        ("here", ours),
        ("fluent-uri", or_refused(fluent.resolve_against(&fluent_base))),
        ("iri-string", iri.resolve_against(iri_base).to_string()),
        ("oxiri", or_refused(oxiri_base.resolve(&oxiri))),
        ("iref", iref.resolved(iref_base).to_string()),
        ("uriparse", uriparse.unwrap_or_else(|_| "panic".to_owned())),
        ("url", or_refused(url::Url::parse(base).and_then(|base| base.join(reference)))),
    ]
}

fn normalised(text: &str) -> Answers {
    let fluent = fluent_uri::Uri::parse(text).expect("a URI").normalize().to_string();
    let iri = iri_string::types::UriStr::new(text).expect("a URI").normalize().to_string();
    let mut uriparse = uriparse::URI::try_from(text).expect("a URI");
    uriparse.normalize();
    vec![
        ("here", UriRef::parse(text).expect("a URI").normalise(Rung::Scheme).into_owned()),
        ("fluent-uri", fluent),
        ("iri-string", iri),
        ("uriparse", uriparse.to_string()),
        ("url", or_refused(url::Url::parse(text))),
    ]
}

fn read(text: &str) -> Answers {
    vec![
        ("here", or_refused(Uri::parse(text))),
        ("fluent-uri", or_refused(fluent_uri::Uri::parse(text))),
        ("fluent-uri IRI", or_refused(fluent_uri::Iri::parse(text))),
        ("iri-string", or_refused(iri_string::types::UriStr::new(text))),
        ("iri-string IRI", or_refused(iri_string::types::IriStr::new(text))),
        ("oxiri IRI", or_refused(oxiri::Iri::parse(text))),
        ("iref", or_refused(iref::Uri::new(text))),
        ("iref IRI", or_refused(iref::Iri::new(text))),
        ("uriparse", or_refused(uriparse::URI::try_from(text))),
        ("url", or_refused(url::Url::parse(text))),
        ("http", or_refused(text.parse::<http::Uri>())),
    ]
}

/// Asserts the answer of this crate, and that the crates named, and only those, answer otherwise,
/// as stated.
#[track_caller]
fn assert_answers(answers: &Answers, here: &str, others: &[(&str, &str)]) {
    for (name, answer) in answers {
        let expected = others.iter().find(|(other, _)| other == name).map_or(here, |other| other.1);
        assert_eq!(answer, expected, "{name}");
    }
}

#[test]
fn dots_in_triplets_are_segments_of_a_reference() {
    let decoded = "http://h/a/x";
    assert_answers(
        &resolved("http://h/a/b/c", "%2e%2e/x"),
        "http://h/a/b/%2e%2e/x",
        &[
            ("fluent-uri", decoded),
            ("iri-string", decoded),
            ("uriparse", decoded),
            ("url", decoded),
        ],
    );
    let mut ours = String::new();
    UriRef::parse("%2e%2e/x").expect("a reference").resolve_into(
        Uri::parse("http://h/a/b/c").expect("a base"),
        ResolveOptions::new().decode_dots(true),
        &mut ours,
    );
    assert_eq!(ours, decoded);
}

#[test]
fn a_path_does_not_become_a_host() {
    let others = [("oxiri", "refused"), ("uriparse", "panic")];
    assert_answers(&resolved("foo:/a", "..//b"), "foo:/.//b", &others);
}

#[test]
fn a_base_without_hierarchy_resolves() {
    let others = [("fluent-uri", "refused"), ("url", "refused")];
    assert_answers(&resolved("urn:a:b", "c"), "urn:c", &others);
}

#[test]
fn dots_of_the_base_stay() {
    let without = "http://h/?q";
    let others = [("fluent-uri", without), ("uriparse", without), ("url", without)];
    assert_answers(&resolved("http://h/..", "?q"), "http://h/..?q", &others);
}

#[test]
fn dot_segments_of_rootless_paths_are_removed() {
    let others = [("fluent-uri", "x:a/../b"), ("url", "x:a/../b")];
    assert_answers(&normalised("x:a/../b"), "x:/b", &others);
}

#[test]
fn an_unknown_scheme_gets_no_slash() {
    assert_answers(&normalised("x://h"), "x://h", &[("uriparse", "x://h/")]);
    let others = [("fluent-uri", "http://h"), ("iri-string", "http://h")];
    assert_answers(&normalised("http://h"), "http://h/", &others);
    let for_all = Schemes::BUILTIN.slash_for_all();
    let ours = UriRef::parse("x://h").expect("a URI").normalise_with(Rung::Scheme, for_all);
    assert_eq!(ours, "x://h/");
}

#[test]
fn a_port_is_any_number() {
    let text = "http://h:99999/";
    assert_answers(&read(text), text, &[("uriparse", "refused"), ("url", "refused")]);
    let uri = Uri::parse(text).expect("a URI");
    assert_eq!(uri.authority().and_then(|authority| authority.port_number()), None);
}

#[test]
fn characters_outside_the_grammar_are_refused() {
    assert_answers(&read("http://h/a b"), "refused", &[("url", "http://h/a%20b")]);
    let braces = [("url", "http://h/%7Ba%7D"), ("http", "http://h/{a}")];
    assert_answers(&read("http://h/{a}"), "refused", &braces);
    let letter = "http://h/é";
    let letters = [
        ("fluent-uri IRI", letter),
        ("iri-string IRI", letter),
        ("oxiri IRI", letter),
        ("iref IRI", letter),
        ("url", "http://h/%C3%A9"),
        ("http", letter),
    ];
    assert_answers(&read(letter), "refused", &letters);
}

#[test]
fn equal_urns_have_the_same_text() {
    let [one, other] = ["urn:example:a", "URN:EXAMPLE:a"];
    let ours = [one, other].map(|text| Urn::parse(text, Mode::Rfc8141).expect("a URN"));
    assert!(ours[0] != ours[1] && ours[0].is_equivalent(ours[1]));
    let theirs = [one, other].map(|text| urn::UrnSlice::try_from(text).expect("a URN"));
    assert_eq!(theirs[0], theirs[1]);
}
