//! Merges the sorted runs of a spool: one pass over all records in the order of their anchors.
//!
//! Several records for one anchor come in the order of the input. A key sorts before its levels, so
//! the key level comes first (RES-2.5.9-1), whatever the order of the input.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::RecordPosition;
use crate::frame::Frame;
use crate::limits::{MERGE_BYTES, MIN_RUN_BYTES};

/// The records of a spool, in the order of their anchors.
#[derive(Debug)]
pub(crate) struct Merge {
    file: Option<File>,
    runs: Vec<Run>,
    /// Runs that have records left, as a binary heap: the first one has the next record.
    heap: Vec<usize>,
    /// The record taken last.
    taken: Vec<u8>,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum MergedFrame<'m> {
    /// The only or last record for its anchor.
    Last(Frame<'m>),
    /// A record for the anchor of the next one.
    Earlier { frame: Frame<'m>, next: RecordPosition },
}

impl Merge {
    /// Begins to read all runs.
    pub(crate) fn new(mut runs: Vec<Run>, mut file: Option<File>) -> io::Result<Self> {
        for run in &mut runs {
            run.fill(file.as_mut())?;
        }
        let heap: Vec<_> = (0..runs.len()).filter(|run| runs[*run].frame().is_some()).collect();
        let mut merge = Self { file, runs, heap, taken: Vec::new() };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sink(at);
        }
        Ok(merge)
    }

    /// Returns the next record.
    pub(crate) fn next(&mut self) -> io::Result<Option<MergedFrame<'_>>> {
        let Some(&first) = self.heap.first() else { return Ok(None) };
        let run = &mut self.runs[first];
        self.taken.clear();
        self.taken.extend_from_slice(run.frame().map_or(&[], Frame::bytes));
        run.advance(self.file.as_mut())?;
        if run.frame().is_none() {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        let frame = Frame::at(&self.taken).ok_or(io::ErrorKind::InvalidData)?;
        let after = self.heap.first().and_then(|run| self.runs[*run].frame());
        Ok(Some(match after.filter(|after| after.key() == frame.key()) {
            Some(after) => MergedFrame::Earlier { frame, next: after.position() },
            None => MergedFrame::Last(frame),
        }))
    }

    /// Moves a run down the heap to its position.
    fn sink(&mut self, mut at: usize) {
        loop {
            let children = [2 * at + 1, 2 * at + 2].into_iter().filter(|at| *at < self.heap.len());
            let least =
                children.reduce(|one, two| if self.is_before(two, one) { two } else { one });
            let Some(child) = least.filter(|child| self.is_before(*child, at)) else { return };
            self.heap.swap(child, at);
            at = child;
        }
    }

    /// Returns whether one run of the heap comes before another: by its key,
    /// then by its position in the input.
    fn is_before(&self, one: usize, other: usize) -> bool {
        let order = |at: usize| {
            let run = self.heap[at];
            (self.runs[run].frame().map(Frame::key), run)
        };
        order(one) < order(other)
    }
}

/// A sorted run, read from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Run {
    position: RunSource,
    /// Bytes read.
    bytes: Vec<u8>,
    /// Where the next frame begins in `bytes`.
    at: usize,
}

#[derive(Debug)]
enum RunSource {
    /// All bytes are in memory, and frames begin here.
    Memory(std::vec::IntoIter<usize>),
    /// What remains to be read of the file, and how much of it is read at once.
    File(Range<u64>, usize),
}

impl Run {
    /// Returns the only run, which begins frames at `starts`.
    pub(crate) fn in_memory(bytes: Vec<u8>, starts: Vec<usize>) -> Self {
        let (mut starts, end) = (starts.into_iter(), bytes.len());
        Self { at: starts.next().unwrap_or(end), position: RunSource::Memory(starts), bytes }
    }

    /// Returns the runs in these parts of a file.
    pub(crate) fn in_file(parts: Vec<Range<u64>>) -> Vec<Self> {
        let at_once = (MERGE_BYTES / parts.len().max(1)).max(MIN_RUN_BYTES);
        let run =
            |part| Self { position: RunSource::File(part, at_once), bytes: Vec::new(), at: 0 };
        parts.into_iter().map(run).collect()
    }

    /// Returns the next frame; `None` at the end.
    fn frame(&self) -> Option<Frame<'_>> {
        Frame::at(&self.bytes[self.at..])
    }

    /// Goes on to the frame after the next one.
    fn advance(&mut self, file: Option<&mut File>) -> io::Result<()> {
        let length = self.frame().map_or(0, |frame| frame.bytes().len());
        match &mut self.position {
            RunSource::Memory(starts) => {
                self.at = starts.next().unwrap_or(self.bytes.len());
                Ok(())
            }
            RunSource::File(..) => {
                self.at += length;
                self.fill(file)
            }
        }
    }

    /// Reads until the next frame is complete.
    fn fill(&mut self, file: Option<&mut File>) -> io::Result<()> {
        let (RunSource::File(rest, at_once), Some(file)) = (&mut self.position, file) else {
            return Ok(());
        };
        while !rest.is_empty() && Frame::at(&self.bytes[self.at..]).is_none() {
            self.bytes.drain(..self.at);
            self.at = 0;
            let wanted = (*at_once as u64).min(rest.end - rest.start);
            file.seek(SeekFrom::Start(rest.start))?;
            if file.take(wanted).read_to_end(&mut self.bytes)? as u64 != wanted {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            rest.start += wanted;
        }
        let is_torn = rest.is_empty() && self.frame().is_none() && self.at < self.bytes.len();
        if is_torn { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
    }
}
