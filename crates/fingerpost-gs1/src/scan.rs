//! Scan data: a symbology identifier (ISO/IEC 15424), followed by the content of the symbol (GS1
//! General Specifications 7.9; GS1 Barcode Syntax Engine).
//!
//! | identifier | data |
//! |---|---|
//! | `]C1 ]e0 ]d2 ]Q3 ]J1` | elements; the identifier replaces the leading FNC1, GS is the separator |
//! | `]d1 ]Q1 ]J0` | a Digital Link URI when it starts with `http://` or `https://`, else text |
//! | `]I0 ]I1` | digits of a GTIN-14 |
//! | `]E0 ]E4` | digits of a GTIN-13 or GTIN-8; `\|]e0` starts a composite part |
//! | `]E3` | digits of a GTIN-13, and of an add-on of two or five digits: the number of an issue or a price, which is no element and is left out |
//!
//! Packets that are no GS1 element string are refused: `]E1 ]E2`, an add-on without its GTIN, and
//! `]e1 ]e2`, data of a Composite symbol that are outside its element string (ISO/IEC 24723).

use crate::Span;
use alloc::borrow::Cow;

use crate::digital_link::DigitalLink;
use crate::element::Elements;
use crate::element_string::{ElementString, read_elements, read_gtin};
use crate::error::{Error, ErrorKind};
use crate::findings::{Findings, FirstError, Report};
use crate::options::Options;
use crate::symbology::{Mode, Symbology};

/// The content of scan data.
///
/// ```
/// use fingerpost_gs1::{ElementString, Scan};
///
/// let Scan::Elements(item) = ElementString::parse_scan("]d2010952012345678810ABC\u{1d}17271231")?
/// else {
///     panic!("GS1 DataMatrix holds elements");
/// };
/// assert_eq!(item.to_bracketed(), "(01)09520123456788(10)ABC(17)271231");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scan<'a> {
    /// Elements.
    Elements(ElementString<'a>),
    /// A Digital Link URI.
    DigitalLink(DigitalLink<'a>),
    /// Text without GS1 meaning.
    Plain(Cow<'a, str>),
}

impl Scan<'_> {
    /// Returns the content with texts of its own.
    #[must_use]
    pub fn into_owned(self) -> Scan<'static> {
        match self {
            Scan::Elements(elements) => Scan::Elements(elements.into_owned()),
            Scan::DigitalLink(link) => Scan::DigitalLink(link.into_owned()),
            Scan::Plain(text) => Scan::Plain(Cow::Owned(text.into_owned())),
        }
    }
}

impl<'a> ElementString<'a> {
    /// Reads scan data with its symbology identifier.
    ///
    /// # Errors
    ///
    /// A missing or unsuitable symbology identifier, and any error in the data.
    pub fn parse_scan(text: &'a str) -> Result<Scan<'a>, Error> {
        ElementString::parse_scan_with(text, &Options::new())
    }

    /// Works like [`ElementString::parse_scan`], with options.
    ///
    /// # Errors
    ///
    /// As [`ElementString::parse_scan`].
    pub fn parse_scan_with(text: &'a str, options: &Options) -> Result<Scan<'a>, Error> {
        FirstError::of(text, |first| read(text, options, first))
    }

    /// Parses scan data to its end and lists all errors.
    #[must_use]
    pub fn inspect_scan(text: &'a str, options: &Options) -> (Option<Scan<'a>>, Findings) {
        Findings::of(text, |findings| read(text, options, findings))
    }
}

/// The length of a symbology identifier: `]` and two characters.
const ID_LENGTH: usize = 3;

/// Starts the composite part after the digits of EAN/UPC.
const COMPOSITE: &str = "|]e0";

fn read<'a>(text: &'a str, options: &Options, report: &mut impl Report) -> Result<Scan<'a>, Error> {
    let id = &text.as_bytes()[..text.len().min(ID_LENGTH)];
    if id.len() < ID_LENGTH || id[0] != b']' {
        let span = Span::from_length(0, id.len());
        return Err(Error::new(ErrorKind::NoSymbologyId, span).with_found(id));
    }
    let Some(symbology) = Symbology::of(text) else {
        let span = Span::from_length(0, ID_LENGTH);
        return Err(Error::new(ErrorKind::UnsupportedSymbologyId, span).with_found(id));
    };
    match symbology.mode {
        Mode::ElementString => read_gs1(text, ID_LENGTH, Elements::new(), options, report),
        Mode::Plain => read_plain(&text[ID_LENGTH..], options, report),
        Mode::Ean(length) => read_ean(text, length, options, report),
        Mode::EanAddOn(length) => {
            let is_add_on = |rest: &&str| {
                matches!(rest.len(), 2 | 5) && rest.bytes().all(|byte| byte.is_ascii_digit())
            };
            let gtin_end = ID_LENGTH + length;
            let has_add_on = text.get(gtin_end..).filter(is_add_on).is_some();
            read_ean(if has_add_on { &text[..gtin_end] } else { text }, length, options, report)
        }
    }
}

/// Parses a Digital Link URI, or returns the text unchanged.
fn read_plain<'a>(
    data: &'a str,
    options: &Options,
    report: &mut impl Report,
) -> Result<Scan<'a>, Error> {
    let starts_with = |scheme: &str| {
        data.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if !starts_with("http://") && !starts_with("https://") {
        return Ok(Scan::Plain(Cow::Borrowed(data)));
    }
    if let Ok(link) = DigitalLink::parse_with(data, options) {
        return Ok(Scan::DigitalLink(link));
    }
    // Parsed again for all errors, whose offsets start at the URI.
    for error in DigitalLink::inspect(data, options).1 {
        report.report(error.shifted(ID_LENGTH))?;
    }
    Ok(Scan::Plain(Cow::Borrowed(data)))
}

/// Parses elements from `start` on, and appends them to those already parsed.
fn read_gs1<'a>(
    text: &'a str,
    start: usize,
    before: Elements<'a>,
    options: &Options,
    report: &mut impl Report,
) -> Result<Scan<'a>, Error> {
    if let Some(at) = text[start..].find('^') {
        let span = Span::from_length(start + at, 1);
        report.report(Error::new(ErrorKind::Fnc1InValue, span).with_found(b"^"))?;
    }
    let mut elements = before;
    read_elements(text, start, &mut elements, options, report)?;
    ElementString::associate(elements, options, report).map(Scan::Elements)
}

fn read_ean<'a>(
    text: &'a str,
    length: usize,
    options: &Options,
    report: &mut impl Report,
) -> Result<Scan<'a>, Error> {
    let data = &text[ID_LENGTH..];
    let composite = data.find(COMPOSITE);
    let mut elements = Elements::new();
    match read_gtin(&data[..composite.unwrap_or(data.len())], ID_LENGTH, Some(length)) {
        Ok(element) => elements.push(element),
        Err(error) => report.report(error)?,
    }
    match composite {
        None => ElementString::associate(elements, options, report).map(Scan::Elements),
        Some(at) => {
            let start = ID_LENGTH + at + COMPOSITE.len();
            read_gs1(text, start, elements, options, report)
        }
    }
}
