//! Signs the answers of a resolver, and verifies signed ones, so that anyone who keeps an answer
//! can show where it came from.
//!
//! - Redirects and linksets carry an HTTP Message Signature (RFC 9421) with Ed25519. It covers the
//!   status, path and query of the request, and `Location`, or `Content-Type` and `Content-Digest`
//!   (RFC 9530).
//! - A linkset for an archive is a JSON Web Signature in its compact form (RFC 7515, RFC 8037).
//! - Public keys are published as a JSON Web Key Set at [`KeyDirectory::PATH`]. The name of a key
//!   is its thumbprint (RFC 7638), so a name never stands for another key.
//!
//! ```
//! use fingerpost_signature::{KeyDirectory, RequestTarget, SignedAnswer, Signer, SigningKey};
//! use http::HeaderMap;
//!
//! let now = "2026-11-27T12:00:00Z".parse()?;
//! let (key, _pem) = SigningKey::generate()?;
//! let keys = KeyDirectory::new([key.public()]);
//! let signer = Signer::new(key, "24h".parse()?);
//!
//! let target = RequestTarget { path: "/01/09506000134352", query: None };
//! let mut headers = HeaderMap::new();
//! headers.insert("location", "https://brand.example/".parse()?);
//! signer.sign_redirect(target, 307, &mut headers, now);
//!
//! let answer = SignedAnswer { status: 307, headers: &headers, body: b"" };
//! let verified = answer.verify(target, &keys, now)?;
//! assert_eq!(verified.created, now);
//!
//! headers.insert("location", "https://evil.example/".parse()?);
//! let answer = SignedAnswer { status: 307, headers: &headers, body: b"" };
//! assert!(answer.verify(target, &keys, now).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod archive;
mod base;
mod key;
mod limits;
mod sign;
mod verify;

pub use archive::{ArchiveError, VerifiedArchive, verify_archive};
pub use base::RequestTarget;
pub use key::{KeyDirectory, KeyError, PublicKey, SigningKey};
pub use sign::Signer;
pub use verify::{SignedAnswer, VerifiedAnswer, VerifyError};
