//! URNs (URN draft of 2012, RFC 8141; rows URN-*).

use std::borrow::Cow;

use fingerpost_uri::urn::thttp::{RequestError, ServiceRequest};
use fingerpost_uri::urn::{
    AnswerKey, InvalidNss, Mode, NameKey, Namespace, NamespaceRegistry, Service, Urn, UrnBuf,
    UrnErrorKind, UrnLint,
};
use fingerpost_uri::{Rung, Uri, UriRef};

fn draft(text: &str) -> Urn<'_> {
    Urn::parse(text, Mode::Draft).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn kind(text: &str, mode: Mode) -> Option<UrnErrorKind> {
    Urn::parse(text, mode).err().map(|error| error.kind())
}

/// Refused in both modes, for the same reason.
#[track_caller]
fn refused(text: &str, reason: UrnErrorKind) {
    for mode in [Mode::Draft, Mode::Rfc8141, Mode::Auto] {
        assert_eq!(kind(text, mode), Some(reason), "{text:?} {mode:?}");
    }
}

fn name(text: &str) -> NameKey {
    NameKey::new(Urn::parse(text, Mode::Auto).expect(text))
}

fn answer(text: &str) -> AnswerKey {
    AnswerKey::new(draft(text))
}

/// URN-SYN-01, URN-PRE-03: every URN is a URI whose scheme is `urn` and nothing more.
#[test]
fn a_urn_is_a_uri() {
    for text in ["urn:isbn:0451450523", "URN:a-1:b?s=I2L#f", "urn:foo::", "urn:foo:a%2Fb"] {
        assert!(Urn::parse(text, Mode::Draft).is_ok());
        let uri = Uri::parse(text).expect(text);
        assert!(uri.scheme().eq_ignore_ascii_case("urn"));
        assert!(uri.authority().is_none());
        assert_eq!(uri.path().as_str(), draft(text).name().split_once(':').expect("a colon").1);
    }
}

/// URN-SYN-02, URN-SYN-03, URN-SYN-04, URN-SYN-05: scheme and namespace identifier.
#[test]
fn scheme_and_namespace() {
    let longest = format!("urn:{}:x", "a".repeat(32));
    for text in
        ["urn:ab:x", "URN:AB:x", "uRn:a1:x", "urn:1a:x", "urn:a-b:x", "urn:a--b:x", &longest]
    {
        assert!(draft(text).is_assigned_name(), "{text}");
    }
    for text in ["", "urn", "foo:ab:x", "urn", "isbn:0451450523", " urn:ab:x", "urn%3Aab:x"] {
        refused(text, UrnErrorKind::Scheme);
    }
    let too_long = format!("urn:{}:x", "a".repeat(33));
    for text in [
        "urn:",
        "urn:foo",
        "urn:a:x",
        "urn::x",
        "urn:-ab:x",
        "urn:ab-:x",
        "urn:a_b:x",
        "urn:%41b:x",
        &too_long,
    ] {
        refused(text, UrnErrorKind::Nid);
    }
    refused("urn:foo:", UrnErrorKind::EmptyNss);
    refused("urn:foo:?s=I2L", UrnErrorKind::EmptyNss);
    refused("urn:URN:x", UrnErrorKind::ReservedNid);
    refused("urn:urn:x", UrnErrorKind::ReservedNid);
    assert!(Urn::parse("urn:urn-7:x", Mode::Auto).is_ok());
}

/// URN-SYN-06, URN-SYN-08, URN-SYN-09, URN-SYN-10, URN-SYN-13: each character of a name.
#[test]
fn characters_of_a_name() {
    for byte in 0..=0x7F_u8 {
        let c = char::from(byte);
        let text = format!("urn:foo:a{c}b");
        let is_pchar = c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@".contains(c);
        // Both modes read a fragment behind `#`; the one takes slashes.
        assert_eq!(Urn::parse(&text, Mode::Draft).is_ok(), is_pchar || c == '#', "{text:?}");
        assert_eq!(
            Urn::parse(&text, Mode::Rfc8141).is_ok(),
            is_pchar || "#/".contains(c),
            "{text:?}"
        );
    }
    refused("urn:foo:é", UrnErrorKind::UnexpectedCharacter);
    refused("urn:foo:a%gg", UrnErrorKind::InvalidTriplet);
    refused("urn:foo:a%2", UrnErrorKind::InvalidTriplet);
    assert_eq!(kind("urn:foo:/a", Mode::Rfc8141), Some(UrnErrorKind::EmptyNss));
    assert_eq!(draft("urn:foo:50%25").nss().decode_utf8().as_deref(), Ok("50%"));
    assert_eq!(draft("urn:foo::").nss().as_str(), ":");
    assert_eq!(draft("urn:foo:a::b").nss().as_str().split(':').count(), 3);
    for text in ["urn:foo:a%00b", "urn:foo:a?k=%00", "urn:foo:a#%00"] {
        assert_eq!(kind(text, Mode::Draft), Some(UrnErrorKind::Nul), "{text}");
    }
    for text in ["urn:foo:a?+%00", "urn:foo:a?=%00"] {
        assert_eq!(kind(text, Mode::Rfc8141), Some(UrnErrorKind::Nul), "{text}");
    }
}

#[derive(Debug)]
struct Shelf;

/// Shelves and places divided by a full stop; shelves without case; fragments name pages.
impl Namespace for Shelf {
    fn nid(&self) -> &'static str {
        "shelf"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        if nss.contains('.') { Ok(()) } else { Err(InvalidNss::new("a shelf and a place")) }
    }

    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        Cow::Owned(nss.to_ascii_lowercase())
    }

    fn special_chars(&self) -> &'static str {
        "."
    }

    fn allows_fragment(&self) -> bool {
        true
    }

    fn services(&self) -> &[Service] {
        &[Service::I2L, Service::I2C]
    }

    fn keywords(&self) -> &[&str] {
        &["c"]
    }

    fn default_service(&self) -> Service {
        Service::I2C
    }
}

/// URN-SYN-07, URN-SYN-11, URN-SYN-12: what is built is encoded where it must be, and nowhere else.
#[test]
fn names_from_data() {
    let registry = NamespaceRegistry::builtin();
    for (data, built) in [
        ("é", "urn:foo:%C3%A9"),
        ("a/b?c#d", "urn:foo:a%2Fb%3Fc%23d"),
        ("50%", "urn:foo:50%25"),
        ("a-._~:@,!", "urn:foo:a-._~:@,!"),
    ] {
        let found = UrnBuf::build("foo", data, &registry).expect(data);
        assert_eq!(found.as_str(), built);
        assert_eq!(draft(found.as_str()).nss().decode_utf8().as_deref(), Ok(data));
        assert_eq!(draft(found.as_str()).lints().count(), 0);
    }
    assert_eq!(
        UrnBuf::build("foo", "", &registry).map_err(|e| e.kind()),
        Err(UrnErrorKind::EmptyNss)
    );
    assert_eq!(
        UrnBuf::build("foo", "a\0", &registry).map_err(|e| e.kind()),
        Err(UrnErrorKind::Nul)
    );
    for nid in ["f", "foo:x", "foo:x#", "urn"] {
        assert!(UrnBuf::build(nid, "a", &registry).is_err(), "{nid}");
    }
    let own: [&dyn Namespace; 1] = [&Shelf];
    let registry = NamespaceRegistry::extended(&own);
    let built = UrnBuf::build("shelf", "a.b", &registry);
    assert_eq!(
        built.as_ref().map(UrnBuf::as_str),
        Ok("urn:shelf:a%2Eb"),
        "a full stop that divides nothing"
    );
}

/// URN-SYN-11, URN-PRE-06: what is questioned, not refused.
#[test]
fn lints() {
    for (text, lint) in [
        ("urn:foo:%41", Some(UrnLint::NeedlessEncoding)),
        ("urn:foo:%2C", None),
        ("urn:urn-7:x", Some(UrnLint::InformalNamespace)),
        ("urn:X-foo:x", Some(UrnLint::ExperimentalNamespace)),
        ("urn:de-foo:x", Some(UrnLint::CountryNamespace)),
        ("urn:foo:x", None),
    ] {
        assert_eq!(draft(text).lints().next(), lint, "{text}");
    }
}

/// URN-QRY-01, URN-QRY-02, URN-QRY-03, URN-QRY-04: the grammar of directives.
#[test]
fn directives() {
    for query in
        ["", "s", "s=x&", "&s=x", "s=x&&t=y", "=v", "a-=v", "-a=v", "a--b=v", "1=v", "a_b=v"]
    {
        let text = format!("urn:foo:a?{query}");
        assert_eq!(kind(&text, Mode::Draft), Some(UrnErrorKind::Directive), "{text}");
    }
    assert_eq!(kind("urn:foo:a?k=[", Mode::Draft), Some(UrnErrorKind::UnexpectedCharacter));
    for (query, keyword, value) in [
        ("k=a=b/c?d:e@f", "k", "a=b/c?d:e@f"),
        ("k=", "k", ""),
        ("a-b-1=%20!$'()*+,;", "a-b-1", "%20!$'()*+,;"),
    ] {
        let text = format!("urn:foo:a?{query}");
        let urn = draft(&text);
        let directive = urn.directives().iter().next().expect("a directive");
        assert_eq!((directive.keyword(), directive.value()), (keyword, value));
        assert!(!urn.is_assigned_name());
        assert_eq!(urn.name(), "urn:foo:a");
    }
    assert!(draft("urn:foo:a").is_assigned_name());
}

/// URN-QRY-06 in a long query: the same as comparing each keyword with each. That comparison took
/// four seconds here.
#[test]
fn many_directives_are_counted_by_sorting() {
    let keywords: Vec<String> =
        (0..12_000).map(|n: u32| format!("k{}", n * 7_919 % 9_001)).collect();
    let query: Vec<String> = keywords.iter().map(|keyword| format!("{keyword}=v")).collect();
    let text = format!("urn:foo:a?{}", query.join("&"));
    let directives = draft(&text).directives();
    let mut counts = std::collections::HashMap::new();
    keywords.iter().for_each(|keyword| *counts.entry(keyword.as_str()).or_insert(0) += 1);
    let single: Vec<&str> =
        keywords.iter().map(String::as_str).filter(|keyword| counts[keyword] == 1).collect();
    assert!(directives.iter_effective().map(|directive| directive.keyword()).eq(single));
    let repeated: Vec<&str> = directives.duplicate_keywords().collect();
    assert_eq!(repeated.len(), counts.values().filter(|count| **count > 1).count());
    let firsts =
        keywords.iter().map(String::as_str).filter(|keyword| counts.remove(keyword) > Some(1));
    assert!(firsts.eq(repeated));
}

/// URN-QRY-05, URN-QRY-06, URN-QRY-07, URN-QRY-08, URN-SVC-05: which directives count.
#[test]
fn what_directives_ask_for() {
    let supported = [Service::I2L, Service::I2C];
    let select = |query: &str| {
        Service::select(draft(&format!("urn:foo:a{query}")), Service::I2L, &supported)
    };
    assert_eq!(select("?s=I2C"), Service::I2C);
    assert_eq!(select("?lang=en&lang=fr&s=I2C"), Service::I2C, "unknown keywords may be repeated");
    assert_eq!(select("?s=I2C&S=I2L"), Service::I2C, "keywords are compared with case");
    for query in [
        "",
        "?s=",
        "?s=I2U",
        "?s=i2c",
        "?S=I2C",
        "?s=I2R",
        "?x=I2C",
        "?s=I2C&s=I2C",
        "?s=I2C&s=I2L",
    ] {
        assert_eq!(select(query), Service::I2L, "{query}");
    }
    let directives = draft("urn:foo:a?s=I2L&lang=en&s=I2R&lang=fr&c=x").directives();
    assert_eq!(directives.iter().count(), 5);
    assert_eq!(directives.duplicate_keywords().collect::<Vec<_>>(), ["s", "lang"]);
    assert_eq!(directives.iter_effective().count(), 1);
    assert_eq!(directives.effective("c"), Some("x"));
}

/// URN-SVC-01, URN-SVC-02, URN-SVC-04: the nine services by their words.
#[test]
fn services() {
    let words: Vec<_> = Service::ALL.iter().map(|service| service.as_str()).collect();
    assert_eq!(words, ["I2L", "I2Ls", "I2R", "I2Rs", "I2C", "I2Cs", "I2N", "I2Ns", "I=I"]);
    for service in Service::ALL {
        assert_eq!(Service::from_word(service.as_str()), Some(*service));
        let text = format!("urn:foo:a?s={}", service.as_str());
        assert_eq!(Service::select(draft(&text), Service::I2L, Service::ALL), *service);
    }
    assert_eq!(Service::from_word("i2l"), None);
    assert_eq!(draft("urn:foo:a?s=I=I").directives().effective("s"), Some("I=I"));
}

/// URN-QRY-09, URN-SVC-06, URN-FRG-01: what namespaces state of themselves.
#[test]
fn namespaces_state_what_they_support() {
    let own: [&dyn Namespace; 1] = [&Shelf];
    let registry = NamespaceRegistry::extended(&own);
    for nid in ["isbn", "ISSN", "uuid", "oid", "ietf", "epc", "nbn", "example"] {
        let namespace = registry.namespace(nid).expect(nid);
        assert!(namespace.keywords().is_empty() && !namespace.allows_fragment(), "{nid}");
        assert_eq!(namespace.default_service(), Service::I2L);
    }
    assert!(registry.namespace("isbn").expect("isbn").services().contains(&Service::I2Ls));
    let shelf = registry.namespace("SHELF").expect("our own");
    assert_eq!(
        (shelf.services().len(), shelf.keywords(), shelf.default_service()),
        (2, &["c"][..], Service::I2C)
    );
    let is_fine = |text, mode| registry.check(Urn::parse(text, mode).expect(text)).is_ok();
    assert!(is_fine("urn:shelf:a.b#page3", Mode::Draft));
    assert!(!is_fine("urn:isbn:0451450523#page3", Mode::Draft));
    assert!(is_fine("urn:isbn:0451450523#page3", Mode::Rfc8141), "a fragment is general there");
    assert!(is_fine("urn:unknown:a#b", Mode::Draft), "nothing is known of it");
}

/// URN-FRG-01, URN-FRG-02, URN-FRG-03: a fragment parses, is no part of a name, and never reaches a
/// resolver.
#[test]
fn fragments() {
    let urn = draft("urn:foo:a#b/c?d");
    assert_eq!(urn.fragment().map(|fragment| fragment.as_str()), Some("b/c?d"));
    assert!(!urn.is_assigned_name());
    assert_eq!(name("urn:foo:a#b"), name("urn:foo:a"));
    assert_eq!(
        ServiceRequest::parse("/uri-res/N2L?urn:foo:a#b"),
        Err(RequestError::InvalidOperand)
    );
    refused("urn:foo:a#b#c", UrnErrorKind::UnexpectedCharacter);
}

/// URN-EQV-01, URN-EQV-02, URN-EQV-03: the eight examples of section 5.1, 28 pairs, two purposes.
#[test]
fn the_eight_examples() {
    let names = [
        "URN:foo:a123,456",
        "urn:foo:a123,456",
        "urn:FOO:a123,456",
        "urn:foo:A123,456",
        "urn:foo:a123%2C456",
        "URN:FOO:a123%2c456",
        "urn:foo:a123,456?s=I2L",
        "urn:foo:a123,456#frag",
    ];
    // 1, 2, 3 and 8 are one name, which 7 asks about; 4 stands alone; 5 and 6 are one.
    let class = [0, 0, 0, 1, 2, 2, 0, 0];
    for a in 0..8 {
        for b in 0..8 {
            let same = class[a] == class[b];
            assert_eq!(name(names[a]) == name(names[b]), same, "{} {}", a + 1, b + 1);
            let same = same && (a == 6) == (b == 6);
            assert_eq!(answer(names[a]) == answer(names[b]), same, "{} {}", a + 1, b + 1);
        }
    }
    let (a, b) =
        (UriRef::parse("urn:foo:%41").expect("a URI"), UriRef::parse("urn:foo:A").expect("a URI"));
    assert_eq!(a.equal_at(b), Some(Rung::Percent), "equal as URIs, but");
    assert_ne!(name("urn:foo:%41"), name("urn:foo:A"));
}

/// URN-EQV-04: a namespace makes more names equal, never fewer.
#[test]
fn equivalence_of_namespaces() {
    let own: [&dyn Namespace; 1] = [&Shelf];
    let registry = NamespaceRegistry::extended(&own);
    let known =
        |text: &str| NameKey::with_registry(Urn::parse(text, Mode::Auto).expect(text), &registry);
    for (a, b) in [
        ("urn:isbn:0-451-45052-3", "urn:isbn:0451450523"),
        ("urn:isbn:080442957x", "urn:ISBN:0-8044-2957-X"),
        ("urn:issn:0317-8471", "urn:issn:03178471"),
        (
            "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6",
            "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        ),
        ("urn:ietf:RFC:2648", "urn:ietf:rfc:2648"),
        // IN-22, RFC 8458: the prefix of a national bibliography number ignores case.
        ("urn:nbn:DE:BVB:19-146642", "urn:nbn:de:bvb:19-146642"),
        ("urn:shelf:A.b", "urn:shelf:a.B"),
    ] {
        assert_ne!(name(a), name(b), "{a} {b}");
        assert_eq!(known(a), known(b), "{a} {b}");
    }
    for text in [
        "urn:isbn:0-451-45052-4",
        "urn:epc:id:sgtin:0614141.112345.a",
        "urn:nbn:de:A",
        "urn:foo:a%2c",
    ] {
        let capitals = text.replace("urn:", "URN:").replace("%2c", "%2C");
        assert_eq!(known(text), known(&capitals), "equal names stay equal");
    }
    assert_ne!(
        known("urn:epc:id:sgtin:0614141.112345.a"),
        known("urn:epc:id:sgtin:0614141.112345.A")
    );
}

/// URN-EQV-05: directives by keyword, values as they are but for the digits of triplets.
#[test]
fn cached_answers() {
    assert_eq!(answer("urn:foo:x?a=1&b=2"), answer("urn:foo:x?b=2&a=1"));
    assert_eq!(answer("urn:foo:x?a=%2c"), answer("urn:foo:x?a=%2C"));
    for (a, b) in
        [("a=1", "a=2"), ("a=1", "A=1"), ("a=x", "a=X"), ("a=1&a=2", "a=2&a=1"), ("a=1", "a=1&b=")]
    {
        assert_ne!(answer(&format!("urn:foo:x?{a}")), answer(&format!("urn:foo:x?{b}")), "{a} {b}");
    }
}

/// URN-EQV-06: two names of one book stay two.
#[test]
fn functional_equivalence() {
    let registry = NamespaceRegistry::builtin();
    let known = |text| NameKey::with_registry(draft(text), &registry);
    assert_ne!(known("urn:isbn:0451450523"), known("urn:isbn:9780451450524"));
}

/// URN-EQV-07: components do not count, slashes and dot-segments do.
#[test]
fn equivalence_of_rfc_8141() {
    let key = |text| NameKey::new(Urn::parse(text, Mode::Rfc8141).expect(text));
    for text in ["URN:Foo:a/b?+r", "urn:foo:a/b?=q", "urn:foo:a/b?+r?x?=q#f", "urn:foo:a/b#f"] {
        assert_eq!(key(text), key("urn:foo:a/b"), "{text}");
    }
    assert_ne!(key("urn:foo:a/b"), key("urn:foo:a/b/"));
    assert_ne!(key("urn:foo:a/./b"), key("urn:foo:a/b"));
    let urn = Urn::parse("urn:foo:a?+r?x?=q?+y", Mode::Auto).expect("both components");
    assert_eq!(urn.resolver_component().map(|r| r.as_str()), Some("r?x"));
    assert_eq!(urn.query_component().map(|q| q.as_str()), Some("q?+y"));
    for text in [
        "urn:foo:a?+",
        "urn:foo:a?=",
        "urn:foo:a?+/x",
        "urn:foo:a?=?x",
        "urn:foo:a?",
        "urn:foo:a?+r?=",
    ] {
        assert_eq!(kind(text, Mode::Rfc8141), Some(UrnErrorKind::Component), "{text}");
    }
}

/// URN-PRE-01, URN-PRE-02: names are written, and shown, encoded.
#[test]
fn names_are_shown_encoded() {
    let urn = draft("urn:foo:caf%C3%A9");
    assert_eq!(urn.to_string(), "urn:foo:caf%C3%A9");
    assert_eq!(NameKey::new(urn).to_string(), "urn:foo:caf%C3%A9");
    assert!(NameKey::new(urn).as_str().is_ascii());
}

/// URN-PRE-05: names of registered namespaces are names of the systems behind them.
#[test]
fn names_of_their_systems() {
    let registry = NamespaceRegistry::builtin();
    let is_fine = |text| registry.check(draft(text)).is_ok();
    for text in [
        "urn:isbn:0451450523",
        "urn:isbn:978-0-451-45052-4",
        "urn:isbn:9791032305690",
        "urn:isbn:080442957X",
        "urn:issn:0317-8471",
        "urn:issn:2434-561X",
        "urn:oid:2.16.840",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "urn:epc:id:sscc:0614141.1",
        "urn:nbn:de:101:1-1",
        "urn:ietf:rfc:2648",
        "urn:foo:whatever",
    ] {
        assert!(is_fine(text), "{text}");
    }
    for text in [
        "urn:isbn:0451450524",
        "urn:isbn:9780451450525",
        "urn:isbn:9770451450524",
        "urn:isbn:045145052",
        "urn:isbn:X451450523",
        "urn:issn:0317-8472",
        "urn:issn:031784",
        "urn:oid:2.016",
        "urn:oid:2..1",
        "urn:uuid:f81d4fae",
        "urn:epc:sgtin:1",
        "urn:epc:id:sgtin:",
    ] {
        assert!(!is_fine(text), "{text}");
    }
}

/// IN-22: what an identifier system cannot contain does not fit its namespace.
#[test]
fn names_that_no_system_has() {
    let registry = NamespaceRegistry::builtin();
    let fits = |nid: &str, nss: &str| {
        let namespace = registry.namespace(nid).expect(nid);
        namespace.validate_nss(nss).map_err(|error| error.to_string())
    };
    for (nid, nss) in [
        ("isbn", "0-451-45052-3"),
        ("isbn", "04514-50523"),
        ("issn", "0317-8471"),
        ("oid", "0"),
        ("oid", "1.39.1"),
        ("oid", "0.39"),
        ("oid", "2.40"),
        ("oid", "2.999.99999999999999999999"),
    ] {
        assert_eq!(fits(nid, nss), Ok(()), "{nid} {nss}");
    }
    for (nid, nss) in [
        ("isbn", "0--451450523"),
        ("isbn", "-0451450523"),
        ("isbn", "0451450523-"),
        ("issn", "0317--8471"),
        ("oid", "3.1"),
        ("oid", "3"),
        ("oid", "1.40"),
        ("oid", "0.40.1"),
        ("oid", "1.99999999999999999999"),
        ("oid", "20.1"),
    ] {
        assert!(fits(nid, nss).is_err(), "{nid} {nss}");
    }
    let name = |text: &str| {
        let urn = Urn::parse(text, Mode::Auto).expect(text);
        NameKey::with_registry(urn, &registry).as_str().to_owned()
    };
    assert_eq!(name("urn:nbn:DE:bvb:19-Ab"), "urn:nbn:de:bvb:19-Ab", "only the prefix");
    assert_eq!(name("urn:nbn:DE"), "urn:nbn:DE", "there is no prefix");
}
