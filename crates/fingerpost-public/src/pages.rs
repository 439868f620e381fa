//! Pages for people: the linkset, a choice, an error, the home page, privacy (GS1-Conformant
//! Resolver 1.2.0 section 2.10, RES-2.10-7, -8, -15, -16).
//!
//! The templates escape everything that was stored or sent. No page runs a script or loads anything
//! except our own style sheet and pictures, and the policy header says so. Redirects and JSON do
//! not use this module.

mod assets;
mod facts;
mod faults;
mod home;
mod link_views;
mod linkset;
mod meaning;
mod problem;
mod product;
mod recall;
mod result;
mod structured;
mod web;
mod words;

use std::borrow::Cow;

use askama::Template;
use fingerpost_gs1::EntityKey;
use fingerpost_http::gzip;
use fingerpost_resolver::{AddedTerm, Freshness, OrganisationBrand, PublicPath, ResolverRoot};
use fingerpost_store::{Store, StoreError};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};

pub(crate) use self::assets::File;
use self::assets::{Assets, Picture};
pub(crate) use self::faults::ShownFault;
pub(crate) use self::linkset::{Address as PageAddress, LinksetPage, Reason};
#[cfg(test)]
pub(crate) use self::problem::is_known_kind;
pub(crate) use self::problem::{Address, ProblemPage};
pub(crate) use self::product::LookUp;
pub(crate) use self::recall::Recalled;
use crate::config::{Brand, Config, FooterLink};
use crate::headers;
use crate::respond::{self, Body};
use crate::texts::{self, Texts, visible};

/// The media type of pages, also if XHTML was requested (RES-2.10-7).
pub(crate) const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Content security policy of pages: they may load our own style sheet and pictures, and submit the
/// form of the home page to us. JSON-LD is data, and no script is ever run.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// Returns the policy of a page that also loads pictures from an origin; `None` if the origin is no
/// header value, which the configuration refuses.
fn policy_with_images(origin: &str) -> Option<HeaderValue> {
    let policy = POLICY;
    let policy = policy.to_str().ok()?;
    let images = format!("img-src 'self' {origin};");
    HeaderValue::from_str(&policy.replace("img-src 'self';", &images)).ok()
}

/// The page builder of one installation; holds the parts that do not change between requests.
#[derive(Debug)]
pub(crate) struct Pages {
    brand: Brand,
    root: ResolverRoot,
    /// The `name` of the resolver.
    resolver_name: Option<String>,
    assets: Assets,
    /// The link types of `link_types_file`, with their titles.
    added: Vec<AddedTerm>,
    /// The home page without a question, in each language.
    homes: Vec<File>,
    privacy: Vec<File>,
}

impl Pages {
    pub(crate) fn new(config: &Config) -> Self {
        let brand = config.brand().clone();
        let mut pages = Self {
            assets: Assets::new(&brand),
            brand,
            root: config.settings().root().clone(),
            resolver_name: config.settings().name().map(str::to_owned),
            added: config.vocabulary().added_terms().to_vec(),
            homes: Vec::new(),
            privacy: Vec::new(),
        };
        let file = |page: String| File::new(CONTENT_TYPE, page);
        let all = texts::all().iter();
        pages.homes = all.clone().map(|texts| file(pages.home(texts, config.settings()))).collect();
        if pages.brand.privacy().is_some() {
            pages.privacy = all.map(|texts| file(pages.privacy_page(texts))).collect();
        }
        pages
    }

    /// Returns the root of the resolver.
    pub(crate) fn root(&self) -> &ResolverRoot {
        &self.root
    }

    /// Returns a file that pages load.
    pub(crate) fn send_asset(
        &self,
        path: PublicPath,
        query: Option<&str>,
        asked: &HeaderMap,
    ) -> Response<Body> {
        self.assets.respond(path, query, asked)
    }

    /// Returns the home page; for a question in `q`, with the answer.
    pub(crate) fn send_home(
        &self,
        look_up: &LookUp<'_>,
        query: Option<&str>,
        freshness: Freshness,
    ) -> Result<Response<Body>, StoreError> {
        let texts = reader(look_up.asked);
        let Some(question) = query.and_then(home::question) else {
            return Ok(Self::send_file(&self.homes, texts, freshness, look_up.asked));
        };
        let page = self.home_about(texts, look_up, &question)?;
        let mut fields = page_fields(texts);
        headers::cache(&mut fields, Freshness::QUESTION);
        let body = gzip::packed(page, &mut fields, look_up.asked);
        Ok(respond::with_body(StatusCode::OK, fields, body))
    }

    /// Returns the privacy page.
    pub(crate) fn send_privacy(&self, freshness: Freshness, asked: &HeaderMap) -> Response<Body> {
        Self::send_file(&self.privacy, reader(asked), freshness, asked)
    }

    fn send_file(
        files: &[File],
        texts: &Texts,
        freshness: Freshness,
        asked: &HeaderMap,
    ) -> Response<Body> {
        let at = texts::languages().position(|tag| tag == texts.language()).unwrap_or(0);
        let Some(file) = files.get(at) else {
            return respond::empty(StatusCode::NOT_FOUND, headers::base());
        };
        let mut response = file.respond(freshness, asked);
        protect(response.headers_mut(), texts);
        response
    }

    /// Returns the frame of a page about a key of an organisation, which has its brand.
    fn frame_of<'a>(&'a self, texts: &'a Texts, brand: Option<&'a OrganisationBrand>) -> Frame<'a> {
        let frame = self.frame(texts);
        let Some(brand) = brand else { return frame };
        let accent = brand.accent.as_deref().and_then(|accent| accent.parse().ok());
        let logo = brand.logo.as_ref().map(|version| {
            let (path, id) = (PublicPath::ORGANISATION_LOGO, &brand.organisation);
            let path = [path, "?", ORGANISATION, id, "&v=", version].concat();
            Cow::Owned(Picture { path, size: None })
        });
        Frame {
            brand: &brand.name,
            style: accent.map_or(frame.style, |accent| Cow::Owned(self.assets.style_of(accent))),
            logo,
            ..frame
        }
    }

    /// Returns the logo that a query names; `None` if there is none.
    pub(crate) fn send_organisation_logo(
        store: &Store,
        query: Option<&str>,
        asked: &HeaderMap,
    ) -> Result<Option<Response<Body>>, StoreError> {
        let named = query.and_then(|query| query.strip_prefix(ORGANISATION)).unwrap_or_default();
        let (id, version) = named.split_once("&v=").unwrap_or((named, ""));
        let logo = store.view(|view| view.logo(id))?;
        Ok(logo.and_then(|logo| assets::organisation_logo(&logo, version, asked)))
    }

    /// Returns the frame that all pages share.
    fn frame<'a>(&'a self, texts: &'a Texts) -> Frame<'a> {
        let name = self.brand.name().or(self.resolver_name.as_deref());
        Frame {
            texts,
            brand: name.unwrap_or(&texts.page.resolver),
            style: Cow::Borrowed(self.assets.style()),
            logo: self.assets.logo().map(Cow::Borrowed),
            footer: [self.brand.role_notice(), self.brand.footer_text()]
                .into_iter()
                .flatten()
                .map(|text| text.for_reader(texts.language()))
                .collect(),
            links: self.brand.footer_links(),
            has_privacy: self.brand.privacy().is_some(),
            abuse: self.brand.abuse(),
        }
    }

    fn privacy_page(&self, texts: &Texts) -> String {
        let (text, lang) =
            self.brand.privacy().map_or(("", None), |text| text.for_reader(texts.language()));
        let unified = text.replace("\r\n", "\n");
        let paragraphs = unified.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
        render(&PrivacyPage {
            frame: self.frame(texts),
            lang,
            paragraphs: paragraphs.map(visible_lines).collect(),
        })
    }
}

/// The parameter with the id of an organisation.
const ORGANISATION: &str = "of=";

/// Returns the texts in the language of the request.
pub(crate) fn reader(asked: &HeaderMap) -> &'static Texts {
    texts::for_reader(&headers::joined(asked, header::ACCEPT_LANGUAGE))
}

/// Adds the policy, the chosen language, and the header it was chosen by.
pub(crate) fn protect(fields: &mut HeaderMap, texts: &Texts) {
    fields.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    fields.insert(header::VARY, headers::NEGOTIATED_PAGE);
    if let Ok(language) = HeaderValue::from_str(texts.language()) {
        fields.insert(header::CONTENT_LANGUAGE, language);
    }
}

/// Returns the header fields of a page.
fn page_fields(texts: &Texts) -> HeaderMap {
    let mut fields = headers::base();
    fields.insert(header::CONTENT_TYPE, CONTENT_TYPE);
    protect(&mut fields, texts);
    fields
}

/// Renders a template. Our templates write to memory and call nothing that fails.
fn render(page: &impl Template) -> String {
    page.render().unwrap_or_default()
}

/// Returns a paragraph with its line breaks preserved.
fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| visible(line.trim())).collect();
    lines.join("\n")
}

/// The frame around the main part of each page.
struct Frame<'a> {
    texts: &'a Texts,
    brand: &'a str,
    /// Address of the style sheet.
    style: Cow<'a, str>,
    logo: Option<Cow<'a, Picture>>,
    /// The operator's text, and its language if that is not the page's.
    footer: Vec<(&'a str, Option<&'a str>)>,
    links: &'a [FooterLink],
    has_privacy: bool,
    /// Where to report misuse.
    abuse: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "privacy.html")]
struct PrivacyPage<'a> {
    frame: Frame<'a>,
    lang: Option<&'a str>,
    paragraphs: Vec<String>,
}

/// One part of an identifier, in words.
struct Part<'a> {
    name: words::Word<'a>,
    value: String,
}

impl Part<'_> {
    /// The part of something that has none.
    fn empty() -> Self {
        let name = words::Word { text: Cow::Borrowed(""), lang: None };
        Self { name, value: String::new() }
    }
}

/// Returns the parts of an entity, the key first.
fn parts<'a>(texts: &'a Texts, entity: &EntityKey) -> Vec<Part<'a>> {
    let part = |(ai, encoded): (fingerpost_gs1::Ai, &str)| Part {
        name: words::identifier(texts, ai),
        value: visible(&entity.value(ai).map_or(encoded.into(), Cow::into_owned)).into_owned(),
    };
    entity.pairs().map(part).collect()
}
