//! Records of company prefixes, of any value of a qualifier and of ranges: against an oracle that
//! looks at every record, with the precedence written out. RES-2.5.9-8, RES-2.5.9-9, RES-2.5.9-10.

use std::collections::BTreeMap;

use fingerpost_resolver::Anchor;
use fingerpost_store::{Batch, MissingDefaultCause, Revision, Store, StoreError, StoreOptions};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{description, entry, entry_without_default, gtin, key, open, open_with};

/// The values in play, as text in a path.
const VALUES: [&str; 9] = ["A", "A1", "A100", "A150", "A199", "B150", "a150", "1000", "A%2FB0"];
/// Pairs of values of the same length, the lesser first.
const RANGES: [(&str, &str); 7] = [
    ("A100", "A199"),
    ("A100", "A149"),
    ("A150", "B150"),
    ("A200", "A299"),
    ("1000", "1999"),
    ("100", "199"),
    ("A-00", "AZ99"),
];
const PREFIXES: [&str; 5] = ["9506", "95060", "9506000", "950600000000", "9507000"];

/// What a record is attached to, in the words of the documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spec {
    Key(String, Vec<(&'static str, &'static str)>),
    Any(String, Vec<(&'static str, &'static str)>, &'static str),
    Range(String, Vec<(&'static str, &'static str)>, &'static str, &'static str, &'static str),
    Company(&'static str),
}

impl Spec {
    fn text(&self) -> String {
        let path = |pairs: &[(&str, &str)]| -> String {
            pairs.iter().map(|(ai, value)| format!("/{ai}/{value}")).collect()
        };
        match self {
            Self::Key(key, pairs) => format!("{key}{}", path(pairs)),
            Self::Any(key, pairs, ai) => format!("{key}/-any{}/{ai}", path(pairs)),
            Self::Range(key, pairs, ai, first, last) => {
                format!("{key}/-range{}/{ai}/{}/{first}/{last}", path(pairs), first.len())
            }
            Self::Company(digits) => format!("gcp/{digits}"),
        }
    }

    /// Its rank for a request, the least first; `None` if it does not apply.
    fn rank(&self, request: &Request) -> Option<(usize, usize)> {
        let (own, pairs, last, kind) = match self {
            Self::Company(digits) => {
                let (ai, value) = request.key.split_once('/')?;
                let part = if ai == "01" { &value[1..] } else { value };
                return part.starts_with(digits).then_some((99, 12 - digits.len()));
            }
            Self::Key(key, pairs) => (key, pairs, None, 0),
            Self::Any(key, pairs, ai) => (key, pairs, Some(*ai), 2),
            Self::Range(key, pairs, ai, ..) => (key, pairs, Some(*ai), 1),
        };
        if *own != request.key || !pairs.iter().all(|pair| request.pairs.contains(pair)) {
            return None;
        }
        let ais: Vec<&str> = pairs.iter().map(|(ai, _)| *ai).chain(last).collect();
        let order: Vec<Vec<&str>> = match request.key.starts_with("01/") {
            true => vec![vec!["21"], vec!["22", "10"], vec!["10"], vec!["22"], vec![]],
            false => vec![request.pairs.iter().map(|(ai, _)| *ai).collect(), vec![]],
        };
        let at = order.iter().position(|set| *set == ais)?;
        let Some(last) = last else { return Some((at, kind)) };
        let (_, value) = request.pairs.iter().find(|(ai, _)| *ai == last)?;
        let value = value.replace("%2F", "/");
        match self {
            Self::Range(_, _, _, first, end) => {
                let is_in = first.len() == value.len() && **first <= *value && *value <= **end;
                is_in.then_some((at, kind))
            }
            _ => Some((at, kind)),
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (Self::Range(a, b, c, first, last), Self::Range(x, y, z, start, end)) = (self, other)
        else {
            return false;
        };
        (a, b, c) == (x, y, z) && first.len() == start.len() && first <= end && start <= last
    }
}

#[derive(Clone, Debug)]
struct Request {
    key: String,
    pairs: Vec<(&'static str, &'static str)>,
}

impl Request {
    fn text(&self) -> String {
        Spec::Key(self.key.clone(), self.pairs.clone()).text()
    }
}

/// Keys of two companies, of several types; texts of some begin with those of others.
fn keys() -> Vec<String> {
    let mut keys = vec![gtin(0), gtin(1), "01/19506000000005".to_owned()];
    keys.extend(
        ["414/9506000000008", "414/9507000000005", "8004/9506000A", "8004/9506000A-1"]
            .map(str::to_owned),
    );
    keys
}

fn qualifiers(key: &str) -> &'static [&'static [&'static str]] {
    match key.split('/').next() {
        Some("01") => &[&["10"], &["22"], &["21"], &["22", "10"]],
        Some("414") => &[&["254"]],
        _ => &[],
    }
}

fn spec() -> impl Strategy<Value = Spec> {
    let own = (
        0..keys().len(),
        0..4_usize,
        0..3_usize,
        0..VALUES.len(),
        0..VALUES.len(),
        0..RANGES.len(),
    );
    let own = own.prop_map(|(key, set, kind, first, second, range)| {
        let key = keys().swap_remove(key);
        let sets = qualifiers(&key);
        if sets.is_empty() {
            return Spec::Key(key, Vec::new());
        }
        let ais = sets[set % sets.len()];
        let (last, before) = ais.split_last().unwrap();
        let before: Vec<_> = before.iter().map(|ai| (*ai, VALUES[first % 2])).collect();
        match kind {
            0 => Spec::Key(key, before.into_iter().chain([(*last, VALUES[second])]).collect()),
            1 => Spec::Any(key, before, last),
            _ => Spec::Range(key, before, last, RANGES[range].0, RANGES[range].1),
        }
    });
    prop_oneof![5 => own, 1 => (0..PREFIXES.len()).prop_map(|at| Spec::Company(PREFIXES[at]))]
}

fn request() -> impl Strategy<Value = Request> {
    (0..keys().len(), vec(proptest::option::weighted(0.7, 0..VALUES.len()), 3)).prop_map(
        |(key, values)| {
            let key = keys().swap_remove(key);
            let ais: &[&'static str] = match key.split('/').next() {
                Some("01") => &["22", "10", "21"],
                Some("414") => &["254"],
                _ => &[],
            };
            let value = |(ai, value): (&&'static str, &Option<usize>)| {
                let at = (*value)?;
                Some((*ai, VALUES[if *ai == "22" { at % 2 } else { at }]))
            };
            let pairs = ais.iter().zip(&values).filter_map(value).collect();
            Request { key, pairs }
        },
    )
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<(Spec, bool)>),
    Read(Request),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = vec((spec(), proptest::bool::weighted(0.75)), 1..6).prop_map(Step::Write);
    vec(prop_oneof![2 => write, 3 => request().prop_map(Step::Read)], 1..40)
}

/// Writes a batch to the store and the model; a refused batch must overlap in the model, and others
/// must not.
fn write(store: &Store, model: &mut BTreeMap<Spec, String>, changes: &[(Spec, bool)], n: usize) {
    let mut batch = Batch::new();
    let mut after = model.clone();
    for (at, (spec, is_put)) in changes.iter().enumerate() {
        let anchor = Anchor::parse(&format!("/{}", spec.text())).expect("an anchor");
        assert_eq!(anchor.as_str(), spec.text());
        assert_eq!(Anchor::from_canonical(anchor.as_str()).as_ref(), Some(&anchor));
        let description = format!("{n}.{at} {}", spec.text());
        if *is_put || matches!(spec, Spec::Key(_, pairs) if pairs.is_empty()) {
            batch.put(entry(&spec.text(), &description));
            after.insert(spec.clone(), description);
        } else {
            batch.delete(anchor);
            after.remove(spec);
        }
    }
    let pairs = || after.keys().flat_map(|one| after.keys().map(move |other| (one, other)));
    let overlaps = pairs().any(|(one, other)| one != other && one.overlaps(other));
    match store.write(&batch) {
        Ok(_) => {
            assert!(!overlaps, "{changes:?}");
            *model = after;
        }
        Err(StoreError::MissingDefault { levels }) => {
            let named = |level: &fingerpost_store::MissingDefault| {
                matches!(level.cause(), MissingDefaultCause::Overlaps { .. })
            };
            assert!(overlaps && levels.iter().all(named), "{levels:?}");
        }
        Err(error) => panic!("{error}"),
    }
}

fn check(store: &Store, model: &BTreeMap<Spec, String>, request: &Request) {
    let mut expected: Vec<_> =
        model.iter().filter_map(|(spec, text)| Some((spec.rank(request)?, text.clone()))).collect();
    expected.sort();
    let companies = expected.iter().filter(|((level, _), _)| *level == 99).count();
    expected.truncate(expected.len() - companies.saturating_sub(1));
    let expected: Vec<_> = expected.into_iter().map(|(_, text)| text).collect();
    let entity = key(&request.text());
    // The first reads fill the cache, later ones use it.
    for _ in 0..3 {
        let found = store.read(&entity).unwrap();
        let texts: Vec<_> = found.iter().map(|entry| description(entry).to_owned()).collect();
        assert_eq!(texts, expected, "{}", request.text());
        let offsets: Vec<_> =
            found.iter().map(|entry| entry.anchor().specificity(&entity)).collect();
        assert!(offsets.is_sorted() && offsets.iter().all(Option::is_some), "{offsets:?}");
    }
    let viewed = store.view(|view| view.applying(&entity)).unwrap();
    let viewed: Vec<_> = viewed.iter().map(|entry| description(entry).to_owned()).collect();
    assert_eq!(viewed, expected, "{}", request.text());
    for spec in model.keys() {
        let anchor = Anchor::parse(&spec.text()).unwrap();
        assert_eq!(anchor.covers(&entity), spec.rank(request).is_some(), "{anchor}");
    }
}

fn run(store: &Store, steps: &[Step]) {
    let mut model = BTreeMap::new();
    let base: Vec<_> = keys().into_iter().map(|key| (Spec::Key(key, Vec::new()), true)).collect();
    write(store, &mut model, &base, 0);
    for (n, step) in steps.iter().enumerate() {
        match step {
            Step::Write(changes) => write(store, &mut model, changes, n + 1),
            Step::Read(request) => check(store, &model, request),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn records_apply_as_in_a_scan_of_all_records(steps in steps()) {
        run(&Store::in_memory(), &steps);
    }

    #[test]
    fn records_in_files_apply_as_in_a_scan_of_all_records(steps in steps(), cached: bool) {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions::default().cache_bytes(if cached { 1 << 20 } else { 0 });
        run(&open_with(dir.path(), options), &steps);
    }
}

// RES-2.5.9-1: nothing is above a company prefix, so it needs a default link; a set needs one at
// its key.
#[test]
fn the_rule_across_levels_holds_for_all_anchors() {
    let store = Store::in_memory();
    let refused = |entry| {
        let mut batch = Batch::new();
        batch.put(entry);
        match store.write(&batch) {
            Err(StoreError::MissingDefault { levels }) => levels[0].cause().clone(),
            other => panic!("{other:?}"),
        }
    };
    let lots = format!("{}/-any/10", gtin(0));
    assert_eq!(
        refused(entry_without_default("gcp/9506000", "x")),
        MissingDefaultCause::KeyLevelWithoutDefault
    );
    let mut batch = Batch::new();
    batch.put(entry("gcp/9506000", "company"));
    store.write(&batch).unwrap();
    assert_eq!(refused(entry(&lots, "x")), MissingDefaultCause::KeyLevelUnregistered);
    let mut batch = Batch::new();
    batch.put(entry(&gtin(0), "product")).put(entry(&lots, "lots"));
    store.write(&batch).unwrap();
    let mut batch = Batch::new();
    batch.delete(key(&gtin(0)));
    let error = store.write(&batch).unwrap_err().to_string();
    assert!(error.contains(&lots), "{error}");
}

#[test]
fn another_process_or_handle_is_seen_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let put = |text: &str, description: &str| {
        let mut batch = Batch::unchecked();
        batch.put(entry(text, description));
        store.write(&batch).unwrap()
    };
    let request = key(&format!("{}/10/A150/21/7", gtin(0)));
    let read = || -> Vec<String> {
        store.read(&request).unwrap().iter().map(|entry| description(entry).to_owned()).collect()
    };
    put(&gtin(0), "product");
    let range = format!("{}/-range/10/4/A100/A199", gtin(0));
    let mut expected = vec!["product".to_owned()];
    for (text, description) in [
        ("gcp/9506000".to_owned(), "company"),
        (range.clone(), "range"),
        (format!("{}/-any/10", gtin(0)), "lots"),
        (format!("{}/-any/21", gtin(0)), "serials"),
    ] {
        for _ in 0..4 {
            assert_eq!(read(), expected);
        }
        put(&text, description);
        expected.push(description.to_owned());
        expected.sort_by_key(|text| {
            ["serials", "range", "lots", "product", "company"].iter().position(|one| one == text)
        });
    }
    for _ in 0..4 {
        assert_eq!(read(), expected);
    }
    let anchor = Anchor::parse(&range).unwrap();
    let mut batch = Batch::new();
    batch.delete(&anchor);
    let deleted = store.write(&batch).unwrap();
    expected.retain(|text| text != "range");
    for _ in 0..4 {
        assert_eq!(read(), expected);
    }
    // Its history is that of a level.
    let states = store.view(|view| view.states(&anchor)).unwrap();
    assert_eq!(
        states.iter().map(|state| state.entry().is_some()).collect::<Vec<_>>(),
        [false, true]
    );
    assert_eq!(states[0].revision(), deleted);
    let before = Revision::new(deleted.number() - 1);
    assert!(store.view(|view| view.state_at(&anchor, before)).unwrap().unwrap().entry().is_some());
    let none: Vec<String> = Vec::new();
    assert_eq!(store.verify(None).unwrap().faults(), none);
    assert_eq!(store.fsck().unwrap().faults().count(), 0);
}

/// The company prefixes of a commit are read with the requests that need them: each answer is that
/// of a search, before, meanwhile and afterwards.
#[test]
fn many_company_prefixes_are_found_in_every_commit() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    // Few digits, so that many begin alike.
    let digits = |number: usize, length: usize| -> String {
        let packed = number.wrapping_mul(2_654_435_761) % 4096;
        format!("95{packed:010b}").chars().take(length).collect()
    };
    let mut batch = Batch::unchecked();
    for number in 0..300 {
        let prefix = digits(number, 9 + number % 4);
        batch.put(entry(&format!("gcp/{prefix}"), &prefix));
    }
    store.write(&batch).unwrap();
    let keys: Vec<_> =
        (0..100).map(|number| key(&format!("414/{}", gln(&digits(number * 7, 12))))).collect();
    let mut counts = BTreeMap::<usize, usize>::new();
    for deleted in 0..3 {
        let mut batch = Batch::unchecked();
        batch.delete(Anchor::parse(&format!("gcp/{}", digits(deleted, 9 + deleted % 4))).unwrap());
        store.write(&batch).unwrap();
        for key in keys.iter().cycle().take(300) {
            let found = store.read(key).unwrap();
            let expected = store.view(|view| view.applying(key)).unwrap();
            assert_eq!(*found, *expected, "{key:?}");
            *counts.entry(found.len()).or_default() += 1;
        }
    }
    assert!(counts[&0] > 50 && counts[&1] > 50, "{counts:?}");
}

fn gln(digits: &str) -> String {
    let weighted = digits.bytes().zip([1, 3].into_iter().cycle());
    let sum: u32 = weighted.map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
