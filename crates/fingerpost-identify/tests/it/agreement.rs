//! The reader that stops at the first fault and the inspection that lists all of them judge every
//! text alike.

use fingerpost_identify::{inspect, read};
use serde_json::Value;

/// Every text of the shared vectors.
pub(crate) fn texts() -> Vec<String> {
    fn collect(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(members) => members.iter().for_each(|member| collect(member, into)),
            Value::Object(members) => members.values().for_each(|member| collect(member, into)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    for file in [
        include_str!("../../../../testdata/gs1-vectors.json"),
        include_str!("../../../../testdata/epc-vectors.json"),
        include_str!("../../../../testdata/uri-urn-vectors.json"),
    ] {
        collect(&serde_json::from_str(file).expect("JSON"), &mut all);
    }
    all
}

#[test]
fn read_and_inspect_agree() {
    let (mut valid, mut invalid) = (0, 0);
    for text in texts() {
        let text = text.trim_matches(|char: char| char.is_ascii_whitespace());
        let inspection = inspect(text);
        let found = read(text);
        let is_valid = found.as_ref().is_ok_and(|(_, identifier)| {
            // Bits may hold values that the rules of their Application Identifiers refuse.
            identifier.values().map_or(true, |values| values.to_element_string().is_ok())
        });
        assert_eq!(inspection.is_valid(), is_valid, "{text:?}: {inspection:?}, {found:?}");
        for finding in inspection.faults.iter().chain(found.as_ref().err()) {
            let is_place = finding.span.start <= finding.span.end && finding.span.end <= text.len();
            assert!(is_place, "{text:?}: {finding:?}");
        }
        match found {
            Ok((form, _)) => {
                assert_eq!(inspection.form, form, "{text:?}");
                valid += 1;
            }
            Err(_) => invalid += 1,
        }
    }
    assert!(valid > 1000 && invalid > 1000, "{valid} valid, {invalid} invalid");
}
