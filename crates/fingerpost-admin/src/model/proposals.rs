//! Changes that wait for a second person, and the audit log.

use fingerpost_registry::{Proposal, ProposalState};
use fingerpost_store::{AuditRecord, AuditReport};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{AuthorBody, RecordBody, instant, raw};

/// A change that waits, or waited, for a second person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Proposal)]
pub(crate) struct ProposalBody {
    id: String,
    /// Who proposed it.
    by: AuthorBody,
    at: String,
    state: ProposalStateBody,
    decided_by: Option<AuthorBody>,
    decided_at: Option<String>,
    /// Why it was rejected.
    reason: Option<String>,
    changes: Vec<ProposedChangeBody>,
}

/// One level of a proposal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ProposedChange)]
pub(crate) struct ProposedChangeBody {
    key: String,
    /// The revision that the level had when the change was proposed; null: nothing was registered.
    base: Option<u64>,
    /// What is to be registered; null: nothing any more.
    #[schema(value_type = Option<RecordBody>)]
    record: Option<Box<RawValue>>,
}

/// How far a proposal has come.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ProposalState)]
pub(crate) enum ProposalStateBody {
    Open,
    Approved,
    Rejected,
}

impl From<ProposalStateBody> for ProposalState {
    fn from(state: ProposalStateBody) -> Self {
        match state {
            ProposalStateBody::Open => Self::Open,
            ProposalStateBody::Approved => Self::Approved,
            ProposalStateBody::Rejected => Self::Rejected,
        }
    }
}

impl From<Proposal> for ProposalBody {
    fn from(proposal: Proposal) -> Self {
        let state = match proposal.state {
            ProposalState::Open => ProposalStateBody::Open,
            ProposalState::Approved => ProposalStateBody::Approved,
            ProposalState::Rejected => ProposalStateBody::Rejected,
        };
        let (decided_by, decided_by_name) = (proposal.decided_by, proposal.decided_by_name);
        let changes = proposal.changes.into_iter().map(|change| ProposedChangeBody {
            key: change.key.as_str().to_owned(),
            base: change.base.map(|revision| revision.number()),
            record: change.record,
        });
        Self {
            id: proposal.id.to_string(),
            by: AuthorBody::new(proposal.by.to_string(), proposal.by_name),
            at: instant(proposal.at),
            state,
            decided_by: decided_by.map(|actor| AuthorBody::new(actor.to_string(), decided_by_name)),
            decided_at: proposal.decided_at.map(instant),
            reason: proposal.reason,
            changes: changes.collect(),
        }
    }
}

/// A page of proposals.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Proposals)]
pub(crate) struct ProposalsBody {
    /// Oldest first.
    pub(crate) proposals: Vec<ProposalBody>,
    /// `after` of the next page, if there is one.
    pub(crate) next: Option<String>,
}

/// What was written when a proposal was released.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Approved)]
pub(crate) struct ApprovedBody {
    /// The revision.
    pub(crate) revision: u64,
}

/// Why a proposal is rejected.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Rejection)]
pub(crate) struct RejectionBody {
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

/// One record of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditRecord)]
pub(crate) struct AuditBody {
    /// Its number.
    seq: u64,
    /// SHA-256 of the hash before it and of the text of `record`.
    hash: String,
    /// What happened, exactly as it was hashed.
    #[schema(value_type = Object)]
    record: Box<RawValue>,
    /// Who it was and from where, unless that was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal: Option<PersonalBody>,
}

/// What can be erased.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Personal)]
pub(crate) struct PersonalBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Network address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// What their program calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
}

impl From<&AuditRecord> for AuditBody {
    fn from(record: &AuditRecord) -> Self {
        let personal = record.personal().map(|personal| PersonalBody {
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

/// What verifying the audit log found.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditReport)]
pub(crate) struct AuditReportBody {
    /// Is nothing wrong?
    intact: bool,
    /// Number of records.
    records: u64,
    /// The end of the chain, `number:hash`: note it elsewhere, and give it as `head` later.
    head: String,
    /// Records from which what tells of a person was erased.
    erased: u64,
    /// What is wrong and where; the first thousand.
    faults: Vec<String>,
}

impl From<&AuditReport> for AuditReportBody {
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

/// A page of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditRecords)]
pub(crate) struct AuditRecordsBody {
    /// In their order.
    pub(crate) records: Vec<AuditBody>,
    /// `from` of the next page, if there is one.
    pub(crate) next: Option<String>,
}
