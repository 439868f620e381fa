//! Brings a copy one step further: a page of the first copy, a batch of changes, or a repair.

use std::sync::Arc;

use fingerpost_store::copy::{CopyPhase, CopyState, CopyWriter, LevelRange, Position};
use fingerpost_store::{Revision, Store};

use crate::damage::warn_of_damage;
use crate::{FeedAnswer, FollowError, Head, Source, repair};

/// A source and its copy.
#[derive(Clone)]
pub struct Copier {
    source: Arc<dyn Source>,
    copy: Arc<Store>,
}

/// What a step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The copy was begun.
    Begun,
    /// A page of the first copy was stored, or the first copy began again.
    Filled {
        /// Number of rows.
        rows: u64,
    },
    /// Changes were applied.
    Applied {
        /// Number of changed levels.
        rows: u64,
        /// The revision of the source.
        head: Revision,
    },
    /// The source went back, or the selection changed: the copy was compared with the source and
    /// repaired.
    Repaired {
        /// Number of changed levels.
        rows: u64,
    },
    /// The copy has everything.
    UpToDate {
        /// The revision of the source, and of the copy.
        head: Revision,
    },
}

impl Copier {
    /// Creates a copier. The copy is an empty store, or a copy of the source.
    pub fn new(source: Arc<dyn Source>, copy: Arc<Store>) -> Self {
        Self { source, copy }
    }

    /// Returns the copy.
    pub fn copy(&self) -> &Arc<Store> {
        &self.copy
    }

    /// Returns the source.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Takes the next step. After an error, the copy is as before.
    pub fn step(&self) -> Result<Step, FollowError> {
        let Some(state) = self.copy.copy_state()? else { return self.begin(None) };
        if state.selection != *self.source.selection() {
            return self.start_over(&state);
        }
        match &state.phase {
            CopyPhase::New => self.begin(Some(&state)),
            CopyPhase::Filling { after, seen } => self.fill(&state, after, seen),
            CopyPhase::Settling { seen } => self.apply(&state, seen),
            CopyPhase::Complete => self.apply(&state, &state.position),
        }
    }

    /// Makes an empty store a copy, without the source: from then on, it answers nothing until it
    /// is complete, and only copiers write to it.
    pub fn prepare(&self) -> Result<(), FollowError> {
        if self.copy.copy_state()?.is_some() {
            return Ok(());
        }
        let (selection, phase) = (self.source.selection().clone(), CopyPhase::New);
        let position = Position::default();
        let state = CopyState { selection, origin: None, position, phase, repairs: 0 };
        match self.write(None, &state, &|_| Ok(())) {
            Err(FollowError::Changed) => Ok(()), // another process was faster
            result => result,
        }
    }

    fn begin(&self, old: Option<&CopyState>) -> Result<Step, FollowError> {
        let state = self.new_state(&self.source.head()?, 0);
        self.write(old, &state, &|_| Ok(()))?;
        Ok(Step::Begun)
    }

    /// Returns the state of a copy that is about to be filled.
    fn new_state(&self, head: &Head, repairs: u64) -> CopyState {
        CopyState {
            selection: self.source.selection().clone(),
            origin: head.origin.clone(),
            position: head.position,
            phase: CopyPhase::Filling { after: String::new(), seen: head.position },
            repairs,
        }
    }

    /// Stores the next page of the first copy.
    fn fill(&self, state: &CopyState, after: &str, seen: &Position) -> Result<Step, FollowError> {
        let span = LevelRange::after(after);
        let FeedAnswer::Found { at, data: page } = self.source.page(&span, seen)? else {
            return self.start_over(state);
        };
        let phase = match &page.until {
            Some(until) => CopyPhase::Filling { after: until.clone(), seen: at },
            None if at == state.position => CopyPhase::Complete,
            None => CopyPhase::Settling { seen: at },
        };
        let new = CopyState { phase, ..state.clone() };
        let span = span.until(page.until.as_deref());
        warn_of_damage(&page.rows);
        self.write(Some(state), &new, &|copy| copy.replace(&span, &page.rows).map(|_| ()))?;
        Ok(Step::Filled { rows: page.rows.len() as u64 })
    }

    /// Applies the next changes.
    fn apply(&self, state: &CopyState, seen: &Position) -> Result<Step, FollowError> {
        let answer = self.source.changes(&state.position, seen)?;
        let FeedAnswer::Found { at, data: changes } = answer else { return self.start_over(state) };
        let (head, from, to) = (at.revision(), state.position.revision(), changes.upto.revision());
        if to < from || (to == from && to < seen.revision()) {
            return self.start_over(state); // no changes lead to what was seen
        }
        let mut new = CopyState { position: changes.upto, ..state.clone() };
        if changes.upto.revision() >= seen.revision() {
            new.phase = CopyPhase::Complete;
        }
        if new.origin.is_none() && new.position != Position::default() {
            new.origin = self.source.head()?.origin;
        }
        if new == *state {
            return Ok(Step::UpToDate { head });
        }
        warn_of_damage(&changes.rows);
        self.write(Some(state), &new, &|copy| copy.apply(&changes.rows))?;
        Ok(Step::Applied { rows: changes.rows.len() as u64, head })
    }

    /// Repairs a complete copy, or fills one that is not complete from its beginning.
    fn start_over(&self, state: &CopyState) -> Result<Step, FollowError> {
        let head = self.source.head()?;
        if state.origin.is_some() && state.origin != head.origin {
            return Err(FollowError::OtherSource {
                source_name: self.source.name(),
                copy: self.copy.location().to_owned(),
            });
        }
        if state.is_complete() {
            let rows = repair::repair(&*self.source, &self.copy, state)?;
            return Ok(Step::Repaired { rows });
        }
        let new = self.new_state(&head, state.repairs + 1);
        self.write(Some(state), &new, &|_| Ok(()))?;
        Ok(Step::Filled { rows: 0 })
    }

    /// Writes to the copy, if it is in the state `old`, and stores its new state.
    fn write(
        &self,
        old: Option<&CopyState>,
        new: &CopyState,
        work: &dyn Fn(&mut CopyWriter<'_, '_>) -> Result<(), fingerpost_store::StoreError>,
    ) -> Result<(), FollowError> {
        self.copy.write_copy(|copy| {
            if copy.state() != old {
                return Err(FollowError::Changed);
            }
            work(copy)?;
            Ok(copy.set_state(new)?)
        })
    }
}
