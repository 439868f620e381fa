//! URIs, URNs and the first URI syntax of the web: parse, build, resolve, normalise, compare,
//! extract.
//!
//! The generic syntax is that of RFC 3986 (STD 66); its last draft,
//! draft-fielding-uri-rfc2396bis-07, has no difference that a program could observe. URNs follow
//! RFC 8141 and the working-group draft of October 2012 ([`urn`]); the syntax of 1994 is in a
//! separate module ([`www`]).
//!
//! # Examples
//!
//! Split a URI into its components. Nothing is copied, and every accessor takes constant time:
//!
//! ```
//! use fingerpost_uri::{Host, Uri};
//!
//! let uri = Uri::parse("https://[2001:db8::1]:8443/a/b?x=1#top")?;
//! assert!(matches!(uri.host(), Some(Host::Ipv6(_))));
//! assert_eq!(uri.authority().and_then(|authority| authority.port_number()), Some(8443));
//! # Ok::<(), fingerpost_uri::ParseError>(())
//! ```
//!
//! Resolve a reference ([`UriRef::resolve`]), or compute one ([`Uri::relativise`]):
//!
//! ```
//! use fingerpost_uri::{Uri, UriRef};
//!
//! let base = Uri::parse("http://a/b/c/d;p?q")?;
//! let target = UriRef::parse("../../g")?.resolve(base);
//! assert_eq!(target.as_str(), "http://a/g");
//! # Ok::<(), fingerpost_uri::ParseError>(())
//! ```
//!
//! Compare two references, and find the lowest level of normalisation that makes them equal
//! ([`UriRef::equal_at`], [`UriRef::normalise`]):
//!
//! ```
//! use fingerpost_uri::{Rung, UriRef};
//!
//! let (a, b) = (UriRef::parse("http://example.com/%7Ejane")?, UriRef::parse("http://example.com/~jane")?);
//! assert_eq!(a.equal_at(b), Some(Rung::Percent));
//! # Ok::<(), fingerpost_uri::ParseError>(())
//! ```
//!
//! Build a URI from data ([`UriBuilder`]), extract URIs from text ([`extract`]), and parse a URN
//! ([`urn::Urn`]).
//!
//! # Terminology
//!
//! A *URI reference* ([`UriRef`]) is a *URI* ([`Uri`], with a scheme) or a *relative reference*
//! (RFC 3986 section 4.1). An *absolute URI* is a URI without a fragment (section 4.3). An
//! *undefined* component is `None`, which differs from an *empty* one (section 5.3). The *rungs* of
//! the comparison ladder ([`Rung`]) are those of section 6.2.
//!
//! # Features
//!
//! - `serde`: serialises URIs and URNs as their texts, and checks them when they are read. Off by
//!   default; adds `serde_core`.
//!
//! Without features the crate is `no_std` with `alloc` and has no dependencies. It has no `unsafe`
//! code. It accepts texts of up to [`MAX_LEN`] bytes. All operations take time linear in the length
//! of the text, except those that compare all directives of a URN with each other, which sort them.
//! `.ci/steps` counts the steps of every reader on the slowest inputs known.
//!
//! # Differences
//!
//! This crate makes the following choices where the standard leaves room or where other careful
//! implementations differ:
//!
//! - **Dots in triplets**. Resolution removes dot-segments as written: `%2e%2e` is an ordinary
//!   segment, as in the algorithm of section 5.2.4. `fluent-uri` and `iri-string` decode dots while
//!   resolving; here that is [`ResolveOptions::decode_dots`]. Normalisation decodes first, so there
//!   both agree.
//! - **Paths that would become hosts**. When the target has no authority and its path would begin
//!   with `//`, `/.` is written before it, which makes the result parse to the same components:
//!   `foo:/a` and `..//b` give `foo:/.//b`. `fluent-uri` and `iri-string` do the same; the plain
//!   recomposition of section 5.3 does not.
//! - **Bases without a hierarchy**. `urn:a:b` and `c` resolve to `urn:c`, following section 5.2.3;
//!   `fluent-uri` returns an error.
//! - **Dots in the base**. The path of the base is used as written, following sections 5.2.2 and 5.2.3:
//!   `http://h/..` and `?q` give `http://h/..?q`. `fluent-uri` removes the dot-segments of the base first.
//! - **Rootless paths**. Normalisation removes their dot-segments, as resolution does: `x:a/../b`
//!   becomes `x:/b`. `fluent-uri` does not change them.
//! - **The scheme rung**. Only for schemes in a table ([`Schemes`]), an empty path becomes `/` and
//!   a default port is removed, although section 6.2.3 says "in general": two different URIs must
//!   never become equal.
//! - **IPv6 addresses** are converted to lower case, not rewritten according to RFC 5952.
//! - **Zone identifiers** in addresses are errors, as in RFC 3986.
//!
//! # Speed
//!
//! `benches/peers` compares this crate with fluent-uri, oxiri, iri-string, uriparse, iref, url,
//! http and urn in one run. The table gives the other crate's time divided by ours (below 1: the
//! other crate is faster), as the median of three runs (reading: five) on a busy machine with two
//! cores:
//!
//! | | fluent-uri's time | the best peer's time |
//! |---|---|---|
//! | read 1,000 mixed URIs | 1.87 | 1.87 (fluent-uri) |
//! | read four short URIs | 1.53 | 1.53 (fluent-uri) |
//! | read a query of 2 kB | 1.47 | 1.47 (fluent-uri) |
//! | read an IPv6 host | 1.49 | 1.49 (fluent-uri) |
//! | read 120 triplets | 1.71 | 1.71 (fluent-uri) |
//! | read 120 dot-segments | 1.57 | 1.25 (oxiri) |
//! | read three invalid texts | 1.45 | 1.45 (fluent-uri) |
//! | resolve the examples of RFC 3986 | 2.31 | 1.62 (oxiri) |
//! | resolve the links of a page | 2.54 | 1.59 (oxiri) |
//! | resolve many dot-segments | 2.32 | 1.73 (oxiri) |
//! | normalise 1,000 mixed URIs | 2.17 | 2.17 (fluent-uri) |
//! | normalise four short URIs | 3.08 | 3.08 (fluent-uri) |
//! | normalise a query of 2 kB | 20.08 | 5.88 (uriparse) |
//! | normalise an IPv6 host | 4.82 | 4.82 (fluent-uri) |
//! | normalise 120 triplets | 5.19 | 2.31 (uriparse) |
//! | normalise 120 dot-segments | 2.26 | 2.26 (fluent-uri) |
//! | read URNs as usual | not compared | 2.19 (urn) |
//! | read URNs in other case | not compared | 1.99 (urn) |
//!
//! The goals were 1.3 times as fast as fluent-uri in reading, and 1.5 times as fast as the best
//! peer in resolving, normalising and reading URNs. All are met; oxiri is close on dot-segments,
//! and http on long queries in some builds. Code placement by the compiler changes single rows by
//! up to a fifth between builds, and http's long query by more. Nanoseconds, all peers and the
//! differences in what they do: `docs/benchmarks.md`.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

extern crate alloc;

mod authority;
mod base;
mod build;
mod class;
mod dots;
mod error;
mod extract;
mod ip;
mod limits;
mod lint;
mod normalise;
mod owned;
mod parse;
mod password;
mod path;
pub mod percent;
mod relativise;
mod resolve;
mod schemes;
mod sink;
mod span;
mod split;
mod text;
mod typed;
mod uri_ref;
mod words;

pub mod urn;
pub mod www;

pub use authority::{Authority, Host};
pub use base::BaseUris;
pub use build::UriBuilder;
pub use error::{Component, ErrorKind, ParseError};
pub use extract::{ExtractOptions, ExtractedForm, ExtractedUri, extract};
pub use limits::MAX_LEN;
pub use lint::UriLint;
pub use normalise::Rung;
pub use owned::{UriBuf, UriRefBuf};
pub use parse::HostKind;
pub use password::{hide_password, password_span};
pub use path::{Path, PathForm, Query};
pub use percent::{Encoded, encode};
pub use resolve::ResolveOptions;
pub use schemes::{SchemeRules, Schemes};
pub use span::Span;
pub use split::{Split, split};
pub use typed::{Delimiter, Typed};
pub use uri_ref::{ReferenceKind, Uri, UriRef};

/// Longer texts about this crate.
pub mod _documentation {
    #[doc = include_str!("../COMPARE.md")]
    pub mod comparison {}

    #[doc = include_str!("../DESIGN.md")]
    pub mod design {}
}
