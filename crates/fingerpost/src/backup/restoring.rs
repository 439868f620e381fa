//! `fingerpost restore`: restores a file, or a backup of a repository.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_registry::{Caller, Registry, Revived};
use fingerpost_store::{RestorePoint, RestoreReport, Revision, Store};

use super::keys::Identities;
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
///
/// # Errors
/// Fails if one cannot be read or decrypted.
pub(super) fn open_chain(
    repository: &Repository,
    keys: &Identities,
    chain: &[&Manifest],
) -> Result<Vec<Opened>, Failure> {
    let open = |backup: &&Manifest| keys.open(&backup.name, repository.read(&backup.name)?);
    chain.iter().map(open).collect()
}

/// Runs `fingerpost restore`.
///
/// # Errors
/// Fails if the backup cannot be read or is damaged, or the directory is in use.
pub(crate) fn restore(args: &args::Restore) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let data = config.data(args.data.as_deref())?;
    let identity = args.identity.as_deref().or(config.backup.identity_file.as_deref());
    let keys = Identities::of(identity)?;
    let point = match (args.at, args.time) {
        (Some(revision), _) => Some(RestorePoint::Revision(Revision::new(revision))),
        (None, time) => time.map(RestorePoint::Time),
    };
    let chain = match (&args.from, &args.file) {
        (Some(from), name) => {
            let repository = Repository::open(from, &config.backup)?;
            from_repository(&repository, name.as_deref(), point, &keys)?
        }
        (None, Some(file)) => vec![from_file(file, &keys)?],
        (None, None) => return Err(Failure::new("no backup to restore")),
    };
    let mut revived = Revived::default();
    let options = config.store_options();
    let report = Store::restore_chain_then(chain, data, options, point, |store| {
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

/// Opens the chain of a backup in a repository: the one with this name, or the one that has the point, or the last one.
fn from_repository(
    repository: &Repository,
    name: Option<&Path>,
    point: Option<RestorePoint>,
    keys: &Identities,
) -> Result<Vec<Opened>, Failure> {
    let listing = repository.list()?;
    let backup = match (name, point) {
        (Some(name), _) => named(&listing, &name.to_string_lossy())?,
        (None, Some(point)) => holding(&listing, point)?,
        (None, None) => listing.backups.last().ok_or_else(|| {
            Failure::advise(
                format!("`{}` has no backup", repository.place()),
                "`fingerpost backup list` shows what is there",
            )
        })?,
    };
    let chain = listing.chain(backup).map_err(|what| {
        Failure::advise(
            format!("{what}; nothing was restored"),
            "`fingerpost backup list` shows which backups can be restored; name one of them",
        )
    })?;
    open_chain(repository, keys, &chain)
}

/// Returns the first backup of the newest line that was made after a point, so that its history goes back to it.
fn holding(listing: &Listing, point: RestorePoint) -> Result<&Manifest, Failure> {
    let line = listing.backups.last().map(|last| last.line.as_str());
    let usable =
        |backup: &&Manifest| Some(backup.line.as_str()) == line && listing.chain(backup).is_ok();
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
        let newest = listing.backups.last().map_or(0, |last| last.revision);
        Failure::advise(
            format!("no backup has this revision; the newest one is of revision {newest}"),
            "`fingerpost backup list` shows all of them",
        )
    })
}

/// Returns the backup of a name.
///
/// # Errors
/// Fails if there is none.
pub(super) fn named<'l>(listing: &'l Listing, name: &str) -> Result<&'l Manifest, Failure> {
    listing.named(name).ok_or_else(|| {
        let name = printable(name);
        let fault = listing.faults.iter().find(|(of, _)| *of == name);
        let why = fault.map_or("it is not in the repository", |(_, why)| why);
        Failure::advise(
            format!("the backup `{name}` cannot be used: {why}"),
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
