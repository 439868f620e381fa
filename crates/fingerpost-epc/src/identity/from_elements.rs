//! Conversion from Application Identifiers to the components of a URN: EPC Tag Data Standard 2.3,
//! section 7.
//!
//! Check digits are verified and removed; the length of the company prefix determines where key and
//! reference are divided.

use fingerpost_gs1::{Ai, check_digit};

use super::{Components, IdentityPattern, PureIdentity};
use crate::digits;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::gcp::GcpLength;
use crate::scheme::{Key, KeyForm, UrnScheme};

impl PureIdentity {
    /// Returns the identity of element values: an SGTIN for 01 with 21, a UPUI for 01 with 235, an
    /// LGTIN for 01 with 10, and the other keys with their serial numbers.
    ///
    /// ```
    /// use fingerpost_epc::{AiValues, GcpLength, PureIdentity};
    /// use fingerpost_gs1::Ai;
    ///
    /// let values = AiValues::new([(Ai::GTIN, "79521141123453"), (Ai::SERIAL, "32a/b")])?;
    /// let identity = PureIdentity::from_elements(&values, GcpLength::Digits(7))?;
    /// assert_eq!(identity.to_string(), "urn:epc:id:sgtin:9521141.712345.32a%2Fb");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_EPC` if there is no key, no serial number, or an element that the URN cannot contain;
    /// `GCP_LENGTH_REQUIRED`, `BAD_CHECK_DIGIT`, or another error of a value.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let mut choice = Choice::new();
        choose(values, length, &mut choice)?;
        Self::from_choice(&choice, Some(values))
    }

    /// Works like [`PureIdentity::from_elements`], but leaves out elements that the URN cannot
    /// contain.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`].
    pub fn from_elements_lossy(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let mut choice = Choice::new();
        choose(values, length, &mut choice)?;
        Self::from_choice(&choice, None)
    }

    fn from_choice(choice: &Choice, all: Option<&AiValues>) -> Result<Self, Error> {
        let components = choice.components;
        let is_whole = components.count() == components.scheme().parts().len();
        if !is_whole || all.is_some_and(|all| !choice.uses_all(all)) {
            return Err(Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere));
        }
        Ok(PureIdentity { components })
    }
}

impl IdentityPattern {
    /// Returns the set of all identities with these element values: of all serial numbers of a
    /// GTIN, a GRAI, a GDTI, a GCN, an ITIP or a CPID.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`]; `NO_EPC` also for a GTIN with a lot, which has no
    /// pattern.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let mut choice = Choice::new();
        choose(values, length, &mut choice)?;
        if choice.components.scheme().is_class() || !choice.uses_all(values) {
            return Err(Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere));
        }
        Ok(IdentityPattern::from_checked(choice.components))
    }
}

/// The components found, and the Application Identifiers they came from.
struct Choice {
    components: Components,
    key: Ai,
    serial: Option<Ai>,
}

impl Choice {
    /// Creates an empty choice.
    #[inline]
    const fn new() -> Choice {
        Choice { components: Components::new(UrnScheme::Sgtin), key: Ai::GTIN, serial: None }
    }

    fn uses_all(&self, values: &AiValues) -> bool {
        values.pairs().all(|(ai, _)| ai == self.key || Some(ai) == self.serial)
    }
}

/// Finds the components. They are filled in place, because copying recently written data stalls.
fn choose(values: &AiValues, length: GcpLength<'_>, choice: &mut Choice) -> Result<(), Error> {
    let no_epc = Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere);
    let (ai, text) = values.pairs().find(|(ai, _)| ai.is_primary_key()).ok_or(no_epc)?;
    if ai == Ai::GTIN && is_restricted(text) {
        return Err(Error::new(ErrorKind::RestrictedPrefix, ErrorSpan::Nowhere));
    }
    choice.key = ai;
    // A GTIN has several schemes; the first one whose serial number is present is used.
    let serial_of = |key: &Key| values.find(key.serial.filter(|serial| *serial != ai)?);
    let with_serial = UrnScheme::of_key(ai).find_map(|(scheme, key)| {
        let text = serial_of(key)?;
        Some((scheme, key, Some(text)))
    });
    let without = || UrnScheme::of_key(ai).next().map(|(scheme, key)| (scheme, key, None));
    let (scheme, key, mut serial) = with_serial.or_else(without).ok_or(no_epc)?;
    choice.serial = key.serial.filter(|_| serial.is_some());
    choice.components = Components::new(scheme);
    let components = &mut choice.components;
    let mut rest = push_key(components, key, text, length)?;
    for index in 2..key.parts {
        let is_last = index + 1 == key.parts;
        let (piece, after) = rest.split_at(if is_last { rest.len() } else { rest.len().min(2) });
        push(components, &[piece])?;
        rest = after;
    }
    let not_empty = |text: &&[u8]| !text.is_empty();
    if key.serial == Some(ai) {
        serial = Some(rest).filter(not_empty);
    } else if !rest.is_empty() {
        return Err(malformed(ai, text));
    }
    let serial = serial.or(Some(key.no_serial).filter(not_empty));
    serial.map_or(Ok(()), |text| push(components, &[text]))
}

/// Parses a key, and appends its company prefix and reference; returns the text after its check
/// digit.
#[inline]
fn push_key<'v>(
    components: &mut Components,
    key: &Key,
    text: &'v [u8],
    length: GcpLength<'_>,
) -> Result<&'v [u8], Error> {
    let own = match (key.form, text.split_first()) {
        (KeyForm::Plain, _) => return plain(components, key.ai, text, length),
        (KeyForm::ZeroFirst, Some((b'0', own))) => own,
        (KeyForm::ZeroFirst, _) => return Err(malformed(key.ai, text)),
        (KeyForm::DigitFirst | KeyForm::Checked, _) => text,
    };
    let digits = components.scheme().key_digits();
    if key.form == KeyForm::DigitFirst {
        digit_first(components, key.ai, own, digits, length)
    } else {
        checked(components, key.ai, own, digits, length)
    }
}

/// Parses a key whose indicator or extension digit precedes the company prefix; returns the text
/// after its check digit.
fn digit_first<'v>(
    components: &mut Components,
    key: Ai,
    text: &'v [u8],
    digits: usize,
    length: GcpLength<'_>,
) -> Result<&'v [u8], Error> {
    let (own, rest) = verified(key, text, digits)?;
    let (first, own) = own.split_at(1);
    // A GTIN-8 in fourteen digits: its company prefix is its GS1-8 prefix after five zeros.
    let is_gtin_8 = digits == 14 && first == b"0" && own.starts_with(b"00000");
    let length = if is_gtin_8 { 8 } else { length.of(own)? };
    let (prefix, reference) = own.split_at(length);
    components.push_checked(&[prefix]);
    components.push_checked(&[first, reference]);
    Ok(rest)
}

/// Parses a key that starts with the company prefix and ends with a check digit; returns the text
/// after it.
fn checked<'v>(
    components: &mut Components,
    key: Ai,
    text: &'v [u8],
    digits: usize,
    length: GcpLength<'_>,
) -> Result<&'v [u8], Error> {
    let (own, rest) = verified(key, text, digits)?;
    let (prefix, reference) = own.split_at(length.of(own)?);
    components.push_checked(&[prefix]);
    components.push_checked(&[reference]);
    Ok(rest)
}

/// Parses a key that starts with the company prefix and has no check digit; returns an empty text.
fn plain<'v>(
    components: &mut Components,
    key: Ai,
    text: &'v [u8],
    length: GcpLength<'_>,
) -> Result<&'v [u8], Error> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = length.of(&text[..digits])?;
    if digits < length || text.len() == length {
        return Err(malformed(key, text));
    }
    let (prefix, reference) = text.split_at(length);
    push(components, &[prefix])?;
    push(components, &[reference])?;
    Ok(&[])
}

/// Returns the digits of a key without its check digit, and the text after it.
fn verified(key: Ai, text: &[u8], count: usize) -> Result<(&[u8], &[u8]), Error> {
    let (own, rest) = text.split_at(count.min(text.len()));
    if own.len() != count || !digits::are_digits(own) {
        return Err(malformed(key, text));
    }
    let [own @ .., found] = own else { return Err(malformed(key, text)) };
    let expected = check_digit::of(own);
    if *found != expected {
        let kind = ErrorKind::BadCheckDigit { found: *found, expected };
        return Err(Error::new(kind, ErrorSpan::Nowhere));
    }
    Ok((own, rest))
}

#[inline]
fn push(components: &mut Components, pieces: &[&[u8]]) -> Result<(), Error> {
    components.push_pieces(pieces).map_err(|kind| Error::new(kind, ErrorSpan::Nowhere))
}

/// Returns the error about a value that does not match its Application Identifier.
#[cold]
fn malformed(ai: Ai, value: &[u8]) -> Error {
    match ai.check_value(value) {
        Err(error) => error.into(),
        // The value is valid, but no EPC identifies it: for example a GIAI that is only a company
        // prefix.
        Ok(()) => Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere),
    }
}

/// Returns whether this GTIN of fourteen digits is for circulation within a company, an ISSN, a
/// refund receipt or a coupon.
pub(crate) fn is_restricted(gtin: &[u8]) -> bool {
    // A GTIN-8: RCN-8 begin with 0 or 2.
    if let Some([first, ..]) = gtin.strip_prefix(b"000000") {
        return matches!(first, b'0' | b'2');
    }
    matches!(
        gtin.get(1..).unwrap_or_default(),
        [b'0', b'0', b'0', b'1'..=b'7', ..]
            | [b'0', b'2' | b'4', ..]
            | [b'2', ..]
            | [b'9', b'7', b'7', ..]
            | [b'9', b'8', b'0'..=b'4', ..]
            | [b'9', b'9', ..]
    )
}
