//! Judges one input by its form: every fault at once, or the elements it holds.

use std::borrow::Cow;

use fingerpost_gs1::compression::Form as Compression;
use fingerpost_gs1::{
    Ai, DigitalLink, ElementString, Error, Findings, Options, Scan, Span, Warning,
};

use super::epc::Bits;
use super::recognise::{Form, is_grouping};
use crate::identifier::{self, Identifier};
use crate::uri_report::Fault;

/// What is found about one input.
#[derive(Debug)]
pub(super) struct Judgement<'a> {
    /// The input, without white space around it.
    pub(super) input: &'a str,
    pub(super) form: Form,
    /// Empty: it is valid.
    pub(super) faults: Vec<Mark>,
    /// Worth knowing, but not a fault.
    pub(super) warnings: Vec<Mark>,
    /// What the input holds: of a valid one, or as far as a lenient reader made it out.
    pub(super) item: Option<Item>,
    /// Of EPCs, what they say beside their elements.
    pub(super) bits: Option<Bits>,
}

impl Judgement<'_> {
    pub(super) fn is_valid(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A finding and its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Cow<'static, str>,
    pub(super) span: Span,
}

/// The elements of an input, in all spellings.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) canonical_uri: Option<String>,
    pub(super) element_string: String,
    pub(super) hri: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// One element.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) ai: Ai,
    pub(super) title: &'static str,
    pub(super) value: String,
}

/// Stands for a host where only a path was given.
const STEM: &str = "https://id.gs1.org";

/// Judges what somebody handed over.
pub(super) fn judge(input: &str) -> Judgement<'_> {
    // GS is no white space here: it begins raw data.
    let input = input.trim_matches(|char: char| char.is_ascii_whitespace());
    let form = Form::of(input);
    let mut judgement =
        Judgement { input, form, faults: Vec::new(), warnings: Vec::new(), item: None, bits: None };
    match form {
        _ if judgement.is_epc_or_compressed() => {}
        Form::DigitalLink => judgement.digital_link(input, 0),
        Form::DigitalLinkPath => judgement.digital_link_path(),
        Form::Bracketed => {
            let found = ElementString::inspect_bracketed(input, &Options::new());
            judgement.elements(found, |span| span);
        }
        Form::Raw => judgement.elements(ElementString::inspect_raw(input, &Options::new()), |s| s),
        Form::RawWithoutFnc1 => judgement.raw_without_fnc1(),
        Form::Scan(_) => judgement.scan(),
        Form::Gtin => judgement.number("", |digits| {
            (ElementString::parse_gtin(digits).map(ElementString::into_owned), 0)
        }),
        Form::Sscc => judgement.number("(00)", |digits| {
            (ElementString::parse_bracketed(digits).map(ElementString::into_owned), 4)
        }),
        // What is an EPC has been read.
        _ => judgement.faults.push(Mark::of_fault(identifier::unknown(input))),
    }
    judgement.faults.sort_by_key(|fault| fault.span.start);
    judgement
}

impl Judgement<'_> {
    /// Judges EPCs in any form and compressed URIs, which have one fault at most. Other forms may have several, and
    /// are left alone.
    fn is_epc_or_compressed(&mut self) -> bool {
        let is_epc = self.form.is_epc();
        let may_be_uri =
            matches!(self.form, Form::DigitalLink | Form::DigitalLinkPath | Form::Scan(_));
        if !is_epc && !may_be_uri {
            return false;
        }
        match identifier::read(self.input) {
            Ok((form, identifier)) => {
                if !is_epc && !is_of_bits(&identifier) {
                    return false;
                }
                self.form = form;
                self.identifier(&identifier);
            }
            Err(fault) if is_epc || fault.is_of_bits() => self.faults.push(Mark::of_fault(fault)),
            Err(_) => return false,
        }
        true
    }

    fn identifier(&mut self, identifier: &Identifier<'_>) {
        let whole = Span { start: 0, end: self.input.len() };
        if let Identifier::Rebuilt(read) = identifier {
            self.item = Some(Item::of_link(&read.link()));
            self.warnings.extend(read.warnings().iter().map(|w| Mark::of_warning(w, |span| span)));
            return;
        }
        self.bits = Bits::of(identifier);
        if let Some(Bits { is_toggle_wrong: true, .. }) = self.bits {
            self.warnings.push(Mark {
                code: "TOGGLE",
                message:
                    "the bit that announces data after the EPC says otherwise than the bits there"
                        .to_owned(),
                help: "".into(),
                span: whole,
            });
        }
        // GID, USDOD, ADI and others have no GS1 key.
        let Ok(values) = identifier.values() else { return };
        match values.to_element_string() {
            Ok(elements) => self.item = Some(Item::of_elements(&elements)),
            Err(error) => {
                self.faults.push(Mark::of_fault(Fault::of_epc(&error, 0..self.input.len())));
            }
        }
    }

    /// `uri` ends the input and begins at its byte `start` (which may lie before it, for a stem of ours).
    fn digital_link(&mut self, uri: &str, shift: isize) {
        let place = |span: Span| moved(span, shift);
        let (link, findings) = DigitalLink::inspect(uri, &Options::new());
        self.faults.extend(findings.into_iter().map(|error| Mark::of(&error, place)));
        if let Some(link) = link {
            self.item = Some(Item::of_link(&link));
        } else if let Ok(link) = DigitalLink::parse_with(uri, &Options::new().lenient()) {
            // A strict reader refuses it, but its meaning is beyond doubt.
            self.item = Some(Item::of_link(&link));
            self.warnings.extend(link.warnings().iter().map(|w| Mark::of_warning(w, place)));
        }
    }

    fn digital_link_path(&mut self) {
        let separator = if self.input.starts_with('/') { "" } else { "/" };
        let uri = format!("{STEM}{separator}{}", self.input);
        self.digital_link(&uri, -((STEM.len() + separator.len()) as isize));
    }

    fn elements(
        &mut self,
        (found, findings): (Option<ElementString<'_>>, Findings),
        place: impl Fn(Span) -> Span + Copy,
    ) {
        self.faults.extend(findings.into_iter().map(|error| Mark::of(&error, place)));
        self.item = found.map(|elements| Item::of_elements(&elements));
    }

    fn raw_without_fnc1(&mut self) {
        let options = Options::new().missing_leading_fnc1(true);
        self.elements(ElementString::inspect_raw(self.input, &options), |span| span);
        self.warnings.push(Mark {
            code: "NO_LEADING_FNC1",
            message: "read as if FNC1 stood at the beginning".to_owned(),
            help: "let the scanner send the symbology identifier, or the leading FNC1 as GS".into(),
            span: Span { start: 0, end: 0 },
        });
    }

    fn scan(&mut self) {
        match ElementString::inspect_scan(self.input, &Options::new()) {
            (Some(Scan::Elements(elements)), findings) => {
                self.elements((Some(elements), findings), |span| span);
            }
            (Some(Scan::DigitalLink(link)), _) => self.item = Some(Item::of_link(&link)),
            (Some(Scan::Plain(text)), _) => self.faults.push(Mark {
                code: "NO_GS1_DATA",
                message: "expected a GS1 Digital Link URI in this symbol, found plain text"
                    .to_owned(),
                help: "a symbol with GS1 elements has another symbology identifier".into(),
                span: Span { start: self.input.len() - text.len(), end: self.input.len() },
            }),
            (None, findings) => self.elements((None, findings), |span| span),
        }
    }

    /// Digits with spaces and hyphens between them; `prefix` is put before them for the reader, which says
    /// how many bytes of that its spans count.
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
                let mark = Mark::of(&error, place);
                self.faults.push(mark);
            }
        }
    }
}

impl Mark {
    fn of(error: &Error, place: impl Fn(Span) -> Span) -> Self {
        Self {
            code: error.code(),
            message: error.to_string(),
            help: error.hint().into(),
            span: place(error.span()),
        }
    }

    pub(super) fn of_fault(fault: Fault) -> Self {
        let Fault { code, message, help, span } = fault;
        Self { code, message, help: help.into(), span: Span { start: span.start, end: span.end } }
    }

    fn of_warning(warning: &Warning, place: impl Fn(Span) -> Span) -> Self {
        Self {
            code: warning.code(),
            message: warning.to_string(),
            help: "".into(),
            span: place(warning.span()),
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

/// Was it written as bits of an EPC, or compressed?
fn is_of_bits(identifier: &Identifier<'_>) -> bool {
    match identifier {
        Identifier::Epc { .. } => true,
        Identifier::Rebuilt(read) => read.form() != Compression::Uncompressed,
        Identifier::Urn(_) | Identifier::Link(_) | Identifier::Elements(_) => false,
    }
}

fn moved(span: Span, by: isize) -> Span {
    let shift = |at: usize| at.checked_add_signed(by).unwrap_or(0);
    Span { start: shift(span.start), end: shift(span.end) }
}
