//! Proposals: changes that wait for a second person.

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Refused;
use fingerpost_store::{Revision, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::change::Change;
use crate::documents::{Document, load};
use crate::fault::{Fault, faults, within};
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::{StoredKey, StoredUser};
use crate::{Actor, Caller, Id, Precondition, RegistryError, outcome, ownership};

/// Changes proposed by one person for another person's approval, all together.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The id.
    pub id: Id,
    /// The actor who proposed it.
    pub by: Actor,
    /// The user behind the actor.
    pub person: Actor,
    /// When it was proposed.
    pub at: Timestamp,
    /// The state.
    pub state: ProposalState,
    /// The display name of the proposer; absent if it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_name: Option<String>,
    /// The actor who approved or rejected it.
    pub decided_by: Option<Actor>,
    /// The display name of that actor; absent if it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by_name: Option<String>,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
    /// The reason of a rejection.
    pub reason: Option<String>,
    /// The changes.
    pub changes: Vec<ProposedChange>,
}

/// The state of a proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ProposalState {
    /// It waits for a decision.
    Open,
    /// It was approved and written.
    Approved,
    /// It was rejected, or withdrawn.
    Rejected,
}

/// A proposed change of one level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProposedChange {
    /// The level.
    #[serde(with = "crate::key_levels::one")]
    pub key: EntityKey,
    /// The revision of the level when the change was proposed; the proposal applies only to this revision.
    #[serde(with = "outcome::optional_revision")]
    pub base: Option<Revision>,
    /// The new record; `None` for a deletion.
    pub record: Option<Box<RawValue>>,
}

impl Document for Proposal {
    const COLLECTION: &'static str = "proposals";
}

impl ProposedChange {
    fn to_change(&self, inner: &Inner) -> Result<Change, Refused> {
        let precondition = self.base.map_or(Precondition::None, Precondition::Revision);
        let change = match self.record.as_deref().map(RawValue::get) {
            Some(record) => inner.read_change(Some(&self.key), record.as_bytes())?,
            None => Change::delete(self.key.clone()),
        };
        Ok(change.only_if(Some(precondition)))
    }
}

impl Proposal {
    pub(crate) fn find(
        view: &View<'_>,
        access: &Access,
        id: &Id,
    ) -> Result<Proposal, RegistryError> {
        let proposal: Proposal = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
        if proposal.is_visible(view, access)? { Ok(proposal) } else { Err(RegistryError::NotFound) }
    }

    pub(crate) fn is_visible(
        &self,
        view: &View<'_>,
        access: &Access,
    ) -> Result<bool, RegistryError> {
        for change in &self.changes {
            let owner = ownership::owner(view, &change.key)?;
            if !access.reaches(Verb::Read, &change.key, owner) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks up names for display. They are not stored, so none remains after its user is erased.
    pub(crate) fn with_names(mut self, view: &View<'_>) -> Result<Proposal, RegistryError> {
        self.by_name = name_of(view, &self.by)?;
        if let Some(decided_by) = &self.decided_by {
            self.decided_by_name = name_of(view, decided_by)?;
        }
        Ok(self)
    }

    /// Returns the changes, with their records parsed by the current rules.
    pub(crate) fn to_changes(&self, inner: &Inner) -> Result<Vec<Change>, RegistryError> {
        let (mut changes, mut invalid) = (Vec::new(), Vec::new());
        for (index, change) in self.changes.iter().enumerate() {
            match change.to_change(inner) {
                Ok(change) => changes.push(change),
                Err(refused) => {
                    let pointer = format!("/changes/{index}/record");
                    invalid.extend(within(&pointer, faults(&refused.faults)));
                }
            }
        }
        if invalid.is_empty() { Ok(changes) } else { Err(RegistryError::invalid(invalid)) }
    }

    pub(crate) fn must_be_open(&self) -> Result<(), RegistryError> {
        if self.state == ProposalState::Open {
            return Ok(());
        }
        let detail = "expected a proposal that waits, found one that was decided";
        Err(RegistryError::Conflict(vec![Fault::new("", "decided", detail)]))
    }

    pub(crate) fn decide(&mut self, caller: &Caller, state: ProposalState, now: Timestamp) {
        self.state = state;
        self.decided_by = Some(caller.actor.clone());
        self.decided_at = Some(now);
    }
}

fn name_of(view: &View<'_>, actor: &Actor) -> Result<Option<String>, RegistryError> {
    Ok(match actor {
        Actor::User(id) => load::<StoredUser>(view, id.as_str())?.map(|stored| stored.user.name),
        Actor::Key(id) => load::<StoredKey>(view, id.as_str())?.map(|stored| stored.key.label),
        Actor::Local(_) => None,
    })
}
