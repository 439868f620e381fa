//! Inspects a text that was typed, pasted or scanned: the form of identifier it is meant to be, all
//! its faults, and the elements that it holds.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use fingerpost_gs1::compression::CompressionExtent;
use fingerpost_gs1::{Ai, DigitalLink, ElementString, Error, Findings, Options, Scan, Span};

use crate::epc_facts::EpcFacts;
use crate::finding::{Finding, SURPLUS_SEGMENT};
use crate::form::{InputForm, composite, is_grouping};
use crate::hri::Unspaced;
use crate::read::{Identifier, SYMBOLOGY, link, plain_text, read_with, unknown};

/// The result of inspecting one input.
#[derive(Debug)]
pub struct Inspection<'a> {
    /// The input, without white space around it.
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
    /// Canonical URI below the reference stem; `None` without a primary key.
    pub canonical_uri: Option<String>,
    /// The element string with the Application Identifiers in round brackets.
    pub element_string: String,
    /// Human-readable interpretation, one text for each element.
    pub hri: Vec<String>,
    /// The elements one by one.
    pub rows: Vec<Row>,
}

/// One element.
#[derive(Debug)]
pub struct Row {
    /// The Application Identifier.
    pub ai: Ai,
    /// Its title in GS1's table.
    pub title: &'static str,
    /// Its value, decoded.
    pub value: String,
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
    // GS is not treated as white space: it begins raw data.
    let input = input.trim_matches(|char: char| char.is_ascii_whitespace());
    let form = InputForm::of(input);
    let mut inspection = Inspection {
        input,
        form,
        faults: Vec::new(),
        warnings: Vec::new(),
        item: None,
        bits: None,
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
        InputForm::Gtin => inspection.number("", |digits| {
            (ElementString::parse_gtin(digits).map(ElementString::into_owned), 0)
        }),
        InputForm::Sscc => inspection.number("(00)", |digits| {
            let found = ElementString::parse_bracketed_with(digits, options);
            (found.map(ElementString::into_owned), 4)
        }),
        // All EPCs have been read above.
        _ => inspection.faults.push(unknown(input)),
    }
    inspection.faults.sort_by_key(|fault| fault.span.start);
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
                self.identifier(&identifier);
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

    fn identifier(&mut self, identifier: &Identifier<'_>) {
        if let Identifier::Rebuilt(read) = identifier {
            self.item = Some(Item::of_link(read.link()));
            // The URI that was rebuilt has other places.
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
        match values.to_element_string() {
            Ok(elements) => self.item = Some(Item::of_elements(&elements)),
            Err(error) => {
                self.faults.push(Finding::of_epc(&error, 0..self.input.len()));
            }
        }
    }

    /// Inspects a Digital Link URI at the end of the input. `uri` begins at byte `shift` of the
    /// input; the value is negative if the reference stem was put before a path.
    fn digital_link(&mut self, uri: &str, shift: isize, options: &Options) {
        let place = |span: Span| moved(span, shift);
        let (link, findings) = DigitalLink::inspect(uri, options);
        self.faults
            .extend(findings.into_iter().map(|error| Finding::of_gs1(&error, 0).placed(place)));
        let lenient = options.clone().lenient();
        // A strict reader may refuse it although its meaning is unambiguous.
        if let Some(link) = link.or_else(|| DigitalLink::parse_with(uri, &lenient).ok()) {
            self.item = Some(Item::of_link(&link));
            self.warnings.extend(link::warnings(&link).into_iter().map(|w| w.placed(place)));
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
            let place = read.place(span.start..span.end, length);
            Span { start: place.start, end: place.end }
        });
    }

    fn elements(
        &mut self,
        (found, findings): (Option<ElementString<'_>>, Findings),
        place: impl Fn(Span) -> Span + Copy,
    ) {
        self.faults
            .extend(findings.into_iter().map(|error| Finding::of_gs1(&error, 0).placed(place)));
        let Some(elements) = found else { return };
        self.item = Some(Item::of_elements(&elements));
        let warning = link::of_path_grammar(elements.elements());
        self.warnings.extend(warning.map(|warning| warning.placed(place)));
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
        let places: Vec<usize> =
            self.input.bytes().enumerate().filter(is_digit).map(|(at, _)| at).collect();
        let digits: String =
            prefix.chars().chain(self.input.chars().filter(|char| char.is_ascii_digit())).collect();
        let (found, counted) = read(&digits);
        let place = |span: Span| {
            let at = |digit: usize| places.get(digit).copied();
            let start = span.start.saturating_sub(counted);
            let last = span.end.saturating_sub(counted + 1).max(start);
            let end = self.input.len();
            Span { start: at(start).unwrap_or(end), end: at(last).map_or(end, |last| last + 1) }
        };
        match found {
            Ok(elements) => self.item = Some(Item::of_elements(&elements)),
            Err(error) => {
                let mark = Finding::of_gs1(&error, 0).placed(place);
                self.faults.push(mark);
            }
        }
    }
}

impl Item {
    fn of_link(link: &DigitalLink<'_>) -> Self {
        let elements = link.to_element_string();
        Self { canonical_uri: Some(link.canonical()), ..Self::of_elements(&elements) }
    }

    fn of_elements(elements: &ElementString<'_>) -> Self {
        let uri = DigitalLink::build(DigitalLink::REFERENCE_STEM, elements).ok();
        let canonical = uri.as_deref().and_then(|uri| DigitalLink::parse(uri).ok());
        let row = |element: &fingerpost_gs1::Element<'_>| Row {
            ai: element.ai(),
            title: element.entry().title(),
            value: element.value().to_owned(),
        };
        Self {
            canonical_uri: canonical.map(|link| link.canonical()),
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

fn moved(span: Span, by: isize) -> Span {
    let shift = |at: usize| at.checked_add_signed(by).unwrap_or(0);
    Span { start: shift(span.start), end: shift(span.end) }
}
