//! Reads the rows of a batch, one line at a time, in bounded memory.

use std::borrow::Cow;
use std::io::BufRead;
use std::thread;

use fingerpost_resolver::{Anchor, MAX_RECORD_BYTES};
use fingerpost_store::Revision;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, RefusalCode, Row};
use crate::change::RecordChange;
use crate::fault::{Fault, faults};
use crate::registry::Inner;
use crate::{Precondition, RegistryError};

/// The rows of an input. Skips empty lines.
pub(super) struct Rows<'r, R> {
    inner: &'r Inner,
    input: R,
    line: u64,
    buffer: Vec<u8>,
}

impl<'r, R: BufRead> Rows<'r, R> {
    pub(super) fn new(inner: &'r Inner, input: R) -> Self {
        Rows { inner, input, line: 0, buffer: Vec::new() }
    }

    /// Reads a line into the buffer; returns `None` at the end, otherwise whether the line fits.
    fn read_line(&mut self) -> std::io::Result<Option<bool>> {
        self.buffer.clear();
        let mut fits = true;
        let mut is_any = false;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return Ok(is_any.then_some(fits));
            }
            is_any = true;
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            fits &= self.buffer.len() + part.len() <= MAX_RECORD_BYTES;
            if fits {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(fits));
            }
        }
    }

    fn row(&self, fits: bool) -> Row {
        let read = if fits {
            read_row(self.inner, self.buffer.trim_ascii())
        } else {
            let detail = format!("expected at most {MAX_RECORD_BYTES} bytes in a line, found more");
            let faults = vec![Fault::new("", "batch", detail)];
            Err(Refusal { code: RefusalCode::TooLarge, faults })
        };
        let key = read.as_ref().ok().map(|change| change.level().clone());
        Row { line: self.line, key, change: read }
    }
}

impl<R: BufRead> Iterator for Rows<'_, R> {
    type Item = Result<Row, RegistryError>;

    fn next(&mut self) -> Option<Self::Item> {
        thread::yield_now(); // to the public listener
        loop {
            self.line += 1;
            match self.read_line() {
                Ok(None) => return None,
                Ok(Some(true)) if self.buffer.trim_ascii().is_empty() => {}
                Ok(Some(fits)) => return Some(Ok(self.row(fits))),
                Err(error) => {
                    let detail =
                        format!("expected a batch that can be read to its end, found: {error}");
                    return Some(Err(RegistryError::invalid(vec![Fault::new(
                        "", "batch", detail,
                    )])));
                }
            }
        }
    }
}

/// A row that is not just a record.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Envelope<'j> {
    #[serde(borrow)]
    put: Option<&'j RawValue>,
    #[serde(borrow)]
    delete: Option<Cow<'j, str>>,
    if_match: Option<IfMatch>,
    if_none_match: Option<Star>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum IfMatch {
    Revision(u64),
    Any(Star),
}

#[derive(Deserialize)]
enum Star {
    #[serde(rename = "*")]
    Star,
}

fn read_row(inner: &Inner, line: &[u8]) -> Result<RecordChange, Refusal> {
    let invalid = |faults| Refusal { code: RefusalCode::Invalid, faults };
    let envelope = serde_json::from_slice::<Envelope<'_>>(line).ok();
    let (record, within, precondition) = match envelope {
        Some(Envelope { put: None, delete: Some(anchor), if_match, if_none_match: None }) => {
            let key = level(&anchor).map_err(|fault| invalid(vec![fault]))?;
            let precondition = if_match.map(IfMatch::into_precondition);
            return Ok(RecordChange::delete(key).only_if(precondition));
        }
        Some(Envelope { put: Some(record), delete: None, if_match, if_none_match }) => {
            let none = if_none_match.map(|Star::Star| Precondition::None);
            let precondition = if_match.map(IfMatch::into_precondition).or(none);
            (record.get().as_bytes(), "/put", precondition)
        }
        _ => (line, "", None),
    };
    match inner.read_change(None, record) {
        Ok(change) => Ok(change.only_if(precondition)),
        Err(refused) => {
            let faults = faults(&refused.faults).into_iter();
            Err(invalid(faults.map(|fault| fault.within(within)).collect()))
        }
    }
}

impl IfMatch {
    fn into_precondition(self) -> Precondition {
        match self {
            IfMatch::Revision(number) => Precondition::Revision(Revision::new(number)),
            IfMatch::Any(Star::Star) => Precondition::Any,
        }
    }
}

fn level(anchor: &str) -> Result<Anchor, Fault> {
    Anchor::parse(anchor).map_err(|error| Fault::new("/delete", "RES-2.4-1", error.to_string()))
}
