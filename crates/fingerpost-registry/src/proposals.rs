//! Proposals: changes that wait for a second person.

use std::collections::BTreeSet;

use fingerpost_resolver::{Anchor, Refused};
use fingerpost_store::{Revision, Transaction, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::author::name_of;
use crate::change::RecordChange;
use crate::documents::{Document, Quantity, load, load_one_sized, load_sized, save};
use crate::fault::{Fault, faults, within};
use crate::ownership::Neighbours;
use crate::pages::Loaded;
use crate::principals::Principals;
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::stored::Index;
use crate::{Actor, Author, Caller, ChangeSetKind, Id, Precondition, RegistryError, outcome};

/// Changes proposed by one person for another person's approval, all together.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The id.
    pub id: Id,
    /// Who proposed it.
    pub by: Author,
    /// The user behind `by`, who cannot approve it: for a key, the user who created the key.
    pub person: Actor,
    /// The users who may be behind `by`, none of whom can approve it; absent in what callers get.
    #[serde(default, skip_serializing_if = "Principals::are_unknown")]
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub(crate) principals: Principals,
    /// When it was proposed.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
    /// The state.
    pub state: ProposalState,
    /// What made the changes, if they are a change set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ChangeSetKind>,
    /// Who decided.
    pub decided_by: Option<Author>,
    /// When it was decided.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub decided_at: Option<Timestamp>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// The organisations that own the levels.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub organisations: Vec<Id>,
    /// Whether some of the levels belong to no organisation.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub unowned: bool,
    /// The levels.
    #[serde(default, with = "crate::key_levels")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<crate::text::schema::LevelKey>, required = false))]
    pub keys: Vec<Anchor>,
    /// The description of the item in the first change that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(required = false))]
    pub item: Option<String>,
    /// The proposed changes, in the order of `keys`; absent in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(required = false))]
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

/// The proposals to list.
#[derive(Clone, Debug, Default)]
pub struct ProposalFilter {
    /// Those in this state.
    pub state: Option<ProposalState>,
    /// Those that change this level.
    pub key: Option<Anchor>,
    /// Those of this actor.
    pub by: Option<String>,
}

impl ProposalFilter {
    pub(crate) fn wants(&self, proposal: &Proposal) -> bool {
        self.state.is_none_or(|state| proposal.state == state)
            && self.by.as_ref().is_none_or(|actor| proposal.by.actor == *actor)
            && self.key.as_ref().is_none_or(|key| proposal.all_keys().contains(key))
    }
}

/// The change of one level in a proposal.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedChange {
    /// The level.
    #[serde(
        serialize_with = "crate::key_levels::bare",
        deserialize_with = "crate::key_levels::one"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = crate::text::schema::LevelKey))]
    pub key: Anchor,
    /// The revision of the level when the change was proposed, the only one to which it applies;
    /// null if nothing was registered.
    #[serde(with = "outcome::optional_revision")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub base: Option<Revision>,
    /// The new record; null to delete the level.
    #[cfg_attr(feature = "schema", schema(value_type = Option<fingerpost_resolver::schema::Record>))]
    pub record: Option<Box<RawValue>>,
}

impl Document for Proposal {
    const COLLECTION: &'static str = "proposals";
    const COUNTS_AS: Option<Quantity> = Some(Quantity::Proposals);

    fn counts_in(&self) -> Vec<Id> {
        if self.state == ProposalState::Open { self.organisations.clone() } else { Vec::new() }
    }
}

/// The changes of a proposal. They are a document of their own, so that a list loads no records;
/// proposals of early builds contain them.
#[derive(Serialize, Deserialize)]
struct Changes(Vec<ProposedChange>);

impl Document for Changes {
    const COLLECTION: &'static str = "proposalChanges";
}

impl ProposedChange {
    /// Returns the description of the item in the record.
    fn item(&self) -> Option<String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Described {
            item_description: Option<String>,
        }
        let record: Described = serde_json::from_str(self.record.as_deref()?.get()).ok()?;
        record.item_description
    }

    fn to_change(&self, inner: &Inner) -> Result<RecordChange, Refused> {
        let precondition = self.base.map_or(Precondition::None, Precondition::Revision);
        let change = match self.record.as_deref().map(RawValue::get) {
            Some(record) => inner.read_change(Some(&self.key), record.as_bytes())?,
            None => RecordChange::delete(self.key.clone()),
        };
        Ok(change.only_if(Some(precondition)))
    }
}

impl Proposal {
    /// Returns a proposal of which the caller can read all levels.
    pub(crate) fn find(
        view: &View<'_>,
        access: &Access,
        id: &Id,
    ) -> Result<Proposal, RegistryError> {
        let mut proposal = Proposal::outline(view, access, id)?;
        if proposal.changes.is_empty() {
            let Changes(changes) = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
            proposal.changes = changes;
        }
        Ok(proposal)
    }

    /// As [`Proposal::find`], without loading the changes.
    pub(crate) fn outline(
        view: &View<'_>,
        access: &Access,
        id: &Id,
    ) -> Result<Proposal, RegistryError> {
        let mut proposal: Proposal = load(view, id.as_str())?.ok_or(RegistryError::NotFound)?;
        let keys = proposal.all_keys();
        let mut owners = Neighbours::default();
        for key in &keys {
            if !access.reaches(Verb::Read, key, owners.owner(view, key)?) {
                return Err(RegistryError::NotFound);
            }
        }
        proposal.keys = keys;
        Ok(proposal)
    }

    /// Returns some of the proposals that the caller may be able to read after an id, without their
    /// changes.
    pub(crate) fn some(
        view: &View<'_>,
        access: &Access,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Loaded<Proposal>>, RegistryError> {
        let organisations: Option<BTreeSet<Id>> =
            access.grants.iter().map(|grant| grant.organisation).collect();
        let Some(organisations) = organisations else { return load_sized(view, after, limit) };
        let mut ids = BTreeSet::new();
        for organisation in organisations {
            let prefix = format!("{organisation}:");
            let begin = format!("{prefix}{}", after.unwrap_or_default());
            let names = Index::ProposalOf.names(view, &begin, limit)?;
            let own = names.iter().map_while(|name| name.strip_prefix(&prefix));
            ids.extend(own.map(str::to_owned));
        }
        let found = ids.iter().take(limit).map(|id| load_one_sized(view, id));
        found.filter_map(Result::transpose).collect()
    }

    /// Returns whether the caller can read all levels, going by the organisations that owned them
    /// at the time.
    pub(crate) fn is_listed(
        &self,
        view: &View<'_>,
        access: &Access,
    ) -> Result<bool, RegistryError> {
        let only = match &self.organisations[..] {
            [id] if !self.unowned => Some(*id),
            _ => None,
        };
        let mut owners = Neighbours::default();
        for key in self.all_keys() {
            let owner = match only {
                Some(id) => Some(id),
                None => owners.owner(view, &key)?,
            };
            if !access.reaches(Verb::Read, &key, owner) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the levels, also of a proposal that contains its changes.
    fn all_keys(&self) -> Vec<Anchor> {
        match &self.keys[..] {
            [] => self.changes.iter().map(|change| change.key.clone()).collect(),
            keys => keys.to_vec(),
        }
    }

    /// Stores the proposal with its changes.
    pub(crate) fn store(mut self, tx: &mut Transaction<'_>) -> Result<(), RegistryError> {
        self.keys = self.all_keys();
        self.item = self.changes.iter().find_map(ProposedChange::item);
        let changes = Changes(std::mem::take(&mut self.changes));
        save(tx, self.id.as_str(), &changes)?;
        self.list(tx)?;
        save(tx, self.id.as_str(), &self)
    }

    /// Enters the proposal in the lists of its organisations.
    pub(crate) fn list(&self, tx: &mut Transaction<'_>) -> Result<(), RegistryError> {
        for organisation in &self.organisations {
            Index::ProposalOf.insert(tx, &format!("{organisation}:{}", self.id), self.id)?;
        }
        Ok(())
    }

    /// Returns the proposal as lists show it.
    pub(crate) fn without_changes(mut self) -> Proposal {
        self.keys = self.all_keys();
        self.changes.clear();
        self
    }

    /// Prepares the proposal for display: looks up names, which are not stored so that none remains
    /// after its user is erased, and removes the principals.
    pub(crate) fn with_names(mut self, view: &View<'_>) -> Result<Proposal, RegistryError> {
        for author in [Some(&mut self.by), self.decided_by.as_mut()].into_iter().flatten() {
            author.name = name_of(view, &author.actor)?;
        }
        self.principals = Principals::default();
        Ok(self)
    }

    /// Returns the changes, with their records parsed by the current rules.
    pub(crate) fn to_changes(&self, inner: &Inner) -> Result<Vec<RecordChange>, RegistryError> {
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
        self.decided_by = Some(Author { actor: caller.actor.to_string(), name: None });
        self.decided_at = Some(now);
    }
}
