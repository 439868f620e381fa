//! Redirects from http to https that keep path and query (GS1-Conformant Resolver 1.2.0 section
//! 2.2, RES-2.2-4): on the plain listener beside TLS, and for requests that a trusted proxy marks
//! as http.
//!
//! An authority that validates a name for a certificate is answered on the plain listener itself
//! (RFC 8555 section 8.3).
//!
//! The address is built from `resolver_root`, never from `Host`, which the client chooses.

use std::future::{Ready, ready};
use std::net::IpAddr;

use bytes::Bytes;
use fingerpost_http::refusal;
use fingerpost_http::{Arrival, Handler, HostFault, Network, Tokens};
use fingerpost_resolver::{Freshness, ResolverRoot};
use fingerpost_uri::percent;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::Full;
use hyper::body::Incoming;

use crate::{headers, problem, respond};

/// A service that redirects every request to the same address under https.
#[derive(Debug)]
pub(crate) struct HttpsRedirect {
    /// `https://host[:port]`
    origin: String,
    tokens: Tokens,
}

impl HttpsRedirect {
    pub(crate) fn new(root: &ResolverRoot) -> Self {
        Self { origin: root.origin().to_owned(), tokens: Tokens::default() }
    }

    /// Answers these key authorizations.
    pub(crate) fn with_tokens(self, tokens: Tokens) -> Self {
        Self { tokens, ..self }
    }

    /// Returns the key authorization at this path, if an authority may request it.
    fn challenge(&self, method: &Method, uri: &Uri) -> Option<Response<Full<Bytes>>> {
        if method != Method::GET && method != Method::HEAD {
            return None;
        }
        let mut response = Response::new(Full::from(self.tokens.at(uri.path())?));
        let media_type = HeaderValue::from_static("application/octet-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        headers::cache(response.headers_mut(), Freshness::Never);
        Some(response)
    }

    /// Returns the redirect. Preflights are answered directly, because browsers do not follow
    /// redirects of them.
    pub(crate) fn answer(
        &self,
        method: &Method,
        uri: &Uri,
        asked: &HeaderMap,
    ) -> Response<Full<Bytes>> {
        if method == Method::OPTIONS {
            return respond::options(asked, None);
        }
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let mut location = String::with_capacity(self.origin.len() + target.len());
        location.push_str(&self.origin);
        if !target.starts_with('/') {
            location.push('/');
        }
        for &byte in target.as_bytes() {
            if (0x21..=0x7E).contains(&byte) {
                location.push(char::from(byte));
            } else {
                percent::push_triplet(byte, &mut location);
            }
        }
        let mut fields = headers::base();
        fields.extend(headers::value(location).map(|location| (header::LOCATION, location)));
        respond::empty(StatusCode::TEMPORARY_REDIRECT, fields)
    }
}

impl Handler for HttpsRedirect {
    type Body = Full<Bytes>;
    type Future = Ready<Response<Self::Body>>;

    fn handle(&self, request: Request<Incoming>, _: Arrival) -> Self::Future {
        let challenge = self.challenge(request.method(), request.uri());
        ready(
            challenge
                .unwrap_or_else(|| self.answer(request.method(), request.uri(), request.headers())),
        )
    }

    fn refuse_host(&self, _: Request<Incoming>, _: Arrival, _: HostFault) -> Self::Future {
        ready(refusal::wrong_host())
    }

    fn busy() -> Response<Self::Body> {
        problem::busy()
    }

    fn is_vital(_: &Request<Incoming>) -> bool {
        false
    }
}

/// Returns whether a proxy in one of the networks reports that the client used http: in
/// `X-Forwarded-Proto`, or `proto` of `Forwarded` (RFC 7239). The last element counts, because our
/// own proxy wrote it.
pub(crate) fn is_marked_http(
    trusted: &[Network],
    peer: Option<IpAddr>,
    fields: &HeaderMap,
) -> bool {
    if !peer.is_some_and(|peer| trusted.iter().any(|network| network.contains(peer))) {
        return false;
    }
    let own = headers::joined(fields, header::HeaderName::from_static("x-forwarded-proto"));
    let forwarded = headers::joined(fields, header::FORWARDED);
    let last = |list: &[u8]| {
        String::from_utf8_lossy(list).rsplit(',').next().unwrap_or("").trim().to_owned()
    };
    let proto = last(&forwarded).split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("proto").then(|| value.trim().trim_matches('"').to_owned())
    });
    last(&own).eq_ignore_ascii_case("http")
        || proto.is_some_and(|proto| proto.eq_ignore_ascii_case("http"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        // RES-2.2-4
        let trusted = ["10.0.0.0/8".parse().expect("network")];
        let cases: [(&str, &str, &str, bool); 8] = [
            ("10.0.0.1", "x-forwarded-proto", "http", true),
            ("10.0.0.1", "x-forwarded-proto", "https", false),
            ("10.0.0.1", "x-forwarded-proto", "https, HTTP", true),
            ("10.0.0.1", "forwarded", "for=192.0.2.60;proto=http;by=203.0.113.43", true),
            ("10.0.0.1", "forwarded", "proto=http, for=1.2.3.4; Proto=\"https\"", false),
            ("10.0.0.1", "forwarded", "for=1.2.3.4", false),
            ("192.0.2.1", "x-forwarded-proto", "http", false),
            ("192.0.2.1", "forwarded", "proto=http", false),
        ];
        for (peer, name, value, expected) in cases {
            let mut fields = HeaderMap::new();
            fields.insert(name, value.parse().expect(value));
            let marked = is_marked_http(&trusted, peer.parse().ok(), &fields);
            assert_eq!(marked, expected, "{peer} {name}: {value}");
        }
        assert!(!is_marked_http(&trusted, None, &HeaderMap::new()));
    }

    #[test]
    fn path_and_query_are_kept() {
        // RES-2.2-4
        let root = ResolverRoot::parse("https://id.example.org/shop").expect("root");
        let uri: Uri = "/shop/01/09520123456788?a=%2F&b".parse().expect("uri");
        let response = HttpsRedirect::new(&root).answer(&Method::GET, &uri, &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::TEMPORARY_REDIRECT);
        let location = "https://id.example.org/shop/01/09520123456788?a=%2F&b";
        assert_eq!(response.headers()[header::LOCATION], location);
    }

    #[test]
    fn a_pending_challenge_is_answered_and_others_are_redirected() {
        let root = ResolverRoot::parse("https://id.example.org").expect("root");
        let tokens = Tokens::default();
        tokens.answer_challenges(vec![("abc".to_owned(), "abc.thumb".to_owned())]);
        let redirect = HttpsRedirect::new(&root).with_tokens(tokens);
        let asked = |method, path: &str| redirect.challenge(&method, &path.parse().expect(path));
        let response = asked(Method::GET, "/.well-known/acme-challenge/abc").expect("pending");
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        assert!(asked(Method::GET, "/.well-known/acme-challenge/abd").is_none());
        assert!(asked(Method::POST, "/.well-known/acme-challenge/abc").is_none());
        assert!(asked(Method::GET, "/01/09520123456788").is_none());
    }
}
