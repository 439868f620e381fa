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
    browser.wait_for_text("batch or lot LOT7 and A100 to A199.");
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

/// Lots of a product are recalled: the message names them, the list has a badge and a filter, the
/// product says so, and it cannot be deleted meanwhile; a value that is no lot is named beside its
/// field (PE-1, PE-2, PE-3).
#[test]
fn recalled_lots_are_named_listed_and_outlive_a_deletion() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("recalled-lots", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("recall/{KEY}"));
    browser.find("#recalled-which").choose("10");
    browser.find("#notice-0-href").fill(NOTICE);
    browser.find("#recalled-values").fill("L100 to L104, Y 7\nX9");
    browser.find("#recall").click();
    browser.find("#confirm").click();
    let beside = "return document.getElementById('recalled-values-error').innerText";
    browser.wait_until(
        "the value is named beside its field",
        "return /Y 7: .*(10)/.test(document.getElementById('recalled-values-error').innerText)",
    );
    let fault = browser.script(beside).to_string();
    assert!(!fault.contains("X9") && !fault.contains("L100"), "{fault}");
    assert_eq!(browser.script("return document.querySelectorAll('#recall-faults').length"), 0);
    browser.picture("fault");
    browser.expect_accessible();
    browser.find("#recalled-values").fill("L100 to L104\nX9");
    browser.find("#recall").click();
    browser.wait_for_text("batch or lot L100 to L104 and X9 lead to the notice");
    browser.find("#confirm").click();
    browser.wait_for_text("Recalled: Product 09506000134352, batch or lot L100 to L104 and X9.");

    // The product names what is recalled below it, with links.
    browser.wait_for_text("A recall is running below this record");
    let below = "return [...document.querySelectorAll('#recalled-below a')].map((a) => a.getAttribute('href')).join(' ')";
    let expected = format!("#/record/{KEY}/-range/10/4/L100/L104 #/record/{KEY}/10/X9");
    assert_eq!(browser.script(below), expected.as_str());
    browser.picture("product");
    browser.expect_accessible();
    browser.find("#delete").click();
    browser.wait_for_text("Nothing was deleted, because a recall is running");
    let running = below.replace("recalled-below", "running-recalls");
    assert_eq!(browser.script(&running), expected.as_str());
    browser.picture("delete");
    browser.expect_accessible();

    // The list.
    installation.go(&browser, "records");
    browser.wait_for_text("3 records");
    let badges = "return [...document.querySelectorAll('#record-list tr')].filter((row) => row.querySelector('.tag.bad')).map((row) => row.innerText).join('\\n')";
    let badges = browser.script(badges).to_string();
    assert_eq!(badges.matches("brand.example/recall").count(), 2, "{badges}");
    assert!(!badges.contains("Maple syrup"), "{badges}");
    for (choice, count) in [("true", "2 records"), ("false", "1 record")] {
        installation.go(&browser, "records");
        browser.find("#filters").click();
        browser.find("#filter-recalled").choose(choice);
        browser.find("#search-button").click();
        browser.wait_for_text(count);
    }
    installation.go(&browser, "records?recalled=true");
    browser.wait_for_text("2 records");
    browser.picture("list");
    browser.expect_accessible();
    let answer = installation.get(&format!("/{KEY}/10/L101"));
    assert_eq!(answer.header("location").as_deref(), Some(NOTICE));
    browser.expect_no_complaints_but(&["422", "400"]);
}

/// PE-30: a batch is recalled without an address; its scan gets the page, which says so in the
/// reader's language; the record leads to it.
#[test]
fn a_recall_without_an_address_is_a_page_of_the_resolver() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("recall-page", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("recall/{KEY}"));
    browser.find("#recalled-which").choose("10");
    browser.find("#recalled-values").fill("LOT7\nA100 to A199");
    browser.find("#recall").click();
    browser.find("#confirm").click();
    browser.wait_for_text("batch or lot LOT7 and A100 to A199.");
    installation.go(&browser, &format!("record/{KEY}/10/LOT7"));
    browser.find("#recalled");
    browser.picture("record");
    browser.expect_accessible();
    browser.expect_no_complaints();
    let readers = [
        ("recall-page-en", Person::AT_A_DESK, "recalled since"),
        ("recall-page-de", Person::AT_A_DESK.reading("de").in_the_dark(), "zurückgerufen seit"),
        ("recall-page-ar", Person::WITH_A_PHONE.reading("ar"), "مسحوب منذ"),
        ("recall-page-ja", Person::WITH_A_PHONE.reading("ja").in_the_dark(), "から回収中"),
        ("recall-page-fr", Person::WITH_A_PHONE.reading("fr"), "rappel depuis le"),
    ];
    for (name, person, since) in readers {
        let Some(mut reader) = super::session::Browser::open(name, person) else { return };
        for (lot, number) in [("LOT7", "LOT7"), ("A150", "A100 – A199")] {
            reader.go(&installation.public(&format!("/{KEY}/10/{lot}")));
            reader.wait_for_text(since);
            reader.wait_for_text(number);
            reader.picture(lot);
            reader.expect_accessible();
        }
        reader.expect_no_complaints();
    }
}
