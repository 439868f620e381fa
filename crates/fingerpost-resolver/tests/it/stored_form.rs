//! Entries survive both of their forms, record and stored bytes; any bytes are safe to read.

use fingerpost_resolver::Anchor;
use fingerpost_resolver::{
    DecodeError, Entry, Rules, Vocabulary, read_linkset_context, read_record, write_record,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn vocabulary() -> Vocabulary {
    let pairs = [("https://example.net/voc/", "ex:")];
    Vocabulary::builtin().with_namespaces(pairs).expect("a usable namespace")
}

fn read(record: &Value) -> Entry {
    let vocabulary = vocabulary();
    let rules = Rules::new(&vocabulary).with_default_by_record(true);
    match read_record(record.to_string().as_bytes(), &rules) {
        Ok(accepted) => accepted.entry,
        Err(refused) => panic!("{record}: {refused}"),
    }
}

fn key() -> Anchor {
    Anchor::parse("/01/09520123456788").expect("a key")
}

fn text() -> impl Strategy<Value = String> {
    "[ -~äßé日ไ😀]{0,20}[a-zA-Z]".prop_map(|text| text)
}

fn instants() -> impl Strategy<Value = (Option<String>, Option<String>)> {
    let instant = |at: (i64, i32)| jiff::Timestamp::new(at.0, at.1).map(|at| at.to_string()).ok();
    let early = (0_i64..1 << 31, 0_i32..1_000_000_000).prop_map(instant);
    let late = (1_i64 << 32..200_000_000_000, 0_i32..1_000_000_000).prop_map(instant);
    (prop_oneof![Just(None), early], prop_oneof![Just(None), late])
}

fn link() -> impl Strategy<Value = Value> {
    let kind = prop::sample::select(vec![
        "gs1:pip",
        "gs1:whatsInTheBox",
        "license",
        "ex:recall",
        "https://gs1.org/voc/faqs",
        "dpp",
    ]);
    let href = prop::sample::select(vec![
        "https://example.com",
        "https://example.com/p",
        "https://bücher.example/ü?{01}#{10}",
        "http://EXAMPLE.com:80/a/../b?q=%7e",
        "https://example.com/p/{01}/{21}",
    ]);
    let media = prop::sample::select(vec![None, Some("text/html"), Some("Application/PDF; x=1")]);
    let languages = prop::sample::subsequence(vec!["en", "zh-Hant-TW", "es-419", "FIL"], 0..=4);
    let contexts = prop::collection::vec(text(), 0..3);
    (kind, href, text(), media, languages, contexts, instants()).prop_map(
        |(kind, href, title, media, languages, contexts, (from, until))| {
            let mut link = json!({"linkType": kind, "href": href, "title": title});
            let mut put = |name: &str, value: Value| link[name] = value;
            media.into_iter().for_each(|media| put("type", json!(media)));
            if !languages.is_empty() {
                put("hreflang", json!(languages));
            }
            if !contexts.is_empty() {
                put("context", json!(contexts));
            }
            from.into_iter().for_each(|from| put("validFrom", json!(from)));
            until.into_iter().for_each(|until| put("validUntil", json!(until)));
            link
        },
    )
}

fn record() -> impl Strategy<Value = Value> {
    let anchor = prop::sample::select(vec![
        "/01/09520123456788",
        "/01/09520123456788/22/V/10/A%2FB",
        "/01/09520123456788/21/%22",
    ]);
    let description = prop_oneof![Just(None), text().prop_map(Some)];
    let answers = [None, Some("linkset"), Some("gs1:defaultLink"), Some("gs1:recallStatus")];
    let answer = prop::sample::select(answers.to_vec());
    (anchor, description, prop::collection::vec(link(), 0..6), any::<bool>(), answer).prop_map(
        |(anchor, description, mut links, with_default, answer)| {
            if with_default || links.is_empty() {
                let target = |kind: &str| {
                    json!({"linkType": kind, "href": "https://example.com/d", "title": "D"})
                };
                // Beside the page that it is, or far from it.
                let at = if answer.is_none() { 0 } else { links.len() };
                links.insert(at, target("gs1:defaultLink"));
                links.insert(usize::from(at == 0), target("gs1:pip"));
                // The variant for the readers of the last link, which must be able to choose it.
                if let Some(last) = links.last().filter(|last| last["hreflang"].is_array()) {
                    let mut variant = last.clone();
                    variant["linkType"] = json!("gs1:defaultLinkMulti");
                    links.insert(links.len() - 1, variant);
                }
            }
            if answer == Some("gs1:recallStatus") {
                let href = "https://example.com/recall";
                links.push(json!({"linkType": "gs1:recallStatus", "href": href, "title": "R"}));
            }
            let mut record = json!({"anchor": anchor, "links": links});
            if let Some(description) = description {
                record["itemDescription"] = json!(description);
                if with_default {
                    record["itemDescriptions"] = json!({"fr": "Thé", "zh-Hant-TW": description});
                }
            }
            if let Some(answer) = answer {
                record["defaultLinkType"] = json!(answer);
            }
            if with_default {
                let source = if answer.is_some() { "country" } else { "request" };
                record["contextFrom"] = json!(source);
            }
            record
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn entries_survive_both_forms(record in record()) {
        let entry = read(&record);
        let decoded = Entry::decode(entry.anchor().clone(), &entry.encode());
        prop_assert_eq!(decoded.as_ref(), Ok(&entry));
        prop_assert_eq!(decoded.map(|entry| entry.encode()), Ok(entry.encode()));
        let written = write_record(&entry);
        let again: Value = serde_json::from_str(&written).expect("JSON");
        let read_again = read(&again);
        prop_assert_eq!(&read_again, &entry);
        // PE-20: one line for one page.
        prop_assert_eq!(again["links"].as_array().map(Vec::len), Some(entry.lines().count()));
        prop_assert!(entry.lines().count() <= entry.link_count());
        prop_assert_eq!(write_record(&read_again), written);
        prop_assert!(entry.size() > entry.encode().len() / 2);
    }

    #[test]
    fn changed_bytes_are_an_entry_or_an_error(
        record in record(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut bytes = read(&record).encode();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(if cut { at } else { bytes.len() });
        if let Ok(entry) = Entry::decode(key(), &bytes) {
            use_everything(&entry);
        }
    }

    #[test]
    fn any_bytes_are_an_entry_or_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        bytes.insert(0, 1);
        if let Ok(entry) = Entry::decode(key(), &bytes) {
            use_everything(&entry);
        }
        let vocabulary = vocabulary();
        let rules = Rules::new(&vocabulary);
        prop_assert!(read_record(&bytes, &rules).is_err());
        prop_assert!(read_linkset_context(&bytes, &rules).is_err());
    }

    #[test]
    fn mangled_records_are_judged_without_panic(
        record in record(), at in any::<prop::sample::Index>(), piece in "[\\[\\]{}\",:\\\\a0 ]{0,3}",
    ) {
        let text = record.to_string();
        let at = text.floor_char_boundary(at.index(text.len()));
        let mangled = [&text[..at], &piece, &text[at..]].concat();
        let vocabulary = vocabulary();
        let rules = Rules::new(&vocabulary);
        let _ = read_linkset_context(mangled.as_bytes(), &rules);
        if let Err(refused) = read_record(mangled.as_bytes(), &rules) {
            prop_assert!(!refused.faults.is_empty());
            prop_assert!(refused.faults.iter().all(|fault| !fault.to_string().is_empty()));
        }
    }
}

/// Reads all that an entry can give.
fn use_everything(entry: &Entry) {
    for link in entry.links() {
        let _ = (
            link.expand(entry.anchor().entity().expect("a key")),
            link.languages().count(),
            link.contexts().count(),
        );
        let _ = format!("{link:?}");
    }
    let _ = (entry.default_link_at(jiff::Timestamp::UNIX_EPOCH), write_record(entry));
}

#[test]
fn the_form_is_pinned() {
    // A change of these bytes needs a new version number.
    let entry = read(&json!({"anchor": "/01/09520123456788", "itemDescription": "T", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://e.x/{10}", "title": "T"},
        {"linkType": "gs1:pip", "href": "https://e.x/{10}", "title": "P", "hreflang": ["en", "fr"]},
        {"linkType": "license", "href": "https://e.x/{10}", "title": "P", "validFrom": "1970-01-01T00:00:01Z"},
    ]}));
    let mut expected = vec![1, 30];
    expected.extend_from_slice(b"Thttps://e.x/{10}Pen\nfrlicense");
    expected.extend_from_slice(&[1, 3]);
    expected.extend_from_slice(&[2, 1, 1, 16, 0, 1]);
    expected.extend_from_slice(&[2 + 8, 33, 1, 16, 17, 1, 18, 5]);
    expected.extend_from_slice(&[1 + 2 + 32, 23, 7, 1, 16, 17, 1, 2, 0]);
    assert_eq!(entry.encode(), expected);
    // A default answer is before it; without one, the bytes are those of earlier releases.
    let mut record: Value = serde_json::from_str(&write_record(&entry)).expect("JSON");
    for (answer, byte) in [("linkset", 1), ("gs1:defaultLink", 2)] {
        record["defaultLinkType"] = json!(answer);
        let encoded = read(&record).encode();
        assert_eq!((&encoded[..2], &encoded[2..]), (&[2, byte][..], &expected[1..]), "{answer}");
    }
}

#[test]
fn other_bytes_say_why() {
    let decode = |bytes: &[u8]| Entry::decode(key(), bytes).map(|_| ());
    let good = |tail: &[u8]| [&[1, 13][..], b"https://e.x/T", tail].concat();
    assert_eq!(decode(&[]), Err(DecodeError::Truncated));
    assert_eq!(decode(&[6, 0]), Err(DecodeError::UnknownVersion(6)));
    assert_eq!(decode(&[5, 5]), Err(DecodeError::UnknownVersion(5)));
    assert_eq!(decode(&[5, 1, 9, 1, 0]), Err(DecodeError::BadText));
    assert_eq!(decode(&[4, 0]), Err(DecodeError::BadNumber));
    assert_eq!(decode(&[4, 1]), Err(DecodeError::Truncated));
    assert_eq!(decode(&[3, 0]), Err(DecodeError::Truncated));
    assert_eq!(decode(&[2]), Err(DecodeError::Truncated));
    assert_eq!(decode(&[2, 0]), Err(DecodeError::BadNumber));
    assert_eq!(decode(&[2, 5]), Err(DecodeError::BadNumber));
    assert_eq!(decode(&[1, 5, b'a']), Err(DecodeError::Truncated));
    assert_eq!(decode(&[1, 1, 0xFF]), Err(DecodeError::NotText));
    assert_eq!(decode(&[1, 1, b'\r']), Err(DecodeError::NotText));
    assert_eq!(decode(&[1, 2, 0xC3, 0xA9, 1, 0]), Err(DecodeError::BadSpan));
    assert_eq!(decode(&[&[1][..], &[0xFF; 10]].concat()), Err(DecodeError::BadNumber));
    assert_eq!(decode(&good(&[0, 0])), Ok(()));
    assert_eq!(decode(&good(&[0, 1, 0, 33, 0, 12, 12, 1])), Ok(()));
    assert_eq!(decode(&good(&[0, 1, 0, 33, 0, 12, 12, 2])), Err(DecodeError::BadSpan));
    assert_eq!(decode(&good(&[0, 1, 0, 33, 0, 12, 12, 0])), Err(DecodeError::BadLink));
    assert_eq!(decode(&good(&[0, 1, 0, 33, 1, 11, 12, 1])), Err(DecodeError::BadLink));
    assert_eq!(decode(&good(&[0, 1, 0x80, 33, 0, 12, 12, 1])), Err(DecodeError::BadLink));
    assert_eq!(decode(&good(&[0, 1, 0, 99, 0, 12, 12, 1])), Err(DecodeError::UnknownLinkType(99)));
    assert_eq!(decode(&good(&[0, 0x90, 0x4E])), Err(DecodeError::TooManyLinks(10_000)));
    assert_eq!(decode(&good(&[0, 0, 0])), Err(DecodeError::TrailingBytes(1)));
    let far = [0, 1, 32, 33, 0, 12, 12, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0];
    assert_eq!(decode(&good(&far)), Err(DecodeError::BadInstant));
}
