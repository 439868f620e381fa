//! Tests of the counts of scans in a store.

mod attacks;
mod rows;
mod support;
