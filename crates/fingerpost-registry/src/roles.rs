//! Roles of users, and the verbs that they permit.

use serde::{Deserialize, Serialize};

/// A role of a user. Each role permits everything that the ones before it permit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees levels, history and proposals.
    Reader,
    /// Changes levels.
    Editor,
    /// Approves changes of others.
    Approver,
    /// Grants permissions to users and keys, and sees the audit log.
    Admin,
}

impl Role {
    /// Returns the verbs that the role permits.
    ///
    /// ```
    /// use fingerpost_registry::{Role, Verb};
    ///
    /// assert_eq!(Role::Editor.verbs(), [Verb::Read, Verb::Write]);
    /// ```
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

/// A kind of operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// See levels, history and proposals.
    Read,
    /// Change levels.
    Write,
    /// Approve changes of others.
    Approve,
    /// Grant permissions, and see the audit log.
    Admin,
}
