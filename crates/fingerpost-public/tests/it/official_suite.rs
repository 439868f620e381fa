//! What GS1's official test suite needs (`docs/requirements/resolver.md`, "Running the official
//! suite"), over HTTPS on 127.0.0.1 with a self-signed certificate, over HTTP/1.1 and HTTP/2.

use crate::support;

use fingerpost_testkit::{Answer, Ask, description_faults, linkset_faults, published};
use support::{BOTH, Client, Running, Version};

const GTIN: &str = "/01/09520123456788";

fn on_both(check: impl Fn(&mut Client, Version)) {
    // RES-2.9-8: the suite also passes where records of a company prefix, any variant and a range
    // apply.
    for server in [Running::standard_over_tls(), Running::mixed_over_tls()] {
        for version in BOTH {
            check(&mut server.client(version), version);
        }
    }
}

/// The suite's helper sends `Accept: */*` where the test sets none.
fn plain(client: &mut Client, target: &str) -> Answer {
    client.send(&Ask::get(target).header("Accept", "*/*"))
}

fn linkset(client: &mut Client, target: &str) -> Answer {
    client.send(&Ask::get(target).header("Accept", "application/linkset+json"))
}

#[test]
fn description_file_may_be_read_by_browsers() {
    // RES-2.2-1, RES-2.2-4, RES-2.2-5, RES-3-1, RES-3-2, RES-3-15
    on_both(|client, version| {
        let ask = Ask::get("/.well-known/gs1resolver").header("Origin", "https://ref.gs1.org");
        let answer = client.send(&ask);
        assert_eq!(answer.status, 200, "{version:?}");
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some("*"));
        assert_eq!(answer.header("content-type").as_deref(), Some("application/json"));
        let file = answer.json().expect("JSON");
        assert_eq!(description_faults(&file), [""; 0]);
        assert_eq!(file["resolverRoot"], "https://id.example.org");
    });
}

#[test]
fn preflight_as_the_suite_sends_it() {
    // RES-2.2-3, RES-2.2-6, RES-2.2-11
    on_both(|client, _| {
        let ask = Ask { method: "OPTIONS".into(), ..Ask::get(GTIN) }
            .header("Origin", "https://ref.gs1.org/test-suites/resolver/")
            .header("Access-Control-Request-Method", "GET,HEAD,OPTIONS");
        let answer = client.send(&ask);
        assert_eq!((answer.status, answer.body.len()), (204, 0));
        for name in ["allow", "access-control-allow-methods"] {
            assert_eq!(answer.header(name).as_deref(), Some("GET, HEAD, OPTIONS"));
        }
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some("*"));
        let link = answer.header("link").expect("a pointer to the linkset");
        assert!(link.contains("rel=\"linkset\""), "{link}");
    });
}

#[test]
fn invalid_paths_and_slashes() {
    // RES-2.4-2, RES-2.4.1-1, RES-2.13-1, RES-2.13-2
    on_both(|client, _| {
        assert_eq!(plain(client, &format!("{GTIN}/foo")).status, 400);
        let (without, with) = (plain(client, GTIN), plain(client, &format!("{GTIN}/")));
        assert_eq!(
            (without.status, without.header("location")),
            (with.status, with.header("location"))
        );
        assert_eq!(without.status, 307);
    });
}

#[test]
fn unregistered_qualifiers_and_forwarded_queries() {
    // RES-2.5.9-6, RES-2.12-1, RES-2.12-3
    on_both(|client, _| {
        let default = plain(client, GTIN).header("location").expect("a default");
        let lot = plain(client, &format!("{GTIN}/10/KL8G"));
        assert_eq!((lot.status, lot.header("location")), (307, Some(default.clone())));
        let forwarded = plain(client, &format!("{GTIN}?foo=bar")).header("location");
        assert_eq!(forwarded, Some(format!("{default}?foo=bar")));
        assert_eq!(plain(client, &format!("{GTIN}?")).header("location"), Some(default));
    });
}

#[test]
fn linksets_are_valid_and_anchored() {
    // RES-2.9-1, RES-2.9-2, RES-2.9-6, RES-2.10-1, RES-2.10-3, RES-2.10-4
    on_both(|client, _| {
        assert_eq!(plain(client, &format!("{GTIN}?linkType=linkset")).status, 200);
        for target in [GTIN.to_owned(), format!("{GTIN}?linkType=all")] {
            let answer = linkset(client, &target);
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("content-type").as_deref(), Some("application/linkset+json"));
            let context = answer.header("link").expect("a pointer to the context");
            let part = context.split(',').find(|part| part.contains("json-ld#context"));
            assert!(
                part.is_some_and(|part| part.contains("type=\"application/ld+json\"")),
                "{context}"
            );
            let found = published(&answer).expect("a linkset");
            assert_eq!(linkset_faults(&found.document), [""; 0]);
            assert_eq!(found.anchors, [format!("https://id.example.org{GTIN}")]);
        }
        // The anchor is the tested URI, or it cut by two segments at a time.
        let lot = published(&linkset(client, &format!("{GTIN}/10/L1"))).expect("a linkset");
        let uri = format!("https://id.example.org{GTIN}");
        assert_eq!(lot.anchors, [format!("{uri}/10/L1"), uri]);
    });
}

#[test]
fn every_published_link_is_reached() {
    // RES-2.5.8-1, RES-2.6.1-1, RES-2.6.2-1, RES-2.6.2-2, RES-2.6.3-8
    on_both(|client, _| {
        let found = published(&linkset(client, GTIN)).expect("a linkset");
        let defaults: Vec<_> =
            found.links.iter().filter(|(name, _)| name.ends_with("/defaultLink")).collect();
        assert_eq!(defaults.len(), 1);
        let location = plain(client, GTIN).header("location");
        assert_eq!(location.as_deref(), defaults[0].1["href"].as_str());
        for (name, link) in &found.links {
            let local = name.rsplit('/').next().expect("a name");
            if local.starts_with("defaultLink") {
                continue;
            }
            let target = format!("{GTIN}?linkType=gs1:{local}");
            let language = link["hreflang"][0].as_str().unwrap_or("undefined");
            let accept = link["type"].as_str().unwrap_or("undefined");
            let ask =
                Ask::get(&target).header("Accept", accept).header("Accept-Language", language);
            let answer = client.send(&ask);
            assert!([300, 307].contains(&answer.status), "{target}: {}", answer.status);
            if answer.status == 307 {
                let expected =
                    format!("{}?linkType=gs1:{local}", link["href"].as_str().expect("text"));
                let same_language = found
                    .links
                    .iter()
                    .filter(|(other, that)| other == name && that["hreflang"] == link["hreflang"]);
                if same_language.count() == 1 {
                    assert_eq!(answer.header("location"), Some(expected));
                }
            }
        }
        assert_eq!(plain(client, &format!("{GTIN}?linkType=gs1:nosuchlt")).status, 404);
    });
}

#[test]
fn redirects_point_to_the_linkset_and_vary() {
    // RES-2.2-5, RES-2.2-11, RES-2.10-10, RES-2.10-16
    on_both(|client, _| {
        let answer = plain(client, GTIN);
        let link = answer.header("link").expect("a pointer");
        let expected = "<https://id.example.org/01/09520123456788?linkType=linkset>; rel=\"linkset\"; \
                        type=\"application/linkset+json\"";
        assert_eq!(link, expected);
        assert_eq!(answer.header("vary").as_deref(), Some("Accept, Accept-Language"));
        assert_eq!(answer.header("referrer-policy").as_deref(), Some("no-referrer"));
        assert!(
            answer
                .header("access-control-expose-headers")
                .is_some_and(|names| names.contains("Link"))
        );
        assert!(answer.header("date").is_some());
    });
}

#[test]
fn encoded_slashes_stay_data() {
    // RES-2.4-3, RES-2.4-16, ER-14: nothing decodes or tidies the target before us.
    on_both(|client, _| {
        assert_eq!(plain(client, &format!("{GTIN}/10/A%2FB")).status, 307);
        assert_eq!(plain(client, &format!("{GTIN}/10/A/B")).status, 400);
        assert_eq!(plain(client, &format!("{GTIN}//10/A")).status, 400);
        assert_eq!(plain(client, &format!("{GTIN}/10/%2E%2E")).status, 307);
        assert_eq!(plain(client, &format!("{GTIN}/10/A/../A")).status, 400);
        assert_eq!(plain(client, &format!("{GTIN}/10/A%0D%0AX")).status, 400);
        assert_eq!(plain(client, &format!("{GTIN}/10/A%00B")).status, 400);
    });
}

#[test]
fn head_and_304_leave_the_connection_in_order() {
    // RES-2.2-2
    on_both(|client, version| {
        let target = format!("{GTIN}?linkType=linkset");
        for _ in 0..2 {
            let got = linkset(client, &target);
            let head = Ask { method: "HEAD".into(), ..Ask::get(&target) };
            let head = client.send(&head.header("Accept", "application/linkset+json"));
            assert_eq!((head.status, head.body.len()), (200, 0), "{version:?}");
            let length = got.body.len().to_string();
            assert_eq!(head.header("content-length"), Some(length), "{version:?}");
            let etag = got.header("etag").expect("a validator");
            let ask = Ask::get(&target).header("Accept", "application/linkset+json");
            let same = client.send(&ask.header("If-None-Match", &etag));
            assert_eq!((same.status, same.body.len()), (304, 0), "{version:?}");
            let redirect = client.send(&Ask { method: "HEAD".into(), ..Ask::get(GTIN) });
            assert_eq!((redirect.status, redirect.body.len()), (307, 0), "{version:?}");
            let missing =
                client.send(&Ask { method: "HEAD".into(), ..Ask::get("/01/09506000134369") });
            assert_eq!((missing.status, missing.body.len()), (404, 0), "{version:?}");
        }
    });
}
