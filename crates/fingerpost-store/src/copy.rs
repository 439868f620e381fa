//! Copies of another store, which hold its current states and nothing else: no history, no audit
//! log, no documents.
//!
//! A node answers scans from a copy in its data directory, while another store, such as one in a
//! database, holds the truth. This module has what both sides need; `fingerpost-follow` connects
//! them.
//!
//! - The store that is followed, the *source*, reports its [`Position`], the changes after one
//!   ([`View::changes_to_copy`]), its rows page by page ([`View::rows_to_copy`]) and digests of
//!   spans of rows ([`View::digest_of`]).
//! - A copy is written by [`Store::write_copy`] only, which stores each batch of changes together
//!   with the position that it leads to, in one transaction. All other writes are refused with
//!   [`StoreError::IsCopy`].
//!
//! # Positions
//!
//! A [`Position`] is a revision with the head of the audit chain that covers it. The chain commits
//! to every change, so two stores that have the same position had the same records at that
//! revision. A source that lacks the position of its copy *went back*: it was restored from a
//! backup, or a replica was promoted that lacked the last commits.
//!
//! # Phases
//!
//! A *new* copy knows nothing of its source. It is *filled* page by page. Pages are different
//! snapshots of the source, so the copy *settles* then, by the changes after the first page, until
//! it is past the last one. Only from then on is it *complete*, and holds exactly the records of
//! one revision. Until then [`Store::read`] fails with [`StoreError::CopyIncomplete`]: an unknown
//! key could be one that is not there yet.
//!
//! [`View::changes_to_copy`]: crate::View::changes_to_copy
//! [`View::rows_to_copy`]: crate::View::rows_to_copy
//! [`View::digest_of`]: crate::View::digest_of
//! [`Store::write_copy`]: crate::Store::write_copy
//! [`Store::read`]: crate::Store::read
//! [`StoreError::IsCopy`]: crate::StoreError::IsCopy
//! [`StoreError::CopyIncomplete`]: crate::StoreError::CopyIncomplete

pub(crate) mod change;
mod reading;
mod selection;
mod writing;

use serde::{Deserialize, Serialize};

pub use change::{CopyRow, CopyValue, InvalidPosition, Position};
pub(crate) use reading::state;
pub use selection::{LevelRange, Selection};
pub use writing::CopyWriter;

/// The storage format of values. A copy and its source must have the same.
pub const ENTRY_FORMAT: u32 = fingerpost_engine::format::FORMAT;

/// The state of a copy, which is stored in the same transaction as its rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CopyState {
    /// The part of the source that the copy holds.
    pub selection: Selection,
    /// The hash of the first audit record of the source, which distinguishes it from other stores;
    /// `None` while it has none.
    pub origin: Option<String>,
    /// The position up to which changes were applied.
    pub position: Position,
    /// How far the copy is.
    pub phase: CopyPhase,
    /// How often the copy was repaired because the source went back. The same revision can mean
    /// other entries then.
    pub repairs: u64,
}

/// How far a copy is. The [module](self) describes the phases.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", rename_all_fields = "lowercase", tag = "name")]
pub enum CopyPhase {
    /// Nothing is known about the source.
    New,
    /// Pages are being copied.
    Filling {
        /// The last level of the pages so far; empty before the first page.
        after: String,
        /// The position of the last page.
        seen: Position,
    },
    /// Changes are applied until the copy is past the last page.
    Settling {
        /// The position of the last page.
        seen: Position,
    },
    /// The copy holds the records of the source at its position.
    Complete,
}

impl CopyState {
    /// Returns whether the copy holds the records of the source at its position.
    pub fn is_complete(&self) -> bool {
        self.phase == CopyPhase::Complete
    }
}

/// The changes after a revision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CopyChanges {
    /// The values of changed levels, as they were at a revision.
    Rows {
        /// The revision.
        upto: Position,
        /// The levels, each once, in the order of their texts.
        rows: Vec<CopyRow>,
    },
    /// The history of the source does not have a state that is needed: it was pruned.
    Pruned,
}

/// A page of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyPage {
    /// The rows, in the order of their levels.
    pub rows: Vec<CopyRow>,
    /// The level up to which the page has all rows of the span; `None` if it has all of them.
    pub until: Option<String>,
}

/// A digest of some rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpanDigest {
    /// The number of rows.
    pub rows: u64,
    /// SHA-256 over the rows, in hexadecimal digits.
    pub digest: String,
    /// The level up to which the digest covers the span; `None` if it covers all of it.
    pub until: Option<String>,
}

/// Limits of one answer. A single revision can exceed them, and so can a single row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyLimit {
    /// Maximum number of rows.
    pub rows: usize,
    /// Maximum number of bytes of values.
    pub bytes: usize,
}

impl CopyLimit {
    /// The limits of a batch of changes, and of a page.
    pub const BATCH: Self = Self { rows: 4096, bytes: 16 << 20 };
    /// The limits of a digest.
    pub const DIGEST: Self = Self { rows: 16_384, bytes: 64 << 20 };
}
