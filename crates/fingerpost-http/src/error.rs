//! Errors that keep a server from starting, or end it early.

use std::io;
use std::net::SocketAddr;

use crate::tls::TlsError;

/// An error that keeps a server from starting, or ends it early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The server cannot listen on an address.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the operating system.
        error: io::Error,
    },
    /// There is no usable certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A setting that this build or this machine does not support.
    #[error("{key}: {expected}")]
    Setting {
        /// Name of the setting.
        key: &'static str,
        /// What was expected and what was found.
        expected: String,
    },
    /// A thread or its runtime could not be created.
    #[error("cannot start a worker: {0}")]
    Worker(#[from] io::Error),
    /// A worker ended because of a bug.
    #[error("a worker ended unexpectedly: this is a bug, please report it with what the log says")]
    Panicked,
}
