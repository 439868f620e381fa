//! Counts of scans: by a real server, over kills and restarts, by the command, and for two
//! organisations.

use crate::support;

use std::collections::BTreeSet;
use std::fs;

use fingerpost_store::{Store, StoreOptions};
use serde_json::Value;
use support::api::Api;
use support::nodes::{Database, Node, cluster, wait_until};
use support::{Run, Sandbox, Server, fingerpost, finish, gtin, record};

const OPTIONS: &str = "[insight]\nenabled = true\nwrite_every = \"1s\"\nthreshold = 1\n";
const PHONE: &str = "Mozilla/5.0 (iPhone) Safari/604.1";

fn scan(server: &Server, path: &str, agent: &str) -> u16 {
    let ask = fingerpost_testkit::Ask::get(path).header("User-Agent", agent);
    server.send(&ask).status
}

fn command(sandbox: &Sandbox, further: &[&str]) -> Run {
    let mut command = fingerpost();
    command.args(["insight", "--data"]).arg(sandbox.data());
    command.arg("--config").arg(sandbox.path("fingerpost.toml")).args(further);
    finish(command, b"")
}

/// The number of scans of a key, as the command prints it.
fn counted(sandbox: &Sandbox, further: &[&str]) -> u64 {
    let further = [&["--format", "json"], further].concat();
    let report: Value =
        serde_json::from_str(&command(sandbox, &further).expect_status(0).stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    rows.iter().map(|row| row["count"].as_u64().unwrap()).sum()
}

/// 35.2: counted in memory, written in batches; a kill loses at most what the last period had, a
/// stop nothing. 35.5: made-up keys have no counters.
#[test]
fn scans_are_counted_over_kills_and_restarts() {
    let sandbox = Sandbox::new();
    let config = sandbox.write("fingerpost.toml", OPTIONS);
    let key = format!("/01/{}", gtin(1));
    sandbox.import(&record(&key, "https://example.com/tea")).expect_status(0);
    let server = Server::start(&sandbox.data(), Some(&config));
    for number in 0..20 {
        assert_eq!(scan(&server, &key, PHONE), 307);
        assert_eq!(scan(&server, &format!("/01/{}", gtin(100 + number)), PHONE), 404);
        assert_eq!(scan(&server, &format!("{key}/21/{number}"), PHONE), 307);
    }
    assert_eq!(scan(&server, &key, "Googlebot/2.1"), 307);
    wait_until("the counts are written", || {
        sandbox.data().join("insight").is_dir() && counted(&sandbox, &[]) == 40
    });
    assert_eq!(counted(&sandbox, &["--bots"]), 1);
    let rows = command(&sandbox, &["--dimensions", "key"]).expect_status(0).stdout;
    assert_eq!(rows, format!("{:<18}  count\n{key}     40\n", "key"));
    server.kill();
    assert_eq!(counted(&sandbox, &[]), 40, "what was written survives a kill");
    let server = Server::start(&sandbox.data(), Some(&config));
    assert_eq!(scan(&server, &key, PHONE), 307);
    server.stop();
    assert_eq!(counted(&sandbox, &[]), 41, "a stop loses nothing");
    let csv =
        command(&sandbox, &["--by", "month", "--dimensions", "linkType,kind", "--format", "csv"]);
    let csv = csv.expect_status(0).stdout;
    assert!(csv.contains("period,key,linkType,kind,language,country,count"), "{csv}");
    assert!(csv.contains(",redirect,,,41"), "{csv}");
    let mut parquet = fingerpost();
    parquet.args(["insight", "--format", "parquet", "--dimensions", "key", "--data"]);
    parquet.arg(sandbox.data()).arg("--config").arg(sandbox.path("fingerpost.toml"));
    let parquet = parquet.output().unwrap();
    if cfg!(feature = "parquet") {
        let file = parquet.stdout;
        assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"), "{file:?}");
        assert!(file.windows(key.len()).any(|part| part == key.as_bytes()), "{file:?}");
    }
    command(&sandbox, &["--dimensions", "address"]).expect_status(2);
    let hidden = sandbox.write("fingerpost.toml", "[insight]\nthreshold = 42\n");
    assert!(hidden.is_file());
    let text = command(&sandbox, &[]).expect_status(0).stdout;
    assert!(text.contains("hidden: 1 row with a count below 42"), "{text}");
}

/// 35: switched off, it costs nothing: no file, no thread, no counter.
#[test]
fn without_the_option_nothing_is_counted() {
    let sandbox = Sandbox::new();
    let config = sandbox.write("fingerpost.toml", "");
    let key = format!("/01/{}", gtin(1));
    sandbox.import(&record(&key, "https://example.com/tea")).expect_status(0);
    let server = Server::start(&sandbox.data(), Some(&config));
    assert_eq!(scan(&server, &key, PHONE), 307);
    server.stop();
    assert!(!sandbox.data().join("insight").exists());
    let failed = command(&sandbox, &[]).expect_status(2);
    assert!(failed.stderr.contains("no scans were counted in this data directory"), "{failed:?}");
}

/// 35.2: per organisation, by its company prefixes: a tenant sees its own counts only. Counts are
/// neither in the change feed nor in exports, and a commit of counts changes no revision.
#[test]
fn the_api_shows_an_organisation_its_own_counts() {
    let sandbox = Sandbox::new();
    let (server, api) = Api::serve(&sandbox, OPTIONS);
    let (own, foreign) = ("/01/09506000134352", "/01/09520123456788");
    for key in [own, foreign] {
        let path = format!("/v1/levels{key}");
        let body = serde_json::from_str(&record(key, "https://example.com/")).unwrap();
        assert_eq!(api.send("PUT", &path, Some(body)).0, 201);
    }
    let organisation = api.organisation("9506000");
    let body =
        serde_json::json!({ "label": "tenant", "verbs": ["read"], "organisation": organisation });
    let (status, made) = api.send("POST", "/v1/keys", Some(body));
    assert_eq!(status, 201, "{made}");
    let tenant = Api::new(&api.url, made["token"].as_str().unwrap());
    let before = api.send("GET", "/v1/changes", None).1;
    let export = sandbox.export();
    for _ in 0..6 {
        assert_eq!(scan(&server, own, PHONE), 307);
        assert_eq!(scan(&server, foreign, PHONE), 307);
    }
    let keys = |api: &Api, query: &str| {
        let (status, page) = api.send("GET", &format!("/v1/insight?dimensions=key{query}"), None);
        assert_eq!((status, &page["enabled"]), (200, &true.into()), "{page}");
        let rows = page["rows"].as_array().unwrap().iter();
        rows.map(|row| format!("/{} {}", row["key"].as_str().unwrap(), row["count"]))
            .collect::<Vec<_>>()
    };
    wait_until("the counts are written", || {
        keys(&api, "").iter().filter(|row| row.ends_with(" 6")).count() == 2
    });
    assert_eq!(keys(&tenant, ""), [format!("{own} 6")]);
    assert_eq!(keys(&tenant, "&companyPrefix=9520123"), [""; 0]);
    assert_eq!(keys(&tenant, &format!("&under={foreign}")), [""; 0]);
    assert_eq!(keys(&api, "&companyPrefix=9520123"), [format!("{foreign} 6")]);
    assert_eq!(keys(&api, "&to=2020-01-01T00:00:00Z"), [""; 0]);
    assert_eq!(api.send("GET", "/v1/insight?dimensions=address", None).0, 400);
    for (format, begin) in [("csv", "period,key,linkType"), ("parquet", "PAR1")] {
        let file = api.file(&format!("/v1/insight?dimensions=key&format={format}"));
        let contains = |key: &str| file.windows(key.len()).any(|part| part == key.as_bytes());
        assert!(contains(begin) && contains(own) && contains(foreign), "{format}: {file:?}");
    }
    assert_eq!(api.send("GET", "/v1/changes", None).1, before);
    assert_eq!(sandbox.export(), export);
    server.stop();
    // Nothing about a visitor is in the files.
    for file in fs::read_dir(sandbox.data().join("insight")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"iPhone"));
        assert!(!bytes.windows(9).any(|part| part == b"127.0.0.1"));
    }
}

/// 35.2: nodes on one PostgreSQL database add up their counts, also while both write, and each of
/// them shows the sum.
#[test]
fn nodes_on_postgresql_show_the_sum_of_their_counts() {
    let Some(cluster) = cluster() else { return };
    let sandbox = Sandbox::new();
    let database = Database::new(&sandbox, &cluster.url());
    let path = format!("/01/{}", gtin(1));
    database.import([path.clone()], "https://example.com/tea");
    let key = database.key();
    let nodes = ["one", "two"]
        .map(|name| Node::start_by(&database, name, &key, OPTIONS, |command| command));
    let counted = |node: &Node<'_>| -> u64 {
        let query = format!("/v1/insight?dimensions=key&under={path}");
        let (status, page) = Api::new(&node.admin, &key).send("GET", &query, None);
        assert_eq!(status, 200, "{page}");
        let rows = page["rows"].as_array().unwrap().iter();
        rows.map(|row| row["count"].as_u64().unwrap()).sum()
    };
    for node in &nodes {
        // Scans by a program are counted apart. Until the copy is there, the answer is 503.
        wait_until("the copy has the product", || {
            scan(&node.server, &path, "Googlebot/2.1") == 307
        });
        assert_eq!(counted(node), 0);
    }
    for round in 1..=3 {
        for (node, scans) in nodes.iter().zip([3, 4]) {
            for _ in 0..scans {
                wait_until("a scan is answered", || scan(&node.server, &path, PHONE) == 307);
            }
        }
        for node in &nodes {
            wait_until("the sum is shown", || counted(node) >= round * 7);
            assert_eq!(counted(node), round * 7);
        }
    }
    // What only one has counted, too, and without a write of the other.
    let [one, two] = nodes;
    wait_until("a scan is answered", || scan(&one.server, &path, PHONE) == 307);
    one.server.stop();
    assert_eq!(counted(&two), 22, "a stop writes what was counted");
}

/// 35.2: the privacy statement says what is kept: everything that a real server stored about scans
/// has its words in it, in seven languages, with the numbers of the configuration.
#[test]
fn the_privacy_statement_says_what_a_real_server_stores() {
    let sandbox = Sandbox::new();
    let options = format!("{OPTIONS}hourly_days = 12\ndaily_days = 345\nmonthly_months = 67\n");
    let config = sandbox.write("fingerpost.toml", &options);
    let statement = |language: &str| {
        let mut command = fingerpost();
        command.args(["privacy-statement", "--language", language, "--config"]).arg(&config);
        finish(command, b"")
    };
    let english = statement("en").expect_status(0).stdout;
    let key = format!("/01/{}", gtin(1));
    let mut links: Value = serde_json::from_str(&record(&key, "https://example.com/tea")).unwrap();
    links["links"][0]["hreflang"] = serde_json::json!(["en"]);
    sandbox.import(&links.to_string()).expect_status(0);
    let server = Server::start(&sandbox.data(), Some(&config));
    for agent in [PHONE, "Googlebot/2.1"] {
        assert_eq!(scan(&server, &format!("{key}?linkType=gs1:pip"), agent), 307);
        assert_eq!(scan(&server, &format!("{key}?linkType=all"), agent), 200);
    }
    server.stop();
    let dir = sandbox.data().join("insight");
    let store = Store::open_existing(&dir, StoreOptions::default()).unwrap();
    let stored = store.view(|view| view.documents("insightHours", None, 10)).unwrap();
    assert_eq!(stored.len(), 1, "one product, one day");
    assert!(stored[0].0.starts_with(&format!("{} ", &key[1..])), "{stored:?}");
    let cells: Value = serde_json::from_slice(&stored[0].1).unwrap();
    let words = [
        ("at", "hour"),
        ("kind", "kind of answer"),
        ("linkType", "chosen type of link"),
        ("language", "language of the link"),
        ("bot", "programs apart from people"),
        ("count", "A count is a number"),
    ];
    let cells = cells.as_array().unwrap();
    let names = cells.iter().flat_map(|cell| cell.as_object().unwrap().keys());
    let names: BTreeSet<&str> = names.map(String::as_str).collect();
    assert_eq!(names, words.iter().map(|(name, _)| *name).collect());
    for (_, words) in words {
        assert!(english.contains(words), "{words:?} in {english}");
    }
    // Nothing else is in the store: no record, no revision, no audit record.
    assert!(store.is_empty().unwrap());
    assert_eq!(store.revision().unwrap().number(), 0);
    for language in ["ar", "de", "en", "es", "fr", "ja", "pt"] {
        let text = statement(language).expect_status(0).stdout;
        for number in ["12", "345", "67"] {
            assert!(text.contains(number), "{language}: {number}");
        }
    }
    let unknown = statement("xx").expect_status(2);
    assert!(unknown.stderr.contains("give --language with one of"), "{unknown:?}");
    sandbox.write("fingerpost.toml", "");
    assert!(statement("en").stdout.contains("does not count scans"));
}
