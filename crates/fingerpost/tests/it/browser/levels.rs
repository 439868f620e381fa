//! Records in the console that decide for more than one key or level.

use super::installation::{Installation, KEY, record};
use super::session::{Browser, Person};

/// GS1-Conformant Resolver 1.2.0, section 2.11: the key owner chooses the default answer, where the operator permits it. RES-2.11-1.
#[test]
fn section_2_11_the_default_answer_is_chosen() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let allowed = "default_link_type_by_record = true";
    let installation = Installation::configured(allowed, &records);
    let Some(mut browser) = installation.enter("default-answer", Person::AT_A_DESK) else { return };
    let choose = |browser: &Browser, answer: &str| {
        installation.go(browser, &format!("record/{KEY}"));
        browser.find("#default-answer").choose(answer);
        browser.find("#save").click();
        browser.wait_for_text("Saved.");
    };
    choose(&browser, "linkset");
    browser.picture("chosen");
    browser.expect_accessible();
    let stored = installation.place.export();
    assert!(stored.contains("\"defaultLinkType\":\"linkset\""), "{stored}");
    installation.go(&browser, &format!("preview/{KEY}"));
    browser.wait_for_text("shows all links");

    // An unsaved choice is kept, and the choice can be taken back.
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#default-answer").choose("gs1:defaultLink");
    browser.wait_for_text("Not saved yet.");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.wait_for_text("unsaved changes");
    let value = browser.script("return document.getElementById('default-answer').value");
    assert_eq!(value, "gs1:defaultLink");
    choose(&browser, "");
    let stored = installation.place.export();
    assert!(!stored.contains("defaultLinkType"), "{stored}");
    installation.go(&browser, &format!("preview/{KEY}"));
    browser.wait_for_text("https://brand.example/syrup");
    browser.expect_no_complaints();

    // Where records may not choose, nothing is offered.
    let installation = Installation::new(&records);
    let browser = installation.enter("no-default-answer", Person::AT_A_DESK).expect("a browser");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#description");
    let offered = browser.script("return !!document.getElementById('default-answer')");
    assert_eq!(offered, false);
}
