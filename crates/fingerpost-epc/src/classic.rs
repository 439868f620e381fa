//! Binary schemes of versions before EPC Tag Data Standard 2.0: sections 14.3 to 14.6.
//!
//! Their bits follow the EPC Tag URI: header, filter, and one field per component; company prefix and reference share a
//! field that is divided by a partition value.

use alloc::string::String;

use crate::bits::Bits;
use crate::error::{Error, ErrorKind, ErrorPlace};
use crate::family::Family;
use crate::identity::PureIdentity;
use crate::scheme::Scheme;
use crate::text;
use crate::urn_scheme::UrnScheme;

mod decode;
mod encode;
mod pattern;
mod table;
mod tag;

pub(crate) use decode::decode;
pub use pattern::TagPattern;

/// An EPC in one of the schemes without `+`: its identity, and its binary scheme and filter value.
///
/// Its text is the EPC Tag URI.
///
/// ```
/// use fingerpost_epc::{ClassicEpc, Scheme};
///
/// let epc: ClassicEpc = "urn:epc:tag:sgtin-96:3.95060001343.05.6789".parse()?;
/// assert_eq!((epc.scheme(), epc.filter()), (Scheme::Sgtin96, Some(3)));
/// assert_eq!(epc.to_bits().to_hex(), "3066c4409047e14000001a85");
/// assert_eq!(epc.identity().to_string(), "urn:epc:id:sgtin:95060001343.05.6789");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassicEpc {
    scheme: Scheme,
    filter: u8,
    identity: PureIdentity,
    /// What [`encode::check`] returns; the other fields determine it.
    few_bits: FewBits,
}

/// The bits of a scheme of at most [`FEW_BITS`], followed by zeros; of a longer one only zeros.
type FewBits = [u8; FEW_BITS / 8];

/// The number of bits that an EPC keeps beside its identity, so that they are not encoded a second time.
const FEW_BITS: usize = 128;

impl ClassicEpc {
    /// Creates an EPC from an identity and a scheme that can represent it.
    ///
    /// # Errors
    ///
    /// `NO_EPC` for a scheme of another family or with `+`, `BAD_FILTER`, or the error of a component that does not fit:
    /// `OVERFLOW`, `OUT_OF_RANGE`, `LEADING_ZERO`, `BAD_DIGITS`, `TOO_LONG`.
    pub fn new(scheme: Scheme, filter: u8, identity: PureIdentity) -> Result<ClassicEpc, Error> {
        let few_bits = encode::check(scheme, filter, &identity)?;
        Ok(ClassicEpc { scheme, filter, identity, few_bits })
    }

    /// Creates an EPC from an identity in the shortest scheme that can represent it, with integer serial numbers if
    /// there is such a scheme.
    ///
    /// ```
    /// use fingerpost_epc::{ClassicEpc, Scheme};
    ///
    /// let epc = ClassicEpc::shortest(3, "urn:epc:id:sgtin:95060001343.05.06789".parse()?)?;
    /// assert_eq!(epc.scheme(), Scheme::Sgtin198, "a leading zero is text");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `NO_EPC` for schemes without binary form, or the error of the longest scheme.
    pub fn shortest(filter: u8, identity: PureIdentity) -> Result<ClassicEpc, Error> {
        let family = identity.scheme().family();
        let mut error = Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere);
        for &scheme in family.map(schemes_of).unwrap_or_default() {
            match ClassicEpc::new(scheme, filter, identity) {
                Ok(epc) => return Ok(epc),
                Err(why) => error = why,
            }
        }
        Err(error)
    }

    /// Builds an EPC from the components of its Tag URI, not percent-encoded.
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::new`] and [`ClassicEpc::new`].
    pub fn from_components(
        scheme: Scheme,
        filter: u8,
        components: &[&str],
    ) -> Result<ClassicEpc, Error> {
        let (urn, _) = layout(scheme).ok_or(Error::new(ErrorKind::NoEpc, ErrorPlace::Nowhere))?;
        ClassicEpc::new(scheme, filter, PureIdentity::new(urn, components)?)
    }

    /// Returns the binary scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the filter value; `None` only for GID-96, which has no filter.
    #[must_use]
    pub fn filter(&self) -> Option<u8> {
        self.scheme.filter_max().map(|_| self.filter)
    }

    /// Returns the identity.
    #[must_use]
    pub fn identity(&self) -> &PureIdentity {
        &self.identity
    }

    /// Returns the bits, with the exact length of the scheme.
    #[must_use]
    pub fn to_bits(&self) -> Bits {
        encode::encode(self.scheme, self.filter, &self.identity, self.few_bits)
    }

    /// Returns the bits as hexadecimal digits in lower case.
    #[inline]
    pub(crate) fn hex(&self) -> String {
        match self.scheme.bits() {
            Some(len @ ..=FEW_BITS) => text::hex(&self.few_bits[..len.div_ceil(8)], len),
            _ => self.to_bits().to_hex(),
        }
    }
}

/// The division of bits and digits between company prefix and reference: a row of a partition table.
pub(crate) struct Partition {
    pub(crate) gcp_bits: u8,
    pub(crate) gcp_digits: u8,
    pub(crate) ref_bits: u8,
    /// The number of digits; for a reference without padding the maximum number of digits or characters.
    pub(crate) ref_digits: u8,
}

/// The format of a reference beside a company prefix.
#[derive(Clone, Copy)]
enum Reference {
    /// As many digits as the partition specifies.
    Digits,
    /// A number without leading zeros.
    Number,
    /// Characters of seven bits, followed by zero bits.
    Text7,
    /// Characters of six bits, followed by six zero bits.
    Text6,
}

/// One field after header and filter; it contains one component, a partition two, zeros none.
#[derive(Clone, Copy)]
enum Field {
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

/// Reserved bits at the end of some schemes.
const ZEROS: usize = 24;

/// Maximum serial number of CPI-var.
const CPI_SERIAL_MAX: u64 = 999_999_999_999;

/// Returns the URN scheme and the fields; `None` for schemes with `+`.
#[inline]
fn layout(scheme: Scheme) -> Option<(UrnScheme, &'static [Field])> {
    use Field::{
        Cage6, Cage8, CpiSerial, Integer, NumericString, Pair, Partition, Text6, Text7, Zeros,
    };
    const TRADE_ITEM: Field = Partition(&table::TRADE_ITEM, Reference::Digits);
    const SEVENTEEN: Field = Partition(&table::SEVENTEEN_DIGIT, Reference::Digits);
    const TWELVE: Field = Partition(&table::TWELVE_DIGIT, Reference::Digits);
    const GRAI: Field = Partition(&table::GRAI, Reference::Digits);
    const GIAI_96: Field = Partition(&table::GIAI_96, Reference::Number);
    const GIAI_202: Field = Partition(&table::GIAI_202, Reference::Text7);
    const CPI_96: Field = Partition(&table::CPI_96, Reference::Number);
    const CPI_VAR: Field = Partition(&table::CPI_VAR, Reference::Text6);
    let fields: &'static [Field] = match scheme {
        Scheme::Sgtin96 => &[TRADE_ITEM, Integer(38)],
        Scheme::Sgtin198 => &[TRADE_ITEM, Text7(140)],
        Scheme::Sscc96 | Scheme::Gsrn96 | Scheme::Gsrnp96 => &[SEVENTEEN, Zeros],
        Scheme::Sgln96 | Scheme::Gdti96 => &[TWELVE, Integer(41)],
        Scheme::Sgln195 => &[TWELVE, Text7(140)],
        Scheme::Grai96 => &[GRAI, Integer(38)],
        Scheme::Grai170 => &[GRAI, Text7(112)],
        Scheme::Giai96 => &[GIAI_96],
        Scheme::Giai202 => &[GIAI_202],
        Scheme::Gdti113 => &[TWELVE, NumericString(58, 17)],
        Scheme::Gdti174 => &[TWELVE, Text7(119)],
        Scheme::Cpi96 => &[CPI_96, Integer(31)],
        Scheme::CpiVar => &[CPI_VAR, CpiSerial],
        Scheme::Sgcn96 => &[TWELVE, NumericString(41, 12)],
        Scheme::Itip110 => &[TRADE_ITEM, Pair, Pair, Integer(38)],
        Scheme::Itip212 => &[TRADE_ITEM, Pair, Pair, Text7(140)],
        Scheme::Gid96 => &[Integer(28), Integer(24), Integer(36)],
        Scheme::Usdod96 => &[Cage8, Integer(36)],
        Scheme::AdiVar => &[Cage6, Text6(32), Text6(30)],
        _ => return None,
    };
    Some((scheme.family().urn_scheme(), fields))
}

/// Returns the classic schemes of a family, the shortest first; GDTI-113 is deprecated and left out.
fn schemes_of(family: Family) -> &'static [Scheme] {
    match family {
        Family::Sgtin => &[Scheme::Sgtin96, Scheme::Sgtin198],
        Family::Sscc => &[Scheme::Sscc96],
        Family::Sgln => &[Scheme::Sgln96, Scheme::Sgln195],
        Family::Grai => &[Scheme::Grai96, Scheme::Grai170],
        Family::Giai => &[Scheme::Giai96, Scheme::Giai202],
        Family::Gsrn => &[Scheme::Gsrn96],
        Family::Gsrnp => &[Scheme::Gsrnp96],
        Family::Gdti => &[Scheme::Gdti96, Scheme::Gdti174],
        Family::Cpi => &[Scheme::Cpi96, Scheme::CpiVar],
        Family::Sgcn => &[Scheme::Sgcn96],
        Family::Itip => &[Scheme::Itip110, Scheme::Itip212],
        Family::Gid => &[Scheme::Gid96],
        Family::Usdod => &[Scheme::Usdod96],
        Family::Adi => &[Scheme::AdiVar],
        Family::Dsgtin => &[],
    }
}

/// The smallest number with more digits, by the number of digits.
static POWERS_OF_TEN: [u64; 20] = {
    let (mut powers, mut at) = ([1; 20], 1);
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Checks the filter value against the scheme.
fn checked_filter(scheme: Scheme, filter: u8) -> Result<u8, ErrorKind> {
    let max = scheme.filter_max().unwrap_or(0);
    if filter <= max { Ok(filter) } else { Err(ErrorKind::BadFilter { max }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::Generation;

    #[test]
    fn classic_schemes_have_a_layout_and_no_others() {
        for scheme in Scheme::all() {
            let is_classic = scheme.generation() == Generation::Classic;
            assert_eq!(layout(scheme).is_some(), is_classic, "{scheme}");
            if is_classic && scheme != Scheme::Gdti113 {
                assert!(schemes_of(scheme.family()).contains(&scheme));
            }
        }
    }

    #[test]
    fn fields_fill_the_schemes() {
        for scheme in Scheme::all() {
            let (Some((_, fields)), Some(bits)) = (layout(scheme), scheme.bits()) else { continue };
            let filter = scheme.filter_bits();
            let sum: usize = fields
                .iter()
                .map(|field| match field {
                    Field::Partition(table, _) => {
                        3 + usize::from(table[0].gcp_bits) + usize::from(table[0].ref_bits)
                    }
                    Field::Integer(bits) | Field::NumericString(bits, _) | Field::Text7(bits) => {
                        usize::from(*bits)
                    }
                    Field::Pair => 7,
                    Field::Cage8 => 48,
                    Field::Cage6 => 36,
                    Field::Zeros => ZEROS,
                    Field::CpiSerial | Field::Text6(_) => 0,
                })
                .sum();
            assert_eq!(8 + filter + sum, bits, "{scheme}");
        }
    }
}
