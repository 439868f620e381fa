//! `fingerpost doctor`: a healthy installation, and one with each fault in turn.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use support::{Place, Run, Server, record, run};

const HEALTHY: &str =
    "resolver_root = \"https://id.example.org\"\n[limits]\nmax_connections = 50\n";

/// An installation that nothing is wrong with.
fn healthy() -> Place {
    let place = Place::new();
    place.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    fs::set_permissions(place.data(), fs::Permissions::from_mode(0o700)).unwrap();
    let backup = place.path("backup");
    let data = place.data();
    run(["backup".as_ref(), "--data".as_ref(), data.as_os_str(), backup.as_os_str()])
        .expect_status(0);
    place.write("fingerpost.toml", HEALTHY);
    place
}

fn doctor(place: &Place, further: &[&str]) -> Run {
    let (data, config) = (place.data(), place.path("fingerpost.toml"));
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
fn complaint(place: &Place, status: i32, check: &str) -> String {
    let run = doctor(place, &["--format", "json"]).expect_status(status);
    let report: Value = serde_json::from_str(&run.stdout).expect("one document");
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|found| found["check"] == check && found["state"] != "good");
    let found = found.unwrap_or_else(|| panic!("no complaint about {check}: {report:#}"));
    assert!(found["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{found}");
    assert_eq!(report["state"], if status == 2 { "fault" } else { "warning" }, "{report:#}");
    found["finding"].as_str().unwrap().to_owned()
}

/// Writes a certificate that is valid until some day, with its key.
fn certificate(place: &Place, until: (i32, u8, u8)) {
    certificate_with(place, |params| {
        params.not_after = rcgen::date_time_ymd(until.0, until.1, until.2);
    });
}

/// Writes a certificate that was valid for six days when it was issued, and still is for some
/// hours.
fn certificate_of_six_days(place: &Place, hours_left: u64) {
    #[expect(clippy::disallowed_methods, reason = "doctor compares with its clock")]
    let now = u64::try_from(jiff::Timestamp::now().as_second()).unwrap();
    let at = |seconds| rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds);
    let until = now + hours_left * 3600;
    certificate_with(place, |params| {
        (params.not_before, params.not_after) = (at(until - 6 * 86_400), at(until));
    });
}

fn certificate_with(place: &Place, valid: impl FnOnce(&mut rcgen::CertificateParams)) {
    let mut params = rcgen::CertificateParams::new(vec!["id.example.org".to_owned()]).unwrap();
    valid(&mut params);
    let key = rcgen::KeyPair::generate().unwrap();
    place.write("chain.pem", &params.self_signed(&key).unwrap().pem());
    let path = place.write("key.pem", &key.serialize_pem());
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn with_tls(place: &Place, root: &str) {
    let path = |name: &str| place.path(name).display().to_string();
    let (cert, key) = (path("chain.pem"), path("key.pem"));
    place.write(
        "fingerpost.toml",
        &format!("resolver_root = \"{root}\"\ntls_cert = {cert:?}\ntls_key = {key:?}\n[limits]\nmax_connections = 50\n"),
    );
}

#[test]
fn nothing_is_wrong_with_a_healthy_installation() {
    let place = healthy();
    let run = doctor(&place, &[]).expect_status(0);
    for text in ["store: is sound, with 1 level", "backup: the last backup", "nothing is wrong"] {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
    // Also while a server runs.
    let _server = Server::start(&place.data(), None);
    doctor(&place, &[]).expect_status(0);
    certificate(&place, (2090, 1, 1));
    with_tls(&place, "https://id.example.org");
    let run = doctor(&place, &[]).expect_status(0);
    assert!(run.stdout.contains("is valid until 2090-01-01T00:00:00Z"), "{}", run.stdout);
}

#[test]
fn each_fault_is_named_with_what_to_do() {
    let place = healthy();
    place.write("fingerpost.toml", "resolver_rot = \"https://id.example.org\"");
    let found = complaint(&place, 2, "configuration");
    assert!(found.contains("fingerpost.toml:1: unknown key `resolver_rot`"), "{found}");
    place.write("fingerpost.toml", "[limits]\nmax_connections = 50\n");
    assert!(complaint(&place, 1, "configuration").contains("resolver_root"));
    place.write("fingerpost.toml", &HEALTHY.replace("50", "2000000000"));
    assert!(complaint(&place, 1, "limits").contains("limits.max_connections"));
    place.write("fingerpost.toml", HEALTHY);

    let last = place.data().join("last-backup.json");
    fs::write(&last, r#"{"at":"2026-01-05T10:00:00Z","revision":1,"levels":1}"#).unwrap();
    assert!(complaint(&place, 1, "backup").contains("2026-01-05T10:00:00Z"));
    doctor(&place, &["--backup-age", "99999999"]).expect_status(0);
    fs::remove_file(&last).unwrap();
    assert!(complaint(&place, 1, "backup").contains("never backed up"));

    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(&place.data(), 0o777);
    assert!(complaint(&place, 2, "permissions").contains("replace the store"));
    mode(&place.data(), 0o700);
    mode(&place.data().join("data.mdb"), 0o644);
    assert!(complaint(&place, 1, "permissions").contains("data.mdb"));
    mode(&place.data().join("data.mdb"), 0o600);

    let file = fs::File::options().write(true).open(place.data().join("data.mdb")).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    assert!(complaint(&place, 2, "store").contains("data.mdb"), "a truncated store");
    fs::remove_dir_all(place.data()).unwrap();
    assert!(complaint(&place, 2, "permissions").contains("cannot look at"));
}

#[test]
fn certificates_are_looked_at() {
    let place = healthy();
    certificate(&place, (2020, 1, 1));
    with_tls(&place, "https://id.example.org");
    assert!(complaint(&place, 2, "public certificate").contains("has expired at 2020-01-01"));
    certificate(&place, (2090, 1, 1));
    with_tls(&place, "https://id.example.com:8443");
    let found = complaint(&place, 1, "public certificate");
    assert!(found.contains("is not for the host `id.example.com`"), "{found}");
    with_tls(&place, "https://id.example.org");
    fs::set_permissions(place.path("key.pem"), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(complaint(&place, 1, "public certificate").contains("can read the key"));
    place.write("chain.pem", "nothing");
    assert!(complaint(&place, 2, "public certificate").contains("expected a certificate chain"));
}

#[test]
fn a_certificate_of_six_days_is_not_about_to_expire_from_the_beginning() {
    let place = healthy();
    with_tls(&place, "https://id.example.org");
    certificate_of_six_days(&place, 60);
    doctor(&place, &[]).expect_status(0);
    certificate_of_six_days(&place, 30);
    assert!(complaint(&place, 1, "public certificate").contains("expires at"));
}

/// Keeps a certificate for a name, as one that an authority has issued.
fn automatic(place: &Place, name: &str, until: i32, state: &str) {
    let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(until, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let pem = key.serialize_pem() + &params.self_signed(&key).unwrap().pem();
    let folder = place.data().join("acme");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("certificate.pem"), pem).unwrap();
    fs::set_permissions(folder.join("certificate.pem"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(folder.join("state.json"), state).unwrap();
}

#[test]
fn an_automatic_certificate_and_its_names_are_looked_at() {
    const PLANNED: &str = r#"{"next_attempt":"2089-01-01T00:00:00Z"}"#;
    let place = healthy();
    let config = "tls_acme = true\n[acme]\nnames = \"id.example.org\"\nterms_agreed = true\nchallenge = \"tls-alpn-01\"\n";
    place.write(
        "fingerpost.toml",
        &format!(
            "resolver_root = \"https://id.example.org\"\n{config}[limits]\nmax_connections = 50\n"
        ),
    );
    let found = |status| complaint(&place, status, "automatic certificate");
    assert!(found(2).contains("there is none for id.example.org yet"));
    automatic(&place, "id.example.org", 2090, PLANNED);
    let run = doctor(&place, &[]).expect_status(0);
    assert!(
        run.stdout.contains("is valid until 2090") && run.stdout.contains("is not checked"),
        "{run:?}"
    );
    automatic(&place, "id.example.org", 2020, PLANNED);
    assert!(found(2).contains("has expired at 2020"));
    automatic(&place, "other.example.org", 2090, PLANNED);
    assert!(found(2).contains("is not for id.example.org"));
    let failed = r#"{"failures":2,"next_attempt":"2089-01-01T00:00:00Z","last_failure":{"at":"2026-01-01T00:00:00Z","reason":"a\tb"}}"#;
    automatic(&place, "id.example.org", 2090, failed);
    assert!(found(1).contains("the last attempt failed at 2026-01-01T00:00:00Z: a"));
    automatic(&place, "id.example.org", 2090, r#"{"next_attempt":"2020-01-01T00:00:00Z"}"#);
    assert!(found(1).contains("should have been renewed"));
    automatic(&place, "id.example.org", 2090, PLANNED);
    let file = place.data().join("acme/certificate.pem");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(found(1).contains("can read the key"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();

    let dns = |text: &str, status| {
        let file = place.write("names", text).display().to_string();
        let addresses = ["--address", "192.0.2.1", "--address", "2001:db8::1"];
        doctor(&place, &[&["--dns", &file][..], &addresses].concat()).expect_status(status).stdout
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
    let (source, key) = Place::with_key();
    let (server, url) = Server::start_with_admin(&source.data(), &[]);
    let node = Place::new();
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
