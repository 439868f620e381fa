//! The parts that both listeners share: sockets, TLS, connections with their limits, workers,
//! graceful shutdown, and HTTP semantics (RFC 9110) that do not depend on the content served.
//!
//! # Terminology
//!
//! - *Worker*: a thread with its own runtime and sockets.
//! - *Limits*: the time and the memory that one request or connection may use.
//!
//! # Examples
//!
//! - [`Worker`]: accepts and serves connections until shutdown; [`run_workers`] runs one on each
//!   core.
//! - [`Identity`]: a certificate that is reloaded when its files change; [`Issued`]: one that the
//!   program gives while the server runs.
//! - [`Outgoing`]: requests to hosts that somebody else chose, behind the [`AddressGuard`].
//! - [`Shutdown`]: a handle for stopping servers; [`on_interrupt`] for programs that end by
//!   themselves.

#![forbid(unsafe_code)]

// Sockets, threads and connections.
mod certificate;
mod clock;
mod connection;
mod error;
mod forwarded;
mod guard;
mod handler;
mod host;
mod issued;
mod limits;
mod listen;
mod load;
mod meter;
mod network;
mod observe;
mod outgoing;
pub mod process;
pub mod refusal;
mod replaceable;
mod sending;
mod server;
mod shutdown;
mod slots;
mod stream;
mod tls;
mod unreadable;
mod unsent;
mod watch;
mod worker;
// Header fields and bodies.
pub mod gzip;

pub use fingerpost_response::{conditional, headers};

pub use certificate::{Certificate, Validity};
pub use error::{ServeError, TlsError};
pub use forwarded::client_address;
pub use guard::AddressGuard;
pub use handler::{Arrival, Handler};
pub use host::HostFault;
pub use issued::{Issued, Tokens};
pub use limits::Limits;
pub use listen::give;
pub use meter::{Connections, Meter, MeterReading, Requests};
pub use network::{Network, NetworkError, PrefixLength};
pub use observe::{Observed, Route};
pub use outgoing::{Outgoing, OutgoingAnswer, OutgoingError};
pub use replaceable::Replaceable;
pub use server::{Sockets, run_workers};
pub use shutdown::{Shutdown, on_interrupt};
pub use tls::{Identity, Presented, TlsKeys, TlsSource};
pub use worker::{Terms, Worker};
