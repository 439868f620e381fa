//! The arguments of the commands that maintain a data directory: accounts, audit log, backups.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fingerpost_store::AuditHead;

use super::ReportFormat;

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
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
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
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// A previously noted head
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<AuditHead>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line holds one record: what happened, by whom, when, and the hash that chains it to all before it.
Personal data is in `person`, unless it was erased.")]
pub(crate) struct AuditExport {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// First record to export
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The backup is one consistent state, compressed: records, history, accounts and audit log. It is written
to a temporary file, read back and verified, and then renamed to FILE. It contains the hashes of
passwords and keys: keep it as safe as the data directory.

Examples:
  fingerpost backup --data /var/lib/fingerpost /backup/fingerpost-$(date +%F).fpb
  fingerpost backup --data /var/lib/fingerpost - | ssh store 'cat > fingerpost.fpb'")]
pub(crate) struct Backup {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// File to write, replaced if it exists; `-` is standard output
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The data directory must be missing or empty. The store is built in a temporary directory, checked, and
then moved into place; a damaged backup leaves no files. Exit status: 0 restored, 1 restored, but the
store had faults when the backup was made, 2 not restored.

Examples:
  fingerpost restore /backup/fingerpost-2026-05-01.fpb --data /var/lib/fingerpost")]
pub(crate) struct Restore {
    /// Data directory to create
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Backup to read; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Checks every key, entry, state and rule and verifies the audit log, without changes. A server can run at
the same time. Exit status: 0 no faults, 1 faults, 2 the directory could not be read.")]
pub(crate) struct Fsck {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}
