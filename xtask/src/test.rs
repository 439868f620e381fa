//! `cargo xtask test`: builds the tests of the workspace once, and runs their programs side by
//! side.
//!
//! Many tests wait for a disk or for another process, so `cargo test`, which runs one program after
//! the other, leaves the processors idle for half of the time.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;

use crate::workspace::{cargo, read, root, text};

/// Programs that run at the same time. Each runs as many tests at once as there are processors;
/// [`LONGEST`] runs this many times as many.
const SIDE_BY_SIDE: usize = 2;

/// Tests that `cargo xtask check` leaves out, by program, or all of a program: they start servers,
/// kill them, or write enough rows to measure costs.
const SLOW: &[(&str, &[&str])] = &[
    ("fingerpost-it", &[]),
    (
        "fingerpost-admin-it",
        &["selections", "imports", "exports", "tenants", "same_answers", "admission", "bodies"],
    ),
    ("fingerpost-exchange-it", &["engines"]),
    ("fingerpost-postgres-it", &["faults"]),
    ("fingerpost-registry-it", &["budgets", "history"]),
];

/// The program that takes longest, which begins first. Its tests wait for browsers, servers and
/// clusters for half of the time.
const LONGEST: &str = "fingerpost-it";

/// A test program, and how to start it as `cargo test` does.
struct Program {
    name: String,
    path: PathBuf,
    /// The folder of its crate, in which it runs.
    folder: PathBuf,
    /// What the names of tests contain that do not run.
    skipped: &'static [&'static str],
}

/// Builds and runs tests with all features; `arguments` are those of `cargo test`, such as
/// `--package NAME`.
pub(crate) fn run(arguments: &[&str]) -> Result<(), String> {
    run_with(arguments, &[])
}

/// Runs tests as [`run`] does, without those in [`SLOW`], and prints which these are.
pub(crate) fn run_quick(arguments: &[&str]) -> Result<(), String> {
    run_with(arguments, SLOW)
}

fn run_with(
    arguments: &[&str],
    left_out: &[(&str, &'static [&'static str])],
) -> Result<(), String> {
    let mut programs = build(arguments)?;
    programs.retain_mut(|program| {
        let slow = left_out.iter().find(|(name, _)| *name == program.name);
        let Some((name, tests)) = slow else { return true };
        println!("left to .ci/run: {name} {}", tests.join(" "));
        program.skipped = tests;
        !tests.is_empty()
    });
    let mut failed = run_programs(programs)?;
    println!("documentation tests");
    let mut documentation = cargo();
    documentation
        .args(["test", "--locked", "--quiet", "--all-features", "--doc"])
        .args(scope(arguments));
    if !succeeds(&mut documentation)? {
        failed.push("documentation tests".to_owned());
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("failed: {}", failed.join(", ")))
}

/// Returns the arguments, preceded by `--workspace` if they name no package.
fn scope<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let names_package = arguments.iter().any(|word| matches!(*word, "-p" | "--package"));
    let workspace = (!names_package).then_some("--workspace");
    workspace.into_iter().chain(arguments.iter().copied()).collect()
}

/// Builds the test programs, and returns them with [`LONGEST`] and the largest first, because these
/// take longest.
fn build(arguments: &[&str]) -> Result<Vec<Program>, String> {
    let output = cargo()
        .args(["test", "--locked", "--quiet", "--all-features", "--no-run"])
        .arg("--message-format=json-render-diagnostics")
        .args(scope(arguments))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("the tests do not compile".to_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut programs: Vec<Program> = artifacts.filter_map(|artifact| program(&artifact)).collect();
    let size = |program: &Program| fs::metadata(&program.path).map_or(0, |file| file.len());
    programs.sort_by_key(|program| std::cmp::Reverse((program.name == LONGEST, size(program))));
    Ok(programs)
}

/// Returns the test program that a message of cargo announces, if it does.
fn program(message: &Value) -> Option<Program> {
    let path = PathBuf::from(message["executable"].as_str()?);
    if message["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(text(message, "manifest_path")).parent()?.to_owned();
    let crate_name = folder.file_name()?.to_string_lossy().into_owned();
    let kind = message["target"]["kind"][0].as_str()?;
    let target = if kind == "test" { text(&message["target"], "name") } else { kind };
    Some(Program { name: format!("{crate_name}-{target}"), path, folder, skipped: &[] })
}

/// Runs all programs and prints how each ended; returns those that failed with the names of their
/// failed tests.
fn run_programs(programs: Vec<Program>) -> Result<Vec<String>, String> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let logs = root().join("target/tests");
    fs::create_dir_all(&logs).map_err(|error| format!("{}: {error}", logs.display()))?;
    let queue = Mutex::new(VecDeque::from(programs));
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let worker = || {
            // A function, so that the queue is unlocked again before the program runs.
            let next = || queue.lock().map(|mut queue| queue.pop_front());
            while let Some(program) = next().map_err(|_| "a worker panicked")? {
                let is_longest = program.name == LONGEST;
                let threads = if is_longest { processors * SIDE_BY_SIDE } else { processors };
                let failure = run_program(&program, threads, &logs)?;
                failed.lock().map_err(|_| "a worker panicked")?.extend(failure);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..SIDE_BY_SIDE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a worker panicked".to_owned()))
        })
    })?;
    failed.into_inner().map_err(|_| "a worker panicked".to_owned())
}

/// Runs a program and prints its results, or what failed tests printed. Returns the names of the
/// program and of its failed tests, if any failed.
fn run_program(program: &Program, threads: usize, logs: &Path) -> Result<Option<String>, String> {
    let log = logs.join(format!("{}.log", program.name));
    let failed = |error| format!("{}: {error}", program.path.display());
    let output = File::create(&log).map_err(failed)?;
    let start = Instant::now();
    let status = Command::new(&program.path)
        .arg(format!("--test-threads={threads}"))
        .args(program.skipped.iter().flat_map(|test| ["--skip", test]))
        .current_dir(&program.folder)
        .stdin(Stdio::null())
        .stdout(output.try_clone().map_err(failed)?)
        .stderr(output)
        .status()
        .map_err(failed)?;
    let output = read(&log)?;
    let mut report = format!("{} ({} s)\n", program.name, start.elapsed().as_secs());
    if status.success() {
        for line in output.lines().filter(|line| line.starts_with("test result: ")) {
            report.push_str(line);
            report.push('\n');
        }
    } else {
        // A program that was killed has no list of failures.
        report.push_str(output.find("\nfailures:\n").map_or(&*output, |at| &output[at..]));
    }
    // One call, so that the reports of two programs do not mix.
    std::io::stdout().write_all(report.as_bytes()).map_err(failed)?;
    let tests = output.lines().filter_map(|line| {
        line.strip_prefix("test ").and_then(|line| line.strip_suffix(" ... FAILED"))
    });
    let failure = || format!("{} {}", program.name, tests.collect::<Vec<_>>().join(" "));
    Ok((!status.success()).then(failure))
}

/// Runs a command whose output goes to that of this process. Returns whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool, String> {
    let status = command.status().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    Ok(status.success())
}
