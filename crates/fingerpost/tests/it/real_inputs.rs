//! Inputs as people scan, type, paste and export them (`testdata/real-inputs.json`): the command,
//! the API with the search of the console, and the home page judge each as the file says.

use crate::support;

use std::collections::BTreeSet;

use fingerpost_testkit::Ask;
use serde::Deserialize;
use serde_json::Value;
use support::{Sandbox, Server, run, send};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    #[serde(rename = "about")]
    _about: String,
    cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    kind: String,
    /// The finding that it closes.
    closes: Option<String>,
    input: String,
    valid: bool,
    /// The reading of a valid text.
    item: Option<String>,
    /// The proposal.
    meant: Option<String>,
    /// One of the codes of faults and warnings.
    code: Option<String>,
    why: String,
}

fn corpus() -> Vec<Case> {
    let text = include_str!("../../../../testdata/real-inputs.json");
    let corpus: Corpus = serde_json::from_str(text).expect("cases");
    corpus.cases
}

/// IN-1, IN-2, IN-3, IN-4, IN-5, IN-6, IN-15, IN-16, IN-19, IN-20, IN-22, IN-28.
#[test]
fn command_api_and_home_page_agree_with_the_corpus() {
    let cases = corpus();
    assert!(cases.len() >= 120);
    let closed: BTreeSet<_> = cases.iter().filter_map(|case| case.closes.as_deref()).collect();
    assert_eq!(closed.len(), 12, "{closed:?}");
    let inputs: BTreeSet<_> = cases.iter().map(|case| &case.input).collect();
    assert_eq!(inputs.len(), cases.len(), "an input is there twice");
    assert!(cases.iter().all(|case| case.why.ends_with('.') && !case.kind.is_empty()));

    let mut wrong = Vec::new();
    let inputs = cases.iter().map(|case| &*case.input);
    let checked = run(["check", "--format", "json", "--"].into_iter().chain(inputs));
    let found = checked.events();
    assert_eq!(found.len(), cases.len());
    for (case, found) in cases.iter().zip(&found) {
        wrong.extend(differences(case, found, "perhaps_meant", "element_string"));
        let item = found["item"]["element_string"].as_str();
        if item != case.item.as_deref() {
            wrong.push(format!("command: {:?}: reads {item:?}", case.input));
        }
    }

    let (sandbox, key) = Sandbox::with_key();
    let (server, admin) = Server::start_with_admin(&sandbox.data(), &[]);
    let admin = admin.trim_start_matches("http://").trim_end_matches('/');
    for case in &cases {
        let query: String = case.input.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let ask = Ask::get(&format!("/v1/check?text={query}"));
        let answer = send(admin, &ask.header("authorization", &format!("Bearer {key}")));
        assert_eq!(answer.status, 200, "{case:?}: {}", answer.text());
        let found: Value = serde_json::from_str(&answer.text()).expect("JSON");
        wrong.extend(differences(case, &found, "perhapsMeant", "elementString"));

        let ask = Ask::get(&format!("/v1/search?text={query}"));
        let answer = send(admin, &ask.header("authorization", &format!("Bearer {key}")));
        let found: Value = serde_json::from_str(&answer.text()).expect("JSON");
        if found["meant"]["elementString"].as_str() != case.meant.as_deref() {
            wrong.push(format!("search: {:?}: proposes {}", case.input, found["meant"]));
        }

        let page = server.get(&format!("/?q={query}"));
        assert_eq!(page.status, 200, "{case:?}");
        let text = page.text();
        let is_asked = !case.input.trim().is_empty();
        if is_asked && text.contains("class=\"suggestion\"") != case.is_suggested(&text) {
            wrong.push(format!("home page: {:?} {}: suggestion", case.input, case.kind));
        }
        if is_asked && text.contains("Not valid") == case.valid {
            wrong.push(format!("home page: {:?}: valid", case.input));
        }
    }
    server.stop();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

impl Case {
    /// Returns whether the home page proposes something: also the right check digit of a number.
    fn is_suggested(&self, page: &str) -> bool {
        self.meant.is_some() || !self.valid && page.contains("check digit")
    }
}

/// Returns in what an answer in JSON differs from a case.
fn differences(case: &Case, found: &Value, meant: &str, element_string: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut note = |what: String| wrong.push(format!("{meant}: {:?}: {what}", case.input));
    if found["valid"] != case.valid {
        note(format!("valid is {}", found["valid"]));
    }
    let proposal = found[meant][element_string].as_str();
    let is_proposal = found.get("why").is_some() || meant == "perhapsMeant";
    if proposal.filter(|_| is_proposal) != case.meant.as_deref() {
        note(format!("proposes {proposal:?} instead of {:?}", case.meant));
    }
    let findings = ["faults", "warnings"].into_iter().filter_map(|list| found[list].as_array());
    let codes: Vec<_> = findings.flatten().filter_map(|finding| finding["code"].as_str()).collect();
    if case.code.as_deref().is_some_and(|code| !codes.contains(&code)) {
        note(format!("has {codes:?} and not {:?}", case.code));
    }
    wrong
}
