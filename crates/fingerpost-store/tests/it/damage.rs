//! Damaged data files: what is cut off or changed is refused with a sentence, or reported by
//! `fsck`, or was not in use. No damage ends the process, and none is silently served as data.

use crate::support;

use std::fs;
use std::ops::Bound;
use std::path::Path;

use fingerpost_engine::EngineError;
use fingerpost_gs1::EntityKey;
use fingerpost_store::{Batch, Event, Store, StoreError, StoreOptions};
use jiff::Timestamp;

use support::{description, entry, gtin, open};

const PAGE: usize = 4096;

/// Bits that are changed in each page at random offsets.
const FLIPS_IN_A_PAGE: u64 = 6;

/// Creates a store with pages of every kind: branches, leaves, overflow pages, free pages and their
/// lists.
fn some_pages(dir: &Path) {
    let store = open(dir);
    let write = |from: u32, to: u32, text: &str| {
        let mut batch =
            Batch::new().by(Event::new("links.write", "local:test", Timestamp::UNIX_EPOCH));
        for n in from..to {
            batch.put(entry(&gtin(n), text));
        }
        store.write(&batch).unwrap();
    };
    write(0, 120, "first");
    write(120, 124, &"long ".repeat(300));
    for round in 0..4 {
        write(round, round + 10, &format!("again {round}"));
    }
}

/// Every row that a reader of the store can see.
fn contents(store: &Store) -> Result<Vec<String>, StoreError> {
    let page = store.scan(Bound::Unbounded, "", 100_000)?;
    let line = page.iter().map(|(entry, revision)| {
        format!("{} {} {revision}", entry.anchor().as_str(), description(entry))
    });
    Ok(line.collect())
}

/// Opens a data file with these bytes; returns the contents, unless the damage is found.
fn contents_of(dir: &Path, bytes: &[u8]) -> Result<Vec<String>, StoreError> {
    fs::write(dir.join("data.mdb"), bytes).unwrap();
    let store = Store::open(dir, StoreOptions::default().cache_bytes(0))?;
    let report = store.fsck()?;
    match report.faults().next() {
        Some(fault) => {
            let (location, detail) = (store.location().to_owned(), fault.to_owned());
            Err(StoreError::Engine(EngineError::Damaged { location, detail }))
        }
        None => contents(&store),
    }
}

fn bytes_of_a_store() -> (Vec<u8>, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    some_pages(dir.path());
    let contents = contents(&open(dir.path())).unwrap();
    (fs::read(dir.path().join("data.mdb")).unwrap(), contents)
}

/// Repeatable random numbers below a limit.
fn random() -> impl FnMut(usize) -> usize {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    move |limit| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % limit as u64).unwrap()
    }
}

fn is_sentence(error: &StoreError) -> bool {
    let is_expected = matches!(
        error,
        StoreError::Engine(
            EngineError::Damaged { .. }
                | EngineError::NotAStore { .. }
                | EngineError::NewerFormat { .. }
        )
    );
    is_expected && error.to_string().len() > 20
}

#[test]
fn a_file_that_was_cut_off_is_refused_at_opening() {
    let (bytes, contents) = bytes_of_a_store();
    let pages = bytes.len() / PAGE;
    assert!(pages > 30, "{pages}");
    let (mut refused, mut complete) = (0, 0);
    // At the end of each page, and within the last one that is left.
    for length in (1..pages).flat_map(|page| [page * PAGE, page * PAGE - 7]).chain([1, 100]) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("data.mdb"), &bytes[..length]).unwrap();
        match Store::open(dir.path(), StoreOptions::default()) {
            Err(error) => {
                assert!(is_sentence(&error), "{length}: {error:?}");
                refused += 1;
            }
            // Only free pages were cut off.
            Ok(store) => {
                assert!(store.fsck().unwrap().is_sound());
                assert_eq!(self::contents(&store).unwrap(), contents, "{length}");
                complete += 1;
            }
        }
    }
    assert!(refused > 2 * complete, "{refused} refused, {complete} complete");
    let dir = tempfile::tempdir().unwrap();
    let error = contents_of(dir.path(), &bytes[..20 * PAGE]).unwrap_err();
    assert!(error.to_string().contains("it was cut off"), "{error}");
}

#[test]
fn no_changed_bit_is_served_as_data_or_ends_the_process() {
    let (bytes, contents) = bytes_of_a_store();
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(contents_of(dir.path(), &bytes).unwrap(), contents);
    let mut next = random();
    let (mut found, mut unused) = (0, 0);
    for page in 0..bytes.len() / PAGE {
        // The header, the first offsets and the meta data; then anywhere.
        let anywhere: Vec<usize> = (0..FLIPS_IN_A_PAGE).map(|_| next(PAGE)).collect();
        let offsets = [0, 10, 12, 14, 16, 17].into_iter();
        let metas = (20..152).step_by(4).filter(|_| page < 2);
        for offset in offsets.chain(metas).chain(anywhere) {
            let mut changed = bytes.clone();
            let bit = 1 << next(8);
            changed[page * PAGE + offset] ^= bit;
            match contents_of(dir.path(), &changed) {
                Err(error) => {
                    assert!(is_sentence(&error), "page {page} at {offset}, bit {bit}: {error:?}");
                    found += 1;
                }
                Ok(now) => {
                    assert_eq!(now, contents, "page {page} at {offset}, bit {bit}");
                    unused += 1;
                }
            }
        }
    }
    println!("{found} changes were found, {unused} were in bytes that hold nothing");
    assert!(found > 150, "{found} found, {unused} unused");
}

/// Offsets of the text of entries in a data file, each with a part of it that no other row has.
fn offsets_of_texts(bytes: &[u8]) -> Vec<usize> {
    let texts = ["first", "again 0", "again 1", "again 2", "again 3"];
    let offsets = texts.iter().flat_map(|text| {
        let windows = bytes.windows(text.len()).enumerate();
        windows.filter(|(_, found)| *found == text.as_bytes()).map(|(offset, _)| offset)
    });
    let mut offsets: Vec<_> = offsets.collect();
    offsets.sort_unstable();
    offsets
}

/// What readers get for each level: its text, or an error.
fn answers(store: &Store) -> Vec<Result<Option<String>, StoreError>> {
    let levels = (0..124).map(|n| EntityKey::parse(&gtin(n)).unwrap());
    let answer = |level| -> Result<Option<String>, StoreError> {
        let levels = store.read(&level)?;
        Ok(levels.iter().next().map(|entry| description(entry).to_owned()))
    };
    levels.map(answer).collect()
}

#[test]
fn changed_text_is_an_error_for_its_record_and_for_no_other() {
    let (bytes, _) = bytes_of_a_store();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data.mdb");
    let open = || Store::open(dir.path(), StoreOptions::default()).unwrap();
    fs::write(&data, &bytes).unwrap();
    let right: Vec<_> = answers(&open()).into_iter().map(Result::unwrap).collect();
    let offsets = offsets_of_texts(&bytes);
    assert!(offsets.len() > 130, "{}", offsets.len());
    let (mut refused, mut in_history) = (0, 0);
    for (count, offset) in offsets.into_iter().enumerate() {
        let mut changed = bytes.clone();
        changed[offset + count % 5] ^= 1 << (count % 7);
        fs::write(&data, &changed).unwrap();
        let store = open();
        store.check_pages().unwrap();
        let mut errors = Vec::new();
        for (found, right) in answers(&store).into_iter().zip(&right) {
            match found {
                Ok(found) => assert_eq!(found, *right, "at {offset}"),
                Err(error) => errors.push(error),
            }
        }
        match &errors[..] {
            [error @ StoreError::Corrupt { key, .. }] => {
                let text = error.to_string();
                assert!(text.contains("is damaged (its checksum does not match)"), "{text}");
                assert_eq!(store.check_rows().unwrap_err().to_string(), text);
                assert!(store.fsck().unwrap().faults().any(|fault| fault == text), "{text}");
                let error = contents(&store).unwrap_err();
                assert!(matches!(&error, StoreError::Corrupt { key: of, .. } if of == key));
                refused += 1;
            }
            [] => {
                // A replaced state, or a page that is not in use.
                let is_sound = store.check_rows().is_ok();
                assert_eq!(store.fsck().unwrap().is_sound(), is_sound);
                in_history += usize::from(!is_sound);
            }
            errors => panic!("at {offset}: {errors:?}"),
        }
    }
    assert!(refused >= 120 && in_history > 10, "{refused} refused, {in_history} in the history");
}

#[test]
fn a_damaged_record_can_be_written_again_or_deleted() {
    let (bytes, _) = bytes_of_a_store();
    let offsets = offsets_of_texts(&bytes);
    let mut repaired = 0;
    for offset in offsets.iter().step_by(5) {
        let dir = tempfile::tempdir().unwrap();
        let mut changed = bytes.clone();
        changed[*offset] ^= 1;
        fs::write(dir.path().join("data.mdb"), &changed).unwrap();
        let store = open(dir.path());
        let level = store.check_rows().err().and_then(|error| match error {
            StoreError::Corrupt { key, .. } => Some(EntityKey::parse(&key).unwrap()),
            _ => None,
        });
        let Some(level) = level else { continue };
        let mut batch = Batch::new();
        match repaired % 2 {
            0 => batch.put(entry(level.as_str(), "again")),
            _ => batch.delete(level.clone()),
        };
        store.write(&batch).unwrap();
        assert_eq!(store.read(&level).unwrap().len(), 1 - repaired % 2);
        store.check_rows().unwrap();
        // The state that cannot be read is not kept.
        let faults = store.fsck().unwrap();
        let faults: Vec<_> = faults.faults().collect();
        assert!(
            matches!(&faults[..], [fault] if fault.contains("the state is missing")),
            "{faults:?}"
        );
        repaired += 1;
    }
    assert!(repaired > 10, "{repaired}");
}

/// A sound store is never refused while another thread and another handle write.
#[test]
fn a_store_that_is_written_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    some_pages(dir.path());
    let store = open(dir.path());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..200 {
                let mut batch = Batch::new();
                batch.put(entry(&gtin(n % 50), &format!("{n} {}", "x".repeat(n as usize * 10))));
                store.write(&batch).unwrap();
            }
        });
        while !writer.is_finished() {
            store.check_pages().unwrap();
        }
    });
    assert!(store.fsck().unwrap().is_sound());
}

/// Levels of every kind: some keys have a lot, a serial number and a range, and their company
/// prefix has a record.
fn some_levels(dir: &Path) {
    let mut batch = Batch::new();
    batch.put(entry("gcp/9506000", "company"));
    for n in 0..80 {
        let key = gtin(n);
        batch.put(entry(&key, &format!("key {n}")));
        if n % 4 == 0 {
            batch.put(entry(&format!("{key}/10/L"), &format!("lot of {n}")));
            batch.put(entry(&format!("{key}/21/S"), &format!("serial of {n}")));
        }
        if n % 8 == 0 {
            let range = format!("{key}/-range/10/4/A100/A199");
            batch.put(entry(&range, &format!("range of {n}")));
        }
    }
    open(dir).write(&batch).unwrap();
}

/// What applies to each key, to a lot, a serial number and a value of a range of it, and to some
/// keys that have no record.
fn applying(store: &Store) -> Vec<Option<Vec<String>>> {
    let below = ["", "/10/L", "/21/S", "/10/A150", "/10/OTHER"];
    let keys = (0..84).flat_map(|n| below.map(|below| format!("{}{below}", gtin(n))));
    let found = keys.map(|key| {
        let levels = store.read(&EntityKey::parse(&key).unwrap()).ok()?;
        Some(levels.iter().map(|level| description(level).to_owned()).collect())
    });
    found.collect()
}

/// A store that is read before it was checked answers rightly or with an error. After a check, a
/// changed key hides the record of a lot or of a range, so that this test would fail.
#[test]
fn before_a_check_no_changed_bit_hides_a_row() {
    let dir = tempfile::tempdir().unwrap();
    some_levels(dir.path());
    let data = dir.path().join("data.mdb");
    let bytes = fs::read(&data).unwrap();
    let right = applying(&open(dir.path()));
    assert!(right.iter().all(Option::is_some));
    let mut next = random();
    // Bits of keys, and of anything else.
    let beginning = b"01/09506000";
    let keys = bytes.windows(beginning.len()).enumerate().filter(|(_, found)| found == beginning);
    let mut offsets: Vec<_> = keys.step_by(2).map(|(offset, _)| offset + next(28)).collect();
    offsets.extend((0..FLIPS_IN_A_PAGE).flat_map(|_| (0..bytes.len()).step_by(PAGE)));
    let anywhere = offsets.iter_mut().filter(|offset| **offset % PAGE == 0);
    anywhere.for_each(|offset| *offset += next(PAGE));
    let (mut errors, mut hidden) = (0, 0);
    for offset in offsets {
        let mut changed = bytes.clone();
        changed[offset] ^= 1 << next(8);
        fs::write(&data, &changed).unwrap();
        let Ok(store) = Store::open(dir.path(), StoreOptions::default()) else { continue };
        let is_right = |(found, right): (&Option<_>, _)| found.is_none() || found == right;
        store.set_unchecked(true);
        let found = applying(&store);
        assert!(found.iter().zip(&right).all(is_right), "{offset}");
        errors += usize::from(found.contains(&None));
        drop(store);
        let found = applying(&open(dir.path()));
        hidden += usize::from(!found.iter().zip(&right).all(is_right));
    }
    assert!(errors > 60 && hidden > 8, "{errors} {hidden}");
}
