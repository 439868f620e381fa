//! Several processes on one store: what another process writes is served at once, and a process
//! killed at any moment leaves every acknowledged batch, and no part of another.
//!
//! Functions named `…_process` are the other side: they do nothing in an ordinary test run.

use crate::support;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fingerpost_engine::EngineError;
use fingerpost_store::{Batch, Event, Store, StoreError, StoreOptions, Transaction};
use jiff::Timestamp;

use support::{
    Talking, description, entry, gtin, key, kills, open, report, report_kills, skipped, this_test,
    this_test_in_shell, work_of_this_process,
};

/// Kills per run.
const KILLS: u32 = 60;

/// Groups of levels that batches rewrite in turn.
const GROUPS: u64 = 8;

/// Puts one entry, at the level and with the description that the environment names; deletes
/// without one.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn one_change_process() {
    let dir = work_of_this_process();
    let level = std::env::var("LEVEL").unwrap();
    let mut batch = Batch::new();
    match std::env::var("DESCRIPTION") {
        Ok(description) => batch.put(entry(&level, &description)),
        Err(_) => batch.delete(key(&level)),
    };
    report(open(&dir).write(&batch).unwrap());
}

fn change_elsewhere(dir: &Path, level: &str, description: Option<&str>) {
    let mut command = this_test("processes::one_change_process", dir);
    command.env("LEVEL", level);
    if let Some(description) = description {
        command.env("DESCRIPTION", description);
    }
    let mut process = Talking::start(command);
    assert!(process.next().is_some());
    // It still holds the store open: its word is enough.
    process.child.wait().unwrap();
}

#[test]
fn what_another_process_writes_is_served_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let (base, lot) = (gtin(1), format!("{}/10/A", gtin(1)));
    let read = |level: &str| -> Vec<String> {
        let once = store.read(&key(level)).unwrap();
        let hits = store.activity().cache_hits;
        let again = store.read(&key(level)).unwrap();
        assert_eq!(*once, *again);
        // The second is read at the remembered location, if the key is registered.
        let is_remembered = store.activity().cache_hits > hits;
        assert!(is_remembered == store.dir().is_some() || once.is_empty());
        // The third is the second one, if there is a commit number to tell by that nothing has
        // changed.
        let third = store.read(&key(level)).unwrap();
        let are_same = again.iter().zip(&*third).all(|(entry, other)| Arc::ptr_eq(entry, other));
        assert!(*third == *again && (are_same == store.dir().is_some() || once.is_empty()));
        once.iter().map(|entry| description(entry).to_owned()).collect()
    };

    assert!(read(&lot).is_empty());
    change_elsewhere(dir.path(), &base, Some("one"));
    assert_eq!(read(&lot), ["one"]);
    assert_eq!(read(&base), ["one"]);
    change_elsewhere(dir.path(), &base, Some("two"));
    assert_eq!(read(&base), ["two"]);
    assert_eq!(read(&lot), ["two"]);
    change_elsewhere(dir.path(), &lot, Some("lot"));
    assert_eq!(read(&lot), ["lot", "two"]);
    change_elsewhere(dir.path(), &gtin(2), Some("other"));
    assert_eq!(read(&lot), ["lot", "two"]);
    assert_eq!(read(&gtin(2)), ["other"]);
    change_elsewhere(dir.path(), &lot, None);
    assert_eq!(read(&lot), ["two"]);
    change_elsewhere(dir.path(), &base, None);
    assert!(read(&lot).is_empty());
    assert_eq!(store.revision().unwrap().number(), 6);
}

/// What batch number `n` leaves in its group: a counter, and a number of levels that depends on
/// `n`.
fn group_after(n: u64) -> Vec<String> {
    let group = u32::try_from(n % GROUPS).unwrap() * 100;
    let mut levels = vec![gtin(group), format!("{}/10/COUNTER", gtin(group))];
    levels.extend((0..u32::try_from(n % 13).unwrap()).map(|i| gtin(group + 1 + i)));
    levels
}

/// Levels that any batch of the group of `n` may have put.
fn group_of(n: u64) -> Vec<String> {
    let group = u32::try_from(n % GROUPS).unwrap() * 100;
    (0..13).map(|i| gtin(group + 1 + i)).collect()
}

/// Writes batch after batch, the number of each being its revision, and says so after each.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn endless_writer_process() {
    let dir = work_of_this_process();
    let store = open(&dir);
    loop {
        let n = store.revision().unwrap().number() + 1;
        let mut batch = Batch::new();
        for level in group_of(n) {
            batch.delete(key(&level));
        }
        for level in group_after(n) {
            // Some entries take pages of their own, beside the tree.
            let padding = if n.is_multiple_of(3) { "long ".repeat(400) } else { String::new() };
            batch.put(entry(&level, &format!("{n} {padding}")));
        }
        let revision = store.write(&batch).unwrap();
        assert_eq!(revision.number(), n);
        report(n);
    }
}

/// Checks that the store holds exactly what the batches up to its revision have left.
fn check_whole(store: &Store, acknowledged: u64) -> u64 {
    let revision = store.revision().unwrap().number();
    assert!(
        revision == acknowledged || revision == acknowledged + 1,
        "{acknowledged} acknowledged, {revision} found"
    );
    let mut expected: Vec<(String, u64)> = (revision.saturating_sub(GROUPS - 1).max(1)..=revision)
        .flat_map(|n| group_after(n).into_iter().map(move |level| (level, n)))
        .collect();
    expected.sort();
    let found = store.scan(Bound::Unbounded, "", 10_000).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|(entry, revision)| {
            let n: u64 = description(entry).split(' ').next().unwrap().parse().unwrap();
            assert_eq!(n, revision.number());
            (entry.anchor().as_str().to_owned(), n)
        })
        .collect();
    assert_eq!(found, expected);
    revision
}

#[test]
fn a_killed_writer_leaves_every_acknowledged_batch_and_no_torn_one() {
    let dir = tempfile::tempdir().unwrap();
    let watcher_dir = dir.path().to_owned();
    let mut watcher = Some(open(&watcher_dir));
    let mut acknowledged = 0;
    let mut unacknowledged_but_whole = 0;
    for kill in 0..kills(KILLS) {
        let mut process =
            Talking::start(this_test("processes::endless_writer_process", dir.path()));
        let first = process.next().expect("the writer has ended");
        acknowledged = first.parse().unwrap();
        let pause = RandomState::new().build_hasher().finish() % 20_000;
        thread::sleep(Duration::from_micros(pause));
        process.kill();
        while let Some(said) = process.next() {
            acknowledged = said.parse().unwrap();
        }
        // Every third time nobody else has the store open, so that its locks start from scratch.
        if kill % 3 == 0 {
            drop(watcher.take());
        }
        let store = watcher.take().unwrap_or_else(|| open(&watcher_dir));
        let found = check_whole(&store, acknowledged);
        unacknowledged_but_whole += found - acknowledged;
        acknowledged = found;
        watcher = Some(store);
    }
    let acknowledged = acknowledged - unacknowledged_but_whole;
    report_kills("writes", kills(KILLS), acknowledged);
}

/// Writes 50 batches to levels of its own.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn fifty_batches_process() {
    let dir = work_of_this_process();
    let own: u32 = std::env::var("OWN").unwrap().parse().unwrap();
    let store = open(&dir);
    for n in 0..50 {
        let mut batch = Batch::new();
        batch.put(entry(&gtin(own * 1000 + n), "own")).put(entry(&gtin(0), &own.to_string()));
        store.write(&batch).unwrap();
    }
}

#[test]
fn processes_write_in_turns() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut writers: Vec<_> = (1..4)
        .map(|own: u32| {
            this_test("processes::fifty_batches_process", dir.path())
                .env("OWN", own.to_string())
                .spawn()
                .unwrap()
        })
        .collect();
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(store.revision().unwrap().number(), 150);
    assert_eq!(store.len().unwrap(), 151);
}

/// Reads, reports so, and waits to be killed with its reader slot taken.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn reader_to_be_killed_process() {
    let dir = work_of_this_process();
    let store = Store::open_existing(&dir, StoreOptions::default()).unwrap();
    store
        .for_each::<StoreError>("", |_, _| {
            report("reading");
            thread::sleep(Duration::from_secs(600));
            Ok(())
        })
        .unwrap();
}

/// A killed reader would keep every page that is replaced afterwards from being used again.
#[test]
fn killed_readers_do_not_make_the_store_grow() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let rewrite = |round: u32| {
        let mut batch = Batch::new();
        for n in 0..400 {
            batch.put(entry(&gtin(n), &format!("{round} {}", "long ".repeat(100))));
        }
        let revision = store.write(&batch).unwrap();
        // What was replaced is not kept, and the index of changes is short beside the entries.
        let event = Event::new("history.pruned", "local:test", Timestamp::UNIX_EPOCH);
        let prune = |txn: &mut Transaction<'_>| txn.prune_history(revision, 1000, event.clone());
        store.transact_alone::<_, StoreError>(prune).unwrap();
    };
    rewrite(0);
    // More pages than one message of a walk holds, so that the reader is still in its transaction.
    let mut readers: Vec<_> = (0..3)
        .map(|_| {
            let mut reader =
                Talking::start(this_test("processes::reader_to_be_killed_process", dir.path()));
            assert_eq!(reader.next().as_deref(), Some("reading"));
            reader
        })
        .collect();
    readers.iter_mut().for_each(Talking::kill);
    (1..4).for_each(rewrite);
    let size = || std::fs::metadata(dir.path().join("data.mdb")).unwrap().len();
    let before = size();
    (4..24).for_each(rewrite);
    // The index of changes takes some 40 kB a round; pages that are not used again take ten times
    // that.
    assert!(size() - before < 2_000_000, "{before} bytes, then {}", size());
}

/// Opens a store whose files belong to another user.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn stranger_process() {
    let dir = work_of_this_process();
    let error = Store::open(&dir, StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::Permission { .. })), "{error:?}");
    report("refused");
}

#[test]
fn files_of_another_user_are_an_error() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    if std::fs::metadata(dir.path()).unwrap().uid() == 0 {
        std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o755)).unwrap();
    } else {
        skipped("only root can become another user");
        return;
    }
    let line = "setpriv --reuid=65534 --regid=65534 --clear-groups test -x \"$1\" || { echo; echo said: skipped; exit; }; \
        exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"";
    let mut process =
        Talking::start(this_test_in_shell(line, "processes::stranger_process", dir.path()));
    match process.next().as_deref() {
        Some("refused") => {}
        Some("skipped") => skipped("another user cannot run this program"),
        other => panic!("{other:?}"),
    }
    process.child.wait().unwrap();
}

/// Reads and writes with a map that is soon too small.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn small_map_process() {
    const READERS: u32 = 4;
    let dir = work_of_this_process();
    let store = Store::open(&dir, StoreOptions::default().map_size(1 << 20)).unwrap();
    let first = store.revision().unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for n in 0..READERS {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    store.read(&key(&gtin(n))).unwrap();
                    store.revision().unwrap();
                }
            });
        }
        report("ready");
        let grown = store.wait_for(first.next(), Duration::from_secs(60)).unwrap();
        assert!(grown > first);
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(store.len().unwrap(), 3000);
    let mut batch = Batch::new();
    batch.put(entry(&gtin(5000), "from the small one"));
    report(store.write(&batch).unwrap());
}

#[test]
fn a_process_with_a_smaller_map_goes_on_after_another_has_grown_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut process = Talking::start(this_test("processes::small_map_process", dir.path()));
    assert_eq!(process.next().as_deref(), Some("ready"));
    let mut batch = Batch::new();
    for n in 0..3000 {
        batch.put(entry(&gtin(n), &"long ".repeat(300)));
    }
    let revision = store.write(&batch).unwrap();
    assert!(std::fs::metadata(dir.path().join("data.mdb")).unwrap().len() > 4 << 20);
    let said = process.next().expect("it goes on");
    assert_eq!(said, revision.next().to_string());
    assert!(process.child.wait().unwrap().success());
    assert_eq!(store.len().unwrap(), 3001);
}
