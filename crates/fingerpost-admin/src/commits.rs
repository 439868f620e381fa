//! Requests that wait for a commit. One thread at a time waits for all of them, while there are
//! any.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_store::{Revision, Store};
use tokio::sync::watch::{Sender, channel};
use tokio::time::timeout;

/// Interval at which the thread checks whether requests still wait.
const LOOK: Duration = Duration::from_secs(1);

/// The last known revision of the store, for requests that wait for another one.
#[derive(Debug)]
pub(crate) struct Commits {
    known: Sender<Known>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Known {
    revision: Revision,
    /// Whether a thread waits for the next one.
    is_watched: bool,
    /// Whether the server stops, so that waiting ends.
    stops: bool,
}

impl Default for Commits {
    fn default() -> Self {
        Self { known: channel(Known::default()).0 }
    }
}

impl Commits {
    /// Waits until the store may have another revision than `seen`, or until `period` has passed.
    pub(crate) async fn wait(
        self: &Arc<Self>,
        store: &Arc<Store>,
        seen: Revision,
        period: Duration,
    ) {
        let mut known = self.known.subscribe();
        let begins = self.known.send_if_modified(|known| {
            let begins = !known.is_watched;
            if begins {
                (known.is_watched, known.revision) = (true, seen);
            }
            begins
        });
        if begins {
            let (commits, store) = (Arc::clone(self), Arc::clone(store));
            drop(tokio::task::spawn_blocking(move || commits.watch(&store, seen)));
        }
        let is_over = |known: &Known| known.stops || !known.is_watched || known.revision != seen;
        // At the end of the period, the caller looks for itself.
        let _ = timeout(period, known.wait_for(is_over)).await;
    }

    /// Waits for commits while requests wait for them.
    fn watch(&self, store: &Store, mut seen: Revision) {
        loop {
            let found = store.wait_for(seen.next(), LOOK);
            let mut goes_on = false;
            self.known.send_if_modified(|known| {
                let before = *known;
                goes_on = found.is_ok() && !known.stops && self.known.receiver_count() > 0;
                known.is_watched = goes_on;
                if let Ok(found) = &found {
                    known.revision = *found;
                }
                *known != before
            });
            match found {
                Ok(found) if goes_on => seen = found,
                _ => return,
            }
        }
    }

    /// Returns whether the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        self.known.borrow().stops
    }

    /// Ends all waits, because the server stops.
    pub(crate) fn stop(&self) {
        self.known.send_modify(|known| known.stops = true);
    }
}
