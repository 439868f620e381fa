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
        }
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
        self.inner.store.transact(move |tx: &mut Transaction<'_>| {
            let now = inner.now();
            let held = load::<Held>(tx, lease.id())?;
            if held.is_some_and(|held| held.holder != holder && held.until > now) {
                return Ok(false);
            }
            let until = now.checked_add(time).unwrap_or(Timestamp::MAX);
            save(tx, lease.id(), &Held { holder: holder.clone(), until })?;
            Ok(true)
        })
    }
}
