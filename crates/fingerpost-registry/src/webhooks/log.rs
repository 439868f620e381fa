//! What is stored of the delivery to a webhook: its position, its last attempts, the events that
//! wait, and its dead letters.

use std::collections::VecDeque;

use fingerpost_store::{Revision, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{EventKind, WebhookEvent};
use crate::documents::{Document, load, load_page, remove, save};
use crate::limits::{
    MAX_DEAD_LETTERS, MAX_DELIVERY_ERROR, MAX_LOGGED_DELIVERIES, MAX_QUEUED_EVENTS,
    MAX_SHOWN_DEAD_LETTERS,
};
use crate::{Id, RegistryError};

/// The state of the delivery to a webhook.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookState {
    /// When events were last delivered.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub delivered: Option<Timestamp>,
    /// Since when every attempt fails.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub failing_since: Option<Timestamp>,
    /// When the next attempt is made, after one that failed.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub due: Option<Timestamp>,
    /// Dead letters: events that could not be delivered for three days.
    pub dead_letters: u64,
    /// Events that were dropped, because too many waited or were dead letters.
    pub dropped: u64,
}

/// An attempt to deliver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// When it ended.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
    /// `webhook-id` of the request.
    pub message: String,
    /// The kind of the first event.
    pub kind: EventKind,
    /// The subject of the first event.
    #[serde(default)]
    pub subject: Option<String>,
    /// Number of events.
    pub events: u64,
    /// Milliseconds that it took.
    pub milliseconds: u64,
    /// The status of the answer, if there was one.
    #[serde(default)]
    pub status: Option<u16>,
    /// Why it failed; null if it succeeded.
    #[serde(default)]
    pub error: Option<DeliveryError>,
}

/// Why a delivery failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct DeliveryError(String);

impl DeliveryError {
    /// Creates an error from a text, of which a bounded part is kept on one line.
    pub fn new(text: &str) -> Self {
        let mut kept: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        kept.truncate(kept.floor_char_boundary(MAX_DELIVERY_ERROR));
        Self(kept)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An event that could not be delivered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeadLetter {
    /// The id of the event.
    pub id: String,
    /// The kind.
    pub kind: EventKind,
    /// What it is about.
    pub subject: Option<String>,
    /// When it happened.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
}

/// The last deliveries of a webhook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebhookLog {
    /// The last attempts, newest first.
    pub deliveries: Vec<Delivery>,
    /// The first dead letters, oldest first.
    pub dead_letters: Vec<DeadLetter>,
}

/// The state as it is stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredState {
    #[serde(flatten)]
    pub(crate) shown: WebhookState,
    /// The position in the changes, as in the cursor of `feed.rs`.
    pub(crate) cursor: String,
    /// Attempts that failed in a row.
    #[serde(default)]
    pub(crate) attempts: u32,
}

impl Document for StoredState {
    const COLLECTION: &'static str = "webhookStates";
}

impl StoredState {
    /// Returns the state of a webhook that hears of changes after a revision.
    pub(crate) fn at(revision: Revision) -> Self {
        let (shown, cursor) = (WebhookState::default(), revision.to_string());
        Self { shown, cursor, attempts: 0 }
    }

    /// Makes the next attempt due.
    pub(crate) fn at_once(mut self) -> Self {
        (self.shown.due, self.attempts) = (None, 0);
        self
    }

    pub(crate) fn save(&self, tx: &mut Transaction<'_>, id: &Id) -> Result<(), RegistryError> {
        save(tx, id.as_str(), self)
    }
}

/// The last attempts, newest first. They are apart from the state, which is read often.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Attempts(VecDeque<Delivery>);

impl Document for Attempts {
    const COLLECTION: &'static str = "webhookAttempts";
}

/// Adds attempts to the log, oldest first.
pub(crate) fn note(
    tx: &mut Transaction<'_>,
    id: &Id,
    attempts: &[Delivery],
) -> Result<(), RegistryError> {
    let mut log = load::<Attempts>(tx, id.as_str())?.unwrap_or_default();
    attempts.iter().for_each(|attempt| log.0.push_front(attempt.clone()));
    log.0.truncate(MAX_LOGGED_DELIVERIES);
    save(tx, id.as_str(), &log)
}

/// Returns the state of a webhook.
pub(crate) fn state_of(view: &View<'_>, id: &Id) -> Result<StoredState, RegistryError> {
    let stored = load::<StoredState>(view, id.as_str())?;
    Ok(match stored {
        Some(stored) => stored,
        None => StoredState::at(view.revision()?),
    })
}

/// An event that waits.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Queued(pub(crate) WebhookEvent);

impl Document for Queued {
    const COLLECTION: &'static str = "webhookQueue";
}

/// A dead letter.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Dead(WebhookEvent);

impl Document for Dead {
    const COLLECTION: &'static str = "webhookDeadLetters";
}

/// Returns the first rows of a webhook.
pub(crate) fn rows<D: Document>(
    view: &View<'_>,
    id: &Id,
    limit: usize,
) -> Result<Vec<(String, D)>, RegistryError> {
    let prefix = format!("{id}-");
    let mut found = load_page::<D>(view, Some(&prefix), limit)?;
    found.retain(|(row, _)| row.starts_with(&prefix));
    Ok(found)
}

fn row_of(id: &Id) -> String {
    format!("{id}-{}", Id::random())
}

/// Adds an event to the queue.
pub(crate) fn queue(
    tx: &mut Transaction<'_>,
    id: &Id,
    event: &WebhookEvent,
) -> Result<(), RegistryError> {
    if rows::<Queued>(tx, id, MAX_QUEUED_EVENTS)?.len() >= MAX_QUEUED_EVENTS {
        let limit = MAX_QUEUED_EVENTS as u64;
        return Err(RegistryError::TooLarge { what: "events that wait for a webhook", limit });
    }
    save(tx, &row_of(id), &Queued(event.clone()))
}

/// Counts an event that has no room in the queue.
pub(crate) fn drop_event(tx: &mut Transaction<'_>, id: &Id) -> Result<(), RegistryError> {
    let mut state = state_of(tx, id)?;
    state.shown.dropped += 1;
    state.save(tx, id)
}

/// Adds dead letters; of too many, the oldest are dropped.
pub(crate) fn bury(
    tx: &mut Transaction<'_>,
    id: &Id,
    state: &mut StoredState,
    events: impl IntoIterator<Item = WebhookEvent>,
) -> Result<(), RegistryError> {
    for event in events {
        save(tx, &row_of(id), &Dead(event))?;
        state.shown.dead_letters += 1;
    }
    let surplus = state.shown.dead_letters.saturating_sub(MAX_DEAD_LETTERS as u64);
    for (row, _) in rows::<Dead>(tx, id, usize::try_from(surplus).unwrap_or(usize::MAX))? {
        remove::<Dead>(tx, &row)?;
        state.shown.dead_letters -= 1;
        state.shown.dropped += 1;
    }
    Ok(())
}

/// Moves dead letters to the queue, as far as it has room; returns their number.
pub(crate) fn replay(tx: &mut Transaction<'_>, id: &Id) -> Result<u64, RegistryError> {
    let waiting = rows::<Queued>(tx, id, MAX_QUEUED_EVENTS)?.len();
    let mut state = state_of(tx, id)?;
    let mut replayed = 0;
    for (row, Dead(event)) in rows::<Dead>(tx, id, MAX_QUEUED_EVENTS - waiting)? {
        remove::<Dead>(tx, &row)?;
        save(tx, &row, &Queued(event))?;
        replayed += 1;
    }
    state.shown.dead_letters = state.shown.dead_letters.saturating_sub(replayed);
    // Each event has three more days.
    state.shown.failing_since = None;
    state.at_once().save(tx, id)?;
    Ok(replayed)
}

/// Returns the last deliveries and dead letters.
pub(crate) fn read(view: &View<'_>, id: &Id) -> Result<WebhookLog, RegistryError> {
    let dead = rows::<Dead>(view, id, MAX_SHOWN_DEAD_LETTERS)?;
    let dead = dead.into_iter().map(|(_, Dead(event))| {
        let WebhookEvent { id, kind, subject, at, .. } = event;
        DeadLetter { id, kind, subject, at }
    });
    let deliveries = load::<Attempts>(view, id.as_str())?.unwrap_or_default().0.into();
    Ok(WebhookLog { deliveries, dead_letters: dead.collect() })
}

/// Removes everything that is stored of the delivery to a webhook.
pub(crate) fn remove_rows(tx: &mut Transaction<'_>, id: &Id) -> Result<(), RegistryError> {
    remove::<StoredState>(tx, id.as_str())?;
    remove::<Attempts>(tx, id.as_str())?;
    for (row, _) in rows::<Queued>(tx, id, MAX_QUEUED_EVENTS)? {
        remove::<Queued>(tx, &row)?;
    }
    for (row, _) in rows::<Dead>(tx, id, MAX_DEAD_LETTERS)? {
        remove::<Dead>(tx, &row)?;
    }
    Ok(())
}
