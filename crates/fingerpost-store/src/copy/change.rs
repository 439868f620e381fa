//! A position in the history of a store, and the changes of levels that lead from one to another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{AuditHead, Revision};

/// A revision of a store, with the head of the audit chain that covers it. Its text form is
/// `revision:number:hash`.
///
/// ```
/// use fingerpost_store::copy::Position;
///
/// let text = format!("7:12:{}", "ab".repeat(32));
/// let position: Position = text.parse()?;
/// assert_eq!((position.revision().number(), position.to_string()), (7, text));
/// # Ok::<(), fingerpost_store::copy::InvalidPosition>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Position {
    revision: Revision,
    audit: AuditHead,
}

impl Position {
    pub(crate) fn new(revision: Revision, audit: AuditHead) -> Self {
        Self { revision, audit }
    }

    /// Returns the revision.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the head of the audit chain that covers the revision.
    pub fn audit(&self) -> AuditHead {
        self.audit
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.revision, self.audit)
    }
}

/// The error for a text that is not a [`Position`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected a position, three numbers separated by `:`, of which the last has 64 hexadecimal digits"
)]
pub struct InvalidPosition;

impl FromStr for Position {
    type Err = InvalidPosition;

    fn from_str(text: &str) -> Result<Self, InvalidPosition> {
        let (revision, audit) = text.split_once(':').ok_or(InvalidPosition)?;
        let revision = revision.parse().map_err(|_| InvalidPosition)?;
        let audit = audit.parse().map_err(|_| InvalidPosition)?;
        Ok(Self { revision: Revision::new(revision), audit })
    }
}

impl TryFrom<String> for Position {
    type Error = InvalidPosition;

    fn try_from(text: String) -> Result<Self, InvalidPosition> {
        text.parse()
    }
}

impl From<Position> for String {
    fn from(position: Position) -> Self {
        position.to_string()
    }
}

/// The change of one level for a copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyRow {
    /// The canonical text of the level.
    pub level: String,
    /// Its value.
    pub value: CopyValue,
}

/// The value of a level in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CopyValue {
    /// The stored value: flags, revision and encoded entry.
    Stored(Vec<u8>),
    /// The level has no entry.
    Deleted,
    /// The source cannot read the value. A copy keeps the value that it has.
    Damaged,
}
