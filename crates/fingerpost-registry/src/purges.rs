//! What the purging of caches in front reads and writes, without a caller: the operator has
//! switched it on. The position moves after caches have confirmed what is before it, so each change
//! purges at least once.

use std::ops::{Bound, ControlFlow};

use fingerpost_resolver::{Anchor, surrogate_key};
use fingerpost_store::{Revision, View};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, save};
use crate::feed::read_cursor;
use crate::leases::Lease;
use crate::{Registry, RegistryError};

/// The surrogate keys of changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PurgeBatch {
    /// The surrogate keys, each once, in their order.
    pub keys: Vec<String>,
    /// The position after them.
    pub end: String,
    /// Whether there were no further changes.
    pub is_last: bool,
}

/// The position up to which caches were purged.
#[derive(Serialize, Deserialize)]
struct Purged {
    end: String,
}

impl Document for Purged {
    const COLLECTION: &'static str = "purges";
}

/// The only document of the collection.
const ID: &str = "position";

impl Registry {
    /// Returns the surrogate keys of the next changes, at most `limit` changes: those after `from`,
    /// or after the stored position. If there is none, or the store was restored to before it,
    /// they begin with the next change.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub fn purge_batch(
        &self,
        from: Option<&str>,
        limit: usize,
    ) -> Result<PurgeBatch, RegistryError> {
        self.inner.store.view(|view| batch(view, from, limit))
    }

    /// Takes or renews the lease of purging for so long, and stores the position, if there is one.
    /// Returns whether this holder has the lease; if not, nothing is stored.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub fn save_purged(
        &self,
        holder: &str,
        time: SignedDuration,
        end: Option<&str>,
    ) -> Result<bool, RegistryError> {
        let (inner, holder) = (self.inner.clone(), holder.to_owned());
        let end = end.map(str::to_owned);
        self.inner.store.transact(move |tx| {
            let has = Lease::Purges.take(tx, &holder, inner.now(), time)?;
            if let Some(end) = end.clone().filter(|_| has) {
                save(tx, ID, &Purged { end })?;
            }
            Ok(has)
        })
    }
}

fn batch(view: &View<'_>, from: Option<&str>, limit: usize) -> Result<PurgeBatch, RegistryError> {
    let head = view.revision()?;
    let stored = match from {
        Some(_) => None,
        None => load::<Purged>(view, ID)?.map(|purged| purged.end),
    };
    let from = from.or(stored.as_deref()).and_then(read_cursor);
    let Some((revision, level)) = from.filter(|(revision, _)| *revision <= head) else {
        return Ok(PurgeBatch { end: head.to_string(), is_last: true, ..PurgeBatch::default() });
    };
    let from: (Revision, &str) = match &level {
        Some(level) => (revision, level),
        None => (revision.next(), ""),
    };
    let from = if level.is_some() { Bound::Excluded(from) } else { Bound::Included(from) };
    let mut batch = PurgeBatch { end: head.to_string(), is_last: true, ..PurgeBatch::default() };
    let mut count = 0;
    view.visit_changes(from, |revision, level, _| -> Result<_, RegistryError> {
        if count == limit {
            batch.is_last = false;
            return Ok(ControlFlow::Break(()));
        }
        count += 1;
        batch.end = format!("{revision}/{level}");
        batch.keys.extend(Anchor::from_canonical(level).map(|anchor| surrogate_key(&anchor)));
        Ok(ControlFlow::Continue(()))
    })?;
    if batch.is_last {
        batch.end = head.to_string();
    }
    batch.keys.sort_unstable();
    batch.keys.dedup();
    Ok(batch)
}
