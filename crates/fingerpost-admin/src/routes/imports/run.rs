//! The import itself, on a thread that may block.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_exchange::{
    ImportError, ImportEvent, ImportOptions, ImportSource, ImportTarget, Totals, import,
};
use fingerpost_http::process::thread_time;
use fingerpost_registry::{Caller, Registry};
use fingerpost_store::Revision;
use tokio::sync::mpsc::Sender;

use super::query::ImportQuery;
use super::report::{
    CommittedBody, DoneBody, Message, PositionBody, ProgressBody, ProposedBody, RecordBody,
    ReplacesBody, SheetBody, SupersededBody,
};
use crate::admission::Turn;
use crate::limits::{IMPORT_SORT_BUFFER, MAX_IMPORT_TRANSACTION, MAX_IMPORT_TRANSACTION_BYTES};
use crate::problem::AdminProblem;
use crate::stream;
use crate::upload::{self, Upload};

/// Time between two reports of progress.
const PROGRESS: Duration = Duration::from_millis(200);

/// An import that is about to run.
pub(super) struct Import {
    pub(super) registry: Registry,
    pub(super) caller: Caller,
    pub(super) asked: ImportQuery,
    /// The directory of temporary files.
    pub(super) scratch: PathBuf,
    pub(super) upload: Upload,
}

impl Import {
    /// Imports the file and sends messages about it. Gives `slots` back before the last one, so
    /// that the next import can begin when this one has ended.
    pub(super) fn run<P>(self, mut turn: Turn, slots: P, to: &Sender<Message>) {
        let begin = thread_time();
        let registry = self.registry.clone();
        let last = self.try_run(&mut turn, to);
        let _ = turn.aside(|| registry.wait_for_copy());
        turn.end(thread_time().saturating_sub(begin));
        drop(slots);
        match last {
            Ok(Some(end)) => drop(to.blocking_send(Message::Done(end))),
            Ok(None) => {}
            Err(problem) => drop(to.blocking_send(Message::Failed(problem))),
        }
    }

    /// Returns the end of the import; `None` if the client has gone.
    fn try_run(
        self,
        turn: &mut Turn,
        to: &Sender<Message>,
    ) -> Result<Option<DoneBody>, AdminProblem> {
        let Import { registry, caller, mut asked, scratch, upload: Upload { file, bytes } } = self;
        asked.sheet.scratch = Some(scratch.clone());
        // Unpacking a workbook takes a while, and needs no slot.
        let source = turn.aside(|| ImportSource::recognise("file", file, &asked.sheet))?;
        let source = source.map_err(|error| AdminProblem::of_sheet(&error))?;
        let target = match asked.dry_run {
            true => ImportTarget::dry_run(&registry, caller),
            false => Ok(ImportTarget::registry(registry, caller)),
        };
        let target = target.map_err(|error| AdminProblem::of_import(error, 0))?;
        let mut reporter = Reporter::new(turn, to, &asked, bytes, &scratch);
        if reporter.send(Message::Begun(source.sheet().map(SheetBody::new))).is_break() {
            return Ok(None);
        }
        let imported = import(target, vec![source], options(asked.keep_rest), &mut |event| {
            reporter.event(&event)
        });
        match imported {
            Ok(totals) => Ok(Some(reporter.done(totals))),
            Err(ImportError::Stopped) => {
                if let Some(error) = reporter.full {
                    let error = ImportError::Temporary(error);
                    return Err(AdminProblem::of_import(error, reporter.stored));
                }
                tracing::debug!(
                    stored = reporter.stored,
                    "import stopped: the client disconnected"
                );
                Ok(None)
            }
            Err(error) => Err(AdminProblem::of_import(error, reporter.stored)),
        }
    }
}

/// Returns the options of an import beside which the server has other work.
fn options(keep_rest: bool) -> ImportOptions {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN);
    ImportOptions {
        keep_rest,
        batch: MAX_IMPORT_TRANSACTION,
        batch_bytes: MAX_IMPORT_TRANSACTION_BYTES,
        threads,
        buffer: IMPORT_SORT_BUFFER,
    }
}

/// Turns events into messages. Between them, others have their turn.
struct Reporter<'r> {
    turn: &'r mut Turn,
    to: &'r Sender<Message>,
    dry_run: bool,
    /// Records of each kind that can still be reported: refused, warned, superseded, replacing.
    left: [u64; 4],
    omitted: u64,
    /// Records that were registered, or proposed.
    stored: u64,
    change_set: Option<u64>,
    /// Bytes of the file.
    total: u64,
    bytes: u64,
    read: u64,
    to_write: u64,
    told: Option<Instant>,
    /// The directory of temporary files, and that it is full.
    scratch: &'r Path,
    full: Option<io::Error>,
}

impl<'r> Reporter<'r> {
    fn new(
        turn: &'r mut Turn,
        to: &'r Sender<Message>,
        asked: &ImportQuery,
        total: u64,
        scratch: &'r Path,
    ) -> Self {
        Reporter {
            turn,
            to,
            dry_run: asked.dry_run,
            left: [asked.faults; 4],
            omitted: 0,
            stored: 0,
            change_set: None,
            total,
            bytes: 0,
            read: 0,
            to_write: 0,
            told: None,
            scratch,
            full: None,
        }
    }

    /// Reports an event; breaks if the client has gone.
    fn event(&mut self, event: &ImportEvent<'_>) -> ControlFlow<()> {
        match *event {
            ImportEvent::Refused { position, anchor, findings, record } => self.record(0, || {
                Message::Refused(RecordBody::new(position, anchor, findings).with_text(record))
            }),
            ImportEvent::Warned { position, level, findings } => self.record(1, || {
                Message::Warned(RecordBody::new(position, Some(&format!("/{level}")), findings))
            }),
            ImportEvent::Superseded { position, level, by } => self.record(2, || {
                let by = PositionBody { line: by.line, record: by.record };
                let (line, record) = (position.line, position.record);
                let anchor = format!("/{level}");
                Message::Superseded(SupersededBody { line, record, anchor, by })
            }),
            ImportEvent::Proposed { proposal, records } => {
                self.send(Message::Proposed(ProposedBody { proposal, records }))
            }
            ImportEvent::Read { bytes, records, .. } => {
                self.bytes += bytes;
                self.read += records;
                let (bytes, total, records) = (self.bytes.min(self.total), self.total, self.read);
                self.progress(ProgressBody::Reading { bytes, total, records })?;
                self.give_way()
            }
            ImportEvent::Writing { records } => {
                self.to_write = records;
                self.told = None;
                self.progress(ProgressBody::Writing { written: 0, records })
            }
            ImportEvent::Replaces { position, before, after } => {
                self.record(3, || Message::Replaces(ReplacesBody::new(position, before, after)))
            }
            ImportEvent::Committed { through, waiting, revision, change_set, totals } => {
                self.change_set = change_set.map(Revision::number);
                if !self.dry_run {
                    self.stored = totals.accepted;
                    self.send(Message::Committed(CommittedBody {
                        through: format!("/{through}"),
                        waiting,
                        revision: revision.number(),
                        accepted: totals.accepted,
                    }))?;
                }
                let (written, records) = (self.to_write - waiting, self.to_write);
                self.progress(ProgressBody::Writing { written, records })?;
                self.give_way()
            }
        }
    }

    fn done(&self, totals: Totals) -> DoneBody {
        let (dry_run, change_set) = (self.dry_run, self.change_set);
        DoneBody { dry_run, totals: totals.into(), change_set, omitted: self.omitted }
    }

    /// Reports a record, or counts it if there were many of its kind.
    fn record(&mut self, kind: usize, message: impl FnOnce() -> Message) -> ControlFlow<()> {
        if self.left[kind] == 0 {
            self.omitted += 1;
            return self.still_wanted();
        }
        self.left[kind] -= 1;
        self.send(message())
    }

    /// Reports progress now and then. Breaks if others would soon have no space to write.
    fn progress(&mut self, progress: ProgressBody) -> ControlFlow<()> {
        if self.told.is_some_and(|told| told.elapsed() < PROGRESS) {
            return self.still_wanted();
        }
        self.told = Some(Instant::now());
        if let Err(error) = upload::look(self.scratch, 0) {
            self.full = Some(error);
            return ControlFlow::Break(());
        }
        // A client that is behind does without.
        let _ = self.to.try_send(Message::Progress(progress));
        self.still_wanted()
    }

    fn still_wanted(&self) -> ControlFlow<()> {
        if self.to.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn send(&mut self, message: Message) -> ControlFlow<()> {
        match stream::send(self.to, self.turn, message) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn give_way(&mut self) -> ControlFlow<()> {
        match self.turn.give_way() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
