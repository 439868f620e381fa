//! A node that answers scans from a copy of another store: the thread that keeps the copy up to date, and what the two sides of the
//! server need of it.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_follow::{Copier, Follower, Source};
use fingerpost_public::CopyStatus;
use fingerpost_registry::Registry;
use fingerpost_store::Store;

use crate::failure::Failure;

/// The copy of this node, which is kept up to date until the node is dropped.
#[derive(Clone)]
pub(crate) struct Node {
    follower: Arc<Follower>,
    /// How long a write waits for the copy.
    write_wait: Duration,
}

impl Node {
    /// Starts to follow a source.
    pub(crate) fn start(
        source: Arc<dyn Source>,
        copy: &Arc<Store>,
        write_wait: Duration,
    ) -> Result<Self, Failure> {
        let copier = Copier::new(source, Arc::clone(copy));
        copier.prepare().map_err(Failure::new)?;
        let follower = Follower::start(copier)
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        Ok(Self { follower: Arc::new(follower), write_wait })
    }

    /// Returns what keeps the copy up to date.
    pub(crate) fn follower(&self) -> &Arc<Follower> {
        &self.follower
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
        registry.with_copy(move || {
            if !follower.sync(write_wait) {
                tracing::warn!("a write is answered before the copy of this node has it");
            }
        })
    }
}
