//! Attacks on sign-in by a provider: by tokens, by what the provider's addresses answer, and by
//! what browsers bring along.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fingerpost_registry::{Caller, Role};

use super::browser::{Browser, between};
use super::{Installation, is_page};
use crate::log::captured;
use crate::support::{PASSWORD, ask};

#[test]
fn no_forged_token_signs_anybody_in() {
    let log = captured();
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    for (forged, reason) in [
        ("authorized-party", "it was issued to another client"),
        ("no-party", "it is for another audience"),
        ("public-key-as-secret", "it is signed with an algorithm that is not allowed"),
        ("modulus-as-secret", "it is signed with an algorithm that is not allowed"),
        ("own-key", "its signature is wrong"),
        ("encryption-key", "it is signed with an unknown key"),
        ("critical", ""),
        ("huge", "the token endpoint"),
        ("deep", "the answer of the token endpoint is invalid"),
        ("no-subject", ""),
        ("two-parts", "the answer of the token endpoint is invalid"),
        ("text", "the answer of the token endpoint is invalid"),
    ] {
        let mut browser = Browser::default();
        let begun = Instant::now();
        let answer = installation.sign_in(&mut browser, forged);
        assert!(begun.elapsed() < Duration::from_secs(20), "{forged}");
        assert_eq!(answer.status, 502, "{forged}: {}", answer.text());
        is_page(&answer, 502, "Sign-in failed");
        let id = answer.field("x-request-id").expect("an id");
        let logged = log.text();
        let line = logged.lines().find(|line| line.contains("sign-in failed") && line.contains(id));
        assert!(line.is_some_and(|line| line.contains(reason)), "{forged}: {line:?}");
        assert!(line.is_some_and(|line| line.len() < 1000), "{forged}: a long line");
        assert!(installation.session(&mut browser)["user"].is_null(), "{forged}");
    }
    assert_eq!(installation.told("user.created"), 1, "nobody got an account");
    assert_eq!(installation.told("session.created"), 0);
}

/// Only texts that the configuration names give roles, however a claim is written; no organisation
/// is named by a claim itself.
#[test]
fn a_claim_gives_no_role_that_is_not_configured() {
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    for login in ["as-object", "in-list", "as-one", "by-place"] {
        let mut browser = Browser::default();
        is_page(&installation.sign_in(&mut browser, login), 403, "gives a role in this service");
        assert!(installation.session(&mut browser)["user"].is_null(), "{login}");
    }
    let own = installation.running.accounts.own.to_string();
    installation.groups("bob", &format!("{own},{own}:admin,installation"));
    is_page(&installation.sign_in(&mut Browser::default(), "bob"), 403, "gives a role");
    assert_eq!(installation.told("user.created"), 1, "nobody got an account");
}

/// A name of the provider that is the login of a user here is another user: with the roles of the
/// provider alone, and without changing who signs in by the password.
#[test]
fn a_name_of_the_provider_takes_over_no_account() {
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    let mut browser = Browser::default();
    is_page(&installation.sign_in(&mut browser, "imitator"), 200, "You are signed in");
    let session = installation.session(&mut browser);
    let login = session["user"]["login"].as_str().expect("a login");
    assert!(login.starts_with("federated-"), "{session}");
    assert_eq!(session["rights"].as_array().map(Vec::len), Some(1), "{session}");
    assert_eq!(session["rights"][0]["role"], "editor", "{session}");
    let users = installation.running.registry.users(&Caller::local("test"), None, 100);
    let users = users.expect("users").items;
    let ada = users.iter().find(|user| user.login == "ada").expect("Ada");
    assert_eq!((users.len(), ada.memberships[0].role), (2, Role::Admin));
    // Her password signs her in, and not the other one.
    let theirs = installation.running.sign_in();
    let answer =
        ask("GET", "/v1/session").field("Cookie", &theirs.cookie).to(&installation.running);
    assert_eq!(answer.json()["user"]["id"], ada.id.as_str());
    let body = serde_json::json!({ "login": login, "password": PASSWORD });
    assert_eq!(ask("POST", "/v1/session").json(&body).to(&installation.running).status, 401);
}

/// Each address of the provider, one after the other, sends us elsewhere or answers endlessly: we
/// follow nothing, and end in time.
#[test]
fn addresses_of_the_provider_that_misbehave_sign_nobody_in() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = format!("http://{}/", elsewhere.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    std::thread::spawn(move || {
        for _ in elsewhere.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    for path in ["/.well-known/openid-configuration", "/jwks", "/token", "/me"] {
        for what in ["redirect", "huge", "deep", "text", "many-keys", "long-key", "other-subject"] {
            let is_about_keys = ["many-keys", "long-key"].contains(&what);
            if (is_about_keys && path != "/jwks") || (what == "other-subject" && path != "/me") {
                continue;
            }
            // Nothing is remembered of the provider's description.
            let Some(installation) = Installation::new(true) else { return };
            let _provider = installation.provider(&["--thin", "--public"]);
            let misbehave =
                format!("{}/test/instead?path={path}&what={what}&to={to}", installation.issuer);
            assert_eq!(Browser::default().get(&misbehave).status, 204);
            let mut browser = Browser::default();
            let begun = Instant::now();
            let start = installation.url("/v1/oidc/start");
            let is_early = ["/.well-known/openid-configuration", "/jwks"].contains(&path);
            // A list of keys with something beside it is one; it has none that signed the token.
            let answer = if is_early && !is_about_keys && (path, what) != ("/jwks", "deep") {
                browser.get(&start)
            } else {
                let callback = browser.until_callback(&start, "bob");
                browser.get(&callback)
            };
            assert!(begun.elapsed() < Duration::from_secs(20), "{path} {what}");
            assert_eq!(answer.status, 502, "{path} {what}: {}", answer.text());
            is_page(&answer, 502, "Sign-in failed");
            assert!(installation.session(&mut browser)["user"].is_null(), "{path} {what}");
            assert_eq!(installation.told("session.created"), 0, "{path} {what}");
        }
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0, "nobody was asked elsewhere");
}

/// What a browser or another site can bring along: a session from before, two tickets, a host, an
/// address to go on to.
#[test]
fn what_comes_along_with_a_sign_in_changes_nothing_about_it() {
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    let running = &installation.running;
    // A host that is not ours, and wishes where to go on to.
    for (host, query) in [
        ("evil.example", ""),
        (
            "",
            "?redirect_uri=https://evil.example/&return=https://evil.example/&iss=https://evil.example",
        ),
    ] {
        let begin = ask("GET", &format!("/v1/oidc/start{query}"));
        let begin = if host.is_empty() {
            begin
        } else {
            begin.field("Host", host).field("X-Forwarded-Host", host)
        };
        let answer = begin.to(running);
        assert_eq!(answer.status, 303, "{}", answer.text());
        let location = answer.field("location").expect("an address");
        assert!(
            location.starts_with(&installation.issuer) && !location.contains("evil"),
            "{location}"
        );
    }
    // The session that another user planted is replaced by a new one, and gets nobody's rights.
    let planted = running.sign_in();
    let callback =
        |browser: &mut Browser| browser.until_callback(&installation.url("/v1/oidc/start"), "ada");
    let mut browser = Browser::default();
    let address = callback(&mut browser);
    let path = address.strip_prefix(&running.origin()).expect("our own");
    let ticket = browser.cookie("fingerpost-oidc").expect("a ticket").to_owned();
    let cookies = format!("{}; fingerpost-oidc={ticket}", planted.cookie);
    let answer = ask("GET", path).field("Cookie", &cookies).to(running);
    is_page(&answer, 200, "You are signed in");
    let new = answer
        .fields
        .iter()
        .find(|(name, value)| name == "set-cookie" && value.starts_with("fingerpost-session="));
    let new = new.map(|(_, value)| value.split(';').next().expect("a pair").to_owned());
    assert_ne!(new.as_deref(), Some(&*planted.cookie));
    let who = |cookie: &str| {
        let answer = ask("GET", "/v1/session").field("Cookie", cookie).to(running).json();
        answer["user"]["login"].as_str().map(str::to_owned)
    };
    assert_eq!(who(&planted.cookie).as_deref(), Some("ada"));
    assert_eq!(who(&new.expect("a session")).as_deref(), Some("ada.lovelace"));
    // The ticket worked once, also for the same code.
    let again = ask("GET", path).field("Cookie", &cookies).to(running);
    is_page(&again, 400, "started in another window");
    // A ticket beside that of an attacker is none: which one is ours cannot be told.
    let mut victim = Browser::default();
    let address = callback(&mut victim);
    let path = address.strip_prefix(&running.origin()).expect("our own");
    let ticket = victim.cookie("fingerpost-oidc").expect("a ticket");
    for cookies in [
        format!("fingerpost-oidc=x; fingerpost-oidc={ticket}"),
        format!("fingerpost-oidc={ticket}; fingerpost-oidc={ticket}x"),
        format!("fingerpost-oidc=\"{ticket}\""),
        format!("__Host-fingerpost-oidc={ticket}"),
    ] {
        let answer = ask("GET", path).field("Cookie", &cookies).to(running);
        is_page(&answer, 400, "started in another window");
    }
    let code = between(&address, "code=", "&").expect("a code");
    let mut attacker = Browser::default();
    let own = callback(&mut attacker);
    let state =
        own.split("state=").nth(1).and_then(|rest| rest.split('&').next()).expect("a state");
    let mixed = format!("/v1/oidc/callback?code={code}&state={state}");
    is_page(&attacker.get(&installation.url(&mixed)), 502, "does not respond as expected");
}

/// Many addresses of one IPv6 network begin attempts: they displace each other, and nobody else's.
#[test]
fn one_network_with_many_addresses_displaces_its_own_attempts_only() {
    let log = captured();
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    let running = &installation.running;
    let begin = |address: &str| {
        let begun = ask("GET", "/v1/oidc/start").field("X-Forwarded-For", address).to(running);
        assert_eq!(begun.status, 303, "{}", begun.text());
        let cookie = begun.field("set-cookie").expect("a ticket");
        cookie.split(';').next().expect("a pair").to_owned()
    };
    let reason = |cookie: &str| {
        let callback = ask("GET", "/v1/oidc/callback?code=x&state=y").field("Cookie", cookie);
        let answer = callback.to(running);
        let id = answer.field("x-request-id").expect("an id").to_owned();
        let log = log.text();
        let line = log.lines().find(|line| line.contains("sign-in failed") && line.contains(&id));
        line.expect("a line").to_owned()
    };
    let victim = begin("2001:db8:1::1");
    let first = begin("2001:db8:2::1");
    for number in 2..140 {
        begin(&format!("2001:db8:2::{number:x}:1"));
    }
    let kept = reason(&victim);
    assert!(kept.contains("different state"), "the attempt of another network is kept: {kept}");
    let displaced = reason(&first);
    assert!(displaced.contains("unknown, used or too old"), "its own are displaced: {displaced}");
}
