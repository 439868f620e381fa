//! Invitations and password resets by mail, against a mail server of our own.

use crate::support;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fingerpost_testkit::{MailServer, Received};
use serde_json::{Value, json};
use support::api::Api;
use support::{Sandbox, Server, fingerpost};

const PASSWORD: &str = "correct horse battery staple";
const ADDRESS: &str = "grace@example.org";

/// The text of a message.
fn text(message: &str) -> String {
    let (_, body) = message
        .replace('\r', "")
        .split_once("\n\n")
        .map(|(h, b)| (h.to_owned(), b.replace('\n', "")))
        .expect("a body");
    String::from_utf8(STANDARD.decode(body).expect("base64")).expect("text")
}

/// The token in the link of a message.
fn token(message: &str) -> String {
    let text = text(message);
    let link = text.lines().find(|line| line.contains("/console/#/")).expect("a link").trim();
    link.rsplit('/').next().expect("a token").to_owned()
}

fn config(server: &MailServer, further: &str) -> String {
    let address = server.address();
    format!(
        "[mail]\nfrom = \"resolver@example.org\"\nserver = \"{address}\"\ntls = \"none\"\n{further}\n"
    )
}

fn invite(api: &Api, organisation: &str, address: &str) -> (u16, Value) {
    let body = json!({"address": address, "organisation": organisation, "role": "editor", "language": "fr-CA"});
    api.send("POST", "/v1/invitations", Some(body))
}

fn accept(api: &Api, token: &str) -> u16 {
    api.as_stranger(
        "/v1/invitations/accept",
        json!({"token": token, "name": "Grace", "password": PASSWORD}),
    )
    .0
}

fn sign_in(api: &Api, password: &str) -> u16 {
    api.as_stranger("/v1/session", json!({"login": ADDRESS, "password": password})).0
}

#[test]
fn an_invitation_and_a_reset_arrive_by_mail() {
    let (sandbox, mails) = (Sandbox::new(), MailServer::start());
    let credentials = sandbox.write("mail.toml", "username = \"me\"\npassword = \"hush hush\"\n");
    let (server, api) =
        Api::serve(&sandbox, &config(&mails, &format!("credentials_file = {credentials:?}")));
    let organisation = api.organisation("9520123");
    let (status, invitation) = invite(&api, &organisation, ADDRESS);
    assert_eq!(status, 201, "{invitation}");
    let Received { envelope, credentials, message } = mails.wait_for(1).remove(0);
    assert_eq!(envelope, ("resolver@example.org".into(), ADDRESS.into()));
    assert_eq!(STANDARD.decode(credentials.expect("AUTH")).unwrap(), b"\0me\0hush hush");
    let read = text(&message);
    assert!(read.contains("Example Teas") && read.contains("invité"), "{read}");
    assert!(read.contains(&format!("{}/console/#/invitation/fpi_", api.url)), "{read}");
    assert_eq!(accept(&api, "fpi_x"), 422);
    assert_eq!([accept(&api, &token(&message)), accept(&api, &token(&message))], [200, 422]);
    assert_eq!(sign_in(&api, PASSWORD), 200);

    // Everybody gets the same answer; only a user gets a mail.
    let ask = |address: &str| api.as_stranger("/v1/password-resets", json!({"address": address}));
    assert_eq!(ask("nobody@example.org"), (202, Value::Null));
    assert_eq!(ask(ADDRESS), (202, Value::Null));
    let reset = mails.wait_for(2).remove(1);
    assert_eq!(reset.envelope.1, ADDRESS);
    let fresh = "another horse battery staple";
    let finish = |token: &str| {
        api.as_stranger("/v1/password-resets/finish", json!({"token": token, "password": fresh})).0
    };
    assert_eq!([finish(&token(&reset.message)), finish(&token(&reset.message))], [204, 422]);
    assert_eq!([PASSWORD, fresh].map(|password| sign_in(&api, password)), [401, 200]);
    server.stop();
    assert_eq!(mails.wait_for(2).len(), 2, "nobody else got a mail");
}

/// A mail server that refuses, and a power cut: the mail arrives later, and its link is valid.
#[test]
fn no_mail_is_lost_by_a_refusal_or_a_kill() {
    let (sandbox, mails) = (Sandbox::new(), MailServer::start());
    // Nobody listens there.
    let dead =
        "[mail]\nfrom = \"resolver@example.org\"\nserver = \"127.0.0.1:9\"\ntls = \"none\"\n";
    let (server, api) = Api::serve(&sandbox, dead);
    let organisation = api.organisation("9520123");
    let begin = Instant::now();
    assert_eq!(invite(&api, &organisation, ADDRESS).0, 201);
    assert!(begin.elapsed() < Duration::from_secs(20), "a request waits for no mail server");
    server.kill();
    mails.refuse(1);
    let (server, api) = Api::serve(&sandbox, &config(&mails, ""));
    let message = mails.wait_for(1).remove(0).message;
    assert_eq!(accept(&api, &token(&message)), 200);
    server.stop();
}

#[test]
fn without_a_mail_server_mails_go_to_a_folder_or_the_log() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("mails");
    let (server, api) = Api::serve(&sandbox, &format!("[mail]\nfolder = {folder:?}\n"));
    let organisation = api.organisation("9520123");
    invite(&api, &organisation, ADDRESS);
    let file = wait_for_file(&folder);
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&file).unwrap());
    assert_eq!(mode & 0o777, 0o600, "the link lets its reader in");
    assert_eq!(accept(&api, &token(&fs::read_to_string(file).unwrap())), 200);
    server.stop();

    let key = Api::key(&sandbox);
    let log = fs::File::create(sandbox.path("log")).unwrap();
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data());
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let mut server = Server::logging(command, log.into());
    let lines = server.lines_until("admin listening on ");
    let url = lines.last().unwrap().trim_start_matches("admin listening on ");
    let api = Api::new(url, &key);
    invite(&api, &organisation, "heinz@example.org");
    support::nodes::wait_until("the mail is in the log", || {
        fs::read_to_string(sandbox.path("log")).unwrap().contains("/console/#/invitation/fpi_")
    });
    server.stop();
}

/// A stranger asks for the password of a user under another host.
#[test]
fn a_host_of_a_request_is_in_no_mail() {
    let (sandbox, folder) = (Sandbox::new(), tempfile::tempdir().unwrap());
    let config = format!("[mail]\nfolder = {:?}\n", folder.path());
    let (server, api) = Api::serve(&sandbox, &config);
    let user = json!({"login": ADDRESS, "password": PASSWORD});
    assert_eq!(api.send("POST", "/v1/users", Some(user)).0, 201);
    let address = api.url.trim_start_matches("http://");
    let body = json!({"address": ADDRESS}).to_string();
    let request = format!(
        "POST /v1/password-resets HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    let read = text(&fs::read_to_string(wait_for_file(folder.path())).unwrap());
    assert!(read.contains(&format!("{}/console/#/reset/", api.url)), "{read}");
    assert!(!read.contains("evil"), "{read}");
    server.stop();
}

fn wait_for_file(folder: &Path) -> std::path::PathBuf {
    let mut found = None;
    support::nodes::wait_until("the mail is in the folder", || {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        found =
            files.map(|file| file.path()).find(|file| file.extension().is_some_and(|e| e == "eml"));
        found.is_some()
    });
    found.expect("it was waited for")
}

/// A server without STARTTLS gets neither the mail nor the password, and no log has either.
#[test]
fn mails_and_credentials_are_not_sent_without_tls() {
    let (sandbox, mails) = (Sandbox::new(), MailServer::start());
    let credentials = sandbox.write("mail.toml", "username = \"me\"\npassword = \"hush hush\"\n");
    let text = config(&mails, &format!("credentials_file = {credentials:?}"));
    let path = sandbox.write("tls.toml", &text.replace("tls = \"none\"", "tls = \"starttls\""));
    let log = fs::File::create(sandbox.path("log")).unwrap();
    let key = Api::key(&sandbox);
    let mut command = fingerpost();
    command.env("FINGERPOST_LOG_LEVEL", "debug").arg("serve").arg("--data").arg(sandbox.data());
    command
        .args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--config"])
        .arg(path);
    let mut server = Server::logging(command, log.into());
    let lines = server.lines_until("admin listening on ");
    let api = Api::new(lines.last().unwrap().trim_start_matches("admin listening on "), &key);
    let organisation = api.organisation("9520123");
    assert_eq!(invite(&api, &organisation, ADDRESS).0, 201);
    let read = || fs::read_to_string(sandbox.path("log")).unwrap();
    support::nodes::wait_until("the failure is logged", || read().contains("a mail was not sent"));
    server.stop();
    assert_eq!(mails.wait_for(0), []);
    for secret in ["hush", "fpi_", ADDRESS] {
        assert!(!read().contains(secret), "{secret}: {}", read());
    }
}

#[test]
fn wrong_options_are_refused_at_start() {
    let sandbox = Sandbox::new();
    for (text, expected) in [
        ("server = \"smtp.example.org\"", "mail.from"),
        ("server = \"smtp.example.org\"\nfrom = \"a@b\"\nfolder = \"x\"", "mail.folder"),
        ("from = \"a@b\\nBcc: c\"", "mail.from"),
        ("server = \"smtp.example.org\"\nfrom = \"a@b\"\ntls = \"none\"", "mail.tls is none"),
        ("server = \"smtp.example.org:x\"\nfrom = \"a@b\"", "no port"),
        (
            "server = \"localhost\"\nfrom = \"a@b\"\ncredentials_file = \"/no/such\"",
            "mail.credentials_file",
        ),
    ] {
        let config = sandbox.write("wrong.toml", &format!("[mail]\n{text}\n"));
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let run = support::finish(command, b"").expect_status(2);
        assert!(run.stderr.contains(expected), "{text}: {}", run.stderr);
    }
}
