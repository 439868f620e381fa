//! The levels of a linkset: all records that apply to a level, as one context object (RFC 9264
//! section 4.2, RES-2.9-8).
//!
//! A level has a record of its own, and records of ranges, of any value and of a company prefix
//! apply to it as well. What they amount to is published, so that a linkset that is saved and
//! imported gives the same answers:
//!
//! - The default link and its variants are those of the most specific record with a default link
//!   (RES-2.5.8-8).
//! - The links of any other type are those of the most specific record with the type (RES-2.6.2-4).
//! - A default link and its variants keep their descriptive links (RES-2.5.8-3), and no notice
//!   about a recall is left out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;

use crate::select::View;
use crate::{Entry, Link};

/// A level with its links; those of one type follow each other.
#[derive(Clone, Debug)]
pub(super) struct MergedLevel<'a> {
    pub(super) key: Cow<'a, EntityKey>,
    /// The record with the most specific description.
    pub(super) described_by: Option<&'a Entry>,
    pub(super) links: Vec<Link<'a>>,
}

/// Returns the levels that have links, most granular first.
pub(super) fn levels<'a>(view: View<'a>) -> Vec<MergedLevel<'a>> {
    let mut levels = Vec::with_capacity(view.levels.len());
    let mut rest = view.levels;
    while let Some(first) = rest.first() {
        let key = first.anchor().level_of(view.key);
        let count = rest.iter().take_while(|entry| entry.anchor().level_of(view.key) == key);
        let (records, others) = rest.split_at(count.count());
        rest = others;
        let links = merged(view, records);
        if !links.is_empty() {
            levels.push(MergedLevel {
                key,
                described_by: described(records),
                links: grouped(links),
            });
        }
    }
    levels
}

/// Returns links of one record at its level.
pub(super) fn choices<'a>(
    view: View<'a>,
    entry: &'a Entry,
    links: Vec<Link<'a>>,
) -> MergedLevel<'a> {
    let key = entry.anchor().level_of(view.key);
    let is_here = |other: &&Arc<Entry>| other.anchor().level_of(view.key) == key;
    let mut records = view.levels.iter().filter(is_here);
    let described_by = records.find(is_described).map(|entry| &**entry);
    MergedLevel { key, described_by, links }
}

fn described(records: &[Arc<Entry>]) -> Option<&Entry> {
    records.iter().find(is_described).map(|entry| &**entry)
}

fn is_described(entry: &&Arc<Entry>) -> bool {
    entry.item_description().is_some()
}

/// Returns the links that the records of one level amount to, in the order of the records, most
/// specific first.
fn merged<'a>(view: View<'a>, records: &'a [Arc<Entry>]) -> Vec<Link<'a>> {
    let all = records.iter().enumerate();
    let all = all.flat_map(|(at, entry)| view.links(entry).map(move |link| (at, link)));
    if records.len() == 1 {
        return all.map(|(_, link)| link).collect();
    }
    let all: Vec<(usize, Link<'a>)> = all.collect();
    let mut holders = HashMap::new();
    for &(at, link) in &all {
        holders.entry(link.link_type()).or_insert(at);
    }
    let is_role = |link: Link<'_>| link.is_default() || link.is_default_variant();
    let of_default = all.iter().find(|(_, link)| link.is_default()).map(|&(at, _)| at);
    let holds = |at, link: Link<'_>| {
        if is_role(link) {
            of_default.is_none_or(|holder| holder == at)
        } else {
            holders[link.link_type()] == at || link.is_recall()
        }
    };
    let kept: Vec<Link<'a>> =
        all.iter().filter(|&&(at, link)| holds(at, link)).map(|&(_, link)| link).collect();
    let is_described =
        |target: &str| kept.iter().any(|link| !is_role(*link) && link.href() == target);
    let undescribed: Vec<&str> = kept
        .iter()
        .filter(|link| is_role(**link))
        .map(|link| link.href())
        .filter(|target| !is_described(target))
        .collect();
    let describes =
        |at, link: Link<'_>| of_default == Some(at) && undescribed.contains(&link.href());
    let links = all.iter().filter(|&&(at, link)| holds(at, link) || describes(at, link));
    links.map(|&(_, link)| link).collect()
}

/// Returns links grouped by their type: the types in the order of their first link, the links of a
/// type in the order given.
fn grouped(mut links: Vec<Link<'_>>) -> Vec<Link<'_>> {
    let mut firsts = HashMap::new();
    for (at, link) in links.iter().enumerate() {
        firsts.entry(link.link_type()).or_insert(at);
    }
    links.sort_by_cached_key(|link| firsts[link.link_type()]);
    links
}
