//! Documents that were imported as they are can be exported again: what Resolver CE can hold is the
//! same, up to the names of variables, the order of link types, and `und` for no language.

use std::collections::BTreeMap;

use fingerpost_ce::{CeDocument, CeExporter, CeLink, Fate};
use fingerpost_exchange::{ExportFormat, ExportOptions};
use proptest::prelude::*;

use crate::same_scans::documents;
use crate::samples::sample;
use crate::support::Fixture;

/// What is exported.
fn exported(fixture: &Fixture) -> Vec<CeDocument> {
    let mut exporter = CeExporter::new("2026-05-01T00:00:00Z".parse().unwrap());
    let mut documents = Vec::new();
    ExportOptions::new(ExportFormat::Json)
        .for_each(fixture.registry.store(), |entry| {
            documents.extend(exporter.convert(&entry));
            Ok(())
        })
        .unwrap();
    documents
}

/// A document with the names of variables that exports use, and its links in groups.
type Comparable = (String, String, BTreeMap<String, Vec<CeLink>>);

fn comparable(document: &CeDocument) -> (String, Comparable) {
    let names = [("10", "{lotnumber}"), ("21", "{serialnumber}"), ("22", "{cpv}")];
    let mut links = document.links.clone();
    let mut qualifiers = document.qualifiers.clone();
    for qualifier in qualifiers.iter_mut().filter(|q| q.value.starts_with('{')) {
        let (_, name) = names.iter().find(|(ai, _)| *ai == qualifier.ai).unwrap();
        for link in &mut links {
            link.href = link.href.replace(&qualifier.value, name);
        }
        qualifier.value = (*name).to_owned();
    }
    qualifiers.sort();
    let mut groups: BTreeMap<String, Vec<CeLink>> = BTreeMap::new();
    for mut link in links {
        // An undetermined language is no language.
        link.hreflang.retain(|tag| tag != "und");
        groups.entry(link.link_type.clone()).or_default().push(link);
    }
    let contents = (document.item_description.clone(), document.default_link_type.clone(), groups);
    (format!("{} {qualifiers:?}", document.anchor), contents)
}

/// Imports documents, and compares what is exported with those that were imported as they are.
fn check(documents: &[CeDocument]) {
    let fixture = Fixture::new();
    let file = serde_json::to_vec(documents).unwrap();
    let imported = fixture.import(&[&file]);
    let found: BTreeMap<_, _> = exported(&fixture).iter().map(comparable).collect();
    for outcome in &imported.outcomes {
        let is_whole = matches!(outcome.fate, Fate::Imported | Fate::Merged)
            || outcome.reasons.iter().all(|reason| reason.id == "key-record");
        if is_whole && !matches!(outcome.fate, Fate::Quarantined | Fate::Refused) {
            let at = usize::try_from(outcome.position.record).unwrap() - 1;
            let (level, expected) = comparable(&documents[at]);
            assert_eq!(found.get(&level), Some(&expected), "{level}");
        }
    }
    // What is exported can be imported again, and is the same.
    let again = Fixture::new();
    let file = serde_json::to_vec(&exported(&fixture)).unwrap();
    assert_eq!(again.import(&[&file]).count(Fate::Quarantined), 0);
    let twice: BTreeMap<_, _> = exported(&again).iter().map(comparable).collect();
    assert_eq!(twice, found);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn documents_come_back(documents in documents()) {
        check(&documents);
    }
}

#[test]
fn samples_come_back() {
    let samples =
        ["data_entry_example.json", "data_entry_v3_format.json", "test_01_09506000134376.json"];
    for name in samples {
        let Some(file) = sample(name) else { continue };
        check(&serde_json::from_slice::<Vec<CeDocument>>(&file).unwrap());
    }
    for name in ["test_01_09506000134352.json", "test_8004_0950600013430000001.json"] {
        let Some(file) = sample(name) else { continue };
        check(&[serde_json::from_slice(&file).unwrap()]);
    }
    let Some(file) = sample("test_8004_095060001343.json") else { return };
    let fixture = Fixture::new();
    fixture.import(&[&file]);
    let pattern: CeDocument = serde_json::from_slice(&file).unwrap();
    assert_eq!(exported(&fixture), [pattern]);
}

/// Links that Resolver CE would serve although they are not valid are left out, and counted.
#[test]
fn what_resolver_ce_cannot_hold_is_counted() {
    let fixture = Fixture::new();
    let records = [
        r#"{"anchor":"/01/09506000134352","links":[
            {"linkType":"gs1:defaultLink","href":"https://example.com/p","title":"Tea"},
            {"linkType":"gs1:pip","href":"https://example.com/p","title":"Tea"},
            {"linkType":"gs1:epil","href":"https://example.com/old","title":"Old","validUntil":"2020-01-01T00:00:00Z"},
            {"linkType":"license","href":"https://example.com/l","title":"License"}]}"#,
        r#"{"anchor":"/01/09506000134352/10/L1","links":[
            {"linkType":"gs1:traceability","href":"https://example.com/{10}","title":"Lot"}]}"#,
        r#"{"anchor":"/01/09506000134352/-range/10/2/A1/A9","links":[
            {"linkType":"gs1:traceability","href":"https://example.com/{10}","title":"Lot"}]}"#,
    ];
    fixture.register(&records);
    let mut exporter = CeExporter::new("2026-05-01T00:00:00Z".parse().unwrap());
    let mut documents = Vec::new();
    ExportOptions::new(ExportFormat::Json)
        .for_each(fixture.registry.store(), |entry| {
            documents.extend(exporter.convert(&entry));
            Ok(())
        })
        .unwrap();
    let left_out = exporter.left_out();
    let kinds = ["links not in force", "links of types other", "records of company prefixes"];
    assert_eq!(left_out.len(), kinds.len());
    for ((what, count), kind) in left_out.iter().zip(kinds) {
        assert!(what.starts_with(kind) && *count == 1, "{what}: {count}");
    }
    assert_eq!(documents.len(), 2);
    // Resolver CE inherits nothing: the lot has the default link of its key.
    assert_eq!(documents[1].default_link_type, "gs1:pip");
    let hrefs: Vec<_> = documents[1].links.iter().map(|link| link.href.as_str()).collect();
    assert_eq!(hrefs, ["https://example.com/L1", "https://example.com/p"]);
}
