//! The arguments of every command and their help texts.
//!
//! Man pages and shell completions are generated from these definitions.

pub(crate) mod check;
pub(crate) mod client;
pub(crate) mod convert;
pub(crate) mod label;
pub(crate) mod local;
pub(crate) mod uri;
pub(crate) mod urn;
pub(crate) mod www;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use fingerpost_exchange::TitleLanguage;
use fingerpost_resolver::{CompanyPrefix, parse_instant};

/// The command line of fingerpost.
#[derive(Debug, Parser)]
#[command(
    name = "fingerpost",
    version,
    about = "A GS1-Conformant Resolver: serve, load, check and explain GS1 Digital Link identifiers",
    max_term_width = 100,
    after_help = "Try it: fingerpost serve --demo"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer GS1 Digital Link requests over HTTP or HTTPS
    Serve(Serve),
    /// Load link records into a data directory
    Import(Import),
    /// Write all link records to standard output
    Export(Export),
    /// Sign in to an admin listener and store an API key
    Login(client::Login),
    /// Sign out of an admin listener and delete the stored key
    Logout(client::Logout),
    /// Show the record of a level, using the admin listener
    Get(client::Get),
    /// Register records, using the admin listener
    Put(client::Put),
    /// Delete the record of a level, using the admin listener
    Delete(client::Delete),
    /// List records, using the admin listener
    List(client::List),
    /// Show the changes of a level, with author and time
    History(client::History),
    /// Restore an earlier revision of a level
    Revert(client::Revert),
    /// Send scans of products, lots or items to a recall notice
    Recall(client::Recall),
    /// Let a new key answer for an old one
    Succeed(client::Succeed),
    /// Create accounts and API keys in a data directory
    Admin(local::Admin),
    /// Verify or export the audit log of a data directory
    Audit(local::Audit),
    /// Back up a data directory to one file, also while it is served
    Backup(local::Backup),
    /// Restore a data directory from a backup
    Restore(local::Restore),
    /// Check everything in a data directory
    Fsck(local::Fsck),
    /// Check configuration, certificates, machine, store and backups
    Doctor(local::Doctor),
    /// Copy the store that this node follows, or compare the copy with it
    Follow(local::Follow),
    /// Rewrite a data directory without the remains of deleted data
    Compact(local::Compact),
    /// Move a store from a data directory to PostgreSQL, or back
    Migrate(local::Migrate),
    /// Identify and validate an identifier, and list every fault
    Check(check::Check),
    /// Convert an identifier: Digital Link, element string, EPC URN or bits
    Convert(convert::Convert),
    /// Draw the symbol of an identifier for a package, or sheets of labels
    Label(Box<label::Label>),
    /// Explain step by step how a request is answered, without a server
    Explain(Explain),
    /// Parse, build, resolve, normalise and compare URIs, and find them in text
    Uri(uri::Uri),
    /// Parse, build and compare URNs, and convert them to GS1 keys
    Urn(urn::Urn),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write all manual pages to a folder
    Man(Man),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost serve --demo
  fingerpost serve --config fingerpost.toml --data /var/lib/fingerpost --listen 0.0.0.0:8080
  fingerpost serve --config fingerpost.toml --data data --listen [::]:443 \\
      --tls-cert chain.pem --tls-key key.pem

The addresses in use are printed as `listening on http://ADDR:PORT`, also for port 0, followed by
the address of the admin listener as `admin listening on http://ADDR:PORT`. Create the first account
for it with `fingerpost admin create`.")]
pub(crate) struct Serve {
    /// Configuration file (TOML) [default: built-in defaults]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with = "demo")]
    pub(crate) data: Option<PathBuf>,
    /// Address to listen on; port 0 selects a free port; can be repeated [default: from the
    /// configuration, or 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) listen: Vec<SocketAddr>,
    /// Certificate chain (PEM); reloaded when the file changes
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key (PEM) of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,
    /// Serve HTTPS with a temporary self-signed certificate, for testing
    #[arg(long, conflicts_with_all = ["tls_cert", "tls_key"])]
    pub(crate) tls_self_signed: bool,
    /// Address of the admin listener; port 0 selects a free port; can be repeated [default: from
    /// the configuration, or 127.0.0.1:8081]
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) admin_listen: Vec<SocketAddr>,
    /// Form of log lines [default: from the configuration, or text]
    #[arg(long, value_name = "FORMAT", value_parser = ["text", "json"])]
    pub(crate) log_format: Option<String>,
    /// Disable the admin listener
    #[arg(long, conflicts_with = "admin_listen")]
    pub(crate) no_admin: bool,
    /// Serve sample data from a temporary directory and print links to try
    #[arg(long)]
    pub(crate) demo: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Input is a JSON array of records, one record per line (JSON Lines), a single record, a GS1 linkset
(JSON), or a spreadsheet (CSV, XLSX). Files can be of any size. A record replaces everything at its
anchor. Records can be in any order, for example a lot before its product. All rows of a key in a
spreadsheet make one record.

Invalid records are reported and skipped; all others are stored. Exit status: 0 all records
accepted, 1 some records refused, 2 the import could not be carried out.

Examples:
  fingerpost import --data data products.jsonl
  fingerpost import --data data --dry-run *.json
  zcat products.jsonl.gz | fingerpost import --data data -
  fingerpost import --data data --from https://id.example.org --identifiers gtins.txt")]
pub(crate) struct Import {
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML), for the address of the resolver and further link type namespaces
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Validate everything, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show every warning instead of their number
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Write refused records to this file, one per line, to correct and import them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) refused: Option<PathBuf>,
    /// Records written in one transaction
    #[arg(long, value_name = "RECORDS", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) batch: u32,
    #[command(flatten)]
    pub(crate) sheets: Sheets,
    #[command(flatten)]
    pub(crate) resolver: FromResolver,
    /// Files to read; `-` is standard input
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

/// A running resolver instead of files.
#[derive(Debug, Args)]
#[command(next_help_heading = "From a running resolver")]
pub(crate) struct FromResolver {
    /// Address of a GS1-Conformant Resolver, perhaps with a stem, whose links are imported
    #[arg(long, value_name = "URL", requires = "identifiers", value_hint = ValueHint::Url)]
    pub(crate) from: Option<String>,
    /// File with the identifiers to ask for, one per line, in any form that `check` reads; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", requires = "from", value_hint = ValueHint::FilePath)]
    pub(crate) identifiers: Option<PathBuf>,
    /// Number of requests at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) requests: u8,
    /// Time limit for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) timeout: u16,
}

/// How spreadsheets are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Spreadsheets")]
pub(crate) struct Sheets {
    /// Sheet of a workbook [default: the first one]
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// What a column means, if its title does not say it: a name such as gtin or href, a link type
    /// such as "gs1:pip (fr)", or ignore; can be repeated
    #[arg(long = "column", value_name = "TITLE=NAME")]
    pub(crate) columns: Vec<String>,
    /// File with the meaning of columns (TOML), one line for each: "Art. no." = "gtin"
    #[arg(long = "columns", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) columns_file: Option<PathBuf>,
    /// Write the meaning of all columns to a file for --columns
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save_columns: Option<PathBuf>,
}

/// How reports and findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Human-readable
    Text,
    /// Machine-readable: one JSON object per line
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The output is one consistent state of the store, even if it is changed during the export. Importing
it into an empty data directory restores the same records. --prefix and --changed-since select some of
them; deleted records are in no export.

A linkset has what the resolver publishes at this time. It has no place for validity, placeholders,
company prefixes and ranges; standard error says how many were left out.

Examples:
  fingerpost export --data data > all.jsonl
  fingerpost export --data data --prefix 9506000 --format linkset > linkset.json
  fingerpost export --data data --changed-since 2026-05-01 --format csv > changed.csv")]
pub(crate) struct Export {
    /// Data directory [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Export only keys below this GS1 Company Prefix, of every type; can be repeated
    #[arg(long = "prefix", value_name = "DIGITS", value_parser = CompanyPrefix::parse)]
    pub(crate) prefixes: Vec<CompanyPrefix>,
    /// Export only records last changed at this time (RFC 3339) or later; of a date, from 0:00 UTC on
    #[arg(long, value_name = "TIME", value_parser = instant_or_date)]
    pub(crate) changed_since: Option<jiff::Timestamp>,
    /// Language of the column titles of a spreadsheet
    #[arg(long, value_name = "TAG", default_value = "en")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TitleLanguage::tags()))]
    pub(crate) language: String,
    /// Write a workbook to fill in for import instead (XLSX), with lists of link types and languages
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["data", "config", "format", "prefixes", "changed_since"])]
    pub(crate) template: Option<PathBuf>,
    /// What a row of the template is
    #[arg(long, value_enum, default_value_t = SheetLayout::Products, requires = "template")]
    pub(crate) layout: SheetLayout,
}

/// What a row of a spreadsheet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SheetLayout {
    /// One link
    Links,
    /// One product, with a column for each link type
    Products,
}

/// How exported records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One record per line (JSON Lines)
    Jsonl,
    /// One JSON array
    Json,
    /// A spreadsheet with one row per link (CSV)
    Csv,
    /// The same as a workbook (XLSX)
    Xlsx,
    /// One GS1 linkset (RFC 9264), as any resolver can read it
    Linkset,
}

/// Reads an instant, or a date as its beginning in UTC.
fn instant_or_date(text: &str) -> Result<jiff::Timestamp, String> {
    let instant = parse_instant(text).or_else(|| parse_instant(&format!("{text}T00:00:00Z")));
    instant.ok_or_else(|| {
        "expected a time such as 2026-05-01T08:00:00Z, or a date such as 2026-05-01".to_owned()
    })
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost explain --data data https://id.example.org/01/09520123456788 -H 'Accept-Language: fr'
  fingerpost explain --data data '/01/09520123456788?linkType=gs1:pip' --now 2026-05-01T00:00:00Z")]
pub(crate) struct Explain {
    /// The request: a URI, its path and query, or a URN
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    /// A request header, as for curl; Accept and Accept-Language are used
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Data directory [default: from the configuration; with none, nothing is registered]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Time of the request (RFC 3339) [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<jiff::Timestamp>,
    /// Format of the explanation
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Folder for the pages of all commands [default: print the main page]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
}

/// Parses an address to listen on; `localhost` is 127.0.0.1.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").map(str::parse);
    let parsed = match port {
        Some(port) => port.ok().map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        None => text.parse().ok(),
    };
    let expected = "expected an IP address with a port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for all networks";
    parsed.ok_or_else(|| expected.to_owned())
}
