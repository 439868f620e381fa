//! An embedded, crash-safe store on LMDB. It keeps link entries, their history and an audit chain.
//!
//! For each request, a GS1-Conformant Resolver (release 1.2.0) reads the entries at the identified
//! level and above it. One [`Store::read`] does this: it reads one snapshot and at most five
//! levels, most granular first.
//!
//! # Terminology
//!
//! - *Level*: a primary key with or without key qualifiers, an [`EntityKey`]; its canonical text is
//!   the key in the store. The *key level* has no qualifiers.
//! - *Revision*: the number of a batch. Each entry carries the revision that last changed it.
//! - *State*: the value of a level from one revision until it was replaced. Replaced states are the
//!   *history*.
//! - *Audit chain*: one record for each revision and each other [`Event`], with a hash over all
//!   records before it.
//!
//! # Guarantees of [`Store`]
//!
//! - When [`Store::write`] returns, the whole batch is on disk; until then, none of it is visible.
//!   Killing a process at any moment leaves the store intact.
//! - Readers see a snapshot, never wait, and never make others wait. Several processes can read and
//!   write the same directory on one machine; each write is immediately visible to all of them.
//! - Each write moves what it replaces to the history, and adds one record of the actor and the
//!   time; see [`Store::verify`] for what that proves.
//! - On a full disk, or when the store has a newer format, the call returns an error and nothing
//!   changes.
//!
//! While a process has a store open, do not change, replace or truncate its files by other means.
//! Keep the directory on a local disk: LMDB's locks do not work on network file systems.
//!
//! # Parts
//!
//! Resolving and importing need only [`Store::read`], [`Store::write`] and
//! [`Store::scan`]. [`Store::transact`] combines several operations in one
//! [`Transaction`]; [`Store::view`] reads states, changes, documents and audit records from one
//! snapshot, a [`View`]. Operators use [`Store::verify`], [`Store::fsck`], [`Store::backup`],
//! [`Store::restore`] and [`Store::compact`].
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
//!     println!("{}: {} links", entry.anchor().as_str(), entry.link_count());
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

#![forbid(unsafe_code)]

mod activity;
mod applying;
mod audit;
mod backup;
mod batch;
mod compact;
mod companies;
pub mod copy;
mod covered;
mod damage;
mod erasure;
mod error;
mod event;
mod faults;
mod filling;
mod format;
mod fsck;
mod hot;
mod levels;
mod limits;
mod migrate;
mod options;
mod prefetch;
mod prune;
mod read;
mod recent;
mod revision;
mod rule;
mod states;
mod store;
mod stored_record;
#[cfg(test)]
mod tampering;
mod transaction;
mod upgrade;
mod verify;
mod view;
mod walk;
mod write;

pub use activity::Activity;
pub use audit::{AuditHead, AuditRecord, InvalidAuditHead};
pub use backup::{
    BackupBase, BackupError, BackupReport, ChangesBackup, RestorePoint, RestoreReport,
    verify_backup, verify_backup_chain,
};
pub use batch::{Batch, Change};
pub use compact::CompactReport;
pub use covered::{CheckDocument, DocumentCheck, Expected};
pub use error::{MissingDefault, MissingDefaultCause, StoreError};
pub use event::{Event, Personal};
pub use format::stored_bytes;
pub use fsck::FsckReport;
pub use levels::Levels;
pub use migrate::{MigrateReport, MigratedTable};
pub use options::StoreOptions;
pub use prefetch::Prefetch;
pub use revision::Revision;
pub use store::Store;
pub use stored_record::stored_record;
pub use transaction::Transaction;
pub use verify::AuditReport;
pub use view::{ChangeKind, State, View};
