//! Webhooks: where an organisation, or the operator, wants to hear of events.
//!
//! Events about records are not stored: each webhook has a position in the changes of the store,
//! which `GET /v1/changes` shows too, and delivery continues there. Events about other things wait
//! in a queue of the webhook. Both are delivered at least once; see `delivery.rs`.
//!
//! ```text
//! secret = "whsec_" base64   ; of 256 random bits (Standard Webhooks 1.0.0)
//! ```
//!
//! The secret signs what is sent, so it is stored itself, as the secrets of authenticator
//! applications are; it is shown once.

use data_encoding::BASE64;
use fingerpost_store::{Event, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::documents::{Document, load, load_page, load_sized, remove, save};
use crate::events::concerning;
use crate::fault::Fault;
use crate::key_end::overlap;
use crate::limits::{MAX_OWNED, MAX_WEBHOOK_URL, MAX_WEBHOOKS, MAX_WEBHOOKS_OF_OWNER};
use crate::registry::Context;
use crate::rights::Access;
use crate::secret::random_bytes;
use crate::text::LABEL;
#[cfg(feature = "schema")]
use crate::text::schema;
use crate::{
    Actor, Caller, CompanyPrefix, Id, KeyRotation, Organisation, Page, Registry, RegistryError,
    Secret, Verb,
};

mod delivery;
mod event;
mod log;

pub use delivery::{DeliveryReport, DueWebhooks, Position, WebhookBatch, WebhookItem};
pub(crate) use event::{Concerned, raise};
pub use event::{EventKind, WebhookEvent};
pub use log::{DeadLetter, Delivery, DeliveryError, WebhookLog, WebhookState};

use log::{remove_rows, state_of};

/// How events are sent (CloudEvents 1.0, HTTP protocol binding, section 3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum WebhookMode {
    /// One event in a request.
    #[default]
    Structured,
    /// Up to a hundred events in a request.
    Batched,
}

/// A webhook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// The id.
    pub id: Id,
    /// The label.
    pub label: String,
    /// The organisation about whose records it hears; null for the whole installation.
    pub organisation: Option<Id>,
    /// The address that events are sent to.
    pub url: String,
    /// The kinds of events; empty: all.
    pub kinds: Vec<EventKind>,
    /// The company prefixes of the records; empty: all of the organisation.
    pub prefixes: Vec<CompanyPrefix>,
    /// How events are sent.
    pub mode: WebhookMode,
    /// Whether nothing is sent. Events wait meanwhile.
    pub paused: bool,
    /// When it was created.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub created: Timestamp,
    /// Who created it.
    pub created_by: Actor,
    /// Until when requests are signed with the previous secret, too.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub previous_until: Option<Timestamp>,
    /// The state of the delivery.
    #[serde(default)]
    pub state: WebhookState,
}

/// A new webhook.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewWebhook {
    /// The label.
    #[cfg_attr(feature = "schema", schema(value_type = schema::Label))]
    pub label: String,
    /// The organisation about whose records it hears; null or absent for the whole installation.
    #[serde(default)]
    pub organisation: Option<Id>,
    /// The address that events are sent to: `https`, or `http` in a private network.
    pub url: String,
    /// The kinds of events; empty or absent: all.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub kinds: Vec<EventKind>,
    /// The company prefixes of the records; empty or absent: all of the organisation.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub prefixes: Vec<CompanyPrefix>,
    /// How events are sent.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub mode: WebhookMode,
}

/// A change of a webhook; absent members stay as they are.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct WebhookChange {
    /// The label.
    #[cfg_attr(feature = "schema", schema(value_type = Option<schema::Label>))]
    pub label: Option<String>,
    /// The address.
    pub url: Option<String>,
    /// The kinds of events; empty: all.
    pub kinds: Option<Vec<EventKind>>,
    /// The company prefixes of the records; empty: all.
    pub prefixes: Option<Vec<CompanyPrefix>>,
    /// How events are sent.
    pub mode: Option<WebhookMode>,
    /// Whether nothing is sent. Switching it off attempts delivery at once.
    pub paused: Option<bool>,
}

/// A webhook with the data that is not shown.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredWebhook {
    #[serde(flatten)]
    webhook: Webhook,
    secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<String>,
}

impl Document for StoredWebhook {
    const COLLECTION: &'static str = "webhooks";
}

impl StoredWebhook {
    /// Returns the secrets that sign at a time, the current one first.
    fn secrets(&self, now: Timestamp) -> Vec<Secret> {
        let overlaps = self.webhook.previous_until.is_some_and(|until| now < until);
        let previous = self.previous.iter().filter(|_| overlaps);
        std::iter::once(&self.secret).chain(previous).map(Secret::new).collect()
    }
}

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
            state_of(tx, &id)?.at_once().save(tx, &id)?;
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
            state_of(tx, &id)?.at_once().save(tx, &id)
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

/// Deletes the webhooks of an organisation.
pub(crate) fn delete_of(
    tx: &mut Transaction<'_>,
    owner: &Organisation,
) -> Result<(), RegistryError> {
    for (_, stored) in load_page::<StoredWebhook>(tx, None, MAX_WEBHOOKS)? {
        if stored.webhook.organisation == Some(owner.id) {
            delete(tx, &stored.webhook.id)?;
        }
    }
    Ok(())
}

/// Pauses all webhooks: those of a restored backup may have been deleted since.
pub(crate) fn pause_all(tx: &mut Transaction<'_>) -> Result<(), RegistryError> {
    for (id, mut stored) in load_page::<StoredWebhook>(tx, None, MAX_WEBHOOKS)? {
        stored.webhook.paused = true;
        save(tx, &id, &stored)?;
    }
    Ok(())
}

fn delete(tx: &mut Transaction<'_>, id: &Id) -> Result<(), RegistryError> {
    remove::<StoredWebhook>(tx, id.as_str())?;
    remove_rows(tx, id)
}

fn administered(view: &View<'_>, access: &Access, id: &Id) -> Result<StoredWebhook, RegistryError> {
    let stored = load::<StoredWebhook>(view, id.as_str())?;
    let stored = stored.filter(|one| access.in_scope(Verb::Admin, one.webhook.organisation));
    stored.ok_or(RegistryError::NotFound)
}

/// Returns a webhook as it is shown.
fn shown(view: &View<'_>, webhook: Webhook) -> Result<Webhook, RegistryError> {
    let state = state_of(view, &webhook.id)?.shown;
    Ok(Webhook { state, ..webhook })
}

fn new_secret() -> Result<String, RegistryError> {
    Ok(format!("whsec_{}", BASE64.encode(random_bytes::<32>()?.as_slice())))
}

/// Changes a webhook, if the result is valid.
fn change(webhook: &mut Webhook, changes: WebhookChange) -> Result<(), RegistryError> {
    let mut faults = Vec::new();
    let mut fault = |pointer, detail: String| faults.push(Fault::new(pointer, "webhook", detail));
    if let Some(label) = changes.label {
        if !LABEL.allows(&label) {
            fault("/label", format!("label must have {LABEL}"));
        }
        label.trim().clone_into(&mut webhook.label);
    }
    if let Some(url) = changes.url {
        match address(&url) {
            Some(url) => webhook.url = url,
            None => fault(
                "/url",
                format!(
                    "url must be an address with https or http, without user name, password and fragment, of at most \
                     {MAX_WEBHOOK_URL} bytes"
                ),
            ),
        }
    }
    if let Some(mut kinds) = changes.kinds {
        kinds.sort_unstable();
        kinds.dedup();
        webhook.kinds = kinds;
    }
    if let Some(prefixes) = changes.prefixes {
        if prefixes.len() > MAX_OWNED {
            fault("/prefixes", format!("at most {MAX_OWNED} prefixes are allowed"));
        }
        webhook.prefixes = prefixes;
    }
    webhook.mode = changes.mode.unwrap_or(webhook.mode);
    webhook.paused = changes.paused.unwrap_or(webhook.paused);
    if faults.is_empty() { Ok(()) } else { Err(RegistryError::invalid(faults)) }
}

/// Returns the address of a receiver in ASCII, if it is one. Whether it may be reached is decided
/// when a name has been resolved, for each request.
fn address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_right = matches!(url.scheme(), "https" | "http")
        && url.host().is_some()
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none()
        && url.as_str().len() <= MAX_WEBHOOK_URL;
    is_right.then(|| url.into())
}

/// Adds a webhook to an event of the audit log. The path of its address may be secret.
fn about(event: Event, webhook: &Webhook) -> Event {
    let host = Url::parse(&webhook.url).map(|url| url.origin().ascii_serialization());
    let event = event.subject(format!("webhook:{}", webhook.id));
    let event = event.detail("host", host.unwrap_or_default()).detail("paused", webhook.paused);
    concerning(event, webhook.organisation)
}
