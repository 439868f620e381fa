//! Events: what a webhook can hear of.

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Revision, State, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{StoredWebhook, Webhook, log};
use crate::documents::load_page;
use crate::limits::{MAX_EVENT_KEYS, MAX_WEBHOOKS};
use crate::registry::Inner;
use crate::{Id, LevelChange, Registry, RegistryError, ownership};

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum EventKind {
    /// A record was created.
    #[serde(rename = "record.created")]
    RecordCreated,
    /// A record was replaced.
    #[serde(rename = "record.changed")]
    RecordChanged,
    /// A record was deleted.
    #[serde(rename = "record.deleted")]
    RecordDeleted,
    /// A recall of a record began.
    #[serde(rename = "record.recalled")]
    RecordRecalled,
    /// Changes wait for a second person's approval.
    #[serde(rename = "proposal.waiting")]
    ProposalWaiting,
    /// A link of a record is broken.
    #[serde(rename = "link.broken")]
    LinkBroken,
    /// The certificate of the server was not renewed; for the installation only.
    #[serde(rename = "certificate.failed")]
    CertificateFailed,
    /// A backup failed; for the installation only.
    #[serde(rename = "backup.failed")]
    BackupFailed,
    /// A test that somebody asked for.
    #[serde(rename = "test")]
    Test,
}

impl EventKind {
    /// Returns the name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RecordCreated => "record.created",
            Self::RecordChanged => "record.changed",
            Self::RecordDeleted => "record.deleted",
            Self::RecordRecalled => "record.recalled",
            Self::ProposalWaiting => "proposal.waiting",
            Self::LinkBroken => "link.broken",
            Self::CertificateFailed => "certificate.failed",
            Self::BackupFailed => "backup.failed",
            Self::Test => "test",
        }
    }
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WebhookEvent {
    /// The id, the same in each attempt. For an event about a record, it is the position of the
    /// change in `GET /v1/changes`: `revision/level`.
    pub id: String,
    /// The kind.
    pub kind: EventKind,
    /// What it is about: the path of a record, or the id of a proposal.
    pub subject: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub data: Value,
}

impl WebhookEvent {
    fn new(kind: EventKind, subject: Option<String>, at: Timestamp, data: Value) -> Self {
        Self { id: Id::random().to_string(), kind, subject, at, data }
    }

    /// Returns a test of a webhook.
    pub(super) fn test(webhook: &Id, at: Timestamp) -> Self {
        let data = json!({ "webhook": webhook.as_str() });
        Self::new(EventKind::Test, None, at, data)
    }

    /// Returns the event of a change of a record. The state before may have been pruned from the
    /// history; then the record counts as created.
    pub(super) fn of_change(
        view: &View<'_>,
        change: &LevelChange,
        at: Timestamp,
    ) -> Result<Self, RegistryError> {
        let LevelChange { revision, key, deleted, .. } = change;
        let is_recalled =
            |state: &Option<State>| state.as_ref().and_then(State::entry).map(Entry::is_recalled);
        let written = view.state_at(key, *revision)?.filter(|it| it.revision() == *revision);
        let written = is_recalled(&written).unwrap_or_default();
        let earlier = Revision::new(revision.number().saturating_sub(1));
        let kind = match is_recalled(&view.state_at(key, earlier)?) {
            _ if *deleted => EventKind::RecordDeleted,
            None | Some(false) if written => EventKind::RecordRecalled,
            None => EventKind::RecordCreated,
            Some(_) => EventKind::RecordChanged,
        };
        let path = format!("/{}", key.as_str());
        let data = json!({
            "key": path,
            "revision": revision.number(),
            "recalled": written,
            "record": format!("/v1/levels{path}"),
        });
        let id = format!("{revision}{path}");
        Ok(Self { id, kind, subject: Some(path), at, data })
    }
}

impl Webhook {
    /// Returns whether it wants events of a kind.
    pub(super) fn wants(&self, kind: EventKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns whether a level is within its company prefixes.
    pub(super) fn covers(&self, key: &Anchor) -> bool {
        let part = key.company_prefix_part().unwrap_or_default();
        let mut prefixes = self.prefixes.iter();
        self.prefixes.is_empty() || prefixes.any(|prefix| part.starts_with(prefix.as_str()))
    }
}

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
