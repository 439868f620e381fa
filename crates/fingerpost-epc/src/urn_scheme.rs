//! Schemes of EPC URNs and their components: EPC Tag Data Standard 2.3, section 6.3.

use core::fmt;

pub(crate) mod part;

pub(crate) use part::Part;

/// The schemes of EPC URNs, including those without a binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UrnScheme {
    /// `sgtin`: trade item with serial number.
    Sgtin,
    /// `sscc`: logistic unit.
    Sscc,
    /// `sgln`: location, extension `0` when it has none.
    Sgln,
    /// `grai`: returnable asset.
    Grai,
    /// `giai`: individual asset.
    Giai,
    /// `gsrn`: service relation, recipient.
    Gsrn,
    /// `gsrnp`: service relation, provider.
    Gsrnp,
    /// `gdti`: document.
    Gdti,
    /// `cpi`: component or part.
    Cpi,
    /// `sgcn`: coupon.
    Sgcn,
    /// `ginc`: consignment.
    Ginc,
    /// `gsin`: shipment.
    Gsin,
    /// `itip`: piece of a trade item.
    Itip,
    /// `upui`: unit pack of tobacco.
    Upui,
    /// `pgln`: party.
    Pgln,
    /// `lgtin`: lot of a trade item; a class, `urn:epc:class:lgtin`.
    Lgtin,
    /// `gid`: general identifier of EPCglobal.
    Gid,
    /// `usdod`: US Department of Defense.
    Usdod,
    /// `adi`: aerospace and defence.
    Adi,
    /// `bic`: intermodal container.
    Bic,
    /// `imovn`: vessel.
    Imovn,
}

/// Names and components, in the order of [`UrnScheme`].
#[rustfmt::skip]
static SCHEMES: [(UrnScheme, &str, &[Part]); 21] = [
    (UrnScheme::Sgtin, "sgtin", &[Part::Prefix, Part::Reference(13), Part::Text(20)]),
    (UrnScheme::Sscc, "sscc", &[Part::Prefix, Part::Reference(17)]),
    (UrnScheme::Sgln, "sgln", &[Part::Prefix, Part::Reference(12), Part::Text(20)]),
    (UrnScheme::Grai, "grai", &[Part::Prefix, Part::Reference(12), Part::Text(16)]),
    (UrnScheme::Giai, "giai", &[Part::Prefix, Part::AssetReference]),
    (UrnScheme::Gsrn, "gsrn", &[Part::Prefix, Part::Reference(17)]),
    (UrnScheme::Gsrnp, "gsrnp", &[Part::Prefix, Part::Reference(17)]),
    (UrnScheme::Gdti, "gdti", &[Part::Prefix, Part::Reference(12), Part::Text(17)]),
    (UrnScheme::Cpi, "cpi", &[Part::Prefix, Part::ComponentReference, Part::Number(12)]),
    (UrnScheme::Sgcn, "sgcn", &[Part::Prefix, Part::Reference(12), Part::Digits(12)]),
    (UrnScheme::Ginc, "ginc", &[Part::Prefix, Part::AssetReference]),
    (UrnScheme::Gsin, "gsin", &[Part::Prefix, Part::Reference(16)]),
    (UrnScheme::Itip, "itip", &[Part::Prefix, Part::Reference(13), Part::Pair, Part::Pair, Part::Text(20)]),
    (UrnScheme::Upui, "upui", &[Part::Prefix, Part::Reference(13), Part::Text(28)]),
    (UrnScheme::Pgln, "pgln", &[Part::Prefix, Part::Reference(12)]),
    (UrnScheme::Lgtin, "lgtin", &[Part::Prefix, Part::Reference(13), Part::Text(20)]),
    (UrnScheme::Gid, "gid", &[Part::Integer(28), Part::Integer(24), Part::Integer(36)]),
    (UrnScheme::Usdod, "usdod", &[Part::Cage, Part::Integer(36)]),
    (UrnScheme::Adi, "adi", &[Part::Cage, Part::OriginalNumber, Part::AdiSerial]),
    (UrnScheme::Bic, "bic", &[Part::ContainerCode]),
    (UrnScheme::Imovn, "imovn", &[Part::VesselNumber]),
];

impl UrnScheme {
    /// Returns the name in URNs.
    #[must_use]
    pub fn name(self) -> &'static str {
        SCHEMES[self as usize].1
    }

    /// Returns all schemes.
    pub fn all() -> impl ExactSizeIterator<Item = UrnScheme> {
        SCHEMES.iter().map(|row| row.0)
    }

    #[inline]
    pub(crate) fn parts(self) -> &'static [Part] {
        SCHEMES[self as usize].2
    }

    pub(crate) fn from_name(name: &str) -> Option<UrnScheme> {
        SCHEMES.iter().find_map(|(scheme, own, _)| (*own == name).then_some(*scheme))
    }
}

impl fmt::Display for UrnScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
