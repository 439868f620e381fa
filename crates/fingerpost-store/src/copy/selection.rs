//! The part of a store that a copy holds, and spans of levels.

use std::ops::Bound;

use fingerpost_engine::end_of;
use serde::{Deserialize, Serialize};

/// The part of a store that a copy holds: the levels that begin with certain texts, such as
/// `01/09506000`.
///
/// ```
/// use fingerpost_store::copy::Selection;
///
/// let selection = Selection::of(["414/9506000", "01/09506000", "01/095060001"]);
/// assert!(selection.covers("01/09506000134352/10/A"));
/// assert!(!selection.covers("01/09520123456788"));
/// assert!(Selection::default().covers("01/09520123456788"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Selection {
    /// Disjoint, and in order.
    prefixes: Vec<String>,
}

impl Selection {
    /// Creates the selection of levels that begin with one of these texts.
    pub fn of<T: Into<String>>(prefixes: impl IntoIterator<Item = T>) -> Self {
        let mut prefixes: Vec<String> = prefixes.into_iter().map(Into::into).collect();
        prefixes.sort_unstable();
        prefixes.dedup_by(|later, kept| later.starts_with(kept.as_str()));
        Self { prefixes }
    }

    /// Returns the texts: disjoint, and in order.
    pub fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    /// Returns whether a level belongs to the selection.
    pub fn covers(&self, level: &str) -> bool {
        let after = self.prefixes.partition_point(|prefix| prefix.as_str() <= level);
        after.checked_sub(1).is_some_and(|before| level.starts_with(self.prefixes[before].as_str()))
    }

    /// Returns the ranges of keys in a span that belong to the selection, in order.
    pub(super) fn ranges(&self, span: &LevelRange) -> Vec<Range> {
        let mut ranges = Vec::new();
        for prefix in &self.prefixes {
            let from = match span.after.as_str() {
                after if after >= prefix.as_str() => Bound::Excluded(after.as_bytes().to_vec()),
                _ => Bound::Included(prefix.as_bytes().to_vec()),
            };
            let end = end_of(prefix.as_bytes());
            let end = match (&span.until, end) {
                (Some(until), Bound::Excluded(end)) if until.as_bytes() >= &*end => {
                    Bound::Excluded(end)
                }
                (Some(until), _) => Bound::Included(until.as_bytes().to_vec()),
                (None, end) => end,
            };
            ranges.push((from, end));
        }
        ranges
    }
}

impl Default for Selection {
    /// Returns the selection of everything.
    fn default() -> Self {
        Self::of([""])
    }
}

impl From<Vec<String>> for Selection {
    fn from(prefixes: Vec<String>) -> Self {
        Self::of(prefixes)
    }
}

impl From<Selection> for Vec<String> {
    fn from(selection: Selection) -> Self {
        selection.prefixes
    }
}

/// A range of keys.
type Range = (Bound<Vec<u8>>, Bound<Vec<u8>>);

/// The levels after one text, up to another one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LevelRange {
    /// The text before the first level; empty for the beginning.
    pub after: String,
    /// The last level; `None` for the end.
    pub until: Option<String>,
}

impl LevelRange {
    /// Creates the span of everything after a text.
    pub fn after(after: impl Into<String>) -> Self {
        Self { after: after.into(), until: None }
    }

    /// Returns the same span, cut off after a level.
    pub fn until(&self, until: Option<&str>) -> Self {
        let until = until.map(str::to_owned).or_else(|| self.until.clone());
        Self { after: self.after.clone(), until }
    }

    /// Returns the rest of the span after a level.
    pub fn rest(&self, after: impl Into<String>) -> Self {
        Self { after: after.into(), until: self.until.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_the_selection_in_the_span() {
        let text = |bound: Bound<Vec<u8>>| bound.map(|bytes| String::from_utf8(bytes).unwrap());
        let ranges = |selection: &Selection, span: &LevelRange| -> Vec<_> {
            selection.ranges(span).into_iter().map(|(a, b)| (text(a), text(b))).collect()
        };
        let (included, excluded) = (
            |text: &str| Bound::Included(text.to_owned()),
            |text: &str| Bound::Excluded(text.to_owned()),
        );
        let two = Selection::of(["01/2", "01/1"]);
        let all = ranges(&two, &LevelRange::default());
        assert_eq!(
            all,
            [(included("01/1"), excluded("01/2")), (included("01/2"), excluded("01/3"))]
        );
        let cut = LevelRange { after: "01/15".to_owned(), until: Some("01/25".to_owned()) };
        let cut = ranges(&two, &cut);
        assert_eq!(cut[0], (excluded("01/15"), excluded("01/2")));
        assert_eq!(cut[1], (included("01/2"), included("01/25")));
        let whole = ranges(&Selection::default(), &LevelRange::after("01/1"));
        assert_eq!(whole, [(excluded("01/1"), Bound::Unbounded)]);
    }
}
