//! A registered recall is the first thing that a page says, in the reader's language; a scan is
//! redirected as registered.

use crate::page;

use page::{Page, page, router_with};
use serde_json::{Value, json};

const KEY: &str = "/01/09520123456788";

/// An item whose lot LOT7 was recalled, with notices in two languages.
fn records(of_item: bool) -> Vec<Value> {
    let link = |link_type: &str, path: &str, language: Option<&str>| {
        let mut link = json!({"linkType": link_type, "title": format!("Notice {path} <b>"),
            "href": format!("https://example.com/{path}")});
        if let Some(language) = language {
            link["hreflang"] = json!([language]);
        }
        link
    };
    let mut links = vec![
        link("gs1:defaultLink", "tea", None),
        link("gs1:pip", "tea", None),
        link("gs1:recipeInfo", "1", Some("fr")),
        link("gs1:recipeInfo", "2", Some("fr")),
        link("gs1:safetyInfo", "safe", None),
    ];
    if of_item {
        links.push(link("gs1:recallStatus", "all", None));
    }
    let lot =
        [link("gs1:recallStatus", "en", Some("en")), link("gs1:recallStatus", "fr", Some("fr"))];
    vec![
        json!({"anchor": KEY, "itemDescription": "Tea", "links": links}),
        json!({"anchor": format!("{KEY}/10/LOT7"), "links": lot}),
    ]
}

/// The targets of the links in the alert.
fn alerts(page: &Page) -> Vec<&str> {
    let start = page.elements.iter().position(|e| e.attribute("role") == Some("alert"));
    let Some(start) = start else { return Vec::new() };
    let end = page.elements.iter().position(|e| e.name == "h1").expect("a heading");
    assert!(start < end, "above the heading");
    let links = page.elements[start..end].iter().filter(|e| e.name == "a");
    links.filter_map(|e| e.attribute("href")).collect()
}

#[test]
fn a_recall_is_above_everything() {
    let router = router_with("", &records(false));
    for (language, words, notice) in [
        ("en", "Recall notice", "en"),
        ("fr-CH", "Avis de rappel", "fr"),
        ("ar, fr;q=0.5", "إشعار سحب", "fr"),
        ("de, en;q=0.1", "Rückruf", "en"),
    ] {
        for target in [
            format!("{KEY}/10/LOT7?linkType=linkset"),
            format!("{KEY}/10/LOT7/21/5?linkType=all"),
            format!("{KEY}/10/LOT7?linkType=gs1:nosuch"),
            format!("{KEY}/10/LOT7?linkType=gs1:recipeInfo"),
            "/?q=(01)09520123456788(10)LOT7".to_owned(),
        ] {
            let shown = page(&router, &target, language);
            let expected = format!("https://example.com/{notice}");
            assert_eq!(alerts(&shown), [&expected], "{language} {target}");
            let alert = shown.all("div").into_iter().find(|e| e.attribute("role") == Some("alert"));
            let text = &alert.expect("an alert").text;
            assert!(text.contains(words), "{language} {target}: {text}");
            assert!(text.contains(&format!("Notice {notice} <b>")), "{language} {target}: {text}");
        }
    }
}

#[test]
fn what_is_not_recalled_has_no_alert() {
    let router = router_with("", &records(false));
    for target in ["?linkType=linkset", "/10/LOT8?linkType=linkset", "?linkType=gs1:recipeInfo"] {
        let shown = page(&router, &format!("{KEY}{target}"), "en");
        assert!(!shown.html.contains("role=\"alert\""), "{target}");
    }
    assert!(!page(&router, "/?q=9520123456788", "en").html.contains("role=\"alert\""));
}

/// A notice about the item is one about each of its lots too.
#[test]
fn recalls_of_all_levels_are_shown() {
    let router = router_with("", &records(true));
    let lot = page(&router, &format!("{KEY}/10/LOT7?linkType=linkset"), "en");
    assert_eq!(alerts(&lot), ["https://example.com/en", "https://example.com/all"]);
    let other = page(&router, &format!("{KEY}/10/LOT8?linkType=linkset"), "en");
    assert_eq!(alerts(&other), ["https://example.com/all"]);
}

/// The decision about a scan is as registered (RES-2.6.1-1).
#[test]
fn a_scan_is_redirected_as_registered() {
    let router = router_with("", &records(true));
    let scan = http::Request::get(format!("{KEY}/10/LOT7")).body(()).expect("a request");
    let answer = router.handle(&scan);
    assert_eq!(answer.status(), 307);
    assert_eq!(answer.headers()["location"], "https://example.com/tea");
}

/// PE-30: a recall without an address is said by the page itself, in the reader's language: what is
/// recalled and what to do, without a link to itself; a title of its own is shown.
#[test]
fn a_scan_of_a_recall_without_an_address_gets_the_page() {
    let page_of = |tail: &str| format!("https://id.example.org{KEY}{tail}?linkType=linkset");
    let notice = |tail: &str, title: &str, language: &[&str]| {
        json!({"linkType": "gs1:recallStatus", "href": page_of(tail), "title": title,
            "hreflang": language})
    };
    let recalled = |anchor: &str, links: Vec<Value>| {
        json!({"anchor": format!("{KEY}{anchor}"), "defaultLinkType": "gs1:recallStatus",
            "links": links})
    };
    let mut records = vec![records(false).swap_remove(0)];
    records.push(recalled("/10/LOT7", vec![notice("/10/LOT7", "Recall", &[])]));
    records.push(recalled(
        "/-range/10/2/A1/A9",
        vec![
            notice("/10/{10}", "May contain glass", &["en"]),
            notice("/10/{10}", "Peut contenir du verre", &["fr"]),
        ],
    ));
    let router = router_with("resolver_root = \"https://id.example.org\"", &records);
    for (language, word, advice) in [
        ("en", "Recall notice", "Do not use this item"),
        ("de", "Rückruf", "Verwenden Sie den Artikel nicht"),
        ("fr", "Avis de rappel", "N’utilisez pas cet article"),
        ("es", "Aviso de retirada", "No use este artículo"),
        ("pt", "Aviso de recolhimento", "Não use este item"),
        ("ar", "إشعار سحب", "لا تستخدم هذا المنتج"),
        ("ja", "リコールのお知らせ", "この商品を使用したり"),
    ] {
        for target in ["/10/LOT7", "/10/LOT7/21/5", "/10/LOT7?linkType=gs1:recallStatus"] {
            let shown = page(&router, &format!("{KEY}{target}"), language);
            assert_eq!(shown.status, 200, "{language} {target}");
            assert!(alerts(&shown).is_empty(), "{language} {target}: {:?}", alerts(&shown));
            let own = shown.all("a").into_iter().filter_map(|a| a.attribute("href"));
            let own: Vec<_> = own.filter(|href| href.contains("/10/LOT7")).collect();
            assert!(own.is_empty(), "{language} {target}: {own:?}");
            let alert = shown.all("div").into_iter().find(|e| e.attribute("role") == Some("alert"));
            let text = &alert.expect("an alert").text;
            for wanted in [word, advice, "LOT7"] {
                assert!(text.contains(wanted), "{language} {target}: {text}");
            }
            assert!(!text.contains("Recall") || language == "en", "{language} {target}: {text}");
        }
    }
    let shown = page(&router, &format!("{KEY}/10/A5"), "fr");
    let alert = shown.all("div").into_iter().find(|e| e.attribute("role") == Some("alert"));
    let text = &alert.expect("an alert").text;
    assert!(text.contains("A1 – A9") && text.contains("Peut contenir du verre"), "{text}");
    assert!(!text.contains("glass"), "{text}");
}
