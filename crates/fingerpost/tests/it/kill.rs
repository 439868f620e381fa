//! What `import` has acknowledged is there after `kill -9`, and nothing is torn.

use crate::support;

use std::fs::{self, File};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::{Place, export, fingerpost, gtin, record};

/// How often the import is killed.
const RUNS: u32 = 36;

/// Records offered in each run.
const RECORDS: u32 = 3000;

#[test]
fn acknowledged_records_survive_a_kill_at_any_moment() {
    let place = Place::new();
    // Every third level stands before its key level, and waits.
    let lines: String = (0..RECORDS)
        .map(|n| {
            let key = gtin(if n % 3 == 2 { n + 1 } else { n });
            let lot = if n % 3 == 2 { "/10/L" } else { "" };
            record(&format!("/01/{key}{lot}"), &format!("https://example.com/{n}")) + "\n"
        })
        .collect();
    let file = place.write("records.jsonl", &lines);
    let offered: Vec<&str> = lines.lines().collect();
    let (mut cut_short, mut finished) = (0, 0);
    for run in 0..RUNS {
        let data = place.path(&format!("data{run}"));
        let log = place.path("report");
        let mut child = fingerpost()
            .args(["import", "--format", "json", "--batch", "20", "--data"])
            .args([&data, &file])
            .stdout(Stdio::from(File::create(&log).unwrap()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments all over the run, from before the store exists to after its end.
        thread::sleep(Duration::from_millis(u64::from(run * run)));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = fs::read_to_string(&log).unwrap();
        let events: Vec<Value> =
            report.lines().filter_map(|l| serde_json::from_str(l).ok()).collect();
        if events.iter().any(|event| event["event"] == "summary") {
            finished += 1;
        } else {
            cut_short += 1;
        }
        let acknowledged = events
            .iter()
            .rfind(|event| event["event"] == "committed")
            .map_or(0, |event| event["line"].as_u64().unwrap());
        check(&data, &offered, acknowledged as usize);
        let _ = fs::remove_dir_all(&data); // room for the next
    }
    assert!(cut_short >= RUNS / 6, "{cut_short} of {RUNS} were cut short, {finished} finished");
}

/// Every line up to `acknowledged` is stored, but for those that wait, and what is stored is whole.
fn check(data: &std::path::Path, offered: &[&str], acknowledged: usize) {
    if !data.join("data.mdb").exists() {
        assert_eq!(acknowledged, 0);
        return;
    }
    let exported = export(data);
    let kept: std::collections::HashSet<&str> = exported.lines().collect();
    let offered_set: std::collections::HashSet<&str> = offered.iter().copied().collect();
    assert!(kept.is_subset(&offered_set), "a record was torn");
    let missing: Vec<_> = offered[..acknowledged]
        .iter()
        .filter(|record| !record.contains("/10/L") && !kept.contains(*record))
        .collect();
    assert!(missing.is_empty(), "{} acknowledged records are gone", missing.len());
}
