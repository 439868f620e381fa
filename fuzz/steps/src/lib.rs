//! Counts the steps that the readers of fingerpost take, and compares them with their promises: work in proportion to the length of the
//! text.
//!
//! The programs of this crate do: `fingerpost-steps`, which `.ci/steps` runs, and the fuzz target `slow_inputs`, which `.ci/fuzz` runs.

pub mod inputs;
mod readers;
pub mod requests;

pub use readers::{READERS, Reader};
