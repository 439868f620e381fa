//! A storage engine for fingerpost in PostgreSQL, and in servers that speak its protocol and its
//! SQL.
//!
//! It keeps the rows of a store in one schema of a database that
//! several nodes share. It knows tables, keys and values, but not their meaning.
//! [`fingerpost_engine`] documents the contract that it keeps.
//!
//! # One writer at a time
//!
//! Every write first locks the only row of the table `state`, and raises the number in it before it
//! commits. So writes of all nodes run one after the other, and commits become visible in the order
//! of their numbers: a snapshot that sees commit *n* sees all commits before. The audit chain has
//! one head, and a reader of changes cannot skip one that commits late.
//! `docs/decisions/0009-postgresql.md` gives the argument.
//!
//! # Lost answers
//!
//! A connection can end between the request to commit and the answer. Each commit leaves a random
//! id in the row of its writer in the table `writers`. The engine connects again and takes the
//! lock, so that no commit of the lost session can follow; the row then says whether the commit
//! succeeded. Only if the database does not answer this query in time, the result is
//! [`Unavailable::OutcomeUnknown`](fingerpost_engine::Unavailable::OutcomeUnknown).
//!
//! # Example
//!
//! ```no_run
//! use fingerpost_postgres::{DatabaseAddress, Postgres, PostgresOptions};
//! use fingerpost_store::{Store, StoreOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let address = DatabaseAddress::parse("postgres://fingerpost:secret@db.example.com/links")?;
//! let engine = Postgres::open(&address, PostgresOptions::default())?;
//! let store = Store::over(engine)?;
//! println!("revision {}", store.revision()?);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod address;
mod copying;
mod driver;
mod engine;
mod fault;
mod layers;
mod limits;
mod password;
mod pool;
mod query;
mod reading;
mod row_cache;
mod schema;
mod session;
mod snapshot;
mod tls;
mod waiting;
mod write;

use std::time::Duration;

use crate::limits::{CONNECTIONS, PATIENCE};

pub use address::{DatabaseAddress, InvalidAddress};
pub use engine::Postgres;

/// Returns the revision and the record of an entry from its key and its stored value.
pub type Describe = fn(&[u8], &[u8]) -> Option<(u64, String)>;

/// Options of a [`Postgres`] engine.
#[derive(Clone, Copy, Debug)]
pub struct PostgresOptions {
    connections: usize,
    patience: Duration,
    describe: Option<Describe>,
}

impl PostgresOptions {
    /// Limits the sessions that read at the same time; one more writes. Default: 16.
    pub fn connections(self, connections: usize) -> Self {
        Self { connections, ..self }
    }

    /// Sets how long a call repeats attempts that an outage prevents. Default: 15 s.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Sets the function that returns the revision and the record, as JSON, of each entry that is
    /// written, for the view `records`. Without it, the view shows neither.
    pub fn describe(self, describe: Describe) -> Self {
        Self { describe: Some(describe), ..self }
    }
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self { connections: CONNECTIONS, patience: PATIENCE, describe: None }
    }
}
