//! Checks of the machine: limits of the process, the directory and its permissions, the disk.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use fingerpost_http::process::free_space;

use super::findings::Findings;
use fingerpost_server::Descriptors;
use fingerpost_server::config::Config;

/// Free bytes below which a disk is called full, and below which it soon may be.
const FULL: u64 = 100 << 20;
const SHORT: u64 = 1 << 30;

/// Looks whether as many files and connections as configured can be open.
pub(super) fn limits(config: &Config, findings: &mut Findings) {
    match Descriptors::raise(config).warning() {
        Some(warning) => {
            let fix = "raise the limit of the service: LimitNOFILE=65536 in the systemd unit. That of this shell may differ";
            findings.warning("limits", warning, fix);
        }
        None => findings.good("limits", "as many connections as configured can be open"),
    }
}

/// Looks at the data directory and who may change it. Returns whether there is one.
pub(super) fn directory(data: &Path, findings: &mut Findings) -> bool {
    let name = data.display();
    let found = match fs::metadata(data) {
        Ok(found) if found.is_dir() => found,
        Ok(_) => {
            findings.fault(
                "permissions",
                format!("`{name}` is not a directory"),
                "name the data directory with --data, FINGERPOST_DATA or `data`",
            );
            return false;
        }
        Err(error) => {
            let fix = "name the data directory with --data, FINGERPOST_DATA or `data`; `fingerpost serve` creates it";
            findings.fault("permissions", format!("cannot look at `{name}`: {error}"), fix);
            return false;
        }
    };
    let before = findings.len();
    if found.permissions().mode() & 0o002 != 0 {
        let fix = format!("chmod o-w {name}");
        findings.fault(
            "permissions",
            format!("every user of this machine can replace the store in `{name}`"),
            fix,
        );
    }
    for file in ["data.mdb", "lock.mdb"] {
        let Ok(inner) = fs::metadata(data.join(file)) else { continue };
        if inner.permissions().mode() & 0o006 != 0 {
            let fix = format!("chmod o= {name}/{file}");
            findings.warning(
                "permissions",
                format!(
                    "every user of this machine can open `{file}`, which holds accounts and links"
                ),
                fix,
            );
        }
        if inner.uid() != found.uid() {
            let text = format!(
                "`{file}` belongs to another user than `{name}`: a command was run as another user than the server"
            );
            let fix = format!(
                "chown --reference={name} {name}/{file}, and run commands as the user of the server"
            );
            findings.warning("permissions", text, fix);
        }
    }
    if findings.len() == before {
        findings.good("permissions", format!("`{name}` can be changed by its owner only"));
    }
    true
}

/// Looks at the free space.
pub(super) fn disk(data: &Path, findings: &mut Findings) {
    let free = match free_space(data) {
        Ok(free) => free,
        Err(error) => return findings.fault("disk", error, "see whether the disk is mounted"),
    };
    let mebibytes = free >> 20;
    let state = format!("{mebibytes} MiB are free where `{}` is", data.display());
    let fix = "free or add space: on a full disk, writes fail and scans go on";
    match free {
        ..FULL => findings.fault("disk", state, fix),
        FULL..SHORT => findings.warning("disk", state, fix),
        _ => findings.good("disk", state),
    }
}
