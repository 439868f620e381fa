//! A dry run tells what the import would do, and changes nothing.

use proptest::prelude::*;

use fingerpost_gs1::Ai;
use fingerpost_registry::RegistryOptions;
use fingerpost_resolver::PrimaryKeys;

use crate::support::{Fixture, plain, record};

const LEVELS: [&str; 4] = [
    "/01/09520123456788",
    "/01/09520123456788/10/L",
    "/414/9520123456788",
    "/414/9520123456788/254/D",
];

fn records() -> impl Strategy<Value = Vec<String>> {
    let record = (0..LEVELS.len(), 0_u8..3, prop::bool::weighted(0.7)).prop_map(
        |(level, title, has_default)| {
            let make = if has_default { record } else { plain };
            make(LEVELS[level], &format!("T{title}"))
        },
    );
    prop::collection::vec(record, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_dry_run_foretells_the_import(before in records(), file in records(), batch in 1_usize..8) {
        let fixture = Fixture::new();
        fixture.import(&before.join("\n"), 100);
        let (registered, revision) = (fixture.export(), fixture.registry.store().revision().unwrap());
        let dry = fixture.dry_run(&file.join("\n"), batch);
        prop_assert_eq!(fixture.export(), registered);
        prop_assert_eq!(fixture.registry.store().revision().unwrap(), revision);
        let real = fixture.import(&file.join("\n"), batch);
        prop_assert_eq!(dry.totals, real.totals);
        prop_assert_eq!(dry.refused, real.refused);
    }
}

/// GS1-Conformant Resolver 1.2.0 section 2.1, RES-2.1-3: an import counts the records that are never served.
#[test]
fn section_2_1_records_that_are_not_served_are_counted() {
    let served = PrimaryKeys::Only(vec![Ai::GTIN]);
    let fixture = Fixture::with(RegistryOptions::new().primary_keys(served));
    let file = [LEVELS[0], LEVELS[2], LEVELS[3]].map(|level| record(level, "T")).join("\n");
    let totals = fixture.import(&file, 100).totals;
    assert_eq!((totals.warnings, fixture.export().lines().count()), (2, 3));
}
