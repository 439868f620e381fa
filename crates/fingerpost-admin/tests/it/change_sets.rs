//! What an import replaces, said before it; and what it changed, taken back (PE-17).

use crate::support;

use serde_json::{Value, json};
use support::{Answer, OWN, Running, ask, record, start};

/// A record that a brand looked after for years: a name, a French page, a campaign.
fn rich() -> Value {
    let mut rich = record(OWN);
    rich["itemDescription"] = json!("Green tea");
    let links = rich["links"].as_array_mut().expect("links");
    links.push(json!({
        "linkType": "gs1:pip", "href": "https://brand.example/fr", "title": "Thé", "hreflang": ["fr"]
    }));
    links.push(json!({
        "linkType": "gs1:promotion", "href": "https://brand.example/sale", "title": "Sale",
        "validFrom": "2026-06-01T00:00:00Z", "validUntil": "2026-07-01T00:00:00Z"
    }));
    rich
}

fn registered(running: &Running) -> Value {
    let asked = ask("GET", &format!("/v1/levels/{OWN}")).key(&running.accounts.reader);
    asked.to(running).json()["record"].clone()
}

fn put(running: &Running, record: &Value) {
    let asked = ask("PUT", &format!("/v1/levels/{OWN}")).key(&running.accounts.writer);
    let answer = asked.json(record).to(running);
    assert!(answer.status < 300, "{}", answer.text());
}

fn import(running: &Running, query: &str) -> Value {
    let file = "GTIN,Web address\n9506000134352,https://brand.example/new\n";
    let asked = ask("POST", &format!("/v1/imports{query}")).key(&running.accounts.writer);
    let answer = asked.body("text/csv", file).to(running);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn undo(running: &Running, set: u64, query: &str) -> Answer {
    let target = format!("/v1/change-sets/{set}/undo{query}");
    ask("POST", &target).key(&running.accounts.writer).to(running)
}

#[test]
fn an_import_says_what_it_replaces_and_can_keep_the_rest() {
    let running = start();
    put(&running, &rich());
    let before = registered(&running);
    let checked = import(&running, "?dryRun=true");
    let [replaced] = &checked["replaces"].as_array().expect("a list")[..] else {
        panic!("{checked:#}")
    };
    assert_eq!((&replaced["before"], &replaced["anchor"]), (&before, &json!(format!("/{OWN}"))));
    assert_eq!(replaced["after"]["itemDescription"], Value::Null);
    assert_eq!(replaced["after"]["links"].as_array().map(Vec::len), Some(1), "{replaced:#}");
    assert_eq!(registered(&running), before, "nothing was changed");
    let kept = import(&running, "?dryRun=true&keepRest=true");
    let after = &kept["replaces"][0]["after"];
    assert_eq!(after["itemDescription"], "Green tea");
    assert_eq!(after["links"].as_array().map(Vec::len), Some(3), "{after:#}");
    assert_eq!(after["links"][0]["href"], "https://brand.example/new");
    assert_eq!(after["links"][0]["title"], before["links"][0]["title"]);
    let done = import(&running, "?keepRest=true");
    assert_eq!((&registered(&running), &done["replaces"]), (after, &json!([])));
    assert_eq!(import(&running, "?keepRest=true")["totals"]["unchanged"], 1);
}

#[test]
fn an_import_is_one_entry_that_can_be_taken_back() {
    let running = start();
    put(&running, &rich());
    let before = registered(&running);
    let done = import(&running, "");
    let set = done["changeSet"].as_u64().expect("a change set");
    assert_ne!(registered(&running), before);
    let listed = ask("GET", "/v1/change-sets").key(&running.accounts.reader).to(&running).json();
    let newest = &listed["changeSets"][0];
    assert_eq!((&newest["id"], &newest["kind"]), (&json!(set), &json!("import")));
    assert_eq!((&newest["replaced"], &newest["revisions"]), (&json!(1), &Value::Null));
    let history = format!("/v1/history/{OWN}");
    let states = ask("GET", &history).key(&running.accounts.reader).to(&running).json();
    assert_eq!(states["states"][0]["changeSet"], set, "the history leads to it");
    let report = undo(&running, set, "").json();
    assert_eq!((&report["replaced"], registered(&running)), (&json!(1), before.clone()));
    // Taken back again, unless somebody changed the record meanwhile.
    let again = report["changeSet"].as_u64().expect("a change set");
    let mut other = before.clone();
    other["itemDescription"] = json!("Black tea");
    put(&running, &other);
    let refused = undo(&running, again, "");
    assert_eq!((refused.status, refused.code().as_str()), (422, "batch-refused"));
    assert_eq!(refused.json()["errors"][0]["id"], "ifMatch", "{}", refused.text());
    assert_eq!(undo(&running, again, "?mode=each").json()["refused"], 1);
    assert_eq!(registered(&running), other);
    assert_eq!(undo(&running, 999_999, "").status, 404);
    assert_eq!(
        ask("POST", "/v1/change-sets/x/undo").key(&running.accounts.writer).to(&running).status,
        404
    );
}

/// Point 2 of what can be undone: the parts of a bulk action are one set.
#[test]
fn requests_join_a_set_of_the_same_caller() {
    let running = start();
    let rows = |key: &str, query: &str, credential: &fingerpost_registry::Secret| {
        let asked = ask("POST", &format!("/v1/batch?mode=each{query}")).key(credential);
        asked.body("application/jsonl", record(key).to_string()).to(&running)
    };
    let writer = &running.accounts.writer;
    let first = rows(OWN, "", writer).json()["changeSet"].as_u64().expect("a set");
    let joined = format!("&changeSet={first}");
    assert_eq!(rows("01/09506000134369", &joined, writer).json()["changeSet"], first);
    let foreign = rows("01/09506000134376", &joined, &running.accounts.root);
    assert_eq!(foreign.status, 404, "{}", foreign.text());
    let report = undo(&running, first, "").json();
    assert_eq!(report["deleted"], 2, "{report:#}");
    let deleted = ask("GET", "/v1/deleted").key(&running.accounts.reader).to(&running).json();
    let keys: Vec<_> =
        deleted["levels"].as_array().expect("a list").iter().map(|one| &one["key"]).collect();
    assert_eq!(keys.len(), 2, "{deleted:#}");
    assert!(deleted["levels"][0]["by"]["actor"].as_str().is_some_and(|by| by.starts_with("key:")));
    // Registered again, it is no longer listed.
    put(&running, &record(OWN));
    let deleted = ask("GET", "/v1/deleted").key(&running.accounts.reader).to(&running).json();
    assert_eq!(deleted["levels"].as_array().map(Vec::len), Some(1), "{deleted:#}");
    let text = ask("GET", "/v1/deleted?under=/01/09506000134352").key(&running.accounts.reader);
    assert_eq!(text.to(&running).json()["levels"], json!([]));
}

/// What is recalled, since when and by whom, whatever was changed since.
#[test]
fn recalls_are_listed_with_their_beginning() {
    let running = start();
    put(&running, &record(OWN));
    let notices = json!([{ "href": "https://brand.example/recall", "title": "Recall" }]);
    let body = json!({ "keys": [format!("/{OWN}")], "notices": notices });
    let asked = ask("POST", "/v1/recalls").key(&running.accounts.writer).json(&body);
    let set = asked.to(&running).json()["changeSet"].clone();
    let list = || ask("GET", "/v1/recalls").key(&running.accounts.reader).to(&running).json();
    let first = list()["recalls"][0].clone();
    let mut changed = first["record"].clone();
    changed["itemDescription"] = json!("Tea");
    let asked = ask("PUT", &format!("/v1/levels/{OWN}")).key(&running.accounts.root);
    assert_eq!(asked.json(&changed).to(&running).status, 200);
    let second = list()["recalls"][0].clone();
    assert_ne!(first["revision"], second["revision"]);
    for member in ["since", "recalledBy", "changeSet", "key"] {
        assert_eq!(first[member], second[member], "{member}");
    }
    assert_eq!(second["changeSet"], set);
    assert!(second["recalledBy"]["actor"].as_str().is_some_and(|by| by.starts_with("key:")));
    let end = json!({ "keys": [format!("/{OWN}")] });
    let asked = ask("POST", "/v1/recalls/end").key(&running.accounts.writer).json(&end);
    assert_eq!(asked.to(&running).json()["replaced"], 1);
    assert_eq!(list()["recalls"], json!([]));
    // PE-30: without a notice, the page of the resolver is the notice.
    let asked = ask("POST", "/v1/recalls").key(&running.accounts.writer).json(&end);
    assert_eq!(asked.to(&running).json()["replaced"], 1);
    let links = list()["recalls"][0]["record"]["links"].clone();
    let page = links.as_array().unwrap().iter().find(|it| it["linkType"] == "gs1:recallStatus");
    let href = page.unwrap()["href"].as_str().unwrap();
    assert!(href.ends_with(&format!("/{OWN}?linkType=linkset")), "{href}");
}
