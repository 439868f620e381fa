//! `fingerpost migrate`: to PostgreSQL and back.

use crate::support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use fingerpost_testkit::{Cluster, shared_cluster, skipped};

use support::{Run, Sandbox, fingerpost, finish, gtin, record, run};

fn migrate(from: &str, to: &str) -> Run {
    run(["migrate", "--from", from, "--to", to])
}

#[test]
fn a_store_moves_to_postgresql_and_back_with_everything() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("migration to PostgreSQL", why),
    };
    let sandbox = Sandbox::new();
    let records = (0..3000).map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com/1"));
    sandbox.import(&records.map(|record| record + "\n").collect::<String>()).expect_status(0);
    let changed = record(&format!("/01/{}", gtin(7)), "https://example.com/2");
    sandbox.import(&changed).expect_status(0);
    sandbox.key(&[]);
    let (from, url) = (sandbox.data().display().to_string(), cluster.fresh_schema());

    // Killed at any moment, it continues. Nobody opens what is not complete.
    for millis in [30, 100, 200] {
        let mut process = fingerpost();
        process.args(["migrate", "--from", &from, "--to", &url]);
        let mut process = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(millis));
        process.kill().unwrap();
        if process.wait().unwrap().success() {
            break;
        }
    }
    let done = migrate(&from, &url);
    if done.status != Some(0) {
        assert!(done.stderr.contains("is not empty"), "the killed one was complete: {done:?}");
    }
    let again = migrate(&from, &url).expect_status(2);
    assert!(again.stderr.contains("is not empty"), "{again:?}");

    let back = sandbox.path("back").display().to_string();
    let report = migrate(&url, &back).expect_status(0);
    assert!(report.stdout.starts_with("migrated: "), "{report:?}");
    let backup = |data: &str, name: &str| {
        let file = sandbox.path(name);
        run(["backup", "--data", data, &file.display().to_string()]).expect_status(0);
        fs::read(file).unwrap()
    };
    assert!(backup(&from, "one.fpb") == backup(&back, "two.fpb"));
    run(["audit", "verify", "--data", &back]).expect_status(0);
    run(["fsck", "--data", &back]).expect_status(0);
}

#[test]
fn a_place_that_is_no_store_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let to = sandbox.path("to").display().to_string();
    let missing = migrate(&sandbox.path("none").display().to_string(), &to).expect_status(2);
    assert!(missing.stderr.contains("no store in"), "{missing:?}");
    let invalid = migrate("postgres://u:secret@db/a?sslmode=prefer", &to).expect_status(2);
    assert!(invalid.stderr.contains("found `prefer`"), "{invalid:?}");
    assert!(!invalid.stderr.contains("secret"), "{invalid:?}");
    if let Ok(cluster) = shared_cluster() {
        let empty = migrate(&cluster.fresh_schema(), &to).expect_status(2);
        assert!(empty.stderr.contains("no store in `postgres://"), "{empty:?}");
    }
}

#[test]
fn a_password_comes_from_the_environment_or_a_file_and_one_in_the_command_line_is_warned_of() {
    // The server refuses a wrong password only if it asks for one.
    let cluster = match Cluster::start(&[]) {
        Ok(cluster) => cluster,
        Err(why) => return skipped("passwords of PostgreSQL", &why),
    };
    let _ = cluster.sql("CREATE ROLE ada LOGIN PASSWORD 'very secret'");
    let _ = cluster.sql("CREATE DATABASE links OWNER ada");
    let rules = cluster
        .write_file("hba", "host all fingerpost all trust\nhost all all all scram-sha-256\n");
    let _ = cluster.sql(&format!("ALTER SYSTEM SET hba_file = '{}'", rules.display()));
    let mut cluster = cluster;
    cluster.stop();
    cluster.resume();
    let sandbox = Sandbox::new();
    sandbox.import(&record(&format!("/01/{}", gtin(7)), "https://example.com/1")).expect_status(0);
    let from = sandbox.data().display().to_string();
    let to = |user: &str, schema: &str| {
        format!("postgres://{user}@127.0.0.1:{}/links?schema={schema}", cluster.port())
    };
    let moved = |to: &str, variable: Option<(&str, &str)>| {
        let mut command = fingerpost();
        command.args(["migrate", "--from", &from, "--to", to]).env_remove("PGPASSWORD");
        command.env_remove("PGPASSFILE").env("HOME", sandbox.path("nobody")).envs(variable);
        finish(command, b"")
    };
    let refused = moved(&to("ada", "a"), None).expect_status(2);
    assert!(!refused.stderr.contains("warning"), "{refused:?}");
    let done = moved(&to("ada", "b"), Some(("PGPASSWORD", "very secret"))).expect_status(0);
    assert!(!done.stderr.contains("warning"), "{done:?}");
    let file = sandbox.write("passwords", &format!("*:{}:links:ada:very secret\n", cluster.port()));
    let file = file.display().to_string();
    fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let open = moved(&to("ada", "c"), Some(("PGPASSFILE", &file))).expect_status(2);
    assert!(
        open.stderr.contains("others can read it") && open.stderr.contains("chmod 600"),
        "{open:?}"
    );
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    moved(&to("ada", "d"), Some(("PGPASSFILE", &file))).expect_status(0);
    let warned = moved(&to("ada:very%20secret", "e"), None).expect_status(0);
    assert!(warned.stderr.contains("warning: other users of this machine can read"), "{warned:?}");
    assert!(!warned.stderr.contains("very"), "{warned:?}");
}
