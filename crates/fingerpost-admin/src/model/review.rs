//! Proposals and the audit log.

use fingerpost_registry::{Actor, Author, Id, LevelKey, Proposal, ProposalState};
use fingerpost_resolver::schema::Record;
use fingerpost_store::{AuditRecord, AuditReport};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::raw;

/// A change that waits, or waited, for a second person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Proposal)]
pub(crate) struct ProposalDocument {
    id: Id,
    /// Who proposed it.
    by: Author,
    /// When it was proposed.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    state: ProposalState,
    /// Who decided.
    decided_by: Option<Author>,
    /// When it was decided.
    #[schema(value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
    /// Why it was rejected.
    reason: Option<String>,
    /// The proposed changes.
    changes: Vec<ProposedChange>,
}

/// The change of one level in a proposal.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProposedChange {
    /// The level.
    #[schema(value_type = LevelKey)]
    key: String,
    /// The revision of the level when the change was proposed; null if nothing was registered.
    base: Option<u64>,
    /// The new record; null to delete the level.
    #[schema(value_type = Option<Record>)]
    record: Option<Box<RawValue>>,
}

impl From<Proposal> for ProposalDocument {
    fn from(proposal: Proposal) -> Self {
        let author = |actor: Actor, name| Author { actor: actor.to_string(), name, via: None };
        let decided_by_name = proposal.decided_by_name;
        let changes = proposal.changes.into_iter().map(|change| ProposedChange {
            key: change.key.as_str().to_owned(),
            base: change.base.map(|revision| revision.number()),
            record: change.record,
        });
        Self {
            id: proposal.id,
            by: author(proposal.by, proposal.by_name),
            at: proposal.at,
            state: proposal.state,
            decided_by: proposal.decided_by.map(|actor| author(actor, decided_by_name)),
            decided_at: proposal.decided_at,
            reason: proposal.reason,
            changes: changes.collect(),
        }
    }
}

/// The outcome of an approval.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Approved {
    /// The revision of the write.
    pub(crate) revision: u64,
}

/// The reason of a rejection.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rejection {
    /// The reason, for the person who proposed the change.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

/// A record of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditRecord)]
pub(crate) struct AuditRecordDocument {
    /// The number.
    seq: u64,
    /// SHA-256 of the previous hash and the text of `record`.
    hash: String,
    /// What happened, exactly as it was hashed.
    #[schema(value_type = Object)]
    record: Box<RawValue>,
    /// Personal data, unless they were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal: Option<Personal>,
}

/// Personal data of an audit record, which can be erased.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Personal {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The client address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The `User-Agent` of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
}

impl From<&AuditRecord> for AuditRecordDocument {
    fn from(record: &AuditRecord) -> Self {
        let personal = record.personal().map(|personal| Personal {
            name: personal.name().map(str::to_owned),
            address: personal.address().map(str::to_owned),
            user_agent: personal.user_agent().map(str::to_owned),
        });
        Self {
            seq: record.seq(),
            hash: record.head().hash(),
            record: raw(record.json().to_owned()),
            personal,
        }
    }
}

/// The result of a verification of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditReport)]
pub(crate) struct AuditReportDocument {
    /// Whether no fault was found.
    intact: bool,
    /// Number of records.
    records: u64,
    /// The end of the chain, `number:hash`. Keep it elsewhere, and send it as `head` later.
    head: String,
    /// Number of records from which personal data were erased.
    erased: u64,
    /// The first thousand faults.
    faults: Vec<String>,
}

impl From<&AuditReport> for AuditReportDocument {
    fn from(report: &AuditReport) -> Self {
        Self {
            intact: report.faults().is_empty(),
            records: report.records(),
            head: report.head().to_string(),
            erased: report.erased(),
            faults: report.faults().to_vec(),
        }
    }
}
