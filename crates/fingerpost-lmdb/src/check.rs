//! Checks a data file: before LMDB maps it, and in full while it is open.
//!
//! What is checked before opening takes some milliseconds at most: both meta pages, the length of
//! the file, the directory of tables and the root of each table. If the file is shorter than its
//! last page, which is normal only while the last pages are free, every page is checked.

use std::path::Path;

use fingerpost_engine::EngineError;

use super::errors::io_fault;
use super::files::DATA_FILE;
use super::pages::{DataFile, Depth, Fault, Meta, check_trees};

use crate::limits::{CHECK_TRIES, MAX_LEAVES_BYTES};

/// Checks a data file that is not mapped yet: its last commit, or the one before. A missing or
/// foreign one is left to LMDB.
pub(super) fn check_before_opening(dir: &Path, is_last: bool) -> Result<(), EngineError> {
    let path = dir.join(DATA_FILE);
    if !path.exists() {
        return Ok(());
    }
    let attempt = || -> Result<Option<u64>, (Option<u64>, Fault)> {
        let file = DataFile::open(&path).map_err(|error| (None, error.into()))?;
        let Some(metas) = file.metas().map_err(|fault| (None, fault))? else { return Ok(None) };
        let meta = if is_last { Meta::newest(&metas) } else { Meta::oldest(&metas) };
        let depth = if file.is_short(meta) { Depth::Whole } else { Depth::Roots };
        let transaction = Some(meta.transaction);
        check_trees(&file, meta, depth, MAX_LEAVES_BYTES).map_err(|fault| (transaction, fault))?;
        Ok(transaction)
    };
    // A commit can reuse the pages of the one before the last while they are read here. What is
    // damaged stays so.
    let mut last = None;
    for _ in 0..CHECK_TRIES {
        match attempt() {
            Ok(_) => return Ok(()),
            Err((transaction, fault)) => {
                if last == Some(transaction) {
                    return Err(error_of(dir, fault));
                }
                last = Some(transaction);
            }
        }
    }
    Ok(()) // the store is written all the time, so its writer can read it
}

/// Checks every page that a commit uses, while a reader keeps its pages; returns `false` if others
/// have committed twice since.
pub(super) fn check_commit(dir: &Path, commit: u64) -> Result<bool, EngineError> {
    let path = dir.join(DATA_FILE);
    let check = || {
        let file = DataFile::open(&path)?;
        let metas = file.metas()?;
        let meta = metas.iter().flatten().find(|meta| meta.transaction == commit);
        meta.map(|meta| check_trees(&file, meta, Depth::Whole, MAX_LEAVES_BYTES)).transpose()
    };
    Ok(check().map_err(|fault| error_of(dir, fault))?.is_some())
}

pub(super) fn error_of(dir: &Path, fault: Fault) -> EngineError {
    match fault {
        Fault::Damaged(detail) => {
            EngineError::Damaged { location: dir.display().to_string(), detail }
        }
        Fault::Io(error) => io_fault(dir, error),
    }
}
