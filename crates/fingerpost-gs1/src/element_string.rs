//! Element strings, the content of barcodes (GS1 General Specifications 7.8).
//!
//! Three notations are supported: bracketed `(01)09520123456788(10)ABC`, raw with FNC1, and scan
//! data with a symbology identifier.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use crate::Span;
use crate::ai::Ai;
use crate::associations;
use crate::element::{Element, Elements};
use crate::error::{Error, ErrorKind};
use crate::findings::{Findings, FirstError, Report};
use crate::limits::{MAX_ELEMENTS, MAX_INPUT};
use crate::options::Options;
use crate::unknown_ai::{self, entry_for};

mod bracketed;
mod gtin;
mod raw;

pub(crate) use gtin::read as read_gtin;
pub(crate) use raw::{FNC1, read_elements};

/// Elements in the order of the input; every value and the associations are checked.
///
/// ```
/// use fingerpost_gs1::{Ai, ElementString, Order};
///
/// let item = ElementString::parse_bracketed("(01)09520123456788(10)ABC(17)271231")?;
/// assert_eq!(item.get(Ai::LOT), Some("ABC"));
/// assert_eq!(item.to_raw(Order::AsStored), "^010952012345678810ABC^17271231");
/// assert_eq!(item.to_raw(Order::PredefinedFirst), "^01095201234567881727123110ABC");
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
///
/// Two element strings are equal if they contain the same pairs, in any order.
#[derive(Clone, Debug)]
pub struct ElementString<'a> {
    elements: Elements<'a>,
}

impl<'a> ElementString<'a> {
    /// Parses a sequence of `(AI)value`. `\(` is a round bracket in a value.
    ///
    /// # Errors
    ///
    /// The first violated rule of syntax, value or association.
    pub fn parse_bracketed(text: &'a str) -> Result<ElementString<'a>, Error> {
        ElementString::parse_bracketed_with(text, &Options::new())
    }

    /// Works like [`ElementString::parse_bracketed`], with options.
    ///
    /// # Errors
    ///
    /// As [`ElementString::parse_bracketed`].
    pub fn parse_bracketed_with(
        text: &'a str,
        options: &Options,
    ) -> Result<ElementString<'a>, Error> {
        FirstError::of(text, |first| bracketed::read(text, options, first))
    }

    /// Parses raw data: FNC1, written as `^` or GS (0x1D), at the start and after each value whose
    /// length is not predefined.
    ///
    /// ```
    /// use fingerpost_gs1::ElementString;
    ///
    /// let item = ElementString::parse_raw("^010952012345678810ABC\u{1d}17271231")?;
    /// assert_eq!(item.to_bracketed(), "(01)09520123456788(10)ABC(17)271231");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`ElementString::parse_bracketed`].
    pub fn parse_raw(text: &'a str) -> Result<ElementString<'a>, Error> {
        ElementString::parse_raw_with(text, &Options::new())
    }

    /// Works like [`ElementString::parse_raw`], with options.
    ///
    /// # Errors
    ///
    /// As [`ElementString::parse_bracketed`].
    pub fn parse_raw_with(text: &'a str, options: &Options) -> Result<ElementString<'a>, Error> {
        FirstError::of(text, |first| raw::read(text, options, first))
    }

    /// Creates an element string from pairs of Application Identifier and value, with the checks of
    /// a parser.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, DigitalLink, ElementString};
    ///
    /// let item = ElementString::from_pairs([(Ai::GTIN, "09520123456788"), (Ai::LOT, "A/1")])?;
    /// assert_eq!(item.to_string(), "(01)09520123456788(10)A/1");
    /// let uri = DigitalLink::build("https://a.example", &item)?;
    /// assert_eq!(uri, "https://a.example/01/09520123456788/10/A%2F1");
    ///
    /// let error = ElementString::from_pairs([(Ai::GTIN, "09520123456789")]).unwrap_err();
    /// assert_eq!(error.to_string(), "check digit of (01) is 9, expected 8");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first violated rule of a value or an association; spans point into the value. `NO_DATA`
    /// without a pair.
    pub fn from_pairs<V: Into<Cow<'a, str>>>(
        pairs: impl IntoIterator<Item = (Ai, V)>,
    ) -> Result<ElementString<'a>, Error> {
        ElementString::from_pairs_with(pairs, &Options::new())
    }

    /// Works like [`ElementString::from_pairs`], with options.
    ///
    /// # Errors
    ///
    /// As [`ElementString::from_pairs`].
    pub fn from_pairs_with<V: Into<Cow<'a, str>>>(
        pairs: impl IntoIterator<Item = (Ai, V)>,
        options: &Options,
    ) -> Result<ElementString<'a>, Error> {
        let mut elements = Elements::new();
        for (ai, value) in pairs {
            let value: Cow<'a, str> = value.into();
            check_count(&elements, 0)?;
            ai.check_value_with(value.as_bytes(), options)?;
            let span = Span::from_length(0, value.len());
            let entry = entry_for(ai, options).unwrap_or(&unknown_ai::ANY);
            elements.push(Element::new(ai, entry, value, span));
        }
        if elements.is_empty() {
            return Err(Error::new(ErrorKind::NoData, Span::from_length(0, 0)));
        }
        ElementString::associate(elements, options, &mut FirstError)
    }

    /// Parses a GTIN-8, GTIN-12, GTIN-13 or GTIN-14, digits only, as the element (01) with fourteen
    /// digits.
    ///
    /// ```
    /// use fingerpost_gs1::ElementString;
    ///
    /// assert_eq!(ElementString::parse_gtin("9520123456788")?.to_bracketed(), "(01)09520123456788");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Another number of digits, other characters, or a wrong check digit.
    pub fn parse_gtin(digits: &'a str) -> Result<ElementString<'a>, Error> {
        FirstError::of(digits, |_| gtin::read(digits, 0, None).map(ElementString::of_one))
    }

    /// Parses a bracketed element string to its end and lists all errors. Returns the element
    /// string if there are none.
    ///
    /// ```
    /// use fingerpost_gs1::{ElementString, Options};
    ///
    /// let (item, findings) =
    ///     ElementString::inspect_bracketed("(01)09520123456789(11)271301", &Options::new());
    /// assert!(item.is_none());
    /// assert_eq!(
    ///     findings.to_string(),
    ///     "check digit of (01) is 9, expected 8\nmonth of (11) is \"13\", expected 01 to 12"
    /// );
    /// ```
    #[must_use]
    pub fn inspect_bracketed(
        text: &'a str,
        options: &Options,
    ) -> (Option<ElementString<'a>>, Findings) {
        Findings::of(text, |findings| bracketed::read(text, options, findings))
    }

    /// Works like [`ElementString::inspect_bracketed`], for raw data.
    #[must_use]
    pub fn inspect_raw(text: &'a str, options: &Options) -> (Option<ElementString<'a>>, Findings) {
        Findings::of(text, |findings| raw::read(text, options, findings))
    }

    /// Returns the elements, in order.
    #[must_use]
    pub fn elements(&self) -> &[Element<'a>] {
        &self.elements
    }

    /// Returns the value of an Application Identifier, if present. Repeated ones have the same
    /// value.
    #[must_use]
    pub fn get(&self, ai: Ai) -> Option<&str> {
        self.elements.iter().find(|element| element.ai() == ai).map(Element::value)
    }

    /// Returns the bracketed form, in stored order, with `(` in values escaped.
    #[must_use]
    pub fn to_bracketed(&self) -> String {
        alloc::format!("{self}")
    }

    /// Returns raw data with FNC1 as `^`.
    #[must_use]
    pub fn to_raw(&self, order: Order) -> String {
        self.write_raw(order, '^')
    }

    /// Returns raw data with FNC1 as GS (0x1D), for encoders and scanners.
    #[must_use]
    pub fn to_raw_gs(&self, order: Order) -> String {
        self.write_raw(order, '\u{1d}')
    }

    /// Returns the human-readable lines, `(AI) value`, or with `titles` `TITLE (AI) value`.
    ///
    /// ```
    /// use fingerpost_gs1::ElementString;
    ///
    /// let item = ElementString::parse_bracketed("(01)09520123456788(10)A")?;
    /// assert!(item.hri(true).eq(["GTIN (01) 09520123456788", "BATCH/LOT (10) A"]));
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    pub fn hri(&self, titles: bool) -> impl Iterator<Item = String> {
        self.elements.iter().map(move |element| {
            let title = if titles { element.entry().title() } else { "" };
            let space = if title.is_empty() { "" } else { " " };
            alloc::format!("{title}{space}({}) {}", element.ai(), element.value())
        })
    }

    /// Returns an owned copy of the element string.
    #[must_use]
    pub fn into_owned(self) -> ElementString<'static> {
        ElementString { elements: self.elements.into_owned() }
    }

    /// Creates an element string from elements with checked values, and checks their associations.
    pub(crate) fn associate(
        elements: Elements<'a>,
        options: &Options,
        report: &mut impl Report,
    ) -> Result<ElementString<'a>, Error> {
        if !report.has_errors() {
            associations::check(&elements, options, report)?;
        }
        Ok(ElementString { elements })
    }

    /// Creates an element string from elements that are already fully checked.
    pub(crate) fn from_checked(elements: Elements<'a>) -> ElementString<'a> {
        ElementString { elements }
    }

    fn of_one(element: Element<'a>) -> ElementString<'a> {
        ElementString { elements: core::iter::once(element).collect() }
    }

    fn write_raw(&self, order: Order, fnc1: char) -> String {
        let mut raw = String::from(fnc1);
        let mut needs_separator = false;
        let mut write = |element: &Element<'_>| {
            if needs_separator {
                raw.push(fnc1);
            }
            raw.push_str(element.ai().as_str());
            raw.push_str(element.value());
            needs_separator = !element.entry().is_predefined_length();
        };
        match order {
            Order::AsStored => self.elements.iter().for_each(write),
            Order::PredefinedFirst => {
                for first in [true, false] {
                    let is_now = |e: &&Element<'_>| e.entry().is_predefined_length() == first;
                    self.elements.iter().filter(is_now).for_each(&mut write);
                }
            }
        }
        raw
    }
}

impl fmt::Display for ElementString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.iter().try_for_each(|element| fmt::Display::fmt(element, f))
    }
}

impl PartialEq for ElementString<'_> {
    fn eq(&self, other: &ElementString<'_>) -> bool {
        let holds = |one: &Elements<'_>, all: &Elements<'_>| all.iter().all(|e| one.contains(e));
        holds(&self.elements, &other.elements) && holds(&other.elements, &self.elements)
    }
}

impl Eq for ElementString<'_> {}

impl Hash for ElementString<'_> {
    /// Hashes the pairs by Application Identifier, each once, because order and repetitions do not
    /// matter for equality.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut last = None;
        // Repeated ones have the same value.
        while let Some(next) = self
            .elements
            .iter()
            .filter(|element| last.is_none_or(|last| element.ai() > last))
            .min_by_key(|element| element.ai())
        {
            (next.ai(), next.value()).hash(state);
            last = Some(next.ai());
        }
    }
}

impl FromStr for ElementString<'static> {
    type Err = Error;

    /// Parses the bracketed form, as [`ElementString::parse_bracketed`] does.
    fn from_str(text: &str) -> Result<ElementString<'static>, Error> {
        ElementString::parse_bracketed(text).map(ElementString::into_owned)
    }
}

impl<'a> TryFrom<&'a str> for ElementString<'a> {
    type Error = Error;

    /// Parses the bracketed form, as [`ElementString::parse_bracketed`] does.
    fn try_from(text: &'a str) -> Result<ElementString<'a>, Error> {
        ElementString::parse_bracketed(text)
    }
}

/// The order of the elements in raw data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The order of the input.
    AsStored,
    /// Values of predefined length first, which saves separators; otherwise the order of the input.
    PredefinedFirst,
}

/// Returns the error about an input over [`MAX_INPUT`].
fn check_size(text: &str) -> Result<(), Error> {
    if text.len() <= MAX_INPUT {
        return Ok(());
    }
    let limit = u32::try_from(MAX_INPUT).unwrap_or(u32::MAX);
    let span = Span { start: MAX_INPUT, end: text.len() };
    Err(Error::new(ErrorKind::InputTooLong { limit }, span))
}

/// Returns the error about one element too many; `at` is where it starts.
fn check_count(elements: &[Element<'_>], at: usize) -> Result<(), Error> {
    if elements.len() < MAX_ELEMENTS {
        return Ok(());
    }
    let limit = u16::try_from(MAX_ELEMENTS).unwrap_or(u16::MAX);
    Err(Error::new(ErrorKind::TooManyAis { limit }, Span::from_length(at, 0)))
}
