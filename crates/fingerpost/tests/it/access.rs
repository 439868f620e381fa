//! The access log: a part of the requests, without anything that tells who asked for which thing;
//! nothing unless it is configured.

use crate::support;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::time::{Duration, Instant};

use fingerpost_testkit::Ask;
use serde_json::Value;
use support::{Sandbox, Server, fingerpost, send};

const SERIAL: &str = "SECRETSERIAL";

/// Runs a server with these lines of configuration while `ask` asks it; returns what it logged.
fn logged(config: &str, flags: &[&str], ask: impl FnOnce(&Server, &str)) -> String {
    let (sandbox, _) = Sandbox::with_key();
    let config = sandbox.write("fingerpost.toml", config);
    let log = sandbox.path("log");
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]).args(flags);
    let mut server = Server::logging(command, File::create(&log).expect("a file").into());
    let lines = server.lines_until("admin listening on ");
    let admin = lines.last().and_then(|line| line.split("://").nth(1)).expect("an address");
    ask(&server, admin);
    server.stop();
    fs::read_to_string(log).expect("text")
}

#[test]
fn a_line_tells_what_kind_of_request_had_which_answer_and_nothing_more() {
    let begin = Instant::now();
    let log = logged("[log]\naccess = 1\n", &["--log-format", "json"], |server, admin| {
        let scan = format!("/01/09520123456788/21/{SERIAL}?utm={SERIAL}");
        assert_eq!(server.send(&Ask::get(&scan).header("User-Agent", SERIAL)).status, 307);
        assert_eq!(server.get("/01/09520123456788").status, 307);
        assert_eq!(server.get(&format!("/{SERIAL}")).status, 400);
        assert_eq!(server.get("/health").status, 200);
        let mut odd = Ask::get("/01/09520123456788");
        odd.method = SERIAL.into();
        assert_eq!(server.send(&odd).status, 501);
        let level = Ask::get(&format!("/v1/levels/01/09520123456788/21/{SERIAL}"));
        assert_eq!(send(admin, &level).status, 401);
        assert_eq!(send(admin, &Ask::get(&format!("/{SERIAL}"))).status, 404);
    });
    assert!(!log.contains(SERIAL) && !log.contains("09520123456788"), "{log}");
    assert!(!log.contains("127.0.0.1"), "{log}");
    // Warnings at the start are no part of the log.
    let lines: Vec<Value> = log
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let found: BTreeSet<String> = lines
        .iter()
        .filter(|line| line["target"] == "fingerpost_access")
        .map(|line| {
            let told = &line["fields"];
            let took = told["microseconds"].as_u64().expect("a time");
            assert!(Duration::from_micros(took) <= begin.elapsed(), "{line}");
            assert_eq!(told["protocol"], "http/1.1");
            ["listener", "method", "route", "status", "answer"]
                .map(|name| told[name].to_string().replace('"', ""))
                .join(" ")
        })
        .collect();
    let expected = [
        "public GET /01/{}/21/{} 307 redirect",
        "public GET /01/{} 307 redirect",
        "public GET other 400 refused",
        "public GET /health 200 probe",
        "public other /01/{} 501 refused",
        "admin GET /v1/levels/{*key} 401 refused",
        "admin GET other 404 unknown",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

#[test]
fn a_part_of_the_requests_is_logged_and_none_by_default() {
    let ask = |server: &Server, _: &str| {
        for _ in 0..40 {
            assert_eq!(server.get("/01/09520123456788").status, 307);
        }
    };
    // Each thread takes its own sample.
    let threads = "threads = 1\n";
    let count = |config: &str| {
        let log = logged(&[threads, config].concat(), &[], ask);
        log.lines().filter(|line| line.contains("fingerpost_access")).count()
    };
    assert_eq!(count(""), 0);
    assert_eq!(count("[log]\naccess = 0.25\n"), 10);
    assert_eq!(count("[log]\naccess = 1\nlevel = \"info,fingerpost_access=off\"\n"), 0);
    let sandbox = Sandbox::new();
    let config = sandbox.write("fingerpost.toml", "[log]\naccess = 2\n");
    let mut command = fingerpost();
    command.arg("serve").arg("--data").arg(sandbox.data()).arg("--config").arg(config);
    let output = command.output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("expected a part of all requests from 0 to 1"), "{told}");
}
