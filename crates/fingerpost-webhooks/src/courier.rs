//! Delivers: looks for events every second, each webhook in a task of its own.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use fingerpost_http::{AddressGuard, Outgoing, TlsError};
use fingerpost_registry::{
    Delivery, DeliveryError, DeliveryReport, DueWebhooks, EventKind, Id, Lease, Registry,
    RegistryError, WebhookBatch, WebhookItem, WebhookMode,
};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;
use tokio::time::sleep;

use crate::WebhookOptions;
use crate::limits::{
    LEASE, LOOK, MAX_BATCH, MAX_BATCHES_IN_A_ROW, RENEW_EVERY, SAVE_AFTER_REVISIONS, SAVE_EVERY,
};
use crate::message::{id_of, request};

/// Delivers events to webhooks.
pub struct Courier {
    outgoing: Outgoing,
    concurrency: usize,
    /// What identifies this installation in events.
    source: String,
    /// The name of this process among those of the store.
    holder: String,
    counts: DeliveryCounts,
}

/// The number of deliveries since the start.
#[derive(Debug, Default)]
pub struct DeliveryCounts {
    /// Events that receivers acknowledged.
    pub delivered: AtomicU64,
    /// Requests that failed.
    pub failed: AtomicU64,
    /// Events that became dead letters.
    pub dead: AtomicU64,
}

/// Positions up to which nothing is to be delivered, after those in the store.
type Seen = RefCell<HashMap<Id, String>>;

impl Courier {
    /// Creates a courier. `root` is the address of this resolver, and `own` are the addresses of
    /// its listeners, which are never requested.
    ///
    /// # Errors
    ///
    /// If the certificates of authorities cannot be read.
    pub fn new(
        options: &WebhookOptions,
        root: &str,
        own: Vec<SocketAddr>,
    ) -> Result<Self, TlsError> {
        let guard = AddressGuard::new(options.allow_networks.to_vec()).refusing(own);
        Self::with_guard(options, root, guard)
    }

    /// Creates a courier with a guard of its own, for tests.
    ///
    /// # Errors
    ///
    /// As [`Courier::new`].
    pub fn with_guard(
        options: &WebhookOptions,
        root: &str,
        guard: AddressGuard,
    ) -> Result<Self, TlsError> {
        Ok(Self {
            outgoing: Outgoing::new(guard, options.timeout.get(), options.ca_file.as_deref())?,
            concurrency: options.concurrency.get(),
            source: root.to_owned(),
            holder: Id::random().to_string(),
            counts: DeliveryCounts::default(),
        })
    }

    /// Returns the number of deliveries since the start.
    pub fn counts(&self) -> &DeliveryCounts {
        &self.counts
    }

    /// Delivers events as long as the future is polled, in a runtime such as
    /// [`Outgoing::runtime`].
    /// Dropping it ends the delivery: what was not saved is delivered again.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn run(&self, registry: &Registry) -> Result<(), RegistryError> {
        let (seen, room) = (Seen::default(), Semaphore::new(self.concurrency));
        let (mut running, mut busy) = (FuturesUnordered::new(), HashSet::new());
        let mut renew: Option<Timestamp> = None;
        loop {
            let due = registry.due_webhooks()?;
            if due.active > 0 && self.has_lease(registry, &mut renew, &seen)? {
                for id in with_work(&due, &seen) {
                    if busy.insert(id) {
                        let (seen, room) = (&seen, &room);
                        running.push(async move {
                            let _room = room.acquire().await; // the semaphore is never closed
                            (id, self.deliver(registry, &id, seen).await)
                        });
                    }
                }
            }
            let pause = sleep(LOOK);
            tokio::pin!(pause);
            loop {
                tokio::select! {
                    () = &mut pause => break,
                    Some((id, delivered)) = running.next() => {
                        busy.remove(&id);
                        if !delivered? {
                            renew = None;
                            seen.borrow_mut().clear();
                        }
                    }
                }
            }
        }
    }

    /// Delivers what is due to each webhook once, one after the other. For tests.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn deliver_due(&self, registry: &Registry) -> Result<(), RegistryError> {
        if !registry.lease(Lease::Webhooks, &self.holder, LEASE)? {
            return Ok(());
        }
        for id in registry.due_webhooks()?.ids {
            self.deliver(registry, &id, &Seen::default()).await?;
        }
        Ok(())
    }

    /// Ends the lease, so that another process can begin at once.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub fn stop(&self, registry: &Registry) -> Result<(), RegistryError> {
        registry.lease(Lease::Webhooks, &self.holder, SignedDuration::ZERO).map(drop)
    }

    /// Takes or renews the lease when that is due; returns whether this process has it.
    fn has_lease(
        &self,
        registry: &Registry,
        renew: &mut Option<Timestamp>,
        seen: &Seen,
    ) -> Result<bool, RegistryError> {
        let now = registry.now();
        if renew.is_some_and(|at| now < at) {
            return Ok(true);
        }
        let has = registry.lease(Lease::Webhooks, &self.holder, LEASE)?;
        if renew.is_none() || !has {
            // Another process may have moved the positions.
            seen.borrow_mut().clear();
        }
        *renew = now.checked_add(RENEW_EVERY).ok().filter(|_| has);
        Ok(has)
    }

    /// Delivers what a webhook has to hear of, for a while. Returns `false` if another process
    /// delivers now.
    async fn deliver(
        &self,
        registry: &Registry,
        id: &Id,
        seen: &Seen,
    ) -> Result<bool, RegistryError> {
        for _ in 0..MAX_BATCHES_IN_A_ROW {
            let from = seen.borrow().get(id).cloned();
            let Some(batch) = registry.webhook_batch(id, from.as_deref(), MAX_BATCH)? else {
                return Ok(true);
            };
            if batch.items.is_empty() {
                let end = batch.end.clone().unwrap_or_default();
                let (stored, passed) = (revision(&batch.stored), revision(&end));
                // It is before the stored one after the store was restored from a backup.
                if passed < stored || passed > stored + SAVE_AFTER_REVISIONS {
                    let report = DeliveryReport { end: Some(end.clone()), ..self.report() };
                    if registry.save_delivery(id, report)?.is_none() {
                        return Ok(false);
                    }
                }
                seen.borrow_mut().insert(*id, end);
                if batch.is_last {
                    return Ok(true);
                }
                continue;
            }
            match self.send(registry, id, &batch).await? {
                Sent::All => {
                    if let Some(end) = batch.end {
                        seen.borrow_mut().insert(*id, end);
                    }
                    if batch.is_last {
                        return Ok(true);
                    }
                }
                Sent::Failed => {
                    // The position in the store is the one to continue from.
                    seen.borrow_mut().remove(id);
                    return Ok(true);
                }
                Sent::Elsewhere => return Ok(false),
            }
        }
        Ok(true)
    }

    fn report(&self) -> DeliveryReport {
        DeliveryReport { holder: self.holder.clone(), ..DeliveryReport::default() }
    }

    /// Sends a batch, in one request or in one for each event, and saves what was acknowledged.
    async fn send(
        &self,
        registry: &Registry,
        id: &Id,
        batch: &WebhookBatch,
    ) -> Result<Sent, RegistryError> {
        let size = match batch.webhook.mode {
            WebhookMode::Structured => 1,
            WebhookMode::Batched => MAX_BATCH,
        };
        let (mut report, mut saved) = (self.report(), Instant::now());
        let mut rest = &batch.items[..];
        while !rest.is_empty() {
            let (items, further) = rest.split_at(size.min(rest.len()));
            let attempt = self.attempt(registry, batch, items).await;
            let failed = attempt.error.is_some();
            report.gone = attempt.status == Some(410);
            report.attempts.push(attempt);
            if failed {
                self.counts.failed.fetch_add(1, Relaxed);
                report.failed = rest.to_vec();
                break;
            }
            self.counts.delivered.fetch_add(items.len() as u64, Relaxed);
            report.done.extend(items.iter().map(|item| item.position.clone()));
            rest = further;
            if saved.elapsed() >= SAVE_EVERY && !rest.is_empty() {
                let part = std::mem::replace(&mut report, self.report());
                if registry.save_delivery(id, part)?.is_none() {
                    return Ok(Sent::Elsewhere);
                }
                saved = Instant::now();
            }
        }
        let failed = !report.failed.is_empty();
        report.end.clone_from(&batch.end);
        let Some(dead) = registry.save_delivery(id, report)? else { return Ok(Sent::Elsewhere) };
        self.counts.dead.fetch_add(dead, Relaxed);
        Ok(if failed { Sent::Failed } else { Sent::All })
    }

    /// Sends one request. Only a status of success (2xx) acknowledges; a redirect is not followed.
    async fn attempt(
        &self,
        registry: &Registry,
        batch: &WebhookBatch,
        items: &[WebhookItem],
    ) -> Delivery {
        let began = Instant::now();
        let (status, error) = match request(batch, items, &self.source, registry.now()) {
            Err(error) => (None, Some(error.to_string())),
            Ok(request) => match self.outgoing.send(request).await {
                Err(error) => (None, Some(error.to_string())),
                Ok(answer) => {
                    let status = answer.head.status;
                    let refused = (!status.is_success()).then(|| {
                        format!("expected a status of success (2xx), found {}", status.as_u16())
                    });
                    (Some(status.as_u16()), refused)
                }
            },
        };
        let first = items.first().map(|item| &item.event);
        Delivery {
            at: registry.now(),
            message: id_of(items),
            kind: first.map_or(EventKind::Test, |event| event.kind),
            subject: first.and_then(|event| event.subject.clone()),
            events: items.len() as u64,
            milliseconds: milliseconds(began.elapsed()),
            status,
            error: error.as_deref().map(DeliveryError::new),
        }
    }
}

/// Returns the webhooks that are not known to have nothing.
fn with_work(due: &DueWebhooks, seen: &Seen) -> Vec<Id> {
    let (head, seen) = (due.revision.to_string(), seen.borrow());
    let has_work = |id: &&Id| due.has_queued || seen.get(*id).is_none_or(|seen| *seen != head);
    due.ids.iter().filter(has_work).copied().collect()
}

/// How a batch ended.
enum Sent {
    All,
    Failed,
    /// Another process delivers, or the webhook was deleted.
    Elsewhere,
}

/// Returns the revision of a position.
fn revision(position: &str) -> u64 {
    position.split('/').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
