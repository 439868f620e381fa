//! One of the two resolvers: its address, the rate of requests, and how it answers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::Uri;

use super::target;
use crate::client::WebClient;
use crate::escape::printable;
use crate::limits::{MAX_HOPS, MAX_PAUSE, MAX_SILENT_REQUESTS, MAX_TRIES};
use crate::message::{ConformOptions, WebRequest, WebResponse};

/// The beginning of a target inside the resolver, whatever its address is.
const OWN: &str = "{resolver}";

/// A resolver.
pub(super) struct Side {
    client: WebClient,
    /// Scheme, authority and stem, without a slash at the end.
    root: String,
    /// The roots of both resolvers: the new one may name itself like the old one.
    roots: [String; 2],
    pace: Pace,
    /// Failed requests since the last answer.
    failures: AtomicU64,
    sent: AtomicU64,
    /// Whether it sends linksets for `linkType=all` only, as in earlier releases of the standard.
    pub(super) has_all: AtomicBool,
}

/// The answer to a request, with the redirects inside the resolver followed.
pub(super) struct Outcome {
    pub(super) request: WebRequest,
    /// The first answer, or why there is none.
    pub(super) response: Result<WebResponse, String>,
    /// Where a client ends that follows the redirects; those of the resolver begin with `OWN`.
    pub(super) target: Option<String>,
    pub(super) is_loop: bool,
}

impl Side {
    pub(super) fn new(
        root: &str,
        options: ConformOptions,
        roots: &[String; 2],
    ) -> Result<Self, String> {
        Ok(Self {
            root: checked(root)?,
            roots: [checked(&roots[0])?, checked(&roots[1])?],
            pace: Pace::new(options.rate),
            client: WebClient::new(options)?,
            failures: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            has_all: AtomicBool::new(false),
        })
    }

    /// Returns the request for a path and query below the root. The stem in the path of a log is
    /// not repeated.
    pub(super) fn request(&self, request: &WebRequest) -> WebRequest {
        let path = &request.url;
        let stems = self.roots.iter().map(|root| stem(root)).filter(|stem| !stem.is_empty());
        let below = stems.filter_map(|stem| path.strip_prefix(stem)).find(|it| it.starts_with('/'));
        let url = format!("{}{}", self.root, below.unwrap_or(path));
        WebRequest { url, ..request.clone() }
    }

    /// Returns why the resolver is given up, if it is.
    pub(super) fn is_silent(&self) -> Option<String> {
        let failures = self.failures.load(Relaxed);
        (failures >= MAX_SILENT_REQUESTS)
            .then(|| format!("{}: {failures} requests in succession failed", self.root))
    }

    /// Returns the number of requests since the last call.
    pub(super) fn take_sent(&self) -> u64 {
        self.sent.swap(0, Relaxed)
    }

    /// Sends a request for a path and query.
    pub(super) fn ask(&self, request: &WebRequest) -> Outcome {
        let request = self.request(request);
        let response = self.send(&request);
        let mut outcome = Outcome { request, response, target: None, is_loop: false };
        let mut location = outcome.location();
        let mut seen = vec![outcome.request.url.clone()];
        while let Some(target) = location.take() {
            outcome.target = Some(self.named(&target));
            // What is the resolver's own is requested at its address, whatever it calls itself.
            let Some(rest) = self.below(&target) else { break };
            let url = format!("{}{rest}", self.root);
            if seen.contains(&url) || seen.len() > MAX_HOPS {
                outcome.is_loop = true;
                break;
            }
            let next = WebRequest { url: url.clone(), ..outcome.request.clone() };
            // A page of the resolver that does not answer is a target like others.
            let Ok(answer) = self.send(&next) else { break };
            location = answer.location().map(|it| target::resolve(&url, it));
            seen.push(url);
        }
        outcome
    }

    /// Returns a target, with the root of the resolver replaced.
    fn named(&self, target: &str) -> String {
        self.below(target).map_or_else(|| target.to_owned(), |rest| format!("{OWN}{rest}"))
    }

    fn below<'t>(&self, target: &'t str) -> Option<&'t str> {
        let rests = self.roots.iter().filter_map(|root| target.strip_prefix(root.as_str()));
        rests.into_iter().find(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    }

    /// Sends one request, again after pauses that the resolver asks for.
    fn send(&self, request: &WebRequest) -> Result<WebResponse, String> {
        let mut result = Err(String::new());
        for tries in 1..=MAX_TRIES {
            self.pace.wait();
            self.sent.fetch_add(1, Relaxed);
            result = self.client.exchange(request);
            let Ok(response) = &result else { break };
            if !matches!(response.status, 429 | 503) {
                break;
            }
            let seconds = response.header("retry-after").and_then(|it| it.trim().parse().ok());
            let pause = seconds.map_or(Duration::from_secs(2), Duration::from_secs);
            let status = response.status;
            result = Err(format!("status {status} also after {tries} requests"));
            self.pace.hold(pause.min(MAX_PAUSE));
        }
        match &result {
            Ok(_) => self.failures.store(0, Relaxed),
            Err(_) => drop(self.failures.fetch_add(1, Relaxed)),
        }
        result
    }
}

impl Outcome {
    /// Returns the absolute target of the first answer, if that is a redirect.
    fn location(&self) -> Option<String> {
        let location = self.response.as_ref().ok()?.location()?;
        Some(target::resolve(&self.request.url, location))
    }
}

/// Checks the address of a resolver.
fn checked(root: &str) -> Result<String, String> {
    let wrong = |what: &str| {
        format!(
            "expected the address of a resolver such as https://id.example.org, found {what}: {}",
            printable(root)
        )
    };
    if root.contains(['?', '#', '@']) {
        return Err(wrong("characters that it cannot contain"));
    }
    let uri: Uri = root.parse().map_err(|_| wrong("another text"))?;
    let (scheme, host) = uri.scheme_str().zip(uri.authority()).ok_or_else(|| wrong("no scheme"))?;
    if !matches!(scheme, "http" | "https") {
        return Err(wrong("another scheme"));
    }
    let root = format!("{scheme}://{}{}", host.as_str().to_ascii_lowercase(), uri.path());
    Ok(root.trim_end_matches('/').to_owned())
}

/// Returns the path of a root.
fn stem(root: &str) -> &str {
    let rest = root.split_once("://").map_or(root, |(_, rest)| rest);
    rest.find('/').map_or("", |at| &rest[at..])
}

/// The times of requests.
struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    fn new(rate: u32) -> Self {
        let interval = Duration::from_secs(1).checked_div(rate).unwrap_or_default();
        Self { interval, next: Mutex::new(Instant::now()) }
    }

    /// Waits for the turn of a request.
    fn wait(&self) {
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = (*next).max(now);
        *next = turn + self.interval;
        drop(next);
        thread::sleep(turn - now);
    }

    /// Delays all requests.
    fn hold(&self, pause: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Instant::now() + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_addresses_with_a_stem() {
        assert_eq!(checked("HTTPS://A.example:8/x/").unwrap(), "https://a.example:8/x");
        for wrong in
            ["a.example", "ftp://a", "https://", "https://u:p@a", "https://a?b", "http://a b"]
        {
            assert!(checked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn requests_of_both_have_the_same_path_below_the_root() {
        let roots = ["https://old.example/x".to_owned(), "http://new.example".to_owned()];
        for (root, expected) in [(0, "https://old.example/x/01/1"), (1, "http://new.example/01/1")]
        {
            let side = Side::new(&roots[root], ConformOptions::default(), &roots).unwrap();
            for path in ["/x/01/1", "/01/1"] {
                assert_eq!(side.request(&WebRequest::get(path)).url, expected);
            }
            assert_eq!(side.named("https://old.example/x/y?z"), "{resolver}/y?z");
            assert_eq!(side.named("https://old.example/xy"), "https://old.example/xy");
        }
    }
}
