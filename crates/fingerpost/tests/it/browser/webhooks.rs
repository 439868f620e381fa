//! Webhooks in the console: created, tested, watched, paused and deleted.

use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// A port that refuses connections.
const CLOSED: &str = "http://127.0.0.1:1/hook";

/// 35.3: the delivery log in the console, with a test button.
#[test]
fn a_webhook_is_created_tested_and_deleted() {
    let records = format!("[{}]", record(KEY, "https://example.com/", "Maple syrup"));
    let options = "[webhooks]\ndeliver = true\nallow_networks = \"127.0.0.1\"\n";
    let installation = Installation::configured(options, &records);
    let Some(mut browser) = installation.enter("webhooks", Person::AT_A_DESK) else { return };
    browser.find("#nav-webhooks").click();
    browser.find("#new-webhook").click();
    browser.find("#webhook-label").fill("Shop");
    browser.find("#webhook-url").fill(CLOSED);
    browser.find("#kind-record-deleted").click();
    browser.picture("new");
    browser.expect_accessible();
    browser.find("#submit").click();
    let secret = "return document.querySelector('#secret')?.value.startsWith('whsec_') === true";
    browser.wait_until("the secret is shown", secret);
    browser.find("#secret-done").click();
    browser.wait_for_text("Record deleted");
    browser.find("[id^=test-]").click();
    browser.wait_for_text("A test event is on its way");
    let begin = Instant::now();
    loop {
        browser.find("[id^=log-]").click();
        browser.find("#log-done");
        if browser.script("return document.querySelector('#deliveries .tag.bad') !== null") == true
        {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "the attempt is logged");
        browser.find("#log-done").click();
        std::thread::sleep(Duration::from_millis(500));
    }
    browser.picture("log");
    browser.expect_accessible();
    browser.find("#log-done").click();
    browser.find("[id^=pause-]").click();
    browser.wait_for_text("paused");
    browser.picture("list");
    browser.expect_accessible();
    browser.find("[id^=edit-]").click();
    browser.find("#webhook-label").fill("Warehouse");
    browser.find("#submit").click();
    browser.wait_for_text("Warehouse");
    browser.find("[id^=delete-]").click();
    browser.wait_for_text("Delete Warehouse?");
    browser.find("#confirm").click();
    browser.wait_for_text("There are none yet.");
    browser.expect_no_complaints();
}
