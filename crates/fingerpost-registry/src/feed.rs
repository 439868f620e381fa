//! Lists the changes since a revision.
//!
//! Changes are stored in the order of revisions, and within one by level. A page skips what the
//! caller cannot read: a revision with many levels of others costs about as much as one with few. A
//! cursor is a revision that the page has passed, or a level that the caller can read.

use std::ops::{Bound, ControlFlow};

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{ChangeKind, Revision, State, StoreError, View};
use jiff::Timestamp;
use serde::Serialize;

use crate::author::{Authorship, author};
use crate::fault::Fault;
use crate::list::ranges;
use crate::ownership::Neighbours;
use crate::pages::Budget;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{Author, Caller, Filter, Id, Registry, RegistryError};

/// A change of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LevelChange {
    /// The revision.
    #[serde(serialize_with = "crate::outcome::revision")]
    #[cfg_attr(feature = "schema", schema(value_type = u64))]
    pub revision: Revision,
    /// The level.
    #[serde(serialize_with = "crate::key_levels::bare")]
    #[cfg_attr(feature = "schema", schema(value_type = crate::text::schema::LevelKey))]
    pub key: Anchor,
    /// Whether it was deleted.
    pub deleted: bool,
    /// When it was changed, if that was asked for and is still known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub at: Option<Timestamp>,
    /// Who changed it, if that was asked for and is still known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Author>,
    /// The record that was written, if that was asked for and is still stored.
    #[serde(
        rename = "record",
        serialize_with = "crate::history::as_record",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schema(value_type = Option<fingerpost_resolver::schema::Record>))]
    pub entry: Option<Entry>,
}

/// What a list of changes says about each, beside its level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeDetails {
    /// The time and the author.
    pub author: bool,
    /// The record.
    pub record: bool,
}

/// A page of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangePage {
    /// The changes.
    pub items: Vec<LevelChange>,
    /// The cursor after this page, whether or not there are more changes yet.
    pub next: String,
    /// Whether there were no further changes.
    pub is_last: bool,
}

impl Registry {
    /// Returns the changes after a revision that the caller can read, in the order of revisions and
    /// levels. `cursor` is the value of [`ChangePage::next`]: `revision` or `revision/level`; it
    /// replaces `after`.
    ///
    /// Fails with [`RegistryError::Conflict`] for a revision that the store does not have: it was
    /// restored from a backup, or the cursor is one of another store.
    pub fn changes(
        &self,
        caller: &Caller,
        after: Revision,
        cursor: Option<&str>,
        details: ChangeDetails,
        limit: usize,
    ) -> Result<ChangePage, RegistryError> {
        self.view_as(caller, |view, access| {
            let asked = cursor.and_then(read_cursor).map_or(after, |(revision, _)| revision);
            if asked > view.revision()? {
                let detail = format!(
                    "the store has no revision {asked}: the position is of another store, or this one was restored \
                     from a backup; list all changes again, from after=0"
                );
                return Err(RegistryError::Conflict(vec![Fault::new("/after", "after", detail)]));
            }
            let mut items = Vec::new();
            let mut failed = None;
            let feed = Feed::new(view, access, &Filter::default(), limit)?;
            let next = feed.run(FeedPosition::of(cursor, after), |change, _, budget| {
                let change = match change.with(view, details) {
                    Ok(change) => change,
                    Err(error) => {
                        failed = Some(error);
                        return false;
                    }
                };
                let is_shown = budget.show(&change);
                if is_shown {
                    items.push(change);
                }
                is_shown
            })?;
            if let Some(error) = failed {
                return Err(error);
            }
            let is_last = next.is_none();
            // Nothing more is readable in the last revision. A later one would tell how much others
            // write.
            let end = items.last().map_or(asked, |change| change.revision);
            let next = next.unwrap_or_else(|| end.to_string());
            Ok(ChangePage { items, next, is_last })
        })
    }
}

impl LevelChange {
    /// Adds details.
    fn with(mut self, view: &View<'_>, details: ChangeDetails) -> Result<Self, RegistryError> {
        if details.author {
            let Authorship { at, by, .. } = author(view, self.revision)?;
            (self.at, self.by) = (at, by);
        }
        if details.record && !self.deleted {
            let state = view.state_at(&self.key, self.revision)?;
            let own = state.filter(|state| state.revision() == self.revision);
            self.entry = own.and_then(State::into_entry);
        }
        Ok(self)
    }
}

/// What copies of the whole installation are made of.
impl Registry {
    /// Reads one snapshot for a caller who can read every level: with the permission to read in the
    /// whole installation.
    ///
    /// Fails with [`RegistryError::Forbidden`] for others, [`RegistryError::Unauthenticated`], or
    /// the errors of `read`.
    pub fn read_everything<T>(
        &self,
        caller: &Caller,
        read: impl FnOnce(&View<'_>) -> Result<T, StoreError>,
    ) -> Result<T, RegistryError> {
        self.view_as(caller, |view, access| {
            access.check_installation(Verb::Read)?;
            Ok(read(view)?)
        })
    }
}

/// Where a page begins: in an order of revisions, and within one of levels.
pub(crate) struct FeedPosition(Bound<(Revision, String)>);

impl FeedPosition {
    /// Returns the position of a cursor; without one, that after a revision.
    pub(crate) fn of(cursor: Option<&str>, after: Revision) -> Self {
        Self(match cursor.and_then(read_cursor).unwrap_or((after, None)) {
            (revision, None) => Bound::Included((revision.next(), String::new())),
            (revision, Some(level)) => Bound::Excluded((revision, level)),
        })
    }
}

/// The state of a running page.
pub(crate) struct Feed<'f, 'v> {
    view: &'f View<'v>,
    access: &'f Access,
    /// What the caller can read: prefixes of levels.
    ranges: Vec<String>,
    budget: Budget,
    owners: Neighbours,
    /// The revision of the first change that is of no interest.
    end: Option<Revision>,
    /// The revision of the last row.
    position: Option<Revision>,
    /// Number of rows outside of the ranges, one after the other in one revision.
    unread: usize,
    /// The last position that a cursor can name.
    next: Option<String>,
}

/// Takes a change and the owner of its level; returns whether the page has room for it.
trait Take: FnMut(LevelChange, Option<Id>, &mut Budget) -> bool {}
impl<T: FnMut(LevelChange, Option<Id>, &mut Budget) -> bool> Take for T {}

/// Why a page stopped.
enum Stopped {
    AtTheEnd,
    /// The budget is used up.
    Full,
    /// The caller can read nothing before this position.
    SkipTo(Revision, String),
}

impl<'f, 'v> Feed<'f, 'v> {
    /// Creates a page of changes that the caller can read and the filter accepts.
    pub(crate) fn new(
        view: &'f View<'v>,
        access: &'f Access,
        filter: &Filter,
        limit: usize,
    ) -> Result<Self, RegistryError> {
        Ok(Self {
            view,
            access,
            ranges: ranges::of(view, access, filter)?,
            budget: Budget::new(limit),
            owners: Neighbours::default(),
            end: None,
            position: None,
            unread: 0,
            next: None,
        })
    }

    /// Ends the list before a revision.
    pub(crate) fn until(self, end: Revision) -> Self {
        Self { end: Some(end), ..self }
    }

    /// Passes the changes from a position on to `take`; returns the cursor of the next page.
    pub(crate) fn run(
        mut self,
        FeedPosition(mut from): FeedPosition,
        mut take: impl FnMut(LevelChange, Option<Id>, &mut Budget) -> bool,
    ) -> Result<Option<String>, RegistryError> {
        loop {
            match self.run_from(&from, &mut take)? {
                Stopped::AtTheEnd => return Ok(None),
                Stopped::Full => return Ok(self.next),
                Stopped::SkipTo(revision, text) => from = Bound::Included((revision, text)),
            }
        }
    }

    fn run_from(
        &mut self,
        from: &Bound<(Revision, String)>,
        take: &mut impl Take,
    ) -> Result<Stopped, RegistryError> {
        let mut stopped = Stopped::AtTheEnd;
        let view = self.view;
        let from = from.as_ref().map(|(revision, text)| (*revision, text.as_str()));
        view.visit_changes(from, |revision, level, kind| -> Result<_, RegistryError> {
            match self.look_at(revision, level, kind, take)? {
                None => Ok(ControlFlow::Continue(())),
                Some(why) => {
                    stopped = why;
                    Ok(ControlFlow::Break(()))
                }
            }
        })?;
        Ok(stopped)
    }

    fn look_at(
        &mut self,
        revision: Revision,
        level: &str,
        kind: ChangeKind,
        take: &mut impl Take,
    ) -> Result<Option<Stopped>, RegistryError> {
        if self.end.is_some_and(|end| revision >= end) {
            return Ok(Some(Stopped::AtTheEnd));
        }
        if let Some(passed) = self.position.replace(revision).filter(|passed| *passed != revision) {
            self.next = Some(passed.to_string());
            self.unread = 0;
        }
        // A page ends only at a position that its cursor can name; the next one is never far.
        if !self.budget.look(level.len()) && self.next.is_some() {
            return Ok(Some(Stopped::Full));
        }
        if !ranges::cover(&self.ranges, level) {
            self.unread += 1;
            return Ok((self.unread >= UNREAD).then(|| self.skip(revision, level)));
        }
        self.unread = 0;
        let key = Anchor::from_canonical(level).ok_or_else(|| RegistryError::Damaged {
            collection: "changes",
            id: format!("{revision}/{level}"),
        })?;
        let owner = self.owners.owner(self.view, &key)?;
        if key.is_of_registry() || !self.access.reaches(Verb::Read, &key, owner) {
            return Ok(None);
        }
        let deleted = kind == ChangeKind::Delete;
        let change = LevelChange { revision, key, deleted, at: None, by: None, entry: None };
        if !take(change, owner, &mut self.budget) {
            return Ok(Some(Stopped::Full));
        }
        self.next = Some(format!("{revision}/{level}"));
        Ok(None)
    }

    /// Returns the next position in this revision that the caller may be able to read, or the next
    /// revision.
    fn skip(&mut self, revision: Revision, level: &str) -> Stopped {
        self.unread = 0;
        match ranges::next(&self.ranges, level) {
            Some(range) => Stopped::SkipTo(revision, range.to_owned()),
            None => Stopped::SkipTo(revision.next(), String::new()),
        }
    }
}

pub(crate) fn read_cursor(cursor: &str) -> Option<(Revision, Option<String>)> {
    let (revision, level) = match cursor.split_once('/') {
        Some((revision, level)) => (revision, Some(level.to_owned())),
        None => (cursor, None),
    };
    Some((Revision::new(revision.parse().ok()?), level))
}

/// Number of unreadable rows of a revision after which the page skips to the next readable
/// position: reading a row costs less than finding a position.
const UNREAD: usize = 16;
