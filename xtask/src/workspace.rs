//! The workspace as `cargo metadata` tells it, and the files in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies directly below the workspace root").to_owned()
}

/// What `cargo metadata` prints; without dependencies it needs neither lock file nor network.
pub(crate) fn metadata(with_dependencies: bool) -> Result<Value, String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["metadata", "--format-version", "1"]).current_dir(root());
    if with_dependencies {
        command.arg("--locked");
    } else {
        command.arg("--no-deps");
    }
    let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// A text member of a JSON object; empty when it is absent.
pub(crate) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}

/// The members of a JSON array; none when it is absent.
pub(crate) fn items<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// Reads a file, naming it in the error.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Every `.rs` file below a folder, sorted by path; none if the folder does not exist.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        let entries =
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The path as people write it: relative to the workspace root, with forward slashes.
pub(crate) fn shown(path: &Path) -> String {
    let relative = path.strip_prefix(root()).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}

/// Joins findings into the error of a task; `Ok` when there are none.
pub(crate) fn verdict(task: &str, findings: &[String]) -> Result<(), String> {
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("{task}: {} finding(s)\n  {}", findings.len(), findings.join("\n  ")))
}
