//! Operations on webhooks: an administrator creates, changes, tests and deletes them.

use fingerpost_store::View;

use crate::documents::{load, load_page, load_sized, save};
use crate::fault::Fault;
use crate::key_end::overlap;
use crate::limits::{MAX_WEBHOOKS, MAX_WEBHOOKS_OF_OWNER};
use crate::registry::Context;
use crate::rights::Access;
use crate::webhooks::{
    StoredWebhook, WebhookLog, WebhookState, about, change, delete, log, new_secret, shown,
};
use crate::{
    Caller, Id, KeyRotation, NewWebhook, Page, Registry, RegistryError, Secret, Verb, Webhook,
    WebhookChange, WebhookEvent,
};

impl Registry {
    /// Returns the webhooks that the caller administers.
    pub fn webhooks(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Webhook>, RegistryError> {
        self.view_as(caller, |view, access| {
            access.anywhere(Verb::Admin)?;
            crate::pages::page(
                after,
                limit,
                |after, limit| load_sized(view, after, limit),
                |StoredWebhook { webhook, .. }| {
                    let is_own = access.in_scope(Verb::Admin, webhook.organisation);
                    is_own.then(|| shown(view, webhook)).transpose()
                },
            )
        })
    }

    /// Returns a webhook that the caller administers.
    pub fn webhook(&self, caller: &Caller, id: &Id) -> Result<Webhook, RegistryError> {
        self.view_as(caller, |view, access| shown(view, administered(view, access, id)?.webhook))
    }

    /// Creates a webhook, which hears of changes from now on. Returns it with its secret, which is
    /// shown once.
    ///
    /// Fails with [`RegistryError::Conflict`] if events are switched off,
    /// [`RegistryError::Forbidden`] without the role of an administrator,
    /// [`RegistryError::NotFound`] for an organisation that the caller cannot see,
    /// [`RegistryError::Invalid`], [`RegistryError::TooLarge`], or an error of the store.
    pub fn create_webhook(
        &self,
        caller: &Caller,
        new: NewWebhook,
    ) -> Result<(Webhook, Secret), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            if let Some(id) = &new.organisation {
                access.administered_organisation(tx, id)?;
            } else {
                access.check_installation(Verb::Admin)?;
            }
            if !inner.options.webhooks {
                let detail = "events are switched off; the operator can set webhooks.deliver";
                return Err(RegistryError::Conflict(vec![Fault::new("", "webhook", detail)]));
            }
            let all = load_page::<StoredWebhook>(tx, None, MAX_WEBHOOKS)?;
            let owner =
                |one: &&(String, StoredWebhook)| one.1.webhook.organisation == new.organisation;
            if all.len() >= MAX_WEBHOOKS
                || all.iter().filter(owner).count() >= MAX_WEBHOOKS_OF_OWNER
            {
                let limit = MAX_WEBHOOKS_OF_OWNER as u64;
                return Err(RegistryError::TooLarge { what: "webhooks of one owner", limit });
            }
            let secret = new_secret()?;
            let mut webhook = Webhook {
                id: Id::random(),
                label: String::new(),
                organisation: new.organisation,
                url: String::new(),
                kinds: Vec::new(),
                prefixes: Vec::new(),
                mode: new.mode,
                paused: false,
                created: now,
                created_by: caller.actor.clone(),
                previous_until: None,
                state: WebhookState::default(),
            };
            let NewWebhook { label, url, kinds, prefixes, .. } = new.clone();
            change(
                &mut webhook,
                WebhookChange {
                    label: Some(label),
                    url: Some(url),
                    kinds: Some(kinds),
                    prefixes: Some(prefixes),
                    ..WebhookChange::default()
                },
            )?;
            let stored = StoredWebhook { webhook, secret: secret.clone(), previous: None };
            let id = stored.webhook.id;
            save(tx, id.as_str(), &stored)?;
            log::StoredState::at(tx.revision()?).save(tx, &id)?;
            tx.record(about(inner.event("webhook.created", caller), &stored.webhook))?;
            Ok((shown(tx, stored.webhook)?, Secret::new(secret)))
        })
    }

    /// Changes a webhook.
    ///
    /// Fails with [`RegistryError::NotFound`] for one that the caller does not administer,
    /// [`RegistryError::Invalid`], or an error of the store.
    pub fn update_webhook(
        &self,
        caller: &Caller,
        id: &Id,
        changes: WebhookChange,
    ) -> Result<Webhook, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = administered(tx, access, &id)?;
            change(&mut stored.webhook, changes.clone())?;
            save(tx, id.as_str(), &stored)?;
            log::state_of(tx, &id)?.at_once().save(tx, &id)?;
            tx.record(about(inner.event("webhook.changed", caller), &stored.webhook))?;
            shown(tx, stored.webhook)
        })
    }

    /// Deletes a webhook, with the events that wait for it and its dead letters.
    ///
    /// Fails with [`RegistryError::NotFound`] for one that the caller does not administer, or an
    /// error of the store.
    pub fn delete_webhook(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let stored = administered(tx, access, &id)?;
            delete(tx, &id)?;
            tx.record(about(inner.event("webhook.deleted", caller), &stored.webhook))?;
            Ok(())
        })
    }

    /// Gives a webhook a new secret, which is shown once. Requests carry signatures with both
    /// secrets until the overlap ends, so that the receiver can be changed meanwhile.
    ///
    /// Fails with [`RegistryError::NotFound`] for one that the caller does not administer,
    /// [`RegistryError::Invalid`], or an error of the store.
    pub fn rotate_webhook(
        &self,
        caller: &Caller,
        id: &Id,
        rotation: &KeyRotation,
    ) -> Result<(Webhook, Secret), RegistryError> {
        let (id, rotation) = (*id, rotation.clone());
        self.transact_as(caller, move |tx, &Context { inner, caller, access, now }| {
            let mut stored = administered(tx, access, &id)?;
            let until = overlap(&rotation, now)?;
            let secret = new_secret()?;
            let before = std::mem::replace(&mut stored.secret, secret.clone());
            stored.webhook.previous_until = (until > now).then_some(until);
            stored.previous = (until > now).then_some(before);
            save(tx, id.as_str(), &stored)?;
            let event = inner.event("webhook.rotated", caller);
            let event = event.detail("previousUntil", until.max(now).to_string());
            tx.record(about(event, &stored.webhook))?;
            Ok((shown(tx, stored.webhook)?, Secret::new(secret)))
        })
    }

    /// Sends an event of the kind `test`.
    ///
    /// Fails with [`RegistryError::NotFound`] for a webhook that the caller does not administer,
    /// [`RegistryError::TooLarge`] if too many events wait, or an error of the store.
    pub fn test_webhook(&self, caller: &Caller, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { access, now, .. }| {
            administered(tx, access, &id)?;
            log::queue(tx, &id, &WebhookEvent::test(&id, now))?;
            log::state_of(tx, &id)?.at_once().save(tx, &id)
        })
    }

    /// Delivers the dead letters of a webhook again; returns their number.
    ///
    /// Fails as [`Registry::test_webhook`].
    pub fn replay_webhook(&self, caller: &Caller, id: &Id) -> Result<u64, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let stored = administered(tx, access, &id)?;
            let replayed = log::replay(tx, &id)?;
            let event = inner.event("webhook.replayed", caller).detail("events", replayed);
            tx.record(about(event, &stored.webhook))?;
            Ok(replayed)
        })
    }

    /// Returns the last deliveries of a webhook and its dead letters.
    pub fn webhook_log(&self, caller: &Caller, id: &Id) -> Result<WebhookLog, RegistryError> {
        self.view_as(caller, |view, access| {
            administered(view, access, id)?;
            log::read(view, id)
        })
    }
}

fn administered(view: &View<'_>, access: &Access, id: &Id) -> Result<StoredWebhook, RegistryError> {
    let stored = load::<StoredWebhook>(view, id.as_str())?;
    let stored = stored.filter(|one| access.in_scope(Verb::Admin, one.webhook.organisation));
    stored.ok_or(RegistryError::NotFound)
}
