//! A full disk is an error that names it; the store is as it was, serves on, and takes writes again
//! later.

use crate::support;

use std::fs;
use std::ops::Bound;
use std::path::Path;

use fingerpost_engine::EngineError;
use fingerpost_store::{Batch, Store, StoreError, StoreOptions};

use support::{
    description, entry, gtin, open, report, skipped, this_test_in_shell, work_of_this_process,
};

/// Entries that are there before the disk fills.
const BEFORE: u32 = 100;

/// Writes ever larger batches until there is no space left, and returns the error.
fn fill(store: &Store) -> StoreError {
    for round in 1_u32.. {
        let mut batch = Batch::new();
        for n in 0..50 {
            batch.put(entry(
                &gtin(round * 100 + n),
                &"long ".repeat((round as usize * 20).min(400)),
            ));
        }
        let before = contents(store);
        if let Err(error) = store.write(&batch) {
            assert_eq!(contents(store), before);
            return error;
        }
    }
    unreachable!("there is always more to write")
}

fn contents(store: &Store) -> Vec<(String, String, u64)> {
    let page = store.scan(Bound::Unbounded, "", 100_000).unwrap();
    page.iter()
        .map(|(entry, revision)| {
            (entry.anchor().as_str().to_owned(), description(entry).to_owned(), revision.number())
        })
        .collect()
}

fn with_some_entries(dir: &Path) -> Store {
    let store = open(dir);
    let mut batch = Batch::new();
    for n in 0..BEFORE {
        batch.put(entry(&gtin(n), "before"));
    }
    store.write(&batch).unwrap();
    store
}

/// Runs where space is short.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn filling_process() {
    let dir = work_of_this_process();
    let store = with_some_entries(&dir.join("store"));
    for _ in 0..3 {
        let error = fill(&store);
        assert!(matches!(error, StoreError::Engine(EngineError::DiskFull { .. })), "{error:?}");
        assert!(error.to_string().contains("free space"), "{error}");
    }
    assert_eq!(contents(&store)[0].1, "before");
    drop(store);
    let store = open(&dir.join("store"));
    assert_eq!(contents(&store)[0].1, "before");
    report(store.revision().unwrap());
}

/// Runs on a small file system of its own, which it fills to the last block.
#[test]
#[ignore = "started by other tests, in a process of its own"]
fn filling_to_the_last_block_process() {
    let dir = work_of_this_process();
    let ballast = dir.join("ballast");
    let mut bytes = vec![1_u8; 4096];
    let mut file = fs::File::create(&ballast).unwrap();
    while std::io::Write::write_all(&mut file, &bytes).is_ok() {}
    bytes.clear();
    let error = Store::open(&dir.join("store"), StoreOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Engine(EngineError::DiskFull { .. })), "{error:?}");
    drop(file);
    fs::remove_file(ballast).unwrap();
    assert!(open(&dir.join("store")).is_empty().unwrap());
    report("done");
}

/// `Some` with what the process said, if it could run.
fn run(line: &str, name: &str, dir: &Path) -> Option<String> {
    let output = this_test_in_shell(line, name, dir).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = text.lines().find_map(|line| line.strip_prefix("said: ")).map(str::to_owned);
    if output.status.code() == Some(77) {
        skipped(&format!("no file system can be mounted here: {}", errors.trim()));
        return None;
    }
    assert!(output.status.success(), "{}: {text}{errors}", output.status);
    assert!(said.is_some(), "{text}{errors}");
    said
}

#[test]
fn the_largest_permitted_file_is_a_full_disk() {
    // Sizes in KiB that end within a page, at a page, and within what one write call takes.
    for limit in [601, 800, 1003] {
        let dir = tempfile::tempdir().unwrap();
        let line = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
        let said = run(&line, "full_disk::filling_process", dir.path()).unwrap();
        let store = open(&dir.path().join("store"));
        assert_eq!(store.revision().unwrap().to_string(), said);
        assert_eq!(contents(&store)[0].1, "before");
        let mut batch = Batch::new();
        for n in 0..1000 {
            batch.put(entry(&gtin(n), &"after ".repeat(100)));
        }
        store.write(&batch).unwrap();
    }
}

/// Mounts a small file system over the directory, in a namespace that ends with the process.
const SMALL_DISK: &str = "unshare -m true || exit 77; \
    exec unshare -m bash -c 'mount -t tmpfs -o size=1500k none \"$FINGERPOST_STORE_TEST_DIR\" || exit 77; \
    exec \"$@\"' bash \"$@\"";

#[test]
fn a_full_file_system_is_a_full_disk() {
    let dir = tempfile::tempdir().unwrap();
    run(SMALL_DISK, "full_disk::filling_process", dir.path());
}

#[test]
fn a_store_is_not_created_on_a_full_file_system() {
    let dir = tempfile::tempdir().unwrap();
    run(SMALL_DISK, "full_disk::filling_to_the_last_block_process", dir.path());
}
