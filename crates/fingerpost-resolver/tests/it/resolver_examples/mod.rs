//! The resolve cases of `testdata/resolver-examples.json`, on the pure functions.
//!
//! What only a server can show is skipped by name with its reason. Everything else is judged: status,
//! `Location`, format, anchors and targets of linksets, and the predicates of `body` and `headers` as code
//! (`judge`). A predicate without code fails, so that no new case passes unread.

mod judge;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use fingerpost_resolver::{
    Capabilities, Entry, Format, Linkset, RawRequest, Request, RequestError, Resolution, Rules,
    Settings, SettingsParts, context_document, delegate, description_file, linkset_link,
    read_record, resolve,
};
use serde_json::{Value, json};

/// Cases about what the decision does not do.
const SKIPPED: &[(&str, &str)] = &[
    ("C-2.2-options", "HTTP method"),
    ("C-2.2-preflight", "HTTP method and CORS"),
    ("C-2.2-preflight-suite", "HTTP method and CORS"),
    ("C-2.2-preflight-badpath", "HTTP method and CORS"),
    ("C-2.2-post", "HTTP method"),
    ("C-2.2-delete", "HTTP method"),
    ("C-2.4.1-503", "store failure"),
    ("C-2.4-wellknown", "reserved path of the server"),
];

/// What the pure functions answer.
struct Answer {
    status: u16,
    location: Option<String>,
    format: Option<Format>,
    /// The published links, whatever the format: linkset JSON.
    json: Option<Value>,
    json_ld: Option<Value>,
    script: Option<String>,
    /// Values of the `Link` header.
    links: Vec<String>,
    /// Description file or context file.
    document: Option<Value>,
    error: Option<RequestError>,
}

impl Answer {
    fn new(status: u16) -> Self {
        Self {
            status,
            location: None,
            format: None,
            json: None,
            json_ld: None,
            script: None,
            links: Vec::new(),
            document: None,
            error: None,
        }
    }

    fn redirect(location: String, link: String) -> Self {
        Self { location: Some(location), links: vec![link], ..Self::new(307) }
    }

    fn linkset(status: u16, linkset: &Linkset<'_>, format: Format, settings: &Settings) -> Self {
        let parse = |text: &str| serde_json::from_str(text).expect("linksets are JSON");
        Self {
            format: Some(format),
            json: Some(parse(&linkset.to_json())),
            json_ld: Some(parse(&linkset.to_json_ld())),
            script: Some(linkset.to_script_json_ld()),
            links: vec![settings.context_link().to_owned()],
            ..Self::new(status)
        }
    }
}

#[test]
fn every_case_is_answered_as_expected() {
    let examples = examples();
    let schema = linkset_schema();
    let (mut passed, mut skipped, mut wrong) = (0, 0, Vec::new());
    for case in examples["cases"].as_array().expect("cases") {
        let id = case["id"].as_str().expect("id");
        if case["request"]["operation"] != "resolve" {
            continue;
        }
        if let Some((_, why)) = SKIPPED.iter().find(|(skipped, _)| *skipped == id) {
            println!("skipped {id}: {why}");
            skipped += 1;
            continue;
        }
        match run(case, schema.as_ref()) {
            Ok(()) => passed += 1,
            Err(why) => wrong.push(format!("{id}: {why}")),
        }
    }
    println!("{passed} passed, {skipped} skipped");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(skipped, SKIPPED.len(), "a skipped case does not exist");
    assert!(passed >= 341, "only {passed} cases ran");
}

fn run(case: &Value, schema: Option<&jsonschema::Validator>) -> Result<(), String> {
    let settings = settings(&case["config"])?;
    let store = load(&case["stored"], &settings)?;
    let answer = answer(&case["request"], &settings, &store);
    let expected = &case["expected"];
    let said = || answer.error.as_ref().map(ToString::to_string).unwrap_or_default();
    if expected["status"] != answer.status {
        return Err(format!(
            "status {}, expected {} {}",
            answer.status,
            expected["status"],
            said()
        ));
    }
    if expected["location"].as_str() != answer.location.as_deref() {
        return Err(format!("Location {:?}, expected {}", answer.location, expected["location"]));
    }
    if let (Some(format), Some(content_type)) = (answer.format, expected["content_type"].as_str())
        && format.media_type() != content_type
    {
        return Err(format!("{}, expected {content_type}", format.media_type()));
    }
    judge::linkset(&answer, &expected["linkset"])?;
    judge::body(&answer, expected["body"].as_str(), &settings)?;
    for (name, predicate) in expected["headers"].as_object().into_iter().flatten() {
        judge::header(&answer, name, predicate.as_str().unwrap_or_default())?;
    }
    // RES-2.10-3: also 300 and 404.
    if let (Some(schema), Some(json)) = (schema, &answer.json) {
        schema.validate(json).map_err(|error| format!("linkset schema: {error}"))?;
    }
    Ok(())
}

fn answer(request: &Value, settings: &Settings, store: &BTreeMap<String, Arc<Entry>>) -> Answer {
    let text = |value: &'_ Value| value.as_str().map(|text| text.as_bytes().to_vec());
    let path = text(&request["path"]).unwrap_or_default();
    if path == b"/.well-known/gs1resolver" {
        let document = description_file(settings, Capabilities::CURRENT);
        return Answer { document: Some(document), ..Answer::new(200) };
    }
    if settings.own_context().map(str::as_bytes) == Some(&path) {
        let document = serde_json::from_str(context_document()).expect("the context is JSON");
        return Answer { document: Some(document), ..Answer::new(200) };
    }
    let query = text(&request["query"]);
    let accept = text(&request["headers"]["Accept"]).unwrap_or_default();
    let accept_language = text(&request["headers"]["Accept-Language"]).unwrap_or_default();
    let raw = RawRequest {
        path: &path,
        query: query.as_deref(),
        accept: &accept,
        accept_language: &accept_language,
    };
    let request = match Request::parse(settings, raw) {
        Ok(request) => request,
        Err(error) => {
            let status = if matches!(error, RequestError::Invalid(_)) { 400 } else { 404 };
            return Answer { error: Some(error), ..Answer::new(status) };
        }
    };
    if let Some(delegation) = delegate(settings, &request) {
        let link = delegation.handled_by_link();
        return Answer::redirect(delegation.into_location(), link);
    }
    let levels: Vec<Arc<Entry>> =
        request.entity().levels().filter_map(|level| store.get(&*level).cloned()).collect();
    let now = "2026-11-21T00:00:00Z".parse().expect("an instant");
    match resolve(settings, &request, &levels, now) {
        Resolution::Redirect(redirect) => {
            Answer::redirect(redirect.into_location(), linkset_link(settings, &request))
        }
        Resolution::Choices(linkset, format) => Answer::linkset(300, &linkset, format, settings),
        Resolution::Linkset(linkset, format) => Answer::linkset(200, &linkset, format, settings),
        Resolution::LinkTypeNotAvailable(linkset, format)
        | Resolution::NoDefault(linkset, format) => {
            Answer::linkset(404, &linkset, format, settings)
        }
        Resolution::Unknown => Answer::new(404),
    }
}

/// The settings of a case over the defaults; `fault` is no setting.
fn settings(config: &Value) -> Result<Settings, String> {
    let mut merged = json!({"resolver_root": "https://id.example.org"});
    for (name, value) in config.as_object().into_iter().flatten() {
        merged[name] = value.clone();
    }
    let parts: SettingsParts = serde_json::from_value(merged).map_err(|error| error.to_string())?;
    Settings::new(parts).map_err(|error| error.to_string())
}

fn load(stored: &Value, settings: &Settings) -> Result<BTreeMap<String, Arc<Entry>>, String> {
    let rules = Rules::new(settings.vocabulary()).with_resolver_root(settings.root());
    let mut store = BTreeMap::new();
    for record in stored.as_array().into_iter().flatten() {
        let accepted = read_record(record.to_string().as_bytes(), &rules);
        let entry = accepted.map_err(|refused| format!("stored data refused: {refused}"))?.entry;
        store.insert(entry.key().as_str().to_owned(), Arc::new(entry));
    }
    Ok(store)
}

fn examples() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/resolver-examples.json");
    let text = std::fs::read_to_string(path).expect("testdata/resolver-examples.json");
    serde_json::from_str(&text).expect("JSON")
}

/// GS1's linkset schema is not ours to keep; it is used in place where it is.
fn linkset_schema() -> Option<jsonschema::Validator> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/gs1-linkset-schema.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("SKIPPED: linksets are not validated, no schema at {}", path.display());
        return None;
    };
    let schema = serde_json::from_str(&text).expect("the schema is JSON");
    Some(jsonschema::draft7::new(&schema).expect("the schema is a schema"))
}

/// RES-3-2: validates a description file against our restatement of the published schema.
fn check_description(document: &Value) -> Result<(), String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/description-file-schema.json");
    let text = std::fs::read_to_string(path).expect("testdata/description-file-schema.json");
    let schema = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    validator.validate(document).map_err(|error| format!("description file schema: {error}"))
}
