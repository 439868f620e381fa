//! Why a request resolves as it does, on levels that the caller may read, perhaps with drafts laid over them.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Entry, Explanation, RawRequest, Request, RequestError, Resolution, Settings, explain,
    read_record,
};
use fingerpost_store::View;
use jiff::Timestamp;

use crate::fault::{Fault, faults};
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Registry, RegistryError};

impl Registry {
    /// Decides a request as the resolver would at `at`, or now, and tells how. `drafts` are records that count as if they were
    /// registered. `show` makes what is returned.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Forbidden`] for a key outside the rights, [`RegistryError::Invalid`] for a request that cannot be
    /// understood (pointer `/key`) or a faulty draft (`/records/0/…`), or the store's.
    pub fn explain<T>(
        &self,
        caller: &Caller,
        settings: &Settings,
        request: RawRequest<'_>,
        at: Option<Timestamp>,
        drafts: &[Vec<u8>],
        show: impl FnOnce(&Explanation, &Resolution<'_>) -> T,
    ) -> Result<T, RegistryError> {
        let now = self.inner.now();
        let drafts = self.read_drafts(drafts)?;
        let request = Request::parse(settings, request).map_err(|error| not_understood(&error))?;
        let levels = self.inner.store.view(|view| {
            Access::of(view, caller, now)?.on_level(view, Verb::Read, request.entity())?;
            levels(view, request.entity(), &drafts)
        })?;
        let (explanation, resolution) = explain(settings, &request, &levels, at.unwrap_or(now));
        Ok(show(&explanation, &resolution))
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

fn not_understood(error: &RequestError) -> RegistryError {
    RegistryError::invalid(vec![Fault::new("/key", "RES-2.4-1", error.to_string())])
}
