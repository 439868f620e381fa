//! Keys that people make for themselves: never more than the person, and gone with them.

use crate::support;

use fingerpost_registry::{Actor, Caller, Membership, NewKey, Role, Secret, UserChange, Verb};
use jiff::SignedDuration;
use support::*;

fn own(fixture: &Fixture, caller: &Caller, verbs: &[Verb], hours: i64) -> &'static str {
    kind(&fixture.registry.create_key(caller, new(fixture, verbs, hours)))
}

fn new(fixture: &Fixture, verbs: &[Verb], hours: i64) -> NewKey {
    let expires = Some(clock() + SignedDuration::from_hours(hours));
    NewKey { expires, ..new_key(Some(fixture.ours), verbs, None) }
}

#[test]
fn people_make_keys_within_their_own_rights() {
    let fixture = Fixture::new();
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    assert_eq!(own(&fixture, &editor, &[Verb::Read, Verb::Write], 24), "done");
    assert_eq!(own(&fixture, &editor, &[Verb::Read], 366 * 24), "invalid", "at most a year");
    for verbs in [[Verb::Approve], [Verb::Admin]] {
        assert_eq!(own(&fixture, &editor, &verbs, 24), "forbidden");
    }
    let everywhere = NewKey { organisation: None, ..new(&fixture, &[Verb::Read], 24) };
    assert_eq!(kind(&fixture.registry.create_key(&editor, everywhere)), "forbidden");
    let elsewhere =
        NewKey { organisation: Some(fixture.theirs), ..new(&fixture, &[Verb::Read], 24) };
    assert_eq!(kind(&fixture.registry.create_key(&editor, elsewhere)), "not found");
    let endless = new_key(Some(fixture.ours), &[Verb::Read], None);
    assert_eq!(kind(&fixture.registry.create_key(&editor, endless)), "invalid");
}

#[test]
fn an_own_key_shrinks_and_ends_with_its_person() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let Actor::User(id) = editor.actor().clone() else { panic!("not a person") };
    let (made, token) =
        registry.create_key(&editor, new(&fixture, &[Verb::Read, Verb::Write], 24)).unwrap();
    assert_eq!(made.created_by, Actor::User(id));
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let level_text = gtin("0950600013435");
    let put = |title: &str| kind(&fixture.put(&key, &record(&level_text, title)));
    let read = || kind(&registry.read(&key, &level(&level_text)));
    assert_eq!((put("A"), read()), ("done", "done"));
    let set = |change: UserChange| registry.update_user(&root(), &id, change).unwrap();
    let role = |role| vec![Membership { organisation: Some(fixture.ours), role }];
    set(UserChange { memberships: Some(role(Role::Reader)), ..Default::default() });
    assert_eq!((put("B"), read()), ("forbidden", "done"));
    // A higher role gives the key no more than it was made with.
    set(UserChange { memberships: Some(role(Role::Admin)), ..Default::default() });
    assert_eq!((put("B"), kind(&registry.users(&key, None, 10))), ("done", "forbidden"));
    set(UserChange { disabled: Some(true), ..Default::default() });
    assert_eq!((put("C"), read()), ("unauthenticated", "unauthenticated"));
    set(UserChange { disabled: Some(false), ..Default::default() });
    assert_eq!(read(), "done");
    registry.erase_person(&root(), &id).unwrap();
    assert_eq!(read(), "unauthenticated");
}

#[test]
fn own_keys_are_seen_and_revoked_by_their_person_and_administrators() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let editor = fixture.person("editor", Some(fixture.ours), Role::Editor);
    let other = fixture.person("other", Some(fixture.ours), Role::Editor);
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let make = || registry.create_key(&editor, new(&fixture, &[Verb::Read], 24)).unwrap();
    let (first, second, third) = (make(), make(), make());
    fixture.key(Some(fixture.ours), &[Verb::Read]);
    let seen = |caller| registry.keys(caller, None, None, 10).unwrap().items.len();
    assert_eq!((seen(&editor), seen(&other), seen(&admin)), (3, 0, 4));
    assert_eq!(kind(&registry.key(&other, &first.0.id)), "not found");
    assert_eq!(kind(&registry.revoke_key(&other, &first.0.id)), "not found");
    assert_eq!(kind(&registry.revoke_key(&editor, &first.0.id)), "done");
    assert_eq!(kind(&registry.revoke_key(&admin, &second.0.id)), "done");
    // A key ends itself.
    let key = registry.authenticate_key(&third.1, &client()).unwrap();
    assert_eq!(kind(&registry.revoke_key(&key, &third.0.id)), "done");
    for (_, token) in [first, second, third] {
        assert_eq!(kind(&registry.authenticate_key(&token, &client())), "unauthenticated");
    }
    assert_eq!(kind(&registry.authenticate_key(&Secret::new(""), &client())), "unauthenticated");
}
