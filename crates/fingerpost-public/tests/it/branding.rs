//! Operators make the pages their own: what is accepted, what is refused and how, and where it
//! shows.

use crate::body;
use crate::page;

use fingerpost_options::{Document, Section};
use fingerpost_public::Config;
use page::{page, raw, router};

fn sections() -> Vec<Section> {
    Config::sections().map(|(_, section)| section).to_vec()
}

fn refused(toml: &str) -> String {
    Config::from_toml(toml).expect_err(toml).to_string()
}

#[test]
fn colours_that_cannot_be_read_are_refused_with_the_ratio() {
    let error = refused("[brand]\naccent = \"#f0a000\"");
    assert!(
        error.starts_with(
            "configuration:2: brand.accent: expected a contrast of at least 4.50:1 to the background #ffffff \
             (WCAG 2.2, AA), found 2.15:1 with #f0a000"
        ),
        "{error}"
    );
    // Fine on white, but not on the shade of the footer.
    assert!(refused("brand.accent = \"#737373\"").contains("#f4f6f9"));
    let error = refused("[brand]\naccent_dark = \"#0a4d8c\"");
    assert!(
        error.contains("brand.accent_dark: expected a contrast") && error.contains("#101418"),
        "{error}"
    );
    for wrong in ["blue", "#12345", "rgb(1,2,3)", ""] {
        assert!(
            refused(&format!("brand.accent = \"{wrong}\""))
                .contains("expected a colour such as #0a4d8c")
        );
    }
    let config = Config::from_toml("brand.accent = \"#7A1F5C\"").expect("a dark colour");
    assert_eq!(config.brand().accent().to_string(), "#7a1f5c");
    assert_ne!(config.brand().accent_dark(), config.brand().accent());
}

#[test]
fn other_faults_are_named() {
    for (toml, expected) in [
        (
            "[brand]\nexamples = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]",
            "brand.examples: expected at most 8 texts, found 9",
        ),
        ("[brand]\nexamples = [\"1\", \"\"]", "brand.examples: expected a text, found none"),
        ("[brand]\nname = \" \"", "brand.name: expected a text, found none"),
        ("[brand]\nname = \"a\\nb\"", "brand.name: expected one line"),
        ("[brand]\ncolour = \"#000\"", "unknown key `brand.colour`, expected one of brand.name"),
        ("[brand]\nprivacy = { xx = \"a\" }", "brand.privacy: expected languages among en, ar, de"),
        ("[brand]\nprivacy = {}", "brand.privacy: expected a text, found an empty table"),
        ("[brand]\nprivacy = 1", "expected a text, or a table of texts by language"),
        (
            "[brand]\nfooter_text = \"a\\u0007\"",
            "brand.footer_text: expected no control characters",
        ),
        (
            "[brand]\nfooter_links = [{ text = \"a\", href = \"javascript:alert(1)\" }]",
            "brand.footer_links: link 1: expected an address that begins with https://",
        ),
        (
            "[brand]\nfooter_links = [{ text = \"a\", href = \"https://a/ b\" }]",
            "link 1: expected an address",
        ),
        (
            "[brand]\nfooter_links = [{ text = \"\", href = \"https://a/\" }]",
            "link 1: expected a text",
        ),
        ("[brand]\nfooter_links = [{ text = \"a\" }]", "missing field `href`"),
        ("[brand]\nlogo = \"/nowhere/logo.svg\"", "cannot read `/nowhere/logo.svg`"),
    ] {
        let error = refused(toml);
        assert!(error.contains(expected), "{toml:?}: {error}");
    }
    let long = format!("brand.footer_text = \"{}\"", "x".repeat(501));
    assert!(refused(&long).contains("at most 500 characters, found 501"));
}

#[test]
fn logos_are_pictures_of_bounded_size() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        format!("brand.logo = {:?}", path.display().to_string())
    };
    assert!(
        refused(&with("a.svg", b"<html></html>")).contains("brand.logo: expected an SVG or a PNG")
    );
    assert!(refused(&with("b.svg", &[b' '; 65_537])).contains("at most 64 KiB"));
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend([0, 0, 0, 120, 0, 0, 0, 40]);
    let router = router(&with("c.bin", &png));
    let shown = page(&router, "/", "en");
    let img = shown.one("img");
    assert_eq!((img.attribute("width"), img.attribute("height")), (Some("120"), Some("40")));
    let sent = raw(&router, img.attribute("src").expect("a path"));
    assert_eq!(sent.headers()["content-type"], "image/png");
}

/// An SVG may hold scripts: it is sent so that none runs, and nothing is loaded.
#[test]
fn an_svg_is_disarmed() {
    let folder = tempfile::tempdir().expect("a folder");
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";
    std::fs::write(folder.path().join("logo.svg"), svg).expect("written");
    let file = folder.path().join("fingerpost.toml");
    std::fs::write(&file, "[brand]\nlogo = \"logo.svg\"").expect("written");
    let document = Document::load(Some(&file), &sections()).expect("a document");
    let config = Config::read(&document).expect("relative to the file");
    let router = fingerpost_public::Router::new(config, fingerpost_store::Store::in_memory());
    let shown = page(&router, "/", "en");
    let sent = raw(&router, shown.one("img").attribute("src").expect("a path"));
    assert_eq!(sent.headers()["content-type"], "image/svg+xml");
    assert_eq!(
        sent.headers()["content-security-policy"],
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    );
    assert_eq!(sent.headers()["x-content-type-options"], "nosniff");
    assert_eq!(sent.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(body::text(sent), svg);
    let icon = raw(&router, "/favicon.ico");
    assert!(
        icon.headers()["content-security-policy"].to_str().expect("ASCII").ends_with("sandbox")
    );
}

const BRANDED: &str = r##"
    name = "The resolver"
    [brand]
    name = "GS1 Exampleland"
    accent = "#7a1f5c"
    footer_text = { en = "Run by us", fr = "Exploité par nous" }
    role_notice = { en = "Recyclers see more", fr = "Les recycleurs voient plus" }
    footer_links = [{ text = { en = "Imprint", de = "Impressum" }, href = "https://gs1.example/imprint" }]
    privacy = { en = "First paragraph,\nsecond line.\n\nSecond paragraph.", ja = "記録しません。" }
"##;

#[test]
fn the_brand_is_on_every_page() {
    let router = router(BRANDED);
    for target in ["/", "/privacy", "/01/09520123456788?linkType=linkset", "/01/09520123456789"] {
        let shown = page(&router, target, "en");
        assert!(shown.one("title").text.ends_with("– GS1 Exampleland"), "{target}");
        assert!(shown.one("header").text.contains("GS1 Exampleland"));
        assert!(shown.one("footer").text.contains("Run by us"));
        // 36.1: the same on each page, so that it says nothing about a record.
        assert!(shown.one("footer").text.contains("Recyclers see more"));
        let links: Vec<_> =
            shown.all("a").iter().filter_map(|a| a.attribute("href")).map(str::to_owned).collect();
        for href in ["https://gs1.example/imprint", "/privacy", "/.well-known/gs1resolver"] {
            assert!(links.iter().any(|link| link == href), "{target} {href}");
        }
    }
    let css = page(&router, "/", "en").all("link")[1].attribute("href").expect("a path").to_owned();
    let css = body::text(raw(&router, &css));
    assert!(css.contains("--accent:#7a1f5c") && !css.contains("%ACCENT"), "{css}");
    assert!(body::text(raw(&router, "/favicon.ico")).contains("#7a1f5c"));
    let plain = page(&page::router("name = \"The resolver\""), "/", "en");
    assert!(plain.one("title").text.ends_with("– The resolver"));
}

/// WCAG 3.1.2: who has no text of their own gets another, marked with its language.
#[test]
fn texts_of_the_operator_follow_the_reader() {
    let router = router(BRANDED);
    let french = page(&router, "/privacy", "fr");
    assert!(french.one("footer").text.contains("Exploité par nous"));
    assert_eq!(french.one("h1").text, "Protection des données");
    let block = french.all("div").into_iter().find(|div| div.attribute("lang") == Some("en"));
    assert!(block.expect("marked").text.contains("Second paragraph."));
    assert_eq!(french.all("p").iter().filter(|p| p.attribute("class") == Some("lines")).count(), 2);
    let german = page(&router, "/", "de");
    assert!(german.one("footer").text.contains("Impressum"));
    let text =
        german.all("p").into_iter().find(|p| p.text == "Run by us").expect("the English text");
    assert_eq!(text.attribute("lang"), Some("en"));
    assert!(page(&router, "/privacy", "ja").text.contains("記録しません。"));
}

#[test]
fn variables_brand_too() {
    let environment = [
        ("FINGERPOST_BRAND_NAME", "GS1 Exampleland"),
        ("FINGERPOST_BRAND_PRIVACY", "{ en = \"a\", fr = \"b\" }"),
        ("FINGERPOST_BRAND_FOOTER_TEXT", "Run by us"),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut document = Document::load(None, &sections()).expect("a document");
    document.overlay_environment(environment, &[]).expect("variables");
    let config = Config::read(&document).expect("a configuration");
    assert_eq!(config.brand().name(), Some("GS1 Exampleland"));
    assert_eq!(config.brand().privacy().map(|text| text.for_reader("fr").0), Some("b"));
    assert_eq!(
        config.brand().footer_text().map(|text| text.for_reader("fr")),
        Some(("Run by us", None))
    );
}
