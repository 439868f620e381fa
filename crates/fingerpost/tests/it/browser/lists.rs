//! Lists of records: their totals, their order, what is done with a selection, and the way back.

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// A product with lots, more than a page shows.
fn installation(lots: usize) -> Installation {
    let mut records = vec![record(KEY, "https://brand.example/a", "Maple syrup")];
    for lot in 0..lots {
        let key = format!("{KEY}/10/L{lot:04}");
        records.push(record(&key, "https://brand.example/lot", &format!("Lot {lot}")));
    }
    Installation::new(&format!("[{}]", records.join(",")))
}

/// The total is said, everything that matches is selected, exported, printed and deleted, and the
/// result is said.
#[test]
fn what_matches_is_selected_exported_printed_and_deleted() {
    let installation = installation(1_200);
    let Some(mut browser) = installation.enter("selection", Person::AT_A_DESK) else { return };
    browser.wait_for_text("1,201 records, 50 shown");
    // A file is a link that the page clicks.
    browser.script("window.saved = []; HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }; return 0");
    browser.find("#record-list tbody tr:first-child input").click();
    browser.wait_for_text("1 selected");
    browser.find("#select-matching").click();
    browser.wait_for_text("1,201 selected");
    browser.picture("selected");
    browser.expect_accessible();
    browser.find("#selected-export").click();
    browser.find("#selected-format").choose("jsonl");
    browser.find("#confirm").click();
    browser.wait_for_text("1,201 records exported.");
    browser.find("#selected-labels").click();
    browser.wait_for_text("default for examples and do not work");
    browser.picture("sheet");
    browser.expect_accessible();
    browser.find("#confirm").click();
    browser.wait_for_text("1,201 labels saved.");
    let saved = browser.script("return window.saved");
    assert_eq!(saved, serde_json::json!(["fingerpost.jsonl", "labels.pdf"]));

    // Somebody changes one of them meanwhile: it is kept, and so is its product.
    let other = record(&format!("{KEY}/10/L0007"), "https://brand.example/other", "Changed");
    let key = installation.sandbox.key(&["--verb", "read,write"]);
    let agent = ureq::Agent::config_builder().proxy(None).build().new_agent();
    let put = agent.put(installation.api(&format!("/v1/levels/{KEY}/10/L0007")));
    let put = put.content_type("application/json").header("authorization", format!("Bearer {key}"));
    assert_eq!(put.send(other).expect("an answer").status(), 200);
    browser.find("#selected-delete").click();
    browser.wait_for_text("Delete 1,201 records?");
    browser.picture("question");
    browser.find("#confirm").click();
    browser.wait_for_text("1,199 records deleted.");
    browser.wait_for_text("2 records refused:");
    browser.picture("result");
    browser.expect_accessible();
    browser.wait_for_text("2 records");
    assert_eq!(installation.sandbox.export().lines().count(), 2);
    browser.expect_no_complaints();
}

/// A selection is recalled with a few clicks.
#[test]
fn a_selection_is_recalled() {
    let installation = installation(3);
    let Some(mut browser) = installation.enter("selection-recall", Person::WITH_A_PHONE) else {
        return;
    };
    for lot in ["L0001", "L0002"] {
        browser.find(&format!("input[data-key$='{lot}']")).click();
    }
    browser.wait_for_text("2 selected");
    browser.picture("selected");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.find("#selected-recall").click();
    browser.find("#notice-0-href").fill("https://brand.example/recall");
    browser.find("#recall").click();
    browser.find("#confirm").click();
    browser.wait_for_text("2 records recalled.");
    browser.picture("recalled");
    browser.expect_accessible();
    for (lot, expected) in [("L0001", "/recall"), ("L0002", "/recall"), ("L0000", "/lot")] {
        let answer = installation.get(&format!("/{KEY}/10/{lot}"));
        assert!(answer.header("location").expect("a redirect").ends_with(expected), "{lot}");
    }
    browser.expect_no_complaints();
}

/// Back restores the list: length, order, selection and scroll position.
#[test]
fn back_finds_the_list_as_it_was() {
    let installation = installation(150);
    let Some(mut browser) = installation.enter("back", Person::AT_A_DESK) else { return };
    browser.find("#order").choose("newest");
    let is_last_first =
        "return document.querySelector('#record-list tbody a')?.innerText === 'Lot 149'";
    browser.wait_until("the last change is first", is_last_first);
    browser.find("#more").click();
    browser.wait_for_text("100 shown");
    browser.find("#record-list tbody tr:nth-child(80) input").click();
    browser.wait_for_text("1 selected");
    browser.script("window.scrollTo(0, 2500); return 0");
    browser.wait_until(
        "the place is kept",
        "return history.state?.scroll === window.scrollY && window.scrollY > 2000",
    );
    let before = browser.script("return [location.hash, window.scrollY]");
    browser.script(
        "document.querySelector('#record-list tbody tr:nth-child(60) a').click(); return 0",
    );
    browser.find("#record-form");
    browser.script("history.back(); return 0");
    browser.wait_for_text("100 shown");
    browser.wait_until("the place is found", "return window.scrollY > 2000");
    assert_eq!(browser.script("return [location.hash, window.scrollY]"), before);
    assert_eq!(
        browser.script("return [document.getElementById('order').value, document.querySelector('#record-list tbody tr:nth-child(80) input').checked, document.getElementById('selected').innerText]"),
        serde_json::json!(["newest", true, "1 selected"])
    );
    browser.picture("found-again");
    browser.expect_no_complaints();
}

/// The audit log says how long it is, and what is selected of it is saved.
#[test]
fn entries_of_the_audit_log_are_selected_and_saved() {
    let installation = Installation::new("");
    let records: Vec<_> = (0..120)
        .map(|lot| record(&format!("{KEY}/10/L{lot}"), "https://brand.example/", "Lot"))
        .collect();
    let product = record(KEY, "https://brand.example/a", "=SUM(A1)");
    installation.sandbox.import(&product).expect_status(0);
    for one in &records {
        installation.sandbox.import(one).expect_status(0);
    }
    let Some(mut browser) = installation.enter("audit", Person::AT_A_DESK) else { return };
    installation.go(&browser, "audit");
    browser.wait_for_text("entries, 100 shown");
    browser.script("window.saved = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push(text)); return make(blob); }; HTMLAnchorElement.prototype.click = function () {}; return 0");
    browser.find("#audit tbody tr:first-child input").click();
    browser.wait_for_text("1 selected");
    browser.picture("selected");
    browser.expect_accessible();
    browser.find("#selected-export").click();
    browser.wait_until(
        "one entry is saved",
        "return window.saved[0].trim().split('\\n').length === 2",
    );
    browser.find("#select-matching").click();
    browser.wait_until(
        "all are selected",
        "return document.getElementById('select-matching').closest('[hidden]') !== null",
    );
    browser.find("#selected-export").click();
    browser.wait_until(
        "all are saved, the oldest first",
        "const lines = window.saved[1].trim().split('\\n'); return lines.length > 121 && lines[1].startsWith('\"1\"')",
    );
    browser.expect_no_complaints();
}

/// A long sheet of labels, and a long export, are stopped on demand: nothing is saved, and the next
/// one works.
#[test]
fn a_long_sheet_and_an_export_are_stopped() {
    let installation = installation(6_000);
    let Some(mut browser) = installation.enter("stop", Person::AT_A_DESK) else { return };
    browser.script("window.saved = []; HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); }; return 0");
    browser.find("#record-list tbody tr:first-child input").click();
    browser.find("#select-matching").click();
    browser.wait_for_text("6,001 selected");
    browser.find("#selected-labels").click();
    browser.find("#confirm").click();
    browser.wait_until(
        "a part is there",
        "return /^Labels: [0-9.]+ kB/.test(document.querySelector('#result [role=status]').innerText)",
    );
    browser.wait_until(
        "who started it sees it",
        "const { top, bottom } = document.querySelector('#selected-stop').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight && document.querySelector('#result progress').clientWidth > 100",
    );
    browser.picture("running");
    browser.expect_accessible();
    browser.find("#selected-stop").click();
    browser.wait_for_text("Stopped");
    browser.picture("stopped");
    browser.find("#selected-export").click();
    // The answer is held back, so that there is time to stop it.
    browser.script("const theirs = window.fetch; window.fetch = async (...all) => { const answer = await theirs(...all); if (String(all[0]).startsWith('/v1/export')) await new Promise((done, refuse) => { all[1].signal.addEventListener('abort', () => refuse(all[1].signal.reason)); }); return answer; }; window.give = () => { window.fetch = theirs; }; return 0");
    browser.find("#confirm").click();
    browser.find("#selected-stop").click();
    browser.wait_for_text("Stopped");
    assert_eq!(browser.script("return window.saved.length"), serde_json::json!(0));
    browser.script("window.give(); return 0");
    browser.find("#selected-export").click();
    browser.find("#selected-format").choose("jsonl");
    browser.find("#confirm").click();
    browser.wait_for_text("6,001 records exported.");
    assert_eq!(browser.script("return window.saved"), serde_json::json!(["fingerpost.jsonl"]));
    browser.expect_no_complaints();
}
