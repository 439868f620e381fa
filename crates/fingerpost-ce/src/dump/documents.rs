//! Reads the documents of a dump with the feature `bson`.

use std::io::{self, Read};

use bson::{Bson, Document};
use serde_json::{Map, Value};

use super::LENGTH_BYTES;
use crate::limits::MAX_BSON_DOCUMENT;

/// Reads the next document as JSON; `None` at the end.
pub(crate) fn next(input: &mut dyn Read) -> io::Result<Option<Value>> {
    let mut length = [0; LENGTH_BYTES];
    match input.read(&mut length[..1])? {
        0 => return Ok(None),
        _ => input.read_exact(&mut length[1..])?,
    }
    let bytes = i32::from_le_bytes(length);
    if !(5..=MAX_BSON_DOCUMENT).contains(&bytes) {
        let message = format!("not a dump of a database: a document of {bytes} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    let rest = u64::from(bytes.unsigned_abs()) - LENGTH_BYTES as u64;
    let document = Document::from_reader(length.chain(input.take(rest)));
    let document = document.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(Some(object(document)))
}

fn object(document: Document) -> Value {
    let members = document.into_iter().map(|(name, value)| (name, json(value)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// Converts a value. Documents of Resolver CE consist of texts, lists and objects; other types only
/// need a form.
fn json(value: Bson) -> Value {
    match value {
        Bson::String(text) | Bson::Symbol(text) => text.into(),
        Bson::Array(items) => items.into_iter().map(json).collect(),
        Bson::Document(document) => object(document),
        Bson::Boolean(value) => value.into(),
        Bson::Int32(number) => number.into(),
        Bson::Int64(number) => number.into(),
        Bson::Double(number) => number.into(),
        Bson::Null | Bson::Undefined => Value::Null,
        other => other.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::super::is_dump;
    use super::*;

    #[test]
    fn documents_follow_each_other() {
        let one = doc! {"_id": "01_1", "data": [{"qualifiers": [], "type": Bson::Null}], "n": 7};
        let mut bytes = one.to_vec().unwrap();
        assert!(is_dump(&bytes[..4]) && !is_dump(b"[\n {") && !is_dump(b"{\"_i"));
        bytes.extend(doc! {"_id": "01_2"}.to_vec().unwrap());
        let mut input = bytes.as_slice();
        let first = next(&mut input).unwrap().unwrap();
        assert_eq!(first["data"][0]["qualifiers"], Value::Array(Vec::new()));
        assert_eq!((&first["n"], &first["data"][0]["type"]), (&7.into(), &Value::Null));
        assert_eq!(next(&mut input).unwrap().unwrap()["_id"], "01_2");
        assert!(next(&mut input).unwrap().is_none());
    }

    #[test]
    fn a_torn_dump_is_an_error() {
        let bytes = doc! {"_id": "01_1"}.to_vec().unwrap();
        for end in [2, 10, bytes.len() - 1] {
            assert!(next(&mut &bytes[..end]).is_err(), "{end}");
        }
        assert!(next(&mut &[255, 255, 255, 127, 0][..]).is_err());
    }
}
