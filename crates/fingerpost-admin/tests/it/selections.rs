//! Lists in two orders, their totals, and what is done with a selection: export and a sheet of
//! labels.

use crate::support;

use serde_json::json;
use support::{FOREIGN, OWN, Running, ask, record, start};

/// Registers lots of the level of the tests, in batches.
fn register_lots(running: &Running, lots: usize) {
    let rows: Vec<_> =
        (0..lots).map(|lot| format!("{}\n", record(&format!("{OWN}/10/L{lot:05}")))).collect();
    // A batch of all of them takes a minute on a busy machine.
    for rows in rows.chunks(1_000) {
        let batch = ask("POST", "/v1/batch?mode=each").key(&running.accounts.writer);
        assert_eq!(batch.body("application/jsonl", rows.concat()).to(running).status, 200);
    }
}

fn keys(page: &serde_json::Value) -> Vec<String> {
    let levels = page["levels"].as_array().unwrap();
    levels.iter().map(|level| level["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_newest_change_comes_first_once_and_only_what_may_be_read() {
    let running = start();
    let put = |key: &str, title: &str| {
        let body =
            record(key).to_string().replace("\"title\":\"", &format!("\"title\":\"{title} "));
        let put = ask("PUT", &format!("/v1/levels/{}", key.trim_start_matches('/')));
        let answer = put.key(&running.accounts.root).body("application/json", body).to(&running);
        assert!(answer.status < 300, "{}", answer.text());
    };
    running.registered(OWN);
    running.registered(FOREIGN);
    for lot in ["A", "B", "C"] {
        put(&format!("{OWN}/10/{lot}"), "First");
    }
    put(&format!("{OWN}/10/A"), "Second");
    let gone = ask("DELETE", &format!("/v1/levels/{}/10/B", OWN.trim_start_matches('/')));
    assert_eq!(gone.key(&running.accounts.root).to(&running).status, 204);
    let own = OWN.trim_start_matches('/');
    let expected = [format!("{own}/10/A"), format!("{own}/10/C"), own.to_owned()];
    for limit in [1, 2, 100] {
        let mut found = Vec::new();
        let mut after = String::new();
        loop {
            let target = format!("/v1/levels?order=newest&limit={limit}{after}");
            let page = ask("GET", &target).key(&running.accounts.reader).to(&running).json();
            let shown = keys(&page);
            assert!(shown.len() <= limit);
            found.extend(shown.into_iter().map(|key| key.trim_start_matches('/').to_owned()));
            match page["next"].as_str() {
                Some(next) => after = format!("&after={}", next.replace('/', "%2F")),
                None => break,
            }
        }
        assert_eq!(found, expected, "{limit}");
    }
    let target = "/v1/levels?order=newest&text=second";
    let page = ask("GET", target).key(&running.accounts.reader).to(&running).json();
    assert_eq!(keys(&page).len(), 1);
    for query in ["order=oldest", "order=newest&limit=0"] {
        let answer = ask("GET", &format!("/v1/levels?{query}")).key(&running.accounts.reader);
        assert_eq!(answer.to(&running).status, 400, "{query}");
    }
}

#[test]
fn a_total_costs_no_more_than_a_page_at_a_time() {
    const LOTS: usize = 10_500;
    let running = start();
    running.registered(OWN);
    running.registered(FOREIGN);
    register_lots(&running, LOTS);
    let count = |query: &str| {
        let target = format!("/v1/level-count{query}");
        ask("GET", &target).key(&running.accounts.reader).to(&running).json()
    };
    let first = count("");
    assert_eq!(first["count"], 10_000);
    let next = first["next"].as_str().unwrap().replace('/', "%2F");
    let rest = count(&format!("?after={next}"));
    assert_eq!(rest["count"], LOTS + 1 - 10_000);
    assert!(rest["next"].is_null(), "{rest}");
    assert_eq!(count(&format!("?under={OWN}/10/L00007"))["count"], 1);
    assert_eq!(count("?companyPrefix=9999999")["count"], 0);
    let answer = ask("GET", "/v1/level-count?limit=3").key(&running.accounts.reader);
    assert_eq!(answer.to(&running).status, 400);
}

#[test]
fn a_selection_is_exported_and_printed() {
    let running = start();
    running.registered(OWN);
    running.registered(FOREIGN);
    register_lots(&running, 30);
    let send = |path: &str, keys: serde_json::Value| {
        let sent = ask("POST", path).key(&running.accounts.reader);
        sent.body("application/json", json!({ "keys": keys }).to_string()).to(&running)
    };
    let some: Vec<String> =
        (0..30).map(|lot| format!("/{}/10/L{lot:05}", OWN.trim_start_matches('/'))).collect();
    let file = send("/v1/export?format=jsonl", json!(some[3..5]));
    assert_eq!((file.status, file.text().lines().count()), (200, 2), "{}", file.text());
    let sheet = send("/v1/label/sheet", json!(some));
    assert_eq!(sheet.status, 200, "{}", sheet.text());
    assert_eq!(sheet.field("content-type"), Some("application/pdf"));
    assert!(sheet.body.starts_with(b"%PDF-") && sheet.body.trim_ascii_end().ends_with(b"%%EOF"));
    // 21 labels are on a page.
    let pages = String::from_utf8_lossy(&sheet.body).matches("/Type /Page ").count();
    let pages = pages.max(String::from_utf8_lossy(&sheet.body).matches("/Type/Page/").count());
    assert_eq!(pages, 2);

    let many = vec![OWN; 10_001];
    for (path, keys, status, pointer) in [
        ("/v1/label/sheet", json!([]), 422, "/keys"),
        ("/v1/label/sheet", json!(many), 413, "/keys"),
        ("/v1/label/sheet", json!([OWN, "/01/123"]), 400, "/keys/1"),
        ("/v1/label/sheet", json!([OWN, format!("{OWN}/10/NONE")]), 404, "/keys/1"),
        ("/v1/export", json!([OWN, format!("{OWN}/10/NONE")]), 404, "/keys/1"),
        ("/v1/label/sheet?width=10&height=10", json!([OWN]), 422, "/keys/0"),
    ] {
        let answer = send(path, keys);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert_eq!(answer.json()["errors"][0]["pointer"], pointer, "{}", answer.text());
    }
    assert_eq!(send("/v1/label/sheet", json!([FOREIGN])).status, 403);
    assert_eq!(send("/v1/label/sheet?paper=a3", json!([OWN])).status, 400);
}
