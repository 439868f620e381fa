//! What this crate writes, `fingerpost-gs1` reads: Digital Link URIs and element strings of tags of
//! every scheme (EPC Tag Data Standard 2.3, sections 7 and 15.3).

use std::sync::LazyLock;

use fingerpost_epc::{Bits, Epc, ErrorKind, PureIdentity, Scheme};
use fingerpost_gs1::{Ai, DigitalLink, ElementString, Options};
use proptest::prelude::*;

use crate::plus_oracle::{Numbers, rows, with_check_digit};

/// Every Application Identifier that a tag can hold, with the parts of its values.
static ROWS: LazyLock<Vec<(String, Vec<serde_json::Value>)>> = LazyLock::new(rows);

/// The elements of a tag, whatever the rules of their Application Identifiers say.
fn pairs(epc: &Epc) -> Option<Vec<(Ai, String)>> {
    let values = epc.elements().ok()?;
    Some(values.iter().map(|(ai, value)| (ai, value.to_owned())).collect())
}

/// Writes the tag as a Digital Link URI and as an element string, and reads both; each is refused
/// for a reason that its reader has too. Returns whether the URI was written.
fn is_read_again(epc: &Epc) -> bool {
    let Some(pairs) = pairs(epc) else { return false };
    let mut sorted = pairs.clone();
    sorted.sort();
    let raw = epc.elements().unwrap().path_and_query().unwrap();
    let own = match epc.hostname().unwrap() {
        Some(name) => format!("https://{name}{raw}"),
        None => format!("https://id.gs1.org{raw}"),
    };
    // GS1-DL-28: `.` and `..` are read, but never written.
    let reader = DigitalLink::parse(&own).and_then(|link| link.check_dot_segments().map(|()| link));
    let written = epc.own_digital_link();
    match (&written, &reader) {
        (Ok(uri), Ok(link)) => {
            assert_eq!(uri, &own);
            let mut found: Vec<_> = link
                .elements()
                .iter()
                .map(|element| (element.ai(), element.value().to_owned()))
                .collect();
            found.sort();
            assert_eq!(found, sorted, "{uri}");
        }
        (Err(error), Err(reason)) => assert_eq!(error.kind(), ErrorKind::Value(*reason), "{own}"),
        _ => panic!("{own}: written {written:?}, read {reader:?}"),
    }
    match epc.elements().unwrap().to_element_string() {
        Ok(elements) => {
            let text = elements.to_string();
            assert_eq!(ElementString::parse_bracketed(&text).as_ref(), Ok(&elements), "{text}");
        }
        Err(error) => {
            let text = epc.elements().unwrap().to_string();
            let reason = ElementString::parse_bracketed(&text).unwrap_err();
            assert_eq!(error.code(), reason.code(), "{text}");
        }
    }
    written.is_ok()
}

/// A tag `SGTIN+` of (01)09506000134352(21)1 with one more element: the bits of Table F, AI by AI,
/// by the crate's writer.
fn sgtin_with(ai: &str, value: &str) -> Epc {
    let text = format!("(01)09506000134352(21)1({ai}){value}");
    let options = Options::new().requisites(false);
    let elements = ElementString::parse_bracketed_with(&text, &options).unwrap();
    let encode = fingerpost_epc::EncodeOptions::new().scheme(Scheme::SgtinPlus);
    let epc = Epc::encode(&(&elements).into(), &encode).unwrap();
    let again = Epc::from_bits(&Bits::from_hex(&epc.to_hex()).unwrap()).unwrap();
    assert_eq!(again.elements().unwrap().to_string(), text);
    again
}

// Further data that no Digital Link URI can hold is an error, not a URI that nobody reads.
#[test]
fn data_that_a_uri_cannot_hold_are_refused() {
    for (ai, value, code) in [
        ("8200", "https://example.com", "NOT_AN_ATTRIBUTE"),
        ("254", "1", "NOT_AN_ATTRIBUTE"),
        ("7040", "1AB2", "NOT_AN_ATTRIBUTE"),
    ] {
        let epc = sgtin_with(ai, value);
        assert!(!is_read_again(&epc));
        assert_eq!(epc.own_digital_link().unwrap_err().code(), code, "({ai})");
        assert_eq!(epc.digital_link("https://a.example").unwrap_err().code(), code, "({ai})");
        // The key alone can be asked for.
        let values = epc.elements().unwrap();
        assert_eq!(values.entity_key().unwrap().0.as_str(), "01/09506000134352/21/1");
    }
    assert!(is_read_again(&sgtin_with("17", "261231")));
}

#[test]
fn a_malformed_stem_is_refused() {
    for hex in ["3066c4409047e14000001a85", "f7809506000134352624b5"] {
        let epc = Epc::from_hex(hex).unwrap();
        for (stem, code) in [
            ("ftp://a.example", "URI_SCHEME"),
            ("https://", "URI_HOST"),
            ("https://a.example/x?y", "URI_ILLEGAL_CHARACTER"),
            ("", "URI_SCHEME"),
        ] {
            let error = epc.digital_link(stem).unwrap_err();
            assert_eq!(error.code(), code, "{stem}");
        }
        let long = format!("https://a.example/{}", "x".repeat(DigitalLink::MAX_LEN));
        assert!(epc.digital_link(&long).is_err());
        let uri = epc.digital_link("https://a.example/x/").unwrap();
        assert_eq!(DigitalLink::parse(&uri).unwrap().stem(), "https://a.example/x");
    }
}

// EPC-URN-01: a well-formed triplet of a character outside the set is that character; what is no
// triplet is an escape.
#[test]
fn triplets_of_other_characters_are_characters() {
    for (serial, code) in [
        ("a%40b", "BAD_CHARACTER"),
        ("a%C3%A9", "BAD_CHARACTER"),
        ("a%00", "BAD_CHARACTER"),
        ("a@b", "BAD_CHARACTER"),
        ("a%4", "BAD_ESCAPE"),
        ("a%", "BAD_ESCAPE"),
        ("a%zz", "BAD_ESCAPE"),
    ] {
        let urn = format!("urn:epc:id:sgtin:9521141.012345.{serial}");
        assert_eq!(PureIdentity::parse(&urn).unwrap_err().code(), code, "{urn}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Any bits, of every scheme.
    #[test]
    fn links_of_any_tag_are_read(
        header in proptest::sample::select(Scheme::all().map(Scheme::header).collect::<Vec<_>>()),
        bytes in proptest::collection::vec(any::<u8>(), 11..60),
        partition in 0..7_u8,
        zeros in 0..40_usize,
    ) {
        let mut bytes = bytes;
        bytes[0] = bytes[0] & 0xE3 | partition << 2;
        let kept = bytes.len().saturating_sub(zeros).max(4);
        bytes[kept..].fill(0);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        if let Ok(epc) = Epc::from_hex(&format!("{header:02x}{hex}")) && epc.hostname().is_ok() {
            is_read_again(&epc);
        }
    }

    /// Further data of every Application Identifier beside keys of every kind.
    #[test]
    fn links_of_tags_with_further_data_are_read(seed: u64) {
        let mut numbers = Numbers(seed);
        let own = [
            "(00)095201234567891235", "(01)09506000134352(21)1", "(414)9520123456788(254)7",
            "(8003)095201234567889", "(8004)9520614141234567", "(8018)952012345678901238",
            "(253)95201234567881", "(8010)9520123A(8011)1", "(255)95201234567881", "(8006)095201234567880102(21)1",
        ][numbers.below(10)];
        let (ai, parts) = &ROWS[numbers.below(ROWS.len())];
        let value: String = parts.iter().map(|part| numbers.part(part, true)).collect();
        let value = with_check_digit(ai, &value);
        let text = format!("{own}({ai}){}", value.replace('(', "\\("));
        let options = Options::new().requisites(false);
        let Ok(elements) = ElementString::parse_bracketed_with(&text, &options) else { return Ok(()) };
        let values = (&elements).into();
        for generation in [fingerpost_epc::Generation::Plus, fingerpost_epc::Generation::PlusPlus] {
            let name = "id.example.com".parse().unwrap();
            let encode = fingerpost_epc::EncodeOptions::new().generation(generation).hostname(&name);
            if let Ok(epc) = Epc::encode(&values, &encode) {
                is_read_again(&epc);
            }
        }
    }
}
