//! `explain` against a running server of the same data directory and configuration: GS1-Conformant
//! Resolver 1.2.0, and the services of RFC 2169 and RFC 8141. Every published case is compared in
//! `examples`.

use crate::support;

use std::path::Path;

use fingerpost_testkit::{Answer, Ask};
use serde_json::Value;
use support::{Run, Sandbox, Server, fingerpost, record, run, run_with_input};

const CONFIG: &str = "\
resolver_root = \"https://id.example.org\"
own_context = \"/linkset-context.jsonld\"
default_link_type_by_record = true
[brand]
privacy = \"Nothing is kept.\"
[[patterns]]
company_prefix = \"9506000\"
target_root = \"https://company.example/r\"
[[patterns]]
path_prefix = \"/01/0978\"
target_template = \"https://books.example/{01}\"
";

/// A server, and the command beside it.
struct Pair {
    sandbox: Sandbox,
    config: std::path::PathBuf,
    server: Server,
}

impl Pair {
    fn new(records: &[String]) -> Self {
        let sandbox = Sandbox::new();
        let config = sandbox.write("fingerpost.toml", CONFIG);
        let words = ["import", "--data"].map(Path::new).into_iter();
        let (data, input) = (sandbox.data(), Path::new("-"));
        let words = words.chain([&*data, Path::new("--config"), &*config, input]);
        run_with_input(words, records.join("\n").as_bytes()).expect_status(0);
        let server = Server::start(&data, Some(&config));
        Self { sandbox, config, server }
    }

    fn explain(&self, uri: &str, headers: &[(&str, &str)], format: &str) -> Run {
        let mut command = fingerpost();
        command.args(["explain", "--format", format, "--data"]).arg(self.sandbox.data());
        command.arg("--config").arg(&self.config);
        for (name, value) in headers {
            command.arg("-H").arg(format!("{name}: {value}"));
        }
        Run::from(command.arg("--").arg(uri).output().expect("the program runs"))
    }

    /// Explains `uri`, sends `target`, and compares what both say. Returns what was served.
    fn same(&self, uri: &str, target: &str, headers: &[(&str, &str)], status: u16) -> Answer {
        let ask =
            headers.iter().fold(Ask::get(target), |ask, (name, value)| ask.header(name, value));
        let served = self.server.send(&ask);
        assert_eq!(served.status, status, "{target} {headers:?}: {}", served.text());
        // An identifier that cannot be parsed is a failure of the command too.
        let exit = i32::from(status == 400);
        let told = self.explain(uri, headers, "json").expect_status(exit).events().remove(0);
        assert_eq!(told["status"], served.status, "{uri}: {told}");
        let outcome = &told["outcome"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        assert_eq!(text(&outcome["location"]), served.header("location"), "{uri}: {told}");
        assert_eq!(text(&told["link"]), served.header("link"), "{uri}: {told}");
        if let Some(uris) = outcome["uris"].as_array() {
            let uris: Vec<&str> = uris.iter().filter_map(Value::as_str).collect();
            let body = served.text();
            let listed = body.lines().filter(|line| !line.starts_with('#'));
            assert_eq!(listed.collect::<Vec<_>>(), uris, "{uri}");
        }
        let told = self.explain(uri, headers, "text").expect_status(exit).stdout;
        let end = match status {
            400 => "Answer: 400, ".to_owned(),
            _ => format!("Status: {status}\n"),
        };
        assert!(told.contains(&end), "{uri}: {told}");
        served
    }

    /// The same for a path, which the command takes as it is sent.
    fn same_path(&self, target: &str, status: u16) -> Answer {
        self.same(target, target, &[], status)
    }
}

fn tea() -> Vec<String> {
    vec![record("/01/09520123456788", "https://brand.example/tea")]
}

/// Section 3 and RFC 8615: the resolver description file and the other paths that are no
/// identifiers. RES-2.4-18.
#[test]
fn section_3_reserved_paths_are_explained_as_served() {
    let pair = Pair::new(&tea());
    for (path, status) in [
        ("/", 200),
        ("/.well-known/gs1resolver", 200),
        ("/.well-known/gs1resolver?x=1", 200),
        ("/.well-known/nothing", 404),
        ("/.well-known/fingerpost/style.css", 200),
        ("/.well-known/fingerpost/logo", 404),
        ("/.well-known/fingerpost/sample.svg", 200),
        ("/linkset-context.jsonld", 200),
        ("/robots.txt", 200),
        ("/favicon.ico", 200),
        ("/ready", 200),
        ("/health", 200),
        ("/privacy", 200),
        // Neighbours of reserved paths are identifiers that cannot be parsed.
        ("/health/", 400),
        ("/privacy/x", 400),
    ] {
        pair.same_path(path, status);
        let uri = format!("https://id.example.org{path}");
        pair.same(&uri, path, &[("Accept", "text/html")], status);
    }
    pair.server.stop();
}

/// Section 2.8: a company prefix and a path are handed over, also for requests for linksets and of
/// compressed links. RES-2.8-1, RES-2.8-2, RES-2.8-5.
#[test]
fn section_2_8_hand_overs_are_explained_as_served() {
    let pair = Pair::new(&tea());
    for (path, location) in [
        ("/01/19506000134359/21/1?a=b", "https://company.example/r/01/19506000134359/21/1?a=b"),
        ("/417/9506000134352", "https://company.example/r/417/9506000134352"),
        (
            "/01/09506000134352?linkType=linkset",
            "https://company.example/r/01/09506000134352?linkType=linkset",
        ),
        ("/01/09780451450524/10/L", "https://books.example/09780451450524"),
    ] {
        let served = pair.same_path(path, 307);
        assert_eq!(served.header("location").as_deref(), Some(location));
        assert!(served.header("link").is_some_and(|link| link.contains("gs1:handledBy")), "{path}");
    }
    // Not covered, and not valid.
    pair.same_path("/01/09520123456788", 307);
    pair.same_path("/01/09506000134353", 400);
    pair.server.stop();
}

/// Section 2.11: a record of a company prefix chooses the default answer of every key of the
/// company that does not choose itself, at its level or in a set that contains it. RES-2.11-1,
/// RES-2.5.9-8.
#[test]
fn section_2_11_a_company_prefix_chooses_the_default_answer() {
    let choosing = |anchor: &str, answer: Option<&str>| {
        let record = record(anchor, "https://brand.example/");
        let Some(answer) = answer else { return record };
        record.replacen(',', &format!(",\"defaultLinkType\":\"{answer}\","), 1)
    };
    let (linkset, link) = (Some("linkset"), Some("gs1:defaultLink"));
    let pair = Pair::new(&[
        choosing("/gcp/9520123", linkset),
        choosing("/gcp/9520124", link),
        choosing("/gcp/95201241", linkset),
        choosing("/01/09520123456788", None),
        choosing("/01/09520123456788/10/L1", link),
        choosing("/01/09520123456788/-any/21", link),
        choosing("/414/9520123456788", link),
    ]);
    for (path, status) in [
        ("/00/095201234567891235", 200),
        ("/01/19520123456785", 200),
        ("/01/09520123456788", 200),
        ("/01/09520123456788?linkType=gs1:pip", 307),
        // Nothing between them and the company chooses.
        ("/01/09520123456788/10/L2", 200),
        // What is closer decides.
        ("/01/09520123456788/10/L1", 307),
        ("/01/09520123456788/21/S", 307),
        ("/414/9520123456788", 307),
        // Of several company prefixes, the longest.
        ("/01/09520124000003", 307),
        ("/01/09520124100000", 200),
    ] {
        pair.same_path(path, status);
    }
    pair.server.stop();
}

/// RFC 2169 and RFC 8141, section 2.3: names, given as URN or as the path that is sent. WWW-THT-01,
/// URN-MAP-01.
#[test]
fn rfc_2169_names_are_explained_as_served() {
    let mut records = tea();
    records.push(record("/01/10614141123459", "https://thing.example/"));
    records.push(record("/01/10614141123459/21/400", "https://thing.example/400"));
    records.push(record("/01/09770317847018", "https://paper.example/17"));
    let pair = Pair::new(&records);
    let german: &[(&str, &str)] = &[("Accept-Language", "de")];
    let json: &[(&str, &str)] = &[("Accept", "application/linkset+json")];
    for (urn, headers, status) in [
        ("urn:epc:id:sgtin:0614141.112345.400", german, 303),
        ("URN:EPC:id:sgtin:0614141.112345.400", &[], 303),
        ("urn:epc:id:sgtin:0614141.112345.400", json, 200),
        ("urn:epc:id:sgtin:0614141.112345.400?=a=b", &[], 303),
        ("urn:epc:id:sgtin:0614141.112345.400?s=I2Ls", &[], 200),
        ("urn:epc:id:sgtin:0614141.112345.400?s=I2C", &[], 200),
        // An ISSN does not say which variant is registered.
        ("urn:issn:0317-8471", &[], 303),
        ("urn:isbn:9780306406157", &[], 303),
        ("urn:isbn:0451450524", &[], 400),
        ("urn:example:a", &[], 404),
    ] {
        pair.same(urn, &format!("/urn/{urn}"), headers, status);
    }
    for (path, status) in [
        ("/uri-res/N2L?urn:epc:id:sgtin:0614141.112345.400", 303),
        ("/uri-res/N2Ls?urn:epc:id:sgtin:0614141.112345.400", 200),
        ("/uri-res/N2C?urn:epc:id:sgtin:0614141.112345.400", 200),
        ("/uri-res/N2Ns?urn:epc:id:sgtin:0614141.112345.400", 200),
        ("/uri-res/L2Ns?https://id.example.org/01/10614141123459/21/400", 200),
        ("/uri-res/N2R?urn:epc:id:sgtin:0614141.112345.400", 501),
        ("/uri-res/N2X?urn:issn:0317-8471", 404),
        ("/uri-res/", 404),
    ] {
        pair.same_path(path, status);
    }
    pair.server.stop();
}

/// What is on a package can be explained too.
#[test]
fn a_number_or_an_element_string_is_read_as_its_path() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let data = sandbox.data();
    for text in ["9520123456788", "(01)09520123456788"] {
        let found = run(["explain", "--data", data.to_str().unwrap(), text]);
        let found = found.expect_status(0).stdout;
        assert!(found.contains("note: read as /01/09520123456788\n"), "{found}");
        assert!(found.contains("redirect to https://example.com/0"), "{found}");
    }
    let wrong = run(["explain", "9520123456789"]).expect_status(2);
    assert!(wrong.stderr.contains("expected a URI with its scheme, or a path"), "{wrong:?}");
}
