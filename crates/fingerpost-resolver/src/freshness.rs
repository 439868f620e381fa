//! How long each answer may be cached (RFC 9111). Only this module decides that.
//!
//! | answer | `Cache-Control` |
//! |---|---|
//! | redirect, hand-over | none: 307 and 303 are not stored without it |
//! | complete linkset | `max-age` as configured, never beyond the next edge of a validity window |
//! | pages, other linksets, lists of names, problems, files | `no-cache`: stored, but revalidated each time |
//! | style sheet or logo requested by its current version | one year |
//! | health, readiness, an answered question on the home page | `no-store` |

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;

use crate::PublicPath;

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
