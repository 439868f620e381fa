//! Tests that need a program which is not on every machine.

use std::io::Write;

/// Reports on the terminal that a test cannot run here. The test harness captures `eprintln!`, so this writes past it.
///
/// # Panics
///
/// Where `CI` is set: `.ci/run` installs what the tests need.
pub fn skipped(test: &str, why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{test} cannot run: {why}");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}
