//! Heads of the audit log, published to syslog and to a web address over real sockets: what arrives
//! can be verified against, and a destination that fails delays nothing.

use crate::support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::PATIENCE;
use serde_json::Value;
use support::{Run, Sandbox, Server, fingerpost, finish, record, run};

const ANCHOR: &str = "/01/09520123456788";
const NOT_PUBLISHED: &str = "the head of the audit log was not published";

/// A server that publishes heads every second, and its messages.
struct Publishing {
    sandbox: Sandbox,
    key: String,
    server: Server,
    url: String,
    log: PathBuf,
}

impl Publishing {
    fn start(options: impl FnOnce(&Sandbox) -> String) -> Self {
        let (sandbox, key) = Sandbox::with_key();
        on(&sandbox.data(), &["backup", sandbox.path("before.fpb").to_str().unwrap()])
            .expect_status(0);
        let config = format!("[audit]\nheads_interval = \"1s\"\n{}", options(&sandbox));
        let (config, log) = (sandbox.write("fingerpost.toml", &config), sandbox.path("log"));
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(sandbox.data()).args(["--listen", "127.0.0.1:0"]);
        command.args(["--admin-listen", "127.0.0.1:0", "--config"]).arg(config);
        let mut server = Server::logging(command, Stdio::from(File::create(&log).unwrap()));
        let lines = server.lines_until("admin listening on ");
        let url = lines.last().unwrap().strip_prefix("admin listening on ").unwrap().to_owned();
        Self { sandbox, key, server, url, log }
    }

    /// Writes a record, which must succeed whatever becomes of the heads.
    fn put(&self, target: &str) {
        let mut command = self.sandbox.client(&self.url, &self.key);
        command.args(["put", "-"]);
        finish(command, record(ANCHOR, target).as_bytes()).expect_status(0);
    }

    fn wait_for_message(&self, text: &str) {
        let begin = Instant::now();
        while !fs::read_to_string(&self.log).unwrap().contains(text) {
            assert!(begin.elapsed() < PATIENCE, "expected {text:?} in the log");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server; compares its log, and the log of an older state, with the lines that were
    /// published.
    fn stop_and_verify(self, lines: &[String]) -> Sandbox {
        let Self { sandbox, server, .. } = self;
        server.stop();
        let heads = sandbox.write("heads", &lines.join("\n"));
        let verify =
            |data: &Path| on(data, &["audit", "verify", "--heads", heads.to_str().unwrap()]);
        verify(&sandbox.data()).expect_status(0);
        let cut_off = sandbox.path("cut-off");
        let before = sandbox.path("before.fpb");
        let restore = ["restore", before.to_str().unwrap(), "--keep-credentials"];
        on(&cut_off, &restore).expect_status(0);
        let found = verify(&cut_off).expect_status(1);
        assert!(found.stdout.contains("noted before"), "{found:?}");
        sandbox
    }
}

fn on(data: &Path, words: &[&str]) -> Run {
    run(words.iter().map(std::ffi::OsStr::new).chain(["--data".as_ref(), data.as_os_str()]))
}

/// The head in a published line.
fn head(line: &str) -> String {
    let object: Value = serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    assert!(object["at"].as_str().unwrap().starts_with("20"), "{line}");
    object["head"].as_str().unwrap().to_owned()
}

fn next_datagram(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 4096];
    let length = socket.recv(&mut bytes).expect("a datagram");
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

#[test]
fn heads_in_syslog_are_verified_against() {
    let mut syslog = None;
    let publishing = Publishing::start(|sandbox| {
        let path = sandbox.path("log.socket");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        syslog = Some(socket);
        format!("heads_syslog = true\nheads_syslog_socket = {path:?}\n")
    });
    let syslog = syslog.unwrap();
    let first = next_datagram(&syslog);
    // RFC 5424 section 6.2.1: facility 13, severity 6.
    assert!(first.starts_with("<110>fingerpost: audit head {"), "{first}");
    publishing.put("https://example.com/1");
    let second = next_datagram(&syslog);
    assert_ne!(head(&first), head(&second));
    // As a syslog daemon writes them.
    let kept = |line: &str| format!("Nov 22 15:00:00 host {}", line.strip_prefix("<110>").unwrap());
    publishing.stop_and_verify(&[kept(&first), kept(&second)]);
}

#[test]
fn a_syslog_that_nobody_hears_delays_no_write_and_gets_later_heads() {
    let mut path = PathBuf::new();
    let publishing = Publishing::start(|sandbox| {
        path = sandbox.path("log.socket");
        let file = sandbox.path("heads.jsonl");
        format!("heads_syslog = true\nheads_syslog_socket = {path:?}\nheads_file = {file:?}\n")
    });
    publishing.wait_for_message(NOT_PUBLISHED);
    publishing.wait_for_message("heads_syslog");
    publishing.put("https://example.com/1");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    publishing.put("https://example.com/2");
    let mut lines = vec![next_datagram(&socket)];
    publishing.put("https://example.com/3");
    lines.push(next_datagram(&socket));
    let sandbox = publishing.stop_and_verify(&lines);
    // The file has each head once, although the other destination failed for a while.
    let kept = fs::read_to_string(sandbox.path("heads.jsonl")).unwrap();
    let heads: Vec<_> = kept.lines().map(head).collect();
    let distinct: std::collections::BTreeSet<_> = heads.iter().collect();
    assert_eq!(heads.len(), distinct.len(), "{heads:?}");
}

/// A listener that answers each POST with the next of these statuses, and then always with the
/// last; 0 closes the connection without an answer.
fn webhook(statuses: Vec<u16>) -> (String, Receiver<(u16, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/heads", listener.local_addr().unwrap());
    let (send, received) = channel();
    thread::spawn(move || {
        for number in 0.. {
            let Ok((stream, _)) = listener.accept() else { return };
            let status = statuses[number.min(statuses.len() - 1)];
            let Some(body) = answer(stream, status) else { continue };
            if send.send((status, body)).is_err() {
                return;
            }
        }
    });
    (url, received)
}

/// Reads a request and answers it; returns its body.
fn answer(mut stream: TcpStream, status: u16) -> Option<String> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut length, mut line) = (0, String::new());
    reader.read_line(&mut line).ok()?;
    assert!(line.starts_with("POST /heads HTTP/1.1"), "{line}");
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.parse().unwrap(),
            "content-type" => assert_eq!(value, "application/json"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if status > 0 {
        let answer =
            format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        stream.write_all(answer.as_bytes()).unwrap();
    }
    String::from_utf8(body).ok()
}

#[test]
fn heads_at_a_web_address_are_verified_against() {
    let (url, received) = webhook(vec![204]);
    let publishing = Publishing::start(|_| format!("heads_webhook = {url:?}\n"));
    let next = || received.recv_timeout(PATIENCE).expect("a head").1;
    let first = next();
    publishing.put("https://example.com/1");
    let second = next();
    assert_ne!(head(&first), head(&second));
    publishing.stop_and_verify(&[first, second]);
}

#[test]
fn a_web_address_that_fails_delays_no_write_and_gets_later_heads() {
    let (url, received) = webhook(vec![0, 500, 0, 503, 200]);
    let publishing = Publishing::start(|_| format!("heads_webhook = {url:?}\n"));
    publishing.put("https://example.com/1");
    publishing.wait_for_message(NOT_PUBLISHED);
    publishing.wait_for_message("heads_webhook");
    publishing.wait_for_message("the answer has status 500");
    publishing.put("https://example.com/2");
    let mut kept = Vec::new();
    while kept.is_empty() {
        let (status, line) = received.recv_timeout(PATIENCE).expect("a head");
        kept.extend((status == 200).then_some(line));
    }
    publishing.put("https://example.com/3");
    kept.push(received.recv_timeout(PATIENCE).expect("a head").1);
    publishing.stop_and_verify(&kept);
}

/// A web address that accepts and never answers does not keep the server from ending.
#[test]
fn a_web_address_that_is_silent_delays_neither_writes_nor_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/heads", listener.local_addr().unwrap());
    let publishing = Publishing::start(|_| format!("heads_webhook = {url:?}\n"));
    let (_first, _) = listener.accept().unwrap();
    publishing.put("https://example.com/1");
    let begin = Instant::now();
    publishing.server.stop();
    // Without a time limit of their own, two attempts would take ten minutes.
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
    assert!(fs::read_to_string(&publishing.log).unwrap().contains(NOT_PUBLISHED));
}
