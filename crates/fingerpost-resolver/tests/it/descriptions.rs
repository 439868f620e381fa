//! The description of an item in several languages.

use fingerpost_resolver::{
    Entry, ReaderLanguages, Rules, Vocabulary, patch_record, read_record, record_with_rest,
    write_record,
};

const LINKS: &str = r#""links":[{"linkType":"gs1:pip","href":"https://example.com/p","title":"T","hreflang":["en"]}]"#;

fn record(members: &str) -> String {
    format!(r#"{{"anchor":"/01/09520123456788/10/A",{members}{LINKS}}}"#)
}

fn entry(members: &str) -> Entry {
    let vocabulary = Vocabulary::builtin();
    read_record(record(members).as_bytes(), &Rules::new(&vocabulary)).expect("a record").entry
}

const TEA: &str = r#""itemDescription":"Tea","itemDescriptions":{"de":"Tee","fr":"Thé"},"#;

/// PE-15, PE-29: the name in the language of the reader, else the one for everybody.
#[test]
fn a_reader_gets_the_name_in_their_language() {
    let entry = entry(TEA);
    assert_eq!(write_record(&entry), record(TEA));
    let decoded = Entry::decode(entry.anchor().clone(), &entry.encode()).expect("an entry");
    assert_eq!(decoded, entry);
    assert_eq!(entry.item_description(), Some("Tea"));
    for (accept_language, expected) in [
        ("", ("Tea", None)),
        ("en", ("Tea", None)),
        ("ja", ("Tea", None)),
        ("fr-CH", ("Thé", Some("fr"))),
        ("en, fr;q=0.5", ("Thé", Some("fr"))),
        ("DE-at", ("Tee", Some("de"))),
        ("de, fr", ("Tee", Some("de"))),
        ("*", ("Tea", None)),
        ("fr;q=0", ("Tea", None)),
    ] {
        let languages = ReaderLanguages::read(accept_language.as_bytes());
        assert_eq!(entry.description_for(&languages), Some(expected), "{accept_language}");
    }
}

/// PE-15: what is changed and what stays.
#[test]
fn descriptions_are_merged_and_patched_by_language() {
    let other = entry(r#""itemDescription":"Herb tea","itemDescriptions":{"fr":"Tisane"},"#);
    let kept = record_with_rest(&entry(TEA), &other, |_| false);
    let expected = r#""itemDescription":"Herb tea","itemDescriptions":{"de":"Tee","fr":"Tisane"},"#;
    assert_eq!(kept, record(expected));
    let patch = r#"{"itemDescriptions": {"de": null, "es": "Té"}}"#;
    let patched = patch_record(&entry(TEA), patch.as_bytes()).expect("a record");
    let vocabulary = Vocabulary::builtin();
    let patched = read_record(patched.as_bytes(), &Rules::new(&vocabulary)).expect("a record");
    let expected = r#""itemDescription":"Tea","itemDescriptions":{"es":"Té","fr":"Thé"},"#;
    assert_eq!(write_record(&patched.entry), record(expected));
    assert_ne!(entry(TEA), entry(r#""itemDescription":"Tea","#));
}

/// PE-15: each fault is at its language.
#[test]
fn faults_of_descriptions_name_the_language() {
    let vocabulary = Vocabulary::builtin();
    let many: Vec<_> = (0..33).map(|at| format!(r#""x-{at}":"T""#)).collect();
    let many = format!(r#"{{{}}}"#, many.join(","));
    let long = ["de", "en", "es", "fr", "it"];
    let long = long.map(|tag| format!(r#""{tag}":"{}""#, "T".repeat(1_700)));
    let long = format!(r#"{{{}}}"#, long.join(","));
    for (descriptions, pointer) in [
        (r#"{"fr":" "}"#, "/itemDescriptions/fr"),
        (r#"{"fr":1}"#, "/itemDescriptions/fr"),
        (r#"{"fr":"a\nb"}"#, "/itemDescriptions/fr"),
        (r#"{"français":"a"}"#, "/itemDescriptions/français"),
        (r#"{"fr":"a","FR":"b"}"#, "/itemDescriptions/FR"),
        (r#"["fr"]"#, "/itemDescriptions"),
        (&many, "/itemDescriptions"),
        (&long, "/itemDescriptions"),
    ] {
        let json = record(&format!(r#""itemDescription":"T","itemDescriptions":{descriptions},"#));
        let refused = read_record(json.as_bytes(), &Rules::new(&vocabulary)).unwrap_err();
        let found: Vec<_> = refused.faults.iter().map(|fault| fault.pointer()).collect();
        assert_eq!(found, [pointer], "{descriptions}");
    }
    let alone = record(r#""itemDescriptions":{"fr":"Thé"},"#);
    let refused = read_record(alone.as_bytes(), &Rules::new(&vocabulary)).unwrap_err();
    assert_eq!(refused.faults[0].pointer(), "/itemDescriptions");
}
