//! Signing in with a second factor and from known devices, sessions that users see, and sign-in
//! that delays nobody else.

use crate::log;
use crate::support;

use std::io::Write;

use fingerpost_testkit::totp;
use serde_json::{Value, json};
use support::{Answer, Browser, PASSWORD, Running, ask, connect, read_answer, start, start_with};

fn sign_in(running: &Running, code: Option<&str>) -> Answer {
    let body = json!({ "login": "ada", "password": PASSWORD, "code": code });
    ask("POST", "/v1/session").json(&body).to(running)
}

/// The cookies that an answer sets.
fn cookies(answer: &Answer) -> Vec<&str> {
    let set = answer.fields.iter().filter(|(name, _)| name == "set-cookie");
    set.map(|(_, value)| value.as_str()).collect()
}

fn pair(cookie: &str) -> &str {
    cookie.split(';').next().expect("a pair")
}

fn by_page(
    running: &Running,
    browser: &Browser,
    method: &str,
    target: &str,
    body: &Value,
) -> Answer {
    running.by_page(browser, ask(method, target)).json(body).to(running)
}

#[test]
fn a_second_factor_is_set_up_asked_for_and_turned_off() {
    let log = log::captured();
    let running = start();
    let browser = running.sign_in();
    let password = json!({ "password": PASSWORD });
    let begun = by_page(&running, &browser, "POST", "/v1/session/totp", &password);
    assert_eq!(begun.status, 200, "{}", begun.text());
    let begun = begun.json();
    let secret = begun["secret"].as_str().expect("a secret");
    assert!(begun["uri"].as_str().is_some_and(|uri| uri.contains(secret)), "{begun}");
    assert!(begun["qr"]["path"].as_str().is_some_and(|path| path.starts_with("M0 0h1v1h-1z")));
    // The code of the step before the present one, so that the present one is not used up.
    let second = support::now().as_second();
    let code = json!({ "code": totp(secret, second - 30) });
    let confirmed = by_page(&running, &browser, "PUT", "/v1/session/totp", &code);
    assert_eq!(confirmed.status, 200, "{}", confirmed.text());
    let recovery = confirmed.json()["recoveryCodes"].clone();
    let recovery: Vec<&str> =
        recovery.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let session = ask("GET", "/v1/session").field("Cookie", &browser.cookie).to(&running).json();
    assert_eq!(session["user"]["secondFactor"], true);

    let asked = sign_in(&running, None);
    assert_eq!((asked.status, asked.code().as_str()), (401, "code-required"));
    assert!(cookies(&asked).is_empty() && asked.field("www-authenticate").is_none());
    let wrong = sign_in(&running, Some("000000"));
    assert_eq!((wrong.status, wrong.code().as_str()), (401, "sign-in-refused"));
    assert_eq!(sign_in(&running, Some(recovery[0])).status, 200);
    assert_eq!(sign_in(&running, Some(recovery[0])).status, 401, "once");
    assert_eq!(sign_in(&running, Some(&totp(secret, second + 30))).status, 200);

    let both = json!({ "password": PASSWORD, "code": recovery[1] });
    let removed = by_page(&running, &browser, "POST", "/v1/session/totp/remove", &both);
    assert_eq!(removed.status, 204, "{}", removed.text());
    assert_eq!(sign_in(&running, None).status, 200);
    let logged = log.text();
    assert!(!logged.contains(secret) && !recovery.iter().any(|code| logged.contains(code)));
}

#[test]
fn administrators_set_up_a_second_factor_first_where_it_is_required() {
    let running = start_with("[admin]\nlisten = \"127.0.0.1:0\"\nrequire_second_factor = true");
    let browser = running.sign_in();
    let session = ask("GET", "/v1/session").field("Cookie", &browser.cookie).to(&running).json();
    assert_eq!(session["secondFactorRequired"], true);
    let users = || ask("GET", "/v1/users").field("Cookie", &browser.cookie).to(&running).status;
    assert_eq!(users(), 403);
    let password = json!({ "password": PASSWORD });
    let begun = by_page(&running, &browser, "POST", "/v1/session/totp", &password).json();
    let secret = begun["secret"].as_str().expect("a secret");
    let code = json!({ "code": totp(secret, support::now().as_second()) });
    assert_eq!(by_page(&running, &browser, "PUT", "/v1/session/totp", &code).status, 200);
    assert_eq!(users(), 200);
}

#[test]
fn a_browser_that_signed_in_before_has_a_rate_of_its_own() {
    let running = start();
    let first = sign_in(&running, None);
    let set = cookies(&first);
    let device = set.iter().find(|cookie| cookie.starts_with("fingerpost-device=")).expect("one");
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=31536000"] {
        assert!(device.contains(part), "{device}");
    }
    let guess = json!({ "login": "ada", "password": "a guess" });
    let refused =
        (0..60).find(|_| ask("POST", "/v1/session").json(&guess).to(&running).status == 429);
    assert!(refused.is_some(), "a stranger is throttled");
    assert_eq!(sign_in(&running, None).status, 429, "without the cookie");
    let body = json!({ "login": "ada", "password": PASSWORD });
    let again = ask("POST", "/v1/session").field("Cookie", pair(device)).json(&body).to(&running);
    assert_eq!(again.status, 200, "{}", again.text());
    assert_eq!(cookies(&again).len(), 1, "the device is known: {:?}", cookies(&again));
}

#[test]
fn users_see_and_end_their_sessions() {
    let running = start();
    let (here, other, third) = (running.sign_in(), running.sign_in(), running.sign_in());
    let list = |browser: &Browser| {
        ask("GET", "/v1/sessions").field("Cookie", &browser.cookie).to(&running)
    };
    let sessions = list(&here).json()["sessions"].clone();
    let sessions = sessions.as_array().expect("a list");
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions.iter().filter(|one| one["current"] == true).count(), 1);
    assert!(!sessions[0].to_string().contains("127.0.0.1"), "no addresses");
    let end = |browser: &Browser, target: &str| {
        running.by_page(browser, ask("DELETE", target)).to(&running).status
    };
    let second = format!("/v1/sessions/{}", sessions[1]["id"].as_str().expect("an id"));
    assert_eq!((end(&here, &second), end(&here, &second)), (204, 404));
    assert_eq!((list(&other).status, list(&third).status), (401, 200));
    assert_eq!(end(&here, "/v1/sessions"), 204);
    assert_eq!((list(&third).status, list(&here).status), (401, 200));
}

/// Before sign-in had slots of its own, the authenticated call was answered after all of these.
/// Sends many attempts to sign in, then another call. Returns how many attempts had no answer when
/// the call had one.
fn unanswered_beside_a_call(running: &Running, round: usize) -> usize {
    let mut attempts: Vec<_> = (0..160)
        .map(|number| {
            let body = json!({ "login": format!("user{round}-{number}"), "password": "a guess" });
            let asked = ask("POST", "/v1/session").json(&body);
            let asked = asked.field("X-Forwarded-For", &format!("198.18.{round}.{number}"));
            let mut stream = connect(running);
            stream.write_all(&asked.bytes(running)).expect("sent");
            stream
        })
        .collect();
    let level = format!("/v1/levels/{}", support::OWN);
    assert_eq!(ask("GET", &level).key(&running.accounts.reader).to(running).status, 200);
    let is_waiting = |stream: &mut std::net::TcpStream| {
        stream.set_nonblocking(true).expect("set");
        let waits = stream.peek(&mut [0]).is_err();
        stream.set_nonblocking(false).expect("set");
        waits
    };
    let waiting = attempts.iter_mut().map(is_waiting).filter(|waits| *waits).count();
    let mut refused = 0;
    for stream in &mut attempts {
        let answer = read_answer(stream).expect("an answer");
        match (answer.status, answer.code().as_str()) {
            (401, "sign-in-refused") => {}
            (503, "busy") => {
                assert_eq!(answer.field("retry-after"), Some("1"));
                refused += 1;
            }
            _ => panic!("{}", answer.text()),
        }
    }
    assert!(refused < attempts.len(), "{refused} refused");
    waiting
}

#[test]
fn attempts_to_sign_in_delay_no_other_call() {
    let running = start_with("trusted_proxies = [\"127.0.0.1\"]");
    running.registered(support::OWN);
    // On a busy machine, the attempts may be over before this program comes to its call. If they
    // delayed it, that would be so always.
    let overtook = (0..10).any(|round| unanswered_beside_a_call(&running, round) > 0);
    assert!(overtook, "the call was answered after all attempts");
}

#[test]
fn a_proxy_that_is_not_configured_is_reported() {
    let log = log::captured();
    let running = start();
    let asked = ask("GET", "/v1/session").field("X-Forwarded-For", "192.0.2.1");
    assert_eq!(asked.to(&running).status, 200);
    assert!(log.text().contains("forwarded by a proxy that is not in `trusted_proxies`"));
}
