//! The arguments of the commands that maintain a data directory: accounts, audit log, backups.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fingerpost_server::config::{self, Config};
use fingerpost_store::AuditHead;
use fingerpost_store::Store;

use super::ReportFormat;
use crate::failure::Failure;

/// Where a data directory is.
#[derive(Debug, Args)]
pub(crate) struct Local {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}

impl Local {
    /// Returns the configuration, and the store, which must exist.
    pub(crate) fn open(&self) -> Result<(Config, Store), Failure> {
        let config = config::load(self.config.as_deref())?;
        let store = config.open_store(self.data.as_deref())?;
        Ok((config, store))
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Anyone with write access to the data directory can do this, also while a server uses it. Manage accounts
and keys otherwise with the console or the API.")]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Create an administrator of the installation
    Create(AdminCreate),
    /// Create an API key and print it once
    Key(AdminKey),
    /// Give an API key a new secret and print it once
    RotateKey(AdminRotateKey),
    /// Remove the second factor of a user
    ResetSecondFactor(AdminResetSecondFactor),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Prompts for a password of at least 12 characters, or reads it from standard input.

Examples:
  fingerpost admin create --data data --login ada --name 'Ada Example'
  pwgen 20 1 | tee password | fingerpost admin create --data data --login ada")]
pub(crate) struct AdminCreate {
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Name to sign in with
    #[arg(long, value_name = "LOGIN")]
    pub(crate) login: String,
    /// Display name [default: the login]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The key is printed once; only its hash is stored. Without --organisation it is valid for the whole
installation.

Examples:
  fingerpost admin key --data data --label 'nightly export'
  fingerpost admin key --data data --label ERP --verb read,write --prefix 9520123 > key.txt")]
pub(crate) struct AdminKey {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Purpose of the key, shown in lists
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: String,
    /// Permission of the key; can be repeated
    #[arg(long = "verb", value_enum, value_delimiter = ',', default_value = "read")]
    pub(crate) verbs: Vec<KeyVerb>,
    /// Id of the organisation that the key is for
    #[arg(long, value_name = "ID")]
    pub(crate) organisation: Option<String>,
    /// Limit the key to identifiers whose company prefix begins with these digits
    #[arg(long, value_name = "DIGITS")]
    pub(crate) prefix: Option<String>,
    /// Expiry time (RFC 3339) [default: never]
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<jiff::Timestamp>,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The current secret stays valid for 24 hours, or until --previous-until, at most 30 days. Keys that
belong to a user can be rotated by that user only, in the console or with the API.

Examples:
  fingerpost admin rotate-key --data data 01jz8k0m3v5q7s9t1w3x5y7z9a > key.txt
  fingerpost admin rotate-key --data data 01jz8k0m3v5q7s9t1w3x5y7z9a --previous-until 2026-06-01T00:00:00Z")]
pub(crate) struct AdminRotateKey {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Id of the key
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// When the current secret ends (RFC 3339) [default: in 24 hours]
    #[arg(long, value_name = "TIME")]
    pub(crate) previous_until: Option<jiff::Timestamp>,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For a user who lost the device and the recovery codes. All sessions of the user end; the password
stays.

Examples:
  fingerpost admin reset-second-factor --data data --login ada")]
pub(crate) struct AdminResetSecondFactor {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Login of the user
    #[arg(long, value_name = "LOGIN")]
    pub(crate) login: String,
}

/// A permission of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyVerb {
    /// Read records
    Read,
    /// Write records
    Write,
    /// Manage accounts, approve changes, read the audit log
    Admin,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Detect tampering with the audit log and the history
    Verify(AuditVerify),
    /// Export all records of the audit log as JSON Lines
    Export(AuditExport),
    /// Confirm that the clock is right after a jump, so that history is pruned again
    ConfirmClock(AuditConfirmClock),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A hash chains every record to all records before it. The head, printed at the end, identifies the whole
log: note it elsewhere and pass it with --head later, to detect also a log that was rewritten
completely. Exit status: 0 no faults, 1 tampered with or damaged, 2 the log could not be read.

Examples:
  fingerpost audit verify --data data
  fingerpost audit verify --data data --head 1042:5f0c…")]
pub(crate) struct AuditVerify {
    #[command(flatten)]
    pub(crate) local: Local,
    /// A previously noted head
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<AuditHead>,
    /// File with noted heads, one per line: as published by `serve` (`audit.heads_file`), reports of this command, or plain
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) heads: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
`admin.history_days` deletes nothing while the clock is further ahead of the last check than half of that time
(at least one day, at most 30 days): a clock that jumped would make every state look old. If the clock is
right, for example after a long pause, confirm it.")]
pub(crate) struct AuditConfirmClock {
    #[command(flatten)]
    pub(crate) local: Local,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line holds one record: what happened, by whom, when, and the hash that chains it to all before it.
Personal data is in `person`, unless it was erased.")]
pub(crate) struct AuditExport {
    #[command(flatten)]
    pub(crate) local: Local,
    /// First record to export
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

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
    /// Restore a backup on trial, into a temporary directory
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
The backup is encrypted to `backup.recipients`, read back, and if it is a full one restored on trial.
Then backups that `backup.keep` does not keep are deleted. One run at a time.

Examples:
  fingerpost backup run --config fingerpost.toml
  fingerpost backup run --data /var/lib/fingerpost --to /backup/fingerpost --full")]
pub(crate) struct BackupRun {
    #[command(flatten)]
    pub(crate) place: InRepository,
    /// Back up the whole store, not only what has changed since the last backup
    #[arg(long)]
    pub(crate) full: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 all can be used, 1 some cannot, 2 the repository could not be read."
)]
pub(crate) struct BackupList {
    #[command(flatten)]
    pub(crate) place: InRepository,
    /// Format of the list
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Needs as much free space in the data directory as the data, and the private key if the backup is
encrypted. The manifest of the backup notes when it was verified.")]
pub(crate) struct BackupVerify {
    #[command(flatten)]
    pub(crate) place: InRepository,
    /// File with private keys of age [default: `backup.identity_file` of the configuration]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) identity: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Name of the backup [default: the last one]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The newest state, the last verified backup, and everything that a kept backup stands on are always kept.")]
pub(crate) struct BackupPrune {
    #[command(flatten)]
    pub(crate) place: InRepository,
    /// Only say what would be deleted, and why the rest is kept
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

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
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
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

#[derive(Debug, Args)]
#[command(after_help = "\
Deleted and replaced data remain in free parts of the data file until these are used again. This command
copies everything else into a new file, compares both, and replaces the old file in one step. Run it after
erasing a user, while no other process uses the directory; processes that start meanwhile wait. It needs
as much free space as the data. It does not reach earlier backups or snapshots of the disk.
Exit status: 0 compacted, 2 not compacted, the directory is as it was.

Examples:
  fingerpost compact --data /var/lib/fingerpost")]
pub(crate) struct Compact {
    #[command(flatten)]
    pub(crate) local: Local,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Copies every row with history, audit log and accounts, in key order, and compares digests of both sides. Stop the
server first. Repeat the command after an interruption: what is there already is only compared. Nobody can
open the target before it is complete. The password comes from PGPASSWORD or PGPASSFILE.
Exit status: 0 migrated, 2 not complete.

Examples:
  fingerpost migrate --from /var/lib/fingerpost --to postgres://fingerpost@db.example.com/links
  fingerpost migrate --from postgres://fingerpost@db.example.com/links --to /var/lib/fingerpost")]
pub(crate) struct Migrate {
    /// Directory or postgres:// URL of the store
    #[arg(long, value_name = "PLACE")]
    pub(crate) from: String,
    /// Directory or postgres:// URL to move it to; created if missing
    #[arg(long, value_name = "PLACE")]
    pub(crate) to: String,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Checks every page, key, entry, state and rule and verifies the audit log, without changes. A server can run at
the same time. Exit status: 0 no faults, 1 faults, 2 the directory could not be read.")]
pub(crate) struct Fsck {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Says in words what is wrong and what to do about it. Nothing is changed, except that a store of an earlier
release is upgraded, as by every command. A server can run at the same time. Run it as the user of the
server, with its configuration. Exit status: 0 nothing is wrong, 1 warnings, 2 faults.

Examples:
  fingerpost doctor --config fingerpost.toml
  fingerpost doctor --data data --format json")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Hours after which a backup is too old
    #[arg(long, value_name = "HOURS", default_value_t = 26)]
    pub(crate) backup_age: u32,
    /// File with the addresses of names, as your name servers have them: a name and its addresses in each line; compared with
    /// `acme.names` and --address, because this command asks no name server
    #[arg(long, value_name = "FILE", requires = "addresses")]
    pub(crate) dns: Option<PathBuf>,
    /// Address at which others reach this machine; can be repeated
    #[arg(long = "address", value_name = "ADDRESS", requires = "dns")]
    pub(crate) addresses: Vec<IpAddr>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A node whose configuration has `url` in the table `store` answers scans from a copy of that store in its
data directory. `fingerpost serve` keeps the copy up to date; this command brings it up to date once, for
example before the first start.

With --verify, nothing is changed: digests of the copy and of the store are compared span by span, and
levels that differ are named, also while a server brings the copy up to date.
Exit status: 0 up to date, or the same; 1 not the same; 2 the store or the copy could not be used.

Examples:
  fingerpost follow --config fingerpost.toml --data /var/lib/fingerpost
  fingerpost follow --config fingerpost.toml --data /var/lib/fingerpost --verify")]
pub(crate) struct Follow {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Compare the copy with the store instead
    #[arg(long)]
    pub(crate) verify: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}
