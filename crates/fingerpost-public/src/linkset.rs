//! Linksets as responses (GS1-Conformant Resolver 1.2.0 section 2.10; RFC 9110 for conditional
//! requests).

use std::sync::Arc;

use bytes::Bytes;
use fingerpost_http::gzip;
use fingerpost_resolver::{
    Answer, Entry, Format, Linkset, OrganisationBrand, Plan, ReaderLanguages, day_of,
};
use fingerpost_response::linkset as for_programs;
use fingerpost_store::Store;
use http::Response;
use http::header::{self, HeaderMap, HeaderValue};
use jiff::Timestamp;

use crate::headers;
use crate::pages::{self, LinksetPage, PageAddress, Pages, Reason, Recalled};
use crate::problem::PublicProblem;
use crate::respond::{self, Body};
use crate::signing::{self, SignedRequest};

/// A linkset to respond with.
#[derive(Debug)]
pub(crate) struct LinksetAnswer<'a> {
    pub(crate) plan: &'a Plan<'a>,
    /// The entries that the plan reads.
    pub(crate) levels: &'a [Arc<Entry>],
    /// Where a page looks up since when something is recalled.
    pub(crate) store: &'a Store,
    pub(crate) answer: &'a Answer<'a>,
    pub(crate) linkset: &'a Linkset<'a>,
    pub(crate) format: Format,
    /// How its organisation is presented, for a page.
    pub(crate) brand: Option<OrganisationBrand>,
    pub(crate) now: Timestamp,
    /// Signs the answer, if a key is configured.
    pub(crate) signed: Option<SignedRequest<'a>>,
}

/// Returns a linkset in the negotiated form (RES-2.10-1 to -8): the requested one, the links of a
/// choice (RES-2.10-11), or the available ones (RES-2.6.2-3). JSON holds every link; pages are
/// divided, and `query` says which one is requested.
pub(crate) fn respond(
    pages: &Pages,
    asked: &HeaderMap,
    query: Option<&str>,
    of: &LinksetAnswer<'_>,
) -> Result<Response<Body>, PublicProblem> {
    let mut fields = for_programs::fields(of.answer);
    let mut body: Bytes = match for_programs::content(of.linkset, of.format) {
        Some(content) => content,
        None => page(pages, asked, query, of, &mut fields)?,
    };
    let media_type = respond::media_type(of.format).unwrap_or(pages::CONTENT_TYPE);
    fields.insert(header::CONTENT_TYPE, media_type);
    let archive = of.signed.filter(|_| of.format == Format::LinksetJson);
    let archive = archive.and_then(|signed| signed.archive(asked, &body));
    let is_archive = archive.is_some();
    if let Some(archive) = archive {
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(signing::JOSE));
        body = archive.into();
    }
    let content = body.clone();
    // An archive names the time at which it was signed, so it is never the same twice.
    let mut response = for_programs::respond(of.answer, fields, body, !is_archive, asked);
    if let Some(signed) = of.signed {
        signed.linkset(of.format, &content, &mut response);
    }
    Ok(response)
}

/// Returns the linkset as a page, and adds its header fields.
fn page(
    pages: &Pages,
    asked: &HeaderMap,
    query: Option<&str>,
    of: &LinksetAnswer<'_>,
    fields: &mut HeaderMap,
) -> Result<Bytes, PublicProblem> {
    let texts = pages::reader(asked);
    pages::protect(fields, texts);
    let entity = of.linkset.key();
    // The query of a request by name is the name.
    let address = if of.answer.is_by_name() {
        PageAddress::of_linkset(pages.root(), entity)
    } else {
        PageAddress::of_query(query)
    };
    let overview = of.plan.overview(of.levels);
    let recalled = overview.as_ref().map(|overview| Recalled::of(overview, of.store));
    let recalled = recalled.transpose().map_err(|error| PublicProblem::of_store(&error))?;
    let accept_language = headers::joined(asked, header::ACCEPT_LANGUAGE);
    let attributes = of.plan.query().and_then(|query| std::str::from_utf8(query).ok());
    let (page, policy) = pages.linkset(LinksetPage {
        reason: Reason::of(of.answer.outcome()),
        linkset: of.linkset,
        overview: overview.as_ref(),
        recalled: recalled.as_deref().unwrap_or_default(),
        entity,
        address,
        texts,
        languages: ReaderLanguages::read(&accept_language),
        attributes: attributes.unwrap_or_default(),
        today: day_of(of.now),
        brand: of.brand.as_ref(),
    });
    if let Some(policy) = policy {
        fields.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(gzip::packed(page, fields, asked))
}
