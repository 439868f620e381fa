//! `fingerpost doctor`: a healthy installation, and one with each fault in turn.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use support::{Run, Sandbox, Server, record, run};

const HEALTHY: &str =
    "resolver_root = \"https://id.example.org\"\n[limits]\nmax_connections = 50\n";

/// An installation that nothing is wrong with.
fn healthy() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    fs::set_permissions(sandbox.data(), fs::Permissions::from_mode(0o700)).unwrap();
    let backup = sandbox.path("backup");
    let data = sandbox.data();
    run(["backup".as_ref(), "--data".as_ref(), data.as_os_str(), backup.as_os_str()])
        .expect_status(0);
    sandbox.write("fingerpost.toml", HEALTHY);
    sandbox
}

fn doctor(sandbox: &Sandbox, further: &[&str]) -> Run {
    let (data, config) = (sandbox.data(), sandbox.path("fingerpost.toml"));
    let own = [
        "doctor".as_ref(),
        "--data".as_ref(),
        data.as_os_str(),
        "--config".as_ref(),
        config.as_os_str(),
    ];
    run(own.into_iter().chain(further.iter().map(|word| word.as_ref())))
}

/// The finding of a check that is not good.
#[track_caller]
fn complaint(sandbox: &Sandbox, status: i32, check: &str) -> String {
    let run = doctor(sandbox, &["--format", "json"]).expect_status(status);
    let report: Value = serde_json::from_str(&run.stdout).expect("one document");
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|found| found["check"] == check && found["state"] != "good");
    let found = found.unwrap_or_else(|| panic!("no complaint about {check}: {report:#}"));
    assert!(found["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{found}");
    assert_eq!(report["state"], if status == 2 { "fault" } else { "warning" }, "{report:#}");
    found["finding"].as_str().unwrap().to_owned()
}

/// Writes a certificate that is valid until some day, with its key.
fn certificate(sandbox: &Sandbox, until: (i32, u8, u8)) {
    certificate_with(sandbox, |params| {
        params.not_after = rcgen::date_time_ymd(until.0, until.1, until.2);
    });
}

/// Writes a certificate that was valid for six days when it was issued, and still is for some
/// hours.
fn certificate_of_six_days(sandbox: &Sandbox, hours_left: u64) {
    #[expect(clippy::disallowed_methods, reason = "doctor compares with its clock")]
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap();
    let at = |seconds| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);
    let until = now + hours_left * 3600;
    certificate_with(sandbox, |params| {
        (params.not_before, params.not_after) = (at(until - 6 * 86_400), at(until));
    });
}

fn certificate_with(sandbox: &Sandbox, valid: impl FnOnce(&mut rcgen::CertificateParams)) {
    let mut params = rcgen::CertificateParams::new(vec!["id.example.org".to_owned()]).unwrap();
    valid(&mut params);
    let key = rcgen::KeyPair::generate().unwrap();
    sandbox.write("chain.pem", &params.self_signed(&key).unwrap().pem());
    let path = sandbox.write("key.pem", &key.serialize_pem());
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn with_tls(sandbox: &Sandbox, root: &str) {
    let path = |name: &str| sandbox.path(name).display().to_string();
    let (cert, key) = (path("chain.pem"), path("key.pem"));
    sandbox.write(
        "fingerpost.toml",
        &format!("resolver_root = \"{root}\"\ntls_cert = {cert:?}\ntls_key = {key:?}\n[limits]\nmax_connections = 50\n"),
    );
}

#[test]
fn nothing_is_wrong_with_a_healthy_installation() {
    let sandbox = healthy();
    let run = doctor(&sandbox, &[]).expect_status(0);
    for text in ["store: is sound, with 1 level", "backup: the last backup", "nothing is wrong"] {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
    // Also while a server runs.
    let _server = Server::start(&sandbox.data(), None);
    doctor(&sandbox, &[]).expect_status(0);
    certificate(&sandbox, (2090, 1, 1));
    with_tls(&sandbox, "https://id.example.org");
    let run = doctor(&sandbox, &[]).expect_status(0);
    assert!(run.stdout.contains("is valid until 2090-01-01T00:00:00Z"), "{}", run.stdout);
}

#[test]
fn each_fault_is_named_with_what_to_do() {
    let sandbox = healthy();
    sandbox.write("fingerpost.toml", "resolver_rot = \"https://id.example.org\"");
    let found = complaint(&sandbox, 2, "configuration");
    assert!(found.contains("fingerpost.toml:1: unknown key `resolver_rot`"), "{found}");
    sandbox.write("fingerpost.toml", "[limits]\nmax_connections = 50\n");
    assert!(complaint(&sandbox, 1, "configuration").contains("resolver_root"));
    sandbox.write("fingerpost.toml", &HEALTHY.replace("50", "2000000000"));
    assert!(complaint(&sandbox, 1, "limits").contains("limits.max_connections"));
    sandbox.write("fingerpost.toml", HEALTHY);

    let last = sandbox.data().join("last-backup.json");
    fs::write(&last, r#"{"at":"2026-01-05T10:00:00Z","revision":1,"levels":1}"#).unwrap();
    assert!(complaint(&sandbox, 1, "backup").contains("2026-01-05T10:00:00Z"));
    doctor(&sandbox, &["--backup-age", "99999999"]).expect_status(0);
    fs::remove_file(&last).unwrap();
    assert!(complaint(&sandbox, 1, "backup").contains("never backed up"));

    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&sandbox.data(), 0o777);
    assert!(complaint(&sandbox, 2, "permissions").contains("replace the store"));
    mode(&sandbox.data(), 0o700);
    mode(&sandbox.data().join("data.mdb"), 0o644);
    assert!(complaint(&sandbox, 1, "permissions").contains("data.mdb"));
    mode(&sandbox.data().join("data.mdb"), 0o600);

    let file = fs::File::options().write(true).open(sandbox.data().join("data.mdb")).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    assert!(complaint(&sandbox, 2, "store").contains("data.mdb"), "a truncated store");
    fs::remove_dir_all(sandbox.data()).unwrap();
    assert!(complaint(&sandbox, 2, "permissions").contains("cannot look at"));
}

#[test]
fn certificates_are_looked_at() {
    let sandbox = healthy();
    certificate(&sandbox, (2020, 1, 1));
    with_tls(&sandbox, "https://id.example.org");
    assert!(complaint(&sandbox, 2, "public certificate").contains("has expired at 2020-01-01"));
    certificate(&sandbox, (2090, 1, 1));
    with_tls(&sandbox, "https://id.example.com:8443");
    let found = complaint(&sandbox, 1, "public certificate");
    assert!(found.contains("is not for the host `id.example.com`"), "{found}");
    with_tls(&sandbox, "https://id.example.org");
    fs::set_permissions(sandbox.path("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(complaint(&sandbox, 1, "public certificate").contains("can read the key"));
    sandbox.write("chain.pem", "nothing");
    assert!(complaint(&sandbox, 2, "public certificate").contains("expected a certificate chain"));
}

#[test]
fn a_certificate_of_six_days_is_not_about_to_expire_from_the_beginning() {
    let sandbox = healthy();
    with_tls(&sandbox, "https://id.example.org");
    certificate_of_six_days(&sandbox, 60);
    doctor(&sandbox, &[]).expect_status(0);
    certificate_of_six_days(&sandbox, 30);
    assert!(complaint(&sandbox, 1, "public certificate").contains("expires at"));
}

/// Keeps a certificate for a name, as one that an authority has issued.
fn automatic(sandbox: &Sandbox, name: &str, until: i32, state: &str) {
    let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(until, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let pem = key.serialize_pem() + &params.self_signed(&key).unwrap().pem();
    let folder = sandbox.data().join("acme");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("certificate.pem"), pem).unwrap();
    fs::set_permissions(folder.join("certificate.pem"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(folder.join("state.json"), state).unwrap();
}

#[test]
fn an_automatic_certificate_and_its_names_are_looked_at() {
    const PLANNED: &str = r#"{"next_attempt":"2089-01-01T00:00:00Z"}"#;
    let sandbox = healthy();
    let config = "tls_acme = true\n[acme]\nnames = \"id.example.org\"\nterms_agreed = true\nchallenge = \"tls-alpn-01\"\n";
    sandbox.write(
        "fingerpost.toml",
        &format!(
            "resolver_root = \"https://id.example.org\"\n{config}[limits]\nmax_connections = 50\n"
        ),
    );
    let found = |status| complaint(&sandbox, status, "automatic certificate");
    assert!(found(2).contains("there is none for id.example.org yet"));
    automatic(&sandbox, "id.example.org", 2090, PLANNED);
    let run = doctor(&sandbox, &[]).expect_status(0);
    assert!(
        run.stdout.contains("is valid until 2090") && run.stdout.contains("is not checked"),
        "{run:?}"
    );
    automatic(&sandbox, "id.example.org", 2020, PLANNED);
    assert!(found(2).contains("has expired at 2020"));
    automatic(&sandbox, "other.example.org", 2090, PLANNED);
    assert!(found(2).contains("is not for id.example.org"));
    let failed = r#"{"failures":2,"next_attempt":"2089-01-01T00:00:00Z","last_failure":{"at":"2026-01-01T00:00:00Z","reason":"a\tb"}}"#;
    automatic(&sandbox, "id.example.org", 2090, failed);
    assert!(found(1).contains("the last attempt failed at 2026-01-01T00:00:00Z: a"));
    automatic(&sandbox, "id.example.org", 2090, r#"{"next_attempt":"2020-01-01T00:00:00Z"}"#);
    assert!(found(1).contains("should have been renewed"));
    automatic(&sandbox, "id.example.org", 2090, PLANNED);
    let file = sandbox.data().join("acme/certificate.pem");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(found(1).contains("can read the key"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();

    let dns = |text: &str, status| {
        let file = sandbox.write("names", text).display().to_string();
        let addresses = ["--address", "192.0.2.1", "--address", "2001:db8::1"];
        doctor(&sandbox, &[&["--dns", &file][..], &addresses].concat()).expect_status(status).stdout
    };
    let good =
        dns("# names\nID.example.org. 192.0.2.1 2001:db8:0::1 # both\n\nwww.example.org\n", 0);
    assert!(good.contains("lead to the addresses of this machine"), "{good}");
    for (text, told) in [
        ("", "id.example.org has no address"),
        ("id.example.org", "id.example.org has no address"),
        ("id.example.org 192.0.2.1 192.0.2.7", "id.example.org leads to 192.0.2.7"),
        ("\nid.example.org here", "line 2: expected an address, found \"here\""),
    ] {
        let found = dns(text, 2);
        assert!(found.contains(told), "{found}");
    }
}

#[test]
fn a_node_whose_source_is_away_is_a_fault() {
    let (source, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&source.data(), &[]);
    let node = Sandbox::new();
    let key_file = node.write("key", &key);
    let config = format!("{HEALTHY}[store]\nurl = \"{url}\"\nkey_file = {key_file:?}\n");
    let config = node.write("fingerpost.toml", &config);
    let (data, follow) = (node.data(), "follow");
    run([
        follow.as_ref(),
        "--data".as_ref(),
        data.as_os_str(),
        "--config".as_ref(),
        config.as_os_str(),
    ])
    .expect_status(0);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    let run = doctor(&node, &[]).expect_status(0);
    assert!(
        run.stdout.contains("node: the copy is complete, and 0 revisions behind"),
        "{}",
        run.stdout
    );
    server.stop();
    complaint(&node, 2, "node");
}

#[test]
fn the_line_of_a_fault_in_the_configuration_is_shown_below_it() {
    // PE-14
    let sandbox = healthy();
    sandbox.write("fingerpost.toml", "resolver_root = \"https://id.example.org\"\nname = [1\n");
    let stdout = doctor(&sandbox, &[]).expect_status(2).stdout;
    assert!(
        stdout.contains("fingerpost.toml:2: ") && stdout.contains("\n          name = [1\n"),
        "{stdout}"
    );
    assert!(!stdout.contains("\\u{a}") && stdout.contains("fingerpost configuration"), "{stdout}");
}
