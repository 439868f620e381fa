//! `fingerpost check`: reports what an identifier is, whether it is valid, and each fault with its place.
//!
//! Identifiers are checked by `fingerpost-gs1` and `fingerpost-epc` (GS1 General Specifications, GS1 Digital Link URI Syntax 1.4.1); this
//! module only recognises the form of the input and writes the findings.

pub(crate) mod lines;
pub(crate) mod mark;
mod online;
mod plausible;
mod run;
mod write;

pub(crate) use lines::{Lines, MAX_LINE, unreadable};
pub(crate) use mark::underline;
pub(crate) use online::{NoResolver, Resolver, describe};
pub(crate) use run::run;
