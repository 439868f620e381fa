//! `fingerpost explain`: the decision about one request, offline and step by step.
//!
//! The decision itself is the resolver's own ([`fingerpost_resolver::explain`]): server and command share one
//! code path. What only a server does (reserved paths, conditional requests) is not told here.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_resolver::{
    RawRequest, Request, RequestError, Resolution, Settings, delegate, explain,
};
use fingerpost_store::{Levels, LinkStore, Store};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::args::{self, ReportFormat};
use crate::config;
use crate::failure::Failure;
use crate::output::{self, ERROR, NOTE, STRONG, printable};

/// Carries out `fingerpost explain`.
///
/// # Errors
/// That the configuration, the store or the request given cannot be used.
pub(crate) fn run(args: &args::Explain) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let settings = config.settings();
    let target = Target::of(&args.uri, settings)?;
    let headers = Headers::read(&args.headers)?;
    let raw = RawRequest {
        path: target.path.as_bytes(),
        query: target.query.map(str::as_bytes),
        accept: headers.accept.as_bytes(),
        accept_language: headers.accept_language.as_bytes(),
    };
    let mut report = Report { format: args.format, notes: target.notes };
    let request = match Request::parse(settings, raw) {
        Ok(request) => request,
        Err(error) => return report.invalid(target.path, &error),
    };
    if let Some(delegation) = delegate(settings, &request) {
        return report.delegated(&request, delegation.target(), delegation.location());
    }
    let levels = match &args.data {
        Some(data) => {
            let store = Store::open_existing(data, config::store_options(&config))?;
            store.read(request.entity())?
        }
        None => {
            report.notes.push("no --data was given, so nothing is registered".to_owned());
            Levels::new()
        }
    };
    let now = args.now.unwrap_or_else(clock);
    let (explanation, resolution) = explain(settings, &request, &levels, now);
    let status = status_of(&resolution);
    report.decided(&explanation, status)
}

#[allow(clippy::disallowed_methods, reason = "the command reads the clock, the decision does not")]
fn clock() -> Timestamp {
    Timestamp::now()
}

/// The status a server gives this answer; a test compares the two.
fn status_of(resolution: &Resolution<'_>) -> u16 {
    match resolution {
        Resolution::Redirect(_) => 307,
        Resolution::Choices(..) => 300,
        Resolution::Linkset(..) => 200,
        Resolution::LinkTypeNotAvailable(..) | Resolution::Unknown | Resolution::NoDefault(..) => {
            404
        }
    }
}

/// The request target, cut out of what was given.
struct Target<'a> {
    path: &'a str,
    query: Option<&'a str>,
    notes: Vec<String>,
}

impl<'a> Target<'a> {
    /// Takes a URI or a path; a fragment is never sent, so it is left out (RFC 9110, section 7.1).
    fn of(uri: &'a str, settings: &Settings) -> Result<Self, Failure> {
        let mut notes = Vec::new();
        let (sent, fragment) = uri.split_once('#').map_or((uri, None), |(sent, f)| (sent, Some(f)));
        if fragment.is_some() {
            notes.push("the fragment is not sent".to_owned());
        }
        let target = if sent.starts_with('/') {
            sent
        } else {
            let Some((_, rest)) = sent.split_once("://") else {
                return Err(Failure::advise(
                    format!("expected a URI or a path, found `{}`", printable(sent)),
                    "give it like https://id.example.org/01/09520123456788 or /01/09520123456788; \
                     `fingerpost check` recognises other forms",
                ));
            };
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (host, target) = rest.split_at(end);
            if !host.eq_ignore_ascii_case(settings.root().host()) {
                notes.push(format!(
                    "the host {} is read as this resolver's, {}",
                    printable(host),
                    settings.root().host()
                ));
            }
            target
        };
        let (path, query) = target.split_once('?').map_or((target, None), |(p, q)| (p, Some(q)));
        Ok(Self { path: if path.is_empty() { "/" } else { path }, query, notes })
    }
}

/// The headers that matter, each several times given joined as HTTP does.
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
                _ => continue, // no other header takes part in the decision
            };
            if !held.is_empty() {
                held.push_str(", ");
            }
            held.push_str(value.trim());
        }
        Ok(headers)
    }
}

/// Writes what came out.
struct Report {
    format: ReportFormat,
    notes: Vec<String>,
}

impl Report {
    fn invalid(self, path: &str, error: &RequestError) -> Result<ExitCode, Failure> {
        let status = match error {
            RequestError::Invalid(_) => 400,
            RequestError::NotServed | RequestError::UnsupportedKey(_) => 404,
        };
        let mut text = format!("{STRONG}Read{STRONG:#} {}\n", printable(path));
        let mut hint = String::new();
        let mut value = json!({"status": status, "error": error.to_string()});
        if let RequestError::Invalid(invalid) = error {
            let span = invalid.span();
            let mark = crate::check::underline(path, span.start..span.end);
            text = format!("{mark}\n");
            value["class"] = invalid.class().into();
            value["span"] = json!({"start": span.start, "end": span.end});
            value["reason"] = invalid.reason().into();
            value["hint"] = invalid.hint().into();
            hint = invalid
                .hint()
                .map(|hint| format!("\n  {NOTE}help{NOTE:#}: {hint}"))
                .unwrap_or_default();
        }
        text.push_str(&format!("{ERROR}Answer{ERROR:#}: {status}, {error}{hint}"));
        self.write(&text, value, ExitCode::from(1))
    }

    fn delegated(
        self,
        request: &Request<'_>,
        handled_by: &str,
        location: &str,
    ) -> Result<ExitCode, Failure> {
        let text = format!(
            "Asked for {}\nSteps\n  2.8  a pattern hands this identifier over to {handled_by}\n\
             Answer: 307, redirect to {location}",
            request.entity()
        );
        let value = json!({
            "entity": request.entity().as_str(),
            "status": 307,
            "outcome": {"answer": "delegated", "handledBy": handled_by, "location": location},
        });
        self.write(&text, value, ExitCode::SUCCESS)
    }

    fn decided(
        self,
        explanation: &fingerpost_resolver::Explanation,
        status: u16,
    ) -> Result<ExitCode, Failure> {
        let mut value = serde_json::to_value(explanation)
            .map_err(|error| Failure::new(format!("cannot write the explanation: {error}")))?;
        value["status"] = status.into();
        let text = format!("{explanation}\nStatus: {status}");
        self.write(&text, value, ExitCode::SUCCESS)
    }

    fn write(self, text: &str, mut value: Value, code: ExitCode) -> Result<ExitCode, Failure> {
        let mut out = output::stdout();
        match self.format {
            ReportFormat::Text => {
                for note in &self.notes {
                    writeln!(out, "{NOTE}note{NOTE:#}: {note}")?;
                }
                writeln!(out, "{text}")?;
            }
            ReportFormat::Json => {
                value["notes"] = self.notes.into();
                writeln!(out, "{value}")?;
            }
        }
        out.flush()?;
        Ok(code)
    }
}
