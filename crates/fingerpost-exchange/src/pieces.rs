//! Cuts a stream of JSON into values, for readers of other formats.

use std::io::{self, Read};

use crate::reading::READ_BYTES;
use crate::split::{Content, Splitter, check_line};

/// The values of a stream: the items of an array, the lines of JSON Lines, or documents one after
/// the other. A broken line or a broken document does not end the stream.
pub struct JsonValues<'s> {
    splitter: Splitter<Box<dyn Read + Send + 's>>,
}

/// A value of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonValue {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its number in the stream, from 1.
    pub number: u64,
    /// Its text, or why it is not JSON and its line as far as that is known.
    pub text: Result<Vec<u8>, (String, Option<Vec<u8>>)>,
}

impl<'s> JsonValues<'s> {
    /// Reads a stream. A value with more than `limit` bytes is an error; some times as many are
    /// held in memory.
    pub fn new(input: impl Read + Send + 's, limit: usize) -> JsonValues<'s> {
        JsonValues { splitter: Splitter::with_limit(Box::new(input), READ_BYTES, limit) }
    }

    fn cut(&mut self) -> io::Result<Option<JsonValue>> {
        let Some(piece) = self.splitter.next()? else { return Ok(None) };
        let (line, number) = (piece.line, piece.record);
        let text = match piece.content {
            Content::Line(text) => match check_line(text, line, piece.column) {
                None => Ok(text.to_vec()),
                Some(problem) => Err((problem.to_string(), Some(text.to_vec()))),
            },
            Content::Record(text) | Content::Context(text) => Ok(text.to_vec()),
            Content::Refused(problem) => Err((problem.to_string(), None)),
        };
        Ok(Some(JsonValue { line, number, text }))
    }
}

impl Iterator for JsonValues<'_> {
    type Item = io::Result<JsonValue>;

    fn next(&mut self) -> Option<io::Result<JsonValue>> {
        self.cut().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(u64, Result<String, bool>)> {
        let found = JsonValues::new(text.as_bytes(), 100).map(|value| {
            let JsonValue { line, text, .. } = value.unwrap();
            let text = text.map(|text| String::from_utf8(text).unwrap());
            (line, text.map_err(|(_, line)| line.is_some()))
        });
        found.collect()
    }

    #[test]
    fn every_layout_is_cut_into_values() {
        let two = [(1, Ok("{\"a\":1}".to_owned())), (2, Ok("{\"a\":2}".to_owned()))];
        for text in ["{\"a\":1}\n{\"a\":2}\n", "[{\"a\":1},\n{\"a\":2}]"] {
            assert_eq!(values(text), two, "{text}");
        }
        let broken = values("{\"a\":1}\n{\"a\":\n{\"a\":3}\n");
        assert_eq!(values(&format!("[{{\"a\":\"{}\"}},1]", "x".repeat(100)))[0], (1, Err(false)));
        assert_eq!(broken.len(), 3);
        assert_eq!(broken[1], (2, Err(true)));
        assert_eq!(broken[2].0, 3);
    }
}
