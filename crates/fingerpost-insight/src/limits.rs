//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Counters in memory between two writes; scans that need another one are only counted together.
pub(crate) const MAX_COUNTERS: usize = 100_000;

/// Counters that wait to be written while the store cannot be written.
pub(crate) const MAX_PENDING: usize = 400_000;

/// Parts of the counters, of which each thread uses one.
pub(crate) const COUNTER_PARTS: usize = 32;

/// User agents, as hashes, whose verdict a part of the counters remembers.
pub(crate) const REMEMBERED_AGENTS: usize = 64;

/// Bytes of a user agent that are compared with the list of programs.
pub(crate) const MAX_USER_AGENT: usize = 512;

/// Documents that are written in one transaction.
pub(crate) const WRITTEN_AT_ONCE: usize = 500;

/// Documents that are read at once.
pub(crate) const READ_AT_ONCE: usize = 500;

/// Counters in one document, of a level in a day, a month or a year; further link types and
/// languages are counted together.
pub(crate) const MAX_CELLS: usize = 4_000;

/// Documents that one query looks at.
pub(crate) const MAX_LOOKED_AT: usize = 500_000;

/// Rows that one query can have before small counts are hidden.
pub(crate) const MAX_GROUPS: usize = 50_000;
