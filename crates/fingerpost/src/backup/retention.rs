//! Which backups are kept, by `backup.keep`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::manifest::{Kind, Manifest};
use super::repository::Listing;
use crate::config::Keep;

/// A backup, and why it is kept; `None` if it is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judged<'l> {
    pub(super) backup: &'l Manifest,
    pub(super) reason: Option<String>,
}

/// Judges every backup, in their order. Whatever the rule: the newest state, the last verified backup, and every backup that a kept one
/// stands on are kept.
pub(super) fn judge<'l>(listing: &'l Listing, keep: &Keep) -> Vec<Judged<'l>> {
    let backups = &listing.backups;
    let mut reasons: BTreeMap<&str, String> = BTreeMap::new();
    let mut note = |backup: &'l Manifest, reason: String| {
        reasons.entry(&backup.name).or_insert(reason);
    };
    // The newest one that can be restored, and the newest full one: what can be restored may be less than what was made.
    let newest = backups.iter().rev().find(|backup| listing.chain(backup).is_ok());
    if let Some(newest) = newest {
        note(newest, "newest state".to_owned());
    }
    if let Some(full) = backups.iter().rev().find(|backup| backup.kind == Kind::Full) {
        note(full, "newest full backup".to_owned());
    }
    if let Some(verified) = backups.iter().rev().find(|backup| backup.verified.is_some()) {
        note(verified, "last verified".to_owned());
    }
    for backup in latest(backups, keep.days, |backup| Some(day(backup))) {
        note(backup, format!("of {}", day(backup)));
    }
    let full = |backup: &Manifest| backup.kind == Kind::Full;
    let week = |backup: &Manifest| {
        let week = day(backup).iso_week_date();
        full(backup).then(|| (week.year(), week.week()))
    };
    for backup in last_of_each(backups, keep.weeks, week) {
        let week = day(backup).iso_week_date();
        note(backup, format!("last full one of week {}-W{:02}", week.year(), week.week()));
    }
    let month = |backup: &Manifest| full(backup).then(|| (day(backup).year(), day(backup).month()));
    for backup in last_of_each(backups, keep.months, month) {
        let day = day(backup);
        note(backup, format!("last full one of {}-{:02}", day.year(), day.month()));
    }
    let mut needed: BTreeMap<&str, String> = BTreeMap::new();
    for backup in backups.iter().filter(|backup| reasons.contains_key(&*backup.name)) {
        // One that cannot be restored needs nothing; the others of its chain stand for themselves.
        for link in listing.chain(backup).unwrap_or_default() {
            needed.entry(&link.name).or_insert_with(|| format!("`{}` needs it", backup.name));
        }
    }
    let reason = |backup: &Manifest| {
        reasons.get(&*backup.name).or_else(|| needed.get(&*backup.name)).cloned()
    };
    backups.iter().map(|backup| Judged { backup, reason: reason(backup) }).collect()
}

/// Returns the day of a backup (UTC).
fn day(backup: &Manifest) -> Date {
    backup.at.to_zoned(TimeZone::UTC).date()
}

/// Returns the backups of the last `count` different periods that have any.
fn latest<P: Ord + Copy>(
    backups: &[Manifest],
    count: u32,
    period: impl Fn(&Manifest) -> Option<P>,
) -> Vec<&Manifest> {
    let mut periods = BTreeSet::new();
    periods.extend(backups.iter().filter_map(&period));
    let kept: BTreeSet<P> =
        periods.into_iter().rev().take(usize::try_from(count).unwrap_or(usize::MAX)).collect();
    let is_kept = |backup: &&Manifest| period(backup).is_some_and(|period| kept.contains(&period));
    backups.iter().filter(is_kept).collect()
}

/// Returns the last backup of each of the last `count` different periods that have any.
fn last_of_each<P: Ord + Copy>(
    backups: &[Manifest],
    count: u32,
    period: impl Fn(&Manifest) -> Option<P>,
) -> Vec<&Manifest> {
    let mut last = BTreeMap::new();
    for backup in latest(backups, count, &period) {
        last.insert(period(backup), backup);
    }
    last.into_values().collect()
}
