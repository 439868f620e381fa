//! Reads and checks records on a separate thread.

mod sheets;

use std::sync::mpsc::SyncSender;

use fingerpost_registry::Change;
use fingerpost_resolver::{
    Accepted, RecordFault, Refused, Rules, read_linkset_context, read_record,
};
use serde::Deserialize;

use crate::source::Input;
use crate::split::{Content, Piece, Splitter, Unreadable};
use crate::{ImportError, RecordPlace, Source};

/// A record that was read.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) place: RecordPlace,
    pub(crate) verdict: Verdict,
}

/// The result of checking a record by itself, regardless of what else is registered.
#[derive(Debug)]
pub(crate) enum Verdict {
    Accepted {
        change: Change,
        warnings: Vec<RecordFault>,
    },
    Refused {
        anchor: Option<String>,
        faults: Vec<RecordFault>,
    },
    /// Not a record.
    Unreadable(Unreadable),
}

/// Some records of one source, in order.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) records: Vec<Judged>,
    /// Bytes consumed since the last chunk.
    pub(crate) bytes: u64,
}

/// Reads all sources; stops early when the receiver has hung up.
pub(crate) fn read_all(
    sources: Vec<Source<'_>>,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, ImportError>>,
) {
    for (number, source) in (0..).zip(sources) {
        match read(number, source, rules, chunks) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                let _ = chunks.send(Err(error)); // the writer may have failed first
                return;
            }
        }
    }
}

/// Reads one source; returns whether the receiver is still connected.
fn read(
    number: u32,
    source: Source<'_>,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, ImportError>>,
) -> Result<bool, ImportError> {
    let Source { name, input } = source;
    // The only place here that knows of spreadsheets.
    let input = match input {
        Input::Records(input) => input,
        Input::Sheet(sheet) => {
            return sheets::read(number, &name, *sheet, rules, chunks);
        }
    };
    let mut splitter = Splitter::new(input, READ_BYTES);
    let mut before = 0;
    loop {
        let mut records = Vec::new();
        while records.len() < CHUNK_RECORDS && splitter.consumed() - before < CHUNK_BYTES {
            let piece = splitter
                .next()
                .map_err(|source| ImportError::Unreadable { name: name.clone(), source })?;
            let Some(piece) = piece else { break };
            records.push(judge(number, piece, rules));
        }
        let is_end = records.is_empty();
        let bytes = splitter.consumed() - before;
        before = splitter.consumed();
        if chunks.send(Ok(Chunk { records, bytes })).is_err() {
            return Ok(false);
        }
        if is_end {
            return Ok(true);
        }
    }
}

fn judge(source: u32, piece: Piece<'_>, rules: &Rules<'_>) -> Judged {
    let place = RecordPlace { source, line: piece.line, record: piece.record };
    let (json, result) = match piece.content {
        Content::Record(json) => (json, read_record(json, rules)),
        Content::Context(json) => (json, read_linkset_context(json, rules)),
        Content::Refused(problem) => {
            return Judged { place, verdict: Verdict::Unreadable(problem) };
        }
    };
    let verdict = match result {
        Ok(Accepted { entry, warnings }) => {
            let accepted = Accepted { entry, warnings: Vec::new() };
            Verdict::Accepted { change: Change::put(accepted), warnings }
        }
        Err(Refused { faults, .. }) => Verdict::Refused { anchor: anchor(json), faults },
    };
    Judged { place, verdict }
}

/// Returns the anchor of a refused record for the report, if it can be read.
fn anchor(json: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Anchored {
        anchor: String,
    }
    serde_json::from_slice::<Anchored>(json).ok().map(|record| record.anchor)
}

/// The number of bytes read from a source at once.
const READ_BYTES: usize = 256 * 1024;

/// The number of records handed over together.
const CHUNK_RECORDS: usize = 1024;

/// The maximum number of bytes of records handed over together (one record more may be added).
const CHUNK_BYTES: u64 = 4 * 1024 * 1024;
