//! GS1 Digital Link URIs: GS1 Digital Link URI Syntax 1.4.1, section 4.
//!
//! Parsing is in `parse` and the files beside it, one per part of the URI; writing is in `write`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::element::{Element, Elements};
use crate::findings::{Findings, FirstError, Report};
use crate::{Ai, ElementString, EntityKey, Error, Options, Span};

mod authority;
mod chars;
mod owned;
mod parse;
mod path;
mod query;
pub(crate) mod sequence;
mod structure;
mod value;
mod warning;
mod words;
mod write;

pub(crate) use owned::OwnedLink;
use parse::{Layout, Parser};
use query::{Piece, Pieces};
pub use warning::{Warning, WarningKind};

/// A GS1 Digital Link URI, parsed and checked.
///
/// It borrows from the parsed text. Up to eight elements without percent triplets need no allocation.
///
/// ```
/// use fingerpost_gs1::{Ai, DigitalLink};
///
/// let link = DigitalLink::parse("https://a.example/x/01/09520123456788/10/AB%2F1?17=201225&lang=fr")?;
/// assert_eq!(link.stem(), "https://a.example/x");
/// assert_eq!(link.key().ai(), Ai::GTIN);
/// assert_eq!(link.qualifiers()[0].value(), "AB/1");
/// assert_eq!(link.attributes()[0].value(), "201225");
/// assert_eq!(link.extensions().collect::<Vec<_>>(), ["lang=fr"]);
/// assert_eq!(link.canonical(), "https://id.gs1.org/01/09520123456788/10/AB%2F1?17=201225");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct DigitalLink<'a> {
    uri: &'a str,
    layout: Layout,
    elements: Elements<'a>,
    path_len: usize,
    warnings: Vec<Warning>,
    alphas: bool,
}

impl<'a> DigitalLink<'a> {
    /// The stem of reference and canonical URIs.
    pub const REFERENCE_STEM: &'static str = "https://id.gs1.org";

    /// The maximum length of a URI to parse or write, in bytes.
    pub const MAX_LEN: usize = parse::MAX_LEN;

    /// Reads a URI, strictly.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let error = DigitalLink::parse("https://a.example/01/09520123456789").unwrap_err();
    /// assert_eq!(error.to_string(), "check digit of (01) is 9, expected 8");
    /// assert_eq!(error.span().start, 34);
    /// ```
    ///
    /// # Errors
    ///
    /// The first error; its span points into `uri`. Errors of the syntax come first, then those of the structure, the
    /// values, and the associations.
    #[inline(always)]
    pub fn parse(uri: &'a str) -> Result<Self, Error> {
        Self::read_first(uri, None, &STRICT)
    }

    /// Parses a URI according to `options`.
    ///
    /// ```
    /// use fingerpost_gs1::{DigitalLink, Options};
    ///
    /// let uri = "https://a.example/01/9520123456788/";
    /// assert!(DigitalLink::parse(uri).is_err());
    /// let link = DigitalLink::parse_with(uri, &Options::new().lenient())?;
    /// assert_eq!(link.key().value(), "09520123456788");
    /// assert_eq!(link.warnings().len(), 2);
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DigitalLink::parse`].
    #[inline(always)]
    pub fn parse_with(uri: &'a str, options: &Options) -> Result<Self, Error> {
        Self::read_first(uri, None, options)
    }

    /// Parses a URI whose stem (scheme, host, and optional path segments) is known: the path is parsed from the left,
    /// directly after the stem. A second key in the path is then an error, whereas [`DigitalLink::parse_with`] would
    /// treat the first one as part of the stem.
    ///
    /// ```
    /// use fingerpost_gs1::{DigitalLink, Options};
    ///
    /// let (stem, options) = ("https://a.example/x", Options::new());
    /// let uri = "https://a.example/x/01/09520123456788/414/9520123456788";
    /// assert_eq!(DigitalLink::parse_with(uri, &options)?.key().value(), "9520123456788");
    /// let error = DigitalLink::parse_below(stem, uri, &options).unwrap_err();
    /// assert_eq!(error.code(), "QUALIFIER_SEQUENCE");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DigitalLink::parse`]; `NO_PRIMARY_KEY` also if the URI does not begin with `stem`.
    pub fn parse_below(stem: &str, uri: &'a str, options: &Options) -> Result<Self, Error> {
        Self::read_first(uri, Some(stem), options)
    }

    /// Parses a URI to its end and lists all errors: of syntax and structure as far as the text can be parsed, of every
    /// value, and, if there are none of these, of the associations. Returns the URI if there are no errors.
    ///
    /// ```
    /// use fingerpost_gs1::{DigitalLink, Options};
    ///
    /// let uri = "https://a.example/01/09520123456789/10/A%5EB?17=201325";
    /// let (link, findings) = DigitalLink::inspect(uri, &Options::new());
    /// assert!(link.is_none());
    /// let codes: Vec<_> = findings.errors().iter().map(|error| error.code()).collect();
    /// assert_eq!(codes, ["FNC1_IN_VALUE", "L_INCORRECT_CHECK_DIGIT", "L_ILLEGAL_MONTH"]);
    /// ```
    #[must_use]
    pub fn inspect(uri: &'a str, options: &Options) -> (Option<Self>, Findings) {
        Findings::collect(|findings| Self::read(uri, options, findings))
    }

    /// Parses a URI; `report` decides whether to stop at the first error.
    pub(crate) fn read(
        uri: &'a str,
        options: &Options,
        report: &mut impl Report,
    ) -> Result<Self, Error> {
        let mut link = Self::unread(uri, options);
        match Parser::new(&mut link, options, report).run(None) {
            Ok(()) => Ok(link),
            Err(error) => Err(parse::on_characters(uri, error)),
        }
    }

    /// Parses a URI up to the first error.
    ///
    /// Inlined, so that `fill` writes directly to the caller's variable: a `DigitalLink` is large, and copying it piece
    /// by piece after writing costs more than parsing a GTIN.
    #[inline(always)]
    fn read_first(uri: &'a str, stem: Option<&str>, options: &Options) -> Result<Self, Error> {
        let mut link = Self::unread(uri, options);
        match link.fill(stem, options) {
            Ok(()) => Ok(link),
            Err(error) => Err(error),
        }
    }

    #[inline(never)]
    fn fill(&mut self, stem: Option<&str>, options: &Options) -> Result<(), Error> {
        let uri = self.uri;
        Parser::new(self, options, &mut FirstError)
            .run(stem)
            .map_err(|error| parse::on_characters(uri, error))
    }

    #[inline(always)]
    fn unread(uri: &'a str, options: &Options) -> Self {
        DigitalLink {
            uri,
            layout: Layout::NONE,
            elements: Elements::new(),
            path_len: 0,
            warnings: Vec::new(),
            alphas: options.allows_convenience_alphas(),
        }
    }

    /// Returns the parsed text.
    #[must_use]
    pub fn uri(&self) -> &'a str {
        self.uri
    }

    /// Returns everything before the key: scheme, host, and any path segments, without a trailing slash.
    #[must_use]
    pub fn stem(&self) -> &'a str {
        &self.uri[..self.layout.path().start]
    }

    /// Returns the primary key.
    #[must_use]
    pub fn key(&self) -> &Element<'a> {
        &self.elements[0]
    }

    /// Returns the qualifiers, in the order of the path.
    #[must_use]
    pub fn qualifiers(&self) -> &[Element<'a>] {
        &self.elements[1..self.path_len]
    }

    /// Returns the attributes, in the order of the query.
    #[must_use]
    pub fn attributes(&self) -> &[Element<'a>] {
        &self.elements[self.path_len..]
    }

    /// Returns key, qualifiers and attributes, in this order.
    #[must_use]
    pub fn elements(&self) -> &[Element<'a>] {
        &self.elements
    }

    /// Returns the value of `ai`, in any part of the URI.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, DigitalLink};
    ///
    /// let link = DigitalLink::parse("https://a.example/01/09520123456788/10/A")?;
    /// assert_eq!(link.value_of(Ai::LOT), Some("A"));
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn value_of(&self, ai: Ai) -> Option<&str> {
        self.elements.iter().find(|element| element.ai() == ai).map(Element::value)
    }

    /// Returns the pieces of the query that are not AIs, including `linkType` and `context`, as written and in their
    /// order.
    pub fn extensions(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (uri, alphas) = (self.uri, self.alphas);
        let query = self.layout.query().unwrap_or(Span { start: 0, end: 0 });
        Pieces::new(uri, query)
            .filter(move |&span| matches!(Piece::of(uri, span, alphas), Piece::Extension))
            .map(move |span| &uri[span.start..span.end])
    }

    /// Returns the query, without its `?`.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        self.layout.query().map(|span| &self.uri[span.start..span.end])
    }

    /// Returns the fragment, without its `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&'a str> {
        self.layout.fragment().map(|span| &self.uri[span.start..span.end])
    }

    /// Returns the corrections of the lenient parser, in order of occurrence.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns key and qualifiers as one canonical text.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let link = DigitalLink::parse("https://a.example/01/09520123456788/10/A?17=201225")?;
    /// assert_eq!(link.entity_key().as_str(), "01/09520123456788/10/A");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn entity_key(&self) -> EntityKey {
        let path = &self.elements[..self.path_len];
        EntityKey::from_checked(path.iter().map(|element| (element.ai(), element.value())))
    }

    /// Returns the elements as barcode data, in the order of the URI. Stem, extensions and fragment are not included.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let link = DigitalLink::parse("https://a.example/01/09520123456788/10/A?17=201225")?;
    /// assert_eq!(link.to_element_string().to_bracketed(), "(01)09520123456788(10)A(17)201225");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn to_element_string(&self) -> ElementString<'a> {
        ElementString::from_checked(self.elements.clone())
    }

    /// Returns the canonical URI (section 4.12): `https://id.gs1.org`, key, qualifiers, and the attributes in lexical
    /// order of their AIs; without extensions and fragment.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let link = DigitalLink::parse("http://a.example/x/01/09520123456788?3103=000195&17=201225#f")?;
    /// assert_eq!(link.canonical(), "https://id.gs1.org/01/09520123456788?17=201225&3103=000195");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> String {
        write::canonical(self)
    }
}

impl fmt::Debug for DigitalLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DigitalLink")
            .field("stem", &self.stem())
            .field("path", &&self.elements[..self.path_len])
            .field("attributes", &self.attributes())
            .field("warnings", &self.warnings)
            .finish_non_exhaustive()
    }
}

static STRICT: Options = Options::new();
