//! Any sequence of operations by several callers does what a simple model does.

use crate::support;

use std::collections::BTreeMap;

use fingerpost_registry::{Caller, Conditions, Precondition, Verb};
use fingerpost_store::Revision;
use proptest::prelude::*;
use support::*;

/// What happens to one level.
#[derive(Clone, Debug)]
struct Step {
    caller: usize,
    level: usize,
    what: What,
    precondition: Option<Expect>,
    dry_run: bool,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// With this title; qualified levels have no default.
    Put(u8),
    Patch(u8),
    Delete,
    /// To what it was so many revisions ago.
    Restore(u64),
}

#[derive(Clone, Copy, Debug)]
enum Expect {
    Current,
    Stale,
    Any,
    None,
}

/// What a level holds: title and revision.
type Held = (u8, u64);

#[derive(Default)]
struct Model {
    levels: BTreeMap<usize, Held>,
    /// All states of a level, oldest first.
    states: BTreeMap<usize, Vec<(u64, Option<u8>)>>,
    revision: u64,
}

fn levels() -> [String; 6] {
    let (ours, other, theirs) =
        (gtin("0950600013435"), gtin("0950600023435"), gtin("0950600113435"));
    [format!("{ours}/10/L"), format!("{ours}/21/S"), format!("{theirs}/10/L"), ours, other, theirs]
}

/// The key level of a level.
fn key_of(level: usize) -> usize {
    [3, 3, 5, 3, 4, 5][level]
}

fn is_ours(level: usize) -> bool {
    key_of(level) != 5
}

/// What callers may do: all, our levels, their levels, reading ours.
fn may(caller: usize, level: usize) -> bool {
    match caller {
        0 => true,
        1 => is_ours(level),
        2 => !is_ours(level),
        _ => false,
    }
}

impl Model {
    fn expected(&self, step: &Step) -> Option<Precondition> {
        let current = self.levels.get(&step.level).map(|held| held.1);
        step.precondition.map(|expect| match expect {
            Expect::Current => Precondition::Revision(Revision::new(current.unwrap_or(9_999))),
            Expect::Stale => Precondition::Revision(Revision::new(current.unwrap_or(9_999) - 1)),
            Expect::Any => Precondition::Any,
            Expect::None => Precondition::None,
        })
    }

    /// What is to come of a step; applied unless it is refused or a dry run.
    fn step(&mut self, step: &Step) -> &'static str {
        let held = self.levels.get(&step.level).copied();
        if !may(step.caller, step.level) {
            return "forbidden";
        }
        let wanted = match step.what {
            What::Put(title) => Some(title),
            What::Patch(title) if held.is_some() => Some(title),
            What::Patch(_) => return "not found",
            What::Delete => None,
            What::Restore(ago) => {
                let at = self.revision.saturating_sub(ago);
                let states = self.states.get(&step.level).map(Vec::as_slice).unwrap_or_default();
                match states.iter().rev().find(|(revision, _)| *revision <= at) {
                    Some((_, state)) => *state,
                    None => return "not found",
                }
            }
        };
        let holds = match step.precondition {
            None => true,
            Some(Expect::Current | Expect::Any) => held.is_some(),
            Some(Expect::Stale) => false,
            Some(Expect::None) => held.is_none(),
        };
        match (wanted, held) {
            _ if !holds => return "precondition failed",
            (None, None) => return "not found",
            (Some(wanted), Some((title, _))) if wanted == title => return "done",
            _ => {}
        }
        let key = key_of(step.level);
        let is_key = key == step.level;
        let below = self.levels.keys().any(|level| *level != key && key_of(*level) == key);
        let misses = if is_key {
            wanted.is_none() && below
        } else {
            wanted.is_some() && !self.levels.contains_key(&key)
        };
        if misses {
            return "missing default";
        }
        if !step.dry_run {
            self.revision += 1;
            self.states.entry(step.level).or_default().push((self.revision, wanted));
            match wanted {
                Some(title) => self.levels.insert(step.level, (title, self.revision)),
                None => self.levels.remove(&step.level),
            };
        }
        "done"
    }
}

fn body(level: usize, title: u8) -> String {
    let text = &levels()[level];
    if key_of(level) == level {
        record(text, &format!("T{title}"))
    } else {
        plain(text, "gs1:pip").replace("\"T\"", &format!("\"T{title}\""))
    }
}

fn patch(level: usize, title: u8) -> String {
    let body = body(level, title);
    let links = body.split_once("\"links\"").unwrap().1;
    format!("{{\"links\"{links}")
}

fn run(fixture: &Fixture, callers: &[Caller], step: &Step, model: &Model) -> &'static str {
    let registry = &fixture.registry;
    let caller = &callers[step.caller];
    let key = level(&levels()[step.level]);
    let conditions = Conditions::none().dry_run(step.dry_run);
    let conditions = match model.expected(step) {
        Some(precondition) => conditions.precondition(precondition),
        None => conditions,
    };
    let result = match step.what {
        What::Put(title) => {
            registry.put(caller, Some(&key), body(step.level, title).as_bytes(), conditions)
        }
        What::Patch(title) => {
            registry.patch(caller, &key, patch(step.level, title).as_bytes(), conditions)
        }
        What::Delete => registry.delete(caller, &key, conditions),
        What::Restore(ago) => {
            let at = Revision::new(model.revision.saturating_sub(ago));
            registry.restore(caller, &key, at, conditions)
        }
    };
    kind(&result)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let what = prop_oneof![
        4 => (0_u8..3).prop_map(What::Put),
        1 => (0_u8..3).prop_map(What::Patch),
        2 => Just(What::Delete),
        1 => (0_u64..8).prop_map(What::Restore),
    ];
    let expect = prop_oneof![
        4 => Just(None),
        2 => Just(Some(Expect::Current)),
        1 => Just(Some(Expect::Stale)),
        1 => Just(Some(Expect::Any)),
        1 => Just(Some(Expect::None)),
    ];
    let caller = prop_oneof![3 => Just(0_usize), 3 => Just(1), 2 => Just(2), 1 => Just(3)];
    let step = (caller, 0_usize..6, what, expect, prop::bool::weighted(0.15)).prop_map(
        |(caller, level, what, precondition, dry_run)| Step {
            caller,
            level,
            what,
            precondition,
            dry_run,
        },
    );
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations_does_what_the_model_does(steps in steps(), reopened in 0_usize..40) {
        let mut fixture = Fixture::new();
        let callers = [
            root(),
            fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]),
            fixture.key(Some(fixture.theirs), &[Verb::Read, Verb::Write]),
            fixture.key(Some(fixture.ours), &[Verb::Read]),
        ];
        let mut model = Model::default();
        for (index, step) in steps.iter().enumerate() {
            if index == reopened {
                fixture = fixture.reopen();
            }
            let found = run(&fixture, &callers, step, &model);
            prop_assert_eq!(found, model.step(step), "step {}: {:?}", index, step);
            prop_assert_eq!(fixture.registry.store().revision().unwrap().number(), model.revision);
        }
        let report = fixture.registry.verify_audit(&root(), None).unwrap();
        prop_assert!(report.is_sound(), "{:?}", report.faults());
        prop_assert_eq!(fixture.registry.check_use().unwrap(), Vec::<String>::new());
        for (index, text) in levels().iter().enumerate() {
            let held = fixture.registry.read(&root(), &level(text)).ok();
            let held = held.map(|held| (held.entry.link(0).unwrap().title().to_owned(), held.revision.number()));
            let expected = model.levels.get(&index).map(|(title, revision)| (format!("T{title}"), *revision));
            prop_assert_eq!(held, expected);
            let states: Vec<u64> = fixture
                .registry
                .history(&root(), &level(text))
                .map(|states| states.iter().rev().map(|state| state.revision.number()).collect())
                .unwrap_or_default();
            let expected: Option<Vec<u64>> =
                model.states.get(&index).map(|states| states.iter().map(|state| state.0).collect());
            prop_assert_eq!(states, expected.unwrap_or_default());
        }
    }
}
