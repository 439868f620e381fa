//! From a request to a response. [`fingerpost_resolver::Plan`] makes all decisions; this module has
//! the limits, the methods, the single read, and the mapping of answers to responses
//! (GS1-Conformant Resolver 1.2.0 section 2.2, RES-2.2-8).
//!
//! ```text
//! Plan::of -> limits -> method -> https -> Plan::read from the store -> Plan::answer -> response
//! ```

use std::future::{Ready, ready};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use bytes::Bytes;
use fingerpost_gs1::EntityKey;
use fingerpost_http::{Arrival, Handler, HostFault, Route};
use fingerpost_insight::{Counters, CountryCode};
use fingerpost_resolver::{
    Answer, Entry, Format, Freshness, Linkset, OrganisationBrand, Outcome, Plan, PublicPath,
    Refusal, ResolutionRequest, Viewer,
};
use fingerpost_store::Store;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Response, StatusCode, Uri, Version};
use hyper::body::Incoming;
use jiff::Timestamp;

use crate::config::Config;
use crate::copy_status::CopyStatus;
use crate::country::{self, FindCountry};
use crate::fields::RequestFields;
use crate::linkset::LinksetAnswer;
use crate::pages::{LookUp, Pages};
use crate::problem::{self, Kind, PublicProblem};
use crate::proof::{Asked, VerifyToken};
use crate::redirect::{HttpsRedirect, is_marked_http};
use crate::reserved::{self, Reserved};
use crate::respond::{self, Body};
use crate::signing::SignedRequest;
use crate::{headers, linkset, scans, surrogates};

/// A service that answers requests from a store. Cheap to share, never fails, never blocks for
/// longer than a read.
#[derive(Debug)]
pub struct Router {
    config: Config,
    store: Arc<Store>,
    is_stopping: Arc<AtomicBool>,
    reserved: Reserved,
    pages: Pages,
    to_https: HttpsRedirect,
    copy: Option<CopyStatus>,
    counters: Option<Arc<Counters>>,
    tokens: Option<Arc<dyn VerifyToken>>,
    countries: Option<Arc<dyn FindCountry>>,
}

/// The sender of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Peer {
    /// Address of the other end of the connection; `None` without a connection.
    pub address: Option<IpAddr>,
}

impl Router {
    /// Creates a router, and prepares everything that does not change between requests.
    pub fn new(config: Config, store: impl Into<Arc<Store>>) -> Self {
        Self::over(config, store.into(), Arc::default())
    }

    /// Creates a router of a node whose store is a copy of another one; `/ready` shows how far it
    /// is.
    pub fn with_copy(&self, copy: CopyStatus) -> Self {
        Self { copy: Some(copy), ..self.again(self.config.clone()) }
    }

    /// Creates a router for a server with insight, which counts scans.
    pub fn with_counters(&self, counters: Arc<Counters>) -> Self {
        Self { counters: Some(counters), ..self.again(self.config.clone()) }
    }

    /// Creates a router that accepts bearer tokens as proof of roles.
    pub fn with_tokens(&self, tokens: Arc<dyn VerifyToken>) -> Self {
        Self { tokens: Some(tokens), ..self.again(self.config.clone()) }
    }

    /// Creates a router that finds the country of client addresses.
    pub fn with_countries(&self, countries: Arc<dyn FindCountry>) -> Self {
        Self { countries: Some(countries), ..self.again(self.config.clone()) }
    }

    /// Creates a router with another configuration. It has the same store, and is stopped with this
    /// one.
    pub fn with_config(&self, config: Config) -> Self {
        self.again(config)
    }

    fn again(&self, config: Config) -> Self {
        let (copy, counters) = (self.copy.clone(), self.counters.clone());
        let (tokens, countries) = (self.tokens.clone(), self.countries.clone());
        let again = Self::over(config, Arc::clone(&self.store), Arc::clone(&self.is_stopping));
        Self { copy, counters, tokens, countries, ..again }
    }

    fn over(config: Config, store: Arc<Store>, is_stopping: Arc<AtomicBool>) -> Self {
        let reserved = Reserved::new(&config);
        let pages = Pages::new(&config);
        let to_https = HttpsRedirect::new(config.settings().root());
        Self {
            config,
            store,
            is_stopping,
            reserved,
            pages,
            to_https,
            copy: None,
            counters: None,
            tokens: None,
            countries: None,
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Lets the readiness check fail from now on, so that load balancers send no more requests.
    /// Everything else is answered.
    pub fn stop_being_ready(&self) {
        self.is_stopping.store(true, Relaxed);
    }

    /// Answers a request that has no connection. The body is ignored.
    pub fn handle<B>(&self, request: &http::Request<B>) -> Response<Body> {
        self.handle_from(request, Peer::default())
    }

    /// Answers a request. There is always a response: a panic becomes a 500 (RES-2.4.1-5).
    pub fn handle_from<B>(&self, request: &http::Request<B>, peer: Peer) -> Response<Body> {
        self.handle_at(request, peer, now())
    }

    fn handle_at<B>(
        &self,
        request: &http::Request<B>,
        peer: Peer,
        now: Timestamp,
    ) -> Response<Body> {
        // The router has no state that a panic could leave inconsistent.
        let answered = catch_unwind(AssertUnwindSafe(|| self.dispatch(request, peer, now)));
        let outcome = answered
            .unwrap_or_else(|panic| Err(PublicProblem::internal(&problem::panic_text(&*panic))));
        let (mut response, is_public) = match outcome {
            Ok(answered) => answered,
            Err(problem) => (problem.respond(&self.pages, request.headers()), true),
        };
        if !self.config.settings().roles().is_empty() {
            headers::mark_viewer(response.headers_mut(), is_public);
        }
        if request.method() == Method::HEAD {
            respond::remove_body(&mut response);
        }
        let status = response.status().as_u16();
        tracing::debug!(method = %request.method(), path = request.uri().path(), status, "answered");
        response
    }

    /// Returns the response, and whether it is for the public.
    fn dispatch<B>(
        &self,
        request: &http::Request<B>,
        peer: Peer,
        now: Timestamp,
    ) -> Result<(Response<Body>, bool), PublicProblem> {
        let (uri, fields) = (request.uri(), request.headers());
        let settings = self.config.settings();
        let whole = uri.path_and_query().map_or("/", |target| target.as_str());
        let proof = Asked::read(settings, whole);
        let target = &*proof.target;
        let read = RequestFields::read(fields);
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept: &read.accept,
            accept_language: &read.accept_language,
            now,
        };
        let mut plan = Plan::of(settings, &asked);
        if plan.refusal() == Some(&Refusal::TargetTooLong) {
            return Err(PublicProblem::of_refusal(&Refusal::TargetTooLong, target));
        }
        if read.bytes > self.config.limits().max_header_bytes.get() {
            return Err(Kind::HeadersTooLarge.into());
        }
        if request.method() == Method::OPTIONS {
            return Ok((respond::options(fields, plan.options_link()), true));
        }
        if let Some(refused) = problem::refused_method(request.method(), uri) {
            return Err(refused.into());
        }
        let trusted = self.config.trusted_proxies();
        // A proxy checks our health over http.
        let exempt =
            trusted.is_empty() || plan.public_path().is_some_and(PublicPath::is_for_operators);
        if !exempt && is_marked_http(trusted, peer.address, fields) {
            return Ok((self.to_https.answer(request.method(), uri, fields), true));
        }
        let viewer = match settings.roles().is_empty() {
            true => Viewer::PUBLIC,
            false => proof
                .viewer(&plan, self.tokens.as_deref(), fields, settings, now)
                .map_err(PublicProblem::of_proof)?,
        };
        // A signed link is for one key, and a name can lead to another one.
        let (everyone, signed_key) =
            (Viewer::PUBLIC, plan.key().filter(|_| proof.is_signed()).cloned());
        let of_key = |key: &EntityKey| match &signed_key {
            Some(own) if own != key => &everyone,
            _ => &viewer,
        };
        let finder = if signed_key.is_some() { &everyone } else { &viewer };
        let levels = plan
            .read(
                |key| self.store.read_as(key, of_key(key)),
                |prefix| self.store.first_key(prefix, finder),
            )
            .map_err(|error| PublicProblem::of_store(&error))?;
        let country = || self.country_of(fields, peer).map(|country| country.to_string());
        plan.take_country(&levels, |key| self.store.context_source(key), country)
            .map_err(|error| PublicProblem::of_store(&error))?;
        let response = self.respond(&plan, &levels, now, read.user_agent, request, peer);
        if viewer.is_public() {
            let surrogates = self.config.surrogates();
            return match plan.key().filter(|_| !surrogates.is_empty()) {
                Some(key) => {
                    let mut response =
                        response.unwrap_or_else(|problem| problem.respond(&self.pages, fields));
                    surrogates::mark(response.headers_mut(), surrogates, key);
                    Ok((response, true))
                }
                None => Ok((response?, true)),
            };
        }
        // A problem of a level is also for this viewer only.
        Ok((response.unwrap_or_else(|problem| problem.respond(&self.pages, fields)), false))
    }

    /// Returns the country of the client, if it is known.
    fn country_of(&self, fields: &HeaderMap, peer: Peer) -> Option<CountryCode> {
        country::of(&self.config, self.countries.as_deref(), fields, peer.address)
    }

    fn respond<B>(
        &self,
        plan: &Plan<'_>,
        levels: &[Arc<Entry>],
        now: Timestamp,
        user_agent: &[u8],
        request: &http::Request<B>,
        peer: Peer,
    ) -> Result<Response<Body>, PublicProblem> {
        let answer = plan.answer(levels);
        // HEAD is how programs look, not a scan.
        if let Some(counters) = &self.counters
            && request.method() == Method::GET
            && let Some(mut scan) = scans::scan(&answer, levels, user_agent, now)
        {
            if self.config.counts_countries() {
                scan.country = self.country_of(request.headers(), peer);
            }
            counters.count(&scan);
        }
        let country_header = self.config.country_header().filter(|_| answer.is_by_country());
        let mut response = self.response_of(plan, answer, levels, now, request)?;
        if let Some(name) = country_header {
            response.headers_mut().append(header::VARY, HeaderValue::from_name(name.clone()));
        }
        Ok(response)
    }

    /// Returns the response with an answer.
    fn response_of<B>(
        &self,
        plan: &Plan<'_>,
        answer: Answer<'_>,
        levels: &[Arc<Entry>],
        now: Timestamp,
        request: &http::Request<B>,
    ) -> Result<Response<Body>, PublicProblem> {
        let fields = request.headers();
        let signed = self.config.signing().map(|signing| SignedRequest {
            signing,
            method: request.method(),
            uri: request.uri(),
            now,
        });
        let status = match respond::status(&answer) {
            // 303 to clients of HTTP/1.1 and later, 302 to older ones (WWW-THT-03).
            StatusCode::SEE_OTHER if request.version() < Version::HTTP_11 => StatusCode::FOUND,
            status => status,
        };
        if let Some((linkset, format)) = answer.linkset() {
            let answer = &answer;
            let (brand, store) = (self.brand(linkset, format)?, &*self.store);
            let linkset =
                LinksetAnswer { plan, levels, store, answer, linkset, format, brand, signed, now };
            return linkset::respond(&self.pages, fields, request.uri().query(), &linkset);
        }
        let freshness = answer.freshness();
        let link = answer.link().unwrap_or_default().into_owned();
        let redirect = |location| {
            let redirect = respond::redirect(status, location, link, freshness);
            let mut response = redirect.ok_or_else(PublicProblem::unsendable)?;
            if let Some(signed) = signed {
                signed.redirect(&mut response);
            }
            Ok(response)
        };
        match answer.into_outcome() {
            Outcome::Redirect(chosen) => redirect(chosen.into_location()),
            Outcome::HandOver(hand_over) => redirect(hand_over.location().to_owned()),
            Outcome::Public(path) => {
                self.public(path, request.uri().query(), freshness, fields, now)
            }
            Outcome::Uris(list) => Ok(respond::uri_list(freshness, list)),
            Outcome::Refused(refusal) => {
                let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
                Err(PublicProblem::of_refusal(refusal, target))
            }
            Outcome::Unknown(key) => Err(PublicProblem::unknown(key)),
            Outcome::Suspended(key, notice) => Err(PublicProblem::suspended(key, notice)),
            Outcome::NoLocator => Err(Kind::NoLocator.into()),
            Outcome::NotOffered => Err(Kind::NotImplemented.into()),
            Outcome::Linkset(..)
            | Outcome::Choices(..)
            | Outcome::LinkTypeNotAvailable(..)
            | Outcome::NoDefault(..) => {
                Err(PublicProblem::internal(&"an outcome of links without a linkset"))
            }
        }
    }

    /// Returns how a page presents the organisation that owns the key of a linkset.
    fn brand(
        &self,
        linkset: &Linkset<'_>,
        format: Format,
    ) -> Result<Option<OrganisationBrand>, PublicProblem> {
        if format != Format::Html || !self.config.brand().has_organisations() {
            return Ok(None);
        }
        let found = self.store.view(|view| view.brand(linkset.key()));
        found.map_err(|error| PublicProblem::of_store(&error))
    }

    /// Returns the resource at a path that is not an identifier.
    fn public(
        &self,
        path: PublicPath,
        query: Option<&str>,
        freshness: Freshness,
        fields: &HeaderMap,
        now: Timestamp,
    ) -> Result<Response<Body>, PublicProblem> {
        Ok(match path {
            PublicPath::Home => {
                let (settings, store) = (self.config.settings(), &*self.store);
                let look_up = LookUp { settings, store, asked: fields, now };
                let sent = self.pages.send_home(&look_up, query, freshness);
                sent.map_err(|error| PublicProblem::of_store(&error))?
            }
            PublicPath::Security => {
                let file = reserved::security(self.config.settings(), now);
                return file
                    .map(|file| file.respond(freshness, fields))
                    .ok_or(Kind::NotFound.into());
            }
            PublicPath::Privacy => self.pages.send_privacy(freshness, fields),
            PublicPath::Style | PublicPath::Icon | PublicPath::Logo | PublicPath::Sample => {
                self.pages.send_asset(path, query, fields)
            }
            PublicPath::OrganisationLogo => {
                let sent = Pages::send_organisation_logo(&self.store, query, fields);
                let sent = sent.map_err(|error| PublicProblem::of_store(&error))?;
                return sent.ok_or(Kind::NotFound.into());
            }
            PublicPath::Health
            | PublicPath::Ready
            | PublicPath::Robots
            | PublicPath::Description
            | PublicPath::Context
            | PublicPath::Keys
            | PublicPath::Unassigned => {
                if path == PublicPath::Ready && self.is_stopping.load(Relaxed) {
                    return Ok(reserved::stopping());
                }
                let copy = self.copy.as_ref();
                return self.reserved.answer(path, &self.store, copy, freshness, fields);
            }
        })
    }

    /// Returns the requested route, without values: a path that is no identifier, or the
    /// Application Identifiers of a key.
    fn route(&self, uri: &Uri, arrival: Arrival) -> Route {
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let now = Timestamp::try_from(arrival.at).unwrap_or_default();
        let asked =
            ResolutionRequest { target: target.as_bytes(), accept: b"", accept_language: b"", now };
        let plan = Plan::of(self.config.settings(), &asked);
        let of_key = |key: &EntityKey| {
            let ais: Vec<_> = key.pairs().map(|(ai, _)| format!("/{ai}/{{}}")).collect();
            ais.concat().into()
        };
        Route(match (plan.public_path(), plan.entity()) {
            (Some(PublicPath::Unassigned), _) | (None, None) => "other".into(),
            // A reserved path has no values.
            (Some(_), _) => uri.path().to_owned().into(),
            (None, Some(key)) => of_key(key),
        })
    }

    /// Adds the header about https, if it is configured.
    fn add_policy(&self, fields: &mut HeaderMap) {
        if let Some(policy) = self.config.hsts() {
            fields.insert(header::STRICT_TRANSPORT_SECURITY, policy.clone());
        }
    }

    /// Adds what every response to a request that was read has.
    fn finish(&self, response: &mut Response<Body>, uri: &Uri, arrival: Arrival) {
        self.add_policy(response.headers_mut());
        if arrival.is_observed {
            response.extensions_mut().insert(self.route(uri, arrival));
        }
    }
}

impl Handler for Router {
    type Body = Body;
    type Future = Ready<Response<Body>>;

    fn handle(&self, request: http::Request<Incoming>, arrival: Arrival) -> Self::Future {
        // Beyond the years that a timestamp can express, the clock is wrong, and any time is as
        // good.
        let at = Timestamp::try_from(arrival.at).unwrap_or_default();
        let mut response = self.handle_at(&request, Peer { address: Some(arrival.peer) }, at);
        self.finish(&mut response, request.uri(), arrival);
        ready(response)
    }

    fn refuse_host(
        &self,
        request: http::Request<Incoming>,
        arrival: Arrival,
        fault: HostFault,
    ) -> Self::Future {
        let problem = PublicProblem::of_host(&fault);
        let mut response = problem.respond(&self.pages, request.headers());
        self.finish(&mut response, request.uri(), arrival);
        ready(response)
    }

    fn unreadable(&self, status: StatusCode) -> Option<Response<Bytes>> {
        let mut response = PublicProblem::unreadable(status).document();
        self.add_policy(response.headers_mut());
        Some(response)
    }

    fn busy() -> Response<Body> {
        problem::busy()
    }

    fn is_vital(request: &http::Request<Incoming>) -> bool {
        matches!(request.uri().path(), PublicPath::HEALTH | PublicPath::READY)
    }
}

/// Returns the current time, for a request without a listener, which reads the clock otherwise.
#[expect(
    clippy::disallowed_methods,
    reason = "requests are answered for the current time; below, `now` is an argument"
)]
fn now() -> Timestamp {
    Timestamp::now()
}
