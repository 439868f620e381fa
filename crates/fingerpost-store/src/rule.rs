//! Checks the rules across levels: for any level, a default link exists at it or above it
//! (RES-2.5.9-1), and ranges of the same qualifier have no value in common. A company prefix has
//! nothing above it, so it needs a default link of its own; below it, each key needs one as well.
//!
//! The check uses the state after the batch and runs in the batch's transaction before anything is
//! written. So the order of changes does not matter, and a refused batch has changed nothing. Only
//! a default link at the key level without a validity window counts. Only the batch's own changes
//! are checked: data stored unchecked before blocks neither changes of other keys nor its own
//! correction.

use std::ops::Bound;

use fingerpost_engine::{Direction, Table};
use fingerpost_resolver::{Anchor, AnchorForm, has_standing_default};

use crate::StoreError;
use crate::batch::{Batch, Change};
use crate::error::{MissingDefault, MissingDefaultCause};
use crate::format::Stored;
use crate::limits::MAX_NAMED_LEVELS;
use crate::view::View;

/// A change, with the key level that it is about.
type Touched<'b> = (&'b str, &'b Anchor, &'b Change);

/// Checks `batch` against the stored state.
pub(crate) fn judge(view: &View<'_>, batch: &Batch) -> Result<(), StoreError> {
    let mut levels = Vec::new();
    let touched = touched(batch);
    let keys = || touched.chunk_by(|(one, ..), (other, ..)| one == other);
    let unchanged = keys().filter(|touched| base(touched).is_none());
    let unchanged: Vec<&[u8]> = unchanged.map(|touched| touched[0].0.as_bytes()).collect();
    let mut stored = view.rows().get_many(Table::Entries, &unchanged)?.into_iter();
    for touched in keys() {
        let (key_level, base) = (touched[0].0, base(touched));
        let stored = if base.is_none() { stored.next().flatten() } else { None };
        let Some(cause) = cause(key_level, base, stored.as_deref())? else { continue };
        let put = touched.iter().filter(|(_, _, change)| matches!(change, Change::Put(_)));
        levels
            .extend(put.map(|(_, level, _)| MissingDefault::new((*level).clone(), cause.clone())));
        if let Some((_, level, Change::Delete)) = base {
            let first = remaining(view, batch, key_level)?;
            if !first.is_empty() {
                let cause = MissingDefaultCause::QualifiedLevelsRemain { first };
                levels.push(MissingDefault::new((*level).clone(), cause));
            }
        }
    }
    overlaps(view, batch, &mut levels)?;
    if levels.is_empty() {
        return Ok(());
    }
    levels.sort_by(|one, other| one.level().cmp(other.level()));
    Err(StoreError::MissingDefault { levels })
}

/// Finds ranges of the batch that have values in common with another range after the batch. Ranges
/// of one qualifier and length are sorted by their first values, and those that are stored do not
/// overlap, so only the neighbour before the end is compared.
fn overlaps(
    view: &View<'_>,
    batch: &Batch,
    faults: &mut Vec<MissingDefault>,
) -> Result<(), StoreError> {
    let mut before: Option<(&Anchor, &str, &str)> = None;
    for (level, change) in batch.changes() {
        let AnchorForm::Range { first, last } = level.form() else { continue };
        let Change::Put(_) = change else { continue };
        let text = level.as_str();
        let siblings = &text[..text.len() - first.len() - last.len() - 1];
        let mut other = before
            .filter(|(_, before, end)| *before == siblings && *end >= first)
            .map(|(before, ..)| before.as_str().to_owned());
        if before.is_none_or(|(_, before, end)| before != siblings || end < last) {
            before = Some((level, siblings, last));
        }
        let end = [siblings, last, "/~"].concat();
        let range = (Bound::Included(siblings.as_bytes()), Bound::Included(end.as_bytes()));
        for row in view.rows().range(Table::Entries, range, Direction::Back)? {
            let (key, _) = row?;
            let stored = view.text(&key)?;
            if Anchor::from_canonical(stored).is_some_and(|stored| batch.change(&stored).is_some())
            {
                continue;
            }
            let stored_last = stored.rsplit('/').next().unwrap_or_default();
            if stored_last >= first {
                other = Some(stored.to_owned());
            }
            break;
        }
        if let Some(other) = other {
            faults
                .push(MissingDefault::new(level.clone(), MissingDefaultCause::Overlaps { other }));
        }
    }
    Ok(())
}

/// Returns the changes by which a key may lose its default link, or come to need one, sorted by
/// key.
fn touched(batch: &Batch) -> Vec<Touched<'_>> {
    let changes = batch.changes().map(|(level, change)| (level.key_level(), level, change));
    let counts = |(key_level, level, change): &Touched<'_>| {
        matches!(change, Change::Put(_)) || key_level.len() == level.as_str().len()
    };
    let mut touched: Vec<_> = changes.filter(counts).collect();
    touched.sort_by_key(|(key_level, ..)| *key_level); // nearly sorted already
    touched
}

/// Returns the change of the key level itself among those of one key.
fn base<'t, 'b>(touched: &'t [Touched<'b>]) -> Option<&'t Touched<'b>> {
    touched.iter().find(|(key_level, level, _)| key_level.len() == level.as_str().len())
}

/// Returns why the key level has no valid default link after the batch; `None` if it has one.
/// `stored` is the stored value, for a batch that does not change it.
fn cause(
    key_level: &str,
    base: Option<&Touched<'_>>,
    stored: Option<&[u8]>,
) -> Result<Option<MissingDefaultCause>, StoreError> {
    let has_default = match base {
        Some((_, _, Change::Put(entry))) => Some(has_standing_default(entry)),
        Some((_, _, Change::Delete)) => None,
        None => match stored {
            Some(bytes) => Some(Stored::parse(key_level, bytes)?.has_standing_default()),
            None => None,
        },
    };
    Ok(match has_default {
        Some(true) => None,
        Some(false) => Some(MissingDefaultCause::KeyLevelWithoutDefault),
        None => Some(MissingDefaultCause::KeyLevelUnregistered),
    })
}

/// Returns the first qualified levels that remain below a key level. Omits those that this batch
/// puts, which are refused themselves.
fn remaining(view: &View<'_>, batch: &Batch, key_level: &str) -> Result<Vec<String>, StoreError> {
    let below = format!("{key_level}/");
    let mut first = Vec::new();
    for row in view.entries(Bound::Unbounded, &below)? {
        let (key, _) = row?;
        let level = view.text(&key)?;
        if first.len() == MAX_NAMED_LEVELS {
            break;
        }
        let is_changed =
            Anchor::from_canonical(level).is_some_and(|level| batch.change(&level).is_some());
        if !is_changed {
            first.push(level.to_owned());
        }
    }
    Ok(first)
}
