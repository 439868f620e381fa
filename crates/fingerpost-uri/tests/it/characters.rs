//! Characters and percent-encoding (RFC 3986, section 2; rows URI-CHR-*, URI-DIFF-*).

use fingerpost_uri::{ErrorKind, Rung, UriBuilder, UriRef, encode};

fn error(text: &str) -> (ErrorKind, usize) {
    let error = UriRef::parse(text).expect_err(text);
    (error.kind(), error.span().start)
}

fn normal(text: &str, rung: Rung) -> String {
    UriRef::parse(text).expect(text).normalise(rung).into_owned()
}

/// The rung at which two texts become equal.
fn equal_at(a: &str, b: &str) -> Option<Rung> {
    UriRef::parse(a).expect(a).equal_at(UriRef::parse(b).expect(b))
}

/// URI-CHR-01, URI-CHR-05: each ASCII character in each component, by an independent list.
#[test]
fn each_character_in_each_component() {
    let everywhere = "abcxyzABCXYZ0189-._~!$&'()*+,;=";
    for byte in 0..=0x7F_u8 {
        let c = char::from(byte);
        let common = c.is_ascii_alphanumeric() || everywhere.contains(c);
        for (text, extra) in [
            (format!("s://u{c}@h/"), ":/?#"),
            (format!("s://h{c}/"), "@/?#:"),
            (format!("s:/p{c}"), ":@/?#"),
            (format!("s:?q{c}"), ":@/?#"),
            (format!("s:#f{c}"), ":@/?"),
        ] {
            // Delimiters end the component they stand in; what follows is still valid.
            assert_eq!(UriRef::parse(&text).is_ok(), common || extra.contains(c), "{text:?}");
        }
    }
    for text in ["a b", "a\\b", "é", "\u{7f}", "/é", "?é", "#é", "//é"] {
        assert!(UriRef::parse(text).is_err(), "{text:?}");
    }
    assert!(UriRef::parse("a%7F").is_ok());
}

/// URI-CHR-02: a percent sign without two digits is found where it stands.
#[test]
fn broken_triplets() {
    for broken in ["%", "%4", "%4g", "%g4", "%%41", "% 41"] {
        for (start, end) in [("//", "@h"), ("//", ""), ("/", ""), ("?", ""), ("#", "")] {
            let text = [start, broken, end].concat();
            assert_eq!(error(&text), (ErrorKind::InvalidTriplet, start.len()), "{text:?}");
        }
    }
    assert_eq!(error("//h:%41").0, ErrorKind::UnexpectedCharacter, "a port has no triplets");
}

/// URI-CHR-03, URI-CHR-04: digits of either case are the same; the normal form has capitals.
#[test]
fn digits_of_triplets() {
    assert_eq!(equal_at("s:/%3a", "s:/%3A"), Some(Rung::Case));
    assert_eq!(normal("s://u%3a@h%c3%a9/%3a?%3a#%3a", Rung::Case), "s://u%3A@h%C3%A9/%3A?%3A#%3A");
    assert_eq!(encode("\n"), "%0A");
}

/// URI-CHR-06: reserved characters and their triplets stay two things at every rung.
#[test]
fn reserved_characters_are_not_their_triplets() {
    for c in ":/?#[]@!$&'()*+,;=".chars() {
        let triplet = format!("s://h/a%{:02X}b", u32::from(c));
        assert_eq!(normal(&triplet, Rung::Scheme), triplet);
        if !"#[]".contains(c) {
            assert_eq!(equal_at(&triplet, &format!("s://h/a{c}b")), None, "{c}");
        }
    }
}

/// URI-CHR-07, URI-DIFF-2: data can never become a delimiter, in no component.
#[test]
fn builders_encode_what_would_delimit() {
    let built = UriBuilder::new()
        .scheme("s")
        .expect("a scheme")
        .userinfo("a:b@c")
        .host("h/x")
        .segments(["a/b", "?#", ""])
        .query_pair("k&", "v=#")
        .fragment("#[]")
        .build();
    assert_eq!(built.as_str(), "s://a%3Ab%40c@h%2Fx/a%2Fb/%3F%23/?k%26=v%3D%23#%23%5B%5D");
    let uri = built.as_uri_ref();
    let authority = uri.authority().expect("an authority");
    assert_eq!(
        authority.userinfo().expect("user information").decode_utf8().as_deref(),
        Ok("a:b@c")
    );
    let segments: Vec<_> =
        uri.path().segments().map(|s| s.decode_utf8().expect("UTF-8").into_owned()).collect();
    assert_eq!(segments, ["a/b", "?#", ""]);
}

/// URI-CHR-08, URI-DIFF-1: a reserved character without a role is data.
#[test]
fn reserved_characters_without_a_role_are_data() {
    let uri = UriRef::parse("/a;b,c=d").expect("a reference");
    let segment = uri.path().segments().next().expect("a segment");
    assert_eq!(segment.decode_utf8().as_deref(), Ok("a;b,c=d"));
}

/// URI-CHR-09: unreserved characters are their triplets.
#[test]
fn unreserved_characters_are_their_triplets() {
    for c in ('0'..='9').chain('a'..='z').chain('A'..='Z').chain("-._~".chars()) {
        let (plain, triplet) = (format!("s:/x{c}"), format!("s:/x%{:02x}", u32::from(c)));
        assert_eq!(normal(&triplet, Rung::Percent), plain);
        assert!(equal_at(&plain, &triplet) <= Some(Rung::Percent), "{c}");
        assert_eq!(encode(&c.to_string()), c.to_string());
    }
}

/// URI-CHR-10: a decoded delimiter divides nothing, for the parts were split before.
#[test]
fn parts_are_split_before_they_are_decoded() {
    let uri = UriRef::parse("s://u%40x@h/a%2Fb/c?k%3Dx=v%26w#%23").expect("a reference");
    let segments: Vec<_> = uri.path().segments().map(|s| s.decode().into_owned()).collect();
    assert_eq!(segments, [b"a/b".to_vec(), b"c".to_vec()]);
    let pairs: Vec<_> = uri.query().expect("a query").pairs().collect();
    assert_eq!(pairs.len(), 1);
    assert_eq!(pairs[0].0.decode_utf8().as_deref(), Ok("k=x"));
    assert_eq!(pairs[0].1.expect("a value").decode_utf8().as_deref(), Ok("v&w"));
}

/// URI-CHR-11: nothing is decoded or encoded twice.
#[test]
fn percent_signs_in_data() {
    assert_eq!(encode("%41"), "%2541");
    let uri = UriRef::parse("s:/%2541").expect("a reference");
    let segment = uri.path().segments().next().expect("a segment");
    assert_eq!(segment.decode_utf8().as_deref(), Ok("%41"));
    assert_eq!(uri.normalise(Rung::Scheme), "s:/%2541");
}

/// URI-CHR-12: UTF-8 first, then every octet that is not unreserved.
#[test]
fn text_is_encoded_as_utf_8() {
    for (data, encoded) in
        [("À", "%C3%80"), ("ア", "%E3%82%A2"), ("A", "A"), ("a b", "a%20b"), ("", "")]
    {
        assert_eq!(encode(data), encoded);
    }
}

/// URI-CHR-13: octets need not be text; the sample of section 2.5 is EBCDIC.
#[test]
fn octets_need_not_be_text() {
    let uri = UriRef::parse("s:/%D3%81%A3").expect("a reference");
    let segment = uri.path().segments().next().expect("a segment");
    assert_eq!(&*segment.decode(), b"\xD3\x81\xA3");
    assert!(segment.decode_utf8().is_err());
}
