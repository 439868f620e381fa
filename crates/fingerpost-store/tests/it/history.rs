//! History, changes and audit records against a model: any sequence of transactions, some of them
//! taken back, some in groups from several threads, with reopening and pruning.

use crate::support;

use std::collections::BTreeMap;
use std::thread;

use fingerpost_store::{Batch, ChangeKind, Event, Personal, Revision, Store, StoreError, View};
use jiff::{Timestamp, ToSpan};
use proptest::collection::vec;
use proptest::prelude::*;

use support::{changes, description, entry, gtin, key, open};

#[derive(Clone, Debug)]
enum Step {
    /// One transaction of some batches, kept or taken back.
    Transact {
        batches: Vec<Vec<(usize, Option<u32>)>>,
        keep: bool,
    },
    /// Transactions from as many threads, each on a level of its own.
    Group {
        texts: Vec<u32>,
        refuse: usize,
    },
    Prune(u64),
    Reopen,
}

/// What a level held from a revision on.
type States = Vec<(u64, Option<String>)>;

#[derive(Clone, Default)]
struct Model {
    states: BTreeMap<String, States>,
    changes: Vec<(u64, String, bool)>,
    revision: u64,
    records: u64,
    pruned: u64,
}

fn levels() -> Vec<String> {
    let lots = (0..3).map(|n| format!("{}/10/L", gtin(n)));
    let assets = ["8004/9506000A", "8004/9506000A-1"].map(str::to_owned);
    (0..3).map(gtin).chain(lots).chain(assets).collect()
}

fn step() -> impl Strategy<Value = Step> {
    let change = (0..levels().len(), proptest::option::weighted(0.7, 0..1000_u32));
    prop_oneof![
        6 => (vec(vec(change, 0..4), 1..4), prop::bool::weighted(0.75))
            .prop_map(|(batches, keep)| Step::Transact { batches, keep }),
        2 => (vec(0..1000_u32, 2..6), 0..8_usize)
            .prop_map(|(texts, refuse)| Step::Group { texts, refuse }),
        1 => (0..40_u64).prop_map(Step::Prune),
        1 => Just(Step::Reopen),
    ]
}

impl Model {
    fn write(&mut self, changes: &BTreeMap<String, Option<String>>) {
        if changes.is_empty() {
            return;
        }
        self.revision += 1;
        self.records += 1;
        for (level, text) in changes {
            let states = self.states.entry(level.clone()).or_default();
            let is_there = states.last().is_some_and(|(_, text)| text.is_some());
            if is_there || text.is_some() {
                states.push((self.revision, text.clone()));
                self.changes.push((self.revision, level.clone(), text.is_some()));
            }
        }
    }

    /// The states that are kept: those still in force after the revision of the last pruning.
    fn prune(&mut self, before: u64) -> u64 {
        let mut dropped = 0;
        for states in self.states.values_mut() {
            let kept = states.len() - states.iter().skip(1).filter(|(r, _)| *r <= before).count();
            dropped += states.len() - kept;
            *states = states.split_off(states.len() - kept);
        }
        self.records += u64::from(dropped > 0);
        self.pruned = self.pruned.max(before);
        dropped as u64
    }
}

fn event(revision: u64) -> Event {
    let at = Timestamp::UNIX_EPOCH + i64::try_from(revision).unwrap().seconds();
    let personal = Personal::new(Some("Ada".to_owned()), None, None);
    Event::new("links.write", "user:ada", at).personal(personal)
}

fn batch_of(changes: &BTreeMap<String, Option<String>>) -> Batch {
    let mut batch = Batch::unchecked();
    for (level, text) in changes {
        match text {
            Some(text) => batch.put(entry(level, text)),
            None => batch.delete(key(level)),
        };
    }
    batch
}

#[derive(Debug)]
struct TakenBack;

impl From<StoreError> for TakenBack {
    fn from(error: StoreError) -> Self {
        panic!("{error}")
    }
}

fn transact(store: &Store, model: &mut Model, batches: &[Vec<(usize, Option<u32>)>], keep: bool) {
    let levels = levels();
    let batches: Vec<BTreeMap<_, _>> = batches
        .iter()
        .map(|changes| {
            let change = |(level, text): &(usize, Option<u32>)| {
                (levels[*level].clone(), text.map(|text| text.to_string()))
            };
            changes.iter().map(change).collect()
        })
        .collect();
    let mut after = model.clone();
    batches.iter().for_each(|changes| after.write(changes));
    let expected = after.revision;
    let result = store.transact(move |txn| {
        for changes in &batches {
            let next = txn.revision()?.number() + 1;
            txn.write(&batch_of(changes), event(next))?;
        }
        assert_eq!(txn.revision()?.number(), expected);
        if keep { Ok(()) } else { Err(TakenBack) }
    });
    assert_eq!(result.is_ok(), keep);
    if keep {
        *model = after;
    }
}

fn group(store: &Store, model: &mut Model, texts: &[u32], refuse: usize) {
    let mut written: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| {
                let changes = BTreeMap::from([(levels()[n].clone(), Some(format!("{n} {text}")))]);
                scope.spawn(move || {
                    let batch = batch_of(&changes);
                    let result = store.transact(move |txn| {
                        let next = txn.revision()?.number() + 1;
                        let revision = txn.write(&batch, event(next))?;
                        if n == refuse { Err(TakenBack) } else { Ok(revision) }
                    });
                    result.ok().map(|revision| (revision, changes))
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    written.sort();
    for (revision, changes) in written {
        model.write(&changes);
        assert_eq!(revision.number(), model.revision);
    }
}

fn compare(view: &View<'_>, model: &Model) -> Result<(), StoreError> {
    assert_eq!(view.revision()?.number(), model.revision);
    assert_eq!(view.audit_head()?.seq(), model.records);
    for level in levels() {
        let expected = model.states.get(&level).cloned().unwrap_or_default();
        let text = |entry: Option<&fingerpost_resolver::Entry>| {
            entry.map(|entry| description(entry).to_owned())
        };
        let level = key(&level);
        let found: Vec<_> = view
            .states(&level)?
            .iter()
            .rev()
            .map(|state| (state.revision().number(), text(state.entry())))
            .collect();
        assert_eq!(found, expected, "{level:?}");
        let present = view.level(&level)?.map(|(entry, r)| (r.number(), text(Some(&entry))));
        assert_eq!(present, expected.last().filter(|(_, text)| text.is_some()).cloned());
        for revision in 0..=model.revision {
            let found = view.state_at(&level, Revision::new(revision))?;
            let found = found.map(|state| (state.revision().number(), text(state.entry())));
            let in_force = expected.iter().rfind(|(from, _)| *from <= revision);
            assert_eq!(found.as_ref(), in_force, "{level:?} at {revision}");
        }
    }
    let found: Vec<_> = changes(view)?
        .into_iter()
        .map(|(r, level, kind)| (r.number(), level, kind == ChangeKind::Put))
        .collect();
    assert_eq!(found, model.changes);
    times(view, model)
}

/// Each revision has its record, and its time leads back to it.
fn times(view: &View<'_>, model: &Model) -> Result<(), StoreError> {
    for revision in 1..=model.revision {
        let record = view.audit_of(Revision::new(revision))?.unwrap();
        assert_eq!(record.revisions().unwrap().0.number(), revision);
        let since = view.first_revision_since(record.at())?;
        assert!(since.number() <= revision);
        let before = record.at() + 1.nanosecond();
        assert!(view.first_revision_since(before)?.number() > revision);
    }
    let last = view.first_revision_since(Timestamp::MAX)?;
    assert_eq!(last.number(), model.revision + 1);
    Ok(())
}

fn run(steps: Vec<Step>) {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path());
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Transact { batches, keep } => transact(&store, &mut model, &batches, keep),
            Step::Group { texts, refuse } => group(&store, &mut model, &texts, refuse),
            Step::Prune(before) => {
                let before = before.min(model.revision);
                let expected = model.prune(before);
                let result = store
                    .transact(move |txn| txn.prune_history(Revision::new(before), 1000, event(0)));
                assert_eq!(result.map_err(|e: StoreError| e).unwrap(), expected);
            }
            Step::Reopen => {
                drop(store);
                store = open(dir.path());
            }
        }
    }
    store.view(|view| compare(view, &model)).unwrap();
    let report = store.verify(None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_history_is_what_happened(steps in vec(step(), 1..30)) {
        run(steps);
    }
}

#[test]
fn pruning_is_done_in_parts() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for n in 0..10_u32 {
        let changes = BTreeMap::from([(gtin(1), Some(n.to_string()))]);
        store
            .transact(move |txn| txn.write(&batch_of(&changes), event(1)))
            .map_err(|e: StoreError| e)
            .unwrap();
    }
    let prune = |before, limit| {
        let result =
            store.transact(move |txn| txn.prune_history(Revision::new(before), limit, event(0)));
        result.map_err(|error: StoreError| error).unwrap()
    };
    assert_eq!([prune(8, 3), prune(8, 10), prune(8, 10), prune(99, 10)], [3, 4, 0, 2]);
    let states = store.view(|view| view.states(&key(&gtin(1))));
    assert_eq!(states.map_err(|error: StoreError| error).unwrap().len(), 1);
    assert!(store.verify(None).unwrap().is_sound());
}

#[test]
fn a_person_is_erased_and_the_chain_stays() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let person = |actor: &str, name: &str| {
        let personal = Personal::new(
            Some(name.to_owned()),
            Some("192.0.2.7".to_owned()),
            Some("curl".to_owned()),
        );
        Event::new("noted", actor.to_owned(), Timestamp::UNIX_EPOCH).personal(personal)
    };
    let events = [person("user:1", "Ada"), person("user:2", "Bob"), person("user:1", "Ada")];
    let erasure = person("user:9", "Eve");
    let head = store.transact(move |txn| -> Result<_, StoreError> {
        for event in &events {
            txn.record(event.clone())?;
        }
        txn.audit_head()
    });
    let head = head.unwrap();
    let recorded = store.transact(move |txn| txn.erase_personal(&["user:1"], &erasure));
    recorded.map_err(|error: StoreError| error).unwrap();
    assert_eq!(store.finish_erasures().unwrap(), 2);
    assert_eq!(store.finish_erasures().unwrap(), 0);
    let records = store.view(|view| view.audit_from(1, 10));
    let records = records.map_err(|error: StoreError| error).unwrap();
    let names: Vec<_> =
        records.iter().map(|record| record.personal().and_then(Personal::name)).collect();
    assert_eq!(names, [None, Some("Bob"), None, Some("Eve")]);
    let erased: Vec<_> = records.iter().map(|record| record.is_erased()).collect();
    assert_eq!(erased, [true, false, true, false]);
    assert_eq!((records[3].action(), records[3].subject()), ("person.erased", Some("user:1")));
    assert!(records.iter().all(|record| !record.json().contains("Ada")));
    let report = store.verify(Some(head)).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!(report.erased(), 2);
}

#[test]
fn times_never_run_backwards() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let at = |seconds: i64| Timestamp::from_second(seconds).unwrap();
    for seconds in [100, 50, 200] {
        let event = Event::new("noted", "system", at(seconds)).subject("x").detail("n", seconds);
        store
            .transact(move |txn| txn.record(event.clone()))
            .map_err(|error: StoreError| error)
            .unwrap();
    }
    let records = store.view(|view| view.audit_from(2, 10)).map_err(|e: StoreError| e).unwrap();
    assert_eq!(records.iter().map(|record| record.at()).collect::<Vec<_>>(), [at(100), at(200)]);
    assert_eq!(
        records[0].json(),
        r#"{"seq":2,"at":"1970-01-01T00:01:40Z","action":"noted","actor":"system","subject":"x","details":{"n":50}}"#
    );
}

/// Erasing a user with many records takes many short transactions, so that others write between
/// them.
#[test]
fn an_erasure_is_made_in_short_steps_and_continues_after_a_crash() {
    use fingerpost_engine::{Engine, Memory};
    const RECORDS: u64 = 4000;
    /// Rows that one transaction may delete.
    const STEP: u64 = 500;
    let engine = std::sync::Arc::new(Memory::new());
    let store = Store::over(std::sync::Arc::clone(&engine)).unwrap();
    let by = |actor: &str| {
        let personal = Personal::new(Some("Ada".to_owned()), None, None);
        Event::new("noted", actor, Timestamp::UNIX_EPOCH).personal(personal)
    };
    let written = store.transact_alone(|txn| {
        (0..RECORDS)
            .try_for_each(|n| txn.record(by(["user:1", "key:2"][(n % 2) as usize])).map(|_| ()))
    });
    written.map_err(|error: StoreError| error).unwrap();
    let erasure = Event::new("", "system", Timestamp::UNIX_EPOCH);
    let recorded = store.transact(move |txn| txn.erase_personal(&["user:1", "key:2"], &erasure));
    recorded.map_err(|error: StoreError| error).unwrap();
    assert!(store.verify(None).unwrap().is_sound(), "recorded, but not erased yet");
    drop(store);
    // Another process finishes it.
    let store = Store::over(std::sync::Arc::clone(&engine)).unwrap();
    let before = engine.last_commit().unwrap();
    assert_eq!(store.finish_erasures().unwrap(), RECORDS);
    let commits = engine.last_commit().unwrap() - before;
    assert!(commits >= RECORDS / STEP, "{commits} commits");
    let report = store.verify(None).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults());
    assert_eq!(report.erased(), RECORDS);
}
