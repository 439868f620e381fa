//! The request path, byte for byte: sections 2.4 and 2.13 of the standard, RES-2.4-*.

use fingerpost_gs1::{Ai, Span};
use fingerpost_resolver::{
    Entry, InvalidPath, PathFault, Plan, PublicPath, Refusal, ResolutionRequest, Settings,
    SettingsParts,
};
use proptest::prelude::*;
use serde_json::json;

use crate::decision::{entry, get, parts, settings};

const G: &str = "/01/09520123456788";

fn entity(settings: &Settings, path: &str) -> Result<String, Refusal> {
    let plan = Plan::of(settings, &get(path));
    match plan.refusal() {
        None => Ok(plan.key().expect(path).as_str().to_owned()),
        Some(refusal) => Err(refusal.clone()),
    }
}

fn invalid(path: &str) -> InvalidPath {
    match entity(&settings(), path) {
        Err(Refusal::Invalid(invalid)) => invalid,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn spellings_of_one_entity() {
    let rows = [
        // RES-2.4-3: decoded once per segment, hex case irrelevant, `%2F` is data.
        (format!("{G}/10/A%2FB"), "01/09520123456788/10/A%2FB"),
        (format!("{G}/10/%41%2fB"), "01/09520123456788/10/A%2FB"),
        (format!("{G}/10/A%252FB"), "01/09520123456788/10/A%252FB"),
        ("/%30%31/09520123456788".into(), "01/09520123456788"),
        (format!("{G}/10/A(1)*'!"), "01/09520123456788/10/A%281%29%2A%27%21"),
        // RES-2.13-1, RES-2.13-2
        (format!("{G}/"), "01/09520123456788"),
        (format!("{G}/10/L1/"), "01/09520123456788/10/L1"),
        // RES-2.4-11, ER-16: equal repeats collapse, also of the key and of other spellings.
        (format!("{G}/10/A/10/A"), "01/09520123456788/10/A"),
        (format!("{G}/10/A/21/7/10/%41"), "01/09520123456788/10/A/21/7"),
        (format!("{G}{G}"), "01/09520123456788"),
        // RES-2.4-8, ER-17: a plausible unknown AI selects nothing.
        (format!("{G}/26/XYZ"), "01/09520123456788"),
        (format!("{G}/26/A%23B/10/L"), "01/09520123456788/10/L"),
        (format!("{G}/26/A/26/A"), "01/09520123456788"),
        // RES-2.4-13, RES-2.5.10-8, ER-1, ER-10
        (format!("{G}/22/V/10/B/21/S"), "01/09520123456788/22/V/10/B/21/S"),
        ("/8006/095060001343520102/22/V1".into(), "8006/095060001343520102/22/V1"),
        ("/415/9506000134376".into(), "415/9506000134376"),
        // C-2.4-ex-lot: a lot that looks like an EPC string.
        (format!("{G}/10/ex12"), "01/09520123456788/10/ex12"),
    ];
    for (path, expected) in rows {
        assert_eq!(entity(&settings(), &path).as_deref(), Ok(expected), "{path}");
    }
}

// RES-2.4.1-1; the span is the position in the path as received.
#[test]
fn first_fault_and_its_span() {
    type Kind = fn(&PathFault) -> bool;
    let rows: &[(&str, &str, Kind)] = &[
        // RES-2.4-2
        ("//", "", |f| matches!(f, PathFault::NoPrimaryKey)),
        ("/foo", "foo", |f| matches!(f, PathFault::NoPrimaryKey)),
        ("/01", "01", |f| matches!(f, PathFault::NoValue(_))),
        ("/01/09520123456788/foo", "foo", |f| matches!(f, PathFault::NotAnAi)),
        ("/01/09520123456788/10", "10", |f| matches!(f, PathFault::NoValue(_))),
        ("/01/09520123456788/10/", "10", |f| matches!(f, PathFault::NoValue(_))),
        ("/01/09520123456788//foo", "", |f| matches!(f, PathFault::EmptySegment)),
        // RES-2.13-3
        ("/01/09520123456788//", "", |f| matches!(f, PathFault::EmptySegment)),
        // RES-2.4-3
        ("/01/09520123456788/10/A%ZZ", "%ZZ", |f| matches!(f, PathFault::Escape)),
        ("/01/09520123456788/10/A%2", "%2", |f| matches!(f, PathFault::Escape)),
        // RES-2.4-4
        ("/01/09520123456788/1/A", "1", |f| matches!(f, PathFault::NotAnAi)),
        ("/01/09520123456788/12345/A", "12345", |f| matches!(f, PathFault::NotAnAi)),
        // RES-2.4-5
        ("/01/09520123456788/24/A", "24", |f| matches!(f, PathFault::AiLength { expected: 3, .. })),
        ("/01/09520123456788/7100/A", "7100", |f| {
            matches!(f, PathFault::AiLength { expected: 3, .. })
        }),
        ("/01/09520123456788/801/A", "801", |f| {
            matches!(f, PathFault::AiLength { expected: 4, .. })
        }),
        // RES-2.4-8
        ("/01/09520123456788/26/X%7EZ", "X%7EZ", |f| matches!(f, PathFault::UnknownAiValue(_))),
        // RES-2.4-11
        ("/01/09520123456788/10/A/10/BC", "BC", |f| matches!(f, PathFault::RepeatDisagrees(_))),
        ("/01/09520123456788/26/A/26/B", "B", |f| matches!(f, PathFault::RepeatDisagrees(_))),
        // RES-2.4-12
        ("/10/L1", "10", |f| matches!(f, PathFault::NoPrimaryKey)),
        ("/26/L1", "26", |f| matches!(f, PathFault::NoPrimaryKey)),
        // RES-2.3-6
        ("/eh30164596f40c0e5cbe99", "30164596f40c0e5cbe99", |f| matches!(f, PathFault::Epc(_))),
    ];
    for (path, marked, kind) in rows {
        let invalid = invalid(path);
        assert!(kind(invalid.fault()), "{path}: {invalid:?}");
        let Span { start, end } = invalid.span();
        assert_eq!(&path[start..end], *marked, "{path}: {invalid:?}");
        assert_eq!(invalid.class().as_str() == "invalid-compressed-link", path.starts_with("/eh"));
    }
}

#[test]
fn values_and_order_are_the_identifier_library_s() {
    for (path, class) in [
        // RES-2.4-6, RES-2.4-7, RES-2.4-9, RES-2.4-10, RES-2.4-16
        ("/01/09520123456788/21/AAAAAAAAAAAAAAAAAAAAA", "invalid-value"),
        ("/01/09520123456788/21/a%20b", "invalid-value"),
        ("/8010/9506000abc", "invalid-value"),
        ("/01/09520123456789", "invalid-value"),
        ("/8006/095060001343520302", "invalid-value"),
        ("/8010/9506000ABC-1/8011/042", "invalid-value"),
        ("/01/09520123456788/10/A%00B", "invalid-value"),
        ("/01/09520123456788/10/A%0D%0AX", "invalid-value"),
        ("/01/09520123456788/10/%C3%A9", "invalid-value"),
        ("/01/09520123456788/10/%FF", "invalid-value"),
        // RES-2.4-17, off
        ("/01/9520123456788", "invalid-value"),
        ("/gtin/09520123456788", "invalid-digital-link"),
        // RES-2.4-13, RES-2.5.10-1
        ("/01/09520123456788/21/S1/10/L1", "invalid-digital-link"),
        ("/01/09520123456788/17/261231", "invalid-digital-link"),
        ("/01/09520123456788/235/T/10/L", "invalid-digital-link"),
        ("/01/09520123456788/22/A/10/B/21/C/254/D/7040/1ABC/8011/1", "invalid-digital-link"),
        ("/01/09520123456788/414/9506000134376", "invalid-digital-link"),
    ] {
        let invalid = invalid(path);
        assert_eq!(invalid.class().as_str(), class, "{path}: {invalid}");
        assert!(!invalid.to_string().is_empty());
    }
    let wrong = invalid("/01/09520123456789");
    assert_eq!(&"/01/09520123456789"[wrong.span().start..wrong.span().end], "9");
}

// RES-2.4-17: URI Syntax 1.4.1 sections 4.1, 8.2 and 8.3: codes made before releases 1.4.0 and
// 1.3.0.
#[test]
fn legacy_spellings_behind_switches() {
    let short = Settings::new(SettingsParts { legacy_gtin: true, ..parts() }).expect("settings");
    for path in ["/01/9520123456788", "/01/9520123456788/01/09520123456788"] {
        assert_eq!(entity(&short, path).as_deref(), Ok("01/09520123456788"), "{path}");
    }
    assert!(entity(&short, "/01/952012345678").is_err());
    let alphas = Settings::new(SettingsParts { legacy_alphas: true, ..parts() }).expect("settings");
    for (path, expected) in [
        ("/gtin/09520123456788/lot/A", "01/09520123456788/10/A"),
        ("/gtin/09520123456788/cpv/V/lot/A/ser/S", "01/09520123456788/22/V/10/A/21/S"),
        ("/cpid/9506000ABC-1/cpsn/42", "8010/9506000ABC-1/8011/42"),
        ("/gln/9506000134376/glnx/A1", "414/9506000134376/254/A1"),
        ("/gsrn/950600013437612342/srin/9", "8018/950600013437612342/8019/9"),
        ("/gsrnp/950600013437612342", "8017/950600013437612342"),
        ("/itip/095060001343520102", "8006/095060001343520102"),
        ("/gmn/1987654Ad4X4bL5ttr2310c2K", "8013/1987654Ad4X4bL5ttr2310c2K"),
        ("/party/9506000134376", "417/9506000134376"),
        ("/sscc/195287651234567892", "00/195287651234567892"),
        ("/gdti/9506000134376ABC", "253/9506000134376ABC"),
        ("/gcn/95060001343761234", "255/95060001343761234"),
        ("/ginc/9506000ABC", "401/9506000ABC"),
        ("/gsin/95060001343760123", "402/95060001343760123"),
        ("/grai/09506000134352ABC", "8003/09506000134352ABC"),
        ("/giai/9506000ABC123", "8004/9506000ABC123"),
        ("/payto/9506000134376", "415/9506000134376"),
        ("/payto/9506000134376/refno/1", "415/9506000134376/8020/1"),
    ] {
        assert_eq!(entity(&alphas, path).as_deref(), Ok(expected), "{path}");
    }
}

/// URN-FRG-02: URN draft of 2012 section 2.4: a fragment is for the client, so no request has one.
#[test]
fn urn_2_4_no_request_has_a_fragment() {
    let settings = settings();
    for (target, status) in [
        ("/urn/urn:isbn:0451450523", 404),
        ("/urn/urn:isbn:0451450523#a", 400),
        ("/urn/urn:isbn:0451450523?=a=b#c", 400),
        ("/uri-res/N2L?urn:isbn:0451450523#a", 400),
        ("/uri-res/L2C?https://id.example.org/01/09780451450524#a", 400),
    ] {
        let asked = get(target);
        assert_eq!(Plan::of(&settings, &asked).answer(&[]).status(), status, "{target}");
    }
}

// RES-2.4-17: there is one table of alphas, and the resolver reads every name of it that can be in
// a path.
#[test]
fn uri_syntax_4_1_every_convenience_alpha_is_read() {
    let parts = SettingsParts { legacy_alphas: true, legacy_decompression: false, ..parts() };
    let alphas = Settings::new(parts).expect("settings");
    let (mut keys, mut qualifiers) = (0, 0);
    for (alpha, ai) in Ai::CONVENIENCE_ALPHAS {
        // The refusal of a path without a value names the identifier that was read.
        let refused = entity(&alphas, &format!("/01/09520123456788/{alpha}"))
            .expect_err("no value")
            .to_string();
        assert!(refused.contains(&format!("({})", ai.as_str())), "{alpha}: {refused}");
        keys += usize::from(ai.is_primary_key());
        qualifiers += usize::from(!ai.is_primary_key());
    }
    assert_eq!((keys, qualifiers), (16, 9));
}

// Stem rules of section 3; RES-2.1-3; RES-2.4.1-2; ER-13; RES-2.4-18, RES-3-16 (D-12).
#[test]
fn stems() {
    let plain = settings();
    let stem = SettingsParts { resolver_root: "https://id.example.org/shop/eu".into(), ..parts() };
    let stem = Settings::new(stem).expect("settings");
    let gtin = "01/09520123456788".to_owned();
    assert_eq!(entity(&stem, "/shop/eu/01/09520123456788/"), Ok(gtin));
    for (settings, path) in [
        (&plain, "/shop/01/09520123456788"),
        (&plain, "/a/b/c/01/09520123456788/10/X"),
        (&stem, "/shop/01/09520123456788"),
        (&stem, "/shop/eu/x/01/09520123456788"),
        (&stem, "/shop/europe/01/09520123456788"),
        (&stem, "/01/09520123456788"),
    ] {
        assert_eq!(entity(settings, path), Err(Refusal::NotServed), "{path}");
    }
    for (settings, path) in [
        (&plain, "/shop/01/09520123456789"),
        (&plain, "/10/01/01/09520123456788"),
        (&plain, "/products/123"),
        (&stem, "/shop/eu"),
        (&stem, "/shop/eu/"),
        (&stem, "/shop/eu/.well-known/gs1resolver"),
        (&stem, "/shop/eu/x/eh30164596f40c0e5cbe991a83"),
        (&stem, "/01/09520123456789"),
    ] {
        let found = entity(settings, path);
        assert!(matches!(found, Err(Refusal::Invalid(_))), "{path}: {found:?}");
    }
    for (settings, path) in [(&plain, ""), (&plain, "/?x"), (&stem, "/")] {
        assert_eq!(Plan::of(settings, &get(path)).public_path(), Some(PublicPath::Home), "{path}");
    }
    // A stem deeper than anybody's is not searched, so that long paths stay cheap.
    let deep = format!("{}/01/09520123456788", "/x".repeat(40));
    assert!(matches!(entity(&plain, &deep), Err(Refusal::Invalid(_))));
}

// RES-2.1-1, RES-2.1-3
#[test]
fn keys_that_are_not_served() {
    let keys = vec!["01".into()].into();
    let only = Settings::new(SettingsParts { supported_primary_keys: keys, ..parts() });
    let only = only.expect("settings");
    assert!(entity(&only, "/01/09520123456788").is_ok());
    let found = entity(&only, "/00/195287651234567892");
    assert!(matches!(&found, Err(Refusal::UnsupportedKey(ai)) if ai.as_str() == "00"));
    assert!(matches!(entity(&only, "/00/195287651234567893"), Err(Refusal::Invalid(_))));
}

// IN-22, RES-2.6.2-5, RES-2.4-15: of a repeated linkType, the last one counts.
#[test]
fn parameters() {
    let settings = settings();
    for (query, link_type, context) in [
        ("", None, None),
        ("?", None, None),
        ("?linkType=gs1:pip&context=CH", Some("gs1:pip"), Some("CH")),
        ("?LINKTYPE=a;Context=b", Some("a"), Some("b")),
        ("?link%54ype=a", Some("a"), None),
        ("?linkType=a&linkType=b", Some("b"), None),
        ("?linkType=a&linkType=", None, None),
        ("?linkType", None, None),
        ("?linkType=a%2Bb+c", Some("a+b+c"), None),
        ("?linkType=a=b", Some("a=b"), None),
        ("?linkType=%ZZ&context=%FF", None, None),
        ("?17=999999&10=anything&01=bad&%ZZ=1", None, None),
    ] {
        let path = format!("{G}{query}");
        let plan = Plan::of(&settings, &get(&path));
        assert!(plan.key().is_some(), "never invalid for the query");
        assert_eq!((plan.link_type(), plan.context()), (link_type, context), "{query}");
    }
}

proptest! {
    // Whatever comes, the answer has a place inside the path, and what is accepted has one spelling.
    #[test]
    fn any_bytes(path in prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        "(/(01|10|21|22|26|414|09520123456788|A|%2F|%4|[a-z]{2}|)){0,8}".prop_map(String::into_bytes),
        // RES-2.3-6
        "/(eh(30|31|32|f7|fb)[0-9a-f]{0,60}|ex[0-9A-Za-z_-]{0,40}|(01/09520123456788/)?[0-9A-Za-z_-]{10,40})"
            .prop_map(String::into_bytes),
    ]) {
        let settings = settings();
        let asked = ResolutionRequest { target: &path, ..ResolutionRequest::default() };
        let plan = Plan::of(&settings, &asked);
        if let Some(key) = plan.key() {
            let canonical = format!("/{key}");
            prop_assert_eq!(entity(&settings, &canonical), Ok(canonical[1..].to_owned()));
        } else if let Some(Refusal::Invalid(invalid)) = plan.refusal() {
            prop_assert!(invalid.span().start <= invalid.span().end);
            prop_assert!(invalid.span().end <= asked.path().len());
        }
    }
}

/// RES-2.4-3, RES-3-3: RFC 3986 section 6.2.2.2: a stem and a reserved path are compared after
/// decoding of unreserved characters.
#[test]
fn rfc_3986_6_2_2_2_stems_are_equal_after_decoding() {
    let root = "https://ID.Example.org/dl/a%3Bb".into();
    let settings = Settings::new(SettingsParts { resolver_root: root, ..parts() }).expect("valid");
    assert_eq!(settings.root().as_str(), "https://id.example.org/dl/a%3Bb");
    for (path, expected) in [
        ("/dl/a%3Bb/01/09520123456788", true),
        ("/%64l/a%3Bb/01/09520123456788", true),
        ("/%64%6C/%61%3bb/01/09520123456788/", true),
        ("/dl/a;b/01/09520123456788", false),
        ("/dl%2Fa%3Bb/01/09520123456788", false),
        ("/%64lx/a%3Bb/01/09520123456788", false),
        ("/%64", false),
    ] {
        let plan = Plan::of(&settings, &get(path));
        assert_eq!(plan.key().is_some(), expected, "{path}");
    }
    for path in
        ["/.well-known/gs1resolver", "/.well-known/%67s1resolver", "/%2Ewell-known/gs1resolver"]
    {
        let plan = Plan::of(&settings, &get(path));
        assert!(plan.public_path().is_some(), "{path}");
    }
}

/// ER-25: a raw quotation mark is refused in the path as in the query.
#[test]
fn section_2_4_1_a_raw_quotation_mark_is_no_uri() {
    let settings = settings();
    for (path, status) in [
        ("/01/09520123456788/10/A\"B", Some(400)),
        ("/01/09520123456788/10/A<B", Some(400)),
        ("/01/09520123456788/10/A%22B", None),
        ("/01/09520123456788?x=%00", None),
        ("/01/09520123456788/10/A%00", Some(400)),
    ] {
        let plan = Plan::of(&settings, &get(path));
        assert_eq!(plan.refusal().map(|refusal| refusal.status()), status, "{path}");
    }
}

/// RES-2.5.7-2: the end of the year 9999 is an endless time in many systems.
#[test]
fn section_2_5_7_the_end_of_9999_is_read() {
    for instant in ["9999-12-31T00:00:00Z", "9999-12-31T23:59:59.999Z", "9999-12-30T23:00:00-05:00"]
    {
        let latest = fingerpost_resolver::LATEST_INSTANT;
        assert_eq!(fingerpost_resolver::parse_instant(instant), Some(latest), "{instant}");
    }
    assert_eq!(fingerpost_resolver::parse_instant("9999-13-31T00:00:00Z"), None);
    let href = "https://example.com/p";
    let links = json!([
        {"linkType": "gs1:pip", "href": href, "title": "P", "validUntil": "9999-12-31T23:59:59Z"}]);
    let record = json!({"anchor": "/01/09520123456788", "links": links}).to_string();
    let held = entry(&record);
    let decoded = Entry::decode(held.anchor().clone(), &held.encode()).expect("an entry");
    assert_eq!(decoded, *held);
    let written = fingerpost_resolver::write_record(&held);
    assert_eq!(*entry(&written), *held);
}
