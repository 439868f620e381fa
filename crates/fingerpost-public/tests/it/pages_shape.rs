//! Pages as people and assistive technology meet them: structure (WCAG 2.2), size, policy, what is
//! loaded.

use crate::body;
use crate::page;

use page::{Element, Page, page, raw, router};
use serde_json::Value;

const ALL: [(&str, u16); 12] = [
    ("/", 200),
    ("/?q=(01)09520123456788(10)LOT7", 200),
    ("/?q=09520123456789", 200),
    ("/?q=3016450fec2c9b80000003e9", 200),
    ("/?q=hello", 200),
    ("/privacy", 200),
    ("/01/09520123456788?linkType=linkset", 200),
    ("/01/09520123456788/10/LOT7?linkType=linkset", 200),
    ("/01/09520123456788?linkType=gs1:recipeInfo", 300),
    ("/01/09520123456788?linkType=gs1:nosuch", 404),
    ("/01/09520123456789", 400),
    ("/01/09506000134369", 404),
];

const BRANDED: &str = "[brand]\nprivacy = \"Nothing is kept.\"\nfooter_text = \"Run by us\"";

const LANGUAGES: [&str; 7] = ["en", "ar", "de", "es", "fr", "ja", "pt"];

fn each(mut check: impl FnMut(&str, &Page)) {
    let router = router(BRANDED);
    for language in LANGUAGES {
        for (target, status) in ALL {
            let page = page(&router, target, language);
            assert_eq!(page.status, status, "{target}");
            check(&format!("{language} {target}"), &page);
        }
    }
}

/// RES-2.10-16: every page says what it may do, and that is little; nothing in it needs more.
#[test]
fn the_policy_is_strict_and_kept() {
    each(|name, page| {
        assert_eq!(
            page.header("content-security-policy"),
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
             frame-ancestors 'none'"
        );
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        for element in &page.elements {
            let allowed = element.name != "style" && element.attribute("style").is_none();
            let handler = element.attributes.iter().any(|(name, _)| name.starts_with("on"));
            assert!(allowed && !handler, "{name}: {element:?}");
            // A link without `rel` is a property of the item, and is not followed.
            let is_link = element.name == "link" && element.attribute("rel").is_some();
            let loads = element.name == "img" || is_link;
            let address = element.attribute("src").or(element.attribute("href"));
            assert!(!loads || address.is_some_and(|path| path.starts_with('/')), "{name}");
        }
        for script in page.all("script") {
            assert_eq!(script.attribute("type"), Some("application/ld+json"), "{name}");
        }
    });
}

/// RES-2.10-18, PE-29: search engines learn the Digital Link of a product, a location and an
/// organization, and messengers its name.
#[test]
fn schema_org_has_gs1_digital_link() {
    each(|name, page| {
        let is_item = name.contains("linkType");
        let properties = |name: &str| -> Vec<String> {
            let found = page.elements.iter().filter(|it| it.attribute("itemprop") == Some(name));
            let value =
                |it: &Element| it.attribute("href").or(it.attribute("content")).map(str::to_owned);
            found.map(|it| value(it).unwrap_or_else(|| it.text.clone())).collect()
        };
        assert_eq!(properties("hasGS1DigitalLink").len(), usize::from(is_item), "{name}");
        let tag = |property: &str| {
            let metas = page.all("meta");
            let meta = metas.iter().find(|meta| meta.attribute("property") == Some(property));
            meta.and_then(|meta| meta.attribute("content")).unwrap_or_default().to_owned()
        };
        assert_eq!(tag("og:title"), if is_item { "Herb tea" } else { "" }, "{name}");
        if name.ends_with("/01/09520123456788?linkType=linkset") {
            let link = "https://id.example.org/01/09520123456788";
            assert_eq!(properties("hasGS1DigitalLink"), [link], "{name}");
            assert_eq!(properties("gtin"), ["09520123456788"], "{name}");
            assert_eq!(properties("name"), ["Herb tea"], "{name}");
            let typed = page.elements.iter().filter_map(|it| it.attribute("itemtype"));
            assert_eq!(typed.collect::<Vec<_>>(), ["https://schema.org/Product"], "{name}");
            assert_eq!(tag("og:url"), "https://id.example.org/01/09520123456788", "{name}");
        }
    });
}

/// WCAG 2.2: 1.3.1, 2.4.1, 2.4.2, 2.4.6, 3.1.1, 4.1.2.
#[test]
fn structure_is_sound() {
    each(|name, page| {
        assert!(page.html.contains("<html lang=\""), "{name}");
        page.one("main");
        page.one("header");
        page.one("footer");
        let nav = page.one("nav");
        assert!(nav.attribute("aria-label").is_some_and(|label| !label.is_empty()), "{name}");
        let h1 = page.one("h1");
        assert!(
            !h1.text.trim().is_empty() && page.one("title").text.contains(h1.text.trim()),
            "{name}"
        );
        let skip = page.all("a")[0];
        assert_eq!(skip.attribute("href"), Some("#main"), "{name}");
        let mut last = 1;
        for heading in page.elements.iter().filter(|e| ["h1", "h2", "h3", "h4"].contains(&&*e.name))
        {
            let level: u8 = heading.name[1..].parse().expect("a level");
            assert!(level <= last + 1, "{name}: {heading:?} after h{last}");
            assert!(!heading.text.trim().is_empty(), "{name}: {heading:?}");
            last = level;
        }
        let mut ids: Vec<&str> = page.elements.iter().filter_map(|e| e.attribute("id")).collect();
        for element in &page.elements {
            for reference in ["aria-labelledby", "aria-describedby", "for"] {
                for id in element.attribute(reference).unwrap_or_default().split_whitespace() {
                    assert!(ids.contains(&id), "{name}: {reference} {id}");
                }
            }
            if ["a", "button", "label", "summary", "th", "dt"].contains(&&*element.name) {
                assert!(!element.text.trim().is_empty(), "{name}: {element:?} has no text");
            }
            assert_ne!(element.attribute("lang"), Some(""), "{name}: {element:?}");
        }
        for input in page.all("input") {
            let id = input.attribute("id").expect("an id");
            assert!(page.all("label").iter().any(|label| label.attribute("for") == Some(id)));
        }
        for img in page.all("img") {
            assert!(img.attribute("alt").is_some(), "{name}");
        }
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {ids:?}");
    });
}

#[test]
fn pages_are_small() {
    each(|name, page| assert!(page.html.len() < 30_000, "{name}: {} bytes", page.html.len()));
    let style = page(&router(""), "/", "en");
    let path = style.all("link")[1].attribute("href").expect("a style sheet").to_owned();
    let css = body::text(raw(&router(""), &path));
    assert!(css.len() < 12_000, "{} bytes", css.len());
}

/// RES-2.10-7, RES-2.10-12: every link is a hyperlink with its language and type, below its kind in
/// words, and the levels are told apart.
#[test]
fn a_linkset_shows_every_link_in_its_group() {
    let page = page(&router(""), "/01/09520123456788/10/LOT7?linkType=linkset", "de");
    let linkset: Value = serde_json::from_str(&page.script).expect("JSON-LD");
    let mut count = 0;
    for context in linkset["linkset"].as_array().expect("levels") {
        for link in
            context.as_object().expect("members").values().filter_map(Value::as_array).flatten()
        {
            count += 1;
            let href = link["href"].as_str().expect("a target");
            let found = page.all("a").into_iter().find(|a| {
                a.attribute("href") == Some(href) && a.attribute("type") == link["type"].as_str()
            });
            let found = found.unwrap_or_else(|| panic!("no hyperlink for {link}"));
            let languages = link["hreflang"].as_array();
            let one = languages.filter(|tags| tags.len() == 1).and_then(|tags| tags[0].as_str());
            assert_eq!(found.attribute("hreflang"), one, "{link}");
        }
    }
    assert_eq!(count, 10);
    let headings: Vec<String> =
        page.elements.iter().filter(|e| e.name == "h2").map(|e| e.text.trim().to_owned()).collect();
    // The recall of the lot is in the alert, and not listed again (PE-15).
    assert_eq!(headings, ["Hauptseite", "Produkt (GTIN) 09520123456788"]);
    let kinds: Vec<&str> = page.all("h3").iter().map(|e| e.text.trim()).collect();
    assert_eq!(
        kinds,
        ["Produktinformationen", "Wo es das zu kaufen gibt", "Rezepte", "Lizenz der Inhalte"]
    );
    assert_eq!(page.all("h3")[3].attribute("lang"), None, "a relation of IANA in our words");
    for text in ["Französisch", "PDF", "Nur für: Schweiz"] {
        assert!(page.text.contains(text), "{text}");
    }
    let go = page
        .all("a")
        .into_iter()
        .find(|a| a.attribute("class") == Some("go"))
        .expect("the main link");
    assert_eq!(go.attribute("href"), Some("https://example.com/tea"));
}

#[test]
fn the_style_sheet_is_kept_by_its_version() {
    let router = router("");
    let page = page(&router, "/", "en");
    let path = page.all("link")[1].attribute("href").expect("a style sheet").to_owned();
    let kept = raw(&router, &path);
    assert_eq!(kept.headers()["content-type"], "text/css; charset=utf-8");
    assert_eq!(kept.headers()["cache-control"], "public, max-age=31536000, immutable");
    let etag = kept.headers()["etag"].to_str().expect("ASCII").to_owned();
    let bare = raw(&router, path.split('?').next().expect("a path"));
    assert_eq!(
        (bare.status().as_u16(), &bare.headers()["cache-control"]),
        (200, &"no-cache".parse().expect("value"))
    );
    assert_eq!(raw(&router, &path.replace("?v=", "?v=0")).headers()["cache-control"], "no-cache");
    let request =
        http::Request::get(&path).header("if-none-match", &etag).body(()).expect("a request");
    assert_eq!(router.handle(&request).status(), 304);
    assert_eq!(raw(&router, "/.well-known/fingerpost/logo").status(), 404, "there is none");
    assert_eq!(raw(&router, "/privacy").status(), 400, "there is none: no Digital Link");
}
