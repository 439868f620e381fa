//! The resources at paths that are neither identifiers nor pages (RES-2.4-18): health, the resolver
//! description file (GS1-Conformant Resolver 1.2.0 section 3; RFC 8615), a local copy of the
//! context file, robots.

use std::ops::Bound;

use bytes::Bytes;
use fingerpost_resolver::{Freshness, PublicPath, Settings, context_document, description_file};
use fingerpost_signature::KeyDirectory;
use fingerpost_store::{Store, StoreError};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use jiff::Timestamp;

use crate::config::Config;
use crate::copy_status::CopyStatus;
use crate::pages::File;
use crate::problem::{self, Kind, PublicProblem};
use crate::{Body, headers, respond};

/// The files at reserved paths, created once.
#[derive(Debug)]
pub(crate) struct Reserved {
    description: File,
    context: Option<File>,
    robots: File,
    keys: Option<File>,
}

/// Everything here is public and intended to be found.
const ROBOTS: &str = "User-agent: *\nDisallow:\n";

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_LD: HeaderValue = HeaderValue::from_static("application/ld+json");
const KEYS: HeaderValue = HeaderValue::from_static(KeyDirectory::MEDIA_TYPE);
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl Reserved {
    pub(crate) fn new(config: &Config) -> Self {
        let settings = config.settings();
        let keys = config.signing().map(|signing| signing.directory.to_json());
        Self {
            description: File::new(JSON, description_file(settings).to_string()),
            context: settings.own_context().map(|_| File::new(JSON_LD, context_document())),
            robots: File::new(TEXT, ROBOTS),
            keys: keys.map(|keys| File::new(KEYS, keys)),
        }
    }

    /// Returns the resource at a path, unless it is a page.
    pub(crate) fn answer(
        &self,
        path: PublicPath,
        store: &Store,
        copy: Option<&CopyStatus>,
        freshness: Freshness,
        asked: &HeaderMap,
    ) -> Result<Response<Body>, PublicProblem> {
        let file = match path {
            PublicPath::Health => return Ok(status("ok", None, freshness)),
            PublicPath::Ready => {
                let read = store.scan(Bound::Unbounded, "", 1);
                return match read {
                    Ok(_) => Ok(status("ready", copy, freshness)),
                    Err(StoreError::CopyIncomplete) => Ok(not_ready(text("copying", copy))),
                    Err(error) => Err(PublicProblem::of_store(&error)),
                };
            }
            PublicPath::Robots => Some(&self.robots),
            PublicPath::Description => Some(&self.description),
            PublicPath::Keys => self.keys.as_ref(),
            PublicPath::Context => self.context.as_ref(),
            _ => None,
        };
        file.map(|file| file.respond(freshness, asked)).ok_or_else(|| Kind::NotFound.into())
    }
}

/// Returns where to report vulnerabilities (RFC 9116). It expires in half a year, but is created
/// for each answer, so that it changes once a day.
pub(crate) fn security(settings: &Settings, now: Timestamp) -> Option<File> {
    let contact = settings.security_contact()?;
    let day = 24 * 60 * 60;
    let expires = (now.as_second() / day + VALID_DAYS) * day;
    let expires = Timestamp::from_second(expires).ok()?;
    let canonical = [settings.root().origin(), PublicPath::SECURITY].concat();
    Some(File::new(
        TEXT,
        format!("Contact: {contact}\nExpires: {expires}\nCanonical: {canonical}\n"),
    ))
}

/// Less than a year, as RFC 9116 section 2.5.5 recommends.
const VALID_DAYS: i64 = 182;

fn status(word: &str, copy: Option<&CopyStatus>, freshness: Freshness) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, JSON);
    headers::cache(&mut fields, freshness);
    respond::with_body(StatusCode::OK, fields, Bytes::from(text(word, copy)))
}

/// Returns the JSON of a state, with that of the copy on a node that has one.
fn text(word: &str, copy: Option<&CopyStatus>) -> String {
    match copy {
        Some(copy) => format!("{{\"status\":\"{word}\",\"copy\":{}}}", copy.current()),
        None => format!("{{\"status\":\"{word}\"}}"),
    }
}

/// Returns the response to whether the server is ready while it is being stopped.
pub(crate) fn stopping() -> Response<Body> {
    not_ready(text("stopping", None))
}

fn not_ready(json: String) -> Response<Body> {
    let mut response = problem::busy();
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    *response.body_mut() = Body::from(json);
    response
}
