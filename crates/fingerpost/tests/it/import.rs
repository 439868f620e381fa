//! `import` and `export`: what goes in comes out, in any order, and what is wrong is told and left
//! out.

use crate::support;

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use fingerpost_gs1::EntityKey;
use fingerpost_store::{Store, StoreError, StoreOptions, View};
use serde_json::Value;
use support::{FINGERPOST, Run, Sandbox, export, gtin, record, run};

/// Arguments of mixed kinds.
fn arguments<'a>(words: &[&'a str], paths: &[&'a std::path::Path]) -> Vec<&'a OsStr> {
    words.iter().copied().map(OsStr::new).chain(paths.iter().map(|path| path.as_os_str())).collect()
}

/// A record with everything a link can have.
const RICH: &str = r#"{"anchor":"/01/09520123456788","itemDescription":"Tea \"A\"","links":[
 {"linkType":"gs1:defaultLink","href":"https://example.com","title":"T"},
 {"linkType":"gs1:defaultLink","href":"https://example.com/c","title":"C","validFrom":"2026-05-01T00:00:00Z","validUntil":"2026-05-08T00:00:00Z"},
 {"linkType":"gs1:defaultLinkMulti","href":"https://example.com/fr","title":"Thé","hreflang":["fr"]},
 {"linkType":"gs1:defaultLinkMulti","href":"https://example.com/es","title":"Té","hreflang":["es-419"],"context":["MX"]},
 {"linkType":"gs1:pip","href":"https://example.com","title":"T","type":"text/html"},
 {"linkType":"gs1:pip","href":"https://example.com/c","title":"C","hreflang":["en"]},
 {"linkType":"gs1:pip","href":"https://example.com/fr","title":"Thé","hreflang":["fr","en"]},
 {"linkType":"gs1:pip","href":"https://example.com/es","title":"Té","hreflang":["es"]},
 {"linkType":"https://ref.gs1.org/voc/traceability","href":"https://example.com/t?g={01}&l={10}","title":"Trace"},
 {"linkType":"license","href":"https://example.com/l","title":"L"}]}"#;

fn one_line(json: &str) -> String {
    json.replace('\n', "")
}

#[test]
fn export_then_import_is_the_identity() {
    let first = Sandbox::new();
    let lot = record("/01/09520123456788/10/A%2FB", "https://example.com/lot");
    first.import(&format!("[{RICH},{lot}]")).expect_status(0);
    let exported = first.export();
    assert_eq!(exported.lines().count(), 2);
    for format in ["jsonl", "json"] {
        let (data, second) = (first.data(), Sandbox::new());
        let text = run(arguments(&["export", "--format", format, "--data"], &[&data]));
        second.import(&text.expect_status(0).stdout).expect_status(0);
        assert_eq!(second.export(), exported, "{format}");
    }
    let imported: Value = serde_json::from_str(&one_line(RICH)).unwrap();
    let kept: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    assert_eq!(kept["anchor"], imported["anchor"]);
    assert_eq!(kept["itemDescription"], imported["itemDescription"]);
    assert_eq!(kept["links"].as_array().unwrap().len(), 10);
    assert_eq!(kept["links"][1]["validUntil"], "2026-05-08T00:00:00Z");
}

#[test]
fn importing_the_same_file_twice_changes_nothing() {
    let sandbox = Sandbox::new();
    let levels = ["/01/09520123456788", "/01/09520123456788/10/L", "/414/9520123456788"];
    let file = levels.map(|level| record(level, "https://example.com/a")).join("\n");
    let first = sandbox.import(&file).expect_status(0);
    let summary = &first.events_of("summary")[0];
    assert_eq!((&summary["accepted"], &summary["unchanged"]), (&3.into(), &0.into()));
    let before = traces(&sandbox, &levels);
    assert!(before.states.iter().all(|states| *states == 1), "{before:?}");

    let (data, copy) = (sandbox.data(), sandbox.write("again.json", &file));
    let second = run(arguments(&["import", "--data"], &[&data, &copy])).expect_status(0);
    assert_eq!(second.stdout, "3 records accepted (unchanged: 3), none refused\n");
    let array = format!("[\n{}\n]", file.replace('\n', ",\n"));
    let third = sandbox.import(&array).expect_status(0);
    let summary = &third.events_of("summary")[0];
    assert_eq!((&summary["accepted"], &summary["unchanged"]), (&3.into(), &3.into()));
    assert_eq!(traces(&sandbox, &levels), before);

    // One record differs: one more revision, and one more state of that level alone.
    let changed = file.replacen("https://example.com/a", "https://example.com/b", 1);
    sandbox.import(&changed).expect_status(0);
    let after = traces(&sandbox, &levels);
    assert_eq!((after.revision, after.records), (before.revision + 1, before.records + 1));
    assert_eq!(after.states, [2, 1, 1]);
}

/// What changes leave behind.
#[derive(Debug, PartialEq)]
struct Traces {
    revision: u64,
    /// Records of the audit log, and the hash over them.
    records: u64,
    audit_head: String,
    /// States of each level.
    states: Vec<usize>,
}

fn traces(sandbox: &Sandbox, levels: &[&str]) -> Traces {
    let options = StoreOptions::default().cache_bytes(0);
    let store = Store::open_existing(&sandbox.data(), options).unwrap();
    let read = |view: &View<'_>| -> Result<Traces, StoreError> {
        let head = view.audit_head()?;
        let states = levels.iter().map(|level| view.states(&EntityKey::parse(level).unwrap()));
        Ok(Traces {
            revision: view.revision()?.number(),
            records: head.seq(),
            audit_head: head.to_string(),
            states: states
                .map(|states| states.map(|states| states.len()))
                .collect::<Result<_, _>>()?,
        })
    };
    store.view(read).unwrap()
}

#[test]
fn the_content_of_a_file_says_what_it_is_whatever_its_name() {
    let level = "/01/09520123456788";
    let one: Value = serde_json::from_str(&record(level, "https://example.com/a")).unwrap();
    let pretty = serde_json::to_string_pretty(&one).unwrap();
    let linkset = format!(
        r#"{{"linkset": [{{"anchor": "https://id.example.org{level}", "itemDescription": "An item",
          "https://ref.gs1.org/voc/defaultLink": [{{"href": "https://example.com/a", "title": "Page"}}],
          "https://ref.gs1.org/voc/pip": [{{"href": "https://example.com/a", "title": "Page"}}]}}]}}"#
    );
    let crlf = format!("\u{feff}{}\r\n", pretty.replace('\n', "\r\n"));
    for file in [one.to_string(), pretty.clone(), crlf, format!("[\n{pretty}\n]"), linkset] {
        for name in ["a.json", "a.jsonl", "a.ndjson", "a.txt", "a"] {
            let sandbox = Sandbox::new();
            let (data, path) = (sandbox.data(), sandbox.write(name, &file));
            let report = run(arguments(&["import", "--data"], &[&data, &path])).expect_status(0);
            assert_eq!(report.stdout, "1 record accepted, none refused\n", "{name}: {file}");
        }
    }
}

#[test]
fn an_empty_store_exports_nothing_or_an_empty_array() {
    let sandbox = Sandbox::new();
    sandbox.import("").expect_status(0);
    assert_eq!(sandbox.export(), "");
    let data = sandbox.data();
    let json = run(arguments(&["export", "--format", "json", "--data"], &[&data]));
    assert_eq!(json.expect_status(0).stdout, "[]\n");
}

// RES-2.5.9-1: judged on the state after the whole run, so that order does not matter.
#[test]
fn the_order_of_records_does_not_matter() {
    let key = |n: u32| format!("/01/{}", gtin(n));
    let mut records: Vec<String> = (0..40)
        .flat_map(|n| {
            [
                record(&format!("{}/10/L", key(n)), &format!("https://example.com/{n}/lot")),
                record(&format!("{}/21/S", key(n)), &format!("https://example.com/{n}/serial")),
                record(&key(n), &format!("https://example.com/{n}")),
            ]
        })
        .collect();
    records.push(record("/01/09520123456788/10/ORPHAN", "https://example.com/orphan"));
    let mut exports = Vec::new();
    for (shuffle, batch) in [(1, "5000"), (7, "1"), (13, "3"), (100, "10")] {
        let sandbox = Sandbox::new();
        let shuffled = (0..records.len()).map(|n| &records[(n * shuffle) % records.len()]);
        let file = shuffled.map(|record| format!("{record}\n")).collect::<String>();
        let file = sandbox.write("records.jsonl", &file);
        let data = sandbox.data();
        let report = run(arguments(
            &["import", "--format", "json", "--batch", batch, "--data"],
            &[&data, &file],
        ));
        assert_orphan_refused(report);
        exports.push(sandbox.export());
    }
    assert_eq!(exports[0].lines().count(), 120);
    assert!(exports.iter().all(|export| *export == exports[0]));
}

fn assert_orphan_refused(report: Run) {
    let report = report.expect_status(1);
    let refused = report.events_of("refused");
    assert_eq!(refused.len(), 1, "{report:?}");
    assert_eq!(refused[0]["anchor"], "/01/09520123456788/10/ORPHAN");
    assert_eq!(refused[0]["faults"][0]["id"], "RES-2.5.9-1");
    assert_eq!(report.events_of("summary")[0]["accepted"], 120);
}

#[test]
fn the_later_record_wins_also_over_one_that_had_to_wait() {
    let lot = "/01/09520123456788/10/L";
    let sandbox = Sandbox::new();
    let run = [
        record(lot, "https://example.com/waits"),
        record("/01/09520123456788", "https://example.com/first"),
        record(lot, "https://example.com/later"),
        record("/01/09520123456788", "https://example.com/second"),
    ];
    for separator in ["\n", ","] {
        let file = if separator == "," { format!("[{}]", run.join(",")) } else { run.join("\n") };
        sandbox.import(&file).expect_status(0);
        let exported = sandbox.export();
        assert!(exported.contains("https://example.com/later"), "{exported}");
        assert!(exported.contains("https://example.com/second"), "{exported}");
        assert_eq!(exported.lines().count(), 2);
    }
}

// RES-2.5.8-2, RES-2.5.4-3, RES-2.5.9-1
#[test]
fn refusals_name_file_line_and_pointer_and_stop_nothing() {
    let sandbox = Sandbox::new();
    let lines = [
        record("/01/09520123456788", "https://example.com/a"),
        r#"{"anchor":"/01/09520123456788","links":[{"linkType":"gs1:defaultLink","href":"https://e.example/","title":"x","hreflang":["en"]},{"linkType":"gs1:pip","href":"https://e.example/","title":"x","hreflang":"en"}]}"#.to_owned(),
        "{\"anchor\":".to_owned(),
        record("/414/9520123456788", "https://example.com/b"),
        r#"{"anchor":"/00/195201234567891232","links":[{"linkType":"gs1:pip","href":"https://e.example/","title":"x"}]}"#.to_owned(),
        record("/417/9520123456788", "https://example.com/c"),
    ];
    let file = sandbox.write("products.jsonl", &lines.join("\n"));
    let data = sandbox.data();
    let report = run(arguments(&["import", "--format", "json", "--data"], &[&data, &file]));
    let report = report.expect_status(1);
    let refused = report.events_of("refused");
    let lines: Vec<_> = refused.iter().map(|event| event["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [2, 3, 5]);
    assert!(refused.iter().all(|event| event["record"] == event["line"]), "one on each line");
    let message = refused[1]["faults"][0]["message"].as_str().unwrap();
    assert!(message.contains("at line 3, column "), "{message}");
    assert_eq!(refused[0]["file"], file.to_str().unwrap());
    let faults = refused[0]["faults"].as_array().unwrap();
    let found: Vec<_> = faults
        .iter()
        .map(|f| (f["pointer"].as_str().unwrap(), f["id"].as_str().unwrap()))
        .collect();
    assert!(found.contains(&("/links/1/hreflang", "RES-2.5.4-3")), "{found:?}");
    assert_eq!(refused[2]["faults"][0]["id"], "RES-2.5.9-1");
    assert_eq!(sandbox.export().lines().count(), 3);

    let text = run(arguments(&["import", "--data"], &[&data, &file])).expect_status(1);
    let place_of_fault = format!("{}:2: refused /01/09520123456788\n", file.display());
    assert!(text.stdout.contains(&place_of_fault), "{}", text.stdout);
    assert!(text.stdout.contains("  /links/1/hreflang: "), "{}", text.stdout);
    let summary = "3 records accepted (unchanged: 3), 3 refused\n";
    assert!(text.stdout.ends_with(summary), "{}", text.stdout);
    assert_eq!(text.stderr, "", "no progress bar without a terminal");
}

#[test]
fn a_broken_array_refuses_its_rest_and_the_next_file_goes_on() {
    let sandbox = Sandbox::new();
    let good = record("/01/09520123456788", "https://example.com/a");
    let never = record("/417/9520123456788", "https://example.com/c");
    let broken = sandbox.write("broken.json", &format!("[{good}\n{never}]"));
    let next = sandbox.write("next.json", &record("/414/9520123456788", "https://example.com/b"));
    let data = sandbox.data();
    let report = run(arguments(&["import", "--data"], &[&data, &broken, &next])).expect_status(1);
    assert!(report.stdout.contains("broken.json:2: refused\n"), "{}", report.stdout);
    assert!(report.stdout.contains("the rest of the file is not read"), "{}", report.stdout);
    assert_eq!(sandbox.export().lines().count(), 2);
}

// RES-2.10-3: a linkset as others publish it.
#[test]
fn linksets_are_imported() {
    let sandbox = Sandbox::new();
    let linkset = r#"{"linkset":[{"anchor":"https://id.example.org/01/09520123456788","itemDescription":"Tea",
      "https://gs1.org/voc/defaultLink":[{"href":"https://example.com/p","title":"P"}],
      "https://ref.gs1.org/voc/pip":[{"href":"https://example.com/p","title":"P","hreflang":["en"],"fwqs":true}]},
      {"anchor":"https://id.example.org/01/09520123456788/10/L1","itemDescription":"Lot",
      "https://ref.gs1.org/voc/recallStatus":[{"href":"https://example.com/r","title":"R"}]}]}"#;
    sandbox.import(linkset).expect_status(0);
    let exported = sandbox.export();
    let anchors: Vec<Value> = exported.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(anchors[0]["anchor"], "/01/09520123456788");
    assert_eq!(anchors[1]["anchor"], "/01/09520123456788/10/L1");
    let mut types: Vec<_> = anchors[0]["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["linkType"].as_str().unwrap())
        .collect();
    types.sort_unstable();
    assert_eq!((types, &anchors[0]["links"][0]["default"]), (vec!["gs1:pip"], &true.into()));
}

#[test]
fn a_dry_run_judges_the_same_and_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let (data, before) = (sandbox.data(), contents(&sandbox));
    let file = sandbox.write(
        "records.json",
        &format!(
            "[{},{},{},{}]",
            record("/01/09520123456788/10/L", "https://example.com/l"), // its key is in the store
            record("/414/9520123456788/254/D", "https://example.com/d"), // its key comes later
            record("/414/9520123456788", "https://example.com/b"),
            record("/417/9520123456788/7040/1ABC", "https://example.com/x"), // its key never comes
        ),
    );
    let words = ["import", "--format", "json", "--dry-run", "--data"];
    let dry = run(arguments(&words, &[&data, &file])).expect_status(1);
    assert_eq!(contents(&sandbox), before, "nothing was changed");
    let real = run(arguments(&["import", "--format", "json", "--data"], &[&data, &file]));
    let real = real.expect_status(1);
    assert_eq!(dry.events_of("refused"), real.events_of("refused"));
    let (dry, real) = (&dry.events_of("summary")[0], &real.events_of("summary")[0]);
    assert_eq!((&dry["accepted"], &dry["refused"]), (&real["accepted"], &real["refused"]));
    assert_eq!((&real["accepted"], &real["refused"]), (&3.into(), &1.into()));

    let missing = sandbox.path("missing");
    let dry = run(arguments(&["import", "--dry-run", "--data"], &[&missing, &file]));
    assert!(dry.expect_status(1).stdout.ends_with("dry run, nothing was changed\n"));
    assert!(!missing.exists(), "a missing data directory stays missing");
}

/// The files of the data directory, but for the table of readers, where every process that looks
/// signs in.
fn contents(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(sandbox.data())
        .unwrap()
        .map(|file| {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = if name == "lock.mdb" { Vec::new() } else { fs::read(&path).unwrap() };
            (name, bytes)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn warnings_are_counted_and_shown_on_demand() {
    // RES-2.5.8-5: a single variant is pointless.
    let json = r#"{"anchor":"/01/09520123456788","itemDescription":"T","links":[{"linkType":"gs1:defaultLink","href":"https://example.com","title":"T"},{"linkType":"gs1:defaultLinkMulti","href":"https://example.com/fr","title":"T","hreflang":["fr"]},{"linkType":"gs1:pip","href":"https://example.com","title":"T"},{"linkType":"gs1:pip","href":"https://example.com/fr","title":"T","hreflang":["fr"]}]}"#;
    let sandbox = Sandbox::new();
    let (file, data) = (sandbox.write("a.json", json), sandbox.data());
    let report = run(arguments(&["import", "--data"], &[&data, &file])).expect_status(0);
    assert!(
        report.stdout.contains("1 record accepted, none refused, 1 warning (--verbose"),
        "{report:?}"
    );
    let report = run(arguments(&["import", "--verbose", "--data"], &[&data, &file]));
    assert!(report.expect_status(0).stdout.contains("a.json:1: warning /01/09520123456788\n"));
}

#[test]
fn a_file_that_cannot_be_read_costs_nothing() {
    let sandbox = Sandbox::new();
    let good = sandbox.write("a.json", &record("/01/09520123456788", "https://example.com/a"));
    let (data, missing) = (sandbox.data(), sandbox.path("missing.json"));
    let failed = run(arguments(&["import", "--data"], &[&data, &good, &missing])).expect_status(2);
    assert!(
        failed.stderr.contains("missing.json") && failed.stderr.contains("help: "),
        "{failed:?}"
    );
    assert!(!data.exists(), "nothing was begun");
}

#[test]
fn a_store_of_a_newer_format_is_left_alone() {
    let sandbox = Sandbox::new();
    let json = record("/01/09520123456788", "https://example.com/a");
    sandbox.import(&json).expect_status(0);
    let file = sandbox.data().join("data.mdb");
    let mut bytes = fs::read(&file).unwrap();
    let (ours, newer) = (b"fingerpost/3", b"fingerpost/9");
    let positions: Vec<_> =
        (0..bytes.len() - ours.len()).filter(|&at| bytes[at..].starts_with(ours)).collect();
    assert!(!positions.is_empty(), "the format is written in the store");
    for at in positions {
        bytes[at..at + newer.len()].copy_from_slice(newer);
    }
    fs::write(&file, &bytes).unwrap();
    let data = sandbox.data();
    let commands: [(&[&str], &[&std::path::Path]); 3] = [
        (&["export", "--data"], &[&data]),
        (&["import", "--data"], &[&data, &sandbox.write("a.json", &json)]),
        (&["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"], &[&data]),
    ];
    for (words, paths) in commands {
        let failed = run(arguments(words, paths)).expect_status(2);
        assert!(failed.stderr.contains("format 9"), "{failed:?}");
        assert_eq!(fs::read(&file).unwrap(), bytes, "{words:?} changed the store");
    }
}

/// A file size limit is what a test can have of a full disk: the write fails in the middle.
#[test]
fn a_full_disk_is_a_clear_error_and_what_was_committed_stays() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
    let records =
        (0..4000).map(|n| record(&format!("/01/{}", gtin(n)), "https://example.com/x") + "\n");
    let file = sandbox.write("many.jsonl", &records.collect::<String>());
    let data = sandbox.data();
    let script = r#"ulimit -f "$1"; shift; exec "$@""#;
    let output = Command::new("bash")
        .args([
            "-c", script, "bash", "400", FINGERPOST, "import", "--format", "json", "--batch", "500",
        ])
        .args(["--data".as_ref(), data.as_os_str(), file.as_os_str()])
        .output()
        .expect("bash");
    let failed = Run::from(output).expect_status(2);
    assert!(failed.stderr.contains("error: no space left"), "{failed:?}");
    let committed = failed.events_of("committed");
    let acknowledged = committed.last().map_or(0, |event| event["accepted"].as_u64().unwrap());
    let kept = export(&data).lines().count() as u64;
    assert!(kept > acknowledged, "{kept} kept, {acknowledged} acknowledged and one before");
    let again = run(arguments(&["import", "--data"], &[&data, &file])).expect_status(0);
    assert!(again.stdout.contains("4000 records accepted"), "{again:?}");
    assert_eq!(export(&data).lines().count(), 4001);
}
