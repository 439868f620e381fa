//! Signed answers (RFC 9421, RFC 9530): what is signed, and that nothing else changes.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use bytes::Bytes;
use fingerpost_public::{Config, Router};
use fingerpost_signature::{KeyDirectory, RequestTarget, SignedAnswer, SigningKey, verify_archive};
use http::{HeaderMap, Request};
use jiff::Timestamp;

use crate::body;
use crate::page;

const PRODUCT: &str = "/01/09520123456788";
const LINKSET: &str = "/01/09520123456788?linkType=linkset";

/// A router that signs with a new key.
fn signing(folder: &Path) -> Router {
    let path = folder.join("key.pem");
    let (_, pem) = SigningKey::generate().unwrap();
    fs::write(&path, pem).unwrap();
    page::router(&format!("[signatures]\nkey = {path:?}"))
}

struct Sent {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

fn ask(router: &Router, target: &str, headers: &[(&str, &str)]) -> Sent {
    ask_by(router, "GET", target, headers)
}

fn ask_by(router: &Router, method: &str, target: &str, headers: &[(&str, &str)]) -> Sent {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, body) = router.handle(&request.body(()).unwrap()).into_parts();
    Sent { status: parts.status.as_u16(), headers: parts.headers, body: body::bytes(body) }
}

fn keys(router: &Router) -> KeyDirectory {
    let sent = ask(router, KeyDirectory::PATH, &[]);
    assert_eq!(
        (sent.status, &sent.headers["content-type"]),
        (200, &KeyDirectory::MEDIA_TYPE.parse().unwrap())
    );
    KeyDirectory::from_json(&sent.body).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the router signs with the time of the machine")]
fn is_proven(router: &Router, target: &str, sent: &Sent) -> bool {
    let answer = SignedAnswer { status: sent.status, headers: &sent.headers, body: &sent.body };
    let now = Timestamp::try_from(SystemTime::now()).unwrap();
    answer.verify(RequestTarget::new(target), &keys(router), now).is_ok()
}

/// 36.2: redirects, and linksets in every form but the page, for every kind of answer that has
/// links.
#[test]
fn redirects_and_linksets_are_signed() {
    let folder = tempfile::tempdir().unwrap();
    let router = signing(folder.path());
    let json = ("Accept", "application/linkset+json");
    for (target, accept, status) in [
        (PRODUCT, None, 307),
        ("/01/09520123456788?linkType=gs1:pip&x=%20y", None, 307),
        (LINKSET, Some("application/linkset+json"), 200),
        (LINKSET, Some("application/linkset"), 200),
        (LINKSET, Some("application/json"), 200),
        (LINKSET, Some("application/ld+json"), 200),
        ("/01/09520123456788?linkType=gs1:nosuch", Some("application/json"), 404),
    ] {
        let headers: Vec<_> = accept.map(|accept| ("Accept", accept)).into_iter().collect();
        let sent = ask(&router, target, &headers);
        assert_eq!(sent.status, status, "{target}");
        assert!(is_proven(&router, target, &sent), "{target} {accept:?} {:?}", sent.headers);
        let exposed = sent.headers["access-control-expose-headers"].to_str().unwrap();
        assert!(exposed.contains("Signature-Input"), "{exposed}");
        // The same answer stands for no other request.
        assert!(!is_proven(&router, "/01/09506000134352", &sent));
    }
    let head = ask_by(&router, "HEAD", PRODUCT, &[]);
    assert!(is_proven(&router, PRODUCT, &head), "a redirect has no content");
    let first = ask(&router, LINKSET, &[json]);
    let etag = first.headers["etag"].to_str().unwrap();
    let same = ask(&router, LINKSET, &[json, ("If-None-Match", etag)]);
    for unsigned in [
        same,
        ask_by(&router, "HEAD", LINKSET, &[json]),
        ask(&router, LINKSET, &[("Accept", "text/html")]),
    ] {
        assert!(!unsigned.headers.contains_key("signature"), "{}", unsigned.status);
        assert!(!unsigned.headers.contains_key("content-digest"));
    }
}

/// 36.2: a linkset for archives.
#[test]
fn a_linkset_is_sent_as_a_signed_document() {
    let folder = tempfile::tempdir().unwrap();
    let router = signing(folder.path());
    let plain = ask(&router, LINKSET, &[("Accept", "application/linkset+json")]);
    let sent = ask(&router, LINKSET, &[("Accept", "application/jose")]);
    assert_eq!(
        (sent.status, &sent.headers["content-type"]),
        (200, &"application/jose".parse().unwrap())
    );
    assert!(is_proven(&router, LINKSET, &sent), "the document is content, too");
    assert!(!sent.headers.contains_key("etag"));
    let text = std::str::from_utf8(&sent.body).unwrap();
    let verified = verify_archive(text, &keys(&router)).unwrap();
    assert_eq!(verified.document, plain.body);
    assert_eq!(verified.media_type.as_deref(), Some("application/linkset+json"));
}

/// Without a key every answer is what it was, and nothing is at the address of the keys.
#[test]
fn without_a_key_nothing_is_signed() {
    let router = page::router("");
    assert_eq!(ask(&router, KeyDirectory::PATH, &[]).status, 404);
    let sent = ask(&router, LINKSET, &[("Accept", "application/jose")]);
    assert_eq!(sent.headers["content-type"], "application/linkset+json");
    for target in [PRODUCT, LINKSET] {
        let sent = ask(&router, target, &[("Accept", "application/linkset+json")]);
        for name in ["signature", "signature-input", "content-digest"] {
            assert!(!sent.headers.contains_key(name), "{target} {name}");
        }
    }
}

/// The keys of before stay published, the current one first; faults name option and file.
#[test]
fn keys_are_rotated_and_faults_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (former, _) = SigningKey::generate().unwrap();
    let former_path = folder.path().join("former.pub");
    fs::write(&former_path, former.public().to_pem()).unwrap();
    let path = folder.path().join("key.pem");
    let (key, pem) = SigningKey::generate().unwrap();
    fs::write(&path, pem).unwrap();
    let router =
        page::router(&format!("[signatures]\nkey = {path:?}\nformer_keys = [{former_path:?}]"));
    assert_eq!(keys(&router).keys(), [key.public(), former.public()]);
    let refused = |toml: String| Config::from_toml(&toml).unwrap_err().to_string();
    let error = refused(format!("[signatures]\nkey = {former_path:?}"));
    assert!(error.contains("signatures.key: ") && error.contains("openssl genpkey"), "{error}");
    let error = refused(format!("[signatures]\nkey = {path:?}\nformer_keys = [{path:?}]"));
    assert!(error.contains("signatures.former_keys: ") && error.contains("-pubout"), "{error}");
    let error = refused(format!("[signatures]\nformer_keys = [{former_path:?}]"));
    assert!(error.contains("expected signatures.key with it"), "{error}");
    assert!(refused("[signatures]\nkey = \"/nowhere\"".to_owned()).contains("/nowhere"));
}
