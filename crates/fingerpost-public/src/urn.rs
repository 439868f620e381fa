//! Names over HTTP: `/uri-res/<service>?<uri>` (RFC 2169) and `/urn/<urn>`, which asks by the directive `s=` of the name.
//!
//! What is known of a name is decided by [`fingerpost_resolver::LinkNames`]; here its answers become responses.

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Entry, LinkNames, NameError, RawRequest, Registered, Request, Resolution, Settings, delegate,
    digital_link_path, resolve,
};
use fingerpost_store::{LinkStore, StoreError};
use fingerpost_uri::urn::thttp::{self, Answer, RequestError, Word};
use fingerpost_uri::urn::{Mode, Urn};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode, Version};
use jiff::Timestamp;

use crate::pages::Pages;
use crate::problem::{Kind, Problem};
use crate::respond::Around;
use crate::{Body, headers, respond};

const URI_LIST: HeaderValue = HeaderValue::from_static(thttp::URI_LIST);

/// A request for a name, and what it is answered from.
pub(crate) struct NameRequest<'a, S> {
    pub(crate) settings: &'a Settings,
    pub(crate) pages: &'a Pages,
    pub(crate) store: &'a S,
    pub(crate) fields: &'a HeaderMap,
    pub(crate) version: Version,
    pub(crate) now: Timestamp,
}

struct InStore<'a, S>(&'a S);

impl<S: LinkStore> Registered for InStore<'_, S> {
    type Error = StoreError;

    fn levels(&self, key: &EntityKey) -> Result<Vec<Arc<Entry>>, StoreError> {
        self.0.read(key).map(|levels| levels.to_vec())
    }

    fn first_key(&self, prefix: &str) -> Result<Option<EntityKey>, StoreError> {
        let found = self.0.scan(Bound::Unbounded, prefix, 1)?;
        Ok(found.first().and_then(|(entry, _)| EntityKey::from_canonical(entry.key().key_level())))
    }
}

impl<S: LinkStore> NameRequest<'_, S> {
    /// Answers a request target below `/uri-res` or `/urn`, taken as it stands.
    pub(crate) fn answer(&self, target: &str) -> Result<Response<Body>, Problem> {
        self.look_up(target).map_err(|problem| problem.within(target))
    }

    fn look_up(&self, target: &str) -> Result<Response<Body>, Problem> {
        let request = match target.strip_prefix("/urn/") {
            Some(name) => {
                let name = Urn::parse(name, Mode::Auto);
                thttp::select(name.map_err(|error| Problem::of_name(&error))?)
            }
            None => thttp::Request::parse(target).map_err(|error| match error {
                RequestError::UnknownService => Kind::NotFound.into(),
                error => Problem::of_name(&error),
            })?,
        };
        self.serve(request)
    }

    fn serve(&self, request: thttp::Request<'_>) -> Result<Response<Body>, Problem> {
        let accept_language = headers::joined(self.fields, header::ACCEPT_LANGUAGE);
        let names = LinkNames {
            settings: self.settings,
            registered: &InStore(self.store),
            accept_language: &accept_language,
            now: self.now,
        };
        let key = names.key_of(request.operand()).map_err(problem)?;
        if let Some(handed_over) =
            key.as_ref().and_then(|key| self.handed_over(request.word(), key))
        {
            return Ok(handed_over);
        }
        match thttp::respond(request, &names).map_err(problem)? {
            Answer::Redirect(location) => self.redirect(location),
            Answer::List(list) => Ok(uri_list(list)),
            Answer::Description => {
                key.map_or(Err(Kind::UnknownEntity.into()), |key| self.linkset(&key))
            }
            Answer::Unknown => Err(Kind::UnknownEntity.into()),
            Answer::NoLocator => Err(Kind::NoLocator.into()),
            Answer::NotOffered => Err(Kind::NotImplemented.into()),
        }
    }

    /// 303 to clients of HTTP/1.1 and later, 302 to older ones (WWW-THT-03).
    fn redirect(&self, location: String) -> Result<Response<Body>, Problem> {
        let status = match self.version {
            Version::HTTP_09 | Version::HTTP_10 => StatusCode::FOUND,
            _ => StatusCode::SEE_OTHER,
        };
        let mut fields = headers::base();
        let location = headers::value(location).ok_or_else(Problem::unsendable)?;
        fields.insert(header::LOCATION, location);
        fields.insert(header::VARY, headers::NEGOTIATED);
        Ok(respond::empty(status, fields))
    }

    /// Keys of another resolver are its business, by whatever name (RES-2.8-1).
    fn handed_over(&self, word: Word, key: &EntityKey) -> Option<Response<Body>> {
        let path = digital_link_path(self.settings, key);
        let query: Option<&[u8]> = (word != Word::N2L).then_some(b"linkType=linkset");
        let raw = RawRequest { path: path.as_bytes(), query, ..RawRequest::default() };
        let request = Request::parse(self.settings, raw).ok()?;
        let mut response = respond::handed_over(delegate(self.settings, &request)?)?;
        *response.status_mut() = StatusCode::SEE_OTHER;
        Some(response)
    }

    /// The description of a name: its linkset, in the form that the client takes (WWW-THT-06).
    fn linkset(&self, key: &EntityKey) -> Result<Response<Body>, Problem> {
        let accept = headers::joined(self.fields, header::ACCEPT);
        let path = digital_link_path(self.settings, key);
        let raw = RawRequest {
            path: path.as_bytes(),
            query: Some(b"linkType=linkset"),
            accept: &accept,
            accept_language: b"",
        };
        let request = Request::parse(self.settings, raw)
            .map_err(|error| Problem::of_request(&error, path.as_bytes()))?;
        let levels = self.store.read(key).map_err(|error| Problem::of_store(&error))?;
        match resolve(self.settings, &request, &levels, self.now) {
            Resolution::Linkset(whole, format) => {
                let none = std::time::Duration::ZERO;
                let freshness = respond::freshness(none, None, self.now);
                let Self { settings, pages, fields: asked, .. } = *self;
                let around = Around { settings, pages, asked, entity: key };
                Ok(around.linkset(&whole, format).whole(freshness))
            }
            _ => Err(Problem::unknown(key)),
        }
    }
}

fn problem(error: NameError<StoreError>) -> Problem {
    match error {
        NameError::Invalid(error) => Problem::of_name(&error),
        NameError::Unreadable(error) => Problem::of_store(&error),
    }
}

fn uri_list(list: String) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, URI_LIST);
    fields.insert(header::CACHE_CONTROL, headers::NO_CACHE);
    fields.insert(header::VARY, headers::NEGOTIATED);
    respond::with_body(StatusCode::OK, fields, Bytes::from(list))
}
