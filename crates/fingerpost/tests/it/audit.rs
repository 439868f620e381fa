//! `audit` and `fsck`: who wrote what, and that nobody changed it afterwards.

use crate::support;

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;
use support::{Run, Sandbox, Server, finish, record, run};

const ANCHOR: &str = "/01/09520123456788";

fn on(data: &Path, words: &[&str]) -> Run {
    run(words.iter().map(OsStr::new).chain(["--data".as_ref(), data.as_os_str()]))
}

fn verify(data: &Path, further: &[&str]) -> (i32, Value) {
    let words = [&["audit", "verify", "--format", "json"], further].concat();
    let said = on(data, &words);
    (said.status.unwrap(), said.events().remove(0))
}

/// Replaces a text by another of the same length wherever it stands in the data file.
fn tamper(data: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let file = data.join("data.mdb");
    let mut bytes = std::fs::read(&file).unwrap();
    let positions: Vec<usize> = bytes
        .windows(from.len())
        .enumerate()
        .filter(|(_, window)| *window == from.as_bytes())
        .map(|(position, _)| position)
        .collect();
    assert!(!positions.is_empty(), "{from}");
    for position in positions {
        bytes[position..position + to.len()].copy_from_slice(to.as_bytes());
    }
    std::fs::write(&file, bytes).unwrap();
}

#[test]
fn the_log_tells_who_did_what() {
    let (sandbox, key) = Sandbox::with_key();
    let (server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let mut command = sandbox.client(&url, &key);
    command.args(["put", "-"]);
    finish(command, record(ANCHOR, "https://example.com/1").as_bytes()).expect_status(0);
    server.stop();

    let lines = on(&sandbox.data(), &["audit", "export"]).expect_status(0).events();
    let told: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            let text = |name: &str| line["record"][name].as_str().unwrap();
            (text("action"), text("actor"))
        })
        .collect();
    let of = |action: &str| {
        told.iter().filter(|(found, _)| *found == action).map(|(_, by)| *by).collect::<Vec<_>>()
    };
    assert_eq!(of("key.created"), ["local:admin"], "{told:?}");
    let writes = of("links.write");
    assert_eq!(writes.len(), 2, "{told:?}");
    assert!(writes[0] == "local:import" && writes[1].starts_with("key:"), "{told:?}");
    let last = lines.iter().rfind(|line| line["record"]["action"] == "links.write").unwrap();
    assert!(last["person"]["userAgent"].as_str().unwrap().starts_with("fingerpost/"), "{last}");
    let from = on(&sandbox.data(), &["audit", "export", "--from", "2"]).expect_status(0).events();
    assert_eq!(from, lines[1..]);
    // The lines can be verified: each hash covers the one before and the record as it stands.
    assert!(lines.iter().all(|line| line["hash"].as_str().unwrap().len() == 64));
}

#[test]
fn a_sound_log_has_a_head_to_note_elsewhere() {
    let (sandbox, _) = Sandbox::with_key();
    let said = on(&sandbox.data(), &["audit", "verify"]).expect_status(0).stdout;
    assert!(said.starts_with("sound: ") && said.contains("note the head elsewhere"), "{said}");
    let head = said.lines().find_map(|line| line.strip_prefix("head: ")).unwrap().to_owned();
    sandbox.import(&record(ANCHOR, "https://example.com/later")).expect_status(0);
    let (status, report) = verify(&sandbox.data(), &["--head", &head]);
    assert_eq!((status, &report["sound"]), (0, &Value::Bool(true)), "{report}");

    // A newly created store has a log of its own, which is sound; the head noted tells them apart.
    let other = Sandbox::new();
    other.import(&record(ANCHOR, "https://example.com/0")).expect_status(0);
    assert_eq!(verify(&other.data(), &[]).0, 0);
    let (status, report) = verify(&other.data(), &["--head", &head]);
    assert_eq!(status, 1, "{report}");
    run(["audit", "verify", "--data", "x", "--head", "nonsense"]).expect_status(2);
    on(Path::new("/nonexistent/x"), &["audit", "verify"]).expect_status(2);
}

/// Anyone with write access can change the file, but not undetected.
#[test]
fn tampering_is_found() {
    for (from, to, what) in [
        ("local:import", "local:nobody", "who did it"),
        ("https://example.com/2", "https://example.com/3", "what a level says now"),
        ("https://example.com/1", "https://example.com/7", "what it said before"),
    ] {
        let sandbox = Sandbox::new();
        for target in ["https://example.com/1", "https://example.com/2"] {
            sandbox.import(&record(ANCHOR, target)).expect_status(0);
        }
        assert_eq!(verify(&sandbox.data(), &[]).0, 0);
        on(&sandbox.data(), &["fsck"]).expect_status(0);
        tamper(&sandbox.data(), from, to);
        let (status, report) = verify(&sandbox.data(), &[]);
        assert_eq!(status, 1, "{what}: {report}");
        assert!(report["faultCount"].as_u64().unwrap() > 0, "{what}: {report}");
        let said = on(&sandbox.data(), &["audit", "verify"]).expect_status(1).stdout;
        assert!(said.contains("fault: ") && said.contains("not sound"), "{what}: {said}");
        let said = on(&sandbox.data(), &["fsck"]).expect_status(1).stdout;
        assert!(said.contains("fault: ") && said.contains("help: keep a copy"), "{what}: {said}");
    }
}

#[test]
fn a_store_that_is_sound_says_what_it_holds() {
    let (sandbox, _) = Sandbox::with_key();
    let said = on(&sandbox.data(), &["fsck"]).expect_status(0).stdout;
    assert!(said.starts_with("sound: 1 levels") || said.starts_with("sound: 1 level"), "{said}");
    let report =
        on(&sandbox.data(), &["fsck", "--format", "json"]).expect_status(0).events().remove(0);
    assert_eq!((&report["sound"], &report["levels"]), (&Value::Bool(true), &Value::from(1)));
    on(Path::new("/nonexistent/x"), &["fsck"]).expect_status(2);
}

/// The server appends heads to a file while it runs and when it stops; a log that was cut off does
/// not match them.
#[test]
fn published_heads_find_a_log_that_was_cut_off() {
    let (sandbox, key) = Sandbox::with_key();
    let before = sandbox.path("before.fpb");
    on(&sandbox.data(), &["backup", before.to_str().unwrap()]).expect_status(0);
    let heads = sandbox.path("heads.jsonl");
    let config = format!("[audit]\nheads_file = {heads:?}\nheads_interval = \"1s\"\n");
    let config = sandbox.write("fingerpost.toml", &config);
    let (server, url) =
        Server::start_with_admin(&sandbox.data(), &["--config", config.to_str().unwrap()]);
    let mut command = sandbox.client(&url, &key);
    command.args(["put", "-"]);
    finish(command, record(ANCHOR, "https://example.com/1").as_bytes()).expect_status(0);
    server.stop();
    let published = std::fs::read_to_string(&heads).unwrap();
    let last: Value = serde_json::from_str(published.lines().last().unwrap()).unwrap();
    let (status, report) = verify(&sandbox.data(), &["--heads", heads.to_str().unwrap()]);
    assert_eq!((status, &report["head"]), (0, &last["head"]), "{report}");
    assert!(report["documents"].as_u64().unwrap() >= 1, "{report}");
    // The state before: sound in itself, but not what was published.
    let cut_off = sandbox.path("cut-off");
    let restore = ["restore", before.to_str().unwrap(), "--keep-credentials"];
    on(&cut_off, &restore).expect_status(0);
    assert_eq!(verify(&cut_off, &[]).0, 0);
    let (status, report) = verify(&cut_off, &["--heads", heads.to_str().unwrap()]);
    assert_eq!(status, 1, "{report}");
    let wrong = sandbox.write("wrong", "no head\n");
    let words = ["audit", "verify", "--heads", wrong.to_str().unwrap()];
    assert!(on(&sandbox.data(), &words).expect_status(2).stderr.contains("line 1"));
}

#[test]
fn the_clock_is_confirmed() {
    let (sandbox, _) = Sandbox::with_key();
    let said = on(&sandbox.data(), &["audit", "confirm-clock"]).expect_status(0);
    assert!(said.stdout.starts_with("confirmed: 2"), "{said:?}");
    let lines = on(&sandbox.data(), &["audit", "export"]).expect_status(0).events();
    assert_eq!(lines.last().unwrap()["record"]["action"], "clock.confirmed");
}
