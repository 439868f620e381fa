//! Reading and changing one level.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Accepted, Entry, patch_record, write_record};
use fingerpost_store::{Batch, Revision, StoreError, Transaction, View};
use jiff::Timestamp;
use serde::Serialize;

use crate::change::{Judged, Wanted, refusal};
use crate::events::concerning;
use crate::fault::faults;
use crate::rights::{Access, Verb};
use crate::{
    Caller, Conditions, Idempotency, Outcome, Registry, RegistryError, Via, idempotency, proposals,
};

/// What is registered at a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The level.
    pub key: EntityKey,
    /// What is registered.
    pub entry: Entry,
    /// Since which revision.
    pub revision: Revision,
    /// When that was made; `None` if that is not known any more.
    pub at: Option<Timestamp>,
    /// By whom.
    pub by: Option<Author>,
}

impl Level {
    /// The record: the JSON document of the level.
    #[must_use]
    pub fn record(&self) -> String {
        write_record(&self.entry)
    }
}

/// Who made a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Author {
    /// Who, such as `user:…`.
    pub actor: String,
    /// How people call them, unless that was erased.
    pub name: Option<String>,
    /// Which way it came.
    pub via: Option<Via>,
}

impl Registry {
    /// What is registered at a level.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_gs1::EntityKey;
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
    /// let level = registry.read(&caller, &EntityKey::parse("/01/09506000134352")?)?;
    /// assert_eq!(level.entry.link_count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for a level outside the rights, [`RegistryError::NotFound`] if nothing is there, or the
    /// store's.
    pub fn read(&self, caller: &Caller, key: &EntityKey) -> Result<Level, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            Access::of(view, caller, now)?.on_level(view, Verb::Read, key)?;
            let (entry, revision) = view.level(key)?.ok_or(RegistryError::NotFound)?;
            let (at, by) = author(view, revision)?;
            Ok(Level { key: key.clone(), entry, revision, at, by })
        })
    }

    /// Registers a record, in place of what is there. `key` is the level named beside it, which the anchor must be.
    ///
    /// # Errors
    ///
    /// Every kind of [`RegistryError`] that concerns levels.
    pub fn put(
        &self,
        caller: &Caller,
        key: Option<&EntityKey>,
        record: &[u8],
        conditions: Conditions,
    ) -> Result<Outcome, RegistryError> {
        let accepted = match self.inner.read_record(key, record) {
            Ok(accepted) => accepted,
            Err(refused) => {
                // Faults are told to those who may write there, or somewhere, when the key is not known.
                self.require_write(caller, key)?;
                return Err(refused.into());
            }
        };
        let key = accepted.entry.key().clone();
        self.change(caller, key, conditions, move |_, _| Ok(Some(accepted.clone())))
    }

    /// Changes a record by a JSON merge patch (RFC 7396). The patched record is checked like any other, and the places of faults
    /// are places in it.
    ///
    /// # Errors
    ///
    /// Every kind of [`RegistryError`] that concerns levels.
    pub fn patch(
        &self,
        caller: &Caller,
        key: &EntityKey,
        patch: &[u8],
        conditions: Conditions,
    ) -> Result<Outcome, RegistryError> {
        let inner = self.inner.clone();
        let patch = patch.to_vec();
        let level = key.clone();
        self.change(caller, key.clone(), conditions, move |view, _| {
            let (entry, _) = view.level(&level)?.ok_or(RegistryError::NotFound)?;
            let record = patch_record(&entry, &patch)
                .map_err(|fault| RegistryError::invalid(faults([&fault])))?;
            Ok(Some(inner.read_record(Some(&level), record.as_bytes())?))
        })
    }

    /// Empties a level.
    ///
    /// # Errors
    ///
    /// Every kind of [`RegistryError`] that concerns levels; [`RegistryError::NotFound`] if nothing is there.
    pub fn delete(
        &self,
        caller: &Caller,
        key: &EntityKey,
        conditions: Conditions,
    ) -> Result<Outcome, RegistryError> {
        self.change(caller, key.clone(), conditions, |_, _| Ok(None))
    }

    /// Makes a level what it was after a revision: registers that record again, which today's rules must allow, or empties the
    /// level if it was empty then.
    ///
    /// # Errors
    ///
    /// Every kind of [`RegistryError`] that concerns levels; [`RegistryError::NotFound`] if that state is not known.
    pub fn restore(
        &self,
        caller: &Caller,
        key: &EntityKey,
        revision: Revision,
        conditions: Conditions,
    ) -> Result<Outcome, RegistryError> {
        let inner = self.inner.clone();
        let level = key.clone();
        self.change(caller, key.clone(), conditions, move |view, _| {
            let state = view.state_at(&level, revision)?.ok_or(RegistryError::NotFound)?;
            match state.entry() {
                Some(entry) => {
                    let record = write_record(entry);
                    Ok(Some(inner.read_record(Some(&level), record.as_bytes())?))
                }
                None => Ok(None),
            }
        })
    }

    /// One change of one level, whole in one transaction. `make` says what the level is to hold.
    fn change(
        &self,
        caller: &Caller,
        key: EntityKey,
        conditions: Conditions,
        make: impl Fn(&View<'_>, &Access) -> Result<Option<Accepted>, RegistryError> + Send + 'static,
    ) -> Result<Outcome, RegistryError> {
        let registry = self.clone();
        let caller = caller.clone();
        let result = self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, registry.inner.now())?;
            access.on_level(tx, Verb::Write, &key)?;
            let Conditions { precondition, dry_run, idempotency } = conditions.clone();
            let idempotency = idempotency.filter(|_| !dry_run);
            if let Some(outcome) = idempotency::recall(tx, &caller, idempotency.as_ref())? {
                return Ok(outcome);
            }
            let made = make(tx, &access)?;
            let (entry, warnings) = match made {
                Some(Accepted { entry, warnings }) => (Some(Arc::new(entry)), faults(&warnings)),
                None => (None, Vec::new()),
            };
            let judged = Wanted { key: key.clone(), entry, precondition, warnings }.judge(
                tx,
                &access,
                Verb::Write,
            )?;
            let checked = dry_run.then(|| judged.clone().would());
            let outcome = registry.apply_one(tx, &caller, &access, judged)?;
            match checked {
                Some(checked) => Err(Ended::Checked(checked)),
                None => registry.remember(tx, &caller, idempotency.as_ref(), outcome),
            }
        });
        Ended::result(result)
    }

    fn remember(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        idempotency: Option<&Idempotency>,
        outcome: Outcome,
    ) -> Result<Outcome, Ended<Outcome>> {
        idempotency::remember(tx, caller, idempotency, self.inner.now(), &outcome)?;
        Ok(outcome)
    }

    fn apply_one(
        &self,
        tx: &mut Transaction<'_>,
        caller: &Caller,
        access: &Access,
        judged: Judged,
    ) -> Result<Outcome, RegistryError> {
        if judged.needs_approval && judged.changes_something() {
            let warnings = judged.wanted.warnings.clone();
            let id = proposals::propose(tx, &self.inner, caller, access, vec![judged])?;
            return Ok(Outcome::Proposed { id, warnings });
        }
        let mut batch = Batch::new();
        judged.add_to(&mut batch);
        let event = self.inner.event("links.write", caller).subject(judged.wanted.key.as_str());
        let event = concerning(event, judged.owner);
        let revision = tx.write(&batch, event).map_err(refusal)?;
        Ok(judged.outcome(revision))
    }

    /// Fails unless the caller may write at a level, or anywhere.
    fn require_write(&self, caller: &Caller, key: Option<&EntityKey>) -> Result<(), RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            match key {
                Some(key) => access.on_level(view, Verb::Write, key).map(|_| ()),
                None => access.anywhere(Verb::Write),
            }
        })
    }
}

/// How a transaction ends without being kept.
pub(crate) enum Ended<T> {
    Refused(RegistryError),
    /// A dry run came to its end.
    Checked(T),
}

impl<T> Ended<T> {
    pub(crate) fn result(result: Result<T, Ended<T>>) -> Result<T, RegistryError> {
        match result {
            Ok(done) | Err(Ended::Checked(done)) => Ok(done),
            Err(Ended::Refused(error)) => Err(error),
        }
    }
}

impl<T> From<RegistryError> for Ended<T> {
    fn from(error: RegistryError) -> Self {
        Ended::Refused(error)
    }
}

impl<T> From<StoreError> for Ended<T> {
    fn from(error: StoreError) -> Self {
        Ended::Refused(error.into())
    }
}

/// When a revision was made, and by whom.
pub(crate) fn author(
    view: &View<'_>,
    revision: Revision,
) -> Result<(Option<Timestamp>, Option<Author>), RegistryError> {
    let Some(record) = view.audit_of(revision)? else { return Ok((None, None)) };
    let via = record.details().get("via").and_then(|via| Via::parse(via.as_str()?));
    let name = record.personal().and_then(|personal| personal.name()).map(str::to_owned);
    Ok((Some(record.at()), Some(Author { actor: record.actor().to_owned(), name, via })))
}
