//! What to print on a package, from the page of a record.

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// A label is two clicks away from the record, and the panel says what may be wrong with it.
#[test]
fn a_label_is_saved_in_two_clicks() {
    let records = format!("[{}]", record(KEY, "https://brand.example/a", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("label", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    // The page asks for a file by a link that it clicks; its address is what the browser saves.
    let watch = "window.saved = []; HTMLAnchorElement.prototype.click = function () { window.saved.push(this.href); }; return 0";
    browser.script(watch);
    browser.find("#package-open").click();
    browser.wait_until("the symbol is drawn", "const i = document.getElementById('package-image'); return !!i && i.complete && i.naturalWidth > 50");
    browser.wait_for_text("nobody can open it");
    assert_eq!(
        browser.script("return document.getElementById('package-address').innerText"),
        format!("https://id.example.org/{KEY}")
    );
    browser.find("#package-pdf").click();
    browser.wait_until("a file is asked for", "return window.saved.length === 1");
    let saved = browser.script(
        "const done = new XMLHttpRequest(); done.open('GET', window.saved[0], false); done.send(); \
         return [done.status, done.getResponseHeader('content-type'), done.getResponseHeader('content-disposition'), done.responseText.slice(0, 5)]",
    );
    assert_eq!(saved[0], 200, "{saved}");
    assert_eq!((&saved[1], &saved[3]), (&"application/pdf".into(), &"%PDF-".into()));
    assert!(saved[2].as_str().unwrap().contains("01-09506000134352-qr.pdf"), "{saved}");
    // PE-31: label printers have 203 dots per inch.
    browser.find("#package-dpi").choose("203");
    browser.find("#package-png").click();
    browser.wait_until("a file is asked for", "return window.saved.length === 2");
    let png = browser.script("return window.saved[1]");
    assert!(
        png.as_str().is_some_and(|png| png.contains("format=png") && png.ends_with("&dpi=203")),
        "{png}"
    );
    browser.picture("panel");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.expect_no_complaints();
}

/// The choices change the symbol, and a width that is not possible is said.
#[test]
fn choices_change_the_label() {
    let records = format!("[{}]", record(KEY, "https://brand.example/a", "Maple syrup"));
    let config = "resolver_root = \"https://brand.example\"\n";
    let installation = Installation::configured(config, &records);
    let Some(mut browser) = installation.enter("label-choices", Person::WITH_A_PHONE) else {
        return;
    };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#package-open").click();
    browser.wait_for_text("29 × 29 modules");
    assert!(!browser.page_text().contains("nobody can open it"));
    browser.find("#package-upper").click();
    browser.wait_for_text("25 × 25 modules");
    browser.wait_for_text(&format!("HTTPS://BRAND.EXAMPLE/{KEY}"));
    browser.picture("upper-case");
    browser.find("#package-symbol").choose("gs1-datamatrix");
    browser.wait_for_text("16 × 16 modules");
    browser.find("#package-beside").choose("ean-13");
    browser.wait_until("both symbols are drawn", "return document.getElementById('package-image').alt.startsWith('GS1 DataMatrix with the numbers, EAN-13: ')");
    browser.find("#package-symbol").choose("ean-13");
    browser.wait_for_text("95 modules");
    browser.wait_for_text("0.264 to 0.66 for this symbol");
    browser.picture("linear");
    browser.find("#package-width").fill("99");
    browser.find("#package-text").click();
    browser.wait_for_text("Enter 0.1 to 10 mm.");
    browser.expect_no_sideways_scrolling();
    browser.expect_accessible();
    browser.expect_no_complaints();
}

/// PE-31: the label of a lot has its expiry date.
#[test]
fn a_label_of_a_lot_has_its_expiry_date() {
    let product = record(KEY, "https://brand.example/a", "Maple syrup");
    let lot = record(&format!("{KEY}/10/L7"), "https://brand.example/lot", "Lot");
    let installation = Installation::new(&format!("[{product},{lot}]"));
    let Some(mut browser) = installation.enter("label-expiry", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}/10/L7"));
    browser.find("#package-open").click();
    browser.find("#package-address");
    browser.script("const one = document.getElementById('package-expiry'); one.value = '2027-03-31'; one.dispatchEvent(new Event('change')); return 0");
    browser.wait_for_text(&format!("/{KEY}/10/L7?17=270331"));
    browser.find("#package-symbol").choose("gs1-datamatrix");
    browser.wait_until(
        "the symbol has the date",
        "return document.getElementById('package-image').alt.includes('17270331')",
    );
    browser.picture("expiry");
    browser.expect_accessible();
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#package-open").click();
    browser.find("#package-address");
    assert_eq!(
        browser.script("return document.getElementById('package-expiry')"),
        serde_json::Value::Null
    );
    browser.expect_no_complaints();
}

/// A record for many keys has nothing to print.
#[test]
fn a_record_for_many_keys_has_no_label() {
    let product = record(KEY, "https://brand.example/a", "Maple syrup");
    let lots = record(&format!("{KEY}/-any/10"), "https://brand.example/{10}", "Lots");
    let records = format!("[{product},{lots}]");
    let installation = Installation::new(&records);
    let Some(browser) = installation.enter("label-many", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}/-any/10"));
    assert!(!browser.page_text().contains("On the package"), "{}", browser.page_text());
}
