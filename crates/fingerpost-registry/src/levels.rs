//! Reads and changes one level.

use fingerpost_resolver::{Anchor, Entry, patch_record, write_record};
use fingerpost_store::{Prefetch, Revision, View};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::apply::Ended;
use crate::author::{Authorship, author};
use crate::fault::faults;
use crate::judge::{BatchMode, WriteRequest};
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    Author, Caller, ChangeOutcome, Conditions, RecordChange, Registry, RegistryError, idempotency,
    ownership, rights,
};

/// A level and its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Level {
    /// The level as a canonical path, without a slash at the beginning.
    #[serde(serialize_with = "crate::key_levels::bare")]
    #[cfg_attr(feature = "schema", schema(value_type = crate::text::schema::LevelKey))]
    pub key: Anchor,
    /// The record.
    #[serde(rename = "record", serialize_with = "as_record")]
    #[cfg_attr(feature = "schema", schema(value_type = fingerpost_resolver::schema::Record))]
    pub entry: Entry,
    /// The current revision.
    #[serde(serialize_with = "crate::outcome::revision")]
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub revision: Revision,
    /// When it was written, if that is still known.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub at: Option<Timestamp>,
    /// Who wrote it, if that is still known.
    pub by: Option<Author>,
    /// Who proposed it, if `by` approved it.
    #[serde(rename = "proposedBy", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub proposed_by: Option<Author>,
}

/// Serializes an entry as its record.
pub(crate) fn as_record<S: serde::Serializer>(
    entry: &Entry,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let json = RawValue::from_string(write_record(entry));
    json.map_err(serde::ser::Error::custom)?.serialize(serializer)
}

impl Level {
    /// Returns the record: the JSON document of the level.
    pub fn record(&self) -> String {
        write_record(&self.entry)
    }
}

impl Registry {
    /// Returns the entry of a level, with its revision and author.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_resolver::Anchor;
    /// # use fingerpost_registry::{Caller, Conditions, Registry, RegistryOptions};
    /// # use fingerpost_store::{Store, StoreOptions};
    /// # let dir = tempfile::tempdir()?;
    /// # let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
    /// let registry = Registry::new(store, RegistryOptions::new());
    /// let caller = Caller::local("example");
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// registry.put(&caller, None, record, Conditions::none())?;
    /// let level = registry.read(&caller, &Anchor::parse("/01/09506000134352")?)?;
    /// assert_eq!(level.entry.link_count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fails with [`RegistryError::Forbidden`] for a level without permission,
    /// [`RegistryError::NotFound`] if nothing is registered there, or an error of the store.
    pub fn read(&self, caller: &Caller, key: &Anchor) -> Result<Level, RegistryError> {
        let prefetch = ownership::prefetch(rights::prefetch(caller), key).level(key);
        self.view_prefetched_as(caller, &prefetch, |view, access| {
            access.on_level(view, Verb::Read, key)?;
            let (entry, revision) = view.level(key)?.ok_or(RegistryError::NotFound)?;
            let Authorship { at, by, proposed_by, .. } = author(view, revision)?;
            Ok(Level { key: key.clone(), entry, revision, at, by, proposed_by })
        })
    }

    /// Registers a record, replacing any existing one. `key` is the level named outside of the
    /// record; the anchor must be the same.
    pub fn put(
        &self,
        caller: &Caller,
        key: Option<&Anchor>,
        record: &[u8],
        conditions: Conditions,
    ) -> Result<ChangeOutcome, RegistryError> {
        let change = match self.inner.read_change(key, record) {
            Ok(change) => change,
            Err(refused) => {
                // Only callers who may write there, or anywhere if the key is not known, see the
                // faults.
                self.require_write(caller, key)?;
                return Err(refused.into());
            }
        };
        let level = change.level().clone();
        self.change(caller, level, conditions, move |_| Ok(change.clone()))
    }

    /// Changes a record by a JSON merge patch (RFC 7396). The patched record is checked like any
    /// other; the positions of faults refer to it.
    pub fn patch(
        &self,
        caller: &Caller,
        key: &Anchor,
        patch: &[u8],
        conditions: Conditions,
    ) -> Result<ChangeOutcome, RegistryError> {
        let inner = self.inner.clone();
        let patch = patch.to_vec();
        let level = key.clone();
        self.change(caller, key.clone(), conditions, move |view| {
            let (entry, _) = view.level(&level)?.ok_or(RegistryError::NotFound)?;
            let record = patch_record(&entry, &patch)
                .map_err(|fault| RegistryError::invalid(faults([&fault])))?;
            Ok(inner.read_change(Some(&level), record.as_bytes())?)
        })
    }

    /// Deletes the record of a level.
    ///
    /// All [`RegistryError`]s that concern levels; [`RegistryError::NotFound`] if nothing is
    /// registered there.
    pub fn delete(
        &self,
        caller: &Caller,
        key: &Anchor,
        conditions: Conditions,
    ) -> Result<ChangeOutcome, RegistryError> {
        let change = RecordChange::delete(key.clone());
        self.change(caller, key.clone(), conditions, move |_| Ok(change.clone()))
    }

    /// Restores the state of a level after a revision: registers that record again, which the
    /// current rules must allow, or deletes the level if it was empty then.
    pub fn restore(
        &self,
        caller: &Caller,
        key: &Anchor,
        revision: Revision,
        conditions: Conditions,
    ) -> Result<ChangeOutcome, RegistryError> {
        let inner = self.inner.clone();
        let level = key.clone();
        self.change(caller, key.clone(), conditions, move |view| {
            let state = view.state_at(&level, revision)?.ok_or(RegistryError::NotFound)?;
            Ok(inner.change_back(&level, state.entry())?)
        })
    }

    /// Makes one change of one level in one transaction. `make` returns the change.
    fn change(
        &self,
        caller: &Caller,
        level: Anchor,
        conditions: Conditions,
        make: impl Fn(&View<'_>) -> Result<RecordChange, RegistryError> + Send + 'static,
    ) -> Result<ChangeOutcome, RegistryError> {
        let inner = self.inner.clone();
        let caller = caller.clone();
        let prefetch = prefetch(&caller, &level, &conditions);
        let result = self.inner.store.transact_prefetched(prefetch, move |tx| {
            let access = &Access::of(tx, &caller, inner.now())?;
            access.on_level(tx, Verb::Write, &level)?;
            let idempotency = conditions.idempotency.as_ref().filter(|_| !conditions.dry_run);
            if let Some(outcome) = idempotency::recall(tx, &caller, idempotency)? {
                return Ok(outcome);
            }
            let change = make(tx)?.only_if(conditions.precondition);
            let request = WriteRequest {
                caller: &caller,
                access,
                mode: BatchMode::Atomic,
                approves: None,
                set: None,
                root: inner.options.root.as_ref(),
            };
            let outcome = inner.apply(tx, &request, [&change])?.only()?;
            if conditions.dry_run {
                return Err(Ended::Checked(outcome.of_dry_run()));
            }
            idempotency::remember(tx, &caller, idempotency, inner.now(), &outcome)?;
            Ok(outcome)
        });
        let outcome = Ended::result(result)?;
        self.wait_for_copy(); // on this thread, which waits anyway
        Ok(outcome)
    }

    /// Returns for each level whether it holds exactly this encoded entry ([`Entry::encode`]), so
    /// that registering it again would change nothing. Returns `false` for all of them unless the
    /// caller can register everything.
    pub fn holds(
        &self,
        caller: &Caller,
        entries: &[(&[u8], &[u8])],
    ) -> Result<Vec<bool>, RegistryError> {
        self.view_as(caller, |view, access| match access.in_installation(Verb::Admin) {
            true => Ok(view.holds(entries)?),
            false => Ok(Vec::new()),
        })
    }

    /// Checks that the caller may write at a level, or anywhere: before reading what they would
    /// write.
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::Forbidden`], or an error of
    /// the store.
    pub fn require_write(
        &self,
        caller: &Caller,
        key: Option<&Anchor>,
    ) -> Result<(), RegistryError> {
        let rights = rights::prefetch(caller);
        let prefetch = key.map_or(rights.clone(), |key| ownership::prefetch(rights, key));
        self.view_prefetched_as(caller, &prefetch, |view, access| match key {
            Some(key) => access.on_level(view, Verb::Write, key).map(|_| ()),
            None => access.anywhere(Verb::Write),
        })
    }
}

/// Returns what a change of a level reads, as far as it is known before: a database returns all of
/// it in one round trip.
fn prefetch(caller: &Caller, level: &Anchor, conditions: &Conditions) -> Prefetch {
    let prefetch = ownership::prefetch(rights::prefetch(caller), level).level(level).write();
    match idempotency::document(caller, conditions.idempotency.as_ref()) {
        Some((collection, id)) => prefetch.document(collection, &id),
        None => prefetch,
    }
}
