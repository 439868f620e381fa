//! The kinds of object that EPCs identify, and their URN schemes.

use crate::urn_scheme::UrnScheme;

/// The kind of object that an EPC identifies, independent of its binary scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Returns the binary schemes for such identities, `None` if there are none.
    #[must_use]
    pub fn family(self) -> Option<Family> {
        Some(match self {
            UrnScheme::Sgtin => Family::Sgtin,
            UrnScheme::Sscc => Family::Sscc,
            UrnScheme::Sgln => Family::Sgln,
            UrnScheme::Grai => Family::Grai,
            UrnScheme::Giai => Family::Giai,
            UrnScheme::Gsrn => Family::Gsrn,
            UrnScheme::Gsrnp => Family::Gsrnp,
            UrnScheme::Gdti => Family::Gdti,
            UrnScheme::Cpi => Family::Cpi,
            UrnScheme::Sgcn => Family::Sgcn,
            UrnScheme::Itip => Family::Itip,
            UrnScheme::Gid => Family::Gid,
            UrnScheme::Usdod => Family::Usdod,
            UrnScheme::Adi => Family::Adi,
            UrnScheme::Ginc
            | UrnScheme::Gsin
            | UrnScheme::Upui
            | UrnScheme::Pgln
            | UrnScheme::Lgtin
            | UrnScheme::Bic
            | UrnScheme::Imovn => return None,
        })
    }
}
