//! The arguments of the commands that look after a data directory: accounts, audit log, backups.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fingerpost_store::AuditHead;

use super::ReportFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
Whoever may write the data directory may do this; a server may run on it meanwhile. Everything else
about accounts is done through the admin listener.")]
pub(crate) struct Admin {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Make a person who may do everything in this installation
    Create(AdminCreate),
    /// Make an API key, and print it once
    Key(AdminKey),
}

#[derive(Debug, Args)]
#[command(after_help = "\
The password, of at least 12 characters, is asked for or read from standard input.

Examples:
  fingerpost admin create --data data --login ada --name 'Ada Example'
  pwgen 20 1 | tee password | fingerpost admin create --data data --login ada")]
pub(crate) struct AdminCreate {
    /// Data directory; created when missing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Name to sign in with
    #[arg(long, value_name = "LOGIN")]
    pub(crate) login: String,
    /// Name for people [default: the login]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The key is printed once and kept as a hash only. Without --organisation it counts in the whole
installation.

Examples:
  fingerpost admin key --data data --label 'nightly export'
  fingerpost admin key --data data --label ERP --verb read,write --prefix 9520123 > key.txt")]
pub(crate) struct AdminKey {
    /// Data directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// What the key is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: String,
    /// What it may do; may be repeated
    #[arg(long = "verb", value_enum, value_delimiter = ',', default_value = "read")]
    pub(crate) verbs: Vec<KeyVerb>,
    /// Organisation for which it counts, by id
    #[arg(long, value_name = "ID")]
    pub(crate) organisation: Option<String>,
    /// Narrow it to keys of things whose company prefix begins with these digits
    #[arg(long, value_name = "DIGITS")]
    pub(crate) prefix: Option<String>,
    /// When it ends (RFC 3339) [default: never]
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<jiff::Timestamp>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyVerb {
    /// See what is registered
    Read,
    /// Register
    Write,
    /// Look after accounts, release changes, read the audit log
    Admin,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Find any tampering with the audit log and the history
    Verify(AuditVerify),
    /// Write all records of the audit log as JSON Lines
    Export(AuditExport),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Every record is bound to all before it by a hash. The head, printed at the end, stands for the whole
log: note it elsewhere, and give it with --head later. Then a log that was rewritten as a whole is found,
too. Exit status: 0 sound, 1 tampered with or damaged, 2 it could not be read.

Examples:
  fingerpost audit verify --data data
  fingerpost audit verify --data data --head 1042:5f0c…")]
pub(crate) struct AuditVerify {
    /// Data directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// A head that was noted earlier
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<AuditHead>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line holds one record: what happened, by whom, when, and the hash that binds it to all before it.
What tells of a person is in `person`, unless it was erased.")]
pub(crate) struct AuditExport {
    /// Data directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Begin with this record
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The backup is one consistent state, compressed, whatever is written meanwhile: records, history, accounts
and audit log. It is written beside FILE, read back and checked, and then takes its name. It holds the
hashes of passwords and keys: keep it as safe as the data directory.

Examples:
  fingerpost backup --data /var/lib/fingerpost /backup/fingerpost-$(date +%F).fpb
  fingerpost backup --data /var/lib/fingerpost - | ssh store 'cat > fingerpost.fpb'")]
pub(crate) struct Backup {
    /// Data directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// File to write; replaced when it exists; `-` is standard output
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The data directory must be missing or empty. The store is made aside, checked, and then moved into place:
a backup that is damaged leaves nothing behind. Exit status: 0 restored, 1 restored, but the store had faults
when the backup was made, 2 not restored.

Examples:
  fingerpost restore /backup/fingerpost-2026-05-01.fpb --data /var/lib/fingerpost")]
pub(crate) struct Restore {
    /// Data directory to make
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Backup to read; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Every key, entry, state and rule is checked, and the audit log verified; nothing is changed. A server may
run meanwhile. Exit status: 0 sound, 1 something is wrong, 2 it could not be read.")]
pub(crate) struct Fsck {
    /// Data directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: PathBuf,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}
