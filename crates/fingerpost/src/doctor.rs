//! `fingerpost doctor`: looks at everything that an installation needs, says in words what is
//! wrong, and what to do about it. It changes nothing.

mod automatic;
mod certificates;
mod findings;
mod machine;
mod names;
mod store;

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::Timestamp;

use crate::failure::Failure;
use crate::output::printable;
use crate::shared_args::{Local, ReportFormat};
use findings::Findings;
use fingerpost_server::backup::{FailedBackup, LastBackup, Maker};
use fingerpost_server::config::{self, Overrides};

#[derive(Debug, Args)]
#[command(after_help = "\
Says in words what is wrong and what to do about it. Nothing is changed, except that a store of an earlier
release is upgraded, as by every command. A server can run at the same time. Run it as the user of the
server, with its configuration. Exit status: 0 nothing is wrong, 1 warnings, 2 faults.

Examples:
  fingerpost doctor --config fingerpost.toml
  fingerpost doctor --data data --format json")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Hours after which a backup is too old
    #[arg(long, value_name = "HOURS", default_value_t = 26)]
    pub(crate) backup_age: u32,
    /// File with the addresses of names, as your name servers have them: a name and its addresses
    /// in each line; compared with `acme.names` and --address, because this command asks no name
    /// server
    #[arg(long, value_name = "FILE", requires = "addresses")]
    pub(crate) dns: Option<PathBuf>,
    /// Address at which others reach this machine; can be repeated
    #[arg(long = "address", value_name = "ADDRESS", requires = "dns")]
    pub(crate) addresses: Vec<IpAddr>,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
}

/// Runs `fingerpost doctor`.
pub(crate) fn run(args: &Doctor) -> Result<ExitCode, Failure> {
    let mut findings = Findings::default();
    examine(args, fingerpost_server::now(), &mut findings);
    findings.report(args.format)
}

fn examine(args: &Doctor, now: Timestamp, findings: &mut Findings) {
    let config = match config::read(args.local.config.path(), &Overrides::default()) {
        Ok(config) => config,
        Err(error) => {
            let fix = "correct the file or the variable; `fingerpost configuration` lists all keys";
            return findings.fault("configuration", error, fix);
        }
    };
    let before = findings.len();
    for warning in config.warnings() {
        findings.warning("configuration", warning, "see `fingerpost configuration`");
    }
    if findings.len() == before {
        findings.good("configuration", "can be read, and says nothing doubtful");
    }
    certificates::examine(&config, now, findings);
    if let (Some(acme), Some(file)) = (&config.acme, &args.dns) {
        names::examine(acme, file, &args.addresses, findings);
    }
    machine::limits(&config, findings);
    let data = match config.data(args.local.data.as_deref()) {
        Ok(data) => data,
        Err(failure) => {
            return findings.fault("data", failure.what, failure.next.unwrap_or_default());
        }
    };
    let is_there = machine::directory(data, findings);
    if is_there {
        machine::disk(data, findings);
        store::examine(&config, data, now, findings);
        automatic::examine(&config, data, now, findings);
    }
    let is_node = config.source.url.is_some();
    if is_node {
        store::source(&config, data, findings);
    }
    if is_there && (!is_node || config.backup.full.is_some()) {
        backup(data, now, args, findings);
    }
    // The keys and the address can be used.
    if config.backup.to.is_some()
        && let Err(failure) = Maker::new(&config, Some(data), fingerpost_server::now)
    {
        findings.fault("backup", failure.what, failure.next.unwrap_or_default());
    }
}

/// Looks at the age of the last backup.
fn backup(data: &Path, now: Timestamp, args: &Doctor, findings: &mut Findings) {
    let fix = "set `to` and `full` in the table `backup` of the configuration, or run `fingerpost backup` every night; keep backups on another machine";
    if let Some(failed) = FailedBackup::read(data) {
        let (at, error) = (failed.at, printable(&failed.error));
        let fix =
            "remove the cause, then run `fingerpost backup run`, which shows whether it works";
        findings.fault("backup", format!("the last backup failed at {at}: {error}"), fix);
    }
    let Some(last) = LastBackup::read(data) else {
        return findings.warning("backup", "this data directory was never backed up", fix);
    };
    let hours = now.duration_since(last.at).as_hours();
    let state = format!("the last backup was complete at {} ({hours} hours ago)", last.at);
    if hours >= i64::from(args.backup_age) {
        findings.warning("backup", state, fix);
    } else {
        findings.good("backup", state);
    }
}
