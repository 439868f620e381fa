//! Formats the outcome of a change.

use std::io::Write;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::problem::{Stop, fault_line};
use crate::output::{GOOD, NOTE, WARNING, printable};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::ApiAnswer;
use fingerpost_server::client::ApiFault;

/// The outcome of the change of one level.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Change {
    pub(super) status: String,
    revision: Option<u64>,
    proposal: Option<String>,
    would: Option<String>,
    warnings: Vec<ApiFault>,
}

impl Change {
    /// Returns a description without the level.
    pub(super) fn words(&self) -> String {
        let status = printable(&self.status);
        let done = match &*status {
            "created" | "replaced" | "deleted" => format!("{GOOD}{status}{GOOD:#}"),
            "unchanged" => "held exactly this already".to_owned(),
            "proposed" => match &self.proposal {
                Some(id) => {
                    format!("proposed as {}, for a second person to release", printable(id))
                }
                None => "proposed, for a second person to release".to_owned(),
            },
            "checked" => {
                let what = match self.would.as_deref() {
                    Some("create") => "be created",
                    Some("replace") => "be replaced",
                    Some("delete") => "be deleted",
                    Some("propose") => "be proposed to a second person",
                    _ => "stay as it is",
                };
                format!("would {what}; dry run, nothing was changed")
            }
            _ => status,
        };
        match self.revision {
            Some(revision) => format!("{done}, revision {revision}"),
            None => done,
        }
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
    let change: Change = answer.json()?;
    match format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<&RawValue>()?)?,
        ReportFormat::Text => {
            writeln!(out, "/{key}: {}", change.words())?;
            for warning in &change.warnings {
                writeln!(out, "{WARNING}warning{WARNING:#}:{}", &fault_line(warning)[1..])?;
            }
            if change.status == "replaced" {
                let was = "`fingerpost history` shows what was there before";
                writeln!(out, "  {NOTE}help{NOTE:#}: {was}")?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
