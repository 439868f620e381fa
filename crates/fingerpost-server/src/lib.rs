//! Runs a fingerpost: its configuration, the listeners, what runs in the background, metrics,
//! backups, and the store that a node follows.
//!
//! A server starts in steps, each a type: [`Starting`] has read the configuration, [`Opened`] has
//! the store, [`Bound`] has its sockets and runs. The command `fingerpost serve` prints what they
//! report; other commands use the [`config`], [`backup`], [`following`] and [`client`] modules.
//!
//! This crate prints nothing, and has no arguments of commands.

#![forbid(unsafe_code)]

mod admin_side;
pub mod backup;
mod bound;
pub mod client;
mod clock;
pub mod config;
pub mod database;
mod descriptors;
mod edge;
pub mod escrow;
mod failure;
pub mod following;
mod limits;
mod listen_error;
mod log;
mod mail;
mod mark;
mod metrics;
mod observers;
mod opened;
pub mod privacy;
mod services;
mod starting;
mod static_site;
pub mod text;
#[cfg(feature = "otel")]
mod traces;
#[cfg(not(feature = "otel"))]
#[path = "traces/absent.rs"]
mod traces;

pub use bound::Bound;
pub use clock::now;
pub use descriptors::Descriptors;
pub use edge::{EdgeExport, copy_worker, edge_settings, edge_settings_of, write_edge};
pub use failure::Failure;
pub use opened::Opened;
pub use starting::{Notice, Start, Starting};
pub use static_site::{StaticSite, write_static_site};
