//! Promises of `fingerpost-resolver`: any bytes get an answer, no answer can break a header or a
//! page, and a record that was accepted survives writing and storing.

use std::sync::{Arc, LazyLock};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Entry, Linkset, Outcome, Plan, Refusal, ResolutionRequest, ResolverRoot, Rules, Settings,
    SettingsParts, Vocabulary, read_linkset_context, read_record, write_record,
};

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

/// Answers a request whose query, `Accept` and `Accept-Language` are the lines of the input, with
/// all settings and levels.
pub fn accept_language(data: &[u8]) {
    for settings in SETTINGS.iter() {
        for levels in levels() {
            answer_to_headers(data, settings, levels);
        }
    }
}

/// Does the same with the settings and levels that the input chooses: for fuzzing, where six
/// answers to one input tell less than answers to six inputs.
pub fn accept_language_once(data: &[u8]) {
    let sum = data.iter().fold(0_usize, |sum, &byte| sum.wrapping_mul(31) ^ usize::from(byte));
    answer_to_headers(data, &SETTINGS[sum % 2], levels()[sum / 2 % 3]);
}

fn answer_to_headers(data: &[u8], settings: &Settings, levels: &[Arc<Entry>]) {
    let mut lines = data.splitn(3, |&byte| byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let query = Some(line()).filter(|query| !query.is_empty());
    let (accept, accept_language) = (line(), line());
    let path = format!("{}/01/09520123456788/10/L1", settings.root().stem());
    let target = [path.as_bytes(), query.map_or(b"", |_| b"?"), query.unwrap_or_default()].concat();
    let asked = ResolutionRequest {
        target: &target,
        accept,
        accept_language,
        ..ResolutionRequest::default()
    };
    let plan = Plan::of(settings, &asked);
    assert!(
        plan.key().is_some() || target.len() > settings.public_side().max_target_bytes,
        "only the path can make a request invalid"
    );
    check_answer(&plan, levels);
}

/// What is registered at the levels of the request: all, only the key, nothing.
fn levels() -> [&'static [Arc<Entry>]; 3] {
    [LEVELS.as_slice(), &LEVELS[1..], &[]]
}

/// Reads the input as the target of a request.
pub(crate) fn path(path: &[u8]) {
    for settings in SETTINGS.iter() {
        let target = [path, b"?a=1"].concat();
        let asked = ResolutionRequest { target: &target, ..ResolutionRequest::default() };
        let plan = Plan::of(settings, &asked);
        if let Some(key) = plan.key() {
            assert!(EntityKey::from_canonical(key.as_str()).is_some());
        }
        if let Some(Refusal::Invalid(invalid)) = plan.refusal() {
            let span = invalid.span();
            assert!(asked.path().get(span.start..span.end).is_some(), "{span:?} in {path:?}");
            assert!(!invalid.to_string().is_empty());
        }
        levels().into_iter().for_each(|levels| check_answer(&plan, levels));
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
    if let Ok(entry) = Entry::decode(key.into(), data) {
        // Stored bytes that are damaged may decode to another entry, but never to one that cannot
        // be looked at.
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
    assert_eq!(Entry::decode(entry.anchor().clone(), &entry.encode()).as_ref(), Ok(entry));
    for link in entry.links() {
        if let Some(target) = entry.anchor().entity().and_then(|key| link.expand(key)) {
            check_target(&target);
        }
    }
}

/// The answer, and that its explanation comes to the same.
fn check_answer(plan: &Plan<'_>, levels: &[Arc<Entry>]) {
    let answer = plan.answer(levels);
    let (explained, explanation) = plan.explain(levels);
    assert_eq!(said(answer.outcome()), said(explained.outcome()), "{explanation}");
    if let Some(location) = answer.location() {
        check_target(location);
    }
    if let Some((linkset, _)) = answer.linkset() {
        check_linkset(linkset);
    }
    if let Outcome::Unknown(Some(_)) = answer.outcome() {
        assert!(levels.is_empty());
    }
}

/// What the client is told, as text to compare.
fn said(outcome: &Outcome<'_>) -> String {
    match outcome {
        Outcome::Redirect(redirect) => redirect.location().to_owned(),
        Outcome::Choices(linkset, format) => format!("300 {format:?} {}", linkset.to_json()),
        Outcome::Linkset(linkset, format) => format!("200 {format:?} {}", linkset.to_json()),
        Outcome::LinkTypeNotAvailable(linkset, format) => {
            format!("404 {format:?} {}", linkset.to_json())
        }
        Outcome::NoDefault(linkset, format) => {
            format!("no default {format:?} {}", linkset.to_json())
        }
        other => format!("{other:?}"),
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
