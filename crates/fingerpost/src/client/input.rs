//! Input of `fingerpost put`: one record, or the rows of a batch with their line numbers.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use fingerpost_resolver::Anchor;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::key;
use super::problem::Stop;
use crate::failure::Failure;
use crate::limits::MAX_BATCH;
use crate::output::printable;
use fingerpost_registry::Fault;

/// The content to send.
#[derive(Debug)]
pub(super) enum Input {
    /// One record with a known level.
    Record { key: Anchor, json: Vec<u8> },
    /// Rows, one per line; `lines` has the line in the file of each row, unless row and line
    /// numbers are equal.
    Rows { rows: Vec<u8>, lines: Option<Vec<u64>> },
}

/// The member that distinguishes a record from a row that deletes or has a condition.
#[derive(Deserialize)]
struct Anchored {
    anchor: String,
}

impl Input {
    /// Reads a file or standard input.
    pub(super) fn read(file: &Path) -> Result<Self, Stop> {
        let name = printable(&file.to_string_lossy());
        let bytes = read_all(file).map_err(|error| {
            Failure::advise(
                format!("cannot read `{name}`: {error}"),
                "check the name and its permissions; nothing was sent",
            )
        })?;
        if bytes.len() as u64 > MAX_BATCH {
            return Err(Failure::advise(
                format!("`{name}` has more than {} MiB", MAX_BATCH >> 20),
                "split it by lines, or use `fingerpost import` on the machine of the data",
            )
            .into());
        }
        let document: &RawValue = match serde_json::from_slice(&bytes) {
            Ok(document) => document,
            Err(_) if is_lines(file, &bytes) => {
                return Ok(Self::Rows { rows: bytes, lines: None });
            }
            Err(error) => {
                let detail = format!("expected one JSON document or JSON Lines, found {error}");
                let fault = Fault::new("", "RFC 8259", detail);
                return Err(Stop::local(format!("`{name}` cannot be read"), fault));
            }
        };
        if document.get().starts_with('[') {
            return Ok(Self::elements(&bytes));
        }
        let key = serde_json::from_str::<Anchored>(document.get())
            .ok()
            .and_then(|record| key::of_anchor(&record.anchor));
        Ok(match key {
            Some(key) => Self::Record { key, json: bytes },
            // The server reports all faults in it at once.
            None => Self::Rows { rows: one_line(document.get()), lines: Some(vec![1]) },
        })
    }

    /// Returns the elements of an array, one per line.
    fn elements(bytes: &[u8]) -> Self {
        let elements: Vec<&RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
        let mut rows = Vec::with_capacity(bytes.len());
        let mut lines = Vec::with_capacity(elements.len());
        let (mut line, mut counted_to) = (1_u64, 0);
        for element in elements {
            let at = element.get().as_ptr() as usize - bytes.as_ptr() as usize;
            line += bytes[counted_to..at].iter().filter(|byte| **byte == b'\n').count() as u64;
            counted_to = at;
            lines.push(line);
            rows.extend(one_line(element.get()));
        }
        Self::Rows { rows, lines: Some(lines) }
    }
}

fn read_all(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Read one byte more to detect input over the limit.
    if file.as_os_str() == "-" {
        io::stdin().lock().take(MAX_BATCH + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(MAX_BATCH + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Returns whether bytes that are not one document are JSON Lines: by the file name, or because the
/// first line is a whole value.
fn is_lines(file: &Path, bytes: &[u8]) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    if matches!(extension, Some("jsonl" | "ndjson")) {
        return true;
    }
    let text = bytes.trim_ascii_start();
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else { return false };
    let (first, rest) = text.split_at(end);
    !rest.trim_ascii().is_empty() && serde_json::from_slice::<&RawValue>(first).is_ok()
}

/// Returns JSON on one line: line breaks only occur between tokens (RFC 8259 section 7), where
/// spaces are equivalent.
fn one_line(json: &str) -> Vec<u8> {
    let spaced = json.bytes().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte });
    spaced.chain([b'\n']).collect()
}

#[cfg(test)]
mod tests {
    use super::Input;

    fn read(name: &str, text: &str) -> Input {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(name);
        std::fs::write(&file, text).unwrap();
        Input::read(&file).unwrap()
    }

    #[test]
    fn one_record_an_array_and_lines_are_told_apart() {
        let record = "{\n\"anchor\": \"(01)09520123456788\",\n\"links\": []}\n";
        for name in ["a.json", "a.jsonl", "a.ndjson", "a"] {
            let Input::Record { key, .. } = read(name, record) else {
                panic!("a record in {name}")
            };
            assert_eq!(key.as_str(), "01/09520123456788");
        }

        let array = "[\n{\"a\":\n1},\n\n{\"b\": 2}]";
        let Input::Rows { rows, lines } = read("a.json", array) else { panic!("rows") };
        assert_eq!(rows, b"{\"a\": 1}\n{\"b\": 2}\n");
        assert_eq!(lines, Some(vec![2, 5]));

        for (name, text) in [("a.jsonl", "{\n{}\n"), ("a", "{}\n{}\n")] {
            let Input::Rows { rows, lines: None } = read(name, text) else { panic!("{name}") };
            assert_eq!(rows, text.as_bytes());
        }
        // If its level cannot be determined, the server receives it and lists all faults.
        let Input::Rows { lines, .. } = read("a.json", "{\"anchor\": 7}") else { panic!("a row") };
        assert_eq!(lines, Some(vec![1]));
    }
}
