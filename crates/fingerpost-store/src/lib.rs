//! Keeps link entries, their history and an audit chain: an embedded, crash-safe store on LMDB with a hot cache.
//!
//! A GS1-Conformant Resolver (release 1.2.0) reads, for each request, what is registered at the identified level and above
//! it. Here that is one [`Store::read`]: one snapshot, at most five levels, most granular first.
//!
//! # Terminology
//!
//! - *Level*: a primary key with or without key qualifiers, an [`EntityKey`]; its canonical text is the key
//!   in the store. The *key level* has no qualifiers.
//! - *Revision*: number of a batch. Each entry carries the revision that changed it last.
//! - *State*: what a level held from a revision on, until it was replaced. Replaced states are the *history*.
//! - *Audit chain*: one record for each revision and other [`Event`], each with a hash over all before it.
//!
//! # Guarantees of [`Store`]
//!
//! - When [`Store::write`] returns, the whole batch is on the disk; before, none of it is visible. A
//!   process killed at any moment leaves the store whole.
//! - Readers see a snapshot, never wait, and are never waited for. Several processes may read and write the
//!   same directory on one machine; what one of them has written, the others serve at once.
//! - Each write moves what it replaces to the history, and adds one record that tells who and when; see
//!   [`Store::verify`] for what that proves.
//! - On a full disk, or when the store has a newer format, there is an error and nothing changes.
//!
//! While a process has a store open, its files must not be changed, replaced or truncated by other means,
//! and the directory must be on a local disk: LMDB's locks do not work on network file systems.
//!
//! # Parts
//!
//! [`Store::read`], [`Store::write`] and [`Store::scan`] are what resolving and importing need. [`Store::transact`] does
//! more in one step, with a [`Transaction`]; [`Store::view`] reads one snapshot, with a [`View`]: states, changes,
//! documents, audit records. [`Store::verify`], [`Store::fsck`], [`Store::backup`] and [`Store::restore`] are for operators.
//!
//! # Example
//!
//! ```no_run
//! use fingerpost_gs1::EntityKey;
//! use fingerpost_store::{Batch, Store, StoreOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::open("data".as_ref(), StoreOptions::default())?;
//! let key = EntityKey::parse("/01/09506000134352/10/ABC")?;
//! for entry in store.read(&key)?.iter() {
//!     println!("{}: {} links", entry.key().as_str(), entry.link_count());
//! }
//! let mut batch = Batch::new();
//! batch.delete(key);
//! let revision = store.write(&batch)?;
//! println!("written as revision {revision}");
//! # Ok(())
//! # }
//! ```
//!
//! [`EntityKey`]: fingerpost_gs1::EntityKey

#![deny(unsafe_code)]

mod audit;
mod backup;
mod batch;
mod cache;
pub mod engine;
mod error;
mod event;
mod faults;
mod format;
mod fsck;
mod levels;
mod limits;
mod prune;
mod read;
mod revision;
mod rule;
mod states;
mod store;
#[cfg(test)]
mod tampering;
mod transaction;
mod upgrade;
mod verify;
mod view;
mod walk;
mod write;

pub use audit::{AuditHead, AuditRecord, InvalidAuditHead};
pub use backup::{BackupError, BackupReport, RestoreReport, verify_backup};
pub use batch::{Batch, Change};
pub use error::{MissingDefault, MissingDefaultCause, StoreError, Unavailable};
pub use event::{Event, Personal};
pub use fsck::FsckReport;
pub use levels::Levels;
pub use revision::Revision;
pub use store::{Store, StoreOptions};
pub use transaction::Transaction;
pub use verify::AuditReport;
pub use view::{ChangeKind, State, View};
