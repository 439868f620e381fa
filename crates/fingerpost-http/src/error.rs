//! Why a server did not start, or ended without being told to.

use std::io;
use std::net::SocketAddr;

use crate::tls::TlsError;

/// Why a server did not start, or ended without being told to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// An address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        error: io::Error,
    },
    /// There is no certificate to serve with.
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
    /// A thread or its runtime could not be made.
    #[error("cannot start a worker: {0}")]
    Worker(#[from] io::Error),
    /// A worker came to an end by a fault of ours.
    #[error("a worker ended unexpectedly: this is a bug, please report it with what the log says")]
    Panicked,
}
