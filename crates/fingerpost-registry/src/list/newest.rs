//! Lists levels by their last change, the newest first: visits the index of changes backwards.
//!
//! A cursor is `revision/level`, the last change that was looked at and that the caller can read,
//! or `revision/` when nothing is left in the revision. It names no level that the caller cannot
//! read.

use std::ops::ControlFlow;

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{ChangeKind, Revision, State, View};

use super::{Scan, ranges};
use crate::author::Authorship;
use crate::levels::Level;
use crate::roles::Verb;
use crate::{Page, RegistryError};

/// Number of changes of unreadable levels, one after the other, after which the list searches for
/// the next readable position.
const UNREAD: usize = 16;

/// Comes after every text of a level, which is ASCII.
const LAST: char = '\u{10ffff}';

/// Why the visit of the changes stopped.
enum Stopped {
    AtTheEnd,
    /// The budget is used up.
    Full,
    /// The caller can read nothing between here and this position.
    SkipTo(Revision, String),
}

/// Returns a page of the levels, from a cursor on.
pub(super) fn run(
    mut scan: Scan<'_, '_>,
    ranges: &[String],
    after: Option<&str>,
) -> Result<Page<Level>, RegistryError> {
    let mut before = after.and_then(read_cursor);
    loop {
        match visit(&mut scan, ranges, before.as_ref())? {
            Stopped::AtTheEnd => return Ok(Page { items: scan.items, next: None }),
            Stopped::Full => return Ok(Page { items: scan.items, next: scan.last }),
            Stopped::SkipTo(revision, text) => {
                if text.is_empty() {
                    scan.last = Some(format!("{}/", revision.number()));
                }
                before = Some((revision, text));
            }
        }
    }
}

fn visit(
    scan: &mut Scan<'_, '_>,
    ranges: &[String],
    before: Option<&(Revision, String)>,
) -> Result<Stopped, RegistryError> {
    let mut stopped = Stopped::AtTheEnd;
    let mut unread = 0;
    let (view, since) = (scan.view, scan.since);
    let before = before.map(|(revision, text)| (*revision, text.as_str()));
    view.visit_changes_back(before, |revision, level, kind| -> Result<_, RegistryError> {
        if since.is_some_and(|since| revision < since) {
            return Ok(ControlFlow::Break(()));
        }
        // A page ends only at a position that its cursor can name; the next one is never far.
        let is_full = !scan.budget.look(level.len()) && scan.last.is_some();
        if !is_full && !ranges::cover(ranges, level) {
            unread += 1;
            if unread < UNREAD {
                return Ok(ControlFlow::Continue(()));
            }
            stopped = Stopped::SkipTo(revision, skip(ranges, level));
            return Ok(ControlFlow::Break(()));
        }
        unread = 0;
        if is_full || !look_at(scan, revision, level, kind)? {
            stopped = Stopped::Full;
            return Ok(ControlFlow::Break(()));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(stopped)
}

/// Shows a level if this is its last change; returns whether the page had room for it.
fn look_at(
    scan: &mut Scan<'_, '_>,
    revision: Revision,
    level: &str,
    kind: ChangeKind,
) -> Result<bool, RegistryError> {
    let key = Anchor::from_canonical(level).ok_or_else(|| RegistryError::Damaged {
        collection: "changes",
        id: format!("{revision}/{level}"),
    })?;
    let owner = scan.owners.owner(scan.view, &key)?;
    if key.is_of_registry() || !scan.access.reaches(Verb::Read, &key, owner) {
        return Ok(true);
    }
    let position = format!("{}/{level}", revision.number());
    let is_deletion = kind == ChangeKind::Delete;
    let shown = match scan.of_deleted {
        true if is_deletion => last_entry(scan.view, &key, revision)?,
        false if !is_deletion => {
            let now = scan.view.level(&key)?.filter(|(_, newest)| *newest == revision);
            now.map(|(entry, _)| entry)
        }
        _ => None,
    };
    if let Some(entry) = shown {
        if !scan.budget.look(entry.size()) && scan.last.is_some() {
            return Ok(false);
        }
        if scan.is_wanted(&entry, revision)? {
            let Authorship { at, by, proposed_by, .. } = scan.author(revision)?;
            let level = Level { key, entry, revision, at, by, proposed_by };
            if !scan.budget.show(&level) {
                return Ok(false);
            }
            scan.items.push(level);
        }
    }
    scan.last = Some(position);
    Ok(true)
}

/// Returns what a level held before it was deleted with this revision; nothing if it was registered
/// again, or its history was pruned.
fn last_entry(
    view: &View<'_>,
    key: &Anchor,
    revision: Revision,
) -> Result<Option<Entry>, RegistryError> {
    let newest = view.revisions(key, None, 1)?;
    if newest.first().is_none_or(|(newest, _)| *newest != revision) {
        return Ok(None);
    }
    let before = Revision::new(revision.number().saturating_sub(1));
    Ok(view.state_at(key, before)?.and_then(State::into_entry))
}

/// Returns the end of the last range before a text; an empty text if there is none.
fn skip(ranges: &[String], text: &str) -> String {
    let before = ranges.partition_point(|range| range.as_str() <= text);
    let range = before.checked_sub(1).map(|before| &ranges[before]);
    range.map_or(String::new(), |range| format!("{range}{LAST}"))
}

fn read_cursor(cursor: &str) -> Option<(Revision, String)> {
    let (revision, level) = cursor.split_once('/')?;
    Some((Revision::new(revision.parse().ok()?), level.to_owned()))
}
