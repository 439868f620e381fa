//! Quotas of organisations, and the counters that they are checked against.

use crate::support;

use fingerpost_registry::{
    BatchMode, BatchReport, ChangeOutcome, ClientInfo, Conditions, Id, KeyRotation,
    NewOrganisation, OrganisationChange, Quotas, RecordChange, Registry, RegistryError,
    RegistryOptions, Role, Usage, Verb, Via,
};
use fingerpost_resolver::read_record;
use fingerpost_store::Revision;
use support::*;

fn ours(number: u32) -> String {
    gtin(&format!("09506000{number:05}"))
}

impl Fixture {
    fn allow(&self, quotas: Quotas) {
        let change = OrganisationChange { quotas: Some(quotas), ..Default::default() };
        self.registry.update_organisation(&root(), &self.ours, change).unwrap();
    }

    fn usage(&self) -> Usage {
        self.registry.organisation_usage(&root(), &self.ours).unwrap()
    }

    /// The counters are what is stored.
    fn counted(&self) -> Usage {
        assert_eq!(self.registry.check_use().unwrap(), Vec::<String>::new());
        let usage = self.usage();
        assert!(!usage.counting);
        usage
    }

    fn batch(&self, rows: &str, mode: BatchMode) -> BatchReport {
        self.registry.batch(&root(), rows.as_bytes(), mode, Conditions::none()).unwrap()
    }
}

fn detail(result: Result<ChangeOutcome, RegistryError>) -> String {
    match result {
        Err(RegistryError::QuotaExceeded(faults)) => faults[0].detail().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_quota_of_levels_stops_new_ones_only() {
    let fixture = Fixture::new();
    fixture.allow(Quotas { levels: Some(3), ..Quotas::default() });
    let writer = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    for number in 0..3 {
        fixture.put(&writer, &record(&ours(number), "A")).unwrap();
    }
    let text = detail(fixture.put(&writer, &record(&ours(3), "A")));
    for said in ["3 levels", "3 are in use", "1 more", "delete levels", "administrator"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Others, replacing, and deleting are not concerned.
    fixture.put(&root(), &record(&gtin("0950600113435"), "A")).unwrap();
    fixture.put(&writer, &record(&ours(2), "B")).unwrap();
    fixture.registry.delete(&writer, &level(&ours(0)), Conditions::none()).unwrap();
    fixture.put(&writer, &record(&ours(3), "A")).unwrap();
    assert_eq!((fixture.counted().levels.used, fixture.counted().levels.quota), (3, Some(3)));
    // A lower quota takes nothing away, and allows to delete.
    fixture.allow(Quotas { levels: Some(1), ..Quotas::default() });
    detail(fixture.put(&writer, &record(&ours(9), "A")));
    fixture.registry.delete(&writer, &level(&ours(1)), Conditions::none()).unwrap();
    assert_eq!(fixture.counted().levels.used, 2);
}

#[test]
fn a_batch_uses_a_quota_up_to_its_end_or_not_at_all() {
    let fixture = Fixture::new();
    fixture.allow(Quotas { levels: Some(5), ..Quotas::default() });
    let rows: String = (0..8).map(|n| record(&ours(n), "A") + "\n").collect();
    let atomic = fixture.batch(&rows, BatchMode::Atomic);
    assert_eq!((atomic.refused, atomic.created, atomic.revision), (3, 0, None));
    assert_eq!(fixture.counted().levels.used, 0, "nothing was written");
    let each = fixture.batch(&rows, BatchMode::Each);
    assert_eq!((each.created, each.refused), (5, 3));
    assert_eq!(fixture.counted().levels.used, 5);
    // What a batch deletes makes room for what it registers.
    let rows = format!("{{\"delete\":\"/{}\"}}\n{}\n", ours(0), record(&ours(7), "A"));
    assert_eq!(fixture.batch(&rows, BatchMode::Atomic).refused, 0);
    assert_eq!(fixture.counted().levels.used, 5);
}

#[test]
fn a_quota_of_bytes_stops_growth() {
    let fixture = Fixture::new();
    fixture.put(&root(), &record(&ours(0), "A")).unwrap();
    let one = fixture.counted().bytes.used;
    assert!(one > 0);
    fixture.allow(Quotas { bytes: Some(one + 30), ..Quotas::default() });
    let text = detail(fixture.put(&root(), &record(&ours(1), "A")));
    assert!(text.contains("bytes of records") && text.contains("shorten"), "{text}");
    detail(fixture.put(&root(), &record(&ours(0), &"A".repeat(400))));
    fixture.put(&root(), &record(&ours(0), &"A".repeat(20))).unwrap();
    fixture.allow(Quotas { bytes: Some(1), ..Quotas::default() });
    fixture.put(&root(), &record(&ours(0), "A")).unwrap();
    assert_eq!(fixture.counted().bytes.used, one);
}

#[test]
fn keys_and_waiting_proposals_have_quotas() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let approver = fixture.person("approver", Some(fixture.ours), Role::Approver);
    fixture.allow(Quotas { keys: Some(2), proposals: Some(1), ..Quotas::default() });
    let make = || registry.create_key(&admin, new_key(Some(fixture.ours), &[Verb::Read], None));
    let (first, _) = make().unwrap();
    make().unwrap();
    let refused = make().unwrap_err();
    assert!(refused.to_string().contains("2 API keys"), "{refused}");
    registry.revoke_key(&admin, &first.id).unwrap();
    registry.revoke_key(&admin, &first.id).unwrap();
    make().unwrap();
    assert_eq!(fixture.counted().keys.used, 2);

    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    let id = fixture.put(&admin, &record(&ours(0), "A")).unwrap().proposal.unwrap();
    let text = detail(fixture.put(&admin, &record(&ours(1), "A")));
    assert!(text.contains("1 waiting proposals") && text.contains("withdraw"), "{text}");
    registry.approve(&approver, &id).unwrap();
    assert_eq!((fixture.counted().proposals.used, fixture.counted().levels.used), (0, 1));
    fixture.put(&admin, &record(&ours(1), "A")).unwrap();
    assert_eq!(fixture.counted().proposals.used, 1);
}

#[test]
fn a_rotated_key_is_one_key_of_the_quota() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    fixture.allow(Quotas { keys: Some(1), ..Quotas::default() });
    let new = || new_key(Some(fixture.ours), &[Verb::Read], None);
    let (key, first) = registry.create_key(&admin, new()).unwrap();
    let (rotated, second) =
        registry.rotate_key(&admin, &key.id, &KeyRotation::default()).expect("within the quota");
    assert!(rotated.previous_until.is_some());
    for secret in [&first, &second] {
        assert!(
            registry.authenticate_key(secret, &ClientInfo::new(Via::Api)).is_ok(),
            "an overlap"
        );
    }
    assert_eq!(fixture.counted().keys.used, 1);
    assert!(registry.create_key(&admin, new()).is_err(), "the quota is used up");
    registry.revoke_key(&admin, &key.id).unwrap();
    assert_eq!(fixture.counted().keys.used, 0);
    registry.create_key(&admin, new()).expect("room for another one");
}

#[test]
fn only_administrators_of_the_installation_set_quotas() {
    let fixture = Fixture::new();
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let stranger = fixture.person("stranger", Some(fixture.theirs), Role::Admin);
    let change = || OrganisationChange { quotas: Some(Quotas::default()), ..Default::default() };
    let registry = &fixture.registry;
    let id = &fixture.ours;
    assert_eq!(kind(&registry.update_organisation(&admin, id, change())), "forbidden");
    assert_eq!(kind(&registry.update_organisation(&stranger, id, change())), "not found");
    assert_eq!(kind(&registry.organisation_usage(&stranger, id)), "not found");
    assert_eq!(kind(&registry.organisation_usage(&admin, id)), "done");
    // Those of the configuration count where an organisation has none of its own.
    let quotas = Quotas { levels: Some(1), ..Quotas::default() };
    let options = RegistryOptions::new().clock(clock).quotas(quotas);
    let strict = Registry::new(registry.store().clone(), options);
    let put =
        |key: &str| strict.put(&root(), None, record(key, "A").as_bytes(), Conditions::none());
    put(&ours(0)).unwrap();
    detail(put(&ours(1)));
    fixture.allow(Quotas { levels: Some(2), ..Quotas::default() });
    put(&ours(1)).unwrap();
}

#[test]
fn counters_follow_everything_that_writes() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let first = fixture.register(&ours(0));
    fixture.put(&root(), &record(&ours(0), "Longer title")).unwrap();
    registry.restore(&root(), &level(&ours(0)), first, Conditions::none()).unwrap();
    let patch = br#"{"itemDescription": "Tea"}"#;
    registry.patch(&root(), &level(&ours(0)), patch, Conditions::none()).unwrap();
    fixture.counted();
    let changes: Vec<RecordChange> = (0..40)
        .map(|n| {
            RecordChange::put(
                read_record(record(&ours(n), "A").as_bytes(), &registry.rules()).unwrap(),
            )
        })
        .collect();
    registry.apply(&root(), &changes).unwrap();
    assert_eq!(fixture.counted().levels.used, 40);
    registry.restore(&root(), &level(&ours(0)), Revision::new(1), Conditions::none()).unwrap();
    let lots: String =
        (0..5).map(|n| plain(&format!("{}/10/L{n}", ours(1)), "gs1:pip") + "\n").collect();
    fixture.batch(&lots, BatchMode::Each);
    assert_eq!(fixture.counted().levels.used, 45);
    // A dry run counts nothing.
    let dry = Conditions::none().dry_run(true);
    registry.put(&root(), None, record(&ours(99), "A").as_bytes(), dry).unwrap();
    assert_eq!(fixture.counted().levels.used, 45);
}

#[test]
fn levels_are_counted_for_whoever_owns_them() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    for number in 0..20 {
        fixture.register(&ours(number));
    }
    let levels = |id: &Id| registry.organisation_usage(&root(), id).unwrap().levels.used;
    // A single key goes to another organisation, and comes back.
    let take = |keys: Vec<String>| {
        let change = OrganisationChange { keys: Some(keys), ..Default::default() };
        registry.update_organisation(&root(), &fixture.theirs, change).unwrap();
        fixture.counted();
        (levels(&fixture.ours), levels(&fixture.theirs))
    };
    assert_eq!(take(vec![format!("/{}", ours(3)), format!("/{}", ours(5))]), (18, 2));
    fixture.put(&root(), &plain(&format!("{}/10/L", ours(3)), "gs1:pip")).unwrap();
    assert_eq!(take(vec![format!("/{}", ours(3))]), (19, 2));
    assert_eq!(take(vec![]), (21, 0));
    // An organisation that comes after its levels counts them.
    registry.delete_organisation(&root(), &fixture.ours).unwrap();
    let new = NewOrganisation {
        name: "Heir".into(),
        prefixes: vec![OURS.into()],
        keys: vec![],
        ..NewOrganisation::default()
    };
    let heir = registry.create_organisation(&root(), new).unwrap().id;
    assert_eq!(levels(&heir), 21);
    assert_eq!(registry.check_use().unwrap(), Vec::<String>::new());
}

#[test]
fn a_count_that_was_interrupted_goes_on() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let rows: String = (0..1_300).map(|n| record(&ours(n), "A") + "\n").collect();
    fixture.batch(&rows, BatchMode::Each);
    // As if the process had ended at the beginning, or the store came from an earlier release.
    let half = r#"{"levels":0,"bytes":0,"keys":0,"proposals":0,"countedTo":""}"#;
    let id = fixture.ours;
    let put = |document: Option<&'static str>| {
        registry
            .store()
            .transact(move |tx| match document {
                Some(text) => tx.put_document("held", id.as_str(), text.as_bytes()),
                None => tx.delete_document("held", id.as_str()).map(|_| ()),
            })
            .unwrap();
    };
    put(Some(half));
    assert!(fixture.usage().counting);
    // Changes before and behind the position that the count has reached.
    for number in [1_200, 5, 900, 6, 1_250] {
        fixture.put(&root(), &record(&ours(number), "Longer")).unwrap();
        registry.delete(&root(), &level(&ours(number + 10)), Conditions::none()).unwrap();
        assert_eq!(registry.check_use().unwrap(), Vec::<String>::new());
    }
    assert_eq!(fixture.counted().levels.used, 1_295, "ten writes counted 500 levels each");
    put(None);
    fixture.put(&root(), &record(&ours(1), "B")).unwrap();
    assert_eq!(fixture.usage().levels.used, 0);
    registry.count_use().unwrap();
    assert_eq!(fixture.counted().levels.used, 1_295);
}

#[test]
fn a_wrong_counter_is_found() {
    let fixture = Fixture::new();
    let text = r#"{"levels":7,"bytes":0,"keys":0,"proposals":0}"#;
    let id = fixture.ours;
    fixture
        .registry
        .store()
        .transact(move |tx| tx.put_document("held", id.as_str(), text.as_bytes()))
        .unwrap();
    let faults = fixture.registry.check_use().unwrap();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].contains("7") && faults[0].contains(id.as_str()), "{faults:?}");
}
