//! One link of an entry, borrowed (GS1-Conformant Resolver 1.2.0, sections 2.5.1 to 2.5.8).

use std::borrow::Cow;
use std::fmt;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;

use super::{Contents, LinkRow, LinkTypeText, SUCCESSOR, TextSpan};
use crate::limits::MAX_VALUE_BYTES;
use crate::target;
use crate::vocabulary::Term;

/// One link of an [`Entry`](crate::Entry).
#[derive(Clone, Copy)]
pub struct Link<'e> {
    contents: &'e Contents,
    row: &'e LinkRow,
    index: usize,
}

impl<'e> Link<'e> {
    pub(crate) fn new(contents: &'e Contents, row: &'e LinkRow, index: usize) -> Link<'e> {
        Link { contents, row, index }
    }

    pub(super) fn is_in(self, contents: &Contents) -> bool {
        std::ptr::eq(self.contents, contents)
    }

    /// Returns its position in registration order, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// Returns the link type in its normal spelling: a full IRI, or a bare IANA relation.
    pub fn link_type(self) -> &'e str {
        match self.row.link_type {
            LinkTypeText::Term(term) => term.iri(),
            LinkTypeText::Other(span) => self.text(span),
        }
    }

    /// Returns the term of the GS1 Web Vocabulary, if the link type is one.
    pub fn term(self) -> Option<&'static Term> {
        match self.row.link_type {
            LinkTypeText::Term(term) => Some(term),
            LinkTypeText::Other(_) => None,
        }
    }

    /// Returns whether the link is a `gs1:defaultLink`.
    pub fn is_default(self) -> bool {
        self.row.is_default()
    }

    /// Returns whether the link is a `gs1:defaultLinkMulti`.
    pub fn is_default_variant(self) -> bool {
        self.row.is_default_variant()
    }

    /// Returns whether the link is a `gs1:recallStatus`.
    pub fn is_recall(self) -> bool {
        self.row.is_recall()
    }

    /// Returns whether the link is a `successor-version`.
    pub fn is_successor(self) -> bool {
        self.link_type() == SUCCESSOR
    }

    /// Returns the target as stored, including placeholders, in visible ASCII.
    pub fn href(self) -> &'e str {
        self.text(self.row.href)
    }

    /// Returns whether the target has placeholders.
    pub fn is_template(self) -> bool {
        self.row.is_template
    }

    /// Returns the target for `entity`, with placeholders filled. `None`: the link is not available
    /// for this entity, because the path or fragment has a placeholder without a value, or a value
    /// would make a whole path segment `.` or `..` (RES-2.5.1-7).
    pub fn expand(self, entity: &EntityKey) -> Option<Cow<'e, str>> {
        if self.row.is_template {
            target::expand(self.href(), entity).map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(self.href()))
        }
    }

    /// Returns whether [`Link::expand`] returns a target.
    pub(crate) fn is_available_for(self, entity: &EntityKey) -> bool {
        !self.row.is_template || target::can_be_filled(self.href(), entity)
    }

    /// Returns the title, which is not blank and has no control characters.
    pub fn title(self) -> &'e str {
        self.text(self.row.title)
    }

    /// Returns the media type as given; compare it with
    /// [`media_type_essence`](crate::media_type_essence).
    pub fn media_type(self) -> Option<&'e str> {
        Some(self.text(self.row.media_type)).filter(|text| !text.is_empty())
    }

    /// Returns the language tags as given, in order.
    pub fn languages(self) -> impl DoubleEndedIterator<Item = &'e str> + Clone + use<'e> {
        items(self.text(self.row.languages))
    }

    /// Returns the first language tag as given.
    pub fn first_language(self) -> Option<&'e str> {
        let list = self.text(self.row.languages);
        let end = list.bytes().position(|byte| char::from(byte) == LIST_SEPARATOR);
        Some(&list[..end.unwrap_or(list.len())]).filter(|tag| !tag.is_empty())
    }

    /// Returns whether the link has language tags.
    pub fn has_languages(self) -> bool {
        !self.row.languages.is_empty()
    }

    /// Returns the context values as given, in order.
    pub fn contexts(self) -> impl DoubleEndedIterator<Item = &'e str> + Clone + use<'e> {
        items(self.text(self.row.contexts))
    }

    /// Returns whether the link has context values.
    pub fn has_contexts(self) -> bool {
        !self.row.contexts.is_empty()
    }

    /// Returns the roles that may see the link, in order; none: everyone.
    pub fn access(self) -> impl DoubleEndedIterator<Item = &'e str> + Clone + use<'e> {
        items(self.text(self.row.access))
    }

    /// Returns whether only some roles may see the link.
    pub fn has_access(self) -> bool {
        !self.row.access.is_empty()
    }

    /// Returns the first instant at which the link exists; `None` if it has no beginning.
    pub fn valid_from(self) -> Option<Timestamp> {
        self.row.valid_from()
    }

    /// Returns the first instant at which the link no longer exists; `None` if it never ends.
    pub fn valid_until(self) -> Option<Timestamp> {
        self.row.valid_until()
    }

    /// Returns whether the link has a validity window.
    pub fn has_window(self) -> bool {
        self.row.has_window()
    }

    /// Returns whether `now` is in the validity window. A default link may still be overruled by
    /// another one, and a variant may be suspended; see
    /// [`Entry::links_at`](crate::Entry::links_at).
    pub fn is_valid_at(self, now: Timestamp) -> bool {
        self.row.is_valid_at(now)
    }

    /// Returns the size of its published texts in bytes, with every placeholder filled by the
    /// longest value.
    pub(crate) fn published_bytes(self) -> usize {
        let filled = if self.row.is_template {
            target::placeholders(self.href()) * MAX_VALUE_BYTES
        } else {
            0
        };
        let others = [self.row.title, self.row.media_type, self.row.languages, self.row.contexts];
        let others = others.map(|span| self.text(span).len()).iter().sum::<usize>();
        self.link_type().len() + self.href().len() + filled + others
    }

    fn text(self, span: TextSpan) -> &'e str {
        self.contents.text(span)
    }
}

impl PartialEq for Link<'_> {
    /// Compares what a registrant sees; the position in the entry is ignored.
    fn eq(&self, other: &Self) -> bool {
        self.link_type() == other.link_type()
            && self.href() == other.href()
            && self.is_template() == other.is_template()
            && self.title() == other.title()
            && self.media_type() == other.media_type()
            && self.languages().eq(other.languages())
            && self.contexts().eq(other.contexts())
            && self.access().eq(other.access())
            && self.valid_from() == other.valid_from()
            && self.valid_until() == other.valid_until()
    }
}

impl Eq for Link<'_> {}

impl fmt::Debug for Link<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Link");
        shown.field("link_type", &self.link_type()).field("href", &self.href());
        shown.field("title", &self.title()).field("media_type", &self.media_type());
        shown.field("languages", &self.languages().collect::<Vec<_>>());
        shown.field("contexts", &self.contexts().collect::<Vec<_>>());
        shown.field("access", &self.access().collect::<Vec<_>>());
        shown.field("valid_from", &self.valid_from());
        shown.field("valid_until", &self.valid_until()).finish()
    }
}

/// Returns the items of a list that is stored as one text.
fn items(list: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    list.split(LIST_SEPARATOR).filter(|item| !item.is_empty())
}

/// Separates the items of a list stored as one text. No value may contain it, because it is a
/// control character.
pub(crate) const LIST_SEPARATOR: char = '\n';

#[cfg(test)]
mod tests {
    use crate::{Rules, Vocabulary, read_record};

    /// 35.2: scans are counted by the first language of the link.
    #[test]
    fn the_first_language_is_the_first_of_all() {
        for (tags, first) in
            [("[]", None), ("[\"fr\"]", Some("fr")), ("[\"en-GB\", \"fr\"]", Some("en-GB"))]
        {
            let record = format!(
                "{{\"anchor\": \"/01/09520123456788\", \"links\": [{{\"linkType\": \"gs1:defaultLink\", \
                 \"href\": \"https://example.com/p\", \"title\": \"Tea\"}}, {{\"linkType\": \"gs1:pip\", \
                 \"href\": \"https://example.com/p\", \"title\": \"Tea\", \"hreflang\": {tags}}}]}}"
            );
            let vocabulary = Vocabulary::builtin();
            let entry = read_record(record.as_bytes(), &Rules::new(&vocabulary)).unwrap().entry;
            let link = entry.link(1).unwrap();
            assert_eq!(link.first_language(), first);
            assert_eq!(link.first_language(), link.languages().next());
        }
    }
}
