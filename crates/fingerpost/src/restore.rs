//! `fingerpost restore`: restores a file, or a backup of a repository.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_registry::{Caller, Registry, Revived};
use fingerpost_server::backup::{self, Identities, Manifest, OpenedBackup, Repository};
use fingerpost_store::{RestorePoint, RestoreReport, Revision, Store};

use crate::admin::refused;
use crate::backup::{note_unfinished, print_report};
use crate::failure::Failure;
use crate::output::{ERROR, NOTE, counted, printable};
use crate::shared_args::ConfigFile;

/// Exit status if the backup is complete, but the store has faults.
const FAULTY: u8 = 1;

#[derive(Debug, Args)]
#[command(after_help = "\
The data directory must be missing or empty. The store is built in a temporary directory, checked, and
then moved into place; a damaged backup leaves no files.

A backup does not tell which sessions and API keys ended after it was made, so all of them end, unless
--keep-credentials is given. Passwords, roles and disabled accounts are those of the backup: check them.
Exit status: 0 restored, 1 restored, but the store had faults when the backup was made, 2 not restored.

Examples:
  fingerpost restore /backup/fingerpost-2026-05-01.fpb --data /var/lib/fingerpost
  fingerpost restore --from /backup/fingerpost --identity key.txt --data /var/lib/fingerpost
  fingerpost restore --from /backup/fingerpost --at 1042 --data rehearsal")]
pub(crate) struct Restore {
    /// Data directory to create
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Keep the sessions and API keys of the backup valid
    #[arg(long)]
    pub(crate) keep_credentials: bool,
    /// Repository to restore from; FILE is then the name of a backup in it [default: the last one]
    #[arg(long, value_name = "REPOSITORY", value_hint = ValueHint::DirPath)]
    pub(crate) from: Option<PathBuf>,
    /// Take the restored store back to this revision; accounts stay those of the backup
    #[arg(long, value_name = "REVISION", requires = "from", conflicts_with = "time")]
    pub(crate) at: Option<u64>,
    /// Take the restored store back to this time (RFC 3339), by the times of the audit log
    #[arg(long, value_name = "TIME", requires = "from")]
    pub(crate) time: Option<jiff::Timestamp>,
    /// File with private keys of age, for encrypted backups
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) identity: Option<PathBuf>,
    /// Backup to read; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "from", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}

/// Runs `fingerpost restore`.
pub(crate) fn run(args: &Restore) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
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
) -> Result<(Vec<OpenedBackup>, Option<Manifest>), Failure> {
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
