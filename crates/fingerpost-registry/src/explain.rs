//! Explains how the public listener answers a request, based on levels that the caller can read and
//! on optional drafts.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    AnchorForm, Answer, Entry, Explanation, Plan, ResolutionRequest, Settings, Viewer, read_record,
};
use fingerpost_store::View;
use jiff::Timestamp;

use crate::fault::{Fault, faults};
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Registry, RegistryError};

/// What an explanation assumes.
#[derive(Clone, Debug, Default)]
pub struct ExplainOptions {
    /// The instant of the request; the current time by default.
    pub at: Option<Timestamp>,
    /// Records that count as registered.
    pub drafts: Vec<Vec<u8>>,
    /// The roles that the sender has proven; by default, it is the public.
    pub viewer: Viewer,
    /// The country of the client, as ISO 3166-1 alpha-2 code; not known by default.
    pub country: Option<String>,
}

impl Registry {
    /// Answers a request as the public listener would, and explains the answer. `show` creates the
    /// return value.
    ///
    /// Fails with [`RegistryError::Forbidden`] for an entity without permission,
    /// [`RegistryError::Invalid`] for an invalid draft (`/records/0/…`) or a role that is not
    /// declared, or an error of the store.
    pub fn explain<T>(
        &self,
        caller: &Caller,
        settings: &Settings,
        asked: ResolutionRequest<'_>,
        options: &ExplainOptions,
        show: impl FnOnce(&Answer<'_>, &Explanation) -> T,
    ) -> Result<T, RegistryError> {
        let now = self.inner.now();
        let ExplainOptions { at, drafts, viewer, country } = options;
        if let Some(role) = viewer.roles().iter().find(|role| !settings.roles().contains(role)) {
            let detail = format!("expected {}, found {role:?}", settings.roles().known());
            return Err(RegistryError::invalid(vec![Fault::new("/roles", "role", detail)]));
        }
        let drafts = self.read_drafts(drafts)?;
        let asked = ResolutionRequest { now: at.unwrap_or(now), ..asked };
        let mut plan = Plan::of(settings, &asked);
        let levels = self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            if let Some(key) = plan.entity() {
                access.on_level(view, Verb::Read, &key.into())?;
            }
            let levels = plan.read(
                |key| levels(view, key, &drafts, viewer),
                |prefix| Ok(view.first_key(prefix, viewer)?),
            )?;
            // A serial publication can resolve to another key than the computed one.
            if let Some(key) = plan.entity() {
                access.on_level(view, Verb::Read, &key.into())?;
            }
            plan.take_country(&levels, |key| view.context_source(key), || country.clone())?;
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

/// Returns what a viewer sees of the entries for a request, most granular first; if there are
/// several drafts for a level, the last one counts.
fn levels(
    view: &View<'_>,
    entity: &EntityKey,
    drafts: &[Entry],
    viewer: &Viewer,
) -> Result<Vec<Arc<Entry>>, RegistryError> {
    let mut levels = view.applying(entity)?;
    for draft in drafts.iter().filter(|draft| draft.anchor().covers(entity)) {
        levels.push(Arc::new(draft.clone()));
    }
    // The last draft of an anchor is before the others, and all of them are before what is stored.
    levels.reverse();
    levels.sort_by_key(|entry| entry.anchor().specificity(entity));
    levels.dedup_by(|later, first| later.anchor() == first.anchor());
    let is_company =
        |entry: &Arc<Entry>| matches!(entry.anchor().form(), AnchorForm::CompanyPrefix(_));
    let end = levels.iter().position(is_company).map_or(levels.len(), |first| first + 1);
    levels.truncate(end);
    Ok(levels.iter().filter_map(|entry| viewer.see(entry)).collect())
}
