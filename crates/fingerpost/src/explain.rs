//! `fingerpost explain`: shows, offline and step by step, how the server answers a request.
//!
//! The answer comes from [`fingerpost_resolver::Plan`], which the server uses too.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use fingerpost_gs1::DigitalLink;
use fingerpost_identify::inspect;
use fingerpost_insight::CountryCode;
use fingerpost_resolver::{
    Answer, Explanation, Outcome, Plan, Refusal, ResolutionRequest, Roles, Settings, Viewer,
    ascii_form,
};
use fingerpost_store::Levels;
use fingerpost_uri::{Typed, hide_password};
use jiff::Timestamp;

use crate::failure::Failure;
use crate::output::{self, ERROR, NOTE, STRONG, printable};
use crate::shared_args::{ConfigFile, ReportFormat};
use crate::uri_report;
use fingerpost_server::now;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost explain --data data https://id.example.org/01/09520123456788 -H 'Accept-Language: fr'
  fingerpost explain --data data '/01/09520123456788?linkType=gs1:pip' --now 2026-05-01T00:00:00Z")]
pub(crate) struct Explain {
    /// The request: a URI, its path and query, or a URN
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
    /// A request header, as for curl; Accept and Accept-Language are used
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
    /// Data directory [default: from the configuration; with none, nothing is registered]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Time of the request (RFC 3339) [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Timestamp>,
    /// Role that the sender of the request has proven; can be repeated
    #[arg(long = "role", value_name = "ROLE")]
    pub(crate) roles: Vec<String>,
    /// Country of the client, as ISO 3166-1 alpha-2 code [default: not known]
    #[arg(long, value_name = "CODE")]
    pub(crate) country: Option<CountryCode>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost explain`.
pub(crate) fn run(args: &Explain) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    let settings = config.public.settings();
    let typed = Typed::new(&args.uri).converted(ascii_form);
    let target = Target::of(&typed, settings)?;
    let headers = Headers::read(&args.headers)?;
    let asked = ResolutionRequest {
        target: target.text.as_bytes(),
        accept: headers.accept.as_bytes(),
        accept_language: headers.accept_language.as_bytes(),
        now: args.now.unwrap_or_else(clock),
    };
    let viewer = viewer(&args.roles, settings.roles())?;
    let mut report = Report { format: args.format, notes: target.notes };
    let mut plan = Plan::of(settings, &asked);
    let levels = match args.data.as_ref().or(config.storage.data.as_ref()) {
        _ if plan.key().is_none() => Levels::new(),
        Some(data) => {
            let store = config.open_store(Some(data))?;
            let levels = plan.read(
                |key| store.read_as(key, &viewer),
                |prefix| store.first_key(prefix, &viewer),
            )?;
            let country = || args.country.map(|country| country.to_string());
            plan.take_country(&levels, |key| store.context_source(key), country)?;
            levels
        }
        None => {
            report.notes.push("no data directory was given, so nothing is registered".to_owned());
            Levels::new()
        }
    };
    let (answer, explanation) = plan.explain(&levels);
    report.write(&asked, &answer, &explanation)
}

/// Returns the viewer who has proven these roles, all of which must be declared.
fn viewer(proven: &[String], declared: &Roles) -> Result<Viewer, Failure> {
    match proven.iter().find(|role| !declared.contains(role)) {
        Some(role) => {
            Err(Failure::new(format!("--role: expected {}, found {role:?}", declared.known())))
        }
        None => Ok(Viewer::with_roles(proven)),
    }
}

/// Returns the current time, in whole seconds.
pub(crate) fn clock() -> Timestamp {
    let now = now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

/// The request target, extracted from the argument.
struct Target<'a> {
    text: Cow<'a, str>,
    notes: Vec<String>,
}

impl<'a> Target<'a> {
    /// Parses a URI, a path or a name. Omits the fragment, because clients never send it (RFC 9110,
    /// section 7.1).
    fn of(typed: &'a Typed<'_>, settings: &Settings) -> Result<Self, Failure> {
        let mut notes = uri_report::note(typed);
        let uri = typed.text();
        let (sent, fragment) = uri.split_once('#').map_or((uri, None), |(sent, f)| (sent, Some(f)));
        if fragment.is_some() {
            notes.push("the fragment is not sent".to_owned());
        }
        if sent.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:")) {
            return Ok(Self { text: format!("/urn/{sent}").into(), notes });
        }
        if sent.starts_with('/') {
            return Ok(Self { text: sent.into(), notes });
        }
        let Some((_, rest)) = sent.split_once("://") else {
            if let Some(path) = path_of(sent) {
                notes.push(format!("read as {path}"));
                return Ok(Self { text: path.into(), notes });
            }
            return Err(Failure::advise(
                format!(
                    "expected a URI with its scheme, or a path, found `{}`",
                    printable(&hide_password(sent))
                ),
                "start it with https:// or /, like https://id.example.org/01/09520123456788 or \
                 /01/09520123456788; `fingerpost check` recognises other forms",
            ));
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, target) = rest.split_at(end);
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        if !host.eq_ignore_ascii_case(settings.root().host()) {
            notes.push(format!(
                "the host {} is read as this resolver's, {}",
                printable(host),
                settings.root().host()
            ));
        }
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { text: [slash, target].concat().into(), notes })
    }
}

/// Returns the path of a GTIN, element string or other text that names a key.
fn path_of(text: &str) -> Option<String> {
    let found = inspect(text);
    let uri = found.item.filter(|_| found.faults.is_empty())?.canonical_uri?;
    uri.strip_prefix(DigitalLink::REFERENCE_STEM).map(str::to_owned)
}

/// The headers that affect the decision; repeated ones are joined as in HTTP.
#[derive(Default)]
struct Headers {
    accept: String,
    accept_language: String,
}

impl Headers {
    fn read(lines: &[String]) -> Result<Self, Failure> {
        let mut headers = Self::default();
        for line in lines {
            let Some((name, value)) = line.split_once(':') else {
                return Err(Failure::advise(
                    format!("expected a header `Name: value`, found `{}`", printable(line)),
                    "write it like -H 'Accept-Language: fr'",
                ));
            };
            let held = match name.trim() {
                name if name.eq_ignore_ascii_case("accept") => &mut headers.accept,
                name if name.eq_ignore_ascii_case("accept-language") => {
                    &mut headers.accept_language
                }
                _ => continue, // no other header affects the decision
            };
            if !held.is_empty() {
                held.push_str(", ");
            }
            held.push_str(value.trim());
        }
        Ok(headers)
    }
}

/// A writer of the answer.
struct Report {
    format: ReportFormat,
    notes: Vec<String>,
}

impl Report {
    fn write(
        self,
        asked: &ResolutionRequest<'_>,
        answer: &Answer<'_>,
        explanation: &Explanation,
    ) -> Result<ExitCode, Failure> {
        let mut out = output::stdout();
        match self.format {
            ReportFormat::Text => {
                for note in &self.notes {
                    writeln!(out, "{NOTE}note{NOTE:#}: {note}")?;
                }
                let text = match answer.outcome() {
                    Outcome::Refused(refusal) => refused(asked, refusal),
                    _ => explanation.to_string(),
                };
                writeln!(out, "{text}")?;
            }
            ReportFormat::Json => {
                let mut value = serde_json::to_value(explanation).map_err(|error| {
                    Failure::new(format!("cannot write the explanation: {error}"))
                })?;
                value["notes"] = self.notes.into();
                writeln!(out, "{value}")?;
            }
        }
        out.flush()?;
        Ok(ExitCode::from(u8::from(matches!(answer.outcome(), Outcome::Refused(_)))))
    }
}

/// Describes the fault of a request.
fn refused(asked: &ResolutionRequest<'_>, refusal: &Refusal) -> String {
    let path = String::from_utf8_lossy(asked.path());
    let read = match refusal {
        Refusal::Invalid(invalid) => {
            let span = invalid.span();
            crate::underline::underline(&path, span.start..span.end)
        }
        _ => format!("{STRONG}Read{STRONG:#} {}", printable(&path)),
    };
    let hint =
        refusal.hint().map(|hint| format!("\n  {NOTE}help{NOTE:#}: {hint}")).unwrap_or_default();
    format!("{read}\n{ERROR}Answer{ERROR:#}: {}, {refusal}{hint}", refusal.status())
}
