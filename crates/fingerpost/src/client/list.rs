//! `fingerpost list`: lists the registered levels, page by page.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{self, Connection};
use super::key;
use super::level::Level;
use super::problem::Stop;
use crate::failure::Failure;
use crate::limits::LIST_PAGE;
use crate::output::{self, NOTE, STRONG, printable};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::Call;

/// One page.
#[derive(Debug, Deserialize)]
struct Page {
    levels: Vec<Box<RawValue>>,
    #[serde(default)]
    next: Option<String>,
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

pub(crate) fn run(args: &List) -> Result<ExitCode, Stop> {
    let under = args.under.as_deref().map(key::read).transpose()?;
    let client = connection::open(&args.connection)?;
    let mut out = output::stdout();
    let mut left = args.limit.unwrap_or(u64::MAX);
    let mut shown = 0_u64;
    let mut after: Option<String> = None;
    while left > 0 {
        let call = Call::new("GET", "/v1/levels")
            .query_if("under", under.as_ref().map(|key| key.as_str()))
            .query_if("companyPrefix", args.company_prefix.as_deref())
            .query_if("keyType", args.key_type.as_deref())
            .query_if("linkType", args.link_type.as_deref())
            .query_if("targetHost", args.target_host.as_deref())
            .query_if("text", args.text.as_deref())
            .query_if("author", args.author.as_deref())
            .query_if("changedSince", args.changed_since.map(|at| at.to_string()).as_deref())
            .query_if("after", after.as_deref())
            .query("limit", &left.min(LIST_PAGE).to_string());
        let page: Page = client.send(&call)?.json()?;
        left -= left.min(page.levels.len() as u64);
        shown += page.levels.len() as u64;
        for level in page.levels {
            show(&level, args.connection.format, &mut out)?;
        }
        out.flush()?;
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    if shown == 0 && args.connection.format == ReportFormat::Text {
        let _ = writeln!(
            anstream::stderr(),
            "{NOTE}note{NOTE:#}: nothing that you may see is like this"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The members of a record that a line shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Shown {
    item_description: Option<String>,
    links: Vec<serde::de::IgnoredAny>,
}

fn show(level: &RawValue, format: ReportFormat, out: &mut impl Write) -> Result<(), Stop> {
    if format == ReportFormat::Json {
        return Ok(writeln!(out, "{level}")?);
    }
    let level: Level = serde_json::from_str(level.get()).map_err(|error| unreadable(&error))?;
    let record = level.record.as_ref().map_or("{}", |record| record.get());
    let record: Shown = serde_json::from_str(record).map_err(|error| unreadable(&error))?;
    let count = record.links.len();
    let plural = if count == 1 { "" } else { "s" };
    writeln!(
        out,
        "{STRONG}/{}{STRONG:#}  {}  {count} link{plural}  {}",
        printable(&level.key),
        level.provenance(),
        printable(record.item_description.as_deref().unwrap_or_default())
    )?;
    Ok(())
}

fn unreadable(error: &serde_json::Error) -> Stop {
    let what = format!("cannot read a level of the list: {error}");
    Failure::advise(what, "update this program, or use --format json").into()
}
