//! One link of an entry, borrowed (GS1-Conformant Resolver 1.2.0, sections 2.5.1 to 2.5.8).

use std::borrow::Cow;
use std::fmt;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;

use super::{Contents, LinkRow, LinkTypeText, TextSpan};
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

    /// Place in registration order, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// The link type in its one spelling: a full IRI, or a bare IANA relation.
    #[must_use]
    pub fn link_type(self) -> &'e str {
        match self.row.link_type {
            LinkTypeText::Term(term) => term.iri(),
            LinkTypeText::Other(span) => self.text(span),
        }
    }

    /// The term of the GS1 Web Vocabulary, if the link type is one.
    #[must_use]
    pub fn term(self) -> Option<&'static Term> {
        match self.row.link_type {
            LinkTypeText::Term(term) => Some(term),
            LinkTypeText::Other(_) => None,
        }
    }

    /// Returns whether it is a `gs1:defaultLink`.
    #[must_use]
    pub fn is_default(self) -> bool {
        self.row.is_default()
    }

    /// Returns whether it is a `gs1:defaultLinkMulti`.
    #[must_use]
    pub fn is_default_variant(self) -> bool {
        self.row.is_default_variant()
    }

    /// The target as stored, placeholders included. Visible ASCII.
    #[must_use]
    pub fn href(self) -> &'e str {
        self.text(self.row.href)
    }

    /// Returns whether the target has placeholders.
    #[must_use]
    pub fn is_template(self) -> bool {
        self.row.is_template
    }

    /// The target for `entity`, placeholders filled. `None`: the link is not available for this
    /// entity, because a value would make a whole path segment `.` or `..` (RES-2.5.1-7).
    #[must_use]
    pub fn expand(self, entity: &EntityKey) -> Option<Cow<'e, str>> {
        if self.row.is_template {
            target::expand(self.href(), entity).map(Cow::Owned)
        } else {
            Some(Cow::Borrowed(self.href()))
        }
    }

    /// Whether [`Link::expand`] gives a target.
    pub(crate) fn is_available_for(self, entity: &EntityKey) -> bool {
        !self.row.is_template || target::can_be_filled(self.href(), entity)
    }

    /// The title: not blank, no control characters.
    #[must_use]
    pub fn title(self) -> &'e str {
        self.text(self.row.title)
    }

    /// The media type as given; compare it by [`media_type_essence`](crate::media_type_essence).
    #[must_use]
    pub fn media_type(self) -> Option<&'e str> {
        Some(self.text(self.row.media_type)).filter(|text| !text.is_empty())
    }

    /// The language tags as given, in order.
    pub fn languages(self) -> impl DoubleEndedIterator<Item = &'e str> + Clone + use<'e> {
        items(self.text(self.row.languages))
    }

    /// Returns whether it has language tags.
    #[must_use]
    pub fn has_languages(self) -> bool {
        !self.row.languages.is_empty()
    }

    /// The context values as given, in order.
    pub fn contexts(self) -> impl DoubleEndedIterator<Item = &'e str> + Clone + use<'e> {
        items(self.text(self.row.contexts))
    }

    /// Returns whether it has context values.
    #[must_use]
    pub fn has_contexts(self) -> bool {
        !self.row.contexts.is_empty()
    }

    /// The first instant at which the link exists; `None`: since ever.
    #[must_use]
    pub fn valid_from(self) -> Option<Timestamp> {
        self.row.valid_from()
    }

    /// The first instant at which the link no longer exists; `None`: never ends.
    #[must_use]
    pub fn valid_until(self) -> Option<Timestamp> {
        self.row.valid_until()
    }

    /// Returns whether it has a validity window.
    #[must_use]
    pub fn has_window(self) -> bool {
        self.row.has_window()
    }

    /// Is `now` in its validity window? A default link may still be overruled by another one and a
    /// variant may rest: see [`Entry::links_at`](crate::Entry::links_at).
    #[must_use]
    pub fn is_valid_at(self, now: Timestamp) -> bool {
        self.row.is_valid_at(now)
    }

    fn text(self, span: TextSpan) -> &'e str {
        self.contents.text(span)
    }
}

impl PartialEq for Link<'_> {
    /// Equal as a registrant sees them; the place in the entry does not count.
    fn eq(&self, other: &Self) -> bool {
        self.link_type() == other.link_type()
            && self.href() == other.href()
            && self.is_template() == other.is_template()
            && self.title() == other.title()
            && self.media_type() == other.media_type()
            && self.languages().eq(other.languages())
            && self.contexts().eq(other.contexts())
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
        shown.field("valid_from", &self.valid_from());
        shown.field("valid_until", &self.valid_until()).finish()
    }
}

/// The items of a list that is held as one text.
fn items(list: &str) -> impl DoubleEndedIterator<Item = &str> + Clone {
    list.split(LIST_SEPARATOR).filter(|item| !item.is_empty())
}

/// Between the items of a list held as one text: no value may contain it, as it is a control
/// character.
pub(crate) const LIST_SEPARATOR: char = '\n';
