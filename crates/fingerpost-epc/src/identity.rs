//! Pure identities: `urn:epc:id:…` and `urn:epc:class:…` (EPC Tag Data Standard 2.3, section 6).
//!
//! ```text
//! identity = "urn:epc:id:" scheme ":" component *( "." component )
//!          / "urn:epc:class:lgtin:" component 2( "." component )
//! ```
//!
//! Prefix and scheme are lower case. Only the last component of some schemes may hold dots.

use core::fmt;
use core::str::FromStr;

use crate::error::{Error, ErrorKind, Place};
use crate::scheme::Family;

mod components;
mod elements;
mod from_elements;
pub(crate) mod part;
mod pattern;

pub(crate) use components::Components;
pub(crate) use part::Part;
pub use pattern::IdentityPattern;

/// Schemes of EPC URNs, those without a binary form among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// Returns the binary schemes that carry such identities, `None` where there are none.
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

    #[inline]
    pub(crate) fn parts(self) -> &'static [Part] {
        SCHEMES[self as usize].2
    }

    fn from_name(name: &str) -> Option<UrnScheme> {
        SCHEMES.iter().find_map(|(scheme, own, _)| (*own == name).then_some(*scheme))
    }

    fn prefix(self) -> &'static str {
        if self == UrnScheme::Lgtin { CLASS } else { IDENTITY }
    }
}

impl fmt::Display for UrnScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const IDENTITY: &str = "urn:epc:id:";
const CLASS: &str = "urn:epc:class:";

/// What an EPC names, whatever carries it: `urn:epc:id:sgtin:95060001343.05.6789`.
///
/// Two URNs name the same object exactly when the identities are equal.
///
/// ```
/// use fingerpost_epc::PureIdentity;
///
/// let identity: PureIdentity = "urn:epc:id:sgtin:9521141.712345.32a%2fb".parse()?;
/// assert!(identity.components().eq(["9521141", "712345", "32a/b"]));
/// assert_eq!(identity.to_string(), "urn:epc:id:sgtin:9521141.712345.32a%2Fb");
/// assert_eq!(identity.elements()?.to_string(), "(01)79521141123453(21)32a/b");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PureIdentity {
    components: Components,
}

impl PureIdentity {
    /// Reads `urn:epc:id:…` or `urn:epc:class:lgtin:…`.
    ///
    /// # Errors
    ///
    /// `BadUrnSyntax`, `UnknownScheme`, or the first rule from the left that a component breaks.
    pub fn parse(urn: &str) -> Result<PureIdentity, Error> {
        let (scheme, start) = match scheme_after(urn, IDENTITY) {
            Some(Ok((UrnScheme::Lgtin, _))) => return Err(unknown(urn)),
            Some(found) => found?,
            None => match scheme_after(urn, CLASS) {
                Some(Ok((scheme, _))) if scheme != UrnScheme::Lgtin => return Err(unknown(urn)),
                Some(found) => found?,
                None => return Err(no_urn(urn)),
            },
        };
        let components = Components::parse(scheme, urn, start, false)?;
        Ok(PureIdentity { components })
    }

    /// Builds an identity from its components, not percent-encoded.
    ///
    /// ```
    /// use fingerpost_epc::{PureIdentity, UrnScheme};
    ///
    /// let location = PureIdentity::new(UrnScheme::Sgln, &["952119384756", "", "0"])?;
    /// assert_eq!(location.to_string(), "urn:epc:id:sgln:952119384756..0");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `BadUrnSyntax` for another number of components, or the first rule that one breaks.
    pub fn new(scheme: UrnScheme, components: &[&str]) -> Result<PureIdentity, Error> {
        if components.len() != scheme.parts().len() {
            return Err(Error::new(ErrorKind::BadUrnSyntax, Place::Nowhere));
        }
        let mut checked = Components::new(scheme);
        for component in components {
            checked
                .push_plain(component.as_bytes())
                .map_err(|kind| Error::new(kind, Place::Nowhere))?;
        }
        Ok(PureIdentity { components: checked })
    }

    /// Creates an identity whose components were all checked by a decoder.
    #[inline]
    pub(crate) fn from_checked(components: Components) -> PureIdentity {
        PureIdentity { components }
    }

    /// Returns the components for a decoder, which must fill in all of them before publishing the identity.
    #[inline]
    pub(crate) fn components_mut(&mut self) -> &mut Components {
        &mut self.components
    }

    /// Returns the scheme of the URN.
    #[must_use]
    pub fn scheme(&self) -> UrnScheme {
        self.components.scheme()
    }

    /// Returns the components in order, not percent-encoded.
    pub fn components(&self) -> impl Iterator<Item = &str> + Clone {
        self.components.iter()
    }

    /// Returns how many digits the company prefix has, in schemes with one.
    #[must_use]
    pub fn company_prefix_length(&self) -> Option<u8> {
        let has_prefix = self.scheme().parts().first() == Some(&Part::Prefix);
        // At most twelve digits.
        has_prefix.then(|| self.components.prefix_length() as u8)
    }

    #[inline]
    pub(crate) fn checked(&self) -> &Components {
        &self.components
    }
}

impl FromStr for PureIdentity {
    type Err = Error;

    fn from_str(urn: &str) -> Result<PureIdentity, Error> {
        PureIdentity::parse(urn)
    }
}

impl fmt::Display for PureIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme().prefix())?;
        f.write_str(self.scheme().name())?;
        f.write_str(":")?;
        self.components.write(f)
    }
}

impl fmt::Debug for PureIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PureIdentity({self})")
    }
}

/// Returns the scheme after `prefix` and where its components start; `None` when `prefix` is not there.
fn scheme_after(urn: &str, prefix: &str) -> Option<Result<(UrnScheme, usize), Error>> {
    let rest = urn.strip_prefix(prefix)?;
    let Some((name, _)) = rest.split_once(':') else { return Some(Err(no_urn(urn))) };
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Some(Err(no_urn(urn)));
    }
    let found = UrnScheme::from_name(name).ok_or_else(|| unknown(urn));
    Some(found.map(|scheme| (scheme, prefix.len() + name.len() + 1)))
}

#[cold]
fn no_urn(urn: &str) -> Error {
    Error::new(ErrorKind::BadUrnSyntax, Place::text(0, urn.len()))
}

/// Returns the scheme stands between the third and the fourth colon.
#[cold]
fn unknown(urn: &str) -> Error {
    let mut colons = urn.bytes().enumerate().filter(|(_, byte)| *byte == b':').skip(2);
    let start = colons.next().map_or(0, |(at, _)| at + 1);
    let end = colons.next().map_or(urn.len(), |(at, _)| at);
    Error::new(ErrorKind::UnknownScheme, Place::text(start, end))
}
