//! Leases: of the processes that share a store, one does a piece of work in the background, until
//! it stops or is silent for a while.

use fingerpost_store::{Transaction, View};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, save};
use crate::{Registry, RegistryError};

/// Work that one process of a store does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Checks of the targets of links.
    Links,
    /// Delivery of events to webhooks.
    Webhooks,
    /// Purging of caches in front.
    Purges,
}

/// A lease as it is stored.
#[derive(Serialize, Deserialize)]
struct Held {
    holder: String,
    until: Timestamp,
}

impl Document for Held {
    const COLLECTION: &'static str = "leases";
}

impl Lease {
    fn id(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Webhooks => "webhooks",
            Self::Purges => "purges",
        }
    }

    /// Takes or renews this lease from an instant on, for so long; returns whether this holder has
    /// it.
    pub(crate) fn take(
        self,
        tx: &mut Transaction<'_>,
        holder: &str,
        now: Timestamp,
        time: SignedDuration,
    ) -> Result<bool, RegistryError> {
        let held = load::<Held>(tx, self.id())?;
        if held.is_some_and(|held| held.holder != holder && held.until > now) {
            return Ok(false);
        }
        let until = now.checked_add(time).unwrap_or(Timestamp::MAX);
        save(tx, self.id(), &Held { holder: holder.to_owned(), until })?;
        Ok(true)
    }

    /// Returns whether a process has this lease.
    pub(crate) fn is_held(
        self,
        view: &View<'_>,
        holder: &str,
        now: Timestamp,
    ) -> Result<bool, RegistryError> {
        let held = load::<Held>(view, self.id())?;
        Ok(held.is_some_and(|held| held.holder == holder && held.until > now))
    }
}

impl Registry {
    /// Takes or renews a lease, for so long; returns whether this holder has it. No time ends it.
    pub fn lease(
        &self,
        lease: Lease,
        holder: &str,
        time: SignedDuration,
    ) -> Result<bool, RegistryError> {
        let (inner, holder) = (self.inner.clone(), holder.to_owned());
        self.inner
            .store
            .transact(move |tx: &mut Transaction<'_>| lease.take(tx, &holder, inner.now(), time))
    }
}
