//! `cargo xtask check`: runs the checks that apply to the files that changed.
//!
//! Meant for every few minutes of work: a change in one crate takes less than two minutes once the
//! crate's dependencies are compiled. `.ci/run` runs everything.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::test::{self, succeeds};
use crate::workspace::{cargo, git, root};
use crate::{book, conformance, generate, layers, names, promises, words};

/// One check, and the files that it applies to.
struct Check {
    name: &'static str,
    applies: fn(&str) -> bool,
    run: fn(&Changes) -> Result<(), String>,
}

/// All checks, the quickest first.
const CHECKS: &[Check] = &[
    Check { name: "formatting", applies: is_rust, run: |_| format() },
    Check { name: "layers", applies: is_rust, run: |_| layers::run() },
    Check { name: "names", applies: is_rust, run: |_| names::run() },
    Check { name: "generated files", applies: |_| true, run: |_| generate::run(true) },
    Check { name: "conformance", applies: is_text, run: |_| conformance::run(true) },
    Check { name: "promises", applies: is_text, run: |_| promises::run() },
    Check { name: "words", applies: |_| true, run: |_| words::run() },
    Check { name: "links", applies: |path| path.ends_with(".md"), run: |_| book::run() },
    Check { name: "lints", applies: is_rust, run: |_| lints() },
    Check { name: "tests", applies: is_rust, run: tests },
];

/// The files that differ from the main branch, relative to the workspace.
struct Changes {
    paths: BTreeSet<String>,
}

impl Changes {
    /// Reads what differs from the point where this branch left the main branch, committed or not.
    fn read() -> Result<Self, String> {
        let fork = |branch| git(&["merge-base", "HEAD", branch]).ok();
        let base = fork("origin/main").or_else(|| fork("main")).unwrap_or("HEAD".to_owned());
        let changed = git(&["diff", "--name-only", base.trim()])?;
        let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
        let paths = changed.lines().chain(untracked.lines()).map(str::to_owned).collect();
        Ok(Self { paths })
    }

    /// Returns the crates with a changed file, by the names of their folders.
    fn crates(&self) -> BTreeSet<&str> {
        let below = self.paths.iter().filter_map(|path| path.strip_prefix("crates/"));
        let names = below.filter_map(|path| path.split('/').next());
        // A crate that was deleted or renamed has changed files too.
        names.filter(|name| root().join("crates").join(name).exists()).collect()
    }
}

pub(crate) fn run() -> Result<(), String> {
    let changes = Changes::read()?;
    println!("{} files differ from the main branch", changes.paths.len());
    let start = Instant::now();
    for check in CHECKS {
        if changes.paths.iter().any(|path| (check.applies)(path)) {
            println!("== {} ({} s so far)", check.name, start.elapsed().as_secs());
            (check.run)(&changes)?;
        }
    }
    println!(
        "all checks that apply passed in {} s; .ci/run runs the rest",
        start.elapsed().as_secs()
    );
    Ok(())
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs") || path.ends_with(".toml") || path == "Cargo.lock"
}

fn is_text(path: &str) -> bool {
    is_rust(path) || path.ends_with(".md") || path.ends_with(".json")
}

fn format() -> Result<(), String> {
    passes(cargo().args(["fmt", "--all", "--check"]), "run `cargo fmt --all`")
}

fn lints() -> Result<(), String> {
    let mut clippy = cargo();
    clippy.args([
        "clippy",
        "--locked",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--all-features",
    ]);
    passes(clippy.args(["--", "-D", "warnings"]), "fix the lints above")
}

/// Runs the tests of the crates that changed, without those that are too slow for this loop.
fn tests(changes: &Changes) -> Result<(), String> {
    let mut packages = changes.crates();
    if changes.paths.iter().any(|path| path.starts_with("xtask/")) {
        packages.insert("xtask");
    }
    if packages.is_empty() {
        return Ok(());
    }
    let arguments: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).collect();
    test::run_quick(&arguments)
}

fn passes(command: &mut std::process::Command, advice: &str) -> Result<(), String> {
    if succeeds(command)? { Ok(()) } else { Err(advice.to_owned()) }
}
