//! Successors in the console: an old number answers with what the new one answers.

use super::installation::{Installation, KEY, record};
use super::session::Person;

const NEW: &str = "01/09506000134369";

/// A product is replaced with three clicks, a circle is refused, and the old product answers itself
/// again.
#[test]
fn a_product_is_replaced_and_answers_again() {
    let other = record(NEW, "https://brand.example/new", "Maple syrup, new pack");
    let records = format!("[{},{other}]", record(KEY, "https://brand.example/a", "Maple syrup"));
    let config = "resolver_root = \"https://brand.example\"\n";
    let installation = Installation::configured(config, &records);
    let Some(mut browser) = installation.enter("successor", Person::AT_A_DESK) else { return };
    let location = || installation.get(&format!("/{KEY}/10/L7")).header("location");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#successor-link").click();
    browser.find("#replace").click();
    browser.wait_for_text("Which number replaces it?");
    browser.find("#key").fill("9506000134376");
    browser.find("#replace").click();
    browser.wait_for_text("This is not registered here");
    browser.find("#key").fill("9506000134369");
    browser.picture("form");
    browser.expect_accessible();
    browser.find("#replace").click();
    browser.wait_for_text("Scans of this lead to");
    browser.picture("replaced");
    browser.expect_accessible();
    assert_eq!(location().expect("a redirect"), format!("https://brand.example/{NEW}/10/L7"));

    // The other way round would send scans in a circle.
    installation.go(&browser, &format!("successor/{NEW}"));
    browser.find("#key").fill("9506000134352");
    browser.find("#replace").click();
    browser.wait_for_text("Nothing was changed.");
    browser.wait_for_text("in a circle");
    browser.picture("circle");

    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#end-successor").click();
    browser.find("#confirm").click();
    browser.wait_until(
        "something is said",
        "return document.getElementById('status').innerText !== ''",
    );
    assert_eq!(
        browser.script("return document.getElementById('status').innerText"),
        "The replacement was removed."
    );
    assert_eq!(location().expect("a redirect"), "https://brand.example/a");
    browser.expect_no_sideways_scrolling();
    browser.expect_no_complaints_but(&["422", "404"]);
}
