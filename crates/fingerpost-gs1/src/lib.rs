//! GS1 Application Identifiers, element strings and GS1 Digital Link URIs: parse, validate,
//! canonicalise, build.
//!
//! Follows the GS1 Barcode Syntax Dictionary (the release is [`DICTIONARY_RELEASE`]) with all its
//! content rules and associations, the GS1 General Specifications as far as the dictionary states
//! them, and GS1 Digital Link URI Syntax 1.4.1. `no_std` with `alloc`, no `unsafe`, no
//! dependencies but `fingerpost-uri`. Readers borrow from their input and are safe on any bytes.
//!
//! # Examples
//!
//! Check one value:
//!
//! ```
//! use fingerpost_gs1::{Ai, check_value};
//!
//! let error = check_value(Ai::GTIN, b"09506000134353").unwrap_err();
//! assert_eq!(error.to_string(), "check digit of (01) is 3, expected 2");
//! ```
//!
//! Read what a barcode holds, and write it as a URI:
//!
//! ```
//! use fingerpost_gs1::{DigitalLink, ElementString, Scan};
//!
//! let data = "]d2010952012345678810ABC\u{1d}17271231";
//! let Scan::Elements(item) = ElementString::parse_scan(data)? else {
//!     panic!("GS1 DataMatrix holds elements");
//! };
//! assert_eq!(item.to_bracketed(), "(01)09520123456788(10)ABC(17)271231");
//! let uri = DigitalLink::build("https://example.com", &item)?;
//! assert_eq!(uri, "https://example.com/01/09520123456788/10/ABC?17=271231");
//! # Ok::<(), fingerpost_gs1::Error>(())
//! ```
//!
//! Read a URI:
//!
//! ```
//! use fingerpost_gs1::{Ai, DigitalLink};
//!
//! let link = DigitalLink::parse("https://example.com/01/09520123456788/21/A%2F7?17=271231")?;
//! assert_eq!(link.key().ai(), Ai::GTIN);
//! assert_eq!(link.qualifiers()[0].value(), "A/7");
//! # Ok::<(), fingerpost_gs1::Error>(())
//! ```
//!
//! List everything that is wrong, not only the first:
//!
//! ```
//! use fingerpost_gs1::{ElementString, Options};
//!
//! let (_, findings) =
//!     ElementString::inspect_bracketed("(01)09520123456789(11)271301", &Options::new());
//! assert_eq!(findings.len(), 2);
//! ```
//!
//! # Terminology
//!
//! - *Application Identifier* ([`Ai`]): two to four digits that say what a value means (GS1 General
//!   Specifications, section 3).
//! - *Element* ([`Element`]): an Application Identifier with its value.
//! - *Element string* ([`ElementString`]): what a barcode holds, elements in sequence
//!   (GS1 General Specifications, section 7.8).
//! - *FNC1*: the character that starts GS1 data in a symbol and ends values of no predefined
//!   length; transmitted as GS (0x1D), printed as `^` in examples.
//! - *Component*, *linter* ([`Component`], [`Linter`]): a part of a value, and a rule about its
//!   content (GS1 Barcode Syntax Dictionary).
//! - *Primary key*, *key qualifier*, *attribute*: the Application Identifiers that start the path
//!   of a Digital Link URI, that follow in the path, and that stand in the query (GS1 Digital Link
//!   URI Syntax 1.4.1, sections 4.2 to 4.9).
//! - *Entity key* ([`EntityKey`]): a primary key with its qualifiers, as one canonical text.
//! - *Stem*: the part before the primary key in a URI.
//!
//! # Features
//!
//! There are no Cargo features. What the readers accept beyond the default is in [`Options`];
//! code lists and company prefixes can be replaced at run time through [`Lookups`].
//!
//! # Differences
//!
//! Where this library differs from a standard or from GS1's own software, and why.
//!
//! Application Identifiers and element strings:
//!
//! - The newest dictionary wins over the table in GS1 Digital Link URI Syntax 1.4.1:
//!   3944 and 3945 are unknown, 8020 is a qualifier of 415 only. [`Options::uri_syntax_1_4`] accepts
//!   the older table as well.
//! - Values are checked to the end of the rules: a date must exist, a currency must be listed. The
//!   URI standard gives lengths and character sets only, and refers to the General Specifications
//!   for the rest.
//! - Padding of base64url text (8030) is accepted when the length is divisible by three, as GS1's
//!   linter has it, although base64 would call for four.
//! - `|` between linear and composite parts is dropped on reading: the parts become one string.
//! - [`ElementString::parse_raw`] refuses data without leading FNC1 as the engine does;
//!   [`Options::missing_leading_fnc1`] accepts it.
//! - Of repeated elements with equal values all are kept, in reading order.
//! - An input over 8191 bytes is refused before it is read.
//!
//! Digital Link URIs, against the grammar and examples of GS1 Digital Link URI Syntax 1.4.1:
//!
//! - Lot (10) in the query beside a key that has it as qualifier is refused: the path is its place.
//!   [`Options::lift_qualifiers`] moves it there. Beside other keys it is an attribute.
//! - 415 takes 8020 as qualifier and requires it; 414 and 8004 take 7040, whose rules the printed
//!   grammar names without giving them.
//! - Section 4.9 shows a path that ends in a slash; section 4.12 says it is not conformant, and so it
//!   is here ([`Options::trailing_slash`]).
//! - Section 5.9 orders attributes otherwise than section 4.12; [`DigitalLink::canonical`] follows
//!   4.12.
//! - The double quote is encoded on writing, and refused unencoded on reading: it is no URI
//!   character, though the grammar has it as itself.
//! - A repeated query key is refused. Section 3 says that there should be none and that the last
//!   value counts: [`Options::last_attribute_wins`]. The same AI in path and query is always
//!   refused.
//! - A query that is empty, or has empty pieces, is accepted.
//! - The printed RE1 and RE2 of section 6.1 are read without their slips ([`re1`], [`re2`]).
//!
//! Digital Link URIs, against GS1's own software:
//!
//! - `;` separates pairs of the query, as section 3 has it; GS1's software takes it as data.
//! - A `%` without two hexadecimal digits is an error, not text.
//! - The scheme compares without case; hosts may hold all that the grammar permits. An empty host is
//!   an error of the host, a missing path one of the path.
//! - A NUL anywhere in a decoded value, and a group separator like a caret, are refused by name
//!   before the character set is.
//! - A path read with a known stem ([`DigitalLink::parse_below`]) is read from the left.
//!
//! The differences of compressed URIs are listed in [`compression`].
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod ai;
mod associations;
mod code_lists;
mod component;
pub mod compression;
mod digital_link;
mod element;
mod element_string;
mod entity_key;
mod error;
mod findings;
mod linters;
mod lookups;
mod options;
pub mod percent;
mod plausibility;
mod scan;
mod symbology;
mod unknown_ai;
mod value;

pub use ai::{
    Ai, AiEntry, AiPattern, DICTIONARY_RELEASE, NotAnAi, ai_length_for_prefix, all_entries,
};
pub use component::{CharacterSet, Component};
pub use digital_link::{DigitalLink, Warning, WarningKind};
pub use element::{Element, Elements};
pub use element_string::{ElementString, Order, padded_gtin};
pub use entity_key::{EntityKey, NotRegistrable};
pub use error::{Error, ErrorKind, LintError, Requirement, Span};
pub use findings::Findings;
pub use linters::check_digit::check_digit;
pub use linters::{LintFault, Linter};
pub use lookups::{CodeList, CompanyPrefix, Lookups};
pub use options::Options;
pub use plausibility::{Plausibility, plausibility, re1, re2};
pub use scan::Scan;
pub use symbology::Symbology;
pub use value::{check_value, check_value_with};
