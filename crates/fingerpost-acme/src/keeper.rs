//! Keeps a certificate: gets the first one, and renews it in time, for as long as the server runs.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fingerpost_http::{Certificate, Validity};
use jiff::Timestamp;
use tokio::time::{sleep, timeout};

use crate::client::Client;
use crate::config::Config;
use crate::error::AcmeError;
use crate::folder::Folder;
use crate::limits::{ATTEMPT_TIME, MAX_DELAY, MAX_SLEEP, MIN_SLEEP, POLL_AFTER_FAILURE};
use crate::listeners::Listeners;
use crate::order::{Obtained, Orderer};
use crate::schedule::{self, Window};
use crate::state::{CertificateState, LastFailure};

/// Keeps the certificate of the listeners.
pub struct Keeper {
    config: Config,
    folder: Folder,
    listeners: Listeners,
    client: Client,
    clock: fn() -> Timestamp,
    state: Mutex<CertificateState>,
    issued: AtomicU64,
    failed: AtomicU64,
}

/// How often certificates were issued, and attempts failed, since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Certificates that were issued.
    pub issued: u64,
    /// Attempts that failed.
    pub failed: u64,
}

impl Keeper {
    /// Reads what is kept in the data directory, and gives the certificate to the listeners if
    /// there is one. `clock` returns the current time.
    pub fn open(
        config: Config,
        data: &Path,
        listeners: Listeners,
        clock: fn() -> Timestamp,
    ) -> Result<Self, AcmeError> {
        let folder = Folder::of(data);
        folder.create()?;
        let client = Client::new(config.root(), clock)?;
        let state = Mutex::new(folder.state());
        let (issued, failed) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { config, folder, listeners, client, clock, state, issued, failed })
    }

    /// Returns the listeners that get the certificate.
    pub fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// Returns the results of the last attempts.
    pub fn state(&self) -> CertificateState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns how often certificates were issued, and attempts failed, since the start.
    pub fn counts(&self) -> Counts {
        Counts { issued: self.issued.load(Relaxed), failed: self.failed.load(Relaxed) }
    }

    /// Keeps the certificate current; never returns. Needs a runtime with time and threads for
    /// blocking calls.
    pub async fn run(&self) {
        let mut course = Course::new(self.held());
        course.not_before = self.first_attempt(course.held.as_ref());
        self.announce(&course);
        loop {
            let now = (self.clock)();
            self.ask_for_window(&mut course, now).await;
            let next = course.next();
            self.plan(next);
            if now < next {
                let poll = course.held.as_ref().map_or(next, |_| course.poll_at.max(now));
                sleep(until(now, next.min(poll)).clamp(MIN_SLEEP, MAX_SLEEP)).await;
                continue;
            }
            match self.attempt(course.held.as_ref()).await {
                Ok(certificate) => {
                    let not_before = self.rest(&certificate);
                    course = Course { not_before, ..Course::new(Some(certificate)) };
                }
                Err(error) => course.not_before = self.note(&error, course.held.as_ref()),
            }
        }
    }

    /// Returns the certificate that is kept, and presents it, if it is one of the configured
    /// authority for the configured names. One that is not is presented until there is a better
    /// one.
    fn held(&self) -> Option<Held> {
        let certificate = match self.folder.certificate() {
            Ok(certificate) => certificate?,
            Err(error) => {
                tracing::error!(%error, "the certificate that is kept cannot be used: another one is ordered");
                return None;
            }
        };
        let held =
            Held { validity: certificate.validity()?, fits: self.fits(&certificate), certificate };
        self.listeners.present(held.certificate.clone());
        Some(held)
    }

    /// Returns whether a certificate that is kept is one that would be ordered.
    fn fits(&self, certificate: &Certificate) -> bool {
        let state = self.state();
        let is_by_another = state.issued_by.is_some_and(|by| by != self.config.directory());
        let missing = self.config.names().iter().find(|name| !certificate.is_for(name));
        if is_by_another {
            tracing::warn!(
                "the certificate is by another authority than the configured one: another one is ordered"
            );
        } else if let Some(name) = missing {
            tracing::warn!(name, "the certificate lacks a name: another one is ordered");
        }
        !is_by_another && missing.is_none()
    }

    fn announce(&self, course: &Course) {
        let names = self.config.names().join(", ");
        match &course.held {
            Some(held) => {
                let until = held.validity.not_after;
                tracing::info!(names, %until, "the certificate that is kept is in use");
            }
            None => tracing::warn!(
                names,
                authority = self.config.directory(),
                challenge = self.config.challenge().name(),
                "no certificate yet: TLS connections are refused until the authority has issued one"
            ),
        }
    }

    /// Returns when the first attempt may begin.
    fn first_attempt(&self, held: Option<&Held>) -> Timestamp {
        let (now, state) = ((self.clock)(), self.state());
        let failed = state.last_failure.as_ref();
        let asked = failed.and_then(|failed| failed.retry_at);
        let delay = self.config.retry_delay();
        let first = schedule::first_attempt(now, failed.map(|failed| failed.at), delay, asked);
        let rest = held.filter(|held| held.fits).and_then(|held| {
            let issued = state.issued_at.filter(|issued| *issued <= now)?;
            Some(schedule::rest(issued, held.validity))
        });
        rest.map_or(first, |rest| rest.max(first))
    }

    /// Asks for the window in which the authority suggests to renew, if it is time to.
    async fn ask_for_window(&self, course: &mut Course, now: Timestamp) {
        let Some(held) = course.held.as_ref().filter(|held| held.fits) else { return };
        if now < course.poll_at {
            return;
        }
        let orderer = self.orderer();
        let asked = timeout(ATTEMPT_TIME, orderer.window(&held.certificate));
        let pause = match asked.await.unwrap_or(Err(AcmeError::Slow)) {
            Ok((window, retry_after)) => {
                if course.window != window {
                    tracing::info!(?window, "the authority suggests when to renew");
                    (course.window, course.chance) = (window, chance());
                }
                schedule::poll_interval(retry_after)
            }
            Err(error) => {
                tracing::debug!(%error, "the authority does not suggest when to renew");
                POLL_AFTER_FAILURE
            }
        };
        course.poll_at = now.checked_add(pause).unwrap_or(Timestamp::MAX);
    }

    fn orderer(&self) -> Orderer<'_> {
        let Self { config, folder, listeners, client, .. } = self;
        Orderer { config, folder, listeners, client }
    }

    /// Gets a certificate, presents it and keeps it.
    async fn attempt(&self, held: Option<&Held>) -> Result<Held, AcmeError> {
        // Without room for this, there is none for the certificate: nothing is ordered that would
        // be lost.
        self.folder.keep_state(&self.state())?;
        let replaced = held.filter(|held| held.fits).map(|held| &held.certificate);
        let obtained = timeout(ATTEMPT_TIME, self.orderer().obtain(replaced)).await;
        let Obtained { certificate, chain, key } = obtained.unwrap_or(Err(AcmeError::Slow))?;
        let validity = certificate
            .validity()
            .ok_or_else(|| AcmeError::Unusable("its validity cannot be read".to_owned()))?;
        self.listeners.present(certificate.clone());
        self.issued.fetch_add(1, Relaxed);
        if let Err(error) = self.folder.keep_certificate(&chain, &key) {
            tracing::error!(%error, "the certificate is in use, but not kept: the next start orders another one");
        }
        let until = validity.not_after;
        tracing::info!(names = self.config.names().join(", "), %until, "certificate issued and in use");
        self.change(|state| {
            *state = CertificateState {
                issued_by: Some(self.config.directory().to_owned()),
                issued_at: Some((self.clock)()),
                next_attempt: Some(schedule::renewal(validity, None, 0.0)),
                ..CertificateState::default()
            };
        });
        Ok(Held { certificate, validity, fits: true })
    }

    /// Returns until when a certificate that was just issued is not renewed, whatever is suggested.
    fn rest(&self, held: &Held) -> Timestamp {
        let now = (self.clock)();
        if schedule::renewal(held.validity, None, 0.0) <= now || now < held.validity.not_before {
            let Validity { not_before, not_after } = held.validity;
            tracing::error!(%now, %not_before, %not_after, "the clock of this machine does not fit the new certificate: correct it");
            return now.checked_add(MAX_DELAY).unwrap_or(now);
        }
        schedule::rest(now, held.validity)
    }

    /// Notes an attempt that failed; returns when the next one begins.
    fn note(&self, error: &AcmeError, held: Option<&Held>) -> Timestamp {
        let (now, delay) = ((self.clock)(), self.config.retry_delay());
        self.failed.fetch_add(1, Relaxed);
        let failures = self.state().failures.saturating_add(1);
        let next = schedule::retry(now, failures, delay, error.retry_at(), chance());
        match held {
            Some(held) => {
                let until = held.validity.not_after;
                tracing::error!(%error, %next, %until, "certificate not renewed, the old one stays in use");
            }
            None => tracing::error!(%error, %next, "no certificate: TLS connections are refused"),
        }
        self.change(|state| {
            let (reason, retry_at) = (error.to_string(), error.retry_at());
            state.failures = failures;
            state.last_failure = Some(LastFailure { at: now, reason, retry_at });
            state.next_attempt = Some(next);
        });
        next
    }

    /// Stores when the next attempt begins.
    fn plan(&self, next: Timestamp) {
        if self.state().next_attempt != Some(next) {
            self.change(|state| state.next_attempt = Some(next));
        }
    }

    fn change(&self, change: impl FnOnce(&mut CertificateState)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        if let Err(error) = self.folder.keep_state(&state) {
            tracing::error!(%error, "the state of the certificate is not stored");
        }
    }
}

/// A certificate that is presented.
struct Held {
    certificate: Certificate,
    validity: Validity,
    /// Whether it is one that would be ordered.
    fits: bool,
}

/// What decides when the next attempt begins.
struct Course {
    held: Option<Held>,
    /// The window that the authority suggests, and the position in it.
    window: Option<Window>,
    chance: f64,
    /// When the authority is asked for the window again.
    poll_at: Timestamp,
    /// No attempt begins before.
    not_before: Timestamp,
}

impl Course {
    fn new(held: Option<Held>) -> Self {
        let (poll_at, not_before) = (Timestamp::MIN, Timestamp::MIN);
        Self { held, window: None, chance: chance(), poll_at, not_before }
    }

    /// Returns when the next attempt begins. An instant in the past means at once.
    fn next(&self) -> Timestamp {
        let held = self.held.as_ref().filter(|held| held.fits);
        let due = held.map(|held| schedule::renewal(held.validity, self.window, self.chance));
        due.map_or(self.not_before, |due| due.max(self.not_before))
    }
}

fn until(now: Timestamp, then: Timestamp) -> Duration {
    Duration::try_from(then.duration_since(now)).unwrap_or_default()
}

/// Returns a random number from 0 to 1.
fn chance() -> f64 {
    // Without random numbers, the middle is as good as any other.
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_moves_the_renewal_and_the_rest_bounds_it() {
        let at = |text: &str| text.parse::<Timestamp>().expect(text);
        let made = rcgen::generate_simple_self_signed(vec!["a.example".to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let kept = Folder::of(folder.path());
        kept.keep_certificate(&made.cert.pem(), &made.signing_key.serialize_pem()).unwrap();
        let certificate = kept.certificate().unwrap().expect("kept");
        let (not_before, not_after) = (at("2026-01-01T00:00:00Z"), at("2026-04-01T00:00:00Z"));
        let validity = Validity { not_before, not_after };
        let mut course = Course::new(Some(Held { certificate, validity, fits: true }));
        assert_eq!(course.next(), at("2026-03-02T00:00:00Z"), "two thirds of the life");
        course.window = Window::new(at("2026-02-01T00:00:00Z"), at("2026-02-03T00:00:00Z"));
        course.chance = 0.5;
        assert_eq!(course.next(), at("2026-02-02T00:00:00Z"));
        // What the authority revokes is renewed at once, but not again and again.
        course.window = Window::new(at("2025-02-01T00:00:00Z"), at("2025-02-03T00:00:00Z"));
        course.not_before = schedule::rest(not_before, validity);
        assert_eq!(course.next(), at("2026-01-01T06:00:00Z"));
        // One that would not be ordered is replaced as soon as an attempt may begin.
        course.held.as_mut().expect("held").fits = false;
        course.not_before = at("2026-01-05T00:00:00Z");
        assert_eq!(course.next(), at("2026-01-05T00:00:00Z"));
    }
}
