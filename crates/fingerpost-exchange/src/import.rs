//! Imports files: reads records, registers the valid ones and reports the others.
//!
//! A second thread reads and checks records; this one writes and reports. At most a few thousand records wait between them,
//! however large the files are. Records are registered in the order in which they are read, many in one transaction.
//! Qualified levels that come before their key level wait in a file (`park`) and are registered at the end
//! (RES-2.5.9-1: order does not matter).

use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::writer::Writer;
use crate::{Event, ImportError, Source, Target, Totals, reading};

/// Options of an import.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// The maximum number of records in one transaction.
    pub batch: NonZeroUsize,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions { batch: BATCH }
    }
}

/// Imports all sources in order and passes each [`Event`] to `report`.
///
/// # Errors
///
/// [`ImportError`]: a source cannot be read, or the store cannot be written. Changes committed before the error are kept.
pub fn import(
    target: Target,
    sources: Vec<Source<'_>>,
    options: ImportOptions,
    report: &mut dyn FnMut(Event<'_>),
) -> Result<Totals, ImportError> {
    let registry = target.rules_of().clone();
    let mut writer = Writer::new(target, options.batch.get(), report)?;
    thread::scope(|scope| {
        let (chunks, receive) = sync_channel(WAITING);
        scope.spawn(move || reading::read_all(sources, &registry.rules(), &chunks));
        for chunk in receive {
            writer.take(chunk?)?;
        }
        writer.finish()
    })
}

/// The default number of records in one transaction.
const BATCH: NonZeroUsize = NonZeroUsize::new(5_000).expect("not zero");

/// Chunks that may wait between reading and writing.
const WAITING: usize = 2;
