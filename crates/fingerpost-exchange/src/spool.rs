//! Collects records in any order, and returns them in the order of their anchors.
//!
//! Records are collected in a buffer of fixed size. When it is full, its records are sorted and
//! written as one run to a file without a name, so nothing is left behind however the process ends.
//! [`Merge`] reads all runs at once. What fits into the buffer is never written.
//!
//! ```text
//! file = *run
//! run  = *frame                              ; in the order of keys, and of the input for equal keys
//! ```

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::frame::Frame;
use crate::merge::{Merge, Run};

/// Bytes that are written at once.
const WRITE_BYTES: usize = 1 << 20;

/// A frame in the buffer.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The first bytes of the key, as a number: they decide most comparisons.
    begin: [u64; 2],
    at: usize,
}

impl Slot {
    fn new(key: &[u8], at: usize) -> Self {
        let mut begin = [0; 16];
        let length = key.len().min(begin.len());
        begin[..length].copy_from_slice(&key[..length]);
        let (one, two) = begin.split_at(8);
        let number = |half: &[u8]| half.first_chunk().map_or(0, |half| u64::from_be_bytes(*half));
        Self { begin: [number(one), number(two)], at }
    }
}

/// The buffer, and the runs written so far.
#[derive(Debug)]
pub(crate) struct Spool {
    dir: PathBuf,
    /// Maximum number of bytes in the buffer, with what is needed to sort it.
    capacity: usize,
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    file: Option<File>,
    runs: Vec<Range<u64>>,
    count: u64,
}

impl Spool {
    /// Creates an empty spool with a buffer of `capacity` bytes, which creates its file in `dir` if
    /// it needs one.
    pub(crate) fn new(dir: &Path, capacity: usize) -> Self {
        Self {
            dir: dir.to_owned(),
            capacity,
            bytes: Vec::new(),
            slots: Vec::new(),
            file: None,
            runs: Vec::new(),
            count: 0,
        }
    }

    /// Returns the number of records.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether not all records are in the buffer.
    pub(crate) fn has_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Adds a record that comes after all others in the input.
    pub(crate) fn add(&mut self, frame: Frame<'_>) -> io::Result<()> {
        let slots = (self.slots.len() + 1) * size_of::<Slot>();
        if self.bytes.len() + frame.bytes().len() + slots > self.capacity {
            self.spill()?;
        }
        if self.bytes.is_empty() {
            self.bytes.reserve_exact(self.capacity.max(frame.bytes().len()));
        }
        self.slots.push(Slot::new(frame.key(), self.bytes.len()));
        self.bytes.extend_from_slice(frame.bytes());
        self.count += 1;
        Ok(())
    }

    /// Returns all records in the order of their anchors.
    pub(crate) fn into_merge(mut self) -> io::Result<Merge> {
        if self.runs.is_empty() {
            self.sort();
            let starts = self.slots.iter().map(|slot| slot.at).collect();
            return Merge::new(vec![Run::in_memory(self.bytes, starts)], None);
        }
        self.spill()?;
        let runs = Run::in_file(self.runs);
        Merge::new(runs, self.file)
    }

    fn sort(&mut self) {
        let key = |slot: &Slot| Frame::at(&self.bytes[slot.at..]).map(Frame::key);
        self.slots.sort_unstable_by(|one, other| {
            let keys = || key(one).cmp(&key(other));
            // Records of one anchor stay in the order of the input.
            one.begin.cmp(&other.begin).then_with(keys).then(one.at.cmp(&other.at))
        });
    }

    /// Writes the buffer as a run, and empties it.
    fn spill(&mut self) -> io::Result<()> {
        if self.slots.is_empty() {
            return Ok(());
        }
        self.sort();
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(&self.dir)?,
        };
        let mut out = BufWriter::with_capacity(WRITE_BYTES, self.file.insert(file));
        for slot in &self.slots {
            if let Some(frame) = Frame::at(&self.bytes[slot.at..]) {
                out.write_all(frame.bytes())?;
            }
        }
        out.flush()?;
        drop(out);
        let begin = self.runs.last().map_or(0, |run| run.end);
        self.runs.push(begin..begin + self.bytes.len() as u64);
        self.slots.clear();
        self.bytes.clear();
        Ok(())
    }
}
