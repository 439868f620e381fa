//! Imports files: reads records, registers the valid ones and reports the others.
//!
//! A second thread reads and checks, this one writes and reports; a few thousand records wait between them,
//! whatever the size of the files. Records are registered in the order in which they are read, many in one transaction.
//! Qualified levels that come before their key level wait in a file (`park`) and are registered at the end
//! (RES-2.5.9-1: order does not matter).

use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::writer::Writer;
use crate::{Event, ImportError, Source, Target, Totals, reading};

/// How an import is done.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions {
    /// Records in one transaction, at most.
    pub batch: NonZeroUsize,
}

impl Default for ImportOptions {
    fn default() -> ImportOptions {
        ImportOptions { batch: BATCH }
    }
}

/// Imports all sources, in their order, and reports to `report` what happens.
///
/// # Errors
///
/// [`ImportError`]: a source cannot be read, or the store not written. What was committed before stays.
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

/// Records in one transaction by default.
const BATCH: NonZeroUsize = NonZeroUsize::new(5_000).expect("not zero");

/// Chunks that may wait between reading and writing.
const WAITING: usize = 2;
