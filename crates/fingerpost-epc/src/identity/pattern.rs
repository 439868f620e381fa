//! Pure identity patterns: `urn:epc:idpat:…` (EPC Tag Data Standard 2.3, section 8).
//!
//! ```text
//! pattern = "urn:epc:idpat:" scheme ":" component *( "." component )
//! ```
//!
//! The components are those of the identity; from some component on, all can be `*`.

use core::fmt;
use core::str::FromStr;

use super::{Components, PureIdentity, no_urn, scheme_after, unknown};
use crate::error::Error;
use crate::scheme::UrnScheme;

const PATTERN: &str = "urn:epc:idpat:";

/// A set of identities: those with the same components before the stars.
///
/// `*` as a whole component is the star; an identity whose component is the text `*` cannot be
/// distinguished from it.
///
/// ```
/// use fingerpost_epc::IdentityPattern;
///
/// let class: IdentityPattern = "urn:epc:idpat:sgtin:9521141.712345.*".parse()?;
/// assert!(class.matches(&"urn:epc:id:sgtin:9521141.712345.1".parse()?));
/// assert!(!class.matches(&"urn:epc:id:sgtin:9521141.012345.1".parse()?));
/// assert_eq!(class.elements()?.to_string(), "(01)79521141123453");
/// # Ok::<(), fingerpost_epc::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdentityPattern {
    literal: Components,
}

impl IdentityPattern {
    /// Reads `urn:epc:idpat:…`.
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX`, `UNKNOWN_SCHEME` (also for `lgtin`, which has no pattern), `BAD_PATTERN`,
    /// or the first rule from the left that a component violates.
    pub fn parse(urn: &str) -> Result<IdentityPattern, Error> {
        let (scheme, start) = scheme_after(urn, PATTERN).unwrap_or_else(|| Err(no_urn(urn)))?;
        if scheme.is_class() {
            return Err(unknown(urn));
        }
        let literal = Components::parse(scheme, urn, start, true)?;
        Ok(IdentityPattern { literal })
    }

    /// Creates a pattern; the caller checks the position of the first star.
    pub(crate) fn from_checked(literal: Components) -> IdentityPattern {
        IdentityPattern { literal }
    }

    /// Returns the scheme of the URN.
    #[must_use]
    pub fn scheme(&self) -> UrnScheme {
        self.literal.scheme()
    }

    /// Returns the number of components that are stars.
    #[must_use]
    pub fn star_count(&self) -> usize {
        self.scheme().parts().len() - self.literal.count()
    }

    /// Returns whether `identity` is in the set.
    #[must_use]
    pub fn matches(&self, identity: &PureIdentity) -> bool {
        self.scheme() == identity.scheme()
            && self.literal.iter().zip(identity.components()).all(|(own, other)| own == other)
    }

    pub(crate) fn checked(&self) -> &Components {
        &self.literal
    }
}

impl FromStr for IdentityPattern {
    type Err = Error;

    fn from_str(urn: &str) -> Result<IdentityPattern, Error> {
        IdentityPattern::parse(urn)
    }
}

impl fmt::Display for IdentityPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PATTERN}{}:", self.scheme().name())?;
        self.literal.write(f)
    }
}

impl fmt::Debug for IdentityPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdentityPattern({self})")
    }
}
