//! Pictures of items are shown if their origin is configured, and only on pages that allow that
//! origin.

use crate::page;

use fingerpost_public::Config;
use page::{Page, page, router_with};
use serde_json::{Value, json};

const TARGET: &str = "/01/09520123456788?linkType=linkset";

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

fn shown(toml: &str, images: &[Value]) -> Page {
    let link = |link_type: &str| json!({"linkType": link_type, "href": "https://example.com/tea", "title": "Tea"});
    let mut links = vec![link("gs1:defaultLink"), link("gs1:pip")];
    links.extend(images.iter().cloned());
    let record = json!({"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": links});
    page(&router_with(toml, &[record]), TARGET, "en")
}

fn image(href: &str) -> Value {
    json!({"linkType": "gs1:relatedImage", "href": href, "title": "The \"box\" <b>"})
}

#[test]
fn a_picture_of_a_configured_origin_is_shown() {
    let toml = "brand.image_sources = [\"https://other.example\", \"https://images.example.com\"]";
    let href = "https://images.example.com/tea.png?a='b'";
    let page = shown(toml, &[image("https://elsewhere.example/x.png"), image(href)]);
    let picture = page.one("img");
    assert_eq!(picture.attribute("src"), Some(href));
    // A picture that fails leaves no hole: its text is the name of the link around it (PE-29).
    assert_eq!(picture.attribute("alt"), Some(""));
    let around = page.all("a").into_iter().find(|a| a.attribute("class") == Some("picture"));
    assert_eq!(around.expect("a link").attribute("aria-label"), Some("The \"box\" <b>"));
    let preview =
        page.all("meta").into_iter().find(|it| it.attribute("property") == Some("og:image"));
    assert_eq!(preview.expect("a preview").attribute("content"), Some(href));
    assert_eq!(picture.attribute("referrerpolicy"), Some("no-referrer"));
    let policies: Vec<_> = page.headers.get_all("content-security-policy").iter().collect();
    let expected = POLICY.replace("img-src 'self'", "img-src 'self' https://images.example.com");
    assert_eq!(policies, [&*expected], "one policy, with this origin and no other");
    let links = page.all("a").iter().filter(|a| a.attribute("href") == Some(href)).count();
    assert_eq!(links, 1, "one entry");
}

#[test]
fn other_pictures_are_links() {
    let toml = "brand.image_sources = [\"https://images.example.com\"]";
    for (toml, link) in [
        ("", image("https://images.example.com/tea.png")),
        (toml, image("https://images.example.com.evil.example/tea.png")),
        (toml, image("https://images.example.com:8443/tea.png")),
        (toml, image("http://images.example.com/tea.png")),
        (
            toml,
            json!({"linkType": "gs1:relatedImage", "href": "https://images.example.com/gallery", "title": "T", "type": "text/html"}),
        ),
        (
            toml,
            json!({"linkType": "gs1:recipeInfo", "href": "https://images.example.com/a.png", "title": "T"}),
        ),
    ] {
        let page = shown(toml, std::slice::from_ref(&link));
        assert!(page.all("img").is_empty(), "{toml} {link}");
        assert_eq!(page.header("content-security-policy"), POLICY, "{toml} {link}");
        let href = link["href"].as_str();
        assert!(page.all("a").iter().any(|a| a.attribute("href") == href), "{toml} {link}");
    }
}

#[test]
fn sources_are_origins() {
    for wrong in [
        "images.example.com",
        "http://images.example.com",
        "https://images.example.com/",
        "https://images.example.com/a",
        "https://*.example.com",
        "https://a.example; script-src *",
        "https://a.example 'unsafe-inline'",
        "https://user@a.example",
        "https:",
        "data:",
        "*",
        "",
    ] {
        let error = Config::from_toml(&format!("brand.image_sources = [{wrong:?}]"));
        let error = error.expect_err(wrong).to_string();
        assert!(error.contains("brand.image_sources: expected an origin such as"), "{error}");
    }
}
