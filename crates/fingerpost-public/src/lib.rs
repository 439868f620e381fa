//! The public side of a GS1-Conformant Resolver over HTTP/1.1 and HTTP/2, with TLS and
//! configuration.
//!
//! Implements the transport of the GS1-Conformant Resolver Standard 1.2.0 (sections 2.2, 2.4.1,
//! 2.10 and 3) on hyper. `fingerpost-resolver` decides what a request resolves to,
//! `fingerpost-store` stores the records. HTTP semantics are those of RFC 9110, problem documents
//! those of RFC 9457.
//!
//! # Terminology
//!
//! - *Public side*: the listener for everybody. It only reads.
//! - *Reserved paths*: the paths that are not Digital Links, such as `/.well-known/gs1resolver`
//!   (RES-2.4-18).
//!
//! # Examples
//!
//! In your own process, without sockets:
//!
//! ```
//! use fingerpost_public::{Config, Router};
//! # use fingerpost_store::{Store, StoreOptions};
//! # let folder = tempfile::tempdir()?;
//! # let store = Store::open(folder.path(), StoreOptions::default())?;
//!
//! let router = Router::new(Config::from_toml("")?, store);
//! let request = http::Request::get("/01/09520123456788").body(())?;
//! assert_eq!(router.handle(&request).status(), 404); // nothing is registered yet
//! let request = http::Request::get("/01/09520123456789").body(())?;
//! assert_eq!(router.handle(&request).status(), 400); // wrong check digit
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Server`]: the same over sockets, until shutdown.
//! - [`Config`]: the operator's configuration.
//!
//! # Differences from the standard
//!
//! None known. Project decisions beyond it are in `docs/requirements/resolver.md` and
//! `docs/reference/conformance.md`.

#![forbid(unsafe_code)]

// The operator's configuration.
mod config;
mod copy_status;
mod country;
// Sockets and threads.
mod server;
// Requests and answers.
mod fields;
mod limits;
mod linkset;
mod pages;
mod problem;
mod proof;
mod redirect;
mod reserved;
mod scans;
mod service;
mod signing;
mod surrogates;
mod texts;

pub use config::{
    Brand, BrandOptions, CacheOptions, CachingOptions, Colour, Config, CountryOptions,
    CountrySource, DEFAULT_RESOLVER_ROOT, FooterLink, ListenOptions, Localised, Logo,
    MediaTypeOptions, SignatureOptions, SignedLinkOptions,
};
pub use copy_status::CopyStatus;
pub use country::FindCountry;
pub use fingerpost_response::Body;
use fingerpost_response::{headers, respond};
pub use proof::{TokenFault, VerifyToken};
pub use server::Server;
pub use service::{Peer, Router};
