//! Code lists (linters iso3166, iso3166999, iso3166alpha2, iso4217, packagetype, mediatype,
//! iso5218, winding, yesno). The lists are generated; see [`Lookups`] to replace them.

use super::{Lint, LintFault};
use crate::code_lists;
use crate::error::LintError;
use crate::lookups::{CodeList, Lookups};

pub(super) fn iso3166(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    require(is_country(text, lookups), LintError::NotIso3166, text)
}

pub(super) fn iso3166999(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    require(text == b"999" || is_country(text, lookups), LintError::NotIso3166Or999, text)
}

pub(super) fn iso3166alpha2(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    let is_known = listed(CodeList::Iso3166Alpha2, text, lookups, |code| match *code {
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z'] => {
            let number = usize::from(first - b'A') * 26 + usize::from(second - b'A');
            has_bit(&code_lists::ISO3166_ALPHA2, number)
        }
        _ => false,
    });
    require(is_known, LintError::NotIso3166Alpha2, text)
}

pub(super) fn iso4217(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    let is_known = listed(CodeList::Iso4217Numeric, text, lookups, |code| {
        number::<3>(code).is_some_and(|number| has_bit(&code_lists::ISO4217_NUMERIC, number))
    });
    require(is_known, LintError::NotIso4217, text)
}

pub(super) fn packagetype(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    let is_known = listed(CodeList::PackageType, text, lookups, |code| {
        code_lists::PACKAGE_TYPES.binary_search_by(|known| known.as_bytes().cmp(code)).is_ok()
    });
    require(is_known, LintError::InvalidPackageType, text)
}

pub(super) fn mediatype(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    let is_known = listed(CodeList::AidcMediaType, text, lookups, |code| {
        number::<2>(code).is_some_and(|number| has_bit(&code_lists::AIDC_MEDIA_TYPES, number))
    });
    require(is_known, LintError::InvalidMediaType, text)
}

pub(super) fn iso5218(text: &[u8]) -> Lint {
    require(is_one_of(text, code_lists::ISO5218), LintError::InvalidBiologicalSexCode, text)
}

pub(super) fn winding(text: &[u8]) -> Lint {
    require(is_one_of(text, code_lists::WINDING), LintError::InvalidWindingDirection, text)
}

pub(super) fn yesno(text: &[u8]) -> Lint {
    require(is_one_of(text, b"01"), LintError::NotZeroOrOne, text)
}

fn is_country(text: &[u8], lookups: Option<&dyn Lookups>) -> bool {
    listed(CodeList::Iso3166Numeric, text, lookups, |code| {
        number::<3>(code).is_some_and(|number| has_bit(&code_lists::ISO3166_NUMERIC, number))
    })
}

/// Returns the caller's answer, or that of the built-in list if the caller has none.
fn listed(
    list: CodeList,
    code: &[u8],
    lookups: Option<&dyn Lookups>,
    builtin: impl Fn(&[u8]) -> bool,
) -> bool {
    lookups.and_then(|lookups| lookups.contains(list, code)).unwrap_or_else(|| builtin(code))
}

fn require(holds: bool, error: LintError, text: &[u8]) -> Lint {
    if holds { Ok(()) } else { Err(LintFault::whole(error, text)) }
}

fn is_one_of(text: &[u8], codes: &[u8]) -> bool {
    matches!(text, [code] if codes.contains(code))
}

/// Returns the number with exactly `LENGTH` digits.
fn number<const LENGTH: usize>(text: &[u8]) -> Option<usize> {
    let digits: &[u8; LENGTH] = text.try_into().ok()?;
    digits.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + usize::from(digit - b'0'))
    })
}

/// Lists of numbers are bit sets: a look-up costs no search.
fn has_bit(set: &[u64], number: usize) -> bool {
    set.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}
