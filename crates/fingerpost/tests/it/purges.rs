//! Issue 37.2: changes purge caches in front. The caches are servers of these tests;
//! `.ci/varnish` does the same with Varnish itself.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU16, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use support::api::Api;
use support::nodes::{self, wait_until};
use support::{Sandbox, Server, fingerpost, record};

const ANCHOR: &str = "/01/09520123456788";
const TOKEN: &str = "s3cret-purge-token";

/// A request that a cache received.
#[derive(Clone, Debug)]
struct Received {
    line: String,
    fields: BTreeMap<String, String>,
    body: String,
}

/// A cache that answers every purge with the same status.
struct Cache {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
    status: Arc<AtomicU16>,
}

impl Cache {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (received, status) = (Arc::<Mutex<Vec<_>>>::default(), Arc::new(AtomicU16::new(200)));
        let (noted, answered) = (Arc::clone(&received), Arc::clone(&status));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                // The whole request is read before the answer.
                let mut reader = BufReader::new(&stream);
                let mut line = String::new();
                if reader.read_line(&mut line).is_err() {
                    continue;
                }
                let (mut fields, mut field) = (BTreeMap::new(), String::new());
                while reader.read_line(&mut field).is_ok_and(|read| read > 2) {
                    if let Some((name, value)) = field.trim().split_once(": ") {
                        fields.insert(name.to_ascii_lowercase(), value.to_owned());
                    }
                    field.clear();
                }
                let length = fields.get("content-length").map_or(0, |text| text.parse().unwrap());
                let mut body = vec![0; length];
                if reader.read_exact(&mut body).is_err() {
                    continue;
                }
                let body = String::from_utf8(body).unwrap();
                let line = line.trim().to_owned();
                noted.lock().unwrap().push(Received { line, fields, body });
                let (status, text) = (answered.load(SeqCst), "{\"success\": true}");
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}", text.len());
                let answer = format!("{head}\r\nConnection: close\r\n\r\n{text}");
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { url, received, status }
    }

    fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The keys in all requests, of which `of` returns those of one.
    fn keys(&self, of: impl Fn(&Received) -> Vec<String>) -> Vec<String> {
        self.received().iter().flat_map(of).collect()
    }
}

fn in_header(received: &Received) -> Vec<String> {
    let keys = received.fields.get("xkey-purge").cloned().unwrap_or_default();
    keys.split(' ').map(str::to_owned).collect()
}

fn in_json(member: &'static str) -> impl Fn(&Received) -> Vec<String> {
    move |received| {
        let body: Value = serde_json::from_str(&received.body).unwrap();
        let keys = body[member].as_array().unwrap().iter();
        keys.map(|key| key.as_str().unwrap().to_owned()).collect()
    }
}

fn put(api: &Api, anchor: &str, target: &str) {
    let document: Value = serde_json::from_str(&record(anchor, target)).unwrap();
    let (status, answer) = api.send("PUT", &format!("/v1/levels{anchor}"), Some(document));
    assert!(matches!(status, 200 | 201), "{status} {answer}");
}

fn varnish(cache: &Cache) -> String {
    format!(
        "[cache]\nsurrogate_keys = [\"xkey\"]\nshared_max_age = \"1h\"\n\
         [purge]\nservice = \"varnish\"\nurls = [{:?}]\nrepeat_after = \"1s\"\n",
        cache.url
    )
}

/// 37.2: a change of a record, a suspension and a switch of an organisation purge what they affect,
/// and each purge is repeated.
#[test]
fn every_kind_of_change_purges_what_it_affects() {
    let (sandbox, cache) = (Sandbox::new(), Cache::new());
    let (server, api) = Api::serve(&sandbox, &varnish(&cache));
    let id = api.organisation("9520123");
    let count = |key: &str| cache.keys(in_header).iter().filter(|own| *own == key).count();
    // The service purges what changes after it has begun.
    let mut number = 0;
    wait_until("the first purge", || {
        number += 1;
        put(&api, ANCHOR, &format!("https://example.com/{number}"));
        count("01/09520123456788") > 0
    });
    let lot = format!("{ANCHOR}/10/A");
    put(&api, &lot, "https://example.com/lot");
    wait_until("a lot, twice", || count("01/09520123456788/10/A") >= 2);
    let suspension = json!({"mode": "notice", "notice": "Closed."});
    let path = format!("/v1/organisations/{id}/suspension");
    assert_eq!(api.send("PUT", &path, Some(suspension)).0, 200);
    wait_until("a suspension", || count("gcp/9520123") >= 2);
    let before = count("gcp/9520123");
    assert_eq!(api.send("DELETE", &path, None).0, 200);
    wait_until("its end", || count("gcp/9520123") >= before + 2);
    let before = count("gcp/9520123");
    let change = json!({"contextFromCountry": true});
    assert_eq!(api.send("PATCH", &format!("/v1/organisations/{id}"), Some(change)).0, 200);
    wait_until("a switch", || count("gcp/9520123") >= before + 2);
    let first = &cache.received()[0];
    assert_eq!(first.line, "PURGE / HTTP/1.1");
    server.stop();
}

/// 37.2: in the ways of Fastly and Cloudflare, tried again until they confirm. 37.4: the token is
/// sent, and is in no line of the log.
#[test]
fn apis_are_asked_until_they_confirm_and_the_token_is_not_logged() {
    for (service, header, line, member, field) in [
        (
            "fastly",
            "Surrogate-Key",
            "POST /service/abc/purge HTTP/1.1",
            "surrogate_keys",
            "fastly-key",
        ),
        (
            "cloudflare",
            "Cache-Tag",
            "POST /client/v4/zones/abc/purge_cache HTTP/1.1",
            "tags",
            "authorization",
        ),
    ] {
        let (sandbox, cache) = (Sandbox::new(), Cache::new());
        let token = sandbox.write("token", &format!("{TOKEN}\n"));
        let toml = format!(
            "[log]\nlevel = \"debug\"\n[cache]\nsurrogate_keys = [{header:?}]\n\
             [purge]\nservice = {service:?}\nid = \"abc\"\ntoken_file = {token:?}\nurls = [{:?}]\n",
            cache.url
        );
        let config = sandbox.write("fingerpost.toml", &toml);
        let key = Api::key(&sandbox);
        let log = sandbox.path("log");
        let (server, url) = start(&sandbox, &config, &log);
        let api = Api::new(&url, &key);
        cache.status.store(503, SeqCst);
        let mut number = 0;
        wait_until("a purge", || {
            number += 1;
            put(&api, ANCHOR, &format!("https://example.com/{number}"));
            !cache.received().is_empty()
        });
        let refused = cache.received().len();
        cache.status.store(200, SeqCst);
        wait_until("another attempt", || cache.received().len() > refused);
        let last = cache.received().pop().unwrap();
        assert_eq!(last.line, line);
        assert!(last.fields[field].ends_with(TOKEN), "{last:?}");
        assert!(cache.keys(in_json(member)).contains(&"01/09520123456788".to_owned()));
        server.stop();
        let lines = fs::read_to_string(&log).unwrap();
        assert!(lines.contains("a cache was not purged") && lines.contains("503"), "{lines}");
        assert!(!lines.contains(TOKEN), "{lines}");
    }
}

fn start(sandbox: &Sandbox, config: &Path, log: &Path) -> (Server, String) {
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--config"]);
    command.arg(config).arg("--data").arg(sandbox.data());
    let mut server = Server::logging(command, Stdio::from(fs::File::create(log).unwrap()));
    let lines = server.lines_until("admin listening on ");
    let url = lines.last().and_then(|line| line.strip_prefix("admin listening on "));
    (server, url.expect("the line was waited for").to_owned())
}

/// 37.2: of two nodes on a database one purges, and the other takes over when it stops.
#[test]
fn one_node_of_a_cluster_purges() {
    let Some(cluster) = nodes::cluster() else { return };
    let (sandbox, cache) = (Sandbox::new(), Cache::new());
    let database = nodes::Database::new(&sandbox, &cluster.url());
    let key = database.key();
    let start = |name: &str| {
        let config = database.config(name, &varnish(&cache));
        let config = config.to_str().expect("a path of text");
        Server::start_with_admin(&sandbox.path(name), &["--config", config])
    };
    let ((first, url), (second, other)) = (start("one"), start("two"));
    let purged_by = |url: &str| {
        let api = Api::new(url, &key);
        let (before, mut number) = (cache.received().len(), 0);
        wait_until("a purge", || {
            number += 1;
            put(&api, ANCHOR, &format!("https://example.com/{before}-{number}"));
            cache.received().len() > before
        });
    };
    purged_by(&url);
    purged_by(&other);
    first.stop();
    purged_by(&other);
    second.stop();
}

/// 37.2: what cannot purge is refused at the start.
#[test]
fn wrong_options_are_refused() {
    let keys = "[cache]\nsurrogate_keys = [\"xkey\"]\n";
    for (toml, expected) in [
        ("[purge]\nservice = \"varnish\"\n".to_owned(), "cache.surrogate_keys"),
        (format!("{keys}[purge]\nservice = \"varnish\"\n"), "purge.urls"),
        (format!("{keys}[purge]\nservice = \"fastly\"\n"), "purge.id"),
        (format!("{keys}[purge]\nservice = \"fastly\"\nid = \"a/b\"\n"), "purge.id"),
        (format!("{keys}[purge]\nservice = \"cloudflare\"\nid = \"a\"\n"), "purge.token_file"),
    ] {
        let error = fingerpost_server::config::Config::from_toml(&toml).unwrap_err().to_string();
        assert!(error.contains(expected), "{toml}: {error}");
    }
}
