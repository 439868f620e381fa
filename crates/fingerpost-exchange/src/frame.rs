//! What is sorted, as bytes, for memory and for a temporary file: accepted records, and the rows of
//! spreadsheets.
//!
//! ```text
//! frame = source line record key-length value-length key value     ; numbers little-endian
//! ```

use crate::RecordPosition;

/// Length of a frame before its key.
const HEAD: usize = 28;

/// Keys with their values, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// Where each frame begins.
    starts: Vec<usize>,
}

impl Frames {
    /// Adds a value, which is an encoded entry or row of a spreadsheet.
    pub(crate) fn push(&mut self, key: &str, value: &[u8], position: RecordPosition) {
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).expect("at most a few MiB");
        let key = key.as_bytes();
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(&position.source.to_le_bytes());
        self.bytes.extend_from_slice(&position.line.to_le_bytes());
        self.bytes.extend_from_slice(&position.record.to_le_bytes());
        self.bytes.extend_from_slice(&length(key).to_le_bytes());
        self.bytes.extend_from_slice(&length(value).to_le_bytes());
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(value);
    }

    /// Returns the number of frames.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns the frames, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Frame<'_>> {
        self.starts.iter().filter_map(|start| Frame::at(&self.bytes[*start..]))
    }
}

/// A key with its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'b> {
    bytes: &'b [u8],
    key_length: usize,
}

impl<'b> Frame<'b> {
    /// Returns the frame that begins with these bytes, if they contain all of it.
    pub(crate) fn at(bytes: &'b [u8]) -> Option<Self> {
        let head = bytes.first_chunk::<HEAD>()?;
        let number = |at: usize| Some(u32::from_le_bytes(*head[at..].first_chunk()?) as usize);
        let (key_length, value_length) = (number(20)?, number(24)?);
        let bytes = bytes.get(..HEAD + key_length + value_length)?;
        Some(Self { bytes, key_length })
    }

    /// Returns the whole frame.
    pub(crate) fn bytes(self) -> &'b [u8] {
        self.bytes
    }

    /// Returns the key, which is the text of an anchor.
    pub(crate) fn key(self) -> &'b [u8] {
        &self.bytes[HEAD..HEAD + self.key_length]
    }

    /// Returns the value.
    pub(crate) fn value(self) -> &'b [u8] {
        &self.bytes[HEAD + self.key_length..]
    }

    /// Returns the position in the input.
    pub(crate) fn position(self) -> RecordPosition {
        let number =
            |at: usize| self.bytes[at..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        let source = self.bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        RecordPosition { source, line: number(4), record: number(12) }
    }
}
