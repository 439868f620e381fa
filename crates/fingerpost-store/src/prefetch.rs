//! Levels and documents that a write reads, to be fetched together with its turn.

use fingerpost_engine::Table;
use fingerpost_resolver::Anchor;

use crate::format::{REVISION_KEY, document_key};

/// Levels and documents that a write reads first.
#[derive(Clone, Debug, Default)]
pub struct Prefetch(fingerpost_engine::Prefetch);

impl Prefetch {
    /// Adds what every write of levels reads: the revision and the head of the audit log.
    pub fn write(self) -> Self {
        Self(self.0.row(Table::Meta, REVISION_KEY.to_vec()).last_row(Table::Audit))
    }

    /// Adds the record of a level, and that of its key level.
    pub fn level(self, level: &Anchor) -> Self {
        let (level, key_level) = (level.as_str(), level.key_level());
        let all = self.0.row(Table::Entries, level.as_bytes().to_vec());
        Self(if level == key_level { all } else { all.row(Table::Entries, key_level.into()) })
    }

    /// Adds a document.
    pub fn document(self, collection: &str, id: &str) -> Self {
        Self(self.0.row(Table::Documents, document_key(collection, id)))
    }

    /// Returns the rows.
    pub(crate) fn rows(&self) -> &fingerpost_engine::Prefetch {
        &self.0
    }
}
