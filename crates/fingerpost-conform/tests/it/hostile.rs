//! Servers that are slow, endless or malicious end in a verdict.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_conform::{ConformOptions, ConformReport, Obligation, examine};

use crate::resolver::KEY;
use crate::server::{Reply, TestServer};

fn report(server: &TestServer, timeout: Duration) -> ConformReport {
    let uris = [format!("http://{}{KEY}", server.address)];
    let options = ConformOptions { rate: 0, timeout, ..ConformOptions::default() };
    examine(&uris, options).expect("a report")
}

fn text(report: &ConformReport) -> String {
    let mut text = Vec::new();
    report.write_text(true, &mut text).expect("memory");
    String::from_utf8(text).expect("text")
}

/// Whether a check failed, with this in what was found.
fn failed(report: &ConformReport, id: &str, found: &str) -> bool {
    let result = report.results.iter().find(|it| it.check.id == id).expect("a check");
    result.judgement.as_str() == "fail" && result.judgement.detail().contains(found)
}

#[test]
fn slow_servers_are_given_up() {
    // Each byte arrives in time, the answer does not.
    let server = TestServer::start(|_, stream| {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2) && stream.write_all(b"H").is_ok() {
            thread::sleep(Duration::from_millis(50));
        }
    });
    let began = Instant::now();
    let report = report(&server, Duration::from_millis(200));
    assert!(failed(&report, "transport-answers", "no answer"), "{}", text(&report));
    assert!(report.has_failures(Obligation::Shall));
    // After three failures, no more requests are sent.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn endless_bodies_and_headers_are_cut() {
    for line in ["x", "a: b\r\n"] {
        let server = TestServer::start(move |_, stream| {
            let head = if line == "x" { "HTTP/1.1 200 X\r\n\r\n" } else { "HTTP/1.1 200 X\r\n" };
            let chunk = line.repeat(8192);
            let mut sent = stream.write_all(head.as_bytes());
            // The client closes the connection long before.
            for _ in 0..10_000 {
                sent = sent.and_then(|()| stream.write_all(chunk.as_bytes()));
            }
        });
        let report = report(&server, Duration::from_secs(10));
        assert!(failed(&report, "transport-answers", "no answer"), "{}", text(&report));
    }
}

#[test]
fn redirect_loops_are_not_followed() {
    let server = TestServer::start(|request, stream| {
        let mut reply = Reply::new(302, "text/plain", "");
        reply.set("location", Some(&format!("http://{}{}", request.header("host"), request.path)));
        reply.write(true, stream);
    });
    let report = report(&server, Duration::from_secs(10));
    assert!(
        failed(&report, "redirect-elsewhere", "Location http://127.0.0.1"),
        "{}",
        text(&report)
    );
    assert!(report.requests < 100);
}

/// Any text of a server is escaped in every format.
#[test]
fn text_of_servers_cannot_control_terminals_or_pages() {
    let evil = "<script>alert(1)</script>\u{1b}]0;x\u{7}\u{202e}";
    let server = TestServer::start(move |request, stream| {
        let body = match request.path.starts_with("/.well-known") {
            true => format!(r#"{{"resolverRoot":"{evil}/","supportedPrimaryKeys":["{evil}"]}}"#),
            false => format!(
                r#"{{"linkset":[{{"anchor":"{evil}","{evil}":[{{"href":"{evil}","{evil}":1}}]}}]}}"#
            ),
        };
        // JSON escapes control characters; the parsed text has them.
        let body = body.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
        Reply::new(200, &format!("text/{evil}").replace(['\u{1b}', '\u{7}'], ""), body)
            .write(true, stream);
    });
    let report = report(&server, Duration::from_secs(10));
    // Colours of our own are the only escapes.
    let shown = text(&report);
    let mut plain = shown.clone();
    for colour in
        ["\u{1b}[32m", "\u{1b}[1;31m", "\u{1b}[33m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[0m"]
    {
        plain = plain.replace(colour, "");
    }
    assert!(plain.contains(r"\u{1b}") && plain.contains(r"\u{202e}"), "{plain}");
    assert!(plain.chars().all(|char| char == '\n' || !char.is_control()), "{plain:?}");
    let mut html = Vec::new();
    report.write_html(&mut html).expect("memory");
    let html = String::from_utf8(html).expect("text");
    assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
    let mut junit = Vec::new();
    report.write_junit(Obligation::Should, &mut junit).expect("memory");
    let junit = String::from_utf8(junit).expect("text");
    assert!(!junit.contains("<script") && !junit.contains('\u{1b}'), "{junit}");
}

/// Bytes that are no text, and JSON that is nested without bound.
#[test]
fn any_body_ends_in_a_verdict() {
    for body in [
        "[".repeat(100_000),
        "{\"linkset\":".repeat(50_000),
        "\u{0}".to_owned(),
        String::new(),
        r#"{"linkset":[[],1,{"anchor":1}]}"#.to_owned(),
        r#"{"linkset":[{"anchor":"","":[{}]}]}"#.to_owned(),
    ] {
        let server = TestServer::start(move |_, stream| {
            Reply::new(200, "application/linkset+json", body.clone()).write(true, stream);
        });
        let report = report(&server, Duration::from_secs(10));
        assert!(report.has_failures(Obligation::Shall));
    }
}

/// RES-2.2-4: a certificate that is not trusted.
#[test]
fn a_server_without_tls_fails_the_check_of_https() {
    let server =
        TestServer::start(|_, stream| Reply::new(404, "text/plain", "").write(true, stream));
    let uris = [format!("http://resolver.invalid{KEY}")];
    let connect = Some(server.address.to_string());
    let timeout = Duration::from_secs(5);
    let options = ConformOptions { rate: 0, connect, timeout, ..ConformOptions::default() };
    let report = examine(&uris, options).expect("a report");
    assert!(failed(&report, "transport-https", ""), "{}", text(&report));
}
