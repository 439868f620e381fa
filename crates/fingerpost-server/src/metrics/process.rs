//! What the operating system knows about the process.

use std::fs;

use fingerpost_http::process;
use jiff::Timestamp;

use super::families::{Families, number};

/// Adds the version, the start, the memory, the threads, the processor time and the open files of
/// the process.
pub(super) fn report(families: &mut Families, started: Timestamp) {
    let version = env!("CARGO_PKG_VERSION");
    families.gauge(
        "build_info",
        "1, with the version as a label.",
        [(vec![("version", version)], 1.0)],
    );
    families.one("start_time_seconds", "When the process started.", started.as_second() as f64);
    families.counter::<&str>(
        "cpu_seconds_total",
        "Processor time that the process has used.",
        [(vec![], process::process_time().as_secs_f64())],
    );
    if let Some(limit) = process::descriptor_limit() {
        families.one(
            "open_files_limit",
            "Files and connections that the process may have open.",
            number(limit),
        );
    }
    // Elsewhere than on Linux, these are missing.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    if let Some(kib) = field("VmRSS:") {
        families.one(
            "resident_bytes",
            "Memory in use with the pages of the data file that are in it, which the operating system takes back when it needs them.",
            number(kib << 10),
        );
    }
    if let Some(kib) = field("RssAnon:") {
        families.one("own_memory_bytes", "Memory in use, without files.", number(kib << 10));
    }
    if let Some(threads) = field("Threads:") {
        families.one("threads", "Threads of the process.", number(threads));
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // One of them is this directory.
        families.one(
            "open_files",
            "Open files and connections of the process.",
            open.count().saturating_sub(1) as f64,
        );
    }
}
