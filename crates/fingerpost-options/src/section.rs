//! Sections of a document.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, Deserializer, Error};

use crate::{DeclaredOptions, Key};

/// A section of the document, with its options.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Name of the table, with dots; empty for the top of the document.
    pub table: &'static str,
    /// The documentation of the section.
    pub about: &'static [&'static str],
    /// The options.
    pub keys: &'static [Key],
    /// Whether the options can be read from a table.
    pub(crate) accepts: fn(DeTable<'_>) -> bool,
}

impl Section {
    /// Returns the section of these options.
    pub fn of<T: DeclaredOptions>(table: &'static str) -> Self {
        let accepts = |table: DeTable<'_>| deserialize::<T>(table).is_ok();
        Self { table, about: T::ABOUT, keys: T::KEYS, accepts }
    }

    /// Returns the full name of a key.
    pub fn path(&self, key: &str) -> String {
        if self.table.is_empty() { key.to_owned() } else { format!("{}.{key}", self.table) }
    }
}

/// Reads a type from a table; its errors have spans.
pub(crate) fn deserialize<T: DeserializeOwned>(table: DeTable<'_>) -> Result<T, Error> {
    let span = table.values().next().map_or(0..0, Spanned::span);
    T::deserialize(Deserializer::from(Spanned::new(span, table)))
}
