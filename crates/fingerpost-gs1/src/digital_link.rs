//! GS1 Digital Link URIs: GS1 Digital Link URI Syntax 1.4.1, section 4.
//!
//! Parsing is in `parse` and the files beside it, one per part of the URI; writing is in `write`.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::element::{Element, Elements};
use crate::findings::{Findings, FirstError, Report};
use crate::limits::MAX_URI_BYTES;
use crate::{Ai, ElementString, EntityKey, Error, Options, Span};

mod authority;
mod chars;
mod parse;
mod path;
mod query;
pub(crate) mod sequence;
mod slashes;
mod structure;
mod value;
mod warning;
mod words;
mod write;

use parse::{Layout, Parser};
use query::{Piece, Pieces};
pub use warning::{Warning, WarningKind};

/// A GS1 Digital Link URI, parsed and checked.
///
/// It borrows from the parsed text. Up to eight elements without percent triplets need no
/// allocation. A link that is kept owns its text: [`into_owned`](Self::into_owned), or
/// `text.parse()`.
///
/// Two links are equal if text and content are the same. Links to the same thing have the same
/// [`entity_key`](Self::entity_key) or [`canonical`](Self::canonical) URI.
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
    uri: Cow<'a, str>,
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
    pub const MAX_LEN: usize = MAX_URI_BYTES;

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
    /// The first error; its span points into `uri`. Errors of the syntax come first, then those of
    /// the structure, the values, and the associations.
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

    /// Parses a URI whose stem (scheme, host, and optional path segments) is known: the path is
    /// parsed from the left, directly after the stem. A second key in the path is then an
    /// error, whereas [`DigitalLink::parse_with`] would treat the first one as part of the
    /// stem.
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

    /// Parses a URI to its end and lists all errors: of syntax and structure as far as the text can
    /// be parsed, of every value, and, if there are none of these, of the associations. Returns
    /// the URI if there are no errors.
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
        match Parser::new(uri, &mut link, options, report).run(None) {
            Ok(()) => Ok(link),
            Err(error) => Err(error.on_characters(uri)),
        }
    }

    /// Parses a URI up to the first error.
    ///
    /// Inlined, so that `fill` writes directly to the caller's variable: a `DigitalLink` is large,
    /// and copying it piece by piece after writing costs more than parsing a GTIN.
    #[inline(always)]
    fn read_first(uri: &'a str, stem: Option<&str>, options: &Options) -> Result<Self, Error> {
        let mut link = Self::unread(uri, options);
        match link.fill(uri, stem, options) {
            Ok(()) => Ok(link),
            Err(error) => Err(error),
        }
    }

    #[inline(never)]
    fn fill(&mut self, uri: &'a str, stem: Option<&str>, options: &Options) -> Result<(), Error> {
        Parser::new(uri, self, options, &mut FirstError)
            .run(stem)
            .map_err(|error| error.on_characters(uri))
    }

    #[inline(always)]
    fn unread(uri: &'a str, options: &Options) -> Self {
        let mut link = Self::EMPTY;
        link.uri = Cow::Borrowed(uri);
        link.alphas = options.allows_convenience_alphas();
        link
    }

    /// A link before parsing. As a constant it is copied as a whole, which costs less than setting
    /// each element.
    const EMPTY: Self = DigitalLink {
        uri: Cow::Borrowed(""),
        layout: Layout::NONE,
        elements: Elements::new(),
        path_len: 0,
        warnings: Vec::new(),
        alphas: false,
    };

    /// Parses a URI, and keeps its text. Without `associations` these are not checked: the URI is
    /// then a name, not the content of an item's carrier. Warnings are returned, not kept.
    pub(crate) fn read_owned(
        uri: String,
        options: &Options,
        associations: bool,
    ) -> Result<(DigitalLink<'static>, Vec<Warning>), Error> {
        let mut link = DigitalLink::unread(&uri, options);
        let mut first = FirstError;
        let mut parser = Parser::new(&uri, &mut link, options, &mut first);
        let read = if associations { parser.run(None) } else { parser.run_apart(None) };
        read.map_err(|error| error.on_characters(&uri))?;
        let DigitalLink { layout, elements, path_len, warnings, alphas, .. } = link;
        let elements = elements.into_owned();
        let uri = Cow::Owned(uri);
        Ok((
            DigitalLink { uri, layout, elements, path_len, warnings: Vec::new(), alphas },
            warnings,
        ))
    }

    /// Returns the link with a text of its own.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// fn keep(text: &str) -> Result<DigitalLink<'static>, fingerpost_gs1::Error> {
    ///     Ok(DigitalLink::parse(text)?.into_owned())
    /// }
    /// keep("https://a.example/01/09520123456788")?;
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn into_owned(self) -> DigitalLink<'static> {
        DigitalLink {
            uri: Cow::Owned(self.uri.into_owned()),
            layout: self.layout,
            elements: self.elements.into_owned(),
            path_len: self.path_len,
            warnings: self.warnings,
            alphas: self.alphas,
        }
    }

    /// Returns the parsed text.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the parsed text, without copying it if the link owns it.
    #[must_use]
    pub fn into_uri(self) -> String {
        self.uri.into_owned()
    }

    /// Returns everything before the key: scheme, host, and any path segments, without a trailing
    /// slash.
    #[must_use]
    pub fn stem(&self) -> &str {
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

    /// Returns the pieces of the query that are not AIs, including `linkType` and `context`, as
    /// written and in their order.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        let (uri, alphas) = (self.uri(), self.alphas);
        let query = self.layout.query().unwrap_or(Span { start: 0, end: 0 });
        Pieces::new(uri, query)
            .filter(move |&span| matches!(Piece::of(uri, span, alphas), Piece::Extension))
            .map(move |span| &uri[span.start..span.end])
    }

    /// Returns the query, without its `?`.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.layout.query().map(|span| &self.uri[span.start..span.end])
    }

    /// Returns the fragment, without its `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&str> {
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

    /// Returns the elements as barcode data, in the order of the URI. Stem, extensions and fragment
    /// are not included.
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

impl fmt::Display for DigitalLink<'_> {
    /// Formats the URI as it was parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.uri)
    }
}

impl AsRef<str> for DigitalLink<'_> {
    fn as_ref(&self) -> &str {
        &self.uri
    }
}

impl Hash for DigitalLink<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uri.hash(state);
    }
}

impl<'a> TryFrom<&'a str> for DigitalLink<'a> {
    type Error = Error;

    fn try_from(uri: &'a str) -> Result<Self, Error> {
        DigitalLink::parse(uri)
    }
}

impl FromStr for DigitalLink<'static> {
    type Err = Error;

    fn from_str(uri: &str) -> Result<Self, Error> {
        DigitalLink::read_owned(String::from(uri), &STRICT, true).map(|(link, _)| link)
    }
}

static STRICT: Options = Options::new();
