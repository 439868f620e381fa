//! Writing: levels with their history and audit records, and documents, all together or not at all.

use std::fmt;
use std::ops::Deref;
use std::thread;

use heed::types::Bytes;
use heed::{Database, MdbError, PutFlags, RwTxn};

use crate::audit::{Row, SALT, commitment, record_hash};
use crate::batch::{Batch, Change};
use crate::databases::Rows;
use crate::event::{Event, Personal};
use crate::format::{
    ChangesDigest, REVISION_KEY, Stored, change_key, document_key, encode, hex, history_key,
    state_hash,
};
use crate::view::View;
use crate::{Revision, Store, StoreError, rule};

/// A write transaction, as [`Store::transact`] gives it. It reads as a [`View`], and sees what it wrote.
///
/// Once writing has failed, other than by [`StoreError::MissingDefault`], the transaction cannot succeed any
/// more, whatever the operation returns.
pub struct Transaction<'t> {
    view: View<'t>,
    /// Bytes written, from which the size of a group is judged.
    written: usize,
    /// Why nothing of it may be kept.
    failed: Option<StoreError>,
    buffer: Buffers,
}

/// Memory that is used again for each level.
#[derive(Default)]
struct Buffers {
    value: Vec<u8>,
    key: Vec<u8>,
}

/// Revisions that a record tells of.
pub(crate) struct Covered {
    pub(crate) from: Revision,
    pub(crate) to: Revision,
    pub(crate) digest: ChangesDigest,
}

impl Transaction<'_> {
    /// Applies a batch as the next revision, and records who did it. An empty batch changes and records
    /// nothing, and returns the present revision.
    ///
    /// # Errors
    ///
    /// [`StoreError::MissingDefault`] if a checked batch breaks the rule across levels (RES-2.5.9-1); nothing was
    /// changed then, and the transaction may go on. Otherwise that the store cannot be written.
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
        let revision = self.revision()?.next();
        let mut digest = ChangesDigest::default();
        for (level, change) in batch.changes() {
            thread::yield_now(); // who reads must not wait until the scheduler's turn of a large batch is over
            let level = level.as_str();
            let hash = match change {
                Change::Put(entry) => {
                    let mut value = std::mem::take(&mut self.buffer.value);
                    encode(entry, revision, &mut value);
                    let result = self.put_level(level, &value);
                    self.buffer.value = value;
                    result?;
                    Some(state_hash(&self.buffer.value))
                }
                Change::Delete if self.delete_level(level, revision)? => None,
                Change::Delete => continue, // nothing was there, so nothing changed
            };
            let hash = hash.as_ref().map_or(&[][..], |hash| &hash[..]);
            let mut key = std::mem::take(&mut self.buffer.key);
            change_key(revision, level, &mut key);
            digest.add(&key, hash);
            let result = self.append(self.databases().changes, &key, hash);
            self.buffer.key = key;
            result?;
        }
        let covered = Covered { from: revision, to: revision, digest };
        let seq = self.append_record(event, Some(covered))?;
        self.append(self.databases().revisions, &revision.to_bytes(), &seq.to_be_bytes())?;
        let meta = self.databases().meta;
        let put = meta.put(self.view.write_txn(), REVISION_KEY, &revision.to_bytes());
        put.map_err(|error| self.fault(error))?;
        Ok(revision)
    }

    /// Puts the value of a level; what it replaces goes to the history. Usually one descent of the tree.
    fn put_level(&mut self, level: &str, value: &[u8]) -> Result<(), StoreError> {
        let entries = self.databases().entries;
        let old = entries.get_or_put(self.view.write_txn(), level, value);
        let old = old.map_err(|error| self.fault(error))?.map(<[u8]>::to_vec);
        if let Some(old) = old {
            self.keep_state(level, &old)?;
            let put = entries.put(self.view.write_txn(), level, value);
            put.map_err(|error| self.fault(error))?;
        }
        self.written += level.len() + value.len();
        Ok(())
    }

    /// Empties a level; whether there was anything.
    fn delete_level(&mut self, level: &str, revision: Revision) -> Result<bool, StoreError> {
        let Some(old) = self.stored(level)?.map(<[u8]>::to_vec) else { return Ok(false) };
        self.keep_state(level, &old)?;
        let databases = self.databases();
        let deleted = databases.entries.delete(self.view.write_txn(), level);
        deleted.map_err(|error| self.fault(error))?;
        self.put_row(databases.history, &history_key(level, revision), &[])?;
        Ok(true)
    }

    /// Moves a state to the history. One too damaged to have a revision cannot be kept; verifying tells.
    fn keep_state(&mut self, level: &str, old: &[u8]) -> Result<(), StoreError> {
        match Stored::parse(level, old) {
            Ok(stored) => {
                let key = history_key(level, stored.revision);
                self.put_row(self.databases().history, &key, old)
            }
            Err(_) => Ok(()),
        }
    }

    /// Keeps `value` as `id` in a collection, in place of what is there.
    ///
    /// # Errors
    ///
    /// That the store cannot be written, also when collection and id together are longer than 510 bytes.
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
        self.guarded(|this| this.put_row(this.databases().documents, &key, value))
    }

    /// Removes a document; whether it was there.
    ///
    /// # Errors
    ///
    /// That the store cannot be written.
    pub fn delete_document(&mut self, collection: &str, id: &str) -> Result<bool, StoreError> {
        let key = document_key(collection, id);
        self.guarded(|this| this.delete_row(this.databases().documents, &key))
    }

    /// Records an event that changes no level; returns the number of the record.
    ///
    /// # Errors
    ///
    /// That the store cannot be written.
    pub fn record(&mut self, event: Event) -> Result<u64, StoreError> {
        self.guarded(|this| this.append_record(event, None))
    }

    /// Erases what tells of a person from all records that `actor` caused; returns from how many. The chain
    /// stays verifiable. Records `event`, whose action becomes `person.erased` and whose subject `actor`, so that
    /// verifying knows what was erased on purpose.
    ///
    /// # Errors
    ///
    /// That the store cannot be written, or [`StoreError::Damaged`] if the chain cannot be read.
    pub fn erase_personal(&mut self, actor: &str, event: Event) -> Result<u64, StoreError> {
        self.guarded(|this| this.erase(actor, event))
    }

    fn erase(&mut self, actor: &str, mut event: Event) -> Result<u64, StoreError> {
        let mut found = Vec::new();
        let rows = self.databases().personal.iter(self.txn()).map_err(|error| self.fault(error))?;
        for row in rows {
            let (key, _) = row.map_err(|error| self.fault(error))?;
            let value = self.databases().audit.get(self.txn(), key);
            let value = value.map_err(|error| self.fault(error))?;
            let record = value.and_then(|value| crate::AuditRecord::parse(value, None));
            if record.is_some_and(|record| record.actor() == actor) {
                found.push(key.to_vec());
            }
        }
        for key in &found {
            self.delete_row(self.databases().personal, key)?;
        }
        event.action = ERASED.into();
        event.subject = Some(actor.to_owned());
        let erased = found.len() as u64;
        self.append_record(event.detail("rows", erased), None)?;
        Ok(erased)
    }
}

/// What the crate itself needs.
impl<'t> Transaction<'t> {
    pub(crate) fn new(store: &'t Store, txn: RwTxn<'t>) -> Self {
        Self {
            view: View::writing(store, txn),
            written: 0,
            failed: None,
            buffer: Buffers::default(),
        }
    }

    /// Why nothing of it may be kept.
    pub(crate) fn failure(&mut self) -> Option<StoreError> {
        self.failed.take()
    }

    pub(crate) fn write_txn(&mut self) -> &mut RwTxn<'t> {
        self.view.write_txn()
    }

    pub(crate) fn written(&self) -> usize {
        self.written
    }

    pub(crate) fn commit(self) -> Result<(), StoreError> {
        let store = self.view.store;
        self.view.into_write_txn().commit().map_err(|error| store.environment.fault(error))
    }

    /// Runs a step that must succeed for the transaction to succeed.
    pub(crate) fn guarded<T>(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(error) = &self.failed {
            return Err(error.again());
        }
        step(self).inspect_err(|error| self.failed = Some(error.again()))
    }

    /// Appends a record to the chain.
    pub(crate) fn append_record(
        &mut self,
        event: Event,
        covered: Option<Covered>,
    ) -> Result<u64, StoreError> {
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
            personal: personal.as_deref().map(commitment),
        };
        if let Some(covered) = covered {
            let (from, to) = (covered.from.number(), covered.to.number());
            row.revision = (from == to).then_some(to);
            row.revisions = (from != to).then_some([from, to]);
            let (changes, digest) = covered.digest.finish();
            (row.changes, row.digest) = (Some(changes), Some(hex(&digest)));
        }
        let json = serde_json::to_vec(&row).expect("texts, numbers and JSON values are JSON");
        let mut value = record_hash(&head.hash, &json).to_vec();
        value.extend_from_slice(&json);
        self.append(self.databases().audit, &seq.to_be_bytes(), &value)?;
        if let Some(personal) = personal {
            self.append(self.databases().personal, &seq.to_be_bytes(), &personal)?;
        }
        Ok(seq)
    }

    /// The personal row of an event.
    fn salted(&self, personal: &Personal) -> Result<Vec<u8>, StoreError> {
        let mut row = vec![0; SALT];
        getrandom::fill(&mut row).map_err(|error| StoreError::Io {
            path: self.view.store.path().to_owned(),
            source: std::io::Error::other(error),
        })?;
        row.extend(serde_json::to_vec(personal).expect("texts are JSON"));
        Ok(row)
    }

    pub(crate) fn put_row(
        &mut self,
        rows: Rows,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        self.written += key.len() + value.len();
        rows.put(self.view.write_txn(), key, value).map_err(|error| self.fault(error))
    }

    pub(crate) fn delete_row(&mut self, rows: Rows, key: &[u8]) -> Result<bool, StoreError> {
        rows.delete(self.view.write_txn(), key).map_err(|error| self.fault(error))
    }

    /// Puts a row whose key is greater than all before it, which fills pages to the end. Should it not be, in a
    /// damaged store, it is put all the same.
    pub(crate) fn append(
        &mut self,
        rows: Database<'static, Bytes, Bytes>,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        match rows.put_with_flags(self.view.write_txn(), PutFlags::APPEND, key, value) {
            Err(heed::Error::Mdb(MdbError::KeyExist)) => self.put_row(rows, key, value),
            result => {
                self.written += key.len() + value.len();
                result.map_err(|error| self.fault(error))
            }
        }
    }
}

impl<'t> Deref for Transaction<'t> {
    type Target = View<'t>;

    fn deref(&self) -> &View<'t> {
        &self.view
    }
}

impl fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction").field("written", &self.written).finish_non_exhaustive()
    }
}

/// Action of the record that says that what tells of a person was erased.
pub(crate) const ERASED: &str = "person.erased";
