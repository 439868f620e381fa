//! Issue 37.1: countries on the server itself, from a database that these tests write, and the
//! switch of an organisation.

use crate::support;

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::Stdio;

use fingerpost_testkit::Ask;
use serde_json::json;
use support::api::Api;
use support::nodes::wait_until;
use support::{Sandbox, Server, fingerpost, run};

const KEY: &str = "/01/09506000134352";
/// A documentation address (RFC 5737), which clients of a trusted proxy have here.
const CLIENT: &str = "203.0.113.77";
const TRUSTED: &str = "trusted_proxies = [\"127.0.0.1\"]\n";

fn record(context_from: &str) -> String {
    json!({"anchor": KEY, "contextFrom": context_from, "links": [
        {"linkType": "gs1:defaultLink", "href": "https://example.com/all", "title": "All"},
        {"linkType": "gs1:pip", "href": "https://example.com/all", "title": "All"},
        {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/canada", "title": "Canada", "context": ["CA"]},
        {"linkType": "gs1:pip", "href": "https://example.com/canada", "title": "Canada", "context": ["CA"]}]})
    .to_string()
}

/// Writes a database in MMDB format 2.0 (<https://maxmind.github.io/MaxMind-DB/>): a binary search
/// tree over IPv4 addresses in records of 32 bits, the data, and the metadata.
fn mmdb(networks: &[(Ipv4Addr, u32, &str)]) -> Vec<u8> {
    const EMPTY: u32 = u32::MAX;
    let text = |text: &str| [&[2 << 5 | text.len() as u8], text.as_bytes()].concat();
    let map = |size: u8| vec![7 << 5 | size];
    let mut nodes = vec![[EMPTY; 2]];
    let mut data: Vec<u8> = Vec::new();
    let mut leaves = Vec::new();
    for (network, length, country) in networks {
        let offset = data.len() as u32;
        data.extend([map(1), text("country"), map(1), text("iso_code"), text(country)].concat());
        let bits = u32::from(*network);
        let mut node = 0;
        for depth in 0..*length {
            let side = (bits >> (31 - depth) & 1) as usize;
            if depth + 1 == *length {
                leaves.push((node, side, offset));
            } else {
                if nodes[node][side] == EMPTY {
                    nodes.push([EMPTY; 2]);
                    nodes[node][side] = nodes.len() as u32 - 1;
                }
                node = nodes[node][side] as usize;
            }
        }
    }
    let count = nodes.len() as u32;
    for side in nodes.iter_mut().flatten().filter(|side| **side == EMPTY) {
        *side = count;
    }
    for (node, side, offset) in leaves {
        nodes[node][side] = count + 16 + offset;
    }
    let mut file: Vec<u8> = nodes.iter().flatten().flat_map(|side| side.to_be_bytes()).collect();
    file.extend([0; 16]);
    file.extend(data);
    file.extend(b"\xab\xcd\xefMaxMind.com");
    let number = |kind: u8, value: u32| [&[kind << 5 | 4][..], &value.to_be_bytes()].concat();
    let short = |value: u16| [&[5 << 5 | 2][..], &value.to_be_bytes()].concat();
    file.extend(map(9));
    for (name, value) in [
        ("node_count", number(6, count)),
        ("record_size", short(32)),
        ("ip_version", short(4)),
        ("database_type", text("Test-Country")),
        ("languages", [&[1, 4][..], &text("en")].concat()),
        ("binary_format_major_version", short(2)),
        ("binary_format_minor_version", short(0)),
        ("build_epoch", [&[8, 2][..], &1_700_000_000_u64.to_be_bytes()].concat()),
        ("description", [map(1), text("en"), text("Test")].concat()),
    ] {
        file.extend(text(name));
        file.extend(value);
    }
    file
}

fn canada() -> Vec<u8> {
    mmdb(&[(Ipv4Addr::new(203, 0, 113, 64), 26, "CA"), (Ipv4Addr::new(198, 51, 100, 0), 24, "BE")])
}

/// Replaces a file as a whole, as programs that update databases do.
fn replace(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    fs::write(&new, bytes).unwrap();
    fs::rename(new, path).unwrap();
}

fn target(server: &Server, client: &str) -> String {
    let answer = server.send(&Ask::get(KEY).header("X-Forwarded-For", client));
    answer.header("location").unwrap().replace("https://example.com/", "")
}

/// 37.1: by the database; read again when it changes; a broken one is not used; and the address is
/// in no file and no line of the log.
#[test]
fn a_database_gives_the_country_and_keeps_no_address() {
    let sandbox = Sandbox::new();
    let database = sandbox.path("countries.mmdb");
    fs::write(&database, canada()).unwrap();
    let toml = format!(
        "{TRUSTED}[log]\nlevel = \"debug\"\naccess = 1.0\n[insight]\nenabled = true\nwrite_every = \"1s\"\nthreshold = 1\n\
         [country]\ndatabase = {database:?}\ncount_scans = true\n"
    );
    let config = sandbox.write("fingerpost.toml", &toml);
    sandbox.import(&record("country")).expect_status(0);
    let log = sandbox.path("log");
    let mut command = fingerpost();
    command.args(["serve", "--no-admin", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
    command.arg("--data").arg(sandbox.data());
    let server = Server::logging(command, Stdio::from(File::create(&log).unwrap()));
    assert_eq!(target(&server, CLIENT), "canada");
    assert_eq!(target(&server, "198.51.100.7"), "all", "Belgium has no page");
    assert_eq!(target(&server, "203.0.113.1"), "all", "not in the database");
    let answer = server.send(&Ask::get(KEY).header("X-Forwarded-For", CLIENT));
    assert_eq!(answer.header("cache-control").as_deref(), Some("private, no-cache"));

    replace(&database, b"no database");
    let says = |text: &str| fs::read_to_string(&log).unwrap().contains(text);
    wait_until("the broken one is refused", || says("cannot be used; the old one stays in use"));
    assert_eq!(target(&server, CLIENT), "canada");
    replace(&database, &mmdb(&[(Ipv4Addr::new(203, 0, 113, 0), 24, "BE")]));
    wait_until("the new one is used", || target(&server, CLIENT) == "all");
    server.stop();

    let lines = fs::read_to_string(&log).unwrap();
    assert!(lines.contains("answered") && !lines.contains("203.0.113"), "{lines}");
    let mut files = vec![sandbox.data()];
    let mut read = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        read += bytes.len();
        let has_address = bytes.windows(CLIENT.len()).any(|part| part == CLIENT.as_bytes());
        assert!(!has_address, "{}", path.display());
    }
    assert!(read > 0);
    // 35.2: the counts have the country. A request without a user agent is one of a program.
    let mut command = fingerpost();
    command.args(["insight", "--json", "--dimensions", "country", "--bots", "--config"]);
    command.arg(&config).arg("--data").arg(sandbox.data());
    let counted = support::finish(command, b"").expect_status(0).stdout;
    let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
    let rows = counted["rows"].as_array().unwrap();
    let countries: Vec<_> = rows.iter().filter_map(|row| row["country"].as_str()).collect();
    assert!(countries.contains(&"CA") && countries.contains(&"BE"), "{counted}");
}

/// 37.1: a missing or broken database is an error at the start.
#[test]
fn a_database_that_cannot_be_used_is_an_error_at_the_start() {
    let sandbox = Sandbox::new();
    let database = sandbox.path("countries.mmdb");
    let config = sandbox.write("fingerpost.toml", &format!("[country]\ndatabase = {database:?}\n"));
    let mut truncated = canada();
    truncated.drain(8..40);
    for bytes in [None, Some(&b"no database"[..]), Some(&truncated), Some(&[])] {
        if let Some(bytes) = bytes {
            fs::write(&database, bytes).unwrap();
        }
        let mut command = fingerpost();
        command.args(["serve", "--no-admin", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
        command.arg("--data").arg(sandbox.data());
        let run = support::finish(command, b"").expect_status(2);
        assert!(run.stderr.contains("country.database"), "{}", run.stderr);
        assert!(run.stderr.contains("MMDB"), "{}", run.stderr);
    }
}

/// 37.1: an organisation switches it on; its own administrators may; explanations say why.
#[test]
fn an_organisation_switches_countries_on_and_off() {
    let sandbox = Sandbox::new();
    let record = record("request").replace("\"contextFrom\":\"request\",", "");
    sandbox.import(&record).expect_status(0);
    let toml = format!("{TRUSTED}[country]\nheader = \"CF-IPCountry\"\n");
    let (server, api) = Api::serve(&sandbox, &toml);
    let id = api.organisation("9506000");
    let target = || {
        let answer = server.send(&Ask::get(KEY).header("CF-IPCountry", "CA"));
        answer.header("location").unwrap().replace("https://example.com/", "")
    };
    let switch = |on: bool| {
        let change = json!({"contextFromCountry": on});
        let (status, answer) = api.send("PATCH", &format!("/v1/organisations/{id}"), Some(change));
        assert_eq!((status, &answer["contextFromCountry"]), (200, &json!(on)), "{answer}");
    };
    assert_eq!(target(), "all");
    switch(true);
    assert_eq!(target(), "canada");
    let asked = json!({"key": "01/09506000134352", "country": "CA"});
    let (_, explained) = api.send("POST", "/v1/explain", Some(asked));
    assert_eq!(explained["headers"]["location"], "https://example.com/canada", "{explained}");
    assert_eq!(explained["headers"]["vary"], "Accept, Accept-Language, cf-ipcountry");
    let text = "no context asked; the organisation of the key takes the country of the client: CA";
    assert!(explained.to_string().contains(text), "{explained}");
    // The switch is no record: it is in no list and no export.
    assert!(!sandbox.export().contains("country"));
    let (_, listed) = api.send("GET", "/v1/changes?after=0", None);
    assert!(!listed.to_string().contains("-country"), "{listed}");
    switch(false);
    assert_eq!(target(), "all");
    server.stop();
}

/// 37.1: the member survives export and import, and the command explains it.
#[test]
fn records_carry_the_source_of_their_context() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("country")).expect_status(0);
    let exported = sandbox.export();
    assert!(exported.contains("\"contextFrom\":\"country\""), "{exported}");
    let copy = Sandbox::new();
    copy.import(&exported).expect_status(0);
    assert_eq!(copy.export(), exported);
    let wrong = record("phone");
    let refused = sandbox.import(&wrong);
    assert!(refused.stderr.contains("/contextFrom") || refused.stdout.contains("/contextFrom"));
    let config = sandbox.write("c.toml", &format!("{TRUSTED}[country]\nheader = \"X-Country\"\n"));
    let (config, data) = (config.to_str().unwrap(), sandbox.data());
    let explain = |further: &[&str]| {
        let arguments = ["explain", "--config", config, "--data", data.to_str().unwrap(), KEY];
        run(arguments.iter().copied().chain(further.iter().copied())).expect_status(0).stdout
    };
    let canada = explain(&["--country", "CA"]);
    assert!(canada.contains("contextFrom at 01/09506000134352 takes the country"), "{canada}");
    assert!(canada.contains("redirect to https://example.com/canada"), "{canada}");
    let unknown = explain(&[]);
    assert!(unknown.contains("which is not known"), "{unknown}");
    assert!(unknown.contains("redirect to https://example.com/all"), "{unknown}");
}
