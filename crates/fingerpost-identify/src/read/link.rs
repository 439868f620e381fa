//! Reads Digital Link URIs: uncompressed, with EPC bits as their last segment, or compressed as in
//! Digital Link 1.1. If that fails, it looks for the most likely cause.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use fingerpost_epc::Bits;
use fingerpost_gs1::compression::decompress;
use fingerpost_gs1::{Ai, DigitalLink, Element, Error, ErrorKind, Options, WarningKind, percent};

use super::{Identifier, segment};
use crate::finding::{Cause, FORMER_NAME, Finding, SURPLUS_SEGMENT};
use crate::form::InputForm;
use crate::limits::{MAX_SHOWN_INPUT, MAX_SURPLUS_SEGMENTS};

/// Used as scheme and host where only a path was given.
pub(crate) const STEM: &str = DigitalLink::REFERENCE_STEM;

/// Reads a URI of any form; it begins `shift` bytes into the input.
pub(crate) fn read<'a>(
    uri: &'a str,
    shift: usize,
    options: &Options,
) -> Result<(InputForm, Identifier<'a>), Finding> {
    let error = match DigitalLink::parse_with(uri, options) {
        Ok(link) => return Ok((InputForm::DigitalLink, Identifier::Link(link))),
        Err(error) => error,
    };
    let fault = match epc_link(uri, options) {
        Some(Ok(found)) => return Ok((InputForm::EpcLink, found)),
        Some(Err(fault)) => fault,
        None => match decompress(uri, options) {
            Ok(read) => {
                return Ok((InputForm::CompressedLink, Identifier::Rebuilt(Box::new(read))));
            }
            Err(compressed) => {
                let fault = Finding::of_gs1(&compressed, 0);
                // Otherwise it is not a compressed URI at all.
                if fault.is_of_bits() { fault } else { Finding::of_gs1(&error, 0) }
            }
        },
    };
    Err(likely_cause(uri, &error, &fault, options).unwrap_or(fault).moved(shift))
}

/// Reads a path as below the reference stem.
pub(crate) fn read_path<'a>(text: &str, options: &Options) -> Result<Identifier<'a>, Finding> {
    let uri = on_stem(text);
    let before = uri.len() - text.len();
    match decompress(&uri, options) {
        Ok(read) => Ok(Identifier::Rebuilt(Box::new(read))),
        Err(error) => {
            let fault = Finding::of_gs1(&error, 0);
            let plain = DigitalLink::parse_with(&uri, options).err().unwrap_or(error);
            let fault = likely_cause(&uri, &plain, &fault, options).unwrap_or(fault);
            let position = |at: usize| at.saturating_sub(before);
            let span = position(fault.span.start)..position(fault.span.end);
            Err(fault.about(span))
        }
    }
}

/// Returns a path with the reference stem before it.
pub(crate) fn on_stem(path: &str) -> String {
    [STEM, if path.starts_with('/') { "" } else { "/" }, path].concat()
}

/// Returns the finding that explains a URI better than `fault`, which an attempt to decompress it
/// found.
fn likely_cause(uri: &str, error: &Error, fault: &Finding, options: &Options) -> Option<Finding> {
    match error.kind() {
        ErrorKind::UriScheme => Some(Finding::of_gs1(error, 0)),
        ErrorKind::NoPrimaryKey => {
            former_name(uri, options).or_else(|| surplus_segment(uri, fault, options))
        }
        _ => None,
    }
}

/// Returns the finding about `/gtin/…` instead of `/01/…`.
fn former_name(uri: &str, options: &Options) -> Option<Finding> {
    match DigitalLink::parse_with(uri, &options.clone().convenience_alphas(true)) {
        Ok(link) => {
            let is_name = |kind| kind == WarningKind::ConvenienceAlpha;
            let warning = link.warnings().iter().find(|warning| is_name(warning.kind()))?;
            let (ai, span) = (warning.ai()?, warning.span().start..warning.span().end);
            let message = format!(
                "expected the Application Identifier {ai}, found its former name \"{}\"",
                &uri[span.clone()]
            );
            Some(Finding::of_form(FORMER_NAME, message, format!("write {ai} instead"), span))
        }
        Err(error) if error.kind() != ErrorKind::NoPrimaryKey => Some(Finding::of_gs1(&error, 0)),
        Err(_) => None,
    }
}

/// Returns the finding about segments after a valid Digital Link URI. An end of which a part could
/// be decompressed is not surplus, but damaged.
fn surplus_segment(uri: &str, fault: &Finding, options: &Options) -> Option<Finding> {
    let path_end = path_end(uri);
    let last = uri[..path_end].rfind('/')? + 1;
    if matches!(fault.cause, Cause::Gs1(_)) && fault.span.start > last {
        return None;
    }
    let options = options.clone().requisites(false);
    let mut end = path_end;
    for _ in 0..MAX_SURPLUS_SEGMENTS {
        let slash = uri[..end].rfind('/')?;
        if DigitalLink::parse_with(&uri[..slash], &options).is_ok() {
            return Some(after_last_value(&uri[slash + 1..end], slash + 1..path_end));
        }
        end = slash;
    }
    None
}

fn after_last_value(segment: &str, span: Range<usize>) -> Finding {
    let (message, help) = match Ai::new(segment).filter(|ai| ai.entry().is_some()) {
        Some(ai) => (
            format!("expected a value after ({ai}), found nothing"),
            "add the value, or remove the Application Identifier",
        ),
        None => {
            let shown: String = segment.chars().take(MAX_SHOWN_INPUT).collect();
            (
                format!("expected an Application Identifier and its value, found \"{shown}\""),
                "remove what follows the last value; segments of your own stand before the primary key",
            )
        }
    };
    Finding::of_form(SURPLUS_SEGMENT, message, help, span)
}

/// Reads the EPC in the last segment of a URI; `None` if that segment does not have the form of
/// one. Attributes in the query join those of the EPC; other pairs are left out.
fn epc_link<'a>(uri: &'a str, options: &Options) -> Option<Result<Identifier<'a>, Finding>> {
    let path_end = path_end(uri);
    let start = uri[..path_end].rfind('/')? + 1;
    if !Bits::is_segment(&uri[start..path_end]) {
        return None;
    }
    let found = segment(uri, start, path_end).and_then(|found| {
        let Identifier::Epc { epc, .. } = found else { return Ok(found) };
        let stem = &uri[..start - 1];
        let path = epc.elements().and_then(|values| values.path_and_query());
        let whole = [stem, &path.map_err(|e| Finding::of_epc(&e, start..path_end))?].concat();
        let query = uri[path_end..].split('#').next().unwrap_or_default();
        if !has_attribute(query) {
            return match DigitalLink::check_stem(stem) {
                Ok(_) => Ok(Identifier::Epc { epc, stem: Some(stem) }),
                Err(error) => Err(Finding::of_gs1(&error, 0).within(uri.len())),
            };
        }
        let joint =
            if whole.contains('?') { query.replacen('?', "&", 1) } else { query.to_owned() };
        let link = decompress(&(whole + &joint), options);
        let link = link.map_err(|error| Finding::of_gs1(&error, 0).about(0..uri.len()))?;
        Ok(Identifier::Rebuilt(Box::new(link)))
    });
    Some(found)
}

fn path_end(uri: &str) -> usize {
    uri.find(['?', '#']).unwrap_or(uri.len())
}

/// Returns whether a query has a pair whose key begins with a digit, as Application Identifiers do.
fn has_attribute(query: &str) -> bool {
    let pairs = query.trim_start_matches('?').split(['&', ';']);
    pairs.filter_map(|pair| pair.split('=').next()).any(|key| {
        let key = percent::decode_ascii(key).unwrap_or_default();
        key.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// Returns what a user should know about a valid URI; spans are those of the URI.
pub(crate) fn warnings(link: &DigitalLink<'_>) -> Vec<Finding> {
    let corrected = link.warnings().iter().map(Finding::of_warning);
    let ignored = ignored_key(link.stem()).into_iter().chain(ignored_qualifier(link));
    let written = doubtful_values(link).chain(attribute_without_value(link.uri()));
    let of_elements = of_path_grammar(link.elements()).into_iter();
    let of_elements = of_elements.chain(dot_segments(link.elements()));
    corrected.chain(ignored).chain(of_elements).chain(written).collect()
}

/// Returns the findings about values that are valid but probably not meant: in brackets, as in
/// element strings, or with a raw `+`, which some software writes for a space (GS1-DL-16).
fn doubtful_values(link: &DigitalLink<'_>) -> impl Iterator<Item = Finding> {
    let uri = link.uri();
    link.elements().iter().filter_map(move |element| {
        let (span, value) = (element.span(), element.value());
        let written = uri.get(span.start..span.end).unwrap_or_default();
        let ai = element.ai();
        let ai = ai.as_str();
        let (code, message) = if value.starts_with('(') && value.ends_with(')') {
            (
                "BRACKETS_IN_VALUE",
                format!("the brackets are part of the value of ({ai}): {}", shown(value)),
            )
        } else if written.contains('+') {
            (
                "PLUS_IN_VALUE",
                format!("the plus sign in ({ai}) is a plus sign, not a space: {}", shown(value)),
            )
        } else {
            return None;
        };
        let help = "check the value against the label; write a plus sign as %2B";
        let help = if code == "PLUS_IN_VALUE" {
            help
        } else {
            "remove the brackets if they are not part of the value"
        };
        Some(Finding::of_form(code, message, help, span.start..span.end))
    })
}

fn shown(value: &str) -> String {
    value.chars().take(MAX_SHOWN_INPUT).collect()
}

/// Returns the finding about an Application Identifier in the query that has no `=`, and is
/// therefore no attribute.
fn attribute_without_value(uri: &str) -> Option<Finding> {
    let start = path_end(uri);
    let query = uri[start..].strip_prefix('?')?;
    let query = query.split('#').next().unwrap_or_default();
    let mut at = start + 1;
    for pair in query.split(['&', ';']) {
        if let Some(ai) = Ai::new(pair).filter(|ai| ai.entry().is_some()) {
            let ai = ai.as_str();
            let message = format!("ignored ({ai}) in the query: it has no value");
            let help = format!("write the value after an equals sign: {ai}=…");
            return Some(Finding::of_form("NO_VALUE", message, help, at..at + pair.len()));
        }
        at += pair.len() + 1;
    }
    None
}

/// Returns the finding about a key in the stem, which looks as if it counted: a pair as in RE1 of
/// section 6.1.1.
pub(crate) fn ignored_key(stem: &str) -> Option<Finding> {
    let is_key = |slash: &usize| {
        let mut segments = stem[slash + 1..].split('/');
        let (ai, value) = (segments.next(), segments.next().unwrap_or_default());
        let digits = value.bytes().take_while(u8::is_ascii_digit).count();
        digits >= 4 && value.len() > 4 && ai.and_then(Ai::new).is_some_and(Ai::is_primary_key)
    };
    let start = stem.match_indices('/').map(|(slash, _)| slash).find(is_key)?;
    let mut segments = stem[start + 1..].split('/');
    let (ai, value) = (segments.next()?, segments.next()?);
    Some(Finding::of_form(
        "IGNORED_KEY",
        format!("ignored {}: only the last primary key of a path counts", &stem[start..]),
        format!("for both keys, write the other one into the query: ?{ai}={value}"),
        start..stem.len(),
    ))
}

/// Returns the finding about a qualifier before its key, which is part of the stem and not read.
fn ignored_qualifier(link: &DigitalLink<'_>) -> Option<Finding> {
    let stem = link.stem();
    let key = link.elements().first()?;
    let mut segments = stem.split('/').skip(3);
    let sequences = key.entry().qualifier_sequences()?;
    let is_qualifier = |segment: &str| {
        Ai::new(segment).filter(|ai| sequences.iter().any(|sequence| sequence.contains(ai)))
    };
    let (mut at, mut pairs) = (stem.len(), Vec::new());
    let all: Vec<&str> = segments.by_ref().collect();
    // Pairs that stand directly before the key, as in a path whose order is wrong.
    for pair in all.rchunks(2) {
        let [name, value] = pair else { break };
        let Some(ai) = is_qualifier(name).filter(|ai| ai.check_value(value.as_bytes()).is_ok())
        else {
            break;
        };
        at -= name.len() + value.len() + 2;
        pairs.push(ai);
    }
    let ai = pairs.last()?;
    Some(Finding::of_form(
        "IGNORED_QUALIFIER",
        format!("ignored ({}) before the key: {}", ai.as_str(), &stem[at..]),
        "write qualifiers after the key: /01/…/10/…",
        at..stem.len(),
    ))
}

/// Returns the findings about keys and qualifiers that no path can hold.
pub(crate) fn dot_segments(elements: &[Element<'_>]) -> impl Iterator<Item = Finding> {
    let is_dots = |element: &&Element<'_>| matches!(element.value(), "." | "..");
    let is_in_path = |element: &&Element<'_>| {
        let sequences = elements.iter().filter_map(|other| other.entry().qualifier_sequences());
        element.ai().is_primary_key()
            || sequences.flatten().any(|sequence| sequence.contains(&element.ai()))
    };
    elements.iter().filter(is_dots).filter(is_in_path).map(|element| {
        let (ai, span) = (element.ai(), element.span());
        Finding::of_form(
            "DOT_SEGMENT",
            format!("the value of ({ai}) is {}: browsers remove it from a path", element.value()),
            "use another value: it cannot be in a Digital Link URI, and not be registered",
            span.start..span.end,
        )
    })
}

/// Returns the finding about a pair that only the path grammar of URIs allows (ER-1).
pub(crate) fn of_path_grammar(elements: &[Element<'_>]) -> Option<Finding> {
    let find = |wanted: Ai| elements.iter().find(|element| element.ai() == wanted);
    let variant = find(Ai::CPV).filter(|_| find(Ai::ITIP).is_some() && find(Ai::GTIN).is_none())?;
    Some(Finding::of_form(
        "ITIP_WITH_VARIANT",
        "expected (22) with (01) only, found it with (8006): other tools may refuse it",
        "the URI syntax allows the pair, the General Specifications do not",
        variant.span().start..variant.span().end,
    ))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use crate::{Converter, OutputForm, inspect};

    fn warnings(text: &str) -> Vec<&'static str> {
        inspect(text).warnings.iter().map(|warning| warning.code).collect()
    }

    /// GS1-DL-16: what is valid, but probably not meant, has a warning each.
    #[test]
    fn section_4_2_doubtful_values_have_warnings() {
        let link = "https://a.example/01/09506000134352";
        for (end, expected) in [
            ("/10/(A)", &["BRACKETS_IN_VALUE"][..]),
            ("/10/%28A%29", &["BRACKETS_IN_VALUE"]),
            ("/10/A+B", &["PLUS_IN_VALUE"]),
            ("?17", &["NO_VALUE"]),
            ("?linkType=all&17#x", &["NO_VALUE"]),
            ("/10/A%2BB", &[]),
            ("/10/(A)B", &[]),
            ("?17=261231", &[]),
            ("?26", &[]),
            ("?linkType=a+b", &[]),
        ] {
            let uri = alloc::format!("{link}{end}");
            assert_eq!(warnings(&uri), expected, "{uri}");
            assert!(inspect(&uri).is_valid(), "{uri}");
        }
    }

    /// GS1-ES-05: a GTIN with its composite component, as GS1's syntax engine writes it.
    #[test]
    fn composite_components_follow_their_gtin() {
        for (text, elements) in [
            ("9520123456788|^99A", "(01)09520123456788(99)A"),
            ("09520123456788|^99A^10B", "(01)09520123456788(99)A(10)B"),
            ("950110153005|^10A", ""),
        ] {
            let found = inspect(text);
            let item = found.item.as_ref().filter(|_| found.is_valid());
            assert_eq!(item.map_or("", |item| &*item.element_string), elements, "{text}");
        }
    }

    /// GS1-DL-11: the message about an element that no link can hold is about what was given.
    #[test]
    fn an_element_without_a_place_in_links_is_named() {
        let text = "(01)09506000134352(8200)https://a.example/";
        let refused = Converter::new().convert(text, OutputForm::DigitalLink).unwrap_err();
        assert_eq!(
            (refused.code, &*refused.message),
            (
                "NOT_AN_ATTRIBUTE",
                "expected elements that a Digital Link URI can hold, found (8200)"
            )
        );
    }
}
