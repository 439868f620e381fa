//! Asks the router for everything that becomes a file or a redirect.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use fingerpost_public::{Body, Router};
use fingerpost_resolver::PublicPath;
use http::{Response, StatusCode, header};
use hyper::body::Body as _;
use serde_json::Value;

/// The namespace of GS1 link types in linksets.
const GS1: &str = "https://ref.gs1.org/voc/";
/// The files of a level, with the media type that asks for each.
const FILES: [(&str, &str); 3] = [
    ("linkset.json", "application/linkset+json"),
    ("linkset.jsonld", "application/ld+json"),
    ("index.html", "text/html"),
];
/// Paths with files that belong to no level.
const FIXED: [&str; 7] = [
    "/.well-known/gs1resolver",
    PublicPath::STYLE,
    PublicPath::LOGO,
    PublicPath::SECURITY,
    "/favicon.ico",
    "/privacy",
    "/robots.txt",
];

/// The target of a request that is answered with a choice: its linkset.
pub(super) const CHOICE: &str = "choice";

/// Sends requests to a router.
pub(super) struct Crawler<'r> {
    router: &'r Router,
    pub(super) languages: &'r BTreeSet<String>,
}

impl<'r> Crawler<'r> {
    pub(super) fn new(router: &'r Router, languages: &'r BTreeSet<String>) -> Self {
        Self { router, languages }
    }

    /// Returns the path of a key at the resolver.
    pub(super) fn path(&self, key: &str) -> String {
        format!("{}/{}", self.router.config().settings().root().stem(), key.trim_start_matches('/'))
    }

    /// Returns path, media type and content of files that belong to no level.
    pub(super) fn fixed(&self) -> Vec<(String, String, Bytes)> {
        let context = self.router.config().settings().own_context();
        let found = FIXED.iter().copied().chain(context).filter_map(|path| {
            let (response, body) = self.send(path, &[])?;
            let media_type =
                response.headers().get(header::CONTENT_TYPE)?.to_str().ok()?.to_owned();
            (response.status() == StatusCode::OK).then(|| (path.to_owned(), media_type, body))
        });
        found.collect()
    }

    /// Returns the files of a level, the first of which is its linkset; `None` if it has none at
    /// this time.
    pub(super) fn level(&self, path: &str) -> Option<Vec<(&'static str, Bytes)>> {
        let target = format!("{path}?linkType=linkset");
        let files = FILES.iter().map(|(name, media_type)| {
            let (response, body) = self.send(&target, &[("accept", media_type)])?;
            (response.status() == StatusCode::OK).then_some((*name, body))
        });
        files.collect()
    }

    /// Returns where a request is redirected to, without the query of the request, which is passed
    /// on: a static server adds that of its own request; or [`CHOICE`].
    pub(super) fn redirect(&self, target: &str, language: &str) -> Option<String> {
        let (response, _) = self.send(target, &[("accept-language", language)])?;
        match response.status() {
            StatusCode::MULTIPLE_CHOICES => Some(CHOICE.to_owned()),
            StatusCode::TEMPORARY_REDIRECT => {
                let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
                let query = target.split_once('?').map(|(_, query)| query);
                Some(query.map_or_else(|| location.to_owned(), |it| without_query(location, it)))
            }
            _ => None,
        }
    }

    fn send(&self, target: &str, fields: &[(&str, &str)]) -> Option<(Response<()>, Bytes)> {
        let mut request = http::Request::get(target);
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(*name, *value);
        }
        let (head, body) = self.router.handle(&request.body(()).ok()?).into_parts();
        Some((Response::from_parts(head, ()), whole(body)))
    }
}

/// Returns a body, which is complete without waiting.
fn whole(mut body: Body) -> Bytes {
    match Pin::new(&mut body).poll_frame(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
        _ => Bytes::new(),
    }
}

/// Returns a target without the query that was passed on to it.
fn without_query(location: &str, query: &str) -> String {
    let (before, fragment) = location.split_at(location.find('#').unwrap_or(location.len()));
    let before = before.strip_suffix(query).unwrap_or(before);
    // The sign that joined them, unless the target itself ends with it: the next query needs it
    // too.
    let before = match before.strip_suffix(['?', '&']) {
        Some(shorter) if !shorter.ends_with(['?', '&']) => shorter,
        _ => before,
    };
    format!("{before}{fragment}")
}

/// Returns the link types of a linkset, and the primary subtags of its languages.
pub(super) fn content(linkset: &[u8]) -> (BTreeSet<String>, BTreeSet<String>) {
    let value: Value = serde_json::from_slice(linkset).unwrap_or_default();
    let (mut types, mut languages) = (BTreeSet::new(), BTreeSet::new());
    let contexts = value["linkset"].as_array().into_iter().flatten().filter_map(Value::as_object);
    for (name, links) in contexts.flatten() {
        let Some(links) = links.as_array() else { continue };
        let compact =
            name.strip_prefix(GS1).map_or_else(|| name.clone(), |name| format!("gs1:{name}"));
        if !compact.starts_with("gs1:defaultLink") {
            types.insert(compact);
        }
        let tags = links.iter().filter_map(|link| link["hreflang"].as_array()).flatten();
        for tag in tags.filter_map(Value::as_str) {
            let tag = tag.to_ascii_lowercase();
            languages.extend(tag.split('-').next().map(str::to_owned));
        }
    }
    (types, languages)
}

#[cfg(test)]
mod tests {
    use super::without_query;

    #[test]
    fn the_query_of_the_request_is_taken_out_of_targets() {
        let query = "linkType=gs1:pip";
        for (target, sent) in [
            ("https://a/b", "https://a/b?linkType=gs1:pip"),
            ("https://a/b?x=1", "https://a/b?x=1&linkType=gs1:pip"),
            ("https://a/b#c", "https://a/b?linkType=gs1:pip#c"),
        ] {
            assert_eq!(without_query(sent, query), target);
        }
    }
}
