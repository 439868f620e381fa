//! Stores and backups of earlier releases (`testdata/stores`): opened, upgraded, checked and
//! compared record by record.

use crate::support;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use support::{Sandbox, export, fingerpost, finish};

/// Formats, each with the head of the audit log of its sample.
const SAMPLES: [(u32, &str); 2] = [
    (2, "4:c0d05e021492a8cbddaa308eba02270d13ef16412aaf6fcddcd07fc50d43ccb1"),
    (3, "4:0d65eb8b45ee066631b5a0fa5987c619f0ff4dbb89051572f2f20c2a02957e1c"),
];

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/stores").join(name)
}

fn on(data: &Path, args: &[&str]) {
    let mut command = fingerpost();
    command.args(args).arg("--data").arg(data);
    finish(command, b"").expect_status(0);
}

/// Checks that a directory holds what the release stored, and nothing is damaged.
fn check(data: &Path, head: &str, what: &str) {
    let records = fs::read_to_string(sample("records.jsonl")).expect("records");
    assert_eq!(export(data), records, "{what}: the records");
    on(data, &["fsck"]);
    on(data, &["audit", "verify", "--head", head]);
}

#[test]
fn stores_of_earlier_releases_are_upgraded_without_losing_anything() {
    for (format, head) in SAMPLES {
        let sandbox = Sandbox::new();
        let data = sandbox.path("data");
        fs::create_dir(&data).expect("a folder");
        let packed = fs::read(sample(&format!("format-{format}.mdb.gz"))).expect("a sample");
        let mut file = Vec::new();
        GzDecoder::new(&*packed).read_to_end(&mut file).expect("a data file");
        fs::write(data.join("data.mdb"), file).expect("a data file");
        check(&data, head, &format!("format {format}"));
        // Once more: it is not upgraded twice.
        check(&data, head, &format!("format {format}, opened again"));
    }
}

#[test]
fn backups_of_earlier_releases_are_restored() {
    for (format, head) in SAMPLES {
        let sandbox = Sandbox::new();
        let data = sandbox.path("restored");
        let backup = sample(&format!("format-{format}.fpb"));
        on(&data, &["restore", "--keep-credentials", backup.to_str().expect("text")]);
        check(&data, head, &format!("a backup of format {format}"));
    }
}
