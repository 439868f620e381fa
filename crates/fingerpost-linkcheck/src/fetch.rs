//! Checks one target: HEAD, then GET if that does not succeed, and the redirects. Bodies are not
//! read, except that of `robots.txt`.

use std::time::{Duration, Instant};

use bytes::Bytes;
use fingerpost_gs1::EntityKey;
use fingerpost_http::{Outgoing, OutgoingAnswer, OutgoingError};
use fingerpost_registry::{LinkAnswer, LinkFault, LinkVerdict};
use http::header::{
    ACCEPT, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderName, LOCATION, RETRY_AFTER, USER_AGENT,
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use jiff::SignedDuration;
use url::Url;

use crate::host::{Host, Hosts};
use crate::limits::{MAX_REDIRECTS, MAX_ROBOTS, MAX_URL};
use crate::robots::Robots;

/// Sends the requests of checks.
pub(crate) struct Fetcher {
    pub(crate) outgoing: Outgoing,
    pub(crate) agent: HeaderValue,
    /// The address of this resolver, without a slash at the end.
    pub(crate) own: String,
    pub(crate) pause: Duration,
    pub(crate) limit: Duration,
}

/// What a check found.
pub(crate) struct Found {
    pub(crate) verdict: LinkVerdict,
    pub(crate) answer: LinkAnswer,
    pub(crate) retry_after: Option<SignedDuration>,
}

/// Why a check ends before the target has answered with its last status.
struct Ended {
    verdict: LinkVerdict,
    fault: LinkFault,
    detail: String,
}

impl Ended {
    fn new(verdict: LinkVerdict, fault: LinkFault, detail: impl Into<String>) -> Self {
        Self { verdict, fault, detail: detail.into() }
    }
}

impl Fetcher {
    /// Checks a target.
    pub(crate) async fn check(&self, target: &str, hosts: &Hosts) -> Found {
        let started = Instant::now();
        let mut answer = LinkAnswer::default();
        let mut retry_after = None;
        let verdict = match self.follow(target, hosts, &mut answer, &mut retry_after).await {
            Ok(verdict) => verdict,
            Err(ended) => {
                answer.fault = Some(ended.fault);
                answer.detail = Some(ended.detail);
                ended.verdict
            }
        };
        answer.milliseconds = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        Found { verdict, answer, retry_after }
    }

    async fn follow(
        &self,
        target: &str,
        hosts: &Hosts,
        answer: &mut LinkAnswer,
        retry_after: &mut Option<SignedDuration>,
    ) -> Result<LinkVerdict, Ended> {
        let wrong =
            |_| Ended::new(LinkVerdict::Fails, LinkFault::Redirect, "the target is no address");
        let mut url = Url::parse(target).map_err(wrong)?;
        let mut seen: Vec<Url> = Vec::new();
        loop {
            let host = hosts.of(url.origin().ascii_serialization());
            self.permits(&url, &host, seen.is_empty()).await?;
            let reply = self.ask(&url, &host).await?;
            let head = &reply.head;
            answer.status = Some(head.status.as_u16());
            let ends = [answer.certificate_ends, reply.certificate_ends];
            answer.certificate_ends = ends.into_iter().flatten().min();
            if !is_redirect(head.status) {
                answer.media_type = text(&head.headers, CONTENT_TYPE);
                let languages = text(&head.headers, CONTENT_LANGUAGE).unwrap_or_default();
                let languages = languages.split(',').map(|tag| tag.trim().to_owned());
                answer.languages = languages.filter(|tag| !tag.is_empty()).collect();
                return judge(head.status, &head.headers, &host, retry_after);
            }
            let next = next(&url, &head.headers)?;
            seen.push(url);
            if seen.contains(&next) {
                let detail = "the redirects lead back to an address before";
                return Err(Ended::new(LinkVerdict::Fails, LinkFault::Loop, detail));
            }
            if seen.len() > MAX_REDIRECTS {
                let detail = format!("more than {MAX_REDIRECTS} redirects");
                return Err(Ended::new(LinkVerdict::Fails, LinkFault::Redirects, detail));
            }
            answer.redirects = u8::try_from(seen.len()).unwrap_or(u8::MAX);
            answer.final_url = Some(next.to_string());
            url = next;
        }
    }

    /// Checks whether an address may be requested.
    async fn permits(&self, url: &Url, host: &Host, is_first: bool) -> Result<(), Ended> {
        if self.is_own(url) {
            let (verdict, detail) = match is_first {
                true => (LinkVerdict::Undecided, "the target is a Digital Link of this resolver"),
                false => (LinkVerdict::Fails, "a redirect leads back to this resolver"),
            };
            return Err(Ended::new(verdict, LinkFault::OwnServer, detail));
        }
        let robots = host.robots.get_or_try_init(|| self.robots(url, host)).await?;
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        if robots.allows(path) {
            return Ok(());
        }
        let detail = "the robots.txt of the host does not allow it";
        Err(Ended::new(LinkVerdict::Undecided, LinkFault::Robots, detail))
    }

    /// Returns whether an address is a Digital Link of this resolver.
    fn is_own(&self, url: &Url) -> bool {
        let rest = url.as_str().strip_prefix(&self.own);
        let path = rest.map(|rest| rest.split(['?', '#']).next().unwrap_or_default());
        path.is_some_and(|path| path.starts_with('/') && EntityKey::parse(path).is_ok())
    }

    /// Requests an address with HEAD, and with GET if that has no success, as with servers that do
    /// not know HEAD.
    async fn ask(&self, url: &Url, host: &Host) -> Result<OutgoingAnswer, Ended> {
        let head = self.send(Method::HEAD, url, host).await;
        let (may_differ, is_busy) = match &head {
            Ok(reply) => (reply.head.status.as_u16() >= 400, is_busy(reply.head.status)),
            Err(error) => (matches!(error, OutgoingError::Answer(_)), false),
        };
        let reply = match may_differ && !is_busy {
            true => self.send(Method::GET, url, host).await,
            false => head,
        };
        reply.inspect(|_| host.answered()).map_err(|error| failed(&error, host))
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        host: &Host,
    ) -> Result<OutgoingAnswer, OutgoingError> {
        host.turn(self.pause).await;
        let address = &url[..url::Position::AfterQuery];
        let request = Request::builder()
            .method(method)
            .uri(address)
            .header(USER_AGENT, &self.agent)
            .header(ACCEPT, "*/*")
            .body(Bytes::new())
            .map_err(|_| OutgoingError::Address)?;
        self.outgoing.send(request).await
    }

    /// Reads the rules of a host: none if it has no `robots.txt`, and nothing is allowed if the
    /// server fails (RFC 9309 section 2.3.1). A redirect is not followed and stands for no rules.
    /// A host that cannot be reached gets no further request: that it is down is the finding.
    async fn robots(&self, url: &Url, host: &Host) -> Result<Robots, Ended> {
        let Ok(address) = url.join("/robots.txt") else { return Ok(Robots::default()) };
        match self.send(Method::GET, &address, host).await {
            Ok(mut reply) if reply.head.status.is_success() => {
                let body = reply.body(MAX_ROBOTS, self.limit).await;
                Ok(Robots::parse(&String::from_utf8_lossy(&body)))
            }
            Ok(reply) if reply.head.status.is_server_error() => Ok(Robots::nothing()),
            Ok(_) => Ok(Robots::default()),
            Err(error) => Err(failed(&error, host)),
        }
    }
}

/// Returns the finding about a request without an answer, and notes what is the fault of the host,
/// not of one address.
fn failed(error: &OutgoingError, host: &Host) -> Ended {
    let ended = ended(error);
    if matches!(
        ended.fault,
        LinkFault::Name | LinkFault::Connection | LinkFault::Tls | LinkFault::Timeout
    ) {
        let (fault, detail) = (Some(ended.fault), Some(ended.detail.clone()));
        host.is_silent(&LinkAnswer { fault, detail, ..LinkAnswer::default() });
    }
    ended
}

/// Returns what follows from the status of the last answer.
fn judge(
    status: StatusCode,
    headers: &HeaderMap,
    host: &Host,
    retry_after: &mut Option<SignedDuration>,
) -> Result<LinkVerdict, Ended> {
    let detail = || format!("the status is {status}");
    let verdict = match status {
        status if status.as_u16() < 400 => return Ok(LinkVerdict::Works),
        status
            if is_busy(status) && (status.as_u16() == 429 || headers.contains_key(RETRY_AFTER)) =>
        {
            let seconds = text(headers, RETRY_AFTER).and_then(|text| text.parse::<u32>().ok());
            *retry_after = seconds.map(|seconds| SignedDuration::from_secs(seconds.into()));
            host.is_busy(*retry_after);
            LinkVerdict::Later
        }
        StatusCode::UNAUTHORIZED
        | StatusCode::FORBIDDEN
        | StatusCode::PROXY_AUTHENTICATION_REQUIRED
        | StatusCode::UNAVAILABLE_FOR_LEGAL_REASONS => LinkVerdict::Undecided,
        _ => LinkVerdict::Fails,
    };
    Err(Ended::new(verdict, LinkFault::Status, detail()))
}

/// Returns whether a host asks to come back later.
fn is_busy(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
}

/// Returns whether the answer is a redirect. 300 and 304 have no one address to follow.
fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns the address that a redirect leads to.
fn next(url: &Url, headers: &HeaderMap) -> Result<Url, Ended> {
    let wrong = |detail: &str| Ended::new(LinkVerdict::Fails, LinkFault::Redirect, detail);
    let location = headers.get(LOCATION).ok_or_else(|| wrong("a redirect without an address"))?;
    let location = location.to_str().map_err(|_| wrong("a redirect to no address"))?;
    if location.len() > MAX_URL {
        return Err(wrong("a redirect to an address that is too long"));
    }
    let mut next = url.join(location).map_err(|_| wrong("a redirect to no address"))?;
    next.set_fragment(None);
    match next.scheme() {
        "http" | "https" if next.username().is_empty() && next.password().is_none() => Ok(next),
        _ => Err(wrong("a redirect to an address that is not HTTP, or with a password")),
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn ended(error: &OutgoingError) -> Ended {
    let (verdict, fault) = match error {
        OutgoingError::Address => (LinkVerdict::Fails, LinkFault::Redirect),
        OutgoingError::Name { .. } => (LinkVerdict::Fails, LinkFault::Name),
        OutgoingError::Refused(_) => (LinkVerdict::Undecided, LinkFault::Address),
        OutgoingError::Connect(_) => (LinkVerdict::Fails, LinkFault::Connection),
        OutgoingError::Tls(_) => (LinkVerdict::Fails, LinkFault::Tls),
        OutgoingError::Answer(_) => (LinkVerdict::Fails, LinkFault::Answer),
        OutgoingError::Timeout(_) => (LinkVerdict::Fails, LinkFault::Timeout),
    };
    Ended::new(verdict, fault, error.to_string())
}
