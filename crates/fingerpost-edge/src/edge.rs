//! From a request to a response, at the edge.
//!
//! ```text
//! Plan::of -> Plan::read from shards -> Plan::answer -> response     or pass the request on
//! ```

use std::cell::Cell;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Anchor, AnchorRows, ContextSource, Entry, Plan, Refusal, ResolutionRequest, SIGNED_ACCESS,
    Settings, Suspension, applying_rows, owner_row,
};
use fingerpost_response::{Body, headers, of_answer, respond};
use http::{HeaderMap, HeaderValue, Method, Request, Response, header};
use jiff::Timestamp;

use crate::limits::PAGE_SHARDS;
use crate::object::{Digest, EdgeFault, IndexPage};
use crate::objects::Objects;
use crate::root::Root;
use crate::shard::{Shard, company_group, is_of_company, shard_number};

/// A resolver at the edge: the root of its files, and the objects that were brought so far.
#[derive(Debug)]
pub struct Edge {
    root: Root,
    settings: Settings,
    policy: Option<HeaderValue>,
    objects: Objects,
}

/// The reply to a request.
#[derive(Debug)]
pub enum Reply {
    /// The response, the same as that of the origin.
    Answer(Response<Body>),
    /// The names of objects that are needed first ([`Edge::keep`]); then ask again.
    Missing(Vec<String>),
    /// The origin answers: pages, problem documents, reserved paths, requests that prove a role or
    /// that the country of the client decides, and keys that are not at the edge.
    PassOn,
}

/// The reason why there is no answer yet.
enum Stop {
    Missing(Vec<String>),
    PassOn,
}

impl Edge {
    /// Creates a resolver from the content of `root.json`.
    pub fn new(root: &[u8]) -> Result<Self, EdgeFault> {
        let root = Root::read(root)?;
        let (settings, policy) = (root.settings.settings()?, root.settings.policy());
        Ok(Self { root, settings, policy, objects: Objects::default() })
    }

    /// Continues with another root, unless it is older. Objects are kept, because most are in both.
    pub fn replace_root(&mut self, root: &[u8]) -> Result<(), EdgeFault> {
        let next = Self::new(root)?;
        if next.root.version > self.root.version {
            let objects = std::mem::take(&mut self.objects);
            *self = Self { objects, ..next };
        }
        Ok(())
    }

    /// Returns the version of the root.
    pub fn version(&self) -> i64 {
        self.root.version
    }

    /// Keeps an object that was missing, if it is what its name says.
    pub fn keep(&mut self, name: &str, object: Vec<u8>) -> Result<(), EdgeFault> {
        self.objects.keep(name, object)
    }

    /// Answers a request at an instant.
    pub fn answer(&self, request: &Request<()>, now: Timestamp) -> Reply {
        match self.respond(request, now) {
            Ok(response) => Reply::Answer(response),
            Err(Stop::Missing(names)) => Reply::Missing(names),
            Err(Stop::PassOn) => Reply::PassOn,
        }
    }

    fn respond(&self, request: &Request<()>, now: Timestamp) -> Result<Response<Body>, Stop> {
        let fields = request.headers();
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
        if self.proves_a_role(target, fields) || self.is_too_large(fields) {
            return Err(Stop::PassOn);
        }
        let accept = headers::joined(fields, header::ACCEPT);
        let accept_language = headers::joined(fields, header::ACCEPT_LANGUAGE);
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept: &accept,
            accept_language: &accept_language,
            now,
        };
        let mut plan = Plan::of(&self.settings, &asked);
        let is_preflight = *request.method() == Method::OPTIONS;
        let is_too_long = plan.refusal() == Some(&Refusal::TargetTooLong);
        let is_page = plan.refusal().is_some() || plan.public_path().is_some();
        if is_too_long || (is_page && !is_preflight) {
            return Err(Stop::PassOn);
        }
        let mut response = match *request.method() {
            Method::OPTIONS => respond::options(fields, plan.options_link()),
            Method::GET | Method::HEAD => {
                let levels = plan.read(|key| self.levels(key), |_| Err(Stop::PassOn))?;
                let by_country = Cell::new(false);
                plan.take_country(
                    &levels,
                    |key| self.context_source(key),
                    || {
                        by_country.set(true);
                        None
                    },
                )?;
                if by_country.get() {
                    return Err(Stop::PassOn);
                }
                of_answer(plan.answer(&levels), fields).ok_or(Stop::PassOn)?
            }
            _ => return Err(Stop::PassOn),
        };
        if !self.settings.roles().is_empty() {
            headers::mark_viewer(response.headers_mut(), true);
        }
        if *request.method() == Method::HEAD {
            respond::remove_body(&mut response);
        }
        let policy = self.policy.clone();
        let policy = policy.map(|policy| (header::STRICT_TRANSPORT_SECURITY, policy));
        response.headers_mut().extend(policy);
        Ok(response)
    }

    /// Returns whether the request may be for someone with a role: links for roles are at the
    /// origin only, and so are the secrets that verify a proof.
    fn proves_a_role(&self, target: &str, fields: &HeaderMap) -> bool {
        target.contains(SIGNED_ACCESS)
            || (!self.settings.roles().is_empty() && fields.contains_key(header::AUTHORIZATION))
    }

    fn is_too_large(&self, fields: &HeaderMap) -> bool {
        let bytes: usize =
            fields.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        bytes > self.root.settings.max_header_bytes
    }

    /// Returns the entries of the levels of a key, most granular first.
    fn levels(&self, key: &EntityKey) -> Result<Vec<Arc<Entry>>, Stop> {
        let rows = self.rows(key)?;
        if let Some(row) = owner_row(&rows, Anchor::suspensions(), key)? {
            // Either its organisation is suspended, or the key is too large for a shard.
            if decode(row)?.as_suspension() != Some(Suspension::None) {
                return Err(Stop::PassOn);
            }
        }
        applying_rows(&rows, key)?.into_iter().map(decode).collect()
    }

    /// Returns what the organisation of a key says about the context of requests that name none.
    fn context_source(&self, key: &EntityKey) -> Result<Option<ContextSource>, Stop> {
        match owner_row(&self.rows(key)?, Anchor::country_switches(), key)? {
            Some(row) => Ok(decode(row)?.context_source()),
            None => Ok(None),
        }
    }

    /// Returns the rows that a request for a key can need.
    fn rows(&self, key: &EntityKey) -> Result<RequestRows<'_>, Stop> {
        let companies = company_group(key).filter(|_| self.root.has_companies);
        let groups = [Some(key.key_level()), companies.as_deref()];
        let mut shards = [None, None];
        let mut missing = Vec::new();
        for (shard, group) in shards.iter_mut().zip(groups) {
            match group.map_or(Ok(None), |group| self.shard(group)) {
                Ok(found) => *shard = found,
                Err(Stop::Missing(names)) => missing.extend(names),
                Err(stop) => return Err(stop),
            }
        }
        if !missing.is_empty() {
            missing.dedup();
            return Err(Stop::Missing(missing));
        }
        Ok(RequestRows(shards))
    }

    /// Returns the shard of a group; `None` if it is empty.
    fn shard(&self, group: &str) -> Result<Option<Shard<'_>>, Stop> {
        let number = shard_number(group, self.root.shard_bits);
        let page = self.root.pages.get(number / PAGE_SHARDS).map_or("", |name| name);
        if page.is_empty() {
            return Ok(None);
        }
        let page = Digest::parse(page).ok_or(Stop::PassOn)?;
        let page = IndexPage::read(self.object(page)?).ok_or(Stop::PassOn)?;
        let Some(shard) = page.shard(number % PAGE_SHARDS) else { return Ok(None) };
        Shard::read(self.object(shard)?).map(Some).ok_or(Stop::PassOn)
    }

    fn object(&self, digest: Digest) -> Result<&[u8], Stop> {
        self.objects.get(&digest).ok_or_else(|| Stop::Missing(vec![digest.name()]))
    }
}

fn decode((anchor, bytes): (String, &[u8])) -> Result<Arc<Entry>, Stop> {
    let anchor = Anchor::from_canonical(&anchor).ok_or(Stop::PassOn)?;
    Entry::decode(anchor, bytes).map(Arc::new).map_err(|_| Stop::PassOn)
}

/// The rows of one request: in the shard of its key, and in that of its company prefixes.
struct RequestRows<'b>([Option<Shard<'b>>; 2]);

impl<'b> RequestRows<'b> {
    fn shard(&self, anchor: &str) -> Option<Shard<'b>> {
        self.0[usize::from(is_of_company(anchor))]
    }
}

impl<'b> AnchorRows for RequestRows<'b> {
    type Value = &'b [u8];
    type Error = Stop;

    fn row(&self, anchor: &str) -> Result<Option<&'b [u8]>, Stop> {
        Ok(self.shard(anchor).and_then(|shard| shard.find(anchor)))
    }

    fn last_row(&self, first: &str, last: &str) -> Result<Option<(String, &'b [u8])>, Stop> {
        let row = self.shard(first).and_then(|shard| shard.last(first, last));
        Ok(row.map(|(anchor, entry)| (anchor.to_owned(), entry)))
    }
}
