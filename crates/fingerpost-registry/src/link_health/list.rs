//! Lists the links that a caller can read, with the states of their targets.

use std::ops::Bound;

use fingerpost_resolver::{Anchor, Entry, Link};
use fingerpost_store::View;
use jiff::Timestamp;
use serde::Serialize;

use super::targets::targets;
use super::{LinkState, TargetHealth, target_id};
use crate::broken_levels::broken_levels;
use crate::documents::load;
use crate::limits::LINK_PAGE;
use crate::list::{Filter, ranges};
use crate::ownership::Neighbours;
use crate::pages::Budget;
use crate::roles::Verb;
use crate::{Caller, CompanyPrefix, Page, Registry, RegistryError};

/// Which links to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkQuery {
    /// The level is this one or below it.
    pub under: Option<Anchor>,
    /// The key contains this, at the position of its company prefix.
    pub company_prefix: Option<CompanyPrefix>,
    /// Only broken links.
    pub broken: bool,
}

/// The links of a level, with the states of their targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LevelLinks {
    /// The level as a canonical path, without a slash at the beginning.
    #[serde(serialize_with = "crate::key_levels::bare")]
    #[cfg_attr(feature = "schema", schema(value_type = crate::text::schema::LevelKey))]
    pub key: Anchor,
    /// The description of the item.
    pub item_description: Option<String>,
    /// Since when a link of the level is broken; null if none is.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub broken_since: Option<Timestamp>,
    /// The links. A template appears once for each value that it is checked with.
    pub links: Vec<CheckedLink>,
}

/// A link with the state of its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckedLink {
    /// The position of the link in the record, from 0.
    pub index: usize,
    /// The type of the link.
    pub link_type: String,
    /// The target as registered, with placeholders.
    pub href: String,
    /// The title of the link.
    pub title: String,
    /// What the record promises and the target does not keep.
    pub mismatches: Vec<Mismatch>,
    /// The state of the target; null if it has not been checked.
    pub health: Option<TargetHealth>,
}

/// A promise of a record that its target does not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Mismatch {
    /// The answer has another media type.
    MediaType,
    /// The answer is in other languages.
    Language,
}

impl Registry {
    /// Returns the links of the levels that the caller can read and the query accepts, in key
    /// order. `after` is the value of [`Page::next`].
    ///
    /// Fails with [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn checked_links(
        &self,
        caller: &Caller,
        query: &LinkQuery,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<LevelLinks>, RegistryError> {
        let now = self.inner.now();
        let filter = Filter {
            under: query.under.clone(),
            company_prefix: query.company_prefix.clone(),
            ..Filter::default()
        };
        self.view_as(caller, |view, access| {
            let (mut budget, mut owners) = (Budget::new(limit), Neighbours::default());
            let (mut items, mut last): (Vec<LevelLinks>, Option<String>) = (Vec::new(), None);
            for range in ranges::of(view, access, &filter)? {
                let mut at = after.unwrap_or_default().to_owned();
                loop {
                    let page = candidates(view, query.broken, &range, &at)?;
                    let Some(end) = page.last().map(|(key, _)| key.clone()) else { break };
                    at = end;
                    for (key, entry) in page {
                        let cost = entry.as_ref().map_or(1, Entry::size);
                        if !budget.look(cost) && last.is_some() {
                            return Ok(Page { items, next: last });
                        }
                        let Some(entry) = entry else { continue };
                        let anchor = entry.anchor();
                        let owner = owners.owner(view, anchor)?;
                        if anchor.is_of_registry()
                            || !access.reaches(Verb::Read, anchor, owner)
                            || !filter.accepts_key(anchor)
                        {
                            continue;
                        }
                        let level = level_links(view, &entry, query.broken, now)?;
                        if !level.links.is_empty() {
                            if !budget.show(&level) {
                                return Ok(Page { items, next: last });
                            }
                            items.push(level);
                        }
                        last = Some(key);
                    }
                }
            }
            Ok(Page { items, next: None })
        })
    }
}

/// Returns the next levels that begin with `range`, after `after`, with their records: all, or
/// those of the index of broken links, which may have changed since.
fn candidates(
    view: &View<'_>,
    broken: bool,
    range: &str,
    after: &str,
) -> Result<Vec<(String, Option<Entry>)>, RegistryError> {
    if !broken {
        let found = view.levels_from(Bound::Excluded(after), range, LINK_PAGE)?;
        let keyed = |(entry, _): (Entry, _)| (entry.anchor().as_str().to_owned(), Some(entry));
        return Ok(found.into_iter().map(keyed).collect());
    }
    let ids = broken_levels(view, range, Bound::Excluded(after))?;
    let read = |id: String| {
        let found = view.level(&id)?;
        Ok((id, found.map(|(entry, _)| entry)))
    };
    ids.into_iter().map(read).collect()
}

fn level_links(
    view: &View<'_>,
    entry: &Entry,
    broken: bool,
    now: Timestamp,
) -> Result<LevelLinks, RegistryError> {
    let (mut links, mut broken_since) = (Vec::new(), None);
    for target in targets(view, entry, now)? {
        let Some(link) = entry.link(target.link) else { continue };
        let health = load::<TargetHealth>(view, &target_id(&target.url))?;
        let is_broken = health.as_ref().filter(|health| health.state == LinkState::Broken);
        let since = is_broken.map(|health| health.since);
        broken_since = [broken_since, since].into_iter().flatten().min();
        if broken && since.is_none() {
            continue;
        }
        links.push(CheckedLink {
            index: target.link,
            link_type: link.link_type().to_owned(),
            href: link.href().to_owned(),
            title: link.title().to_owned(),
            mismatches: health.as_ref().map_or_else(Vec::new, |health| mismatches(link, health)),
            health,
        });
    }
    let key = entry.anchor().clone();
    let item_description = entry.item_description().map(str::to_owned);
    Ok(LevelLinks { key, item_description, broken_since, links })
}

/// Returns what a link promises and its target does not keep. A target that names no media type or
/// no language breaks no promise.
fn mismatches(link: Link<'_>, health: &TargetHealth) -> Vec<Mismatch> {
    if health.state != LinkState::Ok {
        return Vec::new();
    }
    let answer = &health.answer;
    let essence =
        |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let other_type = link
        .media_type()
        .zip(answer.media_type.as_deref())
        .is_some_and(|(promised, found)| essence(promised) != essence(found));
    let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let speaks =
        |promised: &str| answer.languages.iter().any(|it| primary(it) == primary(promised));
    let other_language =
        link.has_languages() && !answer.languages.is_empty() && !link.languages().any(speaks);
    let found = [(other_type, Mismatch::MediaType), (other_language, Mismatch::Language)];
    found.into_iter().filter(|(is, _)| *is).map(|(_, mismatch)| mismatch).collect()
}
