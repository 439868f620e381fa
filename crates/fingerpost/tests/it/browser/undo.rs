//! What an import replaces, said before it; and imports, deletions and recalls that are taken back
//! from the message and from the list (PE-17).

use super::installation::{Installation, KEY, record};
use super::session::Person;

const OTHER: &str = "01/09506000134369";

/// A record with a name, a French page and a campaign.
fn rich() -> String {
    let mut rich: serde_json::Value =
        serde_json::from_str(&record(KEY, "https://brand.example/syrup", "Maple syrup"))
            .expect("JSON");
    let links = rich["links"].as_array_mut().expect("links");
    links.push(serde_json::json!({
        "linkType": "gs1:pip", "href": "https://brand.example/sirop", "title": "Sirop d'érable",
        "hreflang": ["fr"]
    }));
    links.push(serde_json::json!({
        "linkType": "gs1:promotion", "href": "https://brand.example/sale", "title": "Summer sale",
        "validFrom": "2026-06-01T00:00:00Z", "validUntil": "2026-07-01T00:00:00Z"
    }));
    rich.to_string()
}

#[test]
fn an_import_shows_losses_keeps_the_rest_and_is_taken_back() {
    let installation = Installation::new(&format!("[{}]", rich()));
    let Some(mut browser) = installation.enter("import-undone", Person::AT_A_DESK) else { return };
    let before = installation.sandbox.export();
    let file = "GTIN,Web address\n9506000134352,https://brand.example/new\n9506000134369,https://brand.example/other\n";
    let file = installation.sandbox.write("addresses.csv", file);
    installation.go(&browser, "import");
    browser.find("#import-file").type_in(file.to_str().expect("text"));
    browser.find("#import-check").click();
    browser.wait_for_text("1 record loses something that it has now.");
    browser.wait_for_text("Summer sale");
    browser.wait_for_text("Sirop d'érable");
    // The loss is said before the button that makes it happen.
    let is_before = "const follows = document.getElementById('import-losing').compareDocumentPosition(document.getElementById('import-go')); return !!(follows & Node.DOCUMENT_POSITION_FOLLOWING)";
    assert_eq!(browser.script(is_before), true);
    browser.picture("losses");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.find("#import-keep").click();
    browser.wait_for_text("Replace whole records");
    assert!(!browser.page_text().contains("loses something"), "{}", browser.page_text());
    browser.picture("kept");
    browser.find("#import-go").click();
    browser.wait_for_text("Imported");
    let after = installation.sandbox.export();
    for part in ["https://brand.example/new", "Summer sale", "Sirop", "https://brand.example/other"]
    {
        assert!(after.contains(part), "{part}: {after}");
    }
    // Taken back from the message, and that from its own message.
    browser.find("#import-report .actions button").click();
    browser.wait_for_text("Undone.");
    assert_eq!(installation.sandbox.export(), before);
    browser.find("#status button").click();
    browser.wait_until(
        "it is done again",
        "return document.querySelectorAll('#status button').length === 1 && !document.querySelector('[aria-busy]')",
    );
    assert_eq!(installation.sandbox.export(), after);
    // From the history of a record, the whole import.
    installation.go(&browser, &format!("history/{KEY}"));
    browser.wait_for_text("Undo all of it (Undo: 1 new, 1 changed)");
    browser.picture("history");
    browser.expect_accessible();
    // And from the list of everything.
    installation.go(&browser, "changes");
    browser.wait_for_text("Import: 1 new, 1 changed");
    browser.picture("list");
    browser.expect_accessible();
    browser.find("#change-sets tbody tr:first-child button").click();
    browser.wait_until(
        "it is undone",
        "return /Undo: 1 changed, 1 deleted/.test(document.querySelector('#change-sets tbody tr').innerText)",
    );
    assert_eq!(installation.sandbox.export(), before);
    browser.expect_no_complaints();
}

#[test]
fn deletions_are_found_and_undone_and_recalls_are_on_a_board() {
    let records = [
        record(KEY, "https://brand.example/syrup", "Maple syrup"),
        record(&format!("{KEY}/10/A"), "https://brand.example/a", "Lot A"),
        record(OTHER, "https://brand.example/tea", "Green tea"),
    ];
    let installation = Installation::new(&format!("[{}]", records.join(",")));
    let Some(mut browser) = installation.enter("board", Person::WITH_A_PHONE) else { return };
    let before = installation.sandbox.export();
    // Deleted records have a filter.
    let key = installation.sandbox.key(&["--verb", "read,write"]);
    let agent = ureq::Agent::config_builder().proxy(None).build().new_agent();
    let token = format!("Bearer {key}");
    let rows = format!("{{\"delete\":\"/{KEY}/10/A\"}}\n{{\"delete\":\"/{KEY}\"}}");
    let batch = agent.post(installation.api("/v1/batch")).content_type("application/jsonl");
    assert_eq!(batch.header("authorization", &token).send(rows).expect("an answer").status(), 200);
    installation.go(&browser, "records?recalled=deleted");
    browser.wait_for_text("Maple syrup");
    browser.wait_for_text("Lot A");
    assert!(!browser.page_text().contains("Green tea"), "{}", browser.page_text());
    browser.picture("deleted");
    browser.expect_accessible();
    installation.go(&browser, "changes");
    browser.wait_for_text("Deletion: 2 deleted");
    browser.find("#change-sets tbody tr:first-child button").click();
    browser.wait_for_text("Undone.");
    assert_eq!(installation.sandbox.export(), before);
    // What is recalled, since when and by whom; all of it ended, and that undone.
    installation.go(&browser, "recalls");
    browser.find("#no-recalls");
    let body = format!(
        r#"{{"keys":["/{KEY}/10/A","/{OTHER}"],"notices":[{{"href":"https://brand.example/r","title":"Recall"}}]}}"#
    );
    let recall = agent.post(installation.api("/v1/recalls")).content_type("application/json");
    assert_eq!(recall.header("authorization", &token).send(body).expect("an answer").status(), 200);
    let recalled = installation.sandbox.export();
    installation.go(&browser, "records");
    installation.go(&browser, "recalls");
    browser.wait_for_text("Green tea");
    browser.picture("recalls");
    browser.expect_accessible();
    browser.expect_no_sideways_scrolling();
    browser.find("#end-all").click();
    browser.wait_for_text("End all 2 recalls?");
    browser.find("#confirm").click();
    browser.find("#no-recalls");
    assert_eq!(installation.sandbox.export(), before);
    browser.find("#status button").click();
    browser.wait_for_text("Green tea");
    assert_eq!(installation.sandbox.export(), recalled);
    // One of them ended, and the deletion of its record undone from its message (41.2).
    browser.find(&format!("[id='end-{OTHER}']")).click();
    browser.wait_for_text("End the recall?");
    browser.find("#confirm").click();
    browser.wait_until(
        "one recall is left",
        "return document.querySelectorAll('#recalls tbody tr').length === 1",
    );
    let ended = installation.sandbox.export();
    installation.go(&browser, &format!("record/{OTHER}"));
    browser.find("#delete").click();
    browser.find("#confirm").click();
    browser.wait_for_text("Deleted.");
    assert!(!installation.sandbox.export().contains("Green tea"));
    browser.find("#status button").click();
    browser.wait_for_text("Undone.");
    assert_eq!(installation.sandbox.export(), ended);
    browser.picture("undone");
    browser.expect_no_complaints();
}
