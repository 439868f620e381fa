//! Answers queries about counts. Small counts are hidden.

use std::collections::BTreeMap;

use fingerpost_store::StoreError;
use jiff::Timestamp;
use serde::Serialize;
use thiserror::Error;

use crate::Insight;
use crate::facets::{AnswerKind, CountryCode};
use crate::limits::{MAX_GROUPS, MAX_LOOKED_AT};
use crate::periods::Grain;
use crate::stored::{parse, period_of};

/// What rows are told apart by, besides the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// The level that answered.
    Key,
    /// The type of the chosen link.
    LinkType,
    /// The kind of the answer.
    Kind,
    /// The language of the chosen link.
    Language,
    /// The country.
    Country,
}

impl Dimension {
    /// All of them, with their names as in JSON.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Key, "key"),
        (Self::LinkType, "linkType"),
        (Self::Kind, "kind"),
        (Self::Language, "language"),
        (Self::Country, "country"),
    ];

    /// Returns the dimension with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, own)| *own == name).map(|(dimension, _)| dimension)
    }
}

/// A query. Times are in UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsightQuery {
    /// The beginnings of the canonical texts of the levels, in order and disjoint; `[""]` is all.
    pub ranges: Vec<String>,
    /// The earliest time; the period that it lies in counts.
    pub from: Option<Timestamp>,
    /// The end of the time; the period that begins with it does not count.
    pub to: Option<Timestamp>,
    /// The length of the periods; `None` adds up all times. Counts that are kept for longer
    /// periods only are left out.
    pub by: Option<Grain>,
    /// What rows are told apart by.
    pub dimensions: Vec<Dimension>,
    /// Whether programs are counted, in place of people.
    pub bots: bool,
}

/// A count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InsightRow {
    /// The period in UTC: `2026-11-27T16`, `2026-11-27` or `2026-11`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// The level as a canonical path, without a slash at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The type of the chosen link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_type: Option<String>,
    /// The kind of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<AnswerKind>,
    /// The language of the chosen link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The country.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub country: Option<CountryCode>,
    /// The number of scans.
    pub count: u64,
}

impl InsightRow {
    /// The titles of the columns in tables.
    pub const TITLES: [&str; 7] =
        ["period", "key", "linkType", "kind", "language", "country", "count"];

    /// Returns the texts of the row in the columns of [`InsightRow::TITLES`] before the count; the
    /// key with a slash at its beginning.
    pub fn texts(&self) -> [Option<String>; 6] {
        [
            self.period.clone(),
            self.key.as_ref().map(|key| format!("/{key}")),
            self.link_type.clone(),
            self.kind.map(|kind| kind.as_str().to_owned()),
            self.language.clone(),
            self.country.map(|country| country.to_string()),
        ]
    }

    /// Returns the fields of the row in a table of texts, such as CSV.
    pub fn fields(&self) -> [String; 7] {
        let [period, key, link_type, kind, language, country] =
            self.texts().map(Option::unwrap_or_default);
        [period, key, link_type, kind, language, country, self.count.to_string()]
    }
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct InsightReport {
    /// The counts: the earliest period first, and in it the greatest count.
    pub rows: Vec<InsightRow>,
    /// The number of rows that are hidden because their count is below the threshold.
    pub hidden: usize,
    /// The threshold.
    pub threshold: usize,
}

/// Why a query has no answer.
#[derive(Debug, Error)]
pub enum InsightError<E> {
    /// The counts cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The permissions cannot be read.
    #[error("{0}")]
    Permissions(E),
    /// The query concerns too many counts.
    #[error(
        "the query concerns more than {MAX_LOOKED_AT} documents or {MAX_GROUPS} rows; ask for one company prefix or key, or for fewer dimensions"
    )]
    TooMuch,
}

impl Insight {
    /// Answers a query. `may_read` returns for each of some levels whether its counts may be read;
    /// it is called while no snapshot is held.
    pub fn report<E>(
        &self,
        query: &InsightQuery,
        mut may_read: impl FnMut(&[&str]) -> Result<Vec<bool>, E>,
    ) -> Result<InsightReport, InsightError<E>> {
        let mut sums = BTreeMap::new();
        let mut looked_at = 0;
        // Counts of shorter periods are part of those of longer ones.
        let longest = query.by.unwrap_or(Grain::Month);
        for grain in Grain::ALL.into_iter().filter(|grain| *grain <= longest) {
            for range in &query.ranges {
                let mut after = (!range.is_empty()).then(|| range.clone());
                loop {
                    let mut page = self.page(grain, after.as_deref())?;
                    let Some((last, _)) = page.last() else { break };
                    after = Some(last.clone());
                    looked_at += page.len();
                    if looked_at > MAX_LOOKED_AT {
                        return Err(InsightError::TooMuch);
                    }
                    let whole = page.len();
                    page.retain(|(id, _)| id.starts_with(range.as_str()));
                    let is_end = page.len() < whole;
                    let parts: Vec<_> = page
                        .iter()
                        .filter_map(|(id, bytes)| Some((id.rsplit_once(' ')?, bytes)))
                        .collect();
                    let levels: Vec<_> = parts.iter().map(|((level, _), _)| *level).collect();
                    let allowed = may_read(&levels).map_err(InsightError::Permissions)?;
                    for (((level, container), bytes), allowed) in parts.into_iter().zip(allowed) {
                        if allowed {
                            query.add(grain, level, container, bytes, &mut sums);
                        }
                    }
                    if sums.len() > MAX_GROUPS {
                        return Err(InsightError::TooMuch);
                    }
                    if is_end {
                        break;
                    }
                }
            }
        }
        let threshold = self.options().threshold.get();
        let all = sums.len();
        let mut rows: Vec<_> = sums
            .into_iter()
            .filter(|(_, count)| *count >= threshold as u64)
            .map(|(row, count)| InsightRow { count, ..row })
            .collect();
        let hidden = all - rows.len();
        rows.sort_by(|a, b| a.period.cmp(&b.period).then(b.count.cmp(&a.count)));
        Ok(InsightReport { rows, hidden, threshold })
    }
}

impl InsightQuery {
    /// Adds the counters of a document to the rows, whose own count is not used.
    fn add(
        &self,
        grain: Grain,
        level: &str,
        container: &str,
        bytes: &[u8],
        sums: &mut BTreeMap<InsightRow, u64>,
    ) {
        let first = self.from.map(|from| grain.period(from));
        let last = self.to.map(|to| {
            let before = jiff::SignedDuration::from_nanos(1);
            grain.period(to.checked_sub(before).unwrap_or(to))
        });
        let has = |dimension| self.dimensions.contains(&dimension);
        for ((at, facets), count) in parse(bytes) {
            let period = period_of(container, at);
            if facets.bot != self.bots
                || first.as_ref().is_some_and(|first| period < *first)
                || last.as_ref().is_some_and(|last| period > *last)
            {
                continue;
            }
            let row = InsightRow {
                period: self.by.map(|by| period[..by.length()].to_owned()),
                key: has(Dimension::Key).then(|| level.to_owned()),
                link_type: facets.link_type.filter(|_| has(Dimension::LinkType)),
                kind: has(Dimension::Kind).then_some(facets.kind),
                language: facets.language.filter(|_| has(Dimension::Language)),
                country: facets.country.filter(|_| has(Dimension::Country)),
                count: 0,
            };
            let sum = sums.entry(row).or_default();
            *sum = sum.saturating_add(count);
        }
    }
}
