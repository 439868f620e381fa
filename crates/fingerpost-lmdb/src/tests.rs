//! The contract of engines, and a crash of the machine.

use std::cell::RefCell;
use std::collections::HashSet;

use fingerpost_engine::{ALL_KEYS, engine_contract};

use super::*;
use crate::pages::Pages;

fn with_lmdb(test: &dyn Fn(&dyn Engine)) {
    let dir = tempfile::tempdir().unwrap();
    let engine = Lmdb::create(dir.path(), LmdbOptions::default().map_size(1 << 30)).unwrap();
    // LMDB tables already hold a format row, which tests of an engine do not expect.
    let keys = |engine: &Lmdb| -> Vec<_> {
        let snapshot = engine.snapshot().unwrap();
        let rows = snapshot.range(Table::Meta, ALL_KEYS, Direction::Forward).unwrap();
        rows.map(|row| row.unwrap().0.into_owned()).collect()
    };
    for key in keys(&engine) {
        let delete =
            &mut |rows: &mut dyn Mutate| rows.delete(Table::Meta, &key).map(|()| Verdict::Keep);
        engine.write(&Prefetch::NONE, delete).unwrap();
    }
    test(&engine);
}

engine_contract!(lmdb_engine, with_lmdb);

/// As if the machine had lost its power after a commit: LMDB has written which pages are the
/// last commit, but these pages are not on disk.
#[test]
fn a_crash_of_the_machine_undoes_at_most_the_last_deferred_commit() {
    const PAGE: usize = 4096;
    let dir = tempfile::tempdir().unwrap();
    let (data, boot) = (dir.path().join("data.mdb"), dir.path().join("boot.id"));
    let open = || {
        let options = LmdbOptions::default().map_size(16 << 20).deferred_sync();
        Lmdb::create(dir.path(), options).unwrap()
    };
    let put = |lmdb: &Lmdb, key: &[u8]| {
        let put = &mut |rows: &mut dyn Mutate| {
            rows.put(Table::Entries, key, &[7; 1000])?;
            Ok(Verdict::Keep)
        };
        lmdb.write(&Prefetch::NONE, put).unwrap();
    };
    let has = |lmdb: &Lmdb, key: &[u8]| {
        lmdb.snapshot().unwrap().get(Table::Entries, key).unwrap().is_some()
    };
    let lmdb = open();
    if !boot.exists() {
        // Commits are not deferred.
        eprintln!("SKIPPED: the operating system does not report restarts");
        return;
    }
    (0..20_u8).for_each(|number| put(&lmdb, &[number]));
    lmdb.flush().unwrap();
    let before = std::fs::read(&data).unwrap();
    put(&lmdb, b"last");
    drop(lmdb);
    // A crash of the process loses nothing.
    let lmdb = open();
    assert!(has(&lmdb, b"last"));
    drop(lmdb);
    // Commands that read a copy do not defer commits, but its server can at the same time.
    drop(Lmdb::create(dir.path(), LmdbOptions::default().map_size(16 << 20)).unwrap());
    assert!(boot.exists());
    let mut after = std::fs::read(&data).unwrap();
    let mut lost = 0;
    for (number, page) in after.chunks_mut(PAGE).enumerate().skip(2) {
        let old = before.get(number * PAGE..(number + 1) * PAGE);
        if old.is_none_or(|old| old != page) {
            page.fill(0xff);
            lost += 1;
        }
    }
    assert!(lost > 0);
    std::fs::write(&data, &after).unwrap();
    std::fs::write(&boot, "an earlier start").unwrap();
    let lmdb = open();
    assert!((0..20_u8).all(|number| has(&lmdb, &[number])) && !has(&lmdb, b"last"));
    lmdb.check().unwrap();
    put(&lmdb, b"next");
    drop(lmdb);
    let lmdb = open();
    assert!(has(&lmdb, b"next") && !has(&lmdb, b"last"));
    lmdb.check().unwrap();
}

/// Many keys are searched together, level by level; one key is searched alone.
#[test]
fn many_keys_are_found_as_each_alone() {
    let dir = tempfile::tempdir().unwrap();
    let lmdb = Lmdb::create(dir.path(), LmdbOptions::default().map_size(1 << 26)).unwrap();
    let key = |number: u32| number.wrapping_mul(2_654_435_761).to_be_bytes();
    let same = |rows: u32| {
        let reading = lmdb.reading().unwrap();
        let keys: Vec<_> = (0..rows + 100).map(key).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let found = reading.get_many(Table::Entries, &keys).unwrap();
        let alone = keys.iter().map(|key| reading.get(Table::Entries, key).unwrap());
        assert!(found.iter().cloned().eq(alone), "{rows} rows");
        assert_eq!(found.iter().flatten().count(), rows as usize);
        assert_eq!(reading.get_many(Table::Entries, &[]).unwrap(), []);
        assert_eq!(reading.get_many(Table::Entries, &[b""]).unwrap(), [None]);
    };
    same(0);
    // The tree gets one, two and three levels. Some values have pages of their own.
    let mut rows = 0;
    for more in [10, 1000, 20_000] {
        let put = &mut |writing: &mut dyn Mutate| {
            for number in rows..rows + more {
                let length = if number % 300 == 5 { 5000 } else { 60 };
                writing.put(Table::Entries, &key(number), &vec![7; length])?;
            }
            Ok(Verdict::Keep)
        };
        lmdb.write(&Prefetch::NONE, put).unwrap();
        rows += more;
        same(rows);
    }
}

/// The pages of a snapshot, and the numbers of those that were prefetched, and of those that were
/// read without it.
struct Recorded<'p, P> {
    pages: &'p P,
    prefetched: RefCell<HashSet<u64>>,
    unexpected: RefCell<Vec<u64>>,
}

impl<P: Pages> Pages for Recorded<'_, P> {
    fn pages(&self, first: u64, count: u64) -> Option<&[u8]> {
        if !self.prefetched.borrow().contains(&first) {
            self.unexpected.borrow_mut().push(first);
        }
        self.pages.pages(first, count)
    }

    fn page_bytes(&self) -> usize {
        self.pages.page_bytes()
    }

    fn prefetch(&self, first: u64, count: u64) {
        self.prefetched.borrow_mut().extend(first..first + count);
        self.pages.prefetch(first, count);
    }
}

fn with_rows(dir: &Path, rows: u32) -> Lmdb {
    let lmdb = Lmdb::create(dir, LmdbOptions::default().map_size(1 << 26)).unwrap();
    let put = &mut |writing: &mut dyn Mutate| {
        (0..rows).try_for_each(|row| writing.put(Table::Entries, &row.to_be_bytes(), &[7; 80]))?;
        Ok(Verdict::Keep)
    };
    lmdb.write(&Prefetch::NONE, put).unwrap();
    lmdb
}

#[test]
fn scans_and_searches_of_many_keys_prefetch_their_pages() {
    const ROWS: u32 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let lmdb = with_rows(dir.path(), ROWS);
    let snapshot = lmdb.environment.snapshot().unwrap();
    // Returns how many pages were prefetched, and how many others were read.
    let count = |read: &dyn Fn(Reader<'_, Recorded<'_, environment::Snapshot<'_>>>)| {
        let (prefetched, unexpected) = Default::default();
        let pages = Recorded { pages: &snapshot, prefetched, unexpected };
        let main = Reader::new(&pages, snapshot.main_tree().as_flattened()).unwrap();
        let entries = main.table(Table::Entries.name()).unwrap();
        pages.unexpected.borrow_mut().clear();
        read(entries);
        let unexpected: HashSet<u64> = pages.unexpected.borrow().iter().copied().collect();
        (pages.prefetched.borrow().len(), unexpected.len())
    };
    for is_back in [false, true] {
        let (prefetched, others) = count(&|entries| {
            assert_eq!(entries.range(ALL_KEYS, is_back).unwrap().count(), ROWS as usize);
        });
        assert!(prefetched > 400 && others < 20, "{prefetched} {others}");
        // A row and the one after it.
        let (prefetched, _) = count(&|entries| {
            for row in 0..ROWS {
                let from = row.to_be_bytes();
                let range = entries.range((Bound::Included(&from), Bound::Unbounded), is_back);
                assert!(range.unwrap().take(2).all(|row| row.is_ok()));
            }
        });
        assert_eq!(prefetched, 0);
    }
    let (prefetched, others) = count(&|entries| {
        let keys: Vec<_> = (0..ROWS).map(u32::to_be_bytes).collect();
        let keys: Vec<_> = keys.iter().map(|key| &key[..]).collect();
        assert!(entries.get_many(&keys).unwrap().iter().all(Option::is_some));
    });
    assert!(prefetched > 400 && others == 1, "{prefetched} {others}");
}

/// The system reads the pages of a file that exceeds memory one by one, if it is told so.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_exceeds_memory_is_read_page_by_page() {
    const ROWS: u32 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let mut lmdb = with_rows(dir.path(), ROWS);
    let path = dir.path().join("data.mdb");
    let path = path.to_str().unwrap();
    // `rr` is the flag of a part of memory that is read at random.
    let is_random = || {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.split(path).nth(1).unwrap().lines();
        let flags = lines.find(|line| line.starts_with("VmFlags:")).unwrap();
        flags.split(' ').any(|flag| flag == "rr")
    };
    let count = |lmdb: &Lmdb| {
        let reading = lmdb.reading().unwrap();
        let rows = reading.range(Table::Entries, ALL_KEYS, Direction::Forward).unwrap();
        rows.map(Result::unwrap).count()
    };
    assert_eq!(count(&lmdb), ROWS as usize);
    assert!(!is_random());
    drop(lmdb);
    lmdb = Lmdb::create(dir.path(), LmdbOptions::default()).unwrap();
    lmdb.environment.memory = 1 << 20;
    assert_eq!(count(&lmdb), ROWS as usize);
    assert!(is_random());
}
