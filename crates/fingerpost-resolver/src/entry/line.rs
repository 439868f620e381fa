//! Lines of an entry: a default link, or a variant of it, and the descriptive link that repeats it
//! are one page and one line (RES-2.5.8-3), as the member `default` of records writes them.

use super::{Entry, Link};

/// What a link is besides its own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultRole {
    /// The default link.
    Default,
    /// A variant of the default link.
    Variant,
}

impl Entry {
    /// Returns the links with one line for each page: a default link that stands directly before a
    /// descriptive link with the same target, title and validity is its role, and so is a variant
    /// before a link with the same members. All other links are lines of their own.
    ///
    /// ```
    /// use fingerpost_resolver::{DefaultRole, Rules, Vocabulary, read_record};
    ///
    /// let vocabulary = Vocabulary::builtin();
    /// let record = br#"{"anchor": "/01/09520123456788", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea", "hreflang": ["en"]}]}"#;
    /// let entry = read_record(record, &Rules::new(&vocabulary))?.entry;
    /// let lines: Vec<_> = entry.lines().map(|(link, role)| (link.index(), role)).collect();
    /// assert_eq!(lines, [(1, Some(DefaultRole::Default))]);
    /// # Ok::<(), fingerpost_resolver::Refused>(())
    /// ```
    pub fn lines(&self) -> impl Iterator<Item = (Link<'_>, Option<DefaultRole>)> {
        let mut links = self.links().peekable();
        std::iter::from_fn(move || {
            let link = links.next()?;
            let role = links.peek().and_then(|next| next.repeats(link));
            match role {
                Some(_) => links.next().map(|next| (next, role)),
                None => Some((link, None)),
            }
        })
    }
}

impl Link<'_> {
    /// Returns the role of a link that this one repeats under a descriptive type.
    fn repeats(self, main: Link<'_>) -> Option<DefaultRole> {
        let is_descriptive = !self.is_default() && !self.is_default_variant();
        let is_same = self.href() == main.href()
            && self.title() == main.title()
            && (self.valid_from(), self.valid_until()) == (main.valid_from(), main.valid_until())
            && self.access().eq(main.access());
        if !is_descriptive || !is_same {
            return None;
        }
        // A default link has no further members (RES-2.5.8-2).
        let is_bare = main.media_type().is_none() && !main.has_languages() && !main.has_contexts();
        let is_alike = self.media_type() == main.media_type()
            && self.languages().eq(main.languages())
            && self.contexts().eq(main.contexts());
        match (main.is_default(), main.is_default_variant()) {
            (true, _) if is_bare && !self.has_access() => Some(DefaultRole::Default),
            (_, true) if is_alike => Some(DefaultRole::Variant),
            _ => None,
        }
    }
}
