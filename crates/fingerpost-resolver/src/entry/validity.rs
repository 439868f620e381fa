//! Which links exist at an instant (RES-2.5.7-2).
//!
//! - Outside its window a link does not exist.
//! - Of the default links valid at the instant, the one with the latest `validFrom` is the default
//!   link; none counts as the earliest. The others do not exist then (RES-2.5.8-1).
//! - While that default link has a window, variants without a window rest: they do not exist then.

use jiff::Timestamp;

use super::{Contents, Entry};
use crate::link::Link;

impl Entry {
    /// The default link at an instant.
    #[must_use]
    pub fn default_link_at(&self, now: Timestamp) -> Option<Link<'_>> {
        self.contents.default_link_at(now)
    }

    /// The variants of the default link that exist at an instant, in registration order.
    pub fn default_variants_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        self.contents.default_variants_at(now)
    }

    /// All links that exist at an instant, in registration order: among them at most one default
    /// link, and no variant that rests.
    pub fn links_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        self.contents.links_at(now)
    }

    /// The next instant after `now` at which a link may come or go: an answer must not be kept
    /// longer. `None`: never again.
    #[must_use]
    pub fn next_window_edge(&self, now: Timestamp) -> Option<Timestamp> {
        if !self.has_windows() {
            return None;
        }
        self.contents.window_edges().filter(|edge| *edge > now).min()
    }
}

impl Contents {
    pub(crate) fn default_link_at(&self, now: Timestamp) -> Option<Link<'_>> {
        let valid = self.defaults().filter(|link| link.is_valid_at(now));
        // `None` orders before every instant.
        valid.max_by_key(|link| link.valid_from())
    }

    pub(crate) fn default_variants_at(
        &self,
        now: Timestamp,
    ) -> impl Iterator<Item = Link<'_>> + Clone {
        let standing_rest = self.campaign_at(now);
        self.variants()
            .filter(move |link| link.is_valid_at(now) && (link.has_window() || !standing_rest))
    }

    pub(crate) fn links_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        let default = self.default_link_at(now).map(Link::index);
        let standing_rest = self.campaign_at(now);
        self.links().filter(move |link| {
            link.is_valid_at(now)
                && (!link.is_default() || default == Some(link.index()))
                && (!link.is_default_variant() || link.has_window() || !standing_rest)
        })
    }

    /// Every instant at which some window begins or ends, in no order.
    pub(crate) fn window_edges(&self) -> impl Iterator<Item = Timestamp> {
        self.rows.iter().flat_map(|row| [row.valid_from, row.valid_until]).flatten()
    }

    /// Is a default link with a window in force?
    fn campaign_at(&self, now: Timestamp) -> bool {
        self.has_windows && self.default_link_at(now).is_some_and(Link::has_window)
    }
}
