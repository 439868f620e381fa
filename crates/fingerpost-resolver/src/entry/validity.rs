//! Which links exist at an instant (RES-2.5.7-2).
//!
//! - A link does not exist outside its window.
//! - Of the default links valid at the instant, the one with the latest `validFrom` is the default
//!   link; a missing `validFrom` counts as the earliest. The others do not exist then
//!   (RES-2.5.8-1).
//! - While that default link has a window, variants without a window are suspended: they do not
//!   exist then.

use jiff::Timestamp;

use super::{Contents, Entry, Link};

impl Entry {
    /// Returns the default link at an instant.
    pub fn default_link_at(&self, now: Timestamp) -> Option<Link<'_>> {
        self.contents.default_in_force(|link| link.is_valid_at(now))
    }

    /// Returns the variants of the default link that exist at an instant, in registration order.
    pub fn default_variants_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        let exists = move |link: Link<'_>| link.is_valid_at(now);
        self.contents.variants_in_force(self.default_link_at(now), exists)
    }

    /// Returns all links that exist at an instant, in registration order: at most one default link,
    /// and no suspended variant.
    pub fn links_at(&self, now: Timestamp) -> impl Iterator<Item = Link<'_>> + Clone {
        self.contents.links_in_force(move |link| link.is_valid_at(now))
    }

    /// Returns the next instant after `now` at which a link may start or stop existing. Answers
    /// must not be cached beyond it. `None`: the links never change.
    pub fn next_window_edge(&self, now: Timestamp) -> Option<Timestamp> {
        if !self.has_windows() {
            return None;
        }
        self.contents.window_edges().filter(|edge| *edge > now).min()
    }
}

/// The caller says which links exist, because answering a request also depends on templates
/// (RES-2.5.1-7).
impl Contents {
    /// Returns the default link in force. Registration does not permit two that begin together.
    pub(crate) fn default_in_force<'a>(
        &'a self,
        exists: impl Fn(Link<'a>) -> bool,
    ) -> Option<Link<'a>> {
        let existing = self.defaults().filter(|&link| exists(link));
        // `None` orders before every instant.
        existing.max_by_key(|link| link.valid_from())
    }

    /// Returns the variants in force of the default link, given the default link in force.
    pub(crate) fn variants_in_force<'a>(
        &'a self,
        default: Option<Link<'a>>,
        exists: impl Fn(Link<'a>) -> bool + Clone,
    ) -> impl Iterator<Item = Link<'a>> + Clone {
        let campaign = is_campaign(default);
        self.variants().filter(move |&link| exists(link) && (link.has_window() || !campaign))
    }

    /// Returns all links in force.
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

    /// Returns every instant at which a window begins or ends, in no particular order.
    pub(crate) fn window_edges(&self) -> impl Iterator<Item = Timestamp> {
        self.rows.iter().flat_map(|row| [row.valid_from(), row.valid_until()]).flatten()
    }
}

/// Returns whether variants without a window are suspended.
fn is_campaign(default: Option<Link<'_>>) -> bool {
    default.is_some_and(Link::has_window)
}
