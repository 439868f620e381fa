//! Signing. Finished signatures are kept, because a hot answer is the same for a million phones.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::{BASE64, BASE64URL_NOPAD};
use http::HeaderValue;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use jiff::{SignedDuration, Timestamp};

use crate::base::{self, RequestTarget};
use crate::key::{PublicKey, SigningKey};
use crate::limits::{MAX_FINISHED, MAX_FINISHED_BYTES};

pub(crate) const SIGNATURE: HeaderName = HeaderName::from_static("signature");
pub(crate) const SIGNATURE_INPUT: HeaderName = HeaderName::from_static("signature-input");
pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// Adds signatures to answers.
pub struct Signer {
    key: SigningKey,
    /// `;keyid="…";alg="ed25519"`.
    key_parameters: String,
    key_id: String,
    valid_for: SignedDuration,
    finished: Box<[Mutex<Option<Arc<Finished>>>]>,
    hasher: RandomState,
}

/// A signature that can be sent again.
struct Finished {
    lines: Box<str>,
    created: Timestamp,
    input: HeaderValue,
    signature: HeaderValue,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Signer {
    /// Creates a signer. A signature is sent again for half of the time that it is valid.
    pub fn new(key: SigningKey, valid_for: SignedDuration) -> Self {
        let key_id = key.public().id();
        Self {
            key_parameters: format!(r#";keyid="{key_id}";alg="ed25519""#),
            key_id,
            key,
            valid_for,
            finished: (0..MAX_FINISHED).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
        }
    }

    /// Returns the public part of the key.
    pub fn public_key(&self) -> PublicKey {
        self.key.public()
    }

    /// Signs a redirect by its `Location`. Without one, or with bytes that are not ASCII in it, no
    /// signature is added.
    pub fn sign_redirect(
        &self,
        target: RequestTarget<'_>,
        status: u16,
        fields: &mut HeaderMap,
        now: Timestamp,
    ) {
        let location = fields.get(LOCATION).and_then(|location| location.to_str().ok());
        let Some(location) = location else { return };
        let lines = base::lines(target, status, &[("location", location)]);
        self.add(base::REDIRECT, lines, fields, now);
    }

    /// Signs an answer with content: adds `Content-Digest`, and the signature over it and
    /// `Content-Type`.
    pub fn sign_content(
        &self,
        target: RequestTarget<'_>,
        status: u16,
        fields: &mut HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) {
        let digest = base::content_digest(body);
        let kind = fields.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let Some(kind) = kind else { return };
        let covered = [("content-type", kind), ("content-digest", &digest)];
        let lines = base::lines(target, status, &covered);
        let Some(digest) = base::value(digest) else { return };
        fields.insert(CONTENT_DIGEST, digest);
        self.add(base::CONTENT, lines, fields, now);
    }

    /// Returns a JSON Web Signature in compact form over a document of this media type, which is
    /// written without `application/` (RFC 7515 section 4.1.10).
    pub fn archive(&self, media_type: &str, document: &[u8], now: Timestamp) -> String {
        let header = serde_json::json!({
            "alg": "EdDSA",
            "cty": media_type.strip_prefix("application/").unwrap_or(media_type),
            "iat": now.as_second(),
            "kid": self.key_id,
        });
        let header = BASE64URL_NOPAD.encode(header.to_string().as_bytes());
        let signed = format!("{header}.{}", BASE64URL_NOPAD.encode(document));
        let signature = BASE64URL_NOPAD.encode(&self.key.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    fn add(&self, components: &str, lines: String, fields: &mut HeaderMap, now: Timestamp) {
        let index = usize::try_from(self.hasher.hash_one(&lines)).unwrap_or_default();
        let slot = &self.finished[index % MAX_FINISHED];
        let kept = slot.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let finished = match kept.filter(|kept| *kept.lines == *lines && self.is_fresh(kept, now)) {
            Some(kept) => kept,
            None => {
                let Some(finished) = self.finish(components, lines, now) else { return };
                let finished = Arc::new(finished);
                if finished.lines.len() <= MAX_FINISHED_BYTES {
                    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                    *slot = Some(Arc::clone(&finished));
                }
                finished
            }
        };
        fields.insert(SIGNATURE_INPUT, finished.input.clone());
        fields.insert(SIGNATURE, finished.signature.clone());
    }

    fn is_fresh(&self, finished: &Finished, now: Timestamp) -> bool {
        let age = now.duration_since(finished.created);
        !age.is_negative() && age < self.valid_for / 2
    }

    fn finish(&self, components: &str, lines: String, now: Timestamp) -> Option<Finished> {
        let created = Timestamp::from_second(now.as_second()).ok()?;
        let expires = created.checked_add(self.valid_for).ok()?.as_second();
        let parameters = format!(
            "{components};created={};expires={expires}{}",
            created.as_second(),
            self.key_parameters
        );
        let signed = base::with_parameters(&lines, &parameters);
        let signature = BASE64.encode(&self.key.sign(signed.as_bytes()));
        Some(Finished {
            lines: lines.into(),
            created,
            input: base::value(format!("fingerpost={parameters}"))?,
            signature: base::value(format!("fingerpost=:{signature}:"))?,
        })
    }
}
