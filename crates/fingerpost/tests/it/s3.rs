//! A repository in S3-compatible storage (feature `s3`), with moto as the server; `.ci/moto`
//! installs it.

#[path = "../../../fingerpost-server/src/backup/s3/tests/moto.rs"]
mod moto;

use crate::repository::Kept;
use crate::support;

use moto::Moto;
use support::{Run, export, finish};

/// Runs a command with the keys of an account in its environment.
fn with_keys(kept: &Kept, arguments: &[&str]) -> Run {
    let mut command = kept.command(arguments);
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "secret-of-test");
    let told = finish(command, b"");
    assert!(!told.stderr.contains("secret-of-test") && !told.stdout.contains("secret-of-test"));
    told
}

#[test]
fn a_repository_in_s3_is_one_as_in_a_directory() {
    let Some(mut moto) = Moto::start() else { return };
    let port = moto.port;
    let options = format!(
        "s3_endpoint = \"http://127.0.0.1:{port}\"\ns3_region = \"us-east-1\"\nkeep = {{ days = 1 }}"
    );
    let kept = Kept::new(&options);
    let run = |arguments: &[&str]| {
        with_keys(&kept, &[arguments, &["--to", "s3://bucket/store"]].concat())
    };
    let first = kept.sandbox.export();
    run(&["backup", "run"]).expect_status(0);
    kept.put(3..9, "https://example.com/1");
    let told = run(&["backup", "run"]).expect_status(0);
    assert!(told.stdout.contains("-changes.fpb"), "{told:?}");
    let listed = run(&["backup", "list", "--format", "json"]).expect_status(0);
    assert_eq!(listed.stdout.lines().count(), 2, "{listed:?}");
    let told = run(&["backup", "verify"]).expect_status(0);
    assert!(told.stdout.contains("restored from 2 files"), "{told:?}");
    let restore = |name: &str, further: &[&str]| {
        let target = kept.sandbox.path(name);
        let target = target.to_str().unwrap();
        let config = kept.sandbox.path("fingerpost.toml");
        let mut command = support::fingerpost();
        command.args(["restore", "--from", "s3://bucket/store", "--data", target]).args(further);
        command.arg("--config").arg(config);
        command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "secret-of-test");
        finish(command, b"")
    };
    restore("last", &[]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("last")), kept.sandbox.export());
    restore("first", &["--at", "1"]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("first")), first);
    // If the manifest of the newest backup is empty, an older state is restored by its name only.
    let names: Vec<String> =
        listed.events().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    moto.send("PUT", "/bucket/store/20991231T000000000Z-r000000000009-full.fpb.json").unwrap();
    let told = restore("newest", &[]).expect_status(2);
    assert!(told.stderr.contains("cannot be used: its manifest cannot be used: EOF"), "{told:?}");
    run(&["backup", "verify"]).expect_status(2);
    restore("named", &[&names[0]]).expect_status(0);
    assert_eq!(export(&kept.sandbox.path("named")), first);
    let told = run(&["backup", "run"]).expect_status(0);
    assert!(told.stdout.contains("a full backup, because the newest backup"), "{told:?}");
    restore("newest", &[]).expect_status(0);
    // While the storage is away, a backup fails in words, and nothing is restored.
    moto.stop();
    let told = run(&["backup", "run"]).expect_status(2);
    assert!(
        told.stderr.contains("cannot write backups to `s3://bucket/store`")
            || told.stderr.contains("cannot list"),
        "{told:?}"
    );
    restore("away", &[]).expect_status(2);
}
