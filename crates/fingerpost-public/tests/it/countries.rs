//! Issue 37.1 and 37.4: the country of the client as context, what caches are told, and surrogate
//! keys.

use std::net::IpAddr;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_insight::CountryCode;
use fingerpost_public::{Config, FindCountry, Peer, Router};
use fingerpost_resolver::{Anchor, ContextSource, Entry, Rules};
use fingerpost_store::{Batch, Store};
use fingerpost_testkit::store_with;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, LOCATION, VARY};
use serde_json::{Value, json};

const WANTED: &str = "/01/09520123456788";
const NOT_WANTED: &str = "/01/09520123456795";
const SILENT: &str = "/01/09506000134352";
const PROXY: &str = "10.0.0.1";
const STRANGER: &str = "192.0.2.1";
const HEADER: &str = "trusted_proxies = [\"10.0.0.0/8\"]\n[country]\nheader = \"CF-IPCountry\"\n";
const DATABASE: &str =
    "trusted_proxies = [\"10.0.0.0/8\"]\n[country]\ndatabase = \"countries.mmdb\"\n";

/// A record with a page for Canada, one for Belgium in French, and one for everyone.
fn record(anchor: &str, context_from: Option<&str>) -> Value {
    let link = |link_type: &str, path: &str, contexts: &[&str]| {
        let mut link = json!({"linkType": link_type, "title": path,
            "href": format!("https://example.com/{path}")});
        if !contexts.is_empty() {
            link["context"] = json!(contexts);
        }
        link
    };
    let mut record = json!({"anchor": anchor, "links": [
        link("gs1:defaultLink", "all", &[]),
        link("gs1:defaultLinkMulti", "canada", &["CA"]),
        link("gs1:pip", "all", &[]),
        link("gs1:pip", "canada", &["CA"]),
        link("gs1:pip", "belgium", &["BE"]),
        link("gs1:recipeInfo", "recipe", &[]),
    ]});
    if let Some(source) = context_from {
        record["contextFrom"] = json!(source);
    }
    record
}

fn store(further: &[Entry]) -> Store {
    let vocabulary = Config::from_toml("").unwrap().vocabulary().clone();
    let records = [
        record(WANTED, Some("country")),
        record(NOT_WANTED, Some("request")),
        record(SILENT, None),
    ];
    let store = store_with(&records, &Rules::new(&vocabulary));
    let mut batch = Batch::unchecked();
    for entry in further {
        batch.put(Arc::new(entry.clone()));
    }
    if !batch.is_empty() {
        store.write(&batch).unwrap();
    }
    store
}

/// Addresses that begin with 198 are in Canada.
#[derive(Debug)]
struct Addresses;

impl FindCountry for Addresses {
    fn country_of(&self, address: IpAddr) -> Option<CountryCode> {
        address.to_string().starts_with("198.").then(|| "CA".parse().unwrap())
    }
}

fn router(toml: &str, further: &[Entry]) -> Router {
    Router::new(Config::from_toml(toml).unwrap(), store(further))
        .with_countries(Arc::new(Addresses))
}

fn asked(router: &Router, target: &str, peer: &str, lines: &[(&str, &str)]) -> HeaderMap {
    let mut request = http::Request::get(target);
    for (name, value) in lines {
        request = request.header(*name, *value);
    }
    let peer = Peer { address: Some(peer.parse().unwrap()) };
    let response = router.handle_from(&request.body(()).unwrap(), peer);
    response.headers().clone()
}

fn path(fields: &HeaderMap) -> &str {
    fields[LOCATION].to_str().unwrap().trim_start_matches("https://example.com/")
}

fn all(fields: &HeaderMap, name: http::HeaderName) -> String {
    let lines: Vec<_> = fields.get_all(name).iter().map(|line| line.to_str().unwrap()).collect();
    lines.join(", ")
}

/// 37.1: the country counts only if the request names no context, and only where it is wanted.
#[test]
fn the_country_is_the_context_of_requests_that_name_none() {
    let canada = [("cf-ipcountry", "CA")];
    let router = router(HEADER, &[]);
    for (target, lines, expected) in [
        (WANTED.to_owned(), &canada[..], "canada"),
        (WANTED.to_owned(), &[("cf-ipcountry", "ca")], "canada"),
        (WANTED.to_owned(), &[("cf-ipcountry", "BE")], "all"),
        (WANTED.to_owned(), &[("cf-ipcountry", "XX")], "all"),
        (WANTED.to_owned(), &[], "all"),
        (format!("{WANTED}/10/A"), &canada, "canada"),
        (format!("{WANTED}?linkType=gs1:pip"), &canada, "canada?linkType=gs1:pip"),
        (
            format!("{WANTED}?linkType=gs1:pip"),
            &[("cf-ipcountry", "BE")],
            "belgium?linkType=gs1:pip",
        ),
        (format!("{WANTED}?context=BE"), &canada, "all?context=BE"),
        (format!("{WANTED}?context="), &canada, "canada?context="),
        (NOT_WANTED.to_owned(), &canada, "all"),
        (SILENT.to_owned(), &canada, "all"),
    ] {
        assert_eq!(path(&asked(&router, &target, PROXY, lines)), expected, "{target} {lines:?}");
    }
}

/// 37.1: an organisation switches it on for all its keys; a record and a single key of another
/// organisation say otherwise.
#[test]
fn an_organisation_decides_where_records_say_nothing() {
    let company = Anchor::parse("gcp/9506000").unwrap();
    let on = Entry::country_switch(&company, ContextSource::Country);
    let canada = [("cf-ipcountry", "CA")];
    let router = router(HEADER, std::slice::from_ref(&on));
    assert_eq!(path(&asked(&router, SILENT, PROXY, &canada)), "canada");
    let other = Anchor::parse("gcp/9520123").unwrap();
    let both = [on.clone(), Entry::country_switch(&other, ContextSource::Country)];
    let decided = self::router(HEADER, &both);
    assert_eq!(path(&asked(&decided, NOT_WANTED, PROXY, &canada)), "all", "the record says so");
    let single = Anchor::from(&EntityKey::parse(SILENT).unwrap());
    let kept = [on, Entry::country_switch(&single, ContextSource::Request)];
    let kept = self::router(HEADER, &kept);
    assert_eq!(path(&asked(&kept, SILENT, PROXY, &canada)), "all", "the key of another one");
}

/// 37.4: a header of an untrusted client is not believed, nor an address that it invents.
#[test]
fn forged_headers_have_no_effect() {
    let router = router(HEADER, &[]);
    assert_eq!(path(&asked(&router, WANTED, STRANGER, &[("cf-ipcountry", "CA")])), "all");
    let router = self::router(DATABASE, &[]);
    for (peer, forwarded, expected) in [
        ("198.51.100.1", None, "canada"),
        ("198.51.100.1", Some("192.0.2.9"), "canada"),
        (STRANGER, Some("198.51.100.1"), "all"),
        (PROXY, Some("198.51.100.1"), "canada"),
        (PROXY, Some("198.51.100.1, 192.0.2.9"), "all"),
    ] {
        let lines: Vec<_> = forwarded.iter().map(|value| ("x-forwarded-for", *value)).collect();
        let fields = asked(&router, WANTED, peer, &lines);
        assert_eq!(path(&fields), expected, "{peer} {forwarded:?}");
    }
}

/// 37.1 and 37.4: caches never mix countries, and answers that cannot differ are not split.
#[test]
fn caches_keep_countries_apart_where_answers_could_differ() {
    let plain = "Accept, Accept-Language";
    let by_header = "Accept, Accept-Language, cf-ipcountry";
    let router = router(HEADER, &[]);
    for (target, expected) in [
        (WANTED.to_owned(), by_header),
        (format!("{WANTED}?linkType=gs1:pip"), by_header),
        (format!("{WANTED}?context=CA"), plain),
        (format!("{WANTED}?linkType=linkset"), plain),
        (NOT_WANTED.to_owned(), plain),
        (SILENT.to_owned(), plain),
    ] {
        // Also for a client without a country: the next one may have one.
        for lines in [&[("cf-ipcountry", "CA")][..], &[]] {
            let fields = asked(&router, &target, PROXY, lines);
            let vary = all(&fields, VARY).replace(", Accept-Encoding", "");
            assert_eq!(vary, expected, "{target} {lines:?}");
        }
    }
    let shared = "[cache]\nshared_max_age = \"5m\"\nsurrogate_keys = [\"xkey\"]\n";
    let router = self::router(&[DATABASE, shared].concat(), &[]);
    for peer in ["198.51.100.1", STRANGER] {
        let fields = asked(&router, WANTED, peer, &[]);
        assert_eq!(fields[CACHE_CONTROL], "private, no-cache");
        assert!(!fields.contains_key("xkey"), "a private answer is in no shared cache");
        let fields = asked(&router, SILENT, peer, &[]);
        assert_eq!(fields[CACHE_CONTROL], "max-age=0, s-maxage=300");
        assert!(fields.contains_key("xkey"));
    }
}

/// 37.2: surrogate keys of the key, its product and its company prefix, in the form of each header;
/// and how long shared caches keep answers.
#[test]
fn answers_carry_surrogate_keys_and_times_for_shared_caches() {
    let toml = "[cache]\nshared_max_age = \"10m\"\nstale_while_revalidate = \"30s\"\n\
                stale_if_error = \"1h\"\nsurrogate_keys = [\"Surrogate-Key\", \"Cache-Tag\", \"xkey\"]\n";
    let router = router(toml, &[]);
    let lot = format!("{WANTED}/10/A");
    for target in
        [lot.clone(), format!("{lot}?linkType=linkset"), format!("{lot}?linkType=gs1:sds")]
    {
        let fields = asked(&router, &target, STRANGER, &[]);
        for (name, separator) in [("surrogate-key", ' '), ("cache-tag", ','), ("xkey", ' ')] {
            let keys: Vec<_> = fields[name].to_str().unwrap().split(separator).collect();
            assert_eq!(keys[..2], ["01/09520123456788/10/A", "01/09520123456788"], "{target}");
            assert!(keys.contains(&"gcp/9520123") && keys.len() == 11, "{keys:?}");
        }
    }
    let times = "max-age=0, s-maxage=600, stale-while-revalidate=30, stale-if-error=3600";
    for target in [lot.clone(), format!("{lot}?linkType=linkset")] {
        assert_eq!(asked(&router, &target, STRANGER, &[])[CACHE_CONTROL], times, "{target}");
    }
    // A page that is no answer about a key has none.
    assert!(!asked(&router, "/", STRANGER, &[]).contains_key("xkey"));
    // Without the options, nothing is added.
    let router = self::router("", &[]);
    let fields = asked(&router, &lot, STRANGER, &[]);
    assert!(!fields.contains_key(CACHE_CONTROL) && !fields.contains_key("surrogate-key"));
}

/// 37.4: an answer for a role is private, without surrogate keys and times for shared caches.
#[test]
fn answers_for_roles_are_in_no_shared_cache() {
    #[derive(Debug)]
    struct Anyone;
    impl fingerpost_public::VerifyToken for Anyone {
        fn verify(
            &self,
            _: &str,
            _: jiff::Timestamp,
        ) -> Result<Vec<String>, fingerpost_public::TokenFault> {
            Ok(vec!["recycler".to_owned()])
        }
    }
    let toml = "roles = [{ name = \"recycler\", title = { en = \"Recyclers\" } }]\n\
                [cache]\nshared_max_age = \"10m\"\nsurrogate_keys = [\"xkey\"]\n";
    let router = router(toml, &[]).with_tokens(Arc::new(Anyone));
    for target in [WANTED.to_owned(), format!("{WANTED}?linkType=linkset")] {
        let fields = asked(&router, &target, STRANGER, &[("authorization", "Bearer x")]);
        let control = fields[CACHE_CONTROL].to_str().unwrap();
        assert!(control.starts_with("private"), "{control}");
        assert!(!control.contains("s-maxage") && !fields.contains_key("xkey"), "{control}");
        assert!(all(&fields, VARY).to_lowercase().contains("authorization"));
        let fields = asked(&router, &target, STRANGER, &[]);
        assert!(fields.contains_key("xkey") && !all(&fields, CACHE_CONTROL).contains("private"));
    }
}

/// 37.1: what contradicts itself is refused at the start.
#[test]
fn wrong_options_are_refused() {
    for (toml, expected) in [
        ("[country]\nheader = \"CF-IPCountry\"\n", "trusted_proxies"),
        ("trusted_proxies = [\"10.0.0.1\"]\n[country]\nheader = \"a b\"\n", "CF-IPCountry"),
        ("trusted_proxies = [\"10.0.0.1\"]\n[country]\nheader = \"Accept\"\n", "CF-IPCountry"),
        ("trusted_proxies = [\"10.0.0.1\"]\n[country]\nheader = \"X\"\ndatabase = \"y\"\n", "both"),
        ("[country]\ncount_scans = true\n", "country.database or country.header"),
        ("[cache]\nsurrogate_keys = [\"Tags\"]\n", "Surrogate-Key, Cache-Tag or xkey"),
        ("[cache]\nstale_if_error = \"1h\"\n", "cache.shared_max_age"),
    ] {
        let error = Config::from_toml(toml).unwrap_err().to_string();
        assert!(error.contains(expected), "{toml}: {error}");
    }
}
