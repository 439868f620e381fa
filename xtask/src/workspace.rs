//! The workspace as described by `cargo metadata`, and the files in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Returns the folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies directly below the workspace root").to_owned()
}

/// Returns the cargo that runs this task, started in the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns the output of git in the workspace.
pub(crate) fn git(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the output of `cargo metadata`; without dependencies it needs neither lock file nor
/// network.
pub(crate) fn metadata(with_dependencies: bool) -> Result<Value, String> {
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1"]);
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

/// Returns a text member of a JSON object; empty if it is absent.
pub(crate) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}

/// Returns the members of a JSON array; none if it is absent.
pub(crate) fn items<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// Reads a file, naming it in the error.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns every `.rs` file below a folder, sorted by path; none if the folder does not exist.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    files(folder, &["rs"])
}

/// Returns every file with a listed extension below a path, or that path itself, sorted; none if
/// the path does not exist. Skips hidden folders and those that cargo builds in.
pub(crate) fn files(position: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut positions = vec![position.to_owned()];
    while let Some(position) = positions.pop() {
        let wanted = |wanted: &&str| position.extension().is_some_and(|found| found == *wanted);
        if position.is_file() && extensions.iter().any(wanted) {
            found.push(position);
        } else if position.is_dir() {
            let failed = |error| format!("{}: {error}", position.display());
            for entry in fs::read_dir(&position).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if !path.join("CACHEDIR.TAG").exists() && !name.starts_with('.') {
                    positions.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Formats a path for people: relative to the workspace root, with forward slashes.
pub(crate) fn shown(path: &Path) -> String {
    let relative = path.strip_prefix(root()).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}

/// Joins findings into the error of a task; returns `Ok` if there are none.
pub(crate) fn verdict(task: &str, findings: &[String]) -> Result<(), String> {
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("{task}: {} finding(s)\n  {}", findings.len(), findings.join("\n  ")))
}
