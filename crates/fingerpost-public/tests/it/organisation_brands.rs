//! PE-29: pages about keys of an organisation have its name, logo, colour and pictures; all other
//! pages, and redirects, are as before.

use crate::body;
use crate::page;

use data_encoding::BASE64;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::{Anchor, Entry, OrganisationBrand, Rules};
use fingerpost_store::Batch;
use fingerpost_testkit::store_with;
use page::{page, raw};
use serde_json::{Value, json};

const KEY: &str = "/01/09520123456788";
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";

/// A router with two products, of which the first belongs to an organisation with this brand.
fn branded(toml: &str, brand: &OrganisationBrand) -> Router {
    let link = |kind: &str, path: &str| json!({"linkType": kind, "href": format!("https://images.example.com/{path}"), "title": "Tea"});
    let links: Vec<Value> = vec![
        link("gs1:defaultLink", "tea"),
        link("gs1:pip", "tea"),
        link("gs1:relatedImage", "tea.png"),
    ];
    let records = [KEY, "/01/09506000134352"]
        .map(|anchor| json!({"anchor": anchor, "itemDescription": "Tea", "links": links}));
    let config = Config::from_toml(toml).expect("a configuration");
    let store = store_with(&records, &Rules::new(config.vocabulary()));
    let mut batch = Batch::unchecked();
    let prefix = Anchor::parse("gcp/9520123").expect("a prefix");
    batch.put(std::sync::Arc::new(Entry::brand(&prefix, Some(brand))));
    batch.put(std::sync::Arc::new(
        Entry::logo("a1", &BASE64.encode(SVG.as_bytes())).expect("an id"),
    ));
    store.write(&batch).expect("written");
    Router::new(config, store)
}

fn brand() -> OrganisationBrand {
    OrganisationBrand {
        organisation: "a1".to_owned(),
        name: "Dal <Giardino>".to_owned(),
        accent: Some("#ffdd00".to_owned()),
        logo: Some("7f0000000000".to_owned()),
        image_sources: vec!["https://images.example.com".to_owned()],
    }
}

#[test]
fn a_page_has_the_brand_of_the_organisation() {
    let router = branded("name = \"GS1 Example\"", &brand());
    for language in ["en", "ar"] {
        let shown = page(&router, &format!("{KEY}/10/A?linkType=linkset"), language);
        assert!(shown.one("title").text.ends_with("– Dal <Giardino>"), "{language}");
        assert_eq!(shown.one("header").text.trim(), "Dal <Giardino>");
        let policy = shown.header("content-security-policy");
        assert!(policy.contains("img-src 'self' https://images.example.com;"), "{policy}");
        assert_eq!(shown.all("img").len(), 2, "the logo and the picture");
        let brands = shown.elements.iter().filter(|it| it.attribute("itemprop") == Some("brand"));
        assert_eq!(brands.count(), 1);
        assert!(shown.html.len() < 30_000);

        let style = shown.all("link")[1].attribute("href").expect("a style sheet").to_owned();
        let sheet = raw(&router, &style);
        assert_eq!(sheet.headers()["cache-control"], "public, max-age=31536000, immutable");
        let css = body::text(sheet);
        // A light colour has dark text; links have a shade of it that can be read.
        assert!(css.contains("--fill:#ffdd00;--on-fill:#000000;"), "{css}");
        assert!(css.contains("--accent:#7f6e00;--fill:#ffdd00"), "{css}");
    }
    // Another organisation, and the pages of the resolver, are as before.
    for target in ["/01/09506000134352?linkType=linkset", "/", "/?q=9520123456788"] {
        let shown = page(&router, target, "en");
        assert_eq!(shown.one("header").text.trim(), "GS1 Example", "{target}");
        assert!(!shown.html.contains("accent="), "{target}");
        assert!(shown.all("img").is_empty(), "{target}");
    }
    assert_eq!(raw(&router, KEY).status(), 307, "a redirect");
}

#[test]
fn logos_cannot_do_anything_and_foreign_colours_change_no_other_page() {
    let router = branded("", &brand());
    let path = "/.well-known/fingerpost/organisation-logo?of=a1";
    let logo = raw(&router, path);
    assert_eq!(logo.headers()["content-type"], "image/svg+xml");
    assert_eq!(logo.headers()["cache-control"], "no-cache", "without its version");
    let policy = logo.headers()["content-security-policy"].to_str().expect("ASCII").to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{policy}");
    assert_eq!(body::text(logo), SVG);
    for other in ["?of=b", "?of=", "", "?of=../a1", "?v=1"] {
        let path = format!("/.well-known/fingerpost/organisation-logo{other}");
        assert_eq!(raw(&router, &path).status(), 404, "{other}");
    }
    let plain = body::text(raw(&router, "/.well-known/fingerpost/style.css"));
    for accent in ["red", "12345", "ffffff;}body{display:none", "%23ffffff", ""] {
        let path = format!("/.well-known/fingerpost/style.css?accent={accent}&v=0");
        assert_eq!(
            body::text(raw(&router, &path.replace(['{', '}', ';'], "."))),
            plain,
            "{accent}"
        );
    }
}

#[test]
fn operators_can_keep_their_own_brand_everywhere() {
    let router = branded("name = \"GS1 Example\"\nbrand.organisations = false", &brand());
    let shown = page(&router, &format!("{KEY}?linkType=linkset"), "en");
    assert_eq!(shown.one("header").text.trim(), "GS1 Example");
    assert!(shown.all("img").is_empty());
}
