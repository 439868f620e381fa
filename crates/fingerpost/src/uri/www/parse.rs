//! `fingerpost uri www parse`: shows the parts of URIs, and what their schemes make of them.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use fingerpost_identify::Finding;
use fingerpost_uri::Typed;
use fingerpost_uri::www::{SchemeView, WwwUri, make_safer, relax};
use serde_json::{Value, json};

use super::{WwwLevel, www_finding};
use crate::failure::Failure;
use crate::output::{ERROR, GOOD, STRONG, printable};
use crate::shared_args::{Passwords, ReportFormat};
use crate::uri_report::{finding_json, note, report_each, row, write_finding};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost uri www parse 'wais://host/db?a%2Bb+c'
  fingerpost uri www parse --level canonical ftp://host/pub/doc.txt")]
pub(crate) struct Parse {
    /// How much of the syntax is accepted
    #[arg(long, value_enum, default_value_t = WwwLevel::Tolerant)]
    pub(crate) level: WwwLevel,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// URIs; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

pub(super) fn run(args: &Parse) -> Result<ExitCode, Failure> {
    let passwords = args.passwords;
    report_each(&args.inputs, args.format, |typed, out| {
        let input = typed.text();
        let parsed = WwwUri::parse(input, args.level.into());
        let parsed = parsed.map_err(|error| www_finding(input, &error));
        match (args.format, &parsed) {
            (ReportFormat::Json, _) => writeln!(out, "{}", json(typed, &parsed, passwords))?,
            (ReportFormat::Text, Ok(uri)) => write_parts(input, *uri, passwords, out)?,
            (ReportFormat::Text, Err(finding)) => {
                write_finding(finding, input, "", passwords, out)?;
                writeln!(out, "{ERROR}invalid{ERROR:#} URI of the first web syntax")?;
            }
        }
        Ok(parsed.is_ok())
    })
}

fn write_parts(
    input: &str,
    uri: WwwUri<'_>,
    passwords: Passwords,
    out: &mut impl Write,
) -> io::Result<()> {
    let text = passwords.of(input);
    let shown = printable(&text);
    writeln!(out, "{STRONG}{shown}{STRONG:#}\n{GOOD}valid{GOOD:#} URI of the first web syntax")?;
    row(out, "scheme", Some(uri.scheme()), "")?;
    row(out, "path", Some(&passwords.of(uri.path())), "")?;
    row(out, "search", uri.search(), "")?;
    if uri.search().is_some() {
        row(out, "  words", Some(&uri.search_words().join(", ")), "")?;
    }
    row(out, "fragment", uri.fragment(), "")?;
    let (kind, members) = view(uri, passwords);
    row(out, "means", Some(kind), "")?;
    for (name, value) in &members {
        row(out, &format!("  {name}"), Some(value), "")?;
    }
    row(out, "decoded", Some(&relax(&text)), "the most that can be encoded again")?;
    row(out, "encoded", Some(&make_safer(&text)), "for transport")
}

fn json(input: &Typed<'_>, parsed: &Result<WwwUri<'_>, Finding>, passwords: Passwords) -> Value {
    let (text, notes) = (passwords.of(input.text()), note(input));
    let uri = match parsed {
        Err(finding) => {
            let faults = [finding_json(finding)];
            return json!({"input": text, "notes": notes, "valid": false, "faults": faults});
        }
        Ok(uri) => uri,
    };
    let (kind, members) = view(*uri, passwords);
    json!({
        "input": text,
        "notes": notes,
        "valid": true,
        "faults": [],
        "scheme": uri.scheme(),
        "path": passwords.of(uri.path()),
        "search": uri.search(),
        "words": uri.search().map(|_| uri.search_words()),
        "fragment": uri.fragment(),
        "means": kind,
        "parts": members,
        "decoded": relax(&text),
        "encoded": make_safer(&text),
    })
}

/// Returns what a URI means in its scheme, and the parts of that.
fn view(uri: WwwUri<'_>, passwords: Passwords) -> (&'static str, Vec<(&'static str, String)>) {
    let of = |text: &str| text.to_owned();
    match uri.view() {
        SchemeView::Http { host, path } => {
            let host = passwords.of_authority(host);
            ("a document of a web server", vec![("host", host), ("path", of(path))])
        }
        SchemeView::Ftp { user, password, host, directories, file } => {
            let mut parts = vec![("user", of(user))];
            let login = password.map(|password| passwords.of_userinfo(&format!("u:{password}")));
            parts.extend(login.map(|login| ("password", of(&login["u:".len()..]))));
            parts.push(("host", of(host)));
            parts.extend(directories.into_iter().map(|directory| ("directory", directory)));
            parts.push(("file", file));
            ("a file on an FTP server", parts)
        }
        SchemeView::Gopher { host, item_type, selector } => {
            let parts = [("host", of(host)), ("type", item_type.into()), ("selector", selector)];
            ("an item of a Gopher server", parts.into())
        }
        SchemeView::Mailto { address } => ("an address for mail", vec![("address", address)]),
        SchemeView::MessageId { id } => ("a mail message", vec![("id", id)]),
        SchemeView::ContentId { id } => ("a part of the same message", vec![("id", id)]),
        SchemeView::NewsGroup { group } => ("a news group", vec![("group", of(group))]),
        SchemeView::NewsArticle { id } => ("a news article", vec![("id", id)]),
        SchemeView::Nntp { host, group, number } => {
            let parts = [("host", of(host)), ("group", of(group)), ("number", of(number))];
            ("a news article on one server", parts.into())
        }
        SchemeView::Prospero { host, name, version } => {
            let mut parts = vec![("host", of(host)), ("name", of(name))];
            parts.extend(version.map(|version| ("version", of(version))));
            ("an object of a Prospero server", parts)
        }
        SchemeView::Session { user, host } => {
            let user = user.map(|user| ("user", passwords.of_userinfo(user)));
            ("an interactive session", user.into_iter().chain([("host", of(host))]).collect())
        }
        SchemeView::Wais { host, database, document } => {
            let mut parts = vec![("host", of(host)), ("database", of(database))];
            if let Some((kind, path)) = document {
                parts.extend([("type", of(kind)), ("document", of(path))]);
            }
            ("a database of a WAIS server", parts)
        }
        SchemeView::Name => ("a name, see `fingerpost urn parse`", Vec::new()),
        SchemeView::Experimental => ("an experiment by mutual agreement", Vec::new()),
        SchemeView::NotDefined => ("a scheme that was left for further study", Vec::new()),
        _ => ("nothing that the draft defines", Vec::new()),
    }
}
