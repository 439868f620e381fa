//! The formats of reports.

use fingerpost_conform::{
    ConformOptions, ConformReport, Judgement, Obligation, Release, checks, examine,
};
use serde_json::Value;

use crate::resolver::{self, KEY};

fn report(fault: &'static str, standard: Release) -> ConformReport {
    let server = resolver::start(fault);
    let uris = [format!("http://{}{KEY}", server.address)];
    let options = ConformOptions { rate: 0, standard, ..ConformOptions::default() };
    examine(&uris, options).expect("a report")
}

/// Returns the number of checks for a release.
fn count(release: Release) -> usize {
    checks().filter(|check| check.applies_to(release)).count()
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut text = Vec::new();
    write(&mut text).expect("memory");
    String::from_utf8(text).expect("text")
}

#[test]
fn json_has_every_check_with_its_request_and_answer() {
    let report = report("unknown-type-default", Release::V1_2);
    let value: Value = serde_json::from_str(&written(|out| report.write_json(out))).expect("JSON");
    let results = value["results"].as_array().expect("results");
    assert_eq!(results.len(), count(Release::V1_2));
    let failed = results.iter().find(|it| it["result"] == "fail").expect("a failure");
    assert_eq!(failed["id"], "type-unknown");
    assert_eq!(failed["clause"], "2.6.2");
    assert_eq!(failed["answer"]["status"], 307);
    let request = failed["request"].as_str().expect("a command");
    assert!(
        request.starts_with("curl ") && request.ends_with("?linkType=gs1:nosuchlt'"),
        "{request}"
    );
    assert!(failed["detail"].as_str().expect("text").contains("https://example.com/tea"));
}

#[test]
fn junit_counts_failures_of_the_obligation() {
    let report = report("slash-404", Release::V1_2);
    assert!(!report.has_failures(Obligation::Shall) && report.has_failures(Obligation::Should));
    let shall = written(|out| report.write_junit(Obligation::Shall, out));
    let should = written(|out| report.write_junit(Obligation::Should, out));
    assert!(shall.contains("failures=\"0\">") && !shall.contains("<failure"), "{shall}");
    assert!(shall.contains("<system-out>SHOULD: status 404"), "{shall}");
    assert!(should.contains("failures=\"1\">") && should.contains("<failure"), "{should}");
    for element in ["testsuites", "testsuite", "testcase", "failure"] {
        let opened = should.matches(&format!("<{element} ")).count();
        assert_eq!(opened, should.matches(&format!("</{element}>")).count(), "{element}");
    }
    assert_eq!(should.matches("<testcase ").count(), count(Release::V1_2));
}

#[test]
fn html_is_self_contained_and_text_has_a_line_for_each_check() {
    let report = report("", Release::V1_2);
    let html = written(|out| report.write_html(out));
    assert!(
        !["<script", "src=", "<link", "@import", "url("].iter().any(|it| html.contains(it)),
        "{html}"
    );
    assert_eq!(html.matches("<details").count(), count(Release::V1_2));
    let text = written(|out| report.write_text(false, out));
    for check in checks().filter(|check| check.applies_to(Release::V1_2)) {
        assert!(text.contains(&format!(" {} ", check.id)), "{}", check.id);
    }
    assert_eq!(
        report.count(&Judgement::Pass) + report.count(&Judgement::NotTried(String::new())),
        count(Release::V1_2)
    );
    assert!(written(|out| report.write_text(true, out)).len() > text.len());
    // One line for each check, and one for each topic, within the columns of a terminal.
    let mut plain = text;
    for colour in ["\u{1b}[32m", "\u{1b}[33m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"] {
        plain = plain.replace(colour, "");
    }
    let wide = plain.lines().find(|line| line.chars().count() > 80);
    assert_eq!(wide, None);
    let words = ["  pass ", "  FAIL ", "  depends ", "  - "];
    let is_check = |line: &&str| words.iter().any(|word| line.starts_with(word));
    let of_checks = plain.lines().filter(is_check).count();
    assert_eq!(of_checks, report.results.len());
}

#[test]
fn earlier_releases_leave_later_checks_out() {
    let report = report("", Release::V1_0);
    assert!(report.results.iter().all(|it| it.check.since == Release::V1_0));
    assert_eq!(report.results.len(), count(Release::V1_0));
    // Requirements that a later release removed.
    let has = |id: &str| report.results.iter().any(|it| it.check.id == id);
    assert!(has("compressed-link") && !has("epc-hexadecimal"));
}

#[test]
fn wrong_arguments_are_explained() {
    for uri in [
        "",
        "id.example.org/01/09520123456788",
        "https://id.example.org/about",
        "https://id.example.org/\u{1b}",
    ] {
        let error = examine(&[uri.to_owned()], ConformOptions::default()).expect_err(uri);
        assert!(
            error.starts_with("expected a GS1 Digital Link URI such as https://id.example.org/01/"),
            "{error}"
        );
        assert!(!error.contains('\u{1b}'));
    }
    let authorities = Some(b"no certificates".to_vec());
    let options = ConformOptions { authorities, ..ConformOptions::default() };
    let uri = format!("https://id.example.org{KEY}");
    assert!(examine(&[uri], options).expect_err("no certificates").contains("PEM"));
}
