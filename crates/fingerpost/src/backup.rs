//! `fingerpost backup`: backs up a store to one file, or to a repository, which `run`, `list`,
//! `verify` and `prune` work on.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use serde_json::json;

use fingerpost_server::backup::{
    Kind, LastBackup, Listing, Maker, Manifest, Verified, choose, judge, write_file,
};
use fingerpost_server::config::Config;
use fingerpost_server::now;
use fingerpost_store::BackupReport;

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, STRONG, counted, printable};
use crate::shared_args::{Local, ReportFormat};

/// Exit status if a backup cannot be used.
const FAULTY: u8 = 1;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
With FILE, the backup is one consistent state, compressed: records, history, accounts and audit log. It
is written to a temporary file, read back and verified, and then renamed to FILE. It contains the hashes
of passwords and keys: keep it as safe as the data directory.

The commands work on a repository: a directory with many backups, as the table `backup` of the
configuration describes it. `fingerpost serve` makes them by itself if `backup.full` is set.

Examples:
  fingerpost backup --data /var/lib/fingerpost /backup/fingerpost-$(date +%F).fpb
  fingerpost backup --data /var/lib/fingerpost - | ssh store 'cat > fingerpost.fpb'
  fingerpost backup run --config fingerpost.toml --full")]
pub(crate) struct Backup {
    #[command(subcommand)]
    pub(crate) command: Option<BackupCommand>,
    #[command(flatten)]
    pub(crate) local: Local,
    /// File to write, replaced if it exists; `-` is standard output
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BackupCommand {
    /// Make a backup in the repository
    Run(BackupRun),
    /// List the backups in the repository
    List(BackupList),
    /// Restore a backup as a test, into a temporary directory
    Verify(BackupVerify),
    /// Delete the backups that `backup.keep` does not keep
    Prune(BackupPrune),
}

/// A repository of backups, and the store that they are of.
#[derive(Debug, Args)]
pub(crate) struct InRepository {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Directory of the repository [default: `backup.to` of the configuration]
    #[arg(long, value_name = "REPOSITORY", value_hint = ValueHint::DirPath)]
    pub(crate) to: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The backup is encrypted to `backup.recipients`, read back, and if it is a full one restored as a test.
Then backups that `backup.keep` does not keep are deleted. One run at a time.

Examples:
  fingerpost backup run --config fingerpost.toml
  fingerpost backup run --data /var/lib/fingerpost --to /backup/fingerpost --full")]
pub(crate) struct BackupRun {
    #[command(flatten)]
    pub(crate) repository: InRepository,
    /// Back up the whole store, not only what has changed since the last backup
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all can be used, 1 some cannot, 2 the repository could not be read."
)]
pub(crate) struct BackupList {
    #[command(flatten)]
    pub(crate) repository: InRepository,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Needs as much free space in the data directory as the data, and the private key if the backup is
encrypted. The manifest of the backup notes when it was verified.")]
pub(crate) struct BackupVerify {
    #[command(flatten)]
    pub(crate) repository: InRepository,
    /// File with private keys of age [default: `backup.identity_file` of the configuration]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) identity: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// Name of the backup [default: the last one]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The newest state, the last verified backup, and everything that a kept backup depends on are always kept.")]
pub(crate) struct BackupPrune {
    #[command(flatten)]
    pub(crate) repository: InRepository,
    /// Only say what would be deleted, and why the rest is kept
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost backup`.
pub(crate) fn run(args: &Backup) -> Result<ExitCode, Failure> {
    match (&args.command, &args.file) {
        (Some(BackupCommand::Run(args)), _) => make(args),
        (Some(BackupCommand::List(args)), _) => list(args),
        (Some(BackupCommand::Verify(args)), _) => verify(args),
        (Some(BackupCommand::Prune(args)), _) => prune(args),
        (None, Some(file)) => to_file(&args.local, file),
        (None, None) => Err(Failure::new("no file to write the backup to")),
    }
}

/// Writes a backup to a file, or to standard output.
fn to_file(local: &Local, file: &Path) -> Result<ExitCode, Failure> {
    let (config, store) = local.open()?;
    let data = store.dir().map(Path::to_owned).or(config.storage.data.clone());
    let (report, what) = if file.as_os_str() == "-" {
        let mut out = BufWriter::new(io::stdout().lock());
        let report = store.backup(&mut out)?;
        out.flush()?;
        (report, "written")
    } else {
        (write_file(&store, file)?, "written and read back")
    };
    note_backup(data.as_deref(), &report);
    print_report(&report, what);
    Ok(ExitCode::SUCCESS)
}

/// Notes in the data directory that there is a backup. The backup is complete also if that fails.
fn note_backup(data: Option<&Path>, report: &BackupReport) {
    let Some(data) = data else { return };
    if let Err(error) = LastBackup::write(data, report, now(), false) {
        let data = data.display();
        let _ = writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: metrics and `fingerpost doctor` do not know of this backup: cannot write in `{data}`: {error}"
        );
    }
}

/// Prints a report to standard error, because standard output may be the backup.
pub(crate) fn print_report(report: &BackupReport, what: &str) {
    let _ = writeln!(
        anstream::stderr(),
        "{GOOD}{what}{GOOD:#}: {} at revision {}, audit head {}",
        counted(report.levels(), "level"),
        report.revision(),
        report.audit_head()
    );
}

/// Prints a note for each file that may be a newer backup than the newest one.
pub(crate) fn note_unfinished(listing: &Listing) {
    let Ok(newest) = listing.newest() else { return };
    for name in listing.unfinished.iter().filter(|name| **name > newest.name) {
        let what = "is newer but has no manifest: it is being written, or that was interrupted";
        let _ = writeln!(anstream::stderr(), "{NOTE}note{NOTE:#}: `{name}` {what}");
    }
}

/// Returns the configuration, with the repository and keys of the command line, and what makes
/// backups by it.
fn maker(args: &InRepository, identity: Option<&Path>) -> Result<(Config, Maker), Failure> {
    let mut config = args.local.config.load()?;
    if let Some(to) = &args.to {
        config.backup.to = Some(to.clone());
    }
    if let Some(identity) = identity {
        config.backup.identity_file = Some(identity.to_owned());
    }
    let data = args.local.data.clone().or(config.storage.data.clone());
    let maker = Maker::new(&config, data.as_deref().filter(|data| data.is_dir()), now)?;
    Ok((config, maker))
}

fn make(args: &BackupRun) -> Result<ExitCode, Failure> {
    let (config, maker) = maker(&args.repository, None)?;
    let store = config.open_store(args.repository.local.data.as_deref())?;
    let kind = if args.full { Kind::Full } else { Kind::Changes };
    let done = maker.run(&store, kind)?;
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => {
            writeln!(
                out,
                "{}",
                json!({ "backup": done.backup, "whyFull": done.why_full, "deleted": done.deleted })
            )?;
        }
        ReportFormat::Text => {
            let backup = &done.backup;
            writeln!(
                out,
                "{GOOD}written{GOOD:#}: {} with {} at revision {}, {}",
                backup.name,
                counted(backup.levels, "level"),
                backup.revision,
                counted(backup.bytes, "byte")
            )?;
            if let Some(why) = &done.why_full {
                writeln!(out, "{NOTE}note{NOTE:#}: a full backup, because {why}")?;
            }
            writeln!(out, "verified: {}", verified(backup.verified))?;
            writeln!(out, "audit head: {STRONG}{}{STRONG:#}", backup.head)?;
            for name in &done.deleted {
                writeln!(out, "deleted: {name}")?;
            }
            if !backup.is_encrypted() {
                writeln!(
                    out,
                    "  {NOTE}help{NOTE:#}: it is not encrypted; set `backup.recipients` to encrypt the next ones"
                )?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Says in words how a backup was verified.
fn verified(verified: Option<Verified>) -> String {
    match verified {
        None => "read back, not restored as a test".to_owned(),
        Some(Verified { at, before_encryption: false }) => format!("restored as a test at {at:.0}"),
        Some(Verified { at, before_encryption: true }) => {
            format!("restored as a test at {at:.0}, from what was written before its encryption")
        }
    }
}

fn list(args: &BackupList) -> Result<ExitCode, Failure> {
    let (_, maker) = maker(&args.repository, None)?;
    let listing = maker.repository.list()?;
    let unusable: Vec<(&Manifest, String)> = listing
        .backups
        .iter()
        .filter_map(|backup| Some((backup, listing.chain(backup).err()?)))
        .collect();
    let fault_of = |backup: &Manifest| {
        unusable.iter().find(|(of, _)| of.name == backup.name).map(|(_, why)| why.as_str())
    };
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => {
            for backup in &listing.backups {
                let mut entry = json!(backup);
                if let Some(fault) = fault_of(backup) {
                    entry["fault"] = json!(fault);
                }
                writeln!(out, "{entry}")?;
            }
            for (name, fault) in &listing.faults {
                writeln!(out, "{}", json!({ "name": name, "fault": fault }))?;
            }
        }
        ReportFormat::Text => {
            for backup in &listing.backups {
                writeln!(out, "{STRONG}{}{STRONG:#}", backup.name)?;
                let encrypted = if backup.is_encrypted() {
                    format!("encrypted to {}", counted(backup.recipients.len() as u64, "key"))
                } else {
                    "not encrypted".to_owned()
                };
                writeln!(
                    out,
                    "  {}, {}, {encrypted}; {}",
                    counted(backup.levels, "level"),
                    counted(backup.bytes, "byte"),
                    verified(backup.verified)
                )?;
                if let Some(fault) = fault_of(backup) {
                    writeln!(out, "  {ERROR}fault{ERROR:#}: {fault}")?;
                }
            }
            print_rest(&listing, &maker, &mut out)?;
        }
    }
    out.flush()?;
    let is_sound = listing.faults.is_empty() && unusable.is_empty();
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(FAULTY) })
}

fn print_rest(listing: &Listing, maker: &Maker, out: &mut impl Write) -> Result<(), Failure> {
    for (name, fault) in &listing.faults {
        writeln!(out, "{ERROR}fault{ERROR:#}: {name}: {}", printable(fault))?;
    }
    for name in &listing.unfinished {
        writeln!(out, "{NOTE}note{NOTE:#}: {name} is not finished; the next run deletes it")?;
    }
    let count = counted(listing.backups.len() as u64, "backup");
    writeln!(out, "{count} in {}", maker.repository.location())?;
    Ok(())
}

fn verify(args: &BackupVerify) -> Result<ExitCode, Failure> {
    let (_, maker) = maker(&args.repository, args.identity.as_deref())?;
    let _one_at_a_time = maker.lock()?;
    let listing = maker.repository.list()?;
    let backup = choose(&listing, args.name.as_deref(), None)?;
    if args.name.is_none() {
        note_unfinished(&listing);
    }
    let chain = listing.chain(backup).map_err(|what| {
        Failure::advise(
            what,
            "verify another backup, and make a full one: `fingerpost backup run --full`",
        )
    })?;
    let keys = &maker.identities;
    maker.restore_on_trial(&chain, keys)?;
    let mut noted = backup.clone();
    noted.verified = Some(Verified { at: now(), before_encryption: false });
    maker.repository.note(&noted)?;
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => writeln!(out, "{}", json!(noted))?,
        ReportFormat::Text => writeln!(
            out,
            "{GOOD}sound{GOOD:#}: {}, {} at revision {}, restored from {}",
            noted.name,
            counted(noted.levels, "level"),
            noted.revision,
            counted(chain.len() as u64, "file")
        )?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn prune(args: &BackupPrune) -> Result<ExitCode, Failure> {
    let (config, maker) = maker(&args.repository, None)?;
    let keep = config.backup.keep.ok_or_else(|| {
        Failure::advise(
            "no rule says which backups are kept",
            "set `keep` in the table `backup` of the configuration, such as `{ days = 30, weeks = 12, months = 24 }`",
        )
    })?;
    let listing = maker.repository.list()?;
    let judged = judge(&listing, &keep);
    if !args.dry_run {
        maker.prune_now(&keep)?;
    }
    let mut out = output::stdout();
    for one in &judged {
        let (name, reason) = (&one.backup.name, &one.reason);
        match (args.format, reason) {
            (ReportFormat::Json, reason) => {
                writeln!(
                    out,
                    "{}",
                    json!({ "name": name, "kept": reason.is_some(), "reason": reason })
                )?;
            }
            (ReportFormat::Text, Some(reason)) => writeln!(out, "kept: {name}: {reason}")?,
            (ReportFormat::Text, None) if args.dry_run => {
                writeln!(out, "{NOTE}would be deleted{NOTE:#}: {name}")?;
            }
            (ReportFormat::Text, None) => writeln!(out, "{NOTE}deleted{NOTE:#}: {name}")?,
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
