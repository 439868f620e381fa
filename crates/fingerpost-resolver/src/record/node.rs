//! JSON as written: members in order and with repeats, so both can be checked.
//!
//! RFC 8259 does not define what a repeated name means; two readers that disagree would store
//! different links, so a repeat is a fault here.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::fault::{RecordFault, push_token};
use crate::limits::{MAX_JSON_DEPTH, MAX_OBJECT_MEMBERS, MAX_RECORD_BYTES};

/// A JSON value. Records have no numbers, so the value of a number is not kept.
#[derive(Debug)]
pub(crate) enum Node<'j> {
    Null,
    Bool(bool),
    Number,
    Text(Cow<'j, str>),
    Array(Vec<Node<'j>>),
    Object(Vec<(Cow<'j, str>, Node<'j>)>),
}

/// The members of an object as written.
pub(crate) type Object<'j> = [(Cow<'j, str>, Node<'j>)];

impl Node<'_> {
    /// Returns the kind of the value, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "true or false",
            Node::Number => "a number",
            Node::Text(_) => "text",
            Node::Array(_) => "an array",
            Node::Object(_) => "an object",
        }
    }
}

/// Returns the value of the first member with this name.
pub(crate) fn member<'n, 'j>(members: &'n Object<'j>, name: &str) -> Option<&'n Node<'j>> {
    members.iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

/// Reads one JSON document.
pub(crate) fn read(json: &[u8]) -> Result<Node<'_>, RecordFault> {
    let whole = |id, message: String| RecordFault::new(String::new(), id, message);
    if json.len() > MAX_RECORD_BYTES {
        let found = json.len();
        let message = format!("expected at most {MAX_RECORD_BYTES} bytes, found {found}");
        return Err(whole("RFC 8259", message));
    }
    let text = std::str::from_utf8(json).map_err(|error| {
        let message =
            format!("expected UTF-8, found another byte at offset {}", error.valid_up_to());
        whole("RFC 8259", message)
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = AnyNode { depth: 0 }
        .deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node))
        .map_err(|error| whole("RFC 8259", format!("expected JSON, found: {error}")))?;
    let Some(path) = first_repeat(&node) else { return Ok(node) };
    let mut pointer = String::new();
    path.iter().rev().for_each(|token| push_token(&mut pointer, token));
    Err(RecordFault::new(pointer, "RFC 8259", "expected every member once, found it again"))
}

/// Returns the path to the first member that occurs twice in its object, from the inside out.
fn first_repeat(node: &Node<'_>) -> Option<Vec<String>> {
    match node {
        Node::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let mut path = first_repeat(item)?;
            path.push(index.to_string());
            Some(path)
        }),
        Node::Object(members) => members.iter().enumerate().find_map(|(index, (name, value))| {
            let repeats = members[..index].iter().any(|(other, _)| other == name);
            let mut path = if repeats { Vec::new() } else { first_repeat(value)? };
            path.push(name.to_string());
            Some(path)
        }),
        _ => None,
    }
}

/// A reader of any value at a depth.
#[derive(Clone, Copy)]
struct AnyNode {
    depth: usize,
}

impl AnyNode {
    fn deeper<E: Error>(self) -> Result<AnyNode, E> {
        if self.depth == MAX_JSON_DEPTH {
            return Err(E::custom(format_args!("values nested more than {MAX_JSON_DEPTH} deep")));
        }
        Ok(AnyNode { depth: self.depth + 1 })
    }
}

impl<'j> DeserializeSeed<'j> for AnyNode {
    type Value = Node<'j>;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Node<'j>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'j> Visitor<'j> for AnyNode {
    type Value = Node<'j>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node<'j>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<'j>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node<'j>, E> {
        Ok(Node::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node<'j>, E> {
        Ok(Node::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node<'j>, E> {
        Ok(Node::Number)
    }

    fn visit_borrowed_str<E>(self, text: &'j str) -> Result<Node<'j>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'j>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'j>>(self, mut items: A) -> Result<Node<'j>, A::Error> {
        let seed = self.deeper()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(seed)? {
            array.push(item);
        }
        Ok(Node::Array(array))
    }

    fn visit_map<A: MapAccess<'j>>(self, mut members: A) -> Result<Node<'j>, A::Error> {
        let seed = self.deeper()?;
        let mut object = Vec::with_capacity(6);
        while let Some(Name(name)) = members.next_key()? {
            if object.len() == MAX_OBJECT_MEMBERS {
                return Err(A::Error::custom(format_args!(
                    "an object with more than {MAX_OBJECT_MEMBERS} members"
                )));
            }
            object.push((name, members.next_value_seed(seed)?));
        }
        Ok(Node::Object(object))
    }
}

/// The name of a member, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'j>(#[serde(borrow)] Cow<'j, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(json: &[u8]) -> (String, String) {
        let fault = read(json).unwrap_err();
        (fault.pointer().to_owned(), fault.to_string())
    }

    #[test]
    fn members_stay_in_order_and_borrow() {
        let node = read(br#"{"b": "x", "a": [null, true, 1, -1, 1.5, "\n"]}"#).unwrap();
        let Node::Object(members) = node else { panic!("not an object") };
        assert!(matches!(&members[0], (name, Node::Text(Cow::Borrowed("x"))) if name == "b"));
        let Node::Array(items) = &members[1].1 else { panic!("not an array") };
        let kinds: Vec<_> = items.iter().map(Node::kind).collect();
        assert_eq!(kinds, ["null", "true or false", "a number", "a number", "a number", "text"]);
    }

    #[test]
    fn repeats_are_found_at_any_depth() {
        let (pointer, message) =
            fault(br#"{"links": [{}, {"href": 1, "a~/b": {"x": 1, "\u0078": 2}}]}"#);
        assert_eq!(pointer, "/links/1/a~0~1b/x");
        assert_eq!(message, "expected every member once, found it again");
    }

    #[test]
    fn other_bytes_than_json_are_told_apart() {
        assert_eq!(fault(b"{\"a\": \"\xFF\"}").1, "expected UTF-8, found another byte at offset 7");
        assert!(fault(b"{\"a\": 1").1.starts_with("expected JSON, found: EOF"));
        assert!(fault(b"{} {}").1.starts_with("expected JSON, found: trailing characters"));
        assert!(fault(b"").1.starts_with("expected JSON, found: EOF"));
    }

    #[test]
    fn size_depth_and_width_are_bounded() {
        assert!(fault("[".repeat(17).as_bytes()).1.contains("nested more than 16 deep"));
        assert!(fault("[".repeat(100_000).as_bytes()).1.contains("nested more than 16 deep"));
        assert!(fault(&vec![b' '; MAX_RECORD_BYTES + 1]).1.contains("expected at most"));
        let wide: Vec<String> = (0..=MAX_OBJECT_MEMBERS).map(|n| format!("\"{n}\":0")).collect();
        assert!(fault(format!("{{{}}}", wide.join(",")).as_bytes()).1.contains("512 members"));
    }
}
