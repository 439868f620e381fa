//! Inspects a text that was typed, pasted or scanned: the form of identifier it is meant to be, all
//! its faults, and the elements that it holds.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_gs1::compression::CompressionExtent;
use fingerpost_gs1::{
    Ai, Date, DigitalLink, ElementString, Error, Findings, Meaning, Options, Scan, Span,
};

use crate::convert::not_in_links;
use crate::epc_facts::EpcFacts;
use crate::finding::{FORMER_NAME, Finding, SURPLUS_SEGMENT};
use crate::form::{InputForm, composite, is_grouping};
use crate::hidden::is_hidden;
use crate::hri::Unspaced;
use crate::other_scheme::identification_link;
use crate::read::{Identifier, SYMBOLOGY, link, plain_text, read_with, unknown};

mod meant;
mod numbers;

pub use self::meant::{Assumption, AssumptionKind, Meant};

/// The result of inspecting one input.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// The input, without white space around it and invisible characters before it.
    pub input: &'a str,
    /// The form that it is meant to be.
    pub form: InputForm,
    /// All faults; empty if the input is valid.
    pub faults: Vec<Finding>,
    /// Notes that are not faults.
    pub warnings: Vec<Finding>,
    /// The elements of the input: all of them if it is valid, otherwise those that a lenient
    /// reader finds.
    pub item: Option<Item>,
    /// For EPCs, their data other than elements.
    pub bits: Option<EpcFacts>,
    /// What the input was probably meant to be, if it is not valid or hides a better reading.
    pub meant: Option<Meant>,
}

impl Inspection<'_> {
    /// Returns whether the input has no faults.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }
}

/// The elements of an input, in all spellings.
#[derive(Debug)]
pub struct Item {
    /// Canonical URI below the reference stem, if there is one.
    pub canonical_uri: Option<String>,
    /// The reason why there is no canonical URI.
    pub no_uri: Option<Finding>,
    /// The element string with the Application Identifiers in round brackets.
    pub element_string: String,
    /// Human-readable interpretation, one text for each element.
    pub hri: Vec<String>,
    /// The elements one by one.
    pub rows: Vec<DescribedElement>,
}

/// One element.
#[derive(Debug)]
pub struct DescribedElement {
    /// The Application Identifier.
    pub ai: Ai,
    /// Its title in GS1's table.
    pub title: &'static str,
    /// Its value, decoded.
    pub value: String,
}

impl DescribedElement {
    /// Returns what the value means, such as a date or a weight; `None` if it means nothing beyond
    /// its characters. `today` decides the century of years with two digits.
    ///
    /// ```
    /// use fingerpost_gs1::Date;
    /// use fingerpost_identify::inspect;
    ///
    /// let item = inspect("(01)09520123456788(3103)001250").item.ok_or("elements")?;
    /// let today = Date::new(2026, 11, 27).ok_or("a date")?;
    /// let weight = item.rows[1].meaning(today).ok_or("a weight")?;
    /// assert_eq!(weight.to_string(), "1.250 kg");
    /// # Ok::<(), &'static str>(())
    /// ```
    #[must_use]
    pub fn meaning(&self, today: Date) -> Option<Meaning<'_>> {
        self.ai.meaning(&self.value, today)
    }
}

/// Inspects a text. White space around it is ignored.
#[must_use]
pub fn inspect(input: &str) -> Inspection<'_> {
    inspect_with(input, &Options::new())
}

/// Works like [`inspect`], with options for what the rules of Application Identifiers and Digital
/// Link URIs leave open.
#[must_use]
pub fn inspect_with<'a>(input: &'a str, options: &Options) -> Inspection<'a> {
    let mut inspection = inspect_as_written(input, options);
    // What follows another scheme is not a GS1 identifier with mistakes.
    if !matches!(inspection.form, InputForm::Other(_)) {
        inspection.meant = meant::of(&inspection, options);
    }
    inspection.warnings.extend(inspection.meant.iter().flat_map(Meant::warnings));
    inspection
}

/// Returns how many bytes of invisible characters without a meaning come first: a byte order mark,
/// characters without width, and direction marks, as pasted text has them.
#[must_use]
pub fn hidden_at_start(text: &str) -> usize {
    let is_left_out = |char: char| is_hidden(char) && !char.is_control();
    text.len() - text.trim_start_matches(is_left_out).len()
}

/// Returns the warning that characters before the input were left out.
fn left_out(hidden: &str) -> Option<Finding> {
    let names: Vec<String> =
        hidden.chars().map(|char| format!("U+{:04X}", u32::from(char))).collect();
    (!names.is_empty()).then(|| {
        let message = format!("read without the invisible {} before it", names.join(", "));
        let help = "copy the text without it: other software may refuse it";
        Finding::of_form("HIDDEN_CHARACTER", message, help, 0..0)
    })
}

/// Inspects a text without looking for what else it could mean.
pub(crate) fn inspect_as_written<'a>(input: &'a str, options: &Options) -> Inspection<'a> {
    // GS is not treated as white space: it begins raw data.
    let input = input.trim_matches(|char: char| char.is_ascii_whitespace());
    let (hidden, input) = input.split_at(hidden_at_start(input));
    let form = InputForm::of(input);
    let mut inspection = Inspection {
        input,
        form,
        faults: Vec::new(),
        warnings: Vec::new(),
        item: None,
        bits: None,
        meant: None,
    };
    match form {
        _ if inspection.is_read_at_once(options) => {}
        InputForm::DigitalLink => inspection.digital_link(input, 0, options),
        InputForm::DigitalLinkPath => {
            let uri = link::on_stem(input);
            inspection.digital_link(&uri, -((uri.len() - input.len()) as isize), options);
        }
        InputForm::Bracketed => {
            let found = ElementString::inspect_bracketed(input, options);
            inspection.elements(found, |span| span);
        }
        InputForm::Hri => inspection.hri(options),
        InputForm::Raw => {
            inspection.elements(ElementString::inspect_raw(input, options), |s| s);
        }
        InputForm::RawWithoutFnc1 => inspection.raw_without_fnc1(options),
        InputForm::Scan(_) => inspection.scan(options),
        InputForm::Gtin => {
            inspection.number("", |digits| {
                (ElementString::parse_gtin(digits).map(ElementString::into_owned), 0)
            });
            inspection.warnings.extend(zeros(input).filter(|_| inspection.is_valid()));
        }
        InputForm::Sscc => inspection.number("(00)", |digits| {
            let found = ElementString::parse_bracketed_with(digits, options);
            (found.map(ElementString::into_owned), 4)
        }),
        InputForm::Other(scheme) => inspection.faults.push(scheme.finding(input)),
        // All EPCs have been read above.
        _ => inspection.faults.push(unknown(input)),
    }
    inspection.faults.sort_by_key(|fault| fault.span.start);
    inspection.warnings.extend(left_out(hidden));
    inspection.warnings.extend(numbers::warnings(&inspection));
    let has_no_key = |fault: &Finding| fault.code == FORMER_NAME;
    if inspection.form == InputForm::DigitalLink
        && inspection.item.is_none()
        && inspection.faults.iter().all(has_no_key)
    {
        inspection.warnings.extend(identification_link(input));
    }
    inspection
}

impl Inspection<'_> {
    /// Inspects EPCs in any form, compressed URIs, and URIs with parts that are out of place, which
    /// have at most one fault. Does nothing for other forms, which may have several.
    fn is_read_at_once(&mut self, options: &Options) -> bool {
        let is_epc = self.form.is_epc();
        let may_be_uri = matches!(
            self.form,
            InputForm::DigitalLink | InputForm::DigitalLinkPath | InputForm::Scan(_)
        );
        if !is_epc && !may_be_uri {
            return false;
        }
        match read_with(self.input, options) {
            Ok((form, identifier)) => {
                if !is_epc && !is_of_bits(&identifier) {
                    return false;
                }
                self.form = form;
                self.identifier(&identifier, options);
            }
            Err(fault) if fault.is_of_structure() => {
                self.item = self.without(&fault, options);
                self.faults.push(fault);
            }
            Err(fault) if is_epc || fault.is_of_bits() => self.faults.push(fault),
            Err(_) => return false,
        }
        true
    }

    /// Returns the item of a URI whose parts are out of place, without these.
    fn without(&self, fault: &Finding, options: &Options) -> Option<Item> {
        let path_end = self.input.find(['?', '#']).unwrap_or(self.input.len());
        let kept = if fault.code == SURPLUS_SEGMENT {
            [&self.input[..fault.span.start - 1], &self.input[path_end..]].concat()
        } else {
            self.input.to_owned()
        };
        let uri = match self.form {
            InputForm::DigitalLink => kept,
            InputForm::DigitalLinkPath => link::on_stem(&kept),
            _ => return None,
        };
        let link = DigitalLink::parse_with(&uri, &options.clone().lenient()).ok()?;
        Some(Item::of_link(&link))
    }

    fn identifier(&mut self, identifier: &Identifier<'_>, options: &Options) {
        if let Identifier::Rebuilt(read) = identifier {
            self.item = Some(Item::of_link(read.link()));
            // The URI that was rebuilt has other positions.
            let whole = 0..self.input.len();
            let warnings = identifier.warnings().into_iter();
            self.warnings.extend(warnings.map(|warning| warning.about(whole.clone())));
            return;
        }
        self.bits = EpcFacts::of(identifier);
        let before = if matches!(self.form, InputForm::Scan(_)) { SYMBOLOGY } else { 0 };
        self.warnings.extend(identifier.warnings().into_iter().map(|w| w.moved(before)));
        if let Some(EpcFacts { is_toggle_wrong: true, .. }) = self.bits {
            self.warnings.push(Finding::of_form(
                "TOGGLE",
                "the bit that announces data after the EPC says otherwise than the bits there",
                "",
                0..self.input.len(),
            ));
        }
        // GID, USDOD, ADI and others have no GS1 key.
        let Ok(values) = identifier.values() else { return };
        match ElementString::from_pairs_with(values.iter(), options) {
            Ok(elements) => self.item = Some(Item::of_elements(&elements)),
            Err(error) => {
                let error = fingerpost_epc::Error::from(error);
                self.faults.push(Finding::of_epc(&error, 0..self.input.len()));
            }
        }
    }

    /// Inspects a Digital Link URI at the end of the input. `uri` begins at byte `shift` of the
    /// input; the value is negative if the reference stem was put before a path.
    fn digital_link(&mut self, uri: &str, shift: isize, options: &Options) {
        let convert = |span: Span| moved(span, shift);
        let (link, findings) = DigitalLink::inspect(uri, options);
        self.faults.extend(
            findings.into_iter().map(|error| Finding::of_gs1(&error, 0).with_span(convert)),
        );
        let lenient = options.clone().lenient();
        // A strict reader may refuse it although its meaning is unambiguous.
        if let Some(link) = link.or_else(|| DigitalLink::parse_with(uri, &lenient).ok()) {
            self.item = Some(Item::of_link(&link));
            self.warnings.extend(link::warnings(&link).into_iter().map(|w| w.with_span(convert)));
        } else if !uri.contains("://") {
            let whole = ["https://", uri].concat();
            self.item =
                DigitalLink::parse_with(&whole, &lenient).ok().map(|link| Item::of_link(&link));
        }
    }

    fn hri(&mut self, options: &Options) {
        let Some(read) = Unspaced::of(self.input) else { return };
        let length = self.input.len();
        self.elements(ElementString::inspect_bracketed(&read.bracketed, options), |span| {
            let span = read.span_in_hri(span.start..span.end, length);
            Span { start: span.start, end: span.end }
        });
    }

    fn elements(
        &mut self,
        (found, findings): (Option<ElementString<'_>>, Findings),
        convert: impl Fn(Span) -> Span + Copy,
    ) {
        self.faults.extend(
            findings.into_iter().map(|error| Finding::of_gs1(&error, 0).with_span(convert)),
        );
        let Some(elements) = found else { return };
        self.item = Some(Item::of_elements(&elements));
        let elements = elements.elements();
        let warnings = link::of_path_grammar(elements).into_iter();
        let warnings = warnings.chain(link::dot_segments(elements));
        self.warnings.extend(warnings.map(|warning| warning.with_span(convert)));
    }

    fn raw_without_fnc1(&mut self, options: &Options) {
        if let Some(whole) = composite(self.input) {
            let end = self.input.len();
            return self
                .elements(ElementString::inspect_raw(&whole, options), |_| Span { start: 0, end });
        }
        let options = options.clone().missing_leading_fnc1(true);
        self.elements(ElementString::inspect_raw(self.input, &options), |span| span);
        self.warnings.push(Finding::of_form(
            "NO_LEADING_FNC1",
            "read as if FNC1 stood at the beginning",
            "let the scanner send the symbology identifier, or the leading FNC1 as GS",
            0..0,
        ));
    }

    fn scan(&mut self, options: &Options) {
        match ElementString::inspect_scan(self.input, options) {
            (Some(Scan::Elements(elements)), findings) => {
                self.warnings.extend(add_on(self.input));
                self.elements((Some(elements), findings), |span| span);
            }
            (Some(Scan::DigitalLink(link)), _) => {
                self.item = Some(Item::of_link(&link));
                let before = self.input.len() - link.uri().len();
                self.warnings.extend(link::warnings(&link).into_iter().map(|w| w.moved(before)));
            }
            (Some(Scan::Plain(data)), _) => self.faults.push(plain_text(self.input, &data)),
            (Some(_), _) => self.faults.push(unknown(self.input)),
            (None, findings) => self.elements((None, findings), |span| span),
        }
    }

    /// Inspects digits with spaces and hyphens between them. The reader sees `prefix` before them;
    /// it also says how many bytes of the prefix its spans count.
    fn number(
        &mut self,
        prefix: &str,
        read: impl Fn(&str) -> (Result<ElementString<'static>, Error>, usize),
    ) {
        let is_digit = |&(_, byte): &(usize, u8)| !is_grouping(byte);
        let positions: Vec<usize> =
            self.input.bytes().enumerate().filter(is_digit).map(|(at, _)| at).collect();
        let digits: String =
            prefix.chars().chain(self.input.chars().filter(|char| char.is_ascii_digit())).collect();
        let (found, counted) = read(&digits);
        let convert = |span: Span| {
            let at = |digit: usize| positions.get(digit).copied();
            let start = span.start.saturating_sub(counted);
            let last = span.end.saturating_sub(counted + 1).max(start);
            let end = self.input.len();
            Span { start: at(start).unwrap_or(end), end: at(last).map_or(end, |last| last + 1) }
        };
        match found {
            Ok(elements) => self.item = Some(Item::of_elements(&elements)),
            Err(error) => {
                let mark = Finding::of_gs1(&error, 0).with_span(convert);
                self.faults.push(mark);
            }
        }
    }
}

impl Item {
    fn of_link(link: &DigitalLink<'_>) -> Self {
        let elements = link.to_element_string();
        let uri = link.check_dot_segments().map(|()| link.canonical());
        Self::new(&elements, uri.map_err(|error| Finding::of_gs1(&error, 0)))
    }

    pub(crate) fn of_elements(elements: &ElementString<'_>) -> Self {
        let uri = DigitalLink::build(DigitalLink::REFERENCE_STEM, elements);
        let canonical = uri.map_err(not_in_links).and_then(|uri| {
            let link = DigitalLink::parse(&uri).map_err(not_in_links)?;
            Ok(link.canonical())
        });
        Self::new(elements, canonical)
    }

    fn new(elements: &ElementString<'_>, canonical: Result<String, Finding>) -> Self {
        let row = |element: &fingerpost_gs1::Element<'_>| DescribedElement {
            ai: element.ai(),
            title: element.entry().title(),
            value: element.value().to_owned(),
        };
        Self {
            no_uri: canonical.as_ref().err().cloned(),
            canonical_uri: canonical.ok(),
            element_string: elements.to_bracketed(),
            hri: elements.hri(false).collect(),
            rows: elements.elements().iter().map(row).collect(),
        }
    }
}

/// Returns whether the identifier was written as bits of an EPC, or compressed.
fn is_of_bits(identifier: &Identifier<'_>) -> bool {
    match identifier {
        Identifier::Epc { .. } => true,
        Identifier::Rebuilt(read) => read.form() != CompressionExtent::Uncompressed,
        Identifier::Urn(_) | Identifier::Link(_) | Identifier::Elements(_) => false,
    }
}

/// Returns the warning that the add-on of an EAN or UPC symbol is left out.
fn add_on(scan: &str) -> Option<Finding> {
    let digits = scan.strip_prefix("]E3")?;
    let add_on = digits.get(13..).filter(|add_on| !add_on.is_empty())?;
    Some(Finding::of_form(
        "ADD_ON_LEFT_OUT",
        format!("read without the add-on {add_on}, the number of an issue or a price"),
        "",
        scan.len() - add_on.len()..scan.len(),
    ))
}

/// Returns the warning about a typed GTIN of zeros.
fn zeros(typed: &str) -> Option<Finding> {
    let mut digits = typed.bytes().filter(u8::is_ascii_digit);
    let message = "a GTIN of zeros identifies nothing";
    let all = 0..typed.len();
    digits
        .all(|digit| digit == b'0')
        .then(|| Finding::of_form("NO_ITEM", message, "compare with the label", all))
}

fn moved(span: Span, by: isize) -> Span {
    let shift = |at: usize| at.checked_add_signed(by).unwrap_or(0);
    Span { start: shift(span.start), end: shift(span.end) }
}
