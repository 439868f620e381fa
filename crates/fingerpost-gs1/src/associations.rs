//! Associations: which elements must or must not occur together on one item (GS1 General
//! Specifications 4.13 and 4.14, as stated in the GS1 Barcode Syntax Dictionary).
//!
//! Four checks in this order, each over the Application Identifiers in lexical order:
//!
//! 1. `ex`: nothing that a row excludes is present; an element does not exclude itself;
//! 2. `req`: everything that a row requires is present, except for a qualifier of a key that is
//!    present; an element does not satisfy itself;
//! 3. repeated elements have the same value;
//! 4. a digital signature (8030) requires a key with its serial part.

use crate::ai::shortcuts::Glance;
use crate::ai::{Ai, AiPattern};
use crate::element::Element;
use crate::error::{Error, ErrorKind, Requirement};
use crate::findings::Report;
use crate::options::Options;

/// Runs the four checks over elements with valid values.
pub(crate) fn check(
    elements: &[Element<'_>],
    options: &Options,
    report: &mut impl Report,
) -> Result<(), Error> {
    each(elements, report, |element| excluded_by(element, elements))?;
    if options.wants_requisites() {
        each(elements, report, |element| missing_for(element, elements))?;
    }
    if elements.len() > 1 {
        each(elements, report, |element| repeated_differently(element, elements))?;
        each(elements, report, |element| serial_missing(element, elements))?;
    }
    Ok(())
}

/// Works like [`check`], for elements without repetitions.
pub(crate) fn check_distinct(
    elements: &[Element<'_>],
    options: &Options,
    report: &mut impl Report,
) -> Result<(), Error> {
    let glance = Glance::over(elements.iter().map(Element::entry));
    let lacks_nothing = glance.lacks_nothing() || !options.wants_requisites();
    if glance.excludes_nothing() && lacks_nothing {
        return Ok(());
    }
    check_each(elements, options, &glance, report)
}

/// Performs the checks that do not pass at a glance, for each element against all others; an
/// Application Identifier occurs once.
#[cold]
fn check_each(
    elements: &[Element<'_>],
    options: &Options,
    glance: &Glance,
    report: &mut impl Report,
) -> Result<(), Error> {
    if !glance.excludes_nothing() {
        each(elements, report, |element| excluded_by(element, elements))?;
    }
    if options.wants_requisites() {
        each(elements, report, |element| {
            if glance.meets_requirements_of(element.entry()) {
                return None;
            }
            missing_for(element, elements)
        })?;
    }
    if glance.excludes_nothing() {
        return Ok(());
    }
    each(elements, report, |element| serial_missing(element, elements))
}

/// Reports the elements that fail `judge` in lexical order, each Application Identifier once.
///
/// Usually there are none, so nothing is sorted: after each report the lowest remaining one is
/// searched again.
#[inline]
fn each(
    elements: &[Element<'_>],
    report: &mut impl Report,
    judge: impl Fn(&Element<'_>) -> Option<ErrorKind>,
) -> Result<(), Error> {
    let mut done: Option<Ai> = None;
    loop {
        let mut lowest: Option<(&Element<'_>, ErrorKind)> = None;
        for element in elements {
            if done.is_some_and(|done| element.ai() <= done)
                || lowest.is_some_and(|(lowest, _)| element.ai() >= lowest.ai())
            {
                continue;
            }
            if let Some(kind) = judge(element) {
                lowest = Some((element, kind));
            }
        }
        let Some((element, kind)) = lowest else {
            return Ok(());
        };
        done = Some(element.ai());
        let error = Error::new(kind, element.span()).with_ai(element.ai());
        report.report(error.with_found(element.value().as_bytes()))?;
    }
}

/// Performs check 1. An exclusion is listed in one of the two rows; the element of that row is
/// reported.
#[inline]
fn excluded_by(element: &Element<'_>, elements: &[Element<'_>]) -> Option<ErrorKind> {
    let excludes = element.entry().excludes;
    if excludes.is_empty() || elements.len() < 2 {
        return None;
    }
    let is_clash =
        |other: Ai| other != element.ai() && excludes.iter().any(|pattern| pattern.matches(other));
    let other = elements.iter().map(Element::ai).find(|other| is_clash(*other))?;
    Some(ErrorKind::AiPairForbidden { other })
}

/// Performs check 2.
#[inline]
fn missing_for(element: &Element<'_>, elements: &[Element<'_>]) -> Option<ErrorKind> {
    let is_present = |pattern: &AiPattern| {
        elements.iter().any(|other| other.ai() != element.ai() && pattern.matches(other.ai()))
    };
    let is_met = |groups: &[&[AiPattern]]| groups.iter().any(|group| group.iter().all(is_present));
    let unmet = element.entry().requires.iter().find(|groups| !is_met(groups))?;
    if is_qualifier(element.ai(), elements) {
        return None;
    }
    Some(ErrorKind::AiRequirementMissing { requirement: Requirement(unmet) })
}

/// Returns whether the path grammar of URIs allows `ai` after a key that is present. The grammar
/// wins over the dictionary: it allows (22) after (8006), although the row of (22) requires (01)
/// (ER-1).
#[cold]
fn is_qualifier(ai: Ai, elements: &[Element<'_>]) -> bool {
    let sequences = elements.iter().filter_map(|element| element.entry().qualifier_sequences());
    sequences.flatten().any(|sequence| sequence.contains(&ai))
}

/// Performs check 3.
#[inline]
fn repeated_differently(element: &Element<'_>, elements: &[Element<'_>]) -> Option<ErrorKind> {
    let differs =
        |other: &Element<'_>| other.ai() == element.ai() && other.value() != element.value();
    elements.iter().any(differs).then_some(ErrorKind::AiRepeatedDifferent)
}

/// Performs check 4. It applies to the keys whose serial part is optional.
#[inline]
fn serial_missing(element: &Element<'_>, elements: &[Element<'_>]) -> Option<ErrorKind> {
    let has_optional_serial = matches!(element.ai(), Ai::GDTI | Ai::GCN | Ai::GRAI);
    if has_optional_serial
        && element.value().len() <= usize::from(element.entry().min_length)
        && elements.iter().any(|other| other.ai() == Ai::DIGSIG)
    {
        return Some(ErrorKind::SerialRequired);
    }
    None
}
