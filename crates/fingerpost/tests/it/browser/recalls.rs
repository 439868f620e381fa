//! Recalls in the console, and what somebody sees who scans a recalled item.

use super::installation::{Installation, KEY, record};
use super::session::Person;

const NOTICE: &str = "https://brand.example/recall";

/// A batch and a range of batches are recalled with three clicks and a choice; the recall is seen
/// by scans and by readers of pages, and ended.
#[test]
fn a_batch_is_recalled_and_the_recall_ended() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("recall", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    let clicks = std::cell::Cell::new(0);
    let click = |selector: &str| {
        clicks.set(clicks.get() + 1);
        browser.find(selector).click();
    };
    click("#recall-link");
    browser.find("#recalled-which").choose("10");
    browser.find("#recalled-values").fill("LOT7\nA100 to A199");
    browser.find("#notice-0-href").fill("brand.example/recall");
    click("#recall");
    browser.wait_for_text("An address starts with https://");
    browser.find("#notice-0-href").fill(NOTICE);
    browser.find("#notice-0-title").fill("Recall of batch 7: please do not use it");
    click("#recall");
    click("#confirm");
    browser.wait_for_text("2 numbers recalled.");
    // One of them was refused and corrected.
    assert_eq!(clicks.get() - 1, 3);

    let location = |path: &str| {
        let answer = installation.get(&format!("/{KEY}{path}"));
        answer.header("location").expect("a redirect")
    };
    for (path, expected) in [
        ("/10/LOT7", NOTICE),
        ("/10/A150", NOTICE),
        ("/10/LOT8", "https://brand.example/syrup"),
        ("", "https://brand.example/syrup"),
    ] {
        assert_eq!(location(path), expected, "{path}");
    }
    installation.go(&browser, &format!("record/{KEY}/10/LOT7"));
    browser.find("#recalled");
    browser.picture("recalled");
    browser.expect_accessible();
    browser.go(&installation.public(&format!("/{KEY}/10/LOT7?linkType=linkset")));
    browser.wait_for_text("Recall of batch 7");
    browser.picture("page");
    browser.expect_accessible();

    installation.go(&browser, &format!("record/{KEY}/10/LOT7"));
    browser.find("#end-recall").click();
    browser.find("#confirm").click();
    browser.wait_for_text("The recall has ended.");
    assert_eq!(location("/10/LOT7"), "https://brand.example/syrup");

    installation.go(&browser, &format!("recall/{KEY}"));
    browser.find("#recalled-which");
    browser.picture("form");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
