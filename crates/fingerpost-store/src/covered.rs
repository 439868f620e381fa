//! Documents that the audit chain covers: their digests are in the record of the event that changed
//! them.
//!
//! The store does not know what a document means. The caller determines which documents are covered
//! and computes their digests, both when it writes and when it verifies. A record covers what its
//! transaction has changed before; what is left at the end of a transaction gets a record of its
//! own. From a record of [`Transaction::cover_all`] on, every covered document must be in the
//! chain; documents that are older than that and not in it are counted.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use fingerpost_engine::{ALL_KEYS, Table};
use serde_json::Value;

use crate::event::now;
use crate::faults::Faults;
use crate::format::{Hash, parse_document_key};
use crate::transaction::Transaction;
use crate::view::View;
use crate::{AuditHead, AuditRecord, Event, StoreError};

/// Action of a record for documents that were changed without an event.
const CHANGED: &str = "documents.changed";
/// Action of a record that covers existing documents.
const COVERED: &str = "documents.covered";
/// Detail of the last of these records.
const COMPLETE: &str = "complete";

/// What verification learns about a document from the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DocumentCheck {
    /// The chain must have this digest.
    Digest([u8; 32]),
    /// The chain does not cover the document.
    NotCovered,
    /// The document contradicts others; the sentence describes how.
    Fault(String),
}

/// The check of a document: the snapshot, its collection, its id and its value.
pub type CheckDocument<'c> =
    dyn Fn(&View<'_>, &str, &str, &[u8]) -> Result<DocumentCheck, StoreError> + 'c;

/// What a verification compares the store with.
#[derive(Clone, Copy, Default)]
pub struct Expected<'e> {
    /// Heads noted earlier, outside of the store. Each must be part of the chain.
    pub heads: &'e [AuditHead],
    /// The check of documents; without it, they are not compared.
    pub document: Option<&'e CheckDocument<'e>>,
}

impl Transaction<'_> {
    /// Lets the next audit record of this transaction cover a document with this digest, or `None`
    /// if it was deleted.
    pub fn cover_document(&mut self, collection: &str, id: &str, digest: Option<[u8; 32]>) {
        let digest = digest.map(|digest| HEXLOWER.encode(&digest));
        self.covering.insert(name(collection, id), digest);
    }

    /// Records the digests given before for documents that exist already. With `complete`, no
    /// document is left: from then on, verification reports documents that no record covers.
    pub fn cover_all(&mut self, complete: bool) -> Result<u64, StoreError> {
        self.record(Event::new(COVERED, "system", now()).detail(COMPLETE, complete))
    }

    /// Lets the next audit record cover every document whose digest is not the one in the chain,
    /// also those that are missing: for a store whose chain was cut off while its documents stayed.
    /// Returns their number.
    pub fn cover_differing(&mut self, check: &CheckDocument<'_>) -> Result<u64, StoreError> {
        let (mut coverage, mut from) = (Coverage::default(), 1);
        loop {
            let page = self.audit_from(from, 1000)?;
            let Some(last) = page.last() else { break };
            from = last.seq() + 1;
            page.iter().for_each(|record| coverage.add(record));
        }
        let mut digests = coverage.digests;
        let mut differing = BTreeMap::new();
        for key in self.keys(Table::Documents, ALL_KEYS)? {
            let (key, _) = key?;
            let Some((collection, id)) = parse_document_key(&key) else { continue }; // `fsck` reports it
            let Some(value) = self.get(Table::Documents, &key)? else { continue };
            if let DocumentCheck::Digest(digest) = check(self, collection, id, &value)? {
                let (name, digest) = (name(collection, id), HEXLOWER.encode(&digest));
                if digests.remove(&name).as_ref() != Some(&digest) {
                    differing.insert(name, Some(digest));
                }
            }
        }
        differing.extend(digests.into_keys().map(|name| (name, None)));
        let count = differing.len() as u64;
        self.covering.extend(differing);
        Ok(count)
    }

    /// Records the documents that no record of this transaction covers.
    pub(crate) fn cover_the_rest(&mut self) {
        if !self.covering.is_empty() {
            let _ = self.record(Event::new(CHANGED, "system", now())); // a failure fails the transaction
        }
    }
}

impl AuditRecord {
    /// Returns whether every covered document is in the chain from this record on.
    pub fn covers_all_documents(&self) -> bool {
        self.action() == COVERED && self.details().get(COMPLETE) == Some(&Value::Bool(true))
    }
}

/// The digests of documents, collected along the chain.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    digests: BTreeMap<String, String>,
    is_complete: bool,
}

impl Coverage {
    pub(crate) fn add(&mut self, record: &AuditRecord) {
        for (name, digest) in record.documents() {
            match digest {
                Some(digest) => self.digests.insert(name.clone(), digest.clone()),
                None => self.digests.remove(name),
            };
        }
        self.is_complete |= record.covers_all_documents();
    }

    /// Compares all documents with the chain; returns how many it covers, and how many it should
    /// but does not, because they are older than the coverage.
    pub(crate) fn compare(
        mut self,
        view: &View<'_>,
        check: &CheckDocument<'_>,
        faults: &mut Faults,
    ) -> Result<(u64, u64), StoreError> {
        let (mut covered, mut uncovered) = (0, 0);
        for key in view.keys(Table::Documents, ALL_KEYS)? {
            let (key, _) = key?;
            let Some((collection, id)) = parse_document_key(&key) else { continue }; // `fsck` reports it
            let name = name(collection, id);
            let value = faults.unless_damaged(view.get(Table::Documents, &key))?.flatten();
            let checked = value.map(|value| check(view, collection, id, &value));
            let checked = checked.map(|checked| faults.unless_damaged(checked)).transpose()?;
            let digest: Hash = match checked.flatten() {
                Some(DocumentCheck::Digest(digest)) => digest,
                Some(DocumentCheck::NotCovered) => continue,
                Some(DocumentCheck::Fault(text)) => {
                    faults.add(text);
                    continue;
                }
                None => {
                    self.digests.remove(&name);
                    continue;
                }
            };
            match self.digests.remove(&name) {
                Some(expected) if expected == HEXLOWER.encode(&digest) => covered += 1,
                Some(_) => faults.add(format!("document {name}: it was changed without a record")),
                None if self.is_complete => {
                    faults.add(format!("document {name}: it was added without a record"));
                }
                None => uncovered += 1,
            }
        }
        for name in self.digests.into_keys() {
            faults.add(format!(
                "document {name}: it is missing, and no record of its deletion exists"
            ));
        }
        Ok((covered, uncovered))
    }
}

fn name(collection: &str, id: &str) -> String {
    format!("{collection}/{id}")
}
