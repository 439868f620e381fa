//! The edge answers as the server does, in process: the same code as in the worker, for which
//! `edge_worker.rs` repeats it over sockets.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use fingerpost_edge::{Edge, Reply};
use fingerpost_public::Body;
use fingerpost_resolver::{Anchor, CompanyPrefix, ContextSource, Entry};
use fingerpost_server::now;
use fingerpost_store::Batch;
use fingerpost_testkit::Ask;
use http::{Request, Response, StatusCode, header};
use serde_json::json;

use crate::installation::{Installation, each_of_the_cases, each_of_the_random};

/// A resolver at the edge that reads the files of an export.
pub(crate) struct FromFiles<'f> {
    edge: Edge,
    records: &'f Path,
}

impl<'f> FromFiles<'f> {
    pub(crate) fn open(records: &'f Path) -> Self {
        let root = std::fs::read(records.join("root.json")).unwrap();
        Self { edge: Edge::new(&root).unwrap(), records }
    }

    /// Returns the answer; `None` if the request is passed on.
    pub(crate) fn answer(&mut self, request: &Request<()>) -> Option<Response<Body>> {
        for _ in 0..4 {
            match self.edge.answer(request, now()) {
                Reply::Answer(response) => return Some(response),
                Reply::PassOn => return None,
                Reply::Missing(names) => {
                    for name in names {
                        let path = self.records.join("objects").join(&name[..2]).join(&name);
                        self.edge.keep(&name, std::fs::read(path).ok()?).ok()?;
                    }
                }
            }
        }
        panic!("a worker reads three files at most, one after the other");
    }
}

/// Returns a request; `None` if it is none that can be sent.
pub(crate) fn request(ask: &Ask) -> Option<Request<()>> {
    let mut request = Request::builder().method(&*ask.method).uri(&*ask.target);
    for (name, value) in &ask.headers {
        request = request.header(name, value);
    }
    request.body(()).ok()
}

/// Whether a response of the server is of the kind that the edge answers itself.
fn is_for_the_edge(response: &Response<Body>, method: &str) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    let media_type = media_type.map_or("", |value| value.to_str().unwrap());
    match response.status() {
        StatusCode::TEMPORARY_REDIRECT | StatusCode::SEE_OTHER | StatusCode::NO_CONTENT => true,
        StatusCode::OK | StatusCode::MULTIPLE_CHOICES | StatusCode::NOT_FOUND => {
            let forms = ["application/linkset", "application/ld+json", "text/uri-list"];
            method != "POST" && forms.iter().any(|form| media_type.starts_with(form))
        }
        _ => false,
    }
}

fn parts(response: Response<Body>) -> (u16, Vec<(String, Vec<u8>)>, Bytes) {
    let (head, body) = response.into_parts();
    let fields = head.headers.iter();
    let mut fields: Vec<_> =
        fields.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    fields.sort();
    (head.status.as_u16(), fields, body.into_inner().unwrap_or_default())
}

/// Compares the answers of an installation; returns how many the edge gave itself.
fn compare(installation: &Installation, asks: &[Ask]) -> usize {
    let (router, records) = (installation.router(), installation.records());
    let mut edge = FromFiles::open(&records);
    let mut answered = 0;
    for ask in asks {
        let Some(request) = request(ask) else { continue };
        let served = router.handle(&request);
        match edge.answer(&request) {
            Some(response) => {
                assert_eq!(parts(response), parts(served), "{ask:?}");
                answered += 1;
            }
            None => {
                // The addresses of a name that is known by its beginning only.
                let is_by_name = ask.target.starts_with("/ur");
                let path = request.uri().path();
                let is_reserved = path.starts_with("/.well-known") || path.ends_with(".jsonld");
                let is_expected =
                    is_by_name || is_reserved || !is_for_the_edge(&served, &ask.method);
                assert!(is_expected, "{ask:?} was passed on: {served:?}");
            }
        }
    }
    answered
}

/// 37.3: all published cases.
#[test]
fn the_edge_answers_published_cases_as_the_server() {
    let (mut answered, mut asked) = (0, 0);
    each_of_the_cases(|installation, asks| {
        answered += compare(installation, asks);
        asked += asks.len();
    });
    assert!(asked > 330 && answered > 120, "{answered} of {asked}");
}

/// 37.3: 20,000 random requests.
#[test]
fn the_edge_answers_random_requests_as_the_server() {
    let (mut answered, mut asked) = (0, 0);
    each_of_the_random(|installation, asks| {
        answered += compare(installation, asks);
        asked += asks.len();
    });
    assert!(asked > 20_000 && answered > 5_000, "{answered} of {asked}");
}

/// 37.3: conditional requests, and the fields that roles add.
#[test]
fn validators_and_roles_are_those_of_the_server() {
    let toml = "[[roles]]\nname = \"recycler\"\ntitle = { en = \"Recyclers\" }";
    let installation = Installation::new(toml, &fingerpost_testkit::requests::records());
    let linkset = || {
        Ask::get("/01/09520123456788?linkType=linkset").header("accept", "application/linkset+json")
    };
    let router = installation.router();
    let etag = router.handle(&request(&linkset()).unwrap()).headers()[header::ETAG].clone();
    let etag = etag.to_str().unwrap();
    let asks = [
        linkset(),
        linkset().header("if-none-match", etag),
        linkset().header("if-none-match", "\"x\""),
        linkset().header("if-match", "\"x\""),
        Ask { method: "HEAD".into(), ..linkset() },
    ];
    assert_eq!(compare(&installation, &asks), asks.len());
    // Someone who may have a role, a signed link, too many fields.
    let records = installation.records();
    let mut edge = FromFiles::open(&records);
    for ask in [
        linkset().header("authorization", "Bearer x"),
        Ask::get("/01/09520123456788?signed-access=recycler.1.x"),
        Ask::get("/01/09520123456788").header("x", &"x".repeat(20_000)),
    ] {
        assert!(edge.answer(&request(&ask).unwrap()).is_none(), "{ask:?}");
    }
}

/// 37.1, 37.3: what the country of the client decides is answered by the origin, which knows it in
/// its own way; everything else has the same fields for caches as there.
#[test]
fn what_the_country_decides_is_passed_on() {
    let toml = "trusted_proxies = [\"10.0.0.0/8\"]\n[country]\nheader = \"CF-IPCountry\"\n\
                [cache]\nshared_max_age = \"1h\"\nstale_if_error = \"24h\"\n";
    let link = |kind: &str, page: &str, contexts: &[&str]| {
        let href = format!("https://example.com/{page}");
        json!({"linkType": kind, "title": page, "href": href, "context": contexts})
    };
    let record = |anchor: &str, source: &str| {
        json!({"anchor": anchor, "contextFrom": source, "links": [
            link("gs1:defaultLink", "all", &[]),
            link("gs1:defaultLinkMulti", "canada", &["CA"]),
            link("gs1:pip", "all", &[]),
            link("gs1:pip", "canada", &["CA"]),
        ]})
    };
    let mut silent = record("/01/09506000134352", "request");
    silent.as_object_mut().unwrap().remove("contextFrom");
    let by_country = record("/01/09520123456788", "country");
    let by_request = record("/01/09520123456795", "request");
    let installation = Installation::new(toml, &[by_country, by_request, silent]);
    let answered = |target: &str| {
        let ask = Ask::get(target).header("cf-ipcountry", "CA");
        compare(&installation, &[ask])
    };
    let is_passed_on = |target: &str| {
        let records = installation.records();
        FromFiles::open(&records).answer(&request(&Ask::get(target)).unwrap()).is_none()
    };
    assert!(is_passed_on("/01/09520123456788"));
    assert_eq!(answered("/01/09520123456788?context=CA"), 1);
    assert_eq!(answered("/01/09520123456795"), 1);
    assert_eq!(answered("/01/09506000134352"), 1);
    // Until its organisation takes the country.
    let prefix = CompanyPrefix::parse("9506000").unwrap();
    let switch = Entry::country_switch(&Anchor::company_prefix(&prefix), ContextSource::Country);
    let mut batch = Batch::unchecked();
    batch.put(Arc::new(switch));
    installation.store.write(&batch).unwrap();
    installation.export();
    assert!(is_passed_on("/01/09506000134352"));
    assert_eq!(answered("/01/09506000134352?context=CA"), 1);
}
