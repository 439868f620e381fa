//! Compressed paths: section 2.3 of the standard, RES-2.3-*.

use std::sync::Arc;

use fingerpost_epc::{AiValues, EncodeOptions, Epc, GcpLength, Generation, Hostname};
use fingerpost_gs1::compression::{CompressOptions, compress};
use fingerpost_gs1::{Ai, DigitalLink};
use fingerpost_resolver::{
    Entry, InvalidPath, Outcome, PatternParts, Plan, Refusal, Settings, SettingsParts,
};
use proptest::prelude::*;

use crate::decision::{applying, entry, get, parts, settings};

const HEX: &str = "/eh30164596f40c0e5cbe991a83";
const BASE64: &str = "/exMBZFlvQMDly-mRqD";
/// What both stand for.
const TWIN: &str = "/01/09528765123457/21/123456789123";

fn shown(settings: &Settings, path: &str) -> Result<(String, Option<String>), Refusal> {
    let plan = Plan::of(settings, &get(path));
    if let Some(refusal) = plan.refusal() {
        return Err(refusal.clone());
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("ASCII");
    Ok((format!("/{}", plan.key().expect(path)), plan.query().map(text)))
}

/// How a path is compressed, as the explanation says.
fn compression(settings: &Settings, path: &str) -> Option<String> {
    let plan = Plan::of(settings, &get(path));
    let (_, explanation) = plan.explain(&[]);
    let explanation = serde_json::to_value(explanation).expect("JSON");
    explanation["compressed"]["how"].as_str().map(str::to_owned)
}

fn invalid(settings: &Settings, path: &str) -> InvalidPath {
    match shown(settings, path) {
        Err(Refusal::Invalid(invalid)) => invalid,
        other => panic!("{path}: {other:?}"),
    }
}

/// The paths of a URI compressed after Digital Link 1.1, in full and in part.
fn legacy(path: &str) -> Vec<String> {
    let uri = format!("https://a.example{path}");
    let link = DigitalLink::parse(&uri).expect(path);
    [false, true]
        .map(|partial| compress(&link, &CompressOptions::new().partial(partial)))
        .into_iter()
        .flatten()
        .map(|uri| uri["https://a.example".len()..].to_owned())
        .collect()
}

// RES-2.3-1, RES-2.3-2, ER-21, EPC-URI-01, EPC-URI-03, EPC-ERT-14: both forms, with one trailing
// slash at most, below the stem.
#[test]
fn epc_binary_is_read() {
    let plain = settings();
    let stem = SettingsParts { resolver_root: "https://id.example.org/dl".into(), ..parts() };
    let stem = Settings::new(stem).expect("settings");
    for path in [HEX, BASE64] {
        for path in [path.to_owned(), format!("{path}/")] {
            assert_eq!(shown(&plain, &path).expect("EPC binary").0, TWIN, "{path}");
            assert_eq!(compression(&plain, &path).as_deref(), Some("EPC binary"));
            let below = format!("/dl{path}");
            assert_eq!(shown(&stem, &below).expect("EPC binary").0, TWIN);
            // A resolver knows its stem, and takes exactly one segment after it.
            assert_eq!(invalid(&plain, &below).class().as_str(), "invalid-digital-link");
            assert_eq!(invalid(&stem, &path).class().as_str(), "invalid-digital-link");
        }
        assert_eq!(invalid(&plain, &format!("{path}//")).class().as_str(), "invalid-digital-link");
        assert_eq!(
            invalid(&plain, &format!("{path}/21/1")).class().as_str(),
            "invalid-digital-link"
        );
    }
    // What only looks like it where a value stands is a value.
    let lot = "/01/09520123456788/10/ex12";
    assert_eq!(shown(&plain, lot).expect("a lot").0, lot);
    assert_eq!(compression(&plain, lot), None);
}

// RES-2.3-6: every kind of refusal is the client's, with a code, a position and a hint.
#[test]
fn epc_binary_that_does_not_decode() {
    for (path, reason, position) in [
        ("/eh", "EMPTY", ""),
        ("/ex", "EMPTY", ""),
        ("/eh30164596f40c0e5cbe99", "TRUNCATED", "30164596f40c0e5cbe99"),
        ("/eh30164596F40C0E5CBE991A83", "INVALID_HEX", "F"),
        ("/eh35164596f40c0e5cbe991a83", "NO_DIGITAL_LINK", "eh35164596f40c0e5cbe991a83"),
        ("/eh00164596f40c0e5cbe991a83", "RESERVED_HEADER", "00"),
        ("/eh301e4596f40c0e5cbe991a83", "BAD_PARTITION", "1e"),
        ("/eh30164596f40c0e5cbe991a8301", "NON_ZERO_PADDING", "01"),
        ("/exMBZFlvQMDly+mRqD", "INVALID_BASE64", "+"),
        ("/exMBZFlvQMDly-mRqD=", "INVALID_BASE64", "="),
        ("/eh3é", "INVALID_HEX", "é"),
        ("/eh%330", "INVALID_HEX", "%"),
        ("/examples", "RESERVED_HEADER", "am"),
        // RES-2.3-6: USDOD and ADI have no Digital Link either.
        ("/eh2f15a395a395a3900000004d", "NO_DIGITAL_LINK", "eh2f15a395a395a3900000004d"),
        ("/eh3b460cf5e76c81bc2b43023c40", "NO_DIGITAL_LINK", "eh3b460cf5e76c81bc2b43023c40"),
    ] {
        let invalid = invalid(&settings(), path);
        assert_eq!(invalid.class().as_str(), "invalid-compressed-link", "{path}");
        assert_eq!(invalid.reason(), Some(reason), "{path}: {invalid}");
        assert!(!invalid.hint().is_empty() && !invalid.to_string().is_empty());
        let span = invalid.span();
        assert!(span.start <= span.end && span.end <= path.len(), "{path}: {span:?}");
        let found = path.get(span.start..span.end);
        assert_eq!(found, Some(position), "{path}: {invalid}");
    }
}

// RES-2.3-6: the letters are lower case, and stand as they are.
#[test]
fn the_prefix_is_case_sensitive() {
    for path in ["/EH30164596f40c0e5cbe991a83", "/Eh3016", "/%65h30164596f40c0e5cbe991a83"] {
        let invalid = invalid(&settings(), path);
        assert_eq!(invalid.class().as_str(), "invalid-digital-link", "{path}");
    }
}

// RES-2.3-7, EPC-RDG-12: attributes go before the request's own query; the host name and the filter
// do not count.
#[test]
fn attributes_go_before_the_query() {
    let tag = "/ehfb342cde795211411234538566cb0afc4";
    for (query, expected) in [
        ("", "17=220630"),
        ("?", "17=220630"),
        ("?utm=a", "17=220630&utm=a"),
        ("?17=990101&linkType=gs1:pip", "17=220630&17=990101&linkType=gs1:pip"),
    ] {
        let found = shown(&settings(), &format!("{tag}{query}")).expect("EPC binary");
        let path = "/01/79521141123453/21/32a%2Fb".to_owned();
        assert_eq!(found, (path, Some(expected.to_owned())), "{query}");
    }
    assert_eq!(shown(&settings(), HEX).expect("EPC binary").1, None);
    assert_eq!(shown(&settings(), &format!("{HEX}?")).expect("EPC binary").1.as_deref(), Some(""));
    let filtered = Epc::encode(
        &AiValues::unchecked([(Ai::GTIN, "09528765123457"), (Ai::SERIAL, "123456789123")]),
        &EncodeOptions::new().filter(3).gcp_length(GcpLength::Digits(7)),
    );
    let filtered = format!("/eh{}", filtered.expect("an EPC").to_hex());
    assert_ne!(filtered, HEX);
    assert_eq!(shown(&settings(), &filtered), Ok((TWIN.to_owned(), None)));
    // What goes to the query of a link compressed after Digital Link 1.1 takes part like any query.
    let uri = "/01/09520123456788/10/A?17=261231&linkType=gs1:pip";
    for path in legacy(uri) {
        let asked = format!("{path}?context=CH");
        let settings = settings();
        let plan = Plan::of(&settings, &get(&asked));
        assert_eq!(plan.link_type(), Some("gs1:pip"), "{path}");
        assert_eq!(plan.context(), Some("CH"));
        assert_eq!(
            shown(&settings, &asked).expect("compressed").1.as_deref(),
            Some("17=261231&linkType=gs1%3Apip&context=CH")
        );
        let asked = format!("{path}?linkType=all");
        let plan = Plan::of(&settings, &get(&asked));
        assert_eq!(plan.link_type(), Some("all"), "the last one wins");
    }
}

// RES-2.3-3: read by default, not where it is switched off, and only where the plain reading
// failed.
#[test]
fn links_of_digital_link_1_1() {
    let on = settings();
    let off = SettingsParts { legacy_decompression: false, ..parts() };
    let off = Settings::new(off).expect("settings");
    for path in legacy(TWIN) {
        for path in [path.clone(), format!("{path}/")] {
            assert_eq!(shown(&on, &path).expect("compressed").0, TWIN, "{path}");
            let how = compression(&on, &path);
            assert_eq!(how.as_deref(), Some("the compression of Digital Link 1.1"));
            assert_eq!(invalid(&off, &path).class().as_str(), "invalid-digital-link", "{path}");
        }
        assert_eq!(invalid(&on, &format!("/x{path}")).class().as_str(), "invalid-digital-link");
    }
    assert_eq!(legacy(TWIN).len(), 2);
    // EPC binary does not depend on the switch, and is tried first (RES-2.3-1).
    assert!(shown(&off, HEX).is_ok());
}

// RES-2.3-3: what does not decode stays 400; what does not even begin like one is an ordinary
// fault.
#[test]
fn what_is_no_link_of_digital_link_1_1() {
    for path in ["/AQnYUc", "/about-all-of-us", "/01/09520123456788/foo", "/robots.txt.gz"] {
        assert_eq!(invalid(&settings(), path).class().as_str(), "invalid-digital-link", "{path}");
    }
    let [full, partial] = &legacy(TWIN)[..] else { panic!("two forms") };
    let cut = &full[..full.len() - 3];
    let found = invalid(&settings(), cut);
    assert_eq!(found.class().as_str(), "invalid-compressed-link", "{found}");
    assert!(found.reason().is_some() && !found.hint().is_empty());
    let span = found.span();
    assert!(span.start > 1 && span.end == cut.len(), "{span:?}");
    // A number whose check digit is wrong.
    let mut wrong = full.clone().into_bytes();
    wrong[6] = if wrong[6] == b'A' { b'B' } else { b'A' };
    let wrong = String::from_utf8(wrong).expect("ASCII");
    assert_eq!(invalid(&settings(), &wrong).class().as_str(), "invalid-compressed-link", "{wrong}");
    let bad_key = partial.replace("/09528765123457/", "/09528765123458/");
    assert_ne!(invalid(&settings(), &bad_key).class().as_str(), "invalid-compressed-link");
}

// RES-2.1-3 for compressed links.
#[test]
fn keys_that_are_not_served() {
    let only = SettingsParts { supported_primary_keys: vec!["00".into()].into(), ..parts() };
    let only = Settings::new(only).expect("settings");
    for path in [HEX.to_owned(), BASE64.to_owned()].into_iter().chain(legacy(TWIN)) {
        assert_eq!(shown(&only, &path), Err(Refusal::UnsupportedKey(Ai::GTIN)), "{path}");
    }
}

/// What a request is answered with, in full.
fn answer(settings: &Settings, levels: &[Arc<Entry>], path: &str) -> [String; 2] {
    let plan = Plan::of(settings, &get(path));
    let held = if plan.key().is_some() { applying(&plan, levels) } else { Vec::new() };
    let answer = plan.answer(&held);
    let link = answer.link().unwrap_or_default().into_owned();
    let outcome = match answer.into_outcome() {
        Outcome::Redirect(redirect) => redirect.into_location(),
        Outcome::HandOver(hand_over) => hand_over.location().to_owned(),
        Outcome::Linkset(linkset, format) => format!("{format:?} {}", linkset.to_json_ld()),
        other => format!("{other:?}"),
    };
    [outcome, link]
}

// RES-2.3-8: `explain` tells what a compressed path stands for, and decides about that.
#[test]
fn explanations_say_what_it_stands_for() {
    let settings = settings();
    let path = "/ehfb342cde795211411234538566cb0afc4?utm=a";
    let plan = Plan::of(&settings, &get(path));
    let (_, explanation) = plan.explain(&[]);
    let text = explanation.to_string();
    let head = "Request for 01/79521141123453/21/32a%2Fb\n  by /ehfb342cde795211411234538566cb0afc4, \
                EPC binary\n  which adds to the query: 17=220630\n";
    assert!(text.starts_with(head), "{text}");
    let json = serde_json::to_value(&explanation).expect("JSON");
    let compressed = serde_json::json!({
        "path": "/ehfb342cde795211411234538566cb0afc4",
        "how": "EPC binary",
        "query": "17=220630",
    });
    assert_eq!(json["compressed"], compressed);
    let plain = Plan::of(&settings, &get(TWIN));
    let (_, explanation) = plain.explain(&[]);
    assert!(!explanation.to_string().contains("which adds"));
}

/// A key of thirteen or seventeen digits and its check digit.
fn with_check_digit(mut digits: String) -> String {
    let odd = |at: usize| if at.is_multiple_of(2) { 3 } else { 1 };
    let sum: u32 =
        digits.bytes().rev().enumerate().map(|(at, b)| u32::from(b - b'0') * odd(at)).sum();
    digits.push(char::from(b'0' + ((10 - sum % 10) % 10) as u8));
    digits
}

/// The values of a tag, of several kinds: the key, perhaps a qualifier, perhaps an attribute.
fn values() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let serial = "[!%&'()*+,./:;<=>?A-Z_a-z0-9-]{1,20}"
        .prop_filter("a segment that browsers keep", |serial| serial != "." && serial != "..");
    let gtin = "0950600[0-9]{6}".prop_map(with_check_digit);
    let gln = "950600[0-9]{6}".prop_map(with_check_digit);
    let unit = "[0-9]950600[0-9]{10}".prop_map(with_check_digit);
    let service = "950600[0-9]{11}".prop_map(with_check_digit);
    prop_oneof![
        (gtin.clone(), serial.clone()).prop_map(|(key, serial)| vec![("01", key), ("21", serial)]),
        (gtin, serial, "[A-Z0-9]{1,8}", "2[0-9]0[1-9]1[0-9]").prop_map(
            |(key, serial, lot, date)| {
                vec![("01", key), ("21", serial), ("10", lot), ("17", date)]
            }
        ),
        (gln, "[1-9][0-9]{0,9}").prop_map(|(key, door)| vec![("414", key), ("254", door)]),
        unit.prop_map(|key| vec![("00", key)]),
        service.prop_map(|key| vec![("8018", key)]),
        "950600[0-9]{1,12}".prop_map(|key| vec![("8004", key)]),
    ]
}

/// All compressed paths of these values, and the uncompressed one with its query.
fn twins(values: &AiValues) -> (String, Vec<String>) {
    let path = values.path_and_query().expect("a key");
    let hostname: Hostname = "id.example.com".parse().expect("a host name");
    let options = EncodeOptions::new().gcp_length(GcpLength::Digits(7));
    let kinds = [
        options,
        options.generation(Generation::Plus),
        options.hostname(&hostname).generation(Generation::PlusPlus),
    ];
    let epcs = kinds.iter().filter_map(|options| Epc::encode(values, options).ok());
    let mut paths: Vec<String> = epcs
        .flat_map(|epc| [format!("/eh{}", epc.to_hex()), format!("/ex{}", epc.to_base64url())])
        .collect();
    assert!(paths.len() >= 4, "{values}: {paths:?}");
    // A key alone has no shorter form in part.
    paths.extend(legacy(&path).into_iter().filter(|other| *other != path));
    (path, paths)
}

proptest! {
    // RES-2.3-4, RES-2.3-5, RES-2.3-7, RES-2.3-8: the answer is that of the uncompressed request, for redirects,
    // linksets, hand-overs and pointers to the linkset.
    #[test]
    fn compressed_requests_are_answered_like_their_twins(
        pairs in values(),
        own in prop_oneof![Just(""), Just("utm=a&b"), Just("linkType=gs1:pip"), Just("linkType=linkset")],
        hand_over: bool,
    ) {
        let values = AiValues::unchecked(pairs.iter().filter_map(|(ai, value)| Some((Ai::new(ai)?, value.as_str()))));
        let key = values.entity_key().expect("valid values").0;
        let patterns = hand_over.then(|| PatternParts {
            path_prefix: Some(format!("/{}", &key.as_str()[..8])),
            target_root: Some("https://other.example/r".into()),
            ..Default::default()
        });
        let settings = SettingsParts { patterns: patterns.into_iter().collect(), ..parts() };
        let settings = Settings::new(settings).expect("settings");
        let levels: Vec<Arc<Entry>> = key.levels().map(|level| entry(&record(&level))).collect();
        let (twin, paths) = twins(&values);
        let asked = |path: &str| match (own.is_empty(), path.contains('?')) {
            (true, _) => path.to_owned(),
            (false, true) => format!("{path}&{own}"),
            (false, false) => format!("{path}?{own}"),
        };
        let expected = answer(&settings, &levels, &asked(&twin));
        for path in paths {
            let found = answer(&settings, &levels, &asked(&path));
            prop_assert_eq!(&found, &expected, "{} for {}", path, twin);
            prop_assert!(!found.iter().any(|text| text.contains(&path)));
        }
    }
}

fn record(level: &str) -> String {
    let ai = level.split('/').next().unwrap_or_default();
    let href = format!("https://brand.example.com/{{{ai}}}?a=b#c");
    serde_json::json!({
        "anchor": format!("/{level}"),
        "links": [
            {"linkType": "gs1:defaultLink", "href": href, "title": "Page"},
            {"linkType": "gs1:pip", "href": href, "title": "Page"},
        ],
    })
    .to_string()
}
