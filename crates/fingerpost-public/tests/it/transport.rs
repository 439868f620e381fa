//! HTTP itself, in process: methods, conditional requests, errors, reserved paths.

use crate::body;

use bytes::Bytes;
use fingerpost_engine::{EngineError, Table};
use fingerpost_public::{Config, Peer, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::{all_cases, failing, store_with, unavailable};
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::Full;

use body::text;

const GTIN: &str = "/01/09520123456788";

fn router(toml: &str) -> Router {
    let cases = all_cases();
    let case = cases.iter().find(|case| case.id == "C-2.5.9-e").expect("the case");
    let config = Config::from_toml(toml).expect("a configuration");
    let store = store_with(&case.stored, &Rules::new(config.vocabulary()));
    Router::new(config, store)
}

fn ask(
    router: &Router,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> Response<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    router.handle(&request.body(()).expect("a request"))
}

fn get(router: &Router, target: &str) -> Response<Full<Bytes>> {
    ask(router, "GET", target, &[])
}

fn without_length(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(header::CONTENT_LENGTH);
    headers
}

#[test]
fn head_is_get_without_the_body() {
    // RES-2.2-2
    let router = router("");
    let accept = [("Accept", "application/linkset+json")];
    let page = [("Accept", "text/html")];
    for (target, headers) in [
        (GTIN, &[][..]),
        (GTIN, &accept),
        ("/01/09520123456788?linkType=linkset", &page),
        ("/01/09520123456788?linkType=gs1:nosuch", &accept),
        ("/01/09506000134369", &[]),
        ("/01/09520123456789", &page),
        ("/.well-known/gs1resolver", &[]),
        ("/health", &[]),
    ] {
        let got = ask(&router, "GET", target, headers);
        let head = ask(&router, "HEAD", target, headers);
        assert_eq!(head.status(), got.status(), "{target}");
        assert_eq!(without_length(head.headers()), without_length(got.headers()), "{target}");
        let length =
            head.headers().get(header::CONTENT_LENGTH).map(|length| length.as_bytes().to_vec());
        let body = text(got);
        if !body.is_empty() {
            assert_eq!(length, Some(body.len().to_string().into_bytes()), "{target}");
        }
        assert_eq!(text(head), "", "{target}");
    }
}

#[test]
fn options_are_answered_on_any_path() {
    // RES-2.2-3, RES-2.2-6
    let router = router("");
    for target in [GTIN, "/01/notagtin", "/", "/.well-known/gs1resolver", "/nowhere", "*"] {
        let headers = [("Origin", "null"), ("Access-Control-Request-Headers", "X-Own, accept")];
        let response = ask(&router, "OPTIONS", target, &headers);
        assert_eq!(response.status(), 204, "{target}");
        assert_eq!(response.headers()[header::ALLOW], "GET, HEAD, OPTIONS");
        let allowed =
            response.headers()[header::ACCESS_CONTROL_ALLOW_HEADERS].to_str().expect("ASCII");
        for name in ["Accept", "Accept-Language", "X-Own"] {
            assert!(allowed.contains(name), "{allowed}");
        }
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }
}

#[test]
fn other_methods_are_not_allowed() {
    // RES-2.2-7
    let router = router("");
    for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE"] {
        let response = ask(&router, method, GTIN, &[]);
        assert_eq!(response.status(), 405, "{method}");
        assert_eq!(response.headers()[header::ALLOW], "GET, HEAD, OPTIONS");
        assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    }
}

/// RES-2.2-7: RFC 9110 sections 9.1 and 9.3.6.
#[test]
fn rfc_9110_9_1_unknown_methods_are_not_implemented() {
    let router = router("");
    for method in ["PROPFIND", "BREW", "get"] {
        assert_eq!(ask(&router, method, GTIN, &[]).status(), 501, "{method}");
    }
    assert_eq!(ask(&router, "CONNECT", GTIN, &[]).status(), 400);
}

/// RES-2.2-12: RFC 9110 section 13.1.1.
#[test]
fn rfc_9110_13_1_1_if_match_is_a_condition() {
    let router = router("");
    let linkset = format!("{GTIN}?linkType=linkset");
    let json = ("accept", "application/linkset+json");
    let first = ask(&router, "GET", &linkset, &[json]);
    let etag = first.headers()[header::ETAG].to_str().expect("ASCII").to_owned();
    let status = |target: &str, tag: &str| {
        ask(&router, "GET", target, &[json, ("if-match", tag)]).status().as_u16()
    };
    assert_eq!((status(&linkset, &etag), status(&linkset, "*")), (200, 200));
    assert_eq!(
        (status(&linkset, "\"x\""), status("/.well-known/gs1resolver", "\"x\"")),
        (412, 412)
    );
    let redirect = ask(&router, "GET", GTIN, &[("if-match", "\"x\"")]);
    assert_eq!(redirect.status(), 307, "an answer without a validator has no condition");
}

/// RES-2.10-19: RFC 9116.
#[test]
fn rfc_9116_security_contacts_are_published() {
    let path = "/.well-known/security.txt";
    assert_eq!(ask(&router(""), "GET", path, &[]).status(), 404);
    let router = router("security_contact = \"mailto:security@example.org\"");
    let response = ask(&router, "GET", path, &[]);
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/plain; charset=utf-8");
    let text = text(response);
    assert!(text.starts_with("Contact: mailto:security@example.org\nExpires: 2"), "{text}");
    assert!(
        text.contains("T00:00:00Z\nCanonical: https://id.example.org/.well-known/security.txt\n"),
        "{text}"
    );
    for wrong in ["http://example.org/", "security@example.org", "mailto:"] {
        let toml = format!("security_contact = {wrong:?}");
        assert!(Config::from_toml(&toml).is_err(), "{wrong}");
    }
}

#[test]
fn linksets_are_revalidated() {
    // RES-2.10-10 for Vary on a 304 as well
    let router = router("");
    let json = ("Accept", "application/linkset+json");
    let first = ask(&router, "GET", GTIN, &[json]);
    assert_eq!(first.headers()[header::CACHE_CONTROL], "no-cache");
    let etag = first.headers()[header::ETAG].to_str().expect("ASCII").to_owned();
    for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
        let again = ask(&router, "GET", GTIN, &[json, ("If-None-Match", &known)]);
        assert_eq!(again.status(), 304, "{known}");
        assert_eq!(again.headers()[header::ETAG], etag.as_str());
        for name in [header::VARY, header::CACHE_CONTROL, header::ACCESS_CONTROL_ALLOW_ORIGIN] {
            assert!(again.headers().contains_key(&name), "{name}");
        }
        assert_eq!(text(again), "");
    }
    let other = ask(&router, "GET", GTIN, &[json, ("If-None-Match", "\"other\"")]);
    assert_eq!(other.status(), 200);
    // Each form has its own validator.
    let page =
        ask(&router, "GET", "/01/09520123456788?linkType=linkset", &[("Accept", "text/html")]);
    assert_ne!(page.headers()[header::ETAG], etag.as_str());
    let head = ask(&router, "HEAD", GTIN, &[json, ("If-None-Match", &etag)]);
    assert_eq!(head.status(), 304);
    // A redirect is no representation.
    assert!(!get(&router, GTIN).headers().contains_key(header::ETAG));
}

#[test]
fn a_linkset_may_be_kept_as_configured() {
    // RES-2.5.7-2: the window edge is tested with the function itself
    let router = router("linkset_max_age = \"1h\"");
    let response = ask(&router, "GET", GTIN, &[("Accept", "application/linkset+json")]);
    assert_eq!(response.headers()[header::CACHE_CONTROL], "max-age=3600");
}

#[test]
fn problems_are_documents_or_pages() {
    // RES-2.2-10, RES-2.4.1-1, RES-2.4.1-3, RES-2.4.1-4, RES-2.2-5
    let router = router("");
    let response = get(&router, "/01/09520123456789");
    assert_eq!(response.status(), 400);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
    assert_eq!(response.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    let document: serde_json::Value = serde_json::from_str(&text(response)).expect("JSON");
    assert_eq!(document["type"], "about:blank");
    assert_eq!(document["title"], "Bad Request");
    assert_eq!(document["status"], 400);
    assert_eq!(document["code"], "invalid-value");
    assert_eq!(document["ai"], "01");
    assert!(
        document["detail"].as_str().is_some_and(|detail| detail.contains("check digit")),
        "{document}"
    );

    let response = ask(&router, "GET", "/01/09520123456789", &[("Accept", "text/html,*/*;q=0.8")]);
    assert_eq!(response.status(), 400);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let policy = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().expect("ASCII");
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    let page = text(response);
    assert!(page.contains("<html lang=\"en\">") && page.contains("<mark>"), "{page}");

    for (target, status, code) in [
        ("/01/09520123456788/foo", 400, "invalid-digital-link"),
        ("/01/09520123456788/21/a%20b", 400, "invalid-value"),
        ("/01/09506000134369", 404, "unknown-entity"),
        ("/.well-known/nothing", 404, "not-found"),
        ("/urn/urn:epc:id:sgtin:1", 400, "invalid-name"),
    ] {
        let response = get(&router, target);
        assert_eq!(response.status(), status, "{target}");
        let document: serde_json::Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!(document["code"], code, "{target}");
    }
}

#[test]
fn request_text_is_escaped_and_cut_in_pages() {
    // RES-2.4.1-4, RES-2.10-15
    let router = router("");
    let long = "x".repeat(500);
    let target = format!("/%3Cscript%3E{{\"}}/{long}");
    let page = text(ask(&router, "GET", &target, &[("Accept", "text/html")]));
    assert!(!page.contains("<script") && !page.contains("{\"}"), "{page}");
    assert!(!page.contains(&"x".repeat(100)), "{page}");
}

#[test]
fn reserved_paths_are_at_the_root_of_the_host() {
    // RES-2.4-18, RES-3-16, RES-2.10-14
    let router = router(
        "resolver_root = \"https://id.example.org/shop\"\nown_context = \"/context.jsonld\"",
    );
    for (target, status, content_type) in [
        ("/", 200, "text/html; charset=utf-8"),
        ("/health", 200, "application/json"),
        ("/ready", 200, "application/json"),
        ("/favicon.ico", 200, "image/svg+xml"),
        ("/robots.txt", 200, "text/plain; charset=utf-8"),
        ("/.well-known/gs1resolver", 200, "application/json"),
        ("/context.jsonld", 200, "application/ld+json"),
        ("/.well-known/", 404, "application/problem+json"),
        ("/.well-known/acme-challenge/x", 404, "application/problem+json"),
        ("/uri-res/N2R?urn:isbn:0451450523", 501, "application/problem+json"),
        ("/urn/x", 400, "application/problem+json"),
        ("/health/", 400, "application/problem+json"),
        ("/urnish", 400, "application/problem+json"),
        ("/shop/health", 400, "application/problem+json"),
        ("/shop/", 400, "application/problem+json"),
        ("/shop/.well-known/gs1resolver", 400, "application/problem+json"),
        ("/shop/context.jsonld", 400, "application/problem+json"),
    ] {
        let response = get(&router, target);
        assert_eq!(response.status(), status, "{target}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], content_type, "{target}");
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{target}");
    }
}

#[test]
fn a_store_that_fails_is_503() {
    // RES-2.2-8, RES-2.4.1-3, RES-2.4.1-5
    let router = Router::new(Config::from_toml("").expect("defaults"), unavailable());
    for target in [GTIN, "/ready", "/01/09520123456788?linkType=linkset"] {
        let response = get(&router, target);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{target}");
        assert!(response.headers().contains_key(header::RETRY_AFTER));
        let document: serde_json::Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!(document["code"], "store-unavailable");
        assert!(document.get("detail").is_none(), "nothing about the store leaks: {document}");
    }
    assert_eq!(get(&router, "/health").status(), 200);
    assert_eq!(
        get(&router, "/01/09520123456789").status(),
        400,
        "judged before the store is asked"
    );
}

#[test]
fn a_defect_is_500_with_a_number_and_nothing_else() {
    // RES-2.4.1-5
    let damaged = failing(|| EngineError::Row { table: Table::Entries, key: b"secret".to_vec() });
    for store in [damaged, failing(|| panic!("secret"))] {
        let router = Router::new(Config::from_toml("").expect("defaults"), store);
        for target in [GTIN, "/01/09520123456788/10/A"] {
            for accept in ["application/json", "text/html"] {
                let response = ask(&router, "GET", target, &[("Accept", accept)]);
                assert_eq!(response.status(), 500, "{target}");
                let body = text(response);
                assert!(!body.contains("secret"), "{body}");
                assert!(body.contains("requestId") || body.contains("please quote"), "{body}");
            }
        }
    }
}

#[test]
fn targets_and_headers_have_limits() {
    let router = router("[limits]\nmax_target_bytes = 100\nmax_header_bytes = \"8 KiB\"");
    let target = format!("{GTIN}?q={}", "x".repeat(100 - GTIN.len() - 3));
    assert_eq!(get(&router, &target).status(), 307);
    assert_eq!(get(&router, &format!("{target}x")).status(), 414);
    let large = "x".repeat(9000);
    assert_eq!(ask(&router, "GET", GTIN, &[("X-Large", &large)]).status(), 431);
}

#[test]
fn trusted_proxies_may_say_that_the_client_spoke_http() {
    // RES-2.2-4
    let router = router("trusted_proxies = [\"10.0.0.0/8\"]");
    let from = |peer: &str, proto: &str, method: &str, target: &str| {
        let request =
            Request::builder().method(method).uri(target).header("X-Forwarded-Proto", proto);
        let peer = Peer { address: peer.parse().ok() };
        router.handle_from(&request.body(()).expect("a request"), peer)
    };
    let target = "/01/09520123456788/10/A%2FB?linkType=gs1:pip&x";
    let response = from("10.1.2.3", "http", "GET", target);
    assert_eq!(response.status(), 307);
    assert_eq!(response.headers()[header::LOCATION], format!("https://id.example.org{target}"));
    // What is not the word of a trusted proxy is answered directly.
    for (peer, proto) in [("10.1.2.3", "https"), ("192.0.2.1", "http")] {
        let location = from(peer, proto, "GET", GTIN).headers()[header::LOCATION].clone();
        assert_eq!(location, "https://example.com/en/defaultPage");
    }
    assert_eq!(from("10.1.2.3", "http", "OPTIONS", GTIN).status(), 204);
    assert_eq!(from("10.1.2.3", "http", "GET", "/health").status(), 200);
}

#[test]
fn a_server_without_tls_answers_directly() {
    // RES-2.2-4
    let response = get(&router("resolver_root = \"https://id.example.org\""), GTIN);
    assert_eq!(response.headers()[header::LOCATION], "https://example.com/en/defaultPage");
}
