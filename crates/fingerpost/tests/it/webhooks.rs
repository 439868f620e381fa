//! Webhooks of a server that is killed, against a receiver of our own.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::ops::Range;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use support::api::Api;
use support::nodes::{Database, Node, cluster, wait_until};
use support::{Sandbox, Server, gtin, record};

const DELIVER: &str = "[webhooks]\ndeliver = true\nallow_networks = [\"127.0.0.1\"]\n";

/// A receiver that acknowledges each event after a while, one at a time.
struct Receiver {
    address: String,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Receiver {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let events = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&events);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(&stream);
                let (mut line, mut length) = (String::new(), 0);
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    let field = line.to_ascii_lowercase();
                    if let Some(value) = field.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                // The sender may have been killed.
                if length == 0 || reader.read_exact(&mut body).is_err() {
                    continue;
                }
                noted.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                thread::sleep(Duration::from_millis(20));
                let _ = stream.write_all(
                    b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        });
        Self { address, events }
    }

    fn events(&self) -> Vec<Value> {
        self.events.lock().unwrap().clone()
    }

    fn ids(&self) -> BTreeSet<String> {
        self.events().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The servers that sent events.
    fn sources(&self) -> BTreeSet<String> {
        self.events().iter().map(|event| event["source"].as_str().unwrap().to_owned()).collect()
    }

    /// Checks that the events of each record arrived in the order of its changes, repeats aside.
    #[track_caller]
    fn expect_order(&self) {
        let mut last: BTreeMap<String, u64> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for event in self.events() {
            let revision = event["data"]["revision"].as_u64().unwrap();
            if seen.insert(event["id"].to_string()) {
                let before = last.insert(event["subject"].to_string(), revision);
                assert!(before.is_none_or(|before| before < revision), "{event}");
            }
        }
    }
}

/// 35.3: at least once and in order per record, also for a server that is killed while it delivers;
/// and events about the installation.
#[test]
fn a_server_that_is_killed_loses_no_event() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::new());
    let config = sandbox.write("fingerpost.toml", DELIVER);
    let config = config.to_str().unwrap();
    let key = Api::key(&sandbox);
    let start = || {
        let (server, url) = Server::start_with_admin(&sandbox.data(), &["--config", config]);
        (server, Api::new(&url, &key))
    };
    let (mut server, mut api) = start();
    let url = format!("http://{}/hook", receiver.address);
    let hook = json!({"label": "shop", "url": url});
    let (status, made) = api.send("POST", "/v1/webhooks", Some(hook));
    assert_eq!(status, 201, "{made}");
    let hook = format!("/v1/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    let mut expected = BTreeSet::new();
    for round in 0..3 {
        // Where the changes take long, most are delivered before the last one is made.
        let before = receiver.ids().len();
        for number in 0..40 {
            let level = format!("/01/{}", gtin(number % 4));
            let target = format!("https://example.com/{round}/{number}");
            let body = serde_json::from_str(&record(&level, &target)).unwrap();
            let (status, outcome) = api.send("PUT", &format!("/v1/levels{level}"), Some(body));
            assert!([200, 201].contains(&status), "{outcome}");
            expected.insert(format!("{}{level}", outcome["revision"]));
        }
        if round < 2 {
            wait_until("the delivery begins", || receiver.ids().len() >= before + 5);
            server.kill();
            (server, api) = start();
        }
    }
    wait_until("all events", || receiver.ids().is_superset(&expected));
    assert_eq!(receiver.ids(), expected);
    receiver.expect_order();
    // A test, its log, and metrics.
    assert_eq!(api.send("POST", &format!("{hook}/test"), None).0, 202);
    let deliveries = || api.send("GET", &format!("{hook}/deliveries"), None).1;
    wait_until("the test", || deliveries()["deliveries"][0]["kind"] == "test");
    assert_eq!(deliveries()["deliveries"][0]["status"], 204);
    let (_, shown) = api.send("GET", &hook, None);
    assert_eq!((&shown["state"]["failingSince"], &shown["secret"]), (&Value::Null, &Value::Null));
    drop(server);
}

/// 35.3: of nodes on one PostgreSQL database, one delivers; when it is killed, the other goes on,
/// and each event arrives, in order per record.
#[test]
fn of_nodes_on_postgresql_one_delivers_until_it_is_killed() {
    let Some(cluster) = cluster() else { return };
    let (sandbox, receiver) = (Sandbox::new(), Receiver::new());
    let database = Database::new(&sandbox, &cluster.url());
    database.import([format!("/01/{}", gtin(100))], "https://example.com/");
    let key = database.key();
    // Events name the resolver as their source, which shows here who sent them.
    let root = |name: &str| format!("https://{name}.example");
    let [one, two] = ["one", "two"].map(|name| {
        let change = |mut command: Command| {
            command.env("FINGERPOST_RESOLVER_ROOT", root(name));
            command
        };
        Node::start_by(&database, name, &key, DELIVER, change)
    });
    let hook = json!({"label": "shop", "url": format!("http://{}/hook", receiver.address)});
    let (status, made) = Api::new(&one.admin, &key).send("POST", "/v1/webhooks", Some(hook));
    assert_eq!(status, 201, "{made}");
    let mut expected = BTreeSet::new();
    let mut write = |node: &Node<'_>, round: u32, numbers: Range<u32>| {
        let api = Api::new(&node.admin, &key);
        for number in numbers {
            let level = format!("/01/{}", gtin(number % 4));
            let target = format!("https://example.com/{round}/{number}");
            let body = serde_json::from_str(&record(&level, &target)).unwrap();
            let (status, outcome) = api.send("PUT", &format!("/v1/levels{level}"), Some(body));
            assert!([200, 201].contains(&status), "{outcome}");
            expected.insert(format!("{}{level}", outcome["revision"]));
        }
        expected.clone()
    };
    write(&one, 0, 0..8);
    let expected_so_far = write(&two, 1, 0..8);
    wait_until("the events while both run", || receiver.ids().is_superset(&expected_so_far));
    assert_eq!(receiver.ids(), expected_so_far);
    assert_eq!(receiver.events().len(), expected_so_far.len(), "each arrives once");
    let first = receiver.sources();
    assert_eq!(first.len(), 1, "one delivers: {first:?}");
    let is_first = first.contains(&root("one"));
    let (deliverer, other) = if is_first { (one, two) } else { (two, one) };
    // It is killed in the middle of a delivery.
    write(&deliverer, 2, 0..40);
    wait_until("the delivery goes on", || receiver.events().len() > expected_so_far.len() + 2);
    deliverer.server.kill();
    let expected = write(&other, 3, 0..8);
    wait_until("all events", || receiver.ids().is_superset(&expected));
    assert_eq!(receiver.ids(), expected);
    receiver.expect_order();
    assert_eq!(receiver.sources(), [root("one"), root("two")].into());
    let last = receiver.events().pop().unwrap();
    assert_eq!(last["source"], root(if is_first { "two" } else { "one" }));
}

/// 35.3: a certificate that cannot be renewed is an event.
#[test]
fn a_failed_certificate_is_an_event() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::new());
    let (server, api) = Api::serve(&sandbox, DELIVER);
    let hook = json!({"label": "ops", "url": format!("http://{}/", receiver.address)});
    assert_eq!(api.send("POST", "/v1/webhooks", Some(hook)).0, 201);
    server.stop();
    // An authority that ends each connection.
    let authority = TcpListener::bind("127.0.0.1:0").unwrap();
    let directory = format!("https://{}/directory", authority.local_addr().unwrap());
    thread::spawn(move || authority.incoming().for_each(drop));
    let acme = format!(
        "resolver_root = \"https://id.example.org\"\ntls_acme = true\nhttp_redirect_listen = \"127.0.0.1:0\"\n\
         {DELIVER}[acme]\nnames = [\"id.example.org\"]\nterms_agreed = true\ndirectory = {directory:?}\n\
         retry_delay = \"1s\"\n"
    );
    let (server, _) = Api::serve(&sandbox, &acme);
    let failed = || {
        let mut events = receiver.events().into_iter();
        events.find(|event| event["type"] == "fingerpost.certificate.failed")
    };
    wait_until("the event", || failed().is_some());
    let event = failed().unwrap();
    assert_eq!(event["source"], "https://id.example.org");
    assert!(!event["data"]["detail"].as_str().unwrap().is_empty(), "{event}");
    drop(server);
}

/// 35.3: a scheduled backup that fails is an event; without `webhooks.deliver`, there are no
/// webhooks.
#[test]
fn a_failed_backup_is_an_event() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::new());
    let folder = sandbox.write("no-folder", "");
    let backup = format!("[backup]\nto = {folder:?}\nfull = \"1h\"\n");
    let (server, api) = Api::serve(&sandbox, "");
    let hook = json!({"label": "ops", "url": format!("http://{}/", receiver.address)});
    assert_eq!(api.send("POST", "/v1/webhooks", Some(hook.clone())).0, 409);
    server.stop();
    let (server, api) = Api::serve(&sandbox, DELIVER);
    assert_eq!(api.send("POST", "/v1/webhooks", Some(hook)).0, 201);
    server.stop();
    let (server, _) = Api::serve(&sandbox, &format!("{DELIVER}{backup}"));
    wait_until("the event", || {
        receiver.events().iter().any(|event| event["type"] == "fingerpost.backup.failed")
    });
    drop(server);
}
