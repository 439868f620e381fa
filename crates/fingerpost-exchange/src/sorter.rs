//! Sorts values by their keys in constant memory, for readers of other formats that have to join
//! what belongs together before it is a record.

use std::io;
use std::path::Path;

use crate::RecordPosition;
use crate::frame::Frames;
use crate::merge::{Merge, MergedFrame};
use crate::spool::Spool;

/// A collector of values, which a temporary file without a name holds if they are many.
#[derive(Debug)]
pub struct Sorter(Spool);

/// The values of a [`Sorter`] in the order of their keys; values with the same key are in the order
/// in which they were added.
#[derive(Debug)]
pub struct Sorted(Merge);

/// A value with its key and its position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedValue {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// Its position in the input.
    pub position: RecordPosition,
}

impl Sorter {
    /// Creates an empty sorter with a buffer of `capacity` bytes, and its file in `dir`.
    pub fn new(dir: &Path, capacity: usize) -> Sorter {
        Sorter(Spool::new(dir, capacity))
    }

    /// Adds a value, which is smaller than 4 GiB.
    pub fn add(&mut self, key: &str, value: &[u8], position: RecordPosition) -> io::Result<()> {
        let mut frames = Frames::default();
        frames.push(key, value, position);
        frames.iter().try_for_each(|frame| self.0.add(frame))
    }

    /// Returns all values.
    pub fn sorted(self) -> io::Result<Sorted> {
        self.0.into_merge().map(Sorted)
    }
}

impl Iterator for Sorted {
    type Item = io::Result<SortedValue>;

    fn next(&mut self) -> Option<io::Result<SortedValue>> {
        let step = match self.0.next() {
            Ok(step) => step?,
            Err(error) => return Some(Err(error)),
        };
        let (MergedFrame::Last(frame) | MergedFrame::Earlier { frame, .. }) = step;
        let key = String::from_utf8_lossy(frame.key()).into_owned();
        Some(Ok(SortedValue { key, value: frame.value().to_owned(), position: frame.position() }))
    }
}
