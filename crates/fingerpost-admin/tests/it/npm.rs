//! Programs of tests that run on node, with packages that npm installs.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest release of node that the packages support.
const OLDEST_NODE: u32 = 20;

/// Installs the packages of a folder of this one, unless they are installed, and copies its scripts
/// beside them. Returns the folder to run the scripts in, or `None`, reported on the terminal,
/// where node or npm are missing.
pub(crate) fn install(folder: &str, test: &str) -> Option<PathBuf> {
    match installed(folder) {
        Ok(installed) => Some(installed),
        Err(why) => {
            fingerpost_testkit::skipped(test, &format!("its packages cannot be installed ({why})"));
            None
        }
    }
}

fn installed(folder: &str) -> Result<PathBuf, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(folder);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{folder}-tests"));
    let message = |error: io::Error| error.to_string();
    let version = run("node", &["--print", "process.versions.node"], &source, "")?;
    let major = version.split('.').next().and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < OLDEST_NODE) {
        return Err(format!("node {OLDEST_NODE} or newer is needed, found {version}"));
    }
    fs::create_dir_all(&target).map_err(message)?;
    let lock = fs::read(source.join("package-lock.json")).map_err(message)?;
    // Written last, so the packages that it describes are complete.
    let done = target.join("installed.json");
    let is_done = fs::read(&done).is_ok_and(|installed| installed == lock);
    for file in fs::read_dir(&source).map_err(message)? {
        let file = file.map_err(message)?;
        fs::copy(file.path(), target.join(file.file_name())).map_err(message)?;
    }
    if !is_done {
        run("npm", &["ci", "--ignore-scripts", "--silent"], &target, "")?;
        fs::write(&done, lock).map_err(message)?;
    }
    Ok(target)
}

/// Runs a program with this input; returns its output.
pub(crate) fn run(
    program: &str,
    arguments: &[&str],
    folder: &Path,
    input: &str,
) -> Result<String, String> {
    let failed = |error: io::Error| format!("{program}: {error}");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
    child
        .stdin
        .take()
        .map_or(Ok(()), |mut stdin| stdin.write_all(input.as_bytes()))
        .map_err(failed)?;
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}
