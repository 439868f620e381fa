//! `serve`: the demo, the data directory, and what other processes write while it runs.

use crate::support;

use std::ffi::OsStr;
use std::process::Stdio;

use fingerpost_testkit::Ask;
use support::{Place, Server, fingerpost, record, run};

/// The demo needs nothing else, and every curl line it prints shows what it says.
#[test]
fn the_demo_serves_what_it_invites_to_try() {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("Ctrl-C");
    let base = format!("http://{}", server.address());
    let mut tried = 0;
    for (line, comment) in lines.iter().skip(1).zip(&lines) {
        let Some(curl) = line.strip_prefix("  curl -s ") else { continue };
        let words: Vec<&str> = curl.split('\'').collect();
        let target = words.iter().find_map(|word| word.strip_prefix(&base)).expect("a URL");
        let ask = match words.iter().find_map(|word| word.split_once(": ")) {
            Some((name, value)) => Ask::get(target).header(name, value),
            None => Ask::get(target),
        };
        let expected = match comment.trim_start_matches("  # ").split_once(':') {
            Some((status, _)) if status.parse::<u16>().is_ok() => status.parse().unwrap(),
            _ if target.contains("well-known") || curl.contains("linkset+json") => 200,
            _ => 307,
        };
        assert_eq!(server.send(&ask).status, expected, "{comment}\n{line}");
        tried += 1;
    }
    assert!(tried > 15, "{lines:?}");
    let explain = lines.iter().find(|line| line.contains(" explain ")).expect("an explanation");
    let shell = ["-c".to_owned(), explain.clone()];
    let explained = std::process::Command::new("sh").args(shell).output().expect("a shell");
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(explained.contains("redirect to https://example.com/tea/spring"), "{explained}");
    let data = explain.split(' ').skip_while(|word| *word != "--data").nth(1).unwrap().to_owned();
    server.stop();
    assert!(!std::path::Path::new(&data).exists(), "the sample data is removed");
}

#[test]
fn a_missing_data_directory_is_created_and_said_to_be_empty() {
    let place = Place::new();
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"]).arg(place.data());
    let log = std::fs::File::create(place.path("log")).unwrap();
    let mut child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
    let said = || std::fs::read_to_string(place.path("log")).unwrap();
    let patience = std::time::Instant::now();
    while !said().contains("is empty") {
        assert!(patience.elapsed().as_secs() < 30, "{}", said());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.data().join("data.mdb").exists());
}

/// What is imported while the server runs is served at once, also for a key that is in its hot cache.
#[test]
fn what_another_process_imports_is_served_at_once() {
    let place = Place::new();
    let anchor = "/01/09520123456788";
    place.import(&record(anchor, "https://example.com/0")).expect_status(0);
    let server = Server::start(&place.data(), None);
    for round in 0..20 {
        let location = format!("https://example.com/{round}");
        for _ in 0..10 {
            assert_eq!(server.get(anchor).header("location").as_deref(), Some(&*location));
        }
        let next = format!("https://example.com/{}", round + 1);
        place.import(&record(anchor, &next)).expect_status(0);
    }
    // A level that was not there a moment ago.
    let lot = format!("{anchor}/10/L1");
    assert_eq!(server.get(&lot).header("location").as_deref(), Some("https://example.com/20"));
    place.import(&record(&lot, "https://example.com/lot")).expect_status(0);
    assert_eq!(server.get(&lot).header("location").as_deref(), Some("https://example.com/lot"));
    server.stop();
}

#[test]
fn an_address_in_use_and_wrong_files_are_told_with_advice() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = place.data();
    for (side, advice) in
        [("--listen", "with --listen"), ("--admin-listen", "or do without by --no-admin")]
    {
        let serve = ["serve", "--listen", "127.0.0.1:0", side, &address, "--data"].map(OsStr::new);
        // Given twice, both addresses of the public side are taken.
        let failed = run(serve.into_iter().chain([data.as_os_str()])).expect_status(2);
        let said = format!("error: cannot listen on {address}");
        assert!(failed.stderr.contains(&said), "{failed:?}");
        assert!(failed.stderr.contains("help: choose another address"), "{failed:?}");
        assert!(failed.stderr.contains(advice), "{failed:?}");
    }

    let missing = ["--tls-cert", "none.pem", "--tls-key", "none.key"].map(OsStr::new);
    let failed = run(["serve", "--demo"].map(OsStr::new).into_iter().chain(missing));
    assert!(failed.expect_status(2).stderr.contains("none.pem"));

    let config =
        place.write("wrong.toml", "resolver_root = \"https://id.example.org\"\nnmae = 1\n");
    let serve = ["serve", "--demo", "--config"].map(OsStr::new);
    let failed = run(serve.into_iter().chain([config.as_os_str()])).expect_status(2);
    assert!(failed.stderr.contains("wrong.toml:2"), "{failed:?}");
}

/// HTTPS without a certificate: curl is told to trust whatever comes.
#[test]
fn a_self_signed_certificate_is_made_on_the_spot() {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--tls-self-signed", "--listen", "127.0.0.1:0", "--no-admin"]);
    let mut server = Server::from_command(command);
    let lines = server.lines_until("Ctrl-C");
    let line = lines.iter().find(|line| line.starts_with("  curl -sk ")).expect("a curl line");
    let output = std::process::Command::new("sh").args(["-c", line]).output().expect("a shell");
    if output.status.code() == Some(127) {
        return fingerpost_testkit::skipped("the self-signed certificate", "curl is not installed");
    }
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.trim(), "307 https://example.com/tea", "{line}");
}
