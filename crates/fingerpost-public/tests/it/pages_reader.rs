//! The page of a linkset is in the order of the reader: the main button leads where a scan by the
//! same reader leads, and links in the reader's languages come first.

use crate::page;

use fingerpost_public::Router;
use page::{Page, page, router_with};
use serde_json::{Value, json};

const KEY: &str = "/01/09520123456788";

fn link(link_type: &str, path: &str, more: &Value) -> Value {
    let mut link = json!({"linkType": link_type, "href": format!("https://example.com/{path}"),
        "title": format!("Title {path}")});
    for (name, value) in more.as_object().expect("members") {
        link[name] = value.clone();
    }
    link
}

/// Default links and their variants by language and territory, and links of one type in several
/// languages.
fn records() -> Vec<Value> {
    let mut links = vec![
        link("gs1:defaultLink", "any", &json!({})),
        link("gs1:defaultLinkMulti", "en", &json!({"hreflang": ["en"]})),
        link("gs1:defaultLinkMulti", "de", &json!({"hreflang": ["de"]})),
        link("gs1:defaultLinkMulti", "fr", &json!({"hreflang": ["fr"]})),
        link("gs1:defaultLinkMulti", "ch", &json!({"context": ["CH"]})),
    ];
    let same: Vec<Value> = links.clone();
    links.extend(same.into_iter().map(|mut link| {
        link["linkType"] = "gs1:pip".into();
        link
    }));
    let recipes = ["en", "de", "fr"].map(|language| {
        link("gs1:recipeInfo", &format!("r-{language}"), &json!({"hreflang": [language]}))
    });
    links.extend(recipes);
    links.push(link("gs1:recipeInfo", "r-any", &json!({})));
    links.push(link("gs1:recipeInfo", "r-ch", &json!({"context": ["CH"]})));
    vec![json!({"anchor": KEY, "itemDescription": "Tea", "links": links})]
}

fn main_link(page: &Page) -> &str {
    let go = page.all("a").into_iter().find(|a| a.attribute("class") == Some("go"));
    go.and_then(|a| a.attribute("href")).expect("a main link")
}

fn location(router: &Router, target: &str, language: &str) -> String {
    let scan = http::Request::get(target)
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .header("accept-language", language);
    let answer = router.handle(&scan.body(()).expect("a request"));
    answer.headers()["location"].to_str().expect("ASCII").to_owned()
}

#[test]
fn the_main_button_is_the_decision_of_a_scan() {
    let router = router_with("", &records());
    for (language, query, expected) in [
        ("fr-CH, fr;q=0.9, en;q=0.5", "", "fr"),
        ("de", "", "de"),
        ("en", "", "en"),
        ("ja", "", "any"),
        ("ja", "context=CH", "ch"),
        ("*", "", "any"),
    ] {
        let scan = location(&router, &format!("{KEY}?{query}"), language);
        let scan = scan.split('?').next().unwrap_or_default();
        assert_eq!(scan, format!("https://example.com/{expected}"), "{language} {query}");
        for link_type in ["linkset", "all", "gs1:nosuch"] {
            let shown = page(&router, &format!("{KEY}?{query}&linkType={link_type}"), language);
            assert_eq!(main_link(&shown), scan, "{language} {query} {link_type}");
            // All others are there too, and each target is one entry (PE-15).
            for other in ["any", "en", "de", "fr", "ch"] {
                let href = format!("https://example.com/{other}");
                let found =
                    shown.all("a").iter().filter(|a| a.attribute("href") == Some(&href)).count();
                assert_eq!(found, 1, "{language} {query} {link_type} {other}");
            }
        }
    }
}

/// RFC 9110, section 12.5.4: links in the reader's languages first, in the order of preference;
/// then those without one; then others.
#[test]
fn links_of_the_readers_languages_come_first() {
    let router = router_with("", &records());
    for (language, order) in [
        ("fr, en;q=0.5", ["fr", "en", "any", "ch", "de"]),
        ("de-CH", ["de", "any", "ch", "en", "fr"]),
        ("ja", ["any", "ch", "en", "de", "fr"]),
        ("*", ["en", "de", "fr", "any", "ch"]),
        ("en, de;q=0", ["en", "any", "ch", "de", "fr"]),
    ] {
        let shown = page(&router, &format!("{KEY}?linkType=linkset"), language);
        let list: Vec<&str> = shown
            .elements
            .iter()
            .skip_while(|e| e.attribute("class") != Some("group"))
            .filter(|e| e.name == "a")
            .filter_map(|a| a.attribute("href")?.strip_prefix("https://example.com/r-"))
            .collect();
        assert_eq!(list, order, "{language}");
    }
}

/// Names of languages are in the language of the reader; those we have no word for are in their
/// own, and marked.
#[test]
fn languages_are_named_for_the_reader() {
    let links = [
        link("gs1:defaultLink", "any", &json!({})),
        link("gs1:pip", "any", &json!({})),
        link("gs1:pip", "fr", &json!({"hreflang": ["fr", "cy"]})),
    ];
    let router = router_with("", &[json!({"anchor": KEY, "links": links})]);
    for (language, name) in
        [("en", "French"), ("de", "Französisch"), ("ja", "フランス語"), ("ar", "الفرنسية")]
    {
        let shown = page(&router, &format!("{KEY}?linkType=linkset"), language);
        let names: Vec<_> =
            shown.all("bdi").into_iter().map(|e| (&*e.text, e.attribute("lang"))).collect();
        assert!(names.contains(&(name, None)), "{language}: {names:?}");
        assert!(names.contains(&("Cymraeg", Some("cy"))), "{language}: {names:?}");
    }
}

/// PE-15, PE-29: the page has the name of the item in the reader's language, for people, search
/// engines and those who show a link to it; programs get the one for everybody.
#[test]
fn the_name_is_in_the_language_of_the_reader() {
    let mut record = records().swap_remove(0);
    record["itemDescriptions"] = json!({"fr": "Thé vert <b>", "ar": "شاي"});
    let router = router_with("", &[record]);
    for (language, name, lang) in
        [("en", "Tea", None), ("fr-CA", "Thé vert <b>", Some("fr")), ("ar", "شاي", Some("ar"))]
    {
        let shown = page(&router, &format!("{KEY}?linkType=linkset"), language);
        let headings = shown.all("h1");
        let [heading] = headings[..] else { panic!("one heading: {}", shown.html) };
        assert_eq!(heading.text.trim(), name, "{language}");
        assert_eq!(heading.attribute("lang"), lang, "{language}");
        assert_eq!(heading.attribute("itemprop"), Some("name"), "{language}");
        let metas = shown.all("meta");
        let title = metas.iter().find(|meta| meta.attribute("property") == Some("og:title"));
        assert_eq!(title.and_then(|meta| meta.attribute("content")), Some(name), "{language}");
        let asked = page(&router, "/?q=09520123456788", language);
        assert_eq!(asked.all("h1")[0].text.trim(), name, "{language}");
    }
    let json = http::Request::get(format!("{KEY}?linkType=linkset"))
        .header("accept", "application/linkset+json")
        .header("accept-language", "fr");
    let answer = router.handle(&json.body(()).expect("a request"));
    let (parts, body) = answer.into_parts();
    let text = crate::body::text(http::Response::new(body));
    assert_eq!(parts.status, 200);
    assert!(text.contains(r#""itemDescription":"Tea""#) && !text.contains("vert"), "{text}");
}
