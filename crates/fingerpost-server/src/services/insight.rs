//! Writes the counts of scans, and adds up old ones. Several processes and nodes can write to one
//! store: counts are added to those that are there.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fingerpost_insight::{Counters, Insight, InsightOptions, Pending};
use fingerpost_store::{Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::{Next, Service, Stop};
use crate::clock::now;
use crate::config::Config;
use crate::failure::Failure;
use crate::following::{Database, Followed};
use crate::metrics::{Families, number};

/// The longest time between two writes: what a kill can lose.
const LONGEST: Duration = Duration::from_secs(60);

/// Time between two looks for counts that are old enough to be added up.
const ROLL_UP_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Where counts are kept.
#[derive(Clone)]
pub(crate) enum CountStore {
    /// In a store of its own within the data directory: each commit empties the caches of the store
    /// that it belongs to.
    Own(Arc<Store>),
    /// In the database, which nodes share. They answer scans from copies, whose caches stay.
    Database(Arc<Database>),
}

impl CountStore {
    /// Opens the store of counts, if scans are counted.
    pub(crate) fn open(
        config: &Config,
        data: &Path,
        followed: Option<&Followed>,
    ) -> Result<Option<Self>, Failure> {
        if !config.insight.enabled {
            return Ok(None);
        }
        Ok(Some(match followed {
            Some(Followed::Database(database)) => Self::Database(Arc::clone(database)),
            Some(Followed::Feed(_)) | None => Self::Own(config.create_count_store(data)?),
        }))
    }

    fn store(&self) -> Result<Arc<Store>, StoreError> {
        match self {
            Self::Own(store) => Ok(Arc::clone(store)),
            Self::Database(database) => database.store(),
        }
    }

    /// Returns the counts for an admin side that works on this store.
    pub(crate) fn beside(&self, store: &Arc<Store>, options: &InsightOptions) -> Insight {
        let counts = match self {
            Self::Own(own) => own,
            Self::Database(_) => store,
        };
        Insight::new(Arc::clone(counts), options.clone())
    }
}

/// Writes the counts of scans.
pub(crate) struct Scans {
    counters: Arc<Counters>,
    counts: CountStore,
    options: InsightOptions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What could not be written yet.
    pending: Pending,
    written: u64,
    rolled_up: Option<Timestamp>,
    is_failing: bool,
}

impl Scans {
    pub(crate) fn new(
        counters: Arc<Counters>,
        counts: CountStore,
        options: &InsightOptions,
    ) -> Self {
        Self { counters, counts, options: options.clone(), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes all counts; what cannot be written waits for the next time.
    fn write(&self, state: &mut State) -> Result<(), StoreError> {
        self.counters.drain(&mut state.pending);
        let before = state.pending.scans();
        let insight = Insight::new(self.counts.store()?, self.options.clone());
        let added = insight.add(&mut state.pending);
        state.written += before - state.pending.scans();
        added?;
        let now = now();
        let is_due = |last: Timestamp| now.duration_since(last).abs() >= ROLL_UP_EVERY;
        if state.rolled_up.is_none_or(is_due) {
            insight.roll_up(now)?;
            state.rolled_up = Some(now);
        }
        Ok(())
    }
}

impl Service for Scans {
    fn name(&self) -> &'static str {
        "insight"
    }

    /// A failure is tried again at the next time, because little is lost only if the pauses are
    /// short.
    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        let state = &mut *self.state();
        let written = self.write(state);
        if let Err(error) = &written
            && !state.is_failing
        {
            tracing::error!(%error, "insight: counts cannot be written; they wait in memory");
        }
        state.is_failing = written.is_err();
        Ok(Next::After(self.options.write_every.get().min(LONGEST)))
    }

    /// Writes the counts of the last scans, after the listeners have ended.
    fn finish(&self) {
        let state = &mut *self.state();
        if let Err(error) = self.write(state) {
            let scans = state.pending.scans();
            tracing::error!(%error, scans, "insight: the last counts are lost");
        }
    }

    /// It writes the store, which is closed next.
    fn is_awaited(&self) -> bool {
        true
    }

    fn report(&self, families: &mut Families) {
        families.one(
            "insight_counters",
            "Counters of scans in memory, which are written at the next time.",
            number(self.counters.used()),
        );
        let state = self.state();
        let scans = [
            (vec![("state", "written")], number(state.written)),
            (vec![("state", "uncounted")], number(self.counters.uncounted())),
        ];
        families.counter(
            "insight_scans_total",
            "Scans since the start: those whose counts are written, and those without a counter because there were too many.",
            scans,
        );
    }
}
