//! Conversion from Application Identifiers to the components of a URN: EPC Tag Data Standard 2.3, section 7.
//!
//! Check digits are verified and removed; the length of the company prefix determines where key and reference are
//! divided.

use fingerpost_gs1::{Ai, check_digit};

use super::{Components, IdentityPattern, PureIdentity};
use crate::digits;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorPlace};
use crate::gcp::GcpLength;
use crate::urn_scheme::UrnScheme;

impl PureIdentity {
    /// Returns the identity of element values: an SGTIN for 01 with 21, a UPUI for 01 with 235, an LGTIN for 01 with
    /// 10, and the other keys with their serial numbers.
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
    /// `NO_EPC` if there is no key, no serial number, or an element that the URN cannot contain; `GCP_LENGTH_REQUIRED`,
    /// `BAD_CHECK_DIGIT`, or another error of a value.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let mut choice = Choice::new();
        choose(values, length, &mut choice)?;
        Self::from_choice(&choice, Some(values))
    }

    /// Works like [`PureIdentity::from_elements`], but leaves out elements that the URN cannot contain.
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
            return Err(Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere));
        }
        Ok(PureIdentity { components })
    }
}

impl IdentityPattern {
    /// Returns the set of all identities with these element values: of all serial numbers of a GTIN, a GRAI, a GDTI, a
    /// GCN, an ITIP or a CPID.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`]; `NO_EPC` also for a GTIN with a lot, which has no pattern.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let mut choice = Choice::new();
        choose(values, length, &mut choice)?;
        if choice.components.scheme() == UrnScheme::Lgtin || !choice.uses_all(values) {
            return Err(Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere));
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

/// The qualifiers of a GTIN; the first one present is used.
const OF_GTIN: [(Ai, UrnScheme); 3] =
    [(Ai::SERIAL, UrnScheme::Sgtin), (Ai::TPX, UrnScheme::Upui), (Ai::LOT, UrnScheme::Lgtin)];

/// Finds the components. They are filled in place, because copying recently written data stalls.
fn choose(values: &AiValues, length: GcpLength<'_>, choice: &mut Choice) -> Result<(), Error> {
    let Some((key, text)) = values.pairs().find(|(ai, _)| ai.is_primary_key()) else {
        return Err(Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere));
    };
    choice.key = key;
    let qualified: &[(Ai, UrnScheme)] = match key {
        Ai::GTIN => &OF_GTIN,
        Ai::ITIP => &[(Ai::SERIAL, UrnScheme::Itip)],
        Ai::GLN => &[(Ai::GLN_EXTENSION, UrnScheme::Sgln)],
        Ai::CPID => &[(Ai::CPID_SERIAL, UrnScheme::Cpi)],
        _ => return alone(key, text, length, &mut choice.components),
    };
    let mut scheme = qualified[0].1;
    let mut serial = None;
    if let Some((ai, own, text)) =
        qualified.iter().find_map(|(ai, own)| Some((*ai, *own, values.find(*ai)?)))
    {
        (scheme, serial, choice.serial) = (own, Some(text), Some(ai));
    }
    let components = &mut choice.components;
    *components = Components::new(scheme);
    match key {
        Ai::GTIN => {
            let rest = digit_first(components, key, text, 14, length)?;
            nothing(key, text, rest)?;
        }
        Ai::ITIP => {
            let rest = digit_first(components, key, text, 14, length)?;
            let (piece, total) = rest.split_at(rest.len().min(2));
            push(components, &[piece])?;
            push(components, &[total])?;
        }
        Ai::GLN => {
            let rest = checked(components, key, text, 13, length)?;
            nothing(key, text, rest)?;
            serial = serial.or(Some(NO_EXTENSION));
        }
        _ => plain(components, key, text, length)?,
    }
    push_serial(components, serial)
}

/// The extension of a GLN without extension.
const NO_EXTENSION: &[u8] = b"0";

/// Parses keys without qualifiers.
fn alone(
    key: Ai,
    text: &[u8],
    length: GcpLength<'_>,
    components: &mut Components,
) -> Result<(), Error> {
    let (scheme, digits) = match key {
        Ai::SSCC => (UrnScheme::Sscc, 18),
        Ai::PARTY => (UrnScheme::Pgln, 13),
        Ai::GSIN => (UrnScheme::Gsin, 17),
        Ai::GSRN => (UrnScheme::Gsrn, 18),
        Ai::GSRNP => (UrnScheme::Gsrnp, 18),
        Ai::GDTI => (UrnScheme::Gdti, 13),
        Ai::GCN => (UrnScheme::Sgcn, 13),
        Ai::GRAI => (UrnScheme::Grai, 13),
        Ai::GIAI => (UrnScheme::Giai, 0),
        Ai::GINC => (UrnScheme::Ginc, 0),
        _ => return Err(Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere)),
    };
    *components = Components::new(scheme);
    match key {
        Ai::GIAI | Ai::GINC => plain(components, key, text, length),
        Ai::SSCC => {
            let rest = digit_first(components, key, text, digits, length)?;
            nothing(key, text, rest)
        }
        Ai::GDTI | Ai::GCN | Ai::GRAI => {
            let own = match text.split_first() {
                Some((b'0', own)) if key == Ai::GRAI => own,
                _ if key == Ai::GRAI => return Err(malformed(key, text)),
                _ => text,
            };
            let rest = checked(components, key, own, digits, length)?;
            push_serial(components, Some(rest).filter(|rest| !rest.is_empty()))
        }
        _ => {
            let rest = checked(components, key, text, digits, length)?;
            nothing(key, text, rest)
        }
    }
}

/// Rejects further text after the end of a key.
#[inline]
fn nothing(key: Ai, text: &[u8], rest: &[u8]) -> Result<(), Error> {
    if rest.is_empty() { Ok(()) } else { Err(malformed(key, text)) }
}

/// Parses a key whose indicator or extension digit precedes the company prefix; returns the text after its check digit.
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

/// Parses a key that starts with the company prefix and ends with a check digit; returns the text after it.
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

/// Parses a key that starts with the company prefix and has no check digit.
fn plain(
    components: &mut Components,
    key: Ai,
    text: &[u8],
    length: GcpLength<'_>,
) -> Result<(), Error> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = length.of(&text[..digits])?;
    if digits < length || text.len() == length {
        return Err(malformed(key, text));
    }
    let (prefix, reference) = text.split_at(length);
    push(components, &[prefix])?;
    push(components, &[reference])
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
        return Err(Error::new(kind, ErrorPlace::Nowhere));
    }
    Ok((own, rest))
}

#[inline]
fn push(components: &mut Components, pieces: &[&[u8]]) -> Result<(), Error> {
    components.push_pieces(pieces).map_err(|kind| Error::new(kind, ErrorPlace::Nowhere))
}

#[inline]
fn push_serial(components: &mut Components, text: Option<&[u8]>) -> Result<(), Error> {
    text.map_or(Ok(()), |text| push(components, &[text]))
}

/// Returns the error about a value that does not match its Application Identifier.
#[cold]
fn malformed(ai: Ai, value: &[u8]) -> Error {
    match ai.check_value(value) {
        Err(error) => error.into(),
        // The value is valid, but no EPC identifies it: for example a GIAI that is only a company prefix.
        Ok(()) => Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere),
    }
}
