//! Nodes that follow another fingerpost over its admin API, as real processes over real sockets:
//! what they answer while the source is written, killed, restored from a backup or away, and that
//! their copies end identical.

use crate::support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_testkit::free_port;
use serde_json::Value;
use support::nodes::wait_until;
use support::{Run, Sandbox, Server, export, fingerpost, finish, gtin, record, run};

const ANCHOR: &str = "/01/09520123456788";

/// A fingerpost that is followed, always at the same address.
struct Source {
    sandbox: Sandbox,
    key: String,
    port: u16,
    server: Option<Server>,
}

impl Source {
    fn start() -> Self {
        let (sandbox, key) = Sandbox::with_key();
        let port = free_port();
        let mut source = Self { sandbox, key, port, server: None };
        source.begin();
        source
    }

    fn begin(&mut self) {
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(self.sandbox.data());
        command.args(["--listen", "127.0.0.1:0", "--admin-listen"]);
        command.arg(format!("127.0.0.1:{}", self.port));
        let mut server = Server::from_command(command);
        server.lines_until("admin listening on ");
        self.server = Some(server);
    }

    fn kill(&mut self) {
        self.server.take().expect("it runs").kill();
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Registers a record.
    fn put(&self, anchor: &str, target: &str) {
        let mut command = self.sandbox.client(&self.url(), &self.key);
        command.args(["put", "-"]);
        finish(command, record(anchor, target).as_bytes()).expect_status(0);
    }

    fn run(&self, words: &[&str]) -> Run {
        on(&self.sandbox.data(), words)
    }
}

/// Runs a command on a data directory.
fn on(data: &Path, words: &[&str]) -> Run {
    run(words.iter().map(std::ffi::OsStr::new).chain(["--data".as_ref(), data.as_os_str()]))
}

/// A node that follows it.
struct Node {
    config: PathBuf,
    data: PathBuf,
    server: Option<Server>,
}

impl Node {
    /// A node that is not started, with further lines of the table `store`.
    fn of(source: &Source, name: &str, further: &str) -> Self {
        Self::with_key(source, name, &source.key, further)
    }

    fn with_key(source: &Source, name: &str, key: &str, further: &str) -> Self {
        let key = source.sandbox.write(&format!("{name}.key"), &format!("{key}\n"));
        let url = source.url();
        let config = format!("[store]\nurl = {url:?}\nkey_file = {key:?}\n{further}\n");
        let config = source.sandbox.write(&format!("{name}.toml"), &config);
        Self { config, data: source.sandbox.path(name), server: None }
    }

    fn command(&self, words: &[&str]) -> Run {
        let mut command = fingerpost();
        command.args(words).arg("--config").arg(&self.config).arg("--data").arg(&self.data);
        finish(command, b"")
    }

    fn begin(&mut self) {
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(&self.data).arg("--config").arg(&self.config);
        command.args(["--listen", "127.0.0.1:0"]);
        self.server = Some(Server::from_command(command));
    }

    fn started(source: &Source, name: &str, further: &str) -> Self {
        let mut node = Self::of(source, name, further);
        node.begin();
        node
    }

    fn kill(&mut self) {
        self.server.take().expect("it runs").kill();
    }

    fn server(&self) -> &Server {
        self.server.as_ref().expect("it runs")
    }

    /// Where a scan leads; `None` if nothing is known.
    fn scan(&self, anchor: &str) -> Option<String> {
        let answer = self.server().get(anchor);
        assert!([307, 404].contains(&answer.status), "{}", answer.status);
        answer.header("location")
    }

    /// The answer of `/ready`, and its status.
    fn ready(&self) -> (u16, Value) {
        let answer = self.server().get("/ready");
        (answer.status, serde_json::from_slice(&answer.body).expect("JSON"))
    }

    /// Waits until the copy is up to date.
    #[track_caller]
    fn wait(&self) {
        wait_until("the copy is up to date", || {
            let (status, body) = self.ready();
            status == 200 && body["copy"]["lagRevisions"] == 0 && body["copy"]["connected"] == true
        });
    }

    /// Waits until a scan leads there.
    #[track_caller]
    fn wait_for(&self, anchor: &str, target: &str) {
        wait_until("the scan leads there", || self.scan(anchor).as_deref() == Some(target));
    }

    #[track_caller]
    fn expect_same(&self, source: &Source) {
        assert_eq!(export(&self.data), export(&source.sandbox.data()));
        self.command(&["follow", "--verify"]).expect_status(0);
        on(&self.data, &["fsck"]).expect_status(0);
    }
}

#[test]
fn a_node_answers_what_its_source_has_and_goes_on_without_it() {
    let mut source = Source::start();
    let mut node = Node::started(&source, "node", "");
    node.wait();
    assert_eq!(node.scan(ANCHOR).as_deref(), Some("https://example.com/0"));
    source.put(ANCHOR, "https://example.com/1");
    node.wait_for(ANCHOR, "https://example.com/1");
    let (status, body) = node.ready();
    assert_eq!((status, &body["status"]), (200, &Value::from("ready")));
    assert_eq!(body["copy"]["complete"], true);

    // The source is away: scans are answered, and `/ready` says for how long, also after a restart
    // of the node.
    source.kill();
    for _ in 0..2 {
        wait_until("the source is away", || node.ready().1["copy"]["connected"] == false);
        wait_until("the lag is counted", || {
            node.ready().1["copy"]["lagSeconds"].as_u64() >= Some(1)
        });
        assert_eq!(node.ready().0, 200);
        assert_eq!(node.scan(ANCHOR).as_deref(), Some("https://example.com/1"));
        node.kill();
        node.begin();
    }
    source.begin();
    source.put(ANCHOR, "https://example.com/2");
    node.wait_for(ANCHOR, "https://example.com/2");
    node.wait();
    node.expect_same(&source);
    node.server.take().expect("it runs").stop();
}

#[test]
fn a_new_node_answers_nothing_before_its_copy_is_complete() {
    let mut source = Source::start();
    source.kill();
    let node = Node::started(&source, "node", "");
    let (status, body) = node.ready();
    assert_eq!((status, &body["status"]), (503, &Value::from("copying")), "{body}");
    let answer = node.server().get(ANCHOR);
    assert_eq!(answer.status, 503, "an unknown key could be one that is not there yet");
    assert!(answer.header("retry-after").is_some());
    assert_eq!(node.server().get("/health").status, 200);
    source.begin();
    node.wait();
    assert_eq!(node.scan(ANCHOR).as_deref(), Some("https://example.com/0"));
    node.expect_same(&source);
}

/// A backup is restored at the source: the copy has revisions that the source lacks, and then
/// others with the same numbers.
#[test]
fn a_source_that_went_back_is_noticed_and_the_copy_repaired() {
    let mut source = Source::start();
    let node = Node::started(&source, "node", "");
    node.wait();
    let file = source.sandbox.path("backup.fpb");
    source.run(&["backup", file.to_str().unwrap()]).expect_status(0);
    let lot = format!("{ANCHOR}/10/LOST");
    source.put(ANCHOR, "https://example.com/lost");
    source.put(&lot, "https://example.com/lot");
    for _ in 0..3 {
        node.wait_for(&lot, "https://example.com/lot");
    }
    source.kill();
    std::fs::rename(source.sandbox.data(), source.sandbox.path("lost")).unwrap();
    let restore = ["restore", file.to_str().unwrap(), "--keep-credentials"];
    source.run(&restore).expect_status(0);
    source.begin();
    // As many revisions as were lost, and more.
    source.put(ANCHOR, "https://example.com/a");
    node.wait_for(ANCHOR, "https://example.com/a");
    source.put(ANCHOR, "https://example.com/b");
    source.put(ANCHOR, "https://example.com/c");
    node.wait_for(ANCHOR, "https://example.com/c");
    assert_eq!(node.scan(&lot).as_deref(), Some("https://example.com/c"), "by the product");
    node.wait();
    node.expect_same(&source);
}

#[test]
fn a_comparison_names_differences_and_a_copy_can_be_brought_up_to_date_without_a_server() {
    let source = Source::start();
    let node = Node::of(&source, "node", "");
    let early = node.command(&["follow", "--verify"]).expect_status(2);
    assert!(early.stderr.contains("no store in"), "{early:?}");
    let copied = node.command(&["follow"]).expect_status(0);
    assert!(copied.stdout.starts_with("up to date: revision "), "{copied:?}");
    let other = format!("/01/{}", gtin(77));
    source.put(&other, "https://example.com/77");
    let found = node.command(&["follow", "--verify", "--format", "json"]).expect_status(1);
    let found = &found.events()[0];
    assert_eq!((&found["same"], &found["different"]), (&Value::from(false), &Value::from(1)));
    assert_eq!(found["differences"][0]["key"], other[1..]);
    assert_eq!(found["differences"][0]["difference"], "missing in the copy");
    node.command(&["follow"]).expect_status(0);
    node.expect_same(&source);
}

#[test]
fn a_copy_for_company_prefixes_holds_only_these() {
    let source = Source::start();
    source.put("/01/09506000134352", "https://example.com/9506000");
    source.put("/414/9506000134352", "https://example.com/place");
    source.put("/gcp/9506000", "https://example.com/company");
    let node = Node::started(&source, "node", "company_prefixes = [\"9506000\"]");
    node.wait();
    source.put(ANCHOR, "https://example.com/1");
    source.put("/01/09506000134352/10/A", "https://example.com/lot");
    node.wait_for("/01/09506000134352/10/A", "https://example.com/lot");
    assert_eq!(node.scan(ANCHOR), None);
    node.wait();
    let expected = source.run(&["export", "--prefix", "9506000"]).expect_status(0).stdout;
    assert_eq!(export(&node.data), expected);
    node.command(&["follow", "--verify"]).expect_status(0);
}

/// Imports at the source, while source and node are killed again and again.
#[test]
fn nodes_that_are_killed_end_with_the_same_records() {
    let mut source = Source::start();
    let mut node = Node::started(&source, "node", "");
    for round in 0..4 {
        let records: Vec<String> = (0..600)
            .map(|number| {
                let target = format!("https://example.com/{round}/{number}");
                record(&format!("/01/{}", gtin(round * 300 + number)), &target)
            })
            .collect();
        let file = source.sandbox.write("records.jsonl", &records.join("\n"));
        let mut import = fingerpost();
        import.args(["import", "--batch", "50", "--data"]).arg(source.sandbox.data()).arg(&file);
        let mut import = import
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 + 30 * u64::from(round)));
        node.kill();
        if round % 2 == 1 {
            source.kill();
            source.begin();
        }
        node.begin();
        assert!(import.wait().unwrap().success());
    }
    source.put(ANCHOR, "https://example.com/last");
    node.wait_for(ANCHOR, "https://example.com/last");
    node.wait();
    node.expect_same(&source);
}

#[test]
fn keys_that_cannot_read_everything_are_refused() {
    let source = Source::start();
    let prefix = source.sandbox.key(&["--verb", "read", "--prefix", "9520123"]);
    let read = source.sandbox.key(&["--verb", "read"]);
    let write = source.sandbox.key(&["--verb", "write"]);
    for (name, key, status) in [("a", &prefix, 2), ("b", &write, 2), ("c", &read, 0)] {
        let found =
            Node::with_key(&source, name, key, "").command(&["follow"]).expect_status(status);
        assert!(status == 0 || found.stderr.contains("permission"), "{found:?}");
    }
    let wrong = Node::with_key(&source, "d", "fpk_nonsense", "").command(&["follow"]);
    assert!(wrong.expect_status(2).stderr.contains("credential"));
    let none = Node::with_key(&source, "e", "", "").command(&["follow"]);
    assert!(none.expect_status(2).stderr.contains("store.key_file"));
}

#[test]
fn another_store_does_not_replace_the_copy() {
    let (source, other) = (Source::start(), Source::start());
    let mut node = Node::of(&source, "node", "");
    node.command(&["follow"]).expect_status(0);
    let before = export(&node.data);
    node.config = Node::of(&other, "other", "").config;
    let refused = node.command(&["follow"]).expect_status(2);
    assert!(refused.stderr.contains("is not the store that"), "{refused:?}");
    assert_eq!(export(&node.data), before);
}

#[test]
fn a_copy_is_not_written_and_a_store_does_not_become_one() {
    let source = Source::start();
    let node = Node::of(&source, "node", "");
    node.command(&["follow"]).expect_status(0);
    let copy = &node.data;
    let records = source.sandbox.write("records.json", &record(ANCHOR, "https://example.com/x"));
    for words in [
        &["import", records.to_str().unwrap()][..],
        &["admin", "key", "--label", "x"],
        &["backup", source.sandbox.path("copy.fpb").to_str().unwrap()],
        &["serve", "--listen", "127.0.0.1:0", "--no-admin"],
        &["audit", "verify"],
    ] {
        let refused = on(copy, words).expect_status(2);
        assert!(refused.stderr.contains("is a copy of another store"), "{refused:?}");
    }
    // What needs no history works.
    for words in [&["export"][..], &["fsck"], &["compact"], &["export", "--format", "linkset"]] {
        on(copy, words).expect_status(0);
    }
    let explained = on(copy, &["explain", ANCHOR]).expect_status(0);
    assert!(explained.stdout.contains("https://example.com/0"), "{explained:?}");
    node.command(&["follow", "--verify"]).expect_status(0);
    let own = source.sandbox.path("own");
    on(&own, &["import", records.to_str().unwrap()]).expect_status(0);
    let node = Node { config: node.config, data: own, server: None };
    for words in [&["follow"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let refused = node.command(words).expect_status(2);
        assert!(refused.stderr.contains("holds a store of its own"), "{refused:?}");
    }
}

#[test]
fn a_source_speaks_tls() {
    let (sandbox, key) = Sandbox::with_key();
    let ca = sandbox.certify();
    let tls = "[admin]\ntls_cert = \"leaf.pem\"\ntls_key = \"leaf.key\"\n";
    let tls = sandbox.write("source.toml", tls);
    let (server, url) =
        Server::start_with_admin(&sandbox.data(), &["--config", tls.to_str().unwrap()]);
    let key = sandbox.write("key", &key);
    let follow = |further: &str| {
        let text = format!("[store]\nurl = {url:?}\nkey_file = {key:?}\n{further}");
        let config = sandbox.write("node.toml", &text);
        on(&sandbox.path("node"), &["follow", "--config", config.to_str().unwrap()])
    };
    let failed = follow("").expect_status(2);
    assert!(failed.stderr.contains("store.ca_file"), "{failed:?}");
    follow(&format!("ca_file = {ca:?}")).expect_status(0);
    assert_eq!(export(&sandbox.path("node")), export(&sandbox.data()));
    server.stop();
}

#[test]
fn addresses_are_checked() {
    let sandbox = Sandbox::new();
    let key = sandbox.write("key", "fpk_x");
    for (url, expected) in [
        ("ftp://a", "expected https:// or postgres://"),
        ("https://user:secret@a", "expected no user"),
        ("http://192.0.2.1:8081", "store.insecure = true"),
        ("https://a/v1", "nothing behind host and port"),
    ] {
        let config =
            sandbox.write("c.toml", &format!("[store]\nurl = {url:?}\nkey_file = {key:?}"));
        let words = ["follow", "--config", config.to_str().unwrap()];
        let refused = on(&sandbox.data(), &words).expect_status(2);
        assert!(refused.stderr.contains(expected), "{refused:?}");
        assert!(!refused.stderr.contains("secret"), "{refused:?}");
    }
}
