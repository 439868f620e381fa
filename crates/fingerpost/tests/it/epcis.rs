//! EPCIS (35.4): `check --epcis` checks the identifiers of a document, and a link can lead to the
//! repository of events.

use crate::support;

use fingerpost_testkit::Ask;
use serde_json::Value;
use support::{Sandbox, Server, run, run_with_input};

const SHIPMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/epcis-shipment.jsonld");

/// 35.4: each EPC and Digital Link of an EPCIS document is checked, each finding with its place.
#[test]
fn identifiers_of_an_epcis_document_are_checked() {
    let found = run(["check", "--json", "--epcis", SHIPMENT]).expect_status(1).events();
    let code = |found: &Value, list: &str| found[list][0]["code"].as_str().map(str::to_owned);
    let marked: Vec<(&str, u64, String)> = found
        .iter()
        .filter_map(|one| {
            let code = code(one, "faults").or_else(|| code(one, "warnings"))?;
            Some((one["pointer"].as_str()?, one["line"].as_u64()?, code))
        })
        .collect();
    let expected = [
        ("/epcisBody/eventList/0/childEPCs/1", 34, "L_INCORRECT_CHECK_DIGIT"),
        ("/epcisBody/eventList/0/childEPCs/2", 35, "EPCIS_ROLE"),
        ("/epcisBody/eventList/0/childQuantityList/1/epcClass", 40, "EPCIS_ROLE"),
        ("/epcisBody/eventList/0/childQuantityList/2/epcClass", 41, "NO_URI"),
        ("/epcisBody/eventList/0/bizLocation/id", 44, "EPCIS_ROLE"),
        ("/epcisBody/eventList/0/bizTransactionList/1/bizTransaction", 47, "UNEXPECTED_CHARACTER"),
        ("/epcisBody/eventList/0/destinationList/0/destination", 50, "BAD_GCP_LENGTH"),
        ("/epcisBody/eventList/1/inputEPCList/0", 64, "UNKNOWN_SCHEME"),
        ("/epcisBody/eventList/1/outputEPCList/0", 66, "NO_URI"),
    ]
    .map(|(pointer, line, code)| (pointer, line, code.to_owned()));
    assert_eq!(marked, expected);
    let at = |pointer: &str| found.iter().find(|one| one["pointer"] == pointer);
    let escaped = at("/epcisBody/eventList/1/example:a~1b~0c/epcList/0").expect("an extension");
    assert_eq!(escaped["item"]["element_string"], "(8004)952000151S1");
    let place = at("/epcisBody/eventList/1/readPoint/id").expect("a place");
    assert_eq!((&place["kind"], &place["valid"]), (&"other-uri".into(), &true.into()));

    let told = run(["check", "--epcis", SHIPMENT]).expect_status(1).stdout;
    let place = format!("{SHIPMENT}:34: /epcisBody/eventList/0/childEPCs/1\n");
    assert!(told.contains(&place), "{told}");
    let end = format!("{SHIPMENT}: 25 identifiers: 17 valid, 6 invalid, 2 not of GS1\n");
    assert!(told.ends_with(&end), "{told}");
}

/// 35.4: exit statuses are those of `check`, and nothing that is no EPCIS document passes for one.
#[test]
fn documents_without_faults_and_without_identifiers() {
    let check = |json: &str| run_with_input(["check", "--epcis", "-"], json.as_bytes());
    let good = r#"{"type":"ObjectEvent","epcList":["https://id.gs1.org/01/09520123456788/21/1"]}"#;
    let found = check(good).expect_status(0);
    assert_eq!(found.stdout, "standard input: 1 identifier: 1 valid\n");
    for (input, expected) in [
        (r#"{"name":"x"}"#, "has no identifiers"),
        ("<epcis:EPCISDocument/>", "found XML"),
        (r#"{"epcList":["urn:epc:id"#, "EOF while parsing a string at line 1 column 23"),
    ] {
        let found = check(input).expect_status(2);
        assert!(found.stderr.contains(expected), "{}", found.stderr);
    }
    let found = run(["check", "--epcis", "no-such-file.json"]).expect_status(2);
    assert!(found.stderr.contains("cannot read no-such-file.json"), "{}", found.stderr);
    run(["check", "--epcis", SHIPMENT, "9520123456788"]).expect_status(2);
}

/// 35.4: a link of type `gs1:epcis` leads to a repository of events, and is listed.
#[test]
fn a_link_leads_to_the_epcis_repository() {
    const KEY: &str = "/01/09520123456788";
    const REPOSITORY: &str = "https://epcis.example.com/events";
    let sandbox = Sandbox::new();
    let record = serde_json::json!({"anchor": KEY, "itemDescription": "An item", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://example.com/", "title": "Page"},
        {"linkType": "gs1:pip", "href": "https://example.com/", "title": "Page"},
        {"linkType": "gs1:epcis", "href": REPOSITORY, "title": "Events"},
    ]});
    sandbox.import(&record.to_string()).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    let answer = server.get(&format!("{KEY}/21/A1?linkType=gs1:epcis"));
    let location = format!("{REPOSITORY}?linkType=gs1:epcis");
    assert_eq!((answer.status, answer.header("location")), (307, Some(location)));
    let linkset = Ask::get(&format!("{KEY}?linkType=linkset"));
    let answer = server.send(&linkset.header("Accept", "application/linkset+json"));
    let linkset = answer.json().expect("a linkset in JSON");
    let listed = &linkset["linkset"][0]["https://ref.gs1.org/voc/epcis"];
    assert_eq!(listed[0]["href"], REPOSITORY, "{linkset}");
    assert_eq!(listed[0]["title"], "Events");
    server.stop();
}
