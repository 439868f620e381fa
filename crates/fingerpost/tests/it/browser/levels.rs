//! Records in the console that decide for more than one key or level.

use serde_json::{Value, json};

use super::installation::{GTIN, Installation, KEY, record};
use super::session::{Browser, Person};

/// GS1-Conformant Resolver 1.2.0, section 2.11: the key owner chooses the default answer, where the
/// operator permits it. RES-2.11-1.
#[test]
fn section_2_11_the_default_answer_is_chosen() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let allowed = "default_link_type_by_record = true";
    let installation = Installation::configured(allowed, &records);
    let Some(mut browser) = installation.enter("default-answer", Person::AT_A_DESK) else { return };
    let choose = |browser: &Browser, answer: &str| {
        installation.go(browser, &format!("record/{KEY}"));
        browser.find("#default-answer").choose(answer);
        browser.find("#save").click();
        browser.wait_for_text("Saved.");
    };
    choose(&browser, "linkset");
    browser.picture("chosen");
    browser.expect_accessible();
    let stored = installation.sandbox.export();
    assert!(stored.contains("\"defaultLinkType\":\"linkset\""), "{stored}");
    installation.go(&browser, &format!("preview/{KEY}"));
    browser.wait_for_text("shows all links");

    // An unsaved choice is kept, and the choice can be taken back.
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#default-answer").choose("gs1:defaultLink");
    browser.wait_for_text("Not saved yet.");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.wait_for_text("unsaved changes");
    let value = browser.script("return document.getElementById('default-answer').value");
    assert_eq!(value, "gs1:defaultLink");
    choose(&browser, "");
    let stored = installation.sandbox.export();
    assert!(!stored.contains("defaultLinkType"), "{stored}");
    installation.go(&browser, &format!("preview/{KEY}"));
    browser.wait_for_text("https://brand.example/syrup");
    browser.expect_no_complaints();

    // Where records may not choose, nothing is offered.
    let installation = Installation::new(&records);
    let browser = installation.enter("no-default-answer", Person::AT_A_DESK).expect("a browser");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#description");
    let offered = browser.script("return !!document.getElementById('default-answer')");
    assert_eq!(offered, false);
}

/// 37.1: the market of scans that name none is chosen where a link is for one, and an edit of
/// something else keeps it.
#[test]
fn the_market_of_scans_that_name_none_is_chosen() {
    let plain = record(KEY, "https://brand.example/syrup", "Maple syrup");
    let market = r#"{"linkType":"gs1:pip","href":"https://brand.example/ca","title":"Canada","context":["CA"]},"#;
    let records = plain.replacen("\"links\":[", &format!("\"links\":[{market}"), 1);
    let records = format!("[{records}]");
    let installation = Installation::new(&records);
    let Some(browser) = installation.enter("market", Person::AT_A_DESK) else { return };
    let save = |browser: &Browser| {
        browser.find("#save").click();
        browser.wait_for_text("Saved.");
    };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#market-source").choose("country");
    save(&browser);
    let stored = installation.sandbox.export();
    assert!(stored.contains("\"contextFrom\":\"country\""), "{stored}");
    installation.go(&browser, &format!("record/{KEY}"));
    browser.expect_accessible();
    browser.find("#description").fill("Syrup of maples");
    save(&browser);
    let stored = installation.sandbox.export();
    assert!(stored.contains("\"contextFrom\":\"country\""), "{stored}");
    assert!(stored.contains("Syrup of maples"), "{stored}");
    browser.expect_no_complaints();
}

/// Sections 2.5.9 and 2.5.10: a company prefix and a range of batches are registered, and the
/// preview shows that they are used. RES-2.5.9-8, RES-2.5.9-10.
#[test]
fn section_2_5_9_anchors_are_registered_and_previewed() {
    let installation = Installation::new("");
    let Some(mut browser) = installation.enter("anchors", Person::AT_A_DESK) else { return };
    let register = |browser: &mut Browser, key: &str, batch: &str, page: &str| {
        installation.go(browser, "new");
        browser.find("#key").fill(key);
        if !batch.is_empty() {
            browser.find("#qualifiers summary").click();
            browser.find("#qualifier-10").fill(batch);
        }
        browser.find("#description").fill("Registered for many");
        browser.find("#link-1-href").fill(page);
        browser.find("#link-1-title").fill("For many");
        browser.find("#save").click();
        browser.wait_for_text("Saved.");
        browser.expect_accessible();
    };
    register(&mut browser, "/gcp/9506000", "", "https://brand.example/company");
    browser.picture("company");
    register(&mut browser, GTIN, "", "https://brand.example/product");
    register(&mut browser, GTIN, "A100 to A199", "https://brand.example/recall");
    browser.picture("range");
    let stored = installation.sandbox.export();
    for anchor in ["/gcp/9506000", "/01/09506000134352/-range/10/4/A100/A199"] {
        assert!(stored.contains(&format!("\"anchor\":\"{anchor}\"")), "{anchor}: {stored}");
    }
    for (key, page, sandbox) in [
        ("417/9506000134352", "https://brand.example/company", "9506000"),
        (KEY, "https://brand.example/product", GTIN),
        (&*format!("{KEY}/10/A150"), "https://brand.example/recall", "A199"),
        (&*format!("{KEY}/10/A200"), "https://brand.example/product", GTIN),
    ] {
        installation.go(&browser, &format!("preview/{key}"));
        browser.wait_for_text(page);
        let script = "return document.getElementById('location').innerText";
        assert_eq!(browser.script(script), page, "{key}");
        let steps = browser.script("return document.getElementById('steps').innerText");
        let steps = steps.as_str().expect("a text");
        assert!(steps.contains(sandbox), "{key}: {steps}");
        browser.picture("preview");
    }
    browser.expect_no_complaints();
}

/// A page for a time is not public before it begins, under no link type, and leaves nothing behind
/// when it is removed. RES-2.5.7-2.
#[test]
fn section_2_5_7_a_scheduled_page_stays_secret() {
    let records = format!("[{}]", record(KEY, "https://brand.example/syrup", "Maple syrup"));
    let installation = Installation::new(&records);
    let Some(mut browser) = installation.enter("scheduled", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#add-timed").click();
    browser
        .find("#default-links > li:last-child input[name=href]")
        .fill("https://brand.example/secret");
    browser.find("#default-links > li:last-child input[name=title]").fill("Win a trip");
    browser.picture("filled in");
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    let stored = installation.sandbox.export();
    assert_eq!(stored.matches("https://brand.example/secret").count(), 1, "{stored}");
    assert_eq!(stored.matches("validUntil").count(), 1, "{stored}");
    for link_type in ["linkset", "all", "gs1:pip", "gs1:defaultLink"] {
        let answer = installation.get(&format!("/{KEY}?linkType={link_type}"));
        let told = format!(
            "{:?} {:?} {}",
            answer.header("location"),
            answer.header("link"),
            answer.text()
        );
        assert!(!told.contains("secret"), "{link_type}: {told}");
    }

    // One card for the page, with its type; both links go with it.
    installation.go(&browser, &format!("record/{KEY}"));
    browser.find("#default-links > li:last-child button[id$=-remove]").click();
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    let stored = installation.sandbox.export();
    let links = json!([{"linkType": "gs1:pip", "href": "https://brand.example/syrup", "title": "Maple syrup", "default": true}]);
    let record =
        json!({"anchor": format!("/{KEY}"), "itemDescription": "Maple syrup", "links": links});
    assert_eq!(serde_json::from_str::<Value>(&stored).expect("one record"), record);
    browser.expect_no_complaints();
}

/// RES-2.5.7-2, RES-2.5.8-5: a campaign with a page in each language: who would get a page in
/// another language is said before saving, and the dates are given once.
#[test]
fn section_2_5_7_a_campaign_has_a_page_for_each_language() {
    let page = "https://brand.example/syrup";
    let link = |kind: &str, href: &str, more: &str| {
        format!(r#"{{"linkType":"gs1:{kind}","href":"{href}","title":"Maple syrup"{more}}}"#)
    };
    let french = r#","hreflang":["fr"]"#;
    let links = [
        link("defaultLink", page, ""),
        link("defaultLinkMulti", "https://brand.example/fr", french),
        link("pip", page, ""),
        link("pip", "https://brand.example/fr", french),
    ];
    let record = format!(r#"[{{"anchor":"/{KEY}","links":[{}]}}]"#, links.join(","));
    let installation = Installation::new(&record);
    let Some(mut browser) = installation.enter("campaign", Person::AT_A_DESK) else { return };
    installation.go(&browser, &format!("record/{KEY}"));
    browser.script("window.clicks = 0; addEventListener('click', (event) => { if (event.isTrusted) window.clicks += 1; }, true)");
    browser.find("#add-timed").click();
    browser.wait_for_text("Readers of French get this page too while it applies.");
    let timed = browser.script(
        "return [...document.querySelectorAll('#default-links li.card')].map((card) => card.id).at(-1)",
    );
    let timed = timed.as_str().expect("an id").to_owned();
    browser.find(&format!("#{timed}-href")).fill("https://brand.example/spring");
    browser.find(&format!("#{timed}-title")).fill("Spring");
    browser.find(&format!("#{timed}-for-fr")).click();
    let variant = browser.script(
        "return [...document.querySelectorAll('#variant-links li.card')].map((card) => card.id).at(-1)",
    );
    let variant = variant.as_str().expect("an id").to_owned();
    browser.find(&format!("#{variant}-href")).fill("https://brand.example/printemps");
    browser.wait_until(
        "nobody is left out",
        &format!("return !document.getElementById('{timed}-readers')"),
    );
    // A date of the campaign is that of its pages in other languages.
    let set = format!(
        "const at = document.getElementById('{timed}-until'); at.value = '2031-05-01T00:00'; at.dispatchEvent(new Event('input')); return document.getElementById('{variant}-until').value"
    );
    assert_eq!(browser.script(&set), "2031-05-01T00:00");
    browser.picture("languages");
    browser.expect_accessible();
    browser.find("#save").click();
    browser.wait_for_text("Saved.");
    let clicks = browser.script("return window.clicks").as_u64().expect("a number");
    assert!(clicks <= 15, "{clicks} clicks");
    let stored = installation.sandbox.export();
    for page in ["spring", "printemps"] {
        let link = format!(r#""href":"https://brand.example/{page}""#);
        assert_eq!(stored.matches(&link).count(), 1, "{stored}");
    }
    let until =
        browser.script("return new Date('2031-05-01T00:00').toISOString().replace('.000', '')");
    assert_eq!(stored.matches(until.as_str().expect("a time")).count(), 2, "{stored}");
    browser.expect_no_complaints();
}
