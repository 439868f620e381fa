//! Recalls end only where somebody ends them, with [`Registry::end_recall`](crate::Registry).
//!
//! Any other change after which a recalled level would not be recalled is refused: a deletion, also
//! together with the levels above it, an import, the return to an earlier state. Otherwise scans of
//! a dangerous lot would open the product page because somebody tidied up, or because a nightly
//! import does not know of the recall.

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Revision, View};
use jiff::Timestamp;
use serde::Serialize;

use crate::author::{Authorship, author};
use crate::change::RecordChange;
use crate::fault::Fault;
use crate::limits::MAX_RECALLED_STATES;
use crate::{Author, Caller, Filter, Level, Page, Registry, RegistryError};

/// A recalled level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunningRecall {
    /// The level.
    #[serde(flatten)]
    pub level: Level,
    /// When the recall began, if that is still known.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub since: Option<Timestamp>,
    /// Who recalled it, if that is still known.
    pub recalled_by: Option<Author>,
    /// The change set of the recall.
    #[serde(with = "crate::outcome::optional_revision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub change_set: Option<Revision>,
}

impl Registry {
    /// Returns the recalled levels that the caller can read, in key order, each with the beginning
    /// of its recall. `after` is the value of [`Page::next`].
    pub fn recalls(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<RunningRecall>, RegistryError> {
        let filter = Filter { recalled: Some(true), ..Filter::default() };
        let Page { items, next } = self.list(caller, &filter, after, limit)?;
        self.view_as(caller, |view, _| {
            let items = items.into_iter().map(|level| {
                let began = began(view, &level.key, level.revision)?;
                let Authorship { at, by, change_set, .. } = author(view, began)?;
                Ok(RunningRecall { level, since: at, recalled_by: by, change_set })
            });
            Ok(Page { items: items.collect::<Result<_, RegistryError>>()?, next })
        })
    }
}

/// Returns the revision with which a recalled level was recalled. Later changes of its record do
/// not matter.
fn began(view: &View<'_>, level: &Anchor, current: Revision) -> Result<Revision, RegistryError> {
    let mut began = current;
    for _ in 0..MAX_RECALLED_STATES {
        let earlier = Revision::new(began.number().saturating_sub(1));
        match view.state_at(level, earlier)? {
            Some(state) if state.entry().is_some_and(Entry::is_recalled) => {
                began = state.revision()
            }
            _ => break,
        }
    }
    Ok(began)
}

/// Returns the fault of a change that would end the recall of a level without saying so.
pub(crate) fn silent_end(change: &RecordChange, current: &Entry) -> Option<Fault> {
    let stays = change.entry().is_some_and(|entry| entry.is_recalled());
    if !current.is_recalled() || stays || change.ends_recall() {
        return None;
    }
    let level = change.level();
    let (pointer, way) = match change.entry() {
        None => ("", "the deletion"),
        Some(_) => ("/defaultLinkType", "the new record"),
    };
    let detail = format!(
        "/{level} is recalled, and {way} would end the recall: end it first, with \"End the recall\" in \
         the console, `fingerpost recall --end {level}` or POST /v1/recalls/end"
    );
    Some(Fault::new(pointer, "recall", detail))
}
