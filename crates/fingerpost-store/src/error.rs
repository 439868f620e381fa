//! Errors of a store, and what the operator can do about them.
//!
//! After any error but [`Unavailable::OutcomeUnknown`], nothing was changed: a write either returns
//! its revision or leaves the store unchanged. Messages end with the next step, because most of
//! them are read at a terminal.

use std::fmt;

use fingerpost_engine::{EngineError, Unavailable};
use fingerpost_resolver::Anchor;

use crate::limits::MAX_NAMED_REFUSALS;

/// An error from opening, reading or writing a store. Nothing was changed, except perhaps after
/// [`Unavailable::OutcomeUnknown`].
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The engine has failed.
    #[error(transparent)]
    Engine(EngineError),
    /// One stored entry cannot be read. All other entries can.
    #[error(
        "the entry stored at `{key}` is damaged ({detail}): import its record again, or delete it"
    )]
    Corrupt {
        /// Canonical text of the level.
        key: String,
        /// What was found.
        detail: String,
    },
    /// One stored row, other than an entry, cannot be read. All other rows can.
    #[error(
        "a row of the store is damaged (table `{table}`: {row}; its checksum does not match): restore the store from a \
         backup, or write that row again"
    )]
    Row {
        /// The table of the row.
        table: &'static str,
        /// The key of the row.
        row: String,
    },
    /// The store is a copy of another one, which only its follower changes. A copy has no history,
    /// audit log or accounts.
    #[error(
        "`{location}` is a copy of another store, without its history, accounts and audit log: use the store that it follows"
    )]
    IsCopy {
        /// Where the copy is.
        location: String,
    },
    /// A copy was to be written, but the store has data of its own.
    #[error(
        "`{location}` holds a store of its own, which a copy of another store would replace: give another directory, or \
         delete it if its data is not needed"
    )]
    NotACopy {
        /// Where the store is.
        location: String,
    },
    /// The batch would leave a level without a default link at it or above (RES-2.5.9-1).
    #[error("{}", Listed(levels))]
    MissingDefault {
        /// The changes at fault, in key order.
        levels: Vec<MissingDefault>,
    },
    /// The target already holds a store, or something else.
    #[error("`{location}` is not empty: choose another target, or empty it")]
    NotEmpty {
        /// The target.
        location: String,
    },
    /// A store is being copied to this target, and that is not finished.
    #[error(
        "the migration to `{location}` is not finished, or its source has changed meanwhile: stop the writers of the source, and \
         repeat `fingerpost migrate`"
    )]
    Migrating {
        /// The target.
        location: String,
    },
    /// The store is a copy of another one that was not copied completely.
    #[error("the copy is not complete: wait until the node has copied the store that it follows")]
    CopyIncomplete,
    /// This thread has a [`Transaction`](crate::Transaction) of the same store open.
    #[error("this thread has a transaction of the store open already: write in that")]
    TransactionInUse,
}

impl From<Unavailable> for StoreError {
    fn from(error: Unavailable) -> Self {
        Self::Engine(error.into())
    }
}

impl StoreError {
    /// Creates the error of a store that is damaged beyond a single row.
    pub(crate) fn damaged(location: &str, detail: impl Into<String>) -> Self {
        let (location, detail) = (location.to_owned(), detail.into());
        Self::Engine(EngineError::Damaged { location, detail })
    }

    /// Returns whether stored data are damaged.
    pub fn is_damage(&self) -> bool {
        self.is_damaged_row() || matches!(self, Self::Engine(EngineError::Damaged { .. }))
    }

    /// Returns whether a single row is damaged, while all others can be read.
    pub fn is_damaged_row(&self) -> bool {
        matches!(self, Self::Corrupt { .. } | Self::Row { .. })
    }
}

/// One change that would leave a level without a default link at it or above (RES-2.5.9-1), or two
/// ranges with a value in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingDefault {
    level: Anchor,
    cause: MissingDefaultCause,
}

/// The reason why a change breaks the rules across levels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MissingDefaultCause {
    /// The level is qualified, and its key level is not registered.
    KeyLevelUnregistered,
    /// The key level is registered, but has no default link that is always valid.
    KeyLevelWithoutDefault,
    /// The batch would delete the key level although qualified levels below it remain.
    QualifiedLevelsRemain {
        /// The first remaining levels, at most three.
        first: Vec<String>,
    },
    /// The range has values in common with another range of the same qualifier.
    Overlaps {
        /// The other range.
        other: String,
    },
}

impl MissingDefault {
    pub(crate) fn new(level: Anchor, cause: MissingDefaultCause) -> Self {
        Self { level, cause }
    }

    /// Returns the level of the refused change.
    pub fn level(&self) -> &Anchor {
        &self.level
    }

    /// Returns the reason.
    pub fn cause(&self) -> &MissingDefaultCause {
        &self.cause
    }
}

impl fmt::Display for MissingDefault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.level.as_str();
        let key_level = self.level.key_level();
        match &self.cause {
            MissingDefaultCause::KeyLevelUnregistered => write!(
                f,
                "`{level}` needs a default link at `{key_level}`, which is not registered: \
                 register it in the same batch"
            ),
            MissingDefaultCause::KeyLevelWithoutDefault => write!(
                f,
                "`{level}` needs a default link without a validity window at `{key_level}`: add one there"
            ),
            MissingDefaultCause::QualifiedLevelsRemain { first } => write!(
                f,
                "`{level}` cannot be deleted while levels below it are registered ({}): \
                 delete them in the same batch",
                first.join(", ")
            ),
            MissingDefaultCause::Overlaps { other } => write!(
                f,
                "`{level}` has values in common with `{other}`: change one of the ranges, or delete it in the \
                 same batch"
            ),
        }
    }
}

struct Listed<'a>(&'a [MissingDefault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(MAX_NAMED_REFUSALS).enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        match self.0.len().saturating_sub(MAX_NAMED_REFUSALS) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}
