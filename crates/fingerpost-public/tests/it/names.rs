//! Names over HTTP: the services of RFC 2169 and `/urn/`, in process.

use crate::body;

use bytes::Bytes;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::store_with;
use http::{Request, Response, Version, header};
use http_body_util::Full;

use body::text;
use serde_json::{Value, json};

const BOOK: &str = "https://books.example/de";

/// A book, an issue of a periodical that is no variant 00, and a product with a serial number.
fn router(toml: &str) -> Router {
    let page = |href: &str| {
        json!([
            { "linkType": "gs1:defaultLink", "href": href, "title": "Page" },
            { "linkType": "gs1:pip", "href": href, "title": "Page" },
        ])
    };
    let mut book = page("https://books.example/en");
    let variants = json!([
        { "linkType": "gs1:defaultLinkMulti", "href": BOOK, "title": "Seite", "hreflang": ["de"] },
        { "linkType": "gs1:defaultLinkMulti", "href": "https://books.example/en", "title": "Page", "hreflang": ["en"] },
        { "linkType": "gs1:review", "href": BOOK, "title": "Kritik", "hreflang": ["de"] },
    ]);
    book.as_array_mut()
        .expect("a list")
        .extend(variants.as_array().expect("a list").iter().cloned());
    let records = [
        json!({ "anchor": "/01/09780451450524", "itemDescription": "A book", "links": book }),
        json!({ "anchor": "/01/09770317847018", "links": page("https://paper.example/17") }),
        json!({ "anchor": "/01/10614141123459", "links": page("https://thing.example/") }),
        json!({ "anchor": "/01/10614141123459/21/400", "links": page("https://thing.example/400") }),
    ];
    let config = Config::from_toml(toml).expect("a configuration");
    let store = store_with(&records, &Rules::new(config.vocabulary()));
    Router::new(config, store)
}

fn ask(target: &str, version: Version, headers: &[(&str, &str)]) -> Response<Full<Bytes>> {
    let mut request = Request::get(target).version(version);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    router("").handle(&request.body(()).expect("a request"))
}

fn get(target: &str) -> Response<Full<Bytes>> {
    ask(target, Version::HTTP_11, &[])
}

fn location(response: &Response<Full<Bytes>>) -> &str {
    response.headers()[header::LOCATION].to_str().expect("ASCII")
}

/// WWW-THT-03, WWW-THT-10, WWW-GW-02, URN-MAP-01: the default link, by the selection of a Digital
/// Link.
#[test]
fn n2l_redirects_to_the_default_link() {
    let response = get("/uri-res/N2L?urn:isbn:0-451-45052-3");
    assert_eq!(
        (response.status().as_u16(), location(&response)),
        (303, "https://books.example/en")
    );
    let response = ask("/uri-res/N2L?URN:ISBN:9780451450524", Version::HTTP_10, &[]);
    assert_eq!(
        (response.status().as_u16(), location(&response)),
        (302, "https://books.example/en")
    );
    let response =
        ask("/uri-res/N2L?urn:isbn:0451450523", Version::HTTP_2, &[("Accept-Language", "de")]);
    assert_eq!((response.status().as_u16(), location(&response)), (303, BOOK));
}

/// URN-MAP-04, URN-MAP-18: the serial number first, and the product for one that nobody registered.
#[test]
fn levels_are_those_of_a_digital_link() {
    let of = |serial: &str| {
        let response = get(&format!("/uri-res/N2L?urn:epc:id:sgtin:0614141.112345.{serial}"));
        location(&response).to_owned()
    };
    assert_eq!(of("400"), "https://thing.example/400");
    assert_eq!(of("401"), "https://thing.example/");
}

/// URN-MAP-14: EPC URNs of every kind, tags by what they encode; compressed locators stand for what
/// they hold.
#[test]
fn every_kind_of_epc_urn() {
    for (operand, expected) in [
        ("N2L?urn:epc:id:sgtin:0614141.112345.400", "https://thing.example/400"),
        ("N2L?URN:EPC:tag:sgtin-96:3.0614141.112345.400", "https://thing.example/400"),
        ("N2L?urn:epc:tag:sgtin-198:3.0614141.112345.401", "https://thing.example/"),
        ("N2L?urn:epc:idpat:sgtin:0614141.112345.*", "https://thing.example/"),
        ("N2L?urn:epc:class:lgtin:0614141.112345.L1", "https://thing.example/"),
        ("N2L?urn:epc:id:upui:0614141.112345.L1", "https://thing.example/"),
    ] {
        let response = get(&format!("/uri-res/{operand}"));
        assert_eq!((response.status().as_u16(), location(&response)), (303, expected), "{operand}");
        let urn = &operand["N2L?".len()..];
        assert_eq!(location(&get(&format!("/urn/{urn}"))), expected, "{urn}");
    }
    let plain = text(get("/uri-res/L2Ls?https://other.example/01/10614141123459/21/400"));
    let compressed = text(get("/uri-res/L2Ls?https://other.example/eh3074257bf46db64000000190"));
    let uris = |list: &str| list.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(uris(&plain), uris(&compressed));
}

/// URN-MAP-03: the variant of a periodical is not in its ISSN.
#[test]
fn any_variant_of_a_periodical_will_do() {
    let response = get("/uri-res/N2L?urn:issn:0317-8471");
    assert_eq!(
        (response.status().as_u16(), location(&response)),
        (303, "https://paper.example/17")
    );
}

/// WWW-THT-04, WWW-THT-05, WWW-THT-11: lists, each URI once, after the asked one as a comment;
/// caches ask again.
#[test]
fn lists_of_uris() {
    let response = get("/uri-res/N2Ls?urn:isbn:0451450523");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/uri-list");
    assert_eq!(response.headers()[header::CACHE_CONTROL], "no-cache");
    assert!(response.headers().contains_key(header::VARY));
    assert_eq!(
        text(response),
        format!("# urn:isbn:0451450523\r\nhttps://books.example/en\r\n{BOOK}\r\n")
    );
    let names = text(get("/uri-res/N2Ns?urn:isbn:0-451-45052-3"));
    assert_eq!(
        names,
        "# urn:isbn:0-451-45052-3\r\nurn:isbn:0451450523\r\nurn:isbn:9780451450524\r\n"
    );
    let names = text(get("/uri-res/L2Ns?https://id.example.org/01/09780451450524"));
    assert!(names.ends_with("\r\nurn:isbn:9780451450524\r\nurn:isbn:0451450523\r\n"), "{names}");
    let links = text(get("/uri-res/L2Ls?https://other.example/x/01/09780451450524?a=b"));
    assert_eq!(links.lines().count(), 3, "{links}");
}

/// WWW-THT-06, URI-BASE-03: the linkset is the description, in the form that is negotiated; its
/// URIs are absolute.
#[test]
fn descriptions_are_linksets() {
    let headers = [("Accept", "application/linkset+json")];
    for target in [
        "/uri-res/N2C?urn:isbn:0451450523",
        "/uri-res/L2C?https://id.example.org/01/09780451450524",
    ] {
        let response = ask(target, Version::HTTP_11, &headers);
        assert_eq!(response.status(), 200, "{target}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/linkset+json");
        let linkset: Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!(linkset["linkset"][0]["anchor"], "https://id.example.org/01/09780451450524");
    }
    let page = get("/uri-res/N2C?urn:isbn:0451450523");
    assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
}

/// RFC 8141 section 2.3.2, WWW-THT-12: the q-component is for the resource, so the target gets it;
/// directives are for the resolver.
#[test]
fn rfc_8141_2_3_2_the_q_component_is_passed_on() {
    for (target, expected) in [
        ("/urn/urn:isbn:0451450523?=a=b", "https://books.example/en?a=b"),
        ("/urn/urn:isbn:0451450523?+r=1?=a=b&c?d", "https://books.example/en?a=b&c?d"),
        ("/urn/urn:isbn:0451450523?+r=1", "https://books.example/en"),
        ("/uri-res/N2L?urn:isbn:0451450523?=a=b", "https://books.example/en?a=b"),
        ("/urn/urn:isbn:0451450523?zz=1", "https://books.example/en"),
        (
            "/urn/urn:isbn:0451450523?=linkType=gs1:review&x",
            "https://books.example/de?linkType=gs1:review&x",
        ),
    ] {
        assert_eq!(location(&get(target)), expected, "{target}");
    }
    assert_eq!(get("/urn/urn:isbn:0451450523?=s=I2Ls").status(), 303, "it chooses no service");
}

/// WWW-THT-12: the selection of the Digital Link of the thing.
#[test]
fn rfc_2169_names_are_selected_like_digital_links() {
    let linkset = [("Accept", "application/linkset+json")];
    let ask = |target: &str, headers: &[(&str, &str)]| ask(target, Version::HTTP_11, headers);
    for name in ["/urn/urn:isbn:0451450523", "/uri-res/N2L?urn:isbn:0451450523"] {
        let review = ask(&format!("{name}?linkType=gs1:review"), &[]);
        assert_eq!((review.status().as_u16(), location(&review)), (303, BOOK), "{name}");
        let nothing = ask(&format!("{name}?linkType=gs1:nope"), &linkset[..0]);
        assert_eq!(nothing.status(), 404, "{name}");
        let all = ask(&format!("{name}?linkType=linkset"), &linkset);
        assert_eq!(all.status(), 200, "{name}");
    }
    assert_eq!(ask("/urn/urn:isbn:0451450523", &linkset).status(), 200);
    assert_eq!(ask("/01/09780451450524", &linkset).status(), 200);
    // RFC 2169 section 3: N2L is a request for a locator.
    assert_eq!(ask("/uri-res/N2L?urn:isbn:0451450523", &linkset).status(), 303);
    assert_eq!(ask("/urn/urn:isbn:0451450523?s=I2L", &linkset).status(), 303);
    let of_type = text(get("/uri-res/N2Ls?urn:isbn:0451450523?linkType=gs1:review"));
    assert!(of_type.ends_with("\r\nhttps://books.example/de\r\n"), "{of_type}");
    assert_eq!(of_type.lines().count(), 2, "{of_type}");
}

/// WWW-THT-12, URN-SVC-01, URN-SVC-02: one name, and all names.
#[test]
fn urn_9_2_2_i2n_is_one_name() {
    let one = get("/urn/urn:isbn:0-451-45052-3?s=I2N");
    assert_eq!(one.headers()[header::CONTENT_TYPE], "text/uri-list");
    assert_eq!(text(one), "# urn:isbn:0-451-45052-3?s=I2N\r\nurn:isbn:0451450523\r\n");
    assert_eq!(text(get("/urn/urn:isbn:0451450523?s=I2Ns")).lines().count(), 3);
}

/// WWW-THT-08: locators are known by the identifier in them; the answer says so.
#[test]
fn rfc_2169_targets_are_not_searched() {
    for service in ["L2Ns", "L2Ls", "L2C"] {
        let response = get(&format!("/uri-res/{service}?https://books.example/en"));
        assert_eq!(response.status(), 404);
        let problem: Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!(problem["code"], "unknown-entity");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains("not searched"), "{problem}");
    }
}

/// WWW-THT-09, URN-SVC-05, URN-QRY-06: the directive counts on the entry without a service, and
/// there only.
#[test]
fn directives_choose_the_service() {
    for (target, status) in [
        ("/urn/urn:isbn:0451450523", 303),
        ("/urn/urn:isbn:0451450523?s=I2Ls", 200),
        ("/urn/urn:isbn:0451450523?s=I2C", 200),
        ("/urn/urn:isbn:0451450523?s=I2U", 303),
        ("/urn/urn:isbn:0451450523?s=I2R", 303),
        ("/urn/urn:isbn:0451450523?s=I2Ls&s=I2C", 303),
        ("/urn/urn:isbn:0451450523?zz=1&c=ToC", 303),
        ("/urn/urn:isbn:0451450523?=q", 303),
        ("/uri-res/N2L?urn:isbn:0451450523?s=I2Ls", 303),
    ] {
        assert_eq!(get(target).status(), status, "{target}");
    }
}

/// WWW-THT-07, WWW-THT-08, URI-SEC-03, URN-SVC-03, URN-MAP-14, URN-MAP-17.
#[test]
fn what_cannot_be_answered() {
    for (target, status, code) in [
        ("/uri-res/N2L?urn:isbn:0451450524", 400, "invalid-name"),
        ("/uri-res/N2L?urn:epc:id:sgtin:1", 400, "invalid-name"),
        ("/uri-res/N2L?http://a/", 400, "invalid-name"),
        ("/uri-res/L2Ns?urn:isbn:0451450523", 400, "invalid-name"),
        ("/uri-res/N2L", 400, "invalid-name"),
        ("/uri-res/?urn:isbn:0451450523", 404, "not-found"),
        ("/uri-res/n2l?urn:isbn:0451450523", 404, "not-found"),
        ("/uri-res/N2L?urn:isbn:9780306406157", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:foo:a", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:raw:96.x00", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:id:gid:1.2.3", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:tag:gid-96:1.2.3", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:id:unknown:1.2", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:idpat:sgtin:0614141.*.*", 404, "unknown-entity"),
        ("/uri-res/N2L?urn:epc:tag:sgtin-96:9.0614141.112345.400", 400, "invalid-name"),
        ("/urn/urn:epc:id:sgtin:0614141.12345.400", 400, "invalid-name"),
        ("/uri-res/N2C?urn:isbn:9780306406157", 404, "unknown-entity"),
        ("/uri-res/L2Ns?http://nobody.example/", 404, "unknown-entity"),
        ("/uri-res/N2R?urn:isbn:0451450523", 501, "not-implemented"),
        ("/uri-res/N2Rs?urn:isbn:0451450523", 501, "not-implemented"),
        ("/urn/", 400, "invalid-name"),
        ("/urn/urn:foo:a%00", 400, "invalid-name"),
        ("/urn/isbn:0451450523", 400, "invalid-name"),
    ] {
        let response = get(target);
        let found = response.status().as_u16();
        let problem: Value = serde_json::from_str(&text(response)).expect("JSON");
        assert_eq!((found, &problem["code"]), (status, &json!(code)), "{target}: {problem}");
    }
    let request = Request::post("/uri-res/N2L?urn:isbn:0451450523").body(()).expect("a request");
    assert_eq!(router("").handle(&request).status(), 405);
}

/// RES-2.8-1: keys of another resolver are handed over, by whatever name they are asked for.
#[test]
fn patterns_hold_for_names_too() {
    let router = router(
        "patterns = [{ path_prefix = \"/01/0978\", target_root = \"https://other.example/r\" }]",
    );
    let request = Request::get("/uri-res/N2L?urn:isbn:0451450523").body(()).expect("a request");
    let response = router.handle(&request);
    assert_eq!(
        (response.status().as_u16(), location(&response)),
        (303, "https://other.example/r/01/09780451450524")
    );
}
