//! Recognises, checks and converts GS1 identifiers in any form.
//!
//! The same identifier may be typed, scanned or pasted as barcode data, as a GS1 Digital Link URI,
//! as a bare number or as an Electronic Product Code. This crate recognises the form of a text,
//! decodes it, reports what is wrong with it, and writes it in another form. The rules are those of
//! [`fingerpost_gs1`] (GS1 General Specifications, GS1 Digital Link URI Syntax 1.4.1) and
//! [`fingerpost_epc`] (EPC Tag Data Standard 2.3). It is `no_std` with `alloc` and depends on these
//! two crates only.
//!
//! # Examples
//!
//! Say what a text is, and list everything that is wrong with it:
//!
//! ```
//! use fingerpost_identify::{InputForm, inspect, inspect_with};
//!
//! let found = inspect("(01)09520123456788(10)ABC");
//! assert_eq!(found.form, InputForm::Bracketed);
//! let item = found.item.ok_or("elements")?;
//! assert_eq!(item.canonical_uri.as_deref(), Some("https://id.gs1.org/01/09520123456788/10/ABC"));
//!
//! let wrong = inspect("09520123456789");
//! assert_eq!(wrong.faults[0].span, 13..14);
//! assert_eq!(wrong.faults[0].code, "EAN_CHECK_DIGIT");
//! # Ok::<(), &'static str>(())
//! ```
//!
//! Write it in another form:
//!
//! ```
//! use fingerpost_identify::{Converter, OutputForm};
//!
//! let bits = "3066c4409047e14000001a85";
//! let uri = Converter::new().convert(bits, OutputForm::DigitalLink)?;
//! assert_eq!(uri, "https://id.gs1.org/01/09506000134352/21/6789");
//! # Ok::<(), fingerpost_identify::Finding>(())
//! ```
//!
//! # Terminology
//!
//! - A *form* is a way to write an identifier: [`InputForm`] for those that are read,
//!   [`OutputForm`] for those that are written.
//! - A *finding* ([`Finding`]) is a fault or a warning with a stable code, a message, advice and
//!   its position in the text.
//! - An *inspection* ([`inspect`]) lists all faults; [`read()`] stops at the first one and returns
//!   the identifier.
//!
//! # Promises
//!
//! Any text is accepted as input; time is in proportion to its length. Nothing is changed silently:
//! a better reading is a proposal with its assumptions ([`Meant`]). The length of a company prefix,
//! which URNs and most tags need, is never guessed; it is an option of [`Converter`].
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

extern crate alloc;

mod convert;
mod epc_facts;
mod finding;
mod form;
mod hidden;
mod hri;
mod inspect;
mod limits;
mod lost_separator;
mod other_scheme;
mod read;

pub use self::convert::{Converter, OutputForm};
pub use self::epc_facts::EpcFacts;
pub use self::finding::{Cause, Finding};
pub use self::form::InputForm;
pub use self::hidden::{is_hidden, printable, push_printable};
pub use self::inspect::{
    Assumption, AssumptionKind, DescribedElement, Inspection, Item, Meant, hidden_at_start,
    inspect, inspect_with,
};
pub use self::other_scheme::OtherScheme;
pub use self::read::{Identifier, read, read_with};

/// Longer texts about this crate.
pub mod _documentation {
    #[doc = include_str!("../COMPARE.md")]
    pub mod comparison {}

    #[doc = include_str!("../DESIGN.md")]
    pub mod design {}
}
