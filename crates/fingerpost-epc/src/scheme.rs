//! Schemes of EPCs: binary encodings (EPC Tag Data Standard 2.3, section 14.2), URNs (section 6.3)
//! and kinds of object.
//!
//! `data/epc.json` defines each scheme; a new one needs no other change.

use core::fmt;
use core::str::FromStr;

use fingerpost_gs1::Ai;

use crate::error::{Error, ErrorKind, ErrorSpan};

pub(crate) mod part;
mod table;

pub(crate) use part::Part;
pub use table::{Family, Scheme, UrnScheme};

/// The layout of the bits of an EPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Generation {
    /// Before EPC Tag Data Standard 2.0: the components of the Tag URI one by one, with company
    /// prefix and reference as separate fields.
    Classic,
    /// `+`, EPC Tag Data Standard 2.0: whole values of Application Identifiers, followed by further
    /// data.
    Plus,
    /// `++`, EPC Tag Data Standard 2.3: like `+`, with a host name.
    PlusPlus,
}

impl Scheme {
    /// Returns all schemes, by header.
    pub fn all() -> impl ExactSizeIterator<Item = Scheme> {
        table::SCHEMES.iter().map(|row| row.scheme)
    }

    /// Returns the scheme of a header.
    ///
    /// ```
    /// use fingerpost_epc::{Generation, Scheme};
    ///
    /// let scheme: Scheme = "sgtin-96".parse()?;
    /// assert_eq!(Scheme::from_header(0x30), Some(scheme));
    /// assert_eq!((scheme.name(), scheme.header(), scheme.bits()), ("SGTIN-96", 0x30, Some(96)));
    /// assert_eq!(Scheme::SgtinPlus.generation(), Generation::Plus);
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn from_header(header: u8) -> Option<Scheme> {
        let index = table::SCHEME_OF_HEADER[usize::from(header)];
        table::SCHEMES.get(usize::from(index)).map(|row| row.scheme)
    }

    /// Returns the name of the standard: `SGTIN-96`, `SGTIN+`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the first eight bits.
    #[must_use]
    pub fn header(self) -> u8 {
        self.row().header
    }

    /// Returns the number of bits, if it is fixed.
    #[must_use]
    #[inline]
    pub fn bits(self) -> Option<usize> {
        match self.row().bits {
            0 => None,
            bits => Some(usize::from(bits)),
        }
    }

    /// Returns the name in EPC Tag URIs: `sgtin-96`. Schemes with `+` have none.
    #[must_use]
    pub fn tag_name(self) -> Option<&'static str> {
        self.row().tag_name
    }

    /// Returns the scheme with this name in EPC Tag URIs, in lower case.
    #[must_use]
    pub fn from_tag_name(name: &str) -> Option<Scheme> {
        Scheme::all().find(|scheme| scheme.tag_name() == Some(name))
    }

    /// Returns the kind of object that it identifies.
    #[must_use]
    pub fn family(self) -> Family {
        self.row().family
    }

    /// Returns the layout of its bits.
    #[must_use]
    pub fn generation(self) -> Generation {
        self.row().generation
    }

    /// Returns the largest filter value; `None` when there is no filter.
    #[must_use]
    #[inline]
    pub fn filter_max(self) -> Option<u8> {
        match self.row().filter_bits {
            0 => None,
            bits => Some((1 << bits) - 1),
        }
    }

    /// Returns the meaning of a filter value; `None` if it is reserved or out of range.
    ///
    /// ```
    /// use fingerpost_epc::Scheme;
    ///
    /// assert_eq!(Scheme::SgtinPlusPlus.filter_meaning(2), Some("full case for transport"));
    /// assert_eq!(Scheme::SgtinPlusPlus.filter_meaning(3), None);
    /// ```
    #[must_use]
    pub fn filter_meaning(self, filter: u8) -> Option<&'static str> {
        let meanings = self.family().row().filters;
        meanings.iter().find_map(|&(value, meaning)| (value == filter).then_some(meaning))
    }

    /// Returns the number of bits of the filter value.
    #[inline]
    pub(crate) fn filter_bits(self) -> usize {
        usize::from(self.row().filter_bits)
    }

    /// Returns the fields after header and filter of a classic scheme, otherwise none.
    #[inline]
    pub(crate) fn fields(self) -> &'static [Field] {
        self.row().fields
    }

    #[inline]
    fn row(self) -> &'static Row {
        &table::SCHEMES[self as usize]
    }
}

impl Family {
    /// Returns the scheme of its URNs. DSGTIN has those of SGTIN.
    #[must_use]
    #[inline]
    pub fn urn_scheme(self) -> UrnScheme {
        self.row().urn
    }

    #[inline]
    pub(crate) fn row(self) -> &'static FamilyRow {
        &table::FAMILIES[self as usize]
    }
}

impl UrnScheme {
    /// Returns the name in URNs.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns all schemes.
    pub fn all() -> impl ExactSizeIterator<Item = UrnScheme> {
        table::URNS.iter().map(|row| row.scheme)
    }

    /// Returns the binary schemes for such identities, `None` if there are none; for SGTIN, those
    /// without a date.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        self.row().family
    }

    /// Returns whether its URNs identify classes: `urn:epc:class:…`.
    #[inline]
    pub(crate) fn is_class(self) -> bool {
        self.row().is_class
    }

    #[inline]
    pub(crate) fn parts(self) -> &'static [Part] {
        self.row().parts
    }

    /// Returns how its components form a GS1 key, `None` if they do not.
    #[inline]
    pub(crate) fn key(self) -> Option<&'static Key> {
        self.row().key.as_ref()
    }

    /// Returns the number of digits of a key with check digit.
    #[inline]
    pub(crate) fn key_digits(self) -> usize {
        match self.parts() {
            [Part::Prefix, Part::Reference(digits), ..] => digits + 1,
            _ => 0,
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<UrnScheme> {
        UrnScheme::all().find(|scheme| scheme.name() == name)
    }

    /// Returns the schemes of identities with this key, and how their components form it.
    #[inline]
    pub(crate) fn of_key(ai: Ai) -> impl Iterator<Item = (UrnScheme, &'static Key)> {
        let rows = table::URNS.iter();
        let keys = rows.filter_map(|row| Some((row.scheme, row.key.as_ref()?)));
        keys.filter(move |(_, key)| key.ai == ai)
    }

    #[inline]
    fn row(self) -> &'static UrnRow {
        &table::URNS[self as usize]
    }
}

impl fmt::Display for UrnScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scheme {
    type Err = Error;

    /// Reads a name in upper or lower case.
    fn from_str(name: &str) -> Result<Scheme, Error> {
        Scheme::all()
            .find(|scheme| scheme.name().eq_ignore_ascii_case(name))
            .ok_or(Error::new(ErrorKind::UnknownScheme, ErrorSpan::text(0, name.len())))
    }
}

/// A binary scheme.
struct Row {
    scheme: Scheme,
    name: &'static str,
    tag_name: Option<&'static str>,
    family: Family,
    generation: Generation,
    header: u8,
    /// 0 if the length varies.
    bits: u8,
    /// 0 if there is no filter.
    filter_bits: u8,
    fields: &'static [Field],
}

/// A kind of object.
pub(crate) struct FamilyRow {
    urn: UrnScheme,
    /// The classic schemes that are not deprecated, the shortest first.
    pub(crate) classic: &'static [Scheme],
    /// The values in `+` and `++` schemes, in order.
    pub(crate) plus_ais: &'static [Ai],
    /// Whether a date precedes these values.
    pub(crate) plus_date: bool,
    /// The meanings of the filter values that are not reserved.
    filters: &'static [(u8, &'static str)],
}

/// A scheme of URNs.
struct UrnRow {
    scheme: UrnScheme,
    name: &'static str,
    is_class: bool,
    family: Option<Family>,
    parts: &'static [Part],
    key: Option<Key>,
}

/// The relation between the components of a URN and a GS1 key: EPC Tag Data Standard 2.3, section
/// 7.
pub(crate) struct Key {
    pub(crate) ai: Ai,
    pub(crate) form: KeyForm,
    /// The number of components that form the key: company prefix and reference, and those of
    /// fixed length after them.
    pub(crate) parts: usize,
    /// The Application Identifier of the component after them. If it is that of the key, the
    /// component ends the key.
    pub(crate) serial: Option<Ai>,
    /// The component that represents the absence of `serial`; empty if it is required.
    pub(crate) no_serial: &'static [u8],
    /// Whether every value obeys the rules of its Application Identifier. Bits of CPI and ITIP can
    /// have other numbers.
    pub(crate) obeys_rules: bool,
}

/// The composition of a key from company prefix and reference.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum KeyForm {
    /// The first digit of the reference, the prefix, the other digits, check digit.
    DigitFirst,
    /// Prefix, reference, check digit.
    Checked,
    /// Like `Checked`, after a zero.
    ZeroFirst,
    /// Prefix and reference.
    Plain,
}

/// One field after header and filter; it contains one component, a partition two, zeros none.
#[derive(Clone, Copy)]
pub(crate) enum Field {
    Partition(&'static [Partition; 7], Reference),
    /// A number of this many bits.
    Integer(u8),
    /// The serial number of CPI-var: 40 bits, twelve digits.
    CpiSerial,
    /// Digits after a digit 1, as a number of this many bits, and the maximum number of digits.
    NumericString(u8, u8),
    /// Characters of seven bits, in this many bits.
    Text7(u8),
    /// At most this many characters of six bits, followed by six zero bits.
    Text6(u8),
    /// Two digits in seven bits.
    Pair,
    /// CAGE code or DoDAAC in six characters of eight bits.
    Cage8,
    /// CAGE code or DoDAAC in six characters of six bits.
    Cage6,
    /// 24 zero bits.
    Zeros,
}

/// The division of bits and digits between company prefix and reference: a row of a partition
/// table.
pub(crate) struct Partition {
    pub(crate) gcp_bits: u8,
    pub(crate) gcp_digits: u8,
    pub(crate) ref_bits: u8,
    /// The number of digits; for a reference without padding the maximum number of digits or
    /// characters.
    pub(crate) ref_digits: u8,
}

/// The format of a reference beside a company prefix.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    /// As many digits as the partition specifies.
    Digits,
    /// A number without leading zeros.
    Number,
    /// Characters of seven bits, followed by zero bits.
    Text7,
    /// Characters of six bits, followed by six zero bits.
    Text6,
}

/// A date type of DSGTIN.
struct Date {
    code: u8,
    ai: Ai,
}

/// Returns the Application Identifier of a date type.
pub(crate) fn date_ai(date_type: u64) -> Option<Ai> {
    table::DATES.iter().find(|date| u64::from(date.code) == date_type).map(|date| date.ai)
}

/// Returns the date type of an Application Identifier.
pub(crate) fn date_type(ai: Ai) -> Option<u64> {
    table::DATES.iter().find(|date| date.ai == ai).map(|date| u64::from(date.code))
}

/// Returns an Application Identifier of the tables.
const fn a(digits: &str) -> Ai {
    match Ai::new(digits) {
        Some(ai) => ai,
        None => panic!("an Application Identifier is two to four digits"),
    }
}

const fn p(gcp_bits: u8, gcp_digits: u8, ref_bits: u8, ref_digits: u8) -> Partition {
    Partition { gcp_bits, gcp_digits, ref_bits, ref_digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_variants() {
        for (index, scheme) in UrnScheme::all().enumerate() {
            assert_eq!(scheme as usize, index);
            assert_eq!(UrnScheme::from_name(scheme.name()), Some(scheme));
            let family = scheme.family();
            assert_eq!(family.map(Family::urn_scheme), family.map(|_| scheme));
        }
        assert_eq!(Scheme::all().len(), 46);
        for (index, scheme) in Scheme::all().enumerate() {
            assert_eq!(scheme as usize, index);
            assert_eq!(Scheme::from_header(scheme.header()), Some(scheme));
            assert_eq!(scheme.name().parse(), Ok(scheme));
            let tag_name = scheme.tag_name();
            let is_classic = scheme.generation() == Generation::Classic;
            assert_eq!(tag_name.is_some(), is_classic);
            assert_eq!(!scheme.fields().is_empty(), is_classic);
            let is_current = scheme.family().row().classic.contains(&scheme);
            assert_eq!(is_current, is_classic && scheme != Scheme::Gdti113);
            assert_eq!(tag_name.map(Scheme::from_tag_name), tag_name.map(|_| Some(scheme)));
        }
        assert_eq!((0..=u8::MAX).filter_map(Scheme::from_header).count(), 46);
    }

    // EPC-FIL-01
    #[test]
    fn filters() {
        assert_eq!(Scheme::Gid96.filter_max(), None);
        assert_eq!(Scheme::Usdod96.filter_max(), Some(15));
        assert_eq!(Scheme::AdiVar.filter_max(), Some(63));
        assert_eq!(Scheme::AdiVar.filter_meaning(17), Some("avionics"));
        assert_eq!(Scheme::DsgtinPlus.filter_max(), Some(7));
        assert_eq!(Scheme::DsgtinPlus.filter_meaning(6), Some("unit load"));
        assert_eq!(Scheme::GsrnPlusPlus.filter_meaning(0), Some("all others"));
        assert_eq!(Scheme::GsrnPlusPlus.filter_meaning(1), None);
    }
}
