//! A store in this process as a source.

use std::sync::Arc;
use std::time::Duration;

use fingerpost_store::copy::{CopyLimit, CopyPage, LevelRange, Position, Selection, SpanDigest};
use fingerpost_store::{Revision, Store, StoreError, View};

use crate::limits::COMMIT_WAIT;
use crate::{Changes, FeedAnswer, Head, Source, SourceError, source};

/// A store in this process as a source, whatever its engine.
#[derive(Debug)]
pub struct StoreSource {
    store: Arc<Store>,
    selection: Selection,
    batch: CopyLimit,
    digest: CopyLimit,
}

impl StoreSource {
    /// Creates the source of copies that hold a part of this store. The copy gets what this process
    /// writes to the store without reading it back.
    pub fn new(store: Arc<Store>, selection: Selection) -> Self {
        store.keep_recent_changes();
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
        // What was seen later can be lost, which only the store knows.
        if seen == after
            && let Some((at, mut rows)) = self.store.take_recent_changes(after)
        {
            rows.retain(|row| self.selection.covers(&row.level));
            return Ok(FeedAnswer::Found { at, data: Changes { upto: at, rows } });
        }
        self.view(|view| source::changes(view, &self.selection, after, seen, self.batch))
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.view(|view| source::page(view, &self.selection, span, seen, self.batch))
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.view(|view| source::digest(view, &self.selection, span, seen, self.digest))
    }

    fn is_reached(&self, position: &Position) -> bool {
        self.store.is_reached(position)
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        let revision = self.store.revision()?;
        if revision != seen {
            return Ok(revision); // ahead, or back
        }
        Ok(self.store.wait_for(seen.next(), timeout.min(COMMIT_WAIT))?)
    }
}
