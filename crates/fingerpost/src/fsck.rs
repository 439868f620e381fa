//! `fingerpost fsck`: checks everything in a data directory without changing anything.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use fingerpost_registry::{Registry, RegistryOptions};
use serde_json::json;

use crate::failure::Failure;
use crate::output::{self, ERROR, GOOD, NOTE, counted, printable};
use crate::shared_args::{Local, ReportFormat};

/// Exit status if there are faults.
const WRONG: u8 = 1;

#[derive(Debug, Args)]
#[command(after_help = "\
Checks every page, key, entry, state and rule and verifies the audit log, without changes. A server can run at
the same time. Exit status: 0 no faults, 1 faults, 2 the directory could not be read.")]
pub(crate) struct Fsck {
    #[command(flatten)]
    pub(crate) local: Local,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost fsck`.
pub(crate) fn run(args: &Fsck) -> Result<ExitCode, Failure> {
    let (_, store) = args.local.open()?;
    let report = fingerpost_registry::fsck(&store)?;
    let registry = Registry::new(Arc::new(store), RegistryOptions::new());
    // Documents that cannot be read cannot be counted.
    let uses = registry.check_use().unwrap_or_else(|error| vec![error.to_string()]);
    let sound = report.is_sound() && uses.is_empty();
    let fault_count = report.fault_count() + uses.len() as u64;
    let faults = || report.faults().chain(uses.iter().map(String::as_str));
    let counts = [
        ("levels", report.levels()),
        ("states", report.states()),
        ("documents", report.documents()),
        ("records", report.audit().records()),
    ];
    let mut out = output::stdout();
    match args.format {
        ReportFormat::Json => {
            let mut document = json!({
                "sound": sound,
                "faultCount": fault_count,
                "faults": faults().collect::<Vec<_>>(),
                "head": report.audit().head().to_string(),
            });
            for (name, count) in counts {
                document[name] = count.into();
            }
            writeln!(out, "{document}")?;
        }
        ReportFormat::Text => {
            for fault in faults() {
                writeln!(out, "{ERROR}fault{ERROR:#}: {}", printable(fault))?;
            }
            let nouns = ["level", "earlier state", "document", "audit record"];
            let counts = counts.iter().zip(nouns).map(|((_, count), noun)| counted(*count, noun));
            let counts = counts.collect::<Vec<_>>().join(", ");
            if sound {
                writeln!(out, "{GOOD}sound{GOOD:#}: {counts}")?;
            } else {
                let faults = counted(fault_count, "fault");
                writeln!(out, "{ERROR}not sound{ERROR:#}: {faults}; {counts}")?;
                writeln!(
                    out,
                    "  {NOTE}help{NOTE:#}: keep a copy, then restore a backup, or `fingerpost export` what can be \
                     read and import it into an empty directory"
                )?;
            }
        }
    }
    out.flush()?;
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(WRONG) })
}
