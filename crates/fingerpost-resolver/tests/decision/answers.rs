//! Windows, templates, linksets and explanations on small data, where the expectation can be read.

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, RawRequest, Request, Resolution, context_document, explain, resolve,
};
use serde_json::{Value, json};

use crate::{entry, get, settings};

const CAMPAIGN: &str = r#"{"anchor": "/01/09520123456788", "links": [
    {"linkType": "gs1:defaultLink", "href": "https://a.example/std", "title": "S"},
    {"linkType": "gs1:defaultLink", "href": "https://a.example/may", "title": "M",
     "validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-05-08T00:00:00Z"},
    {"linkType": "gs1:defaultLinkMulti", "href": "https://a.example/fr", "title": "F", "hreflang": ["fr"]},
    {"linkType": "gs1:defaultLinkMulti", "href": "https://a.example/en", "title": "E", "hreflang": ["en"]},
    {"linkType": "gs1:pip", "href": "https://a.example/std", "title": "S"},
    {"linkType": "gs1:pip", "href": "https://a.example/fr", "title": "F", "hreflang": ["fr"]},
    {"linkType": "gs1:pip", "href": "https://a.example/en", "title": "E", "hreflang": ["en"]},
    {"linkType": "gs1:promotion", "href": "https://a.example/may", "title": "M"}]}"#;

fn location(levels: &[Arc<Entry>], raw: RawRequest<'_>, now: &str) -> Option<String> {
    let settings = settings();
    let request = Request::parse(&settings, raw).expect("valid");
    match resolve(&settings, &request, levels, now.parse().expect("an instant")) {
        Resolution::Redirect(redirect) => Some(redirect.into_location()),
        _ => None,
    }
}

// RES-2.5.7-2: validFrom is inclusive, validUntil exclusive, the later campaign rules, variants rest.
#[test]
fn a_campaign_takes_over_and_ends() {
    let levels = [entry(CAMPAIGN)];
    let french = RawRequest { accept_language: b"fr", ..get("/01/09520123456788") };
    for (now, plain, to_french) in [
        ("2026-04-30T23:59:59Z", "https://a.example/std", "https://a.example/fr"),
        ("2026-05-01T00:00:00Z", "https://a.example/may", "https://a.example/may"),
        ("2026-05-07T23:59:59Z", "https://a.example/may", "https://a.example/may"),
        ("2026-05-08T00:00:00Z", "https://a.example/std", "https://a.example/fr"),
    ] {
        assert_eq!(
            location(&levels, get("/01/09520123456788"), now).as_deref(),
            Some(plain),
            "{now}"
        );
        assert_eq!(location(&levels, french, now).as_deref(), Some(to_french), "{now}");
    }
}

// RES-2.5.7-2, RES-2.5.8-1: one default in the linkset at any instant; windows are not published; the next edge.
#[test]
fn linksets_follow_the_windows() {
    let (settings, levels) = (settings(), [entry(CAMPAIGN)]);
    let raw = get("/01/09520123456788?linkType=linkset");
    let request = Request::parse(&settings, raw).expect("valid");
    for (now, links, edge) in [
        ("2026-04-01T00:00:00Z", 7, Some("2026-05-01T00:00:00Z")),
        ("2026-05-01T00:00:00Z", 5, Some("2026-05-08T00:00:00Z")),
        ("2026-05-08T00:00:00Z", 7, None),
    ] {
        let now = now.parse().expect("an instant");
        let Resolution::Linkset(linkset, _) = resolve(&settings, &request, &levels, now) else {
            panic!("expected a linkset");
        };
        let json: Value = serde_json::from_str(&linkset.to_json()).expect("JSON");
        let context = json["linkset"][0].as_object().expect("one context object");
        assert_eq!(
            context["https://ref.gs1.org/voc/defaultLink"].as_array().map(Vec::len),
            Some(1)
        );
        let count: usize = context.values().filter_map(|v| v.as_array().map(Vec::len)).sum();
        assert_eq!(count, links);
        assert!(!linkset.to_json().contains("valid"));
        let edge = edge.map(|edge| edge.parse().expect("an instant"));
        assert_eq!(linkset.next_window_edge(now), edge);
    }
}

// RES-2.5.1-3, RES-2.5.1-7: an unavailable link does not exist for the request, here nor in a linkset.
#[test]
fn templates_are_filled_after_the_choice() {
    let levels = [entry(
        r#"{"anchor": "/01/09520123456788", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "A"},
        {"linkType": "gs1:pip", "href": "https://a.example/", "title": "A"},
        {"linkType": "gs1:traceability", "href": "https://t.example/{10}/x?g={01}#{10}", "title": "T"}]}"#,
    )];
    let now = "2026-01-01T00:00:00Z";
    let rows = [
        (
            "/10/A%2FB",
            Some("https://t.example/A%2FB/x?g=09520123456788&linkType=gs1:traceability#A%2FB"),
        ),
        ("", Some("https://t.example//x?g=09520123456788&linkType=gs1:traceability#")),
        ("/10/..", None),
        ("/10/%2E", None),
        ("/10/...", Some("https://t.example/.../x?g=09520123456788&linkType=gs1:traceability#...")),
    ];
    for (lot, expected) in rows {
        let path = format!("/01/09520123456788{lot}?linkType=gs1:traceability");
        assert_eq!(location(&levels, get(&path), now).as_deref(), expected, "{lot}");
    }
}

// RES-2.4.1-2, RES-2.9-1: nothing known is 404 for a linkset too.
#[test]
fn nothing_known() {
    let settings = settings();
    for path in [
        "/01/09520123456788",
        "/01/09520123456788?linkType=linkset",
        "/01/09520123456788?linkType=gs1:pip",
    ] {
        let request = Request::parse(&settings, get(path)).expect("valid");
        let now = "2026-01-01T00:00:00Z".parse().expect("an instant");
        assert!(matches!(resolve(&settings, &request, &[], now), Resolution::Unknown), "{path}");
    }
}

// RES-2.14-7: a bare term is an IANA relation where one is held, else a GS1 term.
#[test]
fn a_bare_term_has_two_readings() {
    let record = |link_type: &str, href: &str| {
        let links = json!([
            {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "A"},
            {"linkType": "gs1:pip", "href": "https://a.example/", "title": "A"},
            {"linkType": link_type, "href": href, "title": "P"},
        ]);
        entry(&json!({"anchor": "/01/09520123456788", "links": links}).to_string())
    };
    let get = get("/01/09520123456788?linkType=dpp");
    for (link_type, href) in
        [("dpp", "https://a.example/iana"), ("gs1:dpp", "https://a.example/gs1")]
    {
        let levels = [record(link_type, href)];
        let found = location(&levels, get, "2026-01-01T00:00:00Z");
        assert_eq!(found, Some(format!("{href}?linkType=dpp")));
    }
}

// RES-2.10-6, RES-2.10-14, ER-20: the own context means what GS1's means.
#[test]
fn context_definitions() {
    let own: Value = serde_json::from_str(context_document()).expect("JSON");
    let own = &own["@context"];
    let expand = |term: &Value| -> String {
        let text = term["@id"].as_str().or(term.as_str()).unwrap_or_default();
        match text.split_once(':') {
            Some((prefix, local)) if own[prefix].is_string() => {
                format!("{}{local}", own[prefix].as_str().unwrap_or_default())
            }
            _ => text.to_owned(),
        }
    };
    assert_eq!(own["gs1"], "https://ref.gs1.org/voc/");
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/gs1-linkset-context.jsonld");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIPPED: not compared with GS1's context file, which is not here");
        return;
    };
    let theirs: Value = serde_json::from_str(&text).expect("JSON");
    for (term, meaning) in own.as_object().expect("an object") {
        if term == "gs1" || term.starts_with('@') {
            continue;
        }
        let same = expand(meaning) == expand(&theirs["@context"][term]);
        assert!(same, "{term}: {meaning} is not {}", theirs["@context"][term]);
        assert_eq!(meaning["@container"], theirs["@context"][term]["@container"], "{term}");
    }
    assert_eq!(own["@vocab"], theirs["@context"]["@vocab"]);
}

// The text is read by people, so it is pinned.
#[test]
fn an_explanation_reads_like_this() {
    let (settings, levels) = (settings(), [entry(CAMPAIGN)]);
    let raw = RawRequest { accept_language: b"fr-CA, en;q=0.5", ..get("/01/09520123456788/10/L1") };
    let request = Request::parse(&settings, raw).expect("valid");
    let now = "2026-01-01T00:00:00Z".parse().expect("an instant");
    let (explanation, _) = explain(&settings, &request, &levels, now);
    let expected = "\
Asked for 01/09520123456788/10/L1
  Accept-Language: fr-CA, en;q=0.5
Levels, at 2026-01-01T00:00:00Z
  https://id.example.org/01/09520123456788/10/L1: nothing registered
  https://id.example.org/01/09520123456788: 8 links
    1. gs1:defaultLink https://a.example/std
    2. gs1:defaultLink https://a.example/may (left out: outside its validity window)
    3. gs1:defaultLinkMulti https://a.example/fr language fr
    4. gs1:defaultLinkMulti https://a.example/en language en
    5. gs1:pip https://a.example/std
    6. gs1:pip https://a.example/fr language fr
    7. gs1:pip https://a.example/en language en
    8. gs1:promotion https://a.example/may
Steps
  C    no type asked: variants beside the default link at 01/09520123456788
       3. gs1:defaultLinkMulti https://a.example/fr language fr
       4. gs1:defaultLinkMulti https://a.example/en language en
  C    without those that contradict the request
       3. gs1:defaultLinkMulti https://a.example/fr language fr
       4. gs1:defaultLinkMulti https://a.example/en language en
  C    of these, those that match something asked for
       3. gs1:defaultLinkMulti https://a.example/fr language fr
       4. gs1:defaultLinkMulti https://a.example/en language en
  B.2  closest language
       3. gs1:defaultLinkMulti https://a.example/fr language fr
  C    one variant is left
       3. gs1:defaultLinkMulti https://a.example/fr language fr
Answer: redirect to https://a.example/fr";
    assert_eq!(explanation.to_string(), expected);
    let value = serde_json::to_value(&explanation).expect("JSON");
    assert_eq!(value["outcome"], json!({"answer": "redirect", "location": "https://a.example/fr"}));
    assert_eq!(value["levels"][0]["held"], false);
    assert_eq!(value["steps"][3]["rule"], "B.2");
}
