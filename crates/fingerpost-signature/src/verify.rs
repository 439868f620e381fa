//! Verification of signed answers (RFC 9421 section 3.2).

use std::fmt::Write;

use http::header::HeaderMap;
use jiff::Timestamp;
use sfv::{BareItem, Dictionary, FieldType, InnerList, ListEntry, Parser};

use crate::base::{self, RequestTarget};
use crate::key::{KeyDirectory, PublicKey};
use crate::limits::{CLOCK_DIFFERENCE, MAX_SIGNATURES};
use crate::sign::{CONTENT_DIGEST, SIGNATURE, SIGNATURE_INPUT};

/// Why an answer is not proven.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// There is no signature.
    #[error("the answer has no signature (Signature-Input and Signature, RFC 9421)")]
    Unsigned,
    /// A field cannot be read.
    #[error("the field {0} cannot be read as RFC 9421 defines it")]
    Malformed(&'static str),
    /// The key is not in the directory.
    #[error("the signature is by the key {0}, which is not among the expected keys")]
    UnknownKey(String),
    /// The signature covers something that this verifier does not know.
    #[error("the signature covers {0}, which this verifier does not know")]
    Unsupported(String),
    /// Something is not signed that must be.
    #[error("the signature does not cover {0}")]
    NotCovered(&'static str),
    /// The signature is of the future.
    #[error("the signature was made at {0}, which is in the future")]
    TooEarly(Timestamp),
    /// The signature is too old.
    #[error("the signature was valid until {0}")]
    Expired(Timestamp),
    /// The content is not what was signed.
    #[error("the content does not match its Content-Digest")]
    Digest,
    /// Something that is signed was changed.
    #[error(
        "the signature does not match: status, address, or what was requested is not what the key signed"
    )]
    Mismatch,
}

/// An answer to verify.
#[derive(Clone, Copy, Debug)]
pub struct SignedAnswer<'a> {
    /// The status.
    pub status: u16,
    /// The header fields.
    pub headers: &'a HeaderMap,
    /// The content as received, with its content coding.
    pub body: &'a [u8],
}

/// What a signature proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedAnswer {
    /// The name of the key.
    pub key: String,
    /// When the signature was made.
    pub created: Timestamp,
    /// Until when it is valid.
    pub expires: Option<Timestamp>,
    /// What it covers, as named in RFC 9421.
    pub covers: Vec<String>,
}

impl SignedAnswer<'_> {
    /// Verifies the answer to a request with these keys. Of several signatures one must hold.
    ///
    /// # Errors
    ///
    /// Why the last signature does not hold, see [`VerifyError`].
    pub fn verify(
        &self,
        target: RequestTarget<'_>,
        keys: &KeyDirectory,
        now: Timestamp,
    ) -> Result<VerifiedAnswer, VerifyError> {
        let inputs = dictionary(self.headers, &SIGNATURE_INPUT, "Signature-Input")?;
        let signatures = dictionary(self.headers, &SIGNATURE, "Signature")?;
        let mut result = Err(VerifyError::Unsigned);
        for (label, input) in inputs.iter().take(MAX_SIGNATURES) {
            let ListEntry::InnerList(input) = input else {
                return Err(VerifyError::Malformed("Signature-Input"));
            };
            let Some(ListEntry::Item(signature)) = signatures.get(label) else {
                return Err(VerifyError::Malformed("Signature"));
            };
            let BareItem::ByteSequence(signature) = &signature.bare_item else {
                return Err(VerifyError::Malformed("Signature"));
            };
            result = self.verify_one(target, keys, input, signature, now);
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn verify_one(
        &self,
        target: RequestTarget<'_>,
        keys: &KeyDirectory,
        input: &InnerList,
        signature: &[u8],
        now: Timestamp,
    ) -> Result<VerifiedAnswer, VerifyError> {
        let wrong = VerifyError::Malformed("Signature-Input");
        let number = |name: &str| match input.params.get(name) {
            None => Ok(None),
            Some(BareItem::Integer(seconds)) => Timestamp::from_second(i64::from(*seconds))
                .map(Some)
                .map_err(|_| VerifyError::Malformed("Signature-Input")),
            Some(_) => Err(VerifyError::Malformed("Signature-Input")),
        };
        let created = number("created")?.ok_or(wrong)?;
        let expires = number("expires")?;
        let key = match input.params.get("keyid") {
            Some(BareItem::String(id)) => id.as_str().to_owned(),
            _ => return Err(VerifyError::Malformed("Signature-Input")),
        };
        let public: &PublicKey =
            keys.find(&key).ok_or_else(|| VerifyError::UnknownKey(key.clone()))?;
        let covers = self.check_coverage(input)?;
        let mut lines = String::new();
        for (item, name) in input.items.iter().zip(&covers) {
            let value = self.component(target, name)?;
            let item = sfv_text(item)?;
            let _ = writeln!(lines, "{item}: {value}");
        }
        let parameters = sfv_list(input)?;
        let signed = base::with_parameters(&lines, &parameters);
        if !public.verifies(signed.as_bytes(), signature) {
            return Err(VerifyError::Mismatch);
        }
        if covers.iter().any(|name| name == "content-digest") {
            self.check_digest()?;
        }
        if created.as_second() > now.as_second().saturating_add(CLOCK_DIFFERENCE) {
            return Err(VerifyError::TooEarly(created));
        }
        if let Some(expired) = expires.filter(|expires| *expires < now) {
            return Err(VerifyError::Expired(expired));
        }
        Ok(VerifiedAnswer { key, created, expires, covers })
    }

    /// Returns the names of the covered components, which must say what was answered to what.
    fn check_coverage(&self, input: &InnerList) -> Result<Vec<String>, VerifyError> {
        let names = input.items.iter().map(|item| {
            let BareItem::String(name) = &item.bare_item else {
                return Err(VerifyError::Malformed("Signature-Input"));
            };
            let parameters: Vec<_> = item.params.iter().collect();
            match parameters[..] {
                [] => Ok(name.as_str().to_owned()),
                [(key, BareItem::Boolean(true))] if key.as_str() == "req" => {
                    Ok(format!("{name};req"))
                }
                _ => Err(VerifyError::Unsupported(sfv_text(item)?)),
            }
        });
        let names: Vec<String> = names.collect::<Result<_, _>>()?;
        let has = |name: &str| names.iter().any(|covered| covered == name);
        let content = !self.body.is_empty();
        for (name, is_needed) in [
            ("@status", true),
            ("@path;req", true),
            ("@query;req", true),
            ("location", self.headers.contains_key("location")),
            ("content-digest", content),
            ("content-type", content),
        ] {
            if is_needed && !has(name) {
                return Err(VerifyError::NotCovered(name));
            }
        }
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        // Section 2.5: each component once.
        if sorted.len() != names.len() {
            return Err(VerifyError::Malformed("Signature-Input"));
        }
        Ok(names)
    }

    fn component(&self, target: RequestTarget<'_>, name: &str) -> Result<String, VerifyError> {
        let unsupported = || VerifyError::Unsupported(name.to_owned());
        Ok(match name {
            "@status" => self.status.to_string(),
            "@path;req" => target.path_component().to_owned(),
            "@query;req" => target.query_component(),
            _ if name.starts_with('@') || name.ends_with(";req") => return Err(unsupported()),
            field => {
                let values = self.headers.get_all(field).into_iter();
                let values: Option<Vec<_>> =
                    values.map(|value| value.to_str().ok().map(str::trim)).collect();
                match values {
                    Some(values) if !values.is_empty() => values.join(", "),
                    _ => return Err(VerifyError::Mismatch),
                }
            }
        })
    }

    /// Compares the content with its digest: SHA-256, which every signer here writes.
    fn check_digest(&self) -> Result<(), VerifyError> {
        let digests = dictionary(self.headers, &CONTENT_DIGEST, "Content-Digest")?;
        let expected = base::content_digest(self.body);
        match digests.get("sha-256") {
            Some(ListEntry::Item(item)) => {
                let BareItem::ByteSequence(digest) = &item.bare_item else {
                    return Err(VerifyError::Malformed("Content-Digest"));
                };
                let found = format!("sha-256=:{}:", data_encoding::BASE64.encode(digest));
                if found == expected { Ok(()) } else { Err(VerifyError::Digest) }
            }
            _ => Err(VerifyError::Unsupported("a Content-Digest without sha-256".to_owned())),
        }
    }
}

fn dictionary(
    headers: &HeaderMap,
    name: &http::HeaderName,
    title: &'static str,
) -> Result<Dictionary, VerifyError> {
    let values: Vec<_> = headers.get_all(name).iter().map(http::HeaderValue::as_bytes).collect();
    if values.is_empty() {
        return Err(VerifyError::Unsigned);
    }
    let all = values.join(&b", "[..]);
    Parser::new(&all).parse().map_err(|_| VerifyError::Malformed(title))
}

fn sfv_text(item: &sfv::Item) -> Result<String, VerifyError> {
    Ok(item.serialize())
}

fn sfv_list(list: &InnerList) -> Result<String, VerifyError> {
    let list = vec![ListEntry::InnerList(list.clone())];
    list.serialize().ok_or(VerifyError::Malformed("Signature-Input"))
}
