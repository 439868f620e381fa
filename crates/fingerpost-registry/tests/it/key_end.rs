//! Keys end with their secrets and their users: rotation, a new password, users of another identity
//! provider who left.

use crate::support;

use std::time::Duration;

use fingerpost_registry::{
    Actor, ApiKey, AuditFilter, Caller, Denial, Federated, Id, KeyRotation, Membership, NewKey,
    Registry, RegistryError, RegistryOptions, Role, Secret, UserChange, Verb,
};
use jiff::SignedDuration;
use support::*;

fn id_of(caller: &Caller) -> Id {
    let Actor::User(id) = caller.actor() else { panic!("not a person") };
    *id
}

fn works(registry: &Registry, token: &Secret) -> bool {
    let caller = registry.authenticate_key(token, &client());
    caller.and_then(|caller| registry.organisations(&caller, None, 1)).is_ok()
}

fn rotate(
    registry: &Registry,
    by: &Caller,
    id: &Id,
    hours: Option<i64>,
) -> Result<(ApiKey, Secret), RegistryError> {
    let previous_until = hours.map(|hours| clock() + SignedDuration::from_hours(hours));
    registry.rotate_key(by, id, &KeyRotation { previous_until })
}

#[test]
fn a_rotated_key_has_two_secrets_for_a_stated_time() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("admin", Some(fixture.ours), Role::Admin);
    let new = new_key(Some(fixture.ours), &[Verb::Read], None);
    let (key, first) = registry.create_key(&admin, new).unwrap();
    let (rotated, second) = rotate(registry, &admin, &key.id, None).unwrap();
    let until = rotated.previous_until.unwrap();
    assert_eq!(until.duration_since(rotated.rotated.unwrap()).as_hours(), 24, "by default");
    assert_eq!(registry.key(&admin, &key.id).unwrap().previous_until, Some(until), "it is listed");
    assert!(works(registry, &first) && works(registry, &second));
    assert_ne!(first.expose(), second.expose());
    pass(SignedDuration::from_hours(24) + SignedDuration::from_secs(1));
    assert!(!works(registry, &first) && works(registry, &second), "after 24 hours");
    let admin = fixture.sign_in("admin");
    assert_eq!(kind(&rotate(registry, &admin, &key.id, Some(30 * 24 + 1))), "invalid");
    // The secret before the last one ends at once; with a time in the past, the last one too.
    let (_, third) = rotate(registry, &admin, &key.id, Some(30 * 24 - 1)).unwrap();
    let (_, fourth) = rotate(registry, &admin, &key.id, None).unwrap();
    assert_eq!([&second, &third, &fourth].map(|one| works(registry, one)), [false, true, true]);
    let (ended, fifth) = rotate(registry, &admin, &key.id, Some(-1)).unwrap();
    assert_eq!([&third, &fourth, &fifth].map(|one| works(registry, one)), [false, false, true]);
    assert_eq!(ended.previous_until, None);
    // A key rotates itself; a revoked one has no secret at all.
    let itself = registry.authenticate_key(&fifth, &client()).unwrap();
    let (_, sixth) = rotate(registry, &itself, &key.id, None).unwrap();
    registry.revoke_key(&admin, &key.id).unwrap();
    assert!(!works(registry, &fifth) && !works(registry, &sixth));
    assert_eq!(kind(&rotate(registry, &admin, &key.id, None)), "conflict");
    assert!(registry.verify_audit(&root(), None).unwrap().is_sound());
    let filter = AuditFilter { action: Some("key.rotated".into()), ..Default::default() };
    assert_eq!(registry.audit(&root(), 1, 10, &filter).unwrap().items.len(), 5);
}

/// A leaked secret that was replaced works on for a while, but cannot shut the owner of the key
/// out.
#[test]
fn the_previous_secret_cannot_change_its_key() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ours = Some(fixture.ours);
    let admin = fixture.person("admin", ours, Role::Admin);
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    let (key, first) = registry.create_key(&admin, new_key(ours, &all, None)).unwrap();
    let before = registry.authenticate_key(&first, &client()).unwrap();
    let (_, second) = rotate(registry, &admin, &key.id, None).unwrap();
    let after = registry.authenticate_key(&first, &client()).unwrap();
    let current = registry.authenticate_key(&second, &client()).unwrap();
    // Authenticated before the rotation or after it: it is the previous secret.
    for leaked in [&before, &after] {
        let refused = rotate(registry, leaked, &key.id, Some(-1));
        let denied = |error: &RegistryError| {
            matches!(error, RegistryError::Forbidden(Denial::PreviousSecret))
        };
        assert!(refused.as_ref().is_err_and(denied), "{refused:?}");
        let refused = registry.revoke_key(leaked, &key.id);
        assert!(refused.as_ref().is_err_and(denied), "{refused:?}");
        // Nor by another key or account that it makes.
        assert_eq!(kind(&registry.create_key(leaked, new_key(ours, &all, None))), "forbidden");
        let reset =
            UserChange { password: Some(Secret::new("set by a thief")), ..Default::default() };
        assert_eq!(kind(&registry.update_user(leaked, &id_of(&admin), reset)), "not found");
        // It still reads and writes, so that programs can be changed one after the other.
        let level = gtin("0950600013435");
        assert_eq!(kind(&fixture.put(leaked, &record(&level, "A"))), "done");
    }
    assert!(works(registry, &second), "the owner is not shut out");
    let (_, third) = rotate(registry, &current, &key.id, None).unwrap();
    assert!(!works(registry, &first) && works(registry, &second) && works(registry, &third));
    assert_eq!(kind(&registry.organisations(&before, None, 1)), "unauthenticated");
    // The audit log says which secret acted.
    let filter = AuditFilter { action: Some("key.rotated".into()), ..Default::default() };
    let records = registry.audit(&root(), 1, 10, &filter).unwrap().items;
    let numbers = records.iter().map(|record| {
        let number = |name| record.details().get(name).and_then(serde_json::Value::as_u64);
        (record.actor().starts_with("key:"), number("secret"), number("newSecret"))
    });
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort();
    assert_eq!(numbers, [(false, None, Some(2)), (true, Some(2), Some(3))]);
}

/// A change need not ask who has a key that was authenticated a moment ago, because it asks whether
/// the key is valid.
#[test]
fn a_key_authenticated_a_moment_ago_has_the_rights_that_it_has_now() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let new = || new_key(Some(fixture.ours), &[Verb::Read, Verb::Write], None);
    let (key, token) = registry.create_key(&root(), new()).unwrap();
    let level = gtin("0950600013435");
    let put = |caller: &Caller| kind(&fixture.put(caller, &record(&level, "A")));
    assert!(registry.recall_key(&token, &client()).is_none(), "it was not authenticated");
    let (admitted, organisations) = registry.admit_key(&token, &client()).unwrap();
    let wrong = Secret::new(format!("{}x", &token.expose()[..token.expose().len() - 1]));
    assert!(registry.admit_key(&wrong, &client()).is_err());
    assert!(registry.recall_key(&wrong, &client()).is_none());
    let client = client().user_agent("curl/8");
    let (recalled, again) = registry.recall_key(&token, &client).unwrap();
    assert_eq!((recalled.actor(), again), (admitted.actor(), organisations));
    assert_eq!(recalled.client(), &client, "of this request");
    assert_eq!(put(&recalled), "done");
    // The secret is replaced at once.
    let (_, second) = rotate(registry, &root(), &key.id, Some(-1)).unwrap();
    assert_eq!(put(&registry.recall_key(&token, &client).unwrap().0), "unauthenticated");
    registry.admit_key(&second, &client).unwrap();
    assert_eq!(put(&registry.recall_key(&second, &client).unwrap().0), "done");
    registry.revoke_key(&root(), &key.id).unwrap();
    assert_eq!(put(&registry.recall_key(&second, &client).unwrap().0), "unauthenticated");
    pass(SignedDuration::from_secs(2));
    assert!(registry.recall_key(&second, &client).is_none());
}

/// Of two rotations by the same secret at once, one is refused.
#[test]
fn two_rotations_at_once_leave_one_new_secret() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (key, token) =
        registry.create_key(&root(), new_key(Some(fixture.ours), &[Verb::Read], None)).unwrap();
    let caller = registry.authenticate_key(&token, &client()).unwrap();
    let results = std::thread::scope(|scope| {
        let rotate = || rotate(registry, &caller, &key.id, None);
        let threads = [scope.spawn(rotate), scope.spawn(rotate)];
        threads.map(|thread| thread.join().unwrap())
    });
    let (done, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((done.len(), refused.len()), (1, 1));
    assert_eq!(kind(&refused.into_iter().next().unwrap()), "forbidden");
    let (_, new) = done.into_iter().next().unwrap().unwrap();
    assert!(works(registry, &new) && works(registry, &token));
}

#[test]
fn rotation_gives_nobody_the_permissions_of_another() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ours = Some(fixture.ours);
    let admin = fixture.person("admin", ours, Role::Admin);
    let editor = fixture.person("editor", ours, Role::Editor);
    let soon = Some(clock() + SignedDuration::from_hours(24));
    let own = NewKey { expires: soon, ..new_key(ours, &[Verb::Read, Verb::Write], None) };
    let (of_editor, _) = registry.create_key(&editor, own).unwrap();
    let (weak, token) = registry.create_key(&admin, new_key(ours, &[Verb::Read], None)).unwrap();
    let weak_caller = registry.authenticate_key(&token, &client()).unwrap();
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    let (strong, _) = registry.create_key(&admin, new_key(ours, &all, None)).unwrap();
    let kept = NewKey { for_organisation: true, ..new_key(ours, &[Verb::Write], None) };
    let (kept, _) = registry.create_key(&admin, kept).unwrap();
    let other = fixture.person("other", ours, Role::Admin);
    for (by, id) in [(&admin, of_editor.id), (&root(), of_editor.id), (&other, kept.id)] {
        let refused = rotate(registry, by, &id, None);
        let is_other = matches!(refused, Err(RegistryError::Forbidden(Denial::OtherKey)));
        assert!(is_other, "{by:?}");
    }
    assert_eq!(kind(&rotate(registry, &weak_caller, &strong.id, None)), "forbidden");
    assert_eq!(kind(&rotate(registry, &editor, &strong.id, None)), "not found");
    assert_eq!(kind(&rotate(registry, &editor, &of_editor.id, None)), "done");
    assert_eq!(kind(&rotate(registry, &weak_caller, &weak.id, None)), "done");
    assert_eq!(kind(&rotate(registry, &root(), &kept.id, None)), "done");
    // With fewer permissions than the key has, its maker no longer gets a secret.
    let reader = vec![Membership { organisation: ours, role: Role::Reader }];
    let change = UserChange { memberships: Some(reader), ..Default::default() };
    registry.update_user(&root(), &id_of(&editor), change).unwrap();
    assert_eq!(kind(&rotate(registry, &editor, &of_editor.id, None)), "forbidden");
}

#[test]
fn a_key_of_an_administrator_ends_with_the_role_unless_it_is_the_organisations() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ours = Some(fixture.ours);
    let admin = fixture.person("admin", ours, Role::Admin);
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    let make = |by: &Caller, for_organisation| {
        let new = NewKey { for_organisation, ..new_key(ours, &all, None) };
        registry.create_key(by, new).unwrap()
    };
    let (own, organisations) = (make(&admin, false), make(&admin, true));
    let by_key = |token: &Secret| registry.authenticate_key(token, &client()).unwrap();
    let (of_own, of_organisations) =
        (make(&by_key(&own.1), false), make(&by_key(&organisations.1), false));
    let editor = fixture.person("editor", ours, Role::Editor);
    let asked = NewKey { for_organisation: true, ..new_key(ours, &[Verb::Read], None) };
    assert_eq!(kind(&registry.create_key(&editor, asked)), "forbidden");
    let reader = vec![Membership { organisation: ours, role: Role::Reader }];
    let change = UserChange { memberships: Some(reader), ..Default::default() };
    registry.update_user(&root(), &id_of(&admin), change).unwrap();
    let level_text = gtin("0950600013435");
    let put = |token: &Secret, title: &str| {
        kind(&fixture.put(&by_key(token), &record(&level_text, title)))
    };
    assert_eq!((put(&own.1, "A"), put(&of_own.1, "A")), ("forbidden", "forbidden"));
    assert_eq!((put(&organisations.1, "B"), put(&of_organisations.1, "C")), ("done", "done"));
    let change = UserChange { disabled: Some(true), ..Default::default() };
    registry.update_user(&root(), &id_of(&admin), change).unwrap();
    assert!(!works(registry, &own.1) && !works(registry, &of_own.1));
    assert!(works(registry, &organisations.1));
}

#[test]
fn a_reset_of_the_password_revokes_keys_and_a_change_asks() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ours = Some(fixture.ours);
    let admin = fixture.person("admin", ours, Role::Admin);
    let make = |for_organisation| {
        let new = NewKey { for_organisation, ..new_key(ours, &[Verb::Read], None) };
        registry.create_key(&fixture.sign_in("admin"), new).unwrap().1
    };
    let (first, kept) = (make(false), make(true));
    let password = Secret::new(PASSWORD);
    registry.change_password(&admin, &password, &password, false).unwrap();
    assert!(works(registry, &first), "the user decides");
    registry.change_password(&admin, &password, &password, true).unwrap();
    assert!(!works(registry, &first) && works(registry, &kept));
    let second = make(false);
    let reset = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&root(), &id_of(&admin), reset).unwrap();
    assert!(!works(registry, &second) && works(registry, &kept));
    let filter = AuditFilter { action: Some("key.revoked".into()), ..Default::default() };
    assert_eq!(registry.audit(&root(), 1, 10, &filter).unwrap().items.len(), 2);
}

#[test]
fn keys_of_a_user_whom_the_provider_has_not_seen_stop_working() {
    let fixture = Fixture::new();
    let options = RegistryOptions::new().clock(clock);
    let options = options.federated_keys(Duration::from_secs(7 * 24 * 60 * 60));
    let registry = Registry::new(fixture.registry.store().clone(), options);
    let who = Federated {
        issuer: "https://id.example".into(),
        subject: "1".into(),
        name: "Ada".into(),
        login: "ada".into(),
        memberships: vec![Membership { organisation: Some(fixture.ours), role: Role::Admin }],
    };
    let sign_in = || registry.sign_in_federated(&who, &client()).unwrap().caller(&client());
    let (_, token) =
        registry.create_key(&sign_in(), new_key(Some(fixture.ours), &[Verb::Read], None)).unwrap();
    pass(SignedDuration::from_hours(7 * 24) - SignedDuration::from_mins(1));
    assert!(works(&registry, &token));
    pass(SignedDuration::from_mins(2));
    assert!(!works(&registry, &token), "seven days after the sign-in");
    sign_in();
    assert!(works(&registry, &token), "the provider knows the user still");
}
