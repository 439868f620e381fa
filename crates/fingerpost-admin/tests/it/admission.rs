//! Nobody holds what others need: rights come before bodies, bodies before shared slots, and an
//! organisation has its share.

use crate::support;

use std::io::Write;
use std::time::{Duration, Instant};

use fingerpost_registry::{Caller, Id, NewKey, Secret, Verb};
use fingerpost_testkit::PATIENCE;
use serde_json::json;
use support::{OWN, Running, ask, connect, read_answer, record, start, start_with};

/// The head of a batch of which the body does not come.
fn dripping(running: &Running, key: &Secret) -> std::net::TcpStream {
    let mut stream = connect(running);
    let head = ask("POST", "/v1/batch")
        .key(key)
        .field("Content-Type", "application/jsonl")
        .field("Content-Length", "60000000")
        .bytes(running);
    stream.write_all(&head).expect("sent");
    stream.write_all(b"{").expect("sent");
    stream
}

/// The description of the API says which operations have a body.
#[test]
fn who_lacks_the_right_is_refused_before_the_body() {
    let running = start();
    let new = NewKey {
        label: "blind".into(),
        organisation: Some(running.accounts.own),
        verbs: vec![Verb::Write],
        prefix: None,
        expires: None,
        for_organisation: false,
    };
    let (_, blind) = running.registry.create_key(&Caller::local("test"), new).expect("a key");
    let description = ask("GET", "/v1/openapi.json").to(&running).json();
    let mut asked = 0;
    for (path, methods) in description["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            // Some, such as signing in, are for strangers.
            let is_open = operation["security"] == json!([{}]);
            if operation["requestBody"].is_null() || is_open {
                continue;
            }
            let id = match path.starts_with("/v1/organisations/") {
                true => running.accounts.own,
                false => Id::random(),
            };
            let target = path.replace("{id}", id.as_str()).replace("{key}", OWN);
            let status = match path.as_str() {
                _ if path.starts_with("/v1/session/") => 401, // keys have none
                // They cannot see these.
                "/v1/users/{id}" | "/v1/keys/{id}/rotate" | "/v1/proposals/{id}/reject" => 404,
                _ => 403,
            };
            let is_for_readers =
                ["/v1/explain", "/v1/export", "/v1/label/sheet"].contains(&path.as_str());
            let key = if is_for_readers { &blind } else { &running.accounts.reader };
            let mut stream = connect(&running);
            let head = ask(&method.to_uppercase(), &target)
                .key(key)
                .field("Content-Type", "application/json")
                .field("Content-Length", "1000000")
                .bytes(&running);
            stream.write_all(&head).expect("sent");
            let answer = read_answer(&mut stream).expect("an answer before the body");
            assert_eq!(answer.status, status, "{method} {target}: {}", answer.text());
            asked += 1;
        }
    }
    assert!(asked >= 14, "{asked}");
}

#[test]
fn strangers_send_small_bodies() {
    let running = start();
    let mut stream = connect(&running);
    let head = ask("POST", "/v1/session")
        .field("Content-Type", "application/json")
        .field("Content-Length", "16385")
        .bytes(&running);
    stream.write_all(&head).expect("sent");
    assert_eq!(read_answer(&mut stream).expect("an answer before the body").status, 413);
}

#[test]
fn an_organisation_writes_few_rows_in_one_transaction() {
    let running = start();
    let rows = "{}\n".repeat(5_001);
    let send = |target: &str, key: &Secret| {
        let batch = ask("POST", target).key(key).body("application/jsonl", rows.as_str());
        let answer = batch.to(&running);
        (answer.status, answer.text())
    };
    for target in ["/v1/batch", "/v1/batch?dryRun=true", "/v1/batch?mode=each&dryRun=true"] {
        let (status, text) = send(target, &running.accounts.writer);
        assert_eq!(status, 413, "{target}: {text}");
        assert!(text.contains("5000") && text.contains("mode=each"), "{text}");
    }
    assert_eq!(send("/v1/batch?mode=each", &running.accounts.writer).0, 200);
    assert_eq!(send("/v1/batch", &running.accounts.root).0, 422, "the installation may");
}

#[test]
fn batches_that_do_not_arrive_hold_up_no_others() {
    let running = start();
    // As many as there are slots for batches, and more; the organisation may send two at a time.
    let batch = || {
        let batch = ask("POST", "/v1/batch").key(&running.accounts.writer);
        batch.body("application/jsonl", record(OWN).to_string()).to(&running)
    };
    // A server that is late answers 503, and ends batches that do not arrive, which are then sent
    // again; 429 when both have begun. With pauses: endless batches would keep it late.
    let both_have_begun = |_| {
        let held = [0; 2].map(|_| dripping(&running, &running.accounts.writer));
        let begin = Instant::now();
        let answers = std::iter::from_fn(|| {
            std::thread::sleep(Duration::from_millis(50));
            (begin.elapsed() < PATIENCE / 10).then(batch)
        });
        let refused = answers.into_iter().find(|one| ![200, 503].contains(&one.status));
        refused.map(|refused| (held, refused))
    };
    let (held, refused) = (0..10).find_map(both_have_begun).expect("two batches begin");
    assert_eq!((refused.status, refused.code().as_str()), (429, "too-many-requests"));
    assert!(refused.field("retry-after").is_some());
    let row = record(support::FOREIGN).to_string();
    let batch = ask("POST", "/v1/batch").key(&running.accounts.stranger);
    let other = batch.body("application/jsonl", row).to(&running);
    assert_eq!(other.status, 200, "{}", other.text());
    assert_eq!(ask("GET", "/v1/audit/verify").key(&running.accounts.root).to(&running).status, 200);
    drop(held);
}

#[test]
fn an_organisation_has_a_rate_and_others_do_not_feel_it() {
    let running = start_with("[admin]\nlisten = \"127.0.0.1:0\"\norganisation_rate = 2");
    let level = format!("/v1/levels/{OWN}");
    let status = |key: &Secret| ask("GET", &level).key(key).to(&running);
    let refused = (0..100).map(|_| status(&running.accounts.reader)).find(|one| one.status == 429);
    let refused = refused.expect("a request beyond the rate");
    assert_eq!(refused.code(), "too-many-requests");
    assert!(refused.field("retry-after").is_some());
    assert_eq!(status(&running.accounts.stranger).status, 403);
    assert_eq!(status(&running.accounts.root).status, 404, "the installation has none");
}
