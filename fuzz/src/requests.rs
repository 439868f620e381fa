//! Promises of `fingerpost-resolver`: any bytes get an answer, no answer can break a header or a page, and a record that
//! was accepted survives writing and storing.

use std::sync::{Arc, LazyLock};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Entry, Linkset, RawRequest, Request, RequestError, Resolution, ResolverRoot, Rules, Settings,
    SettingsParts, Vocabulary, explain, read_linkset_context, read_record, resolve, write_record,
};
use jiff::Timestamp;

const ROOT: &str = "https://id.example.org";

/// Links that differ in everything a request can choose by, at two levels.
const STORED: [&str; 2] = [
    r#"{"anchor":"/01/09520123456788/10/L1","links":[
      {"linkType":"gs1:certificationInfo","href":"https://lot.example.com/{01}?lot={10}","title":"Certificate"}]}"#,
    r#"{"anchor":"/01/09520123456788","itemDescription":"<b>Tea</b>","links":[
      {"linkType":"gs1:defaultLink","href":"https://example.com","title":"Tea"},
      {"linkType":"gs1:defaultLinkMulti","href":"https://example.com/fr","title":"Thé","hreflang":["fr"]},
      {"linkType":"gs1:defaultLinkMulti","href":"https://example.com/json","title":"Data","type":"application/json"},
      {"linkType":"gs1:pip","href":"https://example.com","title":"Tea"},
      {"linkType":"gs1:pip","href":"https://example.com/fr","title":"Thé","hreflang":["fr","fr-CA"]},
      {"linkType":"gs1:pip","href":"https://example.com/json","title":"Data","type":"application/json"},
      {"linkType":"gs1:pip","href":"https://example.com/zh?x=1#f","title":"茶","hreflang":["zh-Hant-TW"],"context":["TW"]},
      {"linkType":"gs1:pip","href":"https://example.com/pt","title":"Chá","type":"text/html","hreflang":["pt-PT"],"context":["PT"]},
      {"linkType":"gs1:pip","href":"https://example.com/pdf","title":"Folheto","type":"application/pdf","hreflang":["pt-BR"]}]}"#,
];

static SETTINGS: LazyLock<[Settings; 2]> = LazyLock::new(|| {
    let strict = SettingsParts { resolver_root: ROOT.into(), ..SettingsParts::default() };
    let legacy = SettingsParts {
        resolver_root: format!("{ROOT}/shop"),
        default_link_type: Some("linkset".into()),
        legacy_gtin: true,
        legacy_alphas: true,
        ..SettingsParts::default()
    };
    [strict, legacy].map(|parts| Settings::new(parts).expect("the settings are valid"))
});

static LEVELS: LazyLock<Vec<Arc<Entry>>> = LazyLock::new(|| {
    let vocabulary = Vocabulary::builtin();
    let read = |json: &&str| read_record(json.as_bytes(), &Rules::new(&vocabulary));
    STORED.iter().map(|json| Arc::new(read(json).expect("the record is valid").entry)).collect()
});

/// Answers a request whose query, `Accept` and `Accept-Language` are the lines of the input.
pub fn accept_language(data: &[u8]) {
    let mut lines = data.splitn(3, |&byte| byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let query = Some(line()).filter(|query| !query.is_empty());
    let (accept, accept_language) = (line(), line());
    for settings in SETTINGS.iter() {
        let path = format!("{}/01/09520123456788/10/L1", settings.root().stem());
        let raw = RawRequest { path: path.as_bytes(), query, accept, accept_language };
        let request =
            Request::parse(settings, raw).expect("only the path can make a request invalid");
        check_answer(settings, &request);
    }
}

/// Reads the input as the path of a request.
pub(crate) fn path(path: &[u8]) {
    for settings in SETTINGS.iter() {
        let raw = RawRequest { path, query: Some(b"a=1"), accept: b"", accept_language: b"" };
        match Request::parse(settings, raw) {
            Ok(request) => {
                assert!(EntityKey::from_canonical(request.entity().as_str()).is_some());
                check_answer(settings, &request);
            }
            Err(RequestError::Invalid(invalid)) => {
                let span = invalid.span();
                assert!(path.get(span.start..span.end).is_some(), "{span:?} in {path:?}");
                assert!(!invalid.to_string().is_empty());
            }
            Err(_) => {}
        }
    }
}

/// Reads the input as a record, as a context object of a linkset, and as stored bytes.
pub fn record(data: &[u8]) {
    let vocabulary = Vocabulary::builtin();
    let root = ResolverRoot::parse(ROOT).expect("the root is valid");
    let rules = Rules::new(&vocabulary).with_resolver_root(&root);
    for read in [read_record, read_linkset_context] {
        match read(data, &rules) {
            Ok(accepted) => check_entry(&accepted.entry, &rules),
            Err(refused) => {
                assert!(!refused.faults.is_empty());
                assert!(refused.faults.iter().all(|fault| !fault.id().is_empty()), "{refused}");
            }
        }
    }
    let key = EntityKey::from_canonical("01/09520123456788").expect("the key is canonical");
    if let Ok(entry) = Entry::decode(key, data) {
        // Stored bytes that are damaged may decode to another entry, but never to one that cannot be looked at.
        assert_eq!(entry.links().count(), entry.link_count());
        let _ = format!("{:?} {}", entry, entry.size());
    }
}

/// What was accepted reads again from its record and from its stored bytes as the same entry.
fn check_entry(entry: &Entry, rules: &Rules<'_>) {
    let written = write_record(entry);
    match read_record(written.as_bytes(), rules) {
        Ok(again) => assert_eq!(&again.entry, entry, "{written}"),
        Err(refused) => panic!("{written} was written, but is refused: {refused}"),
    }
    assert_eq!(Entry::decode(entry.key().clone(), &entry.encode()).as_ref(), Ok(entry));
    for link in entry.links() {
        if let Some(target) = link.expand(entry.key()) {
            check_target(&target);
        }
    }
}

/// The answer, and that its explanation comes to the same.
fn check_answer(settings: &Settings, request: &Request<'_>) {
    let now = Timestamp::UNIX_EPOCH;
    let held = [LEVELS.as_slice(), &LEVELS[1..], &[]];
    for levels in held {
        let resolution = resolve(settings, request, levels, now);
        let (explanation, explained) = explain(settings, request, levels, now);
        assert_eq!(said(&resolution), said(&explained), "{explanation}");
        match &resolution {
            Resolution::Redirect(redirect) => check_target(redirect.location()),
            Resolution::Choices(linkset, _)
            | Resolution::Linkset(linkset, _)
            | Resolution::LinkTypeNotAvailable(linkset, _)
            | Resolution::NoDefault(linkset, _) => check_linkset(linkset),
            Resolution::Unknown => assert!(levels.is_empty()),
        }
    }
}

/// What the client is told, as text to compare.
fn said(resolution: &Resolution<'_>) -> String {
    match resolution {
        Resolution::Redirect(redirect) => redirect.location().to_owned(),
        Resolution::Choices(linkset, format) => format!("300 {format:?} {}", linkset.to_json()),
        Resolution::Linkset(linkset, format) => format!("200 {format:?} {}", linkset.to_json()),
        Resolution::LinkTypeNotAvailable(linkset, format) => {
            format!("404 {format:?} {}", linkset.to_json())
        }
        Resolution::NoDefault(linkset, format) => {
            format!("no default {format:?} {}", linkset.to_json())
        }
        Resolution::Unknown => "unknown".to_owned(),
    }
}

/// A target can stand in a header, and begins as the registered one did.
fn check_target(target: &str) {
    assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{target:?}");
    assert!(target.starts_with("http://") || target.starts_with("https://"), "{target:?}");
}

fn check_linkset(linkset: &Linkset<'_>) {
    for json in [linkset.to_json(), linkset.to_json_ld(), linkset.to_script_json_ld()] {
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    }
    assert!(!linkset.to_script_json_ld().contains('<'));
}
