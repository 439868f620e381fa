//! Writes levels with their history and audit records, and documents, all in one transaction.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use std::thread;

use data_encoding::HEXLOWER;
use fingerpost_engine::{EngineError, Exchange, Mutate, Table};
use fingerpost_resolver::Anchor;

use crate::audit::{Row, SALT, commitment, record_hash};
use crate::batch::{Batch, Change};
use crate::copy::change::Position;
use crate::event::{Event, Personal};
use crate::format::{
    REVISION_KEY, RowsDigest, Stored, change_key, document_key, encode, history_key, state_hash,
};
use crate::limits::{EXCHANGED_LEVELS, PREFETCHED_LEVELS};
use crate::recent::Steps;
use crate::view::View;
use crate::{AuditHead, Prefetch, Revision, StoreError, rule};

/// A write transaction, passed to the operation of
/// [`Store::transact`](crate::Store::transact). It reads as a [`View`], and sees its own writes.
///
/// Once a write has failed, other than with [`StoreError::MissingDefault`], the transaction can no
/// longer succeed, whatever the operation returns.
pub struct Transaction<'t> {
    view: View<'t>,
    /// Bytes written; limits the size of a group.
    written: usize,
    /// The error because of which the transaction must be rolled back.
    failed: Option<StoreError>,
    /// What its batches have changed.
    pub(crate) steps: Steps,
    /// Digests of documents for the next record, by collection and id.
    pub(crate) covering: BTreeMap<String, Option<String>>,
}

/// The revisions that a record covers.
pub(crate) struct Covered {
    pub(crate) from: Revision,
    pub(crate) to: Revision,
    pub(crate) digest: RowsDigest,
}

impl Transaction<'_> {
    /// Applies a batch as the next revision, and records the event. An empty batch changes and
    /// records nothing, and returns the current revision.
    pub fn write(&mut self, batch: &Batch, event: Event) -> Result<Revision, StoreError> {
        if batch.is_empty() {
            return self.revision();
        }
        if batch.is_checked() {
            rule::judge(&self.view, batch)?;
        }
        self.guarded(|this| this.apply(batch, event))
    }

    fn apply(&mut self, batch: &Batch, event: Event) -> Result<Revision, StoreError> {
        let last = self.revision()?;
        let revision = last.next();
        let mut digest = RowsDigest::default();
        let changes: Vec<_> = batch.changes().collect();
        for changes in changes.chunks(PREFETCHED_LEVELS) {
            let rows = changes.iter().map(|(level, _)| level);
            self.prefetch(&rows.fold(Prefetch::default(), |rows, level| rows.level(level)))?;
            for changes in changes.chunks(EXCHANGED_LEVELS) {
                // Readers must not wait for the whole time slice of a large batch.
                thread::yield_now();
                self.apply_some(changes, revision, &mut digest)?;
            }
        }
        let covered = Covered { from: revision, to: revision, digest };
        let [before, head] = self.append_record(event, Some(covered))?;
        self.append(Table::Revisions, &revision.to_bytes(), &head.seq.to_be_bytes())?;
        self.put(Table::Meta, REVISION_KEY, &revision.to_bytes())?;
        self.steps.end(Position::new(last, before), Position::new(revision, head));
        Ok(revision)
    }

    /// Writes new values to levels; moves the replaced values to the history.
    fn apply_some(
        &mut self,
        changes: &[(&Anchor, &Change)],
        revision: Revision,
        digest: &mut RowsDigest,
    ) -> Result<(), StoreError> {
        let encoded = |(_, change): &(&Anchor, &Change)| match change {
            Change::Put(entry) => Some(encode(entry, revision)),
            Change::Delete => None,
        };
        let values: Vec<_> = changes.iter().map(encoded).collect();
        let keys = changes.iter().map(|(level, _)| level.as_str().as_bytes());
        let rows: Vec<Exchange<'_>> = keys.zip(values.iter().map(Option::as_deref)).collect();
        let replaced = self.view.rows_to_write().exchange(Table::Entries, &rows)?;
        for (((level, _), value), old) in changes.iter().zip(&values).zip(replaced) {
            let level = level.as_str();
            if let Some(old) = &old {
                self.keep_state(level, old)?;
            }
            let hash = match (value, &old) {
                (None, None) => continue, // it was empty already, so nothing changed
                (None, Some(_)) => {
                    self.put(Table::History, &history_key(level, revision), &[])?;
                    None
                }
                (Some(value), _) => {
                    self.written += level.len() + value.len();
                    Some(state_hash(value))
                }
            };
            self.steps.add(level, value.as_deref());
            let hash = hash.as_ref().map_or(&[][..], |hash| &hash[..]);
            let key = change_key(revision, level);
            digest.add(&key, hash);
            self.insert(Table::Changes, &key, hash)?;
        }
        Ok(())
    }

    /// Moves a state to the history. A state too damaged to have a revision cannot be kept;
    /// [`Store::verify`](crate::Store::verify) reports it.
    fn keep_state(&mut self, level: &str, old: &[u8]) -> Result<(), StoreError> {
        match Stored::parse(level, old) {
            Ok(stored) => self.insert(Table::History, &history_key(level, stored.revision), old),
            Err(_) => Ok(()),
        }
    }

    /// Stores `value` as document `id` of a collection, replacing any existing one.
    ///
    /// # Panics
    ///
    /// If `collection` or `id` contains a zero byte, or `id` is empty.
    pub fn put_document(
        &mut self,
        collection: &str,
        id: &str,
        value: &[u8],
    ) -> Result<(), StoreError> {
        assert!(
            !collection.contains('\0') && !id.contains('\0') && !id.is_empty(),
            "the names of a document have no zero bytes, and an id is not empty"
        );
        let key = document_key(collection, id);
        self.guarded(|this| this.put(Table::Documents, &key, value))
    }

    /// Deletes a document; returns whether it existed.
    pub fn delete_document(&mut self, collection: &str, id: &str) -> Result<bool, StoreError> {
        let key = document_key(collection, id);
        self.guarded(|this| {
            let is_there = match this.get(Table::Documents, &key) {
                Err(error) if error.is_damaged_row() => true,
                found => found?.is_some(),
            };
            if is_there {
                this.delete(Table::Documents, &key)?;
            }
            Ok(is_there)
        })
    }

    /// Records an event that changes no level; returns the number of the record.
    pub fn record(&mut self, event: Event) -> Result<u64, StoreError> {
        self.guarded(|this| Ok(this.append_record(event, None)?[1].seq))
    }
}

/// Methods for other modules of this crate.
impl<'t> Transaction<'t> {
    pub(crate) fn new(location: &'t str, rows: &'t mut dyn Mutate) -> Self {
        let view = View::writing(location, rows);
        let steps = Steps::default();
        Self { view, written: 0, failed: None, steps, covering: BTreeMap::new() }
    }

    /// Ends the transaction; returns the error because of which it must be rolled back.
    pub(crate) fn end(&mut self) -> Option<StoreError> {
        self.cover_the_rest();
        self.failed.take()
    }

    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Runs a step; if it fails, the transaction cannot succeed.
    pub(crate) fn guarded<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        step(self).inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// Appends a record to the chain; returns the head before and after it.
    pub(crate) fn append_record(
        &mut self,
        event: Event,
        covered: Option<Covered>,
    ) -> Result<[AuditHead; 2], StoreError> {
        let last = self.last_audit()?;
        let head = last.as_ref().map(|last| last.head()).unwrap_or_default();
        let at = last.map_or(event.at, |last| last.at().max(event.at));
        let seq = head.seq + 1;
        let personal = event.personal.as_ref().map(|personal| self.salted(personal)).transpose()?;
        let mut row = Row {
            seq,
            at,
            action: event.action.into_owned(),
            actor: event.actor,
            subject: event.subject,
            revision: None,
            revisions: None,
            changes: None,
            digest: None,
            details: event.details,
            documents: std::mem::take(&mut self.covering),
            personal: personal.as_deref().map(commitment),
        };
        if let Some(covered) = covered {
            let (from, to) = (covered.from.number(), covered.to.number());
            row.revision = (from == to).then_some(to);
            row.revisions = (from != to).then_some([from, to]);
            let (changes, digest) = covered.digest.finish();
            (row.changes, row.digest) = (Some(changes), Some(HEXLOWER.encode(&digest)));
        }
        let json = serde_json::to_vec(&row).expect("texts, numbers and JSON values are JSON");
        let hash = record_hash(&head.hash, &json);
        let mut value = hash.to_vec();
        value.extend_from_slice(&json);
        self.append(Table::Audit, &seq.to_be_bytes(), &value)?;
        if let Some(personal) = personal {
            self.append(Table::Personal, &seq.to_be_bytes(), &personal)?;
        }
        Ok([head, AuditHead { seq, hash }])
    }

    /// Returns the personal row of an event.
    fn salted(&self, personal: &Personal) -> Result<Vec<u8>, StoreError> {
        let mut row = vec![0; SALT];
        getrandom::fill(&mut row).map_err(|error| EngineError::Io {
            location: self.view.location().to_owned(),
            source: Arc::new(std::io::Error::other(error)),
        })?;
        row.extend(serde_json::to_vec(personal).expect("texts are JSON"));
        Ok(row)
    }

    pub(crate) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.written += key.len() + value.len();
        Ok(self.view.rows_to_write().put(table, key, value)?)
    }

    pub(crate) fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), StoreError> {
        Ok(self.view.rows_to_write().delete(table, key)?)
    }

    /// Inserts a row that is new by its key.
    fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.written += key.len() + value.len();
        Ok(self.view.rows_to_write().insert(table, key, value)?)
    }

    /// Appends a row; its key is greater than all existing keys, except in a damaged store.
    pub(crate) fn append(
        &mut self,
        table: Table,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        self.written += key.len() + value.len();
        Ok(self.view.rows_to_write().append(table, key, value)?)
    }
}

impl<'t> Deref for Transaction<'t> {
    type Target = View<'t>;

    fn deref(&self) -> &View<'t> {
        &self.view
    }
}
