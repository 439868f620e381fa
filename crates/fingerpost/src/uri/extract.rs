//! `fingerpost uri extract`: finds the URIs in a text (RFC 3986, appendix C).

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_resolver::ascii_form;
use fingerpost_uri::{ExtractOptions, ExtractedUri, extract};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::input_lines::unreadable;
use crate::output;
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::status;

#[derive(Debug, Args)]
#[command(after_help = "\
Finds URIs of any scheme in <angle brackets> (also with a leading URL:, and broken over several
lines) and in \"double quotes\", and bare ones of the common schemes. Prints one line each: its position
(bytes, from..to), its form (angle, quote, bare, suffix), and the URI. If a line was broken after a
hyphen, the reading without the hyphen follows after `or`; letters outside ASCII are part of a URI, with the
part before them after `or`. A bare URI ends before a percent sign without two hexadecimal digits.

Examples:
  fingerpost uri extract mail.txt
  fingerpost uri extract --suffix notes.txt
  git log -1 | fingerpost uri extract | awk '{print $3}'")]
pub(crate) struct Extract {
    /// Also find www.… and add http:// to it
    #[arg(long)]
    pub(crate) suffix: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// The text; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

pub(super) fn run(args: &Extract) -> Result<ExitCode, Failure> {
    let text = text_of(read(&args.file)?);
    let mut out = output::stdout();
    let found = extract(&text, ExtractOptions::new().suffix(args.suffix).international(true));
    match args.format {
        ReportFormat::Text => {
            found.into_iter().try_for_each(|found| write(&found, args.passwords, &mut out))?;
        }
        ReportFormat::Json => {
            let found: Vec<Value> = found.map(|found| json(&found, args.passwords)).collect();
            writeln!(out, "{}", json!({"file": args.file.to_string_lossy(), "found": found}))?;
        }
    }
    out.flush()?;
    Ok(status(true))
}

fn write(found: &ExtractedUri<'_>, passwords: Passwords, out: &mut impl Write) -> io::Result<()> {
    let span = format!("{}..{}", found.span().start, found.span().end);
    write!(out, "{span:15} {:6} {}", found.form().as_str(), passwords.of(found.uri()))?;
    if let Some(uri) = ascii_form(found.uri()) {
        write!(out, " = {}", passwords.of(&uri))?;
    }
    match found.alternative() {
        Some(alternative) => writeln!(out, " or {}", passwords.of(alternative)),
        None => writeln!(out),
    }
}

fn json(found: &ExtractedUri<'_>, passwords: Passwords) -> Value {
    json!({
        "uri": passwords.of(found.uri()),
        "ascii": ascii_form(found.uri()).map(|uri| passwords.of(&uri).into_owned()),
        "form": found.form().as_str(),
        "alternative": found.alternative().map(|text| passwords.of(text)),
        "span": {"start": found.span().start, "end": found.span().end},
    })
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        return Ok(bytes);
    }
    std::fs::read(file).map_err(|error| {
        Failure::advise(
            format!("cannot read `{}`: {error}", file.display()),
            "name a file with text, or - for standard input",
        )
    })
}

/// Returns the bytes as text. Each byte of invalid UTF-8 becomes a null character, which no URI
/// contains, so that spans count bytes of the file.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::with_capacity(error.as_bytes().len());
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| '\0'));
        }
        text
    })
}
