//! International Bank Account Number (linter iban; ISO 13616).

use super::{Lint, LintFault, codes};
use crate::error::LintError;
use crate::lookups::Lookups;

/// Performs the checks in the order of the reference: country, length, characters, checksum.
pub(super) fn iban(text: &[u8], lookups: Option<&dyn Lookups>) -> Lint {
    if text.len() < 4 {
        return Err(LintFault::whole(LintError::IbanTooShort, text));
    }
    if codes::iso3166alpha2(&text[..2], lookups).is_err() {
        return Err(LintFault::new(LintError::IllegalIbanCountryCode, 0, 2));
    }
    if text.len() > 34 {
        return Err(LintFault::whole(LintError::IbanTooLong, text));
    }
    if text.len() <= 10 {
        return Err(LintFault::whole(LintError::IbanTooShort, text));
    }
    let is_allowed = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    if let Some(at) = text.iter().position(|&byte| !is_allowed(byte)) {
        return Err(LintFault::new(LintError::InvalidIbanCharacter, at, 1));
    }
    if remainder(text) == 1 {
        Ok(())
    } else {
        Err(LintFault::new(LintError::IncorrectIbanChecksum, 2, 2))
    }
}

/// Returns the IBAN modulo 97, with the first four characters moved to the end and letters replaced
/// by 10 to 35.
fn remainder(iban: &[u8]) -> u32 {
    let (front, account) = iban.split_at(4);
    account.iter().chain(front).fold(0, |rest, &byte| match byte {
        b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
        digit => (rest * 10 + u32::from(digit & 0xf)) % 97,
    })
}
