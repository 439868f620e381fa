//! Sessions: their cookie, their end, and how guessing passwords is slowed down.

use crate::support;

use fingerpost_registry::{ClientInfo, Registry, Secret, Via};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use support::{PASSWORD, Running, ask, start, start_with};

fn sign_in(running: &Running, login: &str, password: &str) -> support::Answer {
    let body = json!({ "login": login, "password": password });
    ask("POST", "/v1/session").json(&body).to(running)
}

#[test]
fn a_person_signs_in_and_out() {
    let running = start();
    let answer = sign_in(&running, "ada", PASSWORD);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let cookie = answer.field("set-cookie").expect("a cookie");
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    let browser = running.sign_in();
    let session = ask("GET", "/v1/session").field("Cookie", &browser.cookie).to(&running).json();
    assert_eq!(session["user"]["login"], "ada");
    assert_eq!(session["csrf"].as_str(), Some(browser.csrf.as_str()), "it comes again");
    assert_eq!(session["rights"][0]["role"], "admin");
    // Reading needs the cookie alone, changing needs our own page.
    let list = ask("GET", "/v1/keys").field("Cookie", &browser.cookie).to(&running);
    assert_eq!(list.status, 200);
    let new = json!({ "label": "mine", "organisation": running.accounts.own, "verbs": ["read"] });
    let made = running.by_page(&browser, ask("POST", "/v1/keys")).json(&new).to(&running);
    assert_eq!(made.status, 201, "{}", made.text());
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    assert_eq!(ask("GET", "/v1/levels").key(&Secret::new(token)).to(&running).status, 200);
    let out = ask("DELETE", "/v1/session")
        .field("Cookie", &browser.cookie)
        .field("Origin", &running.origin())
        .to(&running);
    assert_eq!(out.status, 204);
    assert!(out.field("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=0")));
    let over = ask("GET", "/v1/keys").field("Cookie", &browser.cookie).to(&running);
    assert_eq!(over.status, 401, "the session is over, not only its cookie");
}

#[test]
fn two_cookies_of_one_name_are_none() {
    let running = start();
    let browser = running.sign_in();
    let both = format!("{}; fingerpost-session=other", browser.cookie);
    let answer = ask("GET", "/v1/keys").field("Cookie", &both).to(&running);
    assert_eq!(answer.status, 401);
}

#[test]
fn who_does_not_exist_is_refused_like_a_wrong_password() {
    let running = start();
    let wrong = sign_in(&running, "ada", "not the password");
    let nobody = sign_in(&running, "nobody", "not the password");
    assert_eq!((wrong.status, wrong.code().as_str()), (401, "sign-in-refused"));
    assert_eq!(wrong.essence(), nobody.essence());
}

#[test]
fn guessing_is_slowed_down() {
    let running = start();
    let refused = (0..60).find_map(|_| {
        let answer = sign_in(&running, "ada", "guess");
        (answer.status != 401).then_some(answer)
    });
    let refused = refused.expect("refused within sixty attempts");
    assert_eq!((refused.status, refused.code().as_str()), (429, "throttled"));
    let wait: u64 = refused.field("retry-after").expect("a time").parse().expect("seconds");
    assert!((1..=3600).contains(&wait), "{wait}");
    // Whether the login exists is not told by that either.
    assert_eq!(sign_in(&running, "ada", PASSWORD).status, 429);
}

#[test]
fn another_site_cannot_sign_anybody_in_or_out() {
    let running = start();
    let body = json!({ "login": "ada", "password": PASSWORD });
    for method in ["POST", "DELETE"] {
        let foreign =
            ask(method, "/v1/session").field("Origin", "https://evil.example").json(&body);
        let answer = foreign.to(&running);
        assert_eq!((answer.status, answer.code().as_str()), (403, "cross-site"), "{method}");
        assert_eq!(answer.field("set-cookie"), None);
        let site = ask(method, "/v1/session").field("Sec-Fetch-Site", "cross-site").json(&body);
        assert_eq!(site.to(&running).status, 403);
    }
}

/// A session that began so long ago.
fn begun(running: &Running, clock: fn() -> Timestamp) -> String {
    let options = fingerpost_registry::RegistryOptions::new().clock(clock);
    let past = Registry::new(running.registry.store().clone(), options);
    let client = ClientInfo::new(Via::Console);
    let signed_in = past.sign_in("ada", &Secret::new(PASSWORD), &client).expect("signed in");
    format!("fingerpost-session={}", signed_in.token.expose())
}

fn hours_ago(hours: i64) -> Timestamp {
    support::now().checked_sub(SignedDuration::from_hours(hours)).expect("an instant")
}

#[test]
fn sessions_end() {
    let running = start();
    let fresh = begun(&running, support::now);
    let idle = begun(&running, || hours_ago(2));
    let old = begun(&running, || hours_ago(13));
    let status = |cookie: &str| ask("GET", "/v1/keys").field("Cookie", cookie).to(&running).status;
    assert_eq!(status(&fresh), 200);
    assert_eq!(status(&idle), 401, "nothing was asked for more than an hour");
    assert_eq!(status(&old), 401, "it began more than twelve hours ago");
    let nobody = ask("GET", "/v1/session").field("Cookie", &old).to(&running).json();
    assert!(nobody["user"].is_null());
}

#[test]
fn a_new_password_ends_what_was_there() {
    let running = start();
    let (here, elsewhere) = (running.sign_in(), running.sign_in());
    let change = json!({ "old": PASSWORD, "new": "another long enough one" });
    let wrong = json!({ "old": "wrong wrong wrong", "new": "another long enough one" });
    let page = |browser| running.by_page(browser, ask("PUT", "/v1/session/password"));
    let refused = page(&here).json(&wrong).to(&running);
    assert!(refused.status >= 400, "{}", refused.text());
    let changed = page(&here).json(&change).to(&running);
    assert_eq!(changed.status, 204, "{}", changed.text());
    let status = |cookie: &str| ask("GET", "/v1/keys").field("Cookie", cookie).to(&running).status;
    assert_eq!(status(&elsewhere.cookie), 401);
    assert_eq!(sign_in(&running, "ada", PASSWORD).status, 401);
}

#[test]
fn behind_tls_the_cookie_is_for_tls_only() {
    let running =
        start_with("[admin]\nlisten = \"127.0.0.1:0\"\norigins = [\"https://admin.example.org\"]");
    let answer = sign_in(&running, "ada", PASSWORD);
    let cookie = answer.field("set-cookie").expect("a cookie");
    assert!(cookie.starts_with("__Host-fingerpost-session="), "{cookie}");
    assert!(cookie.contains("; Secure"), "{cookie}");
    let pair = cookie.split(';').next().expect("a pair");
    let csrf = answer.json()["csrf"].as_str().expect("a token").to_owned();
    let by = |origin: &str| {
        ask("POST", "/v1/organisations")
            .field("Cookie", pair)
            .field("Origin", origin)
            .field("X-CSRF-Token", &csrf)
            .json(&json!({ "name": "New" }))
            .to(&running)
            .code()
    };
    assert_eq!(by("https://admin.example.org"), "forbidden", "our own page, without the right");
    assert_eq!(by("https://admin.example.org.evil.example"), "cross-site");
}
