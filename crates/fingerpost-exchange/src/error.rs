//! Errors of imports and exports.

use std::io;

use fingerpost_registry::RegistryError;
use fingerpost_store::StoreError;

/// The reason an import ended early. Changes committed before it are kept.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read to its end.
    #[error("cannot read `{name}` to its end: {source}")]
    Unreadable {
        /// The name of the source.
        name: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A temporary file or directory cannot be used.
    #[error("cannot use a temporary file: {0}")]
    Temporary(#[source] io::Error),
    /// The receiver of the events has ended the import.
    #[error("the import was stopped")]
    Stopped,
    /// The registry refuses the caller, or its store cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A sheet of XLSX has no room for all links.
    #[error("there are more links than a sheet of XLSX has rows ({max}): export them as CSV")]
    TooManyRows {
        /// The number of its rows.
        max: u32,
    },
    /// A cell of XLSX has no room for a text.
    #[error(
        "{anchor} has contexts longer than a cell of XLSX ({max} characters): export it as CSV"
    )]
    TooLong {
        /// The anchor of the record.
        anchor: String,
        /// The number of characters of a cell.
        max: usize,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
