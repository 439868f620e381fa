//! Reads and judges records, on a thread of its own.

use std::sync::mpsc::SyncSender;

use fingerpost_resolver::{Entry, Fault, Refused, Rules, read_linkset_context, read_record};
use serde::Deserialize;

use super::Place;
use super::source::{Source, Sources};
use super::split::{Piece, Problem, Splitter};
use crate::failure::Failure;

/// Records handed over together.
const CHUNK_RECORDS: usize = 1024;

/// Bytes of records handed over together, at most (and one record more).
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// A record that was read.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) line: u64,
    pub(super) verdict: Verdict,
}

/// What a record is worth by itself, whatever else is registered.
#[derive(Debug)]
pub(super) enum Verdict {
    Accepted {
        entry: Box<Entry>,
        warnings: Vec<Fault>,
    },
    Refused {
        anchor: Option<String>,
        faults: Vec<Fault>,
    },
    /// No record at all.
    Unreadable(Problem),
}

/// Some records of one file, in order.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) file: u32,
    pub(super) records: Vec<Judged>,
    /// Bytes of this file consumed since the last chunk.
    pub(super) bytes: u64,
}

/// Reads all files; stops early when the other side has hung up.
pub(super) fn read_all(
    sources: Sources,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, Failure>>,
) {
    for (file, source) in (0..).zip(sources) {
        match read(file, source, rules, chunks) {
            Ok(true) => {}
            Ok(false) => return,
            Err(failure) => {
                let _ = chunks.send(Err(failure)); // the writer may have failed first
                return;
            }
        }
    }
}

/// Reads one file; whether anyone still listens.
fn read(
    file: u32,
    source: Source,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, Failure>>,
) -> Result<bool, Failure> {
    let Source { name, input, lines, .. } = source;
    let mut splitter = Splitter::new(input, lines);
    let mut before = 0;
    loop {
        let mut records = Vec::new();
        while records.len() < CHUNK_RECORDS && splitter.consumed() - before < CHUNK_BYTES as u64 {
            let piece = splitter.next().map_err(|error| {
                Failure::advise(
                    format!("cannot read `{name}` any further: {error}"),
                    "what was reported as committed is stored; import the file again",
                )
            })?;
            let Some(piece) = piece else { break };
            records.push(judge(&piece, rules));
        }
        let ended = records.is_empty();
        let bytes = splitter.consumed() - before;
        before = splitter.consumed();
        if chunks.send(Ok(Chunk { file, records, bytes })).is_err() {
            return Ok(false);
        }
        if ended {
            return Ok(true);
        }
    }
}

fn judge(piece: &Piece<'_>, rules: &Rules<'_>) -> Judged {
    let (line, json, result) = match *piece {
        Piece::Record { line, json } => (line, json, read_record(json, rules)),
        Piece::Context { line, json } => (line, json, read_linkset_context(json, rules)),
        Piece::Refused { line, problem } => {
            return Judged { line, verdict: Verdict::Unreadable(problem) };
        }
    };
    let verdict = match result {
        Ok(accepted) => {
            Verdict::Accepted { entry: Box::new(accepted.entry), warnings: accepted.warnings }
        }
        Err(Refused { faults, .. }) => Verdict::Refused { anchor: anchor(json), faults },
    };
    Judged { line, verdict }
}

/// The anchor of a refused record, for the report, if that much can be read.
fn anchor(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Anchored {
        anchor: String,
    }
    serde_json::from_slice::<Anchored>(json).ok().map(|record| record.anchor)
}

impl Judged {
    pub(super) fn place(&self, file: u32) -> Place {
        Place { file, line: self.line }
    }
}
