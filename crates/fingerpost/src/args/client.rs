//! The arguments of the commands that use an admin listener.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::ReportFormat;

/// The server, and the format of its answers.
#[derive(Debug, Args)]
pub(crate) struct Connection {
    /// Address of the admin listener [default: that of the last login]
    #[arg(long, value_name = "URL", env = "FINGERPOST_SERVER", hide_env_values = true)]
    #[arg(value_hint = ValueHint::Url)]
    pub(crate) server: Option<String>,
    /// Trust only certificates of this authority (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow sending the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without --login, the command prompts for an API key, or reads it from standard input. With --login, it
prompts for a password, and the server creates an API key, which is stored; the password is not.

Keys are stored in $XDG_CONFIG_HOME/fingerpost/credentials.toml, readable only by you. The server of
the last login is the default. FINGERPOST_SERVER and FINGERPOST_KEY override the file.

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
    /// Id of the organisation that the key is for; required if you belong to several
    #[arg(long, value_name = "ID", requires = "login")]
    pub(crate) organisation: Option<String>,
    /// Days after which the key expires
    #[arg(long, value_name = "DAYS", requires = "login", default_value_t = 90)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=365))]
    pub(crate) days: u32,
    /// Create a key that can only read
    #[arg(long, requires = "login")]
    pub(crate) read_only: bool,
    /// Trust only certificates of this authority (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// Allow sending the key to another machine without TLS
    #[arg(long)]
    pub(crate) insecure: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A key created by `login --login` is also revoked on the server.")]
pub(crate) struct Logout {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
KEY is a path, a Digital Link URI, an element string, a bare GTIN or anything else that `fingerpost
check` recognises. Prints the record on standard output, in the format of `put`, and its author and
time on standard error. Exit status: 0 shown, 1 not found, 2 the request failed.

Examples:
  fingerpost get 01/09520123456788
  fingerpost get '(01)09520123456788(10)LOT7' --format json
  fingerpost get 9520123456788 > tea.json")]
pub(crate) struct Get {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// Show the record at this revision of the store
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
FILE contains one record, an array of records, or one record per line (JSON Lines). Several records are
written all or none, unless --each is given. In JSON Lines a line can also be {\"delete\": \"/01/…\"} or
{\"put\": record, \"ifMatch\": 12}.

With --if-match the record is written only if the level still has that revision, as printed by `get`, so
that changes by others are not overwritten. Exit status: 0 written, 1 refused, 2 it could not be carried
out.

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
    /// Write the valid records and report the others
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
The history of the level is kept; restore it with `fingerpost revert`.

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
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Lists the records that you have permission to read. Filters can be combined. With --format json each
line holds one level with its record.

Examples:
  fingerpost list --company-prefix 9520123
  fingerpost list --under 9520123456788
  fingerpost list --target-host old.example.com --format json | jq .record
  fingerpost list --changed-since 2026-05-01T00:00:00Z --limit 20")]
pub(crate) struct List {
    /// Only this key and the levels below it
    #[arg(long, value_name = "KEY")]
    pub(crate) under: Option<String>,
    /// Only keys with this GS1 Company Prefix, of any type
    #[arg(long, value_name = "DIGITS")]
    pub(crate) company_prefix: Option<String>,
    /// Only keys of this type, by Application Identifier: 01, 414, 8004 …
    #[arg(long, value_name = "AI")]
    pub(crate) key_type: Option<String>,
    /// Only levels with a link of this type
    #[arg(long, value_name = "TYPE")]
    pub(crate) link_type: Option<String>,
    /// Only levels with a target on this host
    #[arg(long, value_name = "HOST")]
    pub(crate) target_host: Option<String>,
    /// Only levels with this text in a description, title or target
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Only levels last written by this user or key, such as user:01jq…
    #[arg(long, value_name = "ACTOR")]
    pub(crate) author: Option<String>,
    /// Only levels changed since this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub(crate) changed_since: Option<jiff::Timestamp>,
    /// Maximum number of levels to show [default: all]
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
    /// Show what changed since this revision
    #[arg(long, value_name = "N")]
    pub(crate) from: Option<u64>,
    /// Show changes up to this revision [default: the current one]
    #[arg(long, value_name = "N", requires = "from")]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The earlier state is written as a new revision, validated like any record. If nothing was registered
at that revision, the level is deleted.

Examples:
  fingerpost revert 9520123456788 --revision 12
  fingerpost revert 9520123456788 --revision 12 --if-match 15")]
pub(crate) struct Revert {
    /// The level
    #[arg(value_name = "KEY")]
    pub(crate) key: String,
    /// The revision to restore, as shown by `fingerpost history`
    #[arg(long, value_name = "N")]
    pub(crate) revision: u64,
    /// Restore only if the level currently has this revision
    #[arg(long, value_name = "N")]
    pub(crate) if_match: Option<u64>,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Scans of a recalled product, lot or item get the notice, in the reader's language if there is one, whatever more
granular records say. Pages show it above everything, and linksets list it as gs1:recallStatus. All keys are
changed, or none; a second person has to approve it where the organisation asks for that.

A range of lots or serial numbers is a key too: /01/09520123456788/-range/10/4/A100/A199 is lots A100 to A199.

Examples:
  fingerpost recall '(01)09520123456788(10)LOT7' --notice https://example.com/recall
  fingerpost recall 01/09520123456788/10/LOT7 01/09520123456788/10/LOT8 \\
    --notice https://example.com/recall --title 'Recall of lots 7 and 8' \\
    --notice fr=https://example.com/rappel --title fr='Rappel des lots 7 et 8'
  fingerpost recall --end 01/09520123456788/10/LOT7")]
pub(crate) struct Recall {
    /// The products, lots, items or ranges
    #[arg(value_name = "KEY", required = true)]
    pub(crate) keys: Vec<String>,
    /// Address of the notice, for one language or for all; can be repeated
    #[arg(long = "notice", value_name = "[LANGUAGE=]URL", required_unless_present = "end")]
    pub(crate) notices: Vec<String>,
    /// Title of the notice; without one: Recall
    #[arg(long = "title", value_name = "[LANGUAGE=]TEXT")]
    pub(crate) titles: Vec<String>,
    /// End the recall: remove the notices
    #[arg(long, conflicts_with_all = ["notices", "titles"])]
    pub(crate) end: bool,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Scans of the old key lead to what the new one answers, with their lot or serial number. Linksets of the old key list the
new one as successor-version. Both are registered; successors that would lead back to the old key are refused.

Examples:
  fingerpost succeed 9520123456788 9520123456795
  fingerpost succeed 01/09520123456788 01/09520123456795 --title 'Tea, new pack'
  fingerpost succeed --end 01/09520123456788")]
pub(crate) struct Succeed {
    /// The old key
    #[arg(value_name = "OLD")]
    pub(crate) old: String,
    /// The new key
    #[arg(value_name = "NEW", required_unless_present = "end")]
    pub(crate) new: Option<String>,
    /// Title of the link to the new key; without one, its description
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// End the succession: the old key answers itself
    #[arg(long, conflicts_with_all = ["new", "title"])]
    pub(crate) end: bool,
    /// Validate, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
