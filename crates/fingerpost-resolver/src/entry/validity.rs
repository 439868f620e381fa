//! Which links exist at an instant (RES-2.5.7-2).
//!
//! - Outside its window a link does not exist.
//! - Of the default links valid at the instant, the one with the latest `validFrom` is the default
//!   link; none counts as the earliest. The others do not exist then (RES-2.5.8-1).
//! - While that default link has a window, variants without a window rest: they do not exist then.

use jiff::Timestamp;

use super::{Contents, Entry, Link};

impl Entry {
    /// The default link at an instant.
    #[must_use]
    pub fn default_link_at(&self, now: Timestamp) -> Option<Link<'_>> {
        self.contents.default_in_force(|link| link.is_valid_at(now))
    }

    /// The variants of the default link that exist at an instant, in registration order.
    pub fn default_variants_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        let exists = move |link: Link<'_>| link.is_valid_at(now);
        self.contents.variants_in_force(self.default_link_at(now), exists)
    }

    /// All links that exist at an instant, in registration order: among them at most one default
    /// link, and no variant that rests.
    pub fn links_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        self.contents.links_in_force(move |link| link.is_valid_at(now))
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

/// What exists is for the caller to say: who answers a request also looks at templates (RES-2.5.1-7).
impl Contents {
    /// The default link in force. Registration permits no two that begin together.
    pub(crate) fn default_in_force<'a>(
        &'a self,
        exists: impl Fn(Link<'a>) -> bool,
    ) -> Option<Link<'a>> {
        let existing = self.defaults().filter(|&link| exists(link));
        // `None` orders before every instant.
        existing.max_by_key(|link| link.valid_from())
    }

    /// The variants of the default link that are in force, beside the one that is.
    pub(crate) fn variants_in_force<'a>(
        &'a self,
        default: Option<Link<'a>>,
        exists: impl Fn(Link<'a>) -> bool + Clone,
    ) -> impl Iterator<Item = Link<'a>> + Clone {
        let campaign = is_campaign(default);
        self.variants().filter(move |&link| exists(link) && (link.has_window() || !campaign))
    }

    /// All links that are in force.
    pub(crate) fn links_in_force<'a>(
        &'a self,
        exists: impl Fn(Link<'a>) -> bool + Clone,
    ) -> impl Iterator<Item = Link<'a>> + Clone {
        let default = self.default_in_force(&exists);
        let campaign = is_campaign(default);
        let default = default.map(Link::index);
        self.links().filter(move |&link| {
            exists(link)
                && (!link.is_default() || default == Some(link.index()))
                && (!link.is_default_variant() || link.has_window() || !campaign)
        })
    }

    /// Every instant at which some window begins or ends, in no order.
    pub(crate) fn window_edges(&self) -> impl Iterator<Item = Timestamp> {
        self.rows.iter().flat_map(|row| [row.valid_from(), row.valid_until()]).flatten()
    }
}

/// Returns whether variants without a window are suspended.
fn is_campaign(default: Option<Link<'_>>) -> bool {
    default.is_some_and(Link::has_window)
}
