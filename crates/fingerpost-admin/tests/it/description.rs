//! The description: checked in as it is generated, and true of what is really answered.

use crate::support;

use std::io::Write;

use serde_json::{Value, json};
use support::{Answer, Ask, OWN, ask, record, start, start_with};

const COMMAND: &str =
    "cargo run -p fingerpost-admin --example openapi > docs/reference/openapi.json";

#[test]
fn the_description_is_checked_in() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/openapi.json");
    let checked_in = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        checked_in == fingerpost_admin::openapi_document(),
        "docs/reference/openapi.json is not what the handlers say: run `{COMMAND}`"
    );
}

struct Description(Value);

impl Description {
    /// The operation, and whether this answer is one that it names.
    fn check(&self, path: &str, method: &str, answer: &Answer) {
        let operation = &self.0["paths"][path][method];
        assert!(operation.is_object(), "{method} {path} is described");
        let responses = &operation["responses"];
        let status = answer.status.to_string();
        let described = &responses[&status];
        assert!(described.is_object(), "{method} {path}: {status} is not described");
        let described = match described["$ref"].as_str() {
            Some(reference) => self.0.pointer(&reference[1..]).expect("a shared response"),
            None => described,
        };
        let media_type = answer.field("content-type").unwrap_or_default();
        let Some(content) = described["content"].as_object() else {
            assert!(answer.body.is_empty(), "{method} {path}: {status} has a body");
            return;
        };
        let essence = media_type.split(';').next().unwrap_or_default();
        let named = content.iter().find(|(named, _)| essence == named.as_str());
        let (_, content) = named.unwrap_or_else(|| panic!("{method} {path}: {media_type}"));
        if !essence.ends_with("json") {
            return;
        }
        let mut schema = content["schema"].clone();
        schema["components"] = self.0["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let body = answer.json();
        let errors: Vec<_> = validator.iter_errors(&body).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{method} {path} {status}: {errors:?}\n{body:#}");
    }
}

#[test]
fn answers_are_as_described() {
    let running = start();
    let accounts = &running.accounts;
    let description =
        Description(serde_json::from_str(&fingerpost_admin::openapi_document()).expect("JSON"));
    let level = format!("/v1/levels/{OWN}");
    let check = |path: &str, method: &str, asked: Ask, status: u16| {
        let answer = asked.key(&accounts.root).to(&running);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        description.check(path, method, &answer);
        answer
    };
    let get = |path: &str, target: &str| check(path, "get", ask("GET", target), 200);
    let put =
        |status| check("/v1/levels/{key}", "put", ask("PUT", &level).json(&record(OWN)), status);
    check("/v1/levels/{key}", "get", ask("GET", &level), 404);
    put(201);
    put(200);
    let bad = json!({ "anchor": format!("/{OWN}"), "links": [{}] });
    check("/v1/levels/{key}", "put", ask("PUT", &level).json(&bad), 422);
    let stale = ask("PUT", &level).field("If-Match", "\"99\"").json(&record(OWN));
    check("/v1/levels/{key}", "put", stale, 412);
    let patch = json!({ "itemDescription": "Other" }).to_string();
    let patch = ask("PATCH", &level).body("application/merge-patch+json", patch);
    check("/v1/levels/{key}", "patch", patch, 200);
    get("/v1/levels/{key}", &level);
    get("/v1/levels", "/v1/levels?limit=1");
    get("/v1/history/{key}", &format!("/v1/history/{OWN}"));
    get("/v1/states/{revision}/{key}", &format!("/v1/states/1/{OWN}"));
    get("/v1/differences/{key}", &format!("/v1/differences/{OWN}?from=1"));
    get("/v1/changes", "/v1/changes?after=0");
    get("/v1/changes", "/v1/changes?after=1&author=true&record=true");
    check("/v1/changes", "get", ask("GET", "/v1/changes?after=9999999"), 409);
    let position =
        get("/v1/feed/head", "/v1/feed/head").json()["position"].as_str().expect("text").to_owned();
    let zero = format!("0:0:{}", "0".repeat(64));
    for after in [&position, &zero] {
        get("/v1/feed/changes", &format!("/v1/feed/changes?after={after}&companyPrefixes=9506000"));
        get("/v1/feed/records", &format!("/v1/feed/records?seen={after}&from=01/0"));
        get("/v1/feed/digest", &format!("/v1/feed/digest?seen={after}&until=01/1"));
    }
    let lost = format!("/v1/feed/changes?after=1:1:{}", "a".repeat(64));
    let lost = check("/v1/feed/changes", "get", ask("GET", &lost), 409);
    assert_eq!(lost.code(), "unknown-position");
    let rows = format!("{}\n{{\"delete\": \"/01/09506000134369\"}}\n", record(OWN));
    let batch = ask("POST", "/v1/batch?mode=each").body("application/jsonl", rows);
    let set = check("/v1/batch", "post", batch, 200).json()["changeSet"].as_u64().expect("a set");
    get("/v1/change-sets", "/v1/change-sets?limit=1");
    get("/v1/change-sets/{id}", &format!("/v1/change-sets/{set}"));
    let undo = ask("POST", &format!("/v1/change-sets/{set}/undo"));
    check("/v1/change-sets/{id}/undo", "post", undo, 200);
    let csv = "GTIN,Web address\n9506000134352,https://brand.example/p\n9506000134353,x\n";
    for target in ["/v1/imports?dryRun=true", "/v1/imports"] {
        check("/v1/imports", "post", ask("POST", target).body("text/csv", csv), 200);
    }
    let unknown = ask("POST", "/v1/imports").body("text/csv", "Number,Price\n1,2\n");
    check("/v1/imports", "post", unknown, 422);
    for format in ["jsonl", "json", "csv", "xlsx"] {
        get("/v1/export", &format!("/v1/export?format={format}"));
    }
    get("/v1/deleted", "/v1/deleted?text=tea");
    get("/v1/recalls", "/v1/recalls");
    get("/v1/export/template", "/v1/export/template?layout=links&language=de");
    check("/v1/levels/{key}", "put", ask("PUT", &level).json(&record(OWN)), 200);
    let question = json!({ "key": OWN, "linkType": "gs1:pip", "records": [record(OWN)] });
    let explained = check("/v1/explain", "post", ask("POST", "/v1/explain").json(&question), 200);
    assert_eq!(explained.json()["headers"]["location"], "https://brand.example/p?linkType=gs1:pip");
    assert_eq!(explained.json()["status"], 307);
    get("/v1/check", "/v1/check?text=(01)09506000134352");
    get("/v1/check", "/v1/check?text=09506000134353");
    get("/v1/search", "/v1/search?text=09506000134352");
    get("/v1/search", "/v1/search?text=09506000134353");
    get("/v1/search", "/v1/search?text=010952012345678810COV010917270901");
    for format in ["svg", "png", "pdf", "json"] {
        get("/v1/label", &format!("/v1/label?key={OWN}&symbol=qr&format={format}"));
    }
    get("/v1/vocabulary", "/v1/vocabulary");
    get("/v1/configuration", "/v1/configuration");
    check("/v1/levels/{key}", "delete", ask("DELETE", &level), 204);
    let restore = ask("POST", &format!("/v1/restore/{OWN}?revision=1&dryRun=true"));
    check("/v1/restore/{key}", "post", restore, 200);
    let answer = ask("GET", &level).to(&running);
    description.check("/v1/levels/{key}", "get", &answer);
}

/// Section 2.5.2, RES-2.5.2-2: types of `link_types_file` are offered to forms, and can be
/// registered.
#[test]
fn section_2_5_2_added_link_types_are_offered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("types.txt");
    std::fs::write(&path, "safetyDataSheet Safety data sheet\n").expect("written");
    let running = start_with(&format!("link_types_file = {:?}", path.display().to_string()));
    let key = &running.accounts.admin;
    let answer = ask("GET", "/v1/vocabulary").key(key).to(&running);
    let types = answer.json()["linkTypes"].as_array().expect("a list").clone();
    let added = types.iter().find(|kind| kind["id"] == "gs1:safetyDataSheet").expect("the type");
    assert_eq!(added["iri"], "https://ref.gs1.org/voc/safetyDataSheet");
    assert_eq!((&added["title"], &added["allowed"]), (&json!("Safety data sheet"), &json!(true)));
    let mut record = record(OWN);
    let links = record["links"].as_array_mut().expect("links");
    links.push(
        json!({"linkType": "gs1:safetyDataSheet", "href": "https://brand.example/s", "title": "S"}),
    );
    let put = ask("PUT", &format!("/v1/levels/{OWN}")).key(key).json(&record).to(&running);
    assert!(put.status < 300, "{}", put.text());
    let stored = ask("GET", &format!("/v1/levels/{OWN}")).key(key).to(&running);
    assert!(stored.text().contains("\"gs1:safetyDataSheet\""), "{}", stored.text());
}

/// 36.1: forms offer signed links where roles are declared and the operator has set a secret.
#[test]
fn whether_signed_links_are_possible_is_told() {
    let mut secrets = tempfile::NamedTempFile::new().expect("a file");
    writeln!(secrets, "{}", "s-".repeat(20)).expect("it can be written");
    let secret = format!("signed_links.secret_file = {:?}\n", secrets.path());
    let roles = "roles = [{ name = \"recycler\" }]\n";
    for (toml, possible) in [
        (String::new(), false),
        (roles.to_owned(), false),
        (secret.clone(), false),
        (format!("{roles}{secret}"), true),
    ] {
        let running = start_with(&toml);
        let told = ask("GET", "/v1/vocabulary").key(&running.accounts.admin).to(&running).json();
        assert_eq!(told["signedLinks"], possible, "{toml}");
    }
}

/// Section 2.11, RES-2.11-1: forms offer the choice of the default answer where the operator leaves
/// it to records.
#[test]
fn section_2_11_whether_records_choose_the_default_answer_is_told() {
    for (toml, allowed) in [("", false), ("default_link_type_by_record = true", true)] {
        let running = start_with(toml);
        let key = &running.accounts.admin;
        let told = ask("GET", "/v1/vocabulary").key(key).to(&running).json();
        assert_eq!(told["defaultLinkTypeByRecord"], allowed);
        let mut record = record(OWN);
        record["defaultLinkType"] = json!("linkset");
        let put = ask("PUT", &format!("/v1/levels/{OWN}")).key(key).json(&record).to(&running);
        assert_eq!(put.status, if allowed { 201 } else { 422 }, "{}", put.text());
    }
}

#[test]
fn answers_about_accounts_are_as_described() {
    let running = start();
    let accounts = &running.accounts;
    let description =
        Description(serde_json::from_str(&fingerpost_admin::openapi_document()).expect("JSON"));
    let check = |path: &str, method: &str, asked: Ask, status: u16| {
        let answer = asked.key(&accounts.root).to(&running);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        description.check(path, method, &answer);
        answer
    };
    let made = |path: &str, body: &Value| {
        let answer = check(path, "post", ask("POST", path).json(body), 201);
        answer.field("location").expect("an address").to_owned()
    };
    let read = |path: &str, target: &str| check(path, "get", ask("GET", target), 200);
    let organisation =
        made("/v1/organisations", &json!({ "name": "New", "prefixes": ["9521111"] }));
    let user = made("/v1/users", &json!({ "login": "eve", "memberships": [{ "role": "reader" }] }));
    let key = made("/v1/keys", &json!({ "label": "x", "verbs": ["read"] }));
    for (list, one, item) in [
        ("/v1/organisations", "/v1/organisations/{id}", &organisation),
        ("/v1/users", "/v1/users/{id}", &user),
        ("/v1/keys", "/v1/keys/{id}", &key),
    ] {
        read(list, list);
        read(one, item);
        check(one, "get", ask("GET", &format!("{list}/{}", "0".repeat(26))), 404);
    }
    let usage = read("/v1/organisations/{id}/usage", &format!("{organisation}/usage"));
    assert_eq!(usage.json()["levels"], json!({ "used": 0, "quota": null }));
    let quotas = json!({ "quotas": { "keys": 0 } });
    let limited = ask("PATCH", &organisation).json(&quotas);
    check("/v1/organisations/{id}", "patch", limited, 200);
    let id = organisation.rsplit('/').next().expect("an id");
    let one_too_many = json!({ "label": "x", "verbs": ["read"], "organisation": id });
    let refused = check("/v1/keys", "post", ask("POST", "/v1/keys").json(&one_too_many), 409);
    assert_eq!(refused.code(), "quota-exceeded");
    let renamed = ask("PATCH", &organisation).json(&json!({ "name": "Newer" }));
    check("/v1/organisations/{id}", "patch", renamed, 200);
    let disabled = ask("PATCH", &user).json(&json!({ "disabled": true }));
    check("/v1/users/{id}", "patch", disabled, 200);
    let rotate = format!("{key}/rotate");
    check("/v1/keys/{id}/rotate", "post", ask("POST", &rotate), 200);
    let until = json!({ "previousUntil": "2999-01-01T00:00:00Z" });
    check("/v1/keys/{id}/rotate", "post", ask("POST", &rotate).json(&until), 422);
    check("/v1/users/{id}/confirm", "post", ask("POST", &format!("{user}/confirm")), 200);
    check("/v1/keys/{id}", "delete", ask("DELETE", &key), 200);
    check("/v1/keys/{id}/rotate", "post", ask("POST", &rotate), 409);
    check("/v1/users/{id}", "delete", ask("DELETE", &user), 204);
    check("/v1/organisations/{id}", "delete", ask("DELETE", &organisation), 204);
    read("/v1/proposals", "/v1/proposals?state=open");
    read("/v1/audit", "/v1/audit?limit=3");
    let report = read("/v1/audit/verify", "/v1/audit/verify");
    assert_eq!(report.json()["intact"], true, "{}", report.text());
    let signed_in = ask("GET", "/v1/session").to(&running);
    description.check("/v1/session", "get", &signed_in);
    let browser = running.sign_in();
    let session = ask("GET", "/v1/session").field("Cookie", &browser.cookie).to(&running);
    description.check("/v1/session", "get", &session);
    let sessions = ask("GET", "/v1/sessions").field("Cookie", &browser.cookie).to(&running);
    description.check("/v1/sessions", "get", &sessions);
    let password = json!({ "password": support::PASSWORD });
    let begin = running.by_page(&browser, ask("POST", "/v1/session/totp")).json(&password);
    let begun = begin.to(&running);
    description.check("/v1/session/totp", "post", &begun);
    let secret = begun.json()["secret"].as_str().expect("a secret").to_owned();
    let code = json!({ "code": fingerpost_testkit::totp(&secret, support::now().as_second()) });
    let confirm = running.by_page(&browser, ask("PUT", "/v1/session/totp")).json(&code);
    description.check("/v1/session/totp", "put", &confirm.to(&running));
    let body = json!({ "login": "ada", "password": support::PASSWORD });
    let asked = ask("POST", "/v1/session").json(&body).to(&running);
    assert_eq!(asked.code(), "code-required");
    description.check("/v1/session", "post", &asked);
    let nobody = format!("/v1/users/{}/totp", "0".repeat(26));
    check("/v1/users/{id}/totp", "delete", ask("DELETE", &nobody), 404);
}

/// What a schema says of a text and what the registry does with it are the same.
#[test]
fn texts_are_limited_as_described() {
    let running = start();
    let document: Value =
        serde_json::from_str(&fingerpost_admin::openapi_document()).expect("JSON");
    let valid = |name: &str, body: &Value| {
        let mut schema = document["components"]["schemas"][name].clone();
        schema["components"] = document["components"].clone();
        let options = jsonschema::options().should_validate_formats(true);
        options.build(&schema).expect("a schema").is_valid(body)
    };
    let user = |member: &str, text: &str| {
        let mut body = json!({ "login": format!("user-{}", text.len()) });
        body[member] = json!(text);
        ("NewUser", "/v1/users?", body)
    };
    let key = |member: &str, text: &str| {
        let mut body = json!({ "label": "x", "verbs": ["read"] });
        body[member] = json!(text);
        ("NewKey", "/v1/keys?", body)
    };
    let prefix = |text: &str| {
        ("NewOrganisation", "/v1/organisations?", json!({ "name": "x", "prefixes": [text] }))
    };
    let emoji = |count: usize| "\u{1f600}".repeat(count);
    for (name, target, body) in [
        user("login", "ada lovelace"),
        user("login", ""),
        user("login", &emoji(128)),
        user("login", &emoji(129)),
        user("login", "tab\t"),
        user("name", ""),
        user("name", "  "),
        user("name", &emoji(200)),
        user("name", &emoji(201)),
        user("name", "two\nlines"),
        user("password", "elevenbytes"),
        user("password", &emoji(12)),
        user("password", &"x".repeat(257)),
        user("more", "x"),
        key("label", ""),
        key("label", &emoji(200)),
        key("label", &emoji(201)),
        key("prefix", "950"),
        key("prefix", "9506"),
        key("prefix", &"9".repeat(18)),
        key("organisation", "no id"),
        key("expires", "2999-01-01T00:00:00Z"),
        key("expires", "2999-01-01"),
        key("expires", "29990101T000000Z"),
        prefix("0000"),
        prefix("00001"),
        prefix("9521"),
        prefix("952"),
        prefix("9999999999999"),
    ] {
        let answer = ask("POST", target).key(&running.accounts.root).json(&body).to(&running);
        let expected = if valid(name, &body) { 201 } else { 422 };
        assert_eq!(answer.status, expected, "{name} {body}: {}", answer.text());
    }
}

#[test]
fn numbers_of_queries_are_limited_as_described() {
    let running = start();
    for (query, status) in [
        ("/v1/levels?limit=0", 400),
        ("/v1/levels?limit=1", 200),
        ("/v1/levels?limit=1000", 200),
        ("/v1/levels?limit=1001", 400),
        ("/v1/levels?limit=", 400),
        ("/v1/keys?after=x", 400),
        ("/v1/changes?after=", 400),
        ("/v1/changes?after=-1", 400),
        ("/v1/feed/changes", 400),
        ("/v1/feed/changes?after=1", 400),
        ("/v1/feed/records?seen=1:1:ab", 400),
        ("/v1/feed/head?wait=x", 400),
        ("/v1/audit?from=9007199254740991", 200),
        ("/v1/audit?from=9007199254740992", 400),
        ("/v1/levels?changedSince=2026-01-01T00:00:00Z", 200),
        ("/v1/levels?changedSince=2026-01-01", 400),
    ] {
        let answer = ask("GET", query).key(&running.accounts.root).to(&running);
        assert_eq!(answer.status, status, "{query}: {}", answer.text());
    }
}
