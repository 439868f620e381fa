//! What a write does: the single definition, behind every way of writing.
//!
//! Changes of different levels are judged against what is there, one by one (rights, precondition, regulated link types) and then
//! together (approval, the rule across levels), and written as one revision, all in the caller's transaction:
//!
//! - A level that holds exactly the record keeps its revision: no history, no audit record.
//! - A change that a second person has to approve becomes a proposal.
//! - [`Mode::Atomic`]: all are written, or all proposed, or none. [`Mode::Each`]: what is refused does not stop the rest.
//!
//! A dry run is the same, in a transaction that is taken back.

use std::collections::{HashMap, HashSet};
use std::thread;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Term, TermClass};
use fingerpost_store::{
    Batch, MissingDefault, MissingDefaultCause, Revision, StoreError, Transaction, View,
};

use crate::change::Change;
use crate::events::concerning;
use crate::fault::Fault;
use crate::ownership::Owners;
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Caller, Denial, Id, Mode, Outcome, Proposal, Registry, RegistryError, proposals};

/// Who wants changes, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'r> {
    pub(crate) caller: &'r Caller,
    pub(crate) access: &'r Access,
    pub(crate) mode: Mode,
    /// The proposal that is approved by these changes.
    pub(crate) approves: Option<&'r Proposal>,
}

/// The outcomes of changes that were applied together.
#[derive(Debug, Default)]
pub struct Applied {
    /// The revision that was written, if anything was.
    pub revision: Option<Revision>,
    /// The proposal of the changes that need approval.
    pub proposal: Option<Id>,
    /// An outcome for each change, with its place among them, in their order. Of an atomic set that was refused, only the changes
    /// at fault.
    pub outcomes: Vec<(usize, Result<Outcome, RegistryError>)>,
}

/// A change, and what is to be done about it.
#[derive(Clone, Debug)]
pub(crate) struct Judged<'c> {
    pub(crate) change: &'c Change,
    /// The revision of the level so far.
    pub(crate) base: Option<Revision>,
    pub(crate) owner: Option<Id>,
    place: usize,
    action: Action,
    needs_approval: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    Create,
    Replace,
    Delete,
    /// The level holds exactly this.
    Nothing(Revision),
}

impl Registry {
    /// Applies changes of different levels in one transaction, as one revision. What is refused does not stop the rest.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, Change, Outcome, Registry, RegistryOptions};
    /// # use fingerpost_resolver::read_record;
    /// # use fingerpost_store::{Store, StoreOptions};
    /// # let dir = tempfile::tempdir()?;
    /// # let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
    /// let registry = Registry::new(store, RegistryOptions::new());
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// let changes = [Change::put(read_record(record, &registry.rules())?)];
    /// let caller = Caller::local("example");
    /// let first = registry.apply(&caller, &changes)?;
    /// assert!(matches!(first.outcomes[0], (0, Ok(Outcome::Written { created: true, .. }))));
    /// let second = registry.apply(&caller, &changes)?;
    /// assert!(matches!(second.outcomes[0], (0, Ok(Outcome::Unchanged { .. }))));
    /// assert_eq!(second.revision, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], [`RegistryError::TooLarge`] for too many changes that need approval, or the store's.
    pub fn apply(&self, caller: &Caller, changes: &[Change]) -> Result<Applied, RegistryError> {
        self.inner.store.transact_alone(|tx| {
            let access = &Access::of(tx, caller, self.inner.now())?;
            let request = Request { caller, access, mode: Mode::Each, approves: None };
            self.inner.apply(tx, &request, changes)
        })
    }
}

impl Inner {
    /// Applies changes of different levels.
    pub(crate) fn apply<'c>(
        &self,
        tx: &mut Transaction<'_>,
        request: &Request<'_>,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> Result<Applied, RegistryError> {
        let (judged, refused) = request.judge_all(tx, changes)?;
        let outcomes = refused.into_iter().map(|(place, error)| (place, Err(error)));
        let mut applied = Applied { outcomes: outcomes.collect(), ..Applied::default() };
        if request.mode == Mode::Atomic && !applied.outcomes.is_empty() {
            return Ok(applied);
        }
        let (waiting, judged) = request.split_waiting(judged);
        self.write(tx, request, judged, &mut applied)?;
        let is_refused = applied.outcomes.iter().any(|(_, outcome)| outcome.is_err());
        let may_propose = request.mode == Mode::Each || !is_refused;
        if !waiting.is_empty() && may_propose {
            let id = proposals::propose(tx, self, request, &waiting)?;
            applied.proposal = Some(id);
            applied.outcomes.extend(waiting.iter().map(|one| {
                let warnings = one.change.warnings().to_vec();
                (one.place, Ok(Outcome::Proposed { id, warnings }))
            }));
        }
        applied.outcomes.sort_by_key(|(place, _)| *place);
        Ok(applied)
    }

    /// Writes what keeps the rule across levels; of an atomic set all, or nothing.
    fn write(
        &self,
        tx: &mut Transaction<'_>,
        request: &Request<'_>,
        mut judged: Vec<Judged<'_>>,
        applied: &mut Applied,
    ) -> Result<(), RegistryError> {
        let mut batch = Batch::new();
        judged.iter().for_each(|one| one.add_to(&mut batch));
        let event = self.event_of_changes(request, &judged, &batch);
        let revision = loop {
            match tx.write(&batch, event.clone()) {
                Ok(revision) => break revision,
                Err(StoreError::MissingDefault { levels }) => {
                    // A key level that is refused may be what its qualified levels miss, so these are judged again without it.
                    let has_key_level = levels.iter().any(|missing| missing.level().is_key_level());
                    let is_first = |missing: &&MissingDefault| {
                        request.mode == Mode::Atomic
                            || missing.level().is_key_level() == has_key_level
                    };
                    let missing: HashMap<_, _> = levels
                        .iter()
                        .filter(is_first)
                        .map(|missing| (missing.level(), missing))
                        .collect();
                    for one in judged.extract_if(.., |one| missing.contains_key(one.change.level()))
                    {
                        batch.withdraw(one.change.level());
                        let fault = missing_default(missing[one.change.level()]);
                        let error = RegistryError::MissingDefault(vec![fault]);
                        applied.outcomes.push((one.place, Err(error)));
                    }
                    if request.mode == Mode::Atomic {
                        return Ok(());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        };
        applied.revision = Some(revision).filter(|_| !batch.is_empty());
        applied.outcomes.extend(judged.iter().map(|one| (one.place, Ok(one.outcome(revision)))));
        Ok(())
    }

    /// The audit event of these changes.
    fn event_of_changes(
        &self,
        request: &Request<'_>,
        judged: &[Judged<'_>],
        batch: &Batch,
    ) -> fingerpost_store::Event {
        let mut event = self.event("links.write", request.caller);
        if batch.len() == 1 {
            event = batch.changes().fold(event, |event, (level, _)| event.subject(level.as_str()));
        }
        if let Some(proposal) = request.approves {
            event = event
                .detail("proposal", proposal.id.as_str())
                .detail("proposedBy", proposal.by.to_string());
        }
        concerning(event, judged.iter().filter_map(|one| one.owner))
    }
}

/// Changes that are acceptable by themselves, and the refused ones with their places.
type JudgedAll<'c> = (Vec<Judged<'c>>, Vec<(usize, RegistryError)>);

impl Request<'_> {
    /// Judges changes one by one: rights, precondition, and the rules that depend on whose level it is.
    pub(crate) fn judge_all<'c>(
        &self,
        view: &View<'_>,
        changes: impl IntoIterator<Item = &'c Change>,
    ) -> Result<JudgedAll<'c>, RegistryError> {
        let mut owners = Owners::of(view)?;
        let (mut judged, mut refused) = (Vec::new(), Vec::new());
        let mut levels = HashSet::new();
        for (place, change) in changes.into_iter().enumerate() {
            thread::yield_now(); // to the public listener
            let result = match levels.insert(change.level()) {
                true => self.judge(view, &mut owners, place, change),
                false => Err(twice(change.level())),
            };
            match result {
                Ok(one) => judged.push(one),
                Err(error) if is_about_one_change(&error) => refused.push((place, error)),
                Err(error) => return Err(error),
            }
        }
        Ok((judged, refused))
    }

    fn judge<'c>(
        &self,
        view: &View<'_>,
        owners: &mut Owners<'_, '_>,
        place: usize,
        change: &'c Change,
    ) -> Result<Judged<'c>, RegistryError> {
        let level = change.level();
        let (owner_id, owner) = owners.owner(level)?;
        let verb = if self.approves.is_some() { Verb::Approve } else { Verb::Write };
        self.access.permits(verb, level, owner_id)?;
        let current = view.level(level)?;
        let base = current.as_ref().map(|(_, revision)| *revision);
        if let Some(expected) = change.precondition().filter(|expected| !expected.holds(base)) {
            let found = base.filter(|_| self.access.reaches(Verb::Read, level, owner_id));
            return Err(RegistryError::PreconditionFailed { expected, found });
        }
        let action = match (change.entry(), current) {
            (None, None) => return Err(RegistryError::NotFound),
            (None, Some(_)) => Action::Delete,
            (Some(_), None) => Action::Create,
            (Some(entry), Some((present, revision))) if **entry == present => {
                Action::Nothing(revision)
            }
            (Some(_), Some(_)) => Action::Replace,
        };
        if let Some(entry) = change.entry()
            && !self.access.may_use_regulated(owner)
        {
            let faults = regulated_links(entry);
            if !faults.is_empty() {
                let warnings = change.warnings().to_vec();
                return Err(RegistryError::Invalid { faults, warnings });
            }
        }
        let needs_approval = self.approves.is_none() && self.access.needs_approval(owner);
        Ok(Judged { change, base, owner: owner_id, place, action, needs_approval })
    }

    /// What a second person has to approve, and the rest. If anything of an atomic set has to wait, all of its changes wait.
    fn split_waiting<'c>(&self, judged: Vec<Judged<'c>>) -> (Vec<Judged<'c>>, Vec<Judged<'c>>) {
        let waits = |one: &Judged<'_>| one.needs_approval && one.changes_something();
        let all_wait = self.mode == Mode::Atomic && judged.iter().any(waits);
        judged.into_iter().partition(|one| waits(one) || (all_wait && one.changes_something()))
    }
}

impl Applied {
    /// The outcome of the only change.
    pub(crate) fn only(self) -> Result<Outcome, RegistryError> {
        let only = self.outcomes.into_iter().next();
        only.map(|(_, outcome)| outcome).expect("a change has an outcome")
    }
}

impl Judged<'_> {
    /// Whether anything is to be written.
    fn changes_something(&self) -> bool {
        !matches!(self.action, Action::Nothing(_))
    }

    fn add_to(&self, batch: &mut Batch) {
        match self.change.entry() {
            _ if !self.changes_something() => {}
            Some(entry) => {
                batch.put(entry.clone());
            }
            None => {
                batch.delete(self.change.level().clone());
            }
        }
    }

    /// The outcome, once it was written as this revision.
    fn outcome(&self, revision: Revision) -> Outcome {
        let warnings = self.change.warnings().to_vec();
        match self.action {
            Action::Create => Outcome::Written { revision, created: true, warnings },
            Action::Replace => Outcome::Written { revision, created: false, warnings },
            Action::Delete => Outcome::Deleted { revision },
            Action::Nothing(revision) => Outcome::Unchanged { revision, warnings },
        }
    }
}

/// How a transaction ends without being kept.
pub(crate) enum Ended<T> {
    Refused(RegistryError),
    /// A dry run came to its end.
    Checked(T),
}

impl<T> Ended<T> {
    pub(crate) fn result(result: Result<T, Ended<T>>) -> Result<T, RegistryError> {
        match result {
            Ok(done) | Err(Ended::Checked(done)) => Ok(done),
            Err(Ended::Refused(error)) => Err(error),
        }
    }
}

impl<T> From<RegistryError> for Ended<T> {
    fn from(error: RegistryError) -> Self {
        Ended::Refused(error)
    }
}

impl<T> From<StoreError> for Ended<T> {
    fn from(error: StoreError) -> Self {
        Ended::Refused(error.into())
    }
}

/// Whether an error refuses one change; any other ends the operation.
fn is_about_one_change(error: &RegistryError) -> bool {
    matches!(
        error,
        RegistryError::Invalid { .. }
            | RegistryError::Forbidden(Denial::Level | Denial::Operation)
            | RegistryError::NotFound
            | RegistryError::PreconditionFailed { .. }
    )
}

fn twice(level: &EntityKey) -> RegistryError {
    let detail = format!("/{level} has a change already: give one change for each level");
    RegistryError::invalid(vec![Fault::new("", "batch", detail)])
}

/// Links whose types only some organisations may use (GS1 Web Vocabulary; GS1-Conformant Resolver 1.2.0, section 2.5.2).
fn regulated_links(entry: &Entry) -> Vec<Fault> {
    let is_regulated = |term: &Term| term.class() == TermClass::Regulated;
    let links = entry.links().filter_map(|link| Some((link.index(), link.term()?)));
    links
        .filter(|(_, term)| is_regulated(term))
        .map(|(index, term)| {
            let name = term.name();
            let detail = format!(
                "expected a link type that your organisation may use, found the regulated gs1:{name}: \
                 an administrator of the installation can permit it"
            );
            Fault::new(format!("/links/{index}/linkType"), "RES-2.5.2-2", detail)
        })
        .collect()
}

/// The fault of a change that would leave a level without a default link.
fn missing_default(missing: &MissingDefault) -> Fault {
    let level = missing.level();
    let key_level = level.key_level();
    let detail = match missing.cause() {
        MissingDefaultCause::KeyLevelUnregistered => format!(
            "expected a default link at /{key_level}, above this level, found nothing registered there: \
             register /{key_level} with a gs1:defaultLink first, or in the same batch"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault if level.is_key_level() => format!(
            "expected a gs1:defaultLink without a validity window, found none: add one to /{key_level}"
        ),
        MissingDefaultCause::KeyLevelWithoutDefault => format!(
            "expected a default link at /{key_level}, above this level, found none that always stands: \
             add a gs1:defaultLink without a validity window there first, or in the same batch"
        ),
        MissingDefaultCause::QualifiedLevelsRemain { first } => format!(
            "expected no levels below /{key_level}, found {}: delete them first, or in the same batch",
            first.iter().map(|level| format!("/{level}")).collect::<Vec<_>>().join(", ")
        ),
        _ => missing.to_string(),
    };
    Fault::new("", "RES-2.5.9-1", detail)
}
