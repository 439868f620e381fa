//! Signed links, made on the page of a record.

use super::installation::{Installation, KEY, record};
use super::session::Person;

/// Where only a recycler is led.
const DISMANTLING: &str = "https://brand.example/dismantling";

const ROLES: &str =
    "roles = [{ name = \"recycler\", title = { en = \"Recyclers\" } }, { name = \"authority\" }]\n";

/// 36.1: the address for a role is made with four clicks and leads where only this role may go;
/// without a secret to sign with, nothing is offered.
#[test]
fn a_signed_link_is_made_on_the_page_of_a_record() {
    let installation = Installation::configured(ROLES, "");
    let put = |installation: &Installation| {
        let mut battery: serde_json::Value =
            serde_json::from_str(&record(KEY, "https://brand.example/a", "Battery")).unwrap();
        battery["links"].as_array_mut().unwrap().push(serde_json::json!({
            "linkType": "gs1:safetyInfo", "href": DISMANTLING, "title": "Dismantling",
            "access": ["recycler"],
        }));
        let config = installation.sandbox.path("fingerpost.toml");
        let mut import = crate::support::fingerpost();
        import.args(["import", "-", "--config"]).arg(config);
        import.arg("--data").arg(installation.sandbox.data());
        crate::support::finish(import, battery.to_string().as_bytes()).expect_status(0);
    };
    put(&installation);
    let Some(browser) = installation.enter("no-signed-link", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#history-link");
    assert_eq!(browser.script("return document.querySelectorAll('#signed-link').length"), 0);
    drop((browser, installation));

    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets");
    std::fs::write(&secrets, format!("{}\n", "s-".repeat(20))).unwrap();
    let config = format!("{ROLES}signed_links.secret_file = {secrets:?}\n");
    let installation = Installation::configured(&config, "");
    put(&installation);
    let Some(mut browser) = installation.enter("signed-link", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#signed-link").click();
    browser.find("#submit").click();
    browser.wait_for_text("Choose at least one role.");
    browser.find("#signed-role-recycler").click();
    browser.picture("form");
    browser.expect_accessible();
    browser.find("#submit").click();
    browser.wait_for_text("until it ends");
    browser.picture("address");
    browser.expect_accessible();
    browser.find("#copy-secret").click();
    browser.wait_for_text("Copied.");
    let address = browser.script("return document.getElementById('secret').value");
    let address = address.as_str().expect("an address");
    browser.find("#secret-done").click();
    browser.expect_no_complaints();

    let (_, proof) = address.split_once(&format!("/{KEY}?")).expect("the address of the record");
    let location = |proof: &str| {
        let answer = installation.get(&format!("/{KEY}?{proof}linkType=gs1:safetyInfo"));
        answer.header("location")
    };
    let target = Some(format!("{DISMANTLING}?linkType=gs1:safetyInfo"));
    assert_eq!(location(&format!("{proof}&")), target);
    assert_ne!(location(""), target);
}
