//! Counts in the store: documents beside those of the registry, in collections of their own. They
//! are no records, so they are neither in the change feed nor in the audit log nor in exports.
//!
//! | collection | id | counts |
//! |--|--|--|
//! | `insightHours` | level, a space, day | of each hour of the day |
//! | `insightDays` | level, a space, month | of each day of the month |
//! | `insightMonths` | level, a space, year | of each month of the year |

use std::collections::BTreeMap;
use std::sync::Arc;

use fingerpost_store::{Store, StoreError, Transaction};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::InsightOptions;
use crate::counters::Pending;
use crate::facets::Facets;
use crate::limits::{MAX_CELLS, READ_AT_ONCE, WRITTEN_AT_ONCE};
use crate::periods::{Grain, days_before, join, months_before, split};

/// The counts of a store.
#[derive(Clone, Debug)]
pub struct Insight {
    store: Arc<Store>,
    options: InsightOptions,
}

/// What [`Insight::roll_up`] did, in documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RolledUp {
    /// Documents that were added up into those of longer periods.
    pub added_up: usize,
    /// Documents that were deleted.
    pub deleted: usize,
}

/// One counter of a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cell {
    /// The number of the hour, the day or the month.
    at: u8,
    #[serde(flatten)]
    facets: Facets,
    count: u64,
}

/// The counters of a document.
pub(crate) type Cells = BTreeMap<(u8, Facets), u64>;

impl Insight {
    /// Returns the counts in a store. On one machine it is a store of its own, because each commit
    /// empties the caches of the store that records are read from.
    pub fn new(store: Arc<Store>, options: InsightOptions) -> Self {
        Self { store, options }
    }

    /// Returns the options.
    pub fn options(&self) -> &InsightOptions {
        &self.options
    }

    /// Adds counts to those of the store, and removes them from `pending`. After an error, what was
    /// not written stays there.
    pub fn add(&self, pending: &mut Pending) -> Result<(), StoreError> {
        while !pending.is_empty() {
            let some = pending.counts.iter().take(WRITTEN_AT_ONCE);
            let some = some.map(|(key, counts)| (key.clone(), counts.clone()));
            let some: Arc<Vec<_>> = Arc::new(some.collect());
            let written = Arc::clone(&some);
            self.store.transact(move |tx| {
                for ((level, hour), counts) in &*written {
                    let at = Timestamp::from_second(i64::from(*hour) * 3600).unwrap_or_default();
                    let period = Grain::Hour.period(at);
                    let Some((day, hour)) = split(&period) else { continue };
                    let new = counts.iter().map(|(facets, count)| ((hour, facets.clone()), *count));
                    merge(tx, Grain::Hour, &format!("{level} {day}"), new)?;
                }
                Ok::<_, StoreError>(())
            })?;
            some.iter().for_each(|(key, _)| pending.remove(key));
        }
        Ok(())
    }

    /// Adds up hours into days, and days into months, when they are older than the options say, and
    /// deletes months. Can be interrupted, and run by several processes at a time.
    pub fn roll_up(&self, now: Timestamp) -> Result<RolledUp, StoreError> {
        let InsightOptions { hourly_days, daily_days, monthly_months, .. } = &self.options;
        let mut done = RolledUp::default();
        let day = Grain::Day.period(days_before(now, hourly_days.get()));
        self.each_old(
            Grain::Hour,
            &day,
            |tx, id| {
                let Some((level, day)) = id.rsplit_once(' ') else { return Ok(()) };
                let Some((month, number)) = split(day) else { return Ok(()) };
                let sums = cells(tx, Grain::Hour, id)?.into_iter();
                let sums = sums.map(|((_, facets), count)| ((number, facets), count));
                merge(tx, Grain::Day, &format!("{level} {month}"), sums)
            },
            &mut done.added_up,
        )?;
        let month = Grain::Month.period(days_before(now, daily_days.get()));
        self.each_old(
            Grain::Day,
            &month,
            |tx, id| {
                let Some((level, month)) = id.rsplit_once(' ') else { return Ok(()) };
                let Some((year, number)) = split(month) else { return Ok(()) };
                let sums = cells(tx, Grain::Day, id)?.into_iter();
                let sums = sums.map(|((_, facets), count)| ((number, facets), count));
                merge(tx, Grain::Month, &format!("{level} {year}"), sums)
            },
            &mut done.added_up,
        )?;
        // Of the oldest year, all months stay until the last of them is too old.
        let oldest = months_before(now, monthly_months.get());
        let year = split(&oldest).map_or("", |(year, _)| year);
        self.each_old(Grain::Month, year, |_, _| Ok(()), &mut done.deleted)?;
        Ok(done)
    }

    /// Runs `step` for each document of a period before `end`, and deletes the document.
    fn each_old(
        &self,
        grain: Grain,
        end: &str,
        step: fn(&mut Transaction<'_>, &str) -> Result<(), StoreError>,
        count: &mut usize,
    ) -> Result<(), StoreError> {
        let mut after: Option<String> = None;
        loop {
            let page = self.page(grain, after.as_deref())?;
            let Some((last, _)) = page.last() else { return Ok(()) };
            after = Some(last.clone());
            let is_old = |id: &String| id.rsplit_once(' ').is_some_and(|(_, period)| period < end);
            let old: Vec<String> = page.into_iter().map(|(id, _)| id).filter(is_old).collect();
            if old.is_empty() {
                continue;
            }
            *count += self.store.transact(move |tx| {
                let mut done = 0;
                for id in &old {
                    // Another process may have done it.
                    if tx.document(grain.collection(), id)?.is_some() {
                        step(tx, id)?;
                        tx.delete_document(grain.collection(), id)?;
                        done += 1;
                    }
                }
                Ok::<_, StoreError>(done)
            })?;
        }
    }

    /// Returns the next documents after an id.
    pub(crate) fn page(
        &self,
        grain: Grain,
        after: Option<&str>,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.store.view(|view| view.documents(grain.collection(), after, READ_AT_ONCE))
    }
}

/// Adds counters to those of a document.
fn merge(
    tx: &mut Transaction<'_>,
    grain: Grain,
    id: &str,
    new: impl Iterator<Item = ((u8, Facets), u64)>,
) -> Result<(), StoreError> {
    let mut sums = cells(tx, grain, id)?;
    for ((at, facets), count) in new {
        let is_full = sums.len() >= MAX_CELLS && !sums.contains_key(&(at, facets.clone()));
        let facets = if is_full { facets.without_details() } else { facets };
        let sum = sums.entry((at, facets)).or_default();
        *sum = sum.saturating_add(count);
    }
    let cells: Vec<_> =
        sums.into_iter().map(|((at, facets), count)| Cell { at, facets, count }).collect();
    let bytes = serde_json::to_vec(&cells).unwrap_or_default(); // texts and numbers are JSON
    tx.put_document(grain.collection(), id, &bytes)
}

/// Returns the counters of a document; none if it does not exist or cannot be read.
fn cells(tx: &Transaction<'_>, grain: Grain, id: &str) -> Result<Cells, StoreError> {
    Ok(tx.document(grain.collection(), id)?.map(|bytes| parse(&bytes)).unwrap_or_default())
}

/// Parses the counters of a document; those of a later format count as none.
pub(crate) fn parse(bytes: &[u8]) -> Cells {
    let cells: Vec<Cell> = serde_json::from_slice(bytes).unwrap_or_default();
    cells.into_iter().map(|cell| ((cell.at, cell.facets), cell.count)).collect()
}

/// Returns the full period of a counter in a document of this period.
pub(crate) fn period_of(container: &str, at: u8) -> String {
    join(container, at)
}
