//! The results of the last attempts to get a certificate, for the next start, metrics and
//! `fingerpost doctor`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The state of the renewal. It contains no secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CertificateState {
    /// The directory of the authority that issued the certificate.
    pub issued_by: Option<String>,
    /// When it was issued.
    pub issued_at: Option<Timestamp>,
    /// When the next attempt begins.
    pub next_attempt: Option<Timestamp>,
    /// Attempts that failed since the last one that succeeded.
    pub failures: u32,
    /// The last of them.
    pub last_failure: Option<LastFailure>,
}

/// An attempt that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFailure {
    /// When it failed.
    pub at: Timestamp,
    /// Why, in words.
    pub reason: String,
    /// When the authority wants to be asked again, if it said so.
    pub retry_at: Option<Timestamp>,
}
