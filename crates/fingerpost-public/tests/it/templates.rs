//! Targets with placeholders: a link that a request cannot fill does not exist for it, in any
//! answer (RES-2.5.1-7, PE-18).

use fingerpost_public::Config;
use fingerpost_resolver::Rules;
use fingerpost_testkit::{Ask, store_with};
use serde_json::{Value, json};

use crate::support::{BOTH, Running};

const KEY: &str = "/01/09520123456788";
/// What no answer without a lot may contain.
const HOST: &str = "lots.example";

/// A product, another whose only link is a template, and their company, each with links for lots
/// only.
fn records(is_with: bool) -> Vec<Value> {
    let link =
        |link_type: &str, href: &str| json!({"linkType": link_type, "href": href, "title": "Page"});
    let of_lots = |links: &mut Vec<Value>| {
        links.push(link("gs1:traceability", &format!("https://{HOST}/{{01}}/{{10}}")));
        links.push(link("gs1:pip", &format!("https://{HOST}/pip#{{10}}")));
        links.push(link("gs1:recallStatus", &format!("https://{HOST}/recall/{{10}}.html")));
    };
    let mut product = vec![
        link("gs1:defaultLink", "https://brand.example/tea"),
        link("gs1:pip", "https://brand.example/tea"),
        link("gs1:epcis", "https://brand.example/events?lot={10}"),
    ];
    let mut company = vec![link("gs1:hasRetailers", "https://brand.example/shops")];
    let mut all = Vec::new();
    if is_with {
        of_lots(&mut product);
        of_lots(&mut company);
        let href = format!("https://{HOST}/{{10}}");
        let links = [link("gs1:defaultLink", &href), link("gs1:pip", &href)];
        all.push(json!({"anchor": "/01/09520123456795", "links": links}));
    }
    all.push(json!({"anchor": KEY, "itemDescription": "Tea", "links": product}));
    all.push(json!({"anchor": "/gcp/9520123", "links": company}));
    all
}

fn server(is_with: bool) -> Running {
    let toml = "resolver_root = \"https://id.example.org\"\n";
    let config = Config::from_toml(toml).expect("a configuration");
    let rules = Rules::new(config.vocabulary());
    let store = store_with(&records(is_with), &rules);
    Running::start(toml, store)
}

/// RES-2.5.1-7, PE-18: to requests without a lot, a resolver with links for lots answers like one
/// without them: redirects, choices, linksets, pages and headers.
#[test]
fn a_link_that_a_request_cannot_fill_is_in_no_answer() {
    let (with, without) = (server(true), server(false));
    for version in BOTH {
        let (mut one, mut other) = (with.client(version), without.client(version));
        for path in [KEY, "/01/09520123456788/21/7", "/01/09520123000004", "/01/09520123456795"] {
            for link_type in ["", "linkset", "gs1:traceability", "gs1:pip", "gs1:recallStatus"] {
                let accepts =
                    ["*/*", "text/html", "application/linkset+json", "application/linkset"];
                for accept in accepts {
                    let target = match link_type {
                        "" => path.to_owned(),
                        _ => format!("{path}?linkType={link_type}"),
                    };
                    let ask = Ask::get(&target).header("accept", accept);
                    let (found, expected) = (one.send(&ask), other.send(&ask));
                    let shown = format!("{} {:?} {}", found.status, found.headers, found.text());
                    assert!(!shown.contains(HOST), "{target} {accept}: {shown}");
                    let status = (found.status, expected.status);
                    assert_eq!(status.0, status.1, "{target} {accept}: {shown}");
                    assert_eq!(found.text(), expected.text(), "{target} {accept}");
                    let location = (found.header("location"), expected.header("location"));
                    assert_eq!(location.0, location.1, "{target} {accept}");
                }
            }
        }
    }
    // With a lot they are there, and a query has an empty value (RES-2.5.1-3).
    let mut client = with.client(BOTH[0]);
    for (target, expected) in [
        ("/01/09520123456788/10/L7?linkType=gs1:traceability", "lots.example/09520123456788/L7?"),
        ("/01/09520123456795/10/L7", "lots.example/L7"),
        ("/01/09520123000004/10/L7?linkType=gs1:recallStatus", "lots.example/recall/L7.html"),
        ("/01/09520123456788?linkType=gs1:epcis", "brand.example/events?lot=&"),
    ] {
        let answer = client.get(target);
        let location = answer.header("location").unwrap_or_default();
        assert!(location.contains(expected), "{target}: {} {location}", answer.status);
    }
}
