//! Exports: what they contain, for whom, and that an import takes them back.

use crate::support;

use support::{Answer, FOREIGN, OWN, ask, start};

#[test]
fn an_export_has_what_the_caller_may_read_and_nothing_else() {
    let running = start();
    let empty = ask("GET", "/v1/export?format=json").key(&running.accounts.root).to(&running);
    assert_eq!(empty.text(), "[]\n");
    running.registered(OWN);
    running.registered(FOREIGN);
    let all = |key| ask("GET", "/v1/export").key(key).to(&running);
    let (own, foreign) = (all(&running.accounts.reader), all(&running.accounts.stranger));
    assert!(own.text().contains(OWN) && !own.text().contains(FOREIGN), "{}", own.text());
    assert!(foreign.text().contains(FOREIGN) && !foreign.text().contains(OWN));
    assert_eq!(all(&running.accounts.root).text().lines().count(), 2);
    assert_eq!(own.field("content-type"), Some("application/jsonl"));
    let disposition = own.field("content-disposition");
    assert_eq!(disposition, Some("attachment; filename=\"fingerpost.jsonl\""));
    for query in ["?format=pdf", "?language=xx", "?format=csv%0D%0AX:y", "?more=1"] {
        let answer = ask("GET", &format!("/v1/export{query}")).key(&running.accounts.reader);
        assert_eq!(answer.to(&running).status, 400, "{query}");
    }
}

#[test]
fn every_layout_is_taken_back() {
    let running = start();
    running.registered(OWN);
    for format in ["jsonl", "json", "linkset", "csv&language=fr", "xlsx&language=ja"] {
        let target = format!("/v1/export?format={format}");
        let file: Answer = ask("GET", &target).key(&running.accounts.writer).to(&running);
        assert_eq!(file.status, 200, "{}", file.text());
        let again = ask("POST", "/v1/imports").key(&running.accounts.writer);
        let report = again.body("application/octet-stream", file.body).to(&running).json();
        assert_eq!(report["totals"]["unchanged"], 1, "{format}: {report:#}");
    }
}

#[test]
fn filters_select_by_company_prefix_and_time() {
    let running = start();
    running.registered(OWN);
    running.registered(FOREIGN);
    let lines = |query: &str| {
        let answer = ask("GET", &format!("/v1/export?{query}")).key(&running.accounts.root);
        answer.to(&running).text().lines().count()
    };
    let prefix = &OWN.trim_start_matches('/')[4..11];
    assert_eq!(lines(&format!("companyPrefix={prefix}")), 1);
    assert_eq!(lines("changedSince=2020-01-01T00:00:00Z"), 2);
    assert_eq!(lines("changedSince=2999-01-01T00:00:00Z"), 0);
}

/// Many pages, and a client that reads slowly.
#[test]
fn a_large_export_is_complete() {
    const LOTS: usize = 3_000;
    let running = start();
    running.registered(OWN);
    let lots: String = (0..LOTS)
        .map(|lot| format!("{}\n", support::record(&format!("{OWN}/10/L{lot}"))))
        .collect();
    let batch = ask("POST", "/v1/batch?mode=each").key(&running.accounts.writer);
    assert_eq!(batch.body("application/jsonl", lots).to(&running).status, 200);
    let target = "/v1/export?format=csv";
    let file = ask("GET", target).key(&running.accounts.writer).to(&running);
    // PE-20: one row for one page.
    assert_eq!(file.text().lines().count(), 1 + LOTS + 1);
}
