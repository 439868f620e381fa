//! Pages are sent compressed to those who take that (RFC 9110 sections 8.4.1.3 and 12.5.3), and
//! nothing else is.

use crate::body;
use crate::page;

use std::io::Read;

use bytes::Bytes;
use fingerpost_public::Router;
use flate2::read::GzDecoder;
use http::{HeaderMap, Request, header};
use page::{records, router, router_with};
use serde_json::json;

const PAGE: &str = "text/html, */*;q=0.1";

/// Status, header fields, and the body as it was sent.
fn ask(
    router: &Router,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
) -> (u16, HeaderMap, Bytes) {
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = router.handle(&request.body(()).expect("a request"));
    let (parts, body) = response.into_parts();
    (parts.status.as_u16(), parts.headers, body::bytes(body))
}

fn unpacked(body: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(body).read_to_end(&mut text).expect("gzip");
    text
}

const PAGES: [&str; 7] = [
    "/",
    "/?q=(01)09520123456788(10)LOT7",
    "/privacy",
    "/01/09520123456788?linkType=linkset",
    "/01/09520123456788?linkType=gs1:recipeInfo",
    "/01/09520123456788?linkType=gs1:nosuch",
    "/01/09520123456789",
];

#[test]
fn pages_are_packed_for_those_who_take_it() {
    let privacy = "Nothing is kept of what you ask. ".repeat(40);
    let router = router(&format!("[brand]\nprivacy = \"{privacy}\""));
    let style = page::page(&router, "/", "en");
    let style = style.all("link")[1].attribute("href").expect("a style sheet").to_owned();
    for target in PAGES.iter().copied().chain([&*style]) {
        let (status, plain, text) = ask(&router, "GET", target, &[("Accept", PAGE)]);
        assert!(!plain.contains_key(header::CONTENT_ENCODING), "{target}");
        for takes in ["gzip, deflate, br, zstd", "br;q=1, GZIP;q=0.001", "*"] {
            let headers = [("Accept", PAGE), ("Accept-Encoding", takes)];
            let (found, fields, body) = ask(&router, "GET", target, &headers);
            assert_eq!(
                (found, fields[header::CONTENT_ENCODING].as_bytes()),
                (status, &b"gzip"[..])
            );
            assert!(body.len() < text.len(), "{target}: {} of {}", body.len(), text.len());
            assert_eq!(unpacked(&body), text, "{target}");
            for both in [&plain, &fields] {
                let vary = both[header::VARY].to_str().expect("ASCII");
                assert!(vary.ends_with("Accept-Encoding"), "{target}: {vary}");
            }
            let (_, of_head, none) = ask(&router, "HEAD", target, &headers);
            assert_eq!(of_head[header::CONTENT_LENGTH], body.len().to_string().as_str());
            assert_eq!(none.len(), 0);
        }
        for takes in ["", "identity", "br", "gzip;q=0, *", "gzip;q=2", "x-gzip, \"gzip\""] {
            let headers = [("Accept", PAGE), ("Accept-Encoding", takes)];
            let (_, fields, body) = ask(&router, "GET", target, &headers);
            assert!(!fields.contains_key(header::CONTENT_ENCODING), "{target}: {takes}");
            assert_eq!(body, text, "{target}: {takes}");
        }
    }
}

#[test]
fn each_form_of_a_page_has_its_validator() {
    let router = router("");
    for target in ["/", "/01/09520123456788?linkType=linkset"] {
        let etag = |encoding: &str| {
            let headers = [("Accept", PAGE), ("Accept-Encoding", encoding)];
            let (_, fields, _) = ask(&router, "GET", target, &headers);
            fields[header::ETAG].to_str().expect("ASCII").to_owned()
        };
        let (plain, packed) = (etag("identity"), etag("gzip"));
        assert_ne!(plain, packed, "{target}");
        for (known, encoding, status) in [
            (&plain, "identity", 304),
            (&packed, "gzip", 304),
            (&plain, "gzip", 200),
            (&packed, "identity", 200),
        ] {
            let headers =
                [("Accept", PAGE), ("Accept-Encoding", encoding), ("If-None-Match", known)];
            let (found, fields, body) = ask(&router, "GET", target, &headers);
            assert_eq!(found, status, "{target} {encoding}");
            if status == 304 {
                assert!(!fields.contains_key(header::CONTENT_ENCODING) && body.is_empty());
                assert!(fields[header::VARY].to_str().is_ok_and(|v| v.contains("Encoding")));
            }
        }
    }
}

#[test]
fn what_programs_read_stays_as_it_is() {
    let router = router("");
    for (target, accept) in [
        ("/01/09520123456788", "*/*"),
        ("/01/09520123456788?linkType=linkset", "application/linkset+json"),
        ("/01/09520123456788?linkType=linkset", "application/ld+json"),
        ("/01/09520123456789", "application/json"),
        ("/.well-known/gs1resolver", "*/*"),
        ("/favicon.ico", "*/*"),
    ] {
        let headers = [("Accept", accept), ("Accept-Encoding", "gzip")];
        let (_, fields, _) = ask(&router, "GET", target, &headers);
        assert!(!fields.contains_key(header::CONTENT_ENCODING), "{target}");
        let vary = fields.get(header::VARY).map_or("", |vary| vary.to_str().expect("ASCII"));
        assert!(!vary.contains("Encoding"), "{target}");
    }
}

/// A page of three hundred links is sent in less than 30 kB.
#[test]
fn large_pages_are_small_on_their_way() {
    let mut records = records("Herb tea with a name of some length");
    for record in &mut records {
        let links = record["links"].as_array_mut().expect("links");
        for number in 0..146 {
            let kind = ["pip", "instructions", "recipeInfo", "support"][number % 4];
            links.push(json!({
                "linkType": format!("gs1:{kind}"), "type": "text/html", "hreflang": ["en"],
                "href": format!("https://www.example.com/products/{kind}/{number}?from=code"),
                "title": format!("What there is to know about number {number}"),
            }));
        }
    }
    let router = router_with("", &records);
    let target = "/01/09520123456788/10/LOT7?linkType=linkset";
    let headers = [("Accept", PAGE), ("Accept-Encoding", "gzip, br")];
    let size = ask(&router, "GET", target, &headers).2.len();
    assert!(size < 30_000, "{size} bytes");
}
