//! Compares a copy with its source, without changing it, also while both change.

use std::collections::BTreeMap;
use std::thread;

use fingerpost_store::copy::{CopyLimit, CopyRow, CopyValue, LevelRange, Position, Selection};
use fingerpost_store::{Store, StoreError};

use crate::limits::{MAX_NAMED_DIFFERENCES, VERIFY_ATTEMPTS, VERIFY_PAUSE};
use crate::{FeedAnswer, FollowError, Source};

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comparison {
    /// Number of levels compared.
    pub levels: u64,
    /// Number of spans whose digests were compared.
    pub spans: u64,
    /// Number of levels that differ.
    pub different: u64,
    /// The first thousand of them.
    pub differences: Vec<CopyDifference>,
}

/// A level that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyDifference {
    /// The level.
    pub level: String,
    /// How it differs.
    pub kind: &'static str,
}

/// Compares a complete copy with its source by digests of spans. Levels that differ because the
/// copy is behind are compared again for some seconds, while another thread or process brings it up
/// to date.
pub fn verify(source: &dyn Source, copy: &Store) -> Result<Comparison, FollowError> {
    let mut result = Comparison::default();
    let mut seen = Position::default();
    let (mut left, mut suspects) = (Some(LevelRange::default()), Vec::new());
    while let Some(span) = left {
        let (at, theirs) = found(source.digest(&span, &seen)?)?;
        seen = at;
        (result.levels, result.spans) = (result.levels + theirs.rows, result.spans + 1);
        let part = span.until(theirs.until.as_deref());
        let whole = CopyLimit { rows: usize::MAX, bytes: usize::MAX };
        let ours = copy.view(|view| view.digest_of(&Selection::default(), &part, whole))?;
        if (ours.rows, &ours.digest) != (theirs.rows, &theirs.digest) {
            suspects.extend(differing(source, copy, part, &mut seen)?);
        }
        left = theirs.until.map(|until| span.rest(until));
    }
    for _ in 0..VERIFY_ATTEMPTS {
        if suspects.is_empty() {
            break;
        }
        thread::sleep(VERIFY_PAUSE);
        suspects = recheck(source, copy, suspects, &mut seen)?;
    }
    result.different = suspects.len() as u64;
    suspects.truncate(MAX_NAMED_DIFFERENCES);
    result.differences = suspects;
    Ok(result)
}

fn found<T>(answer: FeedAnswer<T>) -> Result<(Position, T), FollowError> {
    match answer {
        FeedAnswer::Found { at, data } => Ok((at, data)),
        FeedAnswer::WentBack | FeedAnswer::Pruned => Err(FollowError::Changed),
    }
}

/// Returns the levels of a span that differ.
fn differing(
    source: &dyn Source,
    copy: &Store,
    span: LevelRange,
    seen: &mut Position,
) -> Result<Vec<CopyDifference>, FollowError> {
    let (mut differences, mut left) = (Vec::new(), Some(span));
    while let Some(span) = left {
        let (at, page) = found(source.page(&span, seen)?)?;
        *seen = at;
        let part = span.until(page.until.as_deref());
        let ours = rows_of(copy, &part)?;
        let mut theirs: BTreeMap<&str, &CopyValue> =
            page.rows.iter().map(|row| (row.level.as_str(), &row.value)).collect();
        for (level, value) in &ours {
            let kind = kind_of(theirs.remove(level.as_str()), Some(value));
            differences.extend(kind.map(|kind| CopyDifference { level: level.clone(), kind }));
        }
        for (level, value) in theirs {
            let kind = kind_of(Some(value), None);
            differences.extend(kind.map(|kind| CopyDifference { level: level.to_owned(), kind }));
        }
        left = page.until.map(|until| span.rest(until));
    }
    differences.sort_by(|one, other| one.level.cmp(&other.level));
    Ok(differences)
}

/// Returns the levels that still differ.
fn recheck(
    source: &dyn Source,
    copy: &Store,
    suspects: Vec<CopyDifference>,
    seen: &mut Position,
) -> Result<Vec<CopyDifference>, FollowError> {
    let mut still = Vec::new();
    for CopyDifference { level, .. } in suspects {
        let span = only(&level);
        let (at, page) = found(source.page(&span, seen)?)?;
        *seen = at;
        let theirs = page.rows.first().map(|row| &row.value);
        let ours = rows_of(copy, &span)?.remove(&level);
        still.extend(kind_of(theirs, ours.as_ref()).map(|kind| CopyDifference { level, kind }));
    }
    Ok(still)
}

/// Returns the span of a single level.
fn only(level: &str) -> LevelRange {
    // The greatest text before it: the level without its last character, then that character less
    // one, then the greatest character. Levels are ASCII, so the character before is one.
    let mut before = level.to_owned();
    if let Some(last) = before.pop() {
        let less = u32::from(last).checked_sub(1).and_then(char::from_u32);
        before.extend(less);
        before.push(char::MAX);
    }
    LevelRange { after: before, until: Some(level.to_owned()) }
}

fn rows_of(copy: &Store, span: &LevelRange) -> Result<BTreeMap<String, CopyValue>, StoreError> {
    let whole = CopyLimit { rows: usize::MAX, bytes: usize::MAX };
    let page = copy.view(|view| view.rows_to_copy(&Selection::default(), span, whole))?;
    Ok(page.rows.into_iter().map(|CopyRow { level, value }| (level, value)).collect())
}

fn kind_of(theirs: Option<&CopyValue>, ours: Option<&CopyValue>) -> Option<&'static str> {
    match (theirs, ours) {
        (Some(CopyValue::Damaged), _) => Some("damaged in the source"),
        (Some(theirs), Some(ours)) if theirs == ours => None,
        (_, Some(CopyValue::Damaged)) => Some("damaged in the copy"),
        (Some(_), Some(_)) => Some("different"),
        (Some(_), None) => Some("missing in the copy"),
        (None, Some(_)) => Some("not in the source"),
        (None, None) => None,
    }
}
