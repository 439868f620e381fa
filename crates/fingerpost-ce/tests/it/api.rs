//! The data-entry API, driven as the clients of Resolver CE drive it. The answers are those of its
//! contract (`shared/spec/resolver-ce-api.md`, sections 1 to 3), except where section 6 says
//! better.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use fingerpost_admin::{AdminServer, Config, Site};
use fingerpost_ce::{CeApiOptions, api_routes};
use fingerpost_http::{Limits, Shutdown};
use fingerpost_options::{Document, Section};
use fingerpost_registry::{Caller, Id, NewKey, Registry, Verb};
use fingerpost_resolver::{Settings, SettingsParts};
use fingerpost_store::Store;
use serde_json::{Value, json};

use crate::samples::sample;

const KEY: &str = "/01/09506000134352";

struct Running {
    address: SocketAddr,
    token: String,
    registry: Registry,
    shutdown: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start() -> Running {
        let parts = SettingsParts {
            resolver_root: "https://id.example.org".to_owned(),
            ..SettingsParts::default()
        };
        let settings = Settings::new(parts).unwrap();
        let site = Site {
            vocabulary: settings.vocabulary().clone(),
            settings,
            root_is_default: false,
            trusted_proxies: Vec::new(),
            limits: Limits::default(),
        };
        let sections = Config::sections().map(|(_, section)| section);
        let text = "[admin]\nlisten = \"127.0.0.1:0\"";
        let config =
            Config::read(&Document::parse("test", text, &sections).unwrap(), site).unwrap();
        let store = Arc::new(Store::in_memory());
        let registry = Registry::new(store, fingerpost_admin::registry_options(&config));
        let token = token(&registry, None);
        assert!(api_routes(&options("")).is_none(), "off by default");
        let options = options("enabled = true");
        let admin =
            AdminServer::bind_with(&config, registry.clone(), api_routes(&options)).unwrap();
        let (address, shutdown) = (admin.local_addrs()[0], Shutdown::new());
        let stop = shutdown.clone();
        let thread = thread::spawn(move || admin.run(&stop).unwrap());
        Running { address, token, registry, shutdown, thread: Some(thread) }
    }

    /// The header fields of an answer, in lower case, without its body.
    fn fields(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let (address, token) = (self.address, &self.token);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: {token}\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().0.to_lowercase()
    }

    fn etag(&self) -> String {
        let fields = self.fields(&format!("/api{KEY}"));
        let etag = fields.lines().find_map(|line| line.strip_prefix("etag: "));
        etag.unwrap_or_else(|| panic!("{fields}")).to_owned()
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(ToString::to_string);
        let token = format!("authorization: Bearer {}\r\n", self.token);
        self.send_with(method, path, &token, body.as_deref().map(|text| ("application/json", text)))
    }

    fn send_with(
        &self,
        method: &str,
        path: &str,
        fields: &str,
        body: Option<(&str, &str)>,
    ) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let (kind, text) = body.unwrap_or_default();
        let about = match body {
            Some(_) => format!("content-type: {kind}\r\ncontent-length: {}\r\n", text.len()),
            None => String::new(),
        };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{fields}{about}\r\n{text}",
            self.address
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer[9..12].parse().unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        // The body is one chunk, or has its length.
        let json = body.find(['{', '[', '"']).map_or(Value::Null, |begin| {
            let mut values = serde_json::Deserializer::from_str(&body[begin..]).into_iter();
            values.next().unwrap().unwrap()
        });
        (status, json)
    }
}

/// A key with the permissions of a script; for an organisation, or the whole installation.
fn token(registry: &Registry, organisation: Option<Id>) -> String {
    let mut verbs = vec![Verb::Read, Verb::Write];
    verbs.extend(organisation.is_none().then_some(Verb::Admin));
    let new = NewKey {
        label: "scripts".into(),
        organisation,
        verbs,
        prefix: None,
        expires: None,
        for_organisation: organisation.is_some(),
    };
    registry.create_key(&Caller::local("test"), new).unwrap().1.expose().to_owned()
}

fn options(text: &str) -> CeApiOptions {
    let sections = [Section::of::<CeApiOptions>("ce_api")];
    let text = format!("[ce_api]\n{text}\n");
    Document::parse("test", &text, &sections).unwrap().read("ce_api").unwrap()
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.trigger();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn document(qualifiers: &Value, links: &Value) -> Value {
    json!({"anchor": KEY, "itemDescription": "Tea", "defaultLinktype": "gs1:pip",
        "qualifiers": qualifiers, "links": links})
}

fn link(link_type: &str, href: &str, language: &str) -> Value {
    json!({"linktype": link_type, "href": href, "title": "Page", "type": "text/html",
        "hreflang": [language]})
}

/// Section 1.
#[test]
fn the_token_is_checked_as_resolver_ce_checks_it() {
    let running = Running::start();
    let heartbeat = running.send_with("GET", "/api/heartbeat", "", None);
    assert_eq!(heartbeat, (200, json!({"response_message": "Server is running!"})));
    let path = &format!("/api{KEY}");
    let missing = running.send_with("GET", path, "", None);
    assert_eq!(missing, (401, json!("Missing Authorization Header")));
    let wrong = running.send_with("GET", path, "authorization: Bearer wrong\r\n", None);
    assert_eq!(wrong, (403, json!("Token is invalid")));
    let bare = format!("authorization: {}\r\n", running.token);
    let (status, body) = running.send_with("GET", path, &bare, None);
    assert_eq!(status, 404);
    assert_eq!(body["error"], format!("No document found for anchor: {KEY}"));
    assert_eq!(body["response_status"], 404);
    let text = running.send_with("POST", "/api/new", &bare, Some(("text/plain", "{}")));
    assert_eq!(text, (415, json!("Request must be in JSON format")));
}

/// Sections 3 and 6: posting the same document twice, qualifier sets of an existing key.
#[test]
fn documents_are_created_read_and_merged() {
    let running = Running::start();
    assert_eq!(running.send("GET", "/api/index", None).0, 404);
    let tea = document(&json!([]), &json!([link("gs1:pip", "https://example.com/a", "en")]));
    let (status, body) = running.send("POST", "/api/new", Some(&tea));
    assert_eq!((status, &body["entry"]), (201, &json!("01_09506000134352")));
    assert_eq!(body["result"]["response_status"], 201);
    let (status, body) = running.send("POST", "/api/new", Some(&tea));
    assert_eq!((status, &body["result"]["response_status"]), (200, &json!(200)));
    let mut expected = tea.clone();
    expected.as_object_mut().unwrap().remove("qualifiers");
    let read = running.send("GET", &format!("/api{KEY}"), None);
    assert_eq!(read, (200, json!({"response_status": 200, "data": [expected]})), "not doubled");
    assert_eq!(running.send("GET", "/api/index", None).1["data"], json!([KEY]));
    let sets = json!([
        document(&json!([{"10": "L1"}]), &json!([link("gs1:pip", "https://example.com/l", "en")])),
        document(
            &json!([{"21": "{serialnumber}"}]),
            &json!([link("gs1:pip", "https://example.com/{serialnumber}", "en")])
        ),
    ]);
    let (status, body) = running.send("POST", "/api/new", Some(&sets));
    assert_eq!((status, body.as_array().unwrap().len()), (201, 1), "one for each key");
    let (_, body) = running.send("GET", &format!("/api{KEY}"), None);
    assert_eq!(body["data"].as_array().unwrap().len(), 3, "every set is written");
    assert_eq!(running.send("GET", &format!("/api{KEY}/10/L1"), None).0, 404);
}

/// The step "test that PUT merges", and section 6: a qualifier set that does not exist.
#[test]
fn put_merges_and_never_changes_another_set() {
    let running = Running::start();
    let links = json!([
        link("gs1:pip", "https://example.com/a", "en"),
        link("gs1:recipeInfo", "https://example.com/b", "en")
    ]);
    running.send("POST", "/api/new", Some(&document(&json!([]), &links)));
    let path = format!("/api{KEY}");
    let part = json!({"links": [link("gs1:pip", "https://example.com/a2", "en"),
        link("gs1:pip", "https://example.com/ja", "ja")]});
    let (status, body) = running.send("PUT", &path, Some(&part));
    assert_eq!((status, &body["entry"]), (200, &json!("01_09506000134352")));
    let (_, body) = running.send("GET", &path, None);
    let found = &body["data"][0];
    assert_eq!(found["itemDescription"], "Tea");
    let mut hrefs: Vec<_> = found["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["href"].as_str().unwrap())
        .collect();
    hrefs.sort_unstable();
    assert_eq!(
        hrefs,
        ["https://example.com/a2", "https://example.com/b", "https://example.com/ja"]
    );
    let other = json!({"qualifiers": [{"10": "NONE"}], "itemDescription": "Wrong"});
    assert_eq!(running.send("PUT", &path, Some(&other)).0, 404);
    assert_eq!(running.send("GET", &path, None).1, body, "nothing has changed");
    assert_eq!(running.send("PUT", "/api/01/09506000134376", Some(&part)).0, 404);
}

/// Section 3, and section 6: the last default link.
#[test]
fn links_and_keys_are_deleted() {
    let running = Running::start();
    let links = json!([
        link("gs1:pip", "https://example.com/a", "en"),
        link("gs1:recipeInfo", "https://example.com/b", "en")
    ]);
    running.send("POST", "/api/new", Some(&document(&json!([]), &links)));
    let path = format!("/api{KEY}");
    let pip =
        json!({"links": [{"linktype": "gs1:pip", "hreflang": ["en"]}, {"linktype": "gs1:x"}]});
    let (status, body) = running.send("DELETE", &path, Some(&pip));
    assert_eq!(status, 400);
    assert!(body["error"].as_str().unwrap().contains("defaultLinktype"), "{body}");
    let mut renamed = pip;
    renamed["defaultLinktype"] = json!("gs1:recipeInfo");
    let (status, body) = running.send("DELETE", &path, Some(&renamed));
    assert_eq!((status, &body["removed"]), (200, &json!(1)));
    assert_eq!(running.send("DELETE", &path, Some(&renamed)).0, 404, "nothing matches");
    assert_eq!(running.send("DELETE", &path, None).0, 200);
    assert_eq!(running.send("GET", &path, None).0, 404);
    assert_eq!(running.send("DELETE", &path, None).0, 404);
}

/// Section 6: an invalid document, alone or in a list, is 400, and nothing is written.
#[test]
fn invalid_documents_are_refused_with_details() {
    let running = Running::start();
    let good = document(&json!([]), &json!([link("gs1:pip", "https://example.com/a", "en")]));
    let mut wrong = good.clone();
    wrong["anchor"] = json!("/01/09506000134377");
    let mut missing = good.clone();
    missing["defaultLinktype"] = json!("gs1:recipeInfo");
    for body in [wrong.clone(), missing, json!({"a": 1}), json!([good, wrong])] {
        let (status, answer) = running.send("POST", "/api/new", Some(&body));
        assert_eq!((status, &answer["response_status"]), (400, &json!(400)), "{body}");
        assert!(!answer["error"].as_str().unwrap().is_empty());
    }
    assert_eq!(running.send("GET", "/api/index", None).0, 404, "nothing is written");
}

/// A change by this API keeps what a document cannot hold.
#[test]
fn what_a_document_cannot_hold_is_kept() {
    let running = Running::start();
    let record = r#"{"anchor":"/01/09506000134352","links":[
        {"linkType":"gs1:defaultLink","href":"https://example.com/p","title":"Tea"},
        {"linkType":"gs1:pip","href":"https://example.com/p","title":"Tea"},
        {"linkType":"gs1:recipeInfo","href":"https://example.com/n","title":"New","validFrom":"2100-01-01T00:00:00Z"},
        {"linkType":"license","href":"https://example.com/l","title":"License"}]}"#;
    let (caller, none) = (Caller::local("test"), fingerpost_registry::Conditions::none());
    running.registry.put(&caller, None, record.as_bytes(), none).unwrap();
    let part = json!({"itemDescription": "Green tea"});
    assert_eq!(running.send("PUT", &format!("/api{KEY}"), Some(&part)).0, 200);
    let level = fingerpost_resolver::Anchor::parse(KEY).unwrap();
    let record = running.registry.read(&caller, &level).unwrap().record();
    for kept in ["2100-01-01T00:00:00Z", "license", "Green tea", "\"default\":true"] {
        assert!(record.contains(kept), "{kept}: {record}");
    }
}

/// The published examples, posted as they are.
#[test]
fn the_published_examples_are_accepted() {
    let running = Running::start();
    for (name, status) in [
        ("data_entry_v3_format.json", 201),
        ("data_entry_example.json", 201),
        ("data_entry_v2_format.json", 201),
        ("test_01_09506000134352.json", 200),
        ("test_01_09506000134376.json", 201),
        ("test_8004_095060001343.json", 201),
        ("test_8004_0950600013430000001.json", 201),
    ] {
        let Some(file) = sample(name) else { continue };
        let body: Value = serde_json::from_slice(&file).unwrap();
        let (found, answer) = running.send("POST", "/api/new", Some(&body));
        assert_eq!(found, status, "{name}: {answer}");
    }
}

/// Section 6: no transactions. The documents of all keys of a request are written, or none.
#[test]
fn documents_of_several_keys_are_written_together() {
    let mut running = Running::start();
    let new = json!({"name": "Brand", "prefixes": ["9506000"], "quotas": {"levels": 1}});
    let new = serde_json::from_value(new).unwrap();
    let brand = running.registry.create_organisation(&Caller::local("test"), new).unwrap();
    running.token = token(&running.registry, Some(brand.id));
    let one = document(&json!([]), &json!([link("gs1:pip", "https://example.com/a", "en")]));
    let mut other = one.clone();
    other["anchor"] = json!("/01/09506000134376");
    let (status, body) = running.send("POST", "/api/new", Some(&json!([one, other])));
    assert_eq!(status, 400, "there is a quota of one record: {body}");
    assert_eq!(running.send("GET", "/api/index", None).0, 404, "nothing is written");
    assert_eq!(running.send("POST", "/api/new", Some(&json!([one]))).0, 201);
    assert_eq!(running.send("GET", "/api/index", None).1["data"], json!([KEY]));
}

/// Section 6: no concurrency control. What others write between the read and the write of a request
/// is kept.
#[test]
fn writers_of_one_key_lose_nothing() {
    const WRITERS: usize = 4;
    const LINKS: usize = 8;
    let running = Running::start();
    let first = document(&json!([]), &json!([link("gs1:pip", "https://example.com/a", "en")]));
    running.send("POST", "/api/new", Some(&first));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (running, first) = (&running, &first);
            scope.spawn(move || {
                for number in 0..LINKS {
                    let href = format!("https://example.com/{writer}/{number}");
                    let mut more = link("gs1:certificationInfo", &href, "en");
                    more["context"] = json!([format!("c{writer}-{number}")]);
                    let part = json!({"links": [more.clone()]});
                    let (method, path, body) = match writer % 2 {
                        0 => ("PUT", format!("/api{KEY}"), part),
                        _ => {
                            let links = json!([first["links"][0], more]);
                            ("POST", "/api/new".to_owned(), document(&json!([]), &links))
                        }
                    };
                    // A writer that others overtake five times has to try again.
                    while running.send(method, &path, Some(&body)).0 == 409 {}
                }
            });
        }
    });
    let (_, body) = running.send("GET", &format!("/api{KEY}"), None);
    assert_eq!(body["data"][0]["links"].as_array().unwrap().len(), 1 + WRITERS * LINKS, "{body}");
}

/// Section 6: `ETag`, `If-Match` and `If-None-Match`, which clients of Resolver CE do not send.
#[test]
fn preconditions_protect_what_was_read() {
    let running = Running::start();
    let path = format!("/api{KEY}");
    let send = |method: &str, path: &str, field: &str, body: Option<&Value>| {
        let fields = format!("authorization: {}\r\n{field}\r\n", running.token);
        let body = body.map(ToString::to_string);
        let body = body.as_deref().map(|text| ("application/json", text));
        running.send_with(method, path, &fields, body).0
    };
    let pip = json!([link("gs1:pip", "https://example.com/a", "en")]);
    let (tea, lot) = (document(&json!([]), &pip), document(&json!([{"10": "L1"}]), &pip));
    assert_eq!(send("POST", "/api/new", "if-none-match: *", Some(&tea)), 201);
    assert_eq!(send("POST", "/api/new", "if-none-match: *", Some(&tea)), 412);
    let read = running.etag();
    assert_eq!(send("GET", &path, &format!("if-none-match: {read}"), None), 304);
    // A new qualifier set, and its deletion, are changes of the key too.
    running.send("POST", "/api/new", Some(&lot));
    let with_lot = running.etag();
    assert_ne!(read, with_lot);
    let lot = fingerpost_resolver::Anchor::parse(&format!("{KEY}/10/L1")).unwrap();
    let none = fingerpost_registry::Conditions::none();
    running.registry.delete(&Caller::local("test"), &lot, none).unwrap();
    assert_ne!(running.etag(), with_lot);
    let part = json!({"itemDescription": "Green tea"});
    let stale = format!("if-match: {with_lot}");
    for (method, body) in [
        ("PUT", Some(&part)),
        ("DELETE", Some(&json!({"links": [{"linktype": "gs1:pip", "hreflang": ["en"]}]}))),
        ("DELETE", None),
    ] {
        assert_eq!(send(method, &path, &stale, body), 412, "{method} {body:?}");
    }
    let fresh = format!("if-match: \"0-0\", {}", running.etag());
    assert_eq!(send("PUT", &path, &fresh, Some(&part)), 200);
    assert_eq!(send("DELETE", &path, &fresh, None), 412, "the change has another validator");
    assert_eq!(send("DELETE", &path, "if-match: *", None), 200);
}

/// Every operation and every answer is described, and every other method is refused.
#[test]
fn the_description_is_true() {
    let running = Running::start();
    let (status, described) = running.send_with("GET", "/api/openapi.json", "", None);
    assert_eq!((status, &described["openapi"]), (200, &json!("3.1.0")));
    assert_eq!(described["info"]["version"], env!("CARGO_PKG_VERSION"));
    let check = |method: &str, path: &str, body: Option<&Value>, status: u16| {
        let target = path.replace("{ai}/{value}", &KEY[1..]).replace("{more}", "10/L1");
        let (found, answer) = running.send(method, &target, body);
        assert_eq!(found, status, "{method} {path}: {answer}");
        let operation = &described["paths"][path][method.to_lowercase()];
        let mut response = &operation["responses"][status.to_string()];
        if let Some(shared) = response["$ref"].as_str() {
            response = described.pointer(&shared[1..]).unwrap();
        }
        let content = response["content"].as_object();
        let content = content.unwrap_or_else(|| panic!("{method} {path}: {status}"));
        for (media_type, content) in content.iter().filter(|(name, _)| name.ends_with("json")) {
            let mut schema = content["schema"].clone();
            schema["components"] = described["components"].clone();
            let validator = jsonschema::validator_for(&schema).unwrap();
            assert!(validator.is_valid(&answer), "{method} {path} {media_type}: {answer}");
        }
    };
    let pip = link("gs1:pip", "https://example.com/a", "en");
    let tea = document(&json!([]), &json!([pip]));
    let key = "/api/{ai}/{value}";
    check("GET", "/api/index", None, 404);
    check("GET", key, None, 404);
    check("POST", "/api/new", Some(&json!([tea])), 201);
    check("POST", "/api/new", Some(&tea), 200);
    check("POST", "/api/new", Some(&json!({})), 400);
    check("GET", "/api/index", None, 200);
    check("GET", key, None, 200);
    check("PUT", key, Some(&json!({"links": [pip]})), 200);
    check("PUT", key, Some(&json!({"qualifiers": [{"10": "NONE"}]})), 404);
    check(
        "DELETE",
        key,
        Some(&json!({"links": [{"linktype": "gs1:pip", "hreflang": ["en"]}]})),
        400,
    );
    check("DELETE", key, Some(&json!({"links": [{"linktype": "gs1:epil"}]})), 404);
    check("DELETE", key, None, 200);
    check("GET", "/api/{ai}/{value}/{more}", None, 404);
    check("GET", "/api/heartbeat", None, 200);
    check("GET", "/api/docs", None, 200);
    for (path, item) in described["paths"].as_object().unwrap() {
        let target = path.replace("{ai}/{value}", "01/1").replace("{more}", "10/L1");
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
            let is_described = item[method.to_lowercase()].is_object();
            let (status, _) = running.send(method, &target, None);
            assert_eq!(status != 405, is_described, "{method} {path}: {status}");
        }
    }
    let page = running.fields("/api/docs");
    assert!(page.contains("content-type: text/html"), "{page}");
    for part in ["/api/docs/style.css", "/api/docs/documents"] {
        assert!(running.fields(part).starts_with("http/1.1 200"), "{part}");
    }
}
