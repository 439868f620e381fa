//! What is written is read as the same records.

use std::io::Cursor;

use fingerpost_resolver::{Rules, Vocabulary, read_record, write_record};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};

use super::*;
use crate::sheet::{CheckedRows, Recognised, SheetOptions, read, recognise};

/// Reads the records of a file; a refused one is its faults.
fn records(file: Vec<u8>, rules: &Rules<'_>) -> Vec<String> {
    let Recognised::Sheet(sheet) =
        recognise(Box::new(Cursor::new(file)), &SheetOptions::default()).unwrap()
    else {
        panic!("not a sheet");
    };
    let mut found = Vec::new();
    let mut take = |records: Vec<CheckedRows>, _| {
        found.extend(records.into_iter().map(|(_, result)| match result {
            Ok(accepted) => write_record(&accepted.entry),
            Err(refused) => format!("{refused:?}"),
        }));
        true
    };
    assert!(read("test", *sheet, &std::env::temp_dir(), rules, &mut take).unwrap());
    found
}

fn csv(entries: &[Entry], language: TitleLanguage) -> Vec<u8> {
    let mut file = Vec::new();
    let mut out = CsvWriter::new(&mut file).unwrap();
    titles(&mut out, language).unwrap();
    for own in entries {
        entry(&mut out, own).unwrap();
    }
    file
}

fn xlsx(entries: &[Entry], language: TitleLanguage) -> Vec<u8> {
    let mut out = XlsxWriter::new(std::env::temp_dir()).unwrap();
    titles(&mut out, language).unwrap();
    for own in entries {
        entry(&mut out, own).unwrap();
    }
    let mut file = Vec::new();
    out.finish(&mut file).unwrap();
    file
}

/// Texts that spreadsheet programs, quotation and the guard take for something else.
fn label() -> impl Strategy<Value = String> {
    let nasty = [
        "=1+1",
        "'=1",
        "''+",
        "+49 30",
        "-",
        "@x",
        "a\"b",
        "\"",
        " a ",
        ",",
        ";",
        "x,y;z",
        "é日😀",
        "TRUE",
        "007",
        "1E5",
        "2026-05-01",
        "_x0041_",
        "<b>&amp;",
        "\u{a0}x\u{3000}",
        "＝1",
        "\u{ffff}",
        "\u{2028}",
    ];
    prop_oneof![
        prop::sample::select(nasty.to_vec()).prop_map(str::to_owned),
        "[ =,;'\"a-c|é]{1,8}",
        "\\PC{1,8}"
    ]
}

fn link() -> impl Strategy<Value = Value> {
    let types = [
        "gs1:pip",
        "gs1:recipeInfo",
        "https://ref.gs1.org/voc/traceability",
        "license",
        "payment",
        "help",
        "gs1:defaultLinkMulti",
    ];
    let instant = || {
        prop::option::of(0_i64..4_000_000_000).prop_map(|second| {
            second.map(|second| jiff::Timestamp::from_second(second).unwrap().to_string())
        })
    };
    (
        prop::sample::select(types.to_vec()),
        "https://example\\.com/[a-z=,;'&?-]{0,10}",
        label(),
        prop::option::of(prop::sample::select(vec!["text/html", "application/ld+json"])),
        prop::collection::vec(prop::sample::select(vec!["en", "fr-CA", "zh-Hant"]), 0..3),
        prop::collection::vec(label(), 0..3),
        (instant(), instant()).prop_map(|(from, until)| if from > until { (until, from) } else { (from, until) }),
    )
        .prop_map(|(link_type, href, title, media_type, hreflang, context, (from, until))| {
            let mut link = json!({"linkType": link_type, "href": href, "title": title, "hreflang": hreflang, "context": context});
            let optional = [("type", media_type.map(str::to_owned)), ("validFrom", from), ("validUntil", until)];
            for (name, value) in optional {
                if let Some(value) = value {
                    link[name] = value.into();
                }
            }
            link
        })
}

fn record() -> impl Strategy<Value = Vec<u8>> {
    let anchors = [
        "/01/09520123456788",
        "/gcp/9520123",
        "/414/9520123456788",
        "/01/09520123456788/10/A%2FB",
        "/01/09520123456788/10/=1",
        "/01/09520123456788/-any/10",
        "/01/09520123456788/-range/10/4/A100/A199",
    ];
    let answer = prop::option::of(prop::sample::select(vec!["linkset", "gs1:defaultLink"]));
    let parts = (
        prop::sample::select(anchors.to_vec()),
        prop::option::of(label()),
        answer,
        prop::collection::vec(link(), 1..5),
        any::<bool>(),
    );
    parts.prop_map(|(anchor, description, answer, mut links, with_default)| {
        if with_default || anchor.matches('/').count() == 2 {
            let (href, title) = (links[0]["href"].clone(), links[0]["title"].clone());
            let default =
                |link_type: &str| json!({"linkType": link_type, "href": href, "title": title});
            links.extend([default("gs1:registryEntry"), default("gs1:defaultLink")]);
        }
        let mut record = json!({"anchor": anchor, "links": links});
        for (name, value) in
            [("itemDescription", description), ("defaultLinkType", answer.map(str::to_owned))]
        {
            if let Some(value) = value {
                record[name] = value.into();
            }
        }
        if with_default {
            record["contextFrom"] = "country".into();
            if !record["itemDescription"].is_null() {
                record["itemDescriptions"] = json!({"fr": "Thé: vert", "zh-Hant": "茶"});
            }
        }
        record.to_string().into_bytes()
    })
}

/// Reads a record, writes it with `write`, and expects that it is read as the same.
fn expect_identity(json: &[u8], language: usize, write: fn(&[Entry], TitleLanguage) -> Vec<u8>) {
    let vocabulary = Vocabulary::builtin();
    let rules = Rules::new(&vocabulary).with_default_by_record(true);
    let language = TitleLanguage::new(TitleLanguage::tags()[language]).unwrap();
    if let Ok(accepted) = read_record(json, &rules) {
        let expected = [write_record(&accepted.entry)];
        assert_eq!(records(write(&[accepted.entry], language), &rules), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn export_then_import_of_csv_is_the_identity(json in record(), language in 0_usize..7) {
        expect_identity(&json, language, csv);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn export_then_import_of_xlsx_is_the_identity(json in record(), language in 0_usize..7) {
        expect_identity(&json, language, xlsx);
    }
}

#[test]
fn most_generated_records_are_valid() {
    let vocabulary = Vocabulary::builtin();
    let rules = Rules::new(&vocabulary).with_default_by_record(true);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let valid = (0..200).filter(|_| {
        let json = record().new_tree(&mut runner).unwrap().current();
        read_record(&json, &rules).is_ok()
    });
    let valid = valid.count();
    assert!(valid > 50, "{valid} of 200");
}

#[test]
fn formulas_are_guarded_in_the_file() {
    let vocabulary = Vocabulary::builtin();
    let json = r#"{"anchor":"/01/09520123456788/10/L","itemDescription":"=cmd|' /C calc'!A0","links":[{"linkType":"gs1:pip","href":"https://example.com/","title":"=HYPERLINK(\"https://evil.example\",\"x\")","context":["@a","-b"]}]}"#;
    let entry = read_record(json.as_bytes(), &Rules::new(&vocabulary)).unwrap().entry;
    let file = String::from_utf8(csv(&[entry], TitleLanguage::default())).unwrap();
    let row = file.lines().nth(1).unwrap();
    assert_eq!(
        row,
        r#"/01/09520123456788/10/L,gs1:pip,https://example.com/,"'=HYPERLINK(""https://evil.example"",""x"")",,,"'@a, -b",,,,,'=cmd|' /C calc'!A0,,,"#
    );
    assert_eq!(records(file.into_bytes(), &Rules::new(&vocabulary)), [json]);
}
