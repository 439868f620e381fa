//! The web console: its files, which are part of the program, under `/console/`.
//!
//! Plain ES modules and CSS, sent unchanged from `console/`, compressed if the browser accepts it:
//! building fingerpost needs no other tool. The policy (Content Security Policy Level 3) keeps the
//! page from loading anything from elsewhere, and Trusted Types keep text from becoming markup.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use fingerpost_http::{conditional, gzip, headers};
use fingerpost_resolver::Freshness;
use http::header::{self, HeaderMap, HeaderValue};

use crate::problem::AdminProblem;

mod languages;
mod texts;

/// A file of the console.
struct File {
    name: &'static str,
    text: &'static str,
}

macro_rules! files {
    ($($name:literal)*) => {
        &[$(File { name: $name, text: include_str!(concat!("../console/", $name)) }),*]
    };
}

const FILES: &[File] = files! {
    "index.html" "style.css" "icon.svg"
    "main.js" "texts.js" "session.js" "api.js" "server.js" "dom.js" "facts.js" "words.js" "model.js" "drafts.js"
    "sign-in.js" "by-mail.js" "records.js" "record-filters.js" "selection.js" "in-parts.js" "selected-files.js" "editor.js" "link-lists.js" "faults.js" "saving.js" "key-field.js" "link-row.js" "link-summary.js" "address.js" "tags.js" "type-picker.js" "timeline.js"
    "conflict.js" "preview.js" "explanation.js" "recall.js" "undo.js" "successor.js" "signed-link.js" "label.js" "history.js" "approvals.js" "rejections.js" "import.js" "columns.js" "upload.js" "export.js" "accounts.js" "keys.js" "users.js" "organisations.js" "account.js" "audit.js" "chart.js"
    "status.js" "link-health.js" "webhooks.js" "insight.js"
};

/// Policy: nothing from elsewhere, no inline code or style, no text that becomes markup.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
);

/// Returns the routes: `/` redirects to the console; `/console/` serves it.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(entrance))
        .route("/console", get(entrance))
        .route("/console/", get(|fields: HeaderMap| async move { answer("index.html", &fields) }))
        .route(
            "/console/{file}",
            get(
                |Path(name): Path<String>, fields: HeaderMap| async move { answer(&name, &fields) },
            ),
        )
        .route(
            "/console/texts/{file}",
            get(|Path(name): Path<String>, fields: HeaderMap| async move { texts(&name, &fields) }),
        )
}

async fn entrance() -> Redirect {
    Redirect::to("/console/")
}

fn answer(name: &str, fields: &HeaderMap) -> Response {
    match FILES.iter().position(|file| file.name == name) {
        Some(index) => PACKED[index].answer(FILES[index].media_type(), fields),
        None => AdminProblem::not_found().into_response(),
    }
}

/// Answers with the texts of one language.
fn texts(name: &str, fields: &HeaderMap) -> Response {
    match texts::ALL.iter().position(|texts| texts.name == name) {
        Some(index) => TEXTS[index].answer(HeaderValue::from_static("application/json"), fields),
        None => AdminProblem::not_found().into_response(),
    }
}

/// The forms of a file, created when the console is first requested.
struct Packed {
    plain: Tagged,
    /// Absent if compression would save nothing.
    gzip: Option<Tagged>,
}

/// A body and its validator.
struct Tagged {
    etag: HeaderValue,
    bytes: Bytes,
}

impl Tagged {
    fn new(bytes: Bytes) -> Self {
        Self { etag: conditional::etag(&bytes), bytes }
    }
}

static PACKED: LazyLock<Vec<Packed>> =
    LazyLock::new(|| FILES.iter().map(|file| Packed::of(file.text)).collect());

/// The texts, in the order of [`texts::ALL`].
static TEXTS: LazyLock<Vec<Packed>> =
    LazyLock::new(|| texts::ALL.iter().map(|texts| Packed::of(&texts.json)).collect());

impl Packed {
    fn of(text: &'static str) -> Self {
        let gzip = gzip::compress_once(text.as_bytes()).map(Tagged::new);
        Self { plain: Tagged::new(Bytes::from_static(text.as_bytes())), gzip }
    }

    fn answer(&self, media_type: HeaderValue, asked: &HeaderMap) -> Response {
        let packed = self.gzip.as_ref().filter(|_| gzip::is_wanted(asked));
        let body = packed.unwrap_or(&self.plain);
        let mut response = Response::new(Body::from(body.bytes.clone()));
        let fields = response.headers_mut();
        fields.insert(header::CONTENT_TYPE, media_type);
        fields.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        // A new release must be visible immediately.
        headers::cache(fields, Freshness::Revalidate);
        fields.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if packed.is_some() {
            fields.insert(header::CONTENT_ENCODING, gzip::CODING);
        }
        conditional::unless_same(response, body.etag.clone(), asked)
    }
}

impl File {
    fn media_type(&self) -> HeaderValue {
        HeaderValue::from_static(match self.name.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "text/javascript; charset=utf-8",
        })
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, StatusCode};

    use super::*;

    /// Maximum total size of all files as a browser receives them, in bytes: a slow connection
    /// loads the console in a second or two.
    const BUDGET: usize = 136_000;

    /// Maximum total size of the uncompressed files, which are compiled in.
    const TEXT_BUDGET: usize = 399_000;

    fn header_of<'r>(response: &'r Response, name: &HeaderName) -> &'r str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap_or("?"))
    }

    fn code() -> impl Iterator<Item = &'static File> {
        FILES.iter().filter(|file| file.name.ends_with(".js"))
    }

    #[test]
    fn every_file_has_its_type_its_tag_and_the_policy() {
        for file in FILES {
            let response = answer(file.name, &HeaderMap::new());
            assert_eq!(response.status(), StatusCode::OK, "{}", file.name);
            let expected = match file.name.rsplit('.').next() {
                Some("js") => "text/javascript; charset=utf-8",
                Some("css") => "text/css; charset=utf-8",
                Some("svg") => "image/svg+xml",
                _ => "text/html; charset=utf-8",
            };
            assert_eq!(header_of(&response, &header::CONTENT_TYPE), expected, "{}", file.name);
            let policy = header_of(&response, &header::CONTENT_SECURITY_POLICY);
            for part in [
                "default-src 'none'",
                "script-src 'self'",
                "trusted-types 'none'",
                "frame-ancestors 'none'",
            ] {
                assert!(policy.contains(part), "{policy}");
            }
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(header_of(&response, &header::CACHE_CONTROL), "no-cache");
            let tag = header_of(&response, &header::ETAG).to_owned();
            assert_eq!(tag.len(), 34, "{tag}");

            let mut fields = HeaderMap::new();
            fields.insert(header::IF_NONE_MATCH, HeaderValue::from_str(&tag).unwrap());
            let again = answer(file.name, &fields);
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{}", file.name);
            assert_eq!(header_of(&again, &header::ETAG), tag);
        }
        assert_eq!(answer("secret.js", &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn files_are_compressed_for_those_who_take_it() {
        for (accepted, expected) in [
            ("gzip, deflate, br", "gzip"),
            ("br, GZIP;q=0.5", "gzip"),
            ("gzip;q=0", ""),
            ("gzip;q=0.0", ""),
            ("br", ""),
        ] {
            let mut fields = HeaderMap::new();
            fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            let response = answer("main.js", &fields);
            assert_eq!(header_of(&response, &header::CONTENT_ENCODING), expected, "{accepted}");
            assert_eq!(header_of(&response, &header::VARY), "accept-encoding");
            let plain = answer("main.js", &HeaderMap::new());
            let differs = header_of(&response, &header::ETAG) != header_of(&plain, &header::ETAG);
            assert_eq!(differs, !expected.is_empty());
        }
    }

    #[test]
    fn text_never_becomes_markup_or_code() {
        let refused = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "createContextualFragment",
            "DOMParser",
            "setHTML",
            "eval(",
            "new Function",
            "setTimeout('",
            "setTimeout(\"",
            "javascript:",
            "srcdoc",
            "http-equiv",
            ".onclick",
            "onload=",
            "onerror=",
        ];
        for file in FILES {
            for word in refused {
                assert!(!file.text.contains(word), "{} in {}", word, file.name);
            }
        }
        let page = FILES.iter().find(|file| file.name == "index.html").map_or("", |file| file.text);
        assert!(
            !page.contains(" on") && !page.contains("style=") && !page.contains("<style"),
            "{page}"
        );
    }

    #[test]
    fn every_import_is_a_file_that_is_served() {
        for file in code() {
            let imports =
                file.text.split(" from '").skip(1).filter_map(|rest| rest.split('\'').next());
            for import in imports {
                let name = import.strip_prefix("./").unwrap_or(import);
                assert!(FILES.iter().any(|other| other.name == name), "{import} in {}", file.name);
            }
            assert!(
                !file.text.contains("https://cdn") && !file.text.contains("import("),
                "{}",
                file.name
            );
        }
    }

    #[test]
    fn the_folder_holds_nothing_else_and_stays_small() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/console");
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            names.push(entry.unwrap().file_name().into_string().unwrap());
        }
        names.sort();
        let mut served: Vec<_> = FILES.iter().map(|file| file.name.to_owned()).collect();
        served.sort();
        assert_eq!(names, served);
        let sent = |packed: &Packed| packed.gzip.as_ref().unwrap_or(&packed.plain).bytes.len();
        let sent: usize = PACKED.iter().map(sent).sum();
        assert!(sent < BUDGET, "{sent} bytes");
        let text: usize = FILES.iter().map(|file| file.text.len()).sum();
        assert!(text < TEXT_BUDGET, "{text} bytes");
    }
}
