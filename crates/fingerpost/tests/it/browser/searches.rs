//! What the search of the console finds, and what it says about records that are not there.

use super::installation::{Installation, KEY, record};
use super::session::{Browser, Person};

const LOT: &str = "01/09506000134352/10/LOT7";

fn installation() -> Installation {
    let product = record(KEY, "https://brand.example/cheese", "Käse, Crème brûlée");
    let lot = record(LOT, "https://brand.example/lot", "Lot 7");
    let other = record("01/09506000134369", "https://brand.example/tea", "Tea");
    Installation::new(&format!("[{product},{lot},{other}]"))
}

fn search(installation: &Installation, browser: &Browser, text: &str) {
    installation.go(browser, "records");
    browser.find("#search").fill(text);
    browser.find("#search-button").click();
}

fn delete(installation: &Installation, browser: &Browser) {
    installation.go(browser, &format!("record/{LOT}"));
    browser.find("#delete").click();
    browser.find("#confirm").click();
    browser.wait_for_text("Deleted.");
}

/// Names are found without accents, a Digital Link with a lot without a record finds the product,
/// and a mistyped digit the number that was meant (PE-7).
#[test]
fn the_nearest_record_is_found() {
    let installation = installation();
    let Some(mut browser) = installation.enter("search", Person::AT_A_DESK) else { return };
    let links = |id: &str| {
        browser.find(&format!("#{id} a"));
        let script = format!(
            "return [...document.querySelectorAll('#{id} a')].map((a) => a.getAttribute('href')).join(' ')"
        );
        browser.script(&script)
    };
    for text in ["kase", "KÄSE", "creme brulee"] {
        search(&installation, &browser, text);
        browser.wait_for_text("1 record");
        assert_eq!(links("record-list"), format!("#/record/{KEY}"), "{text}");
    }
    search(&installation, &browser, "https://id.example.org/01/09506000134352/10/LOT8?17=301231");
    browser.wait_for_text("Nothing is registered for (01)09506000134352(10)LOT8 itself");
    assert_eq!(links("nearest"), format!("#/record/{KEY}"));
    // One digit is wrong, two are swapped; the lot of the number is kept.
    for (text, expected) in [
        ("9506000134353", KEY),
        ("9506000143352", KEY),
        ("9506000314352", KEY),
        ("(01)09506000134353(10)LOT7", LOT),
    ] {
        search(&installation, &browser, text);
        browser.wait_for_text("Did you mean:");
        assert!(links("similar").to_string().contains(&format!("#/record/{expected}")), "{text}");
    }
    browser.picture("similar");
    browser.expect_accessible();
    // IN-3, IN-5: what was probably meant is a link to its own search.
    for text in ["GTIN: 09506000134352", "010950600013435210LOT9{FNC1}17270901"] {
        search(&installation, &browser, text);
        browser.wait_for_text("Did you mean (01)09506000134352");
        browser.find("#meant a[href^='#/records?text=']");
    }
    browser.find("#meant a").click();
    browser.wait_for_text("Nothing is registered for (01)09506000134352(10)LOT9 itself");
    // A record of its own is opened, and nothing is guessed.
    search(&installation, &browser, "(01)09506000134352(10)LOT7");
    browser.wait_for_text("Where a scan goes");
    browser.expect_no_complaints();
}

/// A deleted record is found by the search and by "New record", and restored from both (PE-4).
#[test]
fn a_deleted_record_is_found_and_restored() {
    let installation = installation();
    let Some(mut browser) = installation.enter("deleted", Person::AT_A_DESK) else { return };
    delete(&installation, &browser);
    search(&installation, &browser, "(01)09506000134352(10)LOT7");
    browser.wait_for_text("(01)09506000134352(10)LOT7 was deleted on");
    browser.wait_for_text("by Ada");
    browser.picture("search");
    browser.find("#restore-deleted").click();
    browser.wait_for_text("Restore this version?");
    browser.find("#confirm").click();
    browser.wait_for_text("Where a scan goes");
    let location = || installation.get("/01/09506000134352/10/LOT7").header("location");
    assert_eq!(location().as_deref(), Some("https://brand.example/lot"));

    delete(&installation, &browser);
    installation.go(&browser, "new");
    browser.find("#key").fill("9506000134352");
    browser.wait_for_text("already registered");
    assert_eq!(browser.script("return document.querySelectorAll('#deleted').length"), 0);
    browser.find("#key").fill("(01)09506000134352(10)LOT7");
    browser.wait_for_text("(01)09506000134352(10)LOT7 was deleted on");
    browser.picture("new");
    browser.expect_accessible();
    // Another key has no past.
    browser.find("#key").fill("(01)09506000134352(10)LOT9");
    browser.wait_until("the note is gone", "return !document.getElementById('deleted')");
    browser.find("#key").fill("(01)09506000134352(10)LOT7");
    browser.find("#restore-deleted").click();
    browser.find("#confirm").click();
    browser.wait_for_text("Restored.");
    assert_eq!(location().as_deref(), Some("https://brand.example/lot"));
    browser.expect_no_complaints();
}
