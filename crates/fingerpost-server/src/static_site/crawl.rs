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
const CHOICE: &str = "choice";

/// Sends requests to a router.
pub(super) struct Crawler<'r> {
    router: &'r Router,
    pub(super) languages: &'r BTreeSet<String>,
}

/// A level as files and redirects.
pub(super) struct Level {
    pub(super) files: Vec<(&'static str, Bytes)>,
    pub(super) rows: Vec<Row>,
    pub(super) link_types: Vec<String>,
    /// Requests that are answered with a choice.
    pub(super) choices: u64,
}

/// A redirect.
pub(super) struct Row {
    /// Empty for the default link.
    pub(super) link_type: String,
    /// Empty without a language.
    pub(super) language: String,
    pub(super) target: String,
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

    /// Returns the files and redirects of a level; `None` if it has no linkset at this time.
    pub(super) fn level(&self, path: &str) -> Option<Level> {
        let mut files = Vec::new();
        for (name, media_type) in FILES {
            let target = format!("{path}?linkType=linkset");
            let (response, body) = self.send(&target, &[("accept", media_type)])?;
            if response.status() != StatusCode::OK {
                return None;
            }
            files.push((name, body));
        }
        let (link_types, own) = content(&files[0].1);
        let related = |tag: &&String| own.contains(tag.split('-').next().unwrap_or_default());
        let languages: Vec<_> = self.languages.iter().filter(related).collect();
        let mut level = Level { files, rows: Vec::new(), link_types, choices: 0 };
        let types = [String::new()].into_iter().chain(level.link_types.clone());
        for link_type in types {
            let query = if link_type.is_empty() { "" } else { "?linkType=" };
            let target = format!("{path}{query}{}", link_type.replace('#', "%23"));
            self.add_rows(&target, &link_type, &languages, &mut level);
        }
        Some(level)
    }

    /// Adds the redirect of a request, and those of languages that lead elsewhere.
    fn add_rows(&self, target: &str, link_type: &str, languages: &[&String], level: &mut Level) {
        // The query is passed on to the target; a static server adds that of its request.
        let query = target.split_once('?').map(|(_, query)| query);
        let default = self.redirect(target, query, "", &mut level.choices);
        for language in languages {
            let found = self.redirect(target, query, language, &mut level.choices);
            if let Some(found) = found.filter(|found| default.as_ref() != Some(found)) {
                let (link_type, language) = (link_type.to_owned(), (*language).clone());
                level.rows.push(Row { link_type, language, target: found });
            }
        }
        if let Some(target) = default {
            let link_type = link_type.to_owned();
            level.rows.push(Row { link_type, language: String::new(), target });
        }
    }

    /// Returns where a request is redirected to, without the query of the request; or [`CHOICE`].
    fn redirect(
        &self,
        target: &str,
        query: Option<&str>,
        language: &str,
        choices: &mut u64,
    ) -> Option<String> {
        let (response, _) = self.send(target, &[("accept-language", language)])?;
        if response.status() == StatusCode::MULTIPLE_CHOICES {
            *choices += 1;
            return Some(CHOICE.to_owned());
        }
        if response.status() != StatusCode::TEMPORARY_REDIRECT {
            return None;
        }
        let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
        Some(query.map_or_else(|| location.to_owned(), |query| without_query(location, query)))
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
fn content(linkset: &[u8]) -> (Vec<String>, BTreeSet<String>) {
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
    (types.into_iter().collect(), languages)
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
