//! What the delivery of events reads and writes, without a caller: the operator has switched it on.
//!
//! A batch has the events that wait in the queue, or the next changes after the position of the
//! webhook. The position moves after the receiver has acknowledged what is before it, in the
//! transaction that checks the lease: so each event is delivered at least once, changes in their
//! order, and a process that lost the lease moves nothing.

use std::collections::HashMap;

use fingerpost_store::{Revision, Transaction, View};
use jiff::Timestamp;

use crate::author::author;
use crate::documents::{load, load_page, remove, save};
use crate::feed::{Feed, FeedPosition, read_cursor};
use crate::leases::Lease;
use crate::limits::{DELIVERY_LIFETIME, FIRST_DELIVERY_PAUSE, MAX_DELIVERY_PAUSE, MAX_WEBHOOKS};
use crate::rights::Access;
use crate::webhooks::StoredWebhook;
use crate::webhooks::log::{self, Queued, StoredState, rows, state_of};
use crate::{Delivery, Filter, Id, Registry, RegistryError, Secret, Webhook, WebhookEvent};

/// The webhooks for which there may be something to deliver.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DueWebhooks {
    /// The revision of the store: what is after the position of a webhook is up to this one.
    pub revision: Revision,
    /// The webhooks, except those that are paused or wait after a failure.
    pub ids: Vec<Id>,
    /// Whether events wait in the queue of any webhook.
    pub has_queued: bool,
    /// The number of webhooks that are not paused.
    pub active: usize,
    /// The number of webhooks whose last attempt failed.
    pub failing: u64,
    /// The dead letters of all webhooks.
    pub dead_letters: u64,
}

/// Where an event comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WebhookPosition {
    /// A row of the queue.
    Queue(String),
    /// A cursor of the changes.
    Change(String),
}

/// An event to deliver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WebhookItem {
    /// Where it comes from.
    pub position: WebhookPosition,
    /// The event.
    pub event: WebhookEvent,
}

/// The next events of a webhook.
#[derive(Clone, Debug)]
pub struct WebhookBatch {
    /// The webhook.
    pub webhook: Webhook,
    /// The secrets that sign, the current one first.
    pub secrets: Vec<Secret>,
    /// The events, in their order; can be empty.
    pub items: Vec<WebhookItem>,
    /// The position after them; none for those of the queue.
    pub end: Option<String>,
    /// The position that is stored.
    pub stored: String,
    /// Whether there was nothing further.
    pub is_last: bool,
}

/// The result of a batch.
#[derive(Clone, Debug, Default)]
pub struct DeliveryReport {
    /// The name of this process, which has the lease.
    pub holder: String,
    /// What the receiver acknowledged.
    pub done: Vec<WebhookPosition>,
    /// What it did not acknowledge, in order; empty without a failure.
    pub failed: Vec<WebhookItem>,
    /// Whether it answered 410 Gone, which pauses the webhook.
    pub gone: bool,
    /// The attempts, oldest first.
    pub attempts: Vec<Delivery>,
    /// The position after the batch, if all of it was acknowledged.
    pub end: Option<String>,
}

impl Registry {
    /// Returns the webhooks for which there may be something to deliver.
    pub fn due_webhooks(&self) -> Result<DueWebhooks, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let mut due = DueWebhooks { revision: view.revision()?, ..DueWebhooks::default() };
            let all = load_page::<StoredWebhook>(view, None, MAX_WEBHOOKS)?;
            if all.is_empty() {
                return Ok(due);
            }
            let states = load_page::<StoredState>(view, None, MAX_WEBHOOKS)?;
            let states: HashMap<String, StoredState> = states.into_iter().collect();
            for (id, StoredWebhook { webhook, .. }) in all {
                let state = states.get(&id).map(|state| &state.shown);
                due.dead_letters += state.map_or(0, |state| state.dead_letters);
                if webhook.paused {
                    continue;
                }
                due.active += 1;
                due.failing += u64::from(state.is_some_and(|it| it.failing_since.is_some()));
                let pause = state.and_then(|state| state.due);
                due.ids.extend(pause.is_none_or(|until| until <= now).then_some(webhook.id));
            }
            due.has_queued = !load_page::<Queued>(view, None, 1)?.is_empty();
            Ok(due)
        })
    }

    /// Returns the next events of a webhook, at most `limit`; `None` if it is paused or deleted.
    /// `from` is a position up to which nothing is to be delivered, if it is known to be after the
    /// stored one.
    pub fn webhook_batch(
        &self,
        id: &Id,
        from: Option<&str>,
        limit: usize,
    ) -> Result<Option<WebhookBatch>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            let stored = load::<StoredWebhook>(view, id.as_str())?;
            let Some(stored) = stored.filter(|stored| !stored.webhook.paused) else {
                return Ok(None);
            };
            let secrets = stored.secrets(now);
            let webhook = stored.webhook;
            let cursor = state_of(view, id)?.cursor;
            let queued = rows::<Queued>(view, id, limit)?;
            if !queued.is_empty() {
                let items = queued.into_iter().map(|(row, Queued(event))| WebhookItem {
                    position: WebhookPosition::Queue(row),
                    event,
                });
                let (items, end, is_last) = (items.collect(), None, false);
                let stored = cursor;
                return Ok(Some(WebhookBatch { webhook, secrets, items, end, stored, is_last }));
            }
            let from = from.unwrap_or(&cursor);
            let (items, end, is_last) = changes(view, &webhook, from, limit, now)?;
            let (end, stored) = (Some(end), cursor);
            Ok(Some(WebhookBatch { webhook, secrets, items, end, stored, is_last }))
        })
    }

    /// Saves the result of a batch. After a failure, events that are older than three days, and
    /// whose attempts fail for as long, become dead letters. Returns the number of new ones, or
    /// `None` if another process delivers now, or the webhook was deleted.
    pub fn save_delivery(
        &self,
        id: &Id,
        report: DeliveryReport,
    ) -> Result<Option<u64>, RegistryError> {
        let (inner, id) = (self.inner.clone(), *id);
        self.inner.store.transact(move |tx| {
            let now = inner.now();
            let is_held = Lease::Webhooks.is_held(tx, &report.holder, now)?;
            let Some(mut stored) = load::<StoredWebhook>(tx, id.as_str())?.filter(|_| is_held)
            else {
                return Ok(None);
            };
            let mut state = state_of(tx, &id)?;
            for position in &report.done {
                pass(tx, &mut state, position)?;
            }
            if !report.done.is_empty() {
                state.shown.delivered = Some(now);
            }
            if !report.done.is_empty() || report.failed.is_empty() {
                state = state.at_once();
                state.shown.failing_since = None;
            }
            if let Some(end) = report.end.clone().filter(|_| report.failed.is_empty()) {
                state.cursor = end;
            }
            let mut dead = 0;
            if !report.failed.is_empty() {
                let since = *state.shown.failing_since.get_or_insert(now);
                let is_over = |item: &&WebhookItem| {
                    now.duration_since(item.event.at.max(since)) >= DELIVERY_LIFETIME
                };
                let over: Vec<_> = report.failed.iter().take_while(is_over).collect();
                for item in &over {
                    pass(tx, &mut state, &item.position)?;
                }
                dead = over.len() as u64;
                let events = over.into_iter().map(|item| item.event.clone());
                log::bury(tx, &id, &mut state, events)?;
                let doublings = 2_i32.saturating_pow(state.attempts.min(DOUBLINGS));
                let pause = (FIRST_DELIVERY_PAUSE * doublings).min(MAX_DELIVERY_PAUSE);
                state.attempts = state.attempts.saturating_add(1);
                state.shown.due = now.checked_add(pause).ok();
            }
            if report.gone {
                stored.webhook.paused = true;
                save(tx, id.as_str(), &stored)?;
            }
            if !report.attempts.is_empty() {
                log::note(tx, &id, &report.attempts)?;
            }
            state.save(tx, &id)?;
            Ok(Some(dead))
        })
    }
}

/// Doublings of the pause, which is at its longest then.
const DOUBLINGS: u32 = 10;

/// Removes an event from the queue, or moves the position after it.
fn pass(
    tx: &mut Transaction<'_>,
    state: &mut StoredState,
    position: &WebhookPosition,
) -> Result<(), RegistryError> {
    match position {
        WebhookPosition::Queue(row) => remove::<Queued>(tx, row).map(drop),
        WebhookPosition::Change(cursor) => {
            cursor.clone_into(&mut state.cursor);
            Ok(())
        }
    }
}

/// Returns the changes after a position that a webhook wants, the position after them, and whether
/// there are no further ones.
fn changes(
    view: &View<'_>,
    webhook: &Webhook,
    cursor: &str,
    limit: usize,
    now: Timestamp,
) -> Result<(Vec<WebhookItem>, String, bool), RegistryError> {
    let head = view.revision()?;
    let at = read_cursor(cursor).map_or(head, |(revision, _)| revision);
    if at > head {
        // The store was restored from a backup.
        return Ok((Vec::new(), head.to_string(), true));
    }
    let access = Access::reading(webhook.organisation);
    let feed = Feed::new(view, &access, &Filter::default(), limit)?;
    let (mut items, mut failed) = (Vec::new(), None);
    let mut written: Option<(Revision, Timestamp)> = None;
    let next = feed.run(FeedPosition::of(Some(cursor), head), |change, _, _| {
        if items.len() == limit {
            return false;
        }
        if !webhook.covers(&change.key) {
            return true;
        }
        let event = time_of(view, change.revision, &mut written, now).and_then(|at| {
            WebhookEvent::of_change(view, (change.revision, &change.key), change.deleted, at)
        });
        match event {
            Ok(event) if webhook.wants(event.kind) => {
                items.push(WebhookItem {
                    position: WebhookPosition::Change(event.id.clone()),
                    event,
                });
                true
            }
            Ok(_) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    })?;
    match failed {
        Some(error) => Err(error),
        None => {
            let is_last = next.is_none();
            Ok((items, next.unwrap_or_else(|| head.to_string()), is_last))
        }
    }
}

/// Returns when a revision was written, which is read once for the changes of one revision.
fn time_of(
    view: &View<'_>,
    revision: Revision,
    known: &mut Option<(Revision, Timestamp)>,
    now: Timestamp,
) -> Result<Timestamp, RegistryError> {
    if let Some((_, at)) = known.filter(|(known, _)| *known == revision) {
        return Ok(at);
    }
    let at = author(view, revision)?.at.unwrap_or(now);
    *known = Some((revision, at));
    Ok(at)
}
