//! EPC binary, EPC URNs and EPC Tag URIs, to and from GS1 element strings and Digital Link URIs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod aidc;
mod bits;
mod charset;
mod classic;
mod digits;
mod elements;
mod epc;
mod error;
mod gcp;
mod hostname;
mod identity;
mod plus;
mod scheme;
mod tables;
mod text;
mod urn;

pub use bits::Bits;
pub use classic::ClassicEpc;
pub use elements::{AiValues, KeyAndAttributes};
pub use epc::{EncodeOptions, Epc};
pub use error::{Error, ErrorKind, Place};
pub use gcp::{CompanyPrefixes, GcpLength, PrefixTable};
pub use hostname::{Hostname, HostnameMethod};
pub use identity::{IdentityPattern, PureIdentity, UrnScheme};
pub use plus::PlusEpc;
pub use scheme::{Family, Generation, Scheme};
pub use urn::EpcUrn;
