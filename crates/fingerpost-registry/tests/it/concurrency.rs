//! Many writers at once: no update is lost, nothing is done twice, and what a dry run looks at
//! stays as it is.

use crate::support;

use std::sync::Barrier;
use std::thread;

use fingerpost_registry::{
    BatchMode, ChangeOutcome, ChangeStatus, Conditions, Idempotency, Precondition, Would,
};
use fingerpost_store::{Store, StoreError};
use support::*;

const THREADS: usize = 8;
const ROUNDS: usize = 12;

#[test]
fn exactly_one_of_many_editors_wins_each_round() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let mut revision = fixture.register(&key);
    for round in 0..ROUNDS {
        let barrier = Barrier::new(THREADS);
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|editor| {
                    let (fixture, key, barrier) = (&fixture, &key, &barrier);
                    scope.spawn(move || {
                        let conditions =
                            Conditions::none().precondition(Precondition::Revision(revision));
                        let record = record(key, &format!("round {round} editor {editor}"));
                        barrier.wait();
                        fixture.registry.put(&root(), None, record.as_bytes(), conditions)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<usize> = (0..THREADS).filter(|editor| results[*editor].is_ok()).collect();
        assert_eq!(winners.len(), 1, "round {round}");
        let others = results.iter().filter(|result| kind(result) == "precondition failed");
        assert_eq!(others.count(), THREADS - 1);
        let now = fixture.registry.read(&root(), &level(&key)).unwrap();
        assert!(now.record().contains(&format!("round {round} editor {}", winners[0])));
        revision = now.revision;
    }
    let states = fixture.registry.history(&root(), &level(&key)).unwrap();
    assert_eq!(states.len(), ROUNDS + 1);
}

#[test]
fn preconditions_say_what_is_there() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    let put = |precondition, title: &str| {
        let conditions = Conditions::none().precondition(precondition);
        fixture.registry.put(&root(), None, record(&key, title).as_bytes(), conditions)
    };
    assert_eq!(kind(&put(Precondition::Any, "A")), "precondition failed");
    assert_eq!(kind(&put(Precondition::None, "A")), "done");
    let error = put(Precondition::None, "B").unwrap_err();
    let revision = fixture.registry.read(&root(), &level(&key)).unwrap().revision;
    let text = format!("the level was expected not to be registered, but has revision {revision}");
    assert_eq!(error.to_string(), text);
    assert_eq!(kind(&put(Precondition::Any, "B")), "done");
    assert_eq!(kind(&put(Precondition::Revision(revision), "C")), "precondition failed");
    let delete = |precondition| {
        let conditions = Conditions::none().precondition(precondition);
        fixture.registry.delete(&root(), &level(&key), conditions)
    };
    assert_eq!(kind(&delete(Precondition::Revision(revision))), "precondition failed");
    assert_eq!(kind(&delete(Precondition::Any)), "done");
    assert_eq!(kind(&delete(Precondition::Any)), "precondition failed");
    assert_eq!(
        kind(&fixture.registry.delete(&root(), &level(&key), Conditions::none())),
        "not found"
    );
}

fn named(name: &str, body: &str) -> Conditions {
    Conditions::none().idempotency(Idempotency::new(name, [body.as_bytes()]))
}

#[test]
fn a_request_that_comes_again_is_answered_as_the_first_time() {
    let mut fixture = Fixture::new();
    let key = gtin("0950600013435");
    let first = record(&key, "A");
    let caller = fixture.key(Some(fixture.ours), &[fingerpost_registry::Verb::Write]);
    let put = |fixture: &Fixture, name: &str, body: &str| {
        fixture.registry.put(&caller, None, body.as_bytes(), named(name, body))
    };
    let outcome = put(&fixture, "one", &first).unwrap();
    assert_eq!(outcome.status, ChangeStatus::Created);
    // Another caller writes, then the first request is repeated, also after a restart.
    fixture.put(&root(), &record(&key, "B")).unwrap();
    for _ in 0..2 {
        assert_eq!(put(&fixture, "one", &first).unwrap(), outcome);
        assert!(fixture.registry.read(&root(), &level(&key)).unwrap().record().contains("\"B\""));
        fixture = fixture.reopen();
    }
    assert_eq!(kind(&put(&fixture, "one", &record(&key, "C"))), "idempotency reused");
    // Other callers have their own keys.
    let body = record(&key, "C");
    let other = fixture.registry.put(&root(), None, body.as_bytes(), named("one", &body));
    assert_eq!(kind(&other), "done");
    // Refused requests and dry runs can be repeated.
    let faulty = plain(&gtin("0950600023435"), "gs1:pip");
    assert_eq!(kind(&put(&fixture, "two", &faulty)), "missing default");
    let dry = named("two", &first).dry_run(true);
    fixture.registry.put(&caller, None, first.as_bytes(), dry).unwrap();
    assert_eq!(kind(&put(&fixture, "two", &record(&key, "D"))), "done");
    // After a day, the answer is no longer stored.
    pass(jiff::SignedDuration::from_hours(24));
    put(&fixture, "three", &record(&key, "E")).unwrap();
    assert_eq!(put(&fixture, "one", &first).unwrap().status, ChangeStatus::Replaced);
}

#[test]
fn a_request_that_comes_many_times_at_once_happens_once() {
    let fixture = Fixture::new();
    let key = gtin("0950600013435");
    fixture.register(&key);
    let before = fixture.registry.store().revision().unwrap();
    let body = record(&key, "B");
    let outcomes: Vec<ChangeOutcome> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    fixture.registry.put(&root(), None, body.as_bytes(), named("x", &body))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
    });
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    assert_eq!(fixture.registry.store().revision().unwrap().number(), before.number() + 1);
}

/// Records with their revisions, the end of the audit chain, documents.
type Contents = (Vec<String>, String, Vec<(String, Vec<u8>)>);

/// Everything that a store holds, and the end of its audit chain.
fn contents(store: &Store) -> Contents {
    let mut records = Vec::new();
    store
        .for_each("", |entry, revision| {
            records.push(format!("{revision} {}", fingerpost_resolver::write_record(&entry)));
            Ok::<_, StoreError>(())
        })
        .unwrap();
    store
        .view(|view| {
            let mut documents = Vec::new();
            for collection in
                ["organisations", "keys", "proposals", "idempotency", "idempotencyExpiry"]
            {
                documents.extend(view.documents(collection, None, 1_000)?);
            }
            Ok::<_, StoreError>((records, view.audit_head()?.to_string(), documents))
        })
        .unwrap()
}

#[test]
fn a_dry_run_checks_everything_and_changes_nothing() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (there, other) = (gtin("0950600013435"), gtin("0950600023435"));
    let revision = fixture.register(&there);
    fixture.put(&root(), &record(&there, "B")).unwrap();
    let before = contents(registry.store());
    let dry = || named("dry", "x").dry_run(true);
    let put = |body: String| registry.put(&root(), None, body.as_bytes(), dry());
    let would = |result: Result<ChangeOutcome, _>| result.unwrap().would.unwrap();
    assert_eq!(would(put(record(&other, "A"))), Would::Create);
    assert_eq!(would(put(record(&there, "A"))), Would::Replace);
    assert_eq!(would(put(record(&there, "B"))), Would::Nothing);
    assert_eq!(would(registry.delete(&root(), &level(&there), dry())), Would::Delete);
    assert_eq!(would(registry.restore(&root(), &level(&there), revision, dry())), Would::Replace);
    let patch = br#"{"itemDescription": "x"}"#;
    assert_eq!(would(registry.patch(&root(), &level(&there), patch, dry())), Would::Replace);
    // The rule across levels is judged too.
    assert_eq!(kind(&put(plain(&format!("{other}/10/L"), "gs1:pip"))), "missing default");
    let rows = format!("{}\n{}\n", plain(&format!("{other}/10/L"), "gs1:pip"), record(&other, "A"));
    for mode in [BatchMode::Atomic, BatchMode::Each] {
        let report = registry.batch(&root(), rows.as_bytes(), mode, dry()).unwrap();
        assert_eq!((report.checked, report.refused, report.revision), (2, 0, None));
    }
    assert!(contents(registry.store()) == before, "a dry run changed something");
}
