//! Faults of a record: what is wrong, where, and which requirement it breaks.
//!
//! Positions are JSON pointers (RFC 6901) into the document that was read; requirements are the ids
//! in `docs/requirements/resolver.md`, which restates the GS1-Conformant Resolver Standard 1.2.0.

use std::fmt;

use crate::excerpt::excerpt;
use crate::limits::MAX_SHOWN_TEXT;

/// A fault of a record, or a warning about it.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let record = br#"{"anchor": "/01/09520123456788", "links": [{"linkType": "gs1:pip"}]}"#;
/// let refused = read_record(record, &Rules::new(&vocabulary)).unwrap_err();
/// let fault = &refused.faults[0];
/// assert_eq!((fault.pointer(), fault.id()), ("/links/0", "RES-2.5.1-1"));
/// assert_eq!(fault.to_string(), "expected the member \"href\", found none");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFault {
    pointer: String,
    id: &'static str,
    message: String,
}

impl RecordFault {
    /// Creates a fault that was found elsewhere, in the same form: position, requirement, and what
    /// was expected and found.
    ///
    /// ```
    /// use fingerpost_resolver::RecordFault;
    ///
    /// let fault = RecordFault::new("/anchor".into(), "anchor", "expected /01/09520123456788, found another");
    /// assert_eq!(fault.pointer(), "/anchor");
    /// ```
    pub fn new(pointer: String, id: &'static str, message: impl Into<String>) -> RecordFault {
        RecordFault { pointer, id, message: message.into() }
    }

    /// Returns the position, as a JSON pointer; empty for the whole document.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the requirement that is broken, such as `RES-2.5.8-2`, or the RFC of the notation.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the message: what was expected and what was found.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Faults and warnings while a record is being checked.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) faults: Vec<RecordFault>,
    pub(crate) warnings: Vec<RecordFault>,
}

impl Findings {
    pub(crate) fn fault(&mut self, pointer: String, id: &'static str, message: impl Into<String>) {
        self.faults.push(RecordFault::new(pointer, id, message));
    }

    pub(crate) fn warn(&mut self, pointer: String, id: &'static str, message: impl Into<String>) {
        self.warnings.push(RecordFault::new(pointer, id, message));
    }
}

/// Appends one reference token, escaped (RFC 6901 section 3), to a pointer.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Returns text as messages show it: quoted, control characters escaped, cut at [`MAX_SHOWN_TEXT`]
/// bytes.
pub(crate) fn shown(text: &str) -> String {
    format!("{:?}", excerpt(text, MAX_SHOWN_TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_escaped() {
        let mut pointer = String::new();
        push_token(&mut pointer, "https://a/b~c");
        assert_eq!(pointer, "/https:~1~1a~1b~0c");
    }

    #[test]
    fn shown_text_is_cut_and_escaped() {
        assert_eq!(shown("a\n\"b"), r#""a\n\"b""#);
        assert_eq!(shown(&"é".repeat(17)), format!("\"{}\"…", "é".repeat(16)));
    }
}
