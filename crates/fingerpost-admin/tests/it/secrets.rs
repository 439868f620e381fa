//! No secret is in any line of the log, in any answer but the one that gives it, or in the audit
//! log.

use crate::log;
use crate::support;

use fingerpost_registry::Secret;
use serde_json::json;
use support::{OWN, PASSWORD, ask, record, start};

#[test]
fn secrets_stay_secret() {
    let log = log::captured();
    let running = start();
    let accounts = &running.accounts;
    let browser = running.sign_in();
    let mut texts = Vec::new();
    let wrong = "typed into the wrong field";
    for (login, password) in [("ada", wrong), (wrong, PASSWORD), (wrong, wrong)] {
        let body = json!({ "login": login, "password": password });
        texts.push(ask("POST", "/v1/session").json(&body).to(&running).text());
    }
    for body in [json!({ "login": "ada", "password": [wrong] }), json!({ "password": wrong })] {
        texts.push(ask("POST", "/v1/session").json(&body).to(&running).text());
    }
    let new = json!({ "label": "new", "organisation": accounts.own, "verbs": ["read"] });
    let made = running.by_page(&browser, ask("POST", "/v1/keys")).json(&new).to(&running);
    let token = made.json()["token"].as_str().expect("a token").to_owned();
    let user = json!({ "login": "grace", "password": "a secret of another person" });
    texts.push(ask("POST", "/v1/users").key(&accounts.root).json(&user).to(&running).text());
    for key in [&accounts.root, &accounts.expired, &accounts.revoked, &Secret::new(token.clone())] {
        for target in
            ["/v1/keys", "/v1/users", "/v1/audit?limit=1000", "/v1/configuration", "/v1/nothing"]
        {
            texts.push(ask("GET", target).key(key).to(&running).text());
        }
        let put = ask("PUT", &format!("/v1/levels/{OWN}")).key(key).json(&record(OWN));
        texts.push(put.to(&running).text());
    }
    texts.push(ask("GET", "/v1/keys").field("Cookie", &browser.cookie).to(&running).text());
    texts.push(
        ask("GET", "/v1/levels").field("Authorization", "Bearer half a key").to(&running).text(),
    );

    let session = browser.cookie.split('=').nth(1).expect("a value").to_owned();
    let mut secrets =
        vec![PASSWORD, wrong, "a secret of another person", &token, &session, &browser.csrf];
    secrets.extend([
        accounts.root.expose(),
        accounts.admin.expose(),
        accounts.expired.expose(),
        accounts.revoked.expose(),
    ]);
    let logged = log.text();
    assert!(!logged.is_empty(), "the log was captured");
    let local = fingerpost_registry::Caller::local("test");
    let audit =
        running.registry.audit(&local, 1, 1000, &fingerpost_registry::AuditFilter::default());
    let audit = format!("{:?}", audit.expect("the audit log").items);
    for secret in secrets {
        // The half of a token that is secret stands behind its id.
        let secret = secret
            .strip_prefix("fpk_")
            .and_then(|rest| rest.split_once('_'))
            .map_or(secret, |(_, s)| s);
        assert!(!logged.contains(secret), "in the log");
        assert!(!audit.contains(secret), "in the audit log");
        assert!(!texts.iter().any(|text| text.contains(secret)), "in an answer");
    }
}
