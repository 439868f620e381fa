//! Reads an identifier in any form: barcode data, a Digital Link URI (compressed or not), an EPC as
//! bits or as URN.
//!
//! A URI whose last segment is EPC bits follows GS1 Digital Link URI: Compression Technical
//! Standard for EPC binary strings 1.0.0; [`fingerpost_gs1::compression`] reads those of Digital
//! Link 1.1.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use fingerpost_epc::{AiValues, Bits, Epc, EpcUrn};
use fingerpost_gs1::compression::Decompressed;
use fingerpost_gs1::{DigitalLink, ElementString, Options, Scan};

use crate::finding::Finding;
use crate::form::{EPC, InputForm, composite, is_grouping};
use crate::hri::Unspaced;

pub(crate) mod link;

/// An identifier that was read from a text.
#[derive(Debug)]
pub enum Identifier<'a> {
    /// An EPC from bits, a Tag URI, or the last segment of a URI.
    Epc {
        /// The EPC.
        epc: Epc,
        /// The part of the URI before its last segment, if the EPC was in a URI.
        stem: Option<&'a str>,
    },
    /// A pure identity or a pattern.
    Urn(EpcUrn),
    /// A Digital Link URI as given.
    Link(DigitalLink<'a>),
    /// A URI that differs from the given text: decompressed, or a path with the reference stem
    /// added.
    Rebuilt(Box<Decompressed>),
    /// The element string of a barcode.
    Elements(ElementString<'a>),
}

/// Bytes of a symbology identifier.
pub(crate) const SYMBOLOGY: usize = 3;

/// Reads `text`, which has no white space around it. Returns the form that reading found.
///
/// # Errors
///
/// The first fault, with its position in `text`.
pub fn read(text: &str) -> Result<(InputForm, Identifier<'_>), Finding> {
    read_with(text, &Options::new())
}

/// Works like [`read()`], with options for what the rules of Application Identifiers and Digital
/// Link URIs leave open.
///
/// # Errors
///
/// As [`read()`].
pub fn read_with<'a>(
    text: &'a str,
    options: &Options,
) -> Result<(InputForm, Identifier<'a>), Finding> {
    let form = InputForm::of(text);
    let elements = |found: Result<ElementString<'_>, _>| match found {
        Ok(elements) => Ok(Identifier::Elements(elements.into_owned())),
        Err(error) => Err(Finding::of_gs1(&error, 0)),
    };
    let identifier = match form {
        InputForm::EpcHex => epc(Epc::from_hex(text), text)
            .map_err(|fault| after_control_word(text).unwrap_or(fault)),
        InputForm::EpcBase64 => epc(Epc::from_base64url(text), text),
        InputForm::EpcSegment => {
            let start = usize::from(text.starts_with('/'));
            segment(text, start, text.len())
        }
        InputForm::EpcTag | InputForm::EpcRaw | InputForm::EpcUrn => epc_urn(form, text),
        // These three are only distinguished by reading.
        InputForm::DigitalLink | InputForm::EpcLink | InputForm::CompressedLink => {
            return link::read(text, 0, options);
        }
        InputForm::DigitalLinkPath => link::read_path(text, options),
        InputForm::Scan(_) if is_scanned_uri(text) => {
            link::read(&text[SYMBOLOGY..], SYMBOLOGY, options).map(|(_, identifier)| identifier)
        }
        InputForm::Scan(_) => scan(text, options),
        InputForm::Bracketed => borrowed(ElementString::parse_bracketed_with(text, options)),
        InputForm::Hri => hri(text, options),
        InputForm::Raw => borrowed(ElementString::parse_raw_with(text, options)),
        InputForm::RawWithoutFnc1 if is_composite(text) => {
            let whole = composite(text).unwrap_or_default();
            let found = ElementString::parse_raw_with(&whole, options);
            elements(found.map(ElementString::into_owned))
                .map_err(|fault| fault.about(0..text.len()))
        }
        InputForm::RawWithoutFnc1 => {
            let options = options.clone().missing_leading_fnc1(true);
            borrowed(ElementString::parse_raw_with(text, &options))
        }
        InputForm::Gtin => elements(ElementString::parse_gtin(&digits("", text))),
        InputForm::Sscc => {
            elements(ElementString::parse_bracketed_with(&digits("(00)", text), options))
        }
        InputForm::Other(scheme) => Err(scheme.finding(text)),
        InputForm::Unknown => Err(unknown(text)),
    };
    // Spans of numbers count other characters than the input has.
    let identifier = match form {
        InputForm::Gtin | InputForm::Sscc => identifier.map_err(|fault| fault.about(0..text.len())),
        _ => identifier,
    };
    Ok((form, identifier?))
}

fn is_composite(text: &str) -> bool {
    composite(text).is_some()
}

fn borrowed(
    found: Result<ElementString<'_>, fingerpost_gs1::Error>,
) -> Result<Identifier<'_>, Finding> {
    found.map(Identifier::Elements).map_err(|error| Finding::of_gs1(&error, 0))
}

/// Returns `prefix` and the digits, without the spaces and hyphens between them.
fn digits(prefix: &str, text: &str) -> String {
    prefix
        .chars()
        .chain(text.chars().filter(|char| !char.is_ascii() || !is_grouping(*char as u8)))
        .collect()
}

/// Returns where the EPC is if the data of a tag begin with its control word, perhaps with the
/// check word before it or behind the EPC: the control word states the number of words of the EPC
/// (Gen2v2 section 6.3.2.1.2).
pub(crate) fn epc_after_control_word(text: &str) -> Option<Range<usize>> {
    [0, 4].into_iter().find_map(|start| {
        let word = text.get(start..start + 4)?;
        let words = usize::from(u16::from_str_radix(word, 16).ok()? >> 11);
        let epc = start + 4..start + 4 + words * 4;
        let is_end = epc.end == text.len() || start == 0 && epc.end + 4 == text.len();
        let is_epc = is_end && Epc::from_hex(text.get(epc.clone())?).is_ok();
        is_epc.then_some(epc)
    })
}

/// Returns the finding that the data of a tag do not begin with the EPC.
fn after_control_word(text: &str) -> Option<Finding> {
    let epc = epc_after_control_word(text)?;
    let before =
        if epc.start == 4 { "the control word" } else { "the check word and the control word" };
    let behind = if epc.end < text.len() { " and the check word behind it" } else { "" };
    Some(Finding::of_form(
        "CONTROL_WORD",
        format!(
            "expected an EPC, found {before} of the tag before it{behind}: {}",
            &text[..epc.start]
        ),
        format!("keep only the EPC: {}", &text[epc.clone()]),
        0..epc.start,
    ))
}

/// Returns an EPC that was read from `text`.
fn epc<'a>(
    found: Result<Epc, fingerpost_epc::Error>,
    text: &str,
) -> Result<Identifier<'a>, Finding> {
    match found {
        Ok(epc) => Ok(Identifier::Epc { epc, stem: None }),
        Err(error) => Err(Finding::of_epc(
            &error,
            error.span().map_or(0..text.len(), |span| span.start..span.end.min(text.len())),
        )),
    }
}

/// Reads the bits of the segment `eh…` or `ex…` at `start..end` of the input.
pub(crate) fn segment(text: &str, start: usize, end: usize) -> Result<Identifier<'_>, Finding> {
    let segment = &text[start..end];
    epc(Epc::from_segment(segment), segment).map_err(|fault| fault.moved(start))
}

fn epc_urn(form: InputForm, text: &str) -> Result<Identifier<'_>, Finding> {
    // The readers expect scheme and namespace in lower case.
    let urn = match text.strip_prefix(EPC) {
        Some(_) => Cow::Borrowed(text),
        None => Cow::Owned([EPC, &text[EPC.len()..]].concat()),
    };
    if form == InputForm::EpcRaw {
        // Positions in the bits are not positions in the URN, which may hold another number.
        let found = Bits::from_raw_uri(&urn).and_then(|bits| Epc::from_bits(&bits));
        return epc(found, text).map_err(|fault| fault.about(0..text.len()));
    }
    match EpcUrn::parse(&urn) {
        Ok(EpcUrn::Tag(tag)) => Ok(Identifier::Epc { epc: Epc::Classic(tag), stem: None }),
        Ok(urn) => Ok(Identifier::Urn(urn)),
        Err(error) => epc(Err(error), text),
    }
}

fn is_scanned_uri(text: &str) -> bool {
    let (id, data) = text.split_at_checked(SYMBOLOGY).unwrap_or((text, ""));
    matches!(id, "]d1" | "]Q1" | "]J0") && InputForm::of(data) == InputForm::DigitalLink
}

fn hri<'a>(text: &'a str, options: &Options) -> Result<Identifier<'a>, Finding> {
    let Some(read) = Unspaced::of(text) else { return Err(unknown(text)) };
    match ElementString::parse_bracketed_with(&read.bracketed, options) {
        Ok(elements) => Ok(Identifier::Elements(elements.into_owned())),
        Err(error) => {
            let fault = Finding::of_gs1(&error, 0);
            let span = read.span_in_hri(fault.span.clone(), text.len());
            Err(fault.about(span))
        }
    }
}

fn scan<'a>(text: &'a str, options: &Options) -> Result<Identifier<'a>, Finding> {
    match ElementString::parse_scan_with(text, options) {
        Ok(Scan::Elements(elements)) => Ok(Identifier::Elements(elements)),
        Ok(Scan::DigitalLink(link)) => Ok(Identifier::Link(link)),
        Ok(Scan::Plain(data)) => Err(plain_text(text, &data)),
        Ok(_) => Err(unknown(text)),
        Err(error) => Err(Finding::of_gs1(&error, 0)),
    }
}

/// Returns the finding that the symbol holds `data`, the end of `text`, which is not GS1 data.
pub(crate) fn plain_text(text: &str, data: &str) -> Finding {
    Finding::of_form(
        "NO_GS1_DATA",
        "expected a GS1 Digital Link URI in this symbol, found plain text",
        "a symbol with GS1 elements has another symbology identifier",
        text.len() - data.len()..text.len(),
    )
}

/// Returns the finding that a text has no known form.
pub(crate) fn unknown(text: &str) -> Finding {
    Finding::of_form(
        "NOT_RECOGNISED",
        "expected a GS1 identifier, found text of no known form",
        "known are: https://…/01/…, (01)…(10)…, (01) … (10) …, raw data with FNC1 (^ or GS), scan data ]d2…, \
               a GTIN, an SSCC, urn:epc:…, EPC bits in hexadecimal or base64url",
        0..text.len(),
    )
}

impl Identifier<'_> {
    /// Returns the elements, in the order of the identifier.
    ///
    /// # Errors
    ///
    /// The EPC has no GS1 key.
    pub fn values(&self) -> Result<AiValues, fingerpost_epc::Error> {
        Ok(match self {
            Self::Epc { epc, .. } => epc.elements()?,
            Self::Urn(urn) => urn.elements()?,
            Self::Link(link) => AiValues::from(link),
            Self::Rebuilt(read) => AiValues::from(read.link()),
            Self::Elements(elements) => AiValues::from(elements),
        })
    }

    /// Returns what a user should know about a valid identifier: what its reader corrected or
    /// ignored, and what other software may refuse. The spans are those of a Digital Link URI
    /// in the identifier, and empty for other forms.
    #[must_use]
    pub fn warnings(&self) -> Vec<Finding> {
        match self {
            Self::Epc { stem, .. } => stem.and_then(link::ignored_key).into_iter().collect(),
            Self::Urn(_) => Vec::new(),
            Self::Link(link) => link::warnings(link),
            Self::Rebuilt(read) => {
                let of_bits = read.warnings().iter().map(Finding::of_warning);
                of_bits.chain(link::warnings(read.link())).collect()
            }
            Self::Elements(elements) => {
                let elements = elements.elements();
                link::of_path_grammar(elements)
                    .into_iter()
                    .chain(link::dot_segments(elements))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::{Identifier, read};

    /// Returns the form, and the elements or the code and the position of the fault.
    fn told(text: &str) -> String {
        match read(text) {
            Ok((form, identifier)) => {
                let values = identifier.values().map(|values| values.to_string());
                format!(
                    "{} {}",
                    form.code(),
                    values.unwrap_or_else(|error| error.code().to_owned())
                )
            }
            Err(fault) => format!("{} at {:?}", fault.code, fault.span),
        }
    }

    #[test]
    fn every_form_is_read() {
        let item = "(01)09506000134352(21)6789";
        for (text, form) in [
            ("3066c4409047e14000001a85", "epc-hex"),
            ("MGbEQJBH4UAAABqF", "epc-base64"),
            ("eh3066c4409047e14000001a85", "epc-segment"),
            ("/exMGbEQJBH4UAAABqF", "epc-segment"),
            ("https://a.example/x/exMGbEQJBH4UAAABqF?linkType=all", "epc-digital-link"),
            ("]Q1https://a.example/eh3066c4409047e14000001a85", "scan-data"),
            ("urn:epc:id:sgtin:95060001343.05.6789", "epc-urn"),
            ("URN:epc:id:sgtin:95060001343.05.6789", "epc-urn"),
            ("urn:epc:tag:sgtin-96:3.95060001343.05.6789", "epc-tag"),
            ("urn:epc:raw:96.x3066C4409047E14000001A85", "epc-raw"),
            ("(01)09506000134352(21)6789", "bracketed-element-string"),
            ("https://a.example/01/09506000134352/21/6789", "digital-link"),
            ("]Q1https://a.example/01/09506000134352/21/6789", "scan-data"),
            ("/01/09506000134352/21/6789", "digital-link-path"),
            ("0109506000134352216789", "raw-element-string"),
        ] {
            assert_eq!(told(text), format!("{form} {item}"), "{text}");
        }
        assert_eq!(
            told("https://example.com/DBHKVAdpQgowOQ"),
            "compressed-digital-link (01)09780345418913(21)12345",
        );
        assert_eq!(
            told("https://a.example/exMGbEQJBH4UAAABqF?17=261231#x"),
            format!("epc-digital-link {item}(17)261231"),
        );
        assert_eq!(told("952 0123 45678-8"), "gtin (01)09520123456788");
        assert_eq!(told("195201234567891232"), "sscc (00)195201234567891232");
        assert_eq!(told("urn:epc:id:gid:1.2.3"), "epc-urn NO_DIGITAL_LINK");
    }

    #[test]
    fn faults_have_their_spans() {
        for (text, fault) in [
            ("ff66c4409047e14000001a85", "RESERVED_HEADER at 0..2"),
            ("eh0166c4409047e14000001a85", "RESERVED_HEADER at 2..4"),
            ("https://a.example/eh0166c4409047e140", "RESERVED_HEADER at 20..22"),
            ("]Q1https://a.example/eh0166c4409047e140", "RESERVED_HEADER at 23..25"),
            ("https://a.example/eh3500e86f8000a9e000000586", "NO_DIGITAL_LINK at 18..44"),
            ("https:///eh3066c4409047e14000001a85", "URI_HOST at 8..8"),
            ("/eh3066C4409047E14000001A85", "INVALID_HEX at 7..8"),
            ("urn:epc:id:xyz:1.2.3", "UNKNOWN_SCHEME at 11..14"),
            ("01/09520123456780", "L_INCORRECT_CHECK_DIGIT at 16..17"),
            ("30003066c4409047e14000001a85", "CONTROL_WORD at 0..4"),
            ("ABCD30003066c4409047e14000001a85", "CONTROL_WORD at 0..8"),
            ("hello", "NOT_RECOGNISED at 0..5"),
            ("", "NOT_RECOGNISED at 0..0"),
        ] {
            assert_eq!(told(text), fault, "{text}");
        }
        let (_, identifier) = read("https://a.example/x/exMGbEQJBH4UAAABqF").unwrap();
        assert!(matches!(identifier, Identifier::Epc { stem: Some("https://a.example/x"), .. }));
    }
}
