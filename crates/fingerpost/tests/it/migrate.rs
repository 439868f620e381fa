//! `fingerpost migrate`: to PostgreSQL and back.

use crate::support;

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use fingerpost_testkit::{shared_cluster, skipped};

use support::{Place, Run, fingerpost, gtin, record, run};

fn migrate(from: &str, to: &str) -> Run {
    run(["migrate", "--from", from, "--to", to])
}

#[test]
fn a_store_moves_to_postgresql_and_back_with_everything() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("migration to PostgreSQL", why),
    };
    let place = Place::new();
    let records = (0..3000).map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com/1"));
    place.import(&records.map(|record| record + "\n").collect::<String>()).expect_status(0);
    let changed = record(&format!("/01/{}", gtin(7)), "https://example.com/2");
    place.import(&changed).expect_status(0);
    place.key(&[]);
    let (from, url) = (place.data().display().to_string(), cluster.fresh_schema());

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

    let back = place.path("back").display().to_string();
    let report = migrate(&url, &back).expect_status(0);
    assert!(report.stdout.starts_with("migrated: "), "{report:?}");
    let backup = |data: &str, name: &str| {
        let file = place.path(name);
        run(["backup", "--data", data, &file.display().to_string()]).expect_status(0);
        fs::read(file).unwrap()
    };
    assert!(backup(&from, "one.fpb") == backup(&back, "two.fpb"));
    run(["audit", "verify", "--data", &back]).expect_status(0);
    run(["fsck", "--data", &back]).expect_status(0);
}

#[test]
fn a_place_that_is_no_store_is_refused_with_the_reason() {
    let place = Place::new();
    let to = place.path("to").display().to_string();
    let missing = migrate(&place.path("none").display().to_string(), &to).expect_status(2);
    assert!(missing.stderr.contains("no store in"), "{missing:?}");
    let invalid = migrate("postgres://u:secret@db/a?sslmode=prefer", &to).expect_status(2);
    assert!(invalid.stderr.contains("found `prefer`"), "{invalid:?}");
    assert!(!invalid.stderr.contains("secret"), "{invalid:?}");
    if let Ok(cluster) = shared_cluster() {
        let empty = migrate(&cluster.fresh_schema(), &to).expect_status(2);
        assert!(empty.stderr.contains("no store in `postgres://"), "{empty:?}");
    }
}
