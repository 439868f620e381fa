//! Transactions and group commit: what is kept, what is taken back, and who is told.

use crate::support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use fingerpost_engine::EngineError;
use fingerpost_store::{Batch, Event, Store, StoreError, StoreOptions, Transaction};
use jiff::Timestamp;

use support::{description, entry, gtin, key, open};

#[derive(Debug)]
enum Refused {
    ByRule,
    Store(StoreError),
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn event(action: &'static str) -> Event {
    Event::new(action, "user:test", Timestamp::UNIX_EPOCH)
}

fn batch(level: &str, text: &str) -> Batch {
    let mut batch = Batch::new();
    batch.put(entry(level, text));
    batch
}

#[test]
fn everything_of_a_transaction_is_kept_together() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let result = store.transact(|txn| -> Result<_, StoreError> {
        txn.put_document("notes", "one", b"first")?;
        let revision = txn.write(&batch(&gtin(1), "x"), event("links.write"))?;
        // It sees what it wrote.
        assert_eq!(txn.document("notes", "one")?.as_deref(), Some(&b"first"[..]));
        assert_eq!(txn.level(&key(&gtin(1)))?.unwrap().1, revision);
        assert_eq!(txn.revision()?, revision);
        Ok((revision, txn.record(event("note.written"))?))
    });
    let (revision, seq) = result.unwrap();
    assert_eq!((revision.number(), seq), (1, 2));
    drop(store);
    let store = open(dir.path());
    store
        .view(|view| -> Result<(), StoreError> {
            assert_eq!(view.document("notes", "one")?.as_deref(), Some(&b"first"[..]));
            assert_eq!(view.audit_head()?.seq(), 2);
            assert_eq!(view.audit_of(revision)?.unwrap().action(), "links.write");
            Ok(())
        })
        .unwrap();
    assert!(store.verify(None).unwrap().is_sound());
}

#[test]
fn an_error_takes_everything_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(&batch(&gtin(1), "before")).unwrap();
    let result = store.transact(|txn| -> Result<(), Refused> {
        txn.put_document("notes", "one", b"first")?;
        txn.write(&batch(&gtin(1), "after"), event("links.write"))?;
        Err(Refused::ByRule)
    });
    assert!(matches!(result, Err(Refused::ByRule)));
    assert_eq!(store.revision().unwrap().number(), 1);
    assert_eq!(description(&store.read(&key(&gtin(1))).unwrap()[0]), "before");
    store
        .view(|view| -> Result<(), StoreError> {
            assert_eq!(view.document("notes", "one")?, None);
            assert_eq!(view.audit_head()?.seq(), 1);
            assert_eq!(view.states(&key(&gtin(1)))?.len(), 1);
            Ok(())
        })
        .unwrap();
}

#[test]
fn documents_are_listed_by_collection() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .transact(|txn| -> Result<(), StoreError> {
            for (collection, id) in [("a", "1"), ("a", "2"), ("a", "3"), ("ab", "1"), ("b", "9")] {
                txn.put_document(collection, id, id.as_bytes())?;
            }
            assert!(txn.delete_document("a", "3")?);
            assert!(!txn.delete_document("a", "3")?);
            Ok(())
        })
        .unwrap();
    let ids = |collection: &str, after: Option<&str>, limit| -> Vec<String> {
        let found = store.view(|view| view.documents(collection, after, limit));
        found.map_err(|error: StoreError| error).unwrap().into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(ids("a", None, 10), ["1", "2"]);
    assert_eq!(ids("a", None, 1), ["1"]);
    assert_eq!(ids("a", Some("1"), 10), ["2"]);
    assert_eq!(ids("ab", None, 10), ["1"]);
    assert!(ids("c", None, 10).is_empty());
}

type Operation = Box<dyn FnOnce(&Store) -> Result<u64, String> + Send>;

/// Holds the writer's lock until the operations wait, so that they form a group.
fn together(store: &Store, operations: Vec<Operation>) -> Vec<Result<u64, String>> {
    let (begin, begun) = channel();
    let (end, ended) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            store
                .transact_alone(|_| -> Result<(), StoreError> {
                    begin.send(()).unwrap();
                    let _ = ended.recv(); // ends with its channel, however often this is run
                    Ok(())
                })
                .unwrap();
        });
        begun.recv().unwrap();
        let threads: Vec<_> =
            operations.into_iter().map(|operation| scope.spawn(move || operation(store))).collect();
        thread::sleep(Duration::from_millis(50)); // they are waiting by now
        drop(end);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn one_operation_of_a_group_is_taken_back_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let operations = (0..40_u32)
        .map(|n| -> Operation {
            Box::new(move |store| {
                let operation = move |txn: &mut Transaction<'_>| -> Result<u64, Refused> {
                    txn.put_document("notes", &n.to_string(), b"x")?;
                    let revision = txn.write(&batch(&gtin(n), "x"), event("links.write"))?;
                    assert!(n % 8 != 5, "this operation panics");
                    if n % 8 == 3 { Err(Refused::ByRule) } else { Ok(revision.number()) }
                };
                match catch_unwind(AssertUnwindSafe(|| store.transact(operation))) {
                    Ok(Ok(revision)) => Ok(revision),
                    Ok(Err(Refused::ByRule)) => Err("refused".to_owned()),
                    Ok(Err(Refused::Store(error))) => panic!("{error}"),
                    Err(payload) => Err((*payload.downcast_ref::<&str>().unwrap()).to_owned()),
                }
            })
        })
        .collect();
    let results = together(&store, operations);
    let mut revisions = Vec::new();
    for (n, result) in (0..40_u32).zip(results) {
        let is_there = store.read(&key(&gtin(n))).unwrap().len() == 1;
        let document =
            store.view(|view| view.document("notes", &n.to_string())).map_err(|e: StoreError| e);
        assert_eq!(document.unwrap().is_some(), is_there);
        match (n % 8, result) {
            (3, Err(text)) => assert_eq!((is_there, &*text), (false, "refused")),
            (5, Err(text)) => assert_eq!((is_there, &*text), (false, "this operation panics")),
            (_, Ok(revision)) => {
                assert!(is_there);
                revisions.push(revision);
            }
            (_, other) => panic!("{other:?}"),
        }
    }
    revisions.sort_unstable();
    assert_eq!(revisions, (1..=30).collect::<Vec<_>>());
    assert!(store.fsck().unwrap().is_sound());
    store.write(&batch(&gtin(99), "goes on")).unwrap();
}

#[test]
fn large_and_small_writers_take_turns() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let start = Barrier::new(6);
    thread::scope(|scope| {
        for writer in 0..6_u32 {
            let (store, start) = (&store, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..8 {
                    let mut batch = Batch::new();
                    for n in 0..(if writer < 2 { 100 } else { 2 }) {
                        batch.put(entry(&gtin(writer * 1000 + n), &round.to_string()));
                    }
                    store.write(&batch).unwrap();
                }
            });
        }
    });
    assert_eq!(store.revision().unwrap().number(), 48);
    assert_eq!(store.len().unwrap(), 2 * 100 + 4 * 2);
    let report = store.fsck().unwrap();
    assert!(report.is_sound(), "{:?}", report.faults().collect::<Vec<_>>());
}

#[test]
fn a_refused_batch_leaves_its_transaction_whole() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .transact(|txn| -> Result<(), StoreError> {
            let mut lot = Batch::new();
            lot.put(entry(&format!("{}/10/A", gtin(1)), "lot"));
            lot.put(entry(&gtin(2), "other"));
            let refused = txn.write(&lot, event("links.write")).unwrap_err();
            assert!(matches!(refused, StoreError::MissingDefault { .. }), "{refused:?}");
            assert_eq!(txn.level(&key(&gtin(2)))?, None);
            lot.put(entry(&gtin(1), "base"));
            txn.write(&lot, event("links.write"))?;
            Ok(())
        })
        .unwrap();
    assert_eq!(store.len().unwrap(), 3);
    assert!(store.fsck().unwrap().is_sound());
}

#[test]
fn a_failed_step_cannot_be_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path(), StoreOptions::default().map_size(1 << 20)).unwrap();
    let result = store.transact(|txn| -> Result<(), StoreError> {
        txn.put_document("notes", "small", b"x")?;
        let error = txn.put_document("notes", "large", &vec![0; 4 << 20]).unwrap_err();
        assert!(matches!(error, StoreError::Engine(EngineError::MapFull { .. })), "{error:?}");
        Ok(())
    });
    assert!(matches!(result, Err(StoreError::Engine(EngineError::MapFull { .. }))), "{result:?}");
    let found = store.view(|view| view.document("notes", "small"));
    assert_eq!(found.map_err(|error: StoreError| error).unwrap(), None);
    store.write(&batch(&gtin(1), "goes on")).unwrap();
}

#[test]
fn a_store_within_itself_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(open(dir.path()));
    let inner = Arc::clone(&store);
    let error = store
        .transact(move |_| -> Result<(), StoreError> {
            inner.transact(|_| -> Result<(), StoreError> { Ok(()) })
        })
        .unwrap_err();
    assert!(matches!(error, StoreError::TransactionInUse), "{error:?}");
    let error = store
        .transact_alone(|_| store.transact_alone(|_| -> Result<(), StoreError> { Ok(()) }))
        .unwrap_err();
    assert!(matches!(error, StoreError::TransactionInUse), "{error:?}");
}

#[test]
fn a_panic_of_an_operation_alone_harms_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let panicking = catch_unwind(AssertUnwindSafe(|| {
        store.transact_alone(|txn| -> Result<(), StoreError> {
            txn.put_document("notes", "one", b"x")?;
            panic!("in the middle")
        })
    }));
    assert!(panicking.is_err());
    store.write(&batch(&gtin(1), "goes on")).unwrap();
    let found = store.view(|view| view.document("notes", "one"));
    assert_eq!(found.map_err(|error: StoreError| error).unwrap(), None);
}

/// A commit can move every row, also those that it does not change.
#[test]
fn entries_are_found_after_commits_of_documents() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.write(&batch(&gtin(1), "x")).unwrap();
    for n in 0..5 {
        store
            .transact(move |txn| txn.put_document("notes", &n.to_string(), b"x"))
            .map_err(|error: StoreError| error)
            .unwrap();
        // By a search, and then where it was found.
        for _ in 0..2 {
            assert_eq!(description(&store.read(&key(&gtin(1))).unwrap()[0]), "x");
        }
    }
    // An operation that is taken back leaves no trace.
    let _ = store.transact(|txn| -> Result<(), Refused> {
        txn.write(&batch(&gtin(1), "never"), event("links.write"))?;
        assert_eq!(description(&txn.level(&key(&gtin(1)))?.unwrap().0), "never");
        Err(Refused::ByRule)
    });
    assert_eq!(description(&store.read(&key(&gtin(1))).unwrap()[0]), "x");
    store.write(&batch(&gtin(1), "y")).unwrap();
    assert_eq!(description(&store.read(&key(&gtin(1))).unwrap()[0]), "y");
}
