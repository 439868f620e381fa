//! Errors of imports and exports.

use std::io;

use fingerpost_registry::RegistryError;
use fingerpost_store::StoreError;

/// The reason an import ended early. Changes committed before it are kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum ExportError {
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
