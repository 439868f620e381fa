//! The query of the draft (URN draft of 2012, section 2.3).
//!
//! ```text
//! query     = directive *( "&" directive )
//! directive = keywd "=" value
//! keywd     = ALPHA *( [ "-" ] ( ALPHA / DIGIT ) )
//! value     = *( unreserved / pct-encoded / "!" / "$" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "=" / ":" / "@" /
//! "/" / "?" )
//! ```

use super::{UrnError, UrnErrorKind, check as check_characters};
use crate::class::IS_QUERY;

/// One `keyword=value`; both are compared case-sensitively (URN-QRY-05).
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
            // The first `=`: the value may contain more (URN-SVC-04).
            let (keyword, value) = directive.split_once('=').unwrap_or((directive, ""));
            Directive { keyword, value }
        })
    }

    /// Returns the directives whose keyword occurs once: a resolver ignores the others (URN-QRY-06).
    pub fn iter_effective(self) -> impl Iterator<Item = Directive<'a>> {
        self.iter().filter(move |directive| self.occurrences(directive.keyword) == 1)
    }

    /// Returns the keywords that occur more than once, each listed once.
    pub fn duplicate_keywords(self) -> impl Iterator<Item = &'a str> {
        let keywords = move || self.iter().map(|directive| directive.keyword);
        keywords()
            .enumerate()
            .filter(move |&(at, keyword)| {
                self.occurrences(keyword) > 1
                    && !keywords().take(at).any(|earlier| earlier == keyword)
            })
            .map(|(_, keyword)| keyword)
    }

    /// Returns the value of a keyword that occurs exactly once.
    pub fn effective(self, keyword: &str) -> Option<&'a str> {
        self.iter_effective()
            .find(|directive| directive.keyword == keyword)
            .map(|directive| directive.value)
    }

    fn occurrences(self, keyword: &str) -> usize {
        self.iter().filter(|directive| directive.keyword == keyword).count()
    }
}

/// Checks the query between the question mark at `question` and `end`; returns `None` if there is no question mark.
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

/// Returns whether the keyword is a letter followed by letters and digits with single hyphens between them (URN-QRY-03).
fn is_keyword(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}
