//! A dry run tells what the import would do, and changes nothing.

use proptest::prelude::*;

use fingerpost_gs1::Ai;
use fingerpost_registry::{
    Caller, ClientInfo, Id, NewKey, NewOrganisation, Quotas, RegistryOptions, Verb, Via,
};
use fingerpost_resolver::PrimaryKeys;

use crate::support::{Fixture, caller, plain, record};

const LEVELS: [&str; 9] = [
    "/01/09520123456788",
    "/01/09520123456788/10/L",
    "/01/09520123456788/-any/10",
    "/01/09520123456788/-range/21/3/100/199",
    "/01/09520123456788/-range/21/3/150/249",
    "/gcp/9520123",
    "/414/9520123456788",
    "/414/9520123456788/254/D",
    "/01/09506000134352",
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

/// An organisation that owns most of the levels, and the callers of an import.
fn callers(fixture: &Fixture, approval_required: bool, levels: Option<u64>) -> Vec<Caller> {
    let new = NewOrganisation {
        name: "Ours".into(),
        prefixes: vec!["9520123".into()],
        approval_required,
        quotas: Quotas { levels, ..Quotas::default() },
        ..NewOrganisation::default()
    };
    let ours = fixture.registry.create_organisation(&caller(), new).unwrap().id;
    let all = [Verb::Read, Verb::Write];
    let key = |organisation: Option<Id>, verbs: &[Verb], prefix: Option<&str>| {
        let new = NewKey {
            label: "test".into(),
            organisation,
            verbs: verbs.to_vec(),
            prefix: prefix.map(str::to_owned),
            expires: None,
            for_organisation: false,
        };
        let (_, token) = fixture.registry.create_key(&caller(), new).unwrap();
        fixture.registry.authenticate_key(&token, &ClientInfo::new(Via::Api)).unwrap()
    };
    vec![
        caller(),
        key(Some(ours), &all, None),
        key(Some(ours), &all, Some("952012345")),
        key(None, &all, None),
        key(Some(ours), &[Verb::Read], None),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 50, ..ProptestConfig::default() })]

    /// For any registered records and any caller, also where changes need approval or exceed a quota.
    #[test]
    fn a_dry_run_foretells_the_import(
        before in records(),
        file in records(),
        batch in 1_usize..8,
        approval_required: bool,
        quota in prop::option::of(1_u64..6),
        who in 0_usize..5,
    ) {
        let fixture = Fixture::new();
        let by = callers(&fixture, approval_required, quota).swap_remove(who);
        fixture.import(&before.join("\n"), 100);
        let (registered, revision) = (fixture.export(), fixture.registry.store().revision().unwrap());
        let dry = fixture.dry_run_as(by.clone(), &file.join("\n"), batch);
        prop_assert_eq!(fixture.export(), registered);
        prop_assert_eq!(fixture.registry.store().revision().unwrap(), revision);
        let real = fixture.import_as(by, &file.join("\n"), batch);
        prop_assert_eq!(dry.totals, real.totals);
        prop_assert_eq!(dry.refused, real.refused);
    }
}

/// GS1-Conformant Resolver 1.2.0 section 2.1, RES-2.1-3: an import counts the records that are
/// never served.
#[test]
fn section_2_1_records_that_are_not_served_are_counted() {
    let served = PrimaryKeys::Only(vec![Ai::GTIN]);
    let fixture = Fixture::with(RegistryOptions::new().primary_keys(served));
    let file = [LEVELS[0], LEVELS[6], LEVELS[7]].map(|level| record(level, "T")).join("\n");
    let totals = fixture.import(&file, 100).totals;
    assert_eq!((totals.warnings, fixture.export().lines().count()), (2, 3));
}
