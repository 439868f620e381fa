//! Hands the records of a spreadsheet over like those of other files.

use std::sync::mpsc::SyncSender;

use fingerpost_registry::Change;
use fingerpost_resolver::{Accepted, Rules};

use super::{Chunk, Judged, Verdict};
use crate::sheet::{self, Sheet, SheetVerdict};
use crate::{ImportError, RecordPlace};

/// Reads a spreadsheet; returns whether the receiver is still connected.
pub(super) fn read(
    source: u32,
    name: &str,
    sheet: Sheet<'_>,
    rules: &Rules<'_>,
    chunks: &SyncSender<Result<Chunk, ImportError>>,
) -> Result<bool, ImportError> {
    let mut count = 0;
    sheet::read(name, sheet, &std::env::temp_dir(), rules, &mut |records, bytes| {
        let judged = records.into_iter().map(|(row, verdict)| {
            count += 1;
            let place = RecordPlace { source, line: row, record: count };
            let verdict = match verdict {
                SheetVerdict::Refused { anchor, faults } => Verdict::Refused { anchor, faults },
                SheetVerdict::Accepted { entry, warnings } => {
                    let accepted = Accepted { entry, warnings: Vec::new() };
                    Verdict::Accepted { change: Change::put(accepted), warnings }
                }
            };
            Judged { place, verdict }
        });
        chunks.send(Ok(Chunk { records: judged.collect(), bytes })).is_ok()
    })
}
