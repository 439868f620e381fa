//! Backups: made while others write, restored the same, refused when damaged.

use crate::support;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fingerpost_engine::EngineError;
use fingerpost_store::{
    AuditHead, BackupError, Batch, Event, Personal, Store, StoreError, StoreOptions, verify_backup,
};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use support::{entry, gtin, key, open};

fn write(store: &Store, n: u32, text: &str) {
    let personal = Personal::new(Some("Ada".to_owned()), None, None);
    let author = Event::new("links.write", "user:ada", Timestamp::UNIX_EPOCH).personal(personal);
    let mut batch = Batch::new().by(author);
    batch.put(entry(&gtin(n), text)).put(entry(&format!("{}/10/A", gtin(n)), text));
    store.write(&batch).unwrap();
}

fn filled(dir: &Path) -> Store {
    let store = open(dir);
    for round in 0..3 {
        (0..20).for_each(|n| write(&store, n, &round.to_string()));
    }
    store
        .transact(|txn| txn.put_document("notes", "one", b"first"))
        .map_err(|error: StoreError| error)
        .unwrap();
    store
}

fn backup(store: &Store) -> Vec<u8> {
    let mut bytes = Vec::new();
    store.backup(&mut bytes).unwrap();
    bytes
}

fn restore(bytes: &[u8], dir: &Path) -> Result<Store, BackupError> {
    let report = Store::restore(bytes, dir, StoreOptions::default())?;
    assert!(report.check().is_sound(), "{:?}", report.check());
    Ok(open(dir))
}

#[test]
fn a_restored_store_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("store"));
    let mut bytes = Vec::new();
    let report = store.backup(&mut bytes).unwrap();
    assert_eq!((report.levels(), report.revision().number()), (40, 60));
    assert_eq!(report.audit_head(), store.verify(None).unwrap().head());
    assert_eq!(report.rows().find(|(name, _)| *name == "documents"), Some(("documents", 1)));
    assert_eq!(verify_backup(&bytes[..]).unwrap(), report);

    let restored = restore(&bytes, &dir.path().join("a/restored")).unwrap();
    // A backup of it has the same rows in the same order; the compression is the same too.
    assert_eq!(backup(&restored), bytes);
    let state = |store: &Store| {
        let level = key(&gtin(1));
        let found = store.view(|view| {
            Ok((view.states(&level)?, view.audit_from(1, 100)?, view.document("notes", "one")?))
        });
        found.map_err(|error: StoreError| error).unwrap()
    };
    assert_eq!(state(&restored), state(&store));
    write(&restored, 1, "goes on");
    assert!(restored.fsck().unwrap().is_sound());
    let names: Vec<_> = fs::read_dir(dir.path().join("a/restored"))
        .unwrap()
        .map(|found| found.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn an_empty_store_has_a_backup() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = backup(&open(&dir.path().join("store")));
    assert!(restore(&bytes, &dir.path().join("restored")).unwrap().is_empty().unwrap());
}

#[test]
fn a_backup_is_restored_into_nothing_only() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("store"));
    let bytes = backup(&store);
    let error = restore(&bytes, store.dir().unwrap()).unwrap_err();
    assert!(matches!(error, BackupError::NotEmpty { .. }), "{error:?}");
    assert_eq!(fs::read_dir(store.dir().unwrap()).unwrap().count(), 2);
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    restore(&bytes, &empty).unwrap();
}

#[test]
fn a_damaged_backup_is_refused_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(&dir.path().join("store"));
    (0..2).for_each(|n| write(&store, n, "x"));
    let bytes = backup(&store);
    let refused = |bytes: &[u8], what: &str| {
        let error = verify_backup(bytes).unwrap_err();
        assert!(matches!(error, BackupError::Damaged { .. }), "{what}: {error:?}");
    };
    let report = verify_backup(&bytes[..]).unwrap();
    let mut harmless = 0;
    for offset in 0..bytes.len() {
        refused(&bytes[..offset], &format!("cut off at {offset}"));
        let mut damaged = bytes.clone();
        damaged[offset] ^= 0x10;
        match verify_backup(&damaged[..]) {
            Ok(_) if offset < 30 => panic!("a change at {offset} is not found"), // both headers
            Err(BackupError::Damaged { .. }) => {}
            // The bits that fill the last byte, and codes that do not occur, mean nothing.
            Ok(found) if found == report => harmless += 1,
            other => panic!("a change at {offset}: {other:?}"),
        }
    }
    assert!(harmless <= 8, "{harmless}");
    refused(&[&bytes[..], b"x"].concat(), "longer");
    refused(b"", "empty");
    refused(b"fingerpost-backup/9\nand so on", "another format");

    let target = dir.path().join("target");
    for damaged in [&bytes[..bytes.len() - 1], &bytes[..bytes.len() / 2], b"x"] {
        let error = restore(damaged, &target).unwrap_err();
        assert!(matches!(error, BackupError::Damaged { .. }), "{error:?}");
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }
    restore(&bytes, &target).unwrap();
}

#[test]
fn a_newer_format_is_distinguished_from_damage() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = backup(&filled(&dir.path().join("store")));
    let start = bytes.iter().position(|byte| *byte == 0x1F).unwrap();
    let (header, packed) = bytes.split_at(start);
    let mut rows = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut rows).unwrap();
    rows.truncate(rows.len() - 32);
    let name = b"fingerpost/";
    let version = rows.windows(name.len()).position(|found| found == name).unwrap() + name.len();
    assert_eq!(rows[version], b'3');
    rows[version] = b'4';
    let hash = Sha256::new_with_prefix(header).chain_update(&rows).finalize();
    let mut newer = GzEncoder::new(header.to_vec(), Compression::fast());
    newer.write_all(&[&rows[..], &hash[..]].concat()).unwrap();
    let newer = newer.finish().unwrap();
    let error = verify_backup(&newer[..]).unwrap_err();
    let expected = matches!(
        error,
        BackupError::Store(StoreError::Engine(EngineError::NewerFormat { found: 4, supported: 3 }))
    );
    assert!(expected, "{error:?}");
    let error = verify_backup(&newer[..newer.len() - 1]).unwrap_err();
    assert!(matches!(error, BackupError::Damaged { .. }), "{error:?}");
}

/// A backup that a release with format 2 made: three imports of three records.
#[test]
fn a_backup_of_format_2_is_restored() {
    let bytes = include_bytes!("../data/format-2.fpb");
    let head = "3:834eb1261152195786c9d37e39ec150ee75f66757c81d6dcbb840afaf6fc2f4a";
    let head: AuditHead = head.parse().unwrap();
    assert_eq!(verify_backup(&bytes[..]).unwrap().audit_head(), head);
    let dir = tempfile::tempdir().unwrap();
    let restored = Store::restore(&bytes[..], dir.path(), StoreOptions::default()).unwrap();
    assert!(restored.check().is_sound(), "{restored:?}");
    assert_eq!((restored.check().levels(), restored.check().states()), (3, 6));
    let store = open(dir.path());
    store.check_rows().unwrap();
    assert!(store.verify(Some(head)).unwrap().is_sound());
    let levels = store.read(&key("01/09506000134352/10/A")).unwrap();
    let texts: Vec<_> = levels.iter().map(|entry| entry.item_description()).collect();
    assert_eq!(texts, [Some("lot-three"), Some("three")]);
    let again = backup(&store);
    assert_eq!(restore(&again, &dir.path().join("again")).unwrap().len().unwrap(), 3);
}

#[test]
fn a_backup_is_one_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("store"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _done = Done(&done);
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(Ordering::Acquire) {
                write(&store, round % 20, &format!("while {round}"));
                round += 1;
            }
        });
        for n in 0..8 {
            let before = store.revision().unwrap();
            let bytes = backup(&store);
            let restored = restore(&bytes, &dir.path().join(n.to_string())).unwrap();
            assert!(restored.revision().unwrap() >= before);
            // The entry and the one below it were always written together.
            for n in 0..20 {
                let levels = restored.read(&key(&format!("{}/10/A", gtin(n)))).unwrap();
                assert_eq!(levels[0].item_description(), levels[1].item_description());
            }
        }
    });
}

/// Ends the writer of a test, also if the test fails.
struct Done<'d>(&'d AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
