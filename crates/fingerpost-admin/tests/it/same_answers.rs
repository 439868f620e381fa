//! What `explain` says about a request equals what the public side serves: status, `Location`,
//! `Link`, and the links of linksets, choices and lists. For every published case, every reserved
//! path and 20,000 random requests in process, and by the API for some of them. `crates/fingerpost`
//! compares the command with the server over a socket.

use std::collections::BTreeMap;
use std::sync::Arc;

use fingerpost_public::{Config, Router};
use fingerpost_registry::{Caller, Registry, RegistryOptions};
use fingerpost_resolver::{Explanation, Outcome, ResolutionRequest, Rules, read_record};
use fingerpost_store::{Batch, Store, StoreOptions};
use fingerpost_testkit::requests::{CONFIGS, Draw, records, reserved};
use fingerpost_testkit::{Answer, all_cases, published};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{ask, start_with};

/// Random requests of each installation.
const RANDOM: usize = 20_000 / CONFIGS.len();

/// Random requests of each installation that are explained by the API, over a socket.
const BY_API: usize = 200;

/// What a client can see of an answer, but for the words of pages.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    status: u16,
    location: Option<String>,
    link: Option<String>,
    /// Anchors of the linkset, then its targets.
    linkset: Option<(Vec<String>, Vec<String>)>,
    uris: Option<String>,
}

impl Seen {
    fn of(answer: &Answer) -> Self {
        let is = |kind: &str| answer.header("content-type").is_some_and(|found| found == kind);
        let linkset =
            published(answer).map(|found| (found.anchors.clone(), found.sorted_targets()));
        Self {
            status: answer.status,
            location: answer.header("location"),
            link: answer.header("link"),
            linkset,
            uris: is("text/uri-list").then(|| answer.text()),
        }
    }

    /// From what `POST /v1/explain` answers.
    fn of_explained(explained: &Value) -> Self {
        let headers = explained["headers"].as_object().expect("header fields").iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut headers: Vec<_> =
            headers.map(|(name, value)| (name.clone(), text(value))).collect();
        // Where the public side sends a page, the linkset is explained as JSON.
        for (_, value) in &mut headers {
            *value = value.replace("text/html", "application/linkset+json");
        }
        let status = explained["status"].as_u64().and_then(|status| status.try_into().ok());
        let body = text(&explained["body"]).into_bytes();
        Self::of(&Answer { status: status.expect("a status"), headers, body })
    }
}

/// The public side of an installation, and its registry.
struct Installation {
    router: Router,
    registry: Registry,
    _folder: tempfile::TempDir,
}

impl Installation {
    fn new(toml: &str, records: &[Value]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
        let (config, store) = (configured(toml, folder.path()), Arc::new(store));
        load(&store, &config, records);
        let registry = Registry::new(Arc::clone(&store), RegistryOptions::new());
        Self { router: Router::new(config, store), registry, _folder: folder }
    }

    fn served(&self, target: &str, headers: &[(String, String)]) -> Option<Seen> {
        let mut request = http::Request::get(target);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let (parts, body) = self.router.handle(&request.body(()).ok()?).into_parts();
        let headers = parts.headers.iter().map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let headers = headers.collect();
        let body = futures_now(body.collect()).to_bytes().to_vec();
        Some(Seen::of(&Answer { status: parts.status.as_u16(), headers, body }))
    }

    fn explained(&self, target: &str, headers: &[(String, String)]) -> Seen {
        let value = |wanted: &str| -> String {
            let all = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            all.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (accept, accept_language) = (value("accept"), value("accept-language"));
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept: accept.as_bytes(),
            accept_language: accept_language.as_bytes(),
            ..ResolutionRequest::default()
        };
        let settings = self.router.config().settings();
        let caller = Caller::local("test");
        self.registry
            .explain(&caller, settings, asked, &Default::default(), told)
            .expect("explained")
    }

    fn compare(&self, target: &str, headers: &[(String, String)]) -> bool {
        // What is no request target cannot be sent.
        let Some(served) = self.served(target, headers) else { return false };
        assert_eq!(self.explained(target, headers), served, "{target} {headers:?}");
        true
    }
}

/// What an answer and its explanation say; they say the same.
fn told(answer: &fingerpost_resolver::Answer<'_>, explanation: &Explanation) -> Seen {
    let explanation = serde_json::to_value(explanation).expect("JSON");
    let location = answer.location().map(str::to_owned);
    let link = answer.link().map(String::from);
    assert_eq!(explanation["status"], answer.status());
    assert_eq!(explanation["outcome"]["location"].as_str(), location.as_deref(), "{explanation}");
    assert_eq!(explanation["link"].as_str(), link.as_deref(), "{explanation}");
    let linkset = answer.linkset().map(|(linkset, _)| {
        let mut targets = Vec::new();
        for context in linkset.contexts() {
            for group in context.groups() {
                targets.extend(group.links().map(|link| link.href().into_owned()));
            }
        }
        targets.sort();
        (linkset.contexts().map(|context| context.anchor()).collect(), targets)
    });
    let uris = match answer.outcome() {
        Outcome::Uris(list) => Some(list.clone()),
        _ => None,
    };
    Seen { status: answer.status(), location, link, linkset, uris }
}

/// The configuration with a logo beside it.
fn configured(toml: &str, folder: &std::path::Path) -> Config {
    let logo = folder.join("logo.svg");
    std::fs::write(&logo, "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>").expect("written");
    let toml = toml.replace("{logo}", logo.to_str().expect("text"));
    Config::from_toml(&toml).unwrap_or_else(|error| panic!("{error} in {toml}"))
}

fn load(store: &Store, config: &Config, records: &[Value]) {
    let settings = config.settings();
    let rules = Rules::new(config.vocabulary())
        .with_resolver_root(settings.root())
        .with_context_values(settings.context_values());
    let mut batch = Batch::unchecked();
    for record in records {
        let accepted = read_record(record.to_string().as_bytes(), &rules);
        batch.put(accepted.unwrap_or_else(|refused| panic!("{refused} in {record}")).entry);
    }
    store.write(&batch).expect("written");
}

/// The body is in memory, so collecting it never waits.
fn futures_now<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(result) => result.expect("a body in memory"),
        std::task::Poll::Pending => panic!("a body in memory does not wait"),
    }
}

#[test]
fn every_published_case_is_explained_as_it_is_served() {
    let mut groups: BTreeMap<(String, String), Vec<_>> = BTreeMap::new();
    for case in all_cases() {
        let is_get = case.ask().is_some_and(|ask| ask.method == "GET");
        if is_get && !case.store_fails() {
            let stored = serde_json::to_string(&case.stored).expect("JSON");
            groups.entry((case.config_toml(), stored)).or_default().push(case);
        }
    }
    let mut compared = 0;
    for ((config, _), cases) in groups {
        let installation = Installation::new(&config, &cases[0].stored);
        for case in cases {
            let ask = case.ask().expect("a request");
            compared += usize::from(installation.compare(&ask.target, &ask.headers));
        }
    }
    assert!(compared > 330, "only {compared} cases");
}

#[test]
fn every_reserved_path_and_random_requests_are_explained_as_they_are_served() {
    let mut compared = 0;
    for (seed, toml) in (1..).zip(CONFIGS) {
        let installation = Installation::new(toml, &records());
        for target in reserved() {
            assert!(installation.compare(&target, &[]), "{target}");
        }
        let stem = installation.router.config().settings().root().stem().to_owned();
        let mut draw = Draw::new(seed);
        for _ in 0..RANDOM {
            let drawn = draw.request(&stem);
            compared += usize::from(installation.compare(&drawn.target, &drawn.headers()));
        }
    }
    assert!(compared > 19_000, "only {compared} requests can be sent");
}

#[test]
fn the_api_explains_what_is_served() {
    for (seed, toml) in (100..).zip(CONFIGS) {
        let toml = toml.replace("logo = \"{logo}\"\n", "");
        let running = start_with(&toml);
        for record in records() {
            let key = record["anchor"].as_str().expect("a path").trim_start_matches('/');
            let put = ask("PUT", &format!("/v1/levels/{key}")).key(&running.accounts.root);
            let answer = put.json(&record).to(&running);
            assert_eq!(answer.status, 201, "{record}: {}", answer.text());
        }
        let installation = Installation::new(&toml, &records());
        let stem = installation.router.config().settings().root().stem().to_owned();
        let mut draw = Draw::new(seed);
        for _ in 0..BY_API {
            let drawn = draw.request(&stem);
            let Some(served) = installation.served(&drawn.target, &drawn.headers()) else {
                continue;
            };
            let question = json!({
                "target": drawn.target, "accept": drawn.accept, "acceptLanguage": drawn.accept_language,
            });
            let explained = ask("POST", "/v1/explain").key(&running.accounts.root).json(&question);
            let explained = explained.to(&running);
            assert_eq!(explained.status, 200, "{drawn:?}: {}", explained.text());
            assert_eq!(Seen::of_explained(&explained.json()), served, "{drawn:?}");
        }
    }
}
