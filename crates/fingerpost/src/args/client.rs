//! The arguments of the commands that speak to an admin listener.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::ReportFormat;

/// Which server, and how what it says is shown.
#[derive(Debug, Args)]
pub(crate) struct Connection {
    /// Address of the admin listener [default: that of the last login]
    #[arg(long, value_name = "URL", env = "FINGERPOST_SERVER", hide_env_values = true)]
    #[arg(value_hint = ValueHint::Url)]
    pub(crate) server: Option<String>,
    /// Trust the certificates of this authority (PEM) and no others
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Send the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without --login an API key is asked for, or read from standard input. With --login a password is, and
the server makes a key for this command line: the key is kept, the password is not.

Keys are kept in $XDG_CONFIG_HOME/fingerpost/credentials.toml, which only you can read; the last server
signed in to is the default. FINGERPOST_SERVER and FINGERPOST_KEY do without the file.

Examples:
  fingerpost login https://admin.id.example.org
  fingerpost login http://127.0.0.1:8081 --login ada
  fingerpost login https://admin.id.example.org --ca authority.pem < key.txt")]
pub(crate) struct Login {
    /// Address of the admin listener
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) url: String,
    /// Sign in with this name and a password
    #[arg(long, value_name = "NAME")]
    pub(crate) login: Option<String>,
    /// Organisation for which the key counts, by id; needed by those who belong to several
    #[arg(long, value_name = "ID", requires = "login")]
    pub(crate) organisation: Option<String>,
    /// Days after which the key expires
    #[arg(long, value_name = "DAYS", requires = "login", default_value_t = 90)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) days: u32,
    /// A key that can only read
    #[arg(long, requires = "login")]
    pub(crate) read_only: bool,
    /// Trust the certificates of this authority (PEM) and no others
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Send the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A key that `login --login` made is revoked at the server, too.")]
pub(crate) struct Logout {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
KEY is a path, a Digital Link URI, an element string, a bare GTIN or anything else that `fingerpost
check` reads. Standard output holds the record, as `put` takes it; who wrote it and when goes to
standard error. Exit status: 0 shown, 1 nothing registered there, 2 it could not be asked.

Examples:
  fingerpost get 01/09520123456788
  fingerpost get '(01)09520123456788(10)LOT7' --format json
  fingerpost get 9520123456788 > tea.json")]
pub(crate) struct Get {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// As it was at this revision of the store
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
FILE holds one record, an array of records, or one record per line (JSON Lines). Of several records all
are written or none, unless --each is given. In JSON Lines a line may also be {\"delete\": \"/01/…\"} or
{\"put\": record, \"ifMatch\": 12}.

With --if-match the record is written only if the level still has that revision, which `get` tells: what
somebody else wrote meanwhile is not overwritten. Exit status: 0 written, 1 refused, 2 it could not be
carried out.

Examples:
  fingerpost put tea.json
  fingerpost put tea.json --if-match 12
  fingerpost put --each --dry-run products.jsonl
  fingerpost get 9520123456788 | jq '.itemDescription = \"Tea\"' | fingerpost put -")]
pub(crate) struct Put {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Write only if the level has this revision
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Write only if nothing is registered at the level
    #[arg(long, conflicts_with = "if_match")]
    pub(crate) create: bool,
    /// Of several records, write those that are right and report the others
    #[arg(long)]
    pub(crate) each: bool,
    /// Judge everything, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The history of the level stays, and `fingerpost revert` brings it back.

Examples:
  fingerpost delete 01/09520123456788/10/LOT7
  fingerpost delete '(01)09520123456788' --if-match 12")]
pub(crate) struct Delete {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Delete only if the level has this revision
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Judge, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Shown is what you may read. Several filters narrow the list. With --format json each line holds one
level with its record.

Examples:
  fingerpost list --company-prefix 9520123
  fingerpost list --under 9520123456788
  fingerpost list --target-host old.example.com --format json | jq .record
  fingerpost list --changed-since 2026-05-01T00:00:00Z --limit 20")]
pub(crate) struct List {
    /// This key and everything below it
    #[arg(long, value_name = "KEY")]
    pub(crate) under: Option<String>,
    /// Keys of any type with this GS1 Company Prefix
    #[arg(long, value_name = "DIGITS")]
    pub(crate) company_prefix: Option<String>,
    /// Keys of this type, by Application Identifier: 01, 414, 8004 …
    #[arg(long, value_name = "AI")]
    pub(crate) key_type: Option<String>,
    /// Levels with a link of this type
    #[arg(long, value_name = "TYPE")]
    pub(crate) link_type: Option<String>,
    /// Levels with a target on this host
    #[arg(long, value_name = "HOST")]
    pub(crate) target_host: Option<String>,
    /// Levels with this text in a description, title or target
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Levels written last by this user or key, such as user:01jq…
    #[arg(long, value_name = "ACTOR")]
    pub(crate) author: Option<String>,
    /// Levels changed since then (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub(crate) changed_since: Option<jiff::Timestamp>,
    /// Levels shown at most [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost history 9520123456788
  fingerpost history 9520123456788 --from 12            what changed since revision 12
  fingerpost history 9520123456788 --from 12 --to 15    between two revisions")]
pub(crate) struct History {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Tell what changed since this revision
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// Up to this revision [default: as it is now]
    #[arg(long, value_name = "N", requires = "from")]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The state of then is written as a new revision, by the same checks as any record; if there was nothing
then, the level is deleted.

Examples:
  fingerpost revert 9520123456788 --revision 12
  fingerpost revert 9520123456788 --revision 12 --if-match 15")]
pub(crate) struct Revert {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// The revision to go back to, as `fingerpost history` tells it
    #[arg(long, value_name = "N")]
    pub(crate) revision: u64,
    /// Only if the level has this revision now
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Judge, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
