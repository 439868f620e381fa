//! Pages for people: the linkset, a choice, an error, the home page (GS1-Conformant Resolver 1.2.0 section 2.10,
//! RES-2.10-7, -8, -15, -16).
//!
//! Everything that was stored or sent is escaped by the templates. No page runs a script or loads anything but
//! the icon, and the policy header says so.

mod words;

use std::borrow::Cow;
use std::sync::LazyLock;

use askama::Template;
use fingerpost_resolver::{LinkContext, Linkset, PublishedLink, Settings};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

/// What pages are sent as; also where XHTML was asked for (RES-2.10-7).
pub(crate) const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The style sheet, as it stands in each page: the policy names its hash.
pub(crate) const STYLE: &str = include_str!("pages/style.css");

/// The icon, an SVG.
pub(crate) const ICON: &str = include_str!("pages/icon.svg");

/// Adds the policy: this style and our own icon, nothing else. JSON-LD is data, no script is ever run.
pub(crate) fn protect(fields: &mut HeaderMap) {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let hash = base64(&Sha256::digest(STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; img-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    });
    fields.insert(header::CONTENT_SECURITY_POLICY, POLICY.clone());
}

/// The page of a linkset, of a choice (300), or of what there is instead of what was asked for (404).
pub(crate) fn linkset(status: StatusCode, linkset: &Linkset<'_>) -> String {
    let contexts: Vec<_> = linkset.contexts().map(ContextView::new).collect();
    let notice = match status {
        StatusCode::MULTIPLE_CHOICES => Some("Several pages fit equally well. Please choose one."),
        StatusCode::NOT_FOUND => {
            Some("What was asked for is not available. This is what there is.")
        }
        _ => None,
    };
    let heading = contexts.first().map_or("", |context| &context.description);
    render(&LinksetPage {
        heading,
        notice,
        contexts: &contexts,
        json_ld: linkset.to_script_json_ld(),
    })
}

/// The page at `/`.
pub(crate) fn home(settings: &Settings) -> String {
    let keys = settings.primary_keys().as_slice().iter();
    render(&HomePage {
        name: settings.name().unwrap_or("GS1 resolver"),
        root: settings.root().as_str(),
        keys: keys.map(|key| words::primary_key(*key)).collect(),
    })
}

/// The page of an error.
pub(crate) fn problem(page: &ProblemPage<'_>) -> String {
    render(page)
}

/// Our templates write to memory and call nothing that fails.
fn render(page: &impl Template) -> String {
    page.render().unwrap_or_default()
}

#[derive(Template)]
#[template(path = "linkset.html")]
struct LinksetPage<'a> {
    heading: &'a str,
    notice: Option<&'static str>,
    contexts: &'a [ContextView<'a>],
    json_ld: String,
}

struct ContextView<'a> {
    anchor: String,
    description: String,
    element_string: String,
    groups: Vec<GroupView<'a>>,
}

struct GroupView<'a> {
    words: Cow<'a, str>,
    links: Vec<LinkView<'a>>,
}

struct LinkView<'a> {
    href: Cow<'a, str>,
    is_web: bool,
    title: &'a str,
    lang: Option<&'a str>,
    media_type: Option<&'a str>,
    notes: String,
}

impl<'a> ContextView<'a> {
    fn new(context: LinkContext<'a>) -> Self {
        let groups = context.groups().map(|group| GroupView {
            words: words::link_type(group.link_type()),
            links: group.links().map(LinkView::new).collect(),
        });
        Self {
            anchor: context.anchor(),
            description: context.description().into_owned(),
            element_string: context.key().to_element_string_text(),
            groups: groups.collect(),
        }
    }
}

impl<'a> LinkView<'a> {
    fn new(link: PublishedLink<'a>) -> Self {
        let href = link.href();
        let mut languages = link.languages();
        // A target in one language says its title in it (RES-2.5.3-2); one in several negotiates by itself.
        let lang = languages.next().filter(|_| languages.next().is_none());
        // That a target is a page is what people expect anyway.
        let form = link.media_type().filter(|media_type| !media_type.starts_with("text/html"));
        let notes: Vec<&str> = link.languages().chain(form).chain(link.contexts()).collect();
        Self {
            is_web: href.starts_with("https://") || href.starts_with("http://"),
            href,
            title: link.title(),
            lang,
            media_type: link.media_type(),
            notes: notes.join(", "),
        }
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    name: &'a str,
    root: &'a str,
    keys: Vec<String>,
}

/// What the page of an error says.
#[derive(Template)]
#[template(path = "problem.html")]
pub(crate) struct ProblemPage<'a> {
    pub(crate) status: StatusCode,
    pub(crate) heading: &'a str,
    pub(crate) explanation: &'a str,
    pub(crate) detail: Option<&'a str>,
    pub(crate) hint: Option<&'a str>,
    pub(crate) address: Option<&'a Address>,
    pub(crate) request_id: Option<&'a str>,
}

/// The path that was sent, cut, with the part at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) before: String,
    pub(crate) part: String,
    pub(crate) after: String,
}

/// RFC 4648 section 4, for the hash in the policy.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, &byte| group << 8 | u32::from(byte));
        let group = group << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = (group >> (18 - 6 * place)) & 0x3F;
            let padded = place > chunk.len();
            text.push(if padded { '=' } else { char::from(ALPHABET[index as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_as_it_stands_in_the_page() {
        let page = problem(&ProblemPage {
            status: StatusCode::NOT_FOUND,
            heading: "",
            explanation: "",
            hint: None,
            detail: None,
            address: None,
            request_id: None,
        });
        let style = page.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
        assert_eq!(style, Some(STYLE));
        assert!(!STYLE.contains('<'));
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
