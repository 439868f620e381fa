//! Reads and checks records on all cores.
//!
//! ```text
//! one thread     cuts sources into pieces (split)           → Pieces, numbered; of a spreadsheet or a resolver, a Chunk at once
//! all cores      check the records among them               → Chunk with the same number
//! the caller     takes the chunks in the order of their numbers
//! ```
//!
//! The number of chunks on their way is limited, so memory is too, however large the files are and
//! however long one record takes.

mod answers;
mod sheets;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use fingerpost_registry::{Caller, Registry};
use fingerpost_resolver::{
    Accepted, Anchor, RecordFault, Refused, Rules, read_linkset_context, read_record,
};
use serde::Deserialize;

use crate::foreign::ForeignRecord;
use crate::frame::Frames;
use crate::held::find_held;
use crate::limits::{CHUNK_BYTES, CHUNK_RECORDS, CHUNKS_PER_THREAD};
use crate::source::Input;
use crate::split::{Content, Piece, Splitter, Unreadable, check_line};
use crate::{ImportError, ImportSource, RecordPosition};

/// Checked records of one source, in order.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Those accepted.
    pub(crate) accepted: Frames,
    /// For each of them, whether the store held it; can be empty or shorter.
    pub(crate) held: Vec<bool>,
    /// What there is to report.
    pub(crate) notes: Vec<Note>,
    /// Bytes of the source read for them.
    pub(crate) bytes: u64,
}

/// Something to report about a record.
#[derive(Debug)]
pub(crate) enum Note {
    /// It is accepted.
    Warned { position: RecordPosition, level: Anchor, warnings: Vec<RecordFault> },
    /// It is refused. `record` is a line of JSON Lines that can be corrected; the rows of a
    /// spreadsheet have none.
    Refused {
        position: RecordPosition,
        anchor: Option<String>,
        faults: Vec<RecordFault>,
        record: Option<Vec<u8>>,
    },
    /// It is not a record, but perhaps a line that can be corrected.
    Unreadable { position: RecordPosition, problem: Unreadable, line: Option<Vec<u8>> },
}

impl Chunk {
    /// Adds the result of checking a record.
    pub(crate) fn push(&mut self, position: RecordPosition, result: Result<Accepted, Note>) {
        match result {
            Ok(Accepted { entry, warnings }) => {
                self.accepted.push(entry.anchor().as_str(), &entry.encode(), position);
                if !warnings.is_empty() {
                    let level = entry.anchor().clone();
                    self.notes.push(Note::Warned { position, level, warnings });
                }
            }
            Err(note) => self.notes.push(note),
        }
    }
}

/// The threads that check records.
pub(crate) struct Checkers<'c> {
    pub(crate) registry: &'c Registry,
    /// The caller who looks for records that the store holds.
    pub(crate) looker: Option<Caller>,
    pub(crate) threads: NonZeroUsize,
}

/// Reads and checks all sources, with temporary files in `scratch`; passes the chunks to `take` in
/// their order.
pub(crate) fn read_all(
    sources: Vec<ImportSource<'_>>,
    checkers: &Checkers<'_>,
    scratch: &Path,
    take: &mut dyn FnMut(Chunk) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let Checkers { registry, threads, .. } = checkers;
    let on_their_way = threads.get() * CHUNKS_PER_THREAD;
    let (cut, to_check) = channel();
    let (checked, to_take) = channel();
    let (permit, permits) = channel();
    let to_check = Mutex::new(to_check);
    thread::scope(|scope| {
        let cutter = Cutter { permits, cut, checked: checked.clone(), scratch, next: 0 };
        scope.spawn(move || cutter.cut_all(sources, &registry.rules()));
        for _ in 0..threads.get() {
            let (to_check, checked) = (&to_check, checked.clone());
            scope.spawn(move || check_all(to_check, checkers, &checked));
        }
        drop(checked);
        let permit = permit; // dropped at the end, which ends the other threads
        for _ in 0..on_their_way {
            let _ = permit.send(Vec::new()); // unless there is nothing more to read
        }
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for checked in to_take {
            let Checked { number, chunk, buffer } = checked?;
            early.insert(number, (chunk, buffer));
            while let Some((chunk, buffer)) = early.remove(&next) {
                take(chunk)?;
                let _ = permit.send(buffer); // unless there is nothing more to read
                next += 1;
            }
        }
        Ok(())
    })
}

/// Pieces of one source, in order, with their bytes.
#[derive(Debug)]
struct Pieces {
    number: u64,
    bytes: Vec<u8>,
    pieces: Vec<Cut>,
    consumed: u64,
}

/// A piece whose bytes are in [`Pieces`].
#[derive(Debug)]
struct Cut {
    position: RecordPosition,
    /// Where it begins on its line, in bytes, from 1.
    column: u64,
    content: Content<Range<usize>>,
}

/// The result of checking [`Pieces`].
struct Checked {
    number: u64,
    chunk: Chunk,
    /// Memory to use again.
    buffer: Vec<u8>,
}

/// Cuts sources into pieces, as long as there are permits, which are empty buffers.
struct Cutter<'c> {
    permits: Receiver<Vec<u8>>,
    cut: Sender<Result<Pieces, ImportError>>,
    checked: Sender<Result<Checked, ImportError>>,
    scratch: &'c Path,
    /// The number of the next chunk.
    next: u64,
}

impl Cutter<'_> {
    fn cut_all(mut self, sources: Vec<ImportSource<'_>>, rules: &Rules<'_>) {
        for (number, ImportSource { name, input }) in (0..).zip(sources) {
            let go_on = match input {
                Input::Records(input) => {
                    let mut splitter = Splitter::new(input, READ_BYTES);
                    self.cut(&name, |pieces| cut_some(pieces, number, &mut splitter))
                }
                Input::Foreign(foreign) => {
                    let mut records = foreign.records(number);
                    self.cut(&name, |pieces| take_some(pieces, &mut records))
                }
                Input::Converted(records) => {
                    let mut records = records.map(|record| {
                        record.map(|(position, json)| (position, Content::Record(json)))
                    });
                    self.cut(&name, |pieces| take_some(pieces, &mut records))
                }
                Input::Answers(answers) => self.read_answers(number, &name, answers, rules),
                Input::Sheet(sheet) => self.read_sheet(number, &name, *sheet, rules),
            };
            if !go_on {
                return;
            }
        }
    }

    /// Waits for the permit to make a chunk; returns its number and an empty buffer, unless nobody
    /// wants it.
    fn permit(&mut self) -> Option<(u64, Vec<u8>)> {
        let buffer = self.permits.recv().ok()?;
        let number = self.next;
        self.next += 1;
        Some((number, buffer))
    }

    /// Hands over the pieces of a source, each time as many as `cut` adds; returns whether to go on
    /// with the next source.
    fn cut(&mut self, name: &str, mut cut: impl FnMut(&mut Pieces) -> std::io::Result<()>) -> bool {
        loop {
            let Some((number, mut bytes)) = self.permit() else { return false };
            bytes.clear();
            let mut pieces = Pieces { number, bytes, pieces: Vec::new(), consumed: 0 };
            let result = cut(&mut pieces);
            let (is_end, is_error) = (pieces.pieces.is_empty(), result.is_err());
            let unreadable = |source| ImportError::Unreadable { name: name.to_owned(), source };
            let sent = self.cut.send(result.map(|()| pieces).map_err(unreadable));
            if sent.is_err() || is_error {
                return false;
            }
            if is_end {
                return true;
            }
        }
    }
}

impl Pieces {
    fn is_full(&self) -> bool {
        self.pieces.len() >= CHUNK_RECORDS || self.bytes.len() >= CHUNK_BYTES
    }

    fn add(&mut self, position: RecordPosition, column: u64, content: Content<&[u8]>) {
        let content = content.map(|piece| {
            let begin = self.bytes.len();
            self.bytes.extend_from_slice(piece);
            begin..self.bytes.len()
        });
        self.pieces.push(Cut { position, column, content });
    }
}

fn take_some(
    pieces: &mut Pieces,
    records: &mut dyn Iterator<Item = std::io::Result<ForeignRecord>>,
) -> std::io::Result<()> {
    while !pieces.is_full() {
        let Some((position, content)) = records.next().transpose()? else { break };
        let mut json = Vec::new();
        let content = content.map(|record| json = record).map(|()| json.as_slice());
        pieces.add(position, 1, content);
    }
    Ok(())
}

fn cut_some(
    pieces: &mut Pieces,
    source: u32,
    splitter: &mut Splitter<impl std::io::Read>,
) -> std::io::Result<()> {
    let before = splitter.consumed();
    while !pieces.is_full() {
        let Some(Piece { line, column, record, content }) = splitter.next()? else { break };
        pieces.add(RecordPosition { source, line, record }, column, content);
    }
    pieces.consumed = splitter.consumed() - before;
    Ok(())
}

/// Checks pieces until there are no more.
fn check_all(
    pieces: &Mutex<Receiver<Result<Pieces, ImportError>>>,
    checkers: &Checkers<'_>,
    checked: &Sender<Result<Checked, ImportError>>,
) {
    let rules = &checkers.registry.rules();
    let check = |pieces| {
        let mut checked = check(pieces, rules);
        if let Some(looker) = &checkers.looker {
            let Chunk { accepted, held, .. } = &mut checked.chunk;
            *held = find_held(checkers.registry, looker, accepted);
        }
        checked
    };
    loop {
        let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { return };
        if checked.send(next.map(check)).is_err() {
            return;
        }
    }
}

fn check(pieces: Pieces, rules: &Rules<'_>) -> Checked {
    let Pieces { number, bytes, pieces, consumed } = pieces;
    let mut chunk = Chunk { bytes: consumed, ..Chunk::default() };
    for Cut { position, column, content } in pieces {
        chunk.push(position, judge(position, column, content.map(|range| &bytes[range]), rules));
    }
    Checked { number, chunk, buffer: bytes }
}

/// Checks a piece by itself, regardless of what else is registered.
pub(crate) fn judge(
    position: RecordPosition,
    column: u64,
    content: Content<&[u8]>,
    rules: &Rules<'_>,
) -> Result<Accepted, Note> {
    let (json, result) = match content {
        Content::Line(json) | Content::Record(json) => (json, read_record(json, rules)),
        Content::Context(json) => (json, read_linkset_context(json, rules)),
        Content::Refused(problem) => {
            return Err(Note::Unreadable { position, problem, line: None });
        }
    };
    result.map_err(|Refused { faults, .. }| {
        // Whatever is not JSON is refused by both; this one knows the position in the file.
        if let Content::Line(line) = content
            && let Some(problem) = check_line(line, position.line, column)
        {
            return Note::Unreadable { position, problem, line: Some(line.to_vec()) };
        }
        let record = on_one_line(json, matches!(content, Content::Context(_)));
        Note::Refused { position, anchor: anchor(json), faults, record: Some(record) }
    })
}

/// Returns a record on one line; a context object becomes a linkset of its own. Line ends are only
/// between the parts of JSON, never in them.
fn on_one_line(json: &[u8], is_context: bool) -> Vec<u8> {
    let (before, after): (&[u8], &[u8]) =
        if is_context { (b"{\"linkset\":[", b"]}") } else { (b"", b"") };
    let mut line = [before, json, after].concat();
    let ends = line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r'));
    ends.for_each(|byte| *byte = b' ');
    line
}

/// Returns the anchor of a record that was not checked, if it can be read.
pub(crate) fn anchor(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Anchored {
        anchor: String,
    }
    serde_json::from_slice::<Anchored>(json).ok().map(|record| record.anchor)
}

/// The number of bytes read from a source at once.
pub(crate) const READ_BYTES: usize = 256 * 1024;
