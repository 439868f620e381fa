//! What the public side answers to a request, and why, on levels that the caller may read, perhaps with drafts laid over them.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Answer, Asked, Entry, Explanation, Plan, Settings, read_record};
use fingerpost_store::View;
use jiff::Timestamp;

use crate::fault::faults;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Registry, RegistryError};

impl Registry {
    /// Answers a request as the public side would at `at`, or now, and tells how. `drafts` are records that count as if they
    /// were registered. `show` makes what is returned.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for an entity outside the rights, [`RegistryError::Invalid`] for a faulty draft
    /// (`/records/0/…`), or the store's.
    pub fn explain<T>(
        &self,
        caller: &Caller,
        settings: &Settings,
        asked: Asked<'_>,
        at: Option<Timestamp>,
        drafts: &[Vec<u8>],
        show: impl FnOnce(&Answer<'_>, &Explanation) -> T,
    ) -> Result<T, RegistryError> {
        let now = self.inner.now();
        let drafts = self.read_drafts(drafts)?;
        let asked = Asked { now: at.unwrap_or(now), ..asked };
        let mut plan = Plan::of(settings, &asked);
        let levels = self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            if let Some(key) = plan.entity() {
                access.on_level(view, Verb::Read, key)?;
            }
            let levels =
                plan.read(|key| levels(view, key, &drafts), |prefix| Ok(view.first_key(prefix)?))?;
            // A serial publication may lead to another key than the one that was computed.
            if let Some(key) = plan.entity() {
                access.on_level(view, Verb::Read, key)?;
            }
            Ok::<_, RegistryError>(levels)
        })?;
        let (answer, explanation) = plan.explain(&levels);
        Ok(show(&answer, &explanation))
    }

    fn read_drafts(&self, drafts: &[Vec<u8>]) -> Result<Vec<Entry>, RegistryError> {
        let mut found = Vec::new();
        let mut entries = Vec::new();
        for (index, draft) in drafts.iter().enumerate() {
            match read_record(draft, &self.rules()) {
                Ok(accepted) => entries.push(accepted.entry),
                Err(refused) => {
                    let within = format!("/records/{index}");
                    found.extend(faults(&refused.faults).into_iter().map(|f| f.within(&within)));
                }
            }
        }
        if found.is_empty() { Ok(entries) } else { Err(RegistryError::invalid(found)) }
    }
}

/// What is held for a request, most granular first; of several drafts for a level the last counts.
fn levels(
    view: &View<'_>,
    entity: &EntityKey,
    drafts: &[Entry],
) -> Result<Vec<Arc<Entry>>, RegistryError> {
    let mut levels = Vec::new();
    for level in entity.levels() {
        let Some(key) = EntityKey::from_canonical(&level) else { continue };
        match drafts.iter().rev().find(|draft| *draft.key() == key) {
            Some(draft) => levels.push(Arc::new(draft.clone())),
            None => levels.extend(view.level(&key)?.map(|(entry, _)| Arc::new(entry))),
        }
    }
    Ok(levels)
}
