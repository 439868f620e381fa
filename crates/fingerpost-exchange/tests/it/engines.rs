//! Dry runs over other engines than LMDB.

use fingerpost_testkit::run_all_over;

#[test]
#[ignore = "bench/nightly: the next one runs the same over the same engine, each write twice"]
fn the_memory_engine_passes_every_test() {
    run_all_over("memory", &[]);
}

#[test]
fn an_engine_that_repeats_writes_passes_every_test() {
    run_all_over("repeating", &[]);
}

#[test]
fn postgresql_passes_every_test() {
    run_all_over("postgres", &[]);
}
