//! The integration tests of `fingerpost-exchange`.

mod dry_run;
mod engines;
mod round_trip;
mod same_write;
mod sheets;
mod support;
