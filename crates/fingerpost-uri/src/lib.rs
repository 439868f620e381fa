//! URIs, URNs and the first web syntax: parse, build, resolve, normalise, compare, find.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod authority;
mod build;
mod class;
mod dots;
mod error;
mod extract;
mod ip;
mod normalise;
mod parse;
mod path;
mod percent;
mod relativise;
mod resolve;
mod schemes;
mod sink;
mod split;
mod uri_ref;
pub mod urn;
pub mod www;

pub use authority::{Authority, Host};
pub use build::UriBuilder;
pub use error::{Component, ErrorKind, ParseError};
pub use extract::{ExtractOptions, Form, Found, extract};
pub use normalise::Rung;
pub use parse::HostKind;
pub use path::{Path, PathForm, Query};
pub use percent::{Encoded, encode};
pub use resolve::ResolveOptions;
pub use schemes::{SchemeRules, Schemes};
pub use split::{Split, split};
pub use uri_ref::{ReferenceKind, Uri, UriRef, UriRefBuf};

/// The longest text that is read, in bytes: offsets are kept as 32-bit numbers.
pub const MAX_LEN: usize = u32::MAX as usize;
