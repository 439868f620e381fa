//! Records of company prefixes, sets and ranges in files: what is refused, and that nothing is lost
//! on the way through one (RES-2.5.9-8 to -10).

use crate::support;

use support::{Sandbox, Server, expect_golden, record, run_with_input};

/// What nobody can register, and why.
const REFUSED: [&str; 24] = [
    "/gcp",
    "/gcp/",
    "/gcp/950",
    "/gcp/9506000134352",
    "/gcp/95A6000",
    "/gcp/9506000/10/A",
    "/01/09506000134352/-any",
    "/01/09506000134352/-any/",
    "/01/09506000134352/-any/01",
    "/01/09506000134352/-any/17",
    "/01/09506000134352/-any/10/A",
    "/01/09506000134352/-any/21/X/10",
    "/01/09506000134352/-any/10/L/21",
    "/01/09506000134353/-any/10",
    "/-any/01",
    "/01/09506000134352/21/1/-any/10",
    "/01/09506000134352/-some/10",
    "/01/09506000134352/-range/10/4/A100",
    "/01/09506000134352/-range/10/4/A100/A1999",
    "/01/09506000134352/-range/10/x/A100/A199",
    "/01/09506000134352/-range/10/4/A199/A100",
    "/01/09506000134352/-range/10/4/A%2F0/A199",
    "/01/09506000134352/-range/17/6/260101/261231",
    "/01/09506000134352/-range/10/21/AAAAAAAAAAAAAAAAAAAAA/BBBBBBBBBBBBBBBBBBBBB",
];

/// Sections 2.5.9 and 2.5.10: each message says what was expected and found, where, and what to do.
/// RES-2.4-1.
#[test]
fn section_2_5_9_refused_anchors_are_explained() {
    let sandbox = Sandbox::new();
    let data = sandbox.data();
    let lines: Vec<String> =
        REFUSED.iter().map(|anchor| record(anchor, "https://example.com/")).collect();
    let words = ["import".as_ref(), "--data".as_ref(), data.as_os_str(), "-".as_ref()];
    let refused = run_with_input(words, lines.join("\n").as_bytes()).expect_status(1);
    expect_golden("anchors", &refused.stdout);
    let end = format!("0 records accepted, {} refused\n", REFUSED.len());
    assert!(refused.stdout.ends_with(&end), "{}", refused.stdout);
    let json = sandbox.import(&lines.join("\n")).expect_status(1);
    for (event, anchor) in json.events_of("refused").iter().zip(REFUSED) {
        let fault = &event["faults"][0];
        assert_eq!((&event["anchor"], &fault["pointer"]), (&anchor.into(), &"/anchor".into()));
        assert!(fault["id"].as_str().is_some_and(|id| id.starts_with("RES-2.")), "{event}");
    }
    // Two ranges with a value in common: the other one is named. RES-2.5.9-10
    let key = "/01/09506000134352";
    let overlapping = [
        record(key, "https://example.com/"),
        record(&format!("{key}/-range/10/4/A100/A199"), "https://example.com/"),
        record(&format!("{key}/-range/10/4/A199/A250"), "https://example.com/"),
    ];
    let refused = sandbox.import(&overlapping.join("\n")).expect_status(1);
    let told = refused.events_of("refused")[0]["faults"].to_string();
    assert!(told.contains("RES-2.5.9-10") && told.contains("/A100/A199"), "{told}");
}

/// Sections 2.5.9 and 2.5.10: an export holds each form as it was registered, and another store
/// with its records, in any order, is the same and answers alike. RES-2.5.9-8, RES-2.5.9-9,
/// RES-2.5.9-10.
#[test]
fn section_2_5_9_anchors_survive_export_and_import() {
    let key = "/01/09506000134352";
    let anchors = [
        "/gcp/9506000".to_owned(),
        "/gcp/950600013435".to_owned(),
        key.to_owned(),
        format!("{key}/10/A150"),
        format!("{key}/10/%2F"),
        format!("{key}/-any/10"),
        format!("{key}/-any/21"),
        format!("{key}/-any/22/2A/10"),
        format!("{key}/-range/10/4/A100/A199"),
        format!("{key}/-range/10/5/A1000/A1999"),
        format!("{key}/-range/22/2A/10/3/1.0/2_0"),
        "/414/9506000134352".to_owned(),
        "/414/9506000134352/-any/254".to_owned(),
    ];
    let lines: Vec<String> = anchors
        .iter()
        .enumerate()
        .map(|(n, anchor)| record(anchor, &format!("https://example.com/{n}")))
        .collect();
    let first = Sandbox::new();
    first.import(&lines.join("\n")).expect_status(0);
    let exported = first.export();
    let mut found: Vec<String> = exported
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|record| record["anchor"].as_str().expect("an anchor").to_owned())
        .collect();
    let mut expected = anchors.to_vec();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    let reversed: Vec<&str> = exported.lines().rev().collect();
    for file in [exported.clone(), reversed.join("\n")] {
        let second = Sandbox::new();
        second.import(&file).expect_status(0);
        assert_eq!(second.export(), exported);
        let servers = [&first, &second].map(|sandbox| Server::start(&sandbox.data(), None));
        for (path, sandbox) in [
            ("/00/395060001343500003", Some(1)),
            ("/8004/9506000A", Some(0)),
            ("/01/09506000134352/10/A150", Some(3)),
            ("/01/09506000134352/10/%2F", Some(4)),
            ("/01/09506000134352/10/A151", Some(8)),
            ("/01/09506000134352/10/A1510", Some(9)),
            ("/01/09506000134352/10/B", Some(5)),
            ("/01/09506000134352/21/B", Some(6)),
            ("/01/09506000134352/22/2A/10/1.5", Some(10)),
            ("/01/09506000134352/22/2A/10/15", Some(7)),
            ("/01/09506000134352/22/2B", Some(2)),
            ("/414/9506000134352/254/X", Some(12)),
            ("/01/09520123456788", None),
        ] {
            let locations = servers.each_ref().map(|server| server.get(path).header("location"));
            let expected = sandbox.map(|sandbox| format!("https://example.com/{sandbox}"));
            assert_eq!(locations, [expected.clone(), expected], "{path}");
        }
        servers.into_iter().for_each(Server::stop);
    }
}
