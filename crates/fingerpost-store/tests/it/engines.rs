//! All tests of this program that are not about files or processes, over other engines than LMDB;
//! and the history that is the same over each of them.

use crate::battery;
use crate::support;

use fingerpost_engine::{Engine, Memory};
use fingerpost_resolver::Anchor;
use fingerpost_store::{Batch, Event, Personal, Revision, Store, StoreError, StoreOptions};
use fingerpost_testkit::{fresh_postgres, run_all_over, shared_cluster, skipped};
use jiff::Timestamp;

use battery::battery;
use support::{changes, entry, gtin, key};

const SKIPPED: [&str; 7] = [
    "backup::",
    "compact::",
    "damage::",
    "embedded::",
    "process",
    "killed_groups::",
    "full_disk::",
];

#[test]
#[ignore = "bench/nightly: the next one runs the same over the same engine, each write twice"]
fn the_memory_engine_passes_every_test() {
    run_all_over("memory", &SKIPPED);
}

#[test]
fn an_engine_that_repeats_writes_passes_every_test() {
    run_all_over("repeating", &SKIPPED);
}

#[test]
fn postgresql_passes_every_test() {
    run_all_over("postgres", &SKIPPED);
}

fn with_postgres(test: &dyn Fn(&Store)) {
    match fresh_postgres() {
        Ok(engine) => test(&Store::over(engine).unwrap()),
        Err(why) => skipped("the battery over PostgreSQL", why),
    }
}

battery!(postgres, with_postgres);

#[test]
fn sql_reads_levels_and_records_in_postgresql() {
    let (cluster, engine) = match (shared_cluster(), fresh_postgres()) {
        (Ok(cluster), Ok(engine)) => (cluster, engine),
        (Err(why), _) | (_, Err(why)) => return skipped("records read by SQL", why),
    };
    let (_, schema) = engine.location().split_once("?schema=").expect("a schema of its own");
    let schema = schema.to_owned();
    let store = Store::over(engine).unwrap();
    let lot = format!("{}/10/A", gtin(1));
    write(&store, &[(gtin(1), Some("tea")), (lot.clone(), Some("first lot"))]);
    write(&store, &[(gtin(2), Some("b\u{fc}cher \"x\"")), (lot.clone(), Some("second lot"))]);
    write(&store, &[(gtin(3), Some("gone"))]);
    write(&store, &[(gtin(3), None)]);
    let columns =
        "level, revision, record ->> 'itemDescription', record -> 'links' -> 0 ->> 'href'";
    let found = cluster.sql(&format!("SELECT {columns} FROM {schema}.records ORDER BY level"));
    let href = "https://example.com/p";
    let expected = [
        format!("{}|1|tea|{href}", gtin(1)),
        format!("{lot}|2|second lot|{href}"),
        format!("{}|2|b\u{fc}cher \"x\"|{href}", gtin(2)),
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

fn event(action: &'static str) -> Event {
    let personal = Personal::new(Some("Ada".to_owned()), None, None);
    Event::new(action, "user:ada", Timestamp::UNIX_EPOCH).personal(personal)
}

fn write(store: &Store, changes: &[(String, Option<&str>)]) -> Revision {
    let mut batch = Batch::unchecked();
    for (level, text) in changes {
        match text {
            Some(text) => batch.put(entry(level, text)),
            None => batch.delete(key(level)),
        };
    }
    let result = store.transact(move |tx| tx.write(&batch, event("links.write")));
    result.map_err(|error: StoreError| error).unwrap()
}

/// Everything that a store does to its rows, in one thread.
fn some_of_everything(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    for text in ["one", "two", "three"] {
        write(store, &[(gtin(1), Some(text)), (lot.clone(), Some(text)), (gtin(2), Some(text))]);
        write(store, &[(lot.clone(), None), (gtin(3), None)]);
    }
    let many: Vec<_> = (10..150).map(|n| (gtin(n), Some("many"))).collect();
    write(store, &many);
    let operation = |result: Result<(), StoreError>| result.unwrap();
    operation(store.transact(|tx| {
        tx.put_document("notes", "one", b"first")?;
        tx.put_document("notes", "two", b"second")?;
        tx.record(event("noted"))?;
        assert!(tx.delete_document("notes", "one")?);
        Ok(())
    }));
    operation(store.transact(|tx| {
        assert_eq!(tx.prune_history(Revision::new(3), 100, event("pruned"))?, 4);
        tx.erase_personal(&["user:ada"], &Event::new("erased", "system", Timestamp::UNIX_EPOCH))
    }));
    store.finish_erasures().unwrap();
}

/// What the store says: every state, change, document and audit record.
fn contents(store: &Store) -> String {
    let read = store.view(|view| -> Result<String, StoreError> {
        let changes = changes(view)?;
        let mut text = format!("{changes:?}");
        for (_, level, _) in changes {
            text += &format!("{:?}", view.states(&Anchor::from_canonical(&level).unwrap())?);
        }
        text += &format!("{:?}", view.documents("notes", None, 10)?);
        for record in view.audit_from(1, 1000)? {
            // What a record commits to is salted at random.
            let json = record.json();
            let end = json.find(r#","personal":"#).unwrap_or(json.len());
            text += &format!("{} {}", &json[..end], record.is_erased());
        }
        Ok(text)
    });
    read.unwrap()
}

#[test]
fn every_engine_keeps_the_same_history() {
    let dir = tempfile::tempdir().unwrap();
    let lmdb = Store::open(dir.path(), StoreOptions::default()).unwrap();
    let memory = Store::in_memory();
    let repeating = Store::over(Memory::new().repeating()).unwrap();
    let postgres = fresh_postgres().map(Store::over);
    let postgres = postgres.map(Result::unwrap);
    if let Err(why) = &postgres {
        skipped("the same history over PostgreSQL", why);
    }
    for store in [&lmdb, &memory, &repeating].into_iter().chain(&postgres) {
        some_of_everything(store);
        let report = store.fsck().unwrap();
        assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
    }
    assert_eq!(contents(&memory), contents(&lmdb));
    assert_eq!(contents(&repeating), contents(&lmdb));
    if let Ok(postgres) = &postgres {
        assert_eq!(contents(postgres), contents(&lmdb));
    }
}

#[test]
fn a_backup_moves_a_store_to_another_engine() {
    let memory = Store::in_memory();
    some_of_everything(&memory);
    let backup = |store: &Store| {
        let mut bytes = Vec::new();
        store.backup(&mut bytes).unwrap();
        bytes
    };
    let bytes = backup(&memory);
    let dir = tempfile::tempdir().unwrap();
    let report = Store::restore(&bytes[..], dir.path(), StoreOptions::default()).unwrap();
    assert!(report.check().is_sound());
    let lmdb = Store::open_existing(dir.path(), StoreOptions::default()).unwrap();
    assert_eq!(backup(&lmdb), bytes);
    let (back, report) = Store::restore_into(&bytes[..], Memory::new()).unwrap();
    assert!(report.check().is_sound());
    assert_eq!(backup(&back), bytes);
    write(&back, &[(gtin(1), Some("goes on"))]);
    assert!(back.fsck().unwrap().is_sound());
    if let Ok(engine) = fresh_postgres() {
        let (postgres, report) = Store::restore_into(&bytes[..], engine).unwrap();
        assert!(report.check().is_sound());
        assert_eq!(backup(&postgres), bytes);
    }
}
