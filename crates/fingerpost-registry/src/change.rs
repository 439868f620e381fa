//! One change of a level: judged against what is there, in the transaction that makes it.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Accepted, Entry, Refused, TermClass, read_record};
use fingerpost_store::{Batch, MissingDefault, MissingDefaultCause, Revision, StoreError, View};

use crate::fault::{Fault, faults};
use crate::ownership::organisation;
use crate::registry::Inner;
use crate::rights::{Access, Verb};
use crate::{Id, Outcome, Precondition, RegistryError, Would};

/// A change that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) key: EntityKey,
    /// What the level is to hold; `None`: nothing.
    pub(crate) entry: Option<Arc<Entry>>,
    pub(crate) precondition: Option<Precondition>,
    pub(crate) warnings: Vec<Fault>,
}

/// What is to be done about it.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) wanted: Wanted,
    pub(crate) action: Action,
    /// The revision of the level so far.
    pub(crate) base: Option<Revision>,
    pub(crate) owner: Option<Id>,
    pub(crate) needs_approval: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    Create,
    Replace,
    Delete,
    /// The level holds exactly this.
    Nothing(Revision),
}

impl Wanted {
    /// Judges the change: rights, precondition, and the rules that depend on whose level it is. `verb` is what the caller has to
    /// be allowed.
    pub(crate) fn judge(
        self,
        view: &View<'_>,
        access: &Access,
        verb: Verb,
    ) -> Result<Judged, RegistryError> {
        let owner_id = access.on_level(view, verb, &self.key)?;
        let owner = organisation(view, owner_id)?;
        let current = view.level(&self.key)?;
        let base = current.as_ref().map(|(_, revision)| *revision);
        if let Some(expected) = self.precondition.filter(|expected| !expected.holds(base)) {
            let found = base.filter(|_| access.reaches(Verb::Read, &self.key, owner_id));
            return Err(RegistryError::PreconditionFailed { expected, found });
        }
        let action = match (&self.entry, &current) {
            (None, None) => return Err(RegistryError::NotFound),
            (None, Some(_)) => Action::Delete,
            (Some(_), None) => Action::Create,
            (Some(entry), Some((present, revision))) if **entry == *present => {
                Action::Nothing(*revision)
            }
            (Some(_), Some(_)) => Action::Replace,
        };
        if let Some(entry) = &self.entry
            && !access.may_use_regulated(owner.as_ref())
        {
            let faults = regulated_links(entry);
            if !faults.is_empty() {
                return Err(RegistryError::Invalid { faults, warnings: self.warnings });
            }
        }
        let needs_approval = access.needs_approval(owner.as_ref());
        Ok(Judged { wanted: self, action, base, owner: owner_id, needs_approval })
    }
}

impl Judged {
    /// Whether anything is to be written.
    pub(crate) fn changes_something(&self) -> bool {
        !matches!(self.action, Action::Nothing(_))
    }

    /// Adds the change to a batch.
    pub(crate) fn add_to(&self, batch: &mut Batch) {
        match &self.wanted.entry {
            _ if !self.changes_something() => {}
            Some(entry) => {
                batch.put(entry.clone());
            }
            None => {
                batch.delete(self.wanted.key.clone());
            }
        }
    }

    /// What became of it, once it was written as this revision.
    pub(crate) fn outcome(self, revision: Revision) -> Outcome {
        let warnings = self.wanted.warnings;
        match self.action {
            Action::Create => Outcome::Written { revision, created: true, warnings },
            Action::Replace => Outcome::Written { revision, created: false, warnings },
            Action::Delete => Outcome::Deleted { revision },
            Action::Nothing(revision) => Outcome::Unchanged { revision, warnings },
        }
    }

    /// What would become of it.
    pub(crate) fn would(self) -> Outcome {
        let would = match self.action {
            Action::Nothing(_) => Would::Nothing,
            _ if self.needs_approval => Would::Propose,
            Action::Create => Would::Create,
            Action::Replace => Would::Replace,
            Action::Delete => Would::Delete,
        };
        Outcome::Checked { would, warnings: self.wanted.warnings }
    }
}

impl Inner {
    /// Reads a record, all faults at once. `key` is the level that the caller names beside it.
    pub(crate) fn read_record(
        &self,
        key: Option<&EntityKey>,
        record: &[u8],
    ) -> Result<Accepted, Refused> {
        let accepted = read_record(record, &self.rules())?;
        match key {
            Some(key) if accepted.entry.key() != key => Err(Refused {
                faults: vec![fingerpost_resolver::Fault::new(
                    "/anchor".to_owned(),
                    "anchor",
                    format!("expected /{key}, found /{}", accepted.entry.key()),
                )],
                warnings: accepted.warnings,
            }),
            _ => Ok(accepted),
        }
    }
}

impl From<Refused> for RegistryError {
    fn from(refused: Refused) -> RegistryError {
        RegistryError::Invalid {
            faults: faults(&refused.faults),
            warnings: faults(&refused.warnings),
        }
    }
}

/// Links whose types only some organisations may use (GS1 Web Vocabulary; GS1-Conformant Resolver 1.2.0, section 2.5.2).
fn regulated_links(entry: &Entry) -> Vec<Fault> {
    let is_regulated = |term: &fingerpost_resolver::Term| term.class() == TermClass::Regulated;
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

/// What the caller is told when a level would be left without a default link; `pointer` says where the level stands in what
/// was given.
pub(crate) fn missing_default(missing: &MissingDefault, pointer: impl Into<String>) -> Fault {
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
    Fault::new(pointer, "RES-2.5.9-1", detail)
}

/// Turns a refusal of the store into one of the registry.
pub(crate) fn refusal(error: StoreError) -> RegistryError {
    match error {
        StoreError::MissingDefault { levels } => RegistryError::MissingDefault(
            levels.iter().map(|missing| missing_default(missing, "")).collect(),
        ),
        error => RegistryError::Store(error),
    }
}
