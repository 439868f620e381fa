//! What an import reports.

use fingerpost_gs1::EntityKey;
use fingerpost_store::Revision;

/// Something that happened during an import.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A record was refused.
    Refused {
        /// Where it is.
        place: RecordPlace,
        /// Its anchor, as far as it can be read.
        anchor: Option<&'e str>,
        /// Every fault, at least one.
        findings: &'e [Finding<'e>],
    },
    /// A record that is right in itself has warnings.
    Warned {
        /// Where it is.
        place: RecordPlace,
        /// Its level.
        level: &'e EntityKey,
        /// The warnings.
        findings: &'e [Finding<'e>],
    },
    /// All accepted records up to a place are on the disk, except those that wait for their key level.
    Committed {
        /// The last place that was read.
        place: RecordPlace,
        /// Records that wait.
        waiting: u64,
        /// The revision of the store.
        revision: Revision,
        /// Everything so far.
        totals: &'e Totals,
    },
    /// More of the files was read.
    Read {
        /// How many bytes more.
        bytes: u64,
        /// Everything so far.
        totals: &'e Totals,
    },
}

/// Where a record is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordPlace {
    /// The index of its source.
    pub source: u32,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its number in the source, from 1.
    pub record: u64,
}

/// A fault or a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding<'e> {
    /// The place in the record, as a JSON pointer (RFC 6901).
    pub pointer: &'e str,
    /// The requirement, or the RFC of the notation.
    pub id: &'e str,
    /// What is wrong.
    pub message: &'e str,
}

impl<'e> From<&'e fingerpost_resolver::RecordFault> for Finding<'e> {
    fn from(fault: &'e fingerpost_resolver::RecordFault) -> Self {
        Self { pointer: fault.pointer(), id: fault.id(), message: fault.message() }
    }
}

impl<'e> From<&'e fingerpost_registry::Fault> for Finding<'e> {
    fn from(fault: &'e fingerpost_registry::Fault) -> Self {
        Self { pointer: fault.pointer(), id: fault.id(), message: fault.detail() }
    }
}

/// Counts of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records that were accepted: created, replaced, unchanged and proposed ones.
    pub accepted: u64,
    /// Levels that were empty before.
    pub created: u64,
    /// Levels that held another record before.
    pub replaced: u64,
    /// Levels that held exactly this record already.
    pub unchanged: u64,
    /// Records that need the approval of a second person; none in the name of a command.
    pub proposed: u64,
    /// Records that were refused, and parts of files that are not records.
    pub refused: u64,
    /// Warnings.
    pub warnings: u64,
}
