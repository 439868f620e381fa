//! The end of API keys and of their secrets: rotation, revocation, and what a reset of a password
//! revokes.

use fingerpost_store::Transaction;
use jiff::{SignedDuration, Timestamp};

use crate::documents::{load, save};
use crate::fault::Fault;
use crate::keys::{describe, token_of};
use crate::limits::MAX_OVERLAP;
use crate::registry::{Context, Inner};
use crate::rights::key_counts;
use crate::secret::digest;
use crate::stored::StoredKey;
use crate::users::keys_of;
use crate::{Actor, ApiKey, Caller, Id, KeyRotation, Registry, RegistryError, Secret};

impl Registry {
    /// Gives a key a new secret. The current one stays valid for a while, so that programs can be
    /// changed one after the other; the one before it ends at once. Meanwhile the previous
    /// secret can neither administer, nor rotate or revoke the key, so a thief who has it
    /// cannot shut out the owner of the key.
    ///
    /// The new secret acts as the person who created the key, so only that person gets it, with the
    /// permissions to create such a key, or the key itself. An administrator of the
    /// installation can rotate keys of organisations.
    ///
    /// The key stays one key, also while both secrets are valid: a quota of keys counts it once.
    ///
    /// Fails with [`RegistryError::NotFound`] for a key that the caller cannot see,
    /// [`RegistryError::Forbidden`], [`RegistryError::Conflict`] for a key that is not valid,
    /// [`RegistryError::Invalid`], or an error of the store.
    pub fn rotate_key(
        &self,
        caller: &Caller,
        id: &Id,
        rotation: &KeyRotation,
    ) -> Result<(ApiKey, Secret), RegistryError> {
        let (id, rotation) = (*id, rotation.clone());
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let mut stored = access.rotatable_key(tx, caller, &id)?;
            if !key_counts(&stored, now) {
                let detail = "the key is revoked or has expired; create a new one";
                return Err(RegistryError::Conflict(vec![Fault::new("", "key", detail)]));
            }
            let until = overlap(&rotation, now)?;
            let secret = Secret::random()?;
            let before = std::mem::replace(&mut stored.digest, digest(secret.expose()));
            stored.principals.add(&access.principals);
            stored.rotations = stored.current_secret();
            let overlaps = until > now;
            stored.previous = overlaps.then_some(before);
            stored.key.previous_until = overlaps.then_some(until);
            stored.key.rotated = Some(now);
            save(tx, id.as_str(), &stored)?;
            let event = inner.event("key.rotated", caller);
            let event = event
                .detail("previousUntil", until.max(now).to_string())
                .detail("newSecret", u64::from(stored.current_secret()));
            tx.record(describe(event, &stored.key))?;
            Ok((stored.key, token_of(id, &secret)))
        })
    }
}

/// Returns until when the previous secret stays valid after a rotation.
pub(crate) fn overlap(rotation: &KeyRotation, now: Timestamp) -> Result<Timestamp, RegistryError> {
    let latest = now.saturating_add(MAX_OVERLAP).unwrap_or(now);
    let default = now.saturating_add(OVERLAP).unwrap_or(now);
    let until = rotation.previous_until.unwrap_or(default);
    if until > latest {
        let detail = "the previous secret can stay valid for at most 30 days";
        return Err(RegistryError::invalid(vec![Fault::new("/previousUntil", "key", detail)]));
    }
    Ok(until)
}

impl Inner {
    /// Revokes a key, unless it is revoked already.
    pub(crate) fn revoke(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        stored: &mut StoredKey,
    ) -> Result<(), RegistryError> {
        if stored.key.revoked.is_none() {
            stored.key.revoked = Some(self.now());
            stored.previous = None;
            stored.key.previous_until = None;
            save(tx, stored.key.id.as_str(), stored)?;
            tx.record(describe(self.event("key.revoked", caller), &stored.key))?;
        }
        Ok(())
    }

    /// Revokes the valid keys that a user created, except those given to an organisation on
    /// purpose; returns their number.
    pub(crate) fn revoke_keys_of(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        user: &Id,
    ) -> Result<u64, RegistryError> {
        let mut revoked = 0;
        for id in keys_of(tx, &Actor::User(*user))? {
            let Some(mut stored) = load::<StoredKey>(tx, id.as_str())? else { continue };
            if key_counts(&stored, self.now()) && !stored.for_organisation {
                self.revoke(tx, caller, &mut stored)?;
                revoked += 1;
            }
        }
        Ok(revoked)
    }
}

/// Default time for which the previous secret stays valid.
const OVERLAP: SignedDuration = SignedDuration::from_hours(24);
