//! `fingerpost restore`: restores a file, or a backup of a repository.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use fingerpost_registry::{Caller, Registry, Revived};
use fingerpost_server::backup::{self, Identities, Manifest, Opened, Repository};
use fingerpost_server::config;
use fingerpost_store::{RestorePoint, RestoreReport, Revision, Store};

use crate::admin::refused;
use crate::args::local as args;
use crate::backup::{note_unfinished, print_report};
use crate::failure::Failure;
use crate::output::{ERROR, NOTE, counted, printable};

/// Exit status if the backup is complete, but the store has faults.
const FAULTY: u8 = 1;

/// Runs `fingerpost restore`.
pub(crate) fn run(args: &args::Restore) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let data = config.data(args.data.as_deref())?;
    let identity = args.identity.as_deref().or(config.backup.identity_file.as_deref());
    let keys = Identities::of(identity)?;
    let point = match (args.at, args.time) {
        (Some(revision), _) => Some(RestorePoint::Revision(Revision::new(revision))),
        (None, time) => time.map(RestorePoint::Time),
    };
    let (chain, manifest) = match (&args.from, &args.file) {
        (Some(from), name) => {
            let repository = Repository::open(from, &config.backup)?;
            from_repository(&repository, name.as_deref(), point, &keys)?
        }
        (None, Some(file)) => (vec![backup::open_file(file, &keys)?], None),
        (None, None) => return Err(Failure::new("no backup to restore")),
    };
    let mut revived = Revived::default();
    let options = config.store_options();
    let report = Store::restore_chain_then(chain, data, options, point, |store, report| {
        if let Some(manifest) = &manifest {
            backup::compare(manifest, &store, report)?;
        }
        let registry = Registry::new(store, fingerpost_admin::registry_options(&config.admin));
        let caller = Caller::local("restore");
        if point.is_some() {
            registry.after_rewind(&caller).map_err(refused)?;
        }
        revived = registry.after_restore(&caller, args.keep_credentials).map_err(refused)?;
        Ok::<_, Failure>(())
    })?;
    print_report(report.backup(), &format!("restored to {}", data.display()));
    if point.is_some() {
        print_rewound(&report);
    }
    print_revived(&revived, args.keep_credentials);
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

/// Opens the chain of a backup in a repository; returns its manifest, too.
fn from_repository(
    repository: &Repository,
    name: Option<&Path>,
    point: Option<RestorePoint>,
    keys: &Identities,
) -> Result<(Vec<Opened>, Option<Manifest>), Failure> {
    let listing = repository.list()?;
    let name = name.map(Path::to_string_lossy);
    let chosen = backup::choose(&listing, name.as_deref(), point)?;
    if name.is_none() {
        note_unfinished(&listing);
    }
    let chain = listing.chain(chosen).map_err(|what| {
        Failure::advise(
            format!("{what}; nothing was restored"),
            "`fingerpost backup list` shows which backups can be restored; name one of them",
        )
    })?;
    Ok((backup::open_chain(repository, keys, &chain)?, Some(chosen.clone())))
}

/// Reports to where a store was taken back, and what was not.
fn print_rewound(report: &RestoreReport) {
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

/// Reports the credentials that the backup brought back, and those that ended.
fn print_revived(revived: &Revived, keep: bool) {
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
