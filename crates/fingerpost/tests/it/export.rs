//! `fingerpost export`: filters, and linksets.

use fingerpost_testkit::linkset_faults;
use serde_json::{Value, json};

use crate::support::{Run, Sandbox, record, run};

fn export(sandbox: &Sandbox, further: &[&str]) -> Run {
    let data = sandbox.data();
    let arguments = ["export", "--data", data.to_str().unwrap()];
    run(arguments.iter().chain(further))
}

fn anchors(run: &Run) -> Vec<Value> {
    run.events().into_iter().map(|record| record["anchor"].clone()).collect()
}

#[test]
fn filters_select_keys_of_a_company_and_recent_changes() {
    let sandbox = Sandbox::new();
    let page = "https://example.com/p";
    let all = [
        "/00/095060001343520123",
        "/01/09520123456788",
        "/01/19506000134359",
        "/414/9506000134352",
        "/gcp/9506000",
    ];
    let records: Vec<_> = all.iter().map(|anchor| record(anchor, page)).collect();
    sandbox.import(&records.join("\n"));
    let selected = export(&sandbox, &["--prefix", "9506000"]).expect_status(0);
    assert_eq!(anchors(&selected), [all[0], all[2], all[3], all[4]]);
    let several = ["--prefix", "9506000", "--prefix", "9520123", "--changed-since", "2020-01-01"];
    assert_eq!(anchors(&export(&sandbox, &several)), all);
    let future = ["--changed-since", "2999-01-01T00:00:00Z", "--format", "json"];
    assert_eq!(export(&sandbox, &future).expect_status(0).stdout, "[]\n");
    for wrong in [["--prefix", "950"], ["--changed-since", "yesterday"]] {
        let refused = export(&sandbox, &wrong).expect_status(2);
        assert!(refused.stderr.contains(wrong[1]), "{refused:?}");
    }
}

#[test]
fn a_linkset_says_what_it_leaves_out() {
    let sandbox = Sandbox::new();
    let empty = sandbox.import("").expect_status(0);
    assert!(empty.stderr.is_empty());
    let page = "https://example.com/p";
    let config = sandbox.write("config.toml", "resolver_root = \"https://id.example.org\"\n");
    let linkset = ["--format", "linkset", "--config", config.to_str().unwrap()];
    let nothing = export(&sandbox, &linkset).expect_status(0);
    assert_eq!((nothing.stdout.as_str(), nothing.stderr.as_str()), ("{\"linkset\":[]}\n", ""));
    let ended = record("/414/9520123456788", page).replace(
        "]}",
        r#",{"linkType":"gs1:instructions","href":"https://example.com/i","title":"How","validFrom":"2020-01-01T00:00:00Z"}]}"#,
    );
    let records = [record("/01/09520123456788", page), ended, record("/gcp/9520123", page)];
    sandbox.import(&records.join("\n")).expect_status(0);
    let exported = export(&sandbox, &linkset).expect_status(0);
    let document: Value = serde_json::from_str(&exported.stdout).unwrap();
    assert_eq!(linkset_faults(&document), [""; 0], "by the schema of GS1");
    let page = |kind: &str| {
        (format!("https://ref.gs1.org/voc/{kind}"), json!([{"href": page, "title": "Page"}]))
    };
    for (context, key) in document["linkset"]
        .as_array()
        .unwrap()
        .iter()
        .zip(["01/09520123456788", "414/9520123456788"])
    {
        assert_eq!(context["anchor"], format!("https://id.example.org/{key}"));
        assert_eq!(context["itemDescription"], "An item");
        for (kind, links) in [page("defaultLink"), page("pip")] {
            assert_eq!(context[&kind], links);
        }
    }
    assert_eq!(
        exported.stderr.trim_end(),
        "note: a linkset has no place for everything (JSON Lines has): records of company prefixes, any value or ranges, \
         left out: 1; links without their validity: 1"
    );
    let second = Sandbox::new();
    second.import(&exported.stdout).expect_status(0);
    assert_eq!(second.export().lines().count(), 2);
    // Without an address of the resolver, the one in the anchors is a default, and the command says
    // so.
    let warned = export(&sandbox, &["--format", "linkset"]).expect_status(0);
    assert!(warned.stderr.contains("no resolver_root is configured"), "{warned:?}");
}
