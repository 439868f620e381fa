//! `fingerpost uri normalise`: writes the normal forms of the ladder (RFC 3986, section 6.2), rung
//! by rung.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_uri::{Rung, Typed, UriRef};
use serde_json::{Value, json};

use super::warn_of_ladder;
use crate::failure::Failure;
use crate::output::{self, NOTE};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{Refused, refuse, status, uri_finding, write_notes};

#[derive(Debug, Args)]
#[command(after_help = "\
The steps: case, percent (triplets of unreserved characters), path (dot-segments), scheme (default
ports, empty paths). Each step that changes something is shown with its name; the last line is the
normal form. Errors and warnings go to standard error.

Examples:
  fingerpost uri normalise 'HTTP://EXAMPLE.com:80/a/./b/../%7Ejane'
  fingerpost uri normalise \"$uri\" | tail -n 1")]
pub(crate) struct Normalise {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The URI
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}

pub(super) fn run(args: &Normalise) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let typed = Typed::new(&args.uri);
    let input = typed.text();
    let shown = |text| args.passwords.of(text);
    let mut answer = json!({"input": shown(input)});
    write_notes(&[&typed], args.format, &mut answer);
    let uri = match UriRef::parse(input) {
        Ok(uri) => uri,
        Err(error) => {
            let finding = uri_finding(input, &error);
            let refused = [Refused { argument: "", input, finding }];
            return refuse(&refused, args.passwords, args.format, answer, &mut out);
        }
    };
    let mut text = input.to_owned();
    let mut steps = Vec::new();
    for rung in Rung::ALL {
        let next = uri.normalise(rung);
        if next != text {
            text = next.into_owned();
            steps.push((rung, text.clone()));
        }
    }
    match args.format {
        ReportFormat::Text => {
            // A closed standard error is not a reason to fail.
            let _ = warn_of_ladder(uri, &mut anstream::stderr().lock());
            for (rung, text) in &steps {
                writeln!(out, "{NOTE}{:7}{NOTE:#}  {}", rung.as_str(), shown(text))?;
            }
            writeln!(out, "{}", shown(&text))?;
        }
        ReportFormat::Json => {
            let step = |(rung, text): &(Rung, String)| json!({"rung": rung.as_str(), "text": args.passwords.of(text)});
            let rungs: Vec<Value> = steps.iter().map(step).collect();
            answer["valid"] = true.into();
            answer["text"] = shown(&text).into();
            answer["rungs"] = rungs.into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(true))
}
