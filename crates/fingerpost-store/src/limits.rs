//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Bytes of the largest record that is kept decoded.
pub(crate) const MAX_HOT_BYTES: usize = 4 << 10;

/// Memory for row locations and decoded records, by default: enough for the locations of ten
/// million rows, with which a server takes less than 150 MB.
pub(crate) const CACHE_BYTES: usize = 128 << 20;

/// Company prefixes of which each is known in memory. A store with records of more searches for
/// that of each key. One takes 16 bytes.
pub(crate) const MAX_COMPANIES_IN_MEMORY: usize = 1_000_000;

/// Company prefixes that a request reads ahead.
pub(crate) const READ_COMPANIES: usize = 64;

/// The part of this memory for decoded records, as a divisor.
pub(crate) const RECORD_CACHE_PART: usize = 8;

/// Operations that wait to write. Further ones wait until the queue has room.
pub(crate) const MAX_WAITING: usize = 4096;

/// Operations that share a commit, so that none waits long for the others.
pub(crate) const MAX_GROUP: usize = 256;

/// Bytes written by operations that share a commit.
pub(crate) const MAX_GROUP_BYTES: usize = 8 << 20;

/// Changes of a batch that shares a commit. A larger batch costs more in a nested transaction
/// than in a commit of its own.
pub(crate) const MAX_SHARED_CHANGES: usize = 64;

/// Bytes of entries of a batch that shares a commit.
pub(crate) const MAX_SHARED_BYTES: usize = 256 << 10;

/// Levels that a batch asks a database for together.
pub(crate) const PREFETCHED_LEVELS: usize = 1000;

/// Levels that a batch exchanges in one call of the engine.
pub(crate) const EXCHANGED_LEVELS: usize = 32;

/// Refused changes that a message names; the others are only counted.
pub(crate) const MAX_NAMED_REFUSALS: usize = 5;

/// Remaining levels that a refused deletion names.
pub(crate) const MAX_NAMED_LEVELS: usize = 3;

/// Faults that a check names; the others are only counted. A store that lost a table has millions.
pub(crate) const MAX_NAMED_FAULTS: usize = 1000;

/// Levels in a page of a walk through the store.
pub(crate) const WALK_PAGE: usize = 256;

/// Pages of a walk that wait for the visitor.
pub(crate) const MAX_WALK_PAGES: usize = 2;

/// Rows of personal data that are read in one snapshot, and deleted in one transaction.
pub(crate) const ERASED_ROWS: usize = 500;

/// Rows of a step of an upgrade.
pub(crate) const MAX_UPGRADED_ROWS: usize = 4096;

/// Bytes of a step of an upgrade.
pub(crate) const MAX_UPGRADED_BYTES: usize = 8 << 20;

/// Rows of a migration in one commit.
pub(crate) const MAX_MIGRATED_ROWS: usize = 20_000;

/// Bytes of a migration in one commit.
pub(crate) const MAX_MIGRATED_BYTES: usize = 16 << 20;

/// Bytes in one commit of a restore or a compaction, which are held in memory.
pub(crate) const MAX_FILLED_BYTES: usize = 16 << 20;

/// Changes in a backup of changes, whose keys are held in memory. A full backup of more takes
/// little longer.
pub(crate) const MAX_BACKUP_CHANGES: usize = 1_000_000;

/// Entries that a backup of changes reads in one call of the engine.
pub(crate) const BACKUP_ENTRIES: usize = 500;

/// Bytes of a value in a backup: more than any record or document can have.
pub(crate) const MAX_BACKUP_VALUE: usize = 1 << 30;

/// Rows that a restore to an earlier revision reads in one snapshot.
pub(crate) const REWOUND_ROWS: usize = 10_000;

/// Rows of other selections that are read for each row of an answer to a copy.
pub(crate) const MAX_SKIPPED_ROWS: usize = 16;

/// Revisions in which the position of a copy is searched with the rows that are read anyway: the
/// first page of a database.
pub(crate) const NEAR_REVISIONS: usize = 16;

/// Bytes of the last changes of this process that are kept for its own copy.
pub(crate) const MAX_RECENT_BYTES: usize = 4 << 20;

/// Values of changes that are read for a copy in one call of the engine.
pub(crate) const COPIED_VALUES: usize = 256;

/// Wrong levels of a copy that are collected before they are corrected.
pub(crate) const MAX_WRONG_LEVELS: usize = 4096;

/// Earlier states of a level among which the beginning of its recall is looked for.
pub(crate) const MAX_RECALLED_STATES: usize = 100;
