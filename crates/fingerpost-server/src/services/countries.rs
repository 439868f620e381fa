//! Keeps the database with the countries of addresses in memory, and reads it again when its file
//! changes. In builds without the feature `country`, a configured database is an error.

#[cfg(not(feature = "country"))]
mod absent;
#[cfg(feature = "country")]
mod database;

#[cfg(not(feature = "country"))]
pub(crate) use absent::Countries;
#[cfg(feature = "country")]
pub(crate) use database::Countries;
