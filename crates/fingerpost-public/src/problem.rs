//! Errors as responses. Only this module knows the status codes of errors (GS1-Conformant Resolver
//! 1.2.0 section 2.4.1; RFC 9457 for the JSON form).
//!
//! `type` is absent and so `about:blank`, as RFC 9457 section 4.2.1 recommends if the status is
//! sufficient; `code` distinguishes problems of the same status.

mod address;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytes::Bytes;
use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_http::HostFault;
use fingerpost_http::gzip;
use fingerpost_http::refusal::{self, RETRY_AFTER};
use fingerpost_resolver::{Accept, Freshness, PathClass, PathFault, Refusal};
use fingerpost_store::StoreError;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Response, StatusCode, Uri};
use serde_json::{Map, Value, json};

use crate::pages::{self, Address, Pages, ProblemPage, ShownFault};
use crate::proof::{self, ProofFault, TokenFault};
use crate::texts::Texts;
use crate::{Body, headers, respond};

use self::address::name_in;

/// A request that cannot be answered as asked. Boxed, because problems are rare.
#[derive(Debug)]
pub(crate) struct PublicProblem(Box<Details>);

#[derive(Debug)]
struct Details {
    kind: Kind,
    /// The exact fault, as part of a sentence; may quote truncated and escaped request text.
    detail: Option<String>,
    address: Option<Address>,
    /// The requested name, for people only: it is not known which part of it is wrong.
    name: Option<Address>,
    /// The fault, for people.
    fault: Option<ShownFault>,
    /// The requested entity, if it can be read.
    entity: Option<EntityKey>,
    ai: Option<Ai>,
    /// Code of the broken rule of the identifier, with advice.
    reason: Option<&'static str>,
    hint: Option<&'static str>,
    request_id: Option<String>,
    token_fault: Option<TokenFault>,
}

/// The kinds of problems: code, status, and text of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The address is not a GS1 Digital Link.
    InvalidDigitalLink,
    /// The address has the form of a GS1 Digital Link, but a value in it is wrong.
    InvalidValue,
    /// The compressed address cannot be read.
    InvalidCompressedLink,
    /// The name, or the service requested for it, cannot be parsed.
    InvalidName,
    /// The address is valid, but nothing is known about it here.
    UnknownEntity,
    /// The organisation of the key is suspended.
    Suspended,
    /// The name is known, but has no target at the moment.
    NoLocator,
    /// The bearer token is not accepted.
    InvalidToken,
    /// The proof of a signed link is not accepted.
    InvalidSignedLink,
    /// There is no such reserved path.
    NotFound,
    /// The method is not GET, HEAD or OPTIONS.
    MethodNotAllowed,
    /// The method is not one of RFC 9110 or RFC 5789, or is not for resources.
    UnknownMethod,
    /// The request target is too long.
    TargetTooLong,
    /// The request is not HTTP, or has characters in its target that no URI has.
    MalformedRequest,
    /// The HTTP/1.1 request has no `Host`.
    MissingHost,
    /// The request has more than one `Host`, or an invalid one.
    InvalidHost,
    /// The header fields are too large.
    HeadersTooLarge,
    /// The server has a bug.
    Internal,
    /// A resolver of links cannot offer the requested service.
    NotImplemented,
    /// The store does not answer.
    StoreUnavailable,
}

/// Kind, code, status, and name in the texts.
type Row = (Kind, &'static str, StatusCode, &'static str);

const ROWS: [Row; 20] = [
    (
        Kind::InvalidDigitalLink,
        "invalid-digital-link",
        StatusCode::BAD_REQUEST,
        "invalid-digital-link",
    ),
    (Kind::InvalidValue, "invalid-value", StatusCode::BAD_REQUEST, "invalid-value"),
    (
        Kind::InvalidCompressedLink,
        "invalid-compressed-link",
        StatusCode::BAD_REQUEST,
        "invalid-compressed-link",
    ),
    (Kind::InvalidName, "invalid-name", StatusCode::BAD_REQUEST, "invalid-name"),
    (Kind::UnknownEntity, "unknown-entity", StatusCode::NOT_FOUND, "unknown-entity"),
    (Kind::Suspended, "suspended", StatusCode::GONE, "suspended"),
    (Kind::NoLocator, "no-locator", StatusCode::NOT_FOUND, "no-locator"),
    (Kind::InvalidToken, "invalid-token", StatusCode::UNAUTHORIZED, "invalid-token"),
    (Kind::InvalidSignedLink, "invalid-signed-link", StatusCode::FORBIDDEN, "invalid-signed-link"),
    (Kind::NotFound, "not-found", StatusCode::NOT_FOUND, "not-found"),
    (
        Kind::MethodNotAllowed,
        "method-not-allowed",
        StatusCode::METHOD_NOT_ALLOWED,
        "method-not-allowed",
    ),
    (Kind::UnknownMethod, "not-implemented", StatusCode::NOT_IMPLEMENTED, "method-not-allowed"),
    (Kind::TargetTooLong, "too-large", StatusCode::URI_TOO_LONG, "target-too-long"),
    (Kind::MalformedRequest, "malformed-request", StatusCode::BAD_REQUEST, "malformed-request"),
    (Kind::MissingHost, "missing-host", StatusCode::BAD_REQUEST, "missing-host"),
    (Kind::InvalidHost, "invalid-host", StatusCode::BAD_REQUEST, "invalid-host"),
    (
        Kind::HeadersTooLarge,
        "too-large",
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "headers-too-large",
    ),
    (Kind::Internal, "internal-error", StatusCode::INTERNAL_SERVER_ERROR, "internal-error"),
    (Kind::NotImplemented, "not-implemented", StatusCode::NOT_IMPLEMENTED, "not-implemented"),
    (
        Kind::StoreUnavailable,
        "store-unavailable",
        StatusCode::SERVICE_UNAVAILABLE,
        "store-unavailable",
    ),
];

impl Kind {
    fn row(self) -> &'static Row {
        // In the order of the kinds, which a test checks.
        &ROWS[self as usize]
    }
}

impl Details {
    fn of(kind: Kind) -> Self {
        Self {
            kind,
            detail: None,
            address: None,
            name: None,
            fault: None,
            entity: None,
            ai: None,
            reason: None,
            hint: None,
            request_id: None,
            token_fault: None,
        }
    }
}

impl From<Kind> for PublicProblem {
    fn from(kind: Kind) -> Self {
        Details::of(kind).into()
    }
}

impl From<Details> for PublicProblem {
    fn from(details: Details) -> Self {
        Self(Box::new(details))
    }
}

impl PublicProblem {
    /// Converts a refusal; `target` is the request target as received, which the refusal refers to.
    pub(crate) fn of_refusal(refusal: &Refusal, target: &str) -> Self {
        let (detail, hint) = (Some(refusal.to_string()), refusal.hint());
        let details = match refusal {
            Refusal::Invalid(invalid) => {
                let kind = match invalid.class() {
                    PathClass::DigitalLink => Kind::InvalidDigitalLink,
                    PathClass::Value => Kind::InvalidValue,
                    PathClass::CompressedLink => Kind::InvalidCompressedLink,
                };
                let path = target.split('?').next().unwrap_or_default();
                Details {
                    detail,
                    address: Some(Address::of(invalid, path.as_bytes())),
                    fault: Some(ShownFault::of_path(invalid.fault())),
                    ai: ai_of(invalid.fault()),
                    reason: invalid.reason(),
                    hint,
                    ..Details::of(kind)
                }
            }
            Refusal::InvalidName(_) => Details {
                detail,
                name: Some(name_in(target)),
                fault: Some(ShownFault::name()),
                ..Details::of(Kind::InvalidName)
            },
            Refusal::NotServed => {
                let fault = Some(ShownFault::other_stem());
                Details { detail, fault, ..Details::of(Kind::UnknownEntity) }
            }
            Refusal::NoScheme => {
                let fault = Some(ShownFault::no_scheme());
                Details { detail, hint, fault, ..Details::of(Kind::UnknownEntity) }
            }
            Refusal::OtherLocator => Details { detail, ..Details::of(Kind::UnknownEntity) },
            Refusal::UnsupportedKey(ai) => {
                let fault = Some(ShownFault::not_served(*ai));
                Details { detail, fault, ai: Some(*ai), ..Details::of(Kind::UnknownEntity) }
            }
            Refusal::TargetTooLong => Details::of(Kind::TargetTooLong),
        };
        details.into()
    }

    /// Creates the problem of a valid key, or of a name without a key, about which nothing is
    /// known.
    pub(crate) fn unknown(entity: Option<&EntityKey>) -> Self {
        Details { entity: entity.cloned(), ..Details::of(Kind::UnknownEntity) }.into()
    }

    /// Creates the problem of a key whose organisation is suspended, with the operator's notice.
    pub(crate) fn suspended(entity: &EntityKey, notice: &str) -> Self {
        let (entity, detail) = (Some(entity.clone()), Some(notice.to_owned()));
        Details { entity, detail, ..Details::of(Kind::Suspended) }.into()
    }

    /// Creates the problem of a proof that is not accepted.
    pub(crate) fn of_proof(fault: ProofFault) -> Self {
        match fault {
            ProofFault::Token(fault) => Details {
                detail: Some(fault.0.to_owned()),
                token_fault: Some(fault),
                ..Details::of(Kind::InvalidToken)
            },
            ProofFault::SignedAccess(fault) => {
                Details { detail: Some(fault.to_string()), ..Details::of(Kind::InvalidSignedLink) }
            }
        }
        .into()
    }

    /// Creates the problem of a request that HTTP refuses with this status before it is read.
    pub(crate) fn unreadable(status: StatusCode) -> Self {
        let (kind, detail) = match status {
            StatusCode::URI_TOO_LONG => (Kind::TargetTooLong, None),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => (Kind::HeadersTooLarge, None),
            _ => (Kind::MalformedRequest, Some(MALFORMED.to_owned())),
        };
        Details { detail, ..Details::of(kind) }.into()
    }

    /// Creates the problem of a request that has to be refused for its `Host`.
    pub(crate) fn of_host(fault: &HostFault) -> Self {
        let kind = match fault {
            HostFault::Missing => Kind::MissingHost,
            HostFault::Repeated(_) | HostFault::Invalid(_) => Kind::InvalidHost,
        };
        Details { detail: Some(fault.to_string()), ..Details::of(kind) }.into()
    }

    /// Converts a store error: clients can retry, unless stored data are damaged. The reason is
    /// logged, and not sent to the client.
    pub(crate) fn of_store(error: &StoreError) -> Self {
        match error {
            _ if error.is_damage() => Self::internal(error),
            StoreError::CopyIncomplete => Kind::StoreUnavailable.into(),
            _ => {
                tracing::error!(%error, "the store cannot be read");
                Kind::StoreUnavailable.into()
            }
        }
    }

    /// Creates the problem of an invalid header value. The resolver's texts are visible ASCII, so
    /// this is a bug.
    pub(crate) fn unsendable() -> Self {
        Self::internal(&"the address of a link is no header value")
    }

    /// Creates the problem of a bug, which is logged under a number that the client can quote.
    pub(crate) fn internal(error: &dyn fmt::Display) -> Self {
        let request_id = request_id();
        tracing::error!(request_id, %error, "request failed");
        Details { request_id: Some(request_id), ..Details::of(Kind::Internal) }.into()
    }

    /// Returns the response: a page for clients that name HTML, else a problem document.
    pub(crate) fn respond(&self, pages: &Pages, asked: &HeaderMap) -> Response<Body> {
        let &(_, _, status, _) = self.0.kind.row();
        let mut fields = self.fields();
        let body = if wants_page(&headers::joined(asked, header::ACCEPT)) {
            let texts = pages::reader(asked);
            pages::protect(&mut fields, texts);
            fields.insert(header::CONTENT_TYPE, pages::CONTENT_TYPE);
            gzip::packed(pages.problem(&self.0.page(texts)), &mut fields, asked)
        } else {
            fields.insert(header::CONTENT_TYPE, PROBLEM_JSON);
            self.0.document().to_string().into()
        };
        respond::with_body(status, fields, body)
    }

    /// Returns the problem document, for a client whose preferences are unknown.
    pub(crate) fn document(&self) -> Response<Bytes> {
        let &(_, _, status, _) = self.0.kind.row();
        let mut response = Response::new(self.0.document().to_string().into());
        *response.status_mut() = status;
        *response.headers_mut() = self.fields();
        response.headers_mut().insert(header::CONTENT_TYPE, PROBLEM_JSON);
        response
    }

    /// Returns the header fields that do not depend on the form of the response.
    fn fields(&self) -> HeaderMap {
        let mut fields = headers::base();
        headers::cache(&mut fields, Freshness::PROBLEM);
        fields.insert(header::VARY, headers::NEGOTIATED);
        match self.0.kind {
            Kind::MethodNotAllowed => {
                fields.insert(header::ALLOW, headers::ALLOW);
            }
            Kind::StoreUnavailable => {
                fields.insert(header::RETRY_AFTER, RETRY_AFTER);
            }
            Kind::InvalidToken => {
                fields.extend(self.0.token_fault.map(proof::challenge));
            }
            Kind::InvalidDigitalLink
            | Kind::InvalidValue
            | Kind::InvalidCompressedLink
            | Kind::InvalidName
            | Kind::UnknownEntity
            | Kind::Suspended
            | Kind::NoLocator
            | Kind::InvalidSignedLink
            | Kind::NotFound
            | Kind::UnknownMethod
            | Kind::TargetTooLong
            | Kind::MalformedRequest
            | Kind::MissingHost
            | Kind::InvalidHost
            | Kind::HeadersTooLarge
            | Kind::Internal
            | Kind::NotImplemented => {}
        }
        fields
    }
}

/// Returns the response while the server has too much to do. It has no body, because bodies may be
/// what there is too much of.
pub(crate) fn busy() -> Response<Body> {
    let mut response = refusal::busy();
    response.headers_mut().extend(headers::base());
    response
}

impl Details {
    fn page(&self, texts: &'static Texts) -> ProblemPage<'_> {
        let &(_, _, status, kind) = self.kind.row();
        let is_suspended = self.kind == Kind::Suspended;
        ProblemPage {
            status,
            kind,
            fault: self.fault.as_ref(),
            entity: self.entity.as_ref(),
            address: self.address.as_ref().or(self.name.as_ref()),
            detail: self.detail.as_deref().filter(|_| !is_suspended),
            notice: self.detail.as_deref().filter(|_| is_suspended),
            reason: self.reason,
            hint: self.hint,
            request_id: self.request_id.as_deref(),
            texts,
        }
    }

    fn document(&self) -> Value {
        let &(_, code, status, _) = self.kind.row();
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
        put("type", json!("about:blank"));
        put("title", json!(status.canonical_reason()));
        put("status", json!(status.as_u16()));
        put("code", json!(code));
        if let Some(detail) = &self.detail {
            put("detail", json!(detail));
        }
        if let Some(reason) = self.reason {
            put("reason", json!(reason));
        }
        if let Some(hint) = self.hint {
            put("hint", json!(hint));
        }
        if let Some(ai) = self.ai {
            put("ai", json!(ai.as_str()));
        }
        if let Some(address) = &self.address {
            put("part", json!(address.part));
        }
        if let Some(id) = &self.request_id {
            put("requestId", json!(id));
        }
        Value::Object(members)
    }
}

/// The detail of a malformed request.
const MALFORMED: &str = "not a valid HTTP request: the target can have only the characters of a URI, so write others, such as <, > \
                         and quotation marks, percent-encoded";

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

fn ai_of(fault: &PathFault) -> Option<Ai> {
    match fault {
        PathFault::FormerName(ai)
        | PathFault::NoValue(ai)
        | PathFault::AiLength { ai, .. }
        | PathFault::UnknownAiValue(ai)
        | PathFault::RepeatDisagrees(ai) => Some(*ai),
        PathFault::Gs1(error) => error.ai(),
        PathFault::Decompression(error) => error.ai(),
        PathFault::NoPrimaryKey
        | PathFault::EmptySegment
        | PathFault::Escape
        | PathFault::RawCharacter
        | PathFault::NotAnAi
        | PathFault::Epc(_) => None,
    }
}

/// Returns whether the client is a person's: it names HTML, with at least the weight of any JSON
/// that it names, and more than any linkset, by the rule for linksets (RES-2.9-7). Programs that
/// accept anything get the document; browsers always name HTML.
fn wants_page(accept: &[u8]) -> bool {
    let accept = Accept::read(accept);
    let html = accept.weight_of_named(&["text/html", "application/xhtml+xml"]);
    let json = accept.weight_of_named(&["application/problem+json", "application/json"]);
    let linkset = accept.weight_of_named(&["application/linkset+json", "application/linkset"]);
    html > Some(0) && html >= json && html > linkset
}

/// Returns a unique number: a random part for the process, and a counter.
fn request_id() -> String {
    static PROCESS: LazyLock<u64> =
        LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}-{}", *PROCESS, COUNT.fetch_add(1, Relaxed))
}

/// Returns why a method is not answered, if it is not (RES-2.2-7).
pub(crate) fn refused_method(method: &Method, uri: &Uri) -> Option<Kind> {
    match *method {
        Method::GET | Method::HEAD => None,
        // RFC 9110 section 9.3.6: the target is a host and a port, never a path.
        Method::CONNECT if uri.path_and_query().is_some() => Some(Kind::MalformedRequest),
        Method::POST
        | Method::PUT
        | Method::DELETE
        | Method::PATCH
        | Method::TRACE
        | Method::CONNECT => Some(Kind::MethodNotAllowed),
        // RFC 9110 section 9.1
        _ => Some(Kind::UnknownMethod),
    }
}

/// Returns what a panic says.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic")
        .to_owned()
}
