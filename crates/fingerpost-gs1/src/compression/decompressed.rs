//! The result of reading a compressed URI.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::{DigitalLink, Element, EntityKey, Error, Options, Span, Warning, WarningKind};

/// The form of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompressionExtent {
    /// As an ordinary Digital Link URI.
    Uncompressed,
    /// The primary key uncompressed, all other elements compressed.
    Partial,
    /// All elements compressed.
    Full,
}

/// A URI read by [`decompress`](super::decompress), uncompressed and checked.
///
/// ```
/// use fingerpost_gs1::{Ai, Options};
/// use fingerpost_gs1::compression::decompress;
///
/// let read = decompress("https://example.com/GhFRJydaKIlXglgZQKMDk", &Options::new())?;
/// assert_eq!(read.uri(), "https://example.com/01/09520123456788/10/ABC1/21/12345?17=180426");
/// assert_eq!(read.link().value_of(Ai::LOT), Some("ABC1"));
/// assert_eq!(
///     read.link().to_element_string().to_bracketed(),
///     "(01)09520123456788(10)ABC1(21)12345(17)180426",
/// );
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Decompressed {
    pub(super) form: CompressionExtent,
    pub(super) link: DigitalLink<'static>,
    pub(super) warnings: Vec<Warning>,
}

impl Decompressed {
    /// Parses a link that is not compressed.
    pub(super) fn uncompressed(uri: &str, options: &Options) -> Result<Decompressed, Error> {
        let (link, warnings) = DigitalLink::read_owned(String::from(uri), options, true)?;
        Ok(Decompressed { form: CompressionExtent::Uncompressed, link, warnings })
    }

    pub(super) fn warned(mut self, kind: WarningKind, span: Span) -> Decompressed {
        self.warnings.push(Warning::new(kind, None, span));
        self
    }

    /// Returns the form of the input.
    #[must_use]
    pub fn form(&self) -> CompressionExtent {
        self.form
    }

    /// Returns the uncompressed URI. Its attributes are in the order of their AIs, followed by
    /// pairs that are not GS1's, then the query that was not compressed; the fragment is that
    /// of the input.
    #[must_use]
    pub fn uri(&self) -> &str {
        self.link.uri()
    }

    /// Returns the same, without copying it.
    #[must_use]
    pub fn into_uri(self) -> String {
        self.link.into_uri()
    }

    /// Returns the uncompressed URI with its parts, as its parser returns it. Warnings are not in
    /// it, but in this value.
    #[must_use]
    pub fn link(&self) -> &DigitalLink<'static> {
        &self.link
    }

    /// Returns key, qualifiers and attributes, in this order. Their spans point into
    /// [`Decompressed::uri`].
    #[must_use]
    pub fn elements(&self) -> &[Element<'static>] {
        self.link.elements()
    }

    /// Returns key and qualifiers as one canonical text.
    #[must_use]
    pub fn entity_key(&self) -> EntityKey {
        self.link.entity_key()
    }

    /// Returns the query of the uncompressed URI, without its `?`: attributes and other pairs.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.link.query()
    }

    /// Returns the corrections and guesses. Spans point into the input.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl fmt::Debug for Decompressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressed")
            .field("form", &self.form)
            .field("uri", &self.uri())
            .field("warnings", &self.warnings)
            .finish()
    }
}
