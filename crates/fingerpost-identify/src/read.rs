//! Reads an identifier in any form: barcode data, a Digital Link URI (compressed or not), an EPC as bits or as URN.
//!
//! A URI whose last segment is EPC bits follows GS1 Digital Link URI: Compression Technical Standard for EPC binary
//! strings 1.0.0; [`fingerpost_gs1::compression`] reads those of Digital Link 1.1.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;

use fingerpost_epc::{AiValues, Bits, Epc, EpcUrn, ErrorPlace};
use fingerpost_gs1::compression::{Decompressed, decompress};
use fingerpost_gs1::{DigitalLink, ElementString, Options, Scan};

use crate::finding::Finding;
use crate::form::{EPC, InputForm, is_grouping};

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
    /// A URI that differs from the given text: decompressed, or a path with the reference stem added.
    Rebuilt(Box<Decompressed>),
    /// The element string of a barcode.
    Elements(ElementString<'a>),
}

/// Used as scheme and host where only a path was given.
pub(crate) const STEM: &str = DigitalLink::REFERENCE_STEM;

/// Bytes of a symbology identifier.
const SYMBOLOGY: usize = 3;

/// Reads `text`, which has no white space around it. Returns the form that reading found.
///
/// # Errors
///
/// The first fault, with its place in `text`.
pub fn read(text: &str) -> Result<(InputForm, Identifier<'_>), Finding> {
    let form = InputForm::of(text);
    let elements = |found: Result<ElementString<'_>, _>| match found {
        Ok(elements) => Ok(Identifier::Elements(elements.into_owned())),
        Err(error) => Err(Finding::of_gs1(&error, 0)),
    };
    let identifier = match form {
        InputForm::EpcHex => epc(Epc::from_hex(text), text),
        InputForm::EpcBase64 => epc(Epc::from_base64url(text), text),
        InputForm::EpcSegment => {
            let start = usize::from(text.starts_with('/'));
            segment(text, start, text.len())
        }
        InputForm::EpcTag | InputForm::EpcRaw | InputForm::EpcUrn => epc_urn(form, text),
        // These three are only distinguished by reading.
        InputForm::DigitalLink | InputForm::EpcLink | InputForm::CompressedLink => {
            return link(text, 0);
        }
        InputForm::DigitalLinkPath => path(text),
        InputForm::Scan(_) if is_scanned_uri(text) => {
            link(&text[SYMBOLOGY..], SYMBOLOGY).map(|(_, identifier)| identifier)
        }
        InputForm::Scan(_) => scan(text),
        InputForm::Bracketed => borrowed(ElementString::parse_bracketed(text)),
        InputForm::Raw => borrowed(ElementString::parse_raw(text)),
        InputForm::RawWithoutFnc1 => {
            let options = Options::new().missing_leading_fnc1(true);
            borrowed(ElementString::parse_raw_with(text, &options))
        }
        InputForm::Gtin => elements(ElementString::parse_gtin(&digits("", text))),
        InputForm::Sscc => elements(ElementString::parse_bracketed(&digits("(00)", text))),
        InputForm::Unknown => Err(unknown(text)),
    };
    // Spans of numbers count other characters than the input has.
    let identifier = match form {
        InputForm::Gtin | InputForm::Sscc => identifier.map_err(|fault| fault.about(0..text.len())),
        _ => identifier,
    };
    Ok((form, identifier?))
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

/// Returns an EPC that was read from `text`.
fn epc<'a>(
    found: Result<Epc, fingerpost_epc::Error>,
    text: &str,
) -> Result<Identifier<'a>, Finding> {
    match found {
        Ok(epc) => Ok(Identifier::Epc { epc, stem: None }),
        Err(error) => Err(Finding::of_epc(
            &error,
            match error.place() {
                ErrorPlace::Text { start, end } => start..end.min(text.len()),
                _ => 0..text.len(),
            },
        )),
    }
}

/// Reads the bits of the segment `eh…` or `ex…` at `start..end` of the input.
fn segment(text: &str, start: usize, end: usize) -> Result<Identifier<'_>, Finding> {
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
        // Places in the bits are not places in the URN, which may hold another number.
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

fn scan(text: &str) -> Result<Identifier<'_>, Finding> {
    match ElementString::parse_scan(text) {
        Ok(Scan::Elements(elements)) => Ok(Identifier::Elements(elements)),
        Ok(Scan::DigitalLink(link)) => Ok(Identifier::Link(link)),
        Ok(Scan::Plain(data)) => Err(plain_text(text, data)),
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

/// Reads a URI of any form; it begins `shift` bytes into the input.
fn link(uri: &str, shift: usize) -> Result<(InputForm, Identifier<'_>), Finding> {
    let error = match DigitalLink::parse(uri) {
        Ok(link) => return Ok((InputForm::DigitalLink, Identifier::Link(link))),
        Err(error) => error,
    };
    if let Some(found) = epc_link(uri) {
        return found.map(|found| (InputForm::EpcLink, found)).map_err(|fault| fault.moved(shift));
    }
    match decompress(uri, &Options::new()) {
        Ok(read) => Ok((InputForm::CompressedLink, Identifier::Rebuilt(Box::new(read)))),
        Err(compressed) => {
            let fault = Finding::of_gs1(&compressed, shift);
            // Otherwise it is not a compressed URI at all.
            Err(if fault.is_of_bits() { fault } else { Finding::of_gs1(&error, shift) })
        }
    }
}

/// Reads the EPC in the last segment of a URI; `None` if that segment does not have the form of one. Attributes in the query join
/// those of the EPC; other pairs are left out.
fn epc_link(uri: &str) -> Option<Result<Identifier<'_>, Finding>> {
    let path_end = uri.find(['?', '#']).unwrap_or(uri.len());
    let start = uri[..path_end].rfind('/')? + 1;
    if !Bits::is_segment(&uri[start..path_end]) {
        return None;
    }
    let found = segment(uri, start, path_end).and_then(|found| {
        let Identifier::Epc { epc, .. } = found else { return Ok(found) };
        let stem = &uri[..start - 1];
        let whole = epc.digital_link(stem).map_err(|e| Finding::of_epc(&e, start..path_end))?;
        let query = uri[path_end..].split('#').next().unwrap_or_default();
        if !has_attribute(query) {
            // Only the stem can be wrong, so any key will do to check it.
            return match DigitalLink::parse(&[stem, ANY].concat()) {
                Ok(_) => Ok(Identifier::Epc { epc, stem: Some(stem) }),
                Err(error) => Err(Finding::of_gs1(&error, 0).within(uri.len())),
            };
        }
        let joint =
            if whole.contains('?') { query.replacen('?', "&", 1) } else { query.to_owned() };
        let link = decompress(&(whole + &joint), &Options::new());
        let link = link.map_err(|error| Finding::of_gs1(&error, 0).about(0..uri.len()))?;
        Ok(Identifier::Rebuilt(Box::new(link)))
    });
    Some(found)
}

/// A key used to check a stem.
const ANY: &str = "/414/9506000134352";

/// Returns whether a query has a pair whose key begins with a digit, as Application Identifiers do.
fn has_attribute(query: &str) -> bool {
    let pairs = query.trim_start_matches('?').split(['&', ';']);
    pairs
        .filter_map(|pair| pair.split('=').next())
        .any(|key| key.starts_with(|first: char| first.is_ascii_digit()))
}

fn path(text: &str) -> Result<Identifier<'_>, Finding> {
    let separator = if text.starts_with('/') { "" } else { "/" };
    let uri = [STEM, separator, text].concat();
    match decompress(&uri, &Options::new()) {
        Ok(read) => Ok(Identifier::Rebuilt(Box::new(read))),
        Err(error) => {
            let fault = Finding::of_gs1(&error, 0);
            let place = |at: usize| at.saturating_sub(STEM.len() + separator.len());
            let span = place(fault.span.start)..place(fault.span.end);
            Err(fault.about(span))
        }
    }
}

/// Returns the finding that a text has no known form.
pub(crate) fn unknown(text: &str) -> Finding {
    Finding::of_form(
        "NOT_RECOGNISED",
        "expected a GS1 identifier, found text of no known form",
        "known are: https://…/01/…, (01)…(10)…, raw data with FNC1 (^ or GS), scan data ]d2…, \
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
            Self::Rebuilt(read) => AiValues::from(&read.link()),
            Self::Elements(elements) => AiValues::from(elements),
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::{Identifier, read};

    /// Returns the form, and the elements or the code and the place of the fault.
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
        assert_eq!(told("urn:epc:id:gid:1.2.3"), "epc-urn NoDigitalLink");
    }

    #[test]
    fn faults_have_their_places() {
        for (text, fault) in [
            ("ff66c4409047e14000001a85", "ReservedHeader at 0..2"),
            ("eh0166c4409047e14000001a85", "ReservedHeader at 2..4"),
            ("https://a.example/eh0166c4409047e140", "ReservedHeader at 20..22"),
            ("]Q1https://a.example/eh0166c4409047e140", "ReservedHeader at 23..25"),
            ("https://a.example/eh3500e86f8000a9e000000586", "NoDigitalLink at 18..44"),
            ("https:///eh3066c4409047e14000001a85", "URI_HOST at 8..8"),
            ("/eh3066C4409047E14000001A85", "InvalidHex at 7..8"),
            ("urn:epc:id:xyz:1.2.3", "UnknownScheme at 11..14"),
            ("01/09520123456780", "L_INCORRECT_CHECK_DIGIT at 16..17"),
            ("hello", "NOT_RECOGNISED at 0..5"),
            ("", "NOT_RECOGNISED at 0..0"),
        ] {
            assert_eq!(told(text), fault, "{text}");
        }
        let (_, identifier) = read("https://a.example/x/exMGbEQJBH4UAAABqF").unwrap();
        assert!(matches!(identifier, Identifier::Epc { stem: Some("https://a.example/x"), .. }));
    }
}
