//! URIs in running text (RFC 3986, Appendix C and section 4.5; rows URI-EXT-*, URI-USE-04,
//! URN-SYN-14).

use fingerpost_uri::{ExtractOptions, ExtractedForm, extract};

fn uris(text: &str) -> Vec<String> {
    extract(text, ExtractOptions::new()).map(|found| found.uri().to_owned()).collect()
}

/// URI-EXT-01, URI-EXT-02, URI-EXT-04: the sample paragraph of Appendix C.
#[test]
fn the_sample_paragraph() {
    let text = "Yes, Jim, I found it under \"http://www.w3.org/Addressing/\",\n\
                but you can probably pick it up from <ftp://foo.example.\n\
                com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/\n\
                ietf/uri/historical.html#WARNING>.";
    let found: Vec<_> = extract(text, ExtractOptions::new()).collect();
    let uris: Vec<_> = found.iter().map(|found| (found.uri(), found.form())).collect();
    assert_eq!(
        uris,
        [
            ("http://www.w3.org/Addressing/", ExtractedForm::Quote),
            ("ftp://foo.example.com/rfc/", ExtractedForm::Angle),
            ("http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING", ExtractedForm::Angle),
        ]
    );
    assert_eq!(&text[found[0].span().range()], found[0].uri(), "a span without its delimiters");
    assert_eq!(&text[found[1].span().range()], "ftp://foo.example.\ncom/rfc/");
    assert!(found.iter().all(|found| found.alternative().is_none()));
}

/// URI-EXT-02: all kinds of white space go from angle brackets, only line breaks from quotes.
#[test]
fn white_space_in_delimiters() {
    assert_eq!(uris("<  http://h/a \t\r\n  b\n/c  >"), ["http://h/ab/c"]);
    assert_eq!(uris("\"http://h/a\r\n  b\""), ["http://h/ab"]);
    assert_eq!(uris("\"http://h/a b\""), Vec::<String>::new());
}

/// URI-EXT-03: whose hyphen it is cannot be known, so both readings are given.
#[test]
fn a_hyphen_before_a_line_break() {
    let found: Vec<_> = extract("<http://h/long-\n  name>", ExtractOptions::new()).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].uri(), "http://h/long-name");
    assert_eq!(found[0].alternative(), Some("http://h/longname"));
    let whole: Vec<_> = extract("<http://h/long-name>", ExtractOptions::new()).collect();
    assert_eq!(whole[0].alternative(), None);
}

/// URI-EXT-04: the prefix of old, once.
#[test]
fn the_prefix_url() {
    assert_eq!(
        uris("<URL:http://h/a> <url: http://h/b> <Url:\nhttp://h/c>"),
        ["http://h/a", "http://h/b", "http://h/c"]
    );
    assert_eq!(uris("<URL:URL:http://h/a>"), Vec::<String>::new());
}

/// URI-EXT-01: a text that is nothing but a URI and its delimiters.
#[test]
fn pasted_text() {
    for text in [
        "http://h/a",
        " http://h/a ",
        "<http://h/a>",
        "\"http://h/a\"",
        "\"<http://h/a>\"",
        "<\nhttp://h/a\n>",
    ] {
        assert_eq!(uris(text), ["http://h/a"], "{text:?}");
    }
}

/// URI-EXT-06: bare URIs end where the sentence goes on.
#[test]
fn bare_uris() {
    for (text, found) in [
        ("see http://h/a.", &["http://h/a"][..]),
        ("http://h/a, http://h/b; http://h/c!", &["http://h/a", "http://h/b", "http://h/c"]),
        ("(http://h/a) (see http://h/a_(b))", &["http://h/a", "http://h/a_(b)"]),
        ("'http://h/a'? http://h/a?x=1?", &["http://h/a", "http://h/a?x=1"]),
        ("http://h/a{b}", &["http://h/a"]),
        ("http:// http:a https:/b", &[]),
        ("note: this is foo:bar", &[]),
        ("<http://h/^ http://h/a>", &[]),
        ("mailto:a@b.example tel:+1-816", &["mailto:a@b.example", "tel:+1-816"]),
    ] {
        assert_eq!(uris(text), found, "{text}");
    }
    let options = ExtractOptions::new().bare_schemes(&["foo"]);
    let found: Vec<_> =
        extract("http://h/a Foo:bar", options).map(|found| found.uri().to_owned()).collect();
    assert_eq!(found, ["Foo:bar"]);
}

/// URI-EXT-07: spans lie on the text, in order, and do not overlap.
#[test]
fn spans() {
    let text = "é <http://h/a> x http://h/b, \"http://h/c\" www.h.example";
    let mut end = 0;
    for found in extract(text, ExtractOptions::new().suffix(true)) {
        assert!(found.span().start >= end);
        end = found.span().end;
        assert_eq!(
            found.uri().strip_prefix("http://"),
            text[found.span().range()].strip_prefix("http://").or(Some("www.h.example"))
        );
    }
    assert_eq!(end, text.len());
}

/// URI-USE-04: guesses only on request, and marked.
#[test]
fn suffix_references() {
    assert_eq!(uris("go to www.w3.org/x"), Vec::<String>::new());
    let found: Vec<_> =
        extract("go to www.w3.org/x.", ExtractOptions::new().suffix(true)).collect();
    assert_eq!((found[0].uri(), found[0].form()), ("http://www.w3.org/x", ExtractedForm::Suffix));
}

/// URN-SYN-14: a name ends before the first excluded character.
#[test]
fn names_in_text() {
    assert_eq!(uris("x urn:foo:abc[1] y"), ["urn:foo:abc"]);
    assert_eq!(uris("<urn:foo:abc>, urn:isbn:0451450523."), ["urn:foo:abc", "urn:isbn:0451450523"]);
}

/// IN-22, IN-25, URI-EXT-01, URI-EXT-06: what stands before a URI or beside its brackets is not
/// part of it.
#[test]
fn rfc_3986_appendix_c_text_around_a_uri_is_left_out() {
    let found = |text: &str| -> Vec<String> {
        let found = extract(text, ExtractOptions::new().international(true));
        let found: Vec<_> = found.collect();
        for one in &found {
            if one.uri().len() == one.span().range().len() {
                assert_eq!(&text[one.span().range()], one.uri(), "{text}");
            }
        }
        found.iter().map(|found| found.uri().to_owned()).collect()
    };
    for (text, expected) in [
        ("a < b and https://a.example/x > c", &["https://a.example/x"][..]),
        ("if 1 < 2 see https://a.example/x and 3 > 2", &["https://a.example/x"]),
        ("< https://a.example/x and b > c", &["https://a.example/x"]),
        ("< https://a.example/x\n  y >", &["https://a.example/xy"]),
        ("<https://a.example/x|label>", &["https://a.example/x"]),
        ("<https://a.example/x|two words> <mailto:a@b|c>", &["https://a.example/x", "mailto:a@b"]),
        ("<URL: https://a.example/x|label>", &["https://a.example/x"]),
        ("-https://a.example/x", &["https://a.example/x"]),
        ("1.https://a.example/x", &["https://a.example/x"]),
        ("1-https://a.example/x 2.urn:a:b", &["https://a.example/x", "urn:a:b"]),
        ("See it.https://a.example/x.", &["https://a.example/x"]),
        ("svn+https://a.example/x", &[]),
        ("xhttps://a.example/x", &[]),
        ("\"https://a.example/é\"", &["https://a.example/é"]),
        ("<https://bücher.example/ü?q=日本>", &["https://bücher.example/ü?q=日本"]),
        ("at https://bücher.example/é.", &["https://bücher.example/é"]),
        (
            "„https://a.example/x“, https://a.example/y…",
            &["https://a.example/x", "https://a.example/y"],
        ),
        ("见https://a.example/x。", &["https://a.example/x"]),
        (
            "**https://a.example/x** and *https://a.example/y*.",
            &["https://a.example/x", "https://a.example/y"],
        ),
        (
            "__https://a.example/x_y__, ~~https://a.example/z~~",
            &["https://a.example/x_y", "https://a.example/z"],
        ),
        ("(**https://a.example/x.**)", &["https://a.example/x"]),
        (
            "https://a.example/x** https://a.example/*",
            &["https://a.example/x**", "https://a.example/*"],
        ),
        ("*https://a.example/x**", &["https://a.example/x*"]),
        (
            "https://a.example/x/%zz/y https://a.example/é%C",
            &["https://a.example/x/", "https://a.example/é"],
        ),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
    let both = extract("https://a.example/xです", ExtractOptions::new().international(true)).next();
    let both = both.expect("one");
    assert_eq!(
        (both.uri(), both.alternative()),
        ("https://a.example/xです", Some("https://a.example/x"))
    );
    let ascii = extract("https://a.example/xです", ExtractOptions::new()).next();
    assert_eq!(ascii.expect("one").uri(), "https://a.example/x");
}
