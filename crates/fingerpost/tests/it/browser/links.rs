//! Link health: broken links in the list, and on the page of their record.

use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// A port that refuses connections.
const CLOSED: &str = "http://127.0.0.1:1/syrup";

/// An installation whose only link is broken after two checks.
fn installation() -> Installation {
    let records = format!("[{}]", record(KEY, CLOSED, "Maple syrup"));
    let options = "[links]\ncheck = true\ninterval = \"1s\"\nallow_networks = \"127.0.0.1\"\n";
    Installation::configured(options, &records)
}

#[test]
fn broken_links_are_listed_and_shown_on_their_record() {
    let installation = installation();
    let Some(mut browser) = installation.enter("links", Person::AT_A_DESK) else { return };
    browser.find("#nav-links").click();
    let begin = Instant::now();
    let is_broken = "return document.querySelector('#link-list .tag.bad') !== null";
    while browser.script(is_broken) != true {
        assert!(begin.elapsed() < PATIENCE, "the link is broken");
        std::thread::sleep(Duration::from_millis(500));
        installation.go(&browser, "records");
        installation.go(&browser, "links");
        browser.find("#links-broken");
    }
    browser.wait_for_text("no connection");
    browser.picture("list");
    browser.expect_accessible();
    browser.find("#links-all").click();
    browser.wait_until(
        "all links are listed",
        "return document.querySelector('#links-all').getAttribute('aria-current') === 'page'",
    );
    // 35.1: the list of records has the filter too.
    installation.go(&browser, "records?recalled=broken");
    browser.find("#record-list a");
    let state = browser.script("return document.querySelector('#filter-recalled').value");
    assert_eq!(state, "broken");
    browser.expect_accessible();
    browser.find("#record-list a").click();
    browser.wait_for_text("Links of this record are broken");
    let count = browser.script("return document.querySelectorAll('#broken-links li').length");
    assert_eq!(count, 1, "the default link and the page that it repeats have one target");
    browser.picture("record");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
