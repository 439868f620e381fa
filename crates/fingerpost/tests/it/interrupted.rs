//! An import that ends early, by `kill -9` or Ctrl-C, and the same command again.

use crate::support;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;
use support::{Sandbox, export, fingerpost, gtin, record, run};

/// Records in the file, in an order that is not theirs. With a commit for each, the events do not
/// fit into a pipe: as long as nobody reads them, the import cannot end.
const RECORDS: u32 = 20_000;

fn records(count: u32) -> String {
    (0..count)
        .map(|n| n * 7_919 % count)
        .map(|n| record(&format!("/01/{}", gtin(n)), &format!("https://example.com/{n}")) + "\n")
        .collect()
}

/// Starts an import that commits each record by itself.
fn start(data: &Path, file: &Path, errors: Stdio) -> (Child, BufReader<ChildStdout>) {
    let mut child = fingerpost()
        .args(["import", "--format", "json", "--batch", "1", "--data"])
        .args([data, file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .unwrap();
    let events = BufReader::new(child.stdout.take().unwrap());
    (child, events)
}

fn next(events: &mut impl BufRead) -> Option<Value> {
    let mut line = String::new();
    events.read_line(&mut line).unwrap();
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
}

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn a_killed_import_is_completed_by_the_same_command() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("records.jsonl", &records(3_000));
    let whole = sandbox.path("whole");
    let import = |data: &Path| {
        let words = ["import", "--format", "json", "--data"].map(str::as_ref);
        run(words.into_iter().chain([data.as_os_str(), file.as_os_str()])).expect_status(0)
    };
    import(&whole);

    let data = sandbox.data();
    let (mut child, mut events) = start(&data, &file, Stdio::null());
    let acknowledged = (0..5).map(|_| next(&mut events).unwrap()["accepted"].as_u64().unwrap());
    assert_eq!(acknowledged.last(), Some(5));
    child.kill().unwrap();
    child.wait().unwrap();
    let stored = export(&data).lines().count() as u64;
    assert!((5..3_000).contains(&stored), "{stored}");

    let again = import(&data);
    let summary = &again.events_of("summary")[0];
    assert_eq!(
        (&summary["unchanged"], &summary["created"]),
        (&stored.into(), &(3_000 - stored).into())
    );
    assert_eq!(export(&data), export(&whole));
    run(["fsck".as_ref(), "--data".as_ref(), data.as_os_str()]).expect_status(0);
}

#[test]
fn ctrl_c_says_what_is_stored() {
    let sandbox = Sandbox::new();
    let (data, file) = (sandbox.data(), sandbox.write("records.jsonl", &records(RECORDS)));
    let told = sandbox.path("told");
    let (mut child, mut events) = start(&data, &file, Stdio::from(File::create(&told).unwrap()));
    let before = (0..5).map(|_| next(&mut events).unwrap()["accepted"].as_u64()).last().unwrap();
    interrupt(&child);
    // The import may end before the next commit.
    let accepted = std::iter::from_fn(|| next(&mut events)).map(|event| event["accepted"].as_u64());
    let stored = accepted.last().unwrap_or(before).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(
        std::fs::read_to_string(told).unwrap(),
        format!(
            "interrupted: {stored} records stored; run the same command again for the rest, \
             records already stored are left alone\n"
        )
    );
    assert_eq!(export(&data).lines().count() as u64, stored);
}

#[test]
fn ctrl_c_while_waiting_for_input_stores_nothing() {
    let sandbox = Sandbox::new();
    let (data, told) = (sandbox.data(), sandbox.path("told"));
    let errors = Stdio::from(File::create(&told).unwrap());
    let (mut child, mut events) = start(&data, Path::new("-"), errors);
    // More than is read at once, so that something is reported while the input stays open.
    let mut input = child.stdin.take().unwrap();
    let lines = [record("/01/09520123456788", "https://example.com"), "x\n".repeat(1 << 19)];
    let writer = std::thread::spawn(move || {
        let _ = input.write_all(lines.join("\n").as_bytes()); // until the other end is closed
        input
    });
    assert_eq!(next(&mut events).unwrap()["event"], "refused");
    interrupt(&child);
    let _ = events.read_to_end(&mut Vec::new());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(writer.join().unwrap());
    assert!(std::fs::read_to_string(told).unwrap().contains("interrupted: nothing was stored; "));
    assert_eq!(export(&data), "");
}
