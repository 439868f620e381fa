//! Events: what a webhook can hear of.

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Revision, State, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Webhook;
use crate::{Id, RegistryError};

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
    pub(crate) fn new(
        kind: EventKind,
        subject: Option<String>,
        at: Timestamp,
        data: Value,
    ) -> Self {
        Self { id: Id::random().to_string(), kind, subject, at, data }
    }

    /// Returns a test of a webhook.
    pub(crate) fn test(webhook: &Id, at: Timestamp) -> Self {
        let data = json!({ "webhook": webhook.as_str() });
        Self::new(EventKind::Test, None, at, data)
    }

    /// Returns the event of a change of a record. The state before may have been pruned from the
    /// history; then the record counts as created.
    pub(crate) fn of_change(
        view: &View<'_>,
        (revision, key): (Revision, &Anchor),
        deleted: bool,
        at: Timestamp,
    ) -> Result<Self, RegistryError> {
        let is_recalled =
            |state: &Option<State>| state.as_ref().and_then(State::entry).map(Entry::is_recalled);
        let written = view.state_at(key, revision)?.filter(|it| it.revision() == revision);
        let written = is_recalled(&written).unwrap_or_default();
        let earlier = Revision::new(revision.number().saturating_sub(1));
        let kind = match is_recalled(&view.state_at(key, earlier)?) {
            _ if deleted => EventKind::RecordDeleted,
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
    pub(crate) fn wants(&self, kind: EventKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }

    /// Returns whether a level is within its company prefixes.
    pub(crate) fn covers(&self, key: &Anchor) -> bool {
        let part = key.company_prefix_part().unwrap_or_default();
        let mut prefixes = self.prefixes.iter();
        self.prefixes.is_empty() || prefixes.any(|prefix| part.starts_with(prefix.as_str()))
    }
}
