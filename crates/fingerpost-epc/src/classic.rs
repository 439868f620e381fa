//! Binary schemes of versions before EPC Tag Data Standard 2.0: sections 14.3 to 14.6.
//!
//! Their bits follow the EPC Tag URI: header, filter, and one field per component; company prefix
//! and reference share a field that is divided by a partition value.

use alloc::string::String;

use crate::bits::Bits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::identity::PureIdentity;
use crate::scheme::{Field, Scheme, UrnScheme};
use crate::text;

mod decode;
mod encode;
mod pattern;
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

/// The number of bits that an EPC keeps beside its identity, so that they are not encoded a second
/// time.
const FEW_BITS: usize = 128;

impl ClassicEpc {
    /// Creates an EPC from an identity and a scheme that can represent it.
    ///
    /// # Errors
    ///
    /// `NO_EPC` for a scheme of another family or with `+`, `BAD_FILTER`, or the error of a
    /// component that does not fit: `OVERFLOW`, `OUT_OF_RANGE`, `LEADING_ZERO`, `BAD_DIGITS`,
    /// `TOO_LONG`.
    pub fn new(scheme: Scheme, filter: u8, identity: PureIdentity) -> Result<ClassicEpc, Error> {
        let few_bits = encode::check(scheme, filter, &identity)?;
        Ok(ClassicEpc { scheme, filter, identity, few_bits })
    }

    /// Creates an EPC from an identity in the shortest scheme that can represent it, with integer
    /// serial numbers if there is such a scheme.
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
        let mut error = Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere);
        for &scheme in family.map(|family| family.row().classic).unwrap_or_default() {
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
        let (urn, _) = layout(scheme).ok_or(Error::new(ErrorKind::NoEpc, ErrorSpan::Nowhere))?;
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

/// Reserved bits at the end of some schemes.
const ZEROS: usize = 24;

/// Returns the URN scheme and the fields; `None` for schemes with `+`.
#[inline]
fn layout(scheme: Scheme) -> Option<(UrnScheme, &'static [Field])> {
    let fields = scheme.fields();
    (!fields.is_empty()).then(|| (scheme.family().urn_scheme(), fields))
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
