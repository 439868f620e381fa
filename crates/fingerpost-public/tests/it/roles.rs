//! Issue 36.1: links that only some roles may see do not exist for anyone else, in any answer.
//!
//! Two resolvers answer the same requests: one has restricted links, the other was never given
//! them. To the public, no two answers may differ. What a role sees is compared with a resolver in
//! which the same links are for everyone, after a filter that is written here from the requirement
//! and shares nothing with the resolver.

use std::sync::Arc;

use fingerpost_gs1::compression::{CompressOptions, compress};
use fingerpost_gs1::{DigitalLink, EntityKey};
use fingerpost_public::{Config, Router, TokenFault, VerifyToken};
use fingerpost_resolver::{Rules, SIGNED_ACCESS, SigningSecrets};
use fingerpost_store::Store;
use fingerpost_testkit::{Answer, Ask, store_with};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::support::{BOTH, Running};

const KEY: &str = "/01/09520123456788";
/// What no answer to the public may contain.
const SECRET: &str = "secret";
const NEW: &str = "n-n-n-n-n-n-n-n-n-n-n-n-n-n-n-n-n";
const OLD: &str = "o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o-o";

/// A configuration with two roles and signed links. The file must outlive it.
fn configuration() -> (String, NamedTempFile) {
    let file = NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{NEW}\n{OLD}\n")).expect("it can be written");
    let toml = format!(
        "resolver_root = \"https://id.example.org\"\ndefault_link_type_by_record = true\n\
         roles = [{{ name = \"recycler\", title = {{ en = \"Recyclers\" }} }}, {{ name = \"authority\" }}]\n\
         signed_links.secret_file = {:?}\n",
        file.path()
    );
    (toml, file)
}

fn store(toml: &str, records: &[Value]) -> Store {
    let config = Config::from_toml(toml).expect("a configuration");
    let rules = Rules::new(config.vocabulary()).with_roles(config.settings().roles());
    store_with(records, &rules.with_default_by_record(true))
}

fn router(toml: &str, records: &[Value]) -> Router {
    Router::new(Config::from_toml(toml).expect("a configuration"), store(toml, records))
}

/// The requirement: without one of its roles, a link does not exist; without any link, a record
/// does not exist.
fn seen_by(records: &[Value], roles: &[&str]) -> Vec<Value> {
    let mut seen = records.to_vec();
    for record in &mut seen {
        let links = record["links"].as_array_mut().expect("links");
        links.retain(|link| match link.get("access") {
            None => true,
            Some(access) => access
                .as_array()
                .expect("a list")
                .iter()
                .any(|role| roles.contains(&role.as_str().expect("a text"))),
        });
        for link in links {
            link.as_object_mut().expect("a link").remove("access");
        }
    }
    seen.retain(|record| !record["links"].as_array().expect("links").is_empty());
    seen
}

fn link(link_type: &str, path: &str, access: &[&str]) -> Value {
    let mut link = json!({"linkType": link_type, "title": format!("About {path}"),
        "href": format!("https://example.com/{path}")});
    if !access.is_empty() {
        link["access"] = json!(access);
    }
    link
}

/// Records with restricted links at every kind of level.
fn records() -> Vec<Value> {
    let recycler = &["recycler"][..];
    let mut late = link("gs1:pip", "secret-late", recycler);
    late["validFrom"] = json!("2026-01-01T00:00:00Z");
    late["validUntil"] = json!("2126-01-01T00:00:00Z");
    let mut english = link("gs1:pip", "secret-en", &["authority"]);
    english["hreflang"] = json!(["en", "de"]);
    let issn =
        |variant: &str| format!("/01/0{}", with_check_digit(&format!("9770317847{variant}")));
    vec![
        json!({"anchor": KEY, "itemDescription": "Tea", "links": [
            link("gs1:safetyInfo", "secret-first", recycler),
            link("gs1:defaultLink", "tea", &[]),
            link("gs1:pip", "tea", &[]),
            english,
            late,
            link("gs1:recipeInfo", "a", &[]),
            link("gs1:recipeInfo", "secret-b", &["authority", "recycler"]),
            link("gs1:traceability", "secret-{01}", recycler),
            link("gs1:recallStatus", "secret-recall", recycler)]}),
        json!({"anchor": format!("{KEY}/10/LOT"), "itemDescription": "secret lot",
            "defaultLinkType": "linkset", "links": [
            link("gs1:pip", "secret-lot", recycler),
            link("gs1:certificationInfo", "secret-lot-certificate", recycler)]}),
        json!({"anchor": "/01/09520123456795", "itemDescription": "secret item",
            "links": [link("gs1:pip", "secret-item", recycler)]}),
        json!({"anchor": "/gcp/9520123", "itemDescription": "secret company",
            "links": [link("gs1:hasRetailers", "secret-company", recycler)]}),
        json!({"anchor": format!("{KEY}/-any/22"), "itemDescription": "secret any",
            "links": [link("gs1:pip", "secret-any", recycler)]}),
        // The first key of a serial publication.
        json!({"anchor": issn("00"), "links": [link("gs1:pip", "secret-issue", recycler)]}),
        // A serial publication of which only a role sees an issue.
        json!({"anchor": format!("/01/0{}", with_check_digit("977204936305")),
            "links": [link("gs1:pip", "secret-other-issue", recycler)]}),
        json!({"anchor": issn("01"), "itemDescription": "Journal", "links": [
            link("gs1:defaultLink", "journal", &[]), link("gs1:pip", "journal", &[])]}),
    ]
}

fn with_check_digit(digits: &str) -> String {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 0 { 3 } else { 1 })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

/// Requests for every way in which an answer can show a link.
fn requests() -> Vec<Ask> {
    let link = format!("https://id.example.org{KEY}/10/LOT");
    let link = DigitalLink::parse(&link).expect("a Digital Link");
    let compressed = compress(&link, &CompressOptions::new()).expect("it can be compressed");
    let compressed = compressed.trim_start_matches("https://id.example.org").to_owned();
    let paths = [
        KEY.to_owned(),
        format!("{KEY}/10/LOT"),
        format!("{KEY}/10/LOT/21/5"),
        format!("{KEY}/22/V"),
        format!("{KEY}/10/OTHER"),
        "/01/09520123456795".to_owned(),
        "/01/09520123456795/21/1".to_owned(),
        "/01/09520123000004".to_owned(),
        compressed,
        "/urn/urn:issn:0317-8471".to_owned(),
        "/uri-res/I2Ls?urn:issn:0317-8471".to_owned(),
        "/urn/urn:issn:2049-3630".to_owned(),
        "/?q=(01)09520123456788(10)LOT".to_owned(),
        "/?q=09520123456795".to_owned(),
        "/.well-known/gs1resolver".to_owned(),
        "/".to_owned(),
    ];
    let types = [
        "",
        "all",
        "linkset",
        "gs1:pip",
        "gs1:safetyInfo",
        "gs1:recipeInfo",
        "gs1:recallStatus",
        "gs1:traceability",
        "gs1:certificationInfo",
        "gs1:hasRetailers",
        "gs1:nosuch",
    ];
    let accepts = [
        "*/*",
        "text/html,*/*;q=0.1",
        "application/linkset+json",
        "application/linkset",
        "application/json",
        "application/ld+json",
    ];
    let mut all = Vec::new();
    for path in &paths {
        for link_type in types {
            let glue = if path.contains('?') { '&' } else { '?' };
            let target = match link_type {
                "" => path.clone(),
                _ => format!("{path}{glue}linkType={link_type}"),
            };
            for accept in accepts {
                for method in ["GET", "HEAD"] {
                    let ask = Ask::get(&target).header("accept", accept);
                    let ask = ask.header("accept-language", "en");
                    all.push(Ask { method: method.to_owned(), ..ask });
                }
            }
        }
        all.push(Ask { method: "OPTIONS".to_owned(), ..Ask::get(path) });
    }
    all
}

/// Everything that the other end sees of an answer.
fn shown(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let mut headers: Vec<_> =
        answer.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    headers.sort();
    (answer.status, headers, answer.text())
}

/// 36.1: to the public, a resolver with restricted links answers like one without them.
#[test]
fn no_answer_to_the_public_shows_a_restricted_link() {
    let (toml, _file) = configuration();
    let with = Running::start(&toml, store(&toml, &records()));
    let without = Running::start(&toml, store(&toml, &seen_by(&records(), &[])));
    let requests = requests();
    for version in BOTH {
        let (mut one, mut other) = (with.client(version), without.client(version));
        for ask in &requests {
            // A token means nothing where no issuer is configured.
            for token in [None, Some("Bearer eyJhbGciOiJub25lIn0.e30."), Some("Basic c2VjcmV0")] {
                if token.is_some() && ask.method != "GET" {
                    continue;
                }
                let ask = match token {
                    None => ask.clone(),
                    Some(token) => ask.clone().header("authorization", token),
                };
                let (found, expected) = (one.send(&ask), other.send(&ask));
                assert_eq!(shown(&found), shown(&expected), "{ask:?}");
                let whole = format!("{:?}", shown(&found));
                assert!(!whole.contains(SECRET), "{ask:?}: {whole}");
            }
        }
    }
    // The comparison is worth something: these have links and no links.
    let status = |target: &str| with.client(BOTH[0]).get(target).status;
    assert_eq!(status(KEY), 307);
    assert_eq!(status(&format!("{KEY}/10/LOT")), 307, "walks up");
    assert_eq!(status("/01/09520123456795"), 404);
    assert_eq!(status(&format!("{KEY}?linkType=gs1:safetyInfo")), 404);
    assert_eq!(status("/urn/urn:issn:0317-8471"), 303, "the next key is found");
}

fn proof(key: &str, roles: &[&str], until: i64, secret: &str) -> String {
    let key = EntityKey::parse(key.trim_start_matches('/')).expect("a key");
    let roles: Vec<_> = roles.iter().map(|role| (*role).to_owned()).collect();
    let until = Timestamp::from_second(until).expect("a time");
    SigningSecrets::from_lines(secret).expect("a secret").sign(&key, &roles, until).expect("roles")
}

/// Far in the future.
const LATER: i64 = 7_000_000_000;

/// 36.1: a signed link shows what its roles may see, for its key, until its end, and no cache keeps
/// it for others; the parameter goes nowhere.
#[test]
fn a_signed_link_shows_what_its_roles_may_see() {
    let (toml, _file) = configuration();
    let server = Running::start(&toml, store(&toml, &records()));
    let mut client = server.client(BOTH[0]);
    let mut ask = |key: &str, query: &str, proof: &str| {
        let target = format!("{key}?{query}{SIGNED_ACCESS}={proof}");
        client.send(&Ask::get(&target).header("accept", "*/*"))
    };
    let good = proof(KEY, &["recycler"], LATER, OLD);
    let safety = ask(KEY, "linkType=gs1:safetyInfo&x=1&", &good);
    assert_eq!(safety.status, 307, "{}", safety.text());
    let location = safety.header("location").expect("a target");
    assert!(location.starts_with("https://example.com/secret-first?"), "{location}");
    assert!(!location.contains(SIGNED_ACCESS), "{location}");
    assert!(safety.header("cache-control").expect("a value").starts_with("private"));
    assert!(safety.header("vary").expect("a value").contains("authorization"));
    let lot = format!("{KEY}/10/LOT");
    let of_lot = proof(&lot, &["recycler"], LATER, NEW);
    assert_eq!(ask(&lot, "linkType=gs1:certificationInfo&", &of_lot).status, 307);
    // What this role may not see, it does not see either.
    assert!(!ask(KEY, "linkType=all&", &good).text().contains("secret-en"));
    let refused = |answer: Answer| {
        assert_eq!(answer.status, 403, "{}", answer.text());
        assert!(!format!("{:?}", shown(&answer)).contains(SECRET));
        answer.json().expect("a problem")["code"].as_str().expect("a code").to_owned()
    };
    for bad in [
        proof(&lot, &["recycler"], LATER, NEW),
        proof(KEY, &["recycler"], LATER, &"x".repeat(40)),
        proof(KEY, &["recycler"], 1_000, NEW),
        good.replace("recycler", "authority"),
        String::new(),
        "%00".to_owned(),
    ] {
        assert_eq!(refused(ask(KEY, "linkType=gs1:safetyInfo&", &bad)), "invalid-signed-link");
    }
    // A name that leads to another key than the signed one shows that key as everyone sees it.
    let computed = format!("/01/0{}", with_check_digit("977204936300"));
    let proof_of_other = proof(&computed, &["recycler"], LATER, NEW);
    let by_name = ask("/urn/urn:issn:2049-3630", "", &proof_of_other);
    assert_eq!(by_name.status, 404, "{}", by_name.text());
    assert!(!format!("{:?}", shown(&by_name)).contains(SECRET), "{:?}", shown(&by_name));
    // The second of two is not read.
    let twice = ask(KEY, &format!("{SIGNED_ACCESS}=x&"), &good);
    assert_eq!(twice.status, 403);
}

/// Accepts `good` as the proof of a role.
#[derive(Debug)]
struct Tokens;

impl VerifyToken for Tokens {
    fn verify(&self, token: &str, _: Timestamp) -> Result<Vec<String>, TokenFault> {
        match token {
            "good" => Ok(vec!["recycler".to_owned(), "not-declared".to_owned()]),
            "none" => Ok(Vec::new()),
            _ => Err(TokenFault("the token has expired")),
        }
    }
}

/// 36.1: a token that is not accepted is 401 and says why; without one, public links are available.
#[test]
fn a_token_proves_roles_or_is_refused_with_a_challenge() {
    let (toml, _file) = configuration();
    let router = router(&toml, &records()).with_tokens(Arc::new(Tokens));
    let ask = |target: &str, authorization: &[&str]| {
        let mut request = http::Request::get(target).header("accept", "application/json");
        for value in authorization {
            request = request.header("authorization", *value);
        }
        router.handle(&request.body(()).expect("a request"))
    };
    let safety = format!("{KEY}?linkType=gs1:safetyInfo");
    assert_eq!(ask(&safety, &["Bearer good"]).status(), 307);
    assert_eq!(ask(&safety, &["bearer  good"]).status(), 307);
    for public in [&[][..], &["Bearer none"], &["Basic good"], &["Bearer"]] {
        assert_eq!(ask(&safety, public).status(), 404, "{public:?}");
        let open = ask(KEY, public);
        assert_eq!(open.status(), 200, "{public:?}");
        assert_eq!(open.headers()["cache-control"], "no-cache", "{public:?}");
    }
    for refused in [&["Bearer old"][..], &["Bearer good", "Bearer good"], &["Bearer "]] {
        let response = ask(KEY, refused);
        assert_eq!(response.status(), 401, "{refused:?}");
        let challenge = response.headers()["www-authenticate"].to_str().expect("text");
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\", error_description=\"the "),
            "{challenge}"
        );
    }
    // Nothing but an identifier is refused for a token.
    for open in ["/health", "/", "/.well-known/gs1resolver"] {
        assert_eq!(ask(open, &["Bearer old"]).status(), 200, "{open}");
    }
}

/// 36.1: without roles, answers carry nothing about them, and `Authorization` means nothing.
#[test]
fn without_roles_nothing_depends_on_a_token() {
    let records = seen_by(&records(), &[]);
    let router =
        router("default_link_type_by_record = true", &records).with_tokens(Arc::new(Tokens));
    let request = http::Request::get(KEY).header("authorization", "Bearer old");
    let response = router.handle(&request.body(()).expect("a request"));
    assert_eq!(response.status(), 307);
    assert_eq!(response.headers().get_all("vary").iter().count(), 1);
    assert_eq!(response.headers()["vary"], "Accept, Accept-Language");
}

fn a_link() -> impl Strategy<Value = Value> {
    let types = ["gs1:pip", "gs1:recipeInfo", "gs1:safetyInfo", "gs1:recallStatus"];
    let access = [&[][..], &["recycler"], &["authority"], &["recycler", "authority"]];
    let languages = [&[][..], &["en"], &["fr", "en"]];
    (0..types.len(), 0..access.len(), 0..languages.len(), 0..3_u8).prop_map(
        move |(link_type, roles, spoken, path)| {
            let mut link = link(types[link_type], &format!("p{path}"), access[roles]);
            if !languages[spoken].is_empty() {
                link["hreflang"] = json!(languages[spoken]);
            }
            link
        },
    )
}

fn some_records() -> impl Strategy<Value = Vec<Value>> {
    let links = || prop::collection::vec(a_link(), 1..6);
    (links(), links(), links(), links(), any::<bool>()).prop_map(
        |(own, lot, any, company, is_linkset)| {
            let own = [own, vec![link("gs1:defaultLink", "tea", &[]), link("gs1:pip", "tea", &[])]]
                .concat();
            let mut lot =
                json!({"anchor": format!("{KEY}/10/LOT"), "itemDescription": "Lot", "links": lot});
            if is_linkset {
                lot["defaultLinkType"] = json!("linkset");
            }
            vec![
                json!({"anchor": KEY, "itemDescription": "Tea", "links": own}),
                lot,
                json!({"anchor": format!("{KEY}/-any/10"), "links": any}),
                json!({"anchor": "/gcp/9520123", "links": company}),
            ]
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// 36.1, the independent check: for random records and viewers, every answer is that of a
    /// resolver to which the requirement's filter was applied beforehand.
    #[test]
    fn every_viewer_gets_what_the_filter_leaves(
        records in some_records(),
        roles in prop::sample::subsequence(vec!["recycler", "authority"], 0..=2),
    ) {
        let (toml, _file) = configuration();
        let (all, seen) = (router(&toml, &records), router(&toml, &seen_by(&records, &roles)));
        for path in [KEY.to_owned(), format!("{KEY}/10/LOT"), format!("{KEY}/10/OTHER")] {
            for link_type in ["", "all", "gs1:pip", "gs1:recipeInfo", "gs1:recallStatus", "gs1:nosuch"] {
                for accept in ["*/*", "text/html", "application/linkset+json", "application/linkset", "application/ld+json"] {
                    let query = if link_type.is_empty() { String::new() } else { format!("linkType={link_type}&") };
                    let proof = match roles.is_empty() {
                        true => String::new(),
                        false => format!("{SIGNED_ACCESS}={}", proof(&path, &roles, LATER, NEW)),
                    };
                    let answer = |router: &Router, query: &str| {
                        let query = query.trim_end_matches('&');
                        let target = if query.is_empty() { path.clone() } else { format!("{path}?{query}") };
                        let request = http::Request::get(target).header("accept", accept).header("accept-language", "en");
                        let (parts, body) = router.handle(&request.body(()).expect("a request")).into_parts();
                        let header = |name: &str| parts.headers.get(name).map(|value| format!("{value:?}"));
                        let shown = ["location", "link", "content-type", "vary", "etag"].map(header);
                        let body = crate::body::text(http::Response::new(body));
                        (parts.status, shown, body.replace(&proof, ""))
                    };
                    let found = answer(&all, &format!("{query}{proof}"));
                    let expected = answer(&seen, &query);
                    // The page of a signed link keeps the proof in the addresses of its other parts.
                    let is_page = found.1[2].as_deref().is_some_and(|media| media.contains("html"));
                    if is_page {
                        prop_assert_eq!(found.0, expected.0);
                        prop_assert_eq!(&found.2, &expected.2, "{} {} {}", path, link_type, accept);
                    } else {
                        prop_assert_eq!(found, expected, "{} {} {}", path, link_type, accept);
                    }
                }
            }
        }
    }
}
