//! The second factor: RFC 6238 by an implementation of its own, recovery codes, its end; and
//! devices that signed in before.

use crate::support;

use fingerpost_registry::{
    Actor, AuditFilter, Caller, ClientInfo, Id, Membership, Registry, RegistryError,
    RegistryOptions, Role, Secret, SessionChoice, SignedIn, UserChange, Verb, Via,
};
use jiff::SignedDuration;
use support::*;

/// The code that an application shows for a secret.
fn code_at(secret: &str, at: jiff::Timestamp) -> Secret {
    Secret::new(fingerpost_testkit::totp(secret, at.as_second()))
}

struct Enrolled {
    fixture: Fixture,
    caller: Caller,
    secret: String,
    recovery: Vec<Secret>,
}

/// Ada with a second factor, a minute later, so that the code is not used yet.
fn enrolled() -> Enrolled {
    let fixture = Fixture::new();
    let caller = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let registry = &fixture.registry;
    let begun = registry.begin_totp(&caller, &Secret::new(PASSWORD)).unwrap();
    let secret = begun.secret.expose().to_owned();
    let recovery = registry.confirm_totp(&caller, &code_at(&secret, clock())).unwrap();
    pass(SignedDuration::from_secs(60));
    Enrolled { fixture, caller, secret, recovery }
}

impl Enrolled {
    fn code(&self) -> Secret {
        code_at(&self.secret, clock())
    }

    fn sign_in(&self, password: &str, code: Option<&Secret>) -> Result<SignedIn, RegistryError> {
        sign_in(&self.fixture.registry, "ada", password, code, &client())
    }
}

fn sign_in(
    registry: &Registry,
    login: &str,
    password: &str,
    code: Option<&Secret>,
    client: &ClientInfo,
) -> Result<SignedIn, RegistryError> {
    let attempt = registry.attempt(login, client)?;
    registry.finish_sign_in(attempt, &Secret::new(password), code, client)
}

fn id_of(caller: &Caller) -> Id {
    let Actor::User(id) = caller.actor() else { panic!("not a person") };
    *id
}

#[test]
fn sign_in_needs_the_second_factor_once_it_is_confirmed() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let caller = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let other = fixture.sign_in("ada");
    let password = Secret::new(PASSWORD);
    let wrong = registry.begin_totp(&caller, &Secret::new("a wrong password"));
    assert_eq!(kind(&wrong), "unauthenticated");
    assert_eq!(kind(&registry.confirm_totp(&caller, &Secret::new("123456"))), "conflict");
    let begun = registry.begin_totp(&caller, &password).unwrap();
    assert!(begun.uri.expose().starts_with("otpauth://totp/fingerpost:ada?secret="));
    fixture.sign_in("ada"); // nothing has changed yet
    assert_eq!(kind(&registry.confirm_totp(&caller, &Secret::new("12345x"))), "invalid");
    let code = code_at(begun.secret.expose(), clock());
    let recovery = registry.confirm_totp(&caller, &code).unwrap();
    assert_eq!(recovery.len(), 10);
    assert_eq!(kind(&registry.sessions(&caller)), "done");
    assert_eq!(kind(&registry.sessions(&other)), "unauthenticated", "other sessions end");
    assert_eq!(kind(&registry.begin_totp(&caller, &password)), "conflict");
    assert!(registry.user(&root(), &id_of(&caller)).unwrap().second_factor);

    let by = |password: &str, code: Option<&Secret>| {
        kind(&sign_in(registry, "ada", password, code, &client()))
    };
    assert_eq!(by(PASSWORD, None), "code required");
    assert_eq!(by("a wrong password", None), "unauthenticated", "a code tells nothing");
    assert_eq!(by(PASSWORD, Some(&code)), "unauthenticated", "used to confirm");
    assert_eq!(by(PASSWORD, Some(&Secret::new("000000"))), "unauthenticated");
    pass(SignedDuration::from_secs(60));
    let code = code_at(begun.secret.expose(), clock());
    assert_eq!(by("a wrong password", Some(&code)), "unauthenticated");
    assert_eq!(by(PASSWORD, Some(&code)), "done", "a wrong password uses no code up");
    let filter = AuditFilter { action: Some("session.refused".into()), ..Default::default() };
    let refused = registry.audit(&root(), 1, 100, &filter).unwrap().items;
    let of_codes = refused
        .iter()
        .filter(|one| one.details().get("reason").is_some_and(|reason| reason == "code"))
        .count();
    assert_eq!((refused.len(), of_codes), (4, 2));
}

#[test]
fn a_recovery_code_replaces_the_device_once() {
    let ada = enrolled();
    assert_eq!(kind(&ada.sign_in(PASSWORD, Some(&ada.recovery[0]))), "done");
    assert_eq!(kind(&ada.sign_in(PASSWORD, Some(&ada.recovery[0]))), "unauthenticated");
    assert_eq!(kind(&ada.sign_in(PASSWORD, Some(&ada.recovery[1]))), "done");
}

#[test]
fn guessing_codes_is_throttled() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let caller = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let begun = registry.begin_totp(&caller, &Secret::new(PASSWORD)).unwrap();
    let guess = |_| kind(&registry.confirm_totp(&caller, &Secret::new("000000")));
    let guesses: Vec<_> = (0..12).map(guess).collect();
    assert_eq!(guesses[..10], ["invalid"; 10]);
    assert_eq!(guesses[10..], ["throttled"; 2]);
    let code = code_at(begun.secret.expose(), clock());
    assert_eq!(kind(&registry.confirm_totp(&caller, &code)), "throttled", "the right one, too");
}

/// Two processes over one store: their own throttles know half of the attempts each.
#[test]
fn guesses_of_a_user_who_is_signed_in_count_for_all_nodes_of_a_store() {
    let ada = enrolled();
    let nodes = || {
        [0, 1].map(|_| {
            let options = RegistryOptions::new().clock(clock);
            Registry::new(ada.fixture.registry.store().clone(), options)
        })
    };
    let (password, wrong) = (Secret::new(PASSWORD), Secret::new("000000"));
    let turned_off = |node: &Registry, code: &Secret| {
        kind(&node.remove_totp(&ada.caller, &password, code)) // the right password does not count
    };
    let both = nodes();
    for at in 0..10 {
        assert_eq!(turned_off(&both[at % 2], &wrong), "unauthenticated", "{at}");
    }
    assert_eq!(both.each_ref().map(|node| turned_off(node, &ada.code())), ["throttled"; 2]);
    pass(SignedDuration::from_mins(60)); // a code each five minutes
    assert_eq!(turned_off(&both[0], &ada.code()), "done");

    let both = nodes();
    let begun = both[0].begin_totp(&ada.caller, &password).unwrap();
    let confirmed = |node: &Registry, code: &Secret| kind(&node.confirm_totp(&ada.caller, code));
    for at in 0..10 {
        assert_eq!(confirmed(&both[at % 2], &wrong), "invalid", "{at}");
    }
    let code = code_at(begun.secret.expose(), clock());
    assert_eq!(both.each_ref().map(|node| confirmed(node, &code)), ["throttled"; 2]);

    let both = nodes();
    let changed = |node: &Registry, old: &str| {
        kind(&node.change_password(&ada.caller, &Secret::new(old), &password, false))
    };
    for at in 0..10 {
        assert_eq!(changed(&both[at % 2], "a guess"), "unauthenticated", "{at}");
    }
    assert_eq!(both.each_ref().map(|node| changed(node, PASSWORD)), ["throttled"; 2]);
}

#[test]
fn it_ends_with_password_and_code_or_by_another_administrator() {
    let ada = enrolled();
    let registry = &ada.fixture.registry;
    let password = Secret::new(PASSWORD);
    let id = id_of(&ada.caller);
    let remove =
        |password: &Secret, code: &Secret| kind(&registry.remove_totp(&ada.caller, password, code));
    assert_eq!(remove(&Secret::new("a wrong password"), &ada.code()), "unauthenticated");
    assert_eq!(remove(&password, &Secret::new("000000")), "unauthenticated");
    // Not around that by the rights of an administrator, in the session or with a key.
    assert_eq!(kind(&registry.reset_totp(&ada.caller, &id)), "forbidden");
    let all = [Verb::Read, Verb::Write, Verb::Admin];
    let new = new_key(Some(ada.fixture.ours), &all, None);
    let (_, token) = registry.create_key(&ada.caller, new).unwrap();
    let key = registry.authenticate_key(&token, &client()).unwrap();
    assert_eq!(kind(&registry.reset_totp(&key, &id)), "forbidden");
    assert_eq!(remove(&password, &ada.code()), "done");
    assert_eq!(remove(&password, &ada.code()), "conflict", "there is none");
    assert_eq!(kind(&ada.sign_in(PASSWORD, None)), "done");

    let begun = registry.begin_totp(&ada.caller, &password).unwrap();
    registry.confirm_totp(&ada.caller, &code_at(begun.secret.expose(), clock())).unwrap();
    let stranger = ada.fixture.person("stranger", Some(ada.fixture.theirs), Role::Admin);
    assert_eq!(kind(&registry.reset_totp(&stranger, &id)), "not found");
    let other = ada.fixture.person("other", Some(ada.fixture.ours), Role::Admin);
    assert!(!registry.reset_totp(&other, &id).unwrap().second_factor);
    assert_eq!(kind(&registry.sessions(&ada.caller)), "unauthenticated", "sessions end");
    assert_eq!(kind(&ada.sign_in(PASSWORD, None)), "done");
    let log = registry.audit(&root(), 1, 1_000, &AuditFilter::default()).unwrap().items;
    let actions = |action: &str| log.iter().filter(|one| one.action() == action).count();
    assert_eq!(actions("user.secondFactorAdded"), 2);
    assert_eq!((actions("user.secondFactorRemoved"), actions("user.secondFactorReset")), (1, 1));
    assert!(registry.verify_audit(&root(), None).unwrap().is_sound());
    let printed = format!("{log:?} {begun:?}");
    assert!(!printed.contains(begun.secret.expose()) && !printed.contains(&ada.secret));
}

#[test]
fn administrators_can_be_required_to_have_one() {
    let fixture = Fixture::new();
    let ours = Some(fixture.ours);
    let ada = fixture.person("ada", ours, Role::Admin);
    let bob = fixture.member("bob", ours, Role::Editor);
    let options = RegistryOptions::new().clock(clock).require_second_factor(true);
    let registry = Registry::new(fixture.registry.store().clone(), options);
    let enter = |login: &str| sign_in(&registry, login, PASSWORD, None, &client()).unwrap();
    let signed_in = enter("ada");
    assert!(signed_in.session.limited && !enter("bob").session.limited);
    let caller = signed_in.caller(&client());
    assert!(registry.abilities(&caller).unwrap().is_empty());
    assert_eq!(kind(&registry.users(&caller, None, 10)), "forbidden");
    let soon = Some(clock() + SignedDuration::from_hours(1));
    let new = fingerpost_registry::NewKey { expires: soon, ..new_key(ours, &[Verb::Read], None) };
    assert_eq!(kind(&registry.create_key(&caller, new)), "not found");
    let put = registry.put(
        &caller,
        None,
        record(&gtin("0950600013435"), "A").as_bytes(),
        fingerpost_registry::Conditions::none(),
    );
    assert_eq!(kind(&put), "forbidden");
    let password = Secret::new(PASSWORD);
    let begun = registry.begin_totp(&caller, &password).unwrap();
    registry.confirm_totp(&caller, &code_at(begun.secret.expose(), clock())).unwrap();
    assert_eq!(kind(&registry.users(&caller, None, 10)), "done", "in the same session");
    pass(SignedDuration::from_secs(60));
    let code = code_at(begun.secret.expose(), clock());
    assert_eq!(kind(&registry.remove_totp(&caller, &password, &code)), "conflict");
    // A user who becomes an administrator signs in again.
    let session = enter("bob").caller(&client());
    let memberships = Some(vec![Membership { organisation: ours, role: Role::Admin }]);
    let change = UserChange { memberships, ..Default::default() };
    registry.update_user(&root(), &bob, change).unwrap();
    assert_eq!(kind(&registry.sessions(&session)), "unauthenticated");
    assert!(enter("bob").session.limited);
    assert_eq!(
        kind(&fixture.registry.sessions(&ada)),
        "unauthenticated",
        "ended when it was set up"
    );
}

#[test]
fn a_stranger_cannot_lock_a_known_device_out() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let id = fixture.member("ada", Some(fixture.ours), Role::Reader);
    fixture.member("bob", Some(fixture.ours), Role::Reader);
    let here = ClientInfo::new(Via::Console).address("192.0.2.7".parse().unwrap());
    let enter = |login: &str, client: &ClientInfo| sign_in(registry, login, PASSWORD, None, client);
    let device = enter("ada", &here).unwrap().device.expect("a new device");
    let known = here.clone().device(&device);
    assert!(enter("ada", &known).unwrap().device.is_none(), "it is known already");
    let elsewhere = ClientInfo::new(Via::Console).address("198.51.100.1".parse().unwrap());
    let guess = || kind(&sign_in(registry, "ada", "a guess", None, &elsewhere));
    let guesses: Vec<_> = (0..12).map(|_| guess()).collect();
    assert_eq!(guesses[11], "throttled");
    assert_eq!(kind(&enter("ada", &here)), "throttled", "as a stranger");
    assert_eq!(kind(&enter("ada", &known)), "done");
    // The token of a device is worth nothing for others, and not before somebody signed in.
    let forged = here.clone().device(&Secret::new("fpd_forged"));
    assert_eq!(kind(&enter("ada", &forged)), "throttled");
    assert!(enter("bob", &known).unwrap().device.is_some());
    // Guessing on it has a rate of its own, and a reset of the password ends it.
    let on_device: Vec<_> =
        (0..12).map(|_| kind(&sign_in(registry, "ada", "a guess", None, &known))).collect();
    assert_eq!(on_device[11], "throttled");
    let reset = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&root(), &id, reset).unwrap();
    assert_eq!(kind(&enter("ada", &known)), "throttled");
}

#[test]
fn users_see_and_end_their_sessions() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    fixture.member("ada", Some(fixture.ours), Role::Reader);
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let browser = ClientInfo::new(Via::Console).user_agent(agent);
    let enter = |client: &ClientInfo| {
        sign_in(registry, "ada", PASSWORD, None, client).unwrap().caller(client)
    };
    let (first, second, third) = (enter(&browser), enter(&client()), enter(&browser));
    let shown = registry.sessions(&first).unwrap();
    let kinds: Vec<_> = shown.iter().map(|one| one.client.as_str()).collect();
    assert_eq!(kinds, ["Firefox on Linux", "another program", "Firefox on Linux"]);
    let bob = fixture.person("bob", Some(fixture.ours), Role::Admin);
    let one = SessionChoice::One(shown[1].id.clone());
    assert_eq!(kind(&registry.end_sessions(&bob, one.clone())), "not found");
    assert_eq!(kind(&registry.end_sessions(&first, one.clone())), "done");
    assert_eq!(kind(&registry.end_sessions(&first, one)), "not found");
    assert_eq!(kind(&registry.sessions(&second)), "unauthenticated");
    assert_eq!(registry.sessions(&third).unwrap().len(), 2);
    registry.end_sessions(&third, SessionChoice::Others).unwrap();
    assert_eq!(kind(&registry.sessions(&first)), "unauthenticated");
    assert_eq!(registry.sessions(&third).unwrap().len(), 1);
    let filter = AuditFilter { action: Some("session.ended".into()), ..Default::default() };
    assert_eq!(registry.audit(&root(), 1, 10, &filter).unwrap().items.len(), 2);
}
