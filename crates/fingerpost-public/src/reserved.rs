//! The paths that are no Digital Links, at the root of the host only (RES-2.4-18): home page, privacy, what pages load, health,
//! the resolver description file (GS1-Conformant Resolver 1.2.0 section 3; RFC 8615), the own context file, robots.

use std::ops::Bound;

use bytes::Bytes;
use fingerpost_resolver::{Capabilities, Settings, context_document, description_file};
use fingerpost_store::LinkStore;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};

use crate::pages::{Asset, File, Pages};
use crate::problem::{Kind, Problem};
use crate::{Body, headers, respond};

/// What is served below reserved paths, made once.
#[derive(Debug)]
pub(crate) struct Reserved {
    description: File,
    context: Option<(String, File)>,
    robots: File,
}

/// Everything here is public and meant to be found.
const ROBOTS: &str = "User-agent: *\nDisallow:\n";

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_LD: HeaderValue = HeaderValue::from_static("application/ld+json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Health,
    Ready,
    Privacy,
    Asset(Asset),
    Robots,
    Description,
    Context,
    /// Below `/.well-known/`, but not ours.
    Unknown,
    /// Below `/uri-res/` and `/urn/`: names, which have a module of their own.
    Urn,
}

impl Place {
    /// Asked for by process managers and proxies rather than by clients.
    pub(crate) fn is_for_operators(self) -> bool {
        matches!(self, Self::Health | Self::Ready)
    }
}

impl Reserved {
    pub(crate) fn new(settings: &Settings) -> Self {
        let description = description_file(settings, Capabilities::CURRENT).to_string();
        let context = settings.own_context();
        Self {
            description: File::new(JSON, description),
            context: context.map(|path| (path.to_owned(), File::new(JSON_LD, context_document()))),
            robots: File::new(TEXT, ROBOTS),
        }
    }

    /// The reserved place of a path, if it is one. No such path begins with a digit, which is what nearly
    /// every request does.
    pub(crate) fn place(&self, path: &str, pages: &Pages) -> Option<Place> {
        if path.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let below = |root: &str| {
            path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match path {
            "/" => Some(Place::Home),
            "/health" => Some(Place::Health),
            "/ready" => Some(Place::Ready),
            "/privacy" if pages.has_privacy() => Some(Place::Privacy),
            "/robots.txt" => Some(Place::Robots),
            "/.well-known/gs1resolver" => Some(Place::Description),
            _ if self.context.as_ref().is_some_and(|(own, _)| own == path) => Some(Place::Context),
            _ if below("/uri-res") || below("/urn") => Some(Place::Urn),
            _ => pages
                .asset(path)
                .map(Place::Asset)
                .or_else(|| below("/.well-known").then_some(Place::Unknown)),
        }
    }

    /// What is there.
    pub(crate) fn answer(
        &self,
        place: Place,
        store: &impl LinkStore,
        asked: &HeaderMap,
    ) -> Result<Response<Body>, Problem> {
        match place {
            Place::Health => Ok(status("ok")),
            Place::Ready => match store.scan(Bound::Unbounded, "", 1) {
                Ok(_) => Ok(status("ready")),
                Err(error) => Err(Problem::of_store(&error)),
            },
            Place::Robots => Ok(self.robots.respond(asked)),
            Place::Description => Ok(self.description.respond(asked)),
            Place::Context => {
                let file = self.context.as_ref().ok_or(Kind::NotFound)?;
                Ok(file.1.respond(asked))
            }
            // Pages and names have modules of their own.
            Place::Home | Place::Privacy | Place::Asset(_) | Place::Unknown | Place::Urn => {
                Err(Kind::NotFound.into())
            }
        }
    }
}

fn status(word: &str) -> Response<Body> {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, JSON);
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let body = format!("{{\"status\":\"{word}\"}}");
    respond::with_body(StatusCode::OK, fields, Bytes::from(body))
}
