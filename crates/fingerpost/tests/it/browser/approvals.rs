//! Changes that a second person approves, in the console.

use serde_json::{Value, json};

use super::installation::{Installation, KEY, PASSWORD, record, sign_in_as};
use super::session::{Browser, Person};

pub(super) const EDITOR: &str = "eddy@example.com";
pub(super) const APPROVER: &str = "april@example.com";

/// An organisation with approval, an editor without a name and an approver.
pub(super) fn installation() -> Installation {
    let records = format!("[{}]", record(KEY, "https://brand.example/one", "One"));
    let installation = Installation::new(&records);
    let key = installation.sandbox.key(&["--verb", "read,write,admin"]);
    let config = ureq::Agent::config_builder().proxy(None).http_status_as_error(false);
    let agent = config.build().new_agent();
    let create = |path: &str, body: Value| -> Value {
        let request = agent.post(installation.api(path)).content_type("application/json");
        let request = request.header("authorization", format!("Bearer {key}"));
        let mut answer = request.send(body.to_string()).expect("an answer");
        let text = answer.body_mut().read_to_string().expect("a body");
        assert_eq!(answer.status(), 201, "{text}");
        serde_json::from_str(&text).expect("JSON")
    };
    let body = json!({"name": "Brand", "prefixes": ["9506000"], "approvalRequired": true});
    let organisation = create("/v1/organisations", body)["id"].clone();
    for (login, name, role) in [(EDITOR, "", "editor"), (APPROVER, "April", "approver")] {
        let memberships = json!([{"organisation": organisation, "role": role}]);
        let body =
            json!({"login": login, "name": name, "password": PASSWORD, "memberships": memberships});
        create("/v1/users", body);
    }
    installation
}

pub(super) fn enter(
    installation: &Installation,
    name: &'static str,
    login: &str,
) -> Option<Browser> {
    let browser = installation.open(name, Person::AT_A_DESK)?;
    sign_in_as(&browser, login);
    browser.find("#nav-records, #menu-button");
    Some(browser)
}

/// Nothing that somebody proposed is lost, invisible, or credited to somebody else: a change is
/// rejected with a reason, sent again, seen on the record while it waits, and approved; the history
/// names both people.
#[test]
fn a_rejected_change_is_sent_again_and_approved() {
    let installation = installation();
    let Some(mut editor) = enter(&installation, "approval-editor", EDITOR) else { return };
    let mut approver = enter(&installation, "approval-approver", APPROVER).expect("a browser");
    let propose = |browser: &Browser, name: &str| {
        browser.find("#description").fill(name);
        browser.find("#save").click();
        browser.wait_for_text("Sent for approval.");
    };
    let view = format!("record/{KEY}");
    installation.go(&editor, &view);
    propose(&editor, "A name with a tpyo");

    // The approver is told on the first page, and rejects it.
    installation.go(&approver, "records");
    approver.wait_for_text("1 change waits for your approval.");
    approver.wait_until(
        "the menu counts it",
        "return document.querySelector('#nav-approvals .badge')?.textContent === '1 waiting'",
    );
    approver.picture("told");
    approver.find("#to-approve a").click();
    approver.find("#proposals .card-toggle").click();
    approver.wait_for_text(EDITOR);
    approver.find("textarea[id^=reason-]").fill("Mind the spelling");
    approver.picture("rejecting");
    approver.expect_accessible();
    approver.find("button[id^=reject-]").click();
    approver.wait_for_text("Nothing is waiting.");

    // The editor is told, until that is seen (PE-21); finds the reason and what was proposed, and
    // sends it again.
    installation.go(&editor, "records");
    editor.wait_for_text("April rejected your change of A name with a tpyo.");
    editor.wait_for_text("Reason: Mind the spelling");
    editor.picture("told-rejected");
    editor.expect_accessible();
    installation.go(&editor, &view);
    editor.find("#rejected-seen").click();
    installation.go(&editor, "records");
    editor.find("#record-list");
    assert!(!editor.page_text().contains("April rejected"), "{}", editor.page_text());
    installation.go(&editor, "approvals");
    editor.wait_for_text("Nothing is waiting.");
    editor.find("#state-rejected").click();
    // Until then, the list is the one before.
    editor.find("#state-rejected[aria-current='page']");
    editor.find("#proposals .card-toggle").click();
    editor.wait_for_text("Mind the spelling");
    editor.wait_for_text("Rejected by April");
    editor.picture("rejected");
    editor.expect_accessible();
    editor.find("button[id^=edit-]").click();
    editor.wait_until(
        "the proposed name is there",
        "return document.getElementById('description')?.value === 'A name with a tpyo'",
    );
    propose(&editor, "A name without a typo");

    // It is seen on the record while it waits.
    installation.go(&editor, &view);
    editor.wait_for_text("A change by you is waiting for approval");
    editor.picture("waiting");
    editor.expect_accessible();
    installation.go(&approver, &view);
    approver.wait_for_text(&format!("A change by {EDITOR} is waiting for approval"));
    approver.find(".notice .card-toggle").click();
    approver.find("button[id^=approve-]").click();
    approver.wait_for_text("Approved. The change is published.");
    assert!(installation.sandbox.export().contains("A name without a typo"));

    // PE-21: the list and the record name both, not the approver alone.
    for place in ["records", &view, &format!("history/{KEY}")] {
        installation.go(&editor, place);
        editor.wait_for_text(&format!("proposed by {EDITOR}, approved by April"));
    }
    editor.picture("history");
    editor.expect_no_complaints();
    approver.expect_no_complaints();
}

/// Two changes of one record: each says that there is another, and when one is approved, the other
/// says that it cannot be.
#[test]
fn changes_of_one_record_that_exclude_each_other_say_so() {
    let installation = installation();
    let Some(editor) = enter(&installation, "approval-twice", EDITOR) else { return };
    for name in ["First", "Second"] {
        installation.go(&editor, &format!("record/{KEY}"));
        editor.find("#description").fill(name);
        editor.find("#save").click();
        editor.wait_for_text("Sent for approval.");
    }
    let approver = enter(&installation, "approval-other", APPROVER).expect("a browser");
    installation.go(&approver, "approvals");
    approver.wait_for_text("another change of the same record is waiting");
    approver.find("#proposals > li:first-child .card-toggle").click();
    approver.find("#proposals > li:first-child button[id^=approve-]").click();
    approver.wait_until(
        "one is left",
        "return document.querySelectorAll('#proposals > li').length === 1",
    );
    approver.find("#proposals > li:first-child .card-toggle").click();
    approver.wait_for_text("it cannot be approved");
    approver.expect_no_complaints();
}

/// PE-21: the page of a new record says that its proposal waits.
#[test]
fn a_proposed_record_says_that_it_waits() {
    let installation = installation();
    let Some(editor) = enter(&installation, "approval-new", EDITOR) else { return };
    installation.go(&editor, "new");
    editor.find("#key").fill("09506000134369");
    editor.find("#link-1-href").fill("https://brand.example/two");
    editor.find("#link-1-title").fill("Two");
    editor.find("#description").fill("Second tea");
    editor.find("#save").click();
    editor.wait_for_text("Sent for approval.");
    // The list has the proposed name.
    installation.go(&editor, "approvals");
    editor.wait_for_text("Second tea");
    installation.go(&editor, "record/01/09506000134369");
    editor.wait_for_text("Nothing is registered here");
    editor.wait_for_text("A change by you is waiting for approval");
    editor.expect_accessible();
}

/// PE-22: a number of another company is told while it is typed. PE-21: the only approver learns
/// what a correction leads to before it is made.
#[test]
fn what_cannot_be_done_is_said_before_it_is_tried() {
    let installation = installation();
    let Some(editor) = enter(&installation, "approval-foreign", EDITOR) else { return };
    installation.go(&editor, "new");
    editor.find("#key").fill("09521234567899");
    editor.wait_for_text("You may not register this number");
    editor.expect_accessible();
    editor.find("#key").fill("09506000134369");
    editor.wait_until("it is gone", "return !document.getElementById('not-yours')");
    installation.go(&editor, &format!("record/{KEY}"));
    editor.find("#description").fill("Another name");
    editor.find("#save").click();
    editor.wait_for_text("Sent for approval.");
    let approver = enter(&installation, "approval-only", APPROVER).expect("a browser");
    installation.go(&approver, "approvals");
    approver.find("#proposals .card-toggle").click();
    approver.wait_for_text("Another approver must approve it. If there is nobody else, reject");
    editor.expect_no_complaints();
}

/// Many changes are decided at once: those that are selected, with a total, and with the reasons of
/// those that cannot be.
#[test]
fn selected_changes_are_approved_together() {
    let installation = installation();
    let Some(editor) = enter(&installation, "approval-many", EDITOR) else { return };
    for name in ["First", "Second", "Third"] {
        installation.go(&editor, &format!("record/{KEY}"));
        editor.find("#description").fill(name);
        editor.find("#save").click();
        editor.wait_for_text("Sent for approval.");
    }
    let mut approver = enter(&installation, "approval-all", APPROVER).expect("a browser");
    installation.go(&approver, "approvals");
    approver.wait_for_text("3 changes");
    approver.wait_for_text("Product 09506000134352");
    approver.find("#proposals > li:first-child input").click();
    approver.wait_for_text("1 selected");
    approver.picture("selected");
    approver.expect_accessible();
    approver.find("#selected-reject").click();
    approver.find("#selected-reason").fill("Not this one");
    approver.picture("reason");
    approver.expect_accessible();
    approver.find("#confirm").click();
    approver.wait_for_text("1 change rejected.");
    approver.wait_for_text("2 changes");
    // Of two changes of one record, only the first can be approved.
    approver.find("#select-shown").click();
    approver.wait_for_text("2 selected");
    approver.find("#selected-approve").click();
    approver.find("#confirm").click();
    approver.wait_for_text("1 change approved.");
    approver.wait_for_text("1 record refused:");
    approver.wait_for_text("(01)09506000134352");
    approver.wait_until(
        "the menu counts again",
        "return document.querySelector('#nav-approvals .badge')?.textContent === '1 waiting'",
    );
    approver.picture("result");
    approver.expect_accessible();
    approver.expect_no_complaints_but(&["409"]);
}
