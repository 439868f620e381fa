//! All tests of the registry over other engines than LMDB.

use fingerpost_testkit::run_all_over;

/// Looks for secrets in the files of a store; has an engine of its own.
const SKIPPED: [&str; 2] = ["no_secret_is_in_the_data", "budgets::"];

#[test]
#[ignore = "bench/nightly: the next one runs the same over the same engine, each write twice"]
fn the_memory_engine_passes_every_test() {
    run_all_over("memory", &SKIPPED);
}

#[test]
fn an_engine_that_repeats_writes_passes_every_test() {
    run_all_over("repeating", &SKIPPED);
}

#[test]
fn postgresql_passes_every_test() {
    run_all_over("postgres", &SKIPPED);
}
