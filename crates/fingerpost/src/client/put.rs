//! `fingerpost put`: registers one record, or a batch of them.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_registry::{BatchItem, BatchReport, ChangeStatus};
use serde_json::Value;

use super::connection::{self, Connection, writing};
use super::input::Input;
use super::outcome;
use super::problem::{Stop, fault_line};
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, STRONG, WARNING, printable};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::{ApiAnswer, Call};

/// Exit status if a row was refused.
const REFUSED: u8 = 1;

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

pub(crate) fn run(args: &Put) -> Result<ExitCode, Stop> {
    let input = Input::read(&args.file)?;
    let client = connection::open(&args.connection)?;
    let mut out = output::stdout();
    match input {
        Input::Record { key, json } => {
            let call =
                Call::new("PUT", format!("/v1/levels/{key}")).body("application/json", &json);
            let call = writing(call, args.dry_run, args.if_match)?;
            let call = if args.create { call.header("if-none-match", "*") } else { call };
            let answer = client.send(&call)?;
            outcome::write(key.as_str(), &answer, args.connection.format, &mut out)?;
            Ok(ExitCode::SUCCESS)
        }
        Input::Rows { .. } if args.if_match.is_some() || args.create => Err(Failure::advise(
            "--if-match and --create go with a single record whose anchor can be read",
            "in a batch write {\"put\": record, \"ifMatch\": N} on a line",
        )
        .into()),
        Input::Rows { rows, lines } => {
            let call = Call::new("POST", "/v1/batch")
                .query("mode", if args.each { "each" } else { "atomic" })
                .body("application/jsonl", &rows);
            let call = writing(call, args.dry_run, None)?;
            // Rows from an array have other line numbers in the file.
            let line_of = |row: u64| -> u64 {
                let index = usize::try_from(row).ok().and_then(|row| row.checked_sub(1));
                let line = index.and_then(|index| lines.as_ref()?.get(index));
                line.copied().unwrap_or(row)
            };
            let file = printable(&args.file.to_string_lossy());
            let answer =
                client.send(&call).map_err(|error| Stop::in_rows(error, &file, line_of))?;
            let refused = report(args, &answer, &file, &line_of, &mut out)?;
            out.flush()?;
            Ok(if refused == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
        }
    }
}

/// Shows the outcome of a batch and returns the number of refused rows.
fn report(
    args: &Put,
    answer: &ApiAnswer,
    file: &str,
    line_of: &impl Fn(u64) -> u64,
    out: &mut impl Write,
) -> Result<u64, Stop> {
    let mut body: Value = answer.json()?;
    let report: BatchReport = answer.json()?;
    if args.connection.format == ReportFormat::Json {
        for item in body["items"].as_array_mut().into_iter().flatten() {
            if let Some(line) = item["line"].as_u64() {
                item["line"] = line_of(line).into();
            }
        }
        writeln!(out, "{body}")?;
        return Ok(report.refused);
    }
    for item in &report.items {
        show(item, file, line_of, out)?;
    }
    if report.omitted > 0 {
        writeln!(out, "{} further rows are not listed", report.omitted)?;
    }
    writeln!(out, "{}", summary(args, &report))?;
    Ok(report.refused)
}

/// Shows a row if there is something to report about it.
fn show(
    item: &BatchItem,
    file: &str,
    line_of: &impl Fn(u64) -> u64,
    out: &mut impl Write,
) -> Result<(), Stop> {
    let is_proposed = item.outcome.status == ChangeStatus::Proposed;
    let proposed = is_proposed.then(|| outcome::describe(&item.outcome));
    let (style, what, faults) = match (&*item.errors, &*item.outcome.warnings, &proposed) {
        ([], [], None) => return Ok(()),
        ([], warnings, Some(words)) => (GOOD, words.as_str(), warnings),
        ([], warnings, None) => (WARNING, "warning", warnings),
        (errors, _, _) => (ERROR, "refused", errors),
    };
    let key = item.key.as_ref().map(|key| format!(" {}", printable(key.as_ref())));
    let key = key.unwrap_or_default();
    writeln!(out, "{STRONG}{file}:{}{STRONG:#}: {style}{what}{style:#}{key}", line_of(item.line))?;
    for fault in faults {
        writeln!(out, "{}", fault_line(fault))?;
    }
    Ok(())
}

fn summary(args: &Put, report: &BatchReport) -> String {
    let BatchReport { created, replaced, unchanged, deleted, proposed, refused, .. } = report;
    let counts = [
        (*created, "created"),
        (*replaced, "replaced"),
        (*unchanged, "unchanged"),
        (*deleted, "deleted"),
        (*proposed, "proposed to a second person"),
    ];
    let mut parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{GOOD}{count}{GOOD:#} {what}"))
        .collect();
    if *refused > 0 {
        parts.push(format!("{ERROR}{refused} refused{ERROR:#}"));
    }
    if parts.is_empty() {
        parts.push("nothing to do".to_owned());
    }
    let mut text = parts.join(", ");
    match report.revision {
        _ if args.dry_run => text.push_str("; dry run, nothing was changed"),
        Some(revision) => text.push_str(&format!("; revision {}", revision.number())),
        None => {}
    }
    text
}
