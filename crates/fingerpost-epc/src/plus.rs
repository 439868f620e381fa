//! The `+` and `++` schemes: EPC Tag Data Standard 2.3, sections 14.6 and 15.3.
//!
//! ```text
//! plus = header                    ; 8 bits
//!        toggle                    ; 1 bit: do further data follow?
//!        filter                    ; 3 bits
//!        [ date-type date ]        ; 4 and 16 bits, DSGTIN only
//!        values                    ; of the scheme's Application Identifiers, by Table F
//!        [ hostname ]              ; ++ only
//!        *( AI value )             ; +AIDC data
//! ```
//!
//! There is no separate company prefix and no specific URN: the values are the identity.

use fingerpost_gs1::{Ai, check_digit};

use crate::aidc::value::{self, Position};
use crate::aidc::{self, date, text::Text};
use crate::bits::{BitReader, Bits};
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::hostname::{Hostname, HostnameText};
use crate::scheme::{self, Generation, KeyForm, Scheme, UrnScheme};

mod encode;

/// The extension written for a GLN without extension.
const NO_EXTENSION: &str = "0";

/// An EPC of a `+` or `++` scheme, including the data after it.
///
/// ```
/// use fingerpost_epc::{Bits, PlusEpc, Scheme};
///
/// let bits = Bits::from_hex("f7809506000134352624b51005003d9881802710b9acf8")?;
/// let epc = PlusEpc::decode(&bits)?;
/// assert_eq!(epc.scheme(), Scheme::SgtinPlus);
/// assert_eq!(
///     epc.values().to_string(),
///     "(01)09506000134352(21)S1(10)00123(3103)001250(17)261231"
/// );
/// assert_eq!((epc.own_len(), epc.epc_bits(), epc.bits()), (2, 88, 181));
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlusEpc {
    scheme: Scheme,
    filter: u8,
    toggle: bool,
    values: AiValues,
    own_len: usize,
    hostname: Option<HostnameText>,
    epc_bits: usize,
    bits: usize,
}

impl PlusEpc {
    /// Reads an EPC and the data after it. Zero bits may follow.
    ///
    /// Errors are found from left to right, check digits last.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::ReservedHeader`] if the header is not that of a `+` or `++` scheme; otherwise
    /// the error of the bits, or [`ErrorKind::BadCheckDigit`].
    pub fn decode(bits: &Bits) -> Result<PlusEpc, Error> {
        let mut from = bits.reader();
        // Eight bits.
        let header = from.read(8)? as u8;
        let scheme = Scheme::from_header(header);
        let scheme = scheme.filter(|scheme| scheme.generation() != Generation::Classic);
        let reserved = Error::new(ErrorKind::ReservedHeader { header }, ErrorSpan::bits(0, 8));
        let scheme = scheme.ok_or(reserved)?;
        let toggle = from.read(1)? == 1;
        // Three bits.
        let filter = from.read(3)? as u8;
        let mut values = AiValues::empty();
        read_own(scheme, &mut from, &mut values)?;
        let own_len = values.len();
        let hostname = match scheme.generation() {
            Generation::PlusPlus => Some(HostnameText::read(&mut from)?),
            Generation::Classic | Generation::Plus => None,
        };
        let epc_bits = from.position();
        let bits = aidc::read(&mut from, &mut values)?;
        check_digits(&values, own_len)?;
        if ends_in_zeros(&values, own_len) {
            // Only repeated pairs followed, so this is padding as well.
            values.remove_last();
        }
        Ok(PlusEpc { scheme, filter, toggle, values, own_len, hostname, epc_bits, bits })
    }

    /// Returns the scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the filter value, 0 to 7.
    #[must_use]
    pub fn filter(&self) -> u8 {
        self.filter
    }

    /// Returns the Application Identifiers and their values: those of the EPC first (for DSGTIN the
    /// date after 21), then those of the +AIDC data.
    #[must_use]
    pub fn values(&self) -> &AiValues {
        &self.values
    }

    /// Returns the number of values that belong to the EPC itself.
    #[must_use]
    pub fn own_len(&self) -> usize {
        self.own_len
    }

    /// Returns the host name of a `++` scheme; `None` for a `+` scheme.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadHostname`] if the bits contain a text that is not a host name.
    pub fn hostname(&self) -> Result<Option<Hostname>, Error> {
        self.hostname.as_ref().map(HostnameText::checked).transpose()
    }

    /// Returns the toggle bit, which announces +AIDC data.
    #[must_use]
    pub fn aidc_toggle(&self) -> bool {
        self.toggle
    }

    /// Returns whether the toggle contradicts the presence of data after the EPC. This is only a
    /// warning.
    #[must_use]
    pub fn is_toggle_wrong(&self) -> bool {
        self.toggle != (self.bits > self.epc_bits)
    }

    /// Bits without +AIDC data.
    #[must_use]
    pub fn epc_bits(&self) -> usize {
        self.epc_bits
    }

    /// Bits with +AIDC data, without the zero bits after them.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }
}

/// Parses the values of the EPC.
fn read_own(scheme: Scheme, from: &mut BitReader<'_>, values: &mut AiValues) -> Result<(), Error> {
    let family = scheme.family().row();
    let mut prioritised = None;
    if family.plus_date {
        let start = from.position();
        let date_type = from.read(4)?;
        let ai = scheme::date_ai(date_type).ok_or_else(|| {
            // Four bits.
            let kind = ErrorKind::ReservedDateType { date_type: date_type as u8 };
            Error::new(kind, ErrorSpan::bits(start, start + 4))
        })?;
        let mut text = Text::new();
        date::read_date(from, &mut text)?;
        prioritised = Some((ai, text));
    }
    for &ai in family.plus_ais {
        value::read_into(ai, Position::Epc, from, values)?;
        if ai == Ai::GLN_EXTENSION && values.get(ai) == Some(NO_EXTENSION) {
            values.remove_last();
        }
    }
    if let Some((ai, text)) = prioritised {
        values.push(ai, text.as_str());
    }
    Ok(())
}

/// Checks the check digits of the EPC's own values. The data after it are checked, in this and all
/// other respects, by the rules of their Application Identifiers.
fn check_digits(values: &AiValues, own_len: usize) -> Result<(), Error> {
    values.pairs().take(own_len).try_for_each(|(ai, value)| {
        let Some(last) = check_digit_index(ai) else { return Ok(()) };
        let Some((&found, digits)) = value.get(..=last).and_then(<[u8]>::split_last) else {
            return Ok(());
        };
        let wrong = |found, expected| {
            Err(Error::new(ErrorKind::BadCheckDigit { found, expected }, ErrorSpan::Nowhere))
        };
        match (digits, check_digit::of(digits)) {
            // The first digit only extends 13 digits to 14.
            ([first, ..], _) if ai == Ai::GRAI && *first != b'0' => wrong(*first, b'0'),
            (_, expected) if expected != found => wrong(found, expected),
            _ => Ok(()),
        }
    })
}

/// Returns whether the last value of the data after the EPC is an SSCC of zeros, whose bits are the
/// same as padding.
fn ends_in_zeros(values: &AiValues, own_len: usize) -> bool {
    values
        .pairs()
        .skip(own_len)
        .last()
        .is_some_and(|(ai, value)| ai == Ai::SSCC && value.iter().all(|digit| *digit == b'0'))
}

/// Returns the index of the check digit of a key.
fn check_digit_index(ai: Ai) -> Option<usize> {
    let (scheme, key) = UrnScheme::of_key(ai).next()?;
    match key.form {
        KeyForm::Plain => None,
        KeyForm::ZeroFirst => Some(scheme.key_digits()),
        KeyForm::DigitFirst | KeyForm::Checked => Some(scheme.key_digits() - 1),
    }
}
