//! `fingerpost get`: shows the record of a level.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::value::RawValue;

use super::connection::{self, Connection};
use super::key;
use super::level::Level;
use super::problem::Stop;
use crate::output::{self, NOTE};
use crate::shared_args::ReportFormat;
use fingerpost_server::client::Call;

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

/// Shows the record of a level.
pub(crate) fn run(args: &Get) -> Result<ExitCode, Stop> {
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
