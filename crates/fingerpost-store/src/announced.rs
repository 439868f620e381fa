//! What writes of the store read, in the words of the store.

use fingerpost_resolver::Anchor;

pub use crate::engine::Announced;
use crate::engine::Table;
use crate::format::{REVISION_KEY, document_key};

impl Announced {
    /// Creates an announcement of what every write of levels reads: the revision and the head of the audit log.
    pub fn write() -> Self {
        Self::default().row(Table::Meta, REVISION_KEY.to_vec()).last_row(Table::Audit)
    }

    /// Adds the record of a level, and that of its key level.
    pub fn level(self, level: &Anchor) -> Self {
        let (level, key_level) = (level.as_str(), level.key_level());
        let all = self.row(Table::Entries, level.as_bytes().to_vec());
        if level == key_level { all } else { all.row(Table::Entries, key_level.into()) }
    }

    /// Adds a document.
    pub fn document(self, collection: &str, id: &str) -> Self {
        self.row(Table::Documents, document_key(collection, id))
    }
}
