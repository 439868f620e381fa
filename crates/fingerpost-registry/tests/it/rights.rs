//! The whole matrix: who may do which operation where, and what the others learn.

use crate::support;

use fingerpost_registry::{
    BatchMode, Caller, Conditions, Denial, NewKey, NewOrganisation, OrganisationChange,
    RefusalCode, Registry, RegistryError, Role, UserChange, Verb,
};
use fingerpost_resolver::Anchor;
use fingerpost_store::Revision;
use jiff::SignedDuration;
use support::*;

type Operation = fn(&Registry, &Caller, &Anchor) -> &'static str;

/// Every operation on a level, with the verb that it takes.
const OPERATIONS: &[(&str, Verb, Operation)] = &[
    ("read", Verb::Read, |r, c, k| kind(&r.read(c, k))),
    ("history", Verb::Read, |r, c, k| kind(&r.history(c, k))),
    ("state", Verb::Read, |r, c, k| kind(&r.state(c, k, Revision::new(99)))),
    ("difference", Verb::Read, |r, c, k| kind(&r.difference(c, k, Revision::new(99), None))),
    ("put", Verb::Write, |r, c, k| {
        kind(&r.put(c, Some(k), record(k.as_str(), "New").as_bytes(), dry()))
    }),
    ("patch", Verb::Write, |r, c, k| kind(&r.patch(c, k, br#"{"itemDescription":"x"}"#, dry()))),
    ("delete", Verb::Write, |r, c, k| kind(&r.delete(c, k, dry()))),
    ("restore", Verb::Write, |r, c, k| kind(&r.restore(c, k, Revision::new(99), dry()))),
];

fn dry() -> Conditions {
    Conditions::none().dry_run(true)
}

#[test]
fn every_operation_takes_its_verb_and_its_level() {
    let fixture = Fixture::new();
    let (own, foreign, nobodys) =
        (gtin("0950600013435"), gtin("0950600113435"), gtin("0401234500001"));
    for key in [&own, &foreign, &nobodys] {
        fixture.register(key);
    }
    let single = gtin("0401234500018");
    fixture.register(&single);
    let change =
        OrganisationChange { keys: Some(vec![format!("/{single}")]), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();

    let ours = Some(fixture.ours);
    let callers: Vec<(&str, Caller, Vec<Verb>, bool)> = vec![
        ("reader", fixture.person("r", ours, Role::Reader), vec![Verb::Read], false),
        ("editor", fixture.person("e", ours, Role::Editor), vec![Verb::Read, Verb::Write], false),
        (
            "approver",
            fixture.person("p", ours, Role::Approver),
            vec![Verb::Read, Verb::Write],
            false,
        ),
        ("admin", fixture.person("a", ours, Role::Admin), vec![Verb::Read, Verb::Write], false),
        ("installation reader", fixture.person("ir", None, Role::Reader), vec![Verb::Read], true),
        (
            "installation admin",
            fixture.person("ia", None, Role::Admin),
            vec![Verb::Read, Verb::Write],
            true,
        ),
        ("read key", fixture.key(ours, &[Verb::Read]), vec![Verb::Read], false),
        ("write key", fixture.key(ours, &[Verb::Write]), vec![Verb::Write], false),
        ("admin key", fixture.key(ours, &[Verb::Admin]), vec![], false),
        (
            "installation key",
            fixture.key(None, &[Verb::Read, Verb::Write]),
            vec![Verb::Read, Verb::Write],
            true,
        ),
    ];
    for (name, caller, verbs, everywhere) in &callers {
        for (operation, verb, run) in OPERATIONS {
            for (key, is_own) in
                [(&own, true), (&single, true), (&foreign, false), (&nobodys, false)]
            {
                let may = verbs.contains(verb) && (is_own || *everywhere);
                let found = run(&fixture.registry, caller, &level(key));
                assert_eq!(found == "done", may, "{name} {operation} {key}: {found}");
                assert_eq!(found == "forbidden", !may, "{name} {operation} {key}: {found}");
            }
        }
    }
}

#[test]
fn a_denial_tells_nothing_of_what_exists() {
    let fixture = Fixture::new();
    let (there, not_there) = (gtin("0950600113435"), gtin("0950600113436"));
    fixture.register(&there);
    let caller = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write]);
    for (_, _, run) in OPERATIONS {
        assert_eq!(run(&fixture.registry, &caller, &level(&there)), "forbidden");
        assert_eq!(run(&fixture.registry, &caller, &level(&not_there)), "forbidden");
    }
    let texts = [&there, &not_there]
        .map(|key| fixture.registry.read(&caller, &level(key)).unwrap_err().to_string());
    assert_eq!(texts[0], texts[1]);
    // A faulty record is not judged for those who may not write there.
    let faulty = format!(r#"{{"anchor":"/{there}"}}"#);
    let refused = fixture.registry.put(&caller, Some(&level(&there)), faulty.as_bytes(), dry());
    assert_eq!(kind(&refused), "forbidden");
    // Accounts of others: as if they were not there.
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let stranger = fixture.member("stranger", Some(fixture.theirs), Role::Reader);
    let (foreign_key, _) = fixture
        .registry
        .create_key(&root(), new_key(Some(fixture.theirs), &[Verb::Read], None))
        .unwrap();
    let nobody = fingerpost_registry::Id::random();
    let registry = &fixture.registry;
    for id in [&nobody, &stranger] {
        assert_eq!(kind(&registry.user(&admin, id)), "not found");
        assert_eq!(kind(&registry.update_user(&admin, id, UserChange::default())), "not found");
        assert_eq!(kind(&registry.erase_person(&admin, id)), "not found");
    }
    for id in [&nobody, &foreign_key.id] {
        assert_eq!(kind(&registry.key(&admin, id)), "not found");
        assert_eq!(kind(&registry.revoke_key(&admin, id)), "not found");
    }
    for id in [&nobody, &fixture.theirs] {
        assert_eq!(kind(&registry.organisation(&admin, id)), "not found");
        assert_eq!(kind(&registry.delete_organisation(&admin, id)), "not found");
        let change = OrganisationChange { name: Some("x".into()), ..Default::default() };
        assert_eq!(kind(&registry.update_organisation(&admin, id, change)), "not found");
        let key = new_key(Some(*id), &[Verb::Read], None);
        assert_eq!(kind(&registry.create_key(&admin, key)), "not found");
    }
    assert_eq!(registry.organisations(&admin, None, 10).unwrap().items.len(), 1);
    assert!(registry.users(&admin, None, 10).unwrap().items.iter().all(|user| user.id != stranger));
    let keys = registry.keys(&admin, None, None, 10).unwrap().items;
    assert!(keys.iter().all(|key| key.organisation == Some(fixture.ours)));
}

#[test]
fn a_key_is_narrowed_to_its_digits() {
    let fixture = Fixture::new();
    let ours = Some(fixture.ours);
    let narrowed = fixture.key_with(ours, &[Verb::Read, Verb::Write], Some("95060001"));
    // A prefix outside of the organisation's gives nothing at all.
    let foreign = fixture.key_with(ours, &[Verb::Read, Verb::Write], Some("9506001"));
    let (inside, outside) = (gtin("0950600013435"), gtin("0950600023435"));
    assert_eq!(kind(&fixture.put(&narrowed, &record(&inside, "A"))), "done");
    assert_eq!(kind(&fixture.put(&narrowed, &record(&outside, "A"))), "forbidden");
    for key in [&inside, &outside, &gtin("0950600113435")] {
        assert_eq!(kind(&fixture.put(&foreign, &record(key, "A"))), "forbidden");
    }
    fixture.register(&outside);
    let listed = fixture.registry.list(&narrowed, &Default::default(), None, 10).unwrap();
    assert_eq!(listed.items.len(), 1);
    let new = new_key(ours, &[Verb::Admin], Some("95060001"));
    assert_eq!(kind(&fixture.registry.create_key(&root(), new)), "invalid");
}

#[test]
fn what_no_longer_counts_is_refused_at_once() {
    let fixture = Fixture::new();
    let ours = Some(fixture.ours);
    let key = gtin("0950600013435");
    fixture.register(&key);
    let registry = &fixture.registry;
    let works = |caller: &Caller| kind(&registry.read(caller, &level(&key)));

    let (made, token) = registry.create_key(&root(), new_key(ours, &[Verb::Read], None)).unwrap();
    let caller = registry.authenticate_key(&token, &client()).unwrap();
    assert_eq!(works(&caller), "done");
    registry.revoke_key(&root(), &made.id).unwrap();
    assert_eq!(works(&caller), "unauthenticated", "revoked after it was recognised");
    assert_eq!(kind(&registry.authenticate_key(&token, &client())), "unauthenticated");

    let person = fixture.person("ada", ours, Role::Reader);
    let id = match person.actor() {
        fingerpost_registry::Actor::User(id) => *id,
        other => panic!("{other}"),
    };
    assert_eq!(works(&person), "done");
    let change = UserChange { disabled: Some(true), ..Default::default() };
    registry.update_user(&root(), &id, change).unwrap();
    assert_eq!(works(&person), "unauthenticated", "disabled");
    let change =
        UserChange { disabled: Some(false), memberships: Some(vec![]), ..Default::default() };
    registry.update_user(&root(), &id, change).unwrap();
    let person = fixture.sign_in("ada");
    assert_eq!(works(&person), "forbidden", "without a role");

    let expires = Some(clock() + SignedDuration::from_mins(10));
    let new = NewKey { expires, ..new_key(ours, &[Verb::Read], None) };
    let (_, token) = registry.create_key(&root(), new).unwrap();
    let caller = registry.authenticate_key(&token, &client()).unwrap();
    assert_eq!(works(&caller), "done");
    pass(SignedDuration::from_mins(10));
    assert_eq!(works(&caller), "unauthenticated", "expired");
    assert_eq!(kind(&registry.authenticate_key(&token, &client())), "unauthenticated");

    let caller = fixture.key(ours, &[Verb::Read]);
    registry.delete_organisation(&root(), &fixture.ours).unwrap();
    assert_eq!(works(&caller), "forbidden", "the organisation is gone");
}

#[test]
fn nobody_gives_away_more_than_they_have() {
    let fixture = Fixture::new();
    let ours = Some(fixture.ours);
    let registry = &fixture.registry;
    let admin = fixture.person("admin", ours, Role::Admin);
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    assert_eq!(kind(&registry.create_key(&admin, new_key(ours, &all, None))), "done");
    let refused = registry.create_key(&admin, new_key(None, &[Verb::Read], None));
    assert!(matches!(refused, Err(RegistryError::Forbidden(Denial::Escalation))));
    // A key with admin and read cannot make one that writes, nor one that outlives it.
    let expires = Some(clock() + SignedDuration::from_hours(1));
    let new = NewKey { expires, ..new_key(ours, &[Verb::Read, Verb::Admin], None) };
    let (_, token) = registry.create_key(&root(), new).unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let refused = registry.create_key(&key, new_key(ours, &[Verb::Write], None));
    assert!(matches!(refused, Err(RegistryError::Forbidden(Denial::Escalation))));
    assert_eq!(kind(&registry.create_key(&key, new_key(ours, &[Verb::Read], None))), "invalid");
    let new = NewKey { expires, ..new_key(ours, &[Verb::Read], Some("95060001")) };
    assert_eq!(kind(&registry.create_key(&key, new)), "done");

    for caller in [
        fixture.person("e", ours, Role::Editor),
        fixture.person("p", ours, Role::Approver),
        fixture.key(ours, &[Verb::Write]),
    ] {
        // More than they have; less is a key of their own, see below.
        let new = new_key(ours, &[Verb::Read, Verb::Admin], None);
        assert_eq!(kind(&registry.create_key(&caller, new)), "forbidden");
        assert_eq!(kind(&registry.users(&caller, None, 10)), "forbidden");
        assert_eq!(kind(&registry.audit(&caller, 1, 10, &Default::default())), "forbidden");
        let change = OrganisationChange { name: Some("x".into()), ..Default::default() };
        assert_eq!(
            kind(&registry.update_organisation(&caller, &fixture.ours, change)),
            "forbidden"
        );
    }
    let key = fixture.key(ours, &[Verb::Read, Verb::Write]);
    let new = new_key(ours, &[Verb::Read], None);
    assert_eq!(kind(&registry.create_key(&key, new)), "forbidden", "keys make none of their own");
    assert_eq!(kind(&registry.keys(&key, None, None, 10)), "forbidden");
    // What an organisation owns is not for its own administrators to say.
    let new = NewOrganisation { name: "x".into(), ..Default::default() };
    assert_eq!(kind(&registry.create_organisation(&admin, new)), "forbidden");
    for change in [
        OrganisationChange { prefixes: Some(vec![]), ..Default::default() },
        OrganisationChange { keys: Some(vec![]), ..Default::default() },
        OrganisationChange { regulated: Some(true), ..Default::default() },
    ] {
        assert_eq!(kind(&registry.update_organisation(&admin, &fixture.ours, change)), "forbidden");
    }
    assert_eq!(kind(&registry.delete_organisation(&admin, &fixture.ours)), "forbidden");
    assert_eq!(kind(&registry.prune_history(&admin, clock())), "forbidden");
    assert_eq!(kind(&registry.verify_audit(&admin, None)), "forbidden");
}

#[test]
fn an_administrator_of_one_organisation_takes_over_no_account_of_another() {
    use fingerpost_registry::{Membership, Secret};
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let shared = fixture.member("shared", Some(fixture.ours), Role::Editor);
    let both = vec![
        Membership { organisation: Some(fixture.ours), role: Role::Editor },
        Membership { organisation: None, role: Role::Admin },
    ];
    let change = UserChange { memberships: Some(both), ..Default::default() };
    registry.update_user(&root(), &shared, change).unwrap();
    // Seen with the own role only.
    assert_eq!(registry.user(&admin, &shared).unwrap().memberships.len(), 1);
    for change in [
        UserChange { password: Some(Secret::new("a password of mine")), ..Default::default() },
        UserChange { disabled: Some(true), ..Default::default() },
        UserChange { name: Some("x".into()), ..Default::default() },
    ] {
        assert_eq!(kind(&registry.update_user(&admin, &shared, change)), "forbidden");
    }
    assert_eq!(kind(&registry.erase_person(&admin, &shared)), "forbidden");
    // The own role may be changed, the other one stays.
    let readers = vec![Membership { organisation: Some(fixture.ours), role: Role::Reader }];
    let change = UserChange { memberships: Some(readers), ..Default::default() };
    registry.update_user(&admin, &shared, change).unwrap();
    let roles: Vec<Role> =
        registry.user(&root(), &shared).unwrap().memberships.iter().map(|m| m.role).collect();
    assert_eq!(roles, [Role::Admin, Role::Reader]);
    let rise = vec![Membership { organisation: None, role: Role::Reader }];
    let change = UserChange { memberships: Some(rise), ..Default::default() };
    assert_eq!(kind(&registry.update_user(&admin, &shared, change)), "forbidden");
}

#[test]
fn a_batch_judges_every_row_by_the_rights() {
    let fixture = Fixture::new();
    let caller = fixture.key(Some(fixture.ours), &[Verb::Write]);
    let (own, foreign) = (gtin("0950600013435"), gtin("0950600113435"));
    let rows = format!("{}\n{}\n", record(&own, "A"), record(&foreign, "A"));
    let run =
        |mode| fixture.registry.batch(&caller, rows.as_bytes(), mode, Conditions::none()).unwrap();
    let report = run(BatchMode::Atomic);
    assert_eq!((report.refused, report.created, report.revision), (1, 0, None));
    let refused = &report.items[0];
    assert_eq!((refused.line, refused.code), (2, Some(RefusalCode::Forbidden)));
    let report = run(BatchMode::Each);
    assert_eq!((report.refused, report.created), (1, 1));
    let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
    let result =
        fixture.registry.batch(&reader, rows.as_bytes(), BatchMode::Each, Conditions::none());
    assert_eq!(kind(&result), "forbidden");
}
