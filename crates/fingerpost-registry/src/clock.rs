//! Prunes history by age, unless the clock has jumped: a clock that is far ahead makes every state
//! look old.

use fingerpost_store::{Revision, Transaction, View};
use jiff::{SignedDuration, Timestamp};

use crate::registry::Context;
use crate::{Caller, Registry, RegistryError, Verb};

/// The document that notes when pruning last found the clock in order.
const COLLECTION: &str = "clock";
const SEEN: &str = "seen";

/// The document that notes through which revision states were replaced that are no longer stored.
const PRUNED: &str = "pruned";

/// The result of pruning by age.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pruning {
    /// This many states were deleted.
    Done(u64),
    /// Nothing was deleted: the clock is further from the time of the last check than
    /// [`Registry::clock_bound`].
    ClockJumped {
        /// When the clock was last in order, or the time of the last audit record.
        seen: Timestamp,
        /// What the clock says.
        now: Timestamp,
    },
}

impl Registry {
    /// Returns how far the clock may be ahead of the last check for history of this age to be
    /// pruned: half the age, at least a day and at most 30 days.
    pub fn clock_bound(kept: SignedDuration) -> SignedDuration {
        (kept / 2).clamp(SignedDuration::from_hours(24), SignedDuration::from_hours(30 * 24))
    }

    /// Deletes states that were replaced longer ago than `kept`, as [`Registry::prune_history`]
    /// does, unless the clock has jumped since the last call. Call this about once an hour.
    pub fn prune_older_than(
        &self,
        caller: &Caller,
        kept: SignedDuration,
    ) -> Result<Pruning, RegistryError> {
        let now = self.inner.now();
        let seen = self.inner.store.transact(move |tx| {
            let seen = last_seen(tx)?.unwrap_or(now);
            let is_near = now.duration_since(seen) <= Self::clock_bound(kept);
            if is_near {
                note(tx, now.max(seen))?;
            }
            Ok::<_, RegistryError>((!is_near).then_some(seen))
        })?;
        if let Some(seen) = seen {
            return Ok(Pruning::ClockJumped { seen, now });
        }
        let before = now.checked_sub(kept).unwrap_or(Timestamp::MIN);
        Ok(Pruning::Done(self.prune_history(caller, before)?))
    }

    /// Confirms that the clock is right after a jump, so that history is pruned again; records
    /// that.
    pub fn confirm_clock(&self, caller: &Caller) -> Result<Timestamp, RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            access.check_installation(Verb::Admin)?;
            note(tx, now)?;
            tx.record(inner.event("clock.confirmed", caller))?;
            Ok(now)
        })
    }
}

/// Notes that states that were replaced in a revision or earlier are no longer stored.
pub(crate) fn note_pruned(
    tx: &mut Transaction<'_>,
    through: Revision,
) -> Result<(), RegistryError> {
    let through = through.max(pruned_through(tx)?).to_string();
    Ok(tx.put_document(COLLECTION, PRUNED, through.as_bytes())?)
}

/// Returns the revision noted by [`note_pruned`].
pub(crate) fn pruned_through(view: &View<'_>) -> Result<Revision, RegistryError> {
    let noted = view.document(COLLECTION, PRUNED)?;
    let noted = noted.and_then(|text| String::from_utf8(text).ok()?.parse().ok());
    Ok(noted.map(Revision::new).unwrap_or_default())
}

/// Returns when the clock was last in order: at the last check, or else at the last audit record.
fn last_seen(tx: &Transaction<'_>) -> Result<Option<Timestamp>, RegistryError> {
    let noted = tx.document(COLLECTION, SEEN)?;
    let noted = noted.and_then(|text| String::from_utf8(text).ok()?.parse().ok());
    if noted.is_some() {
        return Ok(noted);
    }
    let last = tx.audit_head()?.seq();
    Ok(tx.audit(last)?.map(|record| record.at()))
}

fn note(tx: &mut Transaction<'_>, at: Timestamp) -> Result<(), RegistryError> {
    Ok(tx.put_document(COLLECTION, SEEN, at.to_string().as_bytes())?)
}
