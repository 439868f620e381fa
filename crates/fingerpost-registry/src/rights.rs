//! Who may do what: the only place where that is decided.

use serde::{Deserialize, Serialize};

/// What a person may do somewhere; each role may do all that the ones before it may.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees levels, history and proposals.
    Reader,
    /// Changes levels.
    Editor,
    /// Releases changes of others.
    Approver,
    /// Gives rights to people and keys, and sees the audit log.
    Admin,
}

impl Role {
    /// What the role may do.
    #[must_use]
    pub fn verbs(self) -> &'static [Verb] {
        const ALL: [Verb; 4] = [Verb::Read, Verb::Write, Verb::Approve, Verb::Admin];
        match self {
            Role::Reader => &ALL[..1],
            Role::Editor => &ALL[..2],
            Role::Approver => &ALL[..3],
            Role::Admin => &ALL,
        }
    }
}

/// One kind of operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// See levels, history and proposals.
    Read,
    /// Change levels.
    Write,
    /// Release changes of others.
    Approve,
    /// Give rights, and see the audit log.
    Admin,
}
