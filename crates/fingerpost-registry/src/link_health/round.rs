//! What a checker of links reads and writes, without a caller: the operator has switched it on.
//!
//! A round walks the records in slices. A target is written as soon as it is checked, so that a
//! later record with the same target finds it checked, and a process that is killed loses nothing
//! but the checks of some seconds. Only one process of a store makes rounds: that with the lease.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::{Bound, ControlFlow};

use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Transaction, View};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::targets::targets;
use super::{LinkCheck, LinkFault, LinkState, TargetHealth, target_id};
use crate::broken_levels::BrokenLevel;
use crate::documents::{Document, load, load_page, remove, save};
use crate::limits::{
    LINK_PAGE, MAX_LINK_PAGES, MAX_LINK_SLICE, MAX_NEW_BROKEN_LINKS, UNUSED_LINK_INTERVALS,
};
use crate::registry::Inner;
use crate::webhooks::{Concerned, raise};
use crate::{EventKind, Registry, RegistryError};

/// A part of the targets of the records that begin with a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueLinks {
    /// The targets that are due, each once.
    pub targets: Vec<String>,
    /// The last record of this part; `None` if there are no further ones.
    pub last: Option<String>,
}

/// The number of targets by state, after the last complete round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkCounts {
    /// When the round ended.
    pub at: Timestamp,
    /// Targets that work.
    pub ok: u64,
    /// Targets whose last check failed.
    pub failing: u64,
    /// Targets that are broken.
    pub broken: u64,
    /// Targets that checks cannot decide about.
    pub unchecked: u64,
    /// When the first certificate of a target ends.
    pub first_certificate_ends: Option<Timestamp>,
}

impl Document for LinkCounts {
    const COLLECTION: &'static str = "linkCounts";
}

/// The id of the only document of a collection.
const ONLY: &str = "-";

impl Registry {
    /// Returns the next targets of the records that begin with `prefix`, after the record `after`
    /// up to `to`, that are due, or that have not been checked since `since` if that is given.
    pub fn due_links(
        &self,
        prefix: &str,
        after: Option<&str>,
        to: Option<&str>,
        since: Option<Timestamp>,
    ) -> Result<DueLinks, RegistryError> {
        let (mut slice, mut seen) = (DueLinks { targets: Vec::new(), last: None }, HashSet::new());
        let (mut after, mut pages) = (after.map(str::to_owned), 0);
        // Pages of their own, so that no snapshot is held for long.
        loop {
            let now = self.inner.now();
            let last = self.inner.store.view(|view| {
                visit(view, prefix, after.as_deref(), to, |entry| {
                    for target in targets(view, entry, now)? {
                        if seen.insert(target.url.clone()) {
                            let health = load::<TargetHealth>(view, &target_id(&target.url))?;
                            let is_due = health.is_none_or(|health| match since {
                                Some(since) => health.checked < since,
                                None => health.due <= now,
                            });
                            slice.targets.extend(is_due.then_some(target.url));
                        }
                    }
                    Ok(seen.len() < MAX_LINK_SLICE)
                })
            })?;
            pages += 1;
            match last {
                Some(last) if seen.len() < MAX_LINK_SLICE && pages < MAX_LINK_PAGES => {
                    after = Some(last);
                }
                last => return Ok(DueLinks { last, ..slice }),
            }
        }
    }

    /// Saves checks, in one transaction.
    pub fn save_link_checks(
        &self,
        checks: &[LinkCheck],
        interval: SignedDuration,
    ) -> Result<(), RegistryError> {
        let checks = checks.to_vec();
        self.inner.store.transact(move |tx| {
            for check in &checks {
                let id = target_id(&check.target);
                let before = load::<TargetHealth>(tx, &id)?;
                save(tx, &id, &TargetHealth::after(before, check.clone(), interval))?;
            }
            Ok(())
        })
    }

    /// Updates the index of records with broken links: of the records that begin with `prefix`,
    /// after the record `after`, up to `to` or the end.
    pub fn index_broken_links(
        &self,
        prefix: &str,
        after: Option<&str>,
        to: Option<&str>,
    ) -> Result<(), RegistryError> {
        let mut after = after.map(str::to_owned);
        loop {
            let now = self.inner.now();
            let (last, changes) = self.inner.store.view(|view| {
                let mut found = BTreeMap::new();
                let last = visit(view, prefix, after.as_deref(), to, |entry| {
                    if let Some(broken) = broken_level(view, entry, now)? {
                        found.insert(entry.anchor().as_str().to_owned(), broken);
                    }
                    Ok(true)
                })?;
                let end = last.as_deref().or(to);
                let changes = changes(view, prefix, after.as_deref(), end, found)?;
                Ok::<_, RegistryError>((last, changes))
            })?;
            if !changes.is_empty() {
                let inner = self.inner.clone();
                self.inner.store.transact(move |tx| {
                    for (id, level) in &changes {
                        match level {
                            Some(level) => {
                                announce(tx, &inner, id, level)?;
                                save(tx, id, level)?;
                            }
                            None => drop(remove::<BrokenLevel>(tx, id)?),
                        }
                    }
                    Ok::<_, RegistryError>(())
                })?;
            }
            match last {
                Some(last) => after = Some(last),
                None => return Ok(()),
            }
        }
    }

    /// Ends a round over all records: deletes the states of targets that no record has any more,
    /// and counts the others.
    pub fn finish_link_round(&self, interval: SignedDuration) -> Result<LinkCounts, RegistryError> {
        let mut counts = LinkCounts { at: self.inner.now(), ..LinkCounts::default() };
        let kept = interval.saturating_mul(UNUSED_LINK_INTERVALS);
        let oldest = counts.at.checked_sub(kept).unwrap_or(Timestamp::MIN);
        let mut after: Option<String> = None;
        loop {
            let page = self
                .inner
                .store
                .view(|view| load_page::<TargetHealth>(view, after.as_deref(), LINK_PAGE))?;
            let Some((last, _)) = page.last() else { break };
            after = Some(last.clone());
            let (unused, used): (Vec<_>, Vec<_>) =
                page.into_iter().partition(|(_, health)| health.checked < oldest);
            used.iter().for_each(|(_, health)| counts.add(health));
            if !unused.is_empty() {
                self.inner.store.transact(move |tx| {
                    unused.iter().try_for_each(|(id, _)| remove::<TargetHealth>(tx, id).map(drop))
                })?;
            }
        }
        self.inner.store.transact(move |tx| save(tx, ONLY, &counts))?;
        Ok(counts)
    }

    /// Returns the counts of the last complete round.
    pub fn link_counts(&self) -> Result<Option<LinkCounts>, RegistryError> {
        self.inner.store.view(|view| load(view, ONLY))
    }
}

impl LinkCounts {
    fn add(&mut self, health: &TargetHealth) {
        let count = match health.state {
            LinkState::Ok => &mut self.ok,
            LinkState::Failing => &mut self.failing,
            LinkState::Broken => &mut self.broken,
            LinkState::Unchecked => &mut self.unchecked,
        };
        *count += 1;
        let first = [self.first_certificate_ends, health.answer.certificate_ends];
        self.first_certificate_ends = first.into_iter().flatten().min();
    }
}

/// Visits at most [`LINK_PAGE`] records while `visit` returns true; returns the last one, or `None`
/// at the end.
fn visit(
    view: &View<'_>,
    prefix: &str,
    after: Option<&str>,
    to: Option<&str>,
    mut visit: impl FnMut(&Entry) -> Result<bool, RegistryError>,
) -> Result<Option<String>, RegistryError> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let (mut rows, mut last) = (0, None);
    view.visit_levels(from, prefix, |entry, _| -> Result<_, RegistryError> {
        let anchor = entry.anchor();
        if to.is_some_and(|to| anchor.as_str() > to) {
            return Ok(ControlFlow::Break(()));
        }
        rows += 1;
        let goes_on = anchor.is_of_registry() || visit(&entry)?;
        if goes_on && rows < LINK_PAGE {
            return Ok(ControlFlow::Continue(()));
        }
        last = Some(anchor.as_str().to_owned());
        Ok(ControlFlow::Break(()))
    })?;
    Ok(last)
}

/// Returns the broken links of a record; `None` if it has none.
fn broken_level(
    view: &View<'_>,
    entry: &Entry,
    now: Timestamp,
) -> Result<Option<BrokenLevel>, RegistryError> {
    let mut broken: Option<BrokenLevel> = None;
    for target in targets(view, entry, now)? {
        let id = target_id(&target.url);
        let health = load::<TargetHealth>(view, &id)?;
        if let Some(health) = health.filter(|health| health.state == LinkState::Broken) {
            let level =
                broken.get_or_insert(BrokenLevel { since: health.since, targets: BTreeSet::new() });
            level.since = level.since.min(health.since);
            level.targets.insert(id);
        }
    }
    Ok(broken)
}

/// Raises events for the targets of a record that were not broken before. A record is indexed after
/// its targets were checked, and only there is it known to whom a broken target belongs.
fn announce(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    anchor: &str,
    level: &BrokenLevel,
) -> Result<(), RegistryError> {
    let before = load::<BrokenLevel>(tx, anchor)?.map(|level| level.targets).unwrap_or_default();
    let Some(key) = Anchor::from_canonical(anchor) else { return Ok(()) };
    let path = format!("/{anchor}");
    for id in level.targets.difference(&before).take(MAX_NEW_BROKEN_LINKS) {
        let Some(health) = load::<TargetHealth>(tx, id)? else { continue };
        let concerned = Concerned::Owners(&[&key]);
        raise(tx, inner, EventKind::LinkBroken, &path, &concerned, |_| {
            json!({
                "key": path,
                "target": health.target,
                "since": health.since.to_string(),
                "fault": health.answer.fault.map(LinkFault::as_str),
                "status": health.answer.status,
                "record": format!("/v1/levels{path}"),
            })
        })?;
    }
    Ok(())
}

/// Returns the rows of the index to save, and those to delete, of a part of it.
fn changes(
    view: &View<'_>,
    prefix: &str,
    after: Option<&str>,
    to: Option<&str>,
    mut found: BTreeMap<String, BrokenLevel>,
) -> Result<Vec<(String, Option<BrokenLevel>)>, RegistryError> {
    let mut changes = Vec::new();
    let mut look = |id: String, level: BrokenLevel| match found.remove(&id) {
        Some(same) if same == level => {}
        Some(new) => changes.push((id, Some(new))),
        None => changes.push((id, None)),
    };
    let start = after.filter(|after| *after >= prefix);
    if start.is_none()
        && !prefix.is_empty()
        && let Some(level) = load::<BrokenLevel>(view, prefix)?
    {
        look(prefix.to_owned(), level);
    }
    let mut at = start.unwrap_or(prefix).to_owned();
    'pages: loop {
        let page = load_page::<BrokenLevel>(view, Some(&at), LINK_PAGE)?;
        let Some((last, _)) = page.last() else { break };
        at = last.clone();
        for (id, level) in page {
            if !id.starts_with(prefix) || to.is_some_and(|to| id.as_str() > to) {
                break 'pages;
            }
            look(id, level);
        }
    }
    changes.extend(found.into_iter().map(|(id, level)| (id, Some(level))));
    Ok(changes)
}
