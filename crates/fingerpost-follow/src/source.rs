//! The interface of a source, and its answers from one snapshot of a store.

use std::time::Duration;

use fingerpost_store::copy::{
    CopyChanges, CopyLimit, CopyPage, CopyRow, LevelRange, Position, Selection, SpanDigest,
};
use fingerpost_store::{Revision, StoreError, View};
use serde::{Deserialize, Serialize};

use crate::SourceError;

/// A store that is followed. Each answer comes from one snapshot of it, and the next answer may
/// come from a later one.
pub trait Source: Send + Sync {
    /// Returns the name of the source for messages, without secrets: an address, a directory.
    fn name(&self) -> String;

    /// Returns the part of the source that is copied.
    fn selection(&self) -> &Selection;

    /// Returns the current position.
    fn head(&self) -> Result<Head, SourceError>;

    /// Returns the values of the levels that changed after the position `after`. `seen` is the last
    /// position that was seen of the source.
    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError>;

    /// Returns the first rows of a span. `seen` is the last position that was seen of the source.
    fn page(&self, span: &LevelRange, seen: &Position)
    -> Result<FeedAnswer<CopyPage>, SourceError>;

    /// Returns a digest of the first rows of a span. `seen` is the last position that was seen of
    /// the source.
    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError>;

    /// Returns whether a copy at this position has everything that writes of this process have
    /// seen, if that is known without asking the source.
    fn is_reached(&self, position: &Position) -> bool {
        let _ = position;
        false
    }

    /// Waits until the source has another revision than `seen`, or until `timeout` or a shorter
    /// time limit of the source expires. Returns its revision.
    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError>;
}

/// The current state of a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The position.
    pub position: Position,
    /// The hash of the first audit record; `None` while there is none.
    pub origin: Option<String>,
}

/// The changes after a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// The position that they lead to.
    pub upto: Position,
    /// The changed levels, each once.
    pub rows: Vec<CopyRow>,
}

/// An answer of a source that was given a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeedAnswer<T> {
    /// What was requested, from a snapshot at this position.
    Found {
        /// The position of the snapshot.
        at: Position,
        /// What was requested.
        data: T,
    },
    /// The source lacks the position: it went back.
    WentBack,
    /// The source has no history that reaches back to the position.
    Pruned,
}

/// Returns the [`Source::head`] of a snapshot.
pub fn head(view: &View<'_>) -> Result<Head, StoreError> {
    Ok(Head { position: view.position()?, origin: view.origin()? })
}

/// Returns the [`Source::changes`] of a snapshot.
pub fn changes(
    view: &View<'_>,
    selection: &Selection,
    after: &Position,
    seen: &Position,
    limit: CopyLimit,
) -> Result<FeedAnswer<Changes>, StoreError> {
    if seen != after && !view.has_position(seen)? {
        return Ok(FeedAnswer::WentBack);
    }
    answer(view, after, |at| {
        if at == *after {
            return Ok(Some(Changes { upto: at, rows: Vec::new() }));
        }
        match view.changes_to_copy(selection, after.revision(), &at, limit)? {
            CopyChanges::Rows { upto, rows } => Ok(Some(Changes { upto, rows })),
            CopyChanges::Pruned => Ok(None),
        }
    })
}

/// Returns the [`Source::page`] of a snapshot.
pub fn page(
    view: &View<'_>,
    selection: &Selection,
    span: &LevelRange,
    seen: &Position,
    limit: CopyLimit,
) -> Result<FeedAnswer<CopyPage>, StoreError> {
    answer(view, seen, |_| view.rows_to_copy(selection, span, limit).map(Some))
}

/// Returns the [`Source::digest`] of a snapshot.
pub fn digest(
    view: &View<'_>,
    selection: &Selection,
    span: &LevelRange,
    seen: &Position,
    limit: CopyLimit,
) -> Result<FeedAnswer<SpanDigest>, StoreError> {
    answer(view, seen, |_| view.digest_of(selection, span, limit).map(Some))
}

/// Returns an answer of a snapshot that has the position `seen`.
fn answer<T>(
    view: &View<'_>,
    seen: &Position,
    read: impl FnOnce(Position) -> Result<Option<T>, StoreError>,
) -> Result<FeedAnswer<T>, StoreError> {
    let (at, has_seen) = view.position_after(seen)?;
    if !has_seen {
        return Ok(FeedAnswer::WentBack);
    }
    Ok(match read(at)? {
        Some(data) => FeedAnswer::Found { at, data },
        None => FeedAnswer::Pruned,
    })
}
