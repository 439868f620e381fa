//! Invitations, password resets and terms in a browser, with the mails in a folder.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::installation::{Installation, KEY, PASSWORD, record, sign_in_as};
use super::session::{Browser, Person};
use crate::support::nodes::wait_until;

const ADDRESS: &str = "grace@example.org";
const FRESH: &str = "other quiet words here";

fn installation(further: &str) -> (Installation, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!("{further}\n[mail]\nfolder = {:?}\n", folder.path());
    (Installation::configured(&config, &record(KEY, "https://example.com/p", "Tea")), folder)
}

/// The link in the mail number `number`, counted from 1.
fn link(folder: &Path, number: usize) -> String {
    let mut files = Vec::new();
    wait_until("a mail", || {
        files = fs::read_dir(folder)
            .expect("a folder")
            .map(|file| file.expect("a file").path())
            .collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "eml"));
        files.len() >= number
    });
    files.sort();
    let message = fs::read_to_string(&files[number - 1]).expect("a message").replace('\r', "");
    let body = message.split_once("\n\n").expect("a body").1.replace('\n', "");
    let text = String::from_utf8(STANDARD.decode(body).expect("base64")).expect("text");
    text.lines().find(|line| line.contains("/console/#/")).expect("a link").trim().to_owned()
}

/// Invites somebody to the whole installation, who accepts and forgets the password.
#[test]
fn an_invitation_is_accepted_and_a_password_is_reset() {
    let (installation, folder) = installation("");
    let Some(mut admin) = installation.enter("invite", Person::AT_A_DESK) else { return };
    installation.go(&admin, "users");
    admin.find("#invite").click();
    admin.find("#invite-address").fill(ADDRESS);
    admin.find("#invite-role").choose("reader");
    admin.expect_accessible();
    admin.find("#submit").click();
    admin.wait_for_text("The mail is on its way.");
    admin.find("#invitations");
    admin.wait_for_text(ADDRESS);
    admin.picture("invited");
    admin.expect_accessible();

    let Some(mut invited) = Browser::open("accept", Person::WITH_A_PHONE.reading("de")) else {
        return;
    };
    let invitation = link(folder.path(), 1);
    invited.go(&invitation);
    invited.wait_for_text("Willkommen");
    invited.find("#own-name").fill("Grace");
    invited.find("#new-password").fill(PASSWORD);
    invited.expect_accessible();
    invited.expect_no_sideways_scrolling();
    invited.picture("accepting");
    invited.find("#submit").click();
    // Signed in, and the token is not in the history.
    invited.find("#menu-button");
    assert_eq!(invited.script("return location.hash.includes('fpi_')"), false);
    invited.expect_no_complaints();
    // The link was used.
    invited.go("about:blank");
    invited.go(&invitation);
    invited.find("#own-name").fill("Grace");
    invited.find("#new-password").fill(PASSWORD);
    invited.find("#submit").click();
    invited.wait_for_text("Dieser Link gilt nicht mehr.");

    // Another device, on which the password is forgotten.
    let Some(mut other) = installation.open("reset", Person::AT_A_DESK) else { return };
    other.find("#login").fill(ADDRESS);
    other.find("#forgot").click();
    other.wait_until(
        "the address is taken over",
        &format!("return document.getElementById('address').value === '{ADDRESS}'"),
    );
    other.expect_accessible();
    other.find("dialog #submit").click();
    other.wait_for_text("If this address has an account, a mail is on its way.");
    other.go("about:blank");
    other.go(&link(folder.path(), 2));
    other.wait_for_text("Choose a new password");
    other.find("#new-password").fill(FRESH);
    other.expect_accessible();
    other.find("#submit").click();
    other.wait_for_text("Your password is set.");
    other.find("#login").fill(ADDRESS);
    other.find("#password").fill(FRESH);
    other.find("#sign-in").click();
    other.find("#nav-records");
    other.picture("again");
}

/// Terms come before everything else, and an organisation is suspended and reinstated.
#[test]
fn terms_are_accepted_and_an_organisation_is_suspended() {
    let terms = tempfile::NamedTempFile::new().expect("a file");
    fs::write(terms.path(), "1. Register only what is yours.\n").expect("a file");
    let (installation, _folder) = installation(&format!(
        "[admin]\nterms_version = \"2026-01\"\nterms_file = {:?}\n",
        terms.path()
    ));
    let Some(mut admin) = installation.enter("operator", Person::AT_A_DESK) else { return };
    installation.go(&admin, "organisations");
    admin.find("#new-organisation").click();
    admin.find("#organisation-name").fill("Example Teas");
    admin.find("#organisation-prefixes").fill("9506000");
    admin.find("#organisation-hosts").fill("*.example.com shop.example");
    admin.find("#submit").click();
    admin.wait_for_text("Links lead to *.example.com, shop.example only");
    installation.go(&admin, "users");
    admin.find("#new-user").click();
    admin.find("#user-login").fill("member");
    admin.find("#user-password").fill(PASSWORD);
    admin.script("const s = document.querySelectorAll('.memberships select')[1]; s.value = s.options[s.options.length - 1].value; s.dispatchEvent(new Event('change'))");
    admin.find("#submit").click();
    admin.wait_for_text("in Example Teas");

    let Some(mut member) = installation.open("terms", Person::WITH_A_PHONE) else { return };
    sign_in_as(&member, "member");
    member.wait_for_text("Register only what is yours.");
    member.expect_accessible();
    member.expect_no_sideways_scrolling();
    member.picture("terms");
    member.find("#submit").click();
    member.find("#menu-button");

    installation.go(&admin, "organisations");
    admin.find("button[id^=suspend-]").click();
    admin.find("#suspend-mode").choose("notice");
    admin.find("#suspend-notice").fill("Closed until May.");
    admin.expect_accessible();
    admin.find("#submit").click();
    admin.wait_for_text("suspended");
    admin.picture("suspended");
    let public = installation.public(&format!("/{KEY}"));
    member.go(&public);
    member.wait_for_text("Closed until May.");
    member.expect_accessible();
    assert_eq!(installation.get(&format!("/{KEY}")).status, 410);
    admin.find("button[id^=suspend-]").click();
    admin.find("#reinstate").click();
    admin.wait_for_text("The suspension has ended.");
    assert_eq!(installation.get(&format!("/{KEY}")).status, 307);
    admin.expect_no_complaints();
}
