//! `check --online` asks a host whether it is a resolver (GS1-Conformant Resolver 1.2.0, section
//! 3).

use crate::support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use serde_json::{Value, json};
use support::{Sandbox, Server, record, run};

const PATH: &str = "/01/09520123456788";

/// RES-3-1, RES-3-2: the real server is one.
#[test]
fn resolver_3_a_resolver_is_recognised() {
    let sandbox = Sandbox::new();
    sandbox.import(&record(PATH, "https://example.com/0")).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    let uri = format!("http://{}{PATH}", server.address());
    let found = run(["check", "--online", "--format", "json", &uri, &format!("]Q1{uri}")]);
    let found = found.expect_status(0).events();
    let file = format!("http://{}/.well-known/gs1resolver", server.address());
    for found in &found {
        let expected = json!({"is_resolver": true, "file": file, "root": "https://id.example.org",
            "keys": ["all"]});
        assert_eq!(found["resolver"], expected);
    }
    let told = run(["check", "--online", &uri]).expect_status(0).stdout;
    assert!(
        told.contains("  resolver        yes, https://id.example.org with keys all\n"),
        "{told}"
    );
    // Without the option, and for inputs without a host, nobody is asked.
    let found = run(["check", "--format", "json", &uri]).expect_status(0).events();
    assert_eq!(found[0].get("resolver"), None);
    let found = run(["check", "--online", "--format", "json", "9520123456788"]).expect_status(0);
    assert_eq!(found.events()[0].get("resolver"), None);
}

/// A host that answers one connection with this.
fn host(answer: Vec<u8>) -> (SocketAddr, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).expect("a request") == 1 {
            request.push(byte[0]);
        }
        // A client that has seen enough closes the connection.
        let _ = stream.write_all(&answer);
        String::from_utf8(request).expect("text")
    });
    (address, served)
}

fn answer(head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
        .into_bytes()
}

/// Other hosts are not, and are asked once, without following them elsewhere.
#[test]
fn resolver_3_other_hosts_are_told() {
    let file = r#"{"resolverRoot":"https://a.example","supportedPrimaryKeys":[]}"#;
    let long = " ".repeat(300 << 10);
    for (answer, code, why) in [
        (answer("404 Not Found", ""), "STATUS", "found 404"),
        (
            answer("302 Found\r\nLocation: https://elsewhere.example/", ""),
            "REDIRECTED",
            "redirects to https://elsewhere.example/, which is not followed",
        ),
        (answer("200 OK", "<html>"), "DESCRIPTION", "a JSON object"),
        (answer("200 OK", file), "DESCRIPTION", "supportedPrimaryKeys"),
        (answer("200 OK", &long), "TOO_LONG", "found more"),
        (b"nonsense\r\n\r\n".to_vec(), "NO_ANSWER", "cannot be asked"),
    ] {
        let (address, served) = host(answer);
        let uri = format!("http://{address}{PATH}");
        // The second time, the answer is remembered.
        let found = run(["check", "--online", "--format", "json", &uri, &uri]).expect_status(1);
        let request = served.join().expect("a request");
        assert!(request.starts_with("GET /.well-known/gs1resolver HTTP/1.1\r\n"), "{request}");
        for found in found.events() {
            assert_eq!(found["valid"], true);
            let resolver = &found["resolver"];
            assert_eq!(
                (&resolver["is_resolver"], &resolver["code"]),
                (&json!(false), &json!(code))
            );
            let message = resolver["message"].as_str().expect("a message");
            assert!(message.contains(why), "{message}");
        }
    }
    // Nobody listens at a port that was free a moment ago and is held by nobody.
    let closed = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let uri = format!("http://{}{PATH}", closed.local_addr().expect("an address"));
    drop(closed);
    let told = run(["check", "--online", &uri]).expect_status(1).stdout;
    assert!(told.contains("warning[NO_ANSWER]: no resolver seen: http://127.0.0.1:"), "{told}");
    let wrong: Value =
        run(["check", "--online", "--format", "json", "https://a/01/1"]).events().remove(0);
    assert_eq!(wrong.get("resolver"), None, "invalid inputs are not asked about");
}

/// Section 3, and RFC 3986, section 7.5: a host learns the path of the description file, and
/// nothing of the URI that names it.
#[test]
fn resolver_3_a_host_learns_nothing_of_the_uri() {
    let (address, served) = host(answer("404 Not Found", ""));
    let uri = format!("http://me:s3cret@{address}/stem{PATH}?17=261231&customer=ada#place");
    run(["check", "--online", "--accept", "user-information", &uri]).expect_status(1);
    let request = served.join().expect("a request").to_ascii_lowercase();
    assert!(request.starts_with("get /.well-known/gs1resolver http/1.1\r\n"), "{request}");
    for private in ["s3cret", "authorization", "cookie", "referer", "stem", "ada", "09520123456788"]
    {
        assert!(!request.contains(private), "{private}: {request}");
    }
}

/// A host that accepts the connection and says nothing, and one that begins an answer and never
/// ends it, are given up.
#[test]
fn resolver_3_a_silent_host_is_given_up() {
    let give_up = |beginning: &'static str| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let uri = format!("http://{}{PATH}", listener.local_addr().expect("an address"));
        let held = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(beginning.as_bytes()).expect("a client that listens");
            // Until the client closes the connection; a client that waits indefinitely fails by the
            // time limit of tests.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        let found = run(["check", "--online", "--format", "json", &uri]).expect_status(1).events();
        held.join().expect("the client has gone");
        assert_eq!(found[0]["resolver"]["code"], "NO_ANSWER", "{found:?}");
        let message = found[0]["resolver"]["message"].as_str().expect("a message");
        assert!(message.contains("timeout"), "{message}");
    };
    thread::scope(|scope| {
        for beginning in ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"] {
            scope.spawn(move || give_up(beginning));
        }
    });
}

/// What a host says is shown as text: a redirect and a description file cannot colour or move what
/// is on the screen.
#[test]
fn resolver_3_nothing_said_controls_the_terminal() {
    let file =
        r#"{"resolverRoot":"https://a.example","supportedPrimaryKeys":["\u001b[31m01\u0007"]}"#;
    for (answer, status) in [
        (answer("302 Found\r\nLocation: https://a.example/\u{9b}31m", ""), 1),
        (answer("200 OK", file), 0),
    ] {
        let (address, served) = host(answer);
        let told = run(["check", "--online", &format!("http://{address}{PATH}")]);
        served.join().expect("a request");
        let told = told.expect_status(status).stdout;
        let is_control = |char: char| char.is_control() && char != '\n';
        assert!(!told.contains(is_control), "{told:?}");
    }
}
