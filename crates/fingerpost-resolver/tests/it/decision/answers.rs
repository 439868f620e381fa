//! Windows, templates, linksets and explanations on small data, where the expectation can be read.

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, Outcome, Plan, ResolutionRequest, Rules, Settings, SettingsParts, context_document,
    description_file, read_record, write_record,
};
use serde_json::{Value, json};

use crate::decision::{applying, at, entry, get, linkset, parts, settings};

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

fn location(levels: &[Arc<Entry>], asked: ResolutionRequest<'_>, now: &str) -> Option<String> {
    let (settings, asked) = (settings(), at(asked, now));
    Plan::of(&settings, &asked).answer(levels).location().map(str::to_owned)
}

// RES-2.5.7-2: validFrom is inclusive, validUntil exclusive, the later campaign rules, variants
// rest.
#[test]
fn a_campaign_takes_over_and_ends() {
    let levels = [entry(CAMPAIGN)];
    let french = ResolutionRequest { accept_language: b"fr", ..get("/01/09520123456788") };
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

// RES-2.5.7-2, RES-2.5.8-1: one default in the linkset at any instant; windows are not published;
// the next edge.
#[test]
fn linksets_follow_the_windows() {
    let (settings, levels) = (settings(), [entry(CAMPAIGN)]);
    for (now, links, edge) in [
        ("2026-04-01T00:00:00Z", 7, Some("2026-05-01T00:00:00Z")),
        ("2026-05-01T00:00:00Z", 5, Some("2026-05-08T00:00:00Z")),
        ("2026-05-08T00:00:00Z", 7, None),
    ] {
        let asked = at(get("/01/09520123456788?linkType=linkset"), now);
        let plan = Plan::of(&settings, &asked);
        let linkset = linkset(&plan, &levels);
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
        assert_eq!(linkset.next_window_edge(asked.now), edge);
    }
}

// RES-2.5.1-3, RES-2.5.1-7: an unavailable link does not exist for the request, here nor in a
// linkset.
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
        // PE-18: without a lot.
        ("", None),
        ("/10/..", None),
        ("/10/%2E", None),
        ("/10/...", Some("https://t.example/.../x?g=09520123456788&linkType=gs1:traceability#...")),
    ];
    for (lot, expected) in rows {
        let path = format!("/01/09520123456788{lot}?linkType=gs1:traceability");
        assert_eq!(location(&levels, get(&path), now).as_deref(), expected, "{lot}");
    }
}

/// An entry with a default link and one more link, both named after the level.
fn level(tail: &str, extra: &str) -> Arc<Entry> {
    let href = format!("https://l.example{tail}/");
    let links = json!([
        {"linkType": "gs1:defaultLink", "href": href, "title": "D"},
        {"linkType": extra, "href": href, "title": "D", "hreflang": ["en"], "context": ["CH"], "type": "text/html"},
    ]);
    entry(&json!({"anchor": format!("/01/09520123456788{tail}"), "links": links}).to_string())
}

// RES-2.5.10-4, RES-2.5.10-5, RES-2.5.10-6, RES-2.5.10-8, ER-15: registrations whose AIs and values
// all occur, unit level first. RES-2.5.9-2, RES-2.5.9-4, RES-2.9-3, RES-2.9-4: one linkset, one
// context object each, no redirect.
#[test]
fn levels_are_joined_unit_level_first() {
    let settings = settings();
    let held = [
        level("", "gs1:pip"),
        level("/22/V", "gs1:pip"),
        level("/10/B", "gs1:pip"),
        level("/22/V/10/B", "gs1:recallStatus"),
        level("/21/S", "gs1:pip"),
        level("/235/T", "gs1:pip"),
    ];
    for (tail, anchors) in [
        ("/22/V/10/B/21/S", &["/21/S", "/22/V/10/B", "/10/B", "/22/V", ""][..]),
        ("/22/V/10/B", &["/22/V/10/B", "/10/B", "/22/V", ""]),
        ("/10/B", &["/10/B", ""]),
        ("/10/b", &[""]),
        ("/235/T", &["/235/T", ""]),
    ] {
        let path = format!("/01/09520123456788{tail}?linkType=linkset");
        let plan = Plan::of(&settings, &get(&path));
        let levels = applying(&plan, &held);
        let linkset = linkset(&plan, &levels);
        let found: Vec<String> = linkset.contexts().map(|context| context.anchor()).collect();
        let wanted = anchors.iter().map(|a| format!("https://id.example.org/01/09520123456788{a}"));
        assert_eq!(found, wanted.collect::<Vec<_>>(), "{tail}");
    }
    // RES-2.5.10-5, RES-2.6.2-2: a type held on variant and lot is not found by the lot alone.
    let plan = Plan::of(&settings, &get("/01/09520123456788/10/B?linkType=gs1:recallStatus"));
    let levels = applying(&plan, &held);
    assert!(matches!(plan.answer(&levels).outcome(), Outcome::LinkTypeNotAvailable(..)));
}

// RES-2.1-2, RES-2.5.9-3, RES-2.5.9-6, RES-2.5.9-7: an unregistered value resolves one level up, in
// one answer.
#[test]
fn unregistered_values_walk_up() {
    let held = [level("", "gs1:pip"), level("/10/B", "gs1:pip")];
    for (tail, href) in [
        ("/10/B/21/9", "https://l.example/10/B/"),
        ("/10/C/21/9", "https://l.example/"),
        ("/235/X", "https://l.example/"),
        ("/22/V/10/B/21/S", "https://l.example/10/B/"),
    ] {
        let path = format!("/01/09520123456788{tail}");
        let levels = applying(&Plan::of(&settings(), &get(&path)), &held);
        assert_eq!(location(&levels, get(&path), "2026-01-01T00:00:00Z").as_deref(), Some(href));
    }
}

// RES-2.9-5, RES-2.10-9, RES-2.10-12, RES-2.10-13, ER-3, ER-4, ER-7: every attribute, arrays, a
// description, no internals; full tags in JSON-LD. RES-2.10-8, RES-2.10-15: nothing can close the
// script element.
#[test]
fn published_links() {
    let settings = settings();
    let levels = [entry(
        r#"{"anchor": "/01/09520123456788", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "</script><b>"},
        {"linkType": "gs1:pip", "href": "https://a.example/", "title": "P", "type": "text/html",
         "hreflang": ["es-419", "es", "zh-Hant-TW"], "context": ["CH"]},
        {"linkType": "gs1:faqs", "href": "https://a.example/f", "title": "F", "hreflang": ["fil"]},
        {"linkType": "gs1:pip", "href": "https://a.example/2", "title": "Q"}]}"#,
    )];
    let plan = Plan::of(&settings, &get("/01/09520123456788?linkType=linkset"));
    let linkset = linkset(&plan, &levels);
    let links = |tags: Value, faqs: Value| {
        let mut faqs_link = json!({"href": "https://a.example/f", "title": "F"});
        if !faqs.is_null() {
            faqs_link["hreflang"] = faqs;
        }
        json!([{
            "anchor": "https://id.example.org/01/09520123456788",
            "itemDescription": "(01)09520123456788",
            "https://ref.gs1.org/voc/defaultLink": [{"href": "https://a.example/", "title": "</script><b>"}],
            "https://ref.gs1.org/voc/pip": [
                {"href": "https://a.example/", "title": "P", "type": "text/html", "hreflang": tags,
                 "context": ["CH"]},
                {"href": "https://a.example/2", "title": "Q"},
            ],
            "https://ref.gs1.org/voc/faqs": [faqs_link],
        }])
    };
    let json: Value = serde_json::from_str(&linkset.to_json()).expect("JSON");
    assert_eq!(json, json!({"linkset": links(json!(["es", "zh-TW"]), Value::Null)}));
    let script = linkset.to_script_json_ld();
    assert!(!script.contains('<'));
    let json_ld: Value = serde_json::from_str(&script).expect("JSON");
    assert_eq!(json_ld["linkset"], links(json!(["es-419", "es", "zh-Hant-TW"]), json!(["fil"])));
    assert!(json_ld["@context"].is_object());
}

// RES-2.4-14, RES-2.12-6: the query neither refuses a request nor means anything else here.
#[test]
fn the_query_refuses_nothing() {
    let levels = [level("", "gs1:pip")];
    let query = "3102=000100&3103=000100&410=9506000134371&%ZZ&linkset&01=bad";
    let path = format!("/01/09520123456788?{query}");
    let found = location(&levels, get(&path), "2026-01-01T00:00:00Z");
    assert_eq!(found, Some(format!("https://l.example/?{query}")));
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
        let plan = Plan::of(&settings, &get(path));
        assert!(matches!(plan.answer(&[]).outcome(), Outcome::Unknown(Some(_))), "{path}");
    }
}

// RES-2.14-7: a bare term is an IANA relation where one is held, else a GS1 term.
#[test]
fn section_2_14_a_name_in_both_vocabularies_is_the_gs1_term() {
    let record = |link_type: &str, href: &str| {
        let links = json!([
            {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "A"},
            {"linkType": "gs1:pip", "href": "https://a.example/", "title": "A"},
            {"linkType": link_type, "href": href, "title": "P"},
        ]);
        entry(&json!({"anchor": "/01/09520123456788", "links": links}).to_string())
    };
    let href = "https://a.example/passport";
    let gs1 = record("gs1:dpp", href);
    assert_eq!(record("dpp", href), gs1, "both names are registered as the GS1 term");
    // As earlier releases stored it: under the name of the relation.
    let text = "tag";
    let mut stored = record(text, href).encode();
    let at = stored.windows(text.len()).position(|bytes| bytes == text.as_bytes()).expect("it");
    stored[at..at + text.len()].copy_from_slice(b"dpp");
    let relation = Entry::decode(gs1.anchor().clone(), &stored).expect("an entry");
    assert!(relation.links().any(|link| link.link_type() == "dpp"));
    for held in [gs1, Arc::new(relation)] {
        let iri = "http://www.iana.org/assignments/relation/dpp";
        for asked in ["dpp", "gs1:dpp", "https://gs1.org/voc/dpp", iri] {
            let target = format!("/01/09520123456788?linkType={asked}");
            let found = location(std::slice::from_ref(&held), get(&target), "2026-01-01T00:00:00Z");
            assert_eq!(found, Some(format!("{href}?linkType={asked}")));
        }
    }
}

/// The status and content of an answer.
fn answer(levels: &[Arc<Entry>], query: &str, accept: &str) -> (u16, Option<&'static str>) {
    let settings = settings();
    let target = format!("/01/09520123456788{query}");
    let asked = ResolutionRequest { accept: accept.as_bytes(), ..get(&target) };
    let plan = Plan::of(&settings, &asked);
    let answer = plan.answer(levels);
    (answer.status(), answer.linkset().map(|(_, format)| format.media_type()))
}

// RES-2.9-7, RES-2.10-1: a linkset type among the most preferred types decides, with
// `linkType=linkset` and without.
#[test]
fn section_2_9_one_rule_for_accept() {
    let levels = [level("", "gs1:pip")];
    let (json, text) = (Some("application/linkset+json"), Some("application/linkset"));
    for (accept, linkset, plain) in [
        ("text/html, application/linkset+json", json, (200, json)),
        ("application/linkset+json, text/html", json, (200, json)),
        ("text/html, application/linkset+json;q=0.9", Some("text/html"), (307, None)),
        ("application/ld+json, application/linkset+json", json, (200, json)),
        ("application/linkset", text, (200, text)),
        ("text/html, application/linkset", text, (200, text)),
        ("application/linkset, application/linkset+json", json, (200, json)),
        ("application/linkset;q=0.1, text/html;q=0", text, (200, text)),
    ] {
        assert_eq!(answer(&levels, "?linkType=linkset", accept), (200, linkset), "{accept}");
        assert_eq!(answer(&levels, "", accept), plain, "{accept}");
    }
}

// RES-2.9-2, RES-2.9-7, ER-24: a request for the linkset is no request for a type, whatever
// `linkType` says.
#[test]
fn section_2_6_a_linkset_request_has_no_type() {
    let levels = [level("", "gs1:pip")];
    let linkset = "application/linkset+json";
    assert_eq!(answer(&levels, "?linkType=gs1:nope", linkset), (200, Some(linkset)));
    assert_eq!(answer(&levels, "?linkType=gs1:nope", "text/html"), (404, Some("text/html")));
    assert_eq!(answer(&[], "?linkType=gs1:nope", linkset), (404, None));
}

// RES-2.11-1, RES-2.11-2, RES-3-7: the most granular record that says something decides, then the
// installation.
#[test]
fn section_2_11_records_choose_the_default_answer() {
    let vocabulary = fingerpost_resolver::Vocabulary::builtin();
    let rules = Rules::new(&vocabulary).with_default_by_record(true);
    let level = |tail: &str, answer: Option<&str>| {
        let mut record: Value =
            serde_json::from_str(&write_record(&level(tail, "gs1:pip"))).expect("JSON");
        if let Some(answer) = answer {
            record["defaultLinkType"] = json!(answer);
        }
        Arc::new(read_record(record.to_string().as_bytes(), &rules).expect("a record").entry)
    };
    let (linkset, link) = (Some("linkset"), Some("gs1:defaultLink"));
    for (installation, key, lot, expected) in [
        (None, None, None, 307),
        (None, linkset, None, 200),
        (None, linkset, link, 307),
        (None, link, linkset, 200),
        (linkset, None, None, 200),
        (linkset, link, None, 307),
        (linkset, link, linkset, 200),
    ] {
        for allowed in [true, false] {
            let parts = SettingsParts {
                default_link_type: installation.map(str::to_owned),
                default_link_type_by_record: allowed,
                ..parts()
            };
            let settings = Settings::new(parts).expect("settings");
            let levels = [level("/10/L", lot), level("", key)];
            let status = |query: &str| {
                let target = format!("/01/09520123456788/10/L{query}");
                Plan::of(&settings, &get(&target)).answer(&levels).status()
            };
            let by_installation = if installation.is_some() { 200 } else { 307 };
            let expected = if allowed { expected } else { by_installation };
            let case = format!("{installation:?} {key:?} {lot:?} {allowed}");
            assert_eq!(status(""), expected, "{case}");
            assert_eq!(status("?linkType=gs1:pip"), 307, "{case}");
            let declared = description_file(&settings)["linkTypeDefaultCanBeLinkset"].clone();
            assert_eq!(declared, json!(allowed || installation.is_some()), "{case}");
        }
    }
}

fn recalled(anchor: &str, notices: &str) -> Arc<Entry> {
    entry(&format!(
        r#"{{"anchor": "/01/09520123456788{anchor}", "defaultLinkType": "gs1:recallStatus", "links": [{notices}]}}"#
    ))
}

const NOTICES: &str = r#"
    {"linkType": "gs1:recallStatus", "href": "https://a.example/recall", "title": "Recall", "hreflang": ["en"]},
    {"linkType": "gs1:recallStatus", "href": "https://a.example/rappel", "title": "Rappel", "hreflang": ["fr"]}"#;

// RES-2.11-1: a scan of a recalled item gets the notice, whatever more granular records say, also
// where the linkset is the default.
#[test]
fn section_2_11_a_recall_comes_before_everything_else() {
    let product = level("", "gs1:pip");
    let own_lot = level("/10/L", "gs1:pip");
    let french = |target| ResolutionRequest { accept_language: b"fr", ..get(target) };
    let (lot, key) = ("/01/09520123456788/10/L", "/01/09520123456788");
    for default_link_type in [None, Some("linkset".to_owned())] {
        let settings =
            Settings::new(SettingsParts { default_link_type, ..parts() }).expect("settings");
        let located = |levels: &[Arc<Entry>], asked: ResolutionRequest<'_>| {
            let plan = Plan::of(&settings, &asked);
            let levels = applying(&plan, levels);
            let answer = plan.answer(&levels);
            (answer.status(), answer.location().map(str::to_owned))
        };
        let notice = |name: &str| (307, Some(format!("https://a.example/{name}")));
        let of_lot = [recalled("/10/L", NOTICES), product.clone()];
        assert_eq!(located(&of_lot, get(lot)), notice("recall"));
        assert_eq!(located(&of_lot, french(lot)), notice("rappel"));
        assert_ne!(located(&of_lot, get(key)), notice("recall"), "another lot, or none");
        assert_ne!(located(&of_lot, get("/01/09520123456788/10/M")), notice("recall"));
        // The product is recalled; a lot with a default link of its own is no exception.
        let links = write_record(&level("", "gs1:pip"));
        let mut record: Value = serde_json::from_str(&links).expect("JSON");
        record["defaultLinkType"] = json!("gs1:recallStatus");
        let notices: Value = serde_json::from_str(&format!("[{NOTICES}]")).expect("JSON");
        let links = record["links"].as_array_mut().expect("links");
        links.extend(notices.as_array().expect("links").iter().cloned());
        let of_product = [own_lot.clone(), entry(&record.to_string())];
        for target in [key, lot, "/01/09520123456788/10/M/21/7"] {
            assert_eq!(located(&of_product, get(target)), notice("recall"), "{target}");
        }
        // What asks for something else gets it.
        assert_eq!(located(&of_product, get("/01/09520123456788?linkType=linkset")).0, 200);
        assert_ne!(
            located(&of_product, get("/01/09520123456788?linkType=gs1:pip")),
            notice("recall")
        );
        let json = ResolutionRequest { accept: b"application/json", ..get(key) };
        assert_eq!(located(&of_product, json).0, 200);
    }
}

// RES-2.5.7-2: a recall begins and ends with the validity of its notice.
#[test]
fn section_2_11_a_recall_has_the_validity_of_its_notice() {
    let notice = r#"{"linkType": "gs1:recallStatus", "href": "https://a.example/recall", "title": "Recall",
        "validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-06-01T00:00:00Z"}"#;
    let levels = [recalled("/10/L", notice), level("", "gs1:pip")];
    for (now, is_recalled) in [
        ("2026-04-30T23:59:59Z", false),
        ("2026-05-01T00:00:00Z", true),
        ("2026-05-31T23:59:59Z", true),
        ("2026-06-01T00:00:00Z", false),
    ] {
        let found = location(&levels, get("/01/09520123456788/10/L"), now);
        assert_eq!(
            found.as_deref() == Some("https://a.example/recall"),
            is_recalled,
            "{now}: {found:?}"
        );
    }
}

// RES-2.11-1, RES-2.12-1: the successor of a key answers for it, with qualifiers and query, unless
// a record says otherwise.
#[test]
fn section_2_11_a_successor_answers_for_an_old_key() {
    let old = entry(
        r#"{"anchor": "/01/09520123456788", "defaultLinkType": "successor-version", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://a.example/old", "title": "Old"},
        {"linkType": "gs1:pip", "href": "https://a.example/old", "title": "Old"},
        {"linkType": "successor-version", "href": "https://id.example.org/01/09520123456795", "title": "New"}]}"#,
    );
    let own_lot = level("/10/L", "gs1:pip");
    let settings = settings();
    let located = |levels: &[Arc<Entry>], asked: ResolutionRequest<'_>| {
        let plan = Plan::of(&settings, &asked);
        let levels = applying(&plan, levels);
        let answer = plan.answer(&levels);
        (answer.location().map(str::to_owned), answer.link().map(|link| link.into_owned()))
    };
    let new = "https://id.example.org/01/09520123456795";
    for (target, expected) in [
        ("/01/09520123456788", new.to_owned()),
        ("/01/09520123456788?17=271231", format!("{new}?17=271231")),
        ("/01/09520123456788/10/M%2F1", format!("{new}/10/M%2F1")),
        ("/01/09520123456788?linkType=gs1:safetyInfo", format!("{new}?linkType=gs1:safetyInfo")),
        (
            "/01/09520123456788?linkType=gs1:pip",
            "https://a.example/old?linkType=gs1:pip".to_owned(),
        ),
    ] {
        let (location, link) = located(std::slice::from_ref(&old), get(target));
        assert_eq!(location.as_deref(), Some(&*expected), "{target}");
        let says =
            link.is_some_and(|link| link.contains(&format!("<{new}>; rel=\"successor-version\"")));
        assert_eq!(says, !expected.contains("/old"), "{target}");
    }
    // A lot with a page of its own is not replaced, and the linkset says what the successor is.
    let both = [own_lot.clone(), old.clone()];
    let (location, _) = located(&both, get("/01/09520123456788/10/L"));
    assert!(location.is_some_and(|location| !location.contains("09520123456795")));
    let asked = get("/01/09520123456788?linkType=linkset");
    let plan = Plan::of(&settings, &asked);
    assert!(linkset(&plan, &[old]).to_json().contains("successor-version"));
}

// RES-2.12-1, RES-2.10-11: people who choose go where a redirect would have led them; the linkset
// is as registered.
#[test]
fn section_2_12_choices_keep_the_query() {
    let levels = [entry(
        r#"{"anchor": "/01/09520123456788", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://a.example/", "title": "A"},
        {"linkType": "gs1:pip", "href": "https://a.example/", "title": "A"},
        {"linkType": "gs1:pip", "href": "https://a.example/?b={01}#c", "title": "B"}]}"#,
    )];
    let settings = settings();
    let asked = get("/01/09520123456788?17=261231&linkType=gs1:pip&x");
    let plan = Plan::of(&settings, &asked);
    let Outcome::Choices(choices, _) = plan.answer(&levels).into_outcome() else {
        panic!("expected choices");
    };
    let links = |of: &dyn Fn(&fingerpost_resolver::PublishedLink<'_>) -> String| -> Vec<String> {
        let groups = choices.contexts().flat_map(|context| context.groups().collect::<Vec<_>>());
        groups.flat_map(|group| group.links().map(|link| of(&link)).collect::<Vec<_>>()).collect()
    };
    assert_eq!(
        links(&|link| link.address().into_owned()),
        ["https://a.example/?17=261231&x", "https://a.example/?b=09520123456788&17=261231&x#c",]
    );
    let hrefs = ["https://a.example/", "https://a.example/?b=09520123456788#c"];
    assert_eq!(links(&|link| link.href().into_owned()), hrefs);
    assert_eq!(choices.page(1).0.to_json(), choices.to_json());
}

/// The own context, and how it expands a term.
fn own_context() -> (Value, impl Fn(&Value) -> String) {
    let own: Value = serde_json::from_str(context_document()).expect("JSON");
    let own = own["@context"].clone();
    let prefixes = own.clone();
    let expand = move |term: &Value| -> String {
        let text = term["@id"].as_str().or(term.as_str()).unwrap_or_default();
        match text.split_once(':') {
            Some((prefix, local)) if prefixes[prefix].is_string() => {
                format!("{}{local}", prefixes[prefix].as_str().unwrap_or_default())
            }
            _ => text.to_owned(),
        }
    };
    (own, expand)
}

// RES-2.10-6, RES-2.10-14, ER-20: the meanings that RFC 9264, appendix A, gives to its members.
#[test]
fn context_definitions() {
    let (own, expand) = own_context();
    assert_eq!(own["gs1"], "https://ref.gs1.org/voc/");
    assert_eq!(own["@vocab"], "http://www.iana.org/assignments/relation/");
    for (term, meaning) in [
        ("linkset", "@graph"),
        ("anchor", "@id"),
        ("href", "@id"),
        ("title", "http://purl.org/dc/terms/title"),
        ("type", "http://purl.org/dc/terms/format"),
        ("hreflang", "http://purl.org/dc/terms/language"),
        ("itemDescription", "http://www.w3.org/2000/01/rdf-schema#comment"),
    ] {
        assert_eq!(expand(&own[term]), meaning, "{term}");
    }
    for list in ["hreflang", "context"] {
        assert_eq!(own[list]["@container"], "@set", "{list}");
    }
    // No member of a link may become a link relation by `@vocab`.
    let context = expand(&own["context"]);
    assert!(context.starts_with("urn:uuid:") && context.ends_with("#context"), "{context}");
}

// RES-2.10-6, RES-2.10-14
#[test]
#[ignore = "needs GS1's context file: run .ci/compare"]
fn context_definitions_compared_with_those_of_gs1() {
    let (own, expand) = own_context();
    let folder = std::env::var("FINGERPOST_REFERENCES").expect("set by .ci/compare");
    let path = std::path::Path::new(&folder).join("gs1-linkset-context.jsonld");
    let text = std::fs::read_to_string(path).expect("the context file");
    let theirs: Value = serde_json::from_str(&text).expect("JSON");
    let mut compared = 0;
    for (term, meaning) in own.as_object().expect("an object") {
        let only_ours = term == "context" && theirs["@context"][term].is_null();
        if term == "gs1" || term.starts_with('@') || only_ours {
            continue;
        }
        let same = expand(meaning) == expand(&theirs["@context"][term]);
        assert!(same, "{term}: {meaning} is not {}", theirs["@context"][term]);
        assert_eq!(meaning["@container"], theirs["@context"][term]["@container"], "{term}");
        compared += 1;
    }
    assert!(compared > 5, "{compared} terms");
    assert_eq!(own["@vocab"], theirs["@context"]["@vocab"]);
}

// The text is read by people, so it is pinned.
#[test]
fn an_explanation_reads_like_this() {
    let (settings, levels) = (settings(), [entry(CAMPAIGN)]);
    let asked = at(get("/01/09520123456788/10/L1"), "2026-01-01T00:00:00Z");
    let asked = ResolutionRequest { accept_language: b"fr-CA, en;q=0.5", ..asked };
    let plan = Plan::of(&settings, &asked);
    let (_, explanation) = plan.explain(&levels);
    let expected = "\
Request for 01/09520123456788/10/L1
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
Answer: redirect to https://a.example/fr
Status: 307";
    assert_eq!(explanation.to_string(), expected);
    let value = serde_json::to_value(&explanation).expect("JSON");
    assert_eq!(value["outcome"], json!({"answer": "redirect", "location": "https://a.example/fr"}));
    assert_eq!(value["levels"][0]["held"], false);
    assert_eq!(value["steps"][3]["rule"], "B.2");
}
