//! Trial restores: a backup is restored into a temporary directory, checked in every way there is,
//! and deleted.

use std::fs::File;
use std::io::{BufRead, sink};
use std::path::Path;

use fingerpost_store::{Store, StoreOptions};
use tempfile::TempDir;

use super::manifest::{Kind, Manifest};
use super::restoring::compare;
use crate::failure::Failure;

/// The beginning of the name of the directory of a trial.
const TRIAL: &str = ".fingerpost-trial-";

/// Deletes what the trials of killed processes left; those that are alive have their directory
/// locked.
pub(super) fn clear(spool: &Path) {
    let Ok(entries) = std::fs::read_dir(spool) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(TRIAL)
            && let Ok(left) = File::open(entry.path())
            && left.try_lock().is_ok()
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, "a directory that a trial restore left cannot be deleted");
        }
    }
}

/// Restores a chain of backups, of which `last` describes the last one, below the directory
/// `spool`, and compares the result with it.
pub(super) fn restore(
    chain: Vec<Box<dyn BufRead + Send + '_>>,
    last: &Manifest,
    spool: &Path,
    options: StoreOptions,
) -> Result<(), Failure> {
    let wrong = |what: String| {
        Failure::advise(
            format!("the trial restore of `{}` failed: {what}", last.name),
            "make a full backup with `fingerpost backup run --full`, and check disk and memory of this machine with `fingerpost fsck`",
        )
    };
    let dir = TempDir::with_prefix_in(TRIAL, spool).map_err(|error| {
        wrong(format!("cannot create a directory in `{}`: {error}", spool.display()))
    })?;
    let alive = File::open(dir.path());
    let _ = alive.as_ref().is_ok_and(|dir| dir.try_lock().is_ok()); // without locks, nobody deletes it
    let mut digest = None;
    let head = last.audit_head().into_iter().collect::<Vec<_>>();
    let report = Store::restore_chain_then(
        chain,
        &dir.path().join("data"),
        options,
        None,
        |store, report| {
            compare(last, &store, report)?;
            let audit = fingerpost_registry::verify(&store, &head)?;
            if let Some(fault) = audit.faults().first() {
                return Err(Failure::new(fault));
            }
            digest = Some(store.backup(sink())?.digest());
            Ok::<_, Failure>(())
        },
    );
    let report = report.map_err(|failure: Failure| wrong(failure.what))?;
    if let Some(fault) = report.check().faults().next() {
        return Err(wrong(format!("the store had a fault when it was backed up: {fault}")));
    }
    if last.kind == Kind::Full && digest.as_ref() != Some(&last.digest) {
        return Err(wrong("the restored store is not the one that was backed up".to_owned()));
    }
    Ok(())
}
