//! `fingerpost get`, `delete` and `revert`: read or change one level.

use std::io::Write;
use std::process::ExitCode;

use jiff::Unit;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::connection::{self, writing};
use super::problem::Stop;
use super::{key, outcome};
use crate::args::ReportFormat;
use crate::args::client as args;
use crate::output::{self, NOTE, STRONG, printable};
use fingerpost_server::client::Call;

/// A level, or one of its states, as returned by the API.
#[derive(Debug, Deserialize)]
pub(super) struct Level {
    #[serde(default)]
    pub(super) key: String,
    pub(super) revision: u64,
    #[serde(default)]
    pub(super) at: Option<jiff::Timestamp>,
    #[serde(default)]
    pub(super) by: Option<Author>,
    #[serde(default)]
    pub(super) via: Option<String>,
    #[serde(default)]
    pub(super) deleted: bool,
    #[serde(default)]
    pub(super) record: Option<Box<RawValue>>,
}

/// The author of a state.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Author {
    actor: String,
    name: Option<String>,
    via: Option<String>,
}

impl Level {
    /// Returns `revision 7, 2026-05-01T10:00:00Z, Ada (user:…), console`.
    pub(super) fn provenance(&self) -> String {
        let mut text = format!("{STRONG}revision {}{STRONG:#}", self.revision);
        if let Some(at) = self.at {
            // To the second; JSON has the whole time.
            let at = at.round(Unit::Second).unwrap_or(at);
            text.push_str(&format!(", {at}"));
        }
        if let Some(by) = &self.by {
            let actor = printable(&by.actor);
            match by.name.as_deref().filter(|name| !name.is_empty()) {
                Some(name) => text.push_str(&format!(", {} ({actor})", printable(name))),
                None => text.push_str(&format!(", {actor}")),
            }
        }
        let via = self.via.as_deref().or_else(|| self.by.as_ref()?.via.as_deref());
        if let Some(via) = via {
            text.push_str(&format!(", {}", printable(via)));
        }
        text
    }
}

/// Shows the record of a level.
pub(super) fn get(args: &args::Get) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let path = match args.revision {
        Some(revision) => format!("/v1/states/{revision}/{key}"),
        None => format!("/v1/levels/{key}"),
    };
    let answer = client.send(&Call::new("GET", path))?;
    let mut out = output::stdout();
    match args.connection.format {
        ReportFormat::Json => writeln!(out, "{}", answer.json::<&RawValue>()?)?,
        ReportFormat::Text => {
            let level: Level = answer.json()?;
            let provenance = level.provenance();
            if let Some(record) = level.record {
                writeln!(out, "{}", indented(&record))?;
                out.flush()?;
                let _ = writeln!(anstream::stderr(), "{NOTE}/{key}{NOTE:#}: {provenance}");
            } else {
                let _ =
                    writeln!(anstream::stderr(), "/{key}: nothing registered since {provenance}");
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns JSON over several lines, with members in their original order.
fn indented(json: &RawValue) -> String {
    let mut text = Vec::with_capacity(json.get().len() * 2);
    let mut from = serde_json::Deserializer::from_str(json.get());
    serde_transcode::transcode(&mut from, &mut serde_json::Serializer::pretty(&mut text))
        .expect("a raw value is JSON");
    String::from_utf8(text).expect("JSON is written in UTF-8")
}

/// Deletes a level.
pub(super) fn delete(args: &args::Delete) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let call = Call::new("DELETE", format!("/v1/levels/{key}"));
    let answer = client.send(&writing(call, args.dry_run, args.if_match)?)?;
    outcome::write(key.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}

/// Restores an earlier state of a level.
pub(super) fn revert(args: &args::Revert) -> Result<ExitCode, Stop> {
    let key = key::read(&args.key)?;
    let client = connection::open(&args.connection)?;
    let call = Call::new("POST", format!("/v1/restore/{key}"))
        .query("revision", &args.revision.to_string());
    let answer = client.send(&writing(call, args.dry_run, args.if_match)?)?;
    outcome::write(key.as_str(), &answer, args.connection.format, &mut output::stdout())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::indented;

    #[test]
    fn json_is_spread_over_lines_and_stays_the_same() {
        let json = r#"{"b":[1,{"a":"x\\\",:{}"}],"a":[],"c":{}}"#;
        let text = indented(serde_json::from_str::<&RawValue>(json).unwrap());
        assert_eq!(
            text,
            "{\n  \"b\": [\n    1,\n    {\n      \"a\": \"x\\\\\\\",:{}\"\n    }\n  ],\n  \"a\": [],\n  \"c\": {}\n}"
        );
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&text), value(json));
    }
}
