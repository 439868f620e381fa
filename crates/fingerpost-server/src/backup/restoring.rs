//! Chooses a backup, opens its chain, and compares what was restored with its manifest.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use fingerpost_store::{BackupReport, RestorePoint, RestoreReport, Store, StoreError};
use jiff::Timestamp;

use super::keys::Identities;
use super::manifest::Manifest;
use super::repository::{Listing, Repository};
use crate::failure::Failure;
use crate::text::printable;

/// The contents of a backup, decrypted.
pub type OpenedBackup = Box<dyn BufRead + Send>;

/// Opens the files of a chain of backups, the full one first.
pub fn open_chain(
    repository: &Repository,
    keys: &Identities,
    chain: &[&Manifest],
) -> Result<Vec<OpenedBackup>, Failure> {
    let open = |backup: &&Manifest| keys.open(&backup.name, repository.read(backup)?);
    chain.iter().map(open).collect()
}

/// Compares a restored store with the manifest of its backup.
pub fn compare(backup: &Manifest, store: &Store, report: &RestoreReport) -> Result<(), Failure> {
    let found = report.backup();
    // The last audit record of the backup is gone after going back to an earlier revision.
    let is_last = backup.head_at.is_some() && report.revision() == found.revision();
    if backup.describes(found) && (!is_last || head_at(store, found)? == backup.head_at) {
        return Ok(());
    }
    Err(Failure::advise(
        format!(
            "`{}` has other contents than its manifest says; nothing was restored",
            backup.name
        ),
        "the file or the manifest was replaced: `fingerpost backup list` shows other backups",
    ))
}

/// Opens a backup in a file, or on standard input.
pub fn open_file(file: &Path, keys: &Identities) -> Result<OpenedBackup, Failure> {
    let name = printable(&file.to_string_lossy());
    let input: Box<dyn Read + Send> = if file.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(file).map_err(|error| {
            Failure::advise(
                format!("cannot read `{name}`: {error}"),
                "check the name and its permissions",
            )
        })?)
    };
    keys.open(&name, input)
}

/// Returns a backup of a repository: the one with this name, or the one from which the point can be
/// restored, or the newest one.
pub fn choose<'l>(
    listing: &'l Listing,
    name: Option<&str>,
    point: Option<RestorePoint>,
) -> Result<&'l Manifest, Failure> {
    match (name, point) {
        (Some(name), _) => listing.named(name).ok_or_else(|| {
            let why = printable(listing.fault(name).unwrap_or("it is not in the repository"));
            Failure::advise(
                format!("the backup `{}` cannot be used: {why}", printable(name)),
                "`fingerpost backup list` shows the names of all backups",
            )
        }),
        (None, Some(point)) => holding(newest(listing)?, listing, point),
        (None, None) => newest(listing),
    }
}

fn newest(listing: &Listing) -> Result<&Manifest, Failure> {
    listing.newest().map_err(|why| {
        Failure::advise(
            format!("{why}; nothing was restored"),
            "name an older backup to restore that one: `fingerpost backup list` shows which can be restored",
        )
    })
}

/// Returns the first backup of the newest line that was made after a point, so that its history
/// goes back to it.
fn holding<'l>(
    newest: &Manifest,
    listing: &'l Listing,
    point: RestorePoint,
) -> Result<&'l Manifest, Failure> {
    let usable = |backup: &&Manifest| backup.line == newest.line && listing.chain(backup).is_ok();
    let mut backups = listing.backups.iter().filter(usable);
    match point {
        RestorePoint::Revision(at) => {
            let exact = backups.clone().rev().find(|backup| backup.revision == at.number());
            exact.or_else(|| backups.find(|backup| backup.revision > at.number()))
        }
        // What was not changed later is that state, too.
        RestorePoint::Time(at) => {
            let last = backups.clone().next_back();
            backups.find(|backup| backup.head_at.is_some_and(|head| head >= at)).or(last)
        }
    }
    .ok_or_else(|| {
        Failure::advise(
            format!(
                "no backup has this revision; the newest one is of revision {}",
                newest.revision
            ),
            "`fingerpost backup list` shows all of them",
        )
    })
}

/// Returns the time of the last audit record of a backup.
pub(super) fn head_at(
    store: &Store,
    report: &BackupReport,
) -> Result<Option<Timestamp>, StoreError> {
    let seq = report.audit_head().seq();
    Ok(store.view(|view| view.audit(seq))?.map(|record| record.at()))
}
