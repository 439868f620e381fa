//! Signed answers: the example of the standard, every single change, rotation of keys, archives.

use fingerpost_signature::{
    ArchiveError, KeyDirectory, RequestTarget, SignedAnswer, Signer, SigningKey, VerifyError,
    verify_archive,
};
use http::HeaderMap;
use jiff::Timestamp;
use proptest::prelude::*;

/// The key of RFC 9421 appendix B.1.4.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
";

const BODY: &[u8] = br#"{"linkset": []}"#;

fn signer() -> Signer {
    Signer::new(SigningKey::from_pem(KEY.as_bytes()).unwrap(), "24h".parse().unwrap())
}

fn keys() -> KeyDirectory {
    KeyDirectory::new([signer().public_key()])
}

fn now() -> Timestamp {
    "2026-11-27T12:00:00Z".parse().unwrap()
}

fn target() -> RequestTarget<'static> {
    RequestTarget::new("/01/09506000134352?linkType=gs1:pip")
}

fn fields(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

fn redirect() -> HeaderMap {
    let mut headers = fields(&[("location", "https://brand.example/p?a=b")]);
    signer().sign_redirect(target(), 307, &mut headers, now());
    headers
}

fn linkset() -> HeaderMap {
    let mut headers = fields(&[("content-type", "application/linkset+json")]);
    signer().sign_content(target(), 200, &mut headers, BODY, now());
    headers
}

fn verify(status: u16, headers: &HeaderMap, body: &[u8]) -> Result<(), VerifyError> {
    let answer = SignedAnswer { status, headers, body };
    answer.verify(target(), &keys(), now()).map(|_| ())
}

/// The text that is signed, as this test writes it from section 2.5 of RFC 9421, and the signature
/// that another implementation of Ed25519 makes of it (`openssl pkeyutl -sign -rawin`).
#[test]
fn a_redirect_is_signed_as_written_in_the_standard() {
    let headers = redirect();
    let input = headers["signature-input"].to_str().unwrap();
    assert_eq!(
        input,
        "fingerpost=(\"@status\" \"location\" \"@path\";req \"@query\";req);created=1795780800;expires=1795867200;\
         keyid=\"poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U\";alg=\"ed25519\""
    );
    assert_eq!(headers["signature"], SIGNATURE_BY_OPENSSL);
}

const SIGNATURE_BY_OPENSSL: &str = "fingerpost=:TN+OXQDt4RHWOsKsWfEChU/rx8H0EjohMegUl/X79DcK8etVKpJ5jsRLyhsUvJiTHb3tsG6I+i3vKkz9WeKHAA==:";

/// 36.2: whatever is changed in a redirect, the signature does not hold.
#[test]
fn every_change_of_a_redirect_is_found() {
    assert_eq!(verify(307, &redirect(), b""), Ok(()));
    assert_eq!(verify(302, &redirect(), b""), Err(VerifyError::Mismatch));
    let mut headers = redirect();
    headers.insert("location", "https://evil.example/".parse().unwrap());
    assert_eq!(verify(307, &headers, b""), Err(VerifyError::Mismatch));
    for other in
        ["/01/09506000134369?linkType=gs1:pip", "/01/09506000134352", "/01/09506000134352?"]
    {
        let headers = redirect();
        let answer = SignedAnswer { status: 307, headers: &headers, body: b"" };
        let result = answer.verify(RequestTarget::new(other), &keys(), now());
        assert_eq!(result, Err(VerifyError::Mismatch), "{other}");
    }
    let mut headers = redirect();
    headers.remove("signature");
    assert_eq!(verify(307, &headers, b""), Err(VerifyError::Unsigned));
}

/// 36.2: the content is bound by its digest (RFC 9530), the media type by the signature.
#[test]
fn every_change_of_a_linkset_is_found() {
    assert_eq!(verify(200, &linkset(), BODY), Ok(()));
    assert_eq!(verify(200, &linkset(), b"{}"), Err(VerifyError::Digest));
    let mut headers = linkset();
    headers.insert("content-type", "text/html".parse().unwrap());
    assert_eq!(verify(200, &headers, BODY), Err(VerifyError::Mismatch));
    // A signature of something smaller is none of this answer.
    let mut headers = redirect();
    headers.insert("content-type", "text/html".parse().unwrap());
    assert_eq!(verify(307, &headers, BODY), Err(VerifyError::NotCovered("content-digest")));
    let mut headers = linkset();
    headers.insert("location", "https://evil.example/".parse().unwrap());
    assert_eq!(verify(200, &headers, BODY), Err(VerifyError::NotCovered("location")));
}

#[test]
fn times_and_keys_are_checked() {
    let headers = redirect();
    let answer = SignedAnswer { status: 307, headers: &headers, body: b"" };
    let at = |text: &str| answer.verify(target(), &keys(), text.parse().unwrap());
    let expired = "2026-11-28T12:00:00Z".parse().unwrap();
    assert_eq!(at("2026-11-28T12:00:01Z"), Err(VerifyError::Expired(expired)));
    assert_eq!(at("2026-11-27T11:58:00Z"), Err(VerifyError::TooEarly(now())));
    // A minute of difference between two clocks is usual.
    assert!(at("2026-11-27T11:59:30Z").is_ok());
    let (other, _) = SigningKey::generate().unwrap();
    let unknown = answer.verify(target(), &KeyDirectory::new([other.public()]), now());
    assert!(matches!(unknown, Err(VerifyError::UnknownKey(_))));
    // After a rotation the former key is still published.
    let both = KeyDirectory::new([other.public(), signer().public_key()]);
    assert!(answer.verify(target(), &both, now()).is_ok());
}

/// A finished signature is sent again for half of its time; then there is a new one.
#[test]
fn finished_signatures_are_renewed() {
    let signer = signer();
    let sign = |at: &str| {
        let mut headers = fields(&[("location", "https://brand.example/")]);
        signer.sign_redirect(target(), 307, &mut headers, at.parse().unwrap());
        headers["signature"].clone()
    };
    let first = sign("2026-11-27T12:00:00Z");
    assert_eq!(sign("2026-11-27T23:59:59Z"), first);
    let second = sign("2026-11-28T00:00:00Z");
    assert_ne!(second, first);
    // A clock that was set back must not send signatures of the future.
    assert_ne!(sign("2026-11-27T12:00:00Z"), second);
}

#[test]
fn archives_are_verified() {
    let text = signer().archive("application/linkset+json", BODY, now());
    let verified = verify_archive(&text, &keys()).unwrap();
    assert_eq!(verified.document, BODY);
    assert_eq!(verified.media_type.as_deref(), Some("application/linkset+json"));
    assert_eq!(verified.created, Some(now()));
    let parts: Vec<_> = text.split('.').collect();
    let other = signer().archive("application/linkset+json", b"{}", now());
    let other: Vec<_> = other.split('.').collect();
    let mixed = [parts[0], other[1], parts[2]].join(".");
    assert_eq!(verify_archive(&mixed, &keys()), Err(ArchiveError::Mismatch));
    // {"alg":"none","kid":"x"}
    let unsigned = format!("eyJhbGciOiJub25lIiwia2lkIjoieCJ9.{}.", parts[1]);
    assert_eq!(verify_archive(&unsigned, &keys()), Err(ArchiveError::Algorithm("none".to_owned())));
    let (other, _) = SigningKey::generate().unwrap();
    let unknown = verify_archive(&text, &KeyDirectory::new([other.public()]));
    assert!(matches!(unknown, Err(ArchiveError::UnknownKey(_))));
}

proptest! {
    /// Any bytes in the fields get an answer, and never that they are proven.
    #[test]
    fn no_text_is_taken_for_a_signature(input in "[ -~]{0,200}", signature in "[ -~]{0,100}") {
        let mut headers = redirect();
        headers.insert("signature-input", input.parse().unwrap());
        headers.insert("signature", signature.parse().unwrap());
        prop_assert!(verify(307, &headers, b"").is_err());
        prop_assert!(verify_archive(&input, &keys()).is_err());
    }

    /// A signature with one changed byte does not hold.
    #[test]
    fn no_changed_byte_is_overlooked(at in 0usize..400, to in b' '..=b'~') {
        let headers = redirect();
        for name in ["signature-input", "signature", "location"] {
            let mut changed = headers.clone();
            let mut bytes = headers[name].as_bytes().to_vec();
            let at = at % bytes.len();
            if bytes[at] == to {
                continue;
            }
            bytes[at] = to;
            changed.insert(name, bytes.as_slice().try_into().unwrap());
            // The last letter of base64 has bits that stand for nothing.
            let is_same = name == "signature" && at + 4 >= bytes.len();
            prop_assert!(is_same || verify(307, &changed, b"").is_err(), "{name} {at} {to}");
        }
    }
}
