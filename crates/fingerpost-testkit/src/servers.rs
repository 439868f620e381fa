//! Programs that run as the user of database servers, and signals to them.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

/// Returns a command that runs as the user `postgres` if this process is root, as whom no server
/// runs.
pub(crate) fn as_server_user(program: impl AsRef<OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command.current_dir("/");
    command
}

pub(crate) fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.is_some_and(|uids| uids.split_whitespace().nth(1) == Some("0"))
}

pub(crate) fn signal(name: &str, pid: u32) {
    let _ = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status();
}
