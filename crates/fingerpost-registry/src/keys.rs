//! API keys: created with at most the permissions of their creator, shown once, revoked
//! permanently.
//!
//! ```text
//! token = "fpk_" id "_" 43 of base64url   ; 256 random bits
//! ```

use fingerpost_store::{Prefetch, View};

use crate::documents::{Document, Quantity, load, load_sized, save};
use crate::events::concerning;
use crate::fault::Fault;
use crate::limits::MAX_PERSONAL_KEY_AGE;
use crate::quotas::allow_one_more;
use crate::registry::Context;
use crate::rights::{Access, Grant, key_counts};
use crate::roles::Verb;
use crate::secret::{digest, same};
use crate::stored::StoredKey;
use crate::text::{LABEL, PREFIX_DIGITS, is_prefix};
use crate::{Actor, ApiKey, Caller, ClientInfo, Id, NewKey, Page, Registry, RegistryError, Secret};

impl Registry {
    /// Returns the keys that the caller administers, of one organisation or all, and a user's own
    /// keys.
    pub fn keys(
        &self,
        caller: &Caller,
        organisation: Option<&Id>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<ApiKey>, RegistryError> {
        self.view_as(caller, |view, access| {
            access.check_has_keys(caller)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_sized(view, after, limit),
                |stored: StoredKey| {
                    let is_wanted =
                        organisation.is_none_or(|id| stored.key.organisation == Some(*id));
                    Ok((is_wanted && access.administers_key(&stored)).then_some(stored.key))
                },
            )
        })
    }

    /// Returns a key that the caller administers.
    pub fn key(&self, caller: &Caller, id: &Id) -> Result<ApiKey, RegistryError> {
        self.view_as(caller, |view, access| Ok(access.key(view, id)?.key))
    }

    /// Creates a key and its token, which is shown once. It belongs to the user who creates it,
    /// also by means of another key: it never permits more than the user may do at the time. An
    /// administrator can create one that belongs to the organisation instead, and stays when
    /// the administrator leaves. Keys of users who are no administrators expire within a year.
    ///
    /// Fails with [`RegistryError::Forbidden`] for permissions that the caller does not have,
    /// [`RegistryError::NotFound`] for an organisation that the caller cannot see,
    /// [`RegistryError::QuotaExceeded`], [`RegistryError::Invalid`], or an error of the store.
    pub fn create_key(
        &self,
        caller: &Caller,
        new: NewKey,
    ) -> Result<(ApiKey, Secret), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            if let Some(id) = &new.organisation {
                access.organisation(tx, id)?;
            }
            let grant = Grant {
                organisation: new.organisation,
                verbs: new.verbs.clone(),
                prefix: new.prefix.clone(),
                role: None,
            };
            let may_give = access.check_new_key(caller, &grant, new.for_organisation)?;
            let mut faults = faults_of(&new, access, now);
            faults.extend(own_key_fault(&new, now).filter(|_| !may_give));
            if !faults.is_empty() {
                return Err(RegistryError::invalid(faults));
            }
            if let Some(id) = &new.organisation {
                allow_one_more(inner, tx, id, Quantity::Keys)?;
            }
            let (mut stored, token) = make(new.clone(), caller, access, now)?;
            let (user, for_organisation) = owner_of_keys(tx, caller)?;
            stored.key.user = user.filter(|_| !new.for_organisation);
            stored.for_organisation = new.for_organisation || for_organisation;
            save(tx, stored.key.id.as_str(), &stored)?;
            let event = inner.event("key.created", caller);
            tx.record(describe(event, &stored.key))?;
            Ok((stored.key, token))
        })
    }

    /// Revokes a key permanently. An already revoked key stays unchanged.
    pub fn revoke_key(&self, caller: &Caller, id: &Id) -> Result<ApiKey, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = access.revocable_key(tx, caller, &id)?;
            inner.revoke(tx, caller, &mut stored)?;
            Ok(stored.key)
        })
    }

    /// Authenticates a token; returns its caller.
    pub fn authenticate_key(
        &self,
        token: &Secret,
        client: &ClientInfo,
    ) -> Result<Caller, RegistryError> {
        self.view_by_key(token, client, |_, caller| Ok(caller))
    }

    /// Authenticates a token; returns its caller, with the organisations that
    /// [`Registry::organisations_of`] returns.
    pub fn admit_key(
        &self,
        token: &Secret,
        client: &ClientInfo,
    ) -> Result<(Caller, Option<Vec<Id>>), RegistryError> {
        self.view_by_key(token, client, |view, caller| {
            let now = self.inner.now();
            let organisations = Access::of(view, &caller, now)?.organisations();
            self.inner.recent_keys.note(token, &caller, organisations.as_deref(), now);
            Ok((caller, organisations))
        })
    }

    /// Returns what [`Registry::admit_key`] has returned for the same token within the last two
    /// seconds, without asking the store.
    ///
    /// Only for requests whose operations change something: these find in their transaction whether
    /// the key, its secret and its permissions are still valid, and fail with
    /// [`RegistryError::Unauthenticated`] otherwise.
    pub fn recall_key(
        &self,
        token: &Secret,
        client: &ClientInfo,
    ) -> Option<(Caller, Option<Vec<Id>>)> {
        let now = self.inner.now();
        let (caller, organisations) = self.inner.recent_keys.find(token, now)?;
        if let Actor::Key(id) = caller.actor {
            self.inner.usage.key(id, now);
        }
        Some((Caller { client: client.clone(), ..caller }, organisations))
    }

    /// Authenticates a token, and reads with its caller.
    fn view_by_key<T>(
        &self,
        token: &Secret,
        client: &ClientInfo,
        read: impl FnOnce(&View<'_>, Caller) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let (id, secret) = parts(token.expose()).ok_or(RegistryError::Unauthenticated)?;
        let prefetch = Prefetch::default().document(StoredKey::COLLECTION, id.as_str());
        self.inner.store.view_prefetched(&prefetch, |view| {
            read(view, self.caller_of(view, id, secret, client)?)
        })
    }

    /// Returns the caller who has the secret of a key.
    fn caller_of(
        &self,
        view: &View<'_>,
        id: Id,
        secret: &str,
        client: &ClientInfo,
    ) -> Result<Caller, RegistryError> {
        let now = self.inner.now();
        let stored: Option<StoredKey> = load(view, id.as_str())?;
        // Checking an unknown id takes as long as checking a wrong secret.
        let expected = stored.as_ref().map_or(DUMMY, |stored| &stored.digest);
        let previous = stored.as_ref().and_then(|stored| stored.previous_at(now)).unwrap_or(DUMMY);
        let digest = digest(secret);
        let (is_current, is_previous) = (same(expected, &digest), same(previous, &digest));
        let stored = stored
            .filter(|stored| (is_current | is_previous) && key_counts(stored, now))
            .ok_or(RegistryError::Unauthenticated)?;
        self.inner.usage.key(id, now);
        let secret = if is_current { stored.current_secret() } else { stored.rotations };
        Ok(Caller {
            actor: Actor::Key(id),
            name: stored.key.label,
            session: None,
            secret: Some(secret),
            client: client.clone(),
        })
    }
}

/// Returns the user to whom keys created by this caller belong, or whether they belong to an
/// organisation as the key that creates them does.
fn owner_of_keys(view: &View<'_>, caller: &Caller) -> Result<(Option<Id>, bool), RegistryError> {
    Ok(match &caller.actor {
        Actor::User(id) => (Some(*id), false),
        Actor::Key(id) => load::<StoredKey>(view, id.as_str())?
            .map_or((None, false), |stored| (stored.key.user, stored.for_organisation)),
        Actor::Local(_) => (None, true),
    })
}

fn make(
    new: NewKey,
    caller: &Caller,
    access: &Access,
    now: jiff::Timestamp,
) -> Result<(StoredKey, Secret), RegistryError> {
    let id = Id::random();
    let secret = Secret::random()?;
    let mut verbs = new.verbs;
    verbs.sort_unstable();
    verbs.dedup();
    let key = ApiKey {
        id,
        label: new.label.trim().to_owned(),
        organisation: new.organisation,
        user: None,
        verbs,
        prefix: new.prefix,
        expires: new.expires,
        revoked: None,
        created: now,
        created_by: caller.actor.clone(),
        last_used: None,
        rotated: None,
        previous_until: None,
    };
    let stored = StoredKey {
        key,
        digest: digest(secret.expose()),
        person: access.person.clone(),
        principals: access.principals.clone(),
        for_organisation: false,
        previous: None,
        rotations: 0,
    };
    Ok((stored, token_of(id, &secret)))
}

fn faults_of(new: &NewKey, access: &Access, now: jiff::Timestamp) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |pointer: &str, detail: &str| faults.push(Fault::new(pointer, "key", detail));
    if !LABEL.allows(&new.label) {
        fault("/label", &format!("label must have {LABEL}"));
    }
    if new.verbs.is_empty() {
        fault("/verbs", "at least one verb is required");
    }
    if let Some(prefix) = &new.prefix {
        if !is_prefix(prefix) {
            let (fewest, most) = (PREFIX_DIGITS.start(), PREFIX_DIGITS.end());
            fault("/prefix", &format!("prefix must have {fewest} to {most} digits"));
        }
        if new.verbs.contains(&Verb::Admin) {
            fault("/verbs", "a key that is limited to a prefix cannot have the verb admin");
        }
    }
    if new.expires.is_some_and(|expires| expires <= now) {
        fault("/expires", "expiry must be in the future");
    }
    let outlives =
        access.expires.is_some_and(|own| new.expires.is_none_or(|expires| expires > own));
    if outlives {
        fault("/expires", "key must not expire later than the key that creates it");
    }
    faults
}

/// Returns the fault of a personal key that does not expire within a year: nobody else may know of
/// such a key.
fn own_key_fault(new: &NewKey, now: jiff::Timestamp) -> Option<Fault> {
    let latest = now.checked_add(MAX_PERSONAL_KEY_AGE).unwrap_or(jiff::Timestamp::MAX);
    let is_right = new.expires.is_some_and(|expires| expires <= latest);
    (!is_right).then(|| {
        let detail = "a personal key must expire within 365 days";
        Fault::new("/expires", "key", detail)
    })
}

pub(crate) fn describe(event: fingerpost_store::Event, key: &ApiKey) -> fingerpost_store::Event {
    let verbs = serde_json::to_value(&key.verbs).unwrap_or_default();
    let mut event = event.subject(format!("key:{}", key.id)).detail("verbs", verbs);
    if let Some(prefix) = &key.prefix {
        event = event.detail("prefix", prefix.as_str());
    }
    if let Some(expires) = key.expires {
        event = event.detail("expires", expires.to_string());
    }
    concerning(event, key.organisation)
}

/// Returns the token of a key.
pub(crate) fn token_of(id: Id, secret: &Secret) -> Secret {
    Secret::new(format!("{PREFIX}{id}_{}", secret.expose()))
}

/// Splits a token into its id and its secret.
fn parts(token: &str) -> Option<(Id, &str)> {
    let rest = token.strip_prefix(PREFIX)?;
    let (id, secret) = rest.split_at_checked(ID_LENGTH)?;
    Some((Id::parse(id)?, secret.strip_prefix('_')?))
}

const PREFIX: &str = "fpk_";
const ID_LENGTH: usize = 26;

/// A text of the length of a digest, but not the digest of any known secret.
const DUMMY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
