//! What an import says about records that it leaves out, and the file of refused records.

use crate::support;

use std::ffi::OsStr;
use std::fs;

use serde_json::{Value, json};
use support::{Sandbox, record, run};

fn arguments<'a>(words: &[&'a str], paths: &[&'a std::path::Path]) -> Vec<&'a OsStr> {
    words.iter().copied().map(OsStr::new).chain(paths.iter().map(|path| path.as_os_str())).collect()
}

#[test]
fn of_several_records_for_one_anchor_the_last_one_counts_and_both_places_are_named() {
    let sandbox = Sandbox::new();
    let key = "/01/09520123456788";
    let first = sandbox.write(
        "first.jsonl",
        &[
            record(key, "https://example.com/1"),
            record("/414/9520123456788", "https://example.com/x"),
        ]
        .join("\n"),
    );
    // The same anchor in another spelling.
    let second = sandbox.write(
        "second.json",
        &format!(
            "[{},\n{}]",
            record("https://id.example.org/01/09520123456788", "https://example.com/2"),
            record(key, "https://example.com/3")
        ),
    );
    let data = sandbox.data();
    let text = run(arguments(&["import", "--dry-run", "--data"], &[&data, &first, &second]));
    let text = text.expect_status(0).stdout;
    let told = format!("{}:1: superseded {key} by {}:1\n", first.display(), second.display());
    assert!(text.contains(&told), "{text}");
    let summary = "2 records would be accepted (created: 2), 2 superseded by later ones, none refused; \
                   dry run, nothing was changed\n";
    assert!(text.ends_with(summary), "{text}");

    let report =
        run(arguments(&["import", "--format", "json", "--data"], &[&data, &first, &second]));
    let report = report.expect_status(0);
    let place_of =
        |event: &Value| json!([event["file"], event["line"], event["record"]]).to_string();
    let found: Vec<_> = report
        .events_of("superseded")
        .iter()
        .map(|event| (event["anchor"].clone(), place_of(event), place_of(&event["by"])))
        .collect();
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    assert_eq!(
        found,
        [
            (key.into(), json!([first, 1, 1]).to_string(), json!([second, 1, 1]).to_string()),
            (key.into(), json!([second, 1, 1]).to_string(), json!([second, 2, 2]).to_string()),
        ]
    );
    assert_eq!(report.events_of("summary")[0]["superseded"], 2);
    let exported = sandbox.export();
    assert!(exported.contains("https://example.com/3") && exported.lines().count() == 2);
}

#[test]
fn refused_records_can_be_corrected_and_imported_again() {
    let sandbox = Sandbox::new();
    let good = record("/01/09520123456788", "https://example.com/a");
    let wrong_type =
        record("/414/9520123456788", "https://example.com/b").replace("gs1:pip", "gs1:pipp");
    let pretty: Value = serde_json::from_str(&wrong_type).unwrap();
    let pretty = serde_json::to_string_pretty(&pretty).unwrap().replace('\n', "\r\n");
    let orphan = record("/417/9520123456788/7040/1ABC", "https://example.com/c");
    let lines = sandbox.write("lines.jsonl", &[&*good, "{\"anchor\":", &orphan].join("\n"));
    let array = sandbox.write("array.json", &format!("[{pretty}]"));
    let linkset = r#"{"linkset":[{"anchor":"https://id.example.org/8004/9520123ABC",
        "https://ref.gs1.org/voc/pip":[{"href":"https://example.com/d","title":"D"}],"itemDescription":5}]}"#;
    let linkset = sandbox.write("linkset.json", linkset);
    let (data, refused) = (sandbox.data(), sandbox.path("refused.jsonl"));
    let words = ["import", "--refused"];
    let paths = [&*refused, "--data".as_ref(), &*data, &*lines, &*array, &*linkset];
    let text = run(arguments(&words, &paths)).expect_status(1).stdout;
    assert!(text.ends_with("1 record accepted, 4 refused\n"), "{text}");

    let kept = fs::read_to_string(&refused).unwrap();
    let kept_lines: Vec<&str> = kept.lines().collect();
    assert_eq!(kept_lines.len(), 4, "{kept}");
    assert_eq!(kept_lines[0], "{\"anchor\":");
    // Those refused because of other levels come last, as they would be exported.
    let written: Value = serde_json::from_str(kept_lines[3]).unwrap();
    assert_eq!(written["anchor"], "/417/9520123456788/7040/1ABC");

    // Corrected, and imported from the file that gets what is refused this time.
    let corrected = kept
        .replace("{\"anchor\":\n", "")
        .replace("gs1:pipp", "gs1:pip")
        .replace("\"itemDescription\":5", "\"itemDescription\":\"D\"")
        .replace("voc/pip\":", "voc/defaultLink\":[{\"href\":\"https://example.com/d\",\"title\":\"D\"}],\n\"https://ref.gs1.org/voc/pip\":")
        .replace('\n', "")
        .replace("}{", "}\n{");
    let parent = record("/417/9520123456788", "https://example.com/c");
    fs::write(&refused, format!("{corrected}\n{parent}\n")).unwrap();
    let paths = [&*refused, "--data".as_ref(), &*data, &*refused];
    let text = run(arguments(&words, &paths)).expect_status(0).stdout;
    assert_eq!(text, "4 records accepted, none refused\n");
    assert_eq!(fs::read_to_string(&refused).unwrap(), "");
    assert_eq!(sandbox.export().lines().count(), 5);
}

#[test]
fn a_file_of_refused_records_that_cannot_be_created_costs_nothing() {
    let sandbox = Sandbox::new();
    let good = sandbox.write("a.json", &record("/01/09520123456788", "https://example.com/a"));
    let (data, refused) = (sandbox.data(), sandbox.path("missing/refused.jsonl"));
    let paths = [&*refused, "--data".as_ref(), &*data, &*good];
    let failed = run(arguments(&["import", "--refused"], &paths)).expect_status(2);
    assert!(
        failed.stderr.contains("refused.jsonl") && failed.stderr.contains("help: "),
        "{failed:?}"
    );
    assert!(!data.exists(), "nothing was begun");
}

/// An address without `https://` is told with it, by the import of a spreadsheet and by the one of records.
#[test]
fn an_address_without_a_scheme_is_suggested_with_one() {
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let record = record("/01/09520123456788", "www.example.com/tea");
    for (name, text) in
        [("a.csv", "GTIN,Web address\n9520123456788,www.example.com/tea\n"), ("a.json", &record)]
    {
        let file = sandbox.write(name, text);
        let run = run(arguments(&["import", "--dry-run", "--data"], &[&data, &file]));
        let text = run.expect_status(1).stdout;
        assert!(text.contains("did you mean https://www.example.com/tea?"), "{name}: {text}");
    }
}
