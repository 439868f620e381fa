//! Follows a source on a thread: step by step while there is something to do, and then whenever the
//! source changes.
//!
//! A second thread waits for changes of the source and wakes the first one. [`Follower::sync`]
//! wakes it too: a node that has written to the source does not wait for the news of its own write.

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_store::Revision;

use crate::{Copier, FollowError, FollowerStatus, Source, SourceError, Step};

/// Time after which an idle follower looks at the source without being woken.
const IDLE: Duration = Duration::from_secs(30);

/// The longest wait for a change of the source in one call.
const WAIT: Duration = Duration::from_secs(20);

/// Time without news of the source after which a copy is no longer said to be up to date.
const SILENCE: Duration = Duration::from_secs(45);

/// The shortest time between two waits that end without a change.
const SHORT: Duration = Duration::from_millis(200);

/// Pauses after errors: the first one, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Time between two lines in the log about the same trouble.
const REPEAT: Duration = Duration::from_secs(60);

/// How long the end waits for a step. After that it ends with the process, which harms no copy.
const FAREWELL: Duration = Duration::from_secs(2);

/// A copy that is kept up to date by a thread. Dropping it ends the thread.
pub struct Follower {
    shared: Arc<Shared>,
}

struct Shared {
    copier: Copier,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    stops: bool,
    /// Whether the thread that takes steps runs.
    runs: bool,
    /// Number of the last request to look at the source.
    asked: u64,
    /// Number of the last request by somebody who waits, which also ends the pause after an error.
    urgent: u64,
    /// Number of the last request after which the copy was up to date.
    done: u64,
    complete: bool,
    revision: Revision,
    /// The last known revision of the source.
    head: Option<Revision>,
    /// When the copy was last known to be up to date.
    current: Instant,
    /// Why the last step failed, and when that was last logged.
    trouble: Option<(String, Instant)>,
}

impl Follower {
    /// Starts to follow.
    pub fn start(copier: Copier) -> io::Result<Self> {
        let state = copier.copy().copy_state().ok().flatten();
        let state = State {
            stops: false,
            runs: true,
            asked: 1,
            urgent: 0,
            done: 0,
            complete: state.as_ref().is_some_and(|state| state.is_complete()),
            revision: state.map(|state| state.position.revision()).unwrap_or_default(),
            head: None,
            current: Instant::now(),
            trouble: None,
        };
        let state = Mutex::new(state);
        let follower = Self { shared: Arc::new(Shared { copier, state, changed: Condvar::new() }) };
        let running = Running(Arc::clone(&follower.shared));
        thread::Builder::new().name("follow".to_owned()).spawn(move || running.0.follow())?;
        let (source, shared) =
            (Arc::clone(follower.shared.copier.source()), Arc::downgrade(&follower.shared));
        let watch = move || watch(&*source, &shared);
        thread::Builder::new().name("follow-watch".to_owned()).spawn(watch)?;
        Ok(follower)
    }

    /// Returns how far the copy is.
    pub fn status(&self) -> FollowerStatus {
        let state = self.shared.lock();
        let connected = state.trouble.is_none() && state.runs && state.head.is_some();
        let is_current = connected && state.complete && state.head == Some(state.revision);
        let is_current = is_current && state.current.elapsed() < SILENCE;
        let ahead = |head: Revision| head.number().saturating_sub(state.revision.number());
        FollowerStatus {
            complete: state.complete,
            revision: state.revision,
            connected,
            lag_revisions: state.head.map(ahead),
            lag_seconds: if is_current { 0 } else { state.current.elapsed().as_secs() },
        }
    }

    /// Waits until the copy has everything that the source has now, or until `timeout` expires.
    /// Returns whether it has.
    pub fn sync(&self, timeout: Duration) -> bool {
        let mut state = self.shared.lock();
        (state.asked, state.urgent) = (state.asked + 1, state.urgent + 1);
        let asked = state.asked;
        self.shared.changed.notify_all();
        let behind = |state: &mut State| state.done < asked && !state.stops;
        let waited = self.shared.changed.wait_timeout_while(state, timeout, behind);
        waited.unwrap_or_else(PoisonError::into_inner).0.done >= asked
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.stops = true;
        self.shared.changed.notify_all();
        let runs = |state: &mut State| state.runs;
        let _ = self.shared.changed.wait_timeout_while(state, FAREWELL, runs);
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follower").field("copier", &self.shared.copier).finish_non_exhaustive()
    }
}

/// The thread that takes steps, as long as it runs.
struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().runs = false;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes steps until the follower stops.
    fn follow(&self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let (asked, urgent) = {
                let state = self.lock();
                if state.stops {
                    return;
                }
                (state.asked, state.urgent)
            };
            match self.copier.step() {
                Ok(step) => {
                    pause = FIRST_PAUSE;
                    if self.note(step, asked) {
                        let idle = |state: &mut State| !state.stops && state.asked == asked;
                        let _ = self.changed.wait_timeout_while(self.lock(), IDLE, idle);
                    }
                }
                Err(error) => {
                    self.note_trouble(&error);
                    let rests = |state: &mut State| !state.stops && state.urgent == urgent;
                    let _ = self.changed.wait_timeout_while(self.lock(), pause, rests);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
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
            Some((known, at)) if *known == text && now.duration_since(*at) < REPEAT => {}
            trouble => {
                tracing::error!(error = text, "the copy is not brought up to date");
                *trouble = Some((text, now));
            }
        }
    }

    /// Notes what a wait for a change of the source found; returns the revision to wait for the
    /// next one from, and the pause before.
    fn note_wait(
        &self,
        seen: Revision,
        found: &Result<Revision, SourceError>,
        took: Duration,
    ) -> (Revision, Duration) {
        let mut state = self.lock();
        let next = match found {
            &Ok(found) if found != seen => {
                state.head = Some(found);
                state.asked += 1;
                (found, Duration::ZERO)
            }
            &Ok(found) => {
                match state.trouble.is_none() && found == state.revision {
                    true => state.current = Instant::now(),
                    false => state.asked += 1,
                }
                // A source that stops ends waits at once.
                (seen, if took < SHORT { SHORT } else { Duration::ZERO })
            }
            Err(_) => {
                state.asked += 1; // the other thread finds out why
                (seen, LONGEST_PAUSE / 5)
            }
        };
        self.changed.notify_all();
        next
    }
}

/// Wakes the thread that takes steps when the source has changed, or does not answer. It does not
/// keep the follower, nor the copy, while it waits.
fn watch(source: &dyn Source, shared: &Weak<Shared>) {
    let mut seen = Revision::default();
    loop {
        let begin = Instant::now();
        let found = source.wait(seen, WAIT);
        let Some(shared) = shared.upgrade().filter(|shared| !shared.lock().stops) else { return };
        let pause;
        (seen, pause) = shared.note_wait(seen, &found, begin.elapsed());
        drop(shared);
        thread::sleep(pause);
    }
}
