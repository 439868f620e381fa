//! Recognises GS1 identifiers in any form, and checks them.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod epc_facts;
mod finding;
mod form;
mod inspect;
mod read;

pub use self::epc_facts::EpcFacts;
pub use self::finding::{Cause, Finding};
pub use self::form::Form;
pub use self::inspect::{Inspection, Item, Row, inspect};
pub use self::read::{Identifier, read};
