//! EPC binary, EPC URNs and EPC Tag URIs, to and from GS1 element strings and Digital Link URIs.
//!
//! An RFID tag stores an Electronic Product Code as bits; event data contain it as a URN; a barcode
//! and a web address contain the same key as Application Identifiers. This crate translates between
//! all of them without loss: EPC Tag Data Standard 2.3 with all its binary schemes, and the
//! compressed Digital Link URIs of GS1 Digital Link URI: Compression Technical Standard for EPC
//! binary strings 1.0.0. It is `no_std` with `alloc` and depends on `fingerpost-gs1` only.
//!
//! # Examples
//!
//! Convert the data of a tag to a web address:
//!
//! ```
//! use fingerpost_epc::Epc;
//!
//! let epc = Epc::from_hex("3066c4409047e14000001a85")?;
//! assert_eq!(epc.to_tag_uri().as_deref(), Some("urn:epc:tag:sgtin-96:3.95060001343.05.6789"));
//! assert_eq!(epc.own_digital_link()?, "https://id.gs1.org/01/09506000134352/21/6789");
//! # Ok::<(), fingerpost_epc::Error>(())
//! ```
//!
//! Convert a web address to the bits of a tag. The length of the company prefix must be known:
//!
//! ```
//! use fingerpost_epc::{AiValues, EncodeOptions, Epc, GcpLength, PrefixTable};
//! use fingerpost_gs1::DigitalLink;
//!
//! let link = DigitalLink::parse("https://id.gs1.org/01/09506000134352/21/6789").unwrap();
//! let prefixes: PrefixTable = [("9506000134", 11)].into_iter().collect();
//! let options = EncodeOptions::new().filter(3).gcp_length(GcpLength::Table(&prefixes));
//! let epc = Epc::encode(&AiValues::from(&link), &options)?;
//! assert_eq!(epc.to_hex(), "3066c4409047e14000001a85");
//! # Ok::<(), fingerpost_epc::Error>(())
//! ```
//!
//! To convert a URN of any kind to the name that a resolver uses: [`EpcUrn`]. To parse the last
//! segment of a compressed Digital Link URI: [`Epc::from_segment`]. For further data on a tag, and
//! the brand's host name: [`PlusEpc`].
//!
//! # Terminology
//!
//! - *Classic* schemes ([`ClassicEpc`]) were defined before EPC Tag Data Standard 2.0; their bits
//!   encode a Tag URI (sections 12 and 14.3 to 14.5). `+` schemes contain whole values of
//!   Application Identifiers, `++` schemes also a host name (sections 14.6 and 15.3).
//! - A *pure identity* ([`PureIdentity`]) is the object that an EPC identifies, independent of the
//!   carrier (section 6).
//! - A *pattern* is a set of EPCs: by identity ([`IdentityPattern`], section 8) or by tag content
//!   ([`TagPattern`], section 13).
//! - The *filter value* lets readers select tags by kind of object; it is not part of the identity
//!   (section 10).
//! - *+AIDC data* are Application Identifiers after a `+` EPC (section 15.3).
//! - *GCP* is the GS1 company prefix; if a key belongs entirely to its holder, the whole key
//!   ([`GcpLength`]).
//!
//! # Promises
//!
//! Parsers take time in proportion to their input and do not panic. Bit strings have an exact
//! length; texts may be padded with any number of zero bits. Errors are found from left to right,
//! check digits last; every [`Error`] has a stable [`code`](Error::code), a position and a hint.
//!
//! # Differences
//!
//! This crate makes these choices where the standards are silent, contradict each other or have a
//! misprint:
//!
//! - A non-zero bit after a scheme of fixed length is an error; the Tag Data Standard says to cut
//!   it off.
//! - A `+` GLN without extension is written with the extension `0`, and `0` is parsed as none, as
//!   in URNs.
//! - Zero bits up to the end are padding, even where they could be an SSCC of zeros.
//! - A toggle bit that contradicts the presence of further data is a warning:
//!   [`Epc::is_toggle_wrong`].
//! - A repeated Application Identifier is ignored if the values are the same.
//! - A value or a host name is written in the way with the fewest bits; all ways are parsed. Host
//!   names are parsed as lower case.
//! - Table B4 of host names has the prefix 0000011, and `.org.cn` and `.net.cn` are entries of
//!   table B3: the printed prefixes are wrong.
//! - Application Identifier 7254 has up to 40 characters; 7040 is one part; an 8007 of more than 24
//!   characters cannot be written, because its length field has five bits.
//! - The serial number of GDTI-113 keeps leading zeros, following its encoding method; that of
//!   CPI-var has up to twelve digits; the maximum of two-digit numbers is 99.
//! - URN Code 40 ends where its length field says.
//! - Restricted GTINs, coupons and ISSN are rejected when an SGTIN is created from element values,
//!   but accepted when one is parsed.
//! - A GTIN-8 in fourteen digits has a company prefix of eight digits, whatever length is given.
//! - Ranges in tag patterns are allowed where a scheme has numbers; texts that look like numbers
//!   cannot have ranges.
//! - The decimal form of `urn:epc:raw:…`, deprecated, is not supported.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

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
mod limits;
mod plus;
mod scheme;
#[cfg(feature = "serde")]
mod serde_text;
mod text;
mod urn;

pub use bits::Bits;
pub use classic::{ClassicEpc, TagPattern};
pub use elements::{AiValues, KeyAndAttributes};
pub use epc::{EncodeOptions, Epc};
pub use error::{Error, ErrorKind};
pub use fingerpost_gs1::Span;
pub use gcp::{CompanyPrefixes, GcpLength, PrefixTable};
pub use hostname::{Hostname, HostnameMethod};
pub use identity::{IdentityPattern, PureIdentity};
pub use plus::PlusEpc;
pub use scheme::{Family, Generation, Scheme, UrnScheme};
pub use urn::EpcUrn;

/// Longer texts about this crate.
pub mod _documentation {
    #[doc = include_str!("../COMPARE.md")]
    pub mod comparison {}

    #[doc = include_str!("../DESIGN.md")]
    pub mod design {}
}
