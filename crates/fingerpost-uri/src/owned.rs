//! URI references and URIs that own their text. They have the methods of the borrowed forms.

use alloc::borrow::Cow;
use alloc::string::String;
use core::ops::Deref;

use crate::authority::{Authority, Host};
use crate::error::{Component, ErrorKind, ParseError};
use crate::normalise::Rung;
use crate::parse::Parts;
use crate::path::{Path, Query};
use crate::percent::Encoded;
use crate::text::{is_its_text, owns_its_text, works_like};
use crate::uri_ref::{ReferenceKind, Uri, UriRef};

/// A valid URI reference that owns its text.
///
/// It has the accessors of [`UriRef`], and [`as_uri_ref`](Self::as_uri_ref) gives access to
/// everything else.
///
/// ```
/// use fingerpost_uri::UriRefBuf;
///
/// let reference: UriRefBuf = "../a?b".parse()?;
/// assert_eq!(reference.path().as_str(), "../a");
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone)]
pub struct UriRefBuf {
    text: String,
    parts: Parts,
}

impl UriRefBuf {
    /// Parses a text as a URI reference, without copying it.
    ///
    /// # Errors
    ///
    /// As [`UriRef::parse`]; the text is dropped.
    pub fn parse(text: String) -> Result<Self, ParseError> {
        let parts = *UriRef::parse(&text)?.parts();
        Ok(Self { text, parts })
    }

    /// Combines a text with the offsets of its components, which must equal those that parsing it
    /// gives. Only `odd_triplets` may be set unnecessarily.
    ///
    /// # Panics
    ///
    /// The text is longer than [`MAX_LEN`](crate::MAX_LEN).
    pub(crate) fn from_parts(text: String, parts: Parts) -> Self {
        assert!(text.len() <= crate::MAX_LEN, "a URI reference is longer than MAX_LEN");
        debug_assert_eq!(
            UriRef::parse(&text).map(|found| Parts {
                odd_triplets: found.parts().odd_triplets || parts.odd_triplets,
                ..*found.parts()
            }),
            Ok(parts),
            "{text}"
        );
        Self { text, parts }
    }

    /// Returns the borrowed form.
    pub fn as_uri_ref(&self) -> UriRef<'_> {
        UriRef::from_parts(&self.text, self.parts)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, consuming the value.
    pub fn into_string(self) -> String {
        self.text
    }
}

works_like! { UriRefBuf, UriRef, as_uri_ref:
    scheme() -> Option<&str>;
    authority() -> Option<Authority<'_>>;
    host() -> Option<Host<'_>>;
    path() -> Path<'_>;
    query() -> Option<Query<'_>>;
    fragment() -> Option<Encoded<'_>>;
    kind() -> ReferenceKind;
    to_uri() -> Option<Uri<'_>>;
    resolve(base: Uri<'_>) -> UriBuf;
    normalise(rung: Rung) -> Cow<'_, str>;
    equal_at(other: UriRef<'_>) -> Option<Rung>;
}

/// A valid URI that owns its text. It dereferences to [`UriRefBuf`].
///
/// ```
/// use fingerpost_uri::{Uri, UriBuf, UriRef};
///
/// let base: UriBuf = "http://a/b/c".parse()?;
/// let target: UriBuf = UriRef::parse("../d")?.resolve(base.as_uri());
/// assert_eq!((target.scheme(), target.path().as_str()), ("http", "/d"));
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone)]
pub struct UriBuf(UriRefBuf);

impl UriBuf {
    /// Parses a text as a URI, without copying it.
    ///
    /// # Errors
    ///
    /// As [`Uri::parse`]; the text is dropped.
    pub fn parse(text: String) -> Result<Self, ParseError> {
        let parts = *Uri::parse(&text)?.parts();
        Ok(Self(UriRefBuf { text, parts }))
    }

    /// Makes a reference with a scheme a URI.
    pub(crate) const fn of_absolute(reference: UriRefBuf) -> Self {
        Self(reference)
    }

    /// Returns the borrowed form.
    pub fn as_uri(&self) -> Uri<'_> {
        Uri::of_absolute(self.0.as_uri_ref())
    }

    /// Returns the text, consuming the value.
    pub fn into_string(self) -> String {
        self.0.text
    }
}

works_like! { UriBuf, Uri, as_uri:
    scheme() -> &str;
    relativise(base: Uri<'_>) -> UriRefBuf;
    without_fragment() -> Uri<'_>;
}

impl Deref for UriBuf {
    type Target = UriRefBuf;

    fn deref(&self) -> &UriRefBuf {
        &self.0
    }
}

impl UriRef<'_> {
    /// Returns a copy that owns its text.
    pub fn to_buf(self) -> UriRefBuf {
        UriRefBuf::from_parts(String::from(self.as_str()), *self.parts())
    }
}

impl Uri<'_> {
    /// Returns a copy that owns its text.
    pub fn to_buf(self) -> UriBuf {
        UriBuf::of_absolute(self.as_uri_ref().to_buf())
    }
}

impl From<UriRef<'_>> for UriRefBuf {
    fn from(reference: UriRef<'_>) -> Self {
        reference.to_buf()
    }
}

impl From<Uri<'_>> for UriBuf {
    fn from(uri: Uri<'_>) -> Self {
        uri.to_buf()
    }
}

impl From<UriBuf> for UriRefBuf {
    fn from(uri: UriBuf) -> Self {
        uri.0
    }
}

impl TryFrom<UriRefBuf> for UriBuf {
    type Error = ParseError;

    fn try_from(reference: UriRefBuf) -> Result<Self, ParseError> {
        match reference.to_uri() {
            Some(_) => Ok(Self(reference)),
            None => Err(ParseError::new(ErrorKind::MissingScheme, Component::Scheme, 0)),
        }
    }
}

is_its_text!([] UriRefBuf, [] UriBuf);
owns_its_text! {
    UriRefBuf, ParseError;
    UriBuf, ParseError;
}
