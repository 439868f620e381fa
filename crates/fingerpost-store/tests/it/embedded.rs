//! The embedded store in one process: the battery, opening, walking, and a model.

use crate::battery;
use crate::support;

use std::fs;

use fingerpost_engine::{EngineError, Memory, Unavailable};
use fingerpost_store::{Batch, Store, StoreError, StoreOptions};

use battery::{battery, put, read};
use support::{description, entry, gtin, open};

fn with(options: StoreOptions, test: &dyn Fn(&Store)) {
    let dir = tempfile::tempdir().unwrap();
    test(&Store::open(dir.path(), options).unwrap());
}

battery!(memory, |test: &dyn Fn(&Store)| test(&Store::in_memory()));
battery!(repeating, |test: &dyn Fn(&Store)| test(&Store::over(Memory::new().repeating()).unwrap()));
battery!(cached, |test| with(StoreOptions::default(), test));
battery!(uncached, |test| with(StoreOptions::default().cache_bytes(0), test));
// Memory for a few row locations: the other rows are searched for.
battery!(evicting, |test| with(StoreOptions::default().cache_bytes(2000), test));

#[test]
fn a_reopened_store_holds_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let inner = dir.path().join("a/b");
    for n in 1..4 {
        let store = open(&inner);
        assert_eq!(store.revision().unwrap().number(), u64::from(n) - 1);
        put(&store, &[(&gtin(n), "x")]);
        assert_eq!(store.len().unwrap(), u64::from(n));
        assert!(!store.is_empty().unwrap());
    }
}

#[test]
fn open_existing_creates_no_store() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none");
    let error = Store::open_existing(&missing, StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::Missing { .. })), "{error:?}");
    assert!(!missing.exists());
    let error = Store::open_existing(dir.path(), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::Missing { .. })), "{error:?}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    drop(open(&missing));
    Store::open_existing(&missing, StoreOptions::default()).unwrap();
}

#[test]
fn a_directory_is_opened_once_per_process() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = Store::open(dir.path(), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::AlreadyOpen { .. })), "{error:?}");
    drop(store);
    open(dir.path());
}

#[test]
fn what_is_not_a_store_is_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data.mdb");
    let text = b"not LMDB at all ".repeat(1000);
    fs::write(&data, &text).unwrap();
    let error = Store::open(dir.path(), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::NotAStore { .. })), "{error:?}");
    assert_eq!(fs::read(&data).unwrap(), text);
    let error = Store::open(&data, StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::NotAStore { .. })), "{error:?}");
}

#[test]
fn a_full_map_is_an_error_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let small = StoreOptions::default().map_size(1 << 20);
    let store = Store::open(dir.path(), small).unwrap();
    put(&store, &[(&gtin(0), "first")]);
    let mut batch = Batch::new();
    for n in 1..2000 {
        batch.put(entry(&gtin(n), &"long ".repeat(400)));
    }
    let error = store.write(&batch).unwrap_err();
    assert!(
        matches!(error, StoreError::Engine(EngineError::MapFull { map_size: 0x10_0000 })),
        "{error:?}"
    );
    assert_eq!(read(&store, &gtin(0)), ["first"]);
    assert_eq!((store.len().unwrap(), store.revision().unwrap().number()), (1, 1));
    put(&store, &[(&gtin(1), "after")]);
    drop(store);
    open(dir.path()).write(&batch).unwrap();
}

#[test]
fn a_walk_is_one_snapshot_and_may_use_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::new();
    for n in 0..1000 {
        batch.put(entry(&gtin(n), "before"));
    }
    store.write(&batch).unwrap();
    let mut visited = 0;
    store
        .for_each::<StoreError>("", |entry, revision| {
            if visited == 0 {
                put(&store, &[(&gtin(999), "after"), (&gtin(1000), "after")]);
                assert_eq!(read(&store, &gtin(999)), ["after"]);
            }
            assert_eq!((description(&entry), revision.number()), ("before", 1));
            assert_eq!(entry.anchor().as_str(), gtin(visited));
            visited += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(visited, 1000);
}

#[test]
fn a_walk_can_be_limited_to_prefixes_and_later_revisions() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::new();
    for n in 0..1000 {
        batch.put(entry(&gtin(n), "before"));
    }
    let before = store.write(&batch).unwrap();
    put(&store, &[(&gtin(7), "after"), (&gtin(300), "after"), (&gtin(999), "after")]);
    let visited = |prefixes: &[&str], since| {
        let mut visited = Vec::new();
        store
            .for_each_in::<StoreError>(prefixes, since, |entry, _| {
                visited.push(entry.anchor().to_string());
                Ok(())
            })
            .unwrap();
        visited
    };
    let keys = |numbers: &[u32]| numbers.iter().map(|n| gtin(*n)).collect::<Vec<_>>();
    let (two, five) = (gtin(2), gtin(5));
    assert_eq!(visited(&[&two, &five], before), keys(&[2, 5]));
    assert_eq!(visited(&["00", &two, "02"], before), keys(&[2]));
    assert_eq!(visited(&[""], before.next()), keys(&[7, 300, 999]));
    assert_eq!(visited(&[], before), keys(&[]));
}

#[test]
fn a_walk_ends_with_the_first_error() {
    #[derive(Debug)]
    struct Enough;
    impl From<StoreError> for Enough {
        fn from(error: StoreError) -> Self {
            panic!("{error}")
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let mut batch = Batch::new();
    for n in 0..2000 {
        batch.put(entry(&gtin(n), "x"));
    }
    store.write(&batch).unwrap();
    let mut visited = 0;
    let result = store.for_each(&gtin(1), |_, _| {
        visited += 1;
        Err(Enough)
    });
    assert!(result.is_err());
    assert_eq!(visited, 1);
}

#[test]
fn a_thread_holds_one_snapshot_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let error = store.view(|_| store.view(|view| view.revision())).unwrap_err();
    assert!(
        matches!(error, StoreError::Engine(EngineError::Unavailable(Unavailable::SnapshotInUse))),
        "{error:?}"
    );
}
