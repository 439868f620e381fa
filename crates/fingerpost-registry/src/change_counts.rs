//! Counts the changes of levels by day.

use fingerpost_resolver::Anchor;
use fingerpost_store::{Revision, View};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::feed::{Feed, FeedPosition};
use crate::limits::MAX_DAYS;
use crate::list::is_under;
use crate::{Caller, Filter, Id, Registry, RegistryError};

/// The changes to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeFilter {
    /// The beginning of the first day.
    pub since: Timestamp,
    /// The number of days, each of 24 hours; at most [`MAX_DAYS`].
    pub days: usize,
    /// The level is this one or below it.
    pub under: Option<Anchor>,
    /// The level belongs to this organisation.
    pub organisation: Option<Id>,
}

/// The numbers of changes by day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeCounts {
    /// The days, in order.
    pub days: Vec<DayOfChanges>,
    /// Where to go on counting, if there are more changes to look at.
    pub next: Option<String>,
}

/// The number of changes of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DayOfChanges {
    /// When the day begins.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub from: Timestamp,
    /// Levels that were registered or replaced.
    pub written: u64,
    /// Levels that were deleted.
    pub deleted: u64,
}

impl Registry {
    /// Counts changes of levels that the caller can read, at the cost of one page of
    /// [`Registry::changes`]. `cursor` is the value of [`ChangeCounts::next`].
    pub fn count_changes(
        &self,
        caller: &Caller,
        filter: &ChangeFilter,
        cursor: Option<&str>,
    ) -> Result<ChangeCounts, RegistryError> {
        self.view_as(caller, |view, access| {
            let (mut days, ends) = days(view, filter)?;
            let levels = Filter { under: filter.under.clone(), ..Filter::default() };
            let position = FeedPosition::of(cursor, before(ends[0]));
            let feed = Feed::new(view, access, &levels, usize::MAX)?;
            let next = feed.until(ends[days.len()]).run(position, |change, owner, _| {
                let is_wanted = filter.under.as_ref().is_none_or(|top| is_under(&change.key, top))
                    && (filter.organisation.is_none() || owner == filter.organisation);
                let day = ends.partition_point(|end| *end <= change.revision).checked_sub(1);
                if let Some(day) = day.and_then(|day| days.get_mut(day)).filter(|_| is_wanted) {
                    let count = if change.deleted { &mut day.deleted } else { &mut day.written };
                    *count += 1;
                }
                true
            })?;
            Ok(ChangeCounts { days, next })
        })
    }
}

/// Returns the days, and the first revision of each of them and of the day after the last one.
fn days(
    view: &View<'_>,
    filter: &ChangeFilter,
) -> Result<(Vec<DayOfChanges>, Vec<Revision>), RegistryError> {
    let (mut days, mut ends) = (Vec::new(), Vec::new());
    for day in 0..=filter.days.clamp(1, MAX_DAYS) {
        let passed = SignedDuration::from_hours(24 * i64::try_from(day).unwrap_or_default());
        let from = filter.since.saturating_add(passed).unwrap_or(Timestamp::MAX);
        // Nothing comes after the last revision.
        let last = ends.last().copied().filter(|last| *last > view.revision().unwrap_or_default());
        ends.push(last.map_or_else(|| view.first_revision_since(from), Ok)?);
        days.push(DayOfChanges { from, written: 0, deleted: 0 });
    }
    days.pop();
    Ok((days, ends))
}

fn before(revision: Revision) -> Revision {
    Revision::new(revision.number().saturating_sub(1))
}
