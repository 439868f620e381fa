//! PE-29: an administrator sets the brand of an organisation, and the pages about its keys have it.

use super::installation::{Installation, KEY, record};
use super::session::{Browser, Person};

#[test]
fn a_brand_is_set_in_the_console_and_shown_on_the_page() {
    let installation = Installation::new(&record(KEY, "https://example.com/tea", "Tea"));
    let Some(mut console) = installation.enter("brand", Person::AT_A_DESK) else { return };
    installation.go(&console, "organisations");
    console.find("#new-organisation").click();
    console.find("#organisation-name").fill("Garden Ltd");
    console.find("#organisation-prefixes").fill("9506000");
    console.find("#submit").click();
    console.wait_for_text("Garden Ltd");
    console.find("button[id^=brand-]").click();
    console.find("#brand-name").fill("Dal Giardino");
    console.script("document.getElementById('brand-accent').value = '#ffdd00'");
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><circle cx=\"20\" cy=\"20\" r=\"20\"/></svg>";
    let logo = installation.sandbox.write("logo.svg", svg);
    console.find("#brand-logo").type_in(logo.to_str().expect("text"));
    console.picture("dialog");
    console.expect_accessible();
    console.find("#submit").click();
    // The organisation was saved as well, which the page still says.
    console.wait_until("the dialog ends", "return !document.querySelector('dialog[open]')");
    console.wait_for_text("Saved");
    console.expect_no_complaints();

    for (name, person) in [
        ("brand-page", Person::AT_A_DESK),
        ("brand-page-dark", Person::WITH_A_PHONE.in_the_dark().reading("de")),
    ] {
        let Some(mut browser) = Browser::open(name, person) else { return };
        browser.go(&installation.public(&format!("/{KEY}?linkType=linkset")));
        browser.wait_for_text("Dal Giardino");
        browser.wait_until(
            "the logo is drawn",
            "return document.querySelector('.brand img').naturalWidth === 40",
        );
        browser.picture("page");
        browser.expect_accessible();
        browser.expect_no_complaints();
    }
}
