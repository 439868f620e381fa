//! What a build without optional features says when one of them is needed. A program of its own,
//! which `.ci/default-features` compiles in little time: `it` is compiled with all features.

#![cfg(not(feature = "bson"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use fingerpost_store::{Store, StoreOptions};

/// Runs the program in a folder until it refuses, and returns why. What does not refuse within a
/// minute is ended.
fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fingerpost"));
    command.args(arguments).args(["--data", "data"]).current_dir(folder).env_clear();
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    for _ in 0..600 {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    // It may have ended by itself.
    let _ = child.kill();
    let output = child.wait_with_output().expect("the program ends");
    let error = String::from_utf8(output.stderr).expect("messages are text");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    error
}

/// A configuration that relies on a feature is refused at the start. 37.1: records rely on a
/// database of countries.
#[test]
fn a_configuration_that_needs_a_feature_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (fault, remedy, options) in [
        (
            "country.database",
            "cargo build --release --features country",
            "[country]\ndatabase = \"countries.mmdb\"",
        ),
        (
            "backup.recipients",
            "--features encryption",
            "[backup]\nto = \"backups\"\nfull = \"1h\"\nrecipients = [\"age1x\"]",
        ),
        (
            "admin.oidc: this build has no sign-in",
            "cargo build --release --features oidc",
            "[admin.oidc]\nclient_id = \"fingerpost\"\nissuer = \"http://127.0.0.1:1\"",
        ),
        (
            "role_issuers",
            "cargo build --release --features oidc",
            "roles = [{ name = \"a\", title = { en = \"A\" } }]\n[[role_issuers]]\naudience = \"x\"\n\
             issuer = \"http://127.0.0.1:1\"\nclaim = \"groups\"\nroles = { b = \"a\" }",
        ),
        (
            "otel.endpoint",
            "cargo build --release --features otel",
            "[otel]\nendpoint = \"http://127.0.0.1:1/\"",
        ),
        ("s3://", "--features s3", "[backup]\nto = \"s3://bucket/backups\"\nfull = \"1h\""),
    ] {
        let options = format!("listen = \"127.0.0.1:0\"\n{options}\n");
        fs::write(folder.path().join("fingerpost.toml"), options).expect("a file");
        let error = refusal(folder.path(), &["serve", "--admin-listen", "127.0.0.1:0"]);
        assert!(error.contains(fault) && error.contains(remedy), "{fault}: {error}");
    }
}

/// A dump of a database is BSON.
#[test]
fn a_dump_is_refused_with_the_name_of_another_program() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gs1resolver.bson"), b"\x05\0\0\0\0").expect("a file");
    let error = refusal(folder.path(), &["import", "--from-ce", "gs1resolver.bson"]);
    for text in ["built without BSON", "--features bson", "bsondump"] {
        assert!(error.contains(text), "{error}");
    }
}

/// Nothing is written where an escrow should be.
#[test]
fn an_escrow_is_refused_without_encryption() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(&folder.path().join("data"), StoreOptions::default()).expect("a store"));
    let error = refusal(folder.path(), &["escrow", "write", "--to", "age1x", "escrow"]);
    assert!(error.contains("--features encryption"), "{error}");
    assert!(!folder.path().join("escrow").exists());
}
