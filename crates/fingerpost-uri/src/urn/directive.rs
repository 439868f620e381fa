//! The query of the draft (URN draft of 2012, section 2.3).
//!
//! ```text
//! query     = directive *( "&" directive )
//! directive = keywd "=" value
//! keywd     = ALPHA *( [ "-" ] ( ALPHA / DIGIT ) )
//! value     = *( unreserved / pct-encoded / "!" / "$" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "=" / ":" / "@" /
//! "/" / "?" )
//! ```

use alloc::vec::Vec;

use super::{UrnError, UrnErrorKind, check as check_characters};
use crate::class::IS_QUERY;

/// One `keyword=value`; both are compared case-sensitively.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Directive<'a> {
    keyword: &'a str,
    value: &'a str,
}

impl<'a> Directive<'a> {
    /// Returns the part before the first `=`.
    pub const fn keyword(self) -> &'a str {
        self.keyword
    }

    /// Returns the part after the first `=`; possibly empty.
    pub const fn value(self) -> &'a str {
        self.value
    }
}

/// The directives of a URN reference, in their original order, which has no meaning.
///
/// ```
/// use fingerpost_uri::urn::{Mode, Urn};
///
/// let directives = Urn::parse("urn:foo:a?s=I2L&s=I2R&c=x", Mode::Draft)?.directives();
/// assert_eq!(directives.iter().count(), 3);
/// assert_eq!(directives.effective("s"), None, "a repeated keyword cancels itself");
/// assert_eq!(directives.effective("c"), Some("x"));
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directives<'a> {
    query: Option<&'a str>,
}

impl<'a> Directives<'a> {
    /// Wraps a query; the caller guarantees that it was validated.
    pub(super) const fn new(query: Option<&'a str>) -> Self {
        Self { query }
    }

    /// Returns all directives.
    pub fn iter(self) -> impl Iterator<Item = Directive<'a>> + Clone {
        self.query.into_iter().flat_map(|query| query.split('&')).map(|directive| {
            // The first `=`: the value may contain more.
            let (keyword, value) = directive.split_once('=').unwrap_or((directive, ""));
            Directive { keyword, value }
        })
    }

    /// Returns the directives whose keyword occurs once: a resolver ignores the others. Takes the
    /// time of sorting them by keyword.
    pub fn iter_effective(self) -> impl Iterator<Item = Directive<'a>> {
        let all: Vec<_> = self.iter().collect();
        let mut is_single = alloc::vec![false; all.len()];
        for equal in by_keyword(&all).chunk_by(|&a, &b| all[a].keyword == all[b].keyword) {
            is_single[equal[0]] = equal.len() == 1;
        }
        all.into_iter()
            .zip(is_single)
            .filter_map(|(directive, is_single)| is_single.then_some(directive))
    }

    /// Returns the keywords that occur more than once, each listed once, in the order in which they
    /// first occur. Takes the time of sorting them.
    pub fn duplicate_keywords(self) -> impl Iterator<Item = &'a str> {
        let all: Vec<_> = self.iter().collect();
        let order = by_keyword(&all);
        let equal = order.chunk_by(|&a, &b| all[a].keyword == all[b].keyword);
        let mut firsts: Vec<usize> =
            equal.filter(|equal| equal.len() > 1).map(|equal| equal[0]).collect();
        firsts.sort_unstable();
        firsts.into_iter().map(move |at| all[at].keyword)
    }

    /// Returns the value of a keyword that occurs exactly once. Takes linear time.
    pub fn effective(self, keyword: &str) -> Option<&'a str> {
        let mut found = self.iter().filter(|directive| directive.keyword == keyword);
        let first = found.next()?;
        found.next().is_none().then_some(first.value)
    }
}

/// Returns the positions of the directives, ordered by keyword; equal keywords stay in their order.
fn by_keyword(directives: &[Directive<'_>]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..directives.len()).collect();
    positions.sort_by_key(|&at| directives[at].keyword);
    positions
}

/// Checks the query between the question mark at `question` and `end`; returns `None` if there is
/// no question mark.
pub(super) fn check(text: &str, question: usize, end: usize) -> Result<Option<&str>, UrnError> {
    let Some(query) = text.get(question + 1..end) else { return Ok(None) };
    // `&` separates directives; any other character of a generic query is allowed in a value.
    check_characters(text, question + 1, end, IS_QUERY)?;
    let mut at = question + 1;
    for directive in query.split('&') {
        let keyword = directive.split_once('=').map(|(keyword, _)| keyword);
        if !keyword.is_some_and(is_keyword) {
            return Err(UrnError::new(UrnErrorKind::Directive, at));
        }
        at += directive.len() + 1;
    }
    Ok(Some(query))
}

/// Returns whether the keyword is a letter followed by letters and digits with single hyphens
/// between them.
fn is_keyword(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}
