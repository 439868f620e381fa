//! `fingerpost history`: lists the states of a level, or the differences between two of them.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_registry::Difference;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{self, Connection};
use super::key;
use super::level::Level;
use super::problem::Stop;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, STRONG, printable};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::Call;

#[derive(Debug, Deserialize)]
struct States {
    states: Vec<Box<RawValue>>,
    #[serde(default)]
    next: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Differences {
    differences: Vec<Box<RawValue>>,
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

pub(crate) fn run(args: &History) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let mut out = output::stdout();
    if let Some(from) = args.from {
        let call = Call::new("GET", format!("/v1/differences/{key}"))
            .query("from", &from.to_string())
            .query_if("to", args.to.map(|to| to.to_string()).as_deref());
        let answer = client.send(&call)?;
        let found: Differences = answer.json()?;
        for difference in found.differences {
            show_difference(&difference, args.connection.format, &mut out)?;
        }
    } else {
        let mut before: Option<String> = None;
        loop {
            let call = Call::new("GET", format!("/v1/history/{key}"))
                .query("limit", "1000")
                .query_if("before", before.as_deref());
            let found: States = client.send(&call)?.json()?;
            for state in found.states {
                show_state(&state, args.connection.format, &mut out)?;
            }
            before = found.next;
            if before.is_none() {
                break;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn show_state(state: &RawValue, format: ReportFormat, out: &mut impl Write) -> Result<(), Stop> {
    if format == ReportFormat::Json {
        return Ok(writeln!(out, "{state}")?);
    }
    let state: Level = serde_json::from_str(state.get()).map_err(|error| unreadable(&error))?;
    let what = if state.deleted { "deleted" } else { "written" };
    writeln!(out, "{}, {what}", state.provenance())?;
    Ok(())
}

fn show_difference(
    found: &RawValue,
    format: ReportFormat,
    out: &mut impl Write,
) -> Result<(), Stop> {
    if format == ReportFormat::Json {
        return Ok(writeln!(out, "{found}")?);
    }
    let found: Difference =
        serde_json::from_str(found.get()).map_err(|error| unreadable(&error))?;
    writeln!(out, "{STRONG}{}{STRONG:#}", printable(&found.path))?;
    if let Some(before) = found.before {
        writeln!(out, "  {ERROR}-{ERROR:#} {}", printable(&before.to_string()))?;
    }
    if let Some(after) = found.after {
        writeln!(out, "  {GOOD}+{GOOD:#} {}", printable(&after.to_string()))?;
    }
    Ok(())
}

fn unreadable(error: &serde_json::Error) -> Stop {
    let what = format!("cannot read what the server tells: {error}");
    Failure::advise(what, "update this program, or use --format json").into()
}
