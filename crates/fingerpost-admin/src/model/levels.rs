//! Levels, their history, and what becomes of changes.

use fingerpost_registry::{
    BatchItem, BatchReport, Difference, Fault, Level, LevelChange, LevelState, Outcome, Via, Would,
};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{AuthorBody, instant};
use crate::problem::FaultBody;

/// Everything registered at one level, as `docs/reference/records.md` tells.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Record)]
pub(crate) struct RecordBody {
    /// The level: a path such as `/01/09506000134352/10/ABC`.
    #[schema(example = "/01/09506000134352")]
    anchor: String,
    /// What the links are about.
    #[schema(required = false)]
    item_description: Option<String>,
    /// The links, in their order.
    links: Vec<LinkBody>,
}

/// One link of a record.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Link)]
pub(crate) struct LinkBody {
    /// `gs1:pip`, the full address of a link type, or the name of a registered relation.
    #[schema(example = "gs1:pip")]
    link_type: String,
    /// Where it leads; may hold `{01}`, `{10}` and so on.
    #[schema(example = "https://example.com/product")]
    href: String,
    /// What people read.
    title: String,
    /// Media type of the target.
    #[serde(rename = "type")]
    #[schema(required = false)]
    media_type: Option<String>,
    /// Language tags of the target.
    #[schema(required = false)]
    hreflang: Vec<String>,
    /// Context values for which it is meant.
    #[schema(required = false)]
    context: Vec<String>,
    /// From when on it is valid (RFC 3339).
    #[schema(required = false)]
    valid_from: Option<String>,
    /// Until when it is valid (RFC 3339).
    #[schema(required = false)]
    valid_until: Option<String>,
}

/// A level as it is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Level)]
pub(crate) struct LevelBody {
    /// Its canonical path, without slash at the beginning.
    key: String,
    /// Its revision.
    revision: u64,
    /// When it was written.
    at: Option<String>,
    /// By whom.
    by: Option<AuthorBody>,
    /// What is registered.
    #[schema(value_type = RecordBody)]
    record: Box<RawValue>,
}

impl From<&Level> for LevelBody {
    fn from(level: &Level) -> Self {
        Self {
            key: level.key.as_str().to_owned(),
            revision: level.revision.number(),
            at: level.at.map(instant),
            by: level.by.as_ref().map(AuthorBody::from),
            record: raw(level.record()),
        }
    }
}

/// JSON text as a part of a document.
pub(crate) fn raw(json: String) -> Box<RawValue> {
    // The resolver writes JSON.
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// A page of levels.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Levels)]
pub(crate) struct LevelsBody {
    /// In the order of their keys.
    pub(crate) levels: Vec<LevelBody>,
    /// `after` of the next page, if there is one.
    pub(crate) next: Option<String>,
}

/// What became of a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Change)]
pub(crate) struct ChangeBody {
    /// What happened.
    status: ChangeStatus,
    /// The level.
    key: String,
    /// Its revision afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// The proposal that a second person has to release.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<String>,
    /// What a dry run would have done.
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<WouldBody>,
    /// What the registrant should know nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultBody>,
}

/// What happened to a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ChangeStatus {
    /// Nothing was registered there before.
    Created,
    /// Something else was.
    Replaced,
    /// Exactly this was.
    Unchanged,
    /// Nothing is registered there any more.
    Deleted,
    /// A second person has to release it.
    Proposed,
    /// A dry run.
    Checked,
    /// Rules are broken; nothing happened.
    Refused,
}

/// What a dry run tells.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Would)]
pub(crate) enum WouldBody {
    /// A level would be registered.
    Create,
    /// A level would be replaced.
    Replace,
    /// A level would be deleted.
    Delete,
    /// The level holds exactly this already.
    Nothing,
    /// A second person would have to release the change.
    Propose,
}

impl From<Would> for WouldBody {
    fn from(would: Would) -> Self {
        match would {
            Would::Create => Self::Create,
            Would::Replace => Self::Replace,
            Would::Delete => Self::Delete,
            Would::Nothing => Self::Nothing,
            Would::Propose => Self::Propose,
        }
    }
}

impl ChangeStatus {
    pub(crate) fn of(outcome: &Outcome) -> Self {
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

impl ChangeBody {
    pub(crate) fn new(key: &str, outcome: &Outcome) -> Self {
        let (proposal, would) = match outcome {
            Outcome::Proposed { id, .. } => (Some(id.to_string()), None),
            Outcome::Checked { would, .. } => (None, Some((*would).into())),
            _ => (None, None),
        };
        Self {
            status: ChangeStatus::of(outcome),
            key: key.to_owned(),
            revision: outcome.revision().map(|revision| revision.number()),
            proposal,
            would,
            warnings: bodies(outcome.warnings()),
        }
    }
}

fn bodies(faults: &[Fault]) -> Vec<FaultBody> {
    faults.iter().map(FaultBody::from).collect()
}

/// What became of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchReport)]
pub(crate) struct BatchBody {
    /// The revision of what was written last.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// Proposals that a second person has to release.
    proposals: Vec<String>,
    /// Levels that were registered anew.
    created: u64,
    /// Levels that were replaced.
    replaced: u64,
    /// Levels that held exactly this already.
    unchanged: u64,
    /// Levels that were deleted.
    deleted: u64,
    /// Rows that wait for a second person.
    proposed: u64,
    /// Rows of a dry run that nothing speaks against.
    checked: u64,
    /// Rows that break rules.
    refused: u64,
    /// Rows worth telling about that `items` leaves out.
    omitted: u64,
    /// What became of single rows, in their order: those refused, those with warnings, and the others as far as there
    /// is room.
    items: Vec<BatchItemBody>,
}

/// One row of a batch.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchItem)]
pub(crate) struct BatchItemBody {
    /// Its line, from 1.
    line: u64,
    /// The level, if the row could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// What happened.
    status: ChangeStatus,
    /// The revision of the level afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u64>,
    /// What a dry run would have done.
    #[serde(skip_serializing_if = "Option::is_none")]
    would: Option<WouldBody>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// Everything that is wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    errors: Vec<FaultBody>,
    /// What the registrant should know nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FaultBody>,
}

impl From<&BatchItem> for BatchItemBody {
    fn from(item: &BatchItem) -> Self {
        let key = item.key.as_ref().map(|key| key.as_str().to_owned());
        match &item.result {
            Ok(outcome) => Self {
                line: item.line,
                key,
                status: ChangeStatus::of(outcome),
                revision: outcome.revision().map(|revision| revision.number()),
                would: match outcome {
                    Outcome::Checked { would, .. } => Some((*would).into()),
                    _ => None,
                },
                code: None,
                errors: Vec::new(),
                warnings: bodies(outcome.warnings()),
            },
            Err(refusal) => Self {
                line: item.line,
                key,
                status: ChangeStatus::Refused,
                revision: None,
                would: None,
                code: Some(refusal.code.as_str()),
                errors: bodies(&refusal.faults),
                warnings: Vec::new(),
            },
        }
    }
}

impl From<&BatchReport> for BatchBody {
    fn from(report: &BatchReport) -> Self {
        Self {
            revision: report.revision.map(|revision| revision.number()),
            proposals: report.proposals.iter().map(ToString::to_string).collect(),
            created: report.created,
            replaced: report.replaced,
            unchanged: report.unchanged,
            deleted: report.deleted,
            proposed: report.proposed,
            checked: report.checked,
            refused: report.refused,
            omitted: report.omitted,
            items: report.items.iter().map(BatchItemBody::from).collect(),
        }
    }
}

/// A state that a level had or has.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = State)]
pub(crate) struct StateBody {
    /// The revision from which on it was so.
    revision: u64,
    /// When that was.
    at: Option<String>,
    /// Whose doing it was.
    by: Option<AuthorBody>,
    /// Which way the change came.
    #[schema(value_type = Option<String>)]
    via: Option<&'static str>,
    /// Was nothing registered then?
    deleted: bool,
    /// What was registered; left out in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RecordBody>)]
    record: Option<Box<RawValue>>,
}

impl StateBody {
    pub(crate) fn new(state: &LevelState, with_record: bool) -> Self {
        let record = state.record().filter(|_| with_record);
        Self {
            revision: state.revision.number(),
            at: state.at.map(instant),
            by: state.by.as_ref().map(AuthorBody::from),
            via: state.by.as_ref().and_then(|by| by.via).map(Via::as_str),
            deleted: state.entry.is_none(),
            record: record.map(raw),
        }
    }
}

/// The states of a level.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = History)]
pub(crate) struct HistoryBody {
    /// Newest first.
    pub(crate) states: Vec<StateBody>,
}

/// Where two states differ.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Difference)]
pub(crate) struct DifferenceBody {
    /// Place in the record, as a JSON pointer.
    path: String,
    /// What was there.
    before: Option<serde_json::Value>,
    /// What is there.
    after: Option<serde_json::Value>,
}

impl From<Difference> for DifferenceBody {
    fn from(difference: Difference) -> Self {
        let Difference { path, before, after } = difference;
        Self { path, before, after }
    }
}

/// How two states of a level differ.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Differences)]
pub(crate) struct DifferencesBody {
    /// Every place.
    pub(crate) differences: Vec<DifferenceBody>,
}

/// One change of the installation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LevelChange)]
pub(crate) struct LevelChangeBody {
    /// Its revision.
    revision: u64,
    /// The level.
    key: String,
    /// Was it deleted?
    deleted: bool,
}

impl From<&LevelChange> for LevelChangeBody {
    fn from(change: &LevelChange) -> Self {
        Self {
            revision: change.revision.number(),
            key: change.key.as_str().to_owned(),
            deleted: change.deleted,
        }
    }
}

/// A page of changes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesBody {
    /// Oldest first.
    pub(crate) changes: Vec<LevelChangeBody>,
    /// `after` of the next page, if there is one.
    pub(crate) next: Option<String>,
}
