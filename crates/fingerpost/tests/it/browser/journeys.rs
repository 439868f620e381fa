//! How many clicks the journeys of a brand manager take: what is typed is reached by Tab,
//! everything else is clicked.

use super::approvals::{APPROVER, EDITOR, enter, installation as with_approval};
use super::installation::{GTIN, Installation, KEY, record};
use super::session::{Browser, Person};

/// Counts the clicks of a person from now on; a choice in a list is one.
fn count(browser: &Browser) {
    browser.script("window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true)");
}

#[track_caller]
fn expect_at_most(browser: &Browser, most: u64) {
    let clicks =
        browser.script("return window.clicks").as_u64().expect("the page was not loaded again");
    assert!(clicks <= most, "{clicks} clicks");
}

/// The id of the last card of a list of links.
fn last_card(browser: &Browser, list: &str) -> String {
    let script = format!(
        "return [...document.querySelectorAll('#{list} li.card')].map((card) => card.id).at(-1)"
    );
    browser.script(&script).as_str().expect("an id").to_owned()
}

#[test]
fn a_product_with_two_languages_and_a_campaign_takes_at_most_15_clicks() {
    let installation = Installation::new("");
    let Some(browser) = installation.enter("journey-register", Person::AT_A_DESK) else { return };
    installation.go(&browser, "records");
    count(&browser);
    browser.find("#new-record").click();
    browser.find("#key").fill(GTIN);
    browser.find("#description").fill("Maple syrup");
    browser.find("#link-1-href").fill("https://brand.example/syrup");
    browser.find("#link-1-title").fill("Maple syrup");
    browser.find("#add-variant").click();
    let french = last_card(&browser, "variant-links");
    browser.find(&format!("#{french}-href")).fill("https://brand.example/sirop");
    browser.find(&format!("#{french}-title")).fill("Sirop");
    browser.find(&format!("#{french}-languages")).type_in("fr\u{e007}");
    browser.find("#add-timed").click();
    let campaign = last_card(&browser, "default-links");
    browser.find(&format!("#{campaign}-href")).fill("https://brand.example/spring");
    browser.find(&format!("#{campaign}-title")).fill("Spring");
    browser.find(&format!("#{campaign}-for-fr")).click();
    let french = last_card(&browser, "variant-links");
    browser.find(&format!("#{french}-href")).fill("https://brand.example/printemps");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    expect_at_most(&browser, 15);
    let stored = installation.sandbox.export();
    for page in ["syrup", "sirop", "spring", "printemps"] {
        assert!(stored.contains(&format!("https://brand.example/{page}")), "{stored}");
    }
}

#[test]
fn a_recall_of_a_lot_takes_at_most_5_clicks() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(browser) = installation.enter("journey-recall", Person::AT_A_DESK) else { return };
    installation.go(&browser, "records");
    count(&browser);
    browser.find("#record-list tbody a").click();
    browser.find("#recall-link").click();
    browser.find("#recalled-which").choose("10");
    browser.find("#recalled-values").fill("LOT7");
    browser.find("#notice-0-href").fill("https://brand.example/recall");
    browser.find("#recall").click();
    browser.find("#confirm").click();
    browser.wait_for_text("Recalled.");
    expect_at_most(&browser, 5);
    let answer = installation.get(&format!("/{KEY}/10/LOT7"));
    assert_eq!(answer.header("location").as_deref(), Some("https://brand.example/recall"));
}

#[test]
fn a_label_takes_at_most_3_clicks() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(browser) = installation.enter("journey-label", Person::AT_A_DESK) else { return };
    installation.go(&browser, "records");
    browser.script("window.saved = []; const theirs = HTMLAnchorElement.prototype.click; HTMLAnchorElement.prototype.click = function () { if (this.hasAttribute('download')) window.saved.push(this.href); else theirs.call(this); }; return 0");
    count(&browser);
    browser.find("#record-list tbody a").click();
    browser.find("#package-open").click();
    browser.find("#package-pdf").click();
    browser.wait_until("a file is asked for", "return window.saved.length === 1");
    expect_at_most(&browser, 3);
}

#[test]
fn an_approval_with_changes_takes_at_most_4_clicks() {
    let installation = with_approval();
    let Some(editor) = enter(&installation, "journey-editor", EDITOR) else { return };
    installation.go(&editor, &format!("record/{KEY}"));
    editor.find("#description").fill("A name with a tpyo");
    editor.find("#save").click();
    editor.wait_for_text("Sent for approval.");

    // The approver sees what changes, and approves it.
    let approver = enter(&installation, "journey-approver", APPROVER).expect("a browser");
    installation.go(&approver, "records");
    count(&approver);
    approver.find("#to-approve a").click();
    approver.find("#proposals .card-toggle").click();
    approver.wait_for_text("A name with a tpyo");
    approver.find("button[id^=approve-]").click();
    approver.wait_for_text("Approved. The change is published.");
    expect_at_most(&approver, 4);
    assert!(installation.sandbox.export().contains("A name with a tpyo"));

    // Another change is corrected and sent on in one step: the corrected version takes the place of
    // the first one.
    installation.go(&editor, &format!("record/{KEY}"));
    editor.find("#description").fill("Another tpyo");
    editor.find("#save").click();
    editor.wait_for_text("Sent for approval.");
    installation.go(&approver, "records");
    count(&approver);
    approver.find("#to-approve a").click();
    approver.find("#proposals .card-toggle").click();
    approver.find("button[id^=edit-]").click();
    approver.wait_until(
        "the proposed name is there",
        "return document.getElementById('description')?.value === 'Another tpyo'",
    );
    approver.find("#description").fill("Another name");
    approver.find("#save").click();
    approver.wait_for_text("Sent for approval.");
    expect_at_most(&approver, 4);
    installation.go(&editor, "approvals");
    editor.wait_for_text("1 change");
    editor.wait_for_text("April");
    editor.find("#state-rejected").click();
    // Until then, the list is the one before.
    editor.find("#state-rejected[aria-current='page']");
    editor.find("#proposals .card-toggle").click();
    editor.wait_for_text("Replaced by a corrected version.");
}
