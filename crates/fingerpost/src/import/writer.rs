//! Admits judged records by the rule across levels and writes them in batches, in the order they were read.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, has_standing_default};
use fingerpost_store::{Batch, StoreError};

use super::Place;
use super::park::Park;
use super::reading::{Chunk, Verdict};
use super::report::Reporter;
use super::target::Target;
use crate::failure::Failure;

/// Bytes of entries after which a batch is written, however few they are: keeps memory flat.
const BATCH_BYTES: usize = 16 * 1024 * 1024;

/// Writes what is admitted, reports what is not.
pub(super) struct Writer {
    target: Target,
    reporter: Reporter,
    park: Option<Park>,
    batch: Batch,
    /// What the batch holds, in order, with the places for reports.
    pending: Vec<(Arc<Entry>, Place)>,
    /// Key levels with a default in the batch.
    pending_keys: HashSet<String>,
    pending_bytes: usize,
    batch_records: usize,
    /// The key level that was looked up last, and whether it has a default.
    looked_up: Option<(String, bool)>,
    /// The last place read, up to which a commit speaks.
    read_to: Place,
    /// Parked records that were not taken up again yet, at the end of the run.
    still_waiting: u64,
}

/// What becomes of an entry.
enum Admission {
    Write,
    Wait,
    Refuse(Missing),
}

/// What is missing for an entry by RES-2.5.9-1.
#[derive(Clone, Copy, Debug)]
enum Missing {
    /// The key level itself has no default that always stands.
    OwnDefault,
    /// The key level above has none, or is not registered.
    DefaultAbove,
}

impl Writer {
    /// A writer with nothing to write yet.
    ///
    /// # Errors
    /// That no temporary file can be made.
    pub(super) fn new(target: Target, reporter: Reporter, batch: u32) -> Result<Self, Failure> {
        let park = Park::new(target.scratch()).map_err(|error| parking(&error))?;
        Ok(Self {
            batch: target.new_batch(),
            target,
            reporter,
            park: Some(park),
            pending: Vec::new(),
            pending_keys: HashSet::new(),
            pending_bytes: 0,
            batch_records: batch as usize,
            looked_up: None,
            read_to: Place { file: 0, line: 0 },
            still_waiting: 0,
        })
    }

    /// Takes the next records.
    ///
    /// # Errors
    /// That the store or a temporary file cannot be used.
    pub(super) fn take(&mut self, chunk: Chunk) -> Result<(), Failure> {
        for judged in chunk.records {
            let place = judged.place(chunk.file);
            match judged.verdict {
                Verdict::Accepted { entry, warnings } => {
                    self.reporter.warnings(place, &entry, &warnings);
                    self.admit(*entry, place)?;
                }
                Verdict::Refused { anchor, faults } => {
                    self.reporter.refused(place, anchor.as_deref(), &faults);
                }
                Verdict::Unreadable(problem) => self.reporter.unreadable(place, problem),
            }
            self.read_to = place;
            if self.pending.len() >= self.batch_records || self.pending_bytes >= BATCH_BYTES {
                self.commit()?;
            }
        }
        self.reporter.advance(chunk.bytes);
        Ok(())
    }

    /// Writes the rest: the last batch, then what waited for its key level.
    ///
    /// # Errors
    /// As [`Writer::take`].
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.commit()?;
        let Some(park) = self.park.take() else { return Ok(()) };
        self.still_waiting = park.count();
        for parked in park.into_records().map_err(|error| parking(&error))? {
            let (entry, place) = parked.map_err(|error| parking(&error))?;
            self.still_waiting -= 1;
            self.admit(entry, place)?;
            if self.pending.len() >= self.batch_records || self.pending_bytes >= BATCH_BYTES {
                self.commit()?;
            }
        }
        self.commit()
    }

    /// The reporter, for the summary.
    pub(super) fn into_reporter(self) -> Reporter {
        self.reporter
    }

    fn admit(&mut self, entry: Entry, place: Place) -> Result<(), Failure> {
        match self.admission(&entry)? {
            Admission::Wait => {
                let park = self.park.as_mut().expect("records wait only while there is a park");
                return park.push(&entry, place).map_err(|error| parking(&error));
            }
            Admission::Refuse(missing) => {
                self.refuse(&entry, place, missing);
                return Ok(());
            }
            Admission::Write => {}
        }
        if entry.key().is_key_level() {
            self.pending_keys.insert(entry.key().as_str().to_owned());
            self.looked_up = None;
        }
        self.pending_bytes += entry.size();
        let entry = Arc::new(entry);
        self.batch.put(Arc::clone(&entry));
        self.pending.push((entry, place));
        Ok(())
    }

    /// RES-2.5.9-1, on what is registered now; while records can wait, they do.
    fn admission(&mut self, entry: &Entry) -> Result<Admission, Failure> {
        if entry.key().is_key_level() {
            return Ok(if has_standing_default(entry) {
                Admission::Write
            } else {
                Admission::Refuse(Missing::OwnDefault)
            });
        }
        let key_level = entry.key().key_level();
        let parked_before = self.park.as_ref().is_some_and(|park| park.may_hold(key_level));
        if !parked_before && self.has_default(key_level)? {
            return Ok(Admission::Write);
        }
        Ok(match self.park {
            Some(_) => Admission::Wait,
            None => Admission::Refuse(Missing::DefaultAbove),
        })
    }

    fn has_default(&mut self, key_level: &str) -> Result<bool, Failure> {
        if self.pending_keys.contains(key_level) {
            return Ok(true);
        }
        if let Some((key, has)) = &self.looked_up
            && key == key_level
        {
            return Ok(*has);
        }
        let key = EntityKey::from_canonical(key_level).expect("the key level of a key is a key");
        let has = self.target.has_default(&key)?;
        self.looked_up = Some((key_level.to_owned(), has));
        Ok(has)
    }

    /// Writes the batch. Records that lost their default meanwhile, by another process, are refused.
    fn commit(&mut self) -> Result<(), Failure> {
        if !self.batch.is_empty() {
            let revision = loop {
                match self.target.write(&self.batch) {
                    Ok(revision) => break revision,
                    Err(StoreError::MissingDefault { levels }) => {
                        for missing in levels {
                            self.withdraw(missing.level());
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            };
            let waiting = self.park.as_ref().map_or(self.still_waiting, Park::count);
            self.reporter.committed(self.pending.len(), waiting, self.read_to, revision);
        }
        self.batch.clear();
        self.pending.clear();
        self.pending_keys.clear();
        self.pending_bytes = 0;
        self.looked_up = None;
        Ok(())
    }

    fn withdraw(&mut self, level: &EntityKey) {
        self.batch.withdraw(level);
        let taken: Vec<_> =
            self.pending.extract_if(.., |(entry, _)| entry.key() == level).collect();
        for (entry, place) in taken {
            self.refuse(&entry, place, Missing::DefaultAbove);
        }
    }

    fn refuse(&mut self, entry: &Entry, place: Place, missing: Missing) {
        let key_level = entry.key().key_level();
        let (pointer, message) = match missing {
            Missing::OwnDefault => (
                "/links",
                "expected a default link without a validity window, found none".to_owned(),
            ),
            Missing::DefaultAbove => (
                "/anchor",
                format!(
                    "expected a default link at /{key_level}, found none: register the bare key as well"
                ),
            ),
        };
        self.reporter.refused_by_rule(place, entry.key(), pointer, &message, "RES-2.5.9-1");
    }
}

fn parking(error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot keep waiting records in a temporary file: {error}"),
        "free space where the data directory is (for a dry run: TMPDIR), then repeat",
    )
}
