//! How long each answer may be cached (RFC 9111). Only this module decides that.
//!
//! | answer | `Cache-Control` |
//! |---|---|
//! | redirect, hand-over | none: 307 and 303 are not stored without it |
//! | redirect, with `cache.shared_max_age` | `max-age=0, s-maxage`: shared caches store it, clients revalidate |
//! | redirect or choice by the country of the client address | `private, no-cache` |
//! | complete linkset | `max-age` as configured, never beyond the next edge of a validity window |
//! | pages, other linksets, lists of names, problems, files | `no-cache`: stored, but revalidated each time |
//! | style sheet or logo requested by its current version | one year |
//! | health, readiness, an answered question on the home page | `no-store` |

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;

use crate::{PublicPath, SharedCaching};

/// How long an answer may be cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// No caching information is sent.
    Unstated,
    /// It must not be stored.
    Never,
    /// It may be stored, but must be revalidated each time.
    Revalidate,
    /// It may be used for this many seconds, at least one.
    Seconds(u64),
    /// It never changes.
    Forever,
    /// It is for this client only, and must be revalidated each time.
    Private,
    /// Clients may use it for some seconds, shared caches for others (RFC 9111 section 5.2.2.10).
    Shared {
        /// Seconds for clients; zero: they revalidate each time.
        max_age: u64,
        /// Seconds for shared caches, at least one.
        shared: u64,
        /// Seconds after that for which a stale answer may be used (RFC 5861): while it is
        /// revalidated, and if that fails.
        stale: [u64; 2],
    },
}

impl SharedCaching {
    /// Returns whether shared caches do as clients.
    #[inline]
    pub(crate) fn is_off(&self) -> bool {
        self.max_age.is_zero()
    }

    /// Returns the value for an answer that clients may use for the time of `own`.
    pub(crate) fn beside(
        &self,
        own: Freshness,
        next_edge: Option<Timestamp>,
        now: Timestamp,
    ) -> Freshness {
        if self.is_off() {
            return own;
        }
        let Freshness::Seconds(shared) = Freshness::of_linkset(self.max_age, next_edge, now) else {
            return own;
        };
        let max_age = if let Freshness::Seconds(own) = own { own } else { 0 };
        // An answer must not outlive its window as a stale one either.
        let limit = if next_edge.is_some() { 0 } else { u64::MAX };
        let stale = [self.stale_while_revalidate, self.stale_if_error];
        let stale = stale.map(|time| time.as_secs().min(limit));
        Freshness::Shared { max_age, shared, stale }
    }
}

impl Freshness {
    /// The value for a problem document or page.
    pub const PROBLEM: Self = Self::Revalidate;

    /// The value for the home page with the answer to a question, which concerns only the client
    /// that asked.
    pub const QUESTION: Self = Self::Never;

    /// Returns the value for a complete linkset: `max_age`, but never beyond the next edge of a
    /// validity window (RES-2.5.7-2).
    pub fn of_linkset(max_age: Duration, next_edge: Option<Timestamp>, now: Timestamp) -> Self {
        let until_edge = next_edge.map_or(u64::MAX, |edge| {
            // Whole seconds, rounded down: expiring a second early is correct, a second late is
            // not.
            u64::try_from(edge.duration_since(now).as_secs()).unwrap_or(0)
        });
        match max_age.as_secs().min(until_edge) {
            0 => Self::Revalidate,
            seconds => Self::Seconds(seconds),
        }
    }

    /// Returns the value for a file that pages load. A foreign or outdated version in the query
    /// gets the current content, which must not be cached under that version.
    pub fn of_asset(is_present_version: bool) -> Self {
        if is_present_version { Self::Forever } else { Self::Revalidate }
    }

    /// Returns the value for a path that is not an identifier. A new configuration or release is
    /// visible immediately.
    pub(crate) fn of_public(path: PublicPath) -> Self {
        match path {
            PublicPath::Health | PublicPath::Ready => Self::Never,
            _ => Self::Revalidate,
        }
    }

    /// Returns the value of `Cache-Control`, if the answer has one.
    pub fn cache_control(self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Self::Unstated => return None,
            Self::Never => "no-store",
            Self::Revalidate => "no-cache",
            Self::Seconds(seconds) => return Some(Cow::Owned(format!("max-age={seconds}"))),
            Self::Forever => "public, max-age=31536000, immutable",
            Self::Private => "private, no-cache",
            Self::Shared { max_age, shared, stale: [revalidating, failing] } => {
                let mut text = format!("max-age={max_age}, s-maxage={shared}");
                let stale = [("stale-while-revalidate", revalidating), ("stale-if-error", failing)];
                for (name, seconds) in stale.into_iter().filter(|(_, seconds)| *seconds > 0) {
                    text.push_str(&format!(", {name}={seconds}"));
                }
                return Some(Cow::Owned(text));
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_ends_at_the_window_edge() {
        // RES-2.5.7-2
        let now: Timestamp = "2026-05-07T12:00:00Z".parse().expect("instant");
        let at = |text: &str| Some(text.parse::<Timestamp>().expect("instant"));
        let minute = Duration::from_secs(60);
        let header = |max_age, edge| Freshness::of_linkset(max_age, edge, now).cache_control();
        assert_eq!(header(Duration::ZERO, None).as_deref(), Some("no-cache"));
        assert_eq!(header(minute, None).as_deref(), Some("max-age=60"));
        assert_eq!(header(minute, at("2026-05-08T00:00:00Z")).as_deref(), Some("max-age=60"));
        assert_eq!(header(minute, at("2026-05-07T12:00:10.9Z")).as_deref(), Some("max-age=10"));
        assert_eq!(header(minute, at("2026-05-07T12:00:00.5Z")).as_deref(), Some("no-cache"));
    }
}
