//! `fingerpost audit`: verifies that the audit log and the history are unchanged, and exports the
//! log.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueHint};
use fingerpost_registry::{Caller, Registry};
use fingerpost_store::{AuditHead, AuditRecord, AuditReport, Personal};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, STRONG, counted, printable};
use crate::shared_args::{Local, ReportFormat};

/// Exit status if the log or the history was tampered with.
const TAMPERED: u8 = 1;

/// Maximum number of records read in one snapshot.
const PAGE: usize = 1000;

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Detect tampering with the audit log and the history
    Verify(AuditVerify),
    /// Export all records of the audit log as JSON Lines
    Export(AuditExport),
    /// Confirm that the clock is right after a jump, so that history is pruned again
    ConfirmClock(AuditConfirmClock),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A hash chains every record to all records before it. The head, printed at the end, identifies the whole
log: note it elsewhere and pass it with --head later, to detect also a log that was rewritten
completely. Exit status: 0 no faults, 1 tampered with or damaged, 2 the log could not be read.

Examples:
  fingerpost audit verify --data data
  fingerpost audit verify --data data --head 1042:5f0c…")]
pub(crate) struct AuditVerify {
    #[command(flatten)]
    pub(crate) local: Local,
    /// A previously noted head
    #[arg(long, value_name = "SEQ:HASH")]
    pub(crate) head: Option<AuditHead>,
    /// File with noted heads, one per line: as published by `serve` (`audit.heads_file`), reports
    /// of this command, or plain
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) heads: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
#[command(after_help = "\
`admin.history_days` deletes nothing while the clock is further ahead of the last check than half of that time
(at least one day, at most 30 days): a clock that jumped would make every state look old. If the clock is
right, for example after a long pause, confirm it.")]
pub(crate) struct AuditConfirmClock {
    #[command(flatten)]
    pub(crate) local: Local,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line holds one record: what happened, by whom, when, and the hash that chains it to all before it.
Personal data is in `person`, unless it was erased.")]
pub(crate) struct AuditExport {
    #[command(flatten)]
    pub(crate) local: Local,
    /// First record to export
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    pub(crate) from: u64,
}

/// Runs `fingerpost audit`.
pub(crate) fn run(command: &AuditCommand) -> Result<ExitCode, Failure> {
    match command {
        AuditCommand::Verify(args) => verify(args),
        AuditCommand::Export(args) => export(args),
        AuditCommand::ConfirmClock(args) => confirm_clock(args),
    }
}

fn verify(args: &AuditVerify) -> Result<ExitCode, Failure> {
    let (_, store) = args.local.open()?;
    let mut heads = args.heads.as_deref().map_or(Ok(Vec::new()), read_heads)?;
    heads.extend(args.head);
    let report = fingerpost_registry::verify(&store, &heads)?;
    let sound = report.is_sound();
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => {
            let document = json!({
                "sound": sound,
                "records": report.records(),
                "erased": report.erased(),
                "documents": report.documents(),
                "uncovered": report.uncovered(),
                "head": report.head().to_string(),
                "faultCount": report.fault_count(),
                "faults": report.faults(),
            });
            writeln!(out, "{document}")?;
        }
        ReportFormat::Text => write_text(&report, !heads.is_empty(), &mut out)?,
    }
    out.flush()?;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(TAMPERED) })
}

fn write_text(report: &AuditReport, had_head: bool, out: &mut impl Write) -> io::Result<()> {
    for fault in report.faults() {
        writeln!(out, "{ERROR}fault{ERROR:#}: {}", printable(fault))?;
    }
    let records = counted(report.records(), "record");
    if report.is_sound() {
        writeln!(out, "{GOOD}sound{GOOD:#}: {records}, each bound to all before it")?;
    } else {
        let faults = counted(report.fault_count(), "fault");
        writeln!(out, "{ERROR}not sound{ERROR:#}: {faults} in {records}")?;
    }
    if report.erased() > 0 {
        let erased = counted(report.erased(), "record");
        writeln!(out, "personal data was erased from {erased}")?;
    }
    if report.uncovered() > 0 {
        let uncovered = counted(report.uncovered(), "account or proposal");
        writeln!(
            out,
            "{uncovered} of an earlier release: covered by the log once `serve` has started with the admin listener"
        )?;
    }
    writeln!(out, "head: {STRONG}{}{STRONG:#}", report.head())?;
    let next = match (report.is_sound(), had_head) {
        (true, false) => "note the head elsewhere, and give it with --head next time",
        (true, true) => "the head given is part of the log; note the new one",
        (false, _) => {
            "keep a copy of the data directory as it is, compare it with a backup, find out who could write there"
        }
    };
    writeln!(out, "  {NOTE}help{NOTE:#}: {next}")
}

/// Reads noted heads: each line is a head, or a JSON object with a member `head`, which may follow
/// what syslog puts before it.
fn read_heads(file: &Path) -> Result<Vec<AuditHead>, Failure> {
    let name = printable(&file.to_string_lossy());
    let wrong = |what: String| {
        Failure::advise(
            format!("cannot read heads from `{name}`: {what}"),
            "each line is a head `NUMBER:HASH`, or ends with a JSON object with a member `head`",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let heads = lines.map(|(index, line)| {
        let object = line.find('{').map_or(line, |start| &line[start..]);
        let object: Option<Value> = serde_json::from_str(object).ok();
        let head = object.as_ref().and_then(|value| value.get("head")?.as_str());
        let head = head.unwrap_or(line.trim()).parse();
        head.map_err(|error| wrong(format!("line {}: {error}", index + 1)))
    });
    heads.collect()
}

fn confirm_clock(args: &AuditConfirmClock) -> Result<ExitCode, Failure> {
    let (config, store) = args.local.open()?;
    let registry =
        Registry::new(Arc::new(store), fingerpost_admin::registry_options(&config.admin));
    let now = registry.confirm_clock(&Caller::local("audit")).map_err(Failure::new)?;
    let mut out = output::stdout();
    writeln!(out, "{GOOD}confirmed{GOOD:#}: {now}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn export(args: &AuditExport) -> Result<ExitCode, Failure> {
    let (_, store) = args.local.open()?;
    let mut out = output::stdout();
    let mut from = args.from.max(1);
    // Records are only ever appended, so pages from several snapshots form one log.
    loop {
        let page = store.view(|view| view.audit_from(from, PAGE))?;
        let Some(last) = page.last() else { break };
        from = last.seq() + 1;
        for record in &page {
            writeln!(out, "{}", line(record)?)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Line<'r> {
    record: &'r RawValue,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<&'r Personal>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    erased: bool,
}

/// Returns one line of JSON: the record as hashed, its hash, and its personal data.
fn line(record: &AuditRecord) -> Result<String, Failure> {
    let unreadable = |error: serde_json::Error| {
        Failure::advise(
            format!("record {} cannot be read: {error}", record.seq()),
            "`fingerpost audit verify` tells more",
        )
    };
    let line = Line {
        record: serde_json::from_str(record.json()).map_err(unreadable)?,
        hash: record.head().hash(),
        person: record.personal(),
        erased: record.personal().is_none() && record.is_erased(),
    };
    serde_json::to_string(&line).map_err(unreadable)
}
