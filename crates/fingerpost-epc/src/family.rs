//! The kinds of object that EPCs identify, and their URN schemes.

use crate::urn_scheme::UrnScheme;

/// The kind of object that an EPC identifies, independent of its binary scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Family {
    /// Trade item with serial number.
    Sgtin,
    /// Trade item with serial number and a date.
    Dsgtin,
    /// Logistic unit.
    Sscc,
    /// Location, with or without extension.
    Sgln,
    /// Returnable asset.
    Grai,
    /// Individual asset.
    Giai,
    /// Service relation, recipient.
    Gsrn,
    /// Service relation, provider.
    Gsrnp,
    /// Document.
    Gdti,
    /// Component or part.
    Cpi,
    /// Coupon.
    Sgcn,
    /// Piece of a trade item.
    Itip,
    /// General identifier of EPCglobal.
    Gid,
    /// US Department of Defense.
    Usdod,
    /// Aerospace and defence.
    Adi,
}

impl Family {
    #[rustfmt::skip]
    const ALL: [Family; 15] = [
        Family::Sgtin, Family::Dsgtin, Family::Sscc, Family::Sgln, Family::Grai, Family::Giai, Family::Gsrn, Family::Gsrnp,
        Family::Gdti, Family::Cpi, Family::Sgcn, Family::Itip, Family::Gid, Family::Usdod, Family::Adi,
    ];

    /// Returns the scheme of its URNs. DSGTIN has those of SGTIN.
    #[must_use]
    #[inline]
    pub fn urn_scheme(self) -> UrnScheme {
        match self {
            Family::Sgtin | Family::Dsgtin => UrnScheme::Sgtin,
            Family::Sscc => UrnScheme::Sscc,
            Family::Sgln => UrnScheme::Sgln,
            Family::Grai => UrnScheme::Grai,
            Family::Giai => UrnScheme::Giai,
            Family::Gsrn => UrnScheme::Gsrn,
            Family::Gsrnp => UrnScheme::Gsrnp,
            Family::Gdti => UrnScheme::Gdti,
            Family::Cpi => UrnScheme::Cpi,
            Family::Sgcn => UrnScheme::Sgcn,
            Family::Itip => UrnScheme::Itip,
            Family::Gid => UrnScheme::Gid,
            Family::Usdod => UrnScheme::Usdod,
            Family::Adi => UrnScheme::Adi,
        }
    }
}

impl UrnScheme {
    /// Returns the binary schemes for such identities, `None` if there are none; for SGTIN, those without a date.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.urn_scheme() == self)
    }
}
