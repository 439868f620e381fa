//! SIGHUP: the server takes over a changed configuration as a whole or not at all, and drops no
//! connection.

use crate::support;

use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};
use support::{Sandbox, Server, fingerpost, record};
use ureq::Agent;

/// A server with both sides, its configuration file, and its log.
struct Running {
    sandbox: Sandbox,
    key: String,
    server: Server,
    url: String,
}

impl Running {
    fn start(config: &str) -> Self {
        let (sandbox, key) = Sandbox::with_key();
        sandbox.import(&record("/01/09520123456788", "https://example.com/a")).expect_status(0);
        let file = sandbox.write("fingerpost.toml", config);
        let mut command = fingerpost();
        command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.arg("--data").arg(sandbox.data()).arg("--config").arg(file);
        let log = File::create(sandbox.path("log")).unwrap();
        let mut server = Server::logging(command, Stdio::from(log));
        let lines = server.lines_until("admin listening on ");
        let url = lines.last().and_then(|line| line.strip_prefix("admin listening on "));
        let url = url.expect("the line was waited for").to_owned();
        Self { sandbox, key, server, url }
    }

    /// Changes the file, sends SIGHUP, and waits until the log has this.
    #[track_caller]
    fn reload(&self, config: &str, logged: &str) {
        let log = || fs::read_to_string(self.sandbox.path("log")).unwrap();
        let before = log().len();
        self.sandbox.write("fingerpost.toml", config);
        self.server.signal("HUP");
        let start = Instant::now();
        while !log()[before..].contains(logged) {
            assert!(start.elapsed() < PATIENCE, "{}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn home(&self) -> String {
        let answer = self.server.send(&Ask::get("/").header("Accept", "text/html"));
        String::from_utf8_lossy(&answer.body).into_owned()
    }

    /// Registers a link of this type; returns the status and the body.
    fn put(&self, link_type: &str) -> (u16, String) {
        let config = Agent::config_builder().proxy(None).http_status_as_error(false);
        let agent = config.timeout_global(Some(PATIENCE)).build().new_agent();
        let link =
            |kind| format!(r#"{{"linkType":"{kind}","href":"https://ex.org/p","title":"P"}}"#);
        let (default, other) = (link("gs1:defaultLink"), link(link_type));
        let body = format!(
            r#"{{"anchor":"/01/09506000134352","itemDescription":"x","links":[{default},{other}]}}"#
        );
        let put = agent.put(format!("{}/v1/levels/01/09506000134352", self.url));
        let put = put.header("authorization", format!("Bearer {}", self.key));
        let mut answer = put.content_type("application/json").send(body).expect("an answer");
        (answer.status().as_u16(), answer.body_mut().read_to_string().expect("a text"))
    }
}

const NAMESPACE: &str =
    "link_type_namespaces = [{ namespace = \"https://ex.org/\", prefix = \"ex:\" }]\n";

#[test]
fn both_sides_take_over_what_has_changed() {
    let running = Running::start("name = \"Before\"");
    assert!(running.home().contains("Before"));
    let (status, body) = running.put("ex:warranty");
    assert_eq!(status, 422, "{body}");
    running.reload(&format!("name = \"After\"\n{NAMESPACE}"), "link_type_namespaces, name");
    let home = running.home();
    assert!(home.contains("After") && !home.contains("Before"), "{home}");
    let (status, body) = running.put("ex:warranty");
    assert_eq!(status, 201, "{body}");
    assert_eq!(running.server.get("/01/09520123456788").status, 307);
    running.reload("", "configuration replaced");
    assert!(!running.home().contains("After"));
    running.reload("", "no key has changed");
    running.server.stop();
}

#[test]
fn what_cannot_be_used_changes_nothing() {
    let running = Running::start("name = \"Before\"");
    for (config, logged) in [
        ("name = \"After\"\nresolver_rot = \"x\"", "did you mean `resolver_root`"),
        ("name = \"After\"\nlinkset_max_age = \"x\"", "fingerpost.toml:2: linkset_max_age"),
        ("name = \"After\"\nthreads = 3", "`threads` cannot change while the server runs"),
        (
            "name = \"After\"\n[limits]\nidle_timeout = \"9s\"",
            "`limits.idle_timeout` cannot change",
        ),
        ("name = \"After\"\n[admin]\nmax_connections = 9", "`admin.max_connections` cannot change"),
    ] {
        running.reload(config, logged);
        assert!(running.home().contains("Before"), "{config}");
    }
    running.reload("name = \"After\"", "configuration replaced");
    assert!(running.home().contains("After"));
    running.server.stop();
}

#[test]
fn connections_and_sessions_go_on() {
    let running = Running::start("");
    let mut kept = std::net::TcpStream::connect(running.server.address()).unwrap();
    kept.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut ask = |expected: &str| {
        use std::io::{Read, Write};
        kept.write_all(b"GET /01/09520123456788 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            kept.read_exact(&mut byte).expect("the connection stays open");
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        kept.read_exact(&mut vec![0; length.parse().unwrap()]).unwrap();
        assert!(head.starts_with(expected), "{head}");
    };
    ask("HTTP/1.1 307");
    running.reload("supported_primary_keys = [\"414\"]", "configuration replaced");
    ask("HTTP/1.1 404");
    running.reload("", "configuration replaced");
    ask("HTTP/1.1 307");
    // Who is told to stop after a reload still gets an answer about it.
    running.server.stop();
}
