//! Signing in, sessions, and what is left of a person.

use crate::support;

use fingerpost_registry::{
    Actor, AuditFilter, ClientInfo, Federated, Membership, NewUser, Registry, RegistryError,
    RegistryOptions, Role, Secret, UserChange, Verb, Via,
};
use jiff::SignedDuration;
use support::*;

#[test]
fn sign_in_tells_nothing_about_logins() {
    let fixture = Fixture::new();
    fixture.member("ada", Some(fixture.ours), Role::Reader);
    let registry = &fixture.registry;
    let attempt = |login: &str, password: &str| {
        kind(&registry.sign_in(login, &Secret::new(password), &client()))
    };
    assert_eq!(attempt("ADA", PASSWORD), "done", "letter case does not count");
    for login in ["ada", "nobody"] {
        assert_eq!(attempt(login, "a wrong password"), "unauthenticated");
    }
    let texts = ["ada", "nobody", "", "\0", &"x".repeat(10_000)].map(|login| {
        registry.sign_in(login, &Secret::new("wrong"), &client()).unwrap_err().to_string()
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    // People without a password, and disabled ones, have none that is right.
    let new =
        NewUser { login: "none".into(), name: String::new(), password: None, memberships: vec![] };
    registry.create_user(&root(), new).unwrap();
    assert_eq!(attempt("none", ""), "unauthenticated");
}

#[test]
fn guessing_is_throttled_for_any_login() {
    let fixture = Fixture::new();
    fixture.member("ada", Some(fixture.ours), Role::Reader);
    let attempts = |login: &str| {
        let client = ClientInfo::new(Via::Console);
        (0..12)
            .map(|_| kind(&fixture.registry.sign_in(login, &Secret::new("guess"), &client)))
            .collect::<Vec<_>>()
    };
    let known = attempts("ada");
    assert_eq!(known, attempts("nobody"));
    assert_eq!((known[9], known[10]), ("unauthenticated", "throttled"));
    let result =
        fixture.registry.sign_in("ada", &Secret::new(PASSWORD), &ClientInfo::new(Via::Console));
    let Err(RegistryError::Throttled { retry_after }) = result else { panic!("not throttled") };
    assert!(!retry_after.is_zero());
    // Refused attempts are in the log, without what was typed.
    let filter = AuditFilter { action: Some("session.refused".into()), ..Default::default() };
    let log = fixture.registry.audit(&root(), 1, 100, &filter).unwrap().items;
    assert_eq!(log.len(), 20);
    assert!(
        log.iter()
            .all(|record| !record.json().contains("guess") && !record.json().contains("nobody"))
    );
}

/// Two processes over one store: their own throttles know half of the attempts each.
#[test]
fn failed_attempts_count_for_all_nodes_of_a_store() {
    let fixture = Fixture::new();
    fixture.member("ada", Some(fixture.ours), Role::Reader);
    let node = || {
        let options = RegistryOptions::new().clock(clock);
        Registry::new(fixture.registry.store().clone(), options)
    };
    let nodes = [node(), node()];
    let attempt = |at: usize, login: &str, password: &str| {
        kind(&nodes[at % 2].sign_in(login, &Secret::new(password), &ClientInfo::new(Via::Console)))
    };
    for login in ["ada", "nobody"] {
        // What succeeds does not count.
        let right = if login == "ada" { "done" } else { "unauthenticated" };
        assert_eq!(attempt(0, login, PASSWORD), right);
        let failures = if login == "ada" { 10 } else { 9 };
        for at in 0..failures {
            assert_eq!(attempt(at, login, "guess"), "unauthenticated", "{login} {at}");
        }
        assert_eq!([0, 1].map(|at| attempt(at, login, PASSWORD)), ["throttled"; 2], "{login}");
    }
    // One more each half minute; a clock that was far ahead locks nobody out for longer than a full
    // bucket.
    pass(SignedDuration::from_secs(31));
    assert_eq!(attempt(1, "ada", PASSWORD), "done");
}

#[test]
fn sessions_end_in_time() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    fixture.member("ada", Some(fixture.ours), Role::Reader);
    let sign_in = || registry.sign_in("ada", &Secret::new(PASSWORD), &client()).unwrap();
    let first = sign_in();
    let lives = |token: &Secret| kind(&registry.session(token, &client()));
    let (_, again) = registry.session(&first.token, &client()).unwrap();
    assert_eq!(again.csrf.expose(), first.csrf.expose(), "it comes again after a reload");
    assert!(
        first.csrf_is(again.csrf.expose())
            && !first.csrf_is("")
            && !first.csrf_is(first.token.expose())
    );
    assert_eq!(lives(&Secret::new("fps_wrong")), "unauthenticated");
    // Used now and then it lives for twelve hours; unused for one.
    for _ in 0..22 {
        pass(SignedDuration::from_mins(30));
        assert_eq!(lives(&first.token), "done");
        registry.flush_usage().unwrap();
    }
    assert_eq!(kind(&registry.sessions(&first.caller(&client()))), "done");
    pass(SignedDuration::from_mins(61));
    assert_eq!(lives(&first.token), "unauthenticated", "after twelve hours");
    let second = sign_in();
    pass(SignedDuration::from_mins(63));
    assert_eq!(lives(&second.token), "unauthenticated", "unused");
    let third = sign_in();
    assert_eq!(registry.sessions(&third.caller(&client())).unwrap().len(), 1);
    registry.sign_out(&third.token, &client()).unwrap();
    registry.sign_out(&third.token, &client()).unwrap();
    assert_eq!(lives(&third.token), "unauthenticated", "signed out");
}

#[test]
fn a_new_password_ends_the_other_sessions() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let id = fixture.member("ada", Some(fixture.ours), Role::Reader);
    let sign_in = || registry.sign_in("ada", &Secret::new(PASSWORD), &client());
    let (one, other) = (sign_in().unwrap(), sign_in().unwrap());
    let change = |old: &str, new: &str| {
        let (old, new) = (Secret::new(old), Secret::new(new));
        registry.change_password(&one.caller(&client()), &old, &new, false)
    };
    assert_eq!(kind(&change("wrong", "another password")), "unauthenticated");
    assert_eq!(kind(&change(PASSWORD, "short")), "invalid");
    assert_eq!(kind(&change(PASSWORD, "another password")), "done");
    assert_eq!(kind(&registry.session(&one.token, &client())), "done");
    assert_eq!(kind(&registry.session(&other.token, &client())), "unauthenticated");
    assert_eq!(kind(&sign_in()), "unauthenticated");
    let change = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&root(), &id, change).unwrap();
    assert_eq!(kind(&registry.session(&one.token, &client())), "unauthenticated");
    assert_eq!(kind(&sign_in()), "done");
    let key = fixture.key(None, &[Verb::Read]);
    let result = {
        let password = Secret::new(PASSWORD);
        registry.change_password(&key, &password, &password, false)
    };
    assert_eq!(kind(&result), "unauthenticated");
}

#[test]
fn faults_of_new_people_come_at_once() {
    let fixture = Fixture::new();
    let new = |login: &str| NewUser {
        login: login.into(),
        name: "a\nb".into(),
        password: Some(Secret::new("short")),
        memberships: vec![Membership { organisation: None, role: Role::Reader }; 2],
    };
    let error = fixture.registry.create_user(&root(), new("a b")).unwrap_err();
    let positions: Vec<_> = faults(&error).into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, ["/login", "/name", "/password", "/memberships"]);
    assert!(!error.to_string().contains("short,") && !format!("{error:?}").contains("\"short\""));
    fixture.member("Ada", None, Role::Reader);
    let taken =
        NewUser { login: "ADA".into(), name: String::new(), password: None, memberships: vec![] };
    assert_eq!(kind(&fixture.registry.create_user(&root(), taken)), "conflict");
}

#[test]
fn others_may_vouch_for_people() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    fixture.member("ada", Some(fixture.theirs), Role::Admin);
    let claims = |role, subject: &str| Federated {
        issuer: "https://id.example".into(),
        subject: subject.into(),
        name: "Ada".into(),
        login: "ada".into(),
        memberships: vec![Membership { organisation: Some(fixture.ours), role }],
    };
    let first = registry.sign_in_federated(&claims(Role::Reader, "1"), &client()).unwrap();
    // A login that is taken is not taken over.
    assert_ne!(first.user.login, "ada");
    let key = gtin("0950600013435");
    assert_eq!(kind(&fixture.put(&first.caller(&client()), &record(&key, "A"))), "forbidden");
    let again = registry.sign_in_federated(&claims(Role::Editor, "1"), &client()).unwrap();
    assert_eq!(again.user.id, first.user.id);
    assert_eq!(kind(&fixture.put(&again.caller(&client()), &record(&key, "A"))), "done");
    let other = registry.sign_in_federated(&claims(Role::Reader, "2"), &client()).unwrap();
    assert_ne!(other.user.id, first.user.id);
    assert_eq!(
        kind(&registry.sign_in(&first.user.login, &Secret::new(""), &client())),
        "unauthenticated"
    );
    let change = UserChange { disabled: Some(true), ..Default::default() };
    registry.update_user(&root(), &first.user.id, change).unwrap();
    let refused = registry.sign_in_federated(&claims(Role::Admin, "1"), &client());
    assert_eq!(kind(&refused), "unauthenticated");
}

#[test]
fn who_gets_no_role_any_more_keeps_none() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let claims = |memberships: &[Membership]| Federated {
        issuer: "https://id.example".into(),
        subject: "1".into(),
        name: "Ada".into(),
        login: "ada".into(),
        memberships: memberships.to_vec(),
    };
    let editor = [Membership { organisation: Some(fixture.ours), role: Role::Editor }];
    assert_eq!(
        kind(&registry.sign_in_federated(&claims(&[]), &client())),
        "unauthenticated",
        "nobody gets an account without a role"
    );
    let signed_in = registry.sign_in_federated(&claims(&editor), &client()).unwrap();
    let refused = registry.sign_in_federated(&claims(&[]), &client());
    assert_eq!(kind(&refused), "unauthenticated");
    assert_eq!(kind(&registry.session(&signed_in.token, &client())), "unauthenticated");
    assert_eq!(registry.user(&root(), &signed_in.user.id).unwrap().memberships, []);
    let told = |action: &str| {
        let filter = AuditFilter { action: Some(action.into()), ..Default::default() };
        registry.audit(&root(), 1, 100, &filter).unwrap().items.len()
    };
    assert_eq!((told("session.refused"), told("user.changed")), (2, 1));
}

#[test]
fn a_person_is_erased_and_the_log_stays_whole() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ada = fixture.person("ada.lovelace", Some(fixture.ours), Role::Admin);
    let Actor::User(id) = ada.actor().clone() else { panic!("not a person") };
    let (_, token) =
        registry.create_key(&ada, new_key(Some(fixture.ours), &[Verb::Write], None)).unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    let level_text = gtin("0950600013435");
    fixture.put(&ada, &record(&level_text, "A")).unwrap();
    fixture.put(&key, &record(&level_text, "B")).unwrap();
    let wrong = registry.sign_in("ada.lovelace", &Secret::new("wrong"), &client());
    assert_eq!(kind(&wrong), "unauthenticated");
    let personal = || {
        let log = registry.audit(&root(), 1, 1_000, &AuditFilter::default()).unwrap().items;
        // Attempts on logins that nobody has are nobody's.
        let known = log.iter().filter(|record| record.actor() != "sign-in");
        known.filter(|record| record.personal().is_some()).count()
    };
    assert!(personal() >= 4);
    registry.erase_person(&root(), &id).unwrap();
    assert_eq!(personal(), 0, "name and addresses, also of their key and of attempts");
    assert_eq!(kind(&registry.user(&root(), &id)), "not found");
    assert_eq!(
        kind(&registry.sign_in("ada.lovelace", &Secret::new(PASSWORD), &client())),
        "unauthenticated"
    );
    assert_eq!(kind(&registry.read(&ada, &level(&level_text))), "unauthenticated");
    // Their actions stay in the log, under an id.
    let by = registry.history(&root(), &level(&level_text)).unwrap()[1].by.clone().unwrap();
    assert_eq!((by.actor, by.name), (format!("user:{id}"), None));
    let report = registry.verify_audit(&root(), None).unwrap();
    assert!(report.is_sound() && report.erased() >= 4, "{:?}", report.faults());
    // A user who erases their own account leaves no personal data either.
    let eve = fixture.person("eve", None, Role::Admin);
    let Actor::User(eve_id) = eve.actor().clone() else { panic!("not a person") };
    registry.erase_person(&eve, &eve_id).unwrap();
    assert_eq!(personal(), 0);
    assert!(registry.verify_audit(&root(), None).unwrap().is_sound());
    // The login is free again.
    fixture.member("ada.lovelace", None, Role::Reader);
}
