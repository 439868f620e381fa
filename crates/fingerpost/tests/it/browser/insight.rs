//! Counts of scans in the console.

use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// 35.2: charts in the console: over time, products, link types; readable as tables.
#[test]
fn scans_are_shown_over_time_and_by_product() {
    let records = format!("[{}]", record(KEY, "https://example.com/syrup", "Maple syrup"));
    let options = "[insight]\nenabled = true\nwrite_every = \"1s\"\nthreshold = 2\n";
    let installation = Installation::configured(options, &records);
    let Some(mut browser) = installation.enter("insight", Person::AT_A_DESK) else { return };
    for _ in 0..3 {
        let ask =
            Ask::get(&format!("/{KEY}")).header("User-Agent", "Mozilla/5.0 (iPhone) Safari/604.1");
        assert_eq!(installation.send(&ask).status, 307);
    }
    browser.find("#nav-insight").click();
    let begin = Instant::now();
    let is_there = "return document.querySelector('#insight-products a') !== null";
    while browser.script(is_there) != true {
        assert!(begin.elapsed() < PATIENCE, "the scans are shown");
        std::thread::sleep(Duration::from_millis(500));
        installation.go(&browser, "records");
        installation.go(&browser, "insight");
        browser.find("#insight-chart");
    }
    browser.picture("all");
    browser.expect_accessible();
    browser.find("#insight-products a").click();
    browser.find("#insight-of");
    browser.wait_for_text("All scans");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
