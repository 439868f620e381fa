//! Entries: everything registered at one anchor (anchor, description and links), immutable and
//! validated when built.
//!
//! All texts are in one buffer, and a link is a row of spans into it, so reading an entry from the
//! store allocates twice, regardless of the number of links. Equal texts are stored once: the
//! target of a default link always occurs again under a descriptive type (RES-2.5.8-3).

use std::fmt;

use jiff::Timestamp;

use crate::Anchor;
use crate::vocabulary::Term;

mod brand;
mod builder;
mod context_source;
mod description;
mod line;
mod link;
mod suspension;
mod validity;

pub use brand::{OrganisationBrand, logo_type};
pub use line::DefaultRole;
pub use link::Link;
pub use suspension::Suspension;

pub(crate) use builder::ContentsBuilder;
pub(crate) use link::LIST_SEPARATOR;

/// Everything registered at one level. It is created by [`read_record`](crate::read_record) or
/// [`Entry::decode`], never from unchecked parts.
///
/// ```
/// use fingerpost_resolver::{Entry, Rules, Vocabulary, read_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let record = br#"{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
/// let entry = read_record(record, &Rules::new(&vocabulary))?.entry;
/// assert_eq!(entry.anchor().as_str(), "01/09520123456788");
/// assert_eq!(entry.item_description(), Some("Tea"));
/// assert_eq!(entry.links().filter(|link| link.is_default()).count(), 1);
/// assert_eq!(Entry::decode(entry.anchor().clone(), &entry.encode()), Ok(entry));
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
#[derive(Clone)]
pub struct Entry {
    anchor: Anchor,
    contents: Contents,
}

impl Entry {
    pub(crate) fn new(anchor: Anchor, contents: Contents) -> Entry {
        Entry { anchor, contents }
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Returns what the entry is attached to.
    pub fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// Returns what a request without a link type gets at this level and below, if the record says
    /// so (RES-2.11-1).
    pub fn default_answer(&self) -> Option<DefaultAnswer> {
        self.contents.default_answer
    }

    /// Returns whether the item is recalled: a request without a link type, at this level or below,
    /// gets the notice about it.
    #[inline]
    pub fn is_recalled(&self) -> bool {
        self.default_answer() == Some(DefaultAnswer::Recall)
    }

    /// Returns whether another item has replaced this one, and answers for it.
    #[inline]
    pub fn is_succeeded(&self) -> bool {
        self.default_answer() == Some(DefaultAnswer::Successor)
    }

    /// Returns all links in registration order, whether valid at the moment or not; see
    /// [`Entry::links_at`].
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<'_>> + DoubleEndedIterator + Clone {
        self.contents.links()
    }

    /// Returns the link at `index` in registration order.
    pub fn link(&self, index: usize) -> Option<Link<'_>> {
        self.contents.link(index)
    }

    /// Returns whether a link is one of this entry, not only equal to one.
    pub fn has(&self, link: Link<'_>) -> bool {
        link.is_in(&self.contents)
    }

    /// Returns the number of links.
    pub fn link_count(&self) -> usize {
        self.contents.rows.len()
    }

    /// Returns whether any link has a validity window. If none has, the result of every method that
    /// takes an instant never changes.
    pub fn has_windows(&self) -> bool {
        self.contents.has_windows
    }

    /// Returns whether any link is for some roles only; see [`Viewer::see`](crate::Viewer::see).
    #[inline]
    pub fn has_access(&self) -> bool {
        self.contents.has_access()
    }

    /// Returns the memory held, in bytes, for caches that are bounded by size.
    pub fn size(&self) -> usize {
        size_of::<Entry>()
            + self.anchor.as_str().len()
            + self.contents.text.len()
            + size_of_val::<[LinkRow]>(&self.contents.rows)
            + self.contents.rows.iter().filter(|row| row.has_window()).count() * size_of::<Window>()
    }
}

impl PartialEq for Entry {
    /// Compares what a registrant sees: anchor, description, and links in their order.
    fn eq(&self, other: &Self) -> bool {
        self.anchor == other.anchor
            && self.contents.text(self.contents.description)
                == other.contents.text(other.contents.description)
            && self.default_answer() == other.default_answer()
            && self.context_source() == other.context_source()
            && self.links().eq(other.links())
    }
}

impl Eq for Entry {}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Entry");
        shown
            .field("anchor", &self.anchor.as_str())
            .field("item_description", &self.item_description());
        shown.field("links", &self.links().collect::<Vec<_>>()).finish()
    }
}

/// What a request without a link type gets (GS1-Conformant Resolver 1.2.0 section 2.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultAnswer {
    /// The linkset.
    Linkset,
    /// A redirect to the default link.
    Link,
    /// A redirect to the notice about a recall, the best link of type `gs1:recallStatus` at this
    /// level, whatever more granular records say.
    Recall,
    /// What the successor of the item answers: a redirect to its Digital Link, in place of the
    /// default link of this level.
    Successor,
}

impl DefaultAnswer {
    /// Returns the value of `defaultLinkType` in a record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linkset => "linkset",
            Self::Link => "gs1:defaultLink",
            Self::Recall => "gs1:recallStatus",
            Self::Successor => SUCCESSOR,
        }
    }

    /// Reads a value of `defaultLinkType`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        [Self::Linkset, Self::Link, Self::Recall, Self::Successor]
            .into_iter()
            .find(|answer| answer.as_str() == text)
    }
}

/// Where the context of a request comes from that names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextSource {
    /// Nowhere: the request has no context.
    Request,
    /// The country of the client, as ISO 3166-1 alpha-2 code.
    Country,
}

impl ContextSource {
    /// Returns the value of `contextFrom` in a record.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Country => "country",
        }
    }

    /// Reads a value of `contextFrom`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        [Self::Request, Self::Country].into_iter().find(|source| source.as_str() == text)
    }
}

/// The description and links of an entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    pub(crate) text: Box<str>,
    pub(crate) description: TextSpan,
    pub(crate) rows: Box<[LinkRow]>,
    pub(crate) default_answer: Option<DefaultAnswer>,
    pub(crate) context_source: Option<ContextSource>,
    /// The positions of the links with a role in selection, so the usual request finds its default
    /// link without a search.
    defaults: IndexRange,
    variants: IndexRange,
    has_windows: bool,
    has_access: bool,
}

impl Contents {
    pub(crate) fn new(
        text: Box<str>,
        description: TextSpan,
        rows: Box<[LinkRow]>,
        default_answer: Option<DefaultAnswer>,
    ) -> Contents {
        let defaults = IndexRange::of(&rows, LinkRow::is_default);
        let variants = IndexRange::of(&rows, LinkRow::is_default_variant);
        let has_windows = rows.iter().any(LinkRow::has_window);
        let has_access = rows.iter().any(|row| !row.access.is_empty());
        Contents {
            text,
            description,
            rows,
            default_answer,
            context_source: None,
            defaults,
            variants,
            has_windows,
            has_access,
        }
    }

    pub(crate) fn has_access(&self) -> bool {
        self.has_access
    }

    /// Returns the same contents that say where the context of a request comes from.
    pub(crate) fn with_context_source(self, context_source: Option<ContextSource>) -> Contents {
        Contents { context_source, ..self }
    }

    /// Returns the contents with these links only, and without the texts of the others.
    pub(crate) fn select(&self, is_kept: impl Fn(Link<'_>) -> bool) -> Contents {
        let mut kept = ContentsBuilder::new();
        kept.set_description([self.text(self.description)]);
        if let Some(answer) = self.default_answer {
            kept.set_default_answer(answer);
        }
        if let Some(source) = self.context_source {
            kept.set_context_source(source);
        }
        for link in self.links().filter(|&link| is_kept(link)) {
            let row = self.copied(&self.rows[link.index()], &mut kept);
            kept.push(row);
        }
        kept.finish()
    }

    /// Returns a row with its texts added to a builder, in the order in which records are read, so
    /// that equal links have equal bytes.
    pub(crate) fn copied(&self, row: &LinkRow, to: &mut ContentsBuilder) -> LinkRow {
        let link_type = match row.link_type {
            LinkTypeText::Term(term) => LinkTypeText::Term(term),
            LinkTypeText::Other(span) => LinkTypeText::Other(to.text(self.text(span))),
        };
        let mut copied = |span| to.text(self.text(span));
        LinkRow {
            link_type,
            href: copied(row.href),
            title: copied(row.title),
            media_type: copied(row.media_type),
            languages: copied(row.languages),
            contexts: copied(row.contexts),
            access: copied(row.access),
            is_template: row.is_template,
            window: row.window.clone(),
        }
    }

    pub(crate) fn links(
        &self,
    ) -> impl ExactSizeIterator<Item = Link<'_>> + DoubleEndedIterator + Clone {
        let rows = self.rows.iter().enumerate();
        rows.map(|(index, row)| Link::new(self, row, index))
    }

    pub(crate) fn link(&self, index: usize) -> Option<Link<'_>> {
        self.rows.get(index).map(|row| Link::new(self, row, index))
    }

    /// Returns the default links, in registration order.
    pub(crate) fn defaults(&self) -> impl Iterator<Item = Link<'_>> + Clone {
        let links = self.links().skip(self.defaults.first);
        links.filter(|link| link.is_default()).take(self.defaults.count)
    }

    /// Returns the variants of the default link, in registration order.
    pub(crate) fn variants(&self) -> impl Iterator<Item = Link<'_>> + Clone {
        let links = self.links().skip(self.variants.first);
        links.filter(|link| link.is_default_variant()).take(self.variants.count)
    }

    /// Returns the text of a span. Spans are created together with the buffer, or checked against
    /// it.
    pub(crate) fn text(&self, span: TextSpan) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

/// The position of the first link with some role, and the number of such links.
#[derive(Clone, Copy, Debug, Default)]
struct IndexRange {
    first: usize,
    count: usize,
}

impl IndexRange {
    fn of(rows: &[LinkRow], has_role: impl Fn(&LinkRow) -> bool) -> IndexRange {
        let first = rows.iter().position(&has_role).unwrap_or(rows.len());
        IndexRange { first, count: rows[first..].iter().filter(|row| has_role(row)).count() }
    }
}

/// A range of the text buffer, in bytes. An empty range means no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextSpan {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl TextSpan {
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The type of a link: GS1 terms refer to the table, all others are text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LinkTypeText {
    Term(&'static Term),
    Other(TextSpan),
}

/// One link, as spans.
#[derive(Clone, Debug)]
pub(crate) struct LinkRow {
    pub(crate) link_type: LinkTypeText,
    pub(crate) href: TextSpan,
    pub(crate) title: TextSpan,
    pub(crate) media_type: TextSpan,
    pub(crate) languages: TextSpan,
    pub(crate) contexts: TextSpan,
    /// The roles that may see the link; empty: everyone.
    pub(crate) access: TextSpan,
    pub(crate) is_template: bool,
    /// Boxed, because few links have one: the others use less memory.
    pub(crate) window: Option<Box<Window>>,
}

/// The link type about recalls, without its namespace.
pub(crate) const RECALL: &str = "recallStatus";

/// The link relation to what replaces an item (RFC 5829 section 3.3).
pub(crate) const SUCCESSOR: &str = "successor-version";

/// The validity window of a link: from one instant until before another.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) from: Option<Timestamp>,
    pub(crate) until: Option<Timestamp>,
}

impl Window {
    /// Creates a window; `None` if neither end is given.
    pub(crate) fn new(from: Option<Timestamp>, until: Option<Timestamp>) -> Option<Box<Window>> {
        (from.is_some() || until.is_some()).then(|| Box::new(Window { from, until }))
    }
}

impl LinkRow {
    /// Returns the row for a text that begins `by` bytes later; `None` if that is too long.
    pub(crate) fn shifted(self, by: u32) -> Option<LinkRow> {
        let shifted = |span: TextSpan| match span.is_empty() {
            true => Some(span),
            false => {
                let start = span.start.checked_add(by)?;
                Some(TextSpan { start, end: span.end.checked_add(by)? })
            }
        };
        Some(LinkRow {
            link_type: match self.link_type {
                LinkTypeText::Term(term) => LinkTypeText::Term(term),
                LinkTypeText::Other(span) => LinkTypeText::Other(shifted(span)?),
            },
            href: shifted(self.href)?,
            title: shifted(self.title)?,
            media_type: shifted(self.media_type)?,
            languages: shifted(self.languages)?,
            contexts: shifted(self.contexts)?,
            access: shifted(self.access)?,
            ..self
        })
    }

    pub(crate) fn is_default(&self) -> bool {
        matches!(self.link_type, LinkTypeText::Term(term) if term.is_default_link())
    }

    pub(crate) fn is_recall(&self) -> bool {
        matches!(self.link_type, LinkTypeText::Term(term) if term.name() == RECALL)
    }

    pub(crate) fn is_default_variant(&self) -> bool {
        matches!(self.link_type, LinkTypeText::Term(term) if term.is_default_variant())
    }

    pub(crate) fn has_window(&self) -> bool {
        self.window.is_some()
    }

    pub(crate) fn valid_from(&self) -> Option<Timestamp> {
        self.window.as_ref().and_then(|window| window.from)
    }

    pub(crate) fn valid_until(&self) -> Option<Timestamp> {
        self.window.as_ref().and_then(|window| window.until)
    }

    pub(crate) fn is_valid_at(&self, now: Timestamp) -> bool {
        self.valid_from().is_none_or(|from| from <= now)
            && self.valid_until().is_none_or(|until| now < until)
    }
}
