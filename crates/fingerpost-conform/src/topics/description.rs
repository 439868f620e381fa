//! The resolver description file (section 3).

use serde_json::Value;

use super::describe;
use crate::check::{Check, Release};
use crate::message::WebRequest;
use crate::run::{Run, answer};
use crate::subject::is_loopback;

/// The values of `supportedPrimaryKeys` in GS1's schema of the description file.
const KEYS: [&str; 21] = [
    "all", "01", "8006", "8013", "8010", "410", "411", "412", "413", "414", "415", "417", "8017",
    "8018", "255", "00", "253", "401", "402", "8003", "8004",
];

pub(super) const CHECKS: &[Check] = &[
    Check::shall("description-available", "3", &["RES-3-1"])
        .expects("GET /.well-known/gs1resolver is answered with status 200.")
        .advice("Serve the description file at the root of the host, also if the resolver has a path."),
    Check::shall("description-json", "3", &["RES-3-2"])
        .expects("The description file is a JSON object.")
        .needs("a description file")
        .advice("Validate the file with GS1's description-file schema."),
    Check::shall("description-root", "3", &["RES-3-2", "RES-3-3"])
        .expects("resolverRoot is the address of the resolver: a web address without a slash at the end.")
        .needs("a description file")
        .advice("Set resolverRoot to the stem of the Digital Link URIs, such as https://id.example.org."),
    Check::shall("description-root-https", "2.2", &["RES-2.2-4"])
        .expects("resolverRoot uses https.")
        .needs("a resolverRoot that is not on this machine")
        .advice("Write resolverRoot with https; printed URIs use it."),
    Check::shall("description-keys", "3", &["RES-3-2", "RES-3-4"])
        .expects("supportedPrimaryKeys is an array of primary keys of GS1's schema, or of \"all\".")
        .needs("a description file")
        .advice("List Application Identifiers as strings, such as \"01\"."),
    Check::shall("description-key", "2.5.9, 3", &["RES-2.5.9-5", "RES-3-4"])
        .expects("The primary key of the URI under test is among supportedPrimaryKeys.")
        .needs("a list of supportedPrimaryKeys")
        .advice("Declare each primary key that the resolver answers."),
    Check::shall("description-link-types", "3", &["RES-3-2", "RES-3-6", "RES-2.14-4"])
        .expects("supportedLinkType is an array of objects with namespace (a URI) and prefix (ending in a colon).")
        .needs("a description file with supportedLinkType")
        .advice("Write for example {\"namespace\": \"https://ref.gs1.org/voc/\", \"prefix\": \"gs1:\"}."),
    Check::shall("description-members", "3", &["RES-3-2", "RES-3-5", "RES-3-7", "RES-3-8", "RES-3-9", "RES-3-10"])
        .since(Release::V1_2)
        .expects("Optional members have the types of GS1's schema.")
        .needs("a description file")
        .advice("Leave out members without a value; null is no value."),
    Check::should("description-context", "2.10, 3", &["RES-3-12", "RES-2.10-5"])
        .expects("jsonLdContextLocation is the address of the JSON-LD context that linksets name.")
        .needs("a linkset with a Link to its JSON-LD context")
        .advice("Set jsonLdContextLocation to the target of the Link header of linksets."),
];

pub(super) fn examine(run: &mut Run) {
    let url = format!("{}/.well-known/gs1resolver", run.subject.origin);
    let (trial, response) = answer!(run, WebRequest::get(url));
    let is_available = response.status == 200;
    run.expect("description-available", &trial, is_available, describe(&response));
    if !is_available {
        return;
    }
    let value: Option<Value> = serde_json::from_slice(&response.body).ok();
    let Some(Value::Object(description)) = value else {
        run.expect("description-json", &trial, false, "no JSON object");
        return;
    };
    run.expect("description-json", &trial, true, "");
    run.description = description.clone();

    let root = description.get("resolverRoot").and_then(Value::as_str);
    let is_root = root.is_some_and(|root| is_web(root) && !root.ends_with('/'));
    let found = format!("resolverRoot {}", member(&description, "resolverRoot"));
    run.expect("description-root", &trial, is_root, found.clone());
    if let Some(root) = root.filter(|root| is_root && !is_loopback(root)) {
        run.expect("description-root-https", &trial, root.starts_with("https:"), found);
    }

    let keys = description.get("supportedPrimaryKeys").and_then(Value::as_array);
    let known = |key: &Value| key.as_str().is_some_and(|key| KEYS.contains(&key));
    let is_list = keys.is_some_and(|keys| keys.iter().all(known));
    let found = format!("supportedPrimaryKeys {}", member(&description, "supportedPrimaryKeys"));
    run.expect("description-keys", &trial, is_list, found.clone());
    if let Some(keys) = keys.filter(|_| is_list) {
        let declared = keys.iter().any(|key| key == "all" || *key == *run.subject.ai);
        run.expect("description-key", &trial, declared, found);
    }
    if let Some(types) = description.get("supportedLinkType") {
        let list = types.as_array();
        let holds = list.is_some_and(|list| list.iter().all(is_namespace));
        let found = format!("supportedLinkType {}", member(&description, "supportedLinkType"));
        run.expect("description-link-types", &trial, holds, found);
    }
    let wrong = OPTIONAL
        .iter()
        .find(|it| description.get(it.name).is_some_and(|value| !(it.is_valid)(value)));
    let found = wrong.map(|it| format!("{} {}", it.name, member(&description, it.name)));
    run.judge("description-members", &trial, found.map_or(Ok(()), Err));
}

/// An optional member.
struct Optional {
    name: &'static str,
    is_valid: fn(&Value) -> bool,
}

const OPTIONAL: [Optional; 7] = [
    Optional { name: "name", is_valid: Value::is_string },
    Optional { name: "linkTypeDefaultCanBeLinkset", is_valid: Value::is_boolean },
    Optional { name: "supportedContextValuesEnumerated", is_valid: is_texts },
    Optional { name: "supportedContextValuesExternal", is_valid: Value::is_array },
    Optional { name: "contact", is_valid: Value::is_object },
    Optional { name: "extensionProfile", is_valid: is_uri },
    Optional { name: "jsonLdContextLocation", is_valid: is_uri },
];

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn is_uri(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|uri| uri.contains(':') && uri.bytes().all(|it| it.is_ascii_graphic()))
}

fn is_namespace(value: &Value) -> bool {
    let prefix = value.get("prefix").and_then(Value::as_str).and_then(|it| it.strip_suffix(':'));
    let is_prefix = prefix.is_some_and(|name| {
        let first = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        first && name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'))
    });
    is_prefix && value.get("namespace").is_some_and(is_uri)
}

/// Whether a text is an absolute http or https URL in ASCII.
pub(super) fn is_web(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_host = |it: &str| it.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '[');
    rest.is_some_and(is_host) && url.bytes().all(|byte| byte.is_ascii_graphic())
}

fn member(object: &serde_json::Map<String, Value>, name: &str) -> String {
    object.get(name).map_or_else(|| "missing".to_owned(), ToString::to_string)
}
