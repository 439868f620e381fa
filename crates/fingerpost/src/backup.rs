//! `fingerpost backup` and `restore`: write a data directory to one file, and restore it.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_registry::{Caller, Registry, Revived};
use fingerpost_store::{BackupError, BackupReport, Store, verify_backup};
use jiff::Timestamp;
use tempfile::NamedTempFile;

use crate::admin::refused;
use crate::args::local as args;
use crate::config;
use crate::failure::Failure;
use crate::last_backup::LastBackup;
use crate::output::{ERROR, GOOD, NOTE, counted, printable};

/// Exit status if the backup is complete, but the store has faults.
const FAULTY: u8 = 1;

/// Runs `fingerpost backup`.
///
/// # Errors
/// Fails if the store cannot be read or the file cannot be written; an existing file of that name is then unchanged.
pub(crate) fn backup(args: &args::Backup) -> Result<ExitCode, Failure> {
    let (config, store) = config::open(&args.local)?;
    let data = store.dir().map(Path::to_owned).or(config.storage.data.clone());
    if args.file.as_os_str() == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        let report = store.backup(&mut out)?;
        out.flush()?;
        note(data.as_deref(), &report);
        tell(&report, "written");
        return Ok(ExitCode::SUCCESS);
    }
    let name = printable(&args.file.to_string_lossy());
    let unwritable = |error: &io::Error| {
        Failure::advise(
            format!("cannot write `{name}`: {error}"),
            "check folder, permissions and space; a backup of that name is as it was",
        )
    };
    let folder = args.file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // In the same folder, so that it can be renamed atomically; readable by its owner only.
    let mut aside = NamedTempFile::with_prefix_in(".fingerpost-backup-", folder)
        .map_err(|error| unwritable(&error))?;
    let mut out = BufWriter::new(aside.as_file_mut());
    let report = store.backup(&mut out)?;
    out.flush().map_err(|error| unwritable(&error))?;
    drop(out);
    aside.as_file().sync_all().map_err(|error| unwritable(&error))?;
    aside.rewind().map_err(|error| unwritable(&error))?;
    verify_backup(BufReader::new(aside.as_file())).map_err(|error| {
        Failure::advise(
            format!("what was written to `{name}` reads back wrong: {error}"),
            "check disk and memory of the machine; a backup of that name is as it was",
        )
    })?;
    aside.persist(&args.file).map_err(|error| unwritable(&error.error))?;
    // The name is durable once the folder is.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| unwritable(&error))?;
    note(data.as_deref(), &report);
    tell(&report, "written and read back");
    Ok(ExitCode::SUCCESS)
}

/// Writes down in the data directory that there is a backup. The backup is complete also if that fails.
#[expect(
    clippy::disallowed_methods,
    reason = "the command reads the clock once, when the backup is complete"
)]
fn note(data: Option<&Path>, report: &BackupReport) {
    let Some(data) = data else { return };
    if let Err(error) = LastBackup::write(data, report, Timestamp::now()) {
        let data = data.display();
        let _ = writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: metrics and `fingerpost doctor` do not know of this backup: cannot write in `{data}`: {error}"
        );
    }
}

/// Runs `fingerpost restore`.
///
/// # Errors
/// Fails if the backup cannot be read or is damaged, or the directory is in use.
pub(crate) fn restore(args: &args::Restore) -> Result<ExitCode, Failure> {
    let name = printable(&args.file.to_string_lossy());
    let input: Box<dyn Read> = if args.file.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(&args.file).map_err(|error| {
            Failure::advise(
                format!("cannot read `{name}`: {error}"),
                "check the name and its permissions",
            )
        })?)
    };
    let config = config::load(args.config.as_deref())?;
    let data = config.data(args.data.as_deref())?;
    let mut revived = Revived::default();
    let input = BufReader::new(input);
    let report = Store::restore_then(input, data, config.store_options(), |store| {
        let registry = Registry::new(store, fingerpost_admin::registry_options(&config.admin));
        revived = registry
            .after_restore(&Caller::local("restore"), args.keep_credentials)
            .map_err(refused)?;
        Ok::<_, Failure>(())
    })?;
    tell(report.backup(), &format!("restored to {}", data.display()));
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

/// Writes to standard error, because standard output may be the backup.
fn tell(report: &BackupReport, what: &str) {
    let _ = writeln!(
        anstream::stderr(),
        "{GOOD}{what}{GOOD:#}: {} at revision {}, audit head {}",
        counted(report.levels(), "level"),
        report.revision(),
        report.audit_head()
    );
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Store(error) => error.into(),
            BackupError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            other => Self::new(other),
        }
    }
}
