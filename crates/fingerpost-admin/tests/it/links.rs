//! The list of links with the states of their targets, as pages and as a file.

use crate::support;

use fingerpost_registry::{LinkAnswer, LinkCheck, LinkFault, LinkVerdict};
use jiff::SignedDuration;
use support::{FOREIGN, OWN, Running, ask, record_to, start};

/// Registers a record, and notes two failed checks of its target.
fn broken(running: &Running, key: &str, detail: &str) -> String {
    let target = format!("https://example.com/{key}");
    let put = ask("PUT", &format!("/v1/levels/{key}")).key(&running.accounts.root);
    assert_eq!(put.json(&record_to(key, &target)).to(running).status, 201);
    for _ in 0..2 {
        let answer = LinkAnswer {
            fault: Some(LinkFault::Status),
            detail: Some(detail.to_owned()),
            status: Some(404),
            ..LinkAnswer::default()
        };
        let (at, target) = (running.registry.now(), target.clone());
        let check =
            LinkCheck { target, at, verdict: LinkVerdict::Fails, answer, retry_after: None };
        running.registry.save_link_checks(&[check], SignedDuration::from_hours(24)).unwrap();
    }
    running.registry.index_broken_links("", None, None).unwrap();
    target
}

#[test]
fn broken_links_are_listed_for_those_who_can_read_their_records() {
    let running = start();
    let target = broken(&running, OWN, "the status is 404");
    broken(&running, FOREIGN, "the status is 404");
    let page = ask("GET", "/v1/links?broken=true").key(&running.accounts.reader).to(&running);
    let page = page.json();
    let levels = page["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 1, "{page:#}");
    assert_eq!(levels[0]["key"], OWN);
    assert!(levels[0]["brokenSince"].is_string());
    let health = &levels[0]["links"][0]["health"];
    assert_eq!((&health["state"], &health["target"]), (&"broken".into(), &target.into()));
    assert_eq!(health["answer"]["fault"], "status");
    assert_eq!(health["history"][0]["state"], "failing");
    let working = record_to(&format!("{OWN}/10/L1"), "https://example.com/works");
    let put = ask("PUT", &format!("/v1/levels/{OWN}/10/L1")).key(&running.accounts.root);
    assert_eq!(put.json(&working).to(&running).status, 201);
    let records = ask("GET", "/v1/levels?broken=true").key(&running.accounts.reader).to(&running);
    let records = records.json();
    assert_eq!(records["levels"].as_array().unwrap().len(), 1, "35.1: {records:#}");
    assert_eq!(records["levels"][0]["key"], OWN);
    let count = ask("GET", "/v1/level-count?broken=true").key(&running.accounts.reader);
    assert_eq!(count.to(&running).json()["count"], 1);
    let all = ask("GET", "/v1/links?limit=1").key(&running.accounts.root).to(&running);
    assert!(all.field("link").is_some_and(|link| link.contains("after=")), "{}", all.text());
    for query in ["?broken=perhaps", "?format=pdf", "?more=1", "?under=nothing"] {
        let answer = ask("GET", &format!("/v1/links{query}")).key(&running.accounts.reader);
        assert_eq!(answer.to(&running).status, 400, "{query}");
    }
}

#[test]
fn the_file_guards_texts_of_others() {
    let running = start();
    broken(&running, OWN, "=HYPERLINK(\"https://evil.example\")");
    let file = ask("GET", "/v1/links?format=csv&broken=true").key(&running.accounts.reader);
    let file = file.to(&running);
    assert_eq!(file.field("content-type"), Some("text/csv; charset=utf-8"));
    let text = file.text();
    let lines: Vec<_> = text.trim_start_matches('\u{feff}').lines().collect();
    assert!(lines[0].starts_with("key,description,linkType,href,title,state,since,"));
    assert!(lines.len() > 1 && lines[1].starts_with(&format!("/{OWN},")), "{text}");
    assert!(lines[1].contains(",broken,") && lines[1].contains(r#""'=HYPERLINK("#), "{text}");
}
