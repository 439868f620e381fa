//! EPC binary, EPC URNs and EPC Tag URIs, to and from GS1 element strings and Digital Link URIs.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bits;
mod error;

pub use bits::Bits;
pub use error::{Error, ErrorKind, Place};
