//! The resources at paths that are neither identifiers nor pages (RES-2.4-18): health, the resolver description file
//! (GS1-Conformant Resolver 1.2.0 section 3; RFC 8615), a local copy of the context file, robots.

use std::ops::Bound;

use bytes::Bytes;
use fingerpost_resolver::{Freshness, PublicPath, Settings, context_document, description_file};
use fingerpost_store::Store;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};

use crate::pages::File;
use crate::problem::{self, Kind, PublicProblem};
use crate::{Body, headers, respond};

/// The files at reserved paths, created once.
#[derive(Debug)]
pub(crate) struct Reserved {
    description: File,
    context: Option<File>,
    robots: File,
}

/// Everything here is public and intended to be found.
const ROBOTS: &str = "User-agent: *\nDisallow:\n";

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_LD: HeaderValue = HeaderValue::from_static("application/ld+json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

impl Reserved {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            description: File::new(JSON, description_file(settings).to_string()),
            context: settings.own_context().map(|_| File::new(JSON_LD, context_document())),
            robots: File::new(TEXT, ROBOTS),
        }
    }

    /// Returns the resource at a path, unless it is a page. A server that is stopping answers, and is not ready for more.
    pub(crate) fn answer(
        &self,
        path: PublicPath,
        store: &Store,
        is_stopping: bool,
        freshness: Freshness,
        asked: &HeaderMap,
    ) -> Result<Response<Body>, PublicProblem> {
        let file = match path {
            PublicPath::Health => return Ok(status("ok", freshness)),
            PublicPath::Ready if is_stopping => return Ok(problem::stopping()),
            PublicPath::Ready => {
                let read = store.scan(Bound::Unbounded, "", 1);
                return match read {
                    Ok(_) => Ok(status("ready", freshness)),
                    Err(error) => Err(PublicProblem::of_store(&error)),
                };
            }
            PublicPath::Robots => Some(&self.robots),
            PublicPath::Description => Some(&self.description),
            PublicPath::Context => self.context.as_ref(),
            _ => None,
        };
        file.map(|file| file.respond(freshness, asked)).ok_or_else(|| Kind::NotFound.into())
    }
}

fn status(word: &str, freshness: Freshness) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, JSON);
    headers::cache(&mut fields, freshness);
    let body = format!("{{\"status\":\"{word}\"}}");
    respond::with_body(StatusCode::OK, fields, Bytes::from(body))
}
