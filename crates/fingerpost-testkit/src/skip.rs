//! Tests that need a program that is not installed everywhere.

use std::io::Write;

/// Reports on the terminal that a test is skipped. The test harness captures `eprintln!`, so this
/// bypasses it.
///
/// # Panics
///
/// If `CI` is set: `.ci/run` installs what the tests need.
pub fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} cannot run: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

/// Reports on the terminal that a test is skipped because this machine does not permit what it
/// needs. No package changes that, so it is no failure in CI either.
pub fn not_permitted(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}
