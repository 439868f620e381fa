//! `fingerpost compare`: sends the same requests to two resolvers, and reports how their answers
//! differ.

mod input;
mod state;

use std::io::Write;
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum, ValueHint};
use fingerpost_conform::{CompareError, CompareOptions, CompareReport, compare};
use fingerpost_http::on_interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::conform::Requests;
use crate::failure::Failure;
use crate::import::INTERRUPTED;
use crate::output::{self, NOTE, counted, printable};

use state::State;

#[derive(Debug, Args)]
#[command(after_help = "\
For each identifier, the linkset of the old resolver is requested first; then each link type,
language, media type and context in it, from both resolvers. Redirects inside a resolver are
followed. Only GET and HEAD are sent. A resolver that asks for pauses (429, 503) gets them.

The file of --from has one identifier on each line, in any form that `check` reads, or is an export
of fingerpost (JSON) or a linkset. The file of --shadow is an access log in the common or combined
log format, or in the JSON of fingerpost (`level = \"info,fingerpost_public=debug\"`) or Caddy.

Each difference is reported once, with its number, examples and an explanation. Its effect is `scan`
(people reach another page, or none), `data` (software that reads linksets), or `form` (the same
result in another form).

Exit status: 0 no difference, 1 differences (see --ignore), 2 the comparison could not be completed,
130 it was interrupted (Ctrl-C); with --resume, the same command continues.

Examples:
  fingerpost compare --old https://id.example.org --new http://127.0.0.1:8080 --from gtins.txt
  fingerpost export --data data | fingerpost compare --old https://id.example.org --new http://127.0.0.1:8080 --from -
  fingerpost compare --old https://id.example.org --new https://id.example.org --connect-new 10.0.0.7:443 --from gtins.txt
  fingerpost compare --old https://id.example.org --new http://127.0.0.1:8080 --shadow access.log --resume state.json
  fingerpost compare --old https://id.example.org --new http://127.0.0.1:8080 --from gtins.txt --ignore status --format html > report.html")]
pub(crate) struct Compare {
    /// Address of the resolver that is in use, with its stem if it has one
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) old: String,
    /// Address of the resolver that will replace it
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) new: String,
    /// File with identifiers, or an export or linkset; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present = "shadow", conflicts_with = "shadow")]
    pub(crate) from: Option<PathBuf>,
    /// Access log whose requests are sent to both; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) shadow: Option<PathBuf>,
    /// Number of requests at the same time to each resolver
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) concurrency: u8,
    /// File that keeps the progress: created if missing, otherwise continued from
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) resume: Option<PathBuf>,
    /// Kind of difference that does not set exit status 1; can be repeated
    #[arg(long, value_name = "KIND")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(CompareReport::kinds()))]
    pub(crate) ignore: Vec<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = CompareFormat::Text)]
    pub(crate) format: CompareFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Connect to this address instead of the host of --old
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect_old: Option<String>,
    /// Connect to this address instead of the host of --new
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) connect_new: Option<String>,
    #[command(flatten)]
    pub(crate) requests: Requests,
}

/// The format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// Human-readable
    Text,
    /// One JSON object
    Json,
    /// A self-contained HTML page
    Html,
}

/// How often the file of `--resume` is written, after the first time.
const SAVE: Duration = Duration::from_secs(5);

/// Runs `fingerpost compare`.
pub(crate) fn run(args: &Compare) -> Result<ExitCode, Failure> {
    let options = CompareOptions {
        old: (args.old.clone(), args.requests.options(args.connect_old.as_ref())?),
        new: (args.new.clone(), args.requests.options(args.connect_new.as_ref())?),
        concurrency: args.concurrency.into(),
    };
    let state = args.resume.as_ref().map(|path| State::open(path)).transpose()?;
    let earlier = state.as_ref().map(State::report).transpose()?.flatten();
    let mut report = match earlier {
        Some(report) if (&report.old, &report.new) == (&args.old, &args.new) => report,
        Some(report) => {
            let what = format!(
                "the comparison in --resume is of {} and {}",
                printable(&report.old),
                printable(&report.new)
            );
            return Err(Failure::advise(what, "name another file, or the same resolvers"));
        }
        None => CompareReport::new(&args.old, &args.new),
    };
    let (name, mut jobs) = input::open(args)?;
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_interrupted);
    on_interrupt(move || {
        // The second time, an answer that takes long is not waited for.
        if stop.swap(true, Ordering::SeqCst) {
            process::exit(INTERRUPTED.into());
        }
    })
    .map_err(|error| Failure::new(format!("cannot install a signal handler: {error}")))?;
    let (progress, mut saved, mut failed) = (progress(), None::<Instant>, None);
    let result = compare(options, &mut jobs, &mut report, &mut |report| {
        progress.set_position(report.done);
        let found: u64 = report.differences.iter().map(|difference| difference.count).sum();
        progress.set_message(counted(found, "difference"));
        let is_due = saved.is_none_or(|saved| saved.elapsed() >= SAVE);
        if let Some(state) = state.as_ref().filter(|_| is_due) {
            failed = state.save(report).err();
            saved = Some(Instant::now());
        }
        failed.is_none() && !is_interrupted.load(Ordering::SeqCst)
    });
    progress.finish_and_clear();
    if let Some(failure) = failed {
        return Err(failure);
    }
    if let Some(state) = &state {
        state.save(&report)?;
    }
    match result {
        Ok(()) => {}
        Err(CompareError::Usage(what)) => {
            return Err(Failure::advise(what, "see `fingerpost compare --help` for examples"));
        }
        Err(CompareError::Jobs(error)) => return Err(input::unreadable(&name, &error)),
        Err(CompareError::Silent(what)) => {
            write(&report, args)?;
            let next = "check that it runs; with --resume FILE, a repeated command continues here";
            return Err(Failure::advise(printable(&what), next));
        }
        Err(CompareError::Stopped) => {
            write(&report, args)?;
            let next = match state {
                Some(_) => "the same command continues here",
                None => "with --resume FILE, the same command would continue here",
            };
            output::print_aside(format_args!("{NOTE}interrupted{NOTE:#}: {next}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    write(&report, args)?;
    Ok(ExitCode::from(u8::from(report.has_differences(&args.ignore))))
}

/// Returns a counter on standard error, if that is a terminal.
fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let template = "comparing {spinner} {human_pos} identifiers or requests, {msg}, {elapsed}";
    bar.with_style(ProgressStyle::with_template(template).expect("the template is constant"))
}

fn write(report: &CompareReport, args: &Compare) -> Result<(), Failure> {
    let mut out = output::stdout();
    match if args.json { CompareFormat::Json } else { args.format } {
        CompareFormat::Text => report.write_text(&mut out)?,
        CompareFormat::Json => report.write_json(&mut out)?,
        CompareFormat::Html => report.write_html(&mut out)?,
    }
    Ok(out.flush()?)
}
