//! Validators and conditional requests (RFC 9110 sections 8.8.3 and 13.1.2).

use data_encoding::HEXLOWER;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Response, StatusCode};
use sha2::{Digest, Sha256};

use crate::headers;

/// Number of bytes of the body's SHA-256 that the `ETag` carries: 128 bits do not collide by
/// chance.
const ETAG_BYTES: usize = 16;

/// Returns the strong validator of a body.
pub fn etag(body: &[u8]) -> HeaderValue {
    let digest = HEXLOWER.encode(&Sha256::digest(body)[..ETAG_BYTES]);
    HeaderValue::try_from(format!("\"{digest}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Adds the validator to a 200 response, and turns it into a 412 if the client expects another body
/// (`If-Match`), or into a 304 if it already has this one (RFC 9110 section 13.2.2). Header fields
/// that neither repeats are removed.
pub fn unless_same<B: Default>(
    mut response: Response<B>,
    body_etag: HeaderValue,
    asked: &HeaderMap,
) -> Response<B> {
    let is_refused = !is_expected(asked, &body_etag);
    let same = is_known(asked, &body_etag);
    let fields = response.headers_mut();
    fields.insert(header::ETAG, body_etag);
    if is_refused {
        fields.remove(header::CONTENT_TYPE);
        fields.remove(header::CONTENT_ENCODING);
        *response.status_mut() = StatusCode::PRECONDITION_FAILED;
        *response.body_mut() = B::default();
    } else if same {
        fields.remove(header::CONTENT_TYPE);
        fields.remove(header::CONTENT_ENCODING);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = B::default();
    }
    response
}

/// Returns whether `If-Match` is absent or covers the validator. The comparison is strong, as RFC
/// 9110 section 13.1.1 requires.
pub fn is_expected(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    if !asked.contains_key(header::IF_MATCH) {
        return true;
    }
    let list = headers::joined(asked, header::IF_MATCH);
    list.split(|&byte| byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|member| member == b"*" || member == etag.as_bytes())
}

/// Returns whether `If-None-Match` covers the validator. The comparison is weak, as RFC 9110
/// section 13.1.2 requires.
pub fn is_known(asked: &HeaderMap, etag: &HeaderValue) -> bool {
    let list = headers::joined(asked, header::IF_NONE_MATCH);
    list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).any(|member| {
        member == b"*" || member.strip_prefix(b"W/").unwrap_or(member) == etag.as_bytes()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RES-2.2-12
    #[test]
    fn rfc_9110_13_1_1_if_match_is_strong() {
        let etag = etag(b"body");
        let text = etag.to_str().expect("ASCII");
        let status = |list: &str| {
            let value = HeaderValue::from_str(list).expect("ASCII");
            let asked = HeaderMap::from_iter([(header::IF_MATCH, value)]);
            unless_same(Response::new(Vec::<u8>::new()), etag.clone(), &asked).status().as_u16()
        };
        assert_eq!((status(text), status("*"), status(&format!("\"x\", {text}"))), (200, 200, 200));
        assert_eq!((status("\"x\""), status(&format!("W/{text}")), status("")), (412, 412, 412));
        let none = unless_same(Response::new(Vec::<u8>::new()), etag.clone(), &HeaderMap::new());
        assert_eq!(none.status(), 200);
    }

    #[test]
    fn validators_are_compared_as_lists() {
        let etag = etag(b"body");
        let same = |list: &str| {
            let value = HeaderValue::from_str(list).expect("ASCII");
            is_known(&HeaderMap::from_iter([(header::IF_NONE_MATCH, value)]), &etag)
        };
        let text = etag.to_str().expect("ASCII");
        assert!(same(text) && same("*") && same(&format!("W/{text}")));
        assert!(same(&format!("\"x\" , {text}")));
        assert!(!same("") && !same("\"x\"") && !same(text.trim_matches('"')));
    }
}
