//! Outcomes of changes, and states of levels.

use fingerpost_registry::{
    Author, BatchItem, BatchReport, Difference, Fault, Id, LevelKey, LevelState, Outcome, Via,
    Would,
};
use fingerpost_resolver::schema::Record;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::raw;

/// The outcome of a change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Change {
    status: ChangeStatus,
    /// The level.
    #[schema(value_type = LevelKey)]
    key: String,
    /// The revision of the level afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// The proposal, which a second person has to approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<Id>,
    /// What would happen, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<Would>,
    /// Warnings about the record.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    #[schema(required = false)]
    warnings: Vec<Fault>,
}

/// What happened to a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChangeStatus {
    /// Registered; nothing was there before.
    Created,
    /// Replaced.
    Replaced,
    /// Nothing: it was the same already.
    Unchanged,
    /// Deleted.
    Deleted,
    /// Proposed; a second person has to approve it.
    Proposed,
    /// Checked in a dry run.
    Checked,
    /// Refused; nothing happened.
    Refused,
}

impl ChangeStatus {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Written { created: true, .. } => Self::Created,
            Outcome::Written { created: false, .. } => Self::Replaced,
            Outcome::Unchanged { .. } => Self::Unchanged,
            Outcome::Deleted { .. } => Self::Deleted,
            Outcome::Proposed { .. } => Self::Proposed,
            _ => Self::Checked,
        }
    }
}

fn would(outcome: &Outcome) -> Option<Would> {
    match outcome {
        Outcome::Checked { would, .. } => Some(*would),
        _ => None,
    }
}

impl Change {
    pub(crate) fn new(key: &str, outcome: &Outcome) -> Self {
        Self {
            status: ChangeStatus::of(outcome),
            key: key.to_owned(),
            revision: outcome.revision().map(|revision| revision.number()),
            proposal: match outcome {
                Outcome::Proposed { id, .. } => Some(*id),
                _ => None,
            },
            would: would(outcome),
            warnings: outcome.warnings().to_vec(),
        }
    }
}

/// The report about a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchReport)]
pub(crate) struct BatchDocument<'r> {
    /// The revision of the last write.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// Proposals, which a second person has to approve.
    proposals: &'r [Id],
    /// Number of levels that were registered.
    created: u64,
    /// Number of levels that were replaced.
    replaced: u64,
    /// Number of levels that were the same already.
    unchanged: u64,
    /// Number of levels that were deleted.
    deleted: u64,
    /// Number of rows that need approval.
    proposed: u64,
    /// Number of rows of a dry run without faults.
    checked: u64,
    /// Number of rows that were refused.
    refused: u64,
    /// Number of rows that `items` leaves out.
    omitted: u64,
    /// Single rows, in their order: refused ones, those with warnings, and others up to a limit.
    items: Vec<BatchRow>,
}

/// One row of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchItem)]
pub(crate) struct BatchRow {
    /// The line, from 1.
    line: u64,
    /// The level, if the row could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<LevelKey>)]
    key: Option<String>,
    status: ChangeStatus,
    /// The revision of the level afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// What would happen, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<Would>,
    /// The kind of refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// All faults of the row.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    #[schema(required = false)]
    errors: Vec<Fault>,
    /// Warnings about the record.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    #[schema(required = false)]
    warnings: Vec<Fault>,
}

impl From<&BatchItem> for BatchRow {
    fn from(item: &BatchItem) -> Self {
        let outcome = item.result.as_ref().ok();
        let refusal = item.result.as_ref().err();
        Self {
            line: item.line,
            key: item.key.as_ref().map(|key| key.as_str().to_owned()),
            status: outcome.map_or(ChangeStatus::Refused, ChangeStatus::of),
            revision: outcome.and_then(Outcome::revision).map(|revision| revision.number()),
            would: outcome.and_then(would),
            code: refusal.map(|refusal| refusal.code.as_str()),
            errors: refusal.map_or_else(Vec::new, |refusal| refusal.faults.clone()),
            warnings: outcome.map_or_else(Vec::new, |outcome| outcome.warnings().to_vec()),
        }
    }
}

impl<'r> From<&'r BatchReport> for BatchDocument<'r> {
    fn from(report: &'r BatchReport) -> Self {
        Self {
            revision: report.revision.map(|revision| revision.number()),
            proposals: &report.proposals,
            created: report.created,
            replaced: report.replaced,
            unchanged: report.unchanged,
            deleted: report.deleted,
            proposed: report.proposed,
            checked: report.checked,
            refused: report.refused,
            omitted: report.omitted,
            items: report.items.iter().map(BatchRow::from).collect(),
        }
    }
}

/// A state of a level.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct State {
    /// The revision with which it began.
    revision: u64,
    /// When it began, if that is still known.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
    /// Who wrote it, if that is still known.
    by: Option<Author>,
    /// The way of the request.
    via: Option<Via>,
    /// Whether nothing was registered.
    deleted: bool,
    /// The record; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Record>)]
    record: Option<Box<RawValue>>,
}

impl State {
    pub(crate) fn new(state: &LevelState, with_record: bool) -> Self {
        let record = state.record().filter(|_| with_record);
        Self {
            revision: state.revision.number(),
            at: state.at,
            by: state.by.clone(),
            via: state.by.as_ref().and_then(|by| by.via),
            deleted: state.entry.is_none(),
            record: record.map(raw),
        }
    }
}

/// The states of a level.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct History {
    /// The states, newest first.
    pub(crate) states: Vec<State>,
}

/// The differences between two states of a level.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Differences {
    /// The differences, in the order of the record.
    pub(crate) differences: Vec<Difference>,
}
