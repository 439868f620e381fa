//! One person alone cannot get round a second person's approval, whatever accounts and keys that
//! person makes.

use crate::support;

use fingerpost_registry::{
    Actor, AuditFilter, Caller, Denial, Id, Membership, NewKey, NewUser, OrganisationChange,
    RegistryError, Role, Secret, UserChange, Verb,
};
use support::*;

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
    fixture
}

fn id_of(caller: &Caller) -> Id {
    let Actor::User(id) = caller.actor() else { panic!("not a person") };
    *id
}

/// An account whose creator then signs in with it.
fn puppet(fixture: &Fixture, maker: &Caller, login: &str, role: Role) -> Caller {
    let new = NewUser {
        login: login.into(),
        name: String::new(),
        password: Some(Secret::new(PASSWORD)),
        memberships: vec![Membership { organisation: Some(fixture.ours), role }],
    };
    fixture.registry.create_user(maker, new).unwrap();
    fixture.sign_in(login)
}

/// The user changes the password.
fn own_password(fixture: &Fixture, user: &Caller) {
    let (old, new) = (Secret::new(PASSWORD), Secret::new("known to the user alone"));
    fixture.registry.change_password(user, &old, &new, false).unwrap();
}

fn propose(fixture: &Fixture, by: &Caller, title: &str) -> Id {
    let outcome = fixture.put(by, &record(&gtin("0950600013435"), title)).unwrap();
    outcome.proposal.expect("a proposal")
}

/// How approval ends: `done`, or the reason of the refusal.
fn approve(fixture: &Fixture, by: &Caller, id: &Id) -> &'static str {
    match fixture.registry.approve(by, id) {
        Ok(_) => "done",
        Err(RegistryError::Forbidden(Denial::SamePerson)) => "same person",
        Err(RegistryError::Forbidden(Denial::Dependent)) => "dependent",
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn approval_is_switched_off_by_the_installation_only() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let (_, token) = registry
        .create_key(&admin, new_key(Some(fixture.ours), &[Verb::Read, Verb::Admin], None))
        .unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let switch = |by: &Caller, on| {
        let change = OrganisationChange { approval_required: Some(on), ..Default::default() };
        registry.update_organisation(by, &fixture.ours, change)
    };
    for by in [&admin, &key] {
        let refused = switch(by, false);
        assert!(matches!(refused, Err(RegistryError::Forbidden(Denial::FourEyes))), "{refused:?}");
        assert_eq!(kind(&switch(by, true)), "done", "nothing changes");
    }
    propose(&fixture, &admin, "A");
    assert_eq!(kind(&switch(&root(), false)), "done");
    assert_eq!(kind(&switch(&admin, true)), "done", "it is switched on by its own administrators");
}

#[test]
fn one_person_with_many_accounts_is_one_person() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let second = puppet(&fixture, &admin, "second", Role::Admin);
    // Made by the second account, and one more by a key of the second account.
    let third = puppet(&fixture, &second, "third", Role::Approver);
    let all = [Verb::Read, Verb::Write, Verb::Approve, Verb::Admin];
    let (_, token) = registry.create_key(&second, new_key(Some(fixture.ours), &all, None)).unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let fourth = puppet(&fixture, &key, "fourth", Role::Editor);
    // The password of another user's account.
    let victim = fixture.person("victim", Some(fixture.ours), Role::Approver);
    let reset = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&admin, &id_of(&victim), reset.clone()).unwrap();
    let victim = fixture.sign_in("victim");
    let everyone = [&admin, &second, &third, &fourth, &key, &victim];
    for proposer in everyone {
        let id = propose(&fixture, proposer, "A");
        for approver in everyone.iter().filter(|one| ***one != fourth) {
            assert_ne!(approve(&fixture, approver, &id), "done", "{approver:?} for {proposer:?}");
        }
        registry.reject(&root(), &id, None).unwrap();
    }
    // They cannot confirm each other, and nobody confirms by a key.
    for (by, whom) in [(&admin, &second), (&second, &third), (&admin, &victim), (&key, &fourth)] {
        let refused = registry.confirm_user(by, &id_of(whom));
        assert!(matches!(refused, Err(RegistryError::Forbidden(Denial::Dependent))), "{refused:?}");
    }
    // Passwords set in a circle do not free anybody.
    registry.update_user(&second, &id_of(&admin), reset).unwrap();
    let admin = fixture.sign_in("admin");
    let id = propose(&fixture, &admin, "A");
    assert_eq!(approve(&fixture, &second, &id), "dependent");
    assert_eq!(approve(&fixture, &third, &id), "dependent");
}

#[test]
fn a_second_person_confirms_an_account() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let other = fixture.person("other", Some(fixture.ours), Role::Admin);
    let made = puppet(&fixture, &admin, "made", Role::Approver);
    let id = propose(&fixture, &admin, "A");
    assert_eq!(approve(&fixture, &made, &id), "dependent");
    let shown = registry.user(&other, &id_of(&made)).unwrap();
    assert_eq!(shown.set_up_by.as_ref(), Some(admin.actor()));
    let stranger = fixture.person("stranger", Some(fixture.theirs), Role::Admin);
    assert_eq!(kind(&registry.confirm_user(&stranger, &id_of(&made))), "not found");
    assert_eq!(kind(&registry.confirm_user(&made, &id_of(&made))), "not found");
    // Until then, the administrator can sign in with the account.
    assert_eq!(kind(&registry.confirm_user(&other, &id_of(&made))), "conflict");
    assert_eq!(kind(&registry.confirm_user(&root(), &id_of(&made))), "conflict");
    let same = Secret::new(PASSWORD);
    registry.change_password(&made, &same, &same, false).unwrap();
    assert_eq!(kind(&registry.confirm_user(&other, &id_of(&made))), "conflict", "the same one");
    own_password(&fixture, &made);
    assert_eq!(registry.confirm_user(&other, &id_of(&made)).unwrap().set_up_by, None);
    assert_eq!(approve(&fixture, &made, &id), "done");
    let filter = AuditFilter { action: Some("user.confirmed".into()), ..Default::default() };
    assert_eq!(registry.audit(&root(), 1, 10, &filter).unwrap().items.len(), 1);
    // Two who were set up by the installation need no confirmation.
    let id = propose(&fixture, &admin, "B");
    assert_eq!(approve(&fixture, &other, &id), "done");
}

/// An account made with an administrator's key, which anyone may hold, counts as nobody's until it
/// is confirmed.
#[test]
fn an_account_made_with_a_handed_over_key_is_confirmed_first() {
    let fixture = fixture();
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let key = fixture.key(Some(fixture.ours), &[Verb::Read, Verb::Write, Verb::Admin]);
    let made = puppet(&fixture, &key, "made", Role::Approver);
    let id = propose(&fixture, &admin, "A");
    assert_eq!(approve(&fixture, &made, &id), "dependent");
    own_password(&fixture, &made);
    fixture.registry.confirm_user(&root(), &id_of(&made)).unwrap();
    assert_eq!(approve(&fixture, &made, &id), "done");
}

/// Deleting the account that proposed a change does not make its administrator somebody else.
#[test]
fn a_deleted_account_depends_on_those_who_set_it_up() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let b = fixture.person("b", Some(fixture.ours), Role::Admin);
    let c = puppet(&fixture, &b, "c", Role::Editor);
    let id = propose(&fixture, &c, "by c");
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    registry.erase_person(&b, &id_of(&c)).unwrap();
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    registry.reject(&b, &id, None).unwrap();

    // A chain: b made c, c made d, and c is deleted.
    let c = puppet(&fixture, &b, "c", Role::Admin);
    let d = puppet(&fixture, &c, "d", Role::Editor);
    registry.erase_person(&b, &id_of(&c)).unwrap();
    let id = propose(&fixture, &d, "by d");
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    registry.reject(&b, &id, None).unwrap();

    // A key that c gave to the organisation outlives c.
    let c = puppet(&fixture, &b, "c", Role::Admin);
    let new = new_key(Some(fixture.ours), &[Verb::Read, Verb::Write], None);
    let new = NewKey { for_organisation: true, ..new };
    let (_, token) = registry.create_key(&c, new).unwrap();
    registry.erase_person(&b, &id_of(&c)).unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let id = propose(&fixture, &key, "by a key of c");
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    // Somebody independent of b can still decide.
    let other = fixture.person("other", Some(fixture.ours), Role::Approver);
    assert_eq!(approve(&fixture, &other, &id), "done");
}

/// What was proposed while b could sign in as c stays b's, whatever becomes of the account of c.
#[test]
fn a_proposal_keeps_the_principals_it_was_made_with() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let b = fixture.person("b", Some(fixture.ours), Role::Admin);
    let d = fixture.person("d", Some(fixture.ours), Role::Admin);
    let c = puppet(&fixture, &b, "c", Role::Admin);
    let all = [Verb::Read, Verb::Write, Verb::Approve, Verb::Admin];
    let (_, token) = registry.create_key(&c, new_key(Some(fixture.ours), &all, None)).unwrap();
    let before = propose(&fixture, &c, "before");
    // The user of c gets the account.
    own_password(&fixture, &c);
    assert_eq!(registry.confirm_user(&d, &id_of(&c)).unwrap().set_up_by, None);
    assert_eq!(approve(&fixture, &b, &before), "dependent");
    registry.reject(&b, &before, None).unwrap();
    // b may have kept the key that was made before.
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let by_key = propose(&fixture, &key, "by the key");
    assert_eq!(approve(&fixture, &b, &by_key), "dependent");
    registry.reject(&b, &by_key, None).unwrap();
    // With it b sets the password of c again.
    let reset = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&key, &id_of(&c), reset.clone()).unwrap();
    let c = fixture.sign_in("c");
    let id = propose(&fixture, &c, "after the reset by the key");
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    // d sets it: from now on d may act as c, but what c proposed before stays b's.
    registry.update_user(&d, &id_of(&c), reset).unwrap();
    assert_eq!(approve(&fixture, &b, &id), "dependent");
    registry.reject(&b, &id, None).unwrap();
    let c = fixture.sign_in("c");
    let id = propose(&fixture, &c, "after the reset by d");
    assert_eq!(approve(&fixture, &d, &id), "dependent");
    assert_eq!(approve(&fixture, &b, &id), "done");
}

/// In a store of an earlier release only the one who set up an account is noted.
#[test]
fn accounts_that_were_deleted_before_the_upgrade_depend_on_everyone() {
    let fixture = fixture();
    let registry = &fixture.registry;
    let b = fixture.person("b", Some(fixture.ours), Role::Admin);
    let other = fixture.person("other", Some(fixture.ours), Role::Admin);
    let c = puppet(&fixture, &b, "c", Role::Admin);
    let d = puppet(&fixture, &c, "d", Role::Editor);
    let e = puppet(&fixture, &b, "e", Role::Editor);
    let [by_c, by_d, by_e] = [(&c, 1), (&d, 2), (&e, 3)].map(|(by, number)| {
        let level = gtin(&format!("0950600{number:06}"));
        fixture.put(by, &record(&level, "A")).unwrap().proposal.unwrap()
    });
    let (_, token) = registry
        .create_key(&b, new_key(Some(fixture.ours), &[Verb::Read, Verb::Write], None))
        .unwrap();
    registry.erase_person(&b, &id_of(&c)).unwrap();
    forget_principals(&fixture);
    for id in [&by_c, &by_d, &by_e] {
        assert_eq!(approve(&fixture, &other, id), "dependent", "nothing is known yet");
    }
    registry.determine_principals().unwrap();
    assert_eq!(approve(&fixture, &other, &by_e), "done", "b and e exist");
    assert_eq!(approve(&fixture, &other, &by_c), "dependent", "c was deleted");
    assert_eq!(approve(&fixture, &other, &by_d), "dependent", "who made d was deleted");
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let id = propose(&fixture, &key, "by a key");
    assert_eq!(approve(&fixture, &b, &id), "same person");
    assert_eq!(approve(&fixture, &other, &id), "done", "the key is b's");
    // An administrator of the installation confirms d.
    own_password(&fixture, &d);
    assert_eq!(kind(&registry.confirm_user(&other, &id_of(&d))), "forbidden");
    assert_eq!(kind(&registry.confirm_user(&root(), &id_of(&d))), "done");
    let id = propose(&fixture, &d, "by d");
    assert_eq!(approve(&fixture, &b, &id), "done");
    // It happens once.
    forget_principals(&fixture);
    registry.determine_principals().unwrap();
    let id = propose(&fixture, &b, "again");
    assert_eq!(approve(&fixture, &other, &id), "dependent");
}

/// Stores accounts, keys and proposals as earlier releases did.
fn forget_principals(fixture: &Fixture) {
    let store = fixture.registry.store();
    for collection in ["users", "keys", "proposals"] {
        let forget = move |tx: &mut fingerpost_store::Transaction<'_>| {
            for (id, bytes) in tx.documents(collection, None, 1_000)? {
                let mut value: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                value.as_object_mut().unwrap().remove("principals");
                tx.put_document(collection, &id, value.to_string().as_bytes())?;
            }
            Ok::<_, fingerpost_store::StoreError>(())
        };
        store.transact(forget).unwrap();
    }
}
