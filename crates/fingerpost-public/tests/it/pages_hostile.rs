//! Whatever is stored or sent, a page stays the page it was (RES-2.10-15, RES-2.4.1-4): the
//! elements and attributes are those of the same page with harmless text.

use crate::page;

use page::{page, records, router, router_with};
use serde_json::{Value, json};

const HOSTILE: [&str; 9] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</script><script>alert(1)</script>",
    "</title></head><body onload=alert(1)>",
    "]]><!--<b>--><![CDATA[",
    "&lt;script&gt; &amp;#60; &#x3c;script&#x3e;",
    "{{ 7 * 7 }} ${7*7} {% raw %} <%= 7 %>",
    "\u{202e}gnp.exe \u{2066}\u{200f}\u{61c}javascript:alert(1)",
];

const TARGETS: [&str; 4] = [
    "/01/09520123456788?linkType=linkset",
    "/01/09520123456788/10/LOT7?linkType=linkset",
    "/01/09520123456788?linkType=gs1:recipeInfo",
    "/01/09520123456788?linkType=gs1:nosuch",
];

/// RES-2.10-15: titles and descriptions.
#[test]
fn stored_text_changes_no_page() {
    let harmless = router("");
    for text in HOSTILE {
        let hostile = router_with("", &records(text));
        for target in TARGETS {
            for language in ["en", "ar"] {
                let (expected, found) =
                    (page(&harmless, target, language), page(&hostile, target, language));
                assert_eq!(found.shape(), expected.shape(), "{text} {target}");
                assert!(found.one("h1").text.contains(text), "shown as it is: {text}");
                assert!(!found.script.contains('<'), "{text}");
                let linkset: Value = serde_json::from_str(&found.script).expect("JSON-LD");
                assert_eq!(linkset["linkset"][0]["itemDescription"], text);
            }
        }
    }
}

/// RES-2.10-15: the answer of the home page shows descriptions and titles too.
#[test]
fn stored_text_changes_no_answer() {
    let target = "/?q=(01)09520123456788(10)LOT7";
    for language in ["en", "ar"] {
        let expected = page(&router(""), target, language);
        for text in HOSTILE {
            let found = page(&router_with("", &records(text)), target, language);
            assert_eq!(found.shape(), expected.shape(), "{text}");
            assert_eq!(found.one("h1").text, text);
            let isolated = found.all("bdi").iter().filter(|bdi| bdi.text == text).count();
            assert_eq!(
                isolated, 3,
                "the recall, the description and the title of the target: {text}"
            );
            assert!(!found.one("title").text.contains(['\u{202e}', '\u{2066}']));
        }
    }
}

/// Characters that turn writing around act within their own text only: it is isolated, and the
/// title of the window has none.
#[test]
fn direction_stays_where_it_was_set() {
    let text = "\u{202e}evil\u{2066}";
    let page = page(&router_with("", &records(text)), TARGETS[0], "en");
    assert!(!page.one("title").text.contains(['\u{202e}', '\u{2066}']));
    for element in page.elements.iter().filter(|e| e.name != "bdi" && e.name != "title") {
        let own = element.text.contains('\u{202e}');
        let isolated = page.all("bdi").iter().any(|bdi| bdi.text.contains('\u{202e}'));
        assert!(!own || isolated, "{element:?}");
    }
    let isolated = page.all("bdi").iter().filter(|bdi| bdi.text == text).count();
    let shown = page.html.matches(text).count() - page.script.matches(text).count();
    assert_eq!(shown, isolated, "each of them");
}

/// RES-2.10-15: what the door lets in besides titles: targets, media types, languages, context
/// values, foreign link types.
#[test]
fn every_other_field_changes_no_page() {
    let toml =
        "link_type_namespaces = [{ namespace = \"https://example.net/voc/\", prefix = \"ex:\" }]";
    let with = |href: &str, context: &str, media_type: &str, kind: &str| {
        router_with(
            toml,
            &[json!({"anchor": "/01/09520123456788", "links": [
                {"linkType": "gs1:defaultLink", "href": href, "title": "a"},
                {"linkType": "gs1:pip", "href": href, "title": "a"},
                {"linkType": kind, "href": format!("{href}#b"), "title": "a", "context": [context], "type": media_type, "hreflang": ["en-x-a"]},
            ]})],
        )
    };
    let harmless =
        page(&with("https://example.com/", "CH", "model/gltf+json", "ex:a"), TARGETS[0], "en");
    // Registration refuses angle brackets and quotes in targets, and all but plain names as link
    // types.
    let href = "https://example.com/?a='b'&c=%22%3E%3Cscript%3E&amp;d=]]";
    for context in ["CH", "<b>\"'&", "</script>"] {
        for media_type in ["model/gltf+json", "model/gltf+json; a=\"<script>'\""] {
            let router = with(href, context, media_type, "ex:a");
            let found = page(&router, TARGETS[0], "en");
            assert_eq!(found.shape(), harmless.shape(), "{context} {media_type}");
            assert!(!found.script.contains('<'), "{context}");
            assert!(
                found.text.contains(&format!("Only for: {}", context.replace("CH", "Switzerland"))),
                "{context}"
            );
            assert!(found.all("a").iter().any(|a| a.attribute("href") == Some(href)));
        }
    }
}

/// RES-2.4.1-4: the question of the home page, and the address of an error.
#[test]
fn what_is_sent_changes_no_page() {
    let router = router("");
    let encode =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    for text in HOSTILE {
        // With a letter before, none of them is of another known form.
        let expected = page(&router, "/?q=zzz", "en").shape();
        let found = page(&router, &format!("/?q=zzz{}", encode(text)), "en");
        assert_eq!(found.shape(), expected, "{text}");
        let value = found.all("input")[0].attribute("value").expect("a value").to_owned();
        assert_eq!(value, format!("zzz{text}"));
        let mark = found.one("mark");
        assert!(
            !mark.text.contains(['\u{202e}', '\u{2066}', '\u{200f}', '\u{61c}']),
            "made visible"
        );
        for target in ["/", "/01/", "/01/09520123456788/10/", "/urn/", "/uri-res/N2L?"] {
            let target = format!("{target}{}", encode(text));
            let harmless = page(&router, &target.replace(&encode(text), "%20%20"), "en");
            let found = page(&router, &target, "en");
            if found.status == harmless.status {
                assert!(found.all("script").len() <= 1 && found.all("b").is_empty(), "{target}");
                assert!(found.all("img").is_empty(), "{target}");
            }
        }
    }
    // In an element string, a value, and a Digital Link, which are shown in parts.
    for around in
        ["(10)", "(01)09520123456788(10)", "https://a.example/01/09520123456788/10/", "]d210"]
    {
        for text in HOSTILE {
            let found = page(&router, &format!("/?q={}", encode(&format!("{around}{text}"))), "ar");
            for name in ["script", "img", "b", "style"] {
                assert!(found.all(name).is_empty(), "{around}{text}");
            }
        }
    }
}

/// A question is cut, and is not kept by caches.
#[test]
fn long_questions_are_cut() {
    let found = page(&router(""), &format!("/?q={}", "x".repeat(7000)), "en");
    assert_eq!(found.header("cache-control"), "no-store");
    assert!(found.one("mark").text.chars().count() < 60);
    assert!(found.html.len() < 10_000);
}

/// What an operator writes is text too.
#[test]
fn the_brand_is_escaped() {
    let toml = r#"
        [brand]
        name = "A <b> & 'c'"
        footer_text = "<script>alert(1)</script>"
        footer_links = [{ text = "\"><i>", href = "https://example.org/?a='b'&c=d" }]
        privacy = "<script>alert(1)</script>\n\n</main><h1>x"
    "#;
    let router = router(toml);
    for target in ["/", "/privacy", "/01/09520123456789"] {
        let found = page(&router, target, "en");
        assert!(
            found.all("script").is_empty()
                && found.all("b").is_empty()
                && found.all("i").is_empty()
        );
        assert!(found.one("footer").text.contains("<script>alert(1)</script>"));
        assert!(found.one("title").text.ends_with("A <b> & 'c'"));
    }
    assert!(page(&router, "/privacy", "en").one("main").text.contains("</main><h1>x"));
}
