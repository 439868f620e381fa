//! Orders from a small fake of an authority, for what Debian's `pebble` does not do: windows for
//! renewal, limits of rate, and answers that are no documents. `crates/fingerpost/tests/it/acme`
//! has everything else.

use bytes::Bytes;
use fingerpost_options::{Document, Section};
use http::{Request, Response};
use rcgen::{BasicConstraints, CertifiedIssuer, IsCa};

use super::*;
use crate::config::{AcmeOptions, Uses};

const DIRECTORY: &str = r#"{"newNonce":"https://ca.example/nonce","newAccount":"https://ca.example/account",
    "newOrder":"https://ca.example/order","revokeCert":"https://ca.example/revoke","keyChange":"https://ca.example/key",
    "renewalInfo":"https://ca.example/renewal"}"#;

fn clock() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Orders from an authority that answers this at addresses other than those of its directory and
/// accounts.
fn orderer<T>(
    answer: impl Fn(&Request<Bytes>) -> Response<Vec<u8>> + Send + Sync + 'static,
    act: impl AsyncFnOnce(Orderer<'_>) -> T,
) -> T {
    let sender = move |request: Request<Bytes>| {
        let made = match request.uri().path() {
            "/directory" => Response::new(DIRECTORY.into()),
            "/nonce" => Response::builder().header("replay-nonce", "n").body(Vec::new()).unwrap(),
            "/account" => {
                let made = Response::builder().status(201).header("replay-nonce", "n");
                made.header("location", "https://ca.example/account/1")
                    .body(b"{}".to_vec())
                    .unwrap()
            }
            _ => answer(&request),
        };
        Ok(made)
    };
    let text = "[acme]\nnames = \"a.example\"\nterms_agreed = true\ndirectory = \"https://ca.example/directory\"";
    let document = Document::parse("configuration", text, &[Section::of::<AcmeOptions>("acme")]);
    let uses = Uses { public: true, plain: true, ..Uses::default() };
    let config = Config::new(document.unwrap().read("acme").unwrap(), uses).unwrap().unwrap();
    let data = tempfile::tempdir().unwrap();
    let (folder, listeners) = (Folder::of(data.path()), Listeners::default());
    let client = Client::over(sender, clock);
    let orderer =
        Orderer { config: &config, folder: &folder, listeners: &listeners, client: &client };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(act(orderer))
}

/// A certificate by an authority, which names the key of the authority.
fn issued() -> Certificate {
    let mut root = CertificateParams::new(Vec::new()).unwrap();
    root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = CertifiedIssuer::self_signed(root, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let mut leaf = CertificateParams::new(vec!["a.example".to_owned()]).unwrap();
    leaf.use_authority_key_identifier_extension = true;
    let leaf = leaf.signed_by(&key, &root).unwrap();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    Certificate::from_der(vec![leaf.der().clone()], key.into()).unwrap()
}

fn window(start: &str, end: &str) -> Response<Vec<u8>> {
    let text = format!(r#"{{"suggestedWindow":{{"start":"{start}","end":"{end}"}}}}"#);
    Response::builder().header("retry-after", "21600").body(text.into()).unwrap()
}

#[test]
fn the_window_of_the_authority_is_read() {
    let certificate = issued();
    let id = identifier(&certificate).expect("an identifier").to_string();
    // RFC 9773 section 4.1: two parts in base64url.
    let path = format!("/renewal/{id}");
    let answer = move |request: &Request<Bytes>| {
        assert_eq!((request.method().as_str(), request.uri().path()), ("GET", &*path));
        window("2026-02-01T00:00:00Z", "2026-02-03T00:00:00Z")
    };
    let found = orderer(answer, async |orderer| orderer.window(&certificate).await);
    let (window, pause) = found.unwrap();
    let time = |text: &str| text.parse::<Timestamp>().unwrap();
    let expected = Window::new(time("2026-02-01T00:00:00Z"), time("2026-02-03T00:00:00Z"));
    assert!(window == expected && window.is_some(), "{window:?}");
    assert!(pause > Duration::from_secs(21_000) && pause <= Duration::from_secs(21_600));
}

#[test]
fn a_window_that_is_none_is_no_answer() {
    let certificate = issued();
    let backwards = |_: &Request<Bytes>| window("2026-02-03T00:00:00Z", "2026-02-01T00:00:00Z");
    let found = orderer(backwards, async |orderer| orderer.window(&certificate).await);
    assert_eq!(found.unwrap().0, None);
    for text in ["", "{}", "[]", "\u{0}", r#"{"suggestedWindow":{"start":"x","end":"y"}}"#] {
        let answer = move |_: &Request<Bytes>| {
            Response::builder().header("retry-after", "9").body(text.into()).unwrap()
        };
        let found = orderer(answer, async |orderer| orderer.window(&certificate).await);
        assert!(found.is_err(), "{text:?}");
    }
}

#[test]
fn a_limit_of_rate_says_when_to_come_back() {
    // RFC 8555 section 6.6
    let answer = |_: &Request<Bytes>| {
        let problem =
            r#"{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many certificates"}"#;
        let made = Response::builder().status(429).header("retry-after", "7200");
        made.header("replay-nonce", "n").body(problem.into()).unwrap()
    };
    let error = orderer(answer, async |orderer| orderer.obtain(None).await.err()).expect("refused");
    assert!(error.is_problem("rateLimited"), "{error}");
    assert!(error.to_string().contains("too many certificates (rateLimited)"), "{error}");
    assert_eq!(error.retry_at().map(|at| at.to_string()).as_deref(), Some("2026-01-01T02:00:00Z"));
}

#[test]
fn answers_that_are_no_documents_are_told_by_their_status() {
    let answer = |_: &Request<Bytes>| {
        Response::builder().status(502).body(b"<html>Bad Gateway</html>".to_vec()).unwrap()
    };
    let error = orderer(answer, async |orderer| orderer.obtain(None).await.err()).expect("refused");
    let told = error.to_string();
    assert!(told.contains("https://ca.example/order answered 502 Bad Gateway"), "{told}");
}

#[test]
fn an_account_that_the_authority_forgot_is_created_again_once() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let orders = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&orders);
    let answer = move |_: &Request<Bytes>| {
        count.fetch_add(1, Relaxed);
        let problem =
            r#"{"type":"urn:ietf:params:acme:error:accountDoesNotExist","detail":"who?"}"#;
        Response::builder().status(400).header("replay-nonce", "n").body(problem.into()).unwrap()
    };
    let error = orderer(answer, async |orderer| orderer.obtain(None).await.err());
    assert!(error.expect("refused").is_problem("accountDoesNotExist"));
    assert_eq!(orders.load(Relaxed), 2, "not again and again");
}

#[test]
fn a_proof_is_a_certificate_for_one_handshake() {
    let digest = [7; 32];
    let proof = proving("id.example.org", &digest).unwrap();
    let der: &[u8] = proof.leaf().expect("a certificate");
    // id-pe-acmeIdentifier, critical, with the digest (RFC 8737 section 3).
    let extension =
        [&[0x06, 8, 0x2B, 6, 1, 5, 5, 7, 1, 0x1F, 1, 1, 0xFF, 4, 34, 4, 32], &digest[..]];
    let extension = extension.concat();
    assert!(der.windows(extension.len()).any(|part| part == extension), "{der:02X?}");
    assert!(proving("id.example.org", &digest[1..]).is_err());
}
