//! Asks a resolver for the linkset of one key, within limits of time and size.
//!
//! Redirects are followed on the same origin only. 429 and 503 pause all requests for as long as
//! `Retry-After` says (RFC 9110, section 10.2.3), and from then on requests are sent one after
//! another. A resolver that has never sent a linkset for `linkType=linkset` is asked once more with
//! `linkType=all`, as earlier releases of the standard name it.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBuilder};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::excerpt;
use fingerpost_uri::{Uri, UriRef};
use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Body};

use crate::explain::clock;
use crate::limits::{
    FIRST_PAUSE, MAX_LINKSET, MAX_PAUSE, MAX_REDIRECTS, MAX_SHOWN_TEXT, MAX_TRIES,
};
use fingerpost_server::client::origin;
use fingerpost_server::client::web_agent;

/// The link types that ask for a linkset, and which of them the resolver knows.
const LINKSET: u8 = 0;
const ALL: u8 = 1;
const UNKNOWN: u8 = 2;

/// What became known about one key.
#[derive(Debug)]
pub(super) enum Asked {
    /// The body of an answer that is a linkset by its type.
    Linkset(Vec<u8>),
    /// The resolver answered, but not with a linkset.
    Failed(String),
    /// The resolver did not answer.
    Unreachable(String),
}

/// Asks one resolver; shared by all threads.
pub(super) struct Asker {
    agent: Agent,
    /// Scheme, host, port and stem.
    root: String,
    /// Time limit for a whole answer.
    patience: Duration,
    link_type: AtomicU8,
    /// When requests may go on.
    pause: Mutex<Option<Instant>>,
    /// Whether the resolver has asked for a pause.
    is_throttled: AtomicBool,
    /// Held for each request from then on.
    turn: Mutex<()>,
}

/// The result of one request.
enum Step {
    Done(Asked),
    /// Perhaps a resolver of an earlier release.
    Odd(String),
    Redirected(String),
    /// Worth another try, after a pause if there is one.
    Retry {
        after: Option<Duration>,
        why: Asked,
    },
}

impl Asker {
    /// Creates an asker for an origin and a stem, neither with a slash at its end.
    pub(super) fn new(origin: &str, stem: &str, patience: Duration) -> Self {
        Self {
            agent: web_agent(origin),
            root: [origin, stem].concat(),
            patience,
            link_type: AtomicU8::new(UNKNOWN),
            pause: Mutex::new(None),
            is_throttled: AtomicBool::new(false),
            turn: Mutex::new(()),
        }
    }

    /// Asks for the linkset of a key.
    pub(super) fn ask(&self, key: &EntityKey) -> Asked {
        let known = self.link_type.load(Ordering::Relaxed);
        let first = if known == ALL { ALL } else { LINKSET };
        match self.ask_with(key, first) {
            Step::Odd(why) if known == UNKNOWN => match self.ask_with(key, ALL) {
                Step::Done(Asked::Linkset(linkset)) => {
                    self.link_type.store(ALL, Ordering::Relaxed);
                    Asked::Linkset(linkset)
                }
                // The first answer is the one of today's standard.
                _ => Asked::Failed(why),
            },
            Step::Odd(why) | Step::Redirected(why) => Asked::Failed(why),
            Step::Done(asked) => {
                if matches!(asked, Asked::Linkset(_)) && known == UNKNOWN {
                    self.link_type.store(LINKSET, Ordering::Relaxed);
                }
                asked
            }
            Step::Retry { why, .. } => why,
        }
    }

    fn ask_with(&self, key: &EntityKey, link_type: u8) -> Step {
        let name = if link_type == ALL { "all" } else { "linkset" };
        let mut url = format!("{}/{key}?linkType={name}", self.root);
        let pauses = ExponentialBuilder::new().with_min_delay(FIRST_PAUSE);
        let mut pauses = pauses.with_max_times(MAX_TRIES - 1).build();
        let mut redirects = 0;
        loop {
            match self.request_in_turn(&url) {
                Step::Redirected(target) if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    url = target;
                }
                Step::Redirected(_) => {
                    return Step::Odd(format!("more than {MAX_REDIRECTS} redirects"));
                }
                Step::Retry { after, why } => {
                    let Some(pause) = pauses.next() else {
                        return Step::Retry { after, why };
                    };
                    self.pause(after.unwrap_or(pause));
                }
                other => return other,
            }
        }
    }

    /// Sends one request when the resolver is ready for it.
    fn request_in_turn(&self, url: &str) -> Step {
        let is_throttled = self.is_throttled.load(Ordering::Relaxed);
        let _turn = is_throttled.then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        self.wait();
        self.request(url)
    }

    /// Sends one request.
    fn request(&self, url: &str) -> Step {
        let request = self.agent.get(url).config().timeout_global(Some(self.patience)).build();
        let mut answer = match request.header("accept", "application/linkset+json").call() {
            Ok(answer) => answer,
            Err(ureq::Error::Timeout(_)) => return self.slow(),
            Err(error) => {
                let why = Asked::Unreachable(format!("no answer from the resolver: {error}"));
                return Step::Retry { after: None, why };
            }
        };
        match answer.status().as_u16() {
            200..=299 => self.body(&mut answer),
            301 | 302 | 303 | 307 | 308 => redirected(url, answer.headers()),
            404 | 410 => Step::Odd("the resolver has no links for it (404)".to_owned()),
            status @ (429 | 503) => {
                self.is_throttled.store(true, Ordering::Relaxed);
                let after = retry_after(answer.headers());
                let why = format!("the resolver answered {status}, also after {MAX_TRIES} tries");
                match after {
                    Some(after) if after > MAX_PAUSE => Step::Done(Asked::Failed(format!(
                        "the resolver answered {status} and asks for a pause of {} s; at most {} s are waited",
                        after.as_secs(),
                        MAX_PAUSE.as_secs()
                    ))),
                    after => Step::Retry { after, why: Asked::Failed(why) },
                }
            }
            status @ (500 | 502 | 504) => {
                let why = format!("the resolver answered {status}, also after {MAX_TRIES} tries");
                Step::Retry { after: None, why: Asked::Failed(why) }
            }
            status => Step::Odd(format!("expected status 200 with a linkset, found {status}")),
        }
    }

    fn slow(&self) -> Step {
        let seconds = self.patience.as_secs();
        Step::Done(Asked::Unreachable(format!("no complete answer within {seconds} s (--timeout)")))
    }

    /// Reads a body whose type is that of a linkset.
    fn body(&self, answer: &mut Response<Body>) -> Step {
        let media_type = answer.headers().get("content-type").and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or("nothing");
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let types = ["application/linkset+json", "application/json", "application/ld+json"];
        if !types.contains(&&*essence) {
            let message = format!(
                "expected application/linkset+json, found {}",
                excerpt(media_type, MAX_SHOWN_TEXT)
            );
            return Step::Odd(message);
        }
        match answer.body_mut().with_config().limit(MAX_LINKSET).read_to_vec() {
            Ok(linkset) => Step::Done(Asked::Linkset(linkset)),
            Err(ureq::Error::BodyExceedsLimit(_)) => {
                let message = format!("expected at most {MAX_LINKSET} bytes, found more");
                Step::Done(Asked::Failed(message))
            }
            Err(ureq::Error::Timeout(_)) => self.slow(),
            Err(error) => {
                let why = Asked::Unreachable(format!("the answer ends early: {error}"));
                Step::Retry { after: None, why }
            }
        }
    }

    /// Waits until requests may go on.
    fn wait(&self) {
        loop {
            let until = *self.pause.lock().unwrap_or_else(PoisonError::into_inner);
            let left = until.and_then(|until| until.checked_duration_since(Instant::now()));
            match left.filter(|left| !left.is_zero()) {
                Some(left) => thread::sleep(left),
                None => return,
            }
        }
    }

    /// Stops all requests for a while.
    fn pause(&self, duration: Duration) {
        let until = Instant::now() + duration;
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        *pause = Some(pause.map_or(until, |other| other.max(until)));
    }
}

/// Returns where a redirect leads, if that is the same origin.
fn redirected(url: &str, headers: &HeaderMap) -> Step {
    let location = headers.get("location").and_then(|value| value.to_str().ok());
    let resolved = location.and_then(|location| {
        let reference = UriRef::parse(location).ok()?;
        Some(reference.resolve(Uri::parse(url).ok()?).as_str().to_owned())
    });
    let Some(target) = resolved else {
        return Step::Odd("the resolver redirects without an address".to_owned());
    };
    let origin = |url: &str| url.parse().ok().as_ref().and_then(origin);
    match origin(&target) {
        Some(there) if Some(&there) == origin(url).as_ref() => Step::Redirected(target),
        _ => Step::Odd(format!(
            "the resolver redirects to another origin, which is not followed: {}",
            excerpt(&target, MAX_SHOWN_TEXT)
        )),
    }
}

/// Returns the pause that a resolver asks for: seconds, or until a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    let left = at.duration_since(clock());
    Some(Duration::try_from(left).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_seconds_or_dates() {
        let after = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", text.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert!(after("Sat, 01 Jan 2095 00:00:00 GMT").is_some_and(|left| left > MAX_PAUSE));
        assert_eq!(after("soon"), None);
    }
}
