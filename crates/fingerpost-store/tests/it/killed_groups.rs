//! A process killed in the middle of group commits: what was acknowledged is there, nothing is
//! there in part, and the audit chain is whole; also while another process loads much at once.
//!
//! Functions named `…_process` are the other side: they do nothing in an ordinary test run.

use crate::support;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fingerpost_store::{Batch, Event, Store, StoreError, View};
use jiff::Timestamp;

use support::{
    Talking, description, entry, gtin, key, kills, open, report, report_kills, this_test,
    work_of_this_process,
};

/// Kills per run.
const KILLS: u32 = 25;

/// Threads of the process that is killed.
const WRITERS: u32 = 6;

/// The number that a writer has written last, from its document.
fn number(view: &View<'_>, writer: u32) -> Result<u64, StoreError> {
    let document = view.document("writers", &writer.to_string())?;
    Ok(document.map_or(0, |bytes| String::from_utf8(bytes).unwrap().parse().unwrap()))
}

/// Counts on, once: in a document, an entry and an audit record.
fn count_on(store: &Store, writer: u32) -> Result<u64, StoreError> {
    store.transact(move |txn| {
        let next = number(txn, writer)? + 1;
        let text = next.to_string();
        txn.put_document("writers", &writer.to_string(), text.as_bytes())?;
        let mut batch = Batch::new();
        batch.put(entry(&gtin(writer), &text));
        let event = Event::new("counted", format!("user:{writer}"), Timestamp::UNIX_EPOCH);
        txn.write(&batch, event)?;
        Ok(next)
    })
}

#[test]
#[ignore = "started by other tests, in a process of its own"]
fn endless_writers_process() {
    let dir = work_of_this_process();
    let store = open(&dir);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let store = &store;
            scope.spawn(move || {
                loop {
                    let written = count_on(store, writer).unwrap();
                    report(format!("{writer} {written}"));
                }
            });
        }
    });
}

fn hear(said: &str, acknowledged: &mut [u64]) {
    let (writer, number) = said.split_once(' ').unwrap();
    acknowledged[writer.parse::<usize>().unwrap()] = number.parse().unwrap();
}

fn check(store: &Store, acknowledged: &mut [u64]) {
    let found = store.view(|view| -> Result<Vec<u64>, StoreError> {
        (0..WRITERS).map(|writer| number(view, writer)).collect()
    });
    for (writer, found) in (0..WRITERS).zip(found.unwrap()) {
        let told = &mut acknowledged[writer as usize];
        assert!(found == *told || found == *told + 1, "{writer}: {told} told, {found} found");
        *told = found;
        let levels = store.read(&key(&gtin(writer))).unwrap();
        assert_eq!(levels.first().map_or(0, |entry| description(entry).parse().unwrap()), found);
    }
}

#[test]
fn killed_groups_leave_every_acknowledged_operation() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = vec![0; WRITERS as usize];
    for _ in 0..kills(KILLS) {
        let mut process =
            Talking::start(this_test("killed_groups::endless_writers_process", dir.path()));
        hear(&process.next().expect("the writers have ended"), &mut acknowledged);
        let pause = RandomState::new().build_hasher().finish() % 20_000;
        thread::sleep(Duration::from_micros(pause));
        process.kill();
        while let Some(said) = process.next() {
            hear(&said, &mut acknowledged);
        }
        check(&open(dir.path()), &mut acknowledged);
    }
    let store = open(dir.path());
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    let acknowledged = acknowledged.iter().sum::<u64>();
    assert_eq!(report.audit().records(), acknowledged);
    report_kills("group commits", kills(KILLS), acknowledged);
}

/// Loads levels of its own in large batches, as an import does.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn loading_process() {
    let dir = work_of_this_process();
    let store = open(&dir);
    for round in 0..6 {
        let author = Event::new("links.write", "local:import", Timestamp::UNIX_EPOCH);
        let mut batch = Batch::new().by(author);
        for n in 0..500 {
            batch.put(entry(&gtin(1000 + round * 500 + n), "loaded"));
        }
        store.write(&batch).unwrap();
    }
}

#[test]
fn two_processes_and_a_load_write_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut loaders: Vec<_> = (0..2)
        .map(|_| this_test("killed_groups::loading_process", dir.path()).spawn().unwrap())
        .collect();
    let done = AtomicBool::new(false);
    let counted: u64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (store, done) = (&store, &done);
                scope.spawn(move || {
                    let mut last = 0;
                    while !done.load(Ordering::Acquire) {
                        last = count_on(store, writer).unwrap();
                    }
                    last
                })
            })
            .collect();
        for loader in &mut loaders {
            assert!(loader.wait().unwrap().success());
        }
        done.store(true, Ordering::Release);
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(store.revision().unwrap().number(), counted + 12);
    assert_eq!(store.len().unwrap(), 3000 + u64::from(WRITERS));
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    let states = report.states();
    assert_eq!(states, counted - u64::from(WRITERS) + 3000);
}
