//! Certificates by ACME (RFC 8555): gets one certificate for all names from an authority, keeps it
//! with the account in the data directory, and renews it in time (RFC 9773), while the listeners
//! that present it go on serving.
//!
//! # Terminology
//!
//! - *Authority*: a server that issues certificates (CA), known by the address of its directory
//!   (RFC 8555 section 7.1.1).
//! - *Challenge*: the proof that this server is reached under a name (RFC 8555 section 8):
//!   `http-01` (section 8.3) or `tls-alpn-01` (RFC 8737).
//! - *Window*: the time in which the authority suggests to renew (RFC 9773 section 4.2).
//!
//! # Examples
//!
//! - [`AcmeOptions`]: the table `acme` of the configuration; [`Config`]: the same, checked.
//! - [`Keeper`]: gets the certificate, gives it to the [`Listeners`], and renews it.
//! - [`CertificateState`]: the results of the last attempts, for metrics and `fingerpost doctor`.

#![forbid(unsafe_code)]

mod client;
mod config;
mod error;
mod folder;
mod keeper;
mod limits;
mod listeners;
mod order;
mod schedule;
mod state;

pub use config::{AcmeOptions, Challenge, Config, Uses};
pub use error::AcmeError;
pub use folder::Folder;
pub use keeper::{Counts, Keeper};
pub use listeners::Listeners;
pub use state::{CertificateState, LastFailure};
