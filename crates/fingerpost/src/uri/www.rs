//! `fingerpost uri www`: URIs of the first web syntax (the Internet-Draft before RFC 1630).

mod parse;

use std::io::Write;
use std::process::ExitCode;

use fingerpost_identify::Finding;
use fingerpost_uri::www::{Grammar, WwwError, WwwErrorKind, WwwUri};
use fingerpost_uri::www::{equivalent, expand_partial, partial_form, relax};
use serde_json::{Value, json};

use crate::args::ReportFormat;
use crate::args::www::{Compare, Partial, Resolve, WwwCommand, WwwLevel};
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD};
use crate::uri_report::{Refused, first, how_to_encode, refuse, row, status};

pub(super) fn run(command: &WwwCommand) -> Result<ExitCode, Failure> {
    match command {
        WwwCommand::Parse(args) => parse::run(args),
        WwwCommand::Resolve(args) => resolve(args),
        WwwCommand::Compare(args) => compare(args),
        WwwCommand::Partial(args) => partial(args),
    }
}

impl From<WwwLevel> for Grammar {
    fn from(level: WwwLevel) -> Self {
        match level {
            WwwLevel::Bnf => Self::Bnf,
            WwwLevel::Tolerant => Self::Tolerant,
            WwwLevel::Canonical => Self::Canonical,
        }
    }
}

/// Returns why `text` is not a URI of the first syntax.
fn www_finding(text: &str, error: &WwwError) -> Finding {
    let offset = error.span().start;
    let rest = text.get(offset..).unwrap_or_default();
    let (message, help, length) = match error.kind() {
        WwwErrorKind::NoScheme => (
            error.to_string(),
            "`fingerpost uri www resolve` gives the full form in a context".to_owned(),
            text.len(),
        ),
        WwwErrorKind::InvalidEscape => (
            error.to_string(),
            "a percent sign itself is written %25".to_owned(),
            rest.len().min(3),
        ),
        _ => (
            format!("expected a character of the first web syntax, found {}", first(rest)),
            how_to_encode(rest),
            1,
        ),
    };
    Finding::of_form(error.code(), message, help, offset..offset + length)
}

/// Returns the findings about the arguments that are no full forms.
fn no_full_forms<'a>(arguments: [(&'static str, &'a str); 2], count: usize) -> Vec<Refused<'a>> {
    let refused = arguments.into_iter().take(count).filter_map(|(argument, input)| {
        let error = WwwUri::parse(input, Grammar::Tolerant).err()?;
        Some(Refused { argument, input, finding: www_finding(input, &error) })
    });
    refused.collect()
}

fn resolve(args: &Resolve) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let shown = |text| args.passwords.of(text);
    let answer = json!({"context": shown(&args.context), "partial": shown(&args.partial)});
    let refused = no_full_forms([("context", &args.context), ("partial", &args.partial)], 1);
    if !refused.is_empty() {
        return refuse(&refused, args.passwords, args.format, answer, &mut out);
    }
    match expand_partial(&args.context, &args.partial) {
        Ok(full) => write(&args.passwords.of(&full), "full", args.format, answer, &mut out),
        Err(error) => {
            let slashes = args.partial.len() - args.partial.trim_start_matches('/').len();
            let help = "begin with another number of slashes, or give the full form";
            let finding = Finding::of_form("NO_SUCH_RUN", error.to_string(), help, 0..slashes);
            let refused = [Refused { argument: "partial", input: &args.partial, finding }];
            refuse(&refused, args.passwords, args.format, answer, &mut out)
        }
    }
}

fn partial(args: &Partial) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let shown = |text| args.passwords.of(text);
    let answer = json!({"context": shown(&args.context), "uri": shown(&args.uri)});
    let refused = no_full_forms([("context", &args.context), ("uri", &args.uri)], 2);
    if !refused.is_empty() {
        return refuse(&refused, args.passwords, args.format, answer, &mut out);
    }
    let partial = partial_form(&args.context, &args.uri);
    write(&args.passwords.of(&partial), "partial", args.format, answer, &mut out)
}

/// Writes a result: alone, or as a member of `answer`.
fn write(
    result: &str,
    name: &str,
    format: ReportFormat,
    mut answer: Value,
    out: &mut impl Write,
) -> Result<ExitCode, Failure> {
    match format {
        ReportFormat::Text => writeln!(out, "{result}")?,
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer[name] = result.into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(true))
}

fn compare(args: &Compare) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let shown = |text| args.passwords.of(text);
    let mut answer = json!({"a": shown(&args.a), "b": shown(&args.b)});
    let refused = no_full_forms([("a", &args.a), ("b", &args.b)], 2);
    if !refused.is_empty() {
        return refuse(&refused, args.passwords, args.format, answer, &mut out);
    }
    let equal = equivalent(&args.a, &args.b);
    let (a, b) = (relax(&args.a), relax(&args.b));
    match args.format {
        ReportFormat::Text if equal => {
            writeln!(out, "{GOOD}equivalent{GOOD:#}")?;
            row(&mut out, "both are", Some(&shown(&a)), "")?;
        }
        ReportFormat::Text => {
            writeln!(out, "{ERROR}not equivalent{ERROR:#}")?;
            row(&mut out, "a is", Some(&shown(&a)), "")?;
            row(&mut out, "b is", Some(&shown(&b)), "")?;
        }
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer["equal"] = equal.into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(equal))
}
