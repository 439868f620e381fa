//! Writing GS1 Digital Link URIs: GS1 Digital Link URI Syntax 1.4.1, sections 4.11 and 4.12.
//!
//! Values are percent-encoded by [`crate::percent`], GTINs have 14 digits, pairs are joined by `&`.

use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_uri::hide_password;

use super::{DigitalLink, authority, chars, parse, sequence};
use crate::element::Element;
use crate::limits::MAX_URI_BYTES;
use crate::{Ai, ElementString, Error, ErrorKind, Options, Span, percent};

impl DigitalLink<'_> {
    /// Writes a URI below `stem` (a slash at its end is dropped) for the elements of a barcode.
    ///
    /// The first element that is a key becomes the key; the qualifiers are its longest valid
    /// sequence (the first in lexical order of two); everything else becomes an attribute, those
    /// of predefined length first. Order and repetitions of the elements are lost.
    ///
    /// ```
    /// use fingerpost_gs1::{DigitalLink, ElementString};
    ///
    /// let item = ElementString::parse_bracketed("(10)A/1(01)09520123456788(17)201225")?;
    /// assert_eq!(
    ///     DigitalLink::build("https://a.example", &item)?,
    ///     "https://a.example/01/09520123456788/10/A%2F1?17=201225",
    /// );
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_PRIMARY_KEY`; `NOT_AN_ATTRIBUTE` for an element that is allowed neither in the path nor
    /// in the query; `DOT_SEGMENT` for a key or qualifier that is `.` or `..`; `URI_TOO_LONG`;
    /// `URI_ILLEGAL_CHARACTER`, `URI_SCHEME` or `URI_HOST` for a malformed stem.
    pub fn build(stem: &str, elements: &ElementString<'_>) -> Result<String, Error> {
        Self::build_with(stem, elements, &Options::new())
    }

    /// Works like [`DigitalLink::build`]; with [`Options::unknown_ais_as_attributes`] elements with
    /// unknown AIs become attributes.
    ///
    /// # Errors
    ///
    /// As [`DigitalLink::build`].
    pub fn build_with(
        stem: &str,
        elements: &ElementString<'_>,
        options: &Options,
    ) -> Result<String, Error> {
        let elements = elements.elements();
        let stem = checked_stem(stem)?;
        let key = elements.iter().find(|element| element.ai().is_primary_key());
        let key = key.ok_or(Error::new(ErrorKind::NoPrimaryKey, Span { start: 0, end: 0 }))?;
        let find = |ai: Ai| elements.iter().find(|element| element.ai() == ai);
        let order = sequence::longest(key.ai(), &core::iter::empty(), |ai| find(ai).is_some())
            .unwrap_or_default();
        let mut path = alloc::vec![key];
        path.extend(order.iter().filter_map(|&ai| find(ai)));
        check_dots(path.iter().copied())?;
        let attributes = attributes_of(elements, &path, options)?;
        let uri = assemble(stem, path.into_iter(), attributes.into_iter());
        within_limit(uri)
    }

    /// Checks a stem to write URIs below, `scheme "://" hostname *( "/" segment )`, and returns it
    /// without the slash at its end.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// assert_eq!(DigitalLink::check_stem("https://a.example/x/")?, "https://a.example/x");
    /// assert_eq!(DigitalLink::check_stem("ftp://a.example").unwrap_err().code(), "URI_SCHEME");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `URI_ILLEGAL_CHARACTER`, `URI_SCHEME` or `URI_HOST`.
    pub fn check_stem(stem: &str) -> Result<&str, Error> {
        checked_stem(stem)
    }

    /// Checks that clients keep the path: the value of a key or qualifier can be `.` or `..`, but
    /// no client requests such a path.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let link = DigitalLink::parse("https://a.example/01/09520123456788/10/..")?;
    /// assert_eq!(link.check_dot_segments().unwrap_err().code(), "DOT_SEGMENT");
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `DOT_SEGMENT`; the span is that of the value.
    pub fn check_dot_segments(&self) -> Result<(), Error> {
        check_dots(self.elements[..self.path_len].iter())
    }

    /// Writes this URI below another stem, with every AI where it belongs: key and qualifiers in
    /// the path, then the attributes, those of predefined length first. Extensions and fragment
    /// are left out.
    ///
    /// ```
    /// use fingerpost_gs1::DigitalLink;
    ///
    /// let link = DigitalLink::parse("https://a.example/01/09520123456788?10=A&linkType=all");
    /// assert!(link.is_err());
    /// let link = DigitalLink::parse("https://a.example/8004/9520614141234567?01=09520123456788")?;
    /// assert_eq!(
    ///     link.with_stem("https://b.example/x/")?,
    ///     "https://b.example/x/8004/9520614141234567?01=09520123456788",
    /// );
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `URI_TOO_LONG`, `DOT_SEGMENT`, or the error of the stem.
    pub fn with_stem(&self, stem: &str) -> Result<String, Error> {
        let stem = checked_stem(stem)?;
        self.check_dot_segments()?;
        let (path, attributes) = self.elements.split_at(self.path_len);
        let predefined = |wanted: bool| {
            attributes.iter().filter(move |e| e.entry().is_predefined_length() == wanted)
        };
        within_limit(assemble(stem, path.iter(), predefined(true).chain(predefined(false))))
    }
}

/// Checks that clients keep the values of a path: they remove `.` and `..`, and percent-encoding
/// does not help, because `%2E` is equivalent to `.` (RFC 3986 sections 2.3, 5.2.4).
fn check_dots<'e>(path: impl Iterator<Item = &'e Element<'e>>) -> Result<(), Error> {
    for element in path {
        if matches!(element.value(), "." | "..") {
            let error = Error::new(ErrorKind::DotSegment, element.span()).with_ai(element.ai());
            return Err(error.with_found(element.value().as_bytes()));
        }
    }
    Ok(())
}

/// Returns the canonical URI. Its attributes are in lexical order and unique.
pub(super) fn canonical(link: &DigitalLink<'_>) -> String {
    let (path, attributes) = link.elements.split_at(link.path_len);
    let mut last: Option<Ai> = None;
    let sorted = core::iter::from_fn(move || {
        // There are few attributes: finding the next one is cheaper than a sorted copy.
        let next = attributes
            .iter()
            .filter(|element| last.is_none_or(|last| element.ai() > last))
            .min_by_key(|element| element.ai())?;
        last = Some(next.ai());
        Some(next)
    });
    assemble(DigitalLink::REFERENCE_STEM, path.iter(), sorted)
}

/// Returns all elements except those in the path: those of predefined length first, then the
/// others, each once.
fn attributes_of<'e, 'a>(
    elements: &'e [Element<'a>],
    path: &[&Element<'a>],
    options: &Options,
) -> Result<Vec<&'e Element<'a>>, Error> {
    let mut attributes: Vec<&Element<'a>> = Vec::new();
    for predefined in [true, false] {
        for element in elements {
            let ai = element.ai();
            if element.entry().is_predefined_length() != predefined
                || path.iter().chain(&attributes).any(|other| other.ai() == ai)
            {
                continue;
            }
            let unknown = ai.entry().is_none() && options.allows_unknown_attributes();
            if !element.entry().is_attribute() && !unknown {
                return Err(Error::new(ErrorKind::NotAnAttribute, element.span()).with_ai(ai));
            }
            attributes.push(element);
        }
    }
    Ok(attributes)
}

/// Joins stem, path and query in one allocation.
fn assemble<'e>(
    stem: &str,
    path: impl Iterator<Item = &'e Element<'e>> + Clone,
    attributes: impl Iterator<Item = &'e Element<'e>> + Clone,
) -> String {
    let len: usize = path
        .clone()
        .chain(attributes.clone())
        .map(|e| e.ai().as_str().len() + percent::encoded_len(e.value().as_bytes()) + 2)
        .sum();
    let mut uri = String::with_capacity(stem.len() + len);
    uri.push_str(stem);
    for element in path {
        uri.push('/');
        push_pair(&mut uri, element, '/');
    }
    for (at, element) in attributes.enumerate() {
        uri.push(if at == 0 { '?' } else { '&' });
        push_pair(&mut uri, element, '=');
    }
    uri
}

fn push_pair(uri: &mut String, element: &Element<'_>, between: char) {
    uri.push_str(element.ai().as_str());
    uri.push(between);
    percent::encode_value(element.value().as_bytes(), uri);
}

fn checked_stem(stem: &str) -> Result<&str, Error> {
    let is_path = |stem: &&str| !stem.ends_with(":/");
    let stem = stem.strip_suffix('/').filter(is_path).unwrap_or(stem);
    let bytes = stem.as_bytes();
    let segment = |b: u8| chars::is(b, chars::URI) && !chars::is(b, chars::AFTER_PATH);
    if let Some((at, c)) = stem.char_indices().find(|(_, c)| !u8::try_from(*c).is_ok_and(segment)) {
        let span = Span { start: at, end: at + c.len_utf8() };
        let found = &bytes[span.start..span.end];
        return Err(Error::new(ErrorKind::UriIllegalCharacter, span).with_found(found));
    }
    let Some(start) = authority::after_scheme(bytes) else {
        let span = Span { start: 0, end: bytes.len() };
        return Err(
            Error::new(ErrorKind::UriScheme, span).with_found(hide_password(stem).as_bytes())
        );
    };
    let end = parse::find(bytes, start, bytes.len(), |b| b == b'/');
    let host = &bytes[start..end];
    if authority::is_valid(host) {
        Ok(stem)
    } else {
        Err(authority::error(stem, Span { start, end }))
    }
}

fn within_limit(uri: String) -> Result<String, Error> {
    if uri.len() <= MAX_URI_BYTES {
        return Ok(uri);
    }
    let limit = u32::try_from(MAX_URI_BYTES).unwrap_or(u32::MAX);
    Err(Error::new(ErrorKind::UriTooLong { limit }, Span { start: 0, end: uri.len() }))
}
