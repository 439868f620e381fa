//! What one request costs inside the router, without sockets: the part that is added to hyper's own
//! work.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::{all_cases, store_with};
use http::Request;
use serde_json::{Value, json};

fn router() -> Router {
    let cases = all_cases();
    let case = cases.iter().find(|case| case.id == "C-2.5.9-e").expect("the case");
    let config = Config::from_toml("").expect("defaults");
    let store = store_with(&case.stored, &Rules::new(config.vocabulary()));
    Router::new(config, store)
}

fn requests(c: &mut Criterion) {
    let router = router();
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    for (name, target, headers) in [
        ("redirect_plain", "/01/09520123456788", &[][..]),
        (
            "redirect_browser",
            "/01/09520123456788/10/L1/21/S7",
            &[("accept", browser), ("accept-language", "fr-CH, fr;q=0.9, en;q=0.8")],
        ),
        ("redirect_link_type", "/01/09520123456788?linkType=gs1:pip", &[("accept-language", "en")]),
        ("linkset", "/01/09520123456788", &[("accept", "application/linkset+json")]),
        ("page", "/01/09520123456788?linkType=linkset", &[("accept", browser)]),
        ("bad_request", "/01/09520123456789", &[]),
        ("unknown", "/01/09506000134369", &[]),
    ] {
        let mut request = Request::builder()
            .uri(target)
            .header("host", "id.example.org")
            .header("user-agent", "bench");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        c.bench_function(name, |b| b.iter(|| router.handle(black_box(&request))));
    }
}

/// A page of three hundred links, plain and compressed.
fn large_page(c: &mut Criterion) {
    let links: Vec<Value> = (0..300)
        .map(|number| {
            let kind = ["pip", "instructions", "recipeInfo", "support"][number % 4];
            json!({
                "linkType": format!("gs1:{kind}"), "type": "text/html", "hreflang": ["en"],
                "href": format!("https://www.example.com/products/{kind}/{number}?from=code"),
                "title": format!("What there is to know about number {number}"),
            })
        })
        .chain([json!({
            "linkType": "gs1:defaultLink", "title": "Tea",
            "href": "https://www.example.com/products/pip/0?from=code",
        })])
        .collect();
    let record = json!({"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": links});
    let config = Config::from_toml("").expect("defaults");
    let store = store_with(&[record], &Rules::new(config.vocabulary()));
    let router = Router::new(config, store);
    for (name, encoding) in [("large_page", "identity"), ("large_page_gzip", "gzip")] {
        let request = Request::builder()
            .uri("/01/09520123456788?linkType=linkset")
            .header("accept", "text/html")
            .header("accept-encoding", encoding)
            .body(())
            .expect("a request");
        assert_eq!(router.handle(&request).status(), 200);
        c.bench_function(name, |b| b.iter(|| router.handle(black_box(&request))));
    }
}

criterion_group!(benches, requests, large_page);
criterion_main!(benches);
