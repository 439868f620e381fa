//! The form of rows between two fingerposts: a line of JSON, then the rows, binary.
//!
//! ```text
//! body  = head LF *row
//! head  = one JSON object: format, at, upto, until, rows
//! row   = kind length level [ length value ]
//! kind  = %x01 ; a stored value        / %x02 ; deleted        / %x03 ; damaged in the source
//! length of a level = 2 bytes, of a value = 4 bytes, both big endian; only kind 1 has a value
//! ```
//!
//! Values are as stored, so that a copy is identical to its source. Both sides must have the same
//! storage format, which the head names.

use fingerpost_store::copy::{CopyRow, CopyValue, ENTRY_FORMAT, Position};
use serde::{Deserialize, Serialize};

/// The media type of rows.
pub const MEDIA_TYPE: &str = "application/vnd.fingerpost.rows";

/// The code of the problem that the source lacks a position: it went back.
pub const UNKNOWN_POSITION: &str = "unknown-position";

/// The code of the problem that the source has pruned history that is needed.
pub const HISTORY_PRUNED: &str = "history-pruned";

/// The first line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RowsHead {
    /// The storage format of the values.
    pub format: u32,
    /// The position of the snapshot.
    pub at: Position,
    /// For changes: the position that they lead to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upto: Option<Position>,
    /// For a page: the level up to which it has all rows of the span; absent if it has all of
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The number of rows.
    pub rows: usize,
}

/// Why bytes are not rows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MalformedRows {
    /// The first line is not the expected one.
    #[error("the first line is malformed: {0}")]
    Head(String),
    /// The values have another storage format.
    #[error(
        "the source has storage format {found}, and this node {ENTRY_FORMAT}: update the older one of both"
    )]
    Format {
        /// The format of the source.
        found: u32,
    },
    /// The row with this number, from 0, is malformed or cut off.
    #[error("row {0} is malformed or cut off")]
    Row(usize),
    /// There is something after the last row.
    #[error("there is something after the last row")]
    Rest,
}

const STORED: u8 = 1;
const DELETED: u8 = 2;
const DAMAGED: u8 = 3;

/// Returns the head of rows from a snapshot at a position.
pub fn head_of(at: Position, rows: &[CopyRow]) -> RowsHead {
    RowsHead { format: ENTRY_FORMAT, at, upto: None, until: None, rows: rows.len() }
}

/// Encodes rows.
///
/// # Panics
///
/// Never: levels and values of a store fit.
pub fn encode(head: &RowsHead, rows: &[CopyRow]) -> Vec<u8> {
    let mut body = serde_json::to_vec(head).expect("texts and numbers are JSON");
    body.push(b'\n');
    for row in rows {
        let length = u16::try_from(row.level.len()).expect("a key is short");
        body.push(match row.value {
            CopyValue::Stored(_) => STORED,
            CopyValue::Deleted => DELETED,
            CopyValue::Damaged => DAMAGED,
        });
        body.extend_from_slice(&length.to_be_bytes());
        body.extend_from_slice(row.level.as_bytes());
        if let CopyValue::Stored(value) = &row.value {
            let length = u32::try_from(value.len()).expect("a value is at most 16 MiB long");
            body.extend_from_slice(&length.to_be_bytes());
            body.extend_from_slice(value);
        }
    }
    body
}

/// Decodes rows.
pub fn decode(body: &[u8]) -> Result<(RowsHead, Vec<CopyRow>), MalformedRows> {
    let mut rest = body;
    let end = body.iter().position(|byte| *byte == b'\n');
    let line = end.and_then(|end| bytes(&mut rest, end));
    let line = line.ok_or_else(|| MalformedRows::Head("it does not end".to_owned()))?;
    let head: RowsHead =
        serde_json::from_slice(line).map_err(|error| MalformedRows::Head(error.to_string()))?;
    if head.format != ENTRY_FORMAT {
        return Err(MalformedRows::Format { found: head.format });
    }
    let _ = take::<1>(&mut rest); // the line feed
    let mut rows = Vec::new();
    for number in 0..head.rows {
        rows.push(row(&mut rest).ok_or(MalformedRows::Row(number))?);
    }
    if rest.is_empty() { Ok((head, rows)) } else { Err(MalformedRows::Rest) }
}

/// Takes a row from the beginning of `rest`.
fn row(rest: &mut &[u8]) -> Option<CopyRow> {
    let &[kind] = take::<1>(rest)?;
    let length = usize::from(u16::from_be_bytes(*take(rest)?));
    let level = std::str::from_utf8(bytes(rest, length)?).ok()?.to_owned();
    let value = match kind {
        STORED => {
            let length = usize::try_from(u32::from_be_bytes(*take(rest)?)).ok()?;
            CopyValue::Stored(bytes(rest, length)?.to_vec())
        }
        DELETED => CopyValue::Deleted,
        DAMAGED => CopyValue::Damaged,
        _ => return None,
    };
    Some(CopyRow { level, value })
}

fn take<'r, const N: usize>(rest: &mut &'r [u8]) -> Option<&'r [u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(taken)
}

fn bytes<'r>(rest: &mut &'r [u8], length: usize) -> Option<&'r [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}
