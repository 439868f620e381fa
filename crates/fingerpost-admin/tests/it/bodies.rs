//! Bodies that are too large, too deep, ambiguous, cut off, in the wrong form, or too slow.

use crate::support;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use support::{OWN, Running, ask, connect, read_answer, record, start, start_with};

fn put(running: &Running, media_type: &str, body: impl Into<Vec<u8>>) -> support::Answer {
    ask("PUT", &format!("/v1/levels/{OWN}"))
        .key(&running.accounts.writer)
        .body(media_type, body)
        .to(running)
}

#[test]
fn what_is_no_record_in_json_is_refused() {
    let running = start();
    let good = record(OWN).to_string();
    let twice = good.replacen("\"links\"", "\"links\": [], \"links\"", 1);
    let deep = format!("{{\"anchor\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("cut off", good.as_bytes()[..good.len() - 2].to_vec()),
        ("a member twice", twice.into_bytes()),
        (
            "a member twice, written otherwise",
            good.replacen('{', "{\"\\u0061nchor\":\"/x\",", 1).into(),
        ),
        ("deep", deep.into_bytes()),
        ("no UTF-8", [&b"{\"anchor\": \"\xff\xfe"[..], b"\"}"].concat()),
        ("half a character", good.replacen("Thing", "\\ud800", 1).into_bytes()),
        ("two documents", format!("{good} {good}").into_bytes()),
        ("a byte order mark", [b"\xef\xbb\xbf", good.as_bytes()].concat()),
        ("NaN", b"{\"anchor\": NaN}".to_vec()),
    ];
    for (what, body) in cases {
        let answer = put(&running, "application/json", body);
        assert!([400, 422].contains(&answer.status), "{what}: {}", answer.text());
        assert_eq!(answer.field("content-type"), Some("application/problem+json"), "{what}");
    }
    let unknown = good.replacen('{', "{\"admin\": true,", 1);
    assert_eq!(put(&running, "application/json", unknown).code(), "invalid");
    assert_eq!(put(&running, "application/json", good).status, 201);
}

#[test]
fn other_documents_are_as_strict() {
    let running = start();
    let post = |body: &str| {
        ask("POST", "/v1/organisations")
            .key(&running.accounts.root)
            .body("application/json", body)
            .to(&running)
    };
    for (body, status, code) in [
        ("{\"name\": \"a\", \"name\": \"b\"}", 422, "invalid"),
        ("{\"name\": \"a\", \"regulatedd\": true}", 422, "invalid"),
        ("{\"name\": 1}", 422, "invalid"),
        ("{\"name\": \"a\"", 400, "malformed-json"),
        ("", 400, "malformed-json"),
        ("[]", 422, "invalid"),
    ] {
        let answer = post(body);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{body}: {}",
            answer.text()
        );
    }
    let deep = format!("{{\"name\": {}", "[".repeat(200_000));
    assert!([400, 422].contains(&post(&deep).status));
    assert_eq!(post("{\"name\": 1}").json()["errors"][0]["pointer"], "/name");
}

#[test]
fn only_the_right_media_type_is_read() {
    let running = start();
    let good = record(OWN).to_string();
    for wrong in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
    ] {
        let answer = put(&running, wrong, good.clone());
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (415, "unsupported-media-type"),
            "{wrong}"
        );
    }
    let coded = ask("PUT", &format!("/v1/levels/{OWN}"))
        .key(&running.accounts.writer)
        .field("Content-Encoding", "gzip")
        .body("application/json", good.clone())
        .to(&running);
    assert_eq!(coded.status, 415);
    let none = ask("POST", "/v1/session").to(&running);
    assert_eq!(none.status, 415, "a form of another site cannot sign anybody in");
    assert_eq!(put(&running, "Application/JSON; charset=utf-8", good).status, 201);
}

#[test]
fn too_much_is_refused_before_it_is_read() {
    let running = start();
    let announced = ask("PUT", &format!("/v1/levels/{OWN}"))
        .key(&running.accounts.writer)
        .field("Content-Type", "application/json")
        .field("Content-Length", "99999999999");
    let asked = Instant::now();
    let answer = announced.to(&running);
    assert_eq!((answer.status, answer.code().as_str()), (413, "too-large"));
    assert!(asked.elapsed() < Duration::from_secs(50));
    // Without an announcement it is counted.
    let mut stream = connect(&running);
    let head = ask("PUT", &format!("/v1/levels/{OWN}"))
        .key(&running.accounts.writer)
        .field("Content-Type", "application/json")
        .field("Transfer-Encoding", "chunked")
        .bytes(&running);
    stream.write_all(&head).expect("sent");
    let chunk = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
    for _ in 0..20 {
        if stream.write_all(&chunk).is_err() {
            break;
        }
    }
    let _ = stream.write_all(b"0\r\n\r\n");
    // The answer may be lost when the rest is thrown away; a 2xx it is not.
    if let Some(answer) = read_answer(&mut stream) {
        assert_eq!(answer.status, 413, "{}", answer.text());
    }
    let nothing = ask("GET", &format!("/v1/levels/{OWN}")).key(&running.accounts.writer);
    assert_eq!(nothing.to(&running).status, 404);
    let long = format!("/v1/levels?text={}", "a".repeat(100_000));
    let answer = ask("GET", &long).key(&running.accounts.reader).to(&running);
    assert!([414, 431].contains(&answer.status), "{}", answer.status);
}

#[test]
fn bodies_are_not_read_for_those_who_may_not_ask() {
    let running = start();
    let mut stream = connect(&running);
    let head = ask("POST", "/v1/batch")
        .field("Content-Type", "application/jsonl")
        .field("Content-Length", "60000000")
        .bytes(&running);
    stream.write_all(&head).expect("sent");
    let answer = read_answer(&mut stream).expect("an answer before the body");
    assert_eq!(answer.status, 401);
}

#[test]
fn slow_clients_are_sent_away() {
    let running = start_with("[limits]\nheader_timeout = \"3s\"\nidle_timeout = \"3s\"\n");
    let begun = Instant::now();
    // Nothing at all, half a head, and nothing after a request.
    let mut silent = connect(&running);
    let mut half = connect(&running);
    half.write_all(b"GET /health HTTP/1.1\r\nHos").expect("sent");
    let mut idle = connect(&running);
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n").expect("sent");
    for stream in [&mut silent, &mut half] {
        let answer = read_answer(stream);
        assert!(answer.is_none_or(|answer| answer.status == 408), "no answer to half a request");
    }
    assert_eq!(read_answer(&mut idle).map(|answer| answer.status), Some(204));
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
    // A body that stops coming.
    let mut stream = connect(&running);
    let head = ask("PUT", &format!("/v1/levels/{OWN}"))
        .key(&running.accounts.writer)
        .field("Content-Type", "application/json")
        .field("Content-Length", "100")
        .bytes(&running);
    stream.write_all(&head).expect("sent");
    stream.write_all(b"{").expect("sent");
    let answer = read_answer(&mut stream).expect("an answer");
    assert_eq!((answer.status, answer.code().as_str()), (408, "too-slow"));
    assert!(begun.elapsed() < Duration::from_secs(90), "{:?}", begun.elapsed());
}

#[test]
fn only_connections_with_requests_in_progress_keep_their_slots() {
    let running = start_with("[admin]\nlisten = \"127.0.0.1:0\"\nmax_connections = 2");
    // Silent connections make room.
    let mut silent = [connect(&running), connect(&running)];
    assert_eq!(ask("GET", "/health").to(&running).status, 204);
    for stream in &mut silent[..1] {
        assert_eq!(read_answer(stream), None);
    }
    drop(silent);
    // Requests whose bodies are on their way do not.
    let mut busy = [connect(&running), connect(&running)];
    for stream in &mut busy {
        let head = ask("PUT", &format!("/v1/levels/{OWN}"))
            .key(&running.accounts.writer)
            .field("Content-Type", "application/json")
            .field("Content-Length", "100")
            .field("Expect", "100-continue")
            .bytes(&running);
        stream.write_all(&head).expect("sent");
        // The server wants the body, so the request is in progress.
        stream.read_exact(&mut [0; 25]).expect("100 Continue");
    }
    let mut third = connect(&running);
    let mut refused = String::new();
    third.read_to_string(&mut refused).expect("an answer, then the end");
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("Retry-After: 5\r\n"),
        "{refused}"
    );
    for stream in &mut busy {
        stream.write_all(&[b' '; 100]).expect("sent");
        assert_eq!(read_answer(stream).map(|answer| answer.status), Some(400));
    }
}
