//! The console, as brand owners use it: by mouse, by keyboard, by phone, two at once, and with
//! hostile data.

use std::io::Write;

use super::installation::{GTIN, Installation, KEY, LOGIN, PASSWORD, record, sign_in, switch};
use super::session::{Browser, Person};

/// From an empty store to what a phone in Québec gets.
#[test]
fn a_newcomer_registers_a_product_and_sees_a_scan() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("newcomer", Person::AT_A_DESK) else { return };
    browser.find("#sign-in");
    browser.picture("sign-in");
    browser.expect_accessible();
    sign_in(&browser);
    browser.wait_for_text("Nothing is registered yet");
    browser.picture("welcome");
    browser.expect_accessible();
    browser.find("#new-record").click();

    // A slip of the finger is shown while typing.
    browser.find("#key").fill("9506000134353");
    browser.wait_for_text("expected 2");
    browser.picture("wrong-digit");
    browser.expect_accessible();
    browser.find("#key").fill(GTIN);
    browser.wait_until("the fault is gone", "return document.getElementById('key-fault').hidden");

    browser.find("#description").fill("Maple syrup");
    browser.find("#link-1-href").fill("https://brand.example/syrup");
    browser.find("#link-1-title").fill("Maple syrup");
    browser.find("#add-variant").click();
    browser.find("#link-2-href").fill("https://brand.example/fr/sirop");
    browser.find("#link-2-title").fill("Sirop d’érable");
    browser.find("#link-2-languages").type_in("fr-CA\u{e007}");
    browser.picture("filled");
    browser.expect_accessible();
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    browser.picture("saved");

    browser.find("#see-scan").click();
    browser.wait_for_text("https://brand.example/fr/sirop");
    browser.picture("quebec");
    browser.expect_accessible();
    browser.find("#scan-language").choose("en-US,en;q=0.9");
    browser.wait_for_text("https://brand.example/syrup");
    browser.expect_no_complaints();

    // What was previewed is what is stored.
    assert!(installation.sandbox.export().contains("https://brand.example/fr/sirop"));
}

/// The same without a pointing device.
#[test]
fn a_record_is_registered_and_changed_by_keyboard_alone() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.open("keyboard", Person::AT_A_DESK) else { return };
    browser.find("#login");
    let to = |target: &str| tab_to(&browser, target);
    to("#login");
    browser.press(LOGIN);
    to("#password");
    browser.press(PASSWORD);
    browser.press(ENTER);
    browser.find("#new-record");
    to("#new-record");
    browser.press(ENTER);
    browser.find("#key");
    to("#key");
    browser.press(GTIN);
    to("#description");
    browser.press("Kettle");
    to("#link-1-href");
    browser.press("https://brand.example/kettle");
    to("#link-1-title");
    browser.press("Kettle");
    to("#add-link");
    browser.press(ENTER);
    browser.find("#type-search");
    to("#type-search");
    browser.press("recipe");
    browser.press(ENTER);
    browser.wait_until("the picker is closed", "return !document.querySelector('dialog[open]')");
    browser.wait_until(
        "the new link has the focus",
        "return document.activeElement.id === 'link-2-href'",
    );
    browser.press("https://brand.example/tea");
    to("#link-2-title");
    browser.press("How to make tea");
    to("#save");
    browser.press(ENTER);
    browser.wait_for_text("Saved.");
    to("#description");
    browser.press(" with a whistle");
    to("#save");
    browser.press(ENTER);
    browser.wait_until("it is saved", "return document.getElementById('unsaved').innerText === ''");
    browser.picture("saved");
    browser.expect_no_complaints();
    let stored = installation.sandbox.export();
    assert!(stored.contains("How to make tea"), "{stored}");
    assert!(stored.contains("with a whistle"), "{stored}");
}

const VIEWS: [&str; 15] = [
    "records",
    "new",
    "record/01/09506000134352",
    "history/01/09506000134352",
    "preview/01/09506000134352",
    "recalls",
    "import",
    "changes",
    "approvals",
    "keys",
    "users",
    "organisations",
    "audit",
    "account",
    "status",
];

fn look_at_every_view(name: &'static str, person: Person) {
    let records = [
        record(KEY, "https://brand.example/syrup", "Maple syrup"),
        record(
            "01/09506000134369",
            "https://brand.example/a/very/long/address/that/does/not/end/for/quite/some/time/and/goes/on",
            "A thing with a long name that takes a while to read to its end",
        ),
    ];
    let installation = Installation::new(&format!("[{}]", records.join(",")));
    let Some(mut browser) = installation.enter(name, person) else { return };
    for view in VIEWS {
        switch(&browser, view);
        browser.picture(view.split('/').next().unwrap_or(view));
        browser.expect_accessible();
        browser.expect_no_sideways_scrolling();
        browser.expect_no_complaints();
    }
}

#[test]
fn every_view_at_a_desk_in_the_dark() {
    look_at_every_view("console-dark", Person::AT_A_DESK.in_the_dark());
}

#[test]
fn every_view_on_a_phone() {
    look_at_every_view("console-phone", Person::WITH_A_PHONE);
}

/// Whatever is stored or named by a file is text.
#[test]
fn stored_markup_stays_text() {
    let bad = r#"<img src=x onerror=\"document.title='OWNED'\">\"'><script>document.title='OWNED'</script>"#;
    let url = "https://brand.example/?q=%22%3E%3Cscript%3Edocument.title='OWNED'%3C/script%3E";
    let text = format!(
        r#"[{{"anchor":"/{KEY}","itemDescription":"{bad}","links":[{{"linkType":"gs1:defaultLink","href":"{url}","title":"{bad}"}},{{"linkType":"gs1:pip","href":"{url}","title":"{bad}","hreflang":["en"],"type":"text/html","context":["{bad}"]}}]}}]"#
    );
    let installation = Installation::new(&text);
    let Some(mut browser) = installation.enter("hostile", Person::AT_A_DESK) else { return };
    for view in VIEWS {
        switch(&browser, view);
        assert_harmless(&browser, view);
    }
    // The name of a file, and what is in it.
    installation.go(&browser, "import");
    let name = "<img src=x onerror=document.title='OWNED'>.jsonl";
    let file =
        installation.sandbox.write(name, &format!("{{\"anchor\":\"{bad}\",\"links\":[]}}\n"));
    browser.find("#import-file").type_in(file.to_str().expect("text"));
    browser.find("#import-check").click();
    browser.wait_for_text("refused");
    browser.picture("import");
    assert_harmless(&browser, "import");
    // The titles and cells of a spreadsheet.
    let title = "<img src=x onerror=document.title='OWNED'>";
    let sheet = format!("GTIN;Web address;{title}\n{title};{title};{title}\n");
    let file = installation.sandbox.write("hostile.csv", &sheet);
    browser.find("#import-file").type_in(file.to_str().expect("text"));
    browser.find("#import-check").click();
    browser.wait_for_text("Meaning of the columns");
    assert_harmless(&browser, "import of a spreadsheet");
    // What is typed into the live check and the preview.
    installation.go(&browser, "preview");
    browser.find("#scan-key").fill("<img src=x onerror=document.title='OWNED'>");
    browser.find("#scan").click();
    browser.wait_until("a fault is told", "return !!document.querySelector('[aria-invalid=true]')");
    assert_harmless(&browser, "preview");
    browser.expect_no_complaints();
}

#[track_caller]
fn assert_harmless(browser: &Browser, view: &str) {
    let found = browser.script("return [document.title.includes('OWNED') && !document.title.includes('<'), document.querySelectorAll('main img[src=x], main script').length]");
    assert_eq!(found, serde_json::json!([false, 0]), "{view}");
}

/// Two people change one record: the second sees what the first did, and nothing is lost unseen.
#[test]
fn two_editors_at_once() {
    let installation =
        Installation::new(&format!("[{}]", record(KEY, "https://brand.example/one", "One")));
    let view = format!("record/{KEY}");
    let Some(first) = installation.enter("editor-first", Person::AT_A_DESK) else { return };
    let Some(mut second) = installation.enter("editor-second", Person::AT_A_DESK) else { return };
    for browser in [&first, &second] {
        installation.go(browser, &view);
        browser.find("#description");
    }
    first.find("#description").fill("What the first wrote");
    first.find("#save").click();
    first.wait_for_text("Saved.");
    second.find("#description").fill("What the second wrote");
    second.find("#save").click();
    second.find("dialog#conflict, #conflict");
    second.wait_for_text("What the first wrote");
    second.picture("conflict");
    second.expect_accessible();
    assert!(installation.sandbox.export().contains("What the first wrote"));
    second.find("#take-theirs").click();
    second.wait_until(
        "theirs is shown",
        "return document.getElementById('description').value === 'What the first wrote'",
    );
}

/// A session that ends in the middle of an edit: nothing typed is lost.
#[test]
fn a_session_that_ends_loses_nothing() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("expiry", Person::AT_A_DESK) else { return };
    browser.find("#new-record").click();
    browser.find("#key").fill(GTIN);
    browser.find("#description").fill("Typed before the end");
    browser.find("#link-1-href").fill("https://brand.example/kept");
    browser.find("#link-1-title").fill("Kept");
    browser.wait_until(
        "the key is known",
        "return document.getElementById('key-found').innerText !== ''",
    );
    browser.forget_cookies();
    browser.find("#save").click();
    browser.find("#sign-in-again");
    browser.picture("again");
    browser.find("#sign-in-again #password").fill(PASSWORD);
    browser.find("#sign-in-again #sign-in").click();
    browser.wait_for_text("Saved.");
    let stored = installation.sandbox.export();
    assert!(
        stored.contains("Typed before the end") && stored.contains("https://brand.example/kept"),
        "{stored}"
    );
}

/// Signing in again in another tab replaces the session: the first tab fetches the new token and
/// repeats the change.
#[test]
fn a_replaced_token_is_renewed_without_a_word() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("renewal", Person::AT_A_DESK) else { return };
    browser.find("#new-record").click();
    browser.find("#key").fill(GTIN);
    browser.find("#description").fill("Saved with a new token");
    browser.find("#link-1-href").fill("https://brand.example/kept");
    browser.find("#link-1-title").fill("Kept");
    browser.wait_until(
        "the key is known",
        "return document.getElementById('key-found').innerText !== ''",
    );
    browser.script(&format!(
        "window.signedIn = false; fetch('/v1/session', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, \
         body: JSON.stringify({{ login: '{LOGIN}', password: '{PASSWORD}' }}) }}).then((answer) => {{ window.signedIn = answer.ok; }})"
    ));
    browser.wait_until("another session has begun", "return window.signedIn");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    browser.picture("saved");
    assert!(installation.sandbox.export().contains("Saved with a new token"));
}

/// A second factor from its QR code to the next sign-in, and off again with a recovery code.
#[test]
fn a_second_factor_is_set_up_and_asked_for() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("second-factor", Person::AT_A_DESK) else { return };
    browser.find("#own-account").click();
    browser.find("#totp-on").click();
    browser.find("#own-password").fill(PASSWORD);
    browser.find("dialog #submit").click();
    browser.find("svg.qr");
    browser.picture("qr");
    browser.expect_accessible();
    let secret = browser.script("return document.getElementById('totp-secret').innerText");
    let secret = secret.as_str().expect("a text").to_owned();
    browser.find("#own-code").fill("000000");
    browser.find("dialog #submit").click();
    browser.wait_for_text("Wrong code");
    // The step before the present one, so that the present one can be used to sign in.
    browser.find("#own-code").fill(&code(&secret, -30));
    browser.find("dialog #submit").click();
    browser.find("#secret-dialog");
    browser.picture("recovery");
    let recovery = browser.script("return document.getElementById('secret').value");
    let recovery = recovery.as_str().expect("a text").lines().next().expect("a code").to_owned();
    browser.find("#secret-done").click();
    browser.find("#totp-off");
    browser.picture("account");
    browser.expect_accessible();

    browser.find("#sign-out").click();
    sign_in(&browser);
    browser.wait_until("a code is asked for", "return document.activeElement.id === 'code'");
    browser.picture("code");
    browser.expect_accessible();
    browser.find("#code").fill(&code(&secret, 0));
    browser.find("#sign-in").click();
    browser.find("#nav-records");
    browser.find("#own-account").click();
    browser.find("#totp-off").click();
    browser.find("#own-password").fill(PASSWORD);
    browser.find("#own-code").fill(&recovery);
    browser.find("dialog #submit").click();
    browser.find("#totp-on");
}

/// What an authenticator application shows, some seconds from now.
fn code(secret: &str, seconds: i64) -> String {
    #[expect(clippy::disallowed_methods, reason = "the server compares with its clock")]
    let now = jiff::Timestamp::now();
    fingerpost_testkit::totp(secret, now.as_second() + seconds)
}

/// A file is checked first, changes nothing by that, and is imported on demand.
#[test]
fn a_file_is_imported_after_a_dry_run() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("import", Person::AT_A_DESK) else { return };
    installation.go(&browser, "import");
    let lines = [
        record(KEY, "https://brand.example/a", "A"),
        record("01/09506000134353", "https://brand.example/b", "B"),
        record("01/09506000134369", "https://brand.example/c", "C"),
    ];
    let file = installation.sandbox.path("records.jsonl");
    let mut writer = std::fs::File::create(&file).expect("a file");
    writeln!(writer, "{}", lines.join("\n")).expect("written");
    browser.find("#import-file").type_in(file.to_str().expect("text"));
    browser.find("#import-check").click();
    browser.wait_for_text("expected 2");
    browser.picture("checked");
    browser.expect_accessible();
    assert_eq!(installation.sandbox.export(), "", "a dry run changes nothing");
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    browser.picture("imported");
    assert_eq!(installation.sandbox.export().lines().count(), 2);
    browser.expect_no_complaints();
}

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";

/// Presses Tab until the element has the focus.
#[track_caller]
fn tab_to(browser: &Browser, target: &str) {
    let has_focus = format!("return document.activeElement === document.querySelector('{target}')");
    for _ in 0..80 {
        if browser.script(&has_focus) == serde_json::json!(true) {
            return;
        }
        browser.press(TAB);
    }
    panic!("Tab does not lead to {target}, but to {}", browser.focused());
}
