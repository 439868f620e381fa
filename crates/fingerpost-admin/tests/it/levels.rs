//! Levels over HTTP: what is written is read again, nobody's change is lost, requests may be
//! repeated.

use crate::support;

use serde_json::{Value, json};
use support::{OWN, Running, ask, record, record_to, start};

fn level(running: &Running, key: &str) -> support::Answer {
    ask("GET", &format!("/v1/levels/{key}")).key(&running.accounts.admin).to(running)
}

#[test]
fn a_level_is_written_read_changed_and_deleted() {
    let running = start();
    let target = format!("/v1/levels/{OWN}");
    let writer = &running.accounts.writer;
    let made = ask("PUT", &target).key(writer).json(&record(OWN)).to(&running);
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.field("location"), Some(target.as_str()));
    assert_eq!(made.json()["status"], "created");
    let read = level(&running, OWN);
    assert_eq!(read.status, 200);
    assert_eq!(read.field("etag"), made.field("etag"));
    assert_eq!(read.json()["key"], OWN);
    assert_eq!(read.json()["record"]["itemDescription"], "Thing");
    assert!(read.json()["by"]["actor"].as_str().expect("an actor").starts_with("key:"));

    let again = ask("PUT", &target).key(writer).json(&record(OWN)).to(&running);
    assert_eq!((again.status, again.json()["status"].as_str()), (200, Some("unchanged")));
    let patch = json!({ "itemDescription": "Other" });
    let patched = ask("PATCH", &target)
        .key(writer)
        .body("application/merge-patch+json", patch.to_string())
        .to(&running);
    assert_eq!(patched.json()["status"], "replaced", "{}", patched.text());
    assert_eq!(level(&running, OWN).json()["record"]["itemDescription"], "Other");

    let deleted = ask("DELETE", &target).key(writer).to(&running);
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    assert_eq!(level(&running, OWN).status, 404);
    let restored = format!("/v1/restore/{OWN}?revision=1");
    let restored = ask("POST", &restored).key(writer).to(&running);
    assert_eq!(restored.status, 201, "{}", restored.text());
    assert_eq!(level(&running, OWN).json()["record"]["itemDescription"], "Thing");
}

#[test]
fn preconditions_keep_updates_from_being_lost() {
    let running = start();
    let target = format!("/v1/levels/{OWN}");
    let put = |href: &str, name: &str, value: &str| {
        ask("PUT", &target)
            .key(&running.accounts.writer)
            .field(name, value)
            .json(&record_to(OWN, href))
            .to(&running)
    };
    assert_eq!(put("https://a.example/", "If-Match", "*").status, 412);
    let first = put("https://a.example/", "If-None-Match", "*");
    assert_eq!(first.status, 201);
    assert_eq!(put("https://b.example/", "If-None-Match", "*").status, 412);
    let tag = first.field("etag").expect("a validator").to_owned();
    let second = put("https://b.example/", "If-Match", &tag);
    assert_eq!(second.status, 200, "{}", second.text());
    let late = put("https://c.example/", "If-Match", &tag);
    assert_eq!((late.status, late.code().as_str()), (412, "precondition-failed"));
    assert_eq!(late.field("etag"), second.field("etag"), "the current revision is returned");
    for wrong in ["7", "W/\"1\"", "\"1\", \"2\""] {
        assert_eq!(put("https://c.example/", "If-Match", wrong).status, 400, "{wrong}");
    }
    let tag = second.field("etag").expect("a validator");
    let known =
        ask("GET", &target).key(&running.accounts.reader).field("If-None-Match", tag).to(&running);
    assert_eq!((known.status, known.body.len()), (304, 0));
}

#[test]
fn a_repeated_request_happens_once() {
    let running = start();
    let target = format!("/v1/levels/{OWN}");
    let put = |href: &str| {
        ask("PUT", &target)
            .key(&running.accounts.writer)
            .field("Idempotency-Key", "first")
            .json(&record_to(OWN, href))
            .to(&running)
    };
    let first = put("https://a.example/");
    assert_eq!(first.status, 201, "{}", first.text());
    ask("PUT", &target)
        .key(&running.accounts.root)
        .json(&record_to(OWN, "https://between.example/"))
        .to(&running);
    assert_eq!(put("https://a.example/").essence(), first.essence());
    let href = level(&running, OWN).json()["record"]["links"][0]["href"].clone();
    assert_eq!(href, "https://between.example/", "nothing happened again");
    let other = put("https://b.example/");
    assert_eq!((other.status, other.code().as_str()), (422, "idempotency-reused"));
}

#[test]
fn a_dry_run_changes_nothing() {
    let running = start();
    let target = format!("/v1/levels/{OWN}?dryRun=true");
    let tried = ask("PUT", &target).key(&running.accounts.writer).json(&record(OWN)).to(&running);
    assert_eq!((tried.status, tried.json()["would"].as_str()), (200, Some("create")));
    assert_eq!(level(&running, OWN).status, 404);
}

#[test]
fn all_faults_come_at_once_with_their_pointers() {
    let running = start();
    let mut wrong = record(OWN);
    wrong["links"][0]["href"] = json!("no address");
    wrong["links"][1]["title"] = json!("");
    let target = format!("/v1/levels/{OWN}");
    let answer = ask("PUT", &target).key(&running.accounts.writer).json(&wrong).to(&running);
    assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"));
    assert_eq!(answer.field("content-type"), Some("application/problem+json"));
    let body = answer.json();
    let pointers: Vec<_> =
        body["errors"].as_array().expect("faults").iter().map(|fault| &fault["pointer"]).collect();
    assert!(pointers.contains(&&json!("/links/0/href")), "{pointers:?}");
    assert!(pointers.contains(&&json!("/links/1/title")), "{pointers:?}");
    assert_eq!(body["requestId"].as_str(), answer.field("x-request-id"));
    // RES-2.5.9-1: a lot needs its product.
    let lot = format!("{OWN}/10/A");
    let alone = json!({
        "anchor": format!("/{lot}"),
        "links": [{ "linkType": "gs1:pip", "href": "https://a.example/", "title": "Lot" }]
    });
    let target = format!("/v1/levels/{lot}");
    let refused = ask("PUT", &target).key(&running.accounts.writer).json(&alone).to(&running);
    assert_eq!((refused.status, refused.code().as_str()), (409, "missing-default"));
}

#[test]
fn batches_are_atomic_or_tell_row_by_row() {
    let running = start();
    let rows = |rows: &[Value]| rows.iter().map(|row| format!("{row}\n")).collect::<String>();
    let foreign = record(support::FOREIGN);
    let mixed = rows(&[record(OWN), foreign]);
    let batch = |query: &str, rows: &str| {
        ask("POST", &format!("/v1/batch{query}"))
            .key(&running.accounts.writer)
            .body("application/jsonl", rows)
            .to(&running)
    };
    let atomic = batch("", &mixed);
    assert_eq!(
        (atomic.status, atomic.code().as_str()),
        (422, "batch-refused"),
        "{}",
        atomic.text()
    );
    let pointer = atomic.json()["errors"][0]["pointer"].as_str().expect("a pointer").to_owned();
    assert!(pointer.starts_with("/2"), "{pointer}");
    assert_eq!(level(&running, OWN).status, 404);
    let each = batch("?mode=each", &mixed);
    assert_eq!(each.status, 200);
    assert_eq!((&each.json()["created"], &each.json()["refused"]), (&json!(1), &json!(1)));
    assert_eq!(level(&running, OWN).status, 200);
    let deleted = batch("?mode=atomic", &rows(&[json!({ "delete": format!("/{OWN}") })]));
    assert_eq!(deleted.json()["deleted"], 1, "{}", deleted.text());
}

#[test]
fn lists_go_on_page_by_page() {
    let running = start();
    let keys = ["01/09506000134352", "01/09506000134369", "01/09506000134376"];
    for key in keys {
        running.registered(key);
    }
    running.registered(support::FOREIGN);
    let mut target = "/v1/levels?companyPrefix=9506000&limit=2".to_owned();
    let mut found = Vec::new();
    loop {
        let page = ask("GET", &target).key(&running.accounts.reader).to(&running);
        assert_eq!(page.status, 200, "{}", page.text());
        let body = page.json();
        for level in body["levels"].as_array().expect("levels") {
            found.push(level["key"].as_str().expect("a key").to_owned());
        }
        let Some(link) = page.field("link") else {
            assert_eq!(body["next"], Value::Null);
            break;
        };
        let next = link.strip_prefix('<').and_then(|link| link.split_once(">; rel=\"next\""));
        target = next.expect("a link").0.to_owned();
    }
    assert_eq!(found, keys);
    let all = ask("GET", "/v1/levels").key(&running.accounts.reader).to(&running);
    assert_eq!(all.json()["levels"].as_array().map(Vec::len), Some(3), "not those of others");
}
