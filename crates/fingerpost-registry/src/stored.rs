//! Accounts as they are stored: the parts that are shown, and those that are not.

use fingerpost_store::{Transaction, View};
use serde::{Deserialize, Serialize};

use crate::documents::Document;
use crate::{Actor, ApiKey, Id, Organisation, RegistryError, Session, User};

impl Document for Organisation {
    const COLLECTION: &'static str = "organisations";
}

/// A user with the data that is not shown.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredUser {
    #[serde(flatten)]
    pub(crate) user: User,
    /// A hash in the PHC string format.
    pub(crate) password: Option<String>,
    /// The identity at another provider: a digest of issuer and subject.
    pub(crate) federated: Option<String>,
}

impl Document for StoredUser {
    const COLLECTION: &'static str = "users";
}

/// A key with the data that is not shown.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredKey {
    #[serde(flatten)]
    pub(crate) key: ApiKey,
    /// SHA-256 of the secret.
    pub(crate) digest: String,
    /// The user behind it: its author, or the creator of the key that wrote it.
    pub(crate) person: Actor,
    /// The user whose personal key it is: it never permits more than the user may do at the time. `None`: an administrator
    /// created it, and it is independent of its creator.
    #[serde(default)]
    pub(crate) user: Option<Id>,
}

impl Document for StoredKey {
    const COLLECTION: &'static str = "keys";
}

impl Document for Session {
    const COLLECTION: &'static str = "sessions";
}

/// An index from a name of an account to its id.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// From a case-folded login.
    Login,
    /// From a digest of issuer and subject.
    Federated,
    /// From a company prefix to its organisation.
    Prefix,
    /// From a single key to its organisation.
    Owned,
    /// From a user and one of their sessions to the user.
    SessionOf,
}

impl Index {
    fn collection(self) -> &'static str {
        match self {
            Index::Login => "logins",
            Index::Federated => "federated",
            Index::Prefix => "prefixes",
            Index::Owned => "owned",
            Index::SessionOf => "sessionsOf",
        }
    }

    pub(crate) fn find(self, view: &View<'_>, name: &str) -> Result<Option<Id>, RegistryError> {
        let Some(bytes) = view.document(self.collection(), name)? else { return Ok(None) };
        match std::str::from_utf8(&bytes).ok().and_then(Id::parse) {
            Some(id) => Ok(Some(id)),
            None => {
                Err(RegistryError::Damaged { collection: self.collection(), id: name.to_owned() })
            }
        }
    }

    /// Returns whether the index has any entries.
    pub(crate) fn is_any(self, view: &View<'_>) -> Result<bool, RegistryError> {
        Ok(!view.documents(self.collection(), None, 1)?.is_empty())
    }

    /// Returns at most `limit` names after `after`.
    pub(crate) fn names(
        self,
        view: &View<'_>,
        after: &str,
        limit: usize,
    ) -> Result<Vec<String>, RegistryError> {
        let found = view.documents(self.collection(), Some(after), limit)?;
        Ok(found.into_iter().map(|(name, _)| name).collect())
    }

    pub(crate) fn insert(
        self,
        tx: &mut Transaction<'_>,
        name: &str,
        id: Id,
    ) -> Result<(), RegistryError> {
        Ok(tx.put_document(self.collection(), name, id.as_str().as_bytes())?)
    }

    pub(crate) fn remove(self, tx: &mut Transaction<'_>, name: &str) -> Result<(), RegistryError> {
        tx.delete_document(self.collection(), name)?;
        Ok(())
    }
}
