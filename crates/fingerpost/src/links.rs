//! `fingerpost links`: checks whether the targets of links can be reached.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use fingerpost_http::Outgoing;
use fingerpost_linkcheck::{Checker, LinkRange, Round, RoundError, RoundReport};
use fingerpost_registry::{
    CompanyPrefix, LinkCheck, LinkFault, LinkVerdict, Registry, company_prefix_ranges,
};
use fingerpost_resolver::Anchor;
use serde_json::json;

use crate::client::key;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, WARNING, counted, printable};
use crate::shared_args::{Local, ReportFormat};

/// Exit status if a target does not work.
const FAULTS: u8 = 1;

#[derive(Debug, Args)]
pub(crate) struct Links {
    #[command(subcommand)]
    pub(crate) command: LinksCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinksCommand {
    /// Request each target once, and report those that do not work
    Check(LinksCheck),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each distinct target is requested with HEAD, and with GET if that fails; redirects are followed, and the
robots.txt of each host is obeyed. The table [links] of the configuration sets pace, time limits, and networks
besides the public Internet that targets may be in. The states are saved in the data directory, where a server
can run at the same time; a link is broken after two failed checks in a row.
Exit status: 0 all targets work or could not be judged, 1 targets do not work, 2 the check could not be
carried out.

Examples:
  fingerpost links check --data data --all
  fingerpost links check --data data --key 9506000134352
  fingerpost links check --data data --prefix 9506000 --json")]
pub(crate) struct LinksCheck {
    #[command(flatten)]
    pub(crate) local: Local,
    #[command(flatten)]
    pub(crate) which: Which,
    /// Only targets whose next check is due
    #[arg(long)]
    pub(crate) due: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// The records whose links are checked.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// All records
    #[arg(long)]
    pub(crate) all: bool,
    /// The record of this key, and those of the levels below it
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// The records with this GS1 Company Prefix
    #[arg(long, value_name = "DIGITS", value_parser = CompanyPrefix::parse)]
    pub(crate) prefix: Option<CompanyPrefix>,
}

impl Which {
    fn ranges(&self) -> Result<Vec<LinkRange>, Failure> {
        let whole = |prefix: String| LinkRange { prefix, to: None };
        if let Some(prefix) = &self.prefix {
            return Ok(company_prefix_ranges(std::slice::from_ref(prefix))
                .into_iter()
                .map(whole)
                .collect());
        }
        let Some(key) = &self.key else { return Ok(vec![LinkRange::default()]) };
        let key: Anchor = key::read(key)?;
        let key = key.as_str();
        Ok(vec![
            LinkRange { prefix: key.to_owned(), to: Some(key.to_owned()) },
            whole(format!("{key}/")),
        ])
    }
}

/// Runs `fingerpost links`.
pub(crate) fn run(command: &LinksCommand) -> Result<ExitCode, Failure> {
    match command {
        LinksCommand::Check(args) => check(args),
    }
}

fn check(args: &LinksCheck) -> Result<ExitCode, Failure> {
    let ranges = args.which.ranges()?;
    let (config, store) = args.local.open()?;
    let options = fingerpost_admin::registry_options(&config.admin);
    let registry = Registry::new(Arc::new(store), options);
    let root = config.public.settings().root().as_str();
    let admin = &config.admin.options().listen;
    let own = [config.public.listen(), &admin[..], &config.metrics.listen[..]].concat();
    let checker = Checker::new(&config.links, root, own).map_err(Failure::new)?;
    let since = (!args.due).then(|| registry.now());
    let round = Round { ranges, since, holder: None };
    let mut out = output::stdout();
    let mut written = Ok(());
    let runtime = Outgoing::runtime().map_err(Failure::new)?;
    let report = runtime.block_on(checker.round(&registry, &round, |check| {
        if written.is_ok() {
            written = show(check, args.format, &mut out);
        }
    }));
    runtime.shutdown_background(); // a name that is being resolved can take long
    written?;
    let report = report.map_err(|error| match error {
        RoundError::Registry(error) => Failure::new(error),
        RoundError::Elsewhere => Failure::new("another process checks the links of this store"),
    })?;
    conclude(&report, args.format, &mut out)?;
    out.flush()?;
    Ok(if report.fails == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAULTS) })
}

fn show(check: &LinkCheck, format: ReportFormat, out: &mut impl Write) -> std::io::Result<()> {
    let verdict = match check.verdict {
        LinkVerdict::Works => "works",
        LinkVerdict::Fails => "fails",
        LinkVerdict::Undecided => "undecided",
        LinkVerdict::Later => "later",
    };
    if format == ReportFormat::Json {
        let line = json!({ "target": check.target, "at": check.at, "verdict": verdict, "answer": check.answer });
        return writeln!(out, "{line}");
    }
    let (style, word) = match check.verdict {
        LinkVerdict::Works => return Ok(()),
        LinkVerdict::Fails => (ERROR, verdict),
        LinkVerdict::Undecided | LinkVerdict::Later => (WARNING, verdict),
    };
    let detail = check.answer.detail.as_deref().unwrap_or("the host asks to come back later");
    let at = check.answer.final_url.as_deref().filter(|_| check.answer.redirects > 0);
    let at = at.map_or(String::new(), |url| format!(" at {}", printable(url)));
    let fault = check
        .answer
        .fault
        .map_or(String::new(), |fault| format!(" ({})", LinkFault::as_str(fault)));
    writeln!(
        out,
        "{style}{word}{style:#}: {}: {}{fault}{at}",
        printable(&check.target),
        printable(detail)
    )
}

fn conclude(
    report: &RoundReport,
    format: ReportFormat,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let RoundReport { works, fails, undecided, later, .. } = report;
    let checked = works + fails + undecided + later;
    if format == ReportFormat::Json {
        let line = json!({ "checked": checked, "works": works, "fails": fails, "undecided": undecided, "later": later });
        return writeln!(out, "{line}");
    }
    let style = if *fails == 0 { GOOD } else { ERROR };
    let targets = counted(checked, "target");
    writeln!(
        out,
        "{style}checked{style:#}: {targets}: {works} work, {fails} fail, {} undecided",
        undecided + later
    )?;
    if *fails > 0 {
        writeln!(
            out,
            "  {NOTE}help{NOTE:#}: open each failing target in a browser; change its link, or fix the page"
        )?;
    }
    Ok(())
}
