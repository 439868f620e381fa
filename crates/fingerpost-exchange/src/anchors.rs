//! The anchors of the records in a file, without a check of the records.

use std::io::{self, Read};

use crate::reading::{READ_BYTES, anchor};
use crate::split::{Content, Piece, Splitter};

/// Returns the anchor of each record of a JSON file: JSON Lines, an array, a record, or a linkset;
/// `None` for a part that is not a record. Memory does not grow with the file.
///
/// ```
/// let file = r#"{"linkset":[{"anchor":"https://id.example.org/01/09520123456788"}, 1]}"#;
/// let anchors: Result<Vec<_>, _> = fingerpost_exchange::anchors(file.as_bytes()).collect();
/// assert_eq!(anchors?, [Some("https://id.example.org/01/09520123456788".to_owned()), None]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn anchors(input: impl Read) -> impl Iterator<Item = io::Result<Option<String>>> {
    let mut splitter = Splitter::new(input, READ_BYTES);
    std::iter::from_fn(move || {
        let piece = splitter.next().transpose()?;
        Some(piece.map(|Piece { content, .. }| match content {
            Content::Line(json) | Content::Record(json) | Content::Context(json) => anchor(json),
            Content::Refused(_) => None,
        }))
    })
}
