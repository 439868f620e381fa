//! Stores in databases.

use fingerpost_postgres::{Address, Postgres, PostgresOptions};
use fingerpost_store::{Store, StoreError, StoreOptions, stored_record};

use crate::failure::Failure;

/// The beginnings of addresses of databases.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Returns whether a text is meant as the address of a database.
pub(crate) fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Parses the address of a database.
///
/// # Errors
/// Fails if it is malformed. The message has no password.
pub(crate) fn parse(text: &str) -> Result<Address, Failure> {
    Address::parse(text).map_err(|error| {
        Failure::advise(error, "write postgres://USER:PASSWORD@HOST/DATABASE?schema=NAME")
    })
}

/// Connects to a database, and creates its tables if they are missing.
///
/// # Errors
/// Fails if the database does not answer, or cannot be used.
pub(crate) fn engine(address: &Address) -> Result<Postgres, StoreError> {
    Postgres::open(address, PostgresOptions::default().describe(stored_record))
}

/// Opens the store in a database; creates it if the database has none.
///
/// # Errors
/// The errors of [`engine`], and those of the store.
pub(crate) fn store(address: &Address) -> Result<Store, StoreError> {
    Store::over(engine(address)?, StoreOptions::default().cache_bytes(0))
}
