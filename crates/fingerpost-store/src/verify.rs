//! Verifies the audit chain and everything that it commits to.
//!
//! In one snapshot, it verifies the hashes of the chain, the personal rows by their salted hashes,
//! the changes of each revision by the digest in its record, and the states by the hashes in the
//! changes. `docs/decisions/0006-history-and-audit.md` describes what a chain cannot prove by
//! itself.

use std::collections::BTreeMap;
use std::ops::Bound;

use data_encoding::HEXLOWER;
use fingerpost_engine::{ALL_KEYS, Table};
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::audit::{AuditHead, AuditRecord, commitment, record_hash};
use crate::covered::Coverage;
use crate::erasure::ERASED;
use crate::faults::Faults;
use crate::format::{Hash, RowsDigest, parse_change_key};
use crate::prune::{BEFORE, PRUNED};
use crate::view::{View, number};
use crate::{Expected, Revision, Store, StoreError};

/// The result of verifying the audit chain.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditReport {
    /// Whether no fault was found.
    intact: bool,
    /// Number of records.
    records: u64,
    /// The end of the chain, `number:hash`. Keep it elsewhere, and send it as `head` later.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    head: AuditHead,
    /// Number of records from which personal data were erased.
    erased: u64,
    /// Number of documents that match the digests of the chain.
    documents: u64,
    /// Number of documents that are older than their coverage by the chain.
    uncovered: u64,
    /// The first thousand faults.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    faults: Faults,
}

fn as_text<S: Serializer>(head: &AuditHead, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(head)
}

impl AuditReport {
    /// Returns the report of a copy, which has no chain.
    pub(crate) fn of_copy() -> Self {
        Self { intact: true, ..Self::default() }
    }

    /// Returns the number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the head of the chain, to be noted outside of the store.
    pub fn head(&self) -> AuditHead {
        self.head
    }

    /// Returns the number of documents that match the digests of the chain.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the number of documents that are older than their coverage by the chain.
    pub fn uncovered(&self) -> u64 {
        self.uncovered
    }

    /// Returns the number of records whose personal data was erased.
    pub fn erased(&self) -> u64 {
        self.erased
    }

    /// Returns whether no faults were found.
    pub fn is_sound(&self) -> bool {
        self.intact
    }

    /// Returns the first thousand faults, each with the record or row concerned.
    pub fn faults(&self) -> &[String] {
        &self.faults.texts
    }

    /// Returns the total number of faults.
    pub fn fault_count(&self) -> u64 {
        self.faults.count
    }
}

impl Store {
    /// Verifies the audit chain, and by means of it the history, the changes and the entries;
    /// documents only with [`Store::verify_against`].
    ///
    /// `expect` is a head noted earlier, outside of the store. It must be part of the chain.
    /// Without it, this cannot detect a chain that was rewritten completely, or one that was cut
    /// off at its end together with the data it describes.
    ///
    /// ```no_run
    /// # use fingerpost_store::{Store, StoreOptions};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let report = store.verify(None)?;
    /// for fault in report.faults() {
    ///     eprintln!("{fault}");
    /// }
    /// println!("{} records, head {}", report.records(), report.head());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`StoreError::IsCopy`] for a [copy](crate::copy), which has no audit chain; or if
    /// the store cannot be read at all, or its pages are damaged; all other faults are in the
    /// report.
    pub fn verify(&self, expect: Option<AuditHead>) -> Result<AuditReport, StoreError> {
        self.verify_against(Expected { heads: expect.as_slice(), document: None })
    }

    /// Does the same as [`Store::verify`], with several noted heads and with the documents.
    pub fn verify_against(&self, expected: Expected<'_>) -> Result<AuditReport, StoreError> {
        self.check_pages()?;
        self.view(|view| match view.copy_state()? {
            Some(_) => Err(StoreError::IsCopy { location: self.location().to_owned() }),
            None => audit(view, expected),
        })
    }
}

/// Verifies the chain and everything that it commits to.
pub(crate) fn audit(view: &View<'_>, expected: Expected<'_>) -> Result<AuditReport, StoreError> {
    let mut chain = Chain {
        view,
        noted: noted(expected.heads),
        coverage: Coverage::default(),
        report: AuditReport::default(),
        last_at: Timestamp::MIN,
        missing: BTreeMap::new(),
        personal_rows: 0,
        revision: Revision::default(),
        revision_rows: 0,
        pruned: Revision::default(),
    };
    chain.walk()?;
    chain.close()?;
    let Chain { mut report, pruned, coverage, .. } = chain;
    if let Some(check) = expected.document {
        let compared = coverage.compare(view, check, &mut report.faults)?;
        (report.documents, report.uncovered) = compared;
    }
    crate::states::check(view, pruned, &mut report.faults)?;
    report.intact = report.faults.count == 0;
    Ok(report)
}

/// Returns the hashes of heads by number.
fn noted(heads: &[AuditHead]) -> BTreeMap<u64, Vec<Hash>> {
    let mut noted: BTreeMap<u64, Vec<Hash>> = BTreeMap::new();
    for head in heads.iter().filter(|head| head.seq > 0) {
        noted.entry(head.seq).or_default().push(head.hash);
    }
    noted
}

/// A walk along the chain.
struct Chain<'v, 't> {
    view: &'v View<'t>,
    /// The hashes of noted heads by number.
    noted: BTreeMap<u64, Vec<Hash>>,
    coverage: Coverage,
    report: AuditReport,
    last_at: Timestamp,
    /// Actors of records whose personal rows are missing, until the record of their erasure is
    /// found.
    missing: BTreeMap<u64, String>,
    personal_rows: u64,
    /// The last revision covered by a record.
    revision: Revision,
    revision_rows: u64,
    /// States replaced in this revision or earlier may be missing.
    pruned: Revision,
}

impl Chain<'_, '_> {
    fn fault(&mut self, text: String) {
        self.report.faults.add(text);
    }

    fn walk(&mut self) -> Result<(), StoreError> {
        let view = self.view;
        for row in view.range(Table::Audit, ALL_KEYS)? {
            let Some((key, value)) = self.report.faults.unless_damaged(row)? else { continue };
            self.row(&key, &value)?;
        }
        Ok(())
    }

    fn row(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.report.records += 1;
        let expected = self.report.head.seq + 1;
        let Some(seq) = number(key) else {
            self.fault(format!("audit record {expected}: its number is malformed"));
            return Ok(());
        };
        if seq != expected {
            self.fault(format!("audit record {seq}: expected number {expected}"));
        }
        let Some((hash, json)) = value.split_first_chunk::<32>() else {
            self.fault(format!("audit record {seq}: too short"));
            self.report.head.seq = seq;
            return Ok(());
        };
        if record_hash(&self.report.head.hash, json) != *hash {
            self.fault(format!("audit record {seq}: its hash is not that of the chain"));
        }
        self.report.head = AuditHead { seq, hash: *hash };
        if self.noted.get(&seq).is_some_and(|noted| noted.iter().any(|noted| noted != hash)) {
            self.fault(format!("audit record {seq}: its hash is not the one noted before"));
        }
        match AuditRecord::parse(value, None) {
            Some(record) => self.record(seq, &record),
            None => {
                self.fault(format!("audit record {seq}: malformed"));
                Ok(())
            }
        }
    }

    fn record(&mut self, seq: u64, record: &AuditRecord) -> Result<(), StoreError> {
        if record.seq() != seq {
            self.fault(format!("audit record {seq}: its number is {}", record.seq()));
        }
        if record.at() < self.last_at {
            self.fault(format!("audit record {seq}: its time is before that of the last record"));
        }
        self.last_at = self.last_at.max(record.at());
        self.personal(seq, record)?;
        self.coverage.add(record);
        if record.action() == ERASED
            && let Some(actor) = record.subject()
        {
            let before = self.missing.len();
            self.missing.retain(|_, missing| missing != actor);
            self.report.erased += (before - self.missing.len()) as u64;
        }
        if record.action() == PRUNED
            && let Some(before) = record.details().get(BEFORE).and_then(Value::as_u64)
        {
            self.pruned = self.pruned.max(Revision::new(before));
        }
        match record.revisions() {
            Some((from, to)) => self.changes(seq, record, from, to),
            None => Ok(()),
        }
    }

    fn personal(&mut self, seq: u64, record: &AuditRecord) -> Result<(), StoreError> {
        let view = self.view;
        let row = view.get(Table::Personal, &seq.to_be_bytes());
        let Some(row) = self.report.faults.unless_damaged(row)? else {
            self.personal_rows += 1;
            return Ok(());
        };
        self.personal_rows += u64::from(row.is_some());
        match (record.commitment(), row) {
            (Some(expected), Some(row)) if commitment(&row) == expected => {}
            (Some(_), Some(_)) => {
                self.fault(format!("audit record {seq}: its personal row was changed"));
            }
            (Some(_), None) => {
                self.missing.insert(seq, record.actor().to_owned());
            }
            (None, Some(_)) => {
                self.fault(format!("audit record {seq}: a personal row was added"));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Compares the changes of the revisions that a record covers with its digest.
    fn changes(
        &mut self,
        seq: u64,
        record: &AuditRecord,
        from: Revision,
        to: Revision,
    ) -> Result<(), StoreError> {
        if from != self.revision.next() || to < from {
            let next = self.revision.next();
            self.fault(format!(
                "audit record {seq}: expected revision {next}, found {from} to {to}"
            ));
        }
        self.revision = self.revision.max(to);
        let view = self.view;
        let (start, end) = (from.to_bytes(), to.next().to_bytes());
        let range = (Bound::Included(&start[..]), Bound::Excluded(&end[..]));
        let mut digest = RowsDigest::default();
        let mut last = None;
        for row in view.range(Table::Changes, range)? {
            // The check of all states reports a damaged one.
            let Some((key, value)) = Faults::default().unless_damaged(row)? else { continue };
            digest.add(&key, &value);
            let revision = parse_change_key(&key).map(|(revision, _)| revision);
            if from != to && revision != last {
                self.revision_row(seq, revision.unwrap_or_default())?;
                last = revision;
            }
        }
        if from == to {
            self.revision_row(seq, to)?;
        }
        let (count, digest) = digest.finish();
        if record.changes() != Some(count) || record.digest() != Some(&*HEXLOWER.encode(&digest)) {
            self.fault(format!(
                "audit record {seq}: the changes of revision {to} do not match its digest"
            ));
        }
        Ok(())
    }

    /// Checks that a revision points to its record.
    fn revision_row(&mut self, seq: u64, revision: Revision) -> Result<(), StoreError> {
        let row = self.view.get(Table::Revisions, &revision.to_bytes());
        let Some(row) = self.report.faults.unless_damaged(row)? else {
            self.revision_rows += 1;
            return Ok(());
        };
        self.revision_rows += u64::from(row.is_some());
        if row.and_then(|row| number(&row)) != Some(seq) {
            self.fault(format!("revision {revision}: it does not lead to audit record {seq}"));
        }
        Ok(())
    }

    /// Makes the checks that need the whole chain.
    fn close(&mut self) -> Result<(), StoreError> {
        let view = self.view;
        for (seq, _) in std::mem::take(&mut self.missing) {
            self.fault(format!("audit record {seq}: its personal row is missing, and no record of its erasure exists"));
        }
        if let Some((&noted, _)) = self.noted.last_key_value()
            && noted > self.report.head.seq
        {
            let last = self.report.head.seq;
            self.fault(format!(
                "the chain ends with record {last}, record {noted} was noted before"
            ));
        }
        let recorded = self.revision;
        if let Some(stored) = self.report.faults.unless_damaged(view.revision())?
            && stored != recorded
        {
            self.fault(format!("the store has revision {stored}, the audit chain {recorded}"));
        }
        if view.rows().count(Table::Personal)? != self.personal_rows {
            self.fault("there are personal rows of no audit record".to_owned());
        }
        if view.rows().count(Table::Revisions)? != self.revision_rows {
            self.fault("there are revisions of no audit record".to_owned());
        }
        let after = recorded.next().to_bytes();
        let range = (Bound::Included(&after[..]), Bound::Unbounded);
        let late = view.keys(Table::Changes, range)?.next().transpose()?;
        // A row before the first revision also has a key that no record covers.
        let first = view.keys(Table::Changes, ALL_KEYS)?.next().transpose()?;
        let early = first.is_some_and(|(key, _)| {
            parse_change_key(&key).is_none_or(|(revision, _)| revision == Revision::default())
        });
        if early || late.is_some() {
            self.fault("there are changes of no audit record".to_owned());
        }
        Ok(())
    }
}
