//! The tables of a store.

/// A table of rows. `crate::format` describes the rows of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// Metadata of the store: format, revision.
    Meta,
    /// Current states of levels.
    Entries,
    /// Replaced states.
    History,
    /// The changes of each revision.
    Changes,
    /// The number of the audit record of each revision.
    Revisions,
    /// Audit records.
    Audit,
    /// Personal data; audit records hold only salted hashes of it.
    Personal,
    /// Documents of the registry.
    Documents,
}

impl Table {
    /// All tables, in the order of a backup.
    pub const ALL: [Self; 8] = [
        Self::Meta,
        Self::Entries,
        Self::History,
        Self::Changes,
        Self::Revisions,
        Self::Audit,
        Self::Personal,
        Self::Documents,
    ];

    /// Returns the name, which is also used in backups.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Entries => "entries",
            Self::History => "history",
            Self::Changes => "changes",
            Self::Revisions => "revisions",
            Self::Audit => "audit",
            Self::Personal => "personal",
            Self::Documents => "documents",
        }
    }

    /// Returns the index in [`Table::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}
