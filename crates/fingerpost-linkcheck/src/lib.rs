//! Checks whether the targets of links can be reached.
//!
//! A [`Checker`] makes rounds: it walks the records of a
//! [`Registry`](fingerpost_registry::Registry) and checks each distinct target that is due once,
//! with HEAD and, if that fails, GET. It follows redirects itself, so that the
//! [`AddressGuard`](fingerpost_http::AddressGuard) sees each of them, and obeys the `robots.txt` of
//! each host (RFC 9309). States and history are in the store.
//!
//! # Terminology
//!
//! - *Target*: the address of a link, with placeholders filled and without a fragment.
//! - *Round*: one walk over the records. *Slice*: the targets of a round that are in memory.
//! - *Host*: scheme, name and port.
//!
//! # Flow
//!
//! ```text
//! Checker::round       slices of due targets (registry/link_health/round.rs)
//!   Slice              a queue for each host, a few workers for each queue, all within one limit
//!     Hosts            robots.txt, pauses, and hosts that do not answer
//!     fetch            HEAD, GET, redirects -> LinkCheck
//!   save               states in the store every few seconds, with the lease
//!   index              the records of the slice with broken links
//! finish               states of unused targets are deleted; counts for metrics
//! ```

#![forbid(unsafe_code)]

mod fetch;
mod host;
mod limits;
mod options;
mod robots;
mod round;

pub use options::LinkOptions;
pub use round::{Checker, LinkRange, Round, RoundError, RoundReport};
