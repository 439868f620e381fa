//! Backups of a store: to one file, or to a repository with encryption, verification and retention;
//! and the way back.

mod cipher;
mod file;
mod keys;
mod last;
mod making;
mod manifest;
mod repository;
mod restoring;
mod retention;
#[cfg(feature = "s3")]
mod s3;
mod storage;
mod trial;

pub use file::write_file;
pub use keys::Identities;
pub(crate) use keys::Recipients;
pub use last::{FailedBackup, LastBackup};
pub use making::{Done, Maker, is_busy};
pub use manifest::{Kind, Manifest, Previous, Verified};
pub use repository::{Listing, Repository};
pub use restoring::{OpenedBackup, choose, compare, open_chain, open_file};
pub use retention::{Judged, judge};
