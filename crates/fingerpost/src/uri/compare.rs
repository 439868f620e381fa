//! `fingerpost uri compare`: reports the rung of the ladder at which two URIs become equal (RFC
//! 3986, section 6).

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use fingerpost_uri::{Rung, Typed, UriRef};
use serde_json::json;

use super::warn_of_ladder;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{both, refuse, row, status, uri_finding, write_notes};

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 equal after some step, 1 not equal or invalid, 2 wrong usage.

Examples:
  fingerpost uri compare http://example.com/%7Ejane HTTP://example.com:80/~jane
  fingerpost uri compare --ignore-fragment http://example.com/#a http://example.com/#b")]
pub(crate) struct Compare {
    /// Ignore fragments
    #[arg(long)]
    pub(crate) ignore_fragment: bool,
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

pub(super) fn run(args: &Compare) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let typed = [Typed::new(&args.a), Typed::new(&args.b)];
    let [a, b] = typed.each_ref().map(Typed::text);
    let shown = |text| args.passwords.of(text);
    let mut answer = json!({"a": shown(a), "b": shown(b), "ignore_fragment": args.ignore_fragment});
    write_notes(&typed.each_ref(), args.format, &mut answer);
    let read = (UriRef::parse(a), UriRef::parse(b));
    let (a, b) = match both([("a", a), ("b", b)], read, uri_finding) {
        Ok((a, b)) if args.ignore_fragment => (a.without_fragment(), b.without_fragment()),
        Ok(read) => read,
        Err(refused) => return refuse(&refused, args.passwords, args.format, answer, &mut out),
    };
    let rung = a.equal_at(b);
    match args.format {
        ReportFormat::Text => {
            let mut err = anstream::stderr().lock();
            // A closed standard error is not a reason to fail.
            let _ = [a, b].into_iter().try_for_each(|uri| warn_of_ladder(uri, &mut err));
            match rung {
                Some(rung) => {
                    writeln!(
                        out,
                        "{GOOD}equal{GOOD:#} at the rung {}: {}",
                        rung.as_str(),
                        why(rung)
                    )?;
                    row(&mut out, "both are", Some(&args.passwords.of(&a.normalise(rung))), "")?;
                }
                None => {
                    writeln!(out, "{ERROR}not equal{ERROR:#} at any rung")?;
                    row(
                        &mut out,
                        "a is",
                        Some(&args.passwords.of(&a.normalise(Rung::Scheme))),
                        "",
                    )?;
                    row(
                        &mut out,
                        "b is",
                        Some(&args.passwords.of(&b.normalise(Rung::Scheme))),
                        "",
                    )?;
                }
            }
        }
        ReportFormat::Json => {
            answer["valid"] = true.into();
            answer["equal"] = rung.is_some().into();
            answer["rung"] = rung.map(Rung::as_str).into();
            writeln!(out, "{answer}")?;
        }
    }
    out.flush()?;
    Ok(status(rung.is_some()))
}

/// Returns what a rung adds to the one below it.
fn why(rung: Rung) -> &'static str {
    match rung {
        Rung::String => "the same characters (section 6.2.1)",
        Rung::Case => "schemes, hosts and triplets differ in case only (section 6.2.2.1)",
        Rung::Percent => "triplets stand for characters that need none (section 6.2.2.2)",
        Rung::Path => "dot-segments lead to the same path (section 6.2.2.3)",
        Rung::Scheme => "the scheme's rules for ports, hosts and paths (section 6.2.3)",
    }
}
