//! From a request to an answer: what is asked is looked at, read and decided elsewhere; here is the order of
//! it (GS1-Conformant Resolver 1.2.0 section 2.2, RES-2.2-8).
//!
//! ```text
//! limits -> method -> reserved paths -> Request::parse -> hand-over -> store.read -> resolve -> answer
//! ```

use std::any::Any;
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use fingerpost_http::Handler;
use fingerpost_resolver::{RawRequest, Request, Resolution, delegate, linkset_link, resolve};
use fingerpost_store::LinkStore;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Response, StatusCode, Version};
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use jiff::Timestamp;

use crate::config::Config;
use crate::pages::{Pages, Reason};
use crate::problem::{Kind, Problem};
use crate::redirect::{HttpsRedirect, is_marked_http};
use crate::reserved::{Place, Reserved};
use crate::respond::Around;
use crate::urn::NameRequest;
use crate::{headers, respond};

/// The body of an answer: whole, in memory.
pub type Body = Full<Bytes>;

/// Answers requests from a store. Cheap to share, never fails, never blocks for more than a read.
#[derive(Debug)]
pub struct Router<S> {
    config: Config,
    store: S,
    reserved: Reserved,
    pages: Pages,
    to_https: HttpsRedirect,
}

/// Who sent a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peer {
    /// Address of the other end of the connection; `None` if there is no connection.
    pub address: Option<IpAddr>,
}

impl<S: LinkStore> Router<S> {
    /// Makes what does not change from the configuration.
    #[must_use]
    pub fn new(config: Config, store: S) -> Self {
        let reserved = Reserved::new(config.settings());
        let pages = Pages::new(&config);
        let to_https = HttpsRedirect::new(config.settings().root());
        Self { config, store, reserved, pages, to_https }
    }

    /// Where the answers come from.
    #[must_use]
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Answers a request that came over no connection. The body is never looked at.
    pub fn handle<B>(&self, request: &http::Request<B>) -> Response<Body> {
        self.handle_from(request, Peer::default())
    }

    /// Answers a request. Whatever happens, there is an answer: a panic becomes a 500 (RES-2.4.1-5).
    pub fn handle_from<B>(&self, request: &http::Request<B>, peer: Peer) -> Response<Body> {
        // The router has no state that a panic could leave half changed.
        let answered = catch_unwind(AssertUnwindSafe(|| self.dispatch(request, peer)));
        let outcome = answered.unwrap_or_else(|panic| Err(Problem::internal(&panic_text(&*panic))));
        let mut response =
            outcome.unwrap_or_else(|problem| problem.respond(&self.pages, request.headers()));
        if request.method() == Method::HEAD {
            // RES-2.2-2: everything that GET would give, its length too, but the body.
            let length = response.body().size_hint().exact().unwrap_or(0);
            if response.status() == StatusCode::OK || length > 0 {
                response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            }
            *response.body_mut() = Body::default();
        }
        let status = response.status().as_u16();
        tracing::debug!(method = %request.method(), path = request.uri().path(), status, "answered");
        response
    }

    fn dispatch<B>(
        &self,
        request: &http::Request<B>,
        peer: Peer,
    ) -> Result<Response<Body>, Problem> {
        let (uri, fields) = (request.uri(), request.headers());
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        self.check_size(target, fields)?;
        // The URI knows where its query begins; it decodes nothing.
        let (path, query) = (uri.path(), uri.query().map(str::as_bytes));
        if request.method() == Method::OPTIONS {
            return Ok(respond::options(fields, self.linkset_pointer(path)));
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            return Err(Kind::MethodNotAllowed.into());
        }
        let reserved = self.reserved.place(path, &self.pages);
        let trusted = self.config.trusted_proxies();
        // A proxy that asks for our health does so over http.
        let exempt = trusted.is_empty() || reserved.is_some_and(Place::is_for_operators);
        if !exempt && is_marked_http(trusted, peer.address, fields) {
            return Ok(self.to_https.answer(request.method(), uri, fields));
        }
        match reserved {
            Some(Place::Urn) => {
                let (settings, store, version) =
                    (self.config.settings(), &self.store, request.version());
                let pages = &self.pages;
                NameRequest { settings, pages, store, fields, version, now: now() }.answer(target)
            }
            Some(Place::Home) => {
                Ok(self.pages.send_home(self.config.settings(), uri.query(), fields))
            }
            Some(Place::Privacy) => Ok(self.pages.send_privacy(fields)),
            Some(Place::Asset(asset)) => Ok(self.pages.send_asset(asset, uri.query(), fields)),
            Some(place) => self.reserved.answer(place, &self.store, fields),
            None => self.resolve(path.as_bytes(), query, fields),
        }
    }

    fn resolve(
        &self,
        path: &[u8],
        query: Option<&[u8]>,
        fields: &HeaderMap,
    ) -> Result<Response<Body>, Problem> {
        let settings = self.config.settings();
        let accept = headers::joined(fields, header::ACCEPT);
        let accept_language = headers::joined(fields, header::ACCEPT_LANGUAGE);
        let raw = RawRequest { path, query, accept: &accept, accept_language: &accept_language };
        let request =
            Request::parse(settings, raw).map_err(|error| Problem::of_request(&error, path))?;
        if let Some(delegation) = delegate(settings, &request) {
            return respond::handed_over(delegation).ok_or_else(Problem::unsendable);
        }
        let levels =
            self.store.read(request.entity()).map_err(|error| Problem::of_store(&error))?;
        let now = now();
        let around =
            Around { settings, pages: &self.pages, asked: fields, entity: request.entity() };
        Ok(match resolve(settings, &request, &levels, now) {
            Resolution::Redirect(redirect) => {
                respond::redirect(settings, &request, redirect).ok_or_else(Problem::unsendable)?
            }
            Resolution::Linkset(whole, format) => {
                let edge = whole.next_window_edge(now);
                let freshness = respond::freshness(self.config.linkset_max_age(), edge, now);
                around.linkset(&whole, format).whole(freshness)
            }
            Resolution::Choices(links, format) => {
                around.linkset(&links, format).partial(Reason::Choice)
            }
            Resolution::LinkTypeNotAvailable(links, format) => {
                around.linkset(&links, format).partial(Reason::NotAvailable)
            }
            Resolution::NoDefault(links, format) => {
                around.linkset(&links, format).partial(Reason::NoDefault)
            }
            Resolution::Unknown => return Err(Problem::unknown(request.entity())),
        })
    }

    fn check_size(&self, target: &str, fields: &HeaderMap) -> Result<(), Problem> {
        let limits = self.config.limits();
        if target.len() > limits.max_target_bytes() {
            return Err(Kind::TargetTooLong.into());
        }
        let bytes: usize =
            fields.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if bytes > limits.max_header_bytes() {
            return Err(Kind::HeadersTooLarge.into());
        }
        Ok(())
    }

    /// What OPTIONS on a Digital Link points to (RES-2.2-11).
    fn linkset_pointer(&self, path: &str) -> Option<String> {
        let raw = RawRequest { path: path.as_bytes(), ..RawRequest::default() };
        let request = Request::parse(self.config.settings(), raw).ok()?;
        Some(linkset_link(self.config.settings(), &request))
    }
}

impl<S: LinkStore> Handler for Router<S> {
    type Body = Body;
    type Future = Ready<Response<Body>>;

    fn handle(&self, request: http::Request<Incoming>, peer: IpAddr) -> Self::Future {
        // RFC 9112 section 3.2; HTTP/2 has its own pseudo-header for the host, HTTP/1.0 none.
        if request.version() == Version::HTTP_11 && !request.headers().contains_key(header::HOST) {
            return ready(Problem::from(Kind::MissingHost).respond(&self.pages, request.headers()));
        }
        ready(self.handle_from(&request, Peer { address: Some(peer) }))
    }
}

/// The one place where the public side reads the clock.
#[expect(
    clippy::disallowed_methods,
    reason = "requests are answered as of now; below, `now` is an argument"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic")
        .to_owned()
}
