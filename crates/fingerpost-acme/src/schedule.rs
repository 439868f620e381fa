//! When the next attempt begins: pure functions of times, and of chance as a number from 0 to 1.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use fingerpost_http::Validity;
use jiff::{SignedDuration, Timestamp};

use crate::limits::{MAX_DELAY, MAX_POLL, MAX_RETRY_AFTER, MIN_POLL};

/// The time in which an authority suggests to renew a certificate (RFC 9773 section 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    start: Timestamp,
    end: Timestamp,
}

impl Window {
    /// Returns a window; `None` if it ends before it begins, which is no answer (RFC 9773 section
    /// 4.2).
    pub(crate) fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        (start < end).then_some(Self { start, end })
    }
}

/// Returns when a certificate is renewed: at a random instant in the window of the authority, else
/// when two thirds of its life are over. An instant in the past means at once. No window delays it
/// until the last tenth of the life.
pub(crate) fn renewal(validity: Validity, window: Option<Window>, chance: f64) -> Timestamp {
    let life = validity.not_after.duration_since(validity.not_before);
    let Some(window) = window else { return at_part(validity.not_before, life, 2.0 / 3.0) };
    let chosen = at_part(window.start, window.end.duration_since(window.start), chance);
    chosen.min(at_part(validity.not_before, life, 0.9))
}

/// Returns the instant at a part of a span.
fn at_part(start: Timestamp, span: SignedDuration, part: f64) -> Timestamp {
    // Spans of certificates are some years at most, far from the precision of the number.
    let offset = SignedDuration::from_millis((span.as_millis() as f64 * part) as i64);
    start.checked_add(offset).unwrap_or(start)
}

/// Returns when to try again after this many attempts in a row have failed: after twice the time of
/// the last pause, and up to a quarter longer, so that servers that failed together do not come
/// back together; never before the authority wants.
pub(crate) fn retry(
    now: Timestamp,
    failures: u32,
    first: Duration,
    asked: Option<Timestamp>,
    chance: f64,
) -> Timestamp {
    let longest = MAX_DELAY.max(first);
    let pauses = ExponentialBuilder::new().with_min_delay(first).with_max_delay(longest);
    let mut pauses = pauses.without_max_times().build();
    let doubled = pauses.nth(failures.saturating_sub(1).min(64) as usize).unwrap_or(longest);
    let delay = doubled.mul_f64(1.0 + chance.clamp(0.0, 1.0) / 4.0);
    let own = now.checked_add(delay).unwrap_or(Timestamp::MAX);
    own.max(polite(now, asked))
}

/// Returns when to begin after a start: at once, but never before the authority wants, and not more
/// often than the first pause allows, so that a server that is restarted again and again does not
/// use up what the authority permits.
pub(crate) fn first_attempt(
    now: Timestamp,
    failed: Option<Timestamp>,
    first: Duration,
    asked: Option<Timestamp>,
) -> Timestamp {
    // A failure in the future is one by another clock.
    let after = failed.filter(|failed| *failed <= now).and_then(|at| at.checked_add(first).ok());
    after.unwrap_or(now).max(polite(now, asked))
}

/// Returns until when a certificate that was issued at an instant is not renewed, so that a window
/// in the past does not order one after the other: for a part of its life, and at most six hours.
pub(crate) fn rest(issued: Timestamp, validity: Validity) -> Timestamp {
    let life = validity.not_after.duration_since(validity.not_before);
    let longest = Duration::try_from(life).unwrap_or_default() / 24;
    issued.checked_add(longest.min(MAX_DELAY)).unwrap_or(issued)
}

/// Returns until when the authority wants not to be asked, within reason.
fn polite(now: Timestamp, asked: Option<Timestamp>) -> Timestamp {
    let longest = now.checked_add(MAX_RETRY_AFTER).unwrap_or(now);
    asked.map_or(now, |asked| asked.min(longest))
}

/// Returns how long the window that an authority has named is not asked for again.
pub(crate) fn poll_interval(retry_after: Duration) -> Duration {
    retry_after.clamp(MIN_POLL, MAX_POLL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect(text)
    }

    fn ninety_days() -> Validity {
        Validity { not_before: at("2026-01-01T00:00:00Z"), not_after: at("2026-04-01T00:00:00Z") }
    }

    #[test]
    fn without_a_window_two_thirds_of_the_life_pass() {
        assert_eq!(renewal(ninety_days(), None, 0.5), at("2026-03-02T00:00:00Z"));
    }

    #[test]
    fn the_instant_lies_in_the_window_and_before_the_last_tenth() {
        let window = Window::new(at("2026-02-01T00:00:00Z"), at("2026-02-03T00:00:00Z"));
        for (chance, expected) in [
            (0.0, "2026-02-01T00:00:00Z"),
            (0.25, "2026-02-01T12:00:00Z"),
            (0.5, "2026-02-02T00:00:00Z"),
        ] {
            assert_eq!(renewal(ninety_days(), window, chance), at(expected), "{chance}");
        }
        // A window in the past means at once: the certificate will be revoked.
        let past = Window::new(at("2025-02-01T00:00:00Z"), at("2025-02-03T00:00:00Z"));
        assert!(renewal(ninety_days(), past, 0.9) < ninety_days().not_before);
        let late = Window::new(at("2027-02-01T00:00:00Z"), at("2027-02-03T00:00:00Z"));
        assert_eq!(renewal(ninety_days(), late, 0.0), at("2026-03-23T00:00:00Z"));
        let now = at("2026-02-01T00:00:00Z");
        assert_eq!(Window::new(now, now), None);
    }

    #[test]
    fn pauses_double_up_to_six_hours() {
        let now = at("2026-01-01T00:00:00Z");
        let pause = |failures, chance| {
            let next = retry(now, failures, Duration::from_secs(60), None, chance);
            next.duration_since(now).as_secs()
        };
        let pauses: Vec<_> = (1..=11).map(|failures| pause(failures, 0.0)).collect();
        let expected = [60, 120, 240, 480, 960, 1920, 3840, 7680, 15360, 21600, 21600];
        assert_eq!(pauses, expected);
        assert_eq!(pause(u32::MAX, 0.0), 21_600);
        assert_eq!(pause(1, 1.0), 75, "a quarter longer at most");
    }

    #[test]
    fn the_authority_says_when_to_come_back() {
        let now = at("2026-01-01T00:00:00Z");
        let asked = |text: &str| retry(now, 1, Duration::from_secs(60), Some(at(text)), 0.0);
        assert_eq!(asked("2026-01-02T00:00:00Z"), at("2026-01-02T00:00:00Z"));
        assert_eq!(asked("2025-01-02T00:00:00Z"), at("2026-01-01T00:01:00Z"));
        assert_eq!(asked("2126-01-02T00:00:00Z"), at("2026-01-08T00:00:00Z"));
    }

    #[test]
    fn a_start_tries_at_once_unless_it_has_just_failed() {
        let (now, first) = (at("2026-01-01T00:00:00Z"), Duration::from_secs(60));
        let start = |failed: Option<&str>, asked: Option<&str>| {
            first_attempt(now, failed.map(at), first, asked.map(at))
        };
        assert_eq!(start(None, None), now);
        assert!(start(Some("2025-12-31T23:00:00Z"), None) <= now);
        assert_eq!(start(Some("2025-12-31T23:59:30Z"), None), at("2026-01-01T00:00:30Z"));
        assert_eq!(start(Some("2027-01-01T00:00:00Z"), None), now);
        let asked = start(Some("2025-12-31T23:00:00Z"), Some("2026-01-01T05:00:00Z"));
        assert_eq!(asked, at("2026-01-01T05:00:00Z"));
    }

    #[test]
    fn a_new_certificate_is_not_renewed_at_once() {
        let issued = at("2026-01-01T00:00:00Z");
        assert_eq!(rest(issued, ninety_days()), at("2026-01-01T06:00:00Z"));
        let short = Validity { not_before: issued, not_after: at("2026-01-01T00:04:00Z") };
        assert_eq!(rest(issued, short), at("2026-01-01T00:00:10Z"));
    }

    #[test]
    fn the_window_is_asked_for_within_reason() {
        assert_eq!(poll_interval(Duration::ZERO), MIN_POLL);
        assert_eq!(poll_interval(Duration::from_secs(3600)), Duration::from_secs(3600));
        assert_eq!(poll_interval(Duration::MAX), MAX_POLL);
    }
}
