//! URI references and URIs as values (RFC 3986, sections 3 and 4).

use core::ops::Deref;

use crate::authority::{Authority, Host};
use crate::error::{Component, ErrorKind, ParseError};
use crate::parse::{self, Parts};
use crate::path::{Path, PathForm, Query};
use crate::percent::Encoded;
use crate::text::{borrows_its_text, is_its_text};

/// A valid URI reference: a [`Uri`] or a relative reference. Borrows its text and keeps the offsets
/// of the components, so every accessor takes constant time. [`UriRefBuf`](crate::UriRefBuf) owns
/// its text and has the same methods.
///
/// An undefined component (`None`) is not an empty one. Equality, order and hash are those of the
/// text: to compare what two references mean, use [`equal_at`](Self::equal_at).
///
/// ```
/// use fingerpost_uri::UriRef;
///
/// let uri = UriRef::parse("foo://example.com:8042/over/there?name=ferret#nose")?;
/// assert_eq!(uri.scheme(), Some("foo"));
/// assert_eq!(uri.authority().map(|authority| authority.as_str()), Some("example.com:8042"));
/// assert_eq!(uri.path().as_str(), "/over/there");
/// assert_eq!(uri.query().map(|query| query.as_str()), Some("name=ferret"));
/// assert_eq!(uri.fragment().map(|fragment| fragment.as_str()), Some("nose"));
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone, Copy)]
pub struct UriRef<'a> {
    text: &'a str,
    parts: Parts,
}

/// The kinds of reference (section 4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReferenceKind {
    /// Has a scheme.
    Uri,
    /// Begins with `//`.
    NetworkPath,
    /// Begins with a single `/`.
    AbsolutePath,
    /// Anything else, including the empty reference.
    RelativePath,
}

impl<'a> UriRef<'a> {
    /// Reads a URI reference.
    ///
    /// # Errors
    ///
    /// `text` is not a URI reference: the error has the reason, the component and the offset.
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        match parse::parse(text) {
            Ok(parts) => Ok(Self { text, parts }),
            Err(error) => Err(error.in_text(text)),
        }
    }

    /// Reads a relative reference: one without a scheme.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and [`ErrorKind::UnexpectedScheme`].
    pub fn parse_relative(text: &'a str) -> Result<Self, ParseError> {
        let reference = Self::parse(text)?;
        match reference.parts.scheme_end {
            0 => Ok(reference),
            colon => {
                Err(ParseError::new(ErrorKind::UnexpectedScheme, Component::Scheme, colon as usize)
                    .in_text(text))
            }
        }
    }

    /// Returns the text.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the scheme as written, without its colon.
    pub fn scheme(self) -> Option<&'a str> {
        (self.parts.scheme_end > 0).then(|| self.slice(0, self.parts.scheme_end))
    }

    /// Returns the authority, after `//`.
    pub fn authority(self) -> Option<Authority<'a>> {
        self.parts.authority.map(|parts| Authority::new(self.text, parts, self.parts.path_start))
    }

    /// Returns the host of the authority.
    pub fn host(self) -> Option<Host<'a>> {
        self.authority().map(Authority::host)
    }

    /// Returns the path.
    pub fn path(self) -> Path<'a> {
        Path::new(self.path_text(), self.path_form())
    }

    /// Returns the query, without its question mark.
    pub fn query(self) -> Option<Query<'a>> {
        let Parts { path_end, query_end, .. } = self.parts;
        (query_end > path_end).then(|| Query::new(self.slice(path_end + 1, query_end)))
    }

    /// Returns the fragment, without its number sign.
    pub fn fragment(self) -> Option<Encoded<'a>> {
        self.text.get(self.parts.query_end as usize + 1..).map(Encoded::new)
    }

    /// Returns which kind of reference it is.
    pub fn kind(self) -> ReferenceKind {
        if self.parts.scheme_end > 0 {
            ReferenceKind::Uri
        } else if self.parts.authority.is_some() {
            ReferenceKind::NetworkPath
        } else if self.path().is_absolute() {
            ReferenceKind::AbsolutePath
        } else {
            ReferenceKind::RelativePath
        }
    }

    /// Returns this reference as a URI, if it has a scheme.
    pub fn to_uri(self) -> Option<Uri<'a>> {
        (self.parts.scheme_end > 0).then_some(Uri(self))
    }

    /// Combines a text with the offsets of its components.
    pub(crate) const fn from_parts(text: &'a str, parts: Parts) -> Self {
        Self { text, parts }
    }

    /// Returns the text without the fragment and its number sign.
    pub fn without_fragment(self) -> Self {
        Self { text: self.slice(0, self.parts.query_end), parts: self.parts }
    }

    /// Returns the offsets of the components.
    pub(crate) const fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the path as written.
    pub(crate) fn path_text(self) -> &'a str {
        self.slice(self.parts.path_start, self.parts.path_end)
    }

    fn path_form(self) -> PathForm {
        match (self.parts.authority, self.path_text().as_bytes().first()) {
            (Some(_), _) => PathForm::Abempty,
            (None, None) => PathForm::Empty,
            (None, Some(b'/')) => PathForm::Absolute,
            (None, Some(_)) if self.parts.scheme_end > 0 => PathForm::Rootless,
            (None, Some(_)) => PathForm::Noscheme,
        }
    }

    fn slice(self, start: u32, end: u32) -> &'a str {
        &self.text[start as usize..end as usize]
    }
}

/// A valid URI: a reference with a scheme. It dereferences to [`UriRef`]; [`UriBuf`](crate::UriBuf)
/// owns its text.
#[derive(Clone, Copy)]
pub struct Uri<'a>(UriRef<'a>);

impl<'a> Uri<'a> {
    /// Reads a URI.
    ///
    /// # Errors
    ///
    /// As [`UriRef::parse`], and [`ErrorKind::MissingScheme`] for a relative reference.
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        let reference = UriRef::parse(text)?;
        reference.to_uri().ok_or(ParseError::new(ErrorKind::MissingScheme, Component::Scheme, 0))
    }

    /// Reads an `absolute-URI`: a URI without a fragment, not even an empty one (section 4.3).
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse), and [`ErrorKind::UnexpectedFragment`].
    pub fn parse_absolute(text: &'a str) -> Result<Self, ParseError> {
        let uri = Self::parse(text)?;
        let query_end = uri.0.parts.query_end as usize;
        if query_end < text.len() {
            let error =
                ParseError::new(ErrorKind::UnexpectedFragment, Component::Fragment, query_end);
            return Err(error.in_text(text));
        }
        Ok(uri)
    }

    /// Returns the scheme as written, without its colon.
    pub fn scheme(self) -> &'a str {
        self.0.slice(0, self.0.parts.scheme_end)
    }

    /// Returns this URI as a reference.
    pub const fn as_uri_ref(self) -> UriRef<'a> {
        self.0
    }

    /// Makes a reference with a scheme a URI.
    pub(crate) const fn of_absolute(reference: UriRef<'a>) -> Self {
        Self(reference)
    }

    /// Returns the URI without its fragment: an `absolute-URI`.
    pub fn without_fragment(self) -> Self {
        Self(self.0.without_fragment())
    }
}

impl<'a> Deref for Uri<'a> {
    type Target = UriRef<'a>;

    fn deref(&self) -> &UriRef<'a> {
        &self.0
    }
}

impl<'a> From<Uri<'a>> for UriRef<'a> {
    fn from(uri: Uri<'a>) -> Self {
        uri.0
    }
}

impl<'a> TryFrom<UriRef<'a>> for Uri<'a> {
    type Error = ParseError;

    fn try_from(reference: UriRef<'a>) -> Result<Self, ParseError> {
        reference.to_uri().ok_or(ParseError::new(ErrorKind::MissingScheme, Component::Scheme, 0))
    }
}

is_its_text!(['a] UriRef<'a>, ['a] Uri<'a>);
borrows_its_text! {
    UriRef, ParseError, UriRef::parse;
    Uri, ParseError, Uri::parse;
}
