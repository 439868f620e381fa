//! Every way of writing does the same: the same levels, the same history, the same refusals.

use fingerpost_registry::{BatchMode, Conditions, RegistryError};
use fingerpost_resolver::Anchor;
use proptest::prelude::*;

use crate::support::{Fixture, caller, plain, record};

/// A key with a default link from the beginning, its lots, a lot of a key that never has one, and
/// records of many levels.
const LEVELS: [&str; 9] = [
    "/01/09520123456788",
    "/01/09520123456788/10/L",
    "/01/09520123456788/21/S",
    "/414/9520123456788",
    "/417/9520123456788/7040/1ABC",
    "/gcp/9520123",
    "/01/09520123456788/-any/10",
    // Two ranges with values in common.
    "/01/09520123456788/-range/10/4/A100/A199",
    "/01/09520123456788/-range/10/4/A150/A249",
];

#[derive(Clone, Copy, Debug)]
enum Record {
    WithDefault(u8),
    Plain(u8),
    /// A link type that does not exist.
    Wrong,
}

fn text((level, what): (usize, Record)) -> String {
    let level = LEVELS[level];
    match what {
        Record::WithDefault(title) => record(level, &format!("T{title}")),
        Record::Plain(title) => plain(level, &format!("T{title}")),
        Record::Wrong => plain(level, "T").replace("gs1:pip", "gs1:noSuchType"),
    }
}

fn records() -> impl Strategy<Value = Vec<String>> {
    let what = prop_oneof![
        3 => (0_u8..3).prop_map(Record::WithDefault),
        3 => (0_u8..3).prop_map(Record::Plain),
        1 => Just(Record::Wrong),
    ];
    prop::collection::vec((0..LEVELS.len(), what), 0..30).prop_map(|mut steps| {
        // The last key's own record never has a default, so that its lot is always refused; the
        // others have one at once.
        steps.retain(|(level, what)| ![3, 5].contains(level) || !matches!(what, Record::Plain(_)));
        steps.insert(0, (0, Record::WithDefault(9)));
        steps.into_iter().map(text).collect()
    })
}

/// Numbers of refused records and the requirements that they break, everything registered, and
/// every history.
type Result = (Vec<(u64, String)>, String, Vec<Vec<Option<String>>>);

fn result(fixture: &Fixture, mut refused: Vec<(u64, String)>) -> Result {
    refused.sort();
    (refused, fixture.export(), LEVELS.map(|level| fixture.history(level)).to_vec())
}

fn by_puts(records: &[String]) -> (Fixture, Result) {
    let fixture = Fixture::new();
    let mut refused = Vec::new();
    for (number, record) in (1..).zip(records) {
        let put = fixture.registry.put(&caller(), None, record.as_bytes(), Conditions::none());
        match put {
            Ok(_) => {}
            Err(error @ (RegistryError::Invalid { .. } | RegistryError::MissingDefault(_))) => {
                refused.push((number, error.faults()[0].id().to_owned()));
            }
            Err(error) => panic!("{error}"),
        }
    }
    let result = result(&fixture, refused);
    (fixture, result)
}

/// The same for an import: of several records for one level the last one that is valid by itself
/// counts, in the order of levels.
fn by_sorted_puts(records: &[String]) -> Result {
    let level = |record: &str| {
        LEVELS.iter().find(|level| record.contains(&format!("\"{level}\""))).unwrap()
    };
    let is_wrong = |record: &str| record.contains("gs1:noSuchType");
    let mut counting: Vec<(u64, &String)> = (1..)
        .zip(records)
        .filter(|(number, record)| {
            let later = &records[*number as usize..];
            is_wrong(record)
                || !later.iter().any(|other| level(other) == level(record) && !is_wrong(other))
        })
        .collect();
    counting.sort_by_key(|(_, record)| *level(record));
    let sorted: Vec<String> = counting.iter().map(|(_, record)| (*record).clone()).collect();
    let (fixture, (refused, ..)) = by_puts(&sorted);
    let number = |(at, id): (u64, String)| (counting[at as usize - 1].0, id);
    result(&fixture, refused.into_iter().map(number).collect())
}

fn by_batch(records: &[String]) -> Result {
    let fixture = Fixture::new();
    let rows = records.join("\n");
    let batch = fixture
        .registry
        .batch(&caller(), rows.as_bytes(), BatchMode::Each, Conditions::none())
        .unwrap();
    let items = batch.items.iter();
    let refused = items.filter_map(|item| Some((item.line, item.errors.first()?.id().to_owned())));
    result(&fixture, refused.collect())
}

fn by_import(file: &str, batch: usize) -> Result {
    let fixture = Fixture::new();
    let imported = fixture.import(file, batch);
    result(&fixture, imported.refused)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn puts_batches_imports_and_reverting_do_the_same(records in records(), batch in 1_usize..12) {
        let (fixture, expected) = by_puts(&records);
        prop_assert_eq!(&by_batch(&records), &expected);
        let imported = by_sorted_puts(&records);
        prop_assert_eq!(&by_import(&records.join("\n"), batch), &imported);
        prop_assert_eq!(&by_import(&format!("[{}]", records.join(",\n ")), 1_000), &imported);

        // Back through all revisions of a level, one after the other: the same states once more.
        for (level, states) in LEVELS.iter().zip(&expected.2) {
            let level = Anchor::parse(level).unwrap();
            let before = fixture.registry.history(&caller(), &level).unwrap_or_default();
            for state in before.iter().rev() {
                let reverted =
                    fixture.registry.restore(&caller(), &level, state.revision, Conditions::none());
                prop_assert!(reverted.is_ok(), "{:?}", reverted);
            }
            let again = fixture.history(&format!("/{level}"));
            let mut twice = states.clone();
            twice.extend(states.clone());
            twice.dedup();
            prop_assert_eq!(again, twice);
        }
        prop_assert_eq!(fixture.export(), expected.1, "reverting ends where it began");
        let audit = fixture.registry.verify_audit(&caller(), None).unwrap();
        prop_assert!(audit.is_sound(), "{:?}", audit.faults());
    }

    #[test]
    fn what_is_registered_already_leaves_no_trace(records in records(), batch in 1_usize..12) {
        let fixture = Fixture::new();
        fixture.import(&records.join("\n"), batch);
        let exported = fixture.export();
        let state = |fixture: &Fixture| {
            let view = fixture.registry.store().view(|view| {
                Ok::<_, fingerpost_store::StoreError>((view.revision()?, view.audit_head()?))
            });
            (view.unwrap(), result(fixture, Vec::new()))
        };
        let before = state(&fixture);
        let levels = exported.lines().count() as u64;
        for layout in [exported.clone(), format!("[{}]", exported.trim_end().replace('\n', ","))] {
            let again = fixture.import(&layout, batch).totals;
            prop_assert_eq!((again.accepted, again.unchanged, again.refused), (levels, levels, 0));
            prop_assert_eq!(state(&fixture), before.clone());
        }
        let rows = fixture.registry.batch(&caller(), exported.as_bytes(), BatchMode::Atomic, Conditions::none());
        prop_assert_eq!(rows.unwrap().unchanged, levels);
        prop_assert_eq!(state(&fixture), before);
    }
}

/// An import that does not know of a recall does not end it (PE-1): the record is refused, also in
/// a dry run, and the others are imported.
#[test]
fn an_import_ends_no_recall() {
    let fixture = Fixture::new();
    let (product, lot) = (LEVELS[0], LEVELS[1]);
    fixture.import(&[record(product, "T"), record(lot, "L")].join("\n"), 10);
    let recalled = [Anchor::parse(lot).unwrap()];
    let notice = fingerpost_resolver::RecallNotice {
        href: Some("https://example.com/recall".to_owned()),
        title: "Recall".to_owned(),
        hreflang: Vec::new(),
    };
    let registry = &fixture.registry;
    registry.recall(&caller(), &recalled, &[notice], Conditions::none()).unwrap();
    let again = [record(product, "New"), record(lot, "New")].join("\n");
    for imported in [fixture.dry_run_as(caller(), &again, 10), fixture.import(&again, 10)] {
        assert_eq!(imported.refused, [(2, "recall".to_owned())]);
        assert_eq!(imported.totals.refused, 1);
    }
    assert!(registry.read(&caller(), &recalled[0]).unwrap().entry.is_recalled());
    // An export, which has the recall, can be imported again.
    assert!(fixture.import(&fixture.export(), 10).refused.is_empty());
    assert!(registry.read(&caller(), &recalled[0]).unwrap().entry.is_recalled());
    assert!(
        registry
            .read(&caller(), &Anchor::parse(product).unwrap())
            .unwrap()
            .record()
            .contains("New")
    );
}
