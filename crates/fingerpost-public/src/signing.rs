//! Signatures on redirects and linksets, if a key is configured ([`fingerpost_signature`]).

use fingerpost_resolver::Format;
use fingerpost_signature::RequestTarget;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Response, StatusCode, Uri};
use jiff::Timestamp;

use crate::config::Signing;
use crate::headers;
use crate::respond::Body;

/// What scripts of other origins may read of a signed answer.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("Link, ETag, Content-Digest, Signature, Signature-Input");

/// The media type of a linkset for an archive: a JSON Web Signature in compact form (RFC 7515
/// section 9.2.1).
pub(crate) const JOSE: &str = "application/jose";

/// The request that an answer is signed for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedRequest<'a> {
    pub(crate) signing: &'a Signing,
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) now: Timestamp,
}

impl SignedRequest<'_> {
    fn target(&self) -> RequestTarget<'_> {
        RequestTarget { path: self.uri.path(), query: self.uri.query() }
    }

    /// Signs status and `Location` of a redirect.
    pub(crate) fn redirect(&self, response: &mut Response<Body>) {
        let status = response.status().as_u16();
        let fields = response.headers_mut();
        self.signing.signer.sign_redirect(self.target(), status, fields, self.now);
        fields.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }

    /// Signs a linkset. Pages are not signed, they are for eyes; nor are answers to HEAD, whose
    /// content is empty, and 304, for which the client has the signed answer.
    pub(crate) fn linkset(&self, format: Format, body: &[u8], response: &mut Response<Body>) {
        if format == Format::Html
            || *self.method == Method::HEAD
            || response.status() == StatusCode::NOT_MODIFIED
        {
            return;
        }
        let status = response.status().as_u16();
        let fields = response.headers_mut();
        self.signing.signer.sign_content(self.target(), status, fields, body, self.now);
        fields.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }

    /// Returns a linkset in a form for archives, if the client accepts that form alone.
    pub(crate) fn archive(&self, asked: &HeaderMap, linkset: &[u8]) -> Option<String> {
        let accept = headers::joined(asked, header::ACCEPT);
        let media_type = Format::LinksetJson.media_type();
        let is_wanted = accept.trim_ascii().eq_ignore_ascii_case(JOSE.as_bytes());
        is_wanted.then(|| self.signing.signer.archive(media_type, linkset, self.now))
    }
}
