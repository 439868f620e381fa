//! Invitations and password resets by mail, and terms.

use crate::support;

use std::time::Duration;

use fingerpost_registry::{
    Acceptance, Actor, AuditFilter, Caller, ClientInfo, Id, Invitation, Letter, LetterSubject,
    NewInvitation, Registry, RegistryError, RegistryOptions, Role, Secret, UserChange, Via,
};
use jiff::SignedDuration;
use support::*;

const ORIGIN: &str = "https://admin.example.org";
const FRESH: &str = "another horse battery staple";

fn new(address: &str, organisation: Option<Id>, role: Role) -> NewInvitation {
    NewInvitation { address: address.into(), organisation, role, language: "de".into() }
}

fn invite(fixture: &Fixture, caller: &Caller, address: &str) -> Result<Invitation, RegistryError> {
    fixture.registry.invite(caller, new(address, Some(fixture.ours), Role::Approver), ORIGIN)
}

/// The next mail, which was delivered.
fn delivered(registry: &Registry) -> Option<Letter> {
    let letter = registry.next_letter().unwrap()?;
    registry.letter_sent(&letter.id).unwrap();
    Some(letter)
}

fn token(letter: &Letter) -> Secret {
    Secret::new(letter.link.expose().rsplit('/').next().unwrap())
}

fn accept(registry: &Registry, token: &Secret) -> Result<String, RegistryError> {
    let acceptance =
        Acceptance { token: token.clone(), name: "Grace".into(), password: Secret::new(FRESH) };
    registry.accept_invitation(acceptance, &client()).map(|user| user.login)
}

fn count(registry: &Registry, action: &str) -> usize {
    let filter = AuditFilter { action: Some(action.into()), ..Default::default() };
    registry.audit(&root(), 1, 100, &filter).unwrap().items.len()
}

#[test]
fn an_invited_user_chooses_name_and_password_once() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let invitation = invite(&fixture, &admin, "grace@example.org").unwrap();
    assert_eq!((invitation.sent, &invitation.created_by), (None, admin.actor()));
    let letter = delivered(registry).unwrap();
    assert_eq!((letter.to.as_str(), letter.language.as_str()), ("grace@example.org", "de"));
    assert_eq!(letter.about, LetterSubject::Invitation(Some("Ours".into())));
    let link = letter.link.expose();
    assert!(link.starts_with("https://admin.example.org/console/#/invitation/fpi_"), "{link}");
    assert!(delivered(registry).is_none());
    let listed = registry.invitations(&admin, None, 10).unwrap().items;
    assert!(listed.len() == 1 && listed[0].sent.is_some());
    // Nothing of the token is in the store or the log; the address is not in the log.
    let secret = link.splitn(3, '_').nth(2).unwrap();
    assert_eq!(secret.len(), 43, "base64url, which may contain underscores");
    for collection in ["invitations", "outbox", "salts"] {
        let all = registry.store().view(|view| view.documents(collection, None, 100)).unwrap();
        assert!(all.iter().all(|(id, bytes)| {
            !id.contains(secret) && !String::from_utf8_lossy(bytes).contains(secret)
        }));
    }
    let log = registry.audit(&root(), 1, 1000, &Default::default()).unwrap().items;
    assert!(log.iter().all(|one| !one.json().contains("grace@") && !one.json().contains(secret)));
    // A short password uses nothing up.
    let weak =
        Acceptance { token: token(&letter), name: " ".into(), password: Secret::new("short") };
    let error = registry.accept_invitation(weak, &client()).unwrap_err();
    assert_eq!(error.faults().len(), 2, "{error}");
    assert_eq!(accept(registry, &token(&letter)).unwrap(), "grace@example.org");
    assert_eq!(kind(&accept(registry, &token(&letter))), "invalid", "used");
    let signed_in = registry.sign_in("GRACE@example.org", &Secret::new(FRESH), &client()).unwrap();
    assert_eq!(signed_in.user.memberships[0].organisation, Some(fixture.ours));
    assert_eq!(
        (signed_in.user.name.as_str(), registry.invitations(&admin, None, 10).unwrap().items.len()),
        ("Grace", 0)
    );
    for action in ["invitation.created", "invitation.sent"] {
        assert_eq!(count(registry, action), 1, "{action}");
    }
    assert_eq!(fingerpost_registry::fsck(registry.store()).unwrap().faults().count(), 0);
}

#[test]
fn links_end_with_time_revocation_resending_and_the_inviter() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let send = |address: &str| {
        let invitation = invite(&fixture, &admin, address).unwrap();
        (invitation.id, token(&delivered(registry).unwrap()))
    };
    let (id, first) = send("a@example.org");
    registry.resend_invitation(&admin, &id, ORIGIN).unwrap();
    assert_eq!(kind(&accept(registry, &first)), "invalid", "a new one is on its way");
    let second = token(&delivered(registry).unwrap());
    assert_eq!(kind(&accept(registry, &first)), "invalid", "replaced");
    registry.revoke_invitation(&admin, &id).unwrap();
    assert_eq!(kind(&accept(registry, &second)), "invalid", "revoked");
    let (_, old) = send("b@example.org");
    pass(SignedDuration::from_hours(73));
    assert_eq!(kind(&accept(registry, &old)), "invalid", "too old");
    let admin = fixture.sign_in("ada");
    invite(&fixture, &admin, "b@example.org").unwrap(); // the old one is no obstacle
    let link = token(&delivered(registry).unwrap());
    for wrong in [
        "",
        "fpi_",
        &link.expose()[..60],
        &format!("{}x", link.expose()),
        &link.expose().replace("fpi", "fpr"),
    ] {
        assert_eq!(kind(&accept(registry, &Secret::new(wrong))), "invalid", "{wrong}");
    }
    // The inviter may no longer invite.
    let Actor::User(ada) = admin.actor() else { panic!("a user") };
    let disabled = UserChange { disabled: Some(true), ..Default::default() };
    registry.update_user(&root(), ada, disabled).unwrap();
    assert_eq!(kind(&accept(registry, &link)), "invalid", "the inviter is disabled");
    // What waits for nobody is dropped.
    let (id, _) = {
        let invitation = invite(&fixture, &root(), "c@example.org").unwrap();
        (invitation.id, ())
    };
    registry.revoke_invitation(&root(), &id).unwrap();
    assert!(registry.next_letter().unwrap().is_none());
}

#[test]
fn administrators_invite_to_what_they_administer() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let editor = fixture.person("bob", Some(fixture.ours), Role::Editor);
    let other = fixture.person("eve", Some(fixture.theirs), Role::Admin);
    let result = |caller, organisation, role| {
        kind(&registry.invite(caller, new("x@example.org", organisation, role), ORIGIN))
    };
    assert_eq!(result(&editor, Some(fixture.ours), Role::Reader), "forbidden");
    assert_eq!(result(&admin, None, Role::Reader), "forbidden");
    assert_eq!(result(&admin, Some(fixture.theirs), Role::Reader), "not found");
    for wrong in ["ada", "a b@example.org", "a@b@c", "a@example.org\r\nBcc: b@c"] {
        assert_eq!(kind(&invite(&fixture, &admin, wrong)), "invalid", "{wrong:?}");
    }
    fixture.member("grace@example.org", Some(fixture.ours), Role::Reader);
    assert_eq!(kind(&invite(&fixture, &admin, "Grace@example.org")), "conflict");
    let id = invite(&fixture, &admin, "x@example.org").unwrap().id;
    assert_eq!(kind(&invite(&fixture, &admin, "X@example.org")), "conflict");
    assert_eq!(registry.invitations(&other, None, 10).unwrap().items, []);
    assert_eq!(kind(&registry.invitations(&editor, None, 10)), "forbidden");
    assert_eq!(kind(&registry.revoke_invitation(&other, &id)), "not found");
    assert_eq!(kind(&registry.resend_invitation(&other, &id, ORIGIN)), "not found");
    // A mailbox and an organisation get so many mails only.
    for _ in 0..2 {
        registry.resend_invitation(&admin, &id, ORIGIN).unwrap();
    }
    assert_eq!(kind(&registry.resend_invitation(&admin, &id, ORIGIN)), "throttled");
    let many: Vec<_> =
        (0..40).map(|n| kind(&invite(&fixture, &admin, &format!("x{n}@example.org")))).collect();
    assert!(many.contains(&"throttled") && many[0] == "done", "{many:?}");
}

/// A user who invites a mailbox of their own gets no second person for approval.
#[test]
fn an_invited_account_depends_on_its_inviter_until_it_is_confirmed() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let admin = fixture.person("ada", Some(fixture.ours), Role::Admin);
    let approval = fingerpost_registry::OrganisationChange {
        approval_required: Some(true),
        ..Default::default()
    };
    registry.update_organisation(&root(), &fixture.ours, approval).unwrap();
    invite(&fixture, &admin, "own@example.org").unwrap();
    accept(registry, &token(&delivered(registry).unwrap())).unwrap();
    let invited = registry.sign_in("own@example.org", &Secret::new(FRESH), &client()).unwrap();
    assert_eq!(invited.user.set_up_by.as_ref(), Some(admin.actor()));
    let invited = invited.caller(&client());
    let proposed = fixture.put(&admin, &record(&gtin("0950600013435"), "Tea")).unwrap();
    let proposal = proposed.proposal.unwrap();
    assert_eq!(kind(&registry.approve(&invited, &proposal)), "forbidden");
    let Actor::User(id) = invited.actor() else { panic!("a user") };
    assert_eq!(kind(&registry.confirm_user(&admin, id)), "forbidden");
    registry.confirm_user(&root(), id).unwrap();
    assert_eq!(kind(&registry.approve(&invited, &proposal)), "done");
    // The operator's invitations need no confirmation.
    invite(&fixture, &root(), "b@example.org").unwrap();
    accept(registry, &token(&delivered(registry).unwrap())).unwrap();
    let user = registry.user_of_login(&root(), "b@example.org").unwrap().unwrap();
    assert_eq!(user.set_up_by, None);
}

#[test]
fn a_mail_waits_until_it_was_sent_and_only_the_last_link_is_valid() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    invite(&fixture, &root(), "a@example.org").unwrap();
    let first = registry.next_letter().unwrap().unwrap();
    // The process was killed, or the server did not answer: it is due again after a pause.
    assert!(registry.next_letter().unwrap().is_none());
    let fixture = fixture.reopen();
    let registry = &fixture.registry;
    pass(SignedDuration::from_secs(6));
    let second = registry.next_letter().unwrap().unwrap();
    assert_eq!((first.id, &first.to), (second.id, &second.to));
    assert_eq!(kind(&accept(registry, &token(&first))), "invalid");
    pass(SignedDuration::from_secs(6));
    assert!(registry.next_letter().unwrap().is_none(), "the pause doubles");
    assert_eq!(kind(&accept(registry, &token(&second))), "done");
    pass(SignedDuration::from_hours(2));
    assert!(registry.next_letter().unwrap().is_none(), "nobody to invite");
    // It is tried until the link would have ended.
    invite(&fixture, &root(), "b@example.org").unwrap();
    let mut attempts = 0;
    for _ in 0..100 {
        pass(SignedDuration::from_hours(1));
        attempts += usize::from(registry.next_letter().unwrap().is_some());
    }
    assert!((60..72).contains(&attempts), "{attempts}");
    let left = registry.store().view(|view| view.documents("outbox", None, 10)).unwrap();
    assert_eq!(left, []);
}

#[test]
fn a_password_reset_says_nothing_and_ends_sessions_and_keys() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let ada = fixture.person("ada@example.org", Some(fixture.ours), Role::Admin);
    let (key, api_token) = registry
        .create_key(&ada, new_key(Some(fixture.ours), &[fingerpost_registry::Verb::Read], None))
        .unwrap();
    let ask = |address: &str| registry.request_password_reset(address, "fr", ORIGIN, &client());
    let disabled = fixture.member("off@example.org", Some(fixture.ours), Role::Reader);
    let change = UserChange { disabled: Some(true), ..Default::default() };
    registry.update_user(&root(), &disabled, change).unwrap();
    fixture.member("not-an-address", Some(fixture.ours), Role::Reader);
    // The same answer and the same write for everybody: a row in the outbox.
    let before = registry.store().view(|view| view.documents("outbox", None, 10)).unwrap().len();
    for address in ["ada@example.org", "nobody@example.org", "off@example.org"] {
        ask(address).unwrap();
    }
    let rows = registry.store().view(|view| view.documents("outbox", None, 10)).unwrap();
    assert_eq!((before, rows.len()), (0, 3));
    assert_eq!(kind(&ask("not-an-address")), "invalid");
    let letter = delivered(registry).unwrap();
    assert_eq!(
        (letter.to.as_str(), &letter.about),
        ("ada@example.org", &LetterSubject::PasswordReset)
    );
    assert!(letter.link.expose().contains("/console/#/reset/fpr_"));
    assert!(delivered(registry).is_none(), "nobody else gets a mail");
    let reset = |token: &Secret, password: &str| {
        kind(&registry.reset_password(token, &Secret::new(password), &client()))
    };
    assert_eq!(reset(&token(&letter), "short"), "invalid");
    assert_eq!(reset(&token(&letter), FRESH), "done");
    assert_eq!(reset(&token(&letter), FRESH), "invalid", "used");
    assert_eq!(kind(&registry.sessions(&ada)), "unauthenticated");
    assert_eq!(kind(&registry.authenticate_key(&api_token, &client())), "unauthenticated");
    assert!(registry.key(&root(), &key.id).unwrap().revoked.is_some());
    let sign_in = |password: &str| {
        kind(&registry.sign_in("ada@example.org", &Secret::new(password), &client()))
    };
    assert_eq!([PASSWORD, FRESH].map(sign_in), ["unauthenticated", "done"]);
    assert_eq!(
        (count(registry, "user.resetMailed"), count(registry, "user.passwordReset")),
        (1, 1)
    );
    // A link ends with time, and with any other change of the password.
    pass(SignedDuration::from_hours(1));
    ask("ada@example.org").unwrap();
    let old = delivered(registry).unwrap();
    pass(SignedDuration::from_secs(3601));
    assert_eq!(reset(&token(&old), FRESH), "invalid", "too old");
    ask("ada@example.org").unwrap();
    let letter = delivered(registry).unwrap();
    let ada = registry.user_of_login(&root(), "ada@example.org").unwrap().unwrap();
    let change = UserChange { password: Some(Secret::new(PASSWORD)), ..Default::default() };
    registry.update_user(&root(), &ada.id, change).unwrap();
    assert_eq!(reset(&token(&letter), FRESH), "invalid", "the password changed");
    registry.erase_person(&root(), &ada.id).unwrap();
    assert_eq!(registry.store().view(|view| view.documents("resets", None, 10)).unwrap(), []);
    assert_eq!(fingerpost_registry::fsck(registry.store()).unwrap().faults().count(), 0);
}

#[test]
fn a_restored_backup_revives_no_link() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    fixture.member("ada@example.org", Some(fixture.ours), Role::Reader);
    let links = || {
        invite(&fixture, &root(), "b@example.org").unwrap();
        registry.request_password_reset("ada@example.org", "", ORIGIN, &client()).unwrap();
        [delivered(registry).unwrap(), delivered(registry).unwrap()].map(|letter| token(&letter))
    };
    let [invitation, reset] = links();
    registry.request_password_reset("ada@example.org", "", ORIGIN, &client()).unwrap();
    registry.after_restore(&root(), false).unwrap();
    assert_eq!(kind(&accept(registry, &invitation)), "invalid");
    assert_eq!(kind(&registry.reset_password(&reset, &Secret::new(FRESH), &client())), "invalid");
    assert!(registry.next_letter().unwrap().is_none());
}

/// Two nodes of one store, and addresses that exist and do not.
#[test]
fn mails_are_limited_by_address_and_network() {
    let fixture = Fixture::new();
    fixture.member("ada@example.org", Some(fixture.ours), Role::Reader);
    let node =
        || Registry::new(fixture.registry.store().clone(), RegistryOptions::new().clock(clock));
    let nodes = [node(), node()];
    let ask = |at: usize, address: &str, network: u8| {
        let client = ClientInfo::new(Via::Console).address([192, 0, 2, network].into());
        kind(&nodes[at % 2].request_password_reset(address, "", ORIGIN, &client))
    };
    for address in ["ada@example.org", "nobody@example.org"] {
        let asked: Vec<_> = (0..4).map(|at| ask(at, address, at as u8)).collect();
        assert_eq!(asked, ["done", "done", "done", "throttled"], "{address}");
    }
    let many: Vec<_> = (0..40).map(|at| ask(at, &format!("x{at}@example.org"), 9)).collect();
    assert_eq!(many.iter().filter(|&&one| one == "done").count(), 30, "{many:?}");
    let flood: Vec<_> =
        (0..200).map(|at| ask(0, &format!("y{at}@example.org"), at as u8 + 10)).collect();
    assert!(flood.contains(&"throttled"), "all strangers together");
}

#[test]
fn members_accept_terms_before_anything_else() {
    let fixture = Fixture::new();
    let level = gtin("0950600013435");
    let with = |version: Option<&str>| {
        let options = RegistryOptions::new().clock(clock).terms(version.map(str::to_owned));
        fixture.registry.with_options(options.invitation_lifetime(Duration::from_secs(60)))
    };
    fixture.member("ada", Some(fixture.ours), Role::Editor);
    fixture.member("op", None, Role::Admin);
    let sign_in = |registry: &Registry, login: &str| {
        let signed_in = registry.sign_in(login, &Secret::new(PASSWORD), &client()).unwrap();
        (signed_in.session.lacks_terms, signed_in.caller(&client()))
    };
    let put = |registry: &Registry, caller: &Caller| {
        let conditions = fingerpost_registry::Conditions::none();
        kind(&registry.put(caller, None, record(&level, "Tea").as_bytes(), conditions))
    };
    let first = with(Some("2026-01"));
    let (lacks, ada) = sign_in(&first, "ada");
    assert!(lacks && put(&first, &ada) == "forbidden");
    assert!(!sign_in(&first, "op").0, "the operator sets the terms");
    assert_eq!(kind(&first.accept_terms(&ada, "2025-07")), "conflict");
    assert_eq!(kind(&first.accept_terms(&root(), "2026-01")), "unauthenticated");
    first.accept_terms(&ada, "2026-01").unwrap();
    assert_eq!(put(&first, &ada), "done");
    assert!(!sign_in(&first, "ada").0);
    let user = first.user_of_login(&root(), "ada").unwrap().unwrap();
    assert_eq!(user.terms.unwrap().version, "2026-01");
    assert_eq!(count(&first, "terms.accepted"), 1);
    let second = with(Some("2026-02"));
    assert!(sign_in(&second, "ada").0, "a new version");
    assert!(!sign_in(&with(None), "ada").0);
}
