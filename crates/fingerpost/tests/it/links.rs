//! Checks of links by the server and by the command, against a server of our own.

use crate::support;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use support::api::Api;
use support::nodes::{Database, Node, cluster, wait_until};
use support::{Run, Sandbox, Server, fingerpost, finish, gtin, record};

/// A site that answers 200 to paths with `good`, and 404 to others.
struct Site {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Site {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&requests);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = [0; 2048];
                let length = stream.read(&mut head).unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..length]).into_owned();
                let line = head.split(" HTTP").next().unwrap_or_default().to_owned();
                let status = if line.contains("good") { "200 OK" } else { "404 Not Found" };
                noted.lock().unwrap().push(line);
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                );
            }
        });
        Self { address, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// The requests for this path.
    fn asked(&self, path: &str) -> usize {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|line| line.ends_with(&format!("/{path}"))).count()
    }
}

const OPTIONS: &str =
    "[links]\nallow_networks = \"127.0.0.1\"\nhost_pause = \"0s\"\ninterval = \"1s\"\n";

fn check(sandbox: &Sandbox, further: &[&str]) -> Run {
    let mut command = fingerpost();
    command.args(["links", "check", "--data"]).arg(sandbox.data());
    command.arg("--config").arg(sandbox.path("fingerpost.toml")).args(further);
    finish(command, b"")
}

#[test]
fn the_command_checks_some_or_all_targets_and_says_which_fail() {
    let (site, sandbox) = (Site::new(), Sandbox::new());
    sandbox.write("fingerpost.toml", OPTIONS);
    let keys = [1, 2, 3].map(|number| format!("/01/{}", gtin(number)));
    for (key, path) in keys.iter().zip(["good", "gone", "good"]) {
        sandbox.import(&record(key, &site.url(path))).expect_status(0);
    }
    sandbox.import(&record(&format!("{}/10/A", keys[0]), &site.url("good/lot"))).expect_status(0);
    let one = check(&sandbox, &["--key", &keys[0]]).expect_status(0);
    assert_eq!(one.stdout, "checked: 2 targets: 2 work, 0 fail, 0 undecided\n");
    let all = check(&sandbox, &["--all"]).expect_status(1);
    let gone = site.url("gone");
    assert!(all.stdout.contains(&format!("fails: {gone}: the status is 404 Not Found (status)\n")));
    assert!(all.stdout.contains("checked: 3 targets: 2 work, 1 fail, 0 undecided\n"), "{all:?}");
    let prefix = &gtin(1)[1..8];
    let json = check(&sandbox, &["--prefix", prefix, "--json"]).expect_status(1);
    let lines = json.events();
    assert_eq!(lines.last().unwrap()["checked"], 3, "{json:?}");
    assert!(lines.iter().any(|line| line["target"] == gone && line["verdict"] == "fails"));
    check(&sandbox, &["--prefix", "4012345"]).expect_status(0);
    for wrong in [&["--all", "--key", "x"][..], &[], &["--prefix", "x"], &["--key", "nonsense"]] {
        check(&sandbox, wrong).expect_status(2);
    }
    // Without the network in the configuration, nothing is requested.
    sandbox.write("fingerpost.toml", "");
    let before = site.requests.lock().unwrap().len();
    let refused = check(&sandbox, &["--all"]).expect_status(0);
    assert!(refused.stdout.contains("undecided: "), "{refused:?}");
    assert_eq!(site.requests.lock().unwrap().len(), before);
}

#[test]
fn the_server_checks_in_the_background_and_a_kill_loses_nothing() {
    let (site, sandbox) = (Site::new(), Sandbox::new());
    let key = format!("/01/{}", gtin(1));
    sandbox.import(&record(&key, &site.url("gone"))).expect_status(0);
    sandbox.import(&record(&format!("/01/{}", gtin(2)), &site.url("good"))).expect_status(0);
    let secret = sandbox.key(&["--verb", "read,write,admin"]);
    let config = sandbox.write("fingerpost.toml", &format!("{OPTIONS}check = true\n"));
    let config = config.to_str().unwrap();
    let broken = |url: &str| {
        let (status, page) = Api::new(url, &secret).send("GET", "/v1/links?broken=true", None);
        assert_eq!(status, 200, "{page}");
        page["levels"].as_array().unwrap().clone()
    };
    let (server, url) = Server::start_with_admin(&sandbox.data(), &["--config", config]);
    wait_until("a link is broken", || !broken(&url).is_empty());
    let level = broken(&url).remove(0);
    assert_eq!(format!("/{}", level["key"].as_str().unwrap()), key);
    let since = level["brokenSince"].clone();
    server.kill();
    // The state is there at once, and checks go on.
    let (server, url) = Server::start_with_admin(&sandbox.data(), &["--config", config]);
    assert_eq!(broken(&url).remove(0)["brokenSince"], since);
    let asked = site.asked("good");
    wait_until("the checks go on", || site.asked("good") > asked);
    // The target works again, because the record has another one.
    sandbox.import(&record(&key, &site.url("good"))).expect_status(0);
    wait_until("no link is broken", || broken(&url).is_empty());
    server.stop();
}

#[test]
fn without_the_option_there_is_no_thread_and_no_request() {
    let (site, sandbox) = (Site::new(), Sandbox::new());
    sandbox.import(&record("/01/09520123456788", &site.url("good"))).expect_status(0);
    let names = |further: &[&str], last: &str| {
        let mut command = fingerpost();
        command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]);
        command.arg("--data").arg(sandbox.data()).args(further);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let names = || -> String {
            let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).into_iter().flatten();
            let comm = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).ok();
            tasks.flatten().filter_map(comm).collect()
        };
        wait_until(last, || names().contains(last));
        thread::sleep(Duration::from_millis(500)); // the others start as well
        let names = names();
        let _ = child.kill();
        let _ = child.wait();
        names
    };
    assert!(!names(&[], "samples\n").contains("links\n"));
    assert_eq!(site.requests.lock().unwrap().len(), 0);
    let config = sandbox.write("fingerpost.toml", &format!("{OPTIONS}check = true\n"));
    names(&["--config", config.to_str().unwrap()], "links\n");
}

/// 35.1: nodes on one PostgreSQL database check its links, and all of them list the same.
#[test]
fn nodes_on_postgresql_check_the_links_of_their_database() {
    let Some(cluster) = cluster() else { return };
    let (site, sandbox) = (Site::new(), Sandbox::new());
    let database = Database::new(&sandbox, &cluster.url());
    let keys = [1, 2].map(|number| format!("/01/{}", gtin(number)));
    database.import([keys[0].clone()], &site.url("gone"));
    database.import([keys[1].clone()], &site.url("good"));
    let key = database.key();
    let options = format!("{OPTIONS}check = true\n");
    let nodes = ["one", "two"]
        .map(|name| Node::start_by(&database, name, &key, &options, |command| command));
    for node in &nodes {
        let api = Api::new(&node.admin, &key);
        for path in ["/v1/links?broken=true", "/v1/levels?broken=true"] {
            let mut levels = Vec::new();
            wait_until("a link is broken", || {
                let (status, page) = api.send("GET", path, None);
                assert_eq!(status, 200, "{page}");
                levels = page["levels"].as_array().expect("a list").clone();
                !levels.is_empty()
            });
            let found: Vec<_> = levels.iter().map(|level| &level["key"]).collect();
            assert_eq!(found, [&keys[0][1..]], "{path}");
        }
    }
    // The target works again, because the record has another one.
    nodes[1].put(&keys[0], &site.url("good")).expect_status(0);
    let api = Api::new(&nodes[0].admin, &key);
    let broken = || api.send("GET", "/v1/levels?broken=true", None).1["levels"].clone();
    wait_until("no link is broken", || broken() == serde_json::json!([]));
}
