//! Every document ends in the report, and in the file of quarantined ones if somebody has to
//! correct it.

#[cfg(feature = "bson")]
use bson::doc;
use fingerpost_ce::Fate;
use serde_json::{Value, json};

use crate::support::{Fixture, Scan};

const KEY: &str = "/01/09506000134352";

fn document(anchor: &str, qualifiers: &Value, href: &str) -> Value {
    json!({"anchor": anchor, "itemDescription": "Tea", "defaultLinktype": "gs1:pip",
        "qualifiers": qualifiers,
        "links": [{"linktype": "gs1:pip", "href": href, "title": "Page", "hreflang": ["en"]}]})
}

fn lines(documents: &[Value]) -> Vec<u8> {
    documents.iter().map(|document| format!("{document}\n")).collect::<String>().into_bytes()
}

#[test]
fn quarantined_documents_can_be_corrected_and_imported() {
    let fixture = Fixture::new();
    let file = lines(&[
        document("/01/09506000134353", &json!([]), "https://example.com/key"),
        document("/01/09506000134353", &json!([{"10": "L1"}]), "https://example.com/lot"),
        json!({"anchor": KEY}),
    ]);
    let imported = fixture.import(&[&file, b"{\"anchor\":\n"]);
    assert_eq!((imported.count(Fate::Quarantined), imported.count(Fate::Refused)), (2, 2));
    assert_eq!(imported.totals.accepted, 0);
    // The whole file is corrected: the check digit.
    let kept: Vec<Vec<u8>> = imported
        .outcomes
        .iter()
        .filter(|outcome| outcome.fate == Fate::Quarantined)
        .map(|outcome| outcome.document.clone().unwrap())
        .collect();
    let corrected = String::from_utf8(kept.join(&b'\n')).unwrap().replace("134353", "134352");
    let imported = fixture.import(&[corrected.as_bytes()]);
    assert_eq!(imported.count(Fate::Imported), 2);
    let found = fixture.scan("/01/09506000134352/10/L1", None);
    assert_eq!(found, Scan::To("https://example.com/lot".to_owned()));
}

#[test]
fn what_depends_on_a_quarantined_key_is_quarantined() {
    let fixture = Fixture::new();
    let file = lines(&[
        document(KEY, &json!([]), "no address"),
        document(KEY, &json!([{"10": "L1"}]), "https://example.com/lot"),
    ]);
    let fates = fixture.import(&[&file]).fates();
    assert_eq!(fates[1].1, "quarantined");
    assert_eq!(fates[1].2, ["key-quarantined"]);
    // The key has been registered since.
    fixture.import(&[&lines(&[document(KEY, &json!([]), "https://example.com/key")])]);
    let imported = fixture.import(&[&file]);
    assert_eq!((imported.count(Fate::Quarantined), imported.count(Fate::Imported)), (1, 1));
}

#[test]
fn a_key_without_a_document_gets_a_record() {
    let fixture = Fixture::new();
    let lot = document(KEY, &json!([{"10": "L1"}]), "https://example.com/lot");
    assert_eq!(fixture.import(&[&lines(std::slice::from_ref(&lot))]).fates()[0].2, ["key-record"]);
    let before = fixture.export();
    // A second import changes nothing, and does not replace the record of the key.
    let again = fixture.import(&[&lines(&[lot])]);
    assert_eq!((again.totals.unchanged, again.totals.created), (1, 0));
    assert_eq!(fixture.export(), before);
}

#[test]
fn inactive_links_are_kept_and_not_served() {
    let fixture = Fixture::new();
    let mut tea = document(KEY, &json!([]), "https://example.com/a");
    tea["links"].as_array_mut().unwrap().push(json!({"linktype": "gs1:pip",
        "href": "https://example.com/b", "title": "Old", "active": false}));
    let imported = fixture.import(&[&lines(std::slice::from_ref(&tea))]);
    assert_eq!(imported.fates()[0].2, ["inactive-link"]);
    assert!(fixture.export().contains("https://example.com/b"));
    for target in [KEY.to_owned(), format!("{KEY}?linkType=gs1:pip")] {
        assert_eq!(fixture.scan(&target, None), Scan::To("https://example.com/a".to_owned()));
    }
    tea["active"] = false.into();
    let imported = Fixture::new().import(&[&lines(&[tea])]);
    assert_eq!(imported.fates()[0].2, ["inactive"]);
}

/// What `bsondump` writes: extended JSON, canonical by default, one document on each line.
#[test]
fn the_json_of_bsondump_is_read() {
    let stored = |value: &str| {
        json!({"_id": format!("01_{value}"), "defaultLinktype": "gs1:pip",
        "version": {"$numberInt": "1"}, "at": {"$date": {"$numberLong": "1700000000000"}},
        "data": [{"qualifiers": [{"10": "L1"}], "linkset": [{"anchor": format!("/01/{value}"),
        "itemDescription": "Tea", "https://gs1.org/voc/pip": [{"href": "https://example.com/a",
        "title": "Page", "type": null, "hreflang": ["en"]}]}]}]})
    };
    let fixture = Fixture::new();
    let imported = fixture.import(&[&lines(&["09506000134352", "09506000134376"].map(stored))]);
    assert_eq!(imported.count(Fate::Repaired), 2, "their keys get records: {imported:?}");
    assert_eq!(fixture.export().lines().count(), 4);
}

#[cfg(feature = "bson")]
#[test]
fn a_dump_and_its_json_are_the_same() {
    let stored = |value: &str, href: &str| {
        doc! {"_id": format!("01_{value}"), "defaultLinktype": "gs1:pip", "data": [
        {"qualifiers": [], "linkset": [{"anchor": format!("/01/{value}"), "itemDescription": "Tea",
        "https://gs1.org/voc/defaultLink": {"href": href, "title": "Page"},
        "https://gs1.org/voc/pip": [{"href": href, "title": "Page", "type": "text/html",
        "hreflang": ["en"]}]}]}]}
    };
    let keys = [
        stored("09506000134352", "https://example.com/a"),
        stored("09506000134376", "https://example.com/b"),
    ];
    let dump: Vec<u8> = keys.iter().flat_map(|key| key.to_vec().unwrap()).collect();
    let json: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
    let (one, other) = (Fixture::new(), Fixture::new());
    assert_eq!(one.import(&[&dump]).count(Fate::Imported), 2);
    assert_eq!(other.import(&[json.join("\n").as_bytes()]).count(Fate::Imported), 2);
    assert_eq!(one.export(), other.export());
    assert!(!one.export().is_empty());
}

/// Reads of a running Resolver CE return links twice that were posted twice.
#[test]
fn doubled_answers_are_one_record() {
    let mut tea = document(KEY, &json!([]), "https://example.com/a");
    let doubled = tea["links"][0].clone();
    tea["links"].as_array_mut().unwrap().push(doubled);
    let answer = json!({"response_status": 200, "data": [tea, tea]}).to_string();
    let fixture = Fixture::new();
    let imported = fixture.import_by(|documents| {
        documents.read_answer(0, 1, answer.as_bytes()).unwrap();
        documents.refuse_key(0, 2, "/01/1", "the data-entry API answered 500".to_owned());
    });
    assert_eq!((imported.count(Fate::Merged), imported.count(Fate::Refused)), (2, 1));
    assert_eq!(fixture.export().matches("\"gs1:pip\"").count(), 1);
}

/// Forty megabytes, in the order in which they are not registered.
#[test]
fn more_documents_than_fit_into_memory_are_sorted_in_a_file() {
    const LOTS: usize = 700;
    let fixture = Fixture::new();
    let page = "x".repeat(1_900);
    let documents = (0..LOTS).map(|lot| {
        let lot = (lot * 101) % LOTS;
        let mut document =
            document(KEY, &json!([{"10": format!("{lot:04}")}]), "https://example.com/lot");
        let links = (0..30).map(|number| {
            json!({"linktype": "gs1:epil", "href": format!("https://example.com/{number}{page}"),
                "title": "Page"})
        });
        document["links"].as_array_mut().unwrap().extend(links);
        document
    });
    let imported = fixture.import(&[&lines(&documents.collect::<Vec<_>>())]);
    assert_eq!(imported.outcomes.len(), LOTS);
    assert_eq!(imported.count(Fate::Quarantined), 0, "{:?}", imported.outcomes[0]);
    assert_eq!(imported.totals.created, LOTS as u64 + 1, "with the record of the key");
}

/// A key of 16 MiB, as MongoDB can store it, has thousands of qualifier sets; each is a record.
#[test]
fn a_key_can_be_as_large_as_resolver_ce_stores_it() {
    const SETS: usize = 9_000;
    let page = format!("https://example.com/{}", "x".repeat(1_700));
    let sets = (0..SETS).map(|lot| {
        json!({"qualifiers": [{"10": format!("{lot:05}")}], "linkset": [{"itemDescription": "Tea",
        "https://gs1.org/voc/pip": [{"href": page, "title": "Page", "hreflang": ["en"]}]}]})
    });
    let sets: Vec<Value> = sets.collect();
    let key = json!({"_id": "01_09506000134352", "defaultLinktype": "gs1:pip", "data": sets});
    let text = serde_json::to_string_pretty(&key).unwrap();
    assert!((16 << 20..20 << 20).contains(&text.len()), "{}", text.len());
    let fixture = Fixture::new();
    let imported = fixture.import(&[text.as_bytes()]);
    assert_eq!(imported.totals.created, SETS as u64 + 1, "with the record of the key");
    // Larger ones are refused, and do not end the file.
    let large = format!("{{\"a\":\"{}\"}}\n", "x".repeat(32 << 20));
    let tea = document(KEY, &json!([]), "https://example.com/tea").to_string();
    let imported = Fixture::new().import(&[(large + &tea).as_bytes()]);
    assert_eq!((imported.count(Fate::Refused), imported.count(Fate::Imported)), (1, 1));
    assert!(imported.outcomes[0].reasons[0].message.contains("larger than the limit"));
}

/// What is merged is held in memory, so it has a limit; the rest is kept in the file to correct.
#[test]
fn documents_of_one_anchor_are_merged_up_to_a_limit() {
    const DOCUMENTS: usize = 700;
    let page = "x".repeat(1_900);
    let mut tea = document(KEY, &json!([]), "https://example.com/tea");
    let links = (0..30).map(|number| {
        json!({"linktype": "gs1:epil", "href": format!("https://example.com/{number}{page}"),
            "title": "Page", "context": [number.to_string()]})
    });
    tea["links"].as_array_mut().unwrap().extend(links);
    let line = format!("{tea}\n");
    let merged = (32 << 20) / line.len();
    let imported = Fixture::new().import(&[line.repeat(DOCUMENTS).as_bytes()]);
    let quarantined = imported.count(Fate::Quarantined);
    assert!((DOCUMENTS - merged..DOCUMENTS).contains(&quarantined), "{quarantined}");
    assert_eq!(imported.count(Fate::Merged), DOCUMENTS - quarantined);
    assert_eq!(imported.totals.created, 1);
}
