//! `fingerpost import`: reads records of any number of files, keeps what is right, reports what is not.
//!
//! A second thread reads and judges, this one writes and reports; a few thousand records wait between them,
//! whatever the size of the files. Records are written in the order they are read, in atomic batches.
//! Qualified levels that stand before their key level wait in a file ([`park`]) and are written at the end
//! (RES-2.5.9-1: order does not matter).

mod park;
mod progress;
mod reading;
mod report;
mod scan;
mod source;
mod split;
mod target;
mod writer;

use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::args;
use crate::config;
use crate::failure::Failure;

use progress::Progress;
use report::Reporter;
use source::Sources;
use target::Target;
use writer::Writer;

/// Chunks that may wait between reading and writing.
const WAITING: usize = 2;

/// Carries out `fingerpost import`.
///
/// # Errors
/// That the configuration, a file or the store cannot be used. What was committed before stays.
pub(crate) fn run(args: &args::Import) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let sources = Sources::open(&args.files)?;
    let target = Target::open(&args.data, args.dry_run, config::store_options(&config))?;
    let progress = Progress::new(sources.total_bytes(), args.format);
    let reporter = Reporter::new(args, sources.names(), progress);
    let mut writer = Writer::new(target, reporter, args.batch)?;
    let result = thread::scope(|scope| {
        let (chunks, receive) = sync_channel(WAITING);
        let rules = config::rules(&config);
        scope.spawn(move || reading::read_all(sources, &rules, &chunks));
        for chunk in receive {
            writer.take(chunk?)?;
        }
        writer.finish()
    });
    let reporter = writer.into_reporter();
    match result {
        Ok(()) => Ok(reporter.summary()),
        Err(failure) => {
            reporter.interrupted();
            Err(failure)
        }
    }
}

/// Where a record was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Index of the file in the order of the command line.
    file: u32,
    /// Line on which the record begins, from 1.
    line: u64,
}
