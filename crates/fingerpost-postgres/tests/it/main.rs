//! The integration tests of `fingerpost-postgres`, with servers that they start.

mod contract;
mod faults;
mod model;
mod opening;
