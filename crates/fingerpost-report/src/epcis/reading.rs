//! Reads the identifiers of an EPCIS document as a stream.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{EpcisError, EpcisPlace, EpcisRole};
use crate::limits::MAX_EPCIS_TOKEN;

/// The mark that some programs write before text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Passes the identifiers of a document in JSON to `receive`, in their order. Memory does not
/// depend on the size of the document.
///
/// # Errors
///
/// The input cannot be read or is not JSON, or `receive` failed.
pub fn read_identifiers<R: Read>(
    input: R,
    receive: &mut dyn FnMut(&EpcisPlace<'_>) -> io::Result<()>,
) -> Result<(), EpcisError> {
    let mut input = BufReader::new(input);
    let start = input.fill_buf().map_err(EpcisError::Input)?;
    let mark = if start.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    if start[mark..].trim_ascii_start().starts_with(b"<") {
        let message = "expected an EPCIS document in JSON, found XML";
        return Err(EpcisError::Syntax(message.to_owned()));
    }
    input.consume(mark);
    let line = Rc::new(Cell::new(1));
    let guarded = Tokens { input, line: Rc::clone(&line), length: 0, state: State::Outside };
    let mut json = serde_json::Deserializer::from_reader(guarded);
    let mut walk = Walk { pointer: String::new(), line, receive, failure: None };
    let root = At { walk: &mut walk, within: "", role: None };
    let read = root.deserialize(&mut json).and_then(|()| json.end());
    match (walk.failure, read) {
        (Some(failure), _) => Err(EpcisError::Receiver(failure)),
        (None, Err(error)) if error.is_io() && !is_too_long(&error) => {
            Err(EpcisError::Input(error.into()))
        }
        (None, Err(error)) => Err(EpcisError::Syntax(error.to_string())),
        (None, Ok(())) => Ok(()),
    }
}

/// Returns whether the input was refused by [`Tokens`].
fn is_too_long(error: &serde_json::Error) -> bool {
    error.io_error_kind() == Some(io::ErrorKind::FileTooLarge)
}

/// A reader of JSON that refuses tokens which do not fit into memory, and counts lines. The parser
/// reads byte by byte, so the count is that of the current token.
struct Tokens<R> {
    input: BufReader<R>,
    line: Rc<Cell<u64>>,
    /// Bytes of the current token.
    length: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    InString,
    Escaped,
}

impl<R: Read> Read for Tokens<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for &byte in &buffer[..count] {
            self.pass(byte)?;
        }
        Ok(count)
    }
}

impl<R> Tokens<R> {
    fn pass(&mut self, byte: u8) -> io::Result<()> {
        if byte == b'\n' {
            self.line.set(self.line.get() + 1);
        }
        self.length += 1;
        match (self.state, byte) {
            (State::Outside, b'"') => self.state = State::InString,
            (State::Outside, _) if is_between_tokens(byte) => self.length = 0,
            (State::InString, b'"') => (self.state, self.length) = (State::Outside, 0),
            (State::InString, b'\\') => self.state = State::Escaped,
            (State::Escaped, _) => self.state = State::InString,
            _ => {}
        }
        if self.length <= MAX_EPCIS_TOKEN {
            return Ok(());
        }
        let message = format!(
            "expected strings and numbers of at most {MAX_EPCIS_TOKEN} bytes, found a longer one"
        );
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    }
}

/// Returns whether a byte outside of strings is white space or structure (RFC 8259, section 2).
fn is_between_tokens(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n')
}

/// The state of reading a document.
struct Walk<'r> {
    pointer: String,
    line: Rc<Cell<u64>>,
    receive: &'r mut dyn FnMut(&EpcisPlace<'_>) -> io::Result<()>,
    failure: Option<io::Error>,
}

impl Walk<'_> {
    /// Passes on an identifier.
    fn found(&mut self, role: EpcisRole, text: &str) -> Result<(), io::Error> {
        let Self { pointer, line, .. } = self;
        (self.receive)(&EpcisPlace { pointer, line: line.get(), role, text })
    }

    /// Reads a value in the member or element that `append` adds to the pointer.
    fn below<T>(
        &mut self,
        append: impl FnOnce(&mut String),
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        append(&mut self.pointer);
        let value = read(self);
        self.pointer.truncate(length);
        value
    }
}

/// A value of the document.
struct At<'w, 'r> {
    walk: &'w mut Walk<'r>,
    /// The member that the value is in, if it is one that [`EpcisRole::of`] distinguishes.
    within: &'w str,
    /// The role of the value if it is text.
    role: Option<EpcisRole>,
}

impl At<'_, '_> {
    fn text<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        let Some(role) = self.role else { return Ok(()) };
        self.walk.found(role, text).map_err(|failure| {
            self.walk.failure = Some(failure);
            E::custom("stopped")
        })
    }
}

impl<'de> DeserializeSeed<'de> for At<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

/// Numbers and other values in the place of an identifier are passed on as they are written, so
/// that their check reports them.
impl<'de> Visitor<'de> for At<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.text(text)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        self.text(&number.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        self.text(&number.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        self.text(&number.to_string())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.text(if value { "true" } else { "false" })
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.text("null")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { walk, within, role } = self;
        for index in 0_u64.. {
            let append = |pointer: &mut String| {
                write!(pointer, "{index}").expect("text is written to a string");
            };
            let read = |walk: &mut Walk<'_>| list.next_element_seed(At { walk, within, role });
            if walk.below(append, read)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let Self { walk, within, role } = self;
        while let Some(name) = object.next_key::<String>()? {
            // In JSON-LD, an object can stand for the identifier that it has.
            let own = role.filter(|_| matches!(&*name, "id" | "@id"));
            let role = own.or_else(|| EpcisRole::of(within, &name));
            let append = |pointer: &mut String| append_escaped(&name, pointer);
            let read =
                |walk: &mut Walk<'_>| object.next_value_seed(At { walk, within: &name, role });
            walk.below(append, read)?;
        }
        Ok(())
    }
}

/// Appends a member name to a JSON pointer (RFC 6901, section 3).
fn append_escaped(name: &str, pointer: &mut String) {
    for char in name.chars() {
        match char {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            char => pointer.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::{self, Read};

    use super::{EpcisError, read_identifiers};

    /// Returns the places of a document, or why it ends early.
    fn places(json: &str) -> Result<Vec<String>, EpcisError> {
        let mut found = Vec::new();
        read_identifiers(json.as_bytes(), &mut |place| {
            let role = place.role.code();
            found.push(format!("{} {}:{} {role}", place.text, place.line, place.pointer));
            Ok(())
        })?;
        Ok(found)
    }

    /// 35.4: the pointer names the place also in objects and lists, and with escapes.
    #[test]
    fn identifiers_have_their_places() {
        let json = "\u{feff}[{\"a/b~c\":\n{\"epcList\":[\"x\",\n\"\\u0079\",{\"id\":\"z\",\"epc\":1}]}},\n\
                    {\"readPoint\":{\"id\":\"p\",\"x\":\"q\"},\"id\":\"e\",\"parentID\":null}]";
        let expected = [
            "x 2:/0/a~1b~0c/epcList/0 instance",
            "y 3:/0/a~1b~0c/epcList/1 instance",
            "z 3:/0/a~1b~0c/epcList/2/id instance",
            "p 4:/1/readPoint/id location",
            "null 4:/1/parentID instance",
        ];
        assert_eq!(places(json).unwrap(), expected);
    }

    /// 35.4: a fault of the document is said with its line.
    #[test]
    fn broken_documents_are_refused() {
        let long = format!("[\n\"{}\"]", "x".repeat(70_000));
        for (json, expected) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"epcList\":[\n\"a\"", "EOF while parsing a list at line 2 column 3"),
            ("{}{}", "trailing characters at line 1 column 3"),
            (" <?xml?>", "expected an EPCIS document in JSON, found XML"),
            (&long, "expected strings and numbers of at most 65536 bytes, found a longer one"),
            (&"[".repeat(1000), "recursion limit exceeded at line 1 column 128"),
        ] {
            match places(json).unwrap_err() {
                EpcisError::Syntax(message) => assert!(message.contains(expected), "{message}"),
                other => panic!("{other:?}"),
            }
        }
    }

    /// A document without an end.
    struct Endless<'a> {
        bytes: &'a Cell<usize>,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let pattern =
                if self.bytes.get() == 0 { &b"{\"epcList\":[\"a\""[..] } else { b",\"a\"" };
            let count = pattern.len().min(buffer.len());
            buffer[..count].copy_from_slice(&pattern[..count]);
            self.bytes.set(self.bytes.get() + count);
            Ok(count)
        }
    }

    /// 35.4: identifiers are passed on while the document is read, so its size does not matter;
    /// the failure of the receiver ends the reading.
    #[test]
    fn documents_are_read_as_a_stream() {
        let (bytes, mut count) = (Cell::new(0), 0);
        let ended = read_identifiers(Endless { bytes: &bytes }, &mut |_| {
            count += 1;
            if count < 100_000 { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        });
        assert!(matches!(ended, Err(EpcisError::Receiver(_))), "{ended:?}");
        assert_eq!(count, 100_000);
        assert!(bytes.get() < 100_100 * 4, "{bytes:?}");
    }
}
