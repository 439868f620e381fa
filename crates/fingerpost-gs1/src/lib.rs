//! GS1 Application Identifiers, element strings and GS1 Digital Link URIs: parse, validate,
//! canonicalise, build.
//!
//! Implements the GS1 Barcode Syntax Dictionary (release: [`DICTIONARY_RELEASE`]) with all its
//! content rules and associations, the GS1 General Specifications as far as the dictionary covers
//! them, and GS1 Digital Link URI Syntax 1.4.1. `no_std` with `alloc`, no `unsafe`, no dependencies
//! except `fingerpost-uri`. Parsers borrow from their input and are safe on any bytes.
//!
//! # Examples
//!
//! Check one value:
//!
//! ```
//! use fingerpost_gs1::Ai;
//!
//! let error = Ai::GTIN.check_value(b"09506000134353").unwrap_err();
//! assert_eq!(error.to_string(), "check digit of (01) is 3, expected 2");
//! ```
//!
//! Read barcode data, and write it as a URI:
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
//! List all errors, not only the first:
//!
//! ```
//! use fingerpost_gs1::{ElementString, Options};
//!
//! let (_, findings) =
//!     ElementString::inspect_bracketed("(01)09520123456789(11)271301", &Options::new());
//! assert_eq!(findings.len(), 2);
//! ```
//!
//! Say what a value means:
//!
//! ```
//! use fingerpost_gs1::{Date, ElementString};
//!
//! let item = ElementString::parse_bracketed("(01)09520123456788(3103)001250")?;
//! let today = Date::new(2026, 11, 27).ok_or("a date")?;
//! let weight = item.elements()[1].meaning(today).ok_or("a weight")?;
//! assert_eq!(weight.to_string(), "1.250 kg");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Terminology
//!
//! - *Application Identifier* ([`Ai`]): two to four digits that say what a value means (GS1 General
//!   Specifications, section 3).
//! - *Element* ([`Element`]): an Application Identifier with its value.
//! - *Element string* ([`ElementString`]): the content of a barcode, a sequence of elements (GS1
//!   General Specifications, section 7.8).
//! - *FNC1*: the character that starts GS1 data in a symbol and terminates values without a
//!   predefined length; transmitted as GS (0x1D), printed as `^` in examples.
//! - *Component*, *linter* ([`ValueComponent`], [`Linter`]): a part of a value, and a rule about
//!   its content (GS1 Barcode Syntax Dictionary).
//! - *Primary key*, *key qualifier*, *attribute*: the Application Identifiers that start the path
//!   of a Digital Link URI, follow in the path, or are in the query (GS1 Digital Link URI Syntax
//!   1.4.1, sections 4.2 to 4.9).
//! - *Entity key* ([`EntityKey`]): a primary key with its qualifiers, in one canonical text.
//! - *Stem*: the part before the primary key in a URI.
//!
//! # Features
//!
//! `serde`, off by default, reads and writes values as text: an element string with brackets, a
//! Digital Link URI, the path of an entity key; a [`Meaning`] is written as an object. [`Options`]
//! makes parsers accept more than the default; code lists and company prefixes can be replaced at
//! run time through [`Lookups`].
//!
//! # Differences
//!
//! This library differs from a standard or from GS1's own software in these points:
//!
//! Application Identifiers and element strings:
//!
//! - The newest dictionary takes precedence over the table in GS1 Digital Link URI Syntax 1.4.1:
//!   3944 and 3945 are unknown, 8020 is only a qualifier of 415. [`Options::uri_syntax_1_4`]
//!   accepts the older table as well.
//! - Values are checked against all content rules: a date must exist, a currency must be listed.
//!   The URI standard gives lengths and character sets only, and refers to the General
//!   Specifications for the rest.
//! - Padding of base64url text (8030) is accepted if the length is divisible by three, as in GS1's
//!   linter, although base64 would require four.
//! - The two parts of a composite symbol, `^…|^…` or `(01)…|(10)…`, become one string. There is one
//!   `|`, and data after it; both parts may end in FNC1. Any other `|` is an error, also in scan
//!   data, where only `|]e0` after EAN/UPC begins a composite part. Raw data whose linear part has
//!   no FNC1 are rejected; the engine does not check such a part.
//! - [`ElementString::parse_raw`] rejects data without leading FNC1, as the engine does;
//!   [`Options::missing_leading_fnc1`] accepts it.
//! - Repeated elements with equal values are all kept, in reading order.
//! - A variant (22) beside an ITIP (8006) is accepted, because the URI grammar has it in the path;
//!   the dictionary requires (01), and GS1's engine refuses it.
//! - An input over 8191 bytes is rejected before it is parsed.
//!
//! Digital Link URIs, against the grammar and examples of GS1 Digital Link URI Syntax 1.4.1:
//!
//! - Lot (10) in the query beside a key that has it as a qualifier is rejected: it belongs in the
//!   path. [`Options::lift_qualifiers`] moves it there. Beside other keys it is an attribute.
//! - 415 has the qualifier 8020 and requires it; 414 and 8004 have 7040, whose rules the printed
//!   grammar names but does not define.
//! - Section 4.9 shows a path that ends in a slash; section 4.12 says it is not conformant, and
//!   this library follows 4.12 ([`Options::trailing_slash`]).
//! - Section 5.9 orders attributes differently from section 4.12; [`DigitalLink::canonical`]
//!   follows 4.12.
//! - The double quote is encoded by the writer, and rejected if unencoded by the parser: it is not
//!   a URI character, although the grammar allows it unencoded.
//! - A repeated query key is rejected. Section 3 says that there should be none and that the last
//!   value counts: [`Options::last_attribute_wins`]. The same AI in path and query is always
//!   rejected.
//! - The digits of an Application Identifier can be percent-encoded (RFC 3986, section 2.3).
//! - A query that is empty, or contains empty pieces, is accepted.
//! - The printed RE1 and RE2 of section 6.1 are implemented without their misprints
//!   ([`Plausibility`]).
//!
//! Digital Link URIs, against GS1's own software:
//!
//! - `;` separates pairs of the query, following section 3; GS1's software treats it as data.
//! - A `%` without two hexadecimal digits is an error, not text.
//! - The scheme is compared case-insensitively; hosts may contain everything that the grammar
//!   permits. An empty host is an error of the host, a missing path an error of the path.
//! - A NUL anywhere in a decoded value is reported by name before the character set is checked, and
//!   so is a group separator, like a caret.
//! - A path parsed with a known stem ([`DigitalLink::parse_below`]) is parsed from the left.
//!
//! The differences of compressed URIs are listed in [`compression`].
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

extern crate alloc;

mod ai;
mod associations;
pub mod check_digit;
mod code_lists;
mod component;
pub mod compression;
mod digital_link;
mod element;
mod element_string;
mod entity_key;
mod error;
mod findings;
pub mod gtin;
mod limits;
mod linters;
mod lookups;
mod meaning;
mod options;
pub mod percent;
mod plausibility;
mod quantity;
mod scan;
#[cfg(feature = "serde")]
mod serde_text;
mod symbology;
mod unknown_ai;
mod value;

pub use ai::{Ai, AiEntry, AiPattern, DICTIONARY_RELEASE, NotAnAi};
pub use component::{CharacterSet, ValueComponent};
pub use digital_link::{DigitalLink, Warning, WarningKind};
pub use element::{Element, Elements};
pub use element_string::{ElementString, Order};
pub use entity_key::{EntityKey, NotRegistrable};
pub use error::{Error, ErrorKind, LintError, Requirement};
pub use findings::Findings;
pub use fingerpost_uri::Span;
pub use linters::{LintFault, Linter};
pub use lookups::{CodeList, CompanyPrefix, Lookups};
pub use meaning::{Countries, Country, Currency, Date, DateTime, Decimal, Meaning, Roll, Sex};
pub use options::Options;
pub use plausibility::Plausibility;
pub use quantity::MeasureUnit;
pub use scan::Scan;
pub use symbology::Symbology;

/// Longer texts about this crate.
pub mod _documentation {
    #[doc = include_str!("../COMPARE.md")]
    pub mod comparison {}

    #[doc = include_str!("../DESIGN.md")]
    pub mod design {}
}
