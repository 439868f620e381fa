//! Backups of changes: a chain restores the same rows as a full backup, and the state at each
//! revision; what does not fit together is refused.

use crate::support;

use std::collections::BTreeMap;
use std::io::Write;

use fingerpost_engine::EngineError;
use fingerpost_store::{
    BackupBase, BackupError, Batch, ChangesBackup, Event, Personal, RestorePoint, Revision, Store,
    StoreError, StoreOptions,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use support::{entry, gtin, key, open};

/// Number of different levels.
const LEVELS: u32 = 6;

#[derive(Clone, Debug)]
enum Step {
    Put(u32, u32),
    Delete(u32),
    Document(u32, u32),
    DeleteDocument(u32),
    Note,
    Prune,
    Erase,
    Full,
    Changes,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..LEVELS, 0..100_u32).prop_map(|(level, text)| Step::Put(level, text)),
        3 => (0..LEVELS).prop_map(Step::Delete),
        2 => (0..4_u32, 0..9_u32).prop_map(|(id, text)| Step::Document(id, text)),
        1 => (0..4_u32).prop_map(Step::DeleteDocument),
        2 => Just(Step::Note),
        1 => Just(Step::Prune),
        1 => Just(Step::Erase),
        1 => Just(Step::Full),
        4 => Just(Step::Changes),
    ]
}

fn event(action: &'static str) -> Event {
    let personal = Personal::new(Some("Ada".to_owned()), None, None);
    Event::new(action, "user:ada", Timestamp::UNIX_EPOCH).personal(personal)
}

fn full(store: &Store) -> (Vec<u8>, BackupBase) {
    let mut bytes = Vec::new();
    let report = store.backup(&mut bytes).unwrap();
    (bytes, report.base())
}

fn changes(store: &Store, base: &BackupBase) -> (Vec<u8>, BackupBase) {
    let mut bytes = Vec::new();
    match store.backup_changes(base, &mut bytes).unwrap() {
        ChangesBackup::Written(report) => (bytes, report.base()),
        ChangesBackup::FullNeeded(why) => panic!("{why}"),
    }
}

fn restore(chain: &[Vec<u8>], at: Option<u64>) -> Result<(tempfile::TempDir, Store), BackupError> {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let (chain, at) =
        (chain.iter().map(Vec::as_slice), at.map(|at| RestorePoint::Revision(Revision::new(at))));
    let options = StoreOptions::default().map_size(1 << 28);
    let report =
        Store::restore_chain_then(chain, &data, options, at, |_, _| Ok::<_, BackupError>(()))?;
    assert!(report.check().is_sound(), "{:?}", report.check());
    // A data directory is restored, whatever engine the backup is of.
    Ok((dir, Store::open(&data, options).unwrap()))
}

/// The entries, with the revisions that last changed them.
fn state(store: &Store) -> BTreeMap<String, (String, u64)> {
    let mut all = BTreeMap::new();
    let walked = store.for_each("", |entry, revision| {
        let level = entry.anchor().as_str().to_owned();
        all.insert(level, (format!("{entry:?}"), revision.number()));
        Ok::<_, StoreError>(())
    });
    walked.unwrap();
    all
}

fn apply(store: &Store, step: &Step) {
    let done: Result<(), StoreError> = match step {
        Step::Put(level, text) => {
            let mut batch = Batch::new().by(event("links.write"));
            batch.put(entry(&gtin(*level), &text.to_string()));
            store.write(&batch).map(drop)
        }
        Step::Delete(level) => {
            let mut batch = Batch::new().by(event("links.write"));
            batch.delete(key(&gtin(*level)));
            store.write(&batch).map(drop)
        }
        Step::Document(id, text) => {
            let (id, text) = (id.to_string(), text.to_string());
            store.transact(move |tx| tx.put_document("notes", &id, text.as_bytes()))
        }
        Step::DeleteDocument(id) => {
            let id = id.to_string();
            store.transact(move |tx| tx.delete_document("notes", &id).map(drop))
        }
        Step::Note => store.transact(|tx| tx.record(event("noted")).map(drop)),
        Step::Prune => store.transact(|tx| {
            let before = Revision::new(tx.revision()?.number() / 2);
            tx.prune_history(before, 3, event("")).map(drop)
        }),
        Step::Erase => store
            .transact(|tx| tx.erase_personal(&["user:ada"], &event("")))
            .and_then(|()| store.finish_erasures().map(drop)),
        Step::Full | Step::Changes => Ok(()),
    };
    done.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_chain_restores_every_state(
        steps in proptest::collection::vec(step(), 1..60),
        picks in proptest::collection::vec(any::<prop::sample::Index>(), 3),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let mut states = BTreeMap::from([(0, state(&store))]);
        let (first, mut base) = full(&store);
        let mut chain = vec![first];
        let mut last_pruned = 0;
        for step in &steps {
            apply(&store, step);
            let revision = store.revision().unwrap().number();
            states.insert(revision, state(&store));
            match step {
                Step::Full => {
                    let (bytes, new) = full(&store);
                    (chain, base) = (vec![bytes], new);
                }
                Step::Changes => {
                    let (bytes, new) = changes(&store, &base);
                    chain.push(bytes);
                    base = new;
                }
                Step::Prune => last_pruned = revision / 2,
                _ => {}
            }
        }
        let (bytes, _) = changes(&store, &base);
        chain.push(bytes);
        // The same rows, byte by byte.
        let (_dir, restored) = restore(&chain, None).unwrap();
        prop_assert!(full(&restored).0 == full(&store).0, "another state");
        for pick in picks {
            let revision = pick.index(states.len()) as u64;
            match restore(&chain, Some(revision)) {
                Ok((_dir, restored)) => {
                    prop_assert_eq!(&state(&restored), &states[&revision]);
                    prop_assert_eq!(restored.revision().unwrap().number(), revision);
                    apply(&restored, &Step::Put(0, 7));
                    prop_assert!(restored.fsck().unwrap().is_sound());
                }
                Err(error) => {
                    prop_assert!(matches!(error, BackupError::Unreachable { .. }), "{error}");
                    prop_assert!(revision < last_pruned, "{error}: pruned up to {last_pruned}");
                }
            }
        }
    }
}

#[test]
fn a_missing_or_foreign_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    apply(&store, &Step::Put(0, 0));
    let (first, base) = full(&store);
    apply(&store, &Step::Put(1, 1));
    let (second, base) = changes(&store, &base);
    apply(&store, &Step::Put(2, 2));
    let (third, _) = changes(&store, &base);
    let chain = [first, second, third];
    restore(&chain, None).unwrap();
    let other = tempfile::tempdir().unwrap();
    let other = open(other.path());
    apply(&other, &Step::Put(0, 0));
    let (foreign, _) = full(&other);
    let [first, second, third] = &chain;
    for wrong in [
        vec![first.clone(), third.clone()],
        vec![first.clone(), second.clone(), second.clone()],
        vec![first.clone(), third.clone(), second.clone()],
        vec![second.clone(), third.clone()],
        vec![first.clone(), first.clone()],
        vec![foreign, second.clone()],
        vec![],
    ] {
        let refused = restore(&wrong, None).err();
        assert!(matches!(refused, Some(BackupError::Damaged { .. })), "{refused:?}");
    }
    // Each cut and each changed byte is refused, or means nothing.
    for length in [0, 5, 21, 30, second.len() / 2, second.len() - 1] {
        let cut = vec![first.clone(), second[..length].to_vec()];
        assert!(matches!(restore(&cut, None), Err(BackupError::Damaged { .. })), "{length}");
    }
    let mut without_meaning = 0;
    for offset in (0..second.len()).step_by(3) {
        let mut bytes = second.clone();
        bytes[offset] ^= 4;
        match restore(&[first.clone(), bytes], None) {
            Err(BackupError::Damaged { .. }) => {}
            Ok(_) => without_meaning += 1,
            other => panic!("{offset}: {other:?}"),
        }
    }
    assert!(without_meaning <= 2, "{without_meaning}");
}

#[test]
fn a_store_that_does_not_continue_from_a_backup_needs_a_full_one() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    apply(&store, &Step::Put(0, 0));
    let (first, _) = full(&store);
    apply(&store, &Step::Put(0, 1));
    let (_, later) = full(&store);
    let (_dir, restored) = restore(&[first], None).unwrap();
    for text in 2..5 {
        apply(&restored, &Step::Put(0, text));
    }
    let made = restored.backup_changes(&later, Vec::new()).unwrap();
    assert!(
        matches!(made, ChangesBackup::FullNeeded(why) if why.contains("does not continue")),
        "{made:?}"
    );
}

/// Damage that makes a row say something else is told as damage.
#[test]
fn a_damaged_format_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    apply(&store, &Step::Put(0, 0));
    let (first, base) = full(&store);
    let head = format!(
        r#"{{"revision":1,"audit":"{}","digest":"{}","whole":["meta"]}}"#,
        base.head, base.digest
    );
    let format = (1, b"format".to_vec(), b"fingerpost/5".to_vec());
    let trailer = format!(r#"{{"rows":{{}},"revision":1,"audit":"{}"}}"#, base.head);
    let newer = file_of(&head, &[format], &trailer);
    let refused = restore(&[first.clone(), newer.clone()], None).err();
    assert!(
        matches!(
            refused,
            Some(BackupError::Store(StoreError::Engine(EngineError::NewerFormat { .. })))
        ),
        "{refused:?}"
    );
    let mut damaged = newer;
    let last = damaged.len() - 1;
    damaged[last] ^= 1; // the gzip trailer
    let refused = restore(&[first, damaged], None).err();
    assert!(matches!(refused, Some(BackupError::Damaged { .. })), "{refused:?}");
}

/// A later erasure holds in every state that is restored from a backup made after it.
#[test]
fn what_was_erased_stays_erased() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    apply(&store, &Step::Put(0, 0));
    let (first, base) = full(&store);
    apply(&store, &Step::Put(0, 1));
    apply(&store, &Step::Erase);
    let (second, _) = changes(&store, &base);
    let (_dir, restored) = restore(&[first, second], Some(1)).unwrap();
    let records = restored.view(|view| view.audit_from(1, 100)).unwrap();
    let actions: Vec<_> = records.iter().map(|record| record.action()).collect();
    assert_eq!(actions, ["links.write", "person.erased"]);
    assert!(records[0].is_erased());
    assert!(restored.verify(None).unwrap().is_sound());
}

/// A file of changes with these frames, whose digest is right.
fn file_of(head: &str, frames: &[(u8, Vec<u8>, Vec<u8>)], trailer: &str) -> Vec<u8> {
    let header = b"fingerpost-changes/1\n";
    let mut contents = Vec::new();
    let ends = [(63, Vec::new(), head.as_bytes().to_vec()), (0, Vec::new(), trailer.into())];
    for (number, key, value) in ends[..1].iter().chain(frames).chain(&ends[1..]) {
        contents.push(*number);
        for length in [key.len(), value.len()] {
            contents.extend(u32::try_from(length).unwrap().to_le_bytes());
        }
        contents.extend(key);
        contents.extend(value);
    }
    let digest = Sha256::new().chain_update(header).chain_update(&contents).finalize();
    contents.extend(digest);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&contents).unwrap();
    [&header[..], &packed.finish().unwrap()].concat()
}

fn head() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        Just(r#"["meta","documents"]"#),
        Just(r#"["meta","entries","history","personal","documents"]"#),
        Just(r#"["other"]"#),
        Just("7"),
    ];
    (any::<bool>(), whole).prop_map(|(is_right, whole)| {
        let digest = if is_right { "DIGEST" } else { "00" };
        format!(r#"{{"revision":1,"audit":"AUDIT","digest":"{digest}","whole":{whole}}}"#)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Frames of any kind: an answer in words, and no store from what is wrong.
    #[test]
    fn any_frames_get_an_answer(
        head in head(),
        mut frames in proptest::collection::vec(
            (any::<u8>(), prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..12),
                Just(b"revision".to_vec()), Just(b"format".to_vec()), Just(gtin(0).into_bytes()),
                Just(2_u64.to_be_bytes().to_vec()),
            ], proptest::collection::vec(any::<u8>(), 0..20)),
            0..8,
        ),
        is_sorted in any::<bool>(),
        trailer in prop_oneof![
            Just("{}".to_owned()),
            Just(r#"{"rows":{},"revision":1,"audit":"0:00"}"#.to_owned()),
            "[ -~]{0,30}",
        ],
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        apply(&store, &Step::Put(0, 0));
        let (first, base) = full(&store);
        if is_sorted {
            frames.iter_mut().for_each(|frame| frame.0 = frame.0 & 0xC0 | (1 + frame.0 % 8));
            frames.sort_by(|one, other| (one.0 & 63, &one.1).cmp(&(other.0 & 63, &other.1)));
        }
        let head = head.replace("DIGEST", &base.digest).replace("AUDIT", &base.head.to_string());
        let changes = file_of(&head, &frames, &trailer);
        let refused = restore(&[first, changes], None).err();
        prop_assert!(matches!(refused, Some(BackupError::Damaged { .. } | BackupError::Store(_))), "{refused:?}");
    }
}
