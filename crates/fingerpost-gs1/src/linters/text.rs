//! Company prefixes and small text rules (linters gcppos1, gcppos2, hasnondigit, hyphen,
//! importeridx, pcenc).

use fingerpost_uri::percent::triplet;

use super::{Lint, LintFault, charset};
use crate::error::LintError;
use crate::limits::MIN_PREFIX_DIGITS;
use crate::lookups::{CompanyPrefix, Lookups};

#[inline]
pub(super) fn gcppos1(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    let Some(prefix) = text.get(..MIN_PREFIX_DIGITS) else {
        return Err(LintFault::whole(LintError::TooShortForGcp, text));
    };
    if let Err(fault) = charset::digits(prefix) {
        return Err(LintFault::new(LintError::InvalidGcpPrefix, fault.start, 1));
    }
    match lookups {
        None => Ok(()),
        Some(lookups) => look_up_prefix(text, lookups),
    }
}

#[inline]
pub(super) fn gcppos2(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    match text.split_first() {
        Some((_, rest)) if !rest.is_empty() => {
            gcppos1(rest, lookups).map_err(|fault| fault.shifted(1))
        }
        _ => Err(LintFault::whole(LintError::TooShortForGcp, text)),
    }
}

#[cold]
fn look_up_prefix(text: &[u8], lookups: &dyn Lookups) -> Lint {
    match lookups.company_prefix(text) {
        CompanyPrefix::Allocated => Ok(()),
        CompanyPrefix::NotAllocated => Err(LintFault::whole(LintError::InvalidGcpPrefix, text)),
        CompanyPrefix::Unavailable => Err(LintFault::whole(LintError::GcpDatasourceOffline, text)),
    }
}

pub(super) fn hasnondigit(text: &[u8]) -> Lint {
    match charset::digits(text) {
        Ok(()) => Err(LintFault::whole(LintError::RequiresNonDigitCharacter, text)),
        Err(_) => Ok(()),
    }
}

pub(super) fn hyphen(text: &[u8]) -> Lint {
    if !text.is_empty() && text.iter().all(|&byte| byte == b'-') {
        Ok(())
    } else {
        Err(LintFault::whole(LintError::NotHyphen, text))
    }
}

pub(super) fn importeridx(text: &[u8]) -> Lint {
    match text {
        [index] if charset::is_in(*index, charset::CSET64) => Ok(()),
        [_] => Err(LintFault::whole(LintError::InvalidImportIdxCharacter, text)),
        _ => Err(LintFault::whole(LintError::ImporterIdxMustBeOneCharacter, text)),
    }
}

pub(super) fn pcenc(text: &[u8]) -> Lint {
    for (at, &byte) in text.iter().enumerate() {
        if byte == b'%' && triplet(&text[at..]).is_none() {
            let length = (text.len() - at).min(3);
            return Err(LintFault::new(LintError::InvalidPercentSequence, at, length));
        }
    }
    Ok(())
}
