//! Accounts from the command line: the first admin, keys, signing in with a password, the demo.

use crate::support;

use std::process::Command;

use serde_json::Value;
use support::{Run, Sandbox, Server, fingerpost, finish, record};

const PASSWORD: &str = "correct horse battery staple";

fn ask(mut command: Command, arguments: &[&str], input: &str) -> Run {
    command.args(arguments);
    finish(command, input.as_bytes())
}

fn create(sandbox: &Sandbox, login: &str, password: &str) -> Run {
    let data = sandbox.data();
    let data = data.to_str().unwrap();
    ask(fingerpost(), &["admin", "create", "--data", data, "--login", login], password)
}

#[test]
fn the_first_admin_signs_in_by_password_and_keeps_a_key_only() {
    let sandbox = Sandbox::new();
    let short = create(&sandbox, "ada", "short").expect_status(2);
    assert!(short.stderr.contains("/password") && !short.stderr.contains("short\n"), "{short:?}");
    create(&sandbox, "ada", PASSWORD).expect_status(0);
    let twice = create(&sandbox, "Ada", PASSWORD).expect_status(2);
    assert!(twice.stderr.contains("/login"), "{twice:?}");
    create(&sandbox, "bob", "").expect_status(2);
    // Nobody listens on port 9: the address is what is wrong, not the password.
    let away = ["login", "http://127.0.0.1:9", "--login", "ada"];
    let away = ask(sandbox.anybody(), &away, PASSWORD).expect_status(2);
    assert!(away.stderr.contains("check the address"), "{away:?}");

    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let me = |arguments: &[&str], input: &str| ask(sandbox.anybody(), arguments, input);
    let failed = me(&["login", &url, "--login", "ada"], "a wrong password").expect_status(2);
    assert!(failed.stderr.contains("check name and password"), "{failed:?}");
    me(&["login", &url, "--login", "ada"], PASSWORD).expect_status(0);
    let file = sandbox.path("config").join("fingerpost").join("credentials.toml");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("fpk_") && !kept.contains(PASSWORD), "{kept}");

    me(&["put", "-"], &record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    // The key that was made for this command line ends with it.
    let key = kept.split('"').find(|word| word.starts_with("fpk_")).unwrap().to_owned();
    let out = me(&["logout"], "").expect_status(0);
    assert!(out.stderr.is_empty(), "{out:?}");
    let ended = ask(sandbox.client(&url, &key), &["list"], "").expect_status(2);
    assert!(ended.stderr.contains("fingerpost login"), "{ended:?}");
    server.stop();
}

/// The command asks for the code of a second factor; on the machine of the data it can be removed.
#[test]
fn a_second_factor_is_asked_for_and_removed_on_the_machine() {
    let sandbox = Sandbox::new();
    create(&sandbox, "ada", PASSWORD).expect_status(0);
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let config = ureq::Agent::config_builder().proxy(None).http_status_as_error(false);
    let agent = config.build().new_agent();
    let body = serde_json::json!({"login": "ada", "password": PASSWORD}).to_string();
    let sent = agent.post(format!("{url}/v1/session")).content_type("application/json").send(body);
    let mut session = sent.expect("an answer");
    let cookie = session.headers()["set-cookie"].to_str().expect("text").to_owned();
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    let csrf = json_of(&mut session)["csrf"].as_str().expect("a token").to_owned();
    let send = |request: ureq::RequestBuilder<ureq::typestate::WithBody>, body: Value| {
        let request = request.header("cookie", &cookie).header("origin", &url);
        let request = request.header("x-csrf-token", &csrf).content_type("application/json");
        json_of(&mut request.send(body.to_string()).expect("an answer"))
    };
    let target = format!("{url}/v1/session/totp");
    let begun = send(agent.post(&target), serde_json::json!({"password": PASSWORD}));
    let secret = begun["secret"].as_str().expect("a secret").to_owned();
    #[expect(clippy::disallowed_methods, reason = "the server compares with its clock")]
    let now = jiff::Timestamp::now().as_second();
    let code = fingerpost_testkit::totp(&secret, now);
    let codes = send(agent.put(&target), serde_json::json!({ "code": code }));
    let recovery = codes["recoveryCodes"][0].as_str().expect("a code").to_owned();

    let me = |input: &str| ask(sandbox.anybody(), &["login", &url, "--login", "ada"], input);
    me(PASSWORD).expect_status(2);
    let wrong = me(&format!("{PASSWORD}\n000000\n")).expect_status(2);
    assert!(wrong.stderr.contains("check name and password"), "{wrong:?}");
    me(&format!("{PASSWORD}\n{recovery}\n")).expect_status(0);
    let data = sandbox.data();
    let data = data.to_str().expect("text");
    let reset = |login: &str| {
        ask(fingerpost(), &["admin", "reset-second-factor", "--data", data, "--login", login], "")
    };
    reset("nobody").expect_status(2);
    reset("Ada").expect_status(0);
    me(PASSWORD).expect_status(0);
    server.stop();
}

fn json_of(answer: &mut http::Response<ureq::Body>) -> Value {
    let text = answer.body_mut().read_to_string().expect("text");
    serde_json::from_str(&text).expect("JSON")
}

/// No secret stands in the data directory, in what `serve` logs, or in the audit log.
#[test]
fn secrets_are_kept_nowhere() {
    let sandbox = Sandbox::new();
    create(&sandbox, "ada", PASSWORD).expect_status(0);
    let key = sandbox.key(&["--verb", "read"]);
    let mut command = fingerpost();
    command.env("FINGERPOST_LOG_LEVEL", "trace").arg("serve").arg("--data").arg(sandbox.data());
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let log = std::fs::File::create(sandbox.path("log")).unwrap();
    let mut server = Server::logging(command, log.into());
    let lines = server.lines_until("admin listening on ");
    let url = lines.last().unwrap().trim_start_matches("admin listening on ").to_owned();
    ask(sandbox.anybody(), &["login", &url, "--login", "ada"], PASSWORD).expect_status(0);
    ask(sandbox.client(&url, &key), &["list"], "").expect_status(0);
    server.stop();
    // `fpk_ID_SECRET`: the secret itself may hold `_`.
    let secret = key.splitn(3, '_').nth(2).unwrap().to_owned();
    assert_eq!(secret.len(), 43);
    for file in [sandbox.data().join("data.mdb"), sandbox.path("log")] {
        let bytes = std::fs::read(file).unwrap();
        assert!(!bytes.is_empty());
        for text in [PASSWORD, &secret] {
            assert!(!bytes.windows(text.len()).any(|bytes| bytes == text.as_bytes()), "{text}");
        }
    }
}

#[test]
fn a_key_says_what_it_is_once_and_ends_when_it_should() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let data = sandbox.data();
    let data = data.to_str().unwrap();
    let make = |further: &[&str]| {
        let arguments = ["admin", "key", "--data", data, "--label", "x", "--format", "json"];
        ask(fingerpost(), &[&arguments[..], further].concat(), "")
    };
    let made = make(&["--verb", "read", "--prefix", "9520123"]).expect_status(0).events().remove(0);
    assert_eq!(made["key"]["verbs"], serde_json::json!(["read"]));
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with(&format!("fpk_{}_", made["key"]["id"].as_str().unwrap())), "{made}");
    let id = made["key"]["id"].as_str().unwrap();
    let rotate = |id: &str, further: &[&str]| {
        let arguments = ["admin", "rotate-key", "--data", data, "--format", "json", id];
        ask(fingerpost(), &[&arguments[..], further].concat(), "")
    };
    let rotated = rotate(id, &[]).expect_status(0).events().remove(0);
    assert!(rotated["key"]["previousUntil"].is_string(), "{rotated}");
    rotate("nonsense", &[]).expect_status(2);
    rotate(id, &["--previous-until", "2999-01-01T00:00:00Z"]).expect_status(2);
    make(&["--expires", "2020-01-01T00:00:00Z"]).expect_status(2);
    make(&["--organisation", "nonsense"]).expect_status(2);
    let missing = ["admin", "key", "--data", "/nonexistent/x", "--label", "x"];
    ask(fingerpost(), &missing, "").expect_status(2);

    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    for token in [token, rotated["token"].as_str().unwrap()] {
        ask(sandbox.client(&url, token), &["get", "01/09520123456788"], "").expect_status(0);
    }
    server.stop();
}

#[test]
fn serve_says_how_the_first_account_is_made() {
    let sandbox = Sandbox::new();
    let said = |sandbox: &Sandbox| {
        let mut command = fingerpost();
        command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.arg("--data").arg(sandbox.data());
        let log = std::fs::File::create(sandbox.path("log")).unwrap();
        // The first line is that of the public side: `logging` expects it.
        let mut server = Server::logging(command, log.into());
        server.lines_until("admin listening on http://127.0.0.1:");
        server.get("/"); // it serves, so it hears signals
        server.stop();
        std::fs::read_to_string(sandbox.path("log")).unwrap()
    };
    assert!(said(&sandbox).contains("fingerpost admin create --data"));
    create(&sandbox, "ada", PASSWORD).expect_status(0);
    assert!(!said(&sandbox).contains("admin create"));
}

#[test]
fn the_demo_has_an_account_with_a_password_of_its_own() {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("Ctrl-C");
    let line = lines.iter().find(|line| line.starts_with("Registration: open ")).expect("a line");
    let words: Vec<&str> = line.split(' ').collect();
    let (url, password) = (words[2], words[9]);
    let sandbox = Sandbox::new();
    let me = |arguments: &[&str], input: &str| ask(sandbox.anybody(), arguments, input);
    me(&["login", url, "--login", "demo"], password).expect_status(0);
    let got = me(&["get", "9520123456788", "--format", "json"], "").expect_status(0).events();
    assert_eq!(got[0]["by"]["actor"], Value::from("local:demo"));
    // A recall is ended first, as the message says (PE-1); the record holds nothing else.
    let lot = "01/09520123456788/10/LOT7";
    let refused = me(&["delete", lot], "").expect_status(1);
    assert!(refused.stderr.contains(&format!("fingerpost recall --end {lot}")), "{refused:?}");
    me(&["recall", "--end", lot], "").expect_status(0);
    assert!(me(&["get", lot], "").expect_status(1).stderr.contains("not found"));
    me(&["delete", "01/09520123456788/21/1001"], "").expect_status(0);
    server.stop();
}

/// Makes something by the API, with the key of an administrator; its id.
fn make(url: &str, key: &str, what: &str, body: &Value) -> String {
    let config = ureq::Agent::config_builder().proxy(None).http_status_as_error(false);
    let answer = config
        .build()
        .new_agent()
        .post(format!("{url}/v1/{what}"))
        .header("authorization", format!("Bearer {key}"))
        .content_type("application/json")
        .send(body.to_string());
    let mut answer = answer.expect("an answer");
    let text = answer.body_mut().read_to_string().expect("text");
    assert_eq!(answer.status(), 201, "{text}");
    let made: Value = serde_json::from_str(&text).expect("JSON");
    made["id"].as_str().expect("an id").to_owned()
}

/// An editor's key reaches as far as the editor does; a change that needs a second person waits for
/// one.
#[test]
fn an_editor_registers_what_the_organisation_owns() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let organisation = |name: &str, prefix: &str, approval: bool| {
        let body =
            serde_json::json!({"name": name, "prefixes": [prefix], "approvalRequired": approval});
        make(&url, &key, "organisations", &body)
    };
    let free = organisation("Free", "9520123", false);
    let careful = organisation("Careful", "9520124", true);
    let user = |login: &str, organisations: &[&String]| {
        let roles: Vec<_> = organisations
            .iter()
            .map(|id| serde_json::json!({"organisation": id, "role": "editor"}))
            .collect();
        let body = serde_json::json!({"login": login, "password": PASSWORD, "memberships": roles});
        make(&url, &key, "users", &body)
    };
    user("ed", &[&free]);
    user("both", &[&free, &careful]);

    let me = |arguments: &[&str], input: &str| ask(sandbox.anybody(), arguments, input);
    me(&["login", &url, "--login", "ed"], PASSWORD).expect_status(0);
    let own = record("/01/09520123456788", "https://example.com/ed");
    me(&["put", "-"], &own).expect_status(0);
    let foreign = record("/01/09520124456787", "https://example.com/ed");
    let refused = me(&["put", "-"], &foreign).expect_status(2);
    assert!(refused.stderr.contains("you do not have permission"), "{refused:?}");
    let listed = me(&["list", "--format", "json"], "").expect_status(0).events();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert!(listed[0]["by"]["actor"].as_str().unwrap().starts_with("key:"), "{listed:?}");
    let out = me(&["logout"], "").expect_status(0);
    assert!(out.stderr.is_empty(), "{out:?}");

    let which = me(&["login", &url, "--login", "both"], PASSWORD).expect_status(2);
    assert!(which.stderr.contains(&format!("--organisation {careful} (Careful)")), "{which:?}");
    let login = ["login", &url, "--login", "both", "--organisation", &careful];
    me(&login, PASSWORD).expect_status(0);
    let proposed = me(&["put", "-"], &foreign).expect_status(0);
    assert!(proposed.stdout.contains("for a second person to release"), "{proposed:?}");
    me(&["get", "01/09520124456787"], "").expect_status(1);
    server.stop();
}
