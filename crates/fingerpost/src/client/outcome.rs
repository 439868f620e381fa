//! Formats the outcome of a change.

use std::io::Write;

use fingerpost_registry::{BatchReport, ChangeOutcome, ChangeStatus, Would};
use serde_json::json;
use serde_json::value::RawValue;

use super::problem::{Stop, fault_line};
use crate::output::{GOOD, NOTE, WARNING, printable};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::ApiAnswer;

/// Returns a description of an outcome, without the level.
pub(super) fn describe(change: &ChangeOutcome) -> String {
    let good = |word: &str| format!("{GOOD}{word}{GOOD:#}");
    let done = match change.status {
        ChangeStatus::Created => good("created"),
        ChangeStatus::Replaced => good("replaced"),
        ChangeStatus::Deleted => good("deleted"),
        ChangeStatus::Unchanged => "unchanged".to_owned(),
        ChangeStatus::Refused => "refused".to_owned(),
        ChangeStatus::Proposed => match &change.proposal {
            Some(id) => format!("proposed as {id}, for a second person to release"),
            None => "proposed, for a second person to release".to_owned(),
        },
        ChangeStatus::Checked => {
            let what = match change.would {
                Some(Would::Create) => "be created",
                Some(Would::Replace) => "be replaced",
                Some(Would::Delete) => "be deleted",
                Some(Would::Propose) => "be proposed to a second person",
                Some(Would::Nothing) | None => "be unchanged",
            };
            format!("would {what}; dry run, nothing was changed")
        }
    };
    match change.revision {
        Some(revision) => format!("{done}, revision {}", revision.number()),
        None => done,
    }
}

/// Writes the outcome for a level: as text, or as the server's answer on one line of JSON.
pub(super) fn write(
    key: &str,
    answer: &ApiAnswer,
    format: ReportFormat,
    out: &mut impl Write,
) -> Result<(), Stop> {
    // A deletion is answered with 204 and has no body.
    if answer.body().is_empty() {
        match format {
            ReportFormat::Json => writeln!(out, "{}", json!({"status": "deleted", "key": key}))?,
            ReportFormat::Text => writeln!(
                out,
                "/{key}: {GOOD}deleted{GOOD:#}\n  {NOTE}help{NOTE:#}: to undo this, find the last revision with `fingerpost history {key}`, \
                 then `fingerpost revert {key} --revision N`"
            )?,
        }
        out.flush()?;
        return Ok(());
    }
    let change: ChangeOutcome = answer.json()?;
    match format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<&RawValue>()?)?,
        ReportFormat::Text => {
            writeln!(out, "/{key}: {}", describe(&change))?;
            for warning in &change.warnings {
                writeln!(out, "{WARNING}warning{WARNING:#}:{}", &fault_line(warning)[1..])?;
            }
            if change.status == ChangeStatus::Replaced {
                let was = "`fingerpost history` shows what was there before";
                writeln!(out, "  {NOTE}help{NOTE:#}: {was}")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Writes the report on a batch: a line for each level and the way back, or the server's answer on
/// one line of JSON. Returns whether no level was refused.
pub(super) fn write_batch(
    answer: &ApiAnswer,
    format: ReportFormat,
    out: &mut impl Write,
) -> Result<bool, Stop> {
    let report: BatchReport = answer.json()?;
    match format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<&RawValue>()?)?,
        ReportFormat::Text => {
            for item in &report.items {
                let key = item.key.as_ref().map_or("", AsRef::as_ref);
                writeln!(out, "{}: {}", printable(key), describe(&item.outcome))?;
                for fault in &item.errors {
                    writeln!(out, " {}", fault_line(fault))?;
                }
            }
            if let Some(set) = report.change_set {
                let way = format!("`fingerpost revert --set {}`", set.number());
                writeln!(out, "  {NOTE}help{NOTE:#}: to undo this, {way}")?;
            }
        }
    }
    out.flush()?;
    Ok(report.refused == 0)
}
