//! Suspended organisations, and the hosts that links of an organisation may lead to.

use crate::support;

use fingerpost_gs1::EntityKey;
use fingerpost_registry::{
    AuditFilter, NewSuspension, OrganisationChange, Registry, RegistryError, RegistryOptions, Role,
    SuspensionMode,
};
use fingerpost_resolver::{Anchor, ResolverRoot, Suspension};
use support::*;

fn mode(mode: SuspensionMode) -> NewSuspension {
    let notice = (mode == SuspensionMode::Notice).then(|| "Closed until May.".to_owned());
    NewSuspension { mode, notice }
}

/// How a request for a key answers: by the record, by nothing, or by a notice.
fn answers(registry: &Registry, level: &str) -> String {
    let key = EntityKey::parse(level).unwrap();
    let levels = registry.store().read(&key).unwrap();
    // Explanations read the same in a snapshot.
    let applying = registry.store().view(|view| view.applying(&key)).unwrap();
    assert_eq!(*levels, *applying, "{level}");
    match levels.first().map(|first| first.as_suspension()) {
        None => "nothing".to_owned(),
        Some(None) => "record".to_owned(),
        Some(Some(Suspension::Stop)) => "stop".to_owned(),
        Some(Some(Suspension::Notice(text))) => text.to_owned(),
        Some(Some(Suspension::None)) => unreachable!("it is left out"),
    }
}

#[test]
fn a_suspended_organisation_answers_as_the_operator_chooses_and_is_reinstated() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (own, other) = (gtin("0950600013435"), gtin("0950600100000"));
    for level in [&own, &other] {
        fixture.register(level);
    }
    let lot = format!("{own}/10/A");
    let expect = |own_is: &str| {
        for level in [&own, &lot, &gtin("0950600099999")] {
            let is_record = own_is == "record" && *level == gtin("0950600099999");
            assert_eq!(
                answers(registry, level),
                if is_record { "nothing" } else { own_is },
                "{level}"
            );
        }
        assert_eq!(answers(registry, &other), "record", "of another organisation");
    };
    expect("record");
    let before = registry.list(&root(), &Default::default(), None, 100).unwrap().items.len();
    for (chosen, is) in [
        (SuspensionMode::Answer, "record"),
        (SuspensionMode::Stop, "stop"),
        (SuspensionMode::Notice, "Closed until May."),
        (SuspensionMode::Answer, "record"),
    ] {
        let suspended = registry.suspend(&root(), &fixture.ours, mode(chosen)).unwrap();
        assert_eq!(suspended.suspended.unwrap().mode, chosen);
        expect(is);
        // It is no record: nobody lists or counts it, and the store is sound with it.
        assert_eq!(
            registry.list(&root(), &Default::default(), None, 100).unwrap().items.len(),
            before
        );
        assert_eq!(
            registry.list_newest(&root(), &Default::default(), None, 100).unwrap().items.len(),
            before
        );
        let changes = registry.changes(&root(), Default::default(), None, Default::default(), 100);
        assert!(changes.unwrap().items.iter().all(|one| !one.key.as_str().starts_with('-')));
        assert_eq!(fingerpost_registry::fsck(registry.store()).unwrap().faults().count(), 0);
    }
    registry.suspend(&root(), &fixture.ours, mode(SuspensionMode::Stop)).unwrap();
    assert_eq!(registry.reinstate(&root(), &fixture.ours).unwrap().suspended, None);
    expect("record");
    let filter = |action: &str| AuditFilter { action: Some(action.into()), ..Default::default() };
    let count = |action| registry.audit(&root(), 1, 100, &filter(action)).unwrap().items.len();
    assert_eq!((count("organisation.suspended"), count("organisation.reinstated")), (5, 1));
}

#[test]
fn single_keys_follow_their_own_organisation() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (single, rest) = (gtin("0950600013435"), gtin("0950600011111"));
    fixture.register(&single);
    fixture.register(&rest);
    let own = |keys: &[&str]| OrganisationChange {
        keys: Some(keys.iter().map(|key| format!("/{key}")).collect()),
        ..Default::default()
    };
    registry.suspend(&root(), &fixture.ours, mode(SuspensionMode::Stop)).unwrap();
    registry.update_organisation(&root(), &fixture.theirs, own(&[&single])).unwrap();
    assert_eq!([&single, &rest].map(|level| answers(registry, level)), ["record", "stop"]);
    registry.suspend(&root(), &fixture.theirs, mode(SuspensionMode::Notice)).unwrap();
    assert_eq!(
        [&single, &rest].map(|level| answers(registry, level)),
        ["Closed until May.", "stop"]
    );
    registry.reinstate(&root(), &fixture.ours).unwrap();
    assert_eq!(
        [&single, &rest].map(|level| answers(registry, level)),
        ["Closed until May.", "record"]
    );
    registry.update_organisation(&root(), &fixture.theirs, own(&[])).unwrap();
    assert_eq!(answers(registry, &single), "record");
    registry.suspend(&root(), &fixture.ours, mode(SuspensionMode::Stop)).unwrap();
    registry.delete_organisation(&root(), &fixture.ours).unwrap();
    assert_eq!([&single, &rest].map(|level| answers(registry, level)), ["record", "record"]);
}

#[test]
fn members_of_a_suspended_organisation_read_but_do_not_write() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let level = gtin("0950600013435");
    fixture.register(&level);
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let operator = fixture.person("op", None, Role::Admin);
    // Only the operator suspends and reinstates; a notice belongs to its mode.
    let stop = || mode(SuspensionMode::Stop);
    assert_eq!(kind(&registry.suspend(&admin, &fixture.ours, stop())), "forbidden");
    for wrong in [
        NewSuspension { mode: SuspensionMode::Notice, notice: None },
        NewSuspension { mode: SuspensionMode::Notice, notice: Some("a\nb".into()) },
        NewSuspension { mode: SuspensionMode::Notice, notice: Some("é".repeat(301)) },
        NewSuspension { mode: SuspensionMode::Stop, notice: Some("x".into()) },
        NewSuspension { mode: SuspensionMode::Stop, notice: Some("x".repeat(301)) },
    ] {
        assert_eq!(kind(&registry.suspend(&operator, &fixture.ours, wrong)), "invalid");
    }
    registry.suspend(&operator, &fixture.ours, mode(SuspensionMode::Answer)).unwrap();
    assert_eq!(kind(&registry.reinstate(&admin, &fixture.ours)), "forbidden");
    let refused = fixture.put(&admin, &record(&level, "Coffee")).unwrap_err();
    assert!(refused.to_string().contains("suspended"), "{refused}");
    assert_eq!(kind(&registry.read(&admin, &Anchor::parse(&level).unwrap())), "done");
    let change = OrganisationChange { name: Some("x".into()), ..Default::default() };
    assert_eq!(kind(&registry.update_organisation(&admin, &fixture.ours, change)), "forbidden");
    assert_eq!(kind(&fixture.put(&operator, &record(&level, "Coffee"))), "done");
    registry.reinstate(&operator, &fixture.ours).unwrap();
    assert_eq!(kind(&fixture.put(&admin, &record(&level, "Cocoa"))), "done");
}

/// What a refusal tells: the host, the allowed ones, and who can change them.
#[test]
fn links_lead_to_allowed_hosts_only() {
    let fixture = Fixture::new();
    let root_of = ResolverRoot::parse("https://id.example.org").unwrap();
    let options = RegistryOptions::new().clock(clock).resolver_root(root_of);
    let registry = fixture.registry.with_options(options);
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let level = gtin("0950600013435");
    let allow = |hosts: &[&str]| OrganisationChange {
        target_hosts: Some(hosts.iter().map(|&host| host.to_owned()).collect()),
        ..Default::default()
    };
    assert_eq!(
        kind(&registry.update_organisation(&admin, &fixture.ours, allow(&["a.example"]))),
        "forbidden"
    );
    assert_eq!(
        kind(&registry.update_organisation(&root(), &fixture.ours, allow(&["https://a"]))),
        "invalid"
    );
    registry
        .update_organisation(&root(), &fixture.ours, allow(&["*.example.net", "Shop.example"]))
        .unwrap();
    let put = |caller: &fingerpost_registry::Caller, text: &str| {
        registry.put(caller, None, text.as_bytes(), fingerpost_registry::Conditions::none())
    };
    // For every writer.
    for caller in [&admin, &root()] {
        let refused = put(caller, &record(&level, "Tea")).unwrap_err();
        let RegistryError::Invalid { faults, .. } = &refused else { panic!("{refused}") };
        assert_eq!(faults[0].pointer(), "/links/0/href");
        let text = refused.to_string();
        for part in [
            "Ours",
            "*.example.net, shop.example",
            "example.com",
            "an administrator of the installation",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
    for host in ["a.example.net", "shop.example", "id.example.org"] {
        let text = record(&level, "Tea").replace("example.com", host);
        assert_eq!(kind(&put(&admin, &text)), "done", "{host}");
    }
    // Records of others, and those that were there before, stay.
    assert_eq!(kind(&put(&root(), &record(&gtin("0950600100000"), "Tea"))), "done");
    registry.update_organisation(&root(), &fixture.ours, allow(&["elsewhere.example"])).unwrap();
    let unchanged = record(&level, "Tea").replace("example.com", "id.example.org");
    assert_eq!(kind(&put(&admin, &unchanged)), "done");
}
