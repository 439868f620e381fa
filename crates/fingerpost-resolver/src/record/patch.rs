//! JSON Merge Patch (RFC 7396) on the record of an entry.

use serde_json::{Map, Value};

use super::{node, write_record};
use crate::{Entry, RecordFault};

/// Applies a patch to the record of an entry and returns the result: members of objects are
/// replaced, or removed by `null`; arrays, `links` among them, are replaced as a whole. The result
/// is not checked; use [`read_record`](crate::read_record) for that.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, patch_record, read_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let record = br#"{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
/// let entry = read_record(record, &Rules::new(&vocabulary))?.entry;
/// let patched = patch_record(&entry, br#"{"itemDescription": null}"#).unwrap();
/// let patched = read_record(patched.as_bytes(), &Rules::new(&vocabulary))?.entry;
/// assert_eq!((patched.item_description(), patched.link_count()), (None, 1));
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
pub fn patch_record(entry: &Entry, patch: &[u8]) -> Result<String, RecordFault> {
    let expected = |found: &str| {
        let message = format!("expected an object with the members to change, found {found}");
        RecordFault::new(String::new(), "RFC 7396", message)
    };
    let strict = node::read(patch)?;
    if !matches!(strict, node::Node::Object(_)) {
        return Err(expected(strict.kind()));
    }
    // Both are JSON: the patch was read strictly above, the record was written by this crate.
    let patch = serde_json::from_slice(patch).map_err(|_| expected("something else"))?;
    let mut record =
        serde_json::from_str(&write_record(entry)).map_err(|_| expected("no record"))?;
    merge(&mut record, patch);
    Ok(record.to_string())
}

/// Merges a patch as in RFC 7396 section 2. The depth of a patch is limited by its reader.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            target.remove(&name);
        } else {
            merge(target.entry(name).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rfc() {
        // RFC 7396, appendix A
        for (target, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"a":1,"e":null}"#),
            (r#"[1,2]"#, r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            let [mut value, patched, expected] =
                [target, patch, expected].map(|text| serde_json::from_str::<Value>(text).unwrap());
            merge(&mut value, patched);
            assert_eq!(value, expected, "{target} + {patch}");
        }
    }
}
