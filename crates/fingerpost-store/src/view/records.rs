//! Reads documents and audit records.

use std::borrow::Cow;
use std::ops::Bound;

use fingerpost_engine::{ALL_KEYS, Direction, Table, borrowed, end_of};
use jiff::Timestamp;

use super::{View, number};
use crate::audit::{AuditHead, AuditRecord};
use crate::format::{document_key, parse_document_key};
use crate::{Revision, StoreError};

/// Documents.
impl<'t> View<'t> {
    /// Returns the document `id` of a collection.
    pub fn document(&self, collection: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.get(Table::Documents, &document_key(collection, id))?;
        Ok(found.map(Cow::into_owned))
    }

    /// Returns at most `limit` documents of a collection after the id `after`, in the order of
    /// their ids.
    pub fn documents(
        &self,
        collection: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let start = document_key(collection, after.unwrap_or_default());
        let start =
            if after.is_some() { Bound::Excluded(&*start) } else { Bound::Included(&*start) };
        let end = end_of(&document_key(collection, ""));
        let mut documents = Vec::new();
        for row in self.range(Table::Documents, (start, borrowed(&end)))?.take(limit) {
            let (key, value) = row?;
            let (_, id) = parse_document_key(&key)
                .ok_or_else(|| self.damaged("the key of a document is malformed"))?;
            documents.push((id.to_owned(), value.into_owned()));
        }
        Ok(documents)
    }
}

/// Audit records.
impl<'t> View<'t> {
    /// Returns the audit record with this number, with its personal data unless erased.
    pub fn audit(&self, seq: u64) -> Result<Option<AuditRecord>, StoreError> {
        let Some(value) = self.get(Table::Audit, &seq.to_be_bytes())? else { return Ok(None) };
        self.audit_record(seq, &value).map(Some)
    }

    /// Returns the audit record of a revision, with its actor and time.
    pub fn audit_of(&self, revision: Revision) -> Result<Option<AuditRecord>, StoreError> {
        match self.get(Table::Revisions, &revision.to_bytes())? {
            Some(seq) => {
                let seq = number(&seq).ok_or_else(|| {
                    self.damaged(format!("the audit number of revision {revision} is malformed"))
                })?;
                self.audit(seq)
            }
            None => Ok(None),
        }
    }

    /// Returns at most `limit` audit records, starting at number `from`.
    pub fn audit_from(&self, from: u64, limit: usize) -> Result<Vec<AuditRecord>, StoreError> {
        let start = from.to_be_bytes();
        let range = (Bound::Included(&start[..]), Bound::Unbounded);
        let mut records = Vec::new();
        for row in self.range(Table::Audit, range)?.take(limit) {
            let (key, value) = row?;
            records.push(self.audit_record(self.audit_number(&key)?, &value)?);
        }
        Ok(records)
    }

    /// Returns the number of the first record made at `at` or later; if there is none, the number
    /// of the next record to be made.
    pub fn first_audit_since(&self, at: Timestamp) -> Result<u64, StoreError> {
        // Times never decrease in the chain.
        let (mut low, mut high) = (1, self.audit_head()?.seq() + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            let record = self.audit(middle)?;
            let record =
                record.ok_or_else(|| self.damaged(format!("audit record {middle} is missing")))?;
            if record.at() < at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// Returns the head of the audit chain.
    pub fn audit_head(&self) -> Result<AuditHead, StoreError> {
        Ok(self.last_audit()?.map(|record| record.head()).unwrap_or_default())
    }

    /// Returns the last record of the chain, without its personal data.
    pub(crate) fn last_audit(&self) -> Result<Option<AuditRecord>, StoreError> {
        let last =
            self.rows().range(Table::Audit, ALL_KEYS, Direction::Back)?.next().transpose()?;
        let Some((key, value)) = last else { return Ok(None) };
        self.bare_record(self.audit_number(&key)?, &value).map(Some)
    }

    /// Returns the head of the chain at a record; `None` if there is no such record.
    pub(crate) fn head_at(&self, seq: u64) -> Result<Option<AuditHead>, StoreError> {
        let Some(value) = self.get(Table::Audit, &seq.to_be_bytes())? else { return Ok(None) };
        self.head_of(seq, &value).map(Some)
    }

    /// Returns the head of the chain at a record with this value.
    pub(crate) fn head_of(&self, seq: u64, value: &[u8]) -> Result<AuditHead, StoreError> {
        Ok(self.bare_record(seq, value)?.head())
    }

    /// Returns a record without its personal data.
    fn bare_record(&self, seq: u64, value: &[u8]) -> Result<AuditRecord, StoreError> {
        AuditRecord::parse(value, None)
            .filter(|record| record.seq() == seq)
            .ok_or_else(|| self.damaged(format!("audit record {seq} is malformed")))
    }

    fn audit_number(&self, key: &[u8]) -> Result<u64, StoreError> {
        number(key).ok_or_else(|| self.damaged("the number of an audit record is malformed"))
    }

    fn audit_record(&self, seq: u64, value: &[u8]) -> Result<AuditRecord, StoreError> {
        let personal = self.get(Table::Personal, &seq.to_be_bytes())?;
        AuditRecord::parse(value, personal.as_deref())
            .filter(|record| record.seq() == seq)
            .ok_or_else(|| self.damaged(format!("audit record {seq} is malformed")))
    }
}
