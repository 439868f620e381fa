//! Lists levels: below a key, by company prefix, and by contents.
//!
//! A list covers the ranges of canonical texts that the caller can read and the filter accepts. A
//! page has a [`Budget`], so it can be short and still have a next page; its cursor is a level that
//! the caller can read.

use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};

use fingerpost_gs1::Ai;
use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Revision, View};
use jiff::Timestamp;
use serde::Serialize;

use crate::author::{Authorship, author};
use crate::broken_levels::{broken_levels, is_broken};
use crate::fault::Fault;
use crate::levels::Level;
use crate::ownership::Neighbours;
use crate::pages::Budget;
use crate::rights::Access;
use crate::roles::Verb;
use crate::target_hosts::host_of;
use crate::{CompanyPrefix, Page, Registry, RegistryError};

mod folded;
mod newest;
pub(crate) mod ranges;

/// A filter for lists of levels. Levels match if they meet all given conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The level is this one or below it.
    pub under: Option<Anchor>,
    /// The key contains this, at the position of its company prefix.
    pub company_prefix: Option<CompanyPrefix>,
    /// The primary key is of this type.
    pub key_type: Option<Ai>,
    /// A link has this type, in any spelling.
    pub link_type: Option<String>,
    /// A link has this host as its target.
    pub target_host: Option<String>,
    /// The key, the description, a title or a target contains this text; upper and lower case and
    /// accents do not matter.
    pub text: Option<String>,
    /// Whether the level is recalled.
    pub recalled: Option<bool>,
    /// Only levels that had a broken link when the targets of links were last checked.
    pub broken: bool,
    /// The actor of the last change, such as `user:…`.
    pub author: Option<String>,
    /// The earliest time of the last change.
    pub changed_since: Option<Timestamp>,
}

impl Filter {
    /// Returns whether the conditions about the key accept a level.
    pub(crate) fn accepts_key(&self, key: &Anchor) -> bool {
        self.under.as_ref().is_none_or(|under| is_under(key, under))
            && self.company_prefix.as_ref().is_none_or(|prefix| {
                let part = key.company_prefix_part();
                part.is_some_and(|part| part.starts_with(prefix.as_str()))
            })
            && self.key_type.is_none_or(|ai| key.primary_key() == Some(ai))
    }
}

impl Registry {
    /// Returns the levels that the caller can read and the filter accepts, in key order. `after` is
    /// the value of [`Page::next`].
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::Invalid`] for a link type
    /// that cannot be parsed, or an error of the store.
    pub fn list(
        &self,
        caller: &crate::Caller,
        filter: &Filter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Level>, RegistryError> {
        self.scan(caller, filter, limit, |scan, ranges| scan.run(ranges, after))
    }

    /// Returns the same levels as [`Registry::list`], those that were changed last first. `after`
    /// is the value of [`Page::next`].
    ///
    /// A page looks at a limited number of changes, of which those that are not the last of their
    /// level are passed over.
    pub fn list_newest(
        &self,
        caller: &crate::Caller,
        filter: &Filter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Level>, RegistryError> {
        self.scan(caller, filter, limit, |scan, ranges| newest::run(scan, ranges, after))
    }

    /// Returns deleted levels that the caller can read, with the records that they held last, those
    /// that were deleted last first; the filter looks at these records. `after` is the value of
    /// [`Page::next`].
    ///
    /// Revision, time and author are those of the deletion.
    pub fn list_deleted(
        &self,
        caller: &crate::Caller,
        filter: &Filter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<Level>, RegistryError> {
        self.scan(caller, filter, limit, |mut scan, ranges| {
            scan.of_deleted = true;
            newest::run(scan, ranges, after)
        })
    }

    /// Counts levels of [`Registry::list`] from `after` on, at the cost of one page: all of them if
    /// there is no [`LevelCount::next`].
    pub fn count(
        &self,
        caller: &crate::Caller,
        filter: &Filter,
        after: Option<&str>,
    ) -> Result<LevelCount, RegistryError> {
        self.scan(caller, filter, 1, |mut scan, ranges| {
            scan.counted = Some(0);
            scan.count(ranges, after)
        })
    }

    fn scan<T>(
        &self,
        caller: &crate::Caller,
        filter: &Filter,
        limit: usize,
        run: impl FnOnce(Scan<'_, '_>, &[String]) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let link_type = self.link_type_of(filter)?;
        self.view_as(caller, |view, access| {
            let since = filter.changed_since.map(|at| view.first_revision_since(at)).transpose()?;
            let ranges = ranges::of(view, access, filter)?;
            let scan = Scan {
                view,
                access,
                filter,
                text: filter.text.as_deref().map(folded::fold),
                link_type,
                since,
                budget: Budget::new(limit),
                owners: Neighbours::default(),
                authors: HashMap::new(),
                items: Vec::new(),
                counted: None,
                of_deleted: false,
                last: None,
            };
            run(scan, &ranges)
        })
    }

    fn link_type_of(&self, filter: &Filter) -> Result<Option<String>, RegistryError> {
        let Some(given) = filter.link_type.as_deref() else { return Ok(None) };
        match self.vocabulary().normalise(given) {
            Some(spelling) => Ok(Some(spelling.into_owned())),
            None => {
                let detail = "expected a link type, found a word that is none";
                let fault = Fault::new("/linkType", "RES-2.5.2-2", detail);
                Err(RegistryError::invalid(vec![fault]))
            }
        }
    }
}

/// A number of levels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LevelCount {
    /// The number of levels that were counted.
    pub count: u64,
    /// Where to go on counting, if there are more levels to look at.
    pub next: Option<String>,
}

/// The state of a running list operation.
struct Scan<'s, 'v> {
    view: &'s View<'v>,
    access: &'s Access,
    filter: &'s Filter,
    text: Option<String>,
    link_type: Option<String>,
    since: Option<Revision>,
    budget: Budget,
    owners: Neighbours,
    authors: HashMap<Revision, Authorship>,
    items: Vec<Level>,
    /// The number of levels so far, if they are counted instead of returned.
    counted: Option<u64>,
    /// Whether deleted levels are listed.
    of_deleted: bool,
    /// The last level that the caller can read.
    last: Option<String>,
}

/// Why the scan of a range ended.
enum Left {
    AtItsEnd,
    /// The levels of this key belong to another organisation.
    Foreign(String),
    /// The budget of the page is used up.
    Done,
}

impl Scan<'_, '_> {
    fn run(mut self, ranges: &[String], after: Option<&str>) -> Result<Page<Level>, RegistryError> {
        let next = self.walk(ranges, after)?;
        Ok(Page { items: self.items, next })
    }

    fn count(
        mut self,
        ranges: &[String],
        after: Option<&str>,
    ) -> Result<LevelCount, RegistryError> {
        let next = self.walk(ranges, after)?;
        Ok(LevelCount { count: self.counted.unwrap_or_default(), next })
    }

    /// Visits the levels of the ranges; returns the cursor of the next page.
    fn walk(
        &mut self,
        ranges: &[String],
        after: Option<&str>,
    ) -> Result<Option<String>, RegistryError> {
        let mut from = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.to_owned()));
        for range in ranges {
            loop {
                match self.range(range, from.as_ref().map(String::as_str))? {
                    Left::AtItsEnd => break,
                    // "0" comes after "/", so this is after everything below the key.
                    Left::Foreign(key_level) => from = Bound::Included(format!("{key_level}0")),
                    Left::Done => return Ok(self.last.take()),
                }
            }
        }
        Ok(None)
    }

    fn range(&mut self, range: &str, from: Bound<&str>) -> Result<Left, RegistryError> {
        if self.filter.broken {
            return self.broken_range(range, from);
        }
        let mut left = Left::AtItsEnd;
        let view = self.view;
        view.visit_levels(from, range, |entry, revision| -> Result<_, RegistryError> {
            match self.look_at(entry, revision)? {
                None => Ok(ControlFlow::Continue(())),
                Some(why) => {
                    left = why;
                    Ok(ControlFlow::Break(()))
                }
            }
        })?;
        Ok(left)
    }

    /// Visits a range by the index of broken links, which costs no search.
    fn broken_range(&mut self, range: &str, from: Bound<&str>) -> Result<Left, RegistryError> {
        let mut from = from.map(str::to_owned);
        loop {
            let ids = broken_levels(self.view, range, from.as_ref().map(String::as_str))?;
            let Some(last) = ids.last() else { return Ok(Left::AtItsEnd) };
            from = Bound::Excluded(last.clone());
            for id in ids {
                let Some((entry, revision)) = self.view.level(&id)? else {
                    if !self.budget.look(1) && self.last.is_some() {
                        return Ok(Left::Done);
                    }
                    continue;
                };
                if let Some(left) = self.look_at(entry, revision)? {
                    return Ok(left);
                }
            }
        }
    }

    fn look_at(&mut self, entry: Entry, revision: Revision) -> Result<Option<Left>, RegistryError> {
        if entry.anchor().is_of_registry() {
            return Ok(None); // no record
        }
        let owner = self.owners.owner(self.view, entry.anchor())?;
        if !self.access.reaches(Verb::Read, entry.anchor(), owner) {
            // Others own only single keys in these ranges. A cursor names none of them.
            if !self.budget.look(entry.size()) && self.last.is_some() {
                return Ok(Some(Left::Done));
            }
            return Ok(Some(Left::Foreign(entry.anchor().key_level().to_owned())));
        }
        if !self.budget.look(entry.size()) {
            return Ok(Some(Left::Done));
        }
        let key = entry.anchor().clone();
        if self.is_wanted(&entry, revision)? {
            if let Some(counted) = &mut self.counted {
                *counted += 1;
                self.last = Some(key.as_str().to_owned());
                return Ok(None);
            }
            let Authorship { at, by, proposed_by, .. } = self.author(revision)?;
            let level = Level { key: key.clone(), entry, revision, at, by, proposed_by };
            if !self.budget.show(&level) {
                return Ok(Some(Left::Done));
            }
            self.items.push(level);
        }
        self.last = Some(key.as_str().to_owned());
        Ok(None)
    }

    fn is_wanted(&mut self, entry: &Entry, revision: Revision) -> Result<bool, RegistryError> {
        let filter = self.filter;
        let key = entry.anchor();
        let is_wanted = filter.accepts_key(key)
            && self.since.is_none_or(|since| revision >= since)
            && filter.recalled.is_none_or(|recalled| entry.is_recalled() == recalled)
            && self
                .link_type
                .as_deref()
                .is_none_or(|link_type| entry.links().any(|link| link.link_type() == link_type))
            && filter
                .target_host
                .as_deref()
                .is_none_or(|host| entry.links().any(|link| is_at(link.href(), host)))
            && self.text.as_deref().is_none_or(|text| has_text(entry, text));
        if is_wanted && filter.broken && !is_broken(self.view, entry)? {
            return Ok(false);
        }
        match &filter.author {
            Some(author) if is_wanted => {
                Ok(self.author(revision)?.by.is_some_and(|by| by.actor == *author))
            }
            _ => Ok(is_wanted),
        }
    }

    fn author(&mut self, revision: Revision) -> Result<Authorship, RegistryError> {
        if let Some(known) = self.authors.get(&revision) {
            return Ok(known.clone());
        }
        let found = author(self.view, revision)?;
        self.authors.insert(revision, found.clone());
        Ok(found)
    }
}

/// Returns whether this is the level, or one below it.
pub(crate) fn is_under(key: &Anchor, under: &Anchor) -> bool {
    let rest = key.as_str().strip_prefix(under.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a target, possibly a template, has this host. Ignores the port.
fn is_at(href: &str, host: &str) -> bool {
    host_of(href).eq_ignore_ascii_case(host)
}

fn has_text(entry: &Entry, text: &str) -> bool {
    let has = |given: &str| folded::fold(given).contains(text);
    has(entry.anchor().as_str())
        || entry.item_description().is_some_and(has)
        || entry.item_descriptions().any(|(_, text)| has(text))
        || entry.links().any(|link| has(link.title()) || has(link.href()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        for (href, host, expected) in [
            ("https://example.com/a", "example.com", true),
            ("https://EXAMPLE.com", "Example.COM", true),
            ("https://example.com:8443?x", "example.com", true),
            ("https://user:secret@example.com/", "example.com", true),
            ("https://[2001:db8::1]:8443/", "[2001:db8::1]", true),
            ("https://[2001:db8::1]/", "[2001:db8::1]", true),
            ("https://example.com.evil/", "example.com", false),
            ("https://evil/example.com", "example.com", false),
            ("mailto:a@example.com", "example.com", false),
        ] {
            assert_eq!(is_at(href, host), expected, "{href}");
        }
    }
}
