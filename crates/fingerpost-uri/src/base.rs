//! Selection of the base URI (RFC 3986, section 5.1).

use crate::uri_ref::Uri;

/// The known bases, of which the innermost one applies.
///
/// ```
/// use fingerpost_uri::{BaseUris, Uri};
///
/// let retrieved = Uri::parse("http://example.com/a#top")?;
/// let bases = BaseUris::new().retrieval(retrieved);
/// assert_eq!(bases.base().map(|base| base.as_str()), Some("http://example.com/a"));
///
/// let embedded = Uri::parse("http://example.org/")?;
/// assert_eq!(bases.embedded(embedded).base().map(|base| base.as_str()), Some("http://example.org/"));
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct BaseUris<'a> {
    embedded: Option<Uri<'a>>,
    enclosing: Option<Uri<'a>>,
    retrieval: Option<Uri<'a>>,
    default: Option<Uri<'a>>,
}

impl<'a> BaseUris<'a> {
    /// Creates an empty set of bases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the base that the content itself states (section 5.1.1).
    #[must_use]
    pub fn embedded(self, base: Uri<'a>) -> Self {
        Self { embedded: Some(base), ..self }
    }

    /// Sets the base of the entity that encloses the content, such as a message (section 5.1.2).
    #[must_use]
    pub fn enclosing(self, base: Uri<'a>) -> Self {
        Self { enclosing: Some(base), ..self }
    }

    /// Sets the URI that the content was retrieved from, after redirects (section 5.1.3).
    #[must_use]
    pub fn retrieval(self, base: Uri<'a>) -> Self {
        Self { retrieval: Some(base), ..self }
    }

    /// Sets the default base of the application (section 5.1.4).
    #[must_use]
    pub fn application_default(self, base: Uri<'a>) -> Self {
        Self { default: Some(base), ..self }
    }

    /// Returns the base that applies, without its fragment.
    pub fn base(self) -> Option<Uri<'a>> {
        let base = self.embedded.or(self.enclosing).or(self.retrieval).or(self.default);
        base.map(Uri::without_fragment)
    }
}
