//! Documents and audit records.

use std::ops::Bound;

use super::{View, number};
use crate::audit::{AuditHead, AuditRecord};
use crate::format::{document_key, parse_document_key};
use crate::{Revision, StoreError};

/// Documents.
impl<'t> View<'t> {
    /// What is kept as `id` in a collection.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn document(&self, collection: &str, id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let key = document_key(collection, id);
        let found = self.databases().documents.get(self.txn(), &key);
        Ok(found.map_err(|error| self.fault(error))?.map(<[u8]>::to_vec))
    }

    /// At most `limit` documents of a collection in the order of their ids, those after `after`.
    ///
    /// # Errors
    ///
    /// That the store cannot be read.
    pub fn documents(
        &self,
        collection: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let start = document_key(collection, after.unwrap_or_default());
        let start =
            if after.is_some() { Bound::Excluded(&*start) } else { Bound::Included(&*start) };
        let rows = self.databases().documents.range(self.txn(), &(start, Bound::Unbounded));
        let mut documents = Vec::new();
        for row in rows.map_err(|error| self.fault(error))?.take(limit) {
            let (key, value) = row.map_err(|error| self.fault(error))?;
            match parse_document_key(key) {
                Some((found, id)) if found == collection => {
                    documents.push((id.to_owned(), value.to_vec()));
                }
                Some(_) => break,
                None => return Err(self.damaged("the key of a document is malformed".to_owned())),
            }
        }
        Ok(documents)
    }
}

/// Audit records.
impl<'t> View<'t> {
    /// The audit record with this number, with what tells of a person if that is still there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if it cannot be read, or that the store cannot be read.
    pub fn audit(&self, seq: u64) -> Result<Option<AuditRecord>, StoreError> {
        let found = self.databases().audit.get(self.txn(), &seq.to_be_bytes());
        let Some(value) = found.map_err(|error| self.fault(error))? else { return Ok(None) };
        self.audit_record(seq, value).map(Some)
    }

    /// The audit record that tells who made a revision, and when.
    ///
    /// # Errors
    ///
    /// As [`View::audit`].
    pub fn audit_of(&self, revision: Revision) -> Result<Option<AuditRecord>, StoreError> {
        let found = self.databases().revisions.get(self.txn(), &revision.to_bytes());
        match found.map_err(|error| self.fault(error))? {
            Some(seq) => {
                let seq = number(seq).ok_or_else(|| {
                    self.damaged(format!("the audit number of revision {revision} is malformed"))
                })?;
                self.audit(seq)
            }
            None => Ok(None),
        }
    }

    /// At most `limit` audit records, those from number `from` on.
    ///
    /// # Errors
    ///
    /// As [`View::audit`].
    pub fn audit_from(&self, from: u64, limit: usize) -> Result<Vec<AuditRecord>, StoreError> {
        let start = from.to_be_bytes();
        let range = (Bound::Included(&start[..]), Bound::Unbounded);
        let rows = self.databases().audit.range(self.txn(), &range);
        let mut records = Vec::new();
        for row in rows.map_err(|error| self.fault(error))?.take(limit) {
            let (key, value) = row.map_err(|error| self.fault(error))?;
            let seq = number(key)
                .ok_or_else(|| self.damaged("the number of an audit record is malformed".into()))?;
            records.push(self.audit_record(seq, value)?);
        }
        Ok(records)
    }

    /// The end of the audit chain.
    ///
    /// # Errors
    ///
    /// As [`View::audit`].
    pub fn audit_head(&self) -> Result<AuditHead, StoreError> {
        Ok(self.last_audit()?.map(|record| record.head()).unwrap_or_default())
    }

    /// The last record of the chain.
    pub(crate) fn last_audit(&self) -> Result<Option<AuditRecord>, StoreError> {
        let last = self.databases().audit.last(self.txn()).map_err(|error| self.fault(error))?;
        let Some((key, value)) = last else { return Ok(None) };
        let seq = number(key)
            .ok_or_else(|| self.damaged("the number of an audit record is malformed".into()))?;
        self.audit_record(seq, value).map(Some)
    }

    fn audit_record(&self, seq: u64, value: &[u8]) -> Result<AuditRecord, StoreError> {
        let personal = self.databases().personal.get(self.txn(), &seq.to_be_bytes());
        let personal = personal.map_err(|error| self.fault(error))?;
        AuditRecord::parse(value, personal)
            .filter(|record| record.seq() == seq)
            .ok_or_else(|| self.damaged(format!("audit record {seq} is malformed")))
    }
}
