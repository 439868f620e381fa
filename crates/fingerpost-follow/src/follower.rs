//! Follows a source: step by step while there is something to do, and then whenever the source
//! changes.
//!
//! It needs two threads, which its owner starts: one for [`Follower::follow`], and one for a
//! [`Watcher`], which waits for changes of the source and wakes the first one. [`Follower::sync`]
//! wakes it too: a node that has written to the source does not wait for the news of its own write.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use fingerpost_store::Revision;
use fingerpost_store::copy::Position;

use crate::limits::{
    CHANGE_PAUSE, CHANGE_WAIT, FIRST_PAUSE, IDLE_TIME, LOG_INTERVAL, MAX_PAUSE, MAX_SILENCE,
    MIN_WAIT, STOP_WAIT,
};
use crate::{Copier, FollowError, FollowerStatus, Source, SourceError, Step};

/// A copy that is kept up to date.
pub struct Follower {
    copier: Copier,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    stops: bool,
    /// Whether a thread takes steps.
    runs: bool,
    /// The revision of the source that was last waited for.
    seen: Revision,
    /// Number of the last request to look at the source.
    asked: u64,
    /// Number of the last request because of news, or after a long time without. What only waits
    /// for writes of this process need not ask the source if the copy has them.
    news: u64,
    /// Number of the last request by somebody who waits, which also ends the pause after an error.
    urgent: u64,
    /// Number of the last request after which the copy was up to date.
    done: u64,
    complete: bool,
    revision: Revision,
    position: Position,
    /// The last known revision of the source.
    head: Option<Revision>,
    /// When the copy was last known to be up to date.
    current: Instant,
    /// Why the last step failed, and when that was last logged.
    trouble: Option<(String, Instant)>,
}

impl Follower {
    /// Creates the follower of a copy.
    pub fn new(copier: Copier) -> Self {
        let state = copier.copy().copy_state().ok().flatten();
        let state = State {
            stops: false,
            runs: false,
            seen: Revision::default(),
            asked: 1,
            news: 1,
            urgent: 0,
            done: 0,
            complete: state.as_ref().is_some_and(|state| state.is_complete()),
            position: state.as_ref().map(|state| state.position).unwrap_or_default(),
            revision: state.map(|state| state.position.revision()).unwrap_or_default(),
            head: None,
            current: Instant::now(),
            trouble: None,
        };
        Self { copier, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns how far the copy is.
    pub fn status(&self) -> FollowerStatus {
        let state = self.lock();
        let connected = state.trouble.is_none() && state.runs && state.head.is_some();
        let is_current = connected && state.complete && state.head == Some(state.revision);
        let is_current = is_current && state.current.elapsed() < MAX_SILENCE;
        let ahead = |head: Revision| head.number().saturating_sub(state.revision.number());
        FollowerStatus {
            complete: state.complete,
            revision: state.revision,
            connected,
            lag_revisions: state.head.map(ahead),
            lag_seconds: if is_current { 0 } else { state.current.elapsed().as_secs() },
        }
    }

    /// Returns whether the copy has everything that writes of this process have seen, if that is
    /// known without asking the source.
    pub fn has_own_writes(&self) -> bool {
        self.is_reached(&self.lock())
    }

    /// Waits until the copy has everything that writes of this process have seen, or that the
    /// source has now, or until `timeout` expires. Returns whether it has.
    pub fn sync(&self, timeout: Duration) -> bool {
        let mut state = self.lock();
        if self.is_reached(&state) {
            return true;
        }
        (state.asked, state.urgent) = (state.asked + 1, state.urgent + 1);
        let asked = state.asked;
        self.changed.notify_all();
        let has = |state: &State| state.done >= asked || self.is_reached(state);
        let behind = |state: &mut State| !has(state) && !state.stops;
        let waited = self.changed.wait_timeout_while(state, timeout, behind);
        has(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Ends [`Follower::follow`], and waits for it up to two seconds.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stops = true;
        self.changed.notify_all();
        let runs = |state: &mut State| state.runs;
        let _ = self.changed.wait_timeout_while(state, STOP_WAIT, runs);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the copy has everything that writes of this process have seen.
    fn is_reached(&self, state: &State) -> bool {
        state.complete && self.copier.source().is_reached(&state.position)
    }

    /// Takes steps until the follower stops.
    pub fn follow(&self) {
        let _running = Running::start(self);
        let (mut pauses, mut looked) = (pauses(), 0);
        loop {
            let (asked, news, urgent) = {
                let state = self.lock();
                if state.stops {
                    return;
                }
                (state.asked, state.news, state.urgent)
            };
            match self.copier.step() {
                Ok(step) => {
                    pauses = self::pauses();
                    let is_current = self.note(step, asked);
                    // Writes that wait were answered: what was promised to them is in the source.
                    if let Err(error) = self.copier.copy().flush() {
                        self.note_trouble(&error.into());
                    }
                    if matches!(step, Step::UpToDate { .. }) {
                        looked = news;
                    }
                    if is_current {
                        self.rest(asked, looked);
                    }
                }
                Err(error) => {
                    self.note_trouble(&error);
                    let pause = pauses.next().unwrap_or(MAX_PAUSE);
                    let rests = |state: &mut State| !state.stops && state.urgent == urgent;
                    let _ = self.changed.wait_timeout_while(self.lock(), pause, rests);
                }
            }
        }
    }

    /// Waits for a request. Requests of those who wait for writes of this process that the copy has
    /// are over.
    fn rest(&self, asked: u64, looked: u64) {
        let idle = |state: &mut State| {
            let is_over = state.asked == asked || self.is_reached(state);
            !state.stops && state.news == looked && is_over
        };
        let rested = self.changed.wait_timeout_while(self.lock(), IDLE_TIME, idle);
        let (mut state, timeout) = rested.unwrap_or_else(PoisonError::into_inner);
        state.news += u64::from(timeout.timed_out());
    }

    /// Notes a step; returns whether the copy is up to date.
    fn note(&self, step: Step, asked: u64) -> bool {
        let copy = self.copier.copy().copy_state().ok().flatten();
        let mut state = self.lock();
        if state.trouble.take().is_some() {
            tracing::info!(source = self.copier.source().name(), "the source answers again");
        }
        if let Some(copy) = copy {
            if copy.is_complete() && !state.complete {
                tracing::info!(revision = %copy.position.revision(), "the copy is complete");
            }
            (state.complete, state.revision) = (copy.is_complete(), copy.position.revision());
            state.position = copy.position;
        }
        let mut is_current = false;
        if let Step::Applied { head, .. } | Step::UpToDate { head } = step {
            state.head = Some(head);
            // A step that leads to the head of its snapshot needs no other one that finds nothing.
            is_current = matches!(step, Step::UpToDate { .. });
            is_current |= state.complete && state.revision == head;
        }
        if is_current {
            (state.done, state.current) = (state.done.max(asked), Instant::now());
        }
        self.changed.notify_all();
        is_current
    }

    fn note_trouble(&self, error: &FollowError) {
        if matches!(error, FollowError::Changed) {
            return;
        }
        let text = error.to_string();
        let mut state = self.lock();
        let now = Instant::now();
        match &mut state.trouble {
            Some((known, at)) if *known == text && now.duration_since(*at) < LOG_INTERVAL => {}
            trouble => {
                tracing::error!(error = text, "the copy is not brought up to date");
                *trouble = Some((text, now));
            }
        }
    }

    /// Notes what a wait for a change of the source found; returns the pause before the next one.
    fn note_wait(&self, found: &Result<Revision, SourceError>, took: Duration) -> Duration {
        let mut state = self.lock();
        let pause = match *found {
            Ok(found) if found != state.seen => {
                (state.seen, state.head) = (found, Some(found));
                // The copy has what this process has written.
                if found != state.revision {
                    (state.asked, state.news) = (state.asked + 1, state.news + 1);
                }
                CHANGE_PAUSE
            }
            Ok(found) => {
                match state.trouble.is_none() && found == state.revision {
                    true => state.current = Instant::now(),
                    false => (state.asked, state.news) = (state.asked + 1, state.news + 1),
                }
                // A source that stops ends waits at once.
                if took < MIN_WAIT { MIN_WAIT } else { Duration::ZERO }
            }
            Err(_) => {
                // The other thread finds out why.
                (state.asked, state.news) = (state.asked + 1, state.news + 1);
                MAX_PAUSE / 5
            }
        };
        self.changed.notify_all();
        pause
    }
}

/// Returns the pauses after errors in a row.
fn pauses() -> ExponentialBackoff {
    let pauses = ExponentialBuilder::new().without_max_times();
    pauses.with_min_delay(FIRST_PAUSE).with_max_delay(MAX_PAUSE).build()
}

/// A follower that takes steps, until this is dropped.
struct Running<'f>(&'f Follower);

impl<'f> Running<'f> {
    fn start(follower: &'f Follower) -> Self {
        follower.lock().runs = true;
        Self(follower)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.lock().runs = false;
        self.0.changed.notify_all();
    }
}

/// Wakes a follower when its source has changed, or does not answer. It keeps neither the follower
/// nor the copy while it waits.
pub struct Watcher {
    source: Arc<dyn Source>,
    follower: Weak<Follower>,
}

impl Watcher {
    /// Creates the watcher of a follower.
    pub fn new(follower: &Arc<Follower>) -> Self {
        Self { source: Arc::clone(follower.copier.source()), follower: Arc::downgrade(follower) }
    }

    /// Waits for a change of the source, and wakes the follower. Returns the pause before the next
    /// wait; `None` if the follower has stopped.
    pub fn wait(&self) -> Option<Duration> {
        let seen = self.follower()?.lock().seen;
        let begin = Instant::now();
        let found = self.source.wait(seen, CHANGE_WAIT);
        Some(self.follower()?.note_wait(&found, begin.elapsed()))
    }

    fn follower(&self) -> Option<Arc<Follower>> {
        self.follower.upgrade().filter(|follower| !follower.lock().stops)
    }
}
