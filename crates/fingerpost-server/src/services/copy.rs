//! A node that answers scans from a copy of another store: the services that keep the copy up to
//! date, and what the two sides of the server need of it.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_follow::{Copier, Follower, Source, Watcher};
use fingerpost_public::CopyStatus;
use fingerpost_registry::Registry;
use fingerpost_store::Store;

use super::{Next, Service, Stop};
use crate::failure::Failure;
use crate::metrics::{Families, number};

/// The copy of this node, which is kept up to date until the end of the server.
#[derive(Clone)]
pub(crate) struct Node {
    follower: Arc<Follower>,
    /// How long a write waits for the copy.
    write_wait: Duration,
}

impl Node {
    /// Prepares the copy of a source.
    pub(crate) fn new(
        source: Arc<dyn Source>,
        copy: &Arc<Store>,
        write_wait: Duration,
    ) -> Result<Self, Failure> {
        let copier = Copier::new(source, Arc::clone(copy));
        copier.prepare().map_err(Failure::new)?;
        Ok(Self { follower: Arc::new(Follower::new(copier)), write_wait })
    }

    /// Returns the services that keep the copy up to date.
    pub(crate) fn services(&self) -> [Arc<dyn Service>; 2] {
        [Arc::new(self.clone()), Arc::new(CopyWatch(Watcher::new(&self.follower)))]
    }

    /// Returns how far the copy is, for `/ready`.
    pub(crate) fn status(&self) -> CopyStatus {
        let follower = Arc::clone(&self.follower);
        // Numbers and booleans are JSON.
        CopyStatus::new(move || serde_json::to_value(follower.status()).unwrap_or_default())
    }

    /// Returns a registry whose writes wait until the copy has them.
    pub(crate) fn registry(&self, registry: &Registry) -> Registry {
        let Self { follower, write_wait } = self.clone();
        registry.with_copy(move |waits| {
            let is_copied =
                if waits { follower.sync(write_wait) } else { follower.has_own_writes() };
            if waits && !is_copied {
                tracing::warn!("a write is answered before the copy of this node has it");
            }
            is_copied
        })
    }
}

impl Service for Node {
    fn name(&self) -> &'static str {
        "copy"
    }

    /// Brings the copy up to date until the listeners have ended: until then, writes wait for it.
    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        self.follower.follow();
        Ok(Next::AtStop)
    }

    fn finish(&self) {
        self.follower.stop();
    }

    fn report(&self, families: &mut Families) {
        let status = self.follower.status();
        let flag = |value: bool| f64::from(u8::from(value));
        families.one(
            "copy_complete",
            "1 once the copy is complete, so that the node answers scans.",
            flag(status.complete),
        );
        families.one(
            "copy_connected",
            "1 while the store that the node follows answers.",
            flag(status.connected),
        );
        families.one(
            "copy_lag_seconds",
            "For how long the copy has been behind, or the store that it follows silent.",
            number(status.lag_seconds),
        );
        if let Some(lag) = status.lag_revisions {
            families.one(
                "copy_lag_revisions",
                "Revisions that the copy is behind, as far as the node knows.",
                number(lag),
            );
        }
    }
}

/// Wakes the node when its source changes.
struct CopyWatch(Watcher);

impl Service for CopyWatch {
    fn name(&self) -> &'static str {
        "copy-watch"
    }

    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        Ok(self.0.wait().map_or(Next::AtStop, Next::After))
    }
}
