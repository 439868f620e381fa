//! Sign-in by a provider of identities, against a real one: npm's `oidc-provider`, run by node.
//! Each step is an HTTP request, as a browser makes it. Where node or npm are missing, it is told
//! that nothing was tested.

mod attacks;
mod browser;
mod provider;
mod window;

use std::path::Path;

use crate::log::captured;
use crate::support::{Answer, Running, start_with};
use browser::{Browser, between};
use fingerpost_registry::{AuditFilter, Caller, Role, UserChange};
use provider::{Provider, SECRET};
use window::Window;

/// An installation whose people are known to a provider, which may run.
struct Installation {
    running: Running,
    issuer: String,
    folder: &'static Path,
    _secret: tempfile::TempDir,
}

impl Installation {
    /// `None` if no provider is available.
    fn new(is_public: bool) -> Option<Self> {
        Self::with_provider_at("127.0.0.1", is_public)
    }

    fn with_provider_at(host: &str, is_public: bool) -> Option<Self> {
        let folder = provider::folder()?;
        let issuer = format!("http://{host}:{}", fingerpost_testkit::free_port());
        let secret = tempfile::tempdir().expect("a folder");
        let file = secret.path().join("secret");
        std::fs::write(&file, format!("{SECRET}\n")).expect("written");
        let file =
            if is_public { String::new() } else { format!("client_secret_file = {file:?}\n") };
        let running = start_with(&format!(
            "trusted_proxies = [\"127.0.0.1\"]\n[admin]\nlisten = \"127.0.0.1:0\"\n[admin.oidc]\nissuer = \"{issuer}\"\n\
             client_id = \"fingerpost\"\n{file}scopes = [\"profile\", \"groups\"]\n\
             [admin.oidc.roles]\neditors = [{{ organisation = \"{{own}}\", role = \"editor\" }}]\n\
             readers = [{{ organisation = \"{{own}}\", role = \"reader\" }}]\n\
             lost = [{{ organisation = \"{ABSENT}\", role = \"reader\" }}]\n"
        ));
        Some(Self { running, issuer, folder, _secret: secret })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.running.origin())
    }

    fn provider(&self, flags: &[&str]) -> Provider {
        Provider::start(self.folder, &self.issuer, &self.url("/v1/oidc/callback"), flags)
    }

    /// A sign-in up to the page that we answer.
    fn sign_in(&self, browser: &mut Browser, login: &str) -> Answer {
        let callback = browser.until_callback(&self.url("/v1/oidc/start"), login);
        browser.get(&callback)
    }

    /// Who the browser is signed in as.
    fn session(&self, browser: &mut Browser) -> serde_json::Value {
        browser.get(&self.url("/v1/session")).json()
    }

    /// What the provider says of somebody from now on.
    fn groups(&self, login: &str, groups: &str) {
        let url = format!("{}/test/groups?login={login}&groups={groups}", self.issuer);
        assert_eq!(Browser::default().get(&url).status, 204);
    }

    /// How many audit records there are of this.
    fn told(&self, action: &str) -> usize {
        let filter = AuditFilter { action: Some(action.into()), ..AuditFilter::default() };
        let page = self.running.registry.audit(&Caller::local("test"), 1, 1000, &filter);
        page.expect("the audit log").items.len()
    }
}

/// An organisation that is not there.
const ABSENT: &str = "01hzzzzzzzzzzzzzzzzzzzzzzz";

/// A page of ours with this status, that tells nothing but what we say.
fn is_page(answer: &Answer, status: u16, words: &str) {
    let page = answer.text();
    assert_eq!(answer.status, status, "{page}");
    assert!(page.contains(words), "{page}");
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    let policy = answer.field("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("script"), "{policy}");
    assert!(!page.contains("<script"), "{page}");
    let id = answer.field("x-request-id").expect("an id");
    assert!(page.contains(id), "people can name the request: {page}");
    let session = answer
        .fields
        .iter()
        .any(|(name, value)| name == "set-cookie" && value.starts_with("fingerpost-session="));
    assert_eq!(session, status == 200, "a session only for a signed-in user");
}

#[test]
fn a_person_signs_in_by_the_provider() {
    let log = captured();
    let Some(installation) = Installation::new(false) else { return };
    let mut browser = Browser::default();
    assert_eq!(installation.session(&mut browser)["signIn"]["oidc"], true);

    // The provider does not answer yet; we do.
    let down = browser.get(&installation.url("/v1/oidc/start"));
    is_page(&down, 502, "does not respond as expected");

    let provider = installation.provider(&[]);
    let begun = browser.get(&installation.url("/v1/oidc/start"));
    assert_eq!(begun.status, 303, "{}", begun.text());
    let ticket = begun.field("set-cookie").expect("a cookie").to_owned();
    assert!(ticket.starts_with("fingerpost-oidc="), "{ticket}");
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=600"] {
        assert!(ticket.contains(part), "{ticket}");
    }
    let location = begun.field("location").expect("an address");
    for part in [
        "response_type=code",
        "code_challenge_method=S256",
        "code_challenge=",
        "nonce=",
        "state=",
        "scope=openid+profile+groups",
    ] {
        assert!(location.contains(part), "{location}");
    }
    assert!(!location.contains("secret") && !ticket.contains("secret"));

    let callback = browser.until_callback(&installation.url("/v1/oidc/start"), "ada");
    let answer = browser.get(&callback);
    is_page(&answer, 200, "You are signed in");
    assert_eq!(answer.field("refresh"), Some("0; url=/console/"));
    let cookies: Vec<_> =
        answer.fields.iter().filter(|(name, _)| name == "set-cookie").map(|(_, v)| v).collect();
    let session = cookies.iter().find(|line| line.starts_with("fingerpost-session=")).expect("one");
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(session.contains(part), "{session}");
    }
    assert!(browser.cookie("fingerpost-oidc").is_none(), "the ticket is taken back");
    assert_eq!(browser.get(&installation.url("/console/")).status, 200);

    let signed_in = installation.session(&mut browser);
    assert_eq!(signed_in["user"]["name"], "Ada <b>Lovelace</b>");
    assert_eq!(signed_in["user"]["login"], "ada.lovelace");
    assert_eq!(signed_in["rights"][0]["role"], "editor");
    assert_eq!(signed_in["rights"][0]["organisation"], installation.running.accounts.own.as_str());
    assert_eq!(signed_in["rights"].as_array().map(Vec::len), Some(1));
    assert_eq!((installation.told("session.created"), installation.told("user.created")), (1, 2));

    // The callback worked once; with the ticket of another attempt its code and state do not fit
    // either.
    is_page(&browser.get(&callback), 400, "started in another window");
    browser.get(&installation.url("/v1/oidc/start"));
    is_page(&browser.get(&callback), 400, "started in another window");

    renewed_at_each_sign_in(&installation, &mut browser);
    drop(provider);
    new_keys_are_found(&installation);
    out_when_disabled(&installation);

    let code = between(&callback, "code=", "&").expect("a code");
    let secrets = [
        SECRET,
        code,
        ticket.split(['=', ';']).nth(1).expect("a value"),
        session.split(['=', ';']).nth(1).expect("a value"),
    ];
    let log = log.text();
    assert!(log.contains("sign-in failed"), "the log was captured");
    for secret in secrets {
        assert!(!log.contains(secret), "in the log");
        assert!(!answer.text().contains(secret), "in a page");
    }
}

/// Roles are those that the provider gives now; without any, nothing is left.
fn renewed_at_each_sign_in(installation: &Installation, browser: &mut Browser) {
    installation.groups("ada", "readers,visitors");
    is_page(&installation.sign_in(browser, "ada"), 200, "You are signed in");
    let session = installation.session(browser);
    assert_eq!(session["rights"][0]["role"], "reader");
    assert_eq!(installation.told("user.created"), 2, "the same person");
    installation.groups("ada", "visitors");
    is_page(&installation.sign_in(&mut Browser::default(), "ada"), 403, "gives a role");
    assert!(installation.session(browser)["user"].is_null(), "older sessions are over");
    assert_eq!(installation.told("user.changed"), 2);
}

/// The provider restarts and signs with another key.
fn new_keys_are_found(installation: &Installation) {
    let _provider = installation.provider(&[]);
    let mut browser = Browser::default();
    is_page(&installation.sign_in(&mut browser, "ada"), 200, "You are signed in");
    assert_eq!(installation.session(&mut browser)["rights"][0]["role"], "editor");
}

fn out_when_disabled(installation: &Installation) {
    let _provider = installation.provider(&[]);
    let (registry, local) = (&installation.running.registry, Caller::local("test"));
    let users = registry.users(&local, None, 100).expect("people").items;
    let ada = users.iter().find(|user| user.login == "ada.lovelace").expect("Ada");
    assert_eq!(ada.memberships[0].role, Role::Editor);
    let change = UserChange { disabled: Some(true), ..UserChange::default() };
    registry.update_user(&local, &ada.id, change).expect("disabled");
    let refused = installation.told("session.refused");
    let mut browser = Browser::default();
    is_page(&installation.sign_in(&mut browser, "ada"), 403, "Your account is disabled");
    assert!(installation.session(&mut browser)["user"].is_null());
    assert_eq!(installation.told("session.refused"), refused + 1);
}

#[test]
fn whoever_has_no_role_stays_out() {
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    for (count, login) in ["bob", "carl"].into_iter().enumerate() {
        let mut browser = Browser::default();
        is_page(&installation.sign_in(&mut browser, login), 403, "gives a role in this service");
        assert!(installation.session(&mut browser)["user"].is_null());
        assert_eq!(installation.told("session.refused"), count + 1);
    }
    // A role in an organisation that is not there is none.
    installation.groups("bob", "lost");
    is_page(&installation.sign_in(&mut Browser::default(), "bob"), 403, "gives a role");
    assert_eq!(installation.told("user.created"), 1, "nobody got an account");
    installation.groups("bob", "lost,readers");
    is_page(&installation.sign_in(&mut Browser::default(), "bob"), 200, "You are signed in");
}

#[test]
fn what_another_site_may_send_is_refused() {
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    let start = installation.url("/v1/oidc/start");
    let refused = "started in another window";

    // The answer to somebody else's attempt, as an attacker would have us finish it.
    let mut attacker = Browser::default();
    let theirs = attacker.until_callback(&start, "ada");
    let mut victim = Browser::default();
    is_page(&victim.get(&theirs), 400, refused);
    victim.get(&start);
    is_page(&victim.get(&theirs), 400, refused);
    assert!(victim.cookie("fingerpost-session").is_none());

    // The code of somebody else with the state of one's own attempt: their PKCE verifier is
    // missing.
    let state = |callback: &str| callback.split("state=").nth(1).expect("a state").to_owned();
    let own = victim.until_callback(&start, "ada");
    let state_of_own = state(&own);
    let state_of_own = state_of_own.split('&').next().expect("a state");
    let code = between(&theirs, "code=", "&").expect("a code");
    let mixed = installation.url(&format!("/v1/oidc/callback?code={code}&state={state_of_own}"));
    is_page(&victim.get(&mixed), 502, "does not respond as expected");

    // Each of these uses its attempt up.
    type Change = fn(&str) -> String;
    let changes: [(&str, Change, u16); 7] = [
        ("another state", |url| url.replacen("state=", "state=x", 1), 400),
        ("no state", |url| url.replacen("state=", "estate=", 1), 400),
        ("two states", |url| format!("{url}&state=x"), 400),
        ("another issuer", |url| url.replacen("iss=", "iss=https%3A%2F%2Fevil.example", 1), 400),
        ("no code", |url| url.replacen("code=", "cod=", 1), 400),
        ("another code", |url| url.replacen("code=", "code=x", 1), 502),
        (
            "an error with markup",
            |url| {
                url.replacen(
                    "code=",
                    "error=%3Cscript%3Ealert(1)%3C/script%3E&error_description=%3Cb%3E&cod=",
                    1,
                )
            },
            403,
        ),
    ];
    for (name, change, status) in changes {
        let mut browser = Browser::default();
        let callback = browser.until_callback(&start, "ada");
        let answer = browser.get(&change(&callback));
        is_page(&answer, status, "Sign-in failed");
        assert!(!answer.text().contains("alert") && !answer.text().contains("evil"), "{name}");
        is_page(&browser.get(&callback), 400, refused);
    }
    let mut browser = Browser::default();
    is_page(&installation.sign_in(&mut browser, "declines"), 403, "did not sign you in");
    for query in ["", "?", "?state=", "?code=&state=", "?%ff=%00"] {
        let mut browser = Browser::default();
        browser.get(&start);
        is_page(
            &browser.get(&installation.url(&format!("/v1/oidc/callback{query}"))),
            400,
            refused,
        );
    }
    assert_eq!(installation.told("session.created"), 0);
    assert_eq!(browser.send("POST", &start, "x").status, 405);
}

#[test]
fn tokens_that_do_not_count_are_refused() {
    let log = captured();
    let Some(installation) = Installation::new(false) else { return };
    let _provider = installation.provider(&[]);
    for (forged, reason) in [
        ("expired", "it has expired"),
        ("nonce", "it has another nonce"),
        ("audience", "it is for another audience"),
        ("audiences", "it is for another audience"),
        ("issuer", "it is from another issuer"),
        ("signature", "its signature is wrong"),
        ("key", "it is signed with an unknown key"),
        ("unsigned", "it is not signed"),
        ("symmetric", "it is signed with an algorithm that is not allowed"),
        ("hash", "it belongs to another access token"),
        ("absent", "the response of the provider has no ID token"),
    ] {
        let mut browser = Browser::default();
        let answer = installation.sign_in(&mut browser, forged);
        is_page(&answer, 502, "Sign-in failed");
        let id = answer.field("x-request-id").expect("an id");
        let logged = log.text();
        let line = logged.lines().find(|line| line.contains("sign-in failed") && line.contains(id));
        assert!(line.is_some_and(|line| line.contains(reason)), "{forged}: {line:?}");
        assert!(installation.session(&mut browser)["user"].is_null(), "{forged}");
    }
    assert_eq!(installation.told("user.created"), 1, "nobody got an account");
    // What is not forged counts, by the same way.
    is_page(&installation.sign_in(&mut Browser::default(), "dora"), 200, "You are signed in");
}

#[test]
fn claims_may_come_from_the_userinfo_endpoint_and_clients_be_public() {
    let Some(installation) = Installation::new(true) else { return };
    let provider = installation.provider(&["--thin", "--public"]);
    let mut browser = Browser::default();
    is_page(&installation.sign_in(&mut browser, "ada"), 200, "You are signed in");
    let session = installation.session(&mut browser);
    assert_eq!(session["user"]["name"], "Ada <b>Lovelace</b>");
    assert_eq!(session["rights"][0]["role"], "editor");
    is_page(&installation.sign_in(&mut Browser::default(), "carl"), 403, "gives a role");
    // It goes away in the middle.
    let mut late = Browser::default();
    let callback = late.until_callback(&installation.url("/v1/oidc/start"), "ada");
    drop(provider);
    is_page(&late.get(&callback), 502, "does not respond as expected");
}

/// The session's cookie is `SameSite=Strict`, and the browser comes from another site: it must be
/// signed in nevertheless.
#[test]
fn a_real_browser_arrives_signed_in() {
    // Sites are told apart by host: localhost is another one than 127.0.0.1.
    let Some(installation) = Installation::with_provider_at("localhost", false) else { return };
    let Some(window) = Window::open() else { return };
    let _provider = installation.provider(&[]);
    let console = installation.url("/console/");
    window.go(&console);
    window.go(&installation.url("/v1/oidc/start"));
    let mut shown = String::new();
    for _ in 0..200 {
        // Does what the page that is shown asks for; says where it is.
        let location = window.run(
            "const form = document.forms[0];
             if (location.hostname === 'localhost' && form && !window.sent) {
               window.sent = true;
               if (form.login) { form.login.value = 'ada'; form.password.value = 'x'; }
               form.submit();
             }
             return location.href;",
        );
        location.as_str().unwrap_or_default().clone_into(&mut shown);
        if shown.starts_with(&console) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert!(shown.starts_with(&console), "it is at {shown}");
    let session = window.run("return fetch('/v1/session').then((answer) => answer.json());");
    assert_eq!(session["user"]["login"], "ada.lovelace", "{session}");
    let seen = window.run("return document.cookie;");
    assert_eq!(seen, "", "no script reads a cookie");
}
