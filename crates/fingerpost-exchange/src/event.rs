//! Events that an import reports.

use fingerpost_registry::Id;
use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::Revision;
use serde::Serialize;

/// Something that happened during an import.
#[derive(Clone, Copy, Debug)]
pub enum ImportEvent<'e> {
    /// A record was refused.
    Refused {
        /// Its position.
        position: RecordPosition,
        /// Its anchor, as far as it can be read.
        anchor: Option<&'e str>,
        /// Every fault, at least one.
        findings: &'e [ImportFinding<'e>],
        /// The record on one line, which can be corrected and imported again; `None` if it cannot
        /// be found in its file, or is too large.
        record: Option<&'e [u8]>,
    },
    /// A record that is valid but has warnings.
    Warned {
        /// Its position.
        position: RecordPosition,
        /// Its level.
        level: &'e Anchor,
        /// The warnings.
        findings: &'e [ImportFinding<'e>],
    },
    /// A record is left out because of a later one for the same anchor.
    Superseded {
        /// Its position.
        position: RecordPosition,
        /// Its level.
        level: &'e Anchor,
        /// The position of the next record for the same level.
        by: RecordPosition,
    },
    /// All sources have been read, and the accepted records are going to be written in the order of
    /// their anchors.
    Writing {
        /// The number of accepted records, including those that are superseded.
        records: u64,
    },
    /// A record replaces another one. Only reported by a dry run, and not for every record of a
    /// large one.
    Replaces {
        /// Its position.
        position: RecordPosition,
        /// What is registered.
        before: &'e Entry,
        /// What would be registered instead.
        after: &'e Entry,
    },
    /// All accepted records up to an anchor, in the order of canonical texts, are on disk.
    Committed {
        /// The anchor.
        through: &'e Anchor,
        /// The number of records that wait to be written.
        waiting: u64,
        /// The revision of the store.
        revision: Revision,
        /// The change set of the import, which can be taken back; absent in a dry run, and before
        /// anything was written.
        change_set: Option<Revision>,
        /// Totals so far.
        totals: &'e Totals,
    },
    /// Records wait for a second person's approval. Never reported by a dry run.
    Proposed {
        /// The proposal.
        proposal: Id,
        /// The number of records in it.
        records: u64,
    },
    /// The import read further in its files.
    Read {
        /// The number of bytes read since the last report.
        bytes: u64,
        /// The number of records read since then, whether valid or not.
        records: u64,
        /// Totals so far.
        totals: &'e Totals,
    },
}

/// The position of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPosition {
    /// The index of its source.
    pub source: u32,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its number in the source, from 1.
    pub record: u64,
}

/// A fault or a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ImportFinding<'e> {
    /// The position in the record, as a JSON pointer (RFC 6901).
    pub pointer: &'e str,
    /// The requirement, or the RFC of the notation.
    pub id: &'e str,
    /// What is wrong.
    pub message: &'e str,
}

impl<'e> From<&'e fingerpost_resolver::RecordFault> for ImportFinding<'e> {
    fn from(fault: &'e fingerpost_resolver::RecordFault) -> Self {
        Self { pointer: fault.pointer(), id: fault.id(), message: fault.message() }
    }
}

impl<'e> From<&'e fingerpost_registry::Fault> for ImportFinding<'e> {
    fn from(fault: &'e fingerpost_registry::Fault) -> Self {
        Self { pointer: fault.pointer(), id: fault.id(), message: fault.detail() }
    }
}

/// Counts of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Accepted records: created, replaced, unchanged and proposed.
    pub accepted: u64,
    /// Records at levels that were empty before.
    pub created: u64,
    /// Records at levels that held a different record before.
    pub replaced: u64,
    /// Records at levels that held exactly this record already.
    pub unchanged: u64,
    /// Records that need a second person's approval; always 0 for commands.
    pub proposed: u64,
    /// Records left out because of a later one for the same anchor.
    pub superseded: u64,
    /// Refused records, and parts of files that are not records.
    pub refused: u64,
    /// Warnings.
    pub warnings: u64,
}
