//! The integration tests of `fingerpost-ce`.

mod api;
mod fates;
mod oracle;
mod round_trip;
mod same_scans;
mod samples;
mod support;
