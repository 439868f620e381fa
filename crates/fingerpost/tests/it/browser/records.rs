//! Finding, checking and deleting records in the console.

use super::installation::{GTIN, Installation, KEY, record};
use super::session::Person;

/// Whatever is on a package, in a list or on a scanner finds the record, and an exact match opens
/// it.
#[test]
fn whatever_names_a_key_finds_its_record() {
    let other = record("01/09506000134369", "https://brand.example/b", "B");
    let records = format!("[{},{other}]", record(KEY, "https://brand.example/a", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("search", Person::AT_A_DESK) else { return };
    for text in [
        GTIN,
        "(01)09506000134352",
        "9 506000 134352",
        "0109506000134352",
        "https://id.example.org/01/09506000134352",
        "]d20109506000134352",
    ] {
        installation.go(&browser, "records");
        browser.find("#search").fill(text);
        browser.find("#search-button").click();
        browser.find("#record-form");
        let opened = browser.script("return location.hash");
        assert_eq!(opened, format!("#/record/{KEY}"), "{text}");
    }
    // Other texts, and keys without a record, are searched as before.
    installation.go(&browser, "records");
    for (text, expected) in
        [("maple", "1 record"), ("9506000134376", "Nothing found."), ("95060001343", "2 records")]
    {
        browser.find("#search").fill(text);
        browser.find("#search-button").click();
        browser.wait_for_text(expected);
    }
    browser.picture("found");
    browser.expect_no_complaints();
}

/// A server that cannot be reached does not make a number wrong, and the number is checked again
/// when the record is saved.
#[test]
fn a_number_is_not_wrong_because_the_server_was_away() {
    let installation = Installation::new("");
    let Some(browser) = installation.enter("away", Person::AT_A_DESK) else { return };
    installation.go(&browser, "new");
    browser.script("window.theirs = window.fetch; window.fetch = () => Promise.reject(new TypeError('away')); return 0");
    browser.find("#key").fill(GTIN);
    browser.wait_for_text("The server cannot be reached.");
    browser.find("#save").click();
    browser.wait_for_text("One error");
    assert!(!browser.page_text().contains("not valid"), "{}", browser.page_text());
    browser.script("window.fetch = window.theirs; return 0");
    browser.find("#link-1-href").fill("https://brand.example/a");
    browser.find("#link-1-title").fill("A");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
}

/// PE-11: Enter in a field publishes nothing, a page for a language needs one, and a language is
/// found by its own name, also if it is still being typed when the record is saved. PE-20: a page
/// that has a default link and a descriptive one is one line, and is counted once.
#[test]
fn a_record_is_published_when_it_is_finished() {
    let installation = Installation::new("");
    let Some(browser) = installation.enter("unfinished", Person::AT_A_DESK) else { return };
    installation.go(&browser, "new");
    browser.find("#key").fill(GTIN);
    browser.find("#link-1-href").fill("https://brand.example/a");
    browser.find("#link-1-title").fill("A");
    browser.find("#link-1-title").click();
    browser.press("\u{e007}");
    browser.find("#add-variant").click();
    browser.find("#link-2-href").fill("https://brand.example/de");
    browser.find("#link-2-title").fill("B");
    browser.find("#save").click();
    browser.wait_for_text("Choose a language.");
    browser.expect_accessible();
    assert_eq!(installation.sandbox.export(), "", "nothing is published yet");
    browser.find("#link-2-languages").type_in("Deutsch");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    let exported = installation.sandbox.export();
    assert_eq!(exported.matches(r#""hreflang":["de"]"#).count(), 1, "{exported}");
    assert_eq!(exported.matches(r#""linkType""#).count(), 2, "{exported}");
    for role in [r#""default":true"#, r#""default":"variant""#] {
        assert_eq!(exported.matches(role).count(), 1, "{exported}");
    }
    installation.go(&browser, "records");
    browser.wait_until(
        "two pages are counted",
        "return [...document.querySelectorAll('#record-list .number')].some((one) => one.textContent.trim() === '2')",
    );
    browser.expect_no_complaints();
}

/// PE-15: names in other languages are typed with the names of the languages, and shown to their
/// readers; what is wrong is said beside the field.
#[test]
fn a_product_has_names_in_several_languages() {
    let records = format!("[{}]", record(KEY, "https://brand.example/a", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("names", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#description").fill("Maple syrup");
    browser.find("#names").fill("French: Sirop d’érable\nQuux: x");
    browser.find("#save").click();
    browser.wait_for_text("Quux");
    browser.wait_until(
        "the fault is beside the field",
        "return document.getElementById('names').getAttribute('aria-invalid') === 'true'",
    );
    browser.picture("fault");
    browser.expect_accessible();
    browser.find("#names").fill("Français: Sirop d’érable\nde: Ahornsirup");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    let exported = installation.sandbox.export();
    let names = r#""itemDescriptions":{"de":"Ahornsirup","fr":"Sirop d’érable"}"#;
    assert!(exported.contains(names), "{exported}");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.wait_until(
        "the languages have names",
        "return document.getElementById('names').value === 'German: Ahornsirup\\nFrench: Sirop d’érable'",
    );
    browser.picture("record");
    browser.expect_accessible();
    browser.expect_no_complaints_but(&["422", "400"]);
    let reader = Person::WITH_A_PHONE.reading("fr");
    let Some(mut reader) = super::session::Browser::open("names-fr", reader) else { return };
    reader.go(&installation.public(&format!("/{KEY}?linkType=linkset")));
    reader.wait_for_text("Sirop d’érable");
    reader.picture("page");
    reader.expect_accessible();
    reader.expect_no_complaints();
}

/// The question before a deletion says what is below, and deletes all of it.
#[test]
fn a_product_is_deleted_with_its_batches() {
    let lots = ["A", "B"].map(|lot| {
        record(&format!("{KEY}/10/{lot}"), "https://brand.example/lot", &format!("Lot {lot}"))
    });
    let product = record(KEY, "https://brand.example/a", "Maple syrup");
    let records = format!("[{product},{}]", lots.join(","));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("delete", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#delete").click();
    browser.wait_for_text("Lot B");
    browser.wait_for_text("Delete all 3");
    browser.picture("asked");
    browser.expect_accessible();
    browser.find("#confirm").click();
    browser.wait_for_text("Deleted.");
    assert_eq!(installation.sandbox.export(), "");
    browser.expect_no_complaints();
}

/// An address without `https://` is one fault, with the whole address on offer, though the page is registered under two types.
#[test]
fn a_forgotten_scheme_is_one_fault_and_mended_with_a_click() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("scheme", Person::WITH_A_PHONE) else { return };
    installation.go(&browser, "new");
    browser.find("#key").fill(GTIN);
    browser.find("#link-1-title").fill("A");
    browser.find("#link-1-href").fill("www.brand.example/a");
    browser.find("#save").click();
    browser.wait_for_text("One error");
    browser.picture("fault");
    browser.expect_accessible();
    browser.find("#link-1-href-scheme").click();
    assert_eq!(
        browser.script("return document.getElementById('link-1-href').value"),
        "https://www.brand.example/a"
    );
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    assert_eq!(installation.sandbox.export().matches("https://www.brand.example/a").count(), 1);
    browser.expect_no_complaints_but(&["422"]);
}

/// GS1-OTH-03: what the values of a scanned code mean stands below the field of a new record.
#[test]
fn values_have_their_meaning_below_the_number() {
    let installation = Installation::configured("weight_codes = \"SE\"", "");
    let Some(browser) = installation.enter("meanings", Person::AT_A_DESK) else { return };
    installation.go(&browser, "new");
    browser.find("#key").fill("(01)09506000134352(17)260228(3103)001250");
    browser.wait_for_text("February 28, 2026");
    browser.wait_for_text("1.250 kg");
    browser.expect_accessible();
    browser.find("#key").fill("2388060112344");
    browser.wait_for_text("1.234 kg");
    browser.wait_for_text("This number identifies no product in the world");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
