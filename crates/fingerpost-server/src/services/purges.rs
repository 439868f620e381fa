//! Purges caches in front after changes, if `purge.service` is configured. Of the nodes that share
//! a database one purges: that with the lease in it.
//!
//! An answer that a node has read just before a change, or from a copy that does not have it yet,
//! can reach the cache after the purge. So each purge is repeated after `purge.repeat_after`.

mod request;

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use fingerpost_registry::{Id, Registry};
use jiff::SignedDuration;
use tokio::time::sleep;

use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::config::PurgeOptions;
use crate::failure::Failure;
use crate::limits::{
    FIRST_PURGE_PAUSE, MAX_PURGE_CHANGES, MAX_PURGE_PAUSE, MAX_REPEATED_PURGES, PURGE_LEASE,
    PURGE_LOOK, SAVE_PURGED_EVERY,
};
use crate::metrics::Families;
use request::Cache;

/// The pause until the admin side runs, which has the registry.
const WAIT: Duration = Duration::from_secs(1);

/// Purges.
pub(crate) struct Purges {
    cache: Cache,
    api: RunningApi,
    /// The name of this process among those of the store.
    holder: String,
    repeat_after: Duration,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    purged: AtomicU64,
    failed: AtomicU64,
    /// Since when changes wait for a purge.
    waiting: Mutex<Option<Instant>>,
}

/// The progress of a run.
#[derive(Default)]
struct Progress {
    /// The position after what was purged; none before the first look.
    end: Option<String>,
    /// The position that is stored.
    saved: Option<String>,
    /// When the lease was last renewed.
    renewed: Option<Instant>,
    /// What is purged once more, with the time.
    repeated: VecDeque<(Instant, Vec<String>)>,
}

impl Purges {
    /// Creates the service; `None` if no cache is configured.
    pub(crate) fn new(options: &PurgeOptions, api: RunningApi) -> Result<Option<Self>, Failure> {
        let Some(cache) = Cache::new(options)? else { return Ok(None) };
        let holder = Id::random().to_string();
        let repeat_after = options.repeat_after.get();
        Ok(Some(Self { cache, api, holder, repeat_after, counts: Counts::default() }))
    }

    async fn purge(&self, registry: &Registry) -> Result<(), Failure> {
        let mut progress = Progress::default();
        loop {
            if self.has_lease(registry, &mut progress)?
                && self.purge_changes(registry, &mut progress).await?
            {
                self.repeat(&mut progress).await;
            }
            sleep(PURGE_LOOK).await;
        }
    }

    /// Takes or renews the lease when that is due, and stores the position with it.
    fn has_lease(&self, registry: &Registry, progress: &mut Progress) -> Result<bool, Failure> {
        // The first position is stored at once: what changes while the server is off is after it.
        let is_stored = progress.saved.is_some() || progress.end.is_none();
        if is_stored && progress.renewed.is_some_and(|at| at.elapsed() < SAVE_PURGED_EVERY) {
            return Ok(true);
        }
        let end = progress.end.as_deref().filter(|end| progress.saved.as_deref() != Some(end));
        let has = registry.save_purged(&self.holder, PURGE_LEASE, end).map_err(Failure::new)?;
        if has {
            progress.saved.clone_from(&progress.end);
            progress.renewed = Some(Instant::now());
        } else {
            // Another process moves the position.
            *progress = Progress::default();
        }
        Ok(has)
    }

    /// Purges what has changed since the last look. Returns `false` if the cache is away: the
    /// position stays, so it is tried again after the lease is renewed.
    async fn purge_changes(
        &self,
        registry: &Registry,
        progress: &mut Progress,
    ) -> Result<bool, Failure> {
        loop {
            let batch = registry.purge_batch(progress.end.as_deref(), MAX_PURGE_CHANGES);
            let batch = batch.map_err(Failure::new)?;
            if !batch.keys.is_empty() {
                self.set_waiting(true);
                if !self.send(&batch.keys).await {
                    return Ok(false);
                }
                if progress.repeated.len() < MAX_REPEATED_PURGES {
                    progress.repeated.push_back((Instant::now() + self.repeat_after, batch.keys));
                }
            }
            progress.end = Some(batch.end);
            if batch.is_last {
                self.set_waiting(false);
                return Ok(true);
            }
        }
    }

    /// Purges once more what is due.
    async fn repeat(&self, progress: &mut Progress) {
        while let Some((at, keys)) = progress.repeated.pop_front() {
            if at > Instant::now() {
                progress.repeated.push_front((at, keys));
                return;
            }
            if !self.send(&keys).await {
                progress.repeated.push_front((at, keys));
                return;
            }
        }
    }

    /// Sends purges until the cache has confirmed all; `false` if it does not for as long as the
    /// lease is kept.
    async fn send(&self, keys: &[String]) -> bool {
        let (began, mut pause) = (Instant::now(), FIRST_PURGE_PAUSE);
        let mut rest = self.cache.requests(keys);
        while let Some(request) = rest.last() {
            match self.cache.send(request).await {
                Ok(()) => {
                    self.counts.purged.fetch_add(request.keys, Relaxed);
                    rest.pop();
                    pause = FIRST_PURGE_PAUSE;
                }
                Err(error) => {
                    self.counts.failed.fetch_add(1, Relaxed);
                    tracing::error!(%error, "a cache was not purged; it is tried again");
                    if began.elapsed() + pause > SAVE_PURGED_EVERY {
                        return false;
                    }
                    sleep(pause).await;
                    pause = (pause * 2).min(MAX_PURGE_PAUSE);
                }
            }
        }
        true
    }

    fn set_waiting(&self, waits: bool) {
        if let Ok(mut waiting) = self.counts.waiting.lock() {
            *waiting = waits.then(|| waiting.unwrap_or_else(Instant::now));
        }
    }
}

impl Service for Purges {
    fn name(&self) -> &'static str {
        "purges"
    }

    fn run(&self, stop: &Stop) -> Result<Next, Failure> {
        let Some(api) = self.api.get() else { return Ok(Next::After(WAIT)) };
        let registry = api.current().registry().clone();
        stop.run_outgoing(self.purge(&registry))?.transpose()?;
        // Another process can begin at once.
        let ended = registry.save_purged(&self.holder, SignedDuration::ZERO, None);
        ended.map_err(Failure::new)?;
        Ok(Next::AtStop)
    }

    /// It reads the store, which is closed next.
    fn is_awaited(&self) -> bool {
        true
    }

    fn report(&self, families: &mut Families) {
        families.one_counter(
            "purged_keys_total",
            "Surrogate keys since the start that caches in front confirmed to have purged.",
            self.counts.purged.load(Relaxed),
        );
        families.one_counter(
            "purge_failures_total",
            "Purges of caches in front since the start that were not confirmed.",
            self.counts.failed.load(Relaxed),
        );
        let waiting = self.counts.waiting.lock().ok().and_then(|waiting| *waiting);
        families.one(
            "purge_lag_seconds",
            "Time for which changes wait to be purged from caches in front.",
            waiting.map_or(0.0, |since| since.elapsed().as_secs_f64()),
        );
    }
}
