//! Webhooks: where an organisation, or the operator, wants to hear of events.
//!
//! Events about records are not stored: each webhook has a position in the changes of the store,
//! which `GET /v1/changes` shows too, and delivery continues there. Events about other things wait
//! in a queue of the webhook. Both are delivered at least once; see `webhook_delivery.rs`.
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

use crate::documents::{Document, load_page, remove, save};
use crate::events::concerning;
use crate::fault::Fault;
use crate::limits::{MAX_OWNED, MAX_WEBHOOK_URL, MAX_WEBHOOKS};
use crate::secret::random_bytes;
use crate::text::LABEL;
#[cfg(feature = "schema")]
use crate::text::schema;
use crate::{Actor, CompanyPrefix, Id, Organisation, RegistryError, Secret};

mod event;
pub(crate) mod log;
mod raise;

pub use event::{EventKind, WebhookEvent};
pub use log::{DeadLetter, Delivery, DeliveryError, WebhookLog, WebhookState};

pub(crate) use raise::{Concerned, raise};

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
pub(crate) struct StoredWebhook {
    #[serde(flatten)]
    pub(crate) webhook: Webhook,
    pub(crate) secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) previous: Option<String>,
}

impl Document for StoredWebhook {
    const COLLECTION: &'static str = "webhooks";
}

impl StoredWebhook {
    /// Returns the secrets that sign at a time, the current one first.
    pub(crate) fn secrets(&self, now: Timestamp) -> Vec<Secret> {
        let overlaps = self.webhook.previous_until.is_some_and(|until| now < until);
        let previous = self.previous.iter().filter(|_| overlaps);
        std::iter::once(&self.secret).chain(previous).map(Secret::new).collect()
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

pub(crate) fn delete(tx: &mut Transaction<'_>, id: &Id) -> Result<(), RegistryError> {
    remove::<StoredWebhook>(tx, id.as_str())?;
    remove_rows(tx, id)
}

/// Returns a webhook as it is shown.
pub(crate) fn shown(view: &View<'_>, webhook: Webhook) -> Result<Webhook, RegistryError> {
    let state = state_of(view, &webhook.id)?.shown;
    Ok(Webhook { state, ..webhook })
}

pub(crate) fn new_secret() -> Result<String, RegistryError> {
    Ok(format!("whsec_{}", BASE64.encode(random_bytes::<32>()?.as_slice())))
}

/// Changes a webhook, if the result is valid.
pub(crate) fn change(webhook: &mut Webhook, changes: WebhookChange) -> Result<(), RegistryError> {
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
pub(crate) fn about(event: Event, webhook: &Webhook) -> Event {
    let host = Url::parse(&webhook.url).map(|url| url.origin().ascii_serialization());
    let event = event.subject(format!("webhook:{}", webhook.id));
    let event = event.detail("host", host.unwrap_or_default()).detail("paused", webhook.paused);
    concerning(event, webhook.organisation)
}
