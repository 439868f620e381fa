//! Which backups are kept, by `backup.keep`.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::manifest::{Kind, Manifest};
use super::repository::Listing;
use crate::config::Keep;

/// A backup, and why it is kept; `None` if it is to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged<'l> {
    /// The backup.
    pub backup: &'l Manifest,
    /// Why it is kept.
    pub reason: Option<String>,
}

/// Judges every backup, in their order. Whatever the rule: the newest state, the last verified
/// backup, and every backup that a kept one depends on are kept.
pub fn judge<'l>(listing: &'l Listing, keep: &Keep) -> Vec<Judged<'l>> {
    let backups = &listing.backups;
    let mut reasons: BTreeMap<&str, String> = BTreeMap::new();
    let mut note = |backup: &'l Manifest, reason: String| {
        reasons.entry(&backup.name).or_insert(reason);
    };
    // The newest one that can be restored, and the newest full one: what can be restored may be
    // less than what was made.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::manifest::{Previous, Verified};

    /// A backup at a time; changes depend on the one before.
    fn backup(at: &str, number: u64, previous: Option<&Manifest>) -> Manifest {
        let at: jiff::Timestamp = format!("{at}Z").parse().unwrap();
        let kind = if previous.is_some() { Kind::Changes } else { Kind::Full };
        Manifest {
            format: 1,
            name: format!("{number:04}"),
            kind,
            at,
            after: previous.map(|previous| previous.revision),
            revision: number,
            head: format!("{number}:{}", "ab".repeat(32)),
            head_at: None,
            levels: 0,
            rows: BTreeMap::new(),
            store_format: 3,
            line: "0000".to_owned(),
            bytes: 0,
            sha256: String::new(),
            digest: number.to_string(),
            previous: previous.map(|previous| Previous {
                name: previous.name.clone(),
                digest: previous.digest.clone(),
            }),
            recipients: Vec::new(),
            version: String::new(),
            verified: None,
        }
    }

    /// Full backups (`f`) and changes (`c`) at these times.
    fn listing(all: &[(&str, char)]) -> Listing {
        let mut backups: Vec<Manifest> = Vec::new();
        for (number, (at, kind)) in (0..).zip(all) {
            let previous = if *kind == 'c' { backups.last() } else { None };
            let made = backup(at, number, previous);
            backups.push(made);
        }
        Listing { backups, ..Listing::default() }
    }

    fn kept(listing: &Listing, keep: Keep) -> Vec<usize> {
        let judged = judge(listing, &keep).into_iter().enumerate();
        judged.filter(|(_, judged)| judged.reason.is_some()).map(|(position, _)| position).collect()
    }

    const NONE: Keep = Keep { days: 0, weeks: 0, months: 0 };

    #[test]
    fn a_rule_keeps_days_weeks_and_months_with_backups() {
        let all = listing(&[
            ("2026-09-30T02:00:00", 'f'),
            ("2026-10-01T02:00:00", 'f'), // the last one of October, and of its week
            ("2026-11-15T02:00:00", 'f'), // a Sunday
            ("2026-11-16T02:00:00", 'f'),
            ("2026-11-21T02:00:00", 'f'),
            ("2026-11-21T03:00:00", 'c'),
            ("2026-11-22T02:00:00", 'f'),
            ("2026-11-22T03:00:00", 'c'),
            ("2026-11-23T02:00:00", 'f'),
        ]);
        let cases: [(Keep, &[usize]); 7] = [
            (NONE, &[8]),
            (Keep { days: 1, ..NONE }, &[8]),
            (Keep { days: 2, ..NONE }, &[6, 7, 8]),
            (Keep { days: 3, ..NONE }, &[4, 5, 6, 7, 8]),
            (Keep { weeks: 3, ..NONE }, &[2, 6, 8]),
            (Keep { months: 3, ..NONE }, &[0, 1, 8]),
            (Keep { days: 1, weeks: 2, months: 2 }, &[1, 6, 8]),
        ];
        for (keep, expected) in cases {
            assert_eq!(kept(&all, keep), expected, "{keep:?}");
        }
    }

    #[test]
    fn what_is_needed_or_verified_stays_whatever_the_rule_says() {
        let mut all = listing(&[
            ("2026-11-20T02:00:00", 'f'),
            ("2026-11-21T02:00:00", 'f'),
            ("2026-11-21T03:00:00", 'c'),
            ("2026-11-21T04:00:00", 'c'),
        ]);
        assert_eq!(kept(&all, NONE), [1, 2, 3]);
        all.backups[0].verified =
            Some(Verified { at: all.backups[0].at, before_encryption: false });
        assert_eq!(kept(&all, NONE), [0, 1, 2, 3]);
        // A clock of the next century takes one day, and deletes nothing that the rule keeps by
        // days.
        all.backups.push(backup("2126-11-21T02:00:00", 4, None));
        assert_eq!(kept(&all, Keep { days: 3, ..NONE }), [0, 1, 2, 3, 4]);
        // Without its link, the last one is not the newest state that can be restored.
        let broken = all.backups.remove(2);
        all.backups.pop();
        assert_eq!(kept(&all, NONE), [0, 1], "{}", broken.name);
    }

    #[test]
    fn whatever_is_kept_has_its_chain_and_the_newest_state_is_kept() {
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..500 {
            let mut all = Listing::default();
            for number in 0..draw(40) {
                let at =
                    format!("2026-{:02}-{:02}T{:02}:00:00", 1 + draw(12), 1 + draw(28), draw(24));
                let previous = if draw(3) > 0 { all.backups.last() } else { None };
                let made = backup(&at, number, previous);
                all.backups.push(made);
            }
            if draw(4) == 0 && !all.backups.is_empty() {
                let position = usize::try_from(draw(all.backups.len() as u64)).unwrap();
                all.backups.remove(position);
            }
            let number = |count: u64| u32::try_from(count).unwrap();
            let keep =
                Keep { days: number(draw(5)), weeks: number(draw(5)), months: number(draw(5)) };
            let names = |all: &Listing| {
                let judged = judge(all, &keep);
                let kept = judged.into_iter().filter(|judged| judged.reason.is_some());
                kept.map(|judged| judged.backup.clone()).collect::<Vec<_>>()
            };
            let left = Listing { backups: names(&all), ..Listing::default() };
            for backup in &left.backups {
                let before = all.chain(backup).map(|chain| chain.len());
                assert_eq!(left.chain(backup).map(|chain| chain.len()).ok(), before.ok());
            }
            let newest = all.backups.iter().rev().find(|backup| all.chain(backup).is_ok());
            assert!(newest.is_none_or(|newest| left.named(&newest.name).is_some()));
            // The rule is applied to what it left without deleting more.
            assert_eq!(names(&left), left.backups);
        }
    }
}
