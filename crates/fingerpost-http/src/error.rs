//! Errors that keep a server from starting, or end it early.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An error that keeps a server from starting, or ends it early.
#[derive(Debug, thiserror::Error)]
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
        /// The expected and the found value.
        expected: String,
    },
    /// A thread or its runtime could not be created.
    #[error("cannot start a worker: {0}")]
    Worker(#[from] io::Error),
    /// A worker ended because of a bug.
    #[error("a worker ended unexpectedly: this is a bug, please report it with what the log says")]
    Panicked,
}

/// The reason why no certificate can be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file could not be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file has no PEM block of the required kind.
    #[error("expected {expected} in PEM form in `{}`, found none that can be read", path.display())]
    Pem {
        /// The expected value.
        expected: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// The certificate or key cannot be used, or they do not match.
    #[error("cannot use the certificate and key: {0}")]
    Rustls(#[from] rustls::Error),
    /// The certificate could not be created.
    #[error("cannot make a certificate: {0}")]
    SelfSigned(#[from] rcgen::Error),
}
