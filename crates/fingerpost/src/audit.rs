//! `fingerpost audit`: verifies that the audit log and the history are unchanged, and exports the log.

use std::io::{self, Write};
use std::process::ExitCode;

use fingerpost_store::{AuditRecord, AuditReport, Personal};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::args::ReportFormat;
use crate::args::local::{AuditCommand, AuditExport, AuditVerify};
use crate::config;
use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, STRONG, counted, printable};

/// Exit status if the log or the history was tampered with.
const TAMPERED: u8 = 1;

/// Maximum number of records read in one snapshot.
const PAGE: usize = 1000;

/// Runs `fingerpost audit`.
///
/// # Errors
/// Fails if the store cannot be read or the output cannot be written.
pub(crate) fn run(command: &AuditCommand) -> Result<ExitCode, Failure> {
    match command {
        AuditCommand::Verify(args) => verify(args),
        AuditCommand::Export(args) => export(args),
    }
}

fn verify(args: &AuditVerify) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let store = config.open_store(args.data.as_deref())?;
    let report = store.verify(args.head)?;
    let sound = report.is_sound();
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => {
            let told = json!({
                "sound": sound,
                "records": report.records(),
                "erased": report.erased(),
                "head": report.head().to_string(),
                "faultCount": report.fault_count(),
                "faults": report.faults(),
            });
            writeln!(out, "{told}")?;
        }
        ReportFormat::Text => tell(&report, args.head.is_some(), &mut out)?,
    }
    out.flush()?;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(TAMPERED) })
}

fn tell(report: &AuditReport, had_head: bool, out: &mut impl Write) -> io::Result<()> {
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

fn export(args: &AuditExport) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let store = config.open_store(args.data.as_deref())?;
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
