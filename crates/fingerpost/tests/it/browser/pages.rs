//! The public pages, as people with different devices and languages meet them.

use super::session::{Browser, Person};
use crate::support::{Sandbox, Server};

/// An item with several links, one in a language that is written from right to left, and a lot of
/// it.
const RECORDS: &str = r#"[
{"anchor":"/01/09520123456788","itemDescription":"Green tea, 20 bags","links":[
  {"linkType":"gs1:defaultLink","href":"https://example.com/tea","title":"Green tea"},
  {"linkType":"gs1:pip","href":"https://example.com/tea","title":"Green tea","hreflang":["en"],"type":"text/html"},
  {"linkType":"gs1:pip","href":"https://example.com/the","title":"Thé vert","hreflang":["fr"],"type":"text/html"},
  {"linkType":"gs1:pip","href":"https://example.com/shay","title":"شاي أخضر","hreflang":["ar"],"type":"text/html"},
  {"linkType":"gs1:recipeInfo","href":"https://example.com/iced","title":"Iced tea"},
  {"linkType":"gs1:certificationInfo","href":"https://example.com/organic.pdf","title":"Organic certificate","type":"application/pdf"}]},
{"anchor":"/01/09520123456788/10/A1","links":[
  {"linkType":"gs1:recallStatus","href":"https://example.com/recall","title":"Please return lot A1"},
  {"linkType":"gs1:certificationInfo","href":"https://example.com/a1.pdf","title":"Analysis of lot A1","type":"application/pdf"}]},
{"anchor":"/01/09520123456795","links":[
  {"linkType":"gs1:defaultLink","href":"https://example.com/cup","title":"Cup"},
  {"linkType":"gs1:pip","href":"https://example.com/cup","title":"Cup"},
  {"linkType":"gs1:relatedVideo","href":"https://example.com/v1","title":"Film one"},
  {"linkType":"gs1:relatedVideo","href":"https://example.com/v2","title":"Film two"}]}
]"#;

const LINKSET: &str = "/01/09520123456788/10/A1?linkType=linkset";
const CHOICE: &str = "/01/09520123456795?linkType=gs1:relatedVideo";
const ANSWER: &str = "/?q=(01)09520123456788(10)A1";
const UNKNOWN: &str = "/01/09520123456801";
const WRONG: &str = "/01/09520123456789";

fn serving() -> (Sandbox, Server) {
    let sandbox = Sandbox::new();
    sandbox.import(RECORDS).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    (sandbox, server)
}

/// Looks at every page as this person.
fn look_at_all(name: &'static str, person: Person, texts: &[&str]) {
    let Some(mut browser) = Browser::open(name, person) else { return };
    let (_place, server) = serving();
    let base = format!("http://{}", server.address());
    let pages = [
        ("home", "/"),
        ("answer", ANSWER),
        ("correction", "/?q=9520123456780"),
        ("linkset", LINKSET),
        ("choice", CHOICE),
        ("404", UNKNOWN),
        ("400", WRONG),
    ];
    for (page, target) in pages {
        browser.go(&format!("{base}{target}"));
        browser.picture(page);
        browser.expect_accessible();
        browser.expect_no_sideways_scrolling();
        // The status of the page itself is all that may be told.
        browser.expect_no_complaints_but(&["the server responded with a status of 4"]);
        let seen = browser.page_text();
        assert!(seen.len() > 40, "{page}: {seen}");
        let alert = "const a = document.querySelector('[role=alert]'); return a ? a.innerText : ''";
        let alert = browser.script(alert).as_str().unwrap_or_default().to_owned();
        let is_recalled = matches!(page, "answer" | "linkset");
        assert_eq!(alert.contains("Please return lot A1"), is_recalled, "{page}: {alert}");
    }
    browser.go(&format!("{base}{LINKSET}"));
    // What unfolds is there for all to read, and as accessible.
    browser.script("document.querySelectorAll('details').forEach(it => { it.open = true })");
    browser.expect_accessible();
    for text in texts {
        browser.wait_for_text(text);
    }
}

#[test]
fn at_a_desk() {
    look_at_all("pages-desk", Person::AT_A_DESK, &["Green tea", "Analysis of lot A1", "Thé vert"]);
}

#[test]
fn with_a_phone_in_the_dark() {
    let person = Person::WITH_A_PHONE.in_the_dark();
    look_at_all("pages-phone-dark", person, &["Green tea", "Organic certificate"]);
}

#[test]
fn from_right_to_left() {
    let name = "pages-arabic";
    look_at_all(name, Person::WITH_A_PHONE.reading("ar"), &["شاي أخضر"]);
    let Some(browser) = Browser::open(name, Person::AT_A_DESK.reading("ar")) else { return };
    let (_place, server) = serving();
    browser.go(&format!("http://{}{LINKSET}", server.address()));
    let direction = browser.script("return getComputedStyle(document.documentElement).direction");
    assert_eq!(direction, "rtl");
    assert_eq!(browser.script("return document.documentElement.lang"), "ar");
}

/// The one field of the home page takes anything and says what it is.
#[test]
fn the_home_page_says_what_something_is() {
    let Some(mut browser) = Browser::open("pages-home", Person::AT_A_DESK.reading("fr")) else {
        return;
    };
    let (_place, server) = serving();
    for (text, seen, leads_to) in [
        ("(01)09520123456788(10)A1", "Green tea, 20 bags", Some("/01/09520123456788/10/A1")),
        ("9520123456788", "Green tea, 20 bags", Some("/01/09520123456788")),
        (
            "urn:epc:id:sgtin:9520123.045678.7",
            "Green tea, 20 bags",
            Some("/01/09520123456788/21/7"),
        ),
        ("9520123456801", "Non enregistré ici", None),
        ("9520123456780", "Vouliez-vous dire 9520123456788", None),
    ] {
        browser.go(&format!("http://{}/", server.address()));
        let field = browser.find("form input:not([type=hidden])");
        field.fill(text);
        browser.press("\u{e007}");
        browser.wait_for_text(seen);
        browser.picture("found");
        browser.expect_accessible();
        let open = browser.script(
            "const go = document.querySelector('a.go'); return go && go.getAttribute('href')",
        );
        assert_eq!(open.as_str(), leads_to, "{text}");
    }
    assert_eq!(browser.script("return document.documentElement.lang"), "fr");
}

/// PE-29: a picture that cannot be loaded leaves no hole, at a desk and on a phone.
#[test]
fn a_picture_that_fails_leaves_no_hole() {
    let record = |picture: &str| {
        format!(
            r#"{{"anchor":"/01/09520123456788","itemDescription":"Tea","links":[
            {{"linkType":"gs1:defaultLink","href":"https://example.com/tea","title":"Tea"}},
            {{"linkType":"gs1:pip","href":"https://example.com/tea","title":"Tea"}}{picture}]}}"#
        )
    };
    // No machine has this name (RFC 2606).
    let picture = r#",{"linkType":"gs1:relatedImage","href":"https://pictures.invalid/tea.png","title":"The box"}"#;
    let places = ["", picture].map(|picture| {
        let sandbox = Sandbox::new();
        sandbox.import(&record(picture)).expect_status(0);
        let config = "brand.image_sources = [\"https://pictures.invalid\"]\n";
        let config = sandbox.write("fingerpost.toml", config);
        let server = Server::start(&sandbox.data(), Some(&config));
        (sandbox, server)
    });
    for (name, person) in
        [("hole-desk", Person::AT_A_DESK), ("hole-phone", Person::WITH_A_PHONE.reading("ar"))]
    {
        let Some(browser) = Browser::open(name, person) else { return };
        let at = places.each_ref().map(|(_, server)| {
            browser.go(&format!("http://{}/01/09520123456788?linkType=linkset", server.address()));
            browser.wait_until(
                "the picture has failed",
                "return document.readyState === 'complete' && [...document.images].every(it => it.complete)",
            );
            let name = "const at = document.querySelector('h1').getBoundingClientRect(); return [at.left, at.top]";
            browser.script(&format!("document.fonts.ready; {name}"))
        });
        let of = |at: &serde_json::Value, side: usize| at[side].as_f64().expect("a number");
        assert!(of(&at[1], 1) - of(&at[0], 1) < 25.0, "{name}: {at:?}");
    }
}
