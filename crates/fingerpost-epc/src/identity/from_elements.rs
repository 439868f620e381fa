//! From Application Identifiers to the components of a URN: EPC Tag Data Standard 2.3, section 7.
//!
//! Check digits are verified and left out; the length of the company prefix says where key and
//! reference part.

use fingerpost_gs1::{Ai, check_value};

use super::{Components, IdentityPattern, PureIdentity, UrnScheme};
use crate::digits::check_digit;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, Place};
use crate::gcp::GcpLength;

impl PureIdentity {
    /// The identity that element values name: 01 with 21 an SGTIN, 01 with 235 a UPUI, 01 with 10
    /// an LGTIN, the other keys with their serial numbers.
    ///
    /// ```
    /// use fingerpost_epc::{AiValues, GcpLength, PureIdentity};
    /// use fingerpost_gs1::Ai;
    ///
    /// let values: AiValues =
    ///     [(Ai::GTIN, "79521141123453"), (Ai::SERIAL, "32a/b")].into_iter().collect();
    /// let identity = PureIdentity::from_elements(&values, GcpLength::Digits(7))?;
    /// assert_eq!(identity.to_string(), "urn:epc:id:sgtin:9521141.712345.32a%2Fb");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NoEpc` when there is no key, no serial number, or an element that the URN cannot carry;
    /// `GcpLengthRequired`, `BadCheckDigit`, or what else is wrong with a value.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        Self::from_choice(&choose(values, length)?, Some(values))
    }

    /// As [`PureIdentity::from_elements`], leaving out elements that the URN cannot carry.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`].
    pub fn from_elements_lossy(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        Self::from_choice(&choose(values, length)?, None)
    }

    fn from_choice(choice: &Choice, all: Option<&AiValues>) -> Result<Self, Error> {
        let components = choice.components;
        let is_whole = components.count() == components.scheme().parts().len();
        if !is_whole || all.is_some_and(|all| !choice.uses_all(all)) {
            return Err(Error::new(ErrorKind::NoEpc, Place::Nowhere));
        }
        Ok(PureIdentity { components })
    }
}

impl IdentityPattern {
    /// The set of all identities with these element values: of the serial numbers of a GTIN, a
    /// GRAI, a GDTI, a GCN, an ITIP or a CPID.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`]; `NoEpc` also for a GTIN with a lot, which has no pattern.
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<Self, Error> {
        let choice = choose(values, length)?;
        if choice.components.scheme() == UrnScheme::Lgtin || !choice.uses_all(values) {
            return Err(Error::new(ErrorKind::NoEpc, Place::Nowhere));
        }
        Ok(IdentityPattern::from_checked(choice.components))
    }
}

/// The components that were found, and the Application Identifiers they came from.
struct Choice {
    components: Components,
    key: Ai,
    serial: Option<Ai>,
}

impl Choice {
    fn uses_all(&self, values: &AiValues) -> bool {
        values.pairs().all(|(ai, _)| ai == self.key || Some(ai) == self.serial)
    }
}

fn choose(values: &AiValues, length: GcpLength<'_>) -> Result<Choice, Error> {
    let Some((key, text)) = values.pairs().find(|(ai, _)| ai.is_primary_key()) else {
        return Err(Error::new(ErrorKind::NoEpc, Place::Nowhere));
    };
    let extra = |ais: &[(Ai, UrnScheme)]| {
        ais.iter().find_map(|(ai, scheme)| Some((*ai, *scheme, values.find(*ai)?)))
    };
    let gtin: &[(Ai, UrnScheme)] =
        &[(Ai::SERIAL, UrnScheme::Sgtin), (Ai::TPX, UrnScheme::Upui), (Ai::LOT, UrnScheme::Lgtin)];
    let mut serial = None;
    let mut found = |extra: Option<(Ai, UrnScheme, &[u8])>, default| match extra {
        None => Components::new(default),
        Some((ai, scheme, _)) => {
            serial = Some(ai);
            Components::new(scheme)
        }
    };
    let components = match key {
        Ai::GTIN => {
            let extra = extra(gtin);
            let mut components = found(extra, UrnScheme::Sgtin);
            digit_first(&mut components, key, text, 14, length)?;
            push_serial(&mut components, extra.map(|(.., text)| text))?;
            components
        }
        Ai::ITIP => {
            let extra = extra(&gtin[..1]);
            let mut components = Components::new(UrnScheme::Itip);
            found(extra, UrnScheme::Itip);
            let rest = digit_first(&mut components, key, text, 14, length)?;
            let (piece, total) = rest.split_at(rest.len().min(2));
            push(&mut components, &[piece])?;
            push(&mut components, &[total])?;
            push_serial(&mut components, extra.map(|(.., text)| text))?;
            components
        }
        Ai::GLN => {
            let extra = extra(&[(Ai::GLN_EXTENSION, UrnScheme::Sgln)]);
            let mut components = found(extra, UrnScheme::Sgln);
            checked(&mut components, key, text, 13, length)?;
            push_serial(&mut components, Some(extra.map_or(b"0", |(.., text)| text)))?;
            components
        }
        Ai::CPID => {
            let extra = extra(&[(Ai::CPID_SERIAL, UrnScheme::Cpi)]);
            let mut components = found(extra, UrnScheme::Cpi);
            plain(&mut components, key, text, length)?;
            push_serial(&mut components, extra.map(|(.., text)| text))?;
            components
        }
        _ => alone(key, text, length)?,
    };
    Ok(Choice { components, key, serial })
}

/// Keys that nothing qualifies.
fn alone(key: Ai, text: &[u8], length: GcpLength<'_>) -> Result<Components, Error> {
    let simple = |scheme, digits| {
        let mut components = Components::new(scheme);
        let rest = checked(&mut components, key, text, digits, length)?;
        if rest.is_empty() { Ok(components) } else { Err(malformed(key, text)) }
    };
    let with_serial = |scheme, text| {
        let mut components = Components::new(scheme);
        let rest = checked(&mut components, key, text, 13, length)?;
        push_serial(&mut components, Some(rest).filter(|rest| !rest.is_empty()))?;
        Ok(components)
    };
    match key {
        Ai::SSCC => {
            let mut components = Components::new(UrnScheme::Sscc);
            let rest = digit_first(&mut components, key, text, 18, length)?;
            if rest.is_empty() { Ok(components) } else { Err(malformed(key, text)) }
        }
        Ai::PARTY => simple(UrnScheme::Pgln, 13),
        Ai::GSIN => simple(UrnScheme::Gsin, 17),
        Ai::GSRN => simple(UrnScheme::Gsrn, 18),
        Ai::GSRNP => simple(UrnScheme::Gsrnp, 18),
        Ai::GDTI => with_serial(UrnScheme::Gdti, text),
        Ai::GCN => with_serial(UrnScheme::Sgcn, text),
        Ai::GRAI => match text.split_first() {
            Some((b'0', text)) => with_serial(UrnScheme::Grai, text),
            _ => Err(malformed(key, text)),
        },
        Ai::GIAI | Ai::GINC => {
            let scheme = if key == Ai::GIAI { UrnScheme::Giai } else { UrnScheme::Ginc };
            let mut components = Components::new(scheme);
            plain(&mut components, key, text, length)?;
            Ok(components)
        }
        _ => Err(Error::new(ErrorKind::NoEpc, Place::Nowhere)),
    }
}

/// Takes a key whose indicator or extension digit stands before the company prefix; gives back
/// what follows its check digit.
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
    push(components, &[prefix])?;
    push(components, &[first, reference])?;
    Ok(rest)
}

/// Takes a key that starts with the company prefix and ends with a check digit; gives back what
/// follows it.
fn checked<'v>(
    components: &mut Components,
    key: Ai,
    text: &'v [u8],
    digits: usize,
    length: GcpLength<'_>,
) -> Result<&'v [u8], Error> {
    let (own, rest) = verified(key, text, digits)?;
    let (prefix, reference) = own.split_at(length.of(own)?);
    push(components, &[prefix])?;
    push(components, &[reference])?;
    Ok(rest)
}

/// Takes a key that starts with the company prefix and has no check digit.
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

/// The digits of a key without its check digit, and what follows it.
fn verified(key: Ai, text: &[u8], digits: usize) -> Result<(&[u8], &[u8]), Error> {
    let (own, rest) = text.split_at(digits.min(text.len()));
    if own.len() != digits || !own.iter().all(u8::is_ascii_digit) {
        return Err(malformed(key, text));
    }
    let [own @ .., found] = own else { return Err(malformed(key, text)) };
    let expected = check_digit(own);
    if *found != expected {
        let kind = ErrorKind::BadCheckDigit { found: *found, expected };
        return Err(Error::new(kind, Place::Nowhere));
    }
    Ok((own, rest))
}

#[inline]
fn push(components: &mut Components, pieces: &[&[u8]]) -> Result<(), Error> {
    components.push_pieces(pieces).map_err(|kind| Error::new(kind, Place::Nowhere))
}

#[inline]
fn push_serial(components: &mut Components, text: Option<&[u8]>) -> Result<(), Error> {
    text.map_or(Ok(()), |text| push(components, &[text]))
}

/// The error about a value that is not what its Application Identifier asks for.
#[cold]
fn malformed(ai: Ai, value: &[u8]) -> Error {
    match check_value(ai, value) {
        Err(error) => error.into(),
        // The value is fine, but no EPC names it: such as a GIAI that is only a company prefix.
        Ok(()) => Error::new(ErrorKind::NoEpc, Place::Nowhere),
    }
}
