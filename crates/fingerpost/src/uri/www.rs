//! `fingerpost uri www`: URIs of the first web syntax (the Internet-Draft before RFC 1630).

mod parse;

use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use fingerpost_identify::Finding;
use fingerpost_uri::www::{Grammar, WwwError, WwwErrorKind, WwwUri};
use fingerpost_uri::www::{equivalent, expand_partial, partial_form, relax};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{Refused, first, how_to_encode, refuse, row, status};

#[derive(Debug, Args)]
#[command(after_help = "\
The first URI syntax of the web (the Internet-Draft of 1994 before RFC 1630) differs from RFC 3986: a host is a
part of the path, + in a search means a space, an empty fragment means none, and partial forms have their own
rule for slashes.
Exit status: 0 valid (or equivalent), 1 invalid (or not equivalent), 2 wrong usage.")]
pub(crate) struct Www {
    #[command(subcommand)]
    pub(crate) command: WwwCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WwwCommand {
    /// Parse URIs, and show what they mean in their schemes
    Parse(parse::Parse),
    /// Print the full form of a partial one
    Resolve(Resolve),
    /// Compare two URIs in one encoding level
    Compare(Compare),
    /// Print the shortest partial form of a URI in a context
    Partial(Partial),
}

/// How much of the syntax is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WwwLevel {
    /// The printed grammar: with spaces, without =
    Bnf,
    /// The grammar and =, which it omits by mistake
    Tolerant,
    /// The canonical form of the text: no spaces
    Canonical,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Errors go to standard error; standard output holds the full form or nothing.

Examples:
  fingerpost uri www resolve magic://a/b/c//d/e/f g    prints magic://a/b/c//d/e/g
  fingerpost uri www resolve magic://a/b/c//d/e/f //g  prints magic://g")]
pub(crate) struct Resolve {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The URI of the document that has the partial form
    #[arg(value_name = "CONTEXT")]
    pub(crate) context: String,
    /// The partial form
    #[arg(value_name = "PARTIAL")]
    pub(crate) partial: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 equivalent, 1 not equivalent or invalid, 2 wrong usage.

Examples:
  fingerpost uri www compare http://h/marie%2Dclaude http://h/marie-claude")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// One URI
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
`uri www resolve` gives the URI back.

Examples:
  fingerpost uri www partial magic://a/b/c//d/e/f magic://a/b/c//d/g  prints ../g")]
pub(crate) struct Partial {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The URI of the document that will have the partial form
    #[arg(value_name = "CONTEXT")]
    pub(crate) context: String,
    /// The full form
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}

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
