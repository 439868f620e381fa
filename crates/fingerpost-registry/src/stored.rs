//! Accounts as they are stored: the parts that are shown, and those that are not.

use fingerpost_store::{Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::documents::{Document, Quantity};
use crate::limits::MAX_DEVICES;
use crate::principals::Principals;
use crate::roles::Role;
use crate::secret::{digest, same};
use crate::totp::Totp;
use crate::{Actor, ApiKey, Id, Organisation, RegistryError, Secret, Session, User};

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
    /// When the keys of a user of another provider stop working, unless the user signs in before.
    #[serde(default)]
    pub(crate) keys_until: Option<Timestamp>,
    /// Whether the user changed the password since another one set it.
    #[serde(default)]
    pub(crate) own_password: bool,
    /// The users who may be able to sign in.
    #[serde(default, skip_serializing_if = "Principals::are_unknown")]
    pub(crate) principals: Principals,
    /// The second factor.
    #[serde(default)]
    pub(crate) totp: Option<Totp>,
    /// The second factor that is being set up.
    #[serde(default)]
    pub(crate) pending_totp: Option<Totp>,
    /// The browsers in which the user signed in.
    #[serde(default)]
    pub(crate) devices: Vec<Device>,
}

/// A browser in which a user signed in before.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Device {
    /// SHA-256 of its token.
    digest: String,
    /// When it last signed in.
    seen: Timestamp,
}

impl StoredUser {
    /// Creates the document of a new user.
    pub(crate) fn new(user: User, password: Option<String>, federated: Option<String>) -> Self {
        StoredUser {
            principals: Principals::only(Actor::User(user.id)),
            user,
            password,
            federated,
            keys_until: None,
            own_password: false,
            totp: None,
            pending_totp: None,
            devices: Vec::new(),
        }
    }

    /// Sets or removes the second factor.
    pub(crate) fn set_totp(&mut self, totp: Option<Totp>) {
        self.user.second_factor = totp.is_some();
        self.totp = totp;
        self.pending_totp = None;
    }

    /// Returns whether the user has no second factor, although administrators are `required` to
    /// have one. Another identity provider takes care of its own users.
    pub(crate) fn lacks_second_factor(&self, required: bool) -> bool {
        let is_admin = self.user.memberships.iter().any(|one| one.role == Role::Admin);
        required && is_admin && self.federated.is_none() && self.totp.is_none()
    }

    /// Returns whether the user signed in with a device before.
    pub(crate) fn knows(&self, device: &str) -> bool {
        self.devices.iter().any(|known| same(&known.digest, device))
    }

    /// Notes the device of a sign-in; returns the token of a new one. The one that was not used for
    /// longest is forgotten.
    pub(crate) fn remember(
        &mut self,
        device: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Secret>, RegistryError> {
        let known =
            self.devices.iter_mut().find(|one| device.is_some_and(|it| same(&one.digest, it)));
        if let Some(known) = known {
            known.seen = now;
            return Ok(None);
        }
        self.devices.sort_by_key(|known| known.seen);
        let surplus = (self.devices.len() + 1).saturating_sub(MAX_DEVICES);
        self.devices.drain(..surplus);
        let token = Secret::new(format!("fpd_{}", Secret::random()?.expose()));
        self.devices.push(Device { digest: digest(token.expose()), seen: now });
        Ok(Some(token))
    }
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
    /// The users who may have its secret.
    #[serde(default, skip_serializing_if = "Principals::are_unknown")]
    pub(crate) principals: Principals,
    /// Whether an administrator gave it to the organisation on purpose. Releases before this
    /// member created all keys of administrators without a user.
    #[serde(default)]
    pub(crate) for_organisation: bool,
    /// SHA-256 of the secret before the last rotation, valid until [`ApiKey::previous_until`].
    #[serde(default)]
    pub(crate) previous: Option<String>,
    /// Number of secrets that were replaced by rotation.
    #[serde(default)]
    pub(crate) rotations: u32,
}

impl StoredKey {
    /// Returns the number of the current secret, counted from 1.
    pub(crate) fn current_secret(&self) -> u32 {
        self.rotations.saturating_add(1)
    }

    /// Returns the digest of the previous secret, if it is still valid.
    pub(crate) fn previous_at(&self, now: Timestamp) -> Option<&str> {
        self.previous
            .as_deref()
            .filter(|_| self.key.previous_until.is_some_and(|until| now < until))
    }
}

impl Document for StoredKey {
    const COLLECTION: &'static str = "keys";
    const COUNTS_AS: Option<Quantity> = Some(Quantity::Keys);

    fn counts_in(&self) -> Vec<Id> {
        self.key.organisation.filter(|_| self.key.revoked.is_none()).into_iter().collect()
    }
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
    /// From an organisation and a proposal about its levels to the proposal.
    ProposalOf,
}

impl Index {
    pub(crate) fn collection(self) -> &'static str {
        match self {
            Index::Login => "logins",
            Index::Federated => "federated",
            Index::Prefix => "prefixes",
            Index::Owned => "owned",
            Index::SessionOf => "sessionsOf",
            Index::ProposalOf => "proposalsOf",
        }
    }

    /// Returns the index with this collection.
    pub(crate) fn of(collection: &str) -> Option<Self> {
        let all = [
            Self::Login,
            Self::Federated,
            Self::Prefix,
            Self::Owned,
            Self::SessionOf,
            Self::ProposalOf,
        ];
        all.into_iter().find(|index| index.collection() == collection)
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
