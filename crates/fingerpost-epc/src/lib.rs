//! EPC binary, EPC URNs and EPC Tag URIs, to and from GS1 element strings and Digital Link URIs.
//!
//! An RFID tag holds an Electronic Product Code as bits; event data hold it as a URN; a barcode
//! and a web address hold the same key as Application Identifiers. This crate translates without
//! loss between all of them: EPC Tag Data Standard 2.3 with every one of its binary schemes, and the
//! compressed Digital Link URIs of GS1 Digital Link URI: Compression Technical Standard for EPC
//! binary strings 1.0.0. It is `no_std` with `alloc` and depends on `fingerpost-gs1` only.
//!
//! # Examples
//!
//! A tag that was read, as a web address:
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
//! A web address, as the bits of a tag. How many digits the company prefix has must be known:
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
//! A URN of any kind, as the name that a resolver knows: [`EpcUrn`]. The last segment of a compressed
//! Digital Link URI: [`Epc::from_segment`]. Further data on a tag, and the brand's host name:
//! [`PlusEpc`].
//!
//! # Terminology
//!
//! - *Classic* schemes ([`ClassicEpc`]) are those from before EPC Tag Data Standard 2.0; their
//!   bits spell a Tag URI (sections 12 and 14.3 to 14.5). `+` schemes hold whole values of
//!   Application Identifiers, `++` schemes a host name as well (sections 14.6 and 15.3).
//! - A *pure identity* ([`PureIdentity`]) is what an EPC names, whatever carries it (section 6).
//! - A *pattern* is a set of EPCs: by what they name ([`IdentityPattern`], section 8) or by what
//!   tags hold ([`TagPattern`], section 13).
//! - The *filter value* sorts objects while tags are read; it is no part of the identity (section 10).
//! - *+AIDC data* are Application Identifiers after a `+` EPC (section 15.3).
//! - *GCP* is the GS1 company prefix; where a key is its holder's alone, all of it ([`GcpLength`]).
//!
//! # Promises
//!
//! Readers take time in proportion to their input and do not panic. Bits say how many they are; texts
//! may be filled up with any number of zero bits. Faults are found from left to right, check digits
//! last; every [`Error`] has a stable [`code`](Error::code), an [`ErrorPlace`] and a hint.
//!
//! # Differences
//!
//! Where the standards are silent, contradict each other or have a misprint:
//!
//! - A bit that is not zero after a scheme of fixed length is an error; the Tag Data Standard says to cut it off.
//! - A `+` GLN without extension is written with the extension `0`, and `0` is read as none, as in URNs.
//! - Zero bits to the end are padding, even where they could be a logistic unit of zeros.
//! - A bit that announces data where there are none, or the other way round, is a warning:
//!   [`Epc::is_toggle_wrong`].
//! - The same Application Identifier twice is read over when the values are the same.
//! - Of several ways to write a value or a host name the one with the fewest bits is written, and all are
//!   read. Host names are read as lower case.
//! - Table B4 of host names has the prefix 0000011, and `.org.cn` and `.net.cn` are entries of table B3:
//!   the printed prefixes are wrong.
//! - Application Identifier 7254 has up to 40 characters; 7040 is one part; an 8007 of more than 24
//!   characters cannot be written, because five bits count them.
//! - The serial number of GDTI-113 keeps leading zeros, as its encoding method does; that of CPI-var has up
//!   to twelve digits; numbers of two digits go to 99.
//! - URN Code 40 ends where its length says.
//! - Restricted GTINs, coupons and ISSN are refused when an SGTIN is made of element values, and
//!   read where they stand.
//! - A GTIN-8 in fourteen digits has a company prefix of eight digits, whatever length is given.
//! - Ranges in tag patterns stand where a scheme has numbers; texts that look like numbers have none.
//! - The decimal form of `urn:epc:raw:…`, deprecated, is not read.
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
mod family;
mod gcp;
mod hostname;
mod identity;
mod plus;
mod scheme;
mod text;
mod urn;
mod urn_scheme;

pub use bits::Bits;
pub use classic::{ClassicEpc, TagPattern};
pub use elements::{AiValues, KeyAndAttributes};
pub use epc::{EncodeOptions, Epc};
pub use error::{Error, ErrorKind, ErrorPlace};
pub use family::Family;
pub use gcp::{CompanyPrefixes, GcpLength, PrefixTable};
pub use hostname::{Hostname, HostnameMethod};
pub use identity::{IdentityPattern, PureIdentity};
pub use plus::PlusEpc;
pub use scheme::{Generation, Scheme};
pub use urn::EpcUrn;
pub use urn_scheme::UrnScheme;
