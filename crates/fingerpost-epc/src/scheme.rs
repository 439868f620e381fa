//! Binary coding schemes and their headers: EPC Tag Data Standard 2.3, section 14.2.

use core::fmt;
use core::str::FromStr;

use crate::error::{Error, ErrorKind, ErrorPlace};
use crate::family::Family;

mod table;

/// The binary encoding of an EPC. Ordered by header.
///
/// ```
/// use fingerpost_epc::{Family, Generation, Scheme};
///
/// let scheme: Scheme = "sgtin-96".parse()?;
/// assert_eq!(scheme, Scheme::Sgtin96);
/// assert_eq!((scheme.name(), scheme.header(), scheme.bits()), ("SGTIN-96", 0x30, Some(96)));
/// assert_eq!(Scheme::SgtinPlus.generation(), Generation::Plus);
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// GDTI-96, header 2C, 96 bits.
    Gdti96,
    /// GSRN-96, header 2D, 96 bits.
    Gsrn96,
    /// GSRNP-96, header 2E, 96 bits.
    Gsrnp96,
    /// USDOD-96, header 2F, 96 bits.
    Usdod96,
    /// SGTIN-96, header 30, 96 bits.
    Sgtin96,
    /// SSCC-96, header 31, 96 bits.
    Sscc96,
    /// SGLN-96, header 32, 96 bits.
    Sgln96,
    /// GRAI-96, header 33, 96 bits.
    Grai96,
    /// GIAI-96, header 34, 96 bits.
    Giai96,
    /// GID-96, header 35, 96 bits.
    Gid96,
    /// SGTIN-198, header 36, 198 bits.
    Sgtin198,
    /// GRAI-170, header 37, 170 bits.
    Grai170,
    /// GIAI-202, header 38, 202 bits.
    Giai202,
    /// SGLN-195, header 39, 195 bits.
    Sgln195,
    /// GDTI-113, header 3A, 113 bits, deprecated: use GDTI-174.
    Gdti113,
    /// ADI-var, header 3B, variable length.
    AdiVar,
    /// CPI-96, header 3C, 96 bits.
    Cpi96,
    /// CPI-var, header 3D, variable length.
    CpiVar,
    /// GDTI-174, header 3E, 174 bits.
    Gdti174,
    /// SGCN-96, header 3F, 96 bits.
    Sgcn96,
    /// ITIP-110, header 40, 110 bits.
    Itip110,
    /// ITIP-212, header 41, 212 bits.
    Itip212,
    /// CPI++, header E6, variable length.
    CpiPlusPlus,
    /// GSRN++, header E7, variable length.
    GsrnPlusPlus,
    /// GSRNP++, header E8, variable length.
    GsrnpPlusPlus,
    /// SGLN++, header E9, variable length.
    SglnPlusPlus,
    /// GDTI++, header EA, variable length.
    GdtiPlusPlus,
    /// GRAI++, header EB, variable length.
    GraiPlusPlus,
    /// SGCN++, header EC, variable length.
    SgcnPlusPlus,
    /// ITIP++, header ED, variable length.
    ItipPlusPlus,
    /// GIAI++, header EE, variable length.
    GiaiPlusPlus,
    /// SSCC++, header EF, variable length.
    SsccPlusPlus,
    /// CPI+, header F0, variable length.
    CpiPlus,
    /// GRAI+, header F1, variable length.
    GraiPlus,
    /// SGLN+, header F2, variable length.
    SglnPlus,
    /// ITIP+, header F3, variable length.
    ItipPlus,
    /// GSRN+, header F4, 84 bits.
    GsrnPlus,
    /// GSRNP+, header F5, 84 bits.
    GsrnpPlus,
    /// GDTI+, header F6, variable length.
    GdtiPlus,
    /// SGTIN+, header F7, variable length.
    SgtinPlus,
    /// SGCN+, header F8, variable length.
    SgcnPlus,
    /// SSCC+, header F9, 84 bits.
    SsccPlus,
    /// GIAI+, header FA, variable length.
    GiaiPlus,
    /// DSGTIN+, header FB, variable length.
    DsgtinPlus,
    /// DSGTIN++, header FC, variable length.
    DsgtinPlusPlus,
    /// SGTIN++, header FD, variable length.
    SgtinPlusPlus,
}

impl Scheme {
    /// Returns all schemes, by header.
    pub fn all() -> impl ExactSizeIterator<Item = Scheme> {
        table::SCHEMES.iter().map(|row| row.scheme)
    }

    /// Returns the scheme of a header.
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
        let (_, meanings) = table::FILTERS.iter().find(|(family, _)| *family == self.family())?;
        meanings.iter().find_map(|&(value, meaning)| (value == filter).then_some(meaning))
    }

    /// Bits of the filter value.
    #[inline]
    pub(crate) fn filter_bits(self) -> usize {
        usize::from(self.row().filter_bits)
    }

    #[inline]
    fn row(self) -> &'static Row {
        &table::SCHEMES[self as usize]
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
            .ok_or(Error::new(ErrorKind::UnknownScheme, ErrorPlace::text(0, name.len())))
    }
}

/// The layout of the bits of an EPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Generation {
    /// Before EPC Tag Data Standard 2.0: the components of the Tag URI one by one, with company prefix and reference as
    /// separate fields.
    Classic,
    /// `+`, EPC Tag Data Standard 2.0: whole values of Application Identifiers, followed by further data.
    Plus,
    /// `++`, EPC Tag Data Standard 2.3: like `+`, with a host name.
    PlusPlus,
}

/// A row of the header table.
pub(crate) struct Row {
    pub(crate) scheme: Scheme,
    pub(crate) name: &'static str,
    pub(crate) tag_name: Option<&'static str>,
    pub(crate) family: Family,
    pub(crate) generation: Generation,
    pub(crate) header: u8,
    /// 0 if the length varies.
    pub(crate) bits: u8,
    /// 0 if there is no filter.
    pub(crate) filter_bits: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_schemes() {
        assert_eq!(Scheme::all().len(), 46);
        for (index, scheme) in Scheme::all().enumerate() {
            assert_eq!(scheme as usize, index);
            assert_eq!(Scheme::from_header(scheme.header()), Some(scheme));
            assert_eq!(scheme.name().parse(), Ok(scheme));
            let tag_name = scheme.tag_name();
            assert_eq!(tag_name.is_some(), scheme.generation() == Generation::Classic);
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
