//! Tests of reading `Accept` headers and choosing by them.

use proptest::prelude::*;

use super::*;

fn read(header: &str) -> Vec<(String, Quality)> {
    let accept = Accept::read(header.as_bytes());
    let show = |r: &MediaRange<'_>| (String::from_utf8_lossy(r.text).into_owned(), r.quality);
    accept.ranges.iter().map(show).collect()
}

// Selection algorithm, "Reading the headers"; ER-12.
#[test]
fn usable_members_are_kept_one_by_one() {
    let rows: &[(&str, &[(&str, Quality)])] = &[
        ("", &[]),
        ("undefined", &[]),
        ("application/ld json", &[]), // `+` turned into a space
        ("*/html, */*", &[("*/*", 1000)]),
        ("text/html;q=0.5;level=1 , text/*; Q=1.000", &[("text/html", 500), ("text/*", 1000)]),
        ("a/b;q=1.001, a/c;q=0.1234, a/d;q=-1, a/e;q=, a/f;q=.5", &[]),
        ("a/b;q=0., a/c;q=1.", &[("a/b", 0), ("a/c", 1000)]),
        ("a/b;x=\"1,2;q=0\", c/d", &[("a/b", 1000), ("c/d", 1000)]),
        ("a/b;x=\"never closed, c/d", &[("a/b", 1000)]),
        ("a/b;q = 0.3,,;, /x, x/", &[("a/b", 300)]),
    ];
    for (header, expected) in rows {
        let expected: Vec<_> = expected.iter().map(|(t, q)| ((*t).to_owned(), *q)).collect();
        assert_eq!(read(header), expected, "{header}");
    }
}

// RES-2.6.3-2: the most specific range decides, also when its weight is lower or zero.
#[test]
fn scores() {
    let rows = [
        ("text/html", Some("text/html"), MediaScore::Match(1000, Specificity::Exact)),
        (
            "TEXT/*;q=0.5",
            Some("text/HTML; charset=utf-8"),
            MediaScore::Match(500, Specificity::Type),
        ),
        ("text/*, text/html;q=0", Some("text/html"), MediaScore::Mismatch),
        (
            "text/*;q=0, text/html;q=0.1",
            Some("text/html"),
            MediaScore::Match(100, Specificity::Exact),
        ),
        ("*/*, text/html;q=0.1", Some("image/png"), MediaScore::Neutral),
        ("text/html", None, MediaScore::Neutral),
        ("text/html", Some("texthtml/x"), MediaScore::Mismatch),
        ("te/*", Some("text/html"), MediaScore::Mismatch),
    ];
    for (header, media_type, expected) in rows {
        assert_eq!(Accept::read(header.as_bytes()).score(media_type), expected, "{header}");
    }
}

// RES-2.6.3-3: descending weight, ties in header order; the longest range refuses.
#[test]
fn languages() {
    let read = |header: &'static str| AcceptLanguage::read(header.as_bytes());
    let list = |header| -> Vec<String> {
        let language = read(header);
        language.preferences().map(|r| String::from_utf8_lossy(r).into_owned()).collect()
    };
    assert_eq!(list("de, fr;q=0.8, en;q=0.2, nl;q=0.8, x;q=0"), ["de", "fr", "nl", "en"]);
    assert_eq!(list("e_n, *-CH, en-, toolongsubtag, 1a, a1, sl-rozaj-1994"), ["sl-rozaj-1994"]);
    assert!(read("en, *;q=0").refuses("de") && !read("en, *;q=0").refuses("en-GB"));
    assert!(read("en-GB, en;q=0").refuses("en-US") && !read("en-GB, en;q=0").refuses("EN-gb-oed"));
    assert!(!read("en;q=0").refuses("eng"));
    assert!(read("*").is_absent() && read("e_n").is_absent() && !read("*;q=0").is_absent());
    assert!(read("en, *;q=0.1").takes_anything() && !read("*, en").ranks());
}

// What is compared with every link is bounded, however long the header is.
#[test]
fn ranges_are_bounded_in_number_and_length() {
    let languages = |header: &str| AcceptLanguage::read(header.as_bytes()).ranges.len();
    assert_eq!(languages("en-a-b-c-d-e-f-g, de"), 2);
    assert_eq!(languages("en-a-b-c-d-e-f-g-h, de"), 1);
    let range = format!("abc{}", "-abcdefgh".repeat(MAX_SUBTAGS - 1));
    assert_eq!((languages(&range[..64]), languages(&range[..65])), (1, 0));
    assert_eq!(languages(&"en,".repeat(5_000)), MAX_HEADER_MEMBERS);
    let media = |header: &str| Accept::read(header.as_bytes()).ranges.len();
    assert_eq!(media(&"a/b,".repeat(4_000)), MAX_HEADER_MEMBERS);
    let range = |len: usize| format!("a/{}", "b".repeat(len - 2));
    assert_eq!((media(&range(255)), media(&range(256))), (1, 0));
}

// The shortest truncation decides whether a range reaches a tag at all.
#[test]
fn ranges_reach_what_a_truncation_covers() {
    for range in ["en", "en-GB", "zh-Hant-TW", "x-a", "i-a-bc", "x-a-bc"] {
        let language = AcceptLanguage::read(range.as_bytes());
        for tag in ["en", "en-US", "zh", "zh-Hans", "x-a", "x-b", "i-a", "i", "e", "x-c"] {
            let expected = language::truncations(range.as_bytes())
                .any(|range| language::covers(range, tag.as_bytes()));
            assert_eq!(language.reaches(tag), expected, "{range} {tag}");
        }
    }
}

// RFC 9110 section 5.6.2
#[test]
fn tokens_consist_of_these_characters() {
    let allowed = (0..=255).filter(|byte: &u8| is_token(&[*byte]));
    let others: String = allowed.map(char::from).filter(|c| !c.is_ascii_alphanumeric()).collect();
    assert_eq!(others, "!#$%&'*+-.^_`|~");
    assert!(is_token(b"aZ09") && !is_token(b""));
}

/// Splits at commas outside quoted strings, byte by byte.
fn split_byte_by_byte(text: &str) -> Vec<String> {
    let (mut parts, mut quoted, mut escaped) = (vec![String::new()], false, false);
    for char in text.chars() {
        match char {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(char);
    }
    parts
}

proptest! {
    // RFC 9110 section 5.6.4: a delimiter in a quoted string does not divide.
    #[test]
    fn members_are_divided_outside_quoted_strings(text in "[a,;\"\\\\]{0,16}") {
        let parts: Vec<_> = members(text.as_bytes()).map(String::from_utf8_lossy).collect();
        prop_assert_eq!(parts, split_byte_by_byte(&text));
    }

    // No input fails, reading is bounded, and the members kept match the grammar.
    #[test]
    fn garbage_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let accept = Accept::read(&bytes);
        prop_assert!(accept.ranges.iter().all(|r| r.text.is_ascii() && r.quality <= FULL));
        let language = AcceptLanguage::read(&bytes);
        prop_assert!(language.preferences().all(<[u8]>::is_ascii));
        accept.score(Some("text/html"));
        language.refuses("en-GB");
    }

    #[test]
    fn near_headers_are_survived(
        header in "([a-zA-Z*/+-]{0,9}[;,=\"\\\\ ]{0,2}(q=[0-9.]{0,6})?[,;]?){0,200}",
    ) {
        let accept = Accept::read(header.as_bytes());
        prop_assert!(accept.ranges.len() <= MAX_HEADER_MEMBERS);
        let language = AcceptLanguage::read(header.as_bytes());
        let weights: Vec<Quality> = language.ranges.iter().map(|r| r.quality).collect();
        prop_assert!(weights.is_sorted_by(|a, b| a >= b) && weights.len() <= MAX_HEADER_MEMBERS);
    }

    // A good member is accepted next to any others that leave its quotes closed.
    #[test]
    fn garbage_does_not_spread(before in "[^\",]{0,20}", after in "[^\"]{0,20}") {
        let header = format!("{before},text/html;q=0.7,{after}");
        let kept = read(&header);
        prop_assert!(kept.contains(&("text/html".to_owned(), 700)));
    }
}
