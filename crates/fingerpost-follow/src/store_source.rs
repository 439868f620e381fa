//! A store in this process as a source.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_store::copy::{CopyLimit, CopyPage, Position, Selection, Span, SpanDigest};
use fingerpost_store::{Revision, Store, StoreError, View};

use crate::{Changes, FeedAnswer, Head, Source, SourceError, source};

/// The longest wait for a commit, so that a follower that stops is not waited for.
const WAIT: Duration = Duration::from_millis(500);

/// A store in this process as a source, whatever its engine.
#[derive(Debug)]
pub struct StoreSource {
    store: Arc<Store>,
    selection: Selection,
    batch: CopyLimit,
    digest: CopyLimit,
}

impl StoreSource {
    /// Creates the source of copies that hold a part of this store.
    pub fn new(store: Arc<Store>, selection: Selection) -> Self {
        Self { store, selection, batch: CopyLimit::BATCH, digest: CopyLimit::DIGEST }
    }

    /// Sets the limits of batches and pages, and of digests.
    pub fn limits(self, batch: CopyLimit, digest: CopyLimit) -> Self {
        Self { batch, digest, ..self }
    }

    fn view<T>(
        &self,
        read: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, SourceError> {
        Ok(self.store.view(read)?)
    }
}

impl Source for StoreSource {
    fn name(&self) -> String {
        self.store.location().to_owned()
    }

    fn selection(&self) -> &Selection {
        &self.selection
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.view(source::head)
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        self.view(|view| source::changes(view, &self.selection, (after, seen), self.batch))
    }

    fn page(&self, span: &Span, seen: &Position) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.view(|view| source::page(view, &self.selection, (span, seen), self.batch))
    }

    fn digest(&self, span: &Span, seen: &Position) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.view(|view| source::digest(view, &self.selection, (span, seen), self.digest))
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        let revision = self.store.revision()?;
        if revision != seen {
            return Ok(revision); // ahead, or back
        }
        Ok(self.store.wait_for(seen.next(), timeout.min(WAIT))?)
    }
}
