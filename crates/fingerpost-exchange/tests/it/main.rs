//! The integration tests of `fingerpost-exchange`.

mod dry_run;
mod same_write;
mod support;
