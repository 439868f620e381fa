//! The checks against resolvers of the tests: an honest one, broken ones, and hostile servers;
//! comparisons.

mod compare;
mod comparison;
mod faults;
mod hostile;
mod official;
mod reports;
mod resolver;
mod server;
mod spoil;
mod suite;
mod tls;
