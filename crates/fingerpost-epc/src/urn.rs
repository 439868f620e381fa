//! EPC URNs of any kind, for callers that do not know the kind in advance: EPC Tag Data Standard
//! 2.3, sections 6, 8 and 12.

use core::fmt;
use core::str::FromStr;

use crate::classic::ClassicEpc;
use crate::elements::AiValues;
use crate::error::{Error, ErrorKind};
use crate::gcp::GcpLength;
use crate::identity::{IdentityPattern, PureIdentity};

/// A URN that begins with `urn:epc:id:`, `urn:epc:class:`, `urn:epc:idpat:` or `urn:epc:tag:`.
///
/// ```
/// use fingerpost_epc::EpcUrn;
///
/// for urn in [
///     "urn:epc:id:sgtin:9521141.712345.1",
///     "urn:epc:class:lgtin:9521141.712345.1",
///     "urn:epc:idpat:sgtin:9521141.712345.*",
///     "urn:epc:tag:sgtin-96:0.9521141.712345.1",
/// ] {
///     let (key, _) = EpcUrn::parse(urn)?.elements()?.entity_key()?;
///     assert!(key.as_str().starts_with("01/79521141123453"));
/// }
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EpcUrn {
    /// `urn:epc:id:…` or `urn:epc:class:…`.
    Identity(PureIdentity),
    /// `urn:epc:idpat:…`.
    Pattern(IdentityPattern),
    /// `urn:epc:tag:…`.
    Tag(ClassicEpc),
}

impl EpcUrn {
    /// Reads a URN by its prefix.
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX` for other prefixes, or the error of the URN.
    pub fn parse(urn: &str) -> Result<EpcUrn, Error> {
        if urn.starts_with("urn:epc:tag:") {
            return ClassicEpc::from_tag_uri(urn).map(EpcUrn::Tag);
        }
        if urn.starts_with("urn:epc:idpat:") {
            return IdentityPattern::parse(urn).map(EpcUrn::Pattern);
        }
        PureIdentity::parse(urn).map(EpcUrn::Identity)
    }

    /// Returns the URN of element values: that of the identified object, or, if they identify a
    /// class, the pattern of its objects.
    ///
    /// ```
    /// use fingerpost_epc::{AiValues, EpcUrn, GcpLength};
    /// use fingerpost_gs1::Ai;
    ///
    /// let gtin = AiValues::new([(Ai::GTIN, "79521141123453")])?;
    /// let urn = EpcUrn::from_elements(&gtin, GcpLength::Digits(7))?;
    /// assert_eq!(urn.to_string(), "urn:epc:idpat:sgtin:9521141.712345.*");
    /// # Ok::<(), fingerpost_epc::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`PureIdentity::from_elements`].
    pub fn from_elements(values: &AiValues, length: GcpLength<'_>) -> Result<EpcUrn, Error> {
        match PureIdentity::from_elements(values, length) {
            Ok(identity) => Ok(EpcUrn::Identity(identity)),
            Err(error) if error.kind() == ErrorKind::NoEpc => {
                IdentityPattern::from_elements(values, length).map(EpcUrn::Pattern)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the key, with its qualifiers, as Application Identifiers.
    ///
    /// # Errors
    ///
    /// `NO_DIGITAL_LINK` if there is no GS1 key, or if it is incomplete because of stars.
    pub fn elements(&self) -> Result<AiValues, Error> {
        match self {
            EpcUrn::Identity(identity) => identity.elements(),
            EpcUrn::Pattern(pattern) => pattern.elements(),
            EpcUrn::Tag(epc) => epc.identity().elements(),
        }
    }
}

impl FromStr for EpcUrn {
    type Err = Error;

    fn from_str(urn: &str) -> Result<EpcUrn, Error> {
        EpcUrn::parse(urn)
    }
}

impl fmt::Display for EpcUrn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EpcUrn::Identity(identity) => fmt::Display::fmt(identity, f),
            EpcUrn::Pattern(pattern) => fmt::Display::fmt(pattern, f),
            EpcUrn::Tag(epc) => fmt::Display::fmt(epc, f),
        }
    }
}
