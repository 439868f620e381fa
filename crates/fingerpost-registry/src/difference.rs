//! Computes the differences of two JSON documents: a list of positions (RFC 6901) with the value
//! before and after.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One position where two records differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Difference {
    /// The position, as a JSON pointer: into the later record, or, for what is no longer there,
    /// into the earlier one.
    pub path: String,
    /// The value before; null or absent if there was none.
    pub before: Option<Value>,
    /// The value after; null or absent if there is none.
    pub after: Option<Value>,
}

/// Returns the differences, in the order of the documents. Equal elements at the beginning and the
/// end of two arrays are considered the same elements.
pub(crate) fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(before, after, &mut String::new(), &mut found);
    found
}

fn compare(before: &Value, after: &Value, path: &mut String, found: &mut Vec<Difference>) {
    match (before, after) {
        (Value::Object(one), Value::Object(other)) => {
            let added = other.keys().filter(|name| !one.contains_key(*name));
            for name in one.keys().chain(added) {
                within(path, name, |path| at(one.get(name), other.get(name), path, found));
            }
        }
        (Value::Array(one), Value::Array(other)) => arrays(one, other, path, found),
        _ if before == after => {}
        // A deleted level is null.
        (Value::Null, _) => at(None, Some(after), path, found),
        (_, Value::Null) => at(Some(before), None, path, found),
        _ => found.push(difference(Some(before), Some(after), path)),
    }
}

fn at(
    before: Option<&Value>,
    after: Option<&Value>,
    path: &mut String,
    found: &mut Vec<Difference>,
) {
    match (before, after) {
        (Some(before), Some(after)) => compare(before, after, path, found),
        _ => found.push(difference(before, after, path)),
    }
}

fn arrays(one: &[Value], other: &[Value], path: &mut String, found: &mut Vec<Difference>) {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one_rest, other_rest) = (&one[same..], &other[same..]);
    let backwards = one_rest.iter().rev().zip(other_rest.iter().rev());
    let at_end = backwards.take_while(|(one, other)| one == other).count();
    let one = &one_rest[..one_rest.len() - at_end];
    let other = &other_rest[..other_rest.len() - at_end];
    for index in 0..one.len().max(other.len()) {
        let name = (same + index).to_string();
        within(path, &name, |path| at(one.get(index), other.get(index), path, found));
    }
}

fn within(path: &mut String, name: &str, compare: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
    compare(path);
    path.truncate(length);
}

fn difference(before: Option<&Value>, after: Option<&Value>, path: &str) -> Difference {
    Difference { path: path.to_owned(), before: before.cloned(), after: after.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> Vec<String> {
        let read = |text| serde_json::from_str(text).unwrap();
        let text = |value: &Option<Value>| value.as_ref().map_or("-".into(), Value::to_string);
        let found = differences(&read(before), &read(after));
        found.iter().map(|d| format!("{} {} {}", d.path, text(&d.before), text(&d.after))).collect()
    }

    #[test]
    fn pointers_are_as_close_as_can_be() {
        assert_eq!(shown(r#"{"a": 1, "b": [1]}"#, r#"{"b": [1], "a": 1}"#), [""; 0]);
        assert_eq!(
            shown(r#"{"a": 1, "b": 2}"#, r#"{"b": 3, "c/d": 4}"#),
            ["/a 1 -", "/b 2 3", "/c~1d - 4"]
        );
        assert_eq!(shown("[1, 2, 3]", "[1, 3]"), ["/1 2 -"]);
        assert_eq!(shown("[1, 3]", "[0, 1, 3]"), ["/0 - 0"]);
        assert_eq!(shown(r#"[{"x": 1}, {"x": 2}]"#, r#"[{"x": 1}, {"x": 3}]"#), ["/1/x 2 3"]);
        assert_eq!(shown("null", "{}"), [" - {}"]);
        assert_eq!(shown("null", "null"), [""; 0]);
    }
}
