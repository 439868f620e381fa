//! Waiting for a revision: of this process and of another one.

use crate::support;

use std::thread;
use std::time::{Duration, Instant};

use fingerpost_store::{Batch, Revision};

use support::{entry, gtin, open, this_test, work_of_this_process};

/// Far longer than any commit takes.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn a_wait_ends_when_its_revision_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let begin = Instant::now();
    thread::scope(|scope| {
        let waiting = [1, 2, 3].map(|revision| {
            let store = &store;
            scope.spawn(move || store.wait_for(Revision::new(revision), LONG).unwrap())
        });
        for n in 1..=3 {
            let mut batch = Batch::new();
            batch.put(entry(&gtin(n), "x"));
            store.write(&batch).unwrap();
        }
        for (waiting, revision) in waiting.into_iter().zip(1..) {
            assert!(waiting.join().unwrap().number() >= revision);
        }
    });
    assert_eq!(store.wait_for(Revision::new(3), LONG).unwrap().number(), 3);
    assert!(begin.elapsed() < LONG / 2, "it waited for its time limit");
}

#[test]
fn a_wait_ends_in_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for limit in [0, 30] {
        let found = store.wait_for(Revision::new(1), Duration::from_millis(limit)).unwrap();
        assert_eq!(found, Revision::default());
    }
}

#[test]
#[ignore = "started by other tests, in a process of its own"]
fn one_write_process() {
    let dir = work_of_this_process();
    let mut batch = Batch::new();
    batch.put(entry(&gtin(1), "x"));
    open(&dir).write(&batch).unwrap();
}

#[test]
fn a_write_of_another_process_ends_a_wait() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let begin = Instant::now();
    let mut writer = this_test("waiting::one_write_process", dir.path()).spawn().unwrap();
    assert_eq!(store.wait_for(Revision::new(1), LONG).unwrap().number(), 1);
    assert!(writer.wait().unwrap().success());
    assert!(begin.elapsed() < LONG / 2, "it waited for its time limit");
}
