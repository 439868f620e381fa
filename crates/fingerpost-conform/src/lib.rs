//! Checks from outside whether a server is a GS1-Conformant Resolver.
//!
//! [`examine`] sends GET, HEAD and OPTIONS requests for Digital Link URIs of the resolver under
//! test, and judges each answer by the [`Check`]s of [`checks`]. The description file and the
//! linksets of the resolver determine what else can be tried; a check that could not be tried says
//! why.
//!
//! [`compare`] sends the same requests to two resolvers, and reports each kind of difference once.
//!
//! This crate imports no other crate of the workspace, so it cannot share their mistakes. Answers
//! are hostile input: their size, time and number are limited, and all text from them is escaped.

#![forbid(unsafe_code)]

mod check;
mod client;
mod compare;
mod escape;
mod examine;
mod limits;
mod linkset;
mod message;
#[cfg(test)]
mod reference_page;
mod report;
mod run;
mod secure;
mod subject;
mod topics;

pub use check::{Check, Judgement, Obligation, Release};
pub use compare::{
    AnswerDifference, CompareError, CompareOptions, CompareReport, DifferenceKind, Effect, Example,
    Job, compare, logged,
};
pub use examine::examine;
pub use message::{ConformOptions, Trial, WebRequest, WebResponse};
pub use report::{CheckResult, ConformReport};
pub use topics::checks;
