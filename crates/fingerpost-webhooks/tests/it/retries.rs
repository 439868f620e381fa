//! What happens when a receiver does not acknowledge: with a clock of the test, without sleeping.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::SeqCst};

use fingerpost_registry::{
    DeliveryReport, EventKind, Lease, NewWebhook, WebhookMode, WebhookPosition,
};
use jiff::{SignedDuration, Timestamp};

use crate::support::*;

/// A receiver that acknowledges as long as it is willing to.
fn moody() -> (Receiver, Arc<AtomicBool>) {
    let willing = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&willing);
    let receiver = Receiver::new(move |_, stream| {
        say(stream, if asked.load(SeqCst) { "200 OK" } else { "503 Service Unavailable" });
    });
    (receiver, willing)
}

/// 35.3: retries with backoff up to three days, in order; then dead letters, which are replayed.
#[test]
fn events_are_retried_for_three_days_and_then_kept_to_be_replayed() {
    static PASSED: AtomicI64 = AtomicI64::new(0);
    fn clock() -> Timestamp {
        let begin = Timestamp::from_second(1_800_000_000).unwrap();
        begin.checked_add(SignedDuration::from_secs(PASSED.load(SeqCst))).unwrap()
    }
    let (registry, courier) = (with_clock(clock), courier());
    let (receiver, willing) = moody();
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    let state = || registry.webhook(&caller(), &hook.id).unwrap().state;
    put(&registry, KEY, "One");
    let mut pauses = Vec::new();
    let mut younger_at = None;
    // The receiver fails for four days. Time passes to the next attempt each time.
    while clock() < Timestamp::from_second(1_800_000_000 + 4 * 86_400).unwrap() {
        let before = receiver.received().len();
        deliver(&courier, &registry);
        assert_eq!(receiver.received().len(), before + 1, "one attempt, and none of later events");
        let due = state().due.expect("a pause");
        deliver(&courier, &registry);
        assert_eq!(receiver.received().len(), before + 1, "none before the pause has passed");
        let pause = due.as_second() - clock().as_second();
        pauses.push(pause);
        PASSED.fetch_add(pause, SeqCst);
        if younger_at.is_none() && PASSED.load(SeqCst) > 2 * 86_400 {
            put(&registry, KEY, "Two");
            younger_at = Some(clock());
        }
    }
    assert_eq!(pauses[..6], [5, 10, 20, 40, 80, 160]);
    assert!(pauses[12..].iter().all(|pause| *pause == 3_600), "{pauses:?}");
    assert_eq!(state().dead_letters, 1, "the first event, but not that of the third day");
    let subjects = registry.webhook_log(&caller(), &hook.id).unwrap().dead_letters;
    assert_eq!(subjects[0].kind, EventKind::RecordCreated);
    // The receiver is back: what is younger arrives, then what is replayed.
    willing.store(true, SeqCst);
    let before = receiver.received().len();
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds()[before..], ["record.changed"]);
    assert!(state().failing_since.is_none() && state().due.is_none());
    assert_eq!(registry.replay_webhook(&caller(), &hook.id).unwrap(), 1);
    deliver(&courier, &registry);
    assert_eq!(receiver.kinds()[before..], ["record.changed", "record.created"]);
    assert_eq!(state().dead_letters, 0);
    assert_eq!(courier.counts().dead.load(SeqCst), 1);
}

/// 35.3: what was acknowledged before a failure is not sent again, and a retry has the same
/// `webhook-id`.
#[test]
fn a_failure_continues_at_the_event_that_failed() {
    static PASSED: AtomicI64 = AtomicI64::new(0);
    fn clock() -> Timestamp {
        let begin = Timestamp::from_second(1_800_000_000).unwrap();
        begin.checked_add(SignedDuration::from_secs(PASSED.load(SeqCst))).unwrap()
    }
    let (registry, courier) = (with_clock(clock), courier());
    let refused = AtomicBool::new(false);
    let receiver = Receiver::new(move |received, stream| {
        let is_second = received.body.contains("10/B");
        let once = is_second && !refused.swap(true, SeqCst);
        say(stream, if once { "500 Internal Server Error" } else { "200 OK" });
    });
    webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    for lot in ["A", "B", "C"] {
        put(&registry, &format!("{KEY}/10/{lot}"), "Lot");
    }
    deliver(&courier, &registry);
    assert_eq!(receiver.received().len(), 3);
    PASSED.fetch_add(5, SeqCst);
    deliver(&courier, &registry);
    let lots: Vec<String> =
        receiver.members("subject").iter().map(|it| it[it.len() - 4..].to_owned()).collect();
    assert_eq!(lots, ["4352", "10/A", "10/B", "10/B", "10/C"]);
    let received = receiver.received();
    assert_eq!(received[2].field("webhook-id"), received[3].field("webhook-id"));
    assert_ne!(received[1].field("webhook-id"), received[2].field("webhook-id"));
}

/// 35.3: of several nodes one delivers, and one that lost the lease moves no position.
#[test]
fn one_process_of_a_store_delivers() {
    let (registry, receiver) = (registry(), Receiver::friendly());
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    let (first, second) = (courier(), courier());
    assert!(registry.lease(Lease::Webhooks, "other", SignedDuration::from_hours(1)).unwrap());
    deliver(&first, &registry);
    assert_eq!(receiver.received().len(), 0, "another process has the lease");
    let batch = registry.webhook_batch(&hook.id, None, 10).unwrap().unwrap();
    let done: Vec<WebhookPosition> = batch.items.into_iter().map(|item| item.position).collect();
    let report = |holder: &str| DeliveryReport {
        holder: holder.to_owned(),
        done: done.clone(),
        ..DeliveryReport::default()
    };
    assert_eq!(registry.save_delivery(&hook.id, report("stale")).unwrap(), None);
    assert!(registry.lease(Lease::Webhooks, "other", SignedDuration::ZERO).unwrap());
    deliver(&first, &registry);
    deliver(&second, &registry);
    assert_eq!(receiver.received().len(), 1);
    first.stop(&registry).unwrap();
    put(&registry, KEY, "Green tea");
    deliver(&second, &registry);
    assert_eq!(receiver.received().len(), 2);
}

/// 35.3: a queue and dead letters are bounded, and what is dropped is counted.
#[test]
fn events_that_nobody_takes_are_bounded() {
    let registry = registry();
    let (hook, _) = webhook(&registry, new_webhook("https://receiver.example/"));
    for _ in 0..1_003 {
        registry.raise_event(EventKind::BackupFailed, "backup", "no space").unwrap();
    }
    assert_eq!(registry.webhook(&caller(), &hook.id).unwrap().state.dropped, 3);
    let mode = WebhookMode::Batched;
    for _ in 0..19 {
        webhook(&registry, NewWebhook { mode, ..new_webhook("https://receiver.example/") });
    }
    let further = registry.create_webhook(&caller(), new_webhook("https://receiver.example/"));
    assert!(further.is_err(), "an owner has at most 20");
}
