//! Compares a complete copy with its source, and repairs it in one transaction.
//!
//! The source is compared by digests of spans; only spans that differ are read. Digests and pages
//! are different snapshots, so the changes after the first one are applied at the end, as after a
//! first copy.

use fingerpost_store::Store;
use fingerpost_store::copy::{CopyPhase, CopyState, CopyWriter, LevelRange, Position};

use crate::damage::warn_of_damage;
use crate::{FeedAnswer, FollowError, Source};

/// Repairs a copy that is in the state `old`; returns the number of changed levels.
pub(crate) fn repair(
    source: &dyn Source,
    copy: &Store,
    old: &CopyState,
) -> Result<u64, FollowError> {
    tracing::warn!(
        source = source.name(),
        copy = %old.position,
        "the source does not have the position of the copy, or other records are to be copied: comparing both"
    );
    let rows = copy.write_copy(|copy| {
        if copy.state() != Some(old) {
            return Err(FollowError::Changed);
        }
        let begin = source.head()?;
        let mut seen = begin.position;
        let mut rows = compare(source, copy, &mut seen)?;
        let (position, changed) = settle(source, copy, begin.position, seen)?;
        rows += changed;
        copy.set_state(&CopyState {
            selection: source.selection().clone(),
            origin: begin.origin,
            position,
            phase: CopyPhase::Complete,
            repairs: old.repairs + 1,
        })?;
        Ok(rows)
    })?;
    tracing::warn!(rows, "the copy was repaired");
    Ok(rows)
}

/// Returns what was found; a source that went back once more needs another comparison.
fn found<T>(answer: FeedAnswer<T>) -> Result<(Position, T), FollowError> {
    match answer {
        FeedAnswer::Found { at, data } => Ok((at, data)),
        FeedAnswer::WentBack | FeedAnswer::Pruned => Err(FollowError::Changed),
    }
}

/// Makes each span as it is in the source; returns the number of changed levels.
fn compare(
    source: &dyn Source,
    copy: &mut CopyWriter<'_, '_>,
    seen: &mut Position,
) -> Result<u64, FollowError> {
    let (mut rows, mut left) = (0, Some(LevelRange::default()));
    while let Some(span) = left {
        let (at, theirs) = found(source.digest(&span, seen)?)?;
        *seen = at;
        let part = span.until(theirs.until.as_deref());
        if copy.digest(&part)? != (theirs.rows, theirs.digest) {
            rows += refill(source, copy, part, seen)?;
        }
        left = theirs.until.map(|until| span.rest(until));
    }
    Ok(rows)
}

/// Replaces the rows of a span by those of the source.
fn refill(
    source: &dyn Source,
    copy: &mut CopyWriter<'_, '_>,
    span: LevelRange,
    seen: &mut Position,
) -> Result<u64, FollowError> {
    let (mut rows, mut left) = (0, Some(span));
    while let Some(span) = left {
        let (at, page) = found(source.page(&span, seen)?)?;
        *seen = at;
        warn_of_damage(&page.rows);
        rows += copy.replace(&span.until(page.until.as_deref()), &page.rows)?;
        left = page.until.map(|until| span.rest(until));
    }
    Ok(rows)
}

/// Applies changes until the copy is past `seen`; returns its position, and the number of changed
/// levels.
fn settle(
    source: &dyn Source,
    copy: &mut CopyWriter<'_, '_>,
    mut position: Position,
    seen: Position,
) -> Result<(Position, u64), FollowError> {
    let mut rows = 0;
    while position.revision() < seen.revision() {
        let (_, changes) = found(source.changes(&position, &seen)?)?;
        if changes.upto.revision() <= position.revision() {
            return Err(FollowError::Changed); // no changes lead to what was seen
        }
        copy.apply(&changes.rows)?;
        rows += changes.rows.len() as u64;
        position = changes.upto;
    }
    Ok((position, rows))
}
