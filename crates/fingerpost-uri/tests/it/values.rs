//! Borrowed and owned forms: the same accessors, and traits that agree with each other.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use fingerpost_uri::urn::{Isbn, Issn, Mode, NameKey, Urn, UrnBuf, UrnErrorKind};
use fingerpost_uri::{ErrorKind, Span, Uri, UriBuf, UriBuilder, UriRef, UriRefBuf};

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

const URIS: [&str; 6] = [
    "https://anna:x@[2001:db8::1]:8443/a/b;c?x=1#top",
    "urn:isbn:0451450523",
    "mailto:anna@example.com",
    "foo:?#",
    "http://EXAMPLE.com/%7Ea/../b",
    "a:",
];

#[test]
fn owned_uris_have_the_accessors_of_borrowed_ones() {
    for text in URIS {
        let uri = Uri::parse(text).unwrap();
        let owned: UriBuf = text.parse().unwrap();
        assert_eq!(owned.scheme(), uri.scheme());
        assert_eq!(owned.authority(), uri.authority());
        assert_eq!(owned.host(), uri.host());
        assert_eq!((owned.path(), owned.query()), (uri.path(), uri.query()));
        assert_eq!((owned.fragment(), owned.kind()), (uri.fragment(), uri.kind()));
        assert_eq!(
            owned.normalise(fingerpost_uri::Rung::Scheme),
            uri.normalise(fingerpost_uri::Rung::Scheme)
        );
        assert_eq!(owned.as_uri(), uri);
        assert_eq!((uri.to_buf(), UriBuf::from(uri)), (owned.clone(), owned.clone()));
        assert_eq!(UriBuf::try_from(UriRefBuf::from(owned.clone())), Ok(owned.clone()));
        assert_eq!(UriBuf::try_from(String::from(text)), Ok(owned.clone()));
        assert_eq!(Uri::try_from(text), Ok(uri));
        assert_eq!(String::from(owned), text);
    }
    let base: UriBuf = "http://a/b/c/d;p?q".parse().unwrap();
    let target: UriBuf = UriRef::parse("../g#s").unwrap().resolve(base.as_uri());
    assert_eq!(target, "http://a/b/g#s");
    assert_eq!(target.relativise(base.as_uri()), "../g#s");
    assert_eq!(target.without_fragment(), "http://a/b/g");
    assert_eq!("../g".parse::<UriRefBuf>().unwrap().resolve(base.as_uri()), "http://a/b/g");
    assert_eq!("../g".parse::<UriBuf>().unwrap_err().kind(), ErrorKind::MissingScheme);
    assert_eq!(
        Uri::try_from(UriRef::parse("x").unwrap()).unwrap_err().kind(),
        ErrorKind::MissingScheme
    );
}

#[test]
fn maps_of_uris_are_searched_by_text() {
    for text in URIS {
        let (uri, owned) = (Uri::parse(text).unwrap(), text.parse::<UriBuf>().unwrap());
        assert_eq!(hash(uri), hash(text));
        assert_eq!(hash(&owned), hash(text));
        assert_eq!(hash(UriRef::parse(text).unwrap()), hash(text));
        let reference: &str = owned.as_ref();
        assert_eq!((reference, uri.as_ref()), (text, text));
    }
    let all: HashSet<UriBuf> = URIS.iter().map(|text| text.parse().unwrap()).collect();
    assert!(URIS.iter().all(|text| all.contains(*text)) && !all.contains("b:"));
    let sorted: BTreeSet<Uri<'_>> = URIS.iter().map(|text| Uri::parse(text).unwrap()).collect();
    let mut texts = URIS;
    texts.sort_unstable();
    assert!(sorted.iter().map(|uri| uri.as_str()).eq(texts));
}

#[test]
fn owned_urns_have_the_accessors_of_borrowed_ones() {
    for (text, mode) in [
        ("urn:isbn:0451450523", Mode::Auto),
        ("URN:foo:a/b?+r?=q#f", Mode::Rfc8141),
        ("urn:foo:a?=q?+x", Mode::Rfc8141),
        ("urn:foo:a?+r", Mode::Rfc8141),
        ("urn:foo:a#", Mode::Rfc8141),
        ("urn:foo:a?s=I2L&x=1#f", Mode::Draft),
        ("urn:foo:a", Mode::Draft),
    ] {
        let urn = Urn::parse(text, mode).unwrap();
        let owned = UrnBuf::parse_as(text.into(), mode).unwrap();
        assert_eq!((owned.nid(), owned.nss(), owned.mode()), (urn.nid(), urn.nss(), urn.mode()));
        assert_eq!((owned.name(), owned.is_assigned_name()), (urn.name(), urn.is_assigned_name()));
        assert_eq!(owned.resolver_component(), urn.resolver_component());
        assert_eq!(owned.query_component(), urn.query_component());
        assert_eq!((owned.query(), owned.fragment()), (urn.query(), urn.fragment()));
        assert_eq!(owned.as_urn(), urn);
        assert_eq!((urn.to_buf(), hash(&owned)), (owned, hash(text)));
    }
    let urn = Urn::parse("urn:foo:a/b?+r?=q#f", Mode::Auto).unwrap();
    assert_eq!(urn.resolver_component().map(|r| r.as_str()), Some("r"));
    assert_eq!(urn.query_component().map(|q| q.as_str()), Some("q"));
    assert_eq!(Urn::try_from("urn:foo:a?s=I2L").unwrap().mode(), Mode::Draft);
    let owned: Result<UrnBuf, _> = "urn:x:a".parse();
    assert_eq!(owned.unwrap_err().kind(), UrnErrorKind::Nid);
}

/// Equality is that of the text; the same name is another question (RFC 8141 section 3.1).
#[test]
fn equivalence_is_not_equality() {
    let texts = [
        "urn:example:a123,z456",
        "URN:example:a123,z456",
        "urn:EXAMPLE:a123,z456",
        "urn:example:a123,z456?+abc",
        "urn:example:a123,z456?=xyz",
        "urn:example:a123,z456#789",
        "urn:example:a123%2Cz456",
        "URN:EXAMPLE:a123%2cz456",
        "urn:example:A123,z456",
        "urn:example:a123%2cZ456",
        "urn:example:%25aB",
        "urn:example:%25AB",
        "urn:example:%c3%a9",
        "urn:example:%C3%A9",
        "urn:example:a123,z456/foo",
    ];
    for a in texts {
        for b in texts {
            let (one, other) =
                (Urn::parse(a, Mode::Auto).unwrap(), Urn::parse(b, Mode::Auto).unwrap());
            let same = NameKey::new(one) == NameKey::new(other);
            assert_eq!(one.is_equivalent(other), same, "{a} {b}");
            assert_eq!((one == other, one.cmp(&other)), (a == b, a.cmp(b)));
        }
    }
    let keys: HashMap<NameKey, u8> =
        [(NameKey::new(Urn::try_from("URN:foo:A").unwrap()), 1)].into();
    assert_eq!(keys.get("urn:foo:A"), Some(&1));
}

#[test]
fn errors_name_the_character_found() {
    let error = UriRef::parse("http://a/b\u{a0}c").unwrap_err();
    assert_eq!(error.to_string(), "expected a character of the path, found \"\\u{a0}\" at byte 10");
    assert_eq!((error.span(), error.code()), (Span { start: 10, end: 12 }, "UNEXPECTED_CHARACTER"));
    let error = Urn::parse("urn:foo:a\"b", Mode::Auto).unwrap_err();
    assert_eq!(error.to_string(), r#"expected a character of URNs, found "\"" at byte 9"#);
    let error =
        fingerpost_uri::www::WwwUri::parse("a:b{", fingerpost_uri::www::Grammar::Bnf).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"expected a character of the first web syntax, found "{" at byte 3"#
    );
    assert_eq!((error.code(), error.span()), ("UNEXPECTED_CHARACTER", Span::from_length(3, 1)));
}

/// A question mark begins a component or nothing; a question mark of the name is a triplet (RFC
/// 8141 section 2).
#[test]
fn a_question_mark_after_a_urn_is_explained() {
    for (text, mode, at, found) in [
        ("urn:foo:a?1", Mode::Auto, 10, "\"1\""),
        ("urn:foo:a?x=1", Mode::Rfc8141, 10, "\"x\""),
        ("urn:foo:a?", Mode::Auto, 10, "the end"),
        ("urn:foo:a??=q", Mode::Rfc8141, 10, "\"?\""),
    ] {
        let error = Urn::parse(text, mode).unwrap_err();
        assert_eq!((error.kind(), error.span().start), (UrnErrorKind::Component, at), "{text}");
        let message = error.to_string();
        assert!(message.contains(&format!("found {found} at byte {at}")), "{message}");
        assert!(message.contains("%3F"), "{message}");
    }
    let error = Urn::parse("urn:foo:a?+?=q", Mode::Rfc8141).unwrap_err();
    assert_eq!((error.kind(), error.span().start), (UrnErrorKind::Component, 11));
}

#[test]
fn book_and_serial_numbers_are_values() {
    let isbn: Isbn = "0-451-45052-3".parse().unwrap();
    assert_eq!((isbn.to_string(), isbn.ten()), ("9780451450524".into(), Some(*b"0451450523")));
    assert_eq!("978-0-451-45052-4".parse(), Ok(isbn));
    let issn: Issn = "0317-8471".parse().unwrap();
    assert_eq!(
        (issn.to_string().as_str(), Issn::from_seven(*b"0317847")),
        ("03178471", Some(issn))
    );
    assert_eq!(Issn::from_seven(*b"031784X"), None);
    assert!("0317-8472".parse::<Issn>().is_err() && "1".parse::<Isbn>().is_err());
}

#[cfg(feature = "serde")]
#[test]
fn texts_are_serialised_as_they_are() {
    let json = r#""http://a/b""#;
    let uri: UriBuf = serde_json::from_str(json).unwrap();
    let borrowed: Uri<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&uri).unwrap(), json);
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), json);
    assert!(serde_json::from_str::<UriBuf>(r#""a b""#).unwrap_err().to_string().contains("found"));
    let urn: UrnBuf = serde_json::from_str(r#""urn:foo:a""#).unwrap();
    assert_eq!(serde_json::to_string(&NameKey::new(urn.as_urn())).unwrap(), r#""urn:foo:a""#);
}

/// IN-26, URI-USE-01: a rootless path whose first segment is empty does not begin with a slash.
#[test]
fn rfc_3986_4_2_an_empty_first_segment_stays_rootless() {
    let built = |builder: UriBuilder, segments: &[&str]| {
        builder.rootless(segments.iter().copied()).build().as_str().to_owned()
    };
    let scheme = || UriBuilder::new().scheme("x").expect("a scheme");
    for (segments, alone, with_scheme, with_host) in [
        (&["", "a"][..], ".//a", "x:.//a", "//h//a"),
        (&["", "", "a"], ".///a", "x:.///a", "//h///a"),
        (&["", ""], ".//", "x:.//", "//h//"),
        (&[""], "", "x:", "//h"),
        (&["a", ""], "a/", "x:a/", "//h/a/"),
    ] {
        assert_eq!(built(UriBuilder::new(), segments), alone);
        assert_eq!(built(scheme(), segments), with_scheme);
        assert_eq!(built(UriBuilder::new().host("h"), segments), with_host);
    }
}
