//! Charts: the status of the server, and the changes of the last days.

use super::installation::{Installation, KEY, record};
use super::session::{Browser, Person};

/// An installation that takes a sample every second.
fn installation() -> Installation {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    Installation::configured("[metrics]\nsample_every = \"1s\"\n", &records)
}

/// Shows the status again until it has drawn several samples of scans.
fn draw(installation: &Installation, browser: &Browser) {
    installation.go(browser, "status");
    browser.wait_until(
        "scans are drawn",
        "document.getElementById('update').click(); \
         const drawn = document.querySelector('#status-requests path.s0:not(.key-line *)'); \
         fetch('/v1/session'); return drawn.getAttribute('d').split('L').length > 3;",
    );
}

#[test]
fn the_status_is_drawn_and_told() {
    let installation = installation();
    let Some(mut browser) = installation.enter("status", Person::AT_A_DESK) else { return };
    browser.find("#nav-status").click();
    browser.wait_for_text("Figures of this server since");
    for _ in 0..20 {
        assert_eq!(installation.get(&format!("/{KEY}")).status, 307);
    }
    draw(&installation, &browser);
    browser.picture("desk");
    browser.expect_accessible();
    // What is drawn is told as well, and is there as a table, by keyboard too.
    let told = "return document.querySelector('#status-requests > svg').getAttribute('aria-label')";
    let told = browser.script(told);
    let told = told.as_str().expect("a text");
    assert!(told.starts_with("Scans: answered ") && told.contains("per second"), "{told}");
    browser.wait_for_text("There is no backup yet.");
    browser.script("document.querySelector('#status-requests summary').focus(); return 0");
    browser.press("\u{e007}");
    browser.find("#status-requests table tbody tr");
    browser.find("#span-month").click();
    browser.wait_until(
        "the time is chosen",
        "return document.querySelector('#span-month').getAttribute('aria-current') === 'page'",
    );
    browser.expect_accessible();
    browser.expect_no_complaints();
}

#[test]
fn the_status_on_a_phone_in_the_dark() {
    let installation = installation();
    let person = Person::WITH_A_PHONE.in_the_dark();
    let Some(mut browser) = installation.enter("status-phone", person) else { return };
    draw(&installation, &browser);
    browser.picture("phone");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    installation.go(&browser, "records");
    browser.find("#changes summary").click();
    browser.find("#changes-chart");
    browser.picture("changes");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.expect_no_complaints();
}

/// The first page shows how much was changed on which day, of one organisation on demand; the
/// history of a record shows the same for it.
#[test]
fn changes_of_the_last_days_are_drawn() {
    let installation = installation();
    let Some(mut browser) = installation.enter("changes", Person::AT_A_DESK) else { return };
    browser.wait_for_text("1 change in the last 30 days");
    let create = "const done = arguments[arguments.length - 1]; return fetch('/v1/session').then((one) => one.json()).then(({ csrf }) => fetch('/v1/organisations', \
        { method: 'POST', headers: { 'content-type': 'application/json', 'x-csrf-token': csrf }, body: JSON.stringify({ name: 'Brand', prefixes: ['9521111'] }) })).then((answer) => answer.status)";
    assert_eq!(browser.script(create), serde_json::json!(201));
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#description").fill("Better syrup");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    installation.go(&browser, "records");
    browser.wait_for_text("2 changes in the last 30 days");
    let bars = "return document.querySelectorAll('#changes-chart > svg rect').length";
    assert_eq!(browser.script(bars), serde_json::json!(1));
    browser.picture("first-page");
    browser.expect_accessible();
    // The organisations are asked for after the chart is drawn.
    browser.find("#changes-of");
    let own = browser.script("return [...document.querySelectorAll('#changes-of option')].find((one) => one.text === 'Brand').value");
    browser.find("#changes-of").choose(own.as_str().expect("an id"));
    browser.wait_until("nothing was changed", &format!("{bars} === 0"));
    installation.go(&browser, &format!("history/{KEY}"));
    browser.wait_for_text("2 changes in the last 30 days");
    browser.picture("history");
    browser.expect_accessible();
    browser.expect_no_complaints();
}
