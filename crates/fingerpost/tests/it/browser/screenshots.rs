//! The pictures of the README and the book, `docs/images/*.png`: taken where `GENERATE_SCREENSHOTS`
//! is set. Otherwise the same views are opened, and the pictures have to exist with the size that
//! would be taken.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::installation::Installation;
use super::session::{Browser, Person};

/// The most bytes that a picture may have.
const LARGEST: usize = 180_000;

/// Widths of windows, and how many pixels of the picture a pixel of the page has.
const DESK: (u32, u32) = (1200, 1);
const PHONE: (u32, u32) = (390, 2);

const CONFIG: &str = "\
resolver_root = \"https://id.dalgiardino.example\"\n\
[brand]\nname = \"Dal Giardino\"\naccent = \"#3a6b1f\"\n";

const RICE: &str = "01/09520123456788";
const OIL: &str = "01/09520123456795";

/// A product with pages in two languages and for many purposes, a lot of it, and a product with a
/// campaign.
fn records() -> String {
    let link = |kind: &str, page: &str, title: &str, more: &str| {
        format!(
            r#"{{"linkType":"gs1:{kind}","href":"https://dalgiardino.example/{page}","title":"{title}"{more}}}"#
        )
    };
    let (english, french) = (r#","hreflang":["en"]"#, r#","hreflang":["fr"]"#);
    let rice = [
        link("defaultLink", "risotto", "Risotto rice", ""),
        link("defaultLinkMulti", "fr/risotto", "Riz pour risotto", french),
        link("pip", "risotto", "Risotto rice", english),
        link("pip", "fr/risotto", "Riz pour risotto", french),
        link("recipeInfo", "recipes/mushrooms", "Risotto with mushrooms", english),
        link("recipeInfo", "fr/recettes/champignons", "Risotto aux champignons", french),
        link("nutritionalInfo", "risotto/nutrition", "Nutrition facts", ""),
        link("allergenInfo", "risotto/allergens", "Allergens", ""),
        link("sustainabilityInfo", "risotto/water", "How much water it needs", english),
        link(
            "certificationInfo",
            "organic.pdf",
            "Organic certificate",
            r#","type":"application/pdf""#,
        ),
    ];
    let lot = [
        link("traceability", "lots/{10}", "The fields that this lot comes from", english),
        link("traceability", "fr/lots/{10}", "Les rizières de ce lot", french),
    ];
    let (from, until, then) = campaign();
    let first = format!(r#","validFrom":"{from}","validUntil":"{until}""#);
    let second = format!(r#","validFrom":"{until}","validUntil":"{then}""#);
    let oil = [
        link("defaultLink", "olive-oil", "Olive oil", ""),
        link("pip", "olive-oil", "Olive oil", ""),
        link("defaultLink", "harvest", "New harvest", &first),
        link("pip", "harvest", "New harvest", &first),
        link("defaultLink", "holidays", "Holiday gifts", &second),
        link("pip", "holidays", "Holiday gifts", &second),
        link("promotion", "prize-draw", "Prize draw", &first),
    ];
    let record = |anchor: &str, name: &str, links: &[String]| {
        format!(
            r#"{{"anchor":"/{anchor}","itemDescription":"{name}","links":[{}]}}"#,
            links.join(",")
        )
    };
    [
        record(RICE, "Dal Giardino Risotto Rice, 1 kg", &rice),
        record(&format!("{RICE}/10/L2608"), "Dal Giardino Risotto Rice, 1 kg", &lot),
        record(OIL, "Dal Giardino Olive Oil, 500 ml", &oil),
    ]
    .join("\n")
}

/// The configuration of the public pages: the brand of a company with a logo and a picture.
fn tea_config() -> String {
    let logo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/logo.svg");
    format!(
        "resolver_root = \"https://id.alpine.example\"\n\
         [brand]\nname = \"Alpine Herbs\"\naccent = \"#2f6b52\"\nlogo = {logo:?}\n"
    )
}

/// A product with a picture, with pages in two languages, and a lot of it.
fn tea() -> String {
    let link = |kind: &str, page: &str, title: &str, more: &str| {
        format!(
            r#"{{"linkType":"gs1:{kind}","href":"https://alpine.example/{page}","title":"{title}"{more}}}"#
        )
    };
    let (english, french) = (r#","hreflang":["en"]"#, r#","hreflang":["fr"]"#);
    let picture = r#"{"linkType":"gs1:relatedImage","href":"https://id.alpine.example/.well-known/fingerpost/sample.svg","title":"The box of the tea","type":"image/svg+xml"}"#;
    let tea = [
        link("defaultLink", "tea", "Taste, preparation and origin", ""),
        link("defaultLinkMulti", "fr/the", "Goût, préparation et origine", french),
        link("pip", "tea", "Taste, preparation and origin", english),
        link("pip", "fr/the", "Goût, préparation et origine", french),
        link("recipeInfo", "recipes/iced-tea", "Iced tea with lemon", english),
        link("recipeInfo", "fr/recettes/glace", "Thé glacé au citron", french),
        link("hasRetailers", "shops", "Shops near you", english),
        link("hasRetailers", "fr/magasins", "Magasins près de chez vous", french),
        link("certificationInfo", "organic.pdf", "Bio Suisse", r#","type":"application/pdf""#),
        picture.to_owned(),
    ];
    let lot = [
        link("traceability", "lots/{10}", "The meadows that this lot comes from", english),
        link("traceability", "fr/lots/{10}", "Les alpages de ce lot", french),
    ];
    let record = |anchor: &str, links: &[String]| {
        format!(
            r#"{{"anchor":"/{anchor}","itemDescription":"Alpine Herb Tea","links":[{}]}}"#,
            links.join(",")
        )
    };
    [record(RICE, &tea), record(&format!("{RICE}/10/L2608"), &lot)].join("\n")
}

/// The begin of a campaign, its end, which is the begin of the next one, and the end of that.
fn campaign() -> (String, String, String) {
    #[expect(clippy::disallowed_methods, reason = "the drawing of the console shows the present")]
    let now = jiff::Timestamp::now().as_second() / 86_400;
    let day = |days: i64| {
        jiff::Timestamp::from_second((now + days) * 86_400)
            .expect("a day of this century")
            .to_string()
    };
    (day(-12), day(20), day(55))
}

/// Rows of a price list: three that are new, one that changes a record, one with a wrong check
/// digit and one with a wrong address.
const SHEET: &str = "\
GTIN,Item description,Product information,Recipes,Allergens\r\n\
9520123456795,\"Dal Giardino Olive Oil, 500 ml\",https://dalgiardino.example/olive-oil,https://dalgiardino.example/recipes/pesto,\r\n\
9520123456801,\"Dal Giardino Passata, 700 g\",https://dalgiardino.example/passata,https://dalgiardino.example/recipes/sugo,\r\n\
9520123456818,\"Dal Giardino Spaghetti, 500 g\",https://dalgiardino.example/spaghetti,,https://dalgiardino.example/spaghetti/allergens\r\n\
9520123456825,\"Dal Giardino Pesto, 190 g\",https://dalgiardino.example/pesto,,https://dalgiardino.example/pesto/allergens\r\n\
9520123456831,\"Dal Giardino Balsamic Vinegar\",https://dalgiardino.example/vinegar,,\r\n\
9520123456849,\"Dal Giardino Polenta, 500 g\",dalgiardino.example/polenta,,\r\n";

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images").join(format!("{name}.png"))
}

/// Returns width and height of a PNG file (its first chunk begins at byte 8).
fn size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(&png[12..16], b"IHDR");
    (number(16), number(20))
}

/// Takes a picture, or compares its size with the one that is there.
#[track_caller]
fn take(browser: &Browser, name: &str) {
    // What has the focus has a border, which is no part of the picture.
    browser.script("document.activeElement?.blur()");
    // What moves when it is clicked has come to rest.
    std::thread::sleep(Duration::from_millis(500));
    let picture = browser.screenshot();
    if std::env::var_os("GENERATE_SCREENSHOTS").is_some() {
        fs::create_dir_all(file(name).parent().expect("a folder")).expect("created");
        fs::write(file(name), &picture).expect("written");
    }
    let known = fs::read(file(name)).unwrap_or_else(|error| {
        panic!("docs/images/{name}.png: {error}: run this test with GENERATE_SCREENSHOTS=1")
    });
    assert!(known.len() <= LARGEST, "{name} has {} bytes", known.len());
    assert_eq!(size(&known), size(&picture), "{name}: run this test with GENERATE_SCREENSHOTS=1");
}

/// Scrolls until an element is at the top of the window.
fn scroll_to(browser: &Browser, selector: &str) {
    browser.find(selector);
    let script = format!(
        "const at = document.querySelector('{selector}'); window.scrollTo({{top: at.getBoundingClientRect().top + window.scrollY - 72, behavior: 'instant'}})"
    );
    browser.script(&script);
}

#[test]
fn pictures_of_the_console() {
    let installation = Installation::configured(CONFIG, &records());
    let Some(browser) = installation.enter("pictures", Person::AT_A_DESK) else { return };
    browser.fit(DESK.0, 1120, DESK.1);
    installation.go(&browser, &format!("record/{RICE}"));
    browser.wait_for_text("Risotto with mushrooms");
    browser.find("#default-links .card-toggle").click();
    browser.script("window.scrollTo({ top: 0, behavior: 'instant' })");
    take(&browser, "console-product");

    browser.fit(DESK.0, 700, DESK.1);
    browser.find("#package-open").click();
    browser.wait_until("the symbol is drawn", "const i = document.getElementById('package-image'); return !!i && i.complete && i.naturalWidth > 50");
    scroll_to(&browser, "#package-address");
    take(&browser, "console-label");

    browser.fit(DESK.0, 580, DESK.1);
    installation.go(&browser, &format!("record/{OIL}"));
    scroll_to(&browser, "#timeline");
    browser.wait_for_text("New harvest");
    take(&browser, "console-campaign");

    browser.fit(DESK.0, 700, DESK.1);
    installation.go(&browser, "import");
    let sheet = installation.sandbox.write("products.csv", SHEET);
    browser.find("#import-file").type_in(sheet.to_str().expect("text"));
    browser.find("#import-check").click();
    browser.wait_for_text("Some records cannot be imported");
    scroll_to(&browser, "#import-counts");
    take(&browser, "console-import");
    browser.expect_no_complaints();
}

#[test]
fn pictures_of_public_pages() {
    let installation = Installation::configured(&tea_config(), &tea());
    let people = [
        ("page-desk", Person::AT_A_DESK, DESK, "The meadows that this lot comes from"),
        ("page-phone", Person::WITH_A_PHONE.reading("fr"), PHONE, "Les alpages de ce lot"),
    ];
    for (name, person, (width, scale), text) in people {
        let Some(browser) = Browser::open(name, person) else { return };
        browser.fit(width, 780, scale);
        browser.go(&installation
            .public(&format!("/{RICE}/10/L2608?linkType=linkset&17=270930&3103=000040")));
        browser.wait_for_text(text);
        take(&browser, name);
        browser.expect_no_complaints();
    }
}
