//! Delivers events to webhooks.
//!
//! A [`Courier`] takes the events of each webhook from the
//! [`Registry`](fingerpost_registry::Registry), in their order, and sends them as CloudEvents 1.0
//! in structured or batched mode, signed after Standard Webhooks 1.0.0. It sends through the
//! [`AddressGuard`](fingerpost_http::AddressGuard), follows no redirect, and reads nothing of an
//! answer but its head. Positions, queues and dead letters are in the store.
//!
//! # Flow
//!
//! ```text
//! Courier::run         every second: webhooks for which there may be something; the lease
//!   deliver            one task for each webhook: batch after batch (registry/webhook_delivery.rs)
//!     message          CloudEvents, webhook-id, webhook-timestamp, webhook-signature
//!     Outgoing         POST, within a time limit
//!   save_delivery      position, log, pause after a failure, dead letters
//! ```

#![forbid(unsafe_code)]

mod courier;
mod limits;
mod message;
mod options;

pub use courier::{Courier, DeliveryCounts};
pub use options::WebhookOptions;
