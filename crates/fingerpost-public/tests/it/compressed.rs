//! Compressed paths through the router: RES-2.3-*, and what a client is told when one does not
//! decode.

use crate::body;

use bytes::Bytes;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::store_with;
use http::{Request, Response};
use http_body_util::Full;

use body::text;
use serde_json::{Value, json};

const TWIN: &str = "/01/79521141123453/21/32a%2Fb?17=220630";
const EPC: &str = "/ehfb342cde795211411234538566cb0afc4";

fn router(toml: &str) -> Router {
    let record = json!({
        "anchor": "/01/79521141123453",
        "links": [
            {"linkType": "gs1:defaultLink", "href": "https://food.example.com/{01}/{21}", "title": "Food"},
            {"linkType": "gs1:pip", "href": "https://food.example.com/{01}/{21}", "title": "Food"},
        ],
    });
    let config = Config::from_toml(toml).expect("a configuration");
    let store = store_with(&[record], &Rules::new(config.vocabulary()));
    Router::new(config, store)
}

fn ask(router: &Router, method: &str, target: &str, accept: &str) -> Response<Full<Bytes>> {
    let request = Request::builder().method(method).uri(target).header("accept", accept);
    router.handle(&request.body(()).expect("a request"))
}

/// RES-2.3-4, RES-2.3-8: status, all headers and body are those of the uncompressed request.
#[test]
fn a_compressed_request_is_answered_like_its_twin() {
    let router = router("");
    for (query, accept) in [
        ("", "*/*"),
        ("utm=a", "text/html"),
        ("linkType=linkset", "application/linkset+json"),
        ("linkType=gs1:epil", "text/html"),
        ("", "application/json"),
    ] {
        for method in ["GET", "HEAD", "OPTIONS"] {
            let join = |path: &str, mark: char| match query {
                "" => path.to_owned(),
                query => format!("{path}{mark}{query}"),
            };
            let plain = ask(&router, method, &join(TWIN, '&'), accept);
            let compressed = ask(&router, method, &join(EPC, '?'), accept);
            assert_eq!(plain.status(), compressed.status(), "{method} {query}");
            assert_eq!(plain.headers(), compressed.headers(), "{method} {query}");
            assert_eq!(text(plain), text(compressed), "{method} {query}");
        }
    }
}

/// RES-2.3-6: a 400 that says what is wrong, where, and what may help; on the page too.
#[test]
fn what_does_not_decode_is_explained() {
    let router = router("");
    for (target, reason, part) in [
        ("/eh30164596f40c0e5cbe99", "TRUNCATED", "30164596f40c0e5cbe99"),
        ("/eh30164596F40C0E5CBE991A83", "INVALID_HEX", "F"),
        ("/ex", "EMPTY", ""),
        ("/DBHKVAdpQgo", "TRUNCATED_COMPRESSED", "go"),
    ] {
        let response = ask(&router, "GET", target, "*/*");
        assert_eq!(response.status(), 400, "{target}");
        let problem: Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!(problem["code"], "invalid-compressed-link", "{target}: {problem}");
        assert_eq!((&problem["reason"], &problem["part"]), (&json!(reason), &json!(part)));
        let hint = problem["hint"].as_str().expect("a hint");
        let page = text(ask(&router, "GET", target, "text/html"));
        assert!(page.contains(&format!("What may help: {hint}.")), "{page}");
    }
}

/// RES-2.3-3: the switch of the configuration; on unless it says otherwise.
#[test]
fn legacy_decompression_can_be_switched_off() {
    let target = "/DBHKVAdpQgowOQ";
    assert_eq!(ask(&router(""), "GET", target, "*/*").status(), 404, "valid, but unknown");
    let off = router("legacy_decompression = false");
    let response = ask(&off, "GET", target, "*/*");
    assert_eq!(response.status(), 400);
    let problem: Value = serde_json::from_str(&text(response)).expect("JSON");
    assert_eq!(problem["code"], "invalid-digital-link");
    assert_eq!(ask(&off, "GET", EPC, "*/*").status(), 307, "EPC binary is no matter of the switch");
}

/// RES-2.4-18: reserved paths are served first, whatever they could be read as.
#[test]
fn reserved_paths_stay_what_they_are() {
    let router = router("");
    for (target, status) in [
        ("/health", 200),
        ("/robots.txt", 200),
        ("/favicon.ico", 200),
        ("/.well-known/nothing", 404),
    ] {
        assert_eq!(ask(&router, "GET", target, "*/*").status(), status, "{target}");
    }
    let file = text(ask(&router, "GET", "/.well-known/gs1resolver", "*/*"));
    let file: Value = serde_json::from_str(&file).expect("JSON");
    assert_eq!(file["supportedPrimaryKeys"], json!(["all"]), "RES-3-4");
}
