//! What a page for people shows first about an entity: its description, the link that a scan
//! follows, and recalls.

use std::sync::Arc;

use jiff::Timestamp;

use crate::entry::RECALL;
use crate::request::EntityRequest;
use crate::select::{self, Preferences, View};
use crate::trace::NoTrace;
use crate::{Anchor, Entry, GS1_NAMESPACE, Linkset, PublishedLink, Settings};

/// Everything registered for the entity of a request, and the link among it that a plain scan by
/// the same client follows.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    linkset: Linkset<'a>,
    main: Option<PublishedLink<'a>>,
    levels: &'a [Arc<Entry>],
}

impl<'a> Overview<'a> {
    /// Returns the overview; `None` if there is no link in force at any level.
    pub(crate) fn new(
        settings: &'a Settings,
        request: &'a EntityRequest<'a>,
        levels: &'a [Arc<Entry>],
        now: Timestamp,
    ) -> Option<Self> {
        let view = View { key: request.entity(), levels, now };
        let linkset = Linkset::of_levels(settings.root(), view)?;
        let default = view.default().filter(|_| view.recall().is_none());
        let main = default.map(|(entry, default)| {
            let preferences = Preferences::read(request);
            select::default_or_variant(&view, &preferences, entry, default, &mut NoTrace)
        });
        Some(Self { linkset, main: main.map(|link| PublishedLink::new(view.key, link)), levels })
    }

    /// Returns every link of every level.
    pub fn linkset(&self) -> &Linkset<'a> {
        &self.linkset
    }

    /// Returns the link that a request without `linkType` by this client is redirected to (step C
    /// of the selection algorithm); `None` if the item is recalled, because
    /// [`Overview::recalls`] has the notice that such a request gets.
    pub fn main(&self) -> Option<PublishedLink<'a>> {
        self.main
    }

    /// Returns what is recalled of the records that apply, most granular first.
    pub fn recalled(&self) -> impl Iterator<Item = &'a Anchor> {
        self.levels.iter().filter(|entry| entry.is_recalled()).map(|entry| entry.anchor())
    }

    /// Returns the links of type `gs1:recallStatus`, level by level, most granular first.
    pub fn recalls(&self) -> impl Iterator<Item = Vec<PublishedLink<'_>>> {
        let is_recall = |link_type: &str| link_type.strip_prefix(GS1_NAMESPACE) == Some(RECALL);
        self.linkset.contexts().filter_map(move |context| {
            let group = context.groups().find(|group| is_recall(group.link_type()))?;
            Some(group.links().collect())
        })
    }
}
