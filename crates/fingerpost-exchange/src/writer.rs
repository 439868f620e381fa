//! Registers records in the order in which they are read, many in one transaction.

use std::collections::HashSet;

use fingerpost_registry::{Change, ChangeStatus, Outcome, RegistryError};
use fingerpost_resolver::RecordFault;
use fingerpost_store::Revision;

use crate::park::Park;
use crate::reading::{Chunk, Judged, Verdict};
use crate::{Event, Finding, ImportError, RecordPlace, Target, Totals};

/// A writer that registers valid records and reports the others.
pub(crate) struct Writer<'r> {
    target: Target,
    report: &'r mut dyn FnMut(Event<'_>),
    totals: Totals,
    /// Records that wait for their key level until the end of the import.
    park: Option<Park>,
    /// Records that are not written yet, in order.
    pending: Vec<(Change, RecordPlace)>,
    pending_bytes: usize,
    batch: usize,
    /// The last place read.
    read_to: RecordPlace,
    revision: Revision,
    /// Parked records that are not registered yet.
    still_waiting: u64,
}

impl<'r> Writer<'r> {
    /// Creates a writer with nothing pending.
    ///
    /// # Errors
    ///
    /// No temporary file can be created, or the store cannot be read.
    pub(crate) fn new(
        target: Target,
        batch: usize,
        report: &'r mut dyn FnMut(Event<'_>),
    ) -> Result<Self, ImportError> {
        let park = Park::new(target.scratch()).map_err(ImportError::Temporary)?;
        Ok(Self {
            revision: target.rules_of().store().revision()?,
            target,
            report,
            totals: Totals::default(),
            park: Some(park),
            pending: Vec::new(),
            pending_bytes: 0,
            batch,
            read_to: RecordPlace::default(),
            still_waiting: 0,
        })
    }

    /// Takes the next records.
    ///
    /// # Errors
    ///
    /// The store or a temporary file cannot be used.
    pub(crate) fn take(&mut self, chunk: Chunk) -> Result<(), ImportError> {
        for Judged { place, verdict } in chunk.records {
            self.read_to = place;
            match verdict {
                Verdict::Accepted { change, warnings } => {
                    self.warn(place, &change, &warnings);
                    self.add(change, place)?;
                }
                Verdict::Refused { anchor, faults } => {
                    let findings: Vec<_> = faults.iter().map(Finding::from).collect();
                    self.refuse(place, anchor.as_deref(), &findings);
                }
                Verdict::Unreadable(problem) => {
                    let message = problem.to_string();
                    self.refuse(
                        place,
                        None,
                        &[Finding { pointer: "", id: "RFC 8259", message: &message }],
                    );
                }
            }
        }
        (self.report)(Event::Read { bytes: chunk.bytes, totals: &self.totals });
        Ok(())
    }

    /// Registers the rest: the last batch, then the records that waited for their key level.
    ///
    /// # Errors
    ///
    /// As [`Writer::take`].
    pub(crate) fn finish(&mut self) -> Result<Totals, ImportError> {
        self.commit()?;
        if let Some(park) = self.park.take() {
            self.still_waiting = park.count();
            for parked in park.into_records().map_err(ImportError::Temporary)? {
                let (change, place) = parked.map_err(ImportError::Temporary)?;
                self.still_waiting -= 1;
                self.add(change, place)?;
            }
            self.commit()?;
        }
        Ok(self.totals)
    }

    fn add(&mut self, change: Change, place: RecordPlace) -> Result<(), ImportError> {
        self.pending_bytes += change.entry().map_or(0, |entry| entry.size());
        self.pending.push((change, place));
        if self.pending.len() >= self.batch || self.pending_bytes >= BATCH_BYTES {
            self.commit()?;
        }
        Ok(())
    }

    /// Registers pending records. A level that occurs several times gets a revision for each of its records.
    fn commit(&mut self) -> Result<(), ImportError> {
        let mut pending = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        while !pending.is_empty() {
            let mut levels = HashSet::new();
            let (now, later) =
                pending.into_iter().partition(|(change, _)| levels.insert(change.level().clone()));
            self.apply(now)?;
            pending = later;
        }
        Ok(())
    }

    fn apply(&mut self, records: Vec<(Change, RecordPlace)>) -> Result<(), ImportError> {
        let (mut changes, mut places) = (Vec::new(), Vec::new());
        for (change, place) in records {
            // A later record must not be registered before one that waits.
            let park = self.park.as_mut().filter(|park| park.may_hold_up(change.level()));
            if let Some((park, entry)) = park.zip(change.entry()) {
                park.push(entry, place).map_err(ImportError::Temporary)?;
            } else {
                changes.push(change);
                places.push(place);
            }
        }
        let applied = self.target.apply(&changes)?;
        self.revision = applied.revision.unwrap_or(self.revision);
        for (at, outcome) in applied.outcomes {
            self.settle(&changes[at], places[at], outcome)?;
        }
        let waiting = self.park.as_ref().map_or(self.still_waiting, Park::count);
        (self.report)(Event::Committed {
            place: self.read_to,
            waiting,
            revision: self.revision,
            totals: &self.totals,
        });
        Ok(())
    }

    fn settle(
        &mut self,
        change: &Change,
        place: RecordPlace,
        outcome: Result<Outcome, RegistryError>,
    ) -> Result<(), ImportError> {
        let counted = match outcome.map(|outcome| outcome.status) {
            Ok(ChangeStatus::Created) => &mut self.totals.created,
            Ok(ChangeStatus::Replaced) => &mut self.totals.replaced,
            Ok(ChangeStatus::Unchanged) => &mut self.totals.unchanged,
            Ok(_) => &mut self.totals.proposed,
            Err(error) => {
                let may_wait = matches!(error, RegistryError::MissingDefault(_))
                    && !change.level().is_key_level();
                let park = self.park.as_mut().filter(|_| may_wait);
                if let Some((park, entry)) = park.zip(change.entry()) {
                    return park.push(entry, place).map_err(ImportError::Temporary);
                }
                let message = error.to_string();
                let mut findings: Vec<_> = error.faults().iter().map(Finding::from).collect();
                if findings.is_empty() {
                    findings.push(Finding { pointer: "", id: "level", message: &message });
                }
                self.refuse(place, Some(&format!("/{}", change.level())), &findings);
                return Ok(());
            }
        };
        *counted += 1;
        self.totals.accepted += 1;
        Ok(())
    }

    fn warn(&mut self, place: RecordPlace, change: &Change, warnings: &[RecordFault]) {
        self.totals.warnings += warnings.len() as u64;
        if !warnings.is_empty() {
            let findings: Vec<_> = warnings.iter().map(Finding::from).collect();
            (self.report)(Event::Warned { place, level: change.level(), findings: &findings });
        }
    }

    fn refuse(&mut self, place: RecordPlace, anchor: Option<&str>, findings: &[Finding<'_>]) {
        self.totals.refused += 1;
        (self.report)(Event::Refused { place, anchor, findings });
    }
}

/// Bytes of entries after which a batch is written, even if it has few records: keeps memory use constant.
const BATCH_BYTES: usize = 16 * 1024 * 1024;
