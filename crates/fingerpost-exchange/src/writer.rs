//! Registers records in the order of their anchors, many in one transaction, and reports what
//! happens.

use std::ops::ControlFlow;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use fingerpost_registry::{ChangeOutcome, ChangeStatus, RecordChange, RegistryError};
use fingerpost_resolver::{Accepted, Anchor, Entry, write_record};
use fingerpost_store::Revision;

use crate::frame::Frame;
use crate::limits::{MAX_COMPARED, MAX_WAITING_BATCHES};
use crate::merge::{Merge, MergedFrame};
use crate::pace::Pace;
use crate::reading::{Chunk, Note};
use crate::sheet::titles;
use crate::spool::Spool;
use crate::{ImportError, ImportEvent, ImportFinding, ImportTarget, RecordPosition, Totals};

/// A writer that registers accepted records and reports the others.
pub(crate) struct Writer<'r> {
    target: ImportTarget,
    report: &'r mut dyn FnMut(ImportEvent<'_>) -> ControlFlow<()>,
    totals: Totals,
    batch: BatchSize,
    pace: Pace,
    revision: Revision,
    /// Records that are not settled yet.
    waiting: u64,
    /// Records that can still be compared with what they replace.
    compared: usize,
}

/// What ends a transaction, and what its changes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchSize {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
    /// Whether records keep the rest of those that they replace.
    pub(crate) keep_rest: bool,
}

/// Records for one transaction, in the order of their anchors, and those left out among them.
#[derive(Default)]
struct Batch {
    changes: Vec<RecordChange>,
    positions: Vec<RecordPosition>,
    bytes: usize,
    superseded: Vec<Superseded>,
}

/// A record that is left out because of a later one for the same anchor.
struct Superseded {
    level: Anchor,
    position: RecordPosition,
    by: RecordPosition,
}

impl<'r> Writer<'r> {
    /// Creates a writer with nothing to write.
    pub(crate) fn new(
        target: ImportTarget,
        batch: BatchSize,
        report: &'r mut dyn FnMut(ImportEvent<'_>) -> ControlFlow<()>,
    ) -> Result<Self, ImportError> {
        let revision = target.rules_of().store().revision()?;
        let pace = Pace::new(target.is_shared());
        let compared = if target.is_dry_run() { MAX_COMPARED } else { 0 };
        let totals = Totals::default();
        Ok(Self { target, report, totals, batch, pace, revision, waiting: 0, compared })
    }

    /// Counts a record that the store holds already.
    pub(crate) fn note_held(&mut self) {
        self.totals.unchanged += 1;
        self.totals.accepted += 1;
    }

    /// Reports what was read.
    pub(crate) fn note(&mut self, chunk: Chunk) -> Result<(), ImportError> {
        let refused_before = self.totals.refused;
        for note in chunk.notes {
            match note {
                Note::Warned { position, level, warnings } => {
                    self.totals.warnings += warnings.len() as u64;
                    let findings: Vec<_> = warnings.iter().map(ImportFinding::from).collect();
                    self.send(ImportEvent::Warned {
                        position,
                        level: &level,
                        findings: &findings,
                    })?;
                }
                Note::Refused { position, anchor, faults, record } => {
                    let findings: Vec<_> = faults.iter().map(ImportFinding::from).collect();
                    self.refuse(position, anchor.as_deref(), &findings, record.as_deref())?;
                }
                Note::Unreadable { position, problem, line } => {
                    let message = problem.to_string();
                    let finding =
                        ImportFinding { pointer: "", id: problem.id(), message: &message };
                    self.refuse(position, None, &[finding], line.as_deref())?;
                }
            }
        }
        let totals = self.totals;
        let records = chunk.accepted.len() as u64 + totals.refused - refused_before;
        self.send(ImportEvent::Read { bytes: chunk.bytes, records, totals: &totals })
    }

    /// Registers all records of the spool.
    pub(crate) fn write(mut self, spool: Spool) -> Result<Totals, ImportError> {
        self.waiting = spool.count();
        self.send(ImportEvent::Writing { records: self.waiting })?;
        let (send, batches) = sync_channel(MAX_WAITING_BATCHES);
        let limit = self.batch;
        thread::scope(|scope| {
            scope.spawn(move || {
                if let Err(error) = merge(spool, limit, &send) {
                    let _ = send.send(Err(error)); // the writer may have failed first
                }
            });
            for batch in batches {
                self.apply(&batch?)?;
            }
            Ok(self.totals)
        })
    }

    fn apply(&mut self, batch: &Batch) -> Result<(), ImportError> {
        for Superseded { level, position, by } in &batch.superseded {
            self.totals.superseded += 1;
            self.waiting -= 1;
            self.send(ImportEvent::Superseded { position: *position, level, by: *by })?;
        }
        let (mut changes, mut positions) = (&batch.changes[..], &batch.positions[..]);
        while !changes.is_empty() {
            let records = self.pace.next(changes.len());
            let (first, begin) = (&changes[..records], Instant::now());
            self.apply_changes(first, &positions[..records])?;
            self.pace.note(records, begin.elapsed());
            (changes, positions) = (&changes[records..], &positions[records..]);
        }
        Ok(())
    }

    /// Applies changes in one transaction, or in several if they are too much for one proposal.
    fn apply_changes(
        &mut self,
        changes: &[RecordChange],
        positions: &[RecordPosition],
    ) -> Result<(), ImportError> {
        let Some(last) = changes.last() else { return Ok(()) };
        let current = match self.compared {
            0 => Vec::new(),
            _ => self.target.current(changes)?,
        };
        let applied = match self.target.apply(changes) {
            Err(ImportError::Registry(RegistryError::TooLarge { .. })) if changes.len() > 1 => {
                let half = changes.len() / 2;
                self.apply_changes(&changes[..half], &positions[..half])?;
                return self.apply_changes(&changes[half..], &positions[half..]);
            }
            applied => applied?,
        };
        self.waiting -= changes.len() as u64;
        self.revision = applied.revision.unwrap_or(self.revision);
        let proposed_before = self.totals.proposed;
        for (at, outcome) in applied.outcomes {
            if let Some(Some(before)) = current.get(at) {
                self.compare(&changes[at], positions[at], before, &outcome)?;
            }
            self.settle(&changes[at], positions[at], outcome)?;
        }
        if let Some(proposal) = applied.proposal.filter(|_| !self.target.is_dry_run()) {
            let records = self.totals.proposed - proposed_before;
            self.send(ImportEvent::Proposed { proposal, records })?;
        }
        let (revision, waiting, totals) = (self.revision, self.waiting, self.totals);
        let change_set = self.target.change_set();
        self.send(ImportEvent::Committed {
            through: last.level(),
            waiting,
            revision,
            change_set,
            totals: &totals,
        })
    }

    /// Reports what a record replaces.
    fn compare(
        &mut self,
        change: &RecordChange,
        position: RecordPosition,
        before: &Entry,
        outcome: &Result<ChangeOutcome, RegistryError>,
    ) -> Result<(), ImportError> {
        let status = outcome.as_ref().map(|outcome| outcome.status);
        if !matches!(status, Ok(ChangeStatus::Replaced | ChangeStatus::Proposed)) {
            return Ok(());
        }
        // The change was accepted with these rules.
        let change = change.over(before, &self.target.rules_of().rules()).ok();
        let Some(after) = change.as_ref().and_then(RecordChange::entry) else { return Ok(()) };
        self.compared = self.compared.saturating_sub(1);
        self.send(ImportEvent::Replaces { position, before, after })
    }

    fn settle(
        &mut self,
        change: &RecordChange,
        position: RecordPosition,
        outcome: Result<ChangeOutcome, RegistryError>,
    ) -> Result<(), ImportError> {
        let counted = match outcome.map(|outcome| outcome.status) {
            Ok(ChangeStatus::Created) => &mut self.totals.created,
            Ok(ChangeStatus::Replaced) => &mut self.totals.replaced,
            Ok(ChangeStatus::Unchanged) => &mut self.totals.unchanged,
            Ok(_) => &mut self.totals.proposed,
            Err(error) => {
                let message = error.to_string();
                let mut findings: Vec<_> = error.faults().iter().map(ImportFinding::from).collect();
                if findings.is_empty() {
                    let id = if matches!(error, RegistryError::Forbidden(_)) {
                        "rights"
                    } else {
                        "level"
                    };
                    findings.push(ImportFinding { pointer: "", id, message: &message });
                }
                let anchor = format!("/{}", change.level());
                let record = change.entry().map(|entry| write_record(entry));
                let record = record.as_deref().map(str::as_bytes);
                return self.refuse(position, Some(&anchor), &findings, record);
            }
        };
        *counted += 1;
        self.totals.accepted += 1;
        Ok(())
    }

    fn refuse(
        &mut self,
        position: RecordPosition,
        anchor: Option<&str>,
        findings: &[ImportFinding<'_>],
        record: Option<&[u8]>,
    ) -> Result<(), ImportError> {
        self.totals.refused += 1;
        self.send(ImportEvent::Refused { position, anchor, findings, record })
    }

    fn send(&mut self, event: ImportEvent<'_>) -> Result<(), ImportError> {
        match (self.report)(event) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ImportError::Stopped),
        }
    }
}

/// Sends all records of the spool in batches of at most this size, until nobody wants more.
fn merge(
    spool: Spool,
    limit: BatchSize,
    batches: &SyncSender<Result<Batch, ImportError>>,
) -> Result<(), ImportError> {
    let mut merge: Merge = spool.into_merge().map_err(ImportError::Temporary)?;
    let mut batch = Batch::default();
    while let Some(step) = merge.next().map_err(ImportError::Temporary)? {
        match step {
            MergedFrame::Last(frame) => {
                let entry = decode(frame)?;
                batch.bytes += entry.size();
                batch.positions.push(frame.position());
                let change = RecordChange::put(Accepted { entry, warnings: Vec::new() });
                batch.changes.push(match limit.keep_rest {
                    true => change.keeping_rest(titles::is_usual_title),
                    false => change,
                });
            }
            MergedFrame::Earlier { frame, next: by } => {
                let (level, position) = (level(frame)?, frame.position());
                batch.superseded.push(Superseded { level, position, by });
            }
        }
        let is_full =
            batch.changes.len() >= limit.records || batch.superseded.len() >= limit.records;
        if (is_full || batch.bytes >= limit.bytes)
            && batches.send(Ok(std::mem::take(&mut batch))).is_err()
        {
            return Ok(());
        }
    }
    let _ = batches.send(Ok(batch)); // the writer may have failed
    Ok(())
}

fn level(frame: Frame<'_>) -> Result<Anchor, ImportError> {
    let level = std::str::from_utf8(frame.key()).ok().and_then(Anchor::from_canonical);
    level.ok_or_else(|| ImportError::Temporary(std::io::ErrorKind::InvalidData.into()))
}

fn decode(frame: Frame<'_>) -> Result<Entry, ImportError> {
    Entry::decode(level(frame)?, frame.value())
        .map_err(|error| ImportError::Temporary(std::io::Error::other(error)))
}
