//! Imports files: reads records, registers the valid ones in the order of their anchors, and
//! reports the others.
//!
//! First all sources are read and checked, on all cores (`reading`). Records that the store holds
//! already are left out (`held`), the other accepted ones collected in a buffer or a temporary file
//! (`spool`). Then they are sorted (`merge`) and written
//! (`writer`). So each page of the store is written about once, and the order of the input does not
//! matter (RES-2.5.9-1).

use std::iter;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use crate::held::Sorted;
use crate::limits::{BATCH_BYTES, BATCH_RECORDS, BUFFER_BYTES};
use crate::reading::Checkers;
use crate::spool::Spool;
use crate::writer::{BatchSize, Writer};
use crate::{ImportError, ImportEvent, ImportSource, ImportTarget, Totals, reading};

/// Options of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// Whether a record keeps everything of the one at its anchor that it does not replace; see
    /// [`RecordChange::keeping_rest`](fingerpost_registry::RecordChange::keeping_rest).
    pub keep_rest: bool,
    /// The maximum number of records in one transaction.
    pub batch: NonZeroUsize,
    /// Bytes of records after which a transaction ends, even if it has few of them: others who
    /// write wait for its end.
    pub batch_bytes: usize,
    /// The number of threads that check records.
    pub threads: NonZeroUsize,
    /// The size of the buffer in which accepted records are sorted, in bytes. More records go to a
    /// temporary file in the data directory.
    pub buffer: usize,
}

impl Default for ImportOptions {
    /// Whole records are replaced. Batches of 20,000 records or 16 MiB, a thread for each core, and
    /// 64 MiB for sorting.
    fn default() -> ImportOptions {
        let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        ImportOptions {
            keep_rest: false,
            batch: BATCH_RECORDS,
            batch_bytes: BATCH_BYTES,
            threads,
            buffer: BUFFER_BYTES,
        }
    }
}

/// Imports all sources and passes each [`ImportEvent`] to `report`, which can end the import.
///
/// Nothing is registered before all sources have been read. Of several records for one anchor, the
/// last one counts.
///
/// Fails with [`ImportError`]: a source cannot be read, the store cannot be written, or `report`
/// has ended the import. Changes committed before the error are kept.
pub fn import(
    target: ImportTarget,
    sources: Vec<ImportSource<'_>>,
    options: ImportOptions,
    report: &mut dyn FnMut(ImportEvent<'_>) -> ControlFlow<()>,
) -> Result<Totals, ImportError> {
    let registry = target.rules_of().clone();
    let looker = target.looker()?;
    let scratch = target.scratch();
    let mut spool = Spool::new(&scratch, options.buffer);
    let mut writer = Writer::new(
        target,
        BatchSize {
            records: options.batch.get(),
            bytes: options.batch_bytes,
            keep_rest: options.keep_rest,
        },
        report,
    )?;
    let checkers = Checkers { registry: &registry, looker, threads: options.threads };
    let mut sorted = Sorted::default();
    reading::read_all(sources, &checkers, &scratch, &mut |chunk| {
        let held = chunk.held.iter().copied().chain(iter::repeat(false));
        for (record, is_held) in chunk.accepted.iter().zip(held) {
            if is_held && !sorted.may_have(record) {
                writer.note_held();
                continue;
            }
            if checkers.looker.is_some() {
                sorted.add(record);
            }
            spool.add(record).map_err(ImportError::Temporary)?;
        }
        writer.note(chunk)
    })?;
    writer.write(spool)
}
