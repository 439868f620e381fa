//! Nodes on one PostgreSQL database, as real processes.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{Cluster, PATIENCE, skipped};
use serde_json::Value;
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue};

use super::{Run, Sandbox, Server, export, fingerpost, finish, gtin, record};

#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "{what}: it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a server; reports that a test is skipped if there is none.
pub(crate) fn cluster() -> Option<Cluster> {
    match Cluster::start(&[]) {
        Ok(cluster) => Some(cluster),
        Err(why) => {
            skipped("nodes on PostgreSQL", &why);
            None
        }
    }
}

/// A database, as the configuration of all nodes names it.
pub(crate) struct Database<'p> {
    pub(crate) sandbox: &'p Sandbox,
    pub(crate) url: String,
}

impl<'p> Database<'p> {
    pub(crate) fn new(sandbox: &'p Sandbox, url: &str) -> Self {
        Self { sandbox, url: url.to_owned() }
    }

    /// The configuration of a node, with further lines: otherwise one line.
    pub(crate) fn config(&self, name: &str, further: &str) -> PathBuf {
        let text = format!("[store]\nurl = {:?}\n{further}\n", self.url);
        self.sandbox.write(&format!("{name}.toml"), &text)
    }

    /// Makes a command on the database, as an operator does on any node.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = fingerpost();
        command.args(words).arg("--config").arg(self.config("command", ""));
        command
    }

    pub(crate) fn run(&self, words: &[&str], input: &str) -> Run {
        finish(self.command(words), input.as_bytes())
    }

    /// Creates a key that may do everything.
    pub(crate) fn key(&self) -> String {
        let words =
            ["admin", "key", "--label", "test", "--verb", "read,write,admin", "--format", "json"];
        let made = self.run(&words, "").expect_status(0).events().remove(0);
        made["token"].as_str().expect("a token").to_owned()
    }

    pub(crate) fn export(&self) -> String {
        self.run(&["export"], "").expect_status(0).stdout
    }

    /// Imports records of these anchors.
    pub(crate) fn import(&self, anchors: impl IntoIterator<Item = String>, target: &str) {
        let records: String =
            anchors.into_iter().map(|anchor| record(&anchor, target) + "\n").collect();
        self.run(&["import", "-"], &records).expect_status(0);
    }
}

/// A node of one database, and the address of its admin side.
pub(crate) struct Node<'p> {
    sandbox: &'p Sandbox,
    config: PathBuf,
    pub(crate) data: PathBuf,
    pub(crate) server: Server,
    pub(crate) admin: String,
    pub(crate) key: String,
}

impl<'p> Node<'p> {
    pub(crate) fn start(database: &Database<'p>, name: &str, key: &str) -> Self {
        Self::start_by(database, name, key, "", |command| command)
    }

    /// Starts a node with further lines of configuration, by a command that was changed.
    pub(crate) fn start_by(
        database: &Database<'p>,
        name: &str,
        key: &str,
        further: &str,
        change: impl FnOnce(Command) -> Command,
    ) -> Self {
        let config = database.config(name, further);
        let data = database.sandbox.path(name);
        let mut command = fingerpost();
        command.arg("serve").arg("--data").arg(&data).arg("--config").arg(&config);
        command.args(["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        let log = match std::env::var_os("FINGERPOST_TEST_LOG") {
            Some(_) => Stdio::inherit(),
            None => Stdio::null(),
        };
        let mut server = Server::logging(change(command), log);
        let lines = server.lines_until("admin listening on ");
        let admin = lines.last().expect("a line").replace("admin listening on ", "");
        Self { sandbox: database.sandbox, config, data, server, admin, key: key.to_owned() }
    }

    pub(crate) fn put(&self, anchor: &str, target: &str) -> Run {
        let mut command = self.sandbox.client(&self.admin, &self.key);
        command.args(["put", "-"]);
        finish(command, record(anchor, target).as_bytes())
    }

    /// Where a scan leads; `None` if nothing is known.
    pub(crate) fn scan(&self, anchor: &str) -> Option<String> {
        let answer = self.server.get(anchor);
        assert!([307, 404].contains(&answer.status), "{anchor}: {}", answer.status);
        answer.header("location")
    }

    pub(crate) fn is_up_to_date(&self) -> bool {
        let answer = self.server.get("/ready");
        let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
        answer.status == 200
            && body["copy"]["lagRevisions"] == 0
            && body["copy"]["connected"] == true
    }

    pub(crate) fn verify(&self) -> Run {
        let mut command = fingerpost();
        command.args(["follow", "--verify", "--config"]).arg(&self.config);
        command.arg("--data").arg(&self.data);
        finish(command, b"")
    }

    /// Waits until the copy is up to date, and checks that it has what the database has.
    #[track_caller]
    pub(crate) fn expect_same(&self, truth: &str) {
        wait_until("the copy has what the database has", || {
            self.is_up_to_date() && export(&self.data) == truth
        });
        self.verify().expect_status(0);
    }
}

/// The writes that [`written_while`] waits for at a time.
const FURTHER: usize = 6;

/// Lets a client of each node put new records, from `/01/` of `gtin(1000)` on, while `disturb`
/// runs. Returns the anchors and the targets that were acknowledged. `disturb` gets a function that
/// waits until further writes were acknowledged: counted, because a busy machine takes longer.
pub(crate) fn written_while(
    nodes: &[Node<'_>],
    disturb: impl FnOnce(&dyn Fn()),
) -> Vec<(String, String)> {
    let (is_over, written) = (AtomicBool::new(false), AtomicUsize::new(0));
    let further = || {
        let enough = written.load(Ordering::Relaxed) + FURTHER;
        wait_until("further writes", || written.load(Ordering::Relaxed) >= enough);
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0_u32..)
            .zip(nodes)
            .map(|(at, node)| {
                let (is_over, written) = (&is_over, &written);
                scope.spawn(move || {
                    let mut done = Vec::new();
                    for n in 0.. {
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                        let anchor = format!("/01/{}", gtin(1000 + 10 * n + at));
                        let target = format!("https://example.com/{n}");
                        if node.put(&anchor, &target).status == Some(0) {
                            done.push((anchor, target));
                            written.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    done
                })
            })
            .collect();
        let over = Over::new(&is_over);
        disturb(&further);
        drop(over);
        writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect()
    })
}

/// Ends the loops of other threads when it is dropped, also by a panic.
pub(crate) struct Over<'o>(&'o AtomicBool);

impl<'o> Over<'o> {
    pub(crate) fn new(is_over: &'o AtomicBool) -> Self {
        Self(is_over)
    }
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Checks that an export has all that was acknowledged.
#[track_caller]
pub(crate) fn expect_all(acknowledged: &[(String, String)], export: &str) {
    for (anchor, target) in acknowledged {
        let stored = format!(r#""anchor":"{anchor}","#);
        let has = |line: &str| line.contains(&stored) && line.contains(target);
        assert!(export.lines().any(has), "{anchor} is lost");
    }
}

/// An answer of the admin side.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) status: u16,
    fields: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Told {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }
}

impl Node<'_> {
    /// Sends a request to the admin side; waits long enough for an answer that is late.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Told {
        let config = Agent::config_builder().proxy(None).http_status_as_error(false);
        let agent = config.timeout_global(Some(PATIENCE)).build().new_agent();
        let url = format!("{}{path}", self.admin);
        let mut request = http::Request::builder().method(method).uri(url);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let sent = match body {
            Some(body) => {
                let request = request.header("content-type", "application/json");
                agent.run(request.body(body.to_string()).expect("a request"))
            }
            None => agent.run(request.body(()).expect("a request")),
        };
        let mut answer = sent.expect("an answer");
        let field = |(name, value): (&HeaderName, &HeaderValue)| {
            (name.to_string(), value.to_str().unwrap_or_default().to_owned())
        };
        let fields = answer.headers().iter().map(field).collect();
        let text = answer.body_mut().read_to_string().expect("text");
        let body = serde_json::from_str(&text).unwrap_or_default();
        Told { status: answer.status().as_u16(), fields, body }
    }

    /// The same with the key of the node.
    pub(crate) fn ask_by_key(
        &self,
        method: &str,
        path: &str,
        fields: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Told {
        let bearer = format!("Bearer {}", self.key);
        self.ask(method, path, &[fields, &[("authorization", &bearer)]].concat(), body)
    }
}
