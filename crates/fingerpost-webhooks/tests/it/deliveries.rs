//! What is sent, to whom, and in which order.

use fingerpost_registry::{
    CompanyPrefix, Conditions, EventKind, KeyRotation, LinkAnswer, LinkCheck, LinkFault,
    LinkVerdict, NewKey, NewWebhook, OrganisationChange, Registry, RegistryError, RegistryOptions,
    Verb, Via, WebhookChange, WebhookMode,
};
use fingerpost_resolver::RecallNotice;
use jiff::{SignedDuration, Timestamp};

use crate::support::*;

/// Creates, changes, recalls and deletes a record.
fn live(registry: &Registry) {
    put(registry, KEY, "Tea");
    put(registry, KEY, "Green tea");
    let (level, none) = ([KEY.parse().unwrap()], Conditions::none);
    let notice = RecallNotice {
        href: Some("https://example.com/recall".to_owned()),
        title: "Recall".to_owned(),
        hreflang: vec!["en".to_owned()],
    };
    registry.recall(&caller(), &level, &[notice], none()).unwrap();
    registry.end_recall(&caller(), &level, none()).unwrap();
    registry.delete(&caller(), &level[0], none()).unwrap();
}

const LIFE: [&str; 5] =
    ["record.created", "record.changed", "record.recalled", "record.changed", "record.deleted"];

/// 35.3: CloudEvents in structured mode, signed after Standard Webhooks, in the order of the
/// changes, each once.
#[test]
fn events_of_a_record_arrive_in_order_and_signed() {
    let (registry, receiver, courier) = (registry(), Receiver::friendly(), courier());
    put(&registry, "01/09506000134369", "Before the webhook");
    let (created, secret) = webhook(&registry, new_webhook(&receiver.url()));
    live(&registry);
    deliver(&courier, &registry);
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds(), LIFE);
    let received = receiver.received();
    for one in &received {
        assert!(one.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", one.head);
        assert_eq!(one.field("content-type"), "application/cloudevents+json");
        assert_eq!(one.signatures(&secret), (1, 1));
        let at: i64 = one.field("webhook-timestamp").parse().unwrap();
        assert!((registry.now().as_second() - at).abs() < 600);
        assert!(one.field("webhook-id").starts_with("msg_"));
    }
    let event = &received[0].events()[0];
    for (member, expected) in [
        ("specversion", "1.0"),
        ("source", ROOT),
        ("subject", "/01/09506000134352"),
        ("datacontenttype", "application/json"),
    ] {
        assert_eq!(event[member], expected, "{member}");
    }
    assert!(event["time"].as_str().unwrap().parse::<Timestamp>().is_ok());
    assert_eq!(event["data"]["record"], "/v1/levels/01/09506000134352");
    // The id of an event is a position of `GET /v1/changes`.
    let id = event["id"].as_str().unwrap();
    let page = registry.changes(&caller(), Default::default(), Some(id), Default::default(), 100);
    assert_eq!(page.unwrap().items.len(), 4);
    let state = registry.webhook(&caller(), &created.id).unwrap().state;
    assert!(state.delivered.is_some() && state.failing_since.is_none());
    let log = registry.webhook_log(&caller(), &created.id).unwrap();
    assert_eq!(log.deliveries.len(), 5);
    assert_eq!(log.deliveries[0].kind, EventKind::RecordDeleted, "the newest is the first");
    assert_eq!(log.deliveries[0].status, Some(204));
}

/// 35.3: batched mode.
#[test]
fn a_batch_has_many_events_in_one_request() {
    let (registry, receiver, courier) = (registry(), Receiver::friendly(), courier());
    let mode = WebhookMode::Batched;
    let (_, secret) = webhook(&registry, NewWebhook { mode, ..new_webhook(&receiver.url()) });
    live(&registry);
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds(), LIFE);
    let received = receiver.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].field("content-type"), "application/cloudevents-batch+json");
    assert_eq!(received[0].signatures(&secret), (1, 1));
    // More than a batch has room for, and all of it.
    put(&registry, KEY, "Tea");
    for number in 0..250 {
        put(&registry, &format!("{KEY}/10/L{number:03}"), "Lot");
    }
    deliver(&courier, &registry);
    let sizes: Vec<_> = receiver.received()[1..].iter().map(|one| one.events().len()).collect();
    assert_eq!(sizes, [100, 100, 51]);
}

/// 35.3: both secrets sign during a rotation.
#[test]
fn a_rotation_overlaps() {
    let (registry, receiver, courier) = (registry(), Receiver::friendly(), courier());
    let (hook, old) = webhook(&registry, new_webhook(&receiver.url()));
    let rotation = KeyRotation::default();
    let (hook, new) = registry.rotate_webhook(&caller(), &hook.id, &rotation).unwrap();
    assert!(hook.previous_until.is_some());
    put(&registry, KEY, "Tea");
    deliver(&courier, &registry);
    let received = receiver.received();
    assert_eq!(received[0].signatures(&old), (2, 1));
    assert_eq!(received[0].signatures(new.expose()), (2, 1));
    let at_once = KeyRotation { previous_until: Some(Timestamp::UNIX_EPOCH) };
    let (_, last) = registry.rotate_webhook(&caller(), &hook.id, &at_once).unwrap();
    put(&registry, KEY, "Green tea");
    deliver(&courier, &registry);
    assert_eq!(receiver.received()[1].signatures(last.expose()), (1, 1));
}

/// 35.3: tenants only hear of their own, in every kind of event about records.
#[test]
fn tenants_hear_of_their_own_records_only() {
    let (registry, courier) = (registry(), courier());
    let (ours, theirs) = ("01/09506000134352", "01/09521234543213");
    let owners = [organisation(&registry, "9506000"), organisation(&registry, "952123454")];
    let receivers = [Receiver::friendly(), Receiver::friendly(), Receiver::friendly()];
    for (owner, receiver) in [Some(owners[0]), Some(owners[1]), None].into_iter().zip(&receivers) {
        let organisation = owner;
        webhook(&registry, NewWebhook { organisation, ..new_webhook(&receiver.url()) });
    }
    for key in [ours, theirs, ours] {
        put(&registry, key, &format!("Tea {}", registry.now()));
    }
    // A broken link that both have.
    for _ in 0..2 {
        let answer = LinkAnswer { fault: Some(LinkFault::Status), ..LinkAnswer::default() };
        let check = LinkCheck {
            target: "https://example.com/p".to_owned(),
            at: registry.now(),
            verdict: LinkVerdict::Fails,
            answer,
            retry_after: None,
        };
        registry.save_link_checks(&[check], SignedDuration::from_hours(24)).unwrap();
        registry.index_broken_links("", None, None).unwrap();
    }
    // A proposal of the first.
    let approval = OrganisationChange { approval_required: Some(true), ..Default::default() };
    registry.update_organisation(&caller(), &owners[0], approval).unwrap();
    let key = NewKey {
        label: "shop".to_owned(),
        organisation: Some(owners[0]),
        for_organisation: true,
        verbs: vec![Verb::Read, Verb::Write],
        prefix: None,
        expires: None,
    };
    let (_, token) = registry.create_key(&caller(), key).unwrap();
    let client = fingerpost_registry::ClientInfo::new(Via::Api);
    let shop = registry.authenticate_key(&token, &client).unwrap();
    registry.delete(&shop, &ours.parse().unwrap(), Conditions::none()).unwrap();
    registry.raise_event(EventKind::BackupFailed, "backup", "no space").unwrap();
    deliver(&courier, &registry);
    let sorted = |receiver: &Receiver| {
        let mut kinds = receiver.kinds();
        kinds.sort();
        kinds
    };
    assert_eq!(
        sorted(&receivers[0]),
        ["link.broken", "proposal.waiting", "record.changed", "record.created"]
    );
    assert_eq!(sorted(&receivers[1]), ["link.broken", "record.created"]);
    assert_eq!(
        sorted(&receivers[2]),
        [
            "backup.failed",
            "link.broken",
            "link.broken",
            "proposal.waiting",
            "record.changed",
            "record.created",
            "record.created"
        ]
    );
    for (receiver, foreign) in [(&receivers[0], "952123454"), (&receivers[1], "9506000")] {
        assert!(receiver.received().iter().all(|one| !one.body.contains(foreign)), "{foreign}");
    }
}

/// 35.3: filters by kind and company prefix.
#[test]
fn a_webhook_hears_of_its_kinds_and_prefixes() {
    let (registry, courier) = (registry(), courier());
    let [by_kind, by_prefix] = [Receiver::friendly(), Receiver::friendly()];
    webhook(&registry, only(&[EventKind::RecordDeleted], &by_kind.url()));
    let prefixes = vec![CompanyPrefix::parse("9506000").unwrap()];
    webhook(&registry, NewWebhook { prefixes, ..new_webhook(&by_prefix.url()) });
    live(&registry);
    put(&registry, "01/09521234543213", "Other");
    deliver(&courier, &registry);
    assert_eq!(by_kind.kinds(), ["record.deleted"]);
    assert_eq!(by_prefix.kinds(), LIFE);
}

/// 35.3: pausing keeps events, a test arrives beside them, and deletion ends everything.
#[test]
fn a_paused_webhook_continues_where_it_was() {
    let (registry, receiver, courier) = (registry(), Receiver::friendly(), courier());
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    let pause = |paused: bool| {
        let change = WebhookChange { paused: Some(paused), ..WebhookChange::default() };
        registry.update_webhook(&caller(), &hook.id, change).unwrap();
    };
    pause(true);
    live(&registry);
    registry.test_webhook(&caller(), &hook.id).unwrap();
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds(), [""; 0]);
    pause(false);
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds()[0], "test");
    assert_eq!(receiver.kinds()[1..], LIFE);
    registry.delete_webhook(&caller(), &hook.id).unwrap();
    put(&registry, KEY, "Tea");
    deliver(&courier, &registry);
    assert_eq!(receiver.received().len(), 6);
    assert!(matches!(registry.webhook(&caller(), &hook.id), Err(RegistryError::NotFound)));
}

/// 35.3: switched off, nothing can be created and nothing is kept.
#[test]
fn without_the_option_there_are_no_events() {
    let registry = registry();
    let (hook, _) = webhook(&registry, new_webhook("https://example.com/hook"));
    let off = registry.with_options(RegistryOptions::new());
    let refused = off.create_webhook(&caller(), new_webhook("https://example.com/hook"));
    assert!(matches!(refused, Err(RegistryError::Conflict(_))));
    off.raise_event(EventKind::BackupFailed, "backup", "no space").unwrap();
    let batch = registry.webhook_batch(&hook.id, None, 100).unwrap().unwrap();
    assert_eq!(batch.items, []);
    for url in ["ftp://example.com/", "https://u:p@example.com/", "https://example.com/#x", "x"] {
        let refused = registry.create_webhook(&caller(), new_webhook(url));
        assert!(matches!(refused, Err(RegistryError::Invalid { .. })), "{url}");
    }
}
