//! A node whose store is in a database: writes at one node are seen by its own scans at once and by
//! those of others, and the node answers scans while the database is away. The database is an
//! engine in memory that can be cut off.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fingerpost_engine::{Engine, EngineError, Memory, Prefetch, Snapshot, Unavailable, Work};
use fingerpost_http::Shutdown;
use fingerpost_registry::{Caller, NewKey, Registry, RegistryOptions, Verb};
use fingerpost_store::Store;
use fingerpost_store::copy::Selection;
use fingerpost_testkit::PATIENCE;

use super::{Database, Followed};
use crate::admin_side::RunningApi;
use crate::bound::{Here, Sides};
use crate::config::{Config, Overrides};
use crate::failure::Failure;
use crate::opened::open_store;
use crate::services::Supervisor;
use crate::services::copy::Node;
use crate::starting::Start;

const ANCHOR: &str = "01/09520123456788";
/// A database that can be away.
#[derive(Default)]
struct Remote {
    rows: Memory,
    is_away: AtomicBool,
}

impl Remote {
    fn reach(&self) -> Result<&Memory, EngineError> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(Unavailable::Stopped.into()),
            false => Ok(&self.rows),
        }
    }

    fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }
}

impl Engine for Remote {
    fn location(&self) -> &str {
        "remote"
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        self.reach()?.snapshot()
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.reach()?.write(prefetch, work)
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        self.reach().map(|_| ())
    }

    // Nothing is said about commits: the follower and the nodes have to find out.
}

/// A running node.
struct Running {
    public: SocketAddr,
    admin: Option<SocketAddr>,
    api: RunningApi,
    shutdown: Shutdown,
    thread: Option<JoinHandle<()>>,
    store: Arc<Store>,
}

impl Running {
    fn start(remote: &Arc<Remote>, data: &Path) -> Result<Self, Failure> {
        // Tests share their machine with others: two seconds may be too few.
        let text = "listen = \"127.0.0.1:0\"\nthreads = 1\n[admin]\nlisten = \"127.0.0.1:0\"\n[store]\nwrite_wait = \"60s\"\n";
        let config = Config::from_toml(text).expect("a configuration");
        let remote = Arc::clone(remote);
        let open = move || Store::over(Arc::clone(&remote));
        let database = Arc::new(Database::new(open, Selection::default()));
        let followed = Followed::Database(database);
        let mut store = open_store(&config, data, Some(&followed), |_| {});
        let begin = Instant::now();
        // A thread of the last node may be about to end.
        while store.is_err() && begin.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
            store = open_store(&config, data, Some(&followed), |_| {});
        }
        let (store, _) = store?;
        let start =
            Start { file: None, flags: Overrides::default(), is_demo: false, notice: |_| {} };
        let here = Here { started: crate::clock::now(), start, data: data.to_owned() };
        let sides = Sides::start(&config, here, &store, Some(&followed))?;
        let public = sides.server.local_addrs()[0];
        let admin = sides.admin.as_ref().map(|admin| admin.local_addrs()[0]);
        let (shutdown, api) = (Shutdown::new(), Arc::clone(&sides.side.api));
        let stop = shutdown.clone();
        let mut supervisor = Supervisor::new(&shutdown);
        for service in sides.side.node.iter().flat_map(Node::services) {
            supervisor.start(service)?;
        }
        let thread = thread::spawn(move || {
            let _supervisor = supervisor;
            sides.serve(&stop).unwrap_or_else(|_| panic!("it runs"));
        });
        Ok(Self { public, admin, api, shutdown, thread: Some(thread), store })
    }

    /// The status and the whole text of an answer.
    fn get(&self, target: &str) -> (u16, String) {
        send(self.public, "GET", target, "", "")
    }

    fn call(&self, method: &str, target: &str, key: &str, body: &str) -> (u16, String) {
        let field = format!("Authorization: Bearer {key}\r\nContent-Type: application/json\r\n");
        send(self.admin.expect("it has an admin side"), method, target, &field, body)
    }

    fn ready(&self) -> (u16, serde_json::Value) {
        let (status, text) = self.get("/ready");
        let body = text.split("\r\n\r\n").nth(1).expect("a body");
        (status, serde_json::from_str(body).expect("JSON"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.trigger();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn send(to: SocketAddr, method: &str, target: &str, fields: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(to).expect("it accepts");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let length = body.len();
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Length: {length}\r\n"
    );
    stream.write_all(format!("{head}{fields}\r\n{body}").as_bytes()).expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    (status, text)
}

#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "it does not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

fn record(target: &str) -> String {
    let link =
        |link_type| serde_json::json!({ "linkType": link_type, "href": target, "title": "Page" });
    let links = [link("gs1:defaultLink"), link("gs1:pip")];
    serde_json::json!({ "anchor": format!("/{ANCHOR}"), "links": links }).to_string()
}

/// A database with a key that may do everything.
fn remote() -> (Arc<Remote>, String) {
    let remote = Arc::new(Remote::default());
    let store = Store::over(Arc::clone(&remote)).unwrap();
    let registry = Registry::new(Arc::new(store), RegistryOptions::new());
    let new = NewKey {
        label: "test".to_owned(),
        organisation: None,
        verbs: vec![Verb::Read, Verb::Write, Verb::Admin],
        prefix: None,
        expires: None,
        for_organisation: false,
    };
    let (_, key) = registry.create_key(&Caller::local("test"), new).unwrap();
    (remote, key.expose().to_owned())
}

#[test]
fn a_write_is_in_the_copy_of_its_node_before_it_is_answered() {
    let (remote, key) = remote();
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let start = |dir: &tempfile::TempDir| {
        Running::start(&remote, dir.path()).unwrap_or_else(|_| panic!("it starts"))
    };
    let (one, other) = (start(&dirs[0]), start(&dirs[1]));
    let target = format!("/v1/levels/{ANCHOR}");
    for number in 0..20 {
        let to = format!("https://example.com/{number}");
        let (status, text) = one.call("PUT", &target, &key, &record(&to));
        assert!([200, 201].contains(&status), "{text}");
        let (_, scan) = one.get(&format!("/{ANCHOR}"));
        assert!(scan.contains(&format!("location: {to}\r\n")), "{scan}");
    }
    let (status, text) = one.call("DELETE", &target, &key, "");
    assert_eq!(status, 204, "{text}");
    assert_eq!(one.get(&format!("/{ANCHOR}")).0, 404);
    // By an import, whose answer ends later than it begins.
    let (status, text) = one.call("POST", "/v1/imports", &key, &record("https://example.com/i"));
    assert_eq!(status, 200, "{text}");
    assert!(one.get(&format!("/{ANCHOR}")).1.contains("location: https://example.com/i\r\n"));
    wait_until(|| {
        other.get(&format!("/{ANCHOR}")).1.contains("location: https://example.com/i\r\n")
    });
    wait_until(|| other.ready().1["copy"]["lagRevisions"] == 0);
}

#[test]
fn scans_are_answered_while_the_database_is_away() {
    let (remote, key) = remote();
    let dir = tempfile::tempdir().unwrap();
    let node = Running::start(&remote, dir.path()).unwrap_or_else(|_| panic!("it starts"));
    let target = format!("/v1/levels/{ANCHOR}");
    node.call("PUT", &target, &key, &record("https://example.com/1"));
    let scan = |node: &Running| node.get(&format!("/{ANCHOR}")).1;
    assert!(scan(&node).contains("location: https://example.com/1\r\n"));

    remote.set_away(true);
    for (method, body) in [("PUT", record("https://example.com/2")), ("GET", String::new())] {
        let (status, text) = node.call(method, &target, &key, &body);
        assert_eq!(status, 503, "{text}");
        assert!(text.contains("retry-after: "), "{text}");
    }
    wait_until(|| node.ready().1["copy"]["connected"] == false);
    let (status, body) = node.ready();
    assert_eq!((status, &body["status"]), (200, &serde_json::json!("ready")), "{body}");
    wait_until(|| node.ready().1["copy"]["lagSeconds"].as_u64() >= Some(1));
    assert!(scan(&node).contains("location: https://example.com/1\r\n"));

    // Even a node that starts now answers, and has its admin side when the database is back.
    drop(node);
    let mut node = Running::start(&remote, dir.path()).unwrap_or_else(|_| panic!("it starts"));
    assert!(node.admin.is_none());
    assert!(scan(&node).contains("location: https://example.com/1\r\n"));
    remote.set_away(false);
    wait_until(|| node.api.get().is_some());
    wait_until(|| node.ready().1["copy"]["connected"] == true);
    drop(node);
    node = Running::start(&remote, dir.path()).unwrap_or_else(|_| panic!("it starts"));
    let (status, text) = node.call("PUT", &target, &key, &record("https://example.com/3"));
    assert_eq!(status, 200, "{text}");
    assert!(scan(&node).contains("location: https://example.com/3\r\n"));
    assert!(node.store.copy_state().unwrap().is_some());
}

#[test]
fn a_node_without_a_copy_does_not_start_without_its_database() {
    let (remote, _) = remote();
    remote.set_away(true);
    let dir = tempfile::tempdir().unwrap();
    assert!(Running::start(&remote, dir.path()).is_err());
}
