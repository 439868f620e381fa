//! Compaction: what was erased is gone from the data file, everything else is there, also after a
//! kill at any moment.

use crate::support;

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::thread;
use std::time::Duration;

use fingerpost_engine::EngineError;
use fingerpost_store::{Batch, Event, Personal, Store, StoreError, StoreOptions};
use jiff::Timestamp;

use support::{
    Talking, entry, gtin, kills, open, report, report_kills, this_test, work_of_this_process,
};

/// Kills per run.
const KILLS: u32 = 12;

const NAME: &str = "Ada Lovelace-Fingerpost";

fn event(actor: &str) -> Event {
    let personal = Personal::new(Some(NAME.to_owned()), Some("192.0.2.77".to_owned()), None);
    Event::new("links.write", actor, Timestamp::UNIX_EPOCH).personal(personal)
}

/// Creates a store in which a user did something several times, and was erased.
fn store_with_an_erased_user(dir: &Path) -> Store {
    let store = open(dir);
    for round in 0..30 {
        let mut batch = Batch::new().by(event("user:ada"));
        for n in 0..20 {
            batch.put(entry(&gtin(n), &format!("{round} {}", "text ".repeat(40))));
        }
        store.write(&batch).unwrap();
    }
    let erasure = Event::new("person.erased", "user:root", Timestamp::UNIX_EPOCH);
    let recorded = store.transact(move |txn| txn.erase_personal(&["user:ada"], &erasure));
    recorded.map_err(|error: StoreError| error).unwrap();
    assert_eq!(store.finish_erasures().unwrap(), 30);
    store
}

fn occurrences(dir: &Path, text: &str) -> usize {
    let bytes = fs::read(dir.join("data.mdb")).unwrap();
    bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

fn backup(store: &Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.backup(&mut bytes).unwrap();
    bytes
}

#[test]
fn an_erased_name_is_nowhere_in_the_data_file_after_compaction() {
    let dir = tempfile::tempdir().unwrap();
    let store = store_with_an_erased_user(dir.path());
    let before = backup(&store);
    drop(store);
    assert!(occurrences(dir.path(), NAME) > 0, "LMDB clears deleted rows by itself");
    let report = Store::compact(dir.path(), StoreOptions::default()).unwrap();
    assert_eq!((occurrences(dir.path(), NAME), occurrences(dir.path(), "192.0.2.77")), (0, 0));
    assert!(report.bytes_after() < report.bytes_before(), "{report:?}");
    assert_eq!(fs::metadata(dir.path().join("data.mdb")).unwrap().len(), report.bytes_after());
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    // The same rows in a store that works.
    let store = open(dir.path());
    assert_eq!(backup(&store), before);
    assert!(store.fsck().unwrap().is_sound());
    let mut batch = Batch::new();
    batch.put(entry(&gtin(500), "after"));
    store.write(&batch).unwrap();
    drop(store);
    for _ in 0..3 {
        Store::compact(dir.path(), StoreOptions::default()).unwrap();
    }
    assert_eq!(open(dir.path()).len().unwrap(), 21);
}

/// Holds the store open until it is killed.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn holding_process() {
    let _store = open(&work_of_this_process());
    report("open");
    thread::sleep(Duration::from_secs(600));
}

#[test]
fn a_store_in_use_is_not_compacted() {
    let dir = tempfile::tempdir().unwrap();
    drop(store_with_an_erased_user(dir.path()));
    let mut process = Talking::start(this_test("compact::holding_process", dir.path()));
    assert_eq!(process.next().as_deref(), Some("open"));
    let error = Store::compact(dir.path(), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::InUse { .. })), "{error:?}");
    assert!(error.to_string().contains("stop it"), "{error}");
    process.kill();
    Store::compact(dir.path(), StoreOptions::default()).unwrap();
}

/// Compacts until it is killed.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn compacting_process() {
    let dir = work_of_this_process();
    loop {
        Store::compact(&dir, StoreOptions::default()).unwrap();
        report("compacted");
    }
}

#[test]
fn a_kill_during_compaction_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let before = backup(&store_with_an_erased_user(dir.path()));
    for _ in 0..kills(KILLS) {
        let mut process = Talking::start(this_test("compact::compacting_process", dir.path()));
        assert_eq!(process.next().as_deref(), Some("compacted"));
        thread::sleep(Duration::from_micros(RandomState::new().build_hasher().finish() % 60_000));
        process.kill();
        let store = open(dir.path());
        assert_eq!(backup(&store), before);
        assert!(store.fsck().unwrap().is_sound());
    }
    Store::compact(dir.path(), StoreOptions::default()).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "leftovers are removed");
    report_kills("compaction", kills(KILLS), 600 * u64::from(kills(KILLS)));
}

/// Opens the store, which waits while it is compacted, and writes at once.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn opening_process() {
    let dir = work_of_this_process();
    report("opening");
    for n in 0..40 {
        let store = open(&dir);
        assert_eq!(store.revision().unwrap().number(), 30 + n);
        let mut batch = Batch::new();
        batch.put(entry(&gtin(100 + u32::try_from(n).unwrap()), "from another process"));
        store.write(&batch).unwrap();
    }
    report("done");
}

/// Processes that open the store while it is replaced see the new one, with everything, and their
/// writes are kept.
#[test]
fn what_opens_during_compaction_gets_the_new_file() {
    let dir = tempfile::tempdir().unwrap();
    drop(store_with_an_erased_user(dir.path()));
    let mut process = Talking::start(this_test("compact::opening_process", dir.path()));
    assert_eq!(process.next().as_deref(), Some("opening"));
    let mut compacted = 0;
    while process.child.try_wait().unwrap().is_none() {
        match Store::compact(dir.path(), StoreOptions::default()) {
            Ok(_) => compacted += 1,
            Err(StoreError::Engine(EngineError::InUse { .. })) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert!(process.child.wait().unwrap().success());
    assert!(compacted > 0);
    let store = open(dir.path());
    assert_eq!(store.len().unwrap(), 60);
    assert!(store.fsck().unwrap().is_sound());
}
