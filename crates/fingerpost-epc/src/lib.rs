//! EPC binary, EPC URNs and EPC Tag URIs, to and from GS1 element strings and Digital Link URIs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod aidc;
mod bits;
mod classic;
mod digits;
mod elements;
mod error;
mod hostname;
mod plus;
mod scheme;
mod tables;

pub use bits::Bits;
pub use elements::AiValues;
pub use error::{Error, ErrorKind, Place};
pub use hostname::{Hostname, HostnameMethod};
pub use plus::PlusEpc;
pub use scheme::{Family, Generation, Scheme};
