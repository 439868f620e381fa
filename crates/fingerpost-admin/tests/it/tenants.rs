//! What one organisation does must not show in the answers that another one gets: the same
//! questions, before and after. And what is given by name, from idempotency keys to cursors,
//! belongs to the caller alone.

use crate::support;

use std::collections::BTreeMap;

use fingerpost_registry::{Caller, Id, Membership, NewUser, Role, Secret};
use serde_json::{Value, json};
use support::{Answer, Ask, FOREIGN, OWN, Running, ask, record, record_to, start};

/// Questions of a member of the first organisation, with every filter that could point at things of
/// the second one.
fn questions(foreign: &Id, user: &Id) -> Vec<Ask> {
    let mut all = Vec::new();
    for list in ["levels?limit=50&", "level-count?"] {
        for filter in [
            String::new(),
            format!("under=/{FOREIGN}"),
            "companyPrefix=9520123".to_owned(),
            "keyType=01".to_owned(),
            "linkType=gs1:pip".to_owned(),
            "targetHost=secret.example".to_owned(),
            "text=Secret".to_owned(),
            format!("author=user:{user}"),
            "changedSince=2020-01-01T00:00:00Z".to_owned(),
            format!("after={FOREIGN}"),
            "after=01/09506000134351".to_owned(),
            "after=zzzz".to_owned(),
            "order=newest&after=1:01/09520123456788".to_owned(),
            "order=newest&text=Secret".to_owned(),
        ] {
            all.push(ask("GET", &format!("/v1/{list}{filter}")));
        }
    }
    for target in [
        format!("/v1/levels/{FOREIGN}"),
        format!("/v1/history/{FOREIGN}"),
        format!("/v1/states/1/{FOREIGN}"),
        format!("/v1/differences/{FOREIGN}?from=1"),
        "/v1/changes".to_owned(),
        "/v1/changes?author=true&record=true".to_owned(),
        "/v1/change-sets".to_owned(),
        "/v1/deleted".to_owned(),
        "/v1/recalls".to_owned(),
        "/v1/changes?after=0&limit=1".to_owned(),
        "/v1/changes?after=18446744073709551615".to_owned(),
        "/v1/changes?after=-1".to_owned(),
        "/v1/change-count?since=2020-01-01T00:00:00Z".to_owned(),
        format!("/v1/change-count?since=2020-01-01T00:00:00Z&organisation={foreign}"),
        format!("/v1/change-count?since=2020-01-01T00:00:00Z&under={FOREIGN}"),
        "/v1/export".to_owned(),
        "/v1/export?companyPrefix=9520123".to_owned(),
        "/v1/export?changedSince=2020-01-01T00:00:00Z".to_owned(),
        format!("/v1/label?key={FOREIGN}"),
        "/v1/organisations".to_owned(),
        format!("/v1/organisations?after={foreign}"),
        format!("/v1/organisations/{foreign}"),
        format!("/v1/organisations/{foreign}/usage"),
        "/v1/keys".to_owned(),
        format!("/v1/keys?organisation={foreign}"),
        "/v1/keys?after=00000000000000000000000000".to_owned(),
        "/v1/users".to_owned(),
        format!("/v1/users/{user}"),
        format!("/v1/users?after={user}"),
        "/v1/proposals".to_owned(),
        format!("/v1/proposals?key={FOREIGN}"),
        "/v1/proposals?state=open".to_owned(),
        format!("/v1/audit?actor=user:{user}"),
        format!("/v1/audit?subject={FOREIGN}"),
        format!("/v1/audit?subject=user:{user}"),
        "/v1/audit?action=level.created".to_owned(),
        "/v1/audit?since=2020-01-01T00:00:00Z".to_owned(),
        "/v1/check?text=09520123456788".to_owned(),
        "/v1/search?text=09520123456788".to_owned(),
    ] {
        all.push(ask("GET", &target));
    }
    all.extend(orders());
    all
}

/// Changes and documents that name a level of the second organisation; none of them is carried out.
fn orders() -> Vec<Ask> {
    let both = json!({ "keys": [format!("/{OWN}"), format!("/{FOREIGN}")] });
    let recall = json!({
        "keys": [format!("/{OWN}"), format!("/{FOREIGN}")],
        "notices": [{ "href": "https://example.com/recall", "title": "Recall" }]
    });
    let rows = format!("{}\n{}\n", record(OWN), record(FOREIGN));
    let mut all = vec![
        ask("POST", "/v1/recalls").json(&recall),
        ask("POST", "/v1/recalls/end").json(&both),
        ask("POST", "/v1/export").json(&both),
        ask("POST", "/v1/label/sheet").json(&both),
        ask("POST", "/v1/explain").json(&json!({ "key": FOREIGN })),
        ask("POST", &format!("/v1/restore/{FOREIGN}?revision=1")),
        ask("POST", "/v1/batch").body("application/jsonl", rows.clone()),
        ask("POST", "/v1/batch?dryRun=true&mode=each").body("application/jsonl", rows.clone()),
        ask("POST", "/v1/imports?dryRun=true").body("application/jsonl", rows),
    ];
    for (name, value) in [
        ("If-Match", "*"),
        ("If-Match", "\"1\""),
        ("If-Match", "\"999\""),
        ("If-None-Match", "*"),
        ("If-None-Match", "\"1\""),
    ] {
        for method in ["GET", "PUT", "PATCH", "DELETE"] {
            let order = ask(method, &format!("/v1/levels/{FOREIGN}")).field(name, value);
            all.push(match method {
                "PUT" => order.json(&record(FOREIGN)),
                "PATCH" => order.body("application/merge-patch+json", "{}"),
                _ => order,
            });
        }
    }
    all
}

/// What does not depend on when it was asked: without cursors, which are global numbers, and sizes
/// of documents with dates.
fn comparable(answer: &Answer) -> String {
    let (status, mut fields, body) = answer.essence();
    fields.retain(|(name, _)| name != "content-length" && !name.starts_with("ratelimit"));
    let Ok(mut body) = serde_json::from_str::<Value>(&body) else {
        return format!("{status} {fields:?} {body}");
    };
    if let Some(members) = body.as_object_mut() {
        members.remove("next");
    }
    format!("{status} {fields:?} {body}")
}

/// Does much in the second organisation.
fn be_busy(running: &Running, foreign: Id) {
    let registry = &running.registry;
    let local = Caller::local("test");
    for title in ["Secret", "Secret two"] {
        let body = record_to(FOREIGN, "https://secret.example/").to_string();
        let body = body.replace("\"Thing\"", &format!("\"{title}\""));
        let put = ask("PUT", &format!("/v1/levels/{FOREIGN}")).key(&running.accounts.stranger);
        let answer = put.body("application/json", body).to(running);
        assert!([200, 201].contains(&answer.status), "{}", answer.text());
    }
    let approval = json!({ "approvalRequired": true });
    let patch = ask("PATCH", &format!("/v1/organisations/{foreign}")).key(&running.accounts.root);
    assert_eq!(patch.json(&approval).to(running).status, 200);
    let proposed = ask("PUT", &format!("/v1/levels/{FOREIGN}")).key(&running.accounts.stranger);
    assert_eq!(proposed.json(&record(FOREIGN)).to(running).status, 202);
    let user = NewUser {
        login: "their-secret".into(),
        name: "Secret".into(),
        password: None,
        memberships: vec![Membership { organisation: Some(foreign), role: Role::Admin }],
    };
    registry.create_user(&local, user).expect("a user");
}

#[test]
fn what_others_do_changes_no_answer() {
    let running = start();
    running.registered(OWN);
    let foreign = other_than(&running, &running.accounts.own);
    let user = NewUser {
        login: "theirs".into(),
        name: "Theirs".into(),
        password: None,
        memberships: vec![Membership { organisation: Some(foreign), role: Role::Editor }],
    };
    let user = running.registry.create_user(&Caller::local("test"), user).expect("a user").id;
    let accounts = &running.accounts;
    let answers = |key: &Secret| -> BTreeMap<String, String> {
        let ask_one = |asked: Ask| {
            let name = format!("{asked:?}");
            (name, comparable(&asked.key(key).to(&running)))
        };
        questions(&foreign, &user).into_iter().map(ask_one).collect()
    };
    for key in [&accounts.admin, &accounts.writer, &accounts.reader] {
        for answer in answers(key).values() {
            assert!(!answer.contains("Theirs") && !answer.contains("\"Second\""), "{answer}");
        }
    }
    let members = [&accounts.admin, &accounts.writer, &accounts.reader];
    let (before, seen_before) = (members.map(answers), answers(&accounts.stranger));
    be_busy(&running, foreign);
    let (after, seen_after) = (members.map(answers), answers(&accounts.stranger));
    for (before, after) in before.iter().zip(&after) {
        for (question, answer) in before {
            assert!(!answer.starts_with("429"), "{question}: {answer}");
            assert_eq!(answer, &after[question], "{question}");
        }
    }
    // The questions are good ones: those whose things they are see the difference.
    let changed = seen_before.iter().filter(|(question, answer)| seen_after[*question] != **answer);
    assert!(changed.count() > 30);
    let level = ask("GET", &format!("/v1/levels/{OWN}")).key(&accounts.admin).to(&running);
    let mut expected = record(OWN);
    expected["links"] = json!([{"linkType": "gs1:pip", "href": "https://brand.example/p", "title": "Page", "default": true}]);
    assert_eq!(level.json()["record"], expected, "nothing of that was carried out");
}

fn other_than(running: &Running, own: &Id) -> Id {
    let all = running.registry.organisations(&Caller::local("test"), None, 10).expect("all").items;
    all.iter().map(|organisation| organisation.id).find(|id| id != own).expect("another one")
}

/// The name of a request belongs to who chose it: others neither get its answer nor find it used.
#[test]
fn an_idempotency_key_of_others_is_free_and_answers_nothing() {
    type Make<'m> = &'m dyn Fn(&str) -> Ask;
    let running = start();
    let accounts = &running.accounts;
    let rows = |key: &str| format!("{}\n", record(key));
    let recall = |key: &str| {
        json!({
            "keys": [format!("/{key}")],
            "notices": [{ "href": "https://example.com/recall", "title": "Recall" }]
        })
    };
    let put = |key: &str| ask("PUT", &format!("/v1/levels/{key}")).json(&record(key));
    let batch = |key: &str| ask("POST", "/v1/batch").body("application/jsonl", rows(key));
    let recalls = |key: &str| ask("POST", "/v1/recalls").json(&recall(key));
    let requests: [(&str, Make<'_>); 3] = [("put", &put), ("batch", &batch), ("recall", &recalls)];
    for (name, make) in requests {
        let named = |key: &str| make(key).field("Idempotency-Key", name);
        let first = named(OWN).key(&accounts.writer).to(&running);
        assert!([200, 201].contains(&first.status), "{name}: {}", first.text());
        // The same request by somebody who may not make it.
        for key in [&accounts.stranger, &accounts.reader] {
            let stolen = named(OWN).key(key).to(&running);
            assert!([403, 422].contains(&stolen.status), "{name}: {}", stolen.text());
            assert!(stolen.field("etag").is_none(), "{name}: {stolen:?}");
        }
        // The same name for a request of their own, and for another key of the same organisation.
        let theirs = named(FOREIGN).key(&accounts.stranger).to(&running);
        assert!([200, 201].contains(&theirs.status), "{name}: {}", theirs.text());
        let again = named(OWN).key(&accounts.writer).to(&running);
        assert_eq!((again.status, &again.body), (first.status, &first.body), "{name}");
        let reused = named("01/09506000134369").key(&accounts.writer).to(&running);
        assert_eq!(reused.status, 422, "{name}: {}", reused.text());
    }
}

/// Cursors are guessed, bent and taken from others; a page has what the caller may read, or is
/// refused.
#[test]
fn forged_cursors_show_nothing() {
    let running = start();
    running.registered(OWN);
    running.registered(FOREIGN);
    let foreign = other_than(&running, &running.accounts.own);
    be_busy(&running, foreign);
    let cursors = |list: &str, key: &Secret| -> Vec<String> {
        let page = ask("GET", &format!("/v1/{list}limit=1")).key(key).to(&running).json();
        page["next"].as_str().map(str::to_owned).into_iter().collect()
    };
    for list in [
        "levels?",
        "levels?order=newest&",
        "changes?",
        "keys?",
        "users?",
        "organisations?",
        "proposals?",
        "audit?",
        "level-count?",
    ] {
        let name = if list.starts_with("audit") { "from" } else { "after" };
        let mut forged: Vec<String> = [&running.accounts.root, &running.accounts.stranger]
            .into_iter()
            .flat_map(|key| cursors(list, key))
            .collect();
        let long = "9".repeat(3_000);
        forged.extend(
            [
                "",
                "0",
                "1",
                "-1",
                "99999999999999999999",
                "1:2:3",
                FOREIGN,
                "%00",
                "%ff",
                "..",
                "*",
                "01%2F",
                "01/0952012345678",
                "null",
                "[]",
                &long,
                foreign.as_str(),
            ]
            .map(str::to_owned),
        );
        for cursor in forged {
            let cursor = cursor.replace('/', "%2F");
            let asked = ask("GET", &format!("/v1/{list}{name}={cursor}"));
            let answer = asked.key(&running.accounts.admin).to(&running);
            assert!(
                [200, 400, 404, 414].contains(&answer.status),
                "{list}{cursor}: {}",
                answer.text()
            );
            let text = answer.text();
            if answer.status == 200 {
                for secret in ["Secret", "secret.example", "their-secret", FOREIGN, "\"Second\""] {
                    assert!(!text.contains(secret), "{list}{cursor} shows {secret}: {text}");
                }
            }
        }
    }
}
