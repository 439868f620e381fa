//! The feed for copies: waits end with a commit, in time, and with the server; what is changed is
//! in the rows.

use crate::support;

use std::thread;
use std::time::{Duration, Instant};

use fingerpost_follow::wire;
use fingerpost_store::copy::CopyValue;
use support::{Answer, OWN, Running, ask, record, start};

fn head(running: &Running, query: &str) -> Answer {
    let answer =
        ask("GET", &format!("/v1/feed/head{query}")).key(&running.accounts.root).to(running);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

fn position(answer: &Answer) -> String {
    answer.json()["position"].as_str().expect("a position").to_owned()
}

fn revision(answer: &Answer) -> u64 {
    position(answer).split(':').next().and_then(|number| number.parse().ok()).expect("a number")
}

fn put(running: &Running) {
    let target = format!("/v1/levels/{OWN}");
    let answer = ask("PUT", &target).key(&running.accounts.root).json(&record(OWN)).to(running);
    assert_eq!(answer.status, 201, "{}", answer.text());
}

#[test]
fn a_wait_ends_with_a_commit_in_time_and_with_the_server() {
    let running = start();
    let seen = revision(&head(&running, ""));
    let begin = Instant::now();
    assert_eq!(revision(&head(&running, &format!("?seen={seen}&wait=1"))), seen);
    assert!(begin.elapsed() >= Duration::from_millis(900), "{:?}", begin.elapsed());
    // Another revision is there already.
    let begin = Instant::now();
    head(&running, &format!("?seen={}&wait=30", seen + 5));
    assert!(begin.elapsed() < Duration::from_secs(20));
    let query = format!("?seen={seen}&wait=30");
    thread::scope(|scope| {
        let waiting: Vec<_> =
            (0..3).map(|_| scope.spawn(|| revision(&head(&running, &query)))).collect();
        thread::sleep(Duration::from_millis(200));
        put(&running);
        for one in waiting {
            assert_eq!(one.join().expect("an answer"), seen + 1);
        }
    });
    assert!(begin.elapsed() < Duration::from_secs(20), "a commit ends them");
    // The end of the server ends them, too: it does not wait for thirty seconds.
    let begin = Instant::now();
    let mut stream = support::connect(&running);
    let query = format!("/v1/feed/head?seen={}&wait=30", seen + 1);
    let asked = ask("GET", &query).key(&running.accounts.root);
    std::io::Write::write_all(&mut stream, &asked.bytes(&running)).expect("sent");
    thread::sleep(Duration::from_millis(200));
    drop(running);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    let answer = support::read_answer(&mut stream).expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn changes_lead_from_one_position_to_the_next() {
    let running = start();
    let before = position(&head(&running, ""));
    put(&running);
    let after = position(&head(&running, ""));
    let changes = |after: &str| {
        let target = format!("/v1/feed/changes?after={after}");
        let answer = ask("GET", &target).key(&running.accounts.root).to(&running);
        assert_eq!(answer.field("content-type"), Some(wire::MEDIA_TYPE));
        wire::decode(&answer.body).expect("rows")
    };
    let (first, rows) = changes(&before);
    assert_eq!(first.upto.map(|upto| upto.to_string()), Some(after.clone()));
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].level, OWN);
    assert!(matches!(rows[0].value, CopyValue::Stored(_)));
    assert_eq!(changes(&after).1, []);
    let target = format!("/v1/feed/changes?after={before}&companyPrefixes=9520123");
    let others = ask("GET", &target).key(&running.accounts.root).to(&running);
    let (head, rows) = wire::decode(&others.body).expect("rows");
    assert_eq!((head.upto.map(|upto| upto.to_string()), rows.len()), (Some(after), 0));
}
