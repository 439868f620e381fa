//! `fingerpost restore`: restores a file, or a backup of a repository.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_registry::{Caller, Registry, Revived};
use fingerpost_store::{RestorePoint, RestoreReport, Revision, Store};

use super::keys::Identities;
use super::making::head_at;
use super::manifest::Manifest;
use super::repository::{Listing, Repository};
use super::tell;
use crate::admin::refused;
use crate::args::local as args;
use crate::config;
use crate::failure::Failure;
use crate::output::{ERROR, NOTE, counted, printable};

/// Exit status if the backup is complete, but the store has faults.
const FAULTY: u8 = 1;

/// The contents of a backup, decrypted.
pub(super) type Opened = Box<dyn BufRead + Send>;

/// Opens the files of a chain of backups, the full one first.
pub(super) fn open_chain(
    repository: &Repository,
    keys: &Identities,
    chain: &[&Manifest],
) -> Result<Vec<Opened>, Failure> {
    let open = |backup: &&Manifest| keys.open(&backup.name, repository.read(backup)?);
    chain.iter().map(open).collect()
}

/// Compares a restored store with the manifest of its backup.
pub(super) fn compare(
    backup: &Manifest,
    store: &Store,
    report: &RestoreReport,
) -> Result<(), Failure> {
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

/// Runs `fingerpost restore`.
pub(crate) fn restore(args: &args::Restore) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let data = config.data(args.data.as_deref())?;
    let identity = args.identity.as_deref().or(config.backup.identity_file.as_deref());
    let keys = Identities::of(identity)?;
    let point = match (args.at, args.time) {
        (Some(revision), _) => Some(RestorePoint::Revision(Revision::new(revision))),
        (None, time) => time.map(RestorePoint::Time),
    };
    let (chain, backup) = match (&args.from, &args.file) {
        (Some(from), name) => {
            let repository = Repository::open(from, &config.backup)?;
            from_repository(&repository, name.as_deref(), point, &keys)?
        }
        (None, Some(file)) => (vec![from_file(file, &keys)?], None),
        (None, None) => return Err(Failure::new("no backup to restore")),
    };
    let mut revived = Revived::default();
    let options = config.store_options();
    let report = Store::restore_chain_then(chain, data, options, point, |store, report| {
        if let Some(backup) = &backup {
            compare(backup, &store, report)?;
        }
        let registry = Registry::new(store, fingerpost_admin::registry_options(&config.admin));
        let caller = Caller::local("restore");
        if point.is_some() {
            registry.after_rewind(&caller).map_err(refused)?;
        }
        revived = registry.after_restore(&caller, args.keep_credentials).map_err(refused)?;
        Ok::<_, Failure>(())
    })?;
    tell(report.backup(), &format!("restored to {}", data.display()));
    if point.is_some() {
        tell_rewound(&report);
    }
    tell_revived(&revived, args.keep_credentials);
    let check = report.check();
    let mut err = anstream::stderr().lock();
    for fault in check.faults() {
        let _ = writeln!(err, "{ERROR}fault{ERROR:#}: {}", printable(fault));
    }
    if check.is_sound() {
        return Ok(ExitCode::SUCCESS);
    }
    let _ = writeln!(
        err,
        "  {NOTE}help{NOTE:#}: these were there when the backup was made; `fingerpost fsck` on an older one may \
         find none"
    );
    Ok(ExitCode::from(FAULTY))
}

/// Reports to where a store was taken back, and what was not.
fn tell_rewound(report: &RestoreReport) {
    let (revision, last) = (report.revision(), report.backup().revision());
    let what = if revision == last {
        format!("the state at revision {revision}, the last one of the backup")
    } else {
        format!(
            "records, history and audit log were taken back to revision {revision}; accounts and proposals are those of the \
             backup, at revision {last}"
        )
    };
    let _ = writeln!(anstream::stderr(), "{NOTE}note{NOTE:#}: {what}");
}

/// Opens a backup in a file, or on standard input.
fn from_file(file: &Path, keys: &Identities) -> Result<Opened, Failure> {
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

/// Opens the chain of a backup in a repository: the one with this name, or the one that has the point, or the newest one. Returns its
/// manifest, too.
fn from_repository(
    repository: &Repository,
    name: Option<&Path>,
    point: Option<RestorePoint>,
    keys: &Identities,
) -> Result<(Vec<Opened>, Option<Manifest>), Failure> {
    let listing = repository.list()?;
    let backup = match (name, point) {
        (Some(name), _) => named(&listing, &name.to_string_lossy())?,
        (None, Some(point)) => holding(newest(&listing)?, &listing, point)?,
        (None, None) => newest(&listing)?,
    };
    let chain = listing.chain(backup).map_err(|what| {
        Failure::advise(
            format!("{what}; nothing was restored"),
            "`fingerpost backup list` shows which backups can be restored; name one of them",
        )
    })?;
    Ok((open_chain(repository, keys, &chain)?, Some(backup.clone())))
}

/// Returns the newest backup, and reports files that may be newer ones.
pub(super) fn newest(listing: &Listing) -> Result<&Manifest, Failure> {
    let newest = listing.newest().map_err(|why| {
        Failure::advise(
            format!("{why}; nothing was restored"),
            "name an older backup to restore that one: `fingerpost backup list` shows which can be restored",
        )
    })?;
    for name in listing.unfinished.iter().filter(|name| **name > newest.name) {
        let what = "is newer but has no manifest: it is being written, or that was interrupted";
        let _ = writeln!(anstream::stderr(), "{NOTE}note{NOTE:#}: `{name}` {what}");
    }
    Ok(newest)
}

/// Returns the first backup of the newest line that was made after a point, so that its history goes back to it.
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

/// Returns the backup of a name.
pub(super) fn named<'l>(listing: &'l Listing, name: &str) -> Result<&'l Manifest, Failure> {
    listing.named(name).ok_or_else(|| {
        let why = printable(listing.fault(name).unwrap_or("it is not in the repository"));
        Failure::advise(
            format!("the backup `{}` cannot be used: {why}", printable(name)),
            "`fingerpost backup list` shows the names of all backups",
        )
    })
}

/// Reports the credentials that the backup brought back, and those that ended.
fn tell_revived(revived: &Revived, keep: bool) {
    let (sessions, keys) = (counted(revived.sessions, "session"), counted(revived.keys, "API key"));
    let (users, disabled) = (counted(revived.users, "user"), revived.disabled);
    let mut err = anstream::stderr().lock();
    let what = if keep {
        format!(
            "{sessions} and {keys} of the backup stay valid, also those that were ended or revoked after it was made"
        )
    } else {
        format!(
            "ended {sessions} and revoked {keys} of the backup; create new keys, or restore with --keep-credentials"
        )
    };
    let _ = writeln!(err, "{NOTE}note{NOTE:#}: {what}");
    let _ = writeln!(
        err,
        "{NOTE}note{NOTE:#}: {users} can sign in, with the passwords and roles of the backup, and {disabled} are \
         disabled: disable again those that were disabled or deleted after it was made"
    );
}
