//! Metrics of running servers: they count what happened, name nobody, and are those that the
//! reference, the alerts and the dashboard name.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fingerpost_testkit::{Ask, PATIENCE};
use support::nodes::wait_until;
use support::{Sandbox, Server, fingerpost, run, send};

/// A server that shows its metrics at an address of its own.
struct Observed {
    server: Server,
    /// The lines that it printed after its first address.
    lines: Vec<String>,
}

impl Observed {
    fn start(data: &Path, config: &Path) -> Self {
        let mut command = fingerpost();
        command.args(["serve", "--listen", "127.0.0.1:0"]).arg("--data").arg(data);
        command.arg("--config").arg(config);
        let mut server = Server::from_command(command);
        let lines = server.lines_until("metrics at ");
        Self { server, lines }
    }

    /// What one of its lines says.
    fn told(&self, begins: &str) -> &str {
        self.lines.iter().find_map(|line| line.strip_prefix(begins)).expect("it was printed")
    }

    fn scrape(&self) -> String {
        let address = self.told("metrics at http://").strip_suffix("/metrics").expect("the path");
        let answer = send(address, &Ask::get("/metrics"));
        assert_eq!(answer.status, 200);
        assert!(
            answer
                .header("content-type")
                .is_some_and(|form| form.starts_with("text/plain; version=0.0.4"))
        );
        String::from_utf8(answer.body).expect("metrics are text")
    }
}

/// Returns the value of a sample, with the labels as written; 0 if it is absent.
fn value(text: &str, sample: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().expect("a number"))
}

fn requests(text: &str, answer: &str, status: &str, protocol: &str) -> f64 {
    let labels = format!(
        r#"{{listener="public",answer="{answer}",status="{status}",protocol="{protocol}"}}"#
    );
    value(text, &format!("fingerpost_requests_total{labels}"))
}

/// Returns the names in a text that begin as metrics do, without the endings of histograms.
fn names(text: &str) -> BTreeSet<String> {
    let word = |char: char| !(char.is_ascii_alphanumeric() || char == '_');
    let names = text.split(word).filter(|word| word.starts_with("fingerpost_") && word.len() > 11);
    let whole = |name: &str| {
        let name = name.strip_suffix("_bucket").unwrap_or(name);
        name.to_owned()
    };
    names.map(whole).collect()
}

/// Returns the names of the metrics that a server shows.
fn shown(text: &str) -> BTreeSet<String> {
    let families = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    families.map(str::to_owned).collect()
}

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations")
}

/// Headings of `docs/reference/metrics.md`, each with the beginnings of its metrics; the last one
/// has all others.
const SECTIONS: [(&str, &[&str]); 9] = [
    ("Requests", &["request", "unreadable_", "overloads_"]),
    ("Connections", &["connections", "tls_", "certificate_"]),
    ("Store", &["store_", "disk_", "cache_", "last_backup_"]),
    ("Writes", &["commit", "write_", "work_", "organisations", "quota_"]),
    ("Link health: only with `links.check`", &["link_"]),
    ("Insight: only with `insight.enabled`", &["insight_"]),
    ("Purging caches: only with `purge.service`", &["purge_", "purged_"]),
    ("Nodes: only where scans are answered from a copy", &["copy_"]),
    ("Process", &[""]),
];

/// Compares `docs/reference/metrics.md` with what servers show, or writes it if `GENERATE` is set.
fn compare_reference(scrapes: &[&str]) {
    let path = documents().join("../reference/metrics.md");
    let current = fs::read_to_string(&path).unwrap();
    let begins = "\n## Requests\n";
    let (by_hand, _) = current.split_at(current.find(begins).map_or(current.len(), |at| at + 1));
    let expected = format!("{by_hand}{}", reference(scrapes));
    if std::env::var_os("GENERATE").is_some() {
        fs::write(&path, &expected).unwrap();
    } else {
        assert!(
            current == expected,
            "docs/reference/metrics.md is stale: run this test with GENERATE=1"
        );
    }
}

/// Returns the sections of the reference: each metric with its type, its labels with their values,
/// and its help.
fn reference(scrapes: &[&str]) -> String {
    let mut rows = vec![Vec::new(); SECTIONS.len()];
    let mut seen = BTreeSet::new();
    let lines = scrapes.iter().flat_map(|scrape| scrape.lines());
    for line in lines.filter_map(|line| line.strip_prefix("# HELP fingerpost_")) {
        let (name, help) = line.split_once(' ').expect("a help");
        if !seen.insert(name.to_owned()) {
            continue;
        }
        let begins = format!("# TYPE fingerpost_{name} ");
        let kind = scrapes.iter().flat_map(|scrape| scrape.lines());
        let kind = kind.filter_map(|line| line.strip_prefix(&begins)).next().expect("a type");
        let belongs =
            |(_, names): &(_, &[&str])| names.iter().any(|begins| name.starts_with(begins));
        let section = SECTIONS.iter().position(belongs).expect("the last has the others");
        let labels = labels(scrapes, name);
        rows[section].push(format!("| `fingerpost_{name}` | {kind} | {labels} | {help} |"));
    }
    let section = |((title, _), rows): (&(&str, _), &Vec<String>)| {
        let table = "| metric | type | labels | meaning |\n|---|---|---|---|";
        format!("## {title}\n\n{table}\n{}\n", rows.join("\n"))
    };
    SECTIONS.iter().zip(&rows).map(section).collect::<Vec<_>>().join("\n")
}

/// Returns the labels of a metric, each with its values where they are few.
fn labels(scrapes: &[&str], name: &str) -> String {
    let mut labels: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in scrapes.iter().flat_map(|scrape| scrape.lines()) {
        let sample = line.strip_prefix(&format!("fingerpost_{name}"));
        let sample = sample.map(|rest| rest.trim_start_matches("_bucket"));
        let Some((pairs, _)) = sample.and_then(|rest| rest.strip_prefix('{')?.split_once('}'))
        else {
            continue;
        };
        for (label, value) in pairs.split("\",").filter_map(|pair| pair.split_once("=\"")) {
            let value = value.trim_end_matches('"');
            let at = labels.iter().position(|(known, _)| *known == label);
            let at = at.unwrap_or_else(|| {
                labels.push((label, Vec::new()));
                labels.len() - 1
            });
            if !labels[at].1.contains(&value) {
                labels[at].1.push(value);
            }
        }
    }
    // The bounds of histograms are no labels to choose from. Only some statuses and answers occur
    // here, and the version changes.
    labels.retain(|(label, _)| *label != "le");
    let shown = |(label, values): &(&str, Vec<&str>)| match *label {
        "listener" => "`listener`: `public`, `admin`".to_owned(),
        "version" | "status" | "answer" => format!("`{label}`"),
        _ => format!("`{label}`: `{}`", values.join("`, `")),
    };
    labels.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Runs promtool with this on its standard input; `None` if it is not installed.
fn promtool(arguments: &[&str], input: &str) -> Option<String> {
    let mut command = Command::new("promtool");
    command.args(arguments).current_dir(documents().join("monitoring"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("SKIPPED: promtool is not installed (Debian: prometheus)");
        return None;
    };
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("promtool reads");
    let ended = child.wait_with_output().expect("promtool ends");
    let told = [ended.stdout, ended.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(ended.status.success(), "promtool {arguments:?}: {told:?}");
    Some(told.concat())
}

/// A store with everything that metrics tell about, and a server on it.
fn observed() -> (Sandbox, String, Observed) {
    let (sandbox, key) = Sandbox::with_key();
    let data = sandbox.data();
    let backup = sandbox.path("backup");
    run(["backup".as_ref(), "--data".as_ref(), data.as_os_str(), backup.as_os_str()])
        .expect_status(0);
    let config = sandbox.write(
        "fingerpost.toml",
        "[admin]\nlisten = [\"127.0.0.1:0\"]\ntls_self_signed = true\nquota_keys = 4\n\
         [metrics]\nlisten = [\"127.0.0.1:0\"]\n[limits]\nheader_timeout = \"1s\"\n",
    );
    let observed = Observed::start(&data, &config);
    (sandbox, key, observed)
}

#[test]
fn metrics_count_what_happened_and_name_nobody() {
    let (_place, _, observed) = observed();
    let server = &observed.server;
    let before = observed.scrape();
    assert_eq!(requests(&before, "redirect", "307", "http/1.1"), 0.0);
    assert!(before.contains(r#"answer="redirect",status="307",protocol="http/2"} 0"#), "{before}");
    for _ in 0..5 {
        assert_eq!(server.get("/01/09520123456788?secret=question").status, 307);
    }
    assert_eq!(server.get("/01/09506000134352").status, 404);
    assert_eq!(server.get("/01/09506000134353").status, 400);
    assert_eq!(server.get("/health").status, 200);
    assert_eq!(server.send(&Ask::get("/").header("Accept", "text/html")).status, 200);
    let linkset = Ask::get("/01/09520123456788?linkType=linkset");
    let linkset = linkset.header("Accept", "application/linkset+json");
    assert_eq!(server.send(&linkset).status, 200);
    let mut old = TcpStream::connect(server.address()).unwrap();
    old.write_all(b"GET /01/09520123456788 HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    old.read_to_string(&mut answer).unwrap();
    let mut unreadable = TcpStream::connect(server.address()).unwrap();
    unreadable.write_all(b"\x16\x03\x01 nothing\r\n\r\n").unwrap();
    unreadable.read_to_string(&mut answer).unwrap();

    let text = observed.scrape();
    assert_eq!(requests(&text, "redirect", "307", "http/1.1"), 5.0, "{text}");
    assert_eq!(requests(&text, "redirect", "307", "http/1.0"), 1.0, "{text}");
    assert_eq!(requests(&text, "unknown", "404", "http/1.1"), 1.0);
    assert_eq!(requests(&text, "refused", "400", "http/1.1"), 1.0);
    assert_eq!(requests(&text, "page", "200", "http/1.1"), 1.0);
    assert_eq!(requests(&text, "data", "200", "http/1.1"), 1.0);
    assert_eq!(requests(&text, "probe", "200", "http/1.1"), 1.0);
    let of = |name: &str| value(&text, &format!("fingerpost_{name}{{listener=\"public\"}}"));
    assert_eq!(of("unreadable_requests_total"), 1.0);
    assert_eq!(of("request_duration_seconds_count"), 11.0);
    assert!(of("request_duration_seconds_sum") > 0.0 && of("request_duration_seconds_sum") < 10.0);
    assert_eq!(of("connections_accepted_total"), 12.0);
    let read = |text: &str, what: &str| value(text, &format!("fingerpost_cache_{what}_total"));
    assert!(read(&text, "hits") + read(&text, "misses") >= 8.0, "{text}");
    // The first reads miss, and so do those after a commit, of which the start has some.
    let begin = Instant::now();
    while read(&observed.scrape(), "hits") < 1.0 {
        assert!(begin.elapsed() < PATIENCE, "{}", observed.scrape());
        server.get("/01/09520123456788");
    }
    assert_eq!(value(&text, "fingerpost_store_levels"), 1.0);
    assert_eq!(value(&text, "fingerpost_store_readable"), 1.0);
    assert_eq!(value(&text, "fingerpost_last_backup_levels"), 1.0);
    for private in ["09520123456788", "09506000134352", "127.0.0.1", "question", "example.com"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[test]
fn connections_that_a_limit_of_time_ends_are_counted() {
    let (_place, _, observed) = observed();
    let mut slow = TcpStream::connect(observed.server.address()).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let sample = r#"fingerpost_connections_timed_out_total{listener="public",limit="header"}"#;
    wait_until(sample, || value(&observed.scrape(), sample) >= 1.0);
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(value(&observed.scrape(), sample), 1.0, "counted once");
    assert_eq!(value(&observed.scrape(), r#"fingerpost_connections{listener="public"}"#), 0.0);
}

#[test]
fn the_admin_side_shows_metrics_to_keys_that_read_everything() {
    let (sandbox, key) = Sandbox::with_key();
    let (_server, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let address = url.strip_prefix("http://").expect("plain");
    let ask = |key: Option<&str>| {
        let ask = Ask::get("/metrics");
        match key {
            Some(key) => send(address, &ask.header("Authorization", &format!("Bearer {key}"))),
            None => send(address, &ask),
        }
    };
    assert_eq!(ask(None).status, 401);
    let answer = ask(Some(&key));
    assert_eq!(answer.status, 200);
    let text = String::from_utf8(answer.body).unwrap();
    let refused = r#"fingerpost_requests_total{listener="admin",answer="refused",status="401",protocol="http/1.1"}"#;
    assert_eq!(value(&text, refused), 1.0, "{text}");
    assert!(!text.contains(&key));
}

/// Returns the metrics of a server that orders its certificate from an authority that does not
/// answer.
fn ordering() -> String {
    let sandbox = Sandbox::new();
    let config = sandbox.write(
        "fingerpost.toml",
        "tls_acme = true\n[admin]\nenabled = false\n[metrics]\nlisten = [\"127.0.0.1:0\"]\n[acme]\nnames = \"id.example.org\"\n\
         terms_agreed = true\nchallenge = \"tls-alpn-01\"\ndirectory = \"https://127.0.0.1:1/directory\"\n",
    );
    let server = Observed::start(&sandbox.data(), &config);
    let begin = Instant::now();
    loop {
        let text = server.scrape();
        if value(&text, "fingerpost_certificate_failed_orders") == 1.0 {
            return text;
        }
        assert!(begin.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the metrics of a server that checks a link to another one, and counts scans.
fn checking() -> String {
    let sandbox = Sandbox::new();
    let authority = sandbox.certify();
    let target = Sandbox::new();
    let mut command = fingerpost();
    command.args(["serve", "--listen", "127.0.0.1:0", "--no-admin", "--data"]).arg(target.data());
    command.arg("--tls-cert").arg(sandbox.path("leaf.pem"));
    command.arg("--tls-key").arg(sandbox.path("leaf.key"));
    let target = Server::from_command(command);
    let health = format!("https://{}/health", target.address());
    sandbox.import(&support::record("/01/09520123456788", &health)).expect_status(0);
    let config = format!(
        "[admin]\nlisten = [\"127.0.0.1:0\"]\n[metrics]\nlisten = [\"127.0.0.1:0\"]\n\
         [links]\ncheck = true\nallow_networks = \"127.0.0.1\"\nca_file = {authority:?}\n\
         [webhooks]\ndeliver = true\n[insight]\nenabled = true\n[cache]\nsurrogate_keys = \"xkey\"\n\
         [purge]\nservice = \"varnish\"\nurls = \"http://127.0.0.1:1\"\n"
    );
    let config = sandbox.write("fingerpost.toml", &config);
    let server = Observed::start(&sandbox.data(), &config);
    let begin = Instant::now();
    loop {
        let text = server.scrape();
        if text.contains("fingerpost_link_certificate_expiry_timestamp_seconds") {
            assert_eq!(value(&text, "fingerpost_link_targets{state=\"ok\"}"), 1.0);
            return text;
        }
        assert!(begin.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The status is made of the metrics, and only keys that read everything get it.
#[test]
fn the_status_shows_what_the_metrics_show() {
    let (sandbox, key) = Sandbox::with_key();
    let config = sandbox.write("status.toml", "[metrics]\nsample_every = \"1s\"\n");
    let config = config.to_str().expect("a path of text");
    let (server, url) = Server::start_with_admin(&sandbox.data(), &["--config", config]);
    let address = url.strip_prefix("http://").expect("plain");
    let read = |span: &str| -> serde_json::Value {
        let ask = Ask::get(&format!("/v1/status?span={span}"));
        let answer = send(address, &ask.header("Authorization", &format!("Bearer {key}")));
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).expect("JSON")
    };
    assert_eq!(send(address, &Ask::get("/v1/status")).status, 401);
    let begin = Instant::now();
    let samples = |status: &serde_json::Value, name: &str| -> Vec<f64> {
        let series = status["series"].as_array().expect("series");
        let found = series.iter().find(|one| one["name"] == name).expect("a figure");
        found["values"].as_array().expect("values").iter().filter_map(|one| one.as_f64()).collect()
    };
    // A scan every now and then is seen in several samples.
    let status = loop {
        assert_eq!(server.get("/01/09520123456788").status, 307);
        let status = read("hour");
        let answered = samples(&status, "requests.answered");
        if answered.iter().filter(|rate| **rate > 0.0).count() >= 3 {
            break status;
        }
        assert!(begin.elapsed() < PATIENCE, "{status}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(samples(&status, "latency.high").iter().all(|seconds| *seconds > 0.0), "{status}");
    assert_eq!(samples(&status, "store.levels").last(), Some(&1.0));
    assert!(samples(&status, "copy.lag").is_empty(), "this is no node");
    assert!(read("month")["at"].as_array().is_some_and(|at| at.len() == 1));
    let text = status.to_string();
    assert!(!text.contains("09520123456788") && !text.contains(&key), "{text}");
}

#[test]
fn the_reference_the_alerts_and_the_dashboard_name_metrics_that_exist() {
    let (sandbox, key, observed) = observed();
    for _ in 0..3 {
        observed.server.get("/01/09520123456788");
    }
    let mut command = fingerpost();
    command.args(["backup", "run", "--to"]).arg(sandbox.path("repository"));
    support::finish(
        {
            command.arg("--data").arg(sandbox.data());
            command
        },
        b"",
    )
    .expect_status(0);
    let failed = r#"{"at":"2026-01-05T10:00:00Z","error":"the disk is full"}"#;
    fs::write(sandbox.data().join("failed-backup.json"), failed).unwrap();
    let source = observed.scrape();
    // A node without an admin side, which follows another fingerpost.
    let (_plain, url) = Server::start_with_admin(&sandbox.data(), &[]);
    let node = Sandbox::new();
    let key_file = node.write("key", &key);
    let config = node.write(
        "fingerpost.toml",
        &format!(
            "[store]\nurl = \"{url}\"\nkey_file = {key_file:?}\n[metrics]\nlisten = [\"127.0.0.1:0\"]\n"
        ),
    );
    let node_server = Observed::start(&node.data(), &config);
    let begin = Instant::now();
    let copied = loop {
        let text = node_server.scrape();
        // The number of levels is counted from time to time.
        if value(&text, "fingerpost_copy_complete") == 1.0
            && text.contains("copy_lag_revisions")
            && value(&text, "fingerpost_store_levels") == 1.0
        {
            break text;
        }
        assert!(begin.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let (ordered, checked) = (ordering(), checking());
    let scrapes = [&*source, &*copied, &*ordered, &*checked];
    for text in scrapes {
        promtool(&["check", "metrics"], text);
    }
    let all: BTreeSet<_> = scrapes.into_iter().flat_map(shown).collect();
    compare_reference(&scrapes);
    for file in ["alerts.yml", "alerts-test.yml", "dashboard.json"] {
        let text = fs::read_to_string(documents().join("monitoring").join(file)).unwrap();
        let named = names(&text);
        let unknown: Vec<_> = named.difference(&all).collect();
        assert!(named.len() >= 6 && unknown.is_empty(), "{file}: {unknown:?} of {named:?}");
    }
    let dashboard = fs::read(documents().join("monitoring/dashboard.json")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_slice(&dashboard).unwrap();
    assert!(dashboard["panels"].as_array().is_some_and(|panels| panels.len() > 15));
}

#[test]
fn the_alerts_fire_when_they_should() {
    promtool(&["check", "rules", "alerts.yml"], "");
    promtool(&["test", "rules", "alerts-test.yml"], "");
    promtool(&["check", "config", "prometheus.yml"], "");
}
