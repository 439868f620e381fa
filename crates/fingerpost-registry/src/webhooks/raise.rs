//! Raises events that are not changes of records: a row in the queue of each webhook.

use fingerpost_resolver::Anchor;
use fingerpost_store::Transaction;
use serde_json::{Value, json};

use super::{EventKind, StoredWebhook, WebhookEvent, log};
use crate::documents::load_page;
use crate::limits::{MAX_EVENT_KEYS, MAX_WEBHOOKS};
use crate::registry::Inner;
use crate::{Registry, RegistryError, ownership};

/// Whom an event concerns.
pub(crate) enum Concerned<'c> {
    /// The installation.
    Installation,
    /// The owners of records.
    Owners(&'c [&'c Anchor]),
}

/// Queues an event for the webhooks that want it. `data` is made of the records that a webhook may
/// hear of.
pub(crate) fn raise(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    kind: EventKind,
    subject: &str,
    concerned: &Concerned<'_>,
    data: impl Fn(&[&Anchor]) -> Value,
) -> Result<(), RegistryError> {
    if !inner.options.webhooks {
        return Ok(());
    }
    for (_, StoredWebhook { webhook, .. }) in load_page::<StoredWebhook>(tx, None, MAX_WEBHOOKS)? {
        if !webhook.wants(kind) {
            continue;
        }
        let mut own = Vec::new();
        match concerned {
            Concerned::Installation if webhook.organisation.is_some() => continue,
            Concerned::Installation => {}
            Concerned::Owners(keys) => {
                for key in keys.iter().filter(|key| webhook.covers(key)) {
                    let owner = webhook.organisation.and(ownership::owner(tx, key)?);
                    own.extend((owner == webhook.organisation).then_some(*key));
                    if own.len() == MAX_EVENT_KEYS {
                        break;
                    }
                }
                if own.is_empty() {
                    continue;
                }
            }
        }
        let subject = Some(subject.to_owned());
        let event = WebhookEvent::new(kind, subject, inner.now(), data(&own));
        match log::queue(tx, &webhook.id, &event) {
            Err(RegistryError::TooLarge { .. }) => log::drop_event(tx, &webhook.id)?,
            queued => queued?,
        }
    }
    Ok(())
}

impl Registry {
    /// Queues an event about the installation, such as a backup that failed.
    pub fn raise_event(
        &self,
        kind: EventKind,
        subject: &str,
        detail: &str,
    ) -> Result<(), RegistryError> {
        if !self.inner.options.webhooks {
            return Ok(());
        }
        let (inner, subject) = (self.inner.clone(), subject.to_owned());
        let data = json!({ "detail": detail });
        self.inner.store.transact(move |tx| {
            raise(tx, &inner, kind, &subject, &Concerned::Installation, |_| data.clone())
        })
    }
}
