//! The store against a model: random batches, deletions, reads, scans and reopenings.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::Path;

use fingerpost_store::{Batch, Store, StoreError, StoreOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use support::{description, entry, entry_without_default, gtin, key};

#[derive(Clone, Debug)]
enum Step {
    Write { checked: bool, changes: Vec<(usize, Option<(u32, bool)>)> },
    Read(usize),
    Scan { from: usize, prefix: usize, limit: usize },
    Reopen,
}

#[derive(Clone, PartialEq, Debug)]
struct Row {
    description: String,
    has_default: bool,
    revision: u64,
}

#[derive(Default)]
struct Model {
    rows: BTreeMap<String, Row>,
    revision: u64,
}

/// The levels in play: four keys, each with what can be below it.
fn levels() -> Vec<String> {
    let rests = ["", "/22/V", "/10/L", "/22/V/10/L", "/21/S"];
    let gtins = (0..3).flat_map(|n| rests.map(|rest| format!("{}{rest}", gtin(n))));
    let assets = ["8004/9506000A", "8004/9506000A-1", "8004/9506000A/7040/1ABC"];
    gtins.chain(assets.map(str::to_owned)).collect()
}

/// What requests may ask beyond the levels.
fn requests() -> Vec<String> {
    let mut requests = levels();
    requests.push(format!("{}/22/V/10/L/21/S", gtin(0)));
    requests.push(format!("{}/10/L/21/T", gtin(1)));
    requests.push("8004/9506000A-1/7040/1ABC".to_owned());
    requests
}

const PREFIXES: [&str; 6] = ["", "01/", "8004/", "01/095060000000", "8004/9506000A/", "99"];

fn step() -> impl Strategy<Value = Step> {
    let change = (
        0..levels().len(),
        proptest::option::weighted(0.7, (0..1000_u32, prop::bool::weighted(0.8))),
    );
    prop_oneof![
        6 => (prop::bool::weighted(0.7), vec(change, 0..8))
            .prop_map(|(checked, changes)| Step::Write { checked, changes }),
        8 => (0..requests().len()).prop_map(Step::Read),
        2 => (0..levels().len(), 0..PREFIXES.len(), 0..8_usize)
            .prop_map(|(from, prefix, limit)| Step::Scan { from, prefix, limit }),
        1 => Just(Step::Reopen),
    ]
}

impl Model {
    fn write(
        &mut self,
        checked: bool,
        changes: &BTreeMap<String, Option<(u32, bool)>>,
    ) -> Result<(), BTreeSet<String>> {
        if changes.is_empty() {
            return Ok(());
        }
        let revision = self.revision + 1;
        let mut after = self.rows.clone();
        for (level, change) in changes {
            match change {
                Some((n, has_default)) => {
                    let description = n.to_string();
                    after.insert(
                        level.clone(),
                        Row { description, has_default: *has_default, revision },
                    );
                }
                None => {
                    after.remove(level);
                }
            }
        }
        let refused: BTreeSet<_> = changes
            .keys()
            .filter(|level| checked && is_refused(&after, changes, level))
            .cloned()
            .collect();
        if !refused.is_empty() {
            return Err(refused);
        }
        (self.rows, self.revision) = (after, revision);
        Ok(())
    }

    fn read(&self, request: &str) -> Vec<String> {
        let request = key(request);
        let rows = request.levels().filter_map(|level| self.rows.get(&*level));
        rows.map(|row| row.description.clone()).collect()
    }
}

/// RES-2.5.9-1, said as plainly as possible.
fn is_refused(
    after: &BTreeMap<String, Row>,
    changes: &BTreeMap<String, Option<(u32, bool)>>,
    level: &str,
) -> bool {
    let base = key(level).key_level().to_owned();
    if after.get(&base).is_some_and(|row| row.has_default) {
        return false;
    }
    let others_remain = after.keys().any(|other| {
        other.starts_with(&format!("{base}/")) && !matches!(changes.get(other), Some(Some(_)))
    });
    changes[level].is_some() || (level == base && others_remain)
}

fn open(dir: &Path, cache_bytes: usize) -> Store {
    support::open_with(dir, StoreOptions::default().cache_bytes(cache_bytes))
}

fn write(
    store: &Store,
    checked: bool,
    changes: &BTreeMap<String, Option<(u32, bool)>>,
) -> Result<u64, BTreeSet<String>> {
    let mut batch = if checked { Batch::new() } else { Batch::unchecked() };
    for (level, change) in changes {
        match change {
            Some((n, true)) => batch.put(entry(level, &n.to_string())),
            Some((n, false)) => batch.put(entry_without_default(level, &n.to_string())),
            None => batch.delete(key(level)),
        };
    }
    match store.write(&batch) {
        Ok(revision) => Ok(revision.number()),
        Err(StoreError::MissingDefault { levels }) => {
            Err(levels.iter().map(|level| level.level().as_str().to_owned()).collect())
        }
        Err(error) => panic!("{error}"),
    }
}

fn run(steps: Vec<Step>, cache_bytes: usize) {
    let dir = tempfile::tempdir().unwrap();
    let (levels, requests) = (levels(), requests());
    let mut store = open(dir.path(), cache_bytes);
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Write { checked, changes } => {
                let changes: BTreeMap<_, _> = changes
                    .into_iter()
                    .map(|(level, change)| (levels[level].clone(), change))
                    .collect();
                let expected = model.write(checked, &changes).map(|()| model.revision);
                assert_eq!(write(&store, checked, &changes), expected);
            }
            Step::Read(request) => {
                let request = &requests[request];
                let found = store.read(&key(request)).unwrap();
                let found: Vec<_> =
                    found.iter().map(|entry| description(entry).to_owned()).collect();
                assert_eq!(found, model.read(request), "{request}");
            }
            Step::Scan { from, prefix, limit } => {
                let (from, prefix) = (Bound::Excluded(levels[from].as_str()), PREFIXES[prefix]);
                let found = store.scan(from, prefix, limit).unwrap();
                let found: Vec<_> = found
                    .iter()
                    .map(|(entry, revision)| (entry.anchor().as_str(), revision.number()))
                    .collect();
                let expected: Vec<_> = model
                    .rows
                    .range::<str, _>((from, Bound::Unbounded))
                    .filter(|(level, _)| level.starts_with(prefix))
                    .map(|(level, row)| (level.as_str(), row.revision))
                    .take(limit)
                    .collect();
                assert_eq!(found, expected);
            }
            Step::Reopen => {
                drop(store);
                store = open(dir.path(), cache_bytes);
                assert_eq!(store.len().unwrap(), model.rows.len() as u64);
                assert_eq!(store.revision().unwrap().number(), model.revision);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    // RES-2.5.9-1, RES-2.5.10-4
    #[test]
    fn the_store_is_a_sorted_map_with_a_rule(steps in vec(step(), 1..60), cache in 0..3_usize) {
        run(steps, [0, 1500, 1 << 20][cache]);
    }
}
