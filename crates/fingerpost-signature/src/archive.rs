//! Documents for archives: JSON Web Signatures in compact form (RFC 7515) with EdDSA (RFC 8037).

use data_encoding::BASE64URL_NOPAD;
use jiff::Timestamp;
use serde::Deserialize;

use crate::key::KeyDirectory;

/// Why a signed document is not proven.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The text has another form.
    #[error(
        "expected a JSON Web Signature in compact form: three parts in base64url, with points between them"
    )]
    Malformed,
    /// The signature is of another kind.
    #[error("expected a signature with EdDSA, found {0}")]
    Algorithm(String),
    /// The key is not in the directory.
    #[error("the signature is by the key {0}, which is not among the expected keys")]
    UnknownKey(String),
    /// The document was changed.
    #[error("the signature does not match the document")]
    Mismatch,
}

/// A proven document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedArchive {
    /// The name of the key.
    pub key: String,
    /// When the signature was made, if it says so.
    pub created: Option<Timestamp>,
    /// The media type of the document, if it is stated.
    pub media_type: Option<String>,
    /// The document.
    pub document: Vec<u8>,
}

/// The protected header.
#[derive(Deserialize)]
struct Protected {
    alg: String,
    kid: String,
    cty: Option<String>,
    iat: Option<i64>,
    /// Extensions that must be understood; none is.
    crit: Option<serde_json::Value>,
}

/// Verifies a document that [`Signer::archive`](crate::Signer::archive) signed. White space around
/// it is ignored.
///
/// # Errors
///
/// If no expected key signed it, see [`ArchiveError`].
pub fn verify_archive(text: &str, keys: &KeyDirectory) -> Result<VerifiedArchive, ArchiveError> {
    let decoded =
        |part: &str| BASE64URL_NOPAD.decode(part.as_bytes()).map_err(|_| ArchiveError::Malformed);
    let (signed, signature) = text.trim().rsplit_once('.').ok_or(ArchiveError::Malformed)?;
    let (header, document) = signed.split_once('.').ok_or(ArchiveError::Malformed)?;
    let header: Protected =
        serde_json::from_slice(&decoded(header)?).map_err(|_| ArchiveError::Malformed)?;
    if header.alg != "EdDSA" || header.crit.is_some() {
        return Err(ArchiveError::Algorithm(header.alg));
    }
    let Some(key) = keys.find(&header.kid) else {
        return Err(ArchiveError::UnknownKey(header.kid));
    };
    if !key.verifies(signed.as_bytes(), &decoded(signature)?) {
        return Err(ArchiveError::Mismatch);
    }
    Ok(VerifiedArchive {
        key: header.kid,
        created: header.iat.and_then(|seconds| Timestamp::from_second(seconds).ok()),
        media_type: header.cty.map(|kind| match kind.contains('/') {
            true => kind,
            false => format!("application/{kind}"),
        }),
        document: decoded(document)?,
    })
}
