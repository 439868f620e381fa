//! Every operation of the description, by everybody who may not: without credential, with a wrong,
//! expired or revoked one, with too few rights, with those of another organisation, from another
//! site. What is answered must not tell whether the thing is there. An operation without an
//! expectation fails the test.

use crate::support;

use std::collections::BTreeMap;

use fingerpost_registry::{Caller, Id, NewUser, Secret, Verb};
use serde_json::{Value, json};
use support::{Answer, Ask, OWN, Running, ask, record, start};

/// A product of the first organisation about which nothing is registered.
const ABSENT: &str = "01/09506000134369";

/// What is asked: where `{}` is the thing, and with what body.
struct Row {
    operation: &'static str,
    method: &'static str,
    target: &'static str,
    /// What `{}` stands for.
    thing: Thing,
    body: fn(key: &str) -> Option<(&'static str, String)>,
    /// What a key of the organisation that only reads gets: if the thing is there, if it is not.
    reader: [u16; 2],
    /// What a key of another organisation gets, whether the thing is there or not.
    stranger: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    None,
    Level,
    Organisation,
    Key,
    User,
    Proposal,
    Invitation,
    Webhook,
    ChangeSet,
}

fn no_body(_: &str) -> Option<(&'static str, String)> {
    None
}

fn a_record(key: &str) -> Option<(&'static str, String)> {
    Some(("application/json", record(key).to_string()))
}

fn a_patch(_: &str) -> Option<(&'static str, String)> {
    Some(("application/merge-patch+json", json!({ "itemDescription": "x" }).to_string()))
}

fn a_row(key: &str) -> Option<(&'static str, String)> {
    Some(("application/jsonl", record(key).to_string()))
}

fn a_signed_link(key: &str) -> Option<(&'static str, String)> {
    let link =
        json!({ "key": format!("/{key}"), "roles": ["recycler"], "until": "2100-01-01T00:00:00Z" });
    Some(("application/json", link.to_string()))
}

fn a_recall(key: &str) -> Option<(&'static str, String)> {
    let notices = json!([{ "href": "https://example.com/recall", "title": "Recall" }]);
    let body = json!({ "keys": [format!("/{key}")], "notices": notices });
    Some(("application/json", body.to_string()))
}

fn an_end_of_recall(key: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "keys": [format!("/{key}")] }).to_string()))
}

fn a_selection(key: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "keys": [format!("/{key}")] }).to_string()))
}

fn a_question(key: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "key": key }).to_string()))
}

fn an_organisation(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "name": "New", "prefixes": ["9521111"] }).to_string()))
}

fn a_name(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "name": "New" }).to_string()))
}

fn a_user(_: &str) -> Option<(&'static str, String)> {
    Some((
        "application/json",
        json!({ "login": "eve", "memberships": [{ "role": "admin" }] }).to_string(),
    ))
}

fn an_invitation(_: &str) -> Option<(&'static str, String)> {
    let body = json!({ "address": "eve@example.org", "role": "admin" });
    Some(("application/json", body.to_string()))
}

fn a_webhook(_: &str) -> Option<(&'static str, String)> {
    let body = json!({ "label": "shop", "url": "https://example.com/hook" });
    Some(("application/json", body.to_string()))
}

fn a_pause(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "paused": true }).to_string()))
}

fn a_brand(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "accent": "#0a4d8c" }).to_string()))
}

fn a_stop(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "mode": "stop" }).to_string()))
}

fn a_key(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "label": "more", "verbs": ["read", "admin"] }).to_string()))
}

fn passwords(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "old": "x", "new": support::PASSWORD }).to_string()))
}

fn a_password(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "password": support::PASSWORD }).to_string()))
}

fn a_version(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "version": "1" }).to_string()))
}

fn a_code(_: &str) -> Option<(&'static str, String)> {
    Some(("application/json", json!({ "code": "123456" }).to_string()))
}

fn a_password_and_code(_: &str) -> Option<(&'static str, String)> {
    let body = json!({ "password": support::PASSWORD, "code": "123456" });
    Some(("application/json", body.to_string()))
}

macro_rules! rows {
    ($($operation:literal $method:ident $target:literal $thing:ident $body:ident $reader:expr, $stranger:expr;)+) => {
        &[$(Row {
            operation: $operation, method: stringify!($method), target: $target, thing: Thing::$thing, body: $body,
            reader: $reader, stranger: $stranger,
        }),+]
    };
}

const ROWS: &[Row] = rows! {
    "listLevels" GET "/v1/levels" None no_body [200, 200], 200;
    "countLevels" GET "/v1/level-count" None no_body [200, 200], 200;
    "search" GET "/v1/search?text=tea" None no_body [200, 200], 200;
    "listLinks" GET "/v1/links" None no_body [200, 200], 200;
    "readInsight" GET "/v1/insight?dimensions=key" None no_body [200, 200], 200;
    "readLevel" GET "/v1/levels/{}" Level no_body [200, 404], 403;
    "putLevel" PUT "/v1/levels/{}" Level a_record [403, 403], 403;
    "patchLevel" PATCH "/v1/levels/{}" Level a_patch [403, 403], 403;
    "deleteLevel" DELETE "/v1/levels/{}" Level no_body [403, 403], 403;
    "readHistory" GET "/v1/history/{}" Level no_body [200, 404], 403;
    "readState" GET "/v1/states/1/{}" Level no_body [200, 404], 403;
    "compareStates" GET "/v1/differences/{}?from=1" Level no_body [200, 404], 403;
    "restoreState" POST "/v1/restore/{}?revision=1" Level no_body [403, 403], 403;
    "listDeleted" GET "/v1/deleted" None no_body [200, 200], 200;
    "listRecalls" GET "/v1/recalls" None no_body [200, 200], 200;
    "listChangeSets" GET "/v1/change-sets" None no_body [200, 200], 200;
    "readChangeSet" GET "/v1/change-sets/{}" ChangeSet no_body [200, 404], 404;
    "undoChangeSet" POST "/v1/change-sets/{}/undo" ChangeSet no_body [403, 403], 404;
    "listChanges" GET "/v1/changes" None no_body [200, 200], 200;
    "readFeedHead" GET "/v1/feed/head" None no_body [403, 403], 403;
    "readFeedChanges" GET "/v1/feed/changes?after=0:0:0000000000000000000000000000000000000000000000000000000000000000" None no_body [403, 403], 403;
    "readFeedRecords" GET "/v1/feed/records?seen=0:0:0000000000000000000000000000000000000000000000000000000000000000" None no_body [403, 403], 403;
    "readFeedDigest" GET "/v1/feed/digest?seen=0:0:0000000000000000000000000000000000000000000000000000000000000000" None no_body [403, 403], 403;
    "writeBatch" POST "/v1/batch" Level a_row [403, 403], 422;
    "recall" POST "/v1/recalls" Level a_recall [403, 403], 422;
    "endRecall" POST "/v1/recalls/end" Level an_end_of_recall [403, 403], 422;
    "importFile" POST "/v1/imports" Level a_row [403, 403], 200;
    "exportRecords" GET "/v1/export" None no_body [200, 200], 200;
    "readTemplate" GET "/v1/export/template" None no_body [200, 200], 200;
    "exportSelection" POST "/v1/export" Level a_selection [200, 404], 403;
    "drawSheet" POST "/v1/label/sheet" Level a_selection [200, 404], 403;
    "signLink" POST "/v1/signed-links" Level a_signed_link [403, 403], 403;
    "explainRequest" POST "/v1/explain" Level a_question [200, 200], 403;
    "drawLabel" GET "/v1/label?key={}" Level no_body [200, 404], 403;
    "checkText" GET "/v1/check?text=09506000134352" None no_body [200, 200], 200;
    "readVocabulary" GET "/v1/vocabulary" None no_body [200, 200], 200;
    "readConfiguration" GET "/v1/configuration" None no_body [200, 200], 200;
    "countChanges" GET "/v1/change-count?since=2026-01-01T00:00:00Z" None no_body [200, 200], 200;
    "readStatus" GET "/v1/status" None no_body [403, 403], 403;
    "readMetrics" GET "/metrics" None no_body [403, 403], 403;
    "listOrganisations" GET "/v1/organisations" None no_body [200, 200], 200;
    "createOrganisation" POST "/v1/organisations" None an_organisation [403, 403], 403;
    "readOrganisation" GET "/v1/organisations/{}" Organisation no_body [200, 404], 404;
    "readUsage" GET "/v1/organisations/{}/usage" Organisation no_body [200, 404], 404;
    "updateOrganisation" PATCH "/v1/organisations/{}" Organisation a_name [403, 404], 404;
    "deleteOrganisation" DELETE "/v1/organisations/{}" Organisation no_body [403, 404], 404;
    "listKeys" GET "/v1/keys" None no_body [403, 403], 200;
    "createKey" POST "/v1/keys" None a_key [403, 403], 403;
    "readKey" GET "/v1/keys/{}" Key no_body [404, 404], 404;
    "rotateKey" POST "/v1/keys/{}/rotate" Key no_body [404, 404], 404;
    "revokeKey" DELETE "/v1/keys/{}" Key no_body [404, 404], 404;
    "listUsers" GET "/v1/users" None no_body [403, 403], 200;
    "createUser" POST "/v1/users" None a_user [403, 403], 403;
    "readUser" GET "/v1/users/{}" User no_body [404, 404], 404;
    "updateUser" PATCH "/v1/users/{}" User a_name [404, 404], 404;
    "resetTotp" DELETE "/v1/users/{}/totp" User no_body [404, 404], 404;
    "confirmUser" POST "/v1/users/{}/confirm" User no_body [404, 404], 404;
    "eraseUser" DELETE "/v1/users/{}" User no_body [404, 404], 404;
    "suspendOrganisation" PUT "/v1/organisations/{}/suspension" Organisation a_stop [403, 404], 404;
    "reinstateOrganisation" DELETE "/v1/organisations/{}/suspension" Organisation no_body [403, 404], 404;
    "setBrand" PUT "/v1/organisations/{}/brand" Organisation a_brand [403, 404], 404;
    "removeBrand" DELETE "/v1/organisations/{}/brand" Organisation no_body [403, 404], 404;
    "listInvitations" GET "/v1/invitations" None no_body [403, 403], 200;
    "invite" POST "/v1/invitations" None an_invitation [403, 403], 403;
    "resendInvitation" POST "/v1/invitations/{}/resend" Invitation no_body [404, 404], 404;
    "revokeInvitation" DELETE "/v1/invitations/{}" Invitation no_body [404, 404], 404;
    "listWebhooks" GET "/v1/webhooks" None no_body [403, 403], 200;
    "createWebhook" POST "/v1/webhooks" None a_webhook [403, 403], 403;
    "readWebhook" GET "/v1/webhooks/{}" Webhook no_body [404, 404], 404;
    "updateWebhook" PATCH "/v1/webhooks/{}" Webhook a_pause [403, 403], 404;
    "rotateWebhook" POST "/v1/webhooks/{}/rotate" Webhook no_body [403, 403], 404;
    "testWebhook" POST "/v1/webhooks/{}/test" Webhook no_body [404, 404], 404;
    "replayWebhook" POST "/v1/webhooks/{}/replay" Webhook no_body [404, 404], 404;
    "listDeliveries" GET "/v1/webhooks/{}/deliveries" Webhook no_body [404, 404], 404;
    "deleteWebhook" DELETE "/v1/webhooks/{}" Webhook no_body [404, 404], 404;
    "listProposals" GET "/v1/proposals" None no_body [200, 200], 200;
    "readProposal" GET "/v1/proposals/{}" Proposal no_body [200, 404], 404;
    "approveProposal" POST "/v1/proposals/{}/approve" Proposal no_body [403, 404], 404;
    "rejectProposal" POST "/v1/proposals/{}/reject" Proposal no_body [403, 404], 404;
    "listAudit" GET "/v1/audit" None no_body [403, 403], 200;
    "verifyAudit" GET "/v1/audit/verify" None no_body [403, 403], 403;
    "listSessions" GET "/v1/sessions" None no_body [200, 200], 200;
    "endOtherSessions" DELETE "/v1/sessions" None no_body [404, 404], 404;
    "endSession" DELETE "/v1/sessions/{}" Key no_body [404, 404], 404;
    "beginTotp" POST "/v1/session/totp" None a_password [401, 401], 401;
    "confirmTotp" PUT "/v1/session/totp" None a_code [401, 401], 401;
    "removeTotp" POST "/v1/session/totp/remove" None a_password_and_code [401, 401], 401;
    "changePassword" PUT "/v1/session/password" None passwords [401, 401], 401;
    "acceptTerms" PUT "/v1/session/terms" None a_version [401, 401], 401;
};

/// Operations that everybody may ask for; [`everybody_may_ask_for_these`] looks at them.
const OPEN: [&str; 12] = [
    "readHealth",
    "readReadiness",
    "readDescription",
    "readManual",
    "readSession",
    "signIn",
    "signOut",
    "startFederatedSignIn",
    "finishFederatedSignIn",
    "acceptInvitation",
    "requestPasswordReset",
    "resetPassword",
];

/// What is there: one thing of each kind, all of the first organisation.
struct Things {
    running: Running,
    there: BTreeMap<&'static str, String>,
    absent: String,
}

impl Things {
    fn new() -> Self {
        let running = start();
        running.registered(OWN);
        let local = Caller::local("test");
        let registry = &running.registry;
        let keys = registry.keys(&local, Some(&running.accounts.own), None, 10).expect("keys");
        let user = NewUser {
            login: "bob".into(),
            name: "Bob".into(),
            password: None,
            memberships: vec![fingerpost_registry::Membership {
                organisation: Some(running.accounts.own),
                role: fingerpost_registry::Role::Reader,
            }],
        };
        let user = registry.create_user(&local, user).expect("a person").id.to_string();
        let change = json!({ "approvalRequired": true });
        let own = format!("/v1/organisations/{}", running.accounts.own);
        let asked = ask("PATCH", &own).key(&running.accounts.root).json(&change).to(&running);
        assert_eq!(asked.status, 200, "{}", asked.text());
        let other = support::record_to(OWN, "https://proposed.example/");
        let proposed = ask("PUT", &format!("/v1/levels/{OWN}"))
            .key(&running.accounts.writer)
            .json(&other)
            .to(&running);
        assert_eq!(proposed.status, 202, "{}", proposed.text());
        let location = proposed.field("location").expect("an address");
        assert_eq!(ask("GET", location).key(&running.accounts.admin).to(&running).status, 200);
        let proposal = proposed.json()["proposal"].as_str().expect("an id").to_owned();
        let row = support::record_to("01/09506000134376", "https://batch.example/").to_string();
        let (mode, none) = (fingerpost_registry::BatchMode::Atomic, Default::default());
        let batch = registry.batch(&local, row.as_bytes(), mode, none).expect("a batch");
        let set = batch.change_set.expect("a change set").number().to_string();
        let invited = fingerpost_registry::NewInvitation {
            address: "ada@example.org".into(),
            organisation: Some(running.accounts.own),
            role: fingerpost_registry::Role::Reader,
            language: String::new(),
        };
        let hook = fingerpost_registry::NewWebhook {
            label: "shop".into(),
            organisation: Some(running.accounts.own),
            url: "https://example.com/hook".into(),
            kinds: Vec::new(),
            prefixes: Vec::new(),
            mode: fingerpost_registry::WebhookMode::Structured,
        };
        // The registry of the server keeps no events, so nothing can be created over it.
        let options = fingerpost_registry::RegistryOptions::new().webhooks(true);
        let (hook, _) =
            registry.with_options(options).create_webhook(&local, hook).expect("a hook");
        let there = BTreeMap::from([
            ("organisation", running.accounts.own.to_string()),
            ("key", keys.items[0].id.to_string()),
            ("user", user),
            ("proposal", proposal),
            ("changeSet", set),
            (
                "invitation",
                registry.invite(&local, invited, "").expect("an invitation").id.to_string(),
            ),
            ("webhook", hook.id.to_string()),
        ]);
        Self { running, there, absent: Id::random().to_string() }
    }

    /// The name of the thing that is there, and of one that is not.
    fn names(&self, thing: Thing) -> [String; 2] {
        let named = |kind: &str| [self.there[kind].clone(), self.absent.clone()];
        match thing {
            Thing::None => [String::new(), String::new()],
            Thing::Level => [OWN.to_owned(), ABSENT.to_owned()],
            Thing::Organisation => named("organisation"),
            Thing::Key => named("key"),
            Thing::User => named("user"),
            Thing::Proposal => named("proposal"),
            Thing::Invitation => named("invitation"),
            Thing::Webhook => named("webhook"),
            Thing::ChangeSet => [self.there["changeSet"].clone(), "999999".to_owned()],
        }
    }

    /// The row about the thing that is there, and about the one that is not, with a credential.
    fn answers(&self, row: &Row, credential: impl Fn(Ask) -> Ask) -> [Answer; 2] {
        self.names(row.thing).map(|name| {
            let asked = ask(row.method, &row.target.replace("{}", &name));
            let asked = match (row.body)(&name) {
                Some((media_type, body)) => asked.body(media_type, body),
                None => asked,
            };
            credential(asked).to(&self.running)
        })
    }
}

fn protected(answer: &Answer) {
    for (name, expected) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.field(name), Some(expected), "{name} of {answer:?}");
    }
    let policy = answer.field("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(answer.field("x-request-id").is_some_and(|id| id.len() == 16));
}

/// Whatever is there, the answer is the same, and of this status.
fn alike(row: &Row, who: &str, answers: &[Answer; 2], status: u16, code: Option<&str>) {
    let [there, absent] = answers;
    assert_eq!(there.status, status, "{} by {who}: {}", row.operation, there.text());
    assert_eq!(absent.status, status, "{} by {who}, absent: {}", row.operation, absent.text());
    if status >= 400 {
        let plain = |answer: &Answer, key: &str| {
            let (status, fields, body) = answer.essence();
            let fields: Vec<_> =
                fields.into_iter().filter(|(name, _)| name != "content-length").collect();
            (status, fields, body.replace(key, "KEY"))
        };
        assert_eq!(plain(there, OWN), plain(absent, ABSENT), "{} by {who}", row.operation);
        if let Some(code) = code {
            assert_eq!(there.code(), code, "{} by {who}", row.operation);
        }
    }
    answers.iter().for_each(protected);
}

#[test]
fn every_operation_has_an_expectation() {
    let document: Value =
        serde_json::from_str(&fingerpost_admin::openapi_document()).expect("JSON");
    let mut described = Vec::new();
    for item in document["paths"].as_object().expect("paths").values() {
        for operation in item.as_object().expect("operations").values() {
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            let is_open = operation["security"].as_array().is_some_and(|all| {
                all.iter().any(|one| one.as_object().is_some_and(serde_json::Map::is_empty))
            });
            assert_eq!(is_open, OPEN.contains(&id.as_str()), "{id}: says who may ask");
            described.push(id);
        }
    }
    let mut expected: Vec<_> =
        ROWS.iter().map(|row| row.operation).chain(OPEN).map(str::to_owned).collect();
    expected.sort();
    described.sort();
    assert_eq!(described, expected, "add new operations to ROWS of this file");
}

#[test]
fn nobody_gets_anything_without_a_credential_that_counts() {
    let things = Things::new();
    let accounts = &things.running.accounts;
    let wrong = format!("{}x", &accounts.root.expose()[..accounts.root.expose().len() - 1]);
    let credentials: Vec<(&str, Option<String>)> = vec![
        ("nobody", None),
        ("a wrong secret", Some(format!("Bearer {wrong}"))),
        ("an unknown key", Some(format!("Bearer fpk_{}_{}", Id::random(), "a".repeat(43)))),
        ("no key at all", Some("Bearer x".into())),
        ("an empty key", Some("Bearer ".into())),
        ("a huge key", Some(format!("Bearer {}", "a".repeat(5000)))),
        ("another scheme", Some(format!("Basic {}", accounts.root.expose()))),
        ("an expired key", Some(format!("Bearer {}", accounts.expired.expose()))),
        ("a revoked key", Some(format!("Bearer {}", accounts.revoked.expose()))),
    ];
    let mut texts = Vec::new();
    for row in ROWS {
        for (who, value) in &credentials {
            let answers = things.answers(row, |asked| match value {
                Some(value) => asked.field("Authorization", value),
                None => asked,
            });
            alike(row, who, &answers, 401, Some("unauthenticated"));
            texts.push(answers[0].essence());
        }
        let cookie = |asked: Ask| asked.field("Cookie", "fingerpost-session=nonsense");
        alike(row, "a wrong cookie", &things.answers(row, cookie), 401, Some("unauthenticated"));
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "which of these it was is not told: {texts:#?}");
}

/// Changes do not ask again who has a key that was used a moment ago, but whether it is valid.
#[test]
fn a_key_that_was_revoked_after_its_last_request_changes_nothing() {
    let things = Things::new();
    let registry = &things.running.registry;
    let local = Caller::local("test");
    let client = fingerpost_registry::ClientInfo::new(fingerpost_registry::Via::Api);
    for row in ROWS.iter().filter(|row| ["PUT", "PATCH", "DELETE"].contains(&row.method)) {
        let new = fingerpost_registry::NewKey {
            label: "leaked".into(),
            organisation: None,
            verbs: vec![Verb::Read, Verb::Write, Verb::Admin],
            prefix: None,
            expires: None,
            for_organisation: false,
        };
        let (key, token) = registry.create_key(&local, new).expect("a key");
        registry.admit_key(&token, &client).expect("it is valid");
        registry.revoke_key(&local, &key.id).expect("revoked");
        assert!(registry.recall_key(&token, &client).is_some(), "its caller is known");
        let answers = things.answers(row, |asked| asked.key(&token));
        alike(row, "a revoked key", &answers, 401, Some("unauthenticated"));
    }
}

#[test]
fn fewer_rights_get_what_the_matrix_says() {
    let things = Things::new();
    let key = |key: &Secret| {
        let key = key.clone();
        move |asked: Ask| asked.key(&key)
    };
    let mut wrong = Vec::new();
    for row in ROWS {
        let answers = things.answers(row, key(&things.running.accounts.reader));
        let found = [answers[0].status, answers[1].status];
        if found != row.reader {
            wrong.push(format!("{} by a reader: {found:?}, {}", row.operation, answers[0].text()));
        }
        answers.iter().for_each(protected);
        let answers = things.answers(row, key(&things.running.accounts.stranger));
        if answers[0].status != row.stranger {
            let (status, text) = (answers[0].status, answers[0].text());
            wrong.push(format!("{} by a stranger: {status}, {text}", row.operation));
            continue;
        }
        alike(row, "a stranger", &answers, row.stranger, None);
        let text = format!("{}{}", answers[0].text(), answers[1].text());
        if row.thing == Thing::None && row.operation != "checkText" {
            let own = things.running.accounts.own.to_string();
            assert!(!text.contains(OWN) && !text.contains(&own), "{}: {text}", row.operation);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Nothing of all that has changed anything.
    let level = ask("GET", &format!("/v1/levels/{OWN}")).key(&things.running.accounts.admin);
    assert_eq!(level.to(&things.running).json()["revision"], 1);
}

#[test]
fn other_sites_get_nothing_by_a_session() {
    let things = Things::new();
    let browser = things.running.sign_in();
    let origin = things.running.origin();
    for row in ROWS.iter().filter(|row| row.method != "GET") {
        let by = |change: &dyn Fn(Ask) -> Ask| {
            let with = |asked: Ask| change(asked.field("Cookie", &browser.cookie));
            let answers = things.answers(row, with);
            alike(row, "another site", &answers, 403, Some("cross-site"));
        };
        by(&|asked| asked);
        by(&|asked| asked.field("Origin", &origin));
        by(&|asked| asked.field("Origin", &origin).field("X-CSRF-Token", "nonsense"));
        by(&|asked| asked.field("X-CSRF-Token", &browser.csrf));
        for foreign in ["https://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:1"] {
            by(&|asked| asked.field("Origin", foreign).field("X-CSRF-Token", &browser.csrf));
        }
        for site in ["cross-site", "same-site", "none"] {
            by(&|asked| {
                asked
                    .field("Origin", &origin)
                    .field("Sec-Fetch-Site", site)
                    .field("X-CSRF-Token", &browser.csrf)
            });
        }
    }
    let page = things.running.by_page(&browser, ask("POST", "/v1/organisations"));
    let refused = page.json(&json!({ "name": "New" })).to(&things.running);
    assert_eq!(refused.code(), "forbidden", "our own page is asked about rights only");
}

#[test]
fn everybody_may_ask_for_these() {
    let running = start();
    for (target, status) in [
        ("/health", 204),
        ("/ready", 204),
        ("/v1/openapi.json", 200),
        ("/v1/docs", 200),
        ("/v1/session", 200),
    ] {
        let answer = ask("GET", target).to(&running);
        assert_eq!(answer.status, status, "{target}");
        protected(&answer);
    }
    let nobody = ask("GET", "/v1/session").to(&running).json();
    assert_eq!(nobody, json!({ "user": null, "signIn": { "password": true, "oidc": false } }));
    assert_eq!(ask("DELETE", "/v1/session").to(&running).status, 204);
    for (method, target, status) in [
        ("GET", "/v1/nothing", 404),
        ("GET", "/v2/levels", 404),
        // There is no provider.
        ("GET", "/v1/oidc/start", 404),
        ("GET", "/v1/oidc/callback?code=x&state=y", 404),
        ("POST", "/health", 405),
        ("TRACE", "/v1/levels", 405),
    ] {
        let answer = ask(method, target).to(&running);
        assert_eq!(answer.status, status, "{method} {target}");
        assert_eq!(answer.field("content-type"), Some("application/problem+json"));
        protected(&answer);
    }
    // PE-27: where people look for the description leads there, also below a path of a proxy.
    for (target, place) in [
        ("/docs", "v1/docs"),
        ("/v1", "v1/docs"),
        ("/v1/", "docs"),
        ("/openapi.json", "v1/openapi.json"),
    ] {
        let answer = ask("GET", target).to(&running);
        assert_eq!((answer.status, answer.field("location")), (302, Some(place)), "{target}");
        protected(&answer);
    }
    let description = ask("GET", "/v1/openapi.json").to(&running).json();
    assert_eq!(description["servers"], json!([{ "url": "/" }]));
    // The policy of the page lets nothing be fetched and nothing run.
    let page = ask("GET", "/v1/docs").to(&running);
    let policy = page.field("content-security-policy").expect("a policy");
    assert!(!policy.contains("script-src") && !policy.contains("unsafe"), "{policy}");
    assert!(page.text().contains("href=\"docs/style.css\""));
    // PE-27: what scrolls can be reached with the keyboard.
    let text = page.text();
    assert_eq!(text.matches("<pre").count(), text.matches("<pre tabindex=\"0\">").count());
    let style = ask("GET", "/v1/docs/style.css").to(&running);
    assert_eq!((style.status, style.field("content-type")), (200, Some("text/css; charset=utf-8")));
    protected(&style);
    let documents = ask("GET", "/v1/docs/documents").to(&running);
    assert_eq!(documents.status, 200);
    assert_eq!(documents.field("content-security-policy"), Some(policy));
    protected(&documents);
}
