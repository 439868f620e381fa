//! Pure identities: `urn:epc:id:…` and `urn:epc:class:…` (EPC Tag Data Standard 2.3, section 6).
//!
//! ```text
//! identity = "urn:epc:id:" scheme ":" component *( "." component )
//!          / "urn:epc:class:lgtin:" component 2( "." component )
//! ```
//!
//! Prefix and scheme are lower case. Only the last component of some schemes can contain dots.

use core::fmt;
use core::str::FromStr;

use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::scheme::{Part, UrnScheme};

mod components;
mod elements;
mod from_elements;
mod pattern;

pub(crate) use components::Components;
pub(crate) use from_elements::is_restricted;
pub use pattern::IdentityPattern;

const IDENTITY: &str = "urn:epc:id:";
const CLASS: &str = "urn:epc:class:";

/// The object that an EPC identifies, independent of the carrier:
/// `urn:epc:id:sgtin:95060001343.05.6789`.
///
/// Two URNs identify the same object if and only if the identities are equal. Identities are
/// ordered by scheme, then by their components as text.
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PureIdentity {
    components: Components,
}

impl PureIdentity {
    /// Reads `urn:epc:id:…` or `urn:epc:class:lgtin:…`.
    ///
    /// # Errors
    ///
    /// `BAD_URN_SYNTAX`, `UNKNOWN_SCHEME`, or the first rule from the left that a component
    /// violates.
    pub fn parse(urn: &str) -> Result<PureIdentity, Error> {
        let (scheme, start) = match scheme_after(urn, IDENTITY) {
            Some(Ok((scheme, _))) if scheme.is_class() => return Err(unknown(urn)),
            Some(found) => found?,
            None => match scheme_after(urn, CLASS) {
                Some(Ok((scheme, _))) if !scheme.is_class() => return Err(unknown(urn)),
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
    /// `BAD_URN_SYNTAX` for a wrong number of components, or the first rule that one violates.
    pub fn new(scheme: UrnScheme, components: &[&str]) -> Result<PureIdentity, Error> {
        if components.len() != scheme.parts().len() {
            return Err(Error::new(ErrorKind::BadUrnSyntax, ErrorSpan::Nowhere));
        }
        let mut checked = Components::new(scheme);
        for component in components {
            checked
                .push_plain(component.as_bytes())
                .map_err(|kind| Error::new(kind, ErrorSpan::Nowhere))?;
        }
        Ok(PureIdentity { components: checked })
    }

    /// Creates an identity whose components a decoder has already checked.
    #[inline]
    pub(crate) fn from_checked(components: Components) -> PureIdentity {
        PureIdentity { components }
    }

    /// Returns the components to a decoder, which must fill in all of them before publishing the
    /// identity.
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

    /// Returns the number of digits of the company prefix, for schemes that have one.
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

impl TryFrom<&str> for PureIdentity {
    type Error = Error;

    fn try_from(urn: &str) -> Result<PureIdentity, Error> {
        PureIdentity::parse(urn)
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
        f.write_str(prefix(self.scheme()))?;
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

/// Returns the text before the name of a scheme.
fn prefix(scheme: UrnScheme) -> &'static str {
    if scheme.is_class() { CLASS } else { IDENTITY }
}

/// Returns the scheme after `prefix` and the start of its components; `None` if `prefix` is
/// missing.
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
    Error::new(ErrorKind::BadUrnSyntax, ErrorSpan::text(0, urn.len()))
}

/// Returns the error about the scheme, which is between the third and the fourth colon.
#[cold]
fn unknown(urn: &str) -> Error {
    let mut colons = urn.bytes().enumerate().filter(|(_, byte)| *byte == b':').skip(2);
    let start = colons.next().map_or(0, |(at, _)| at + 1);
    let end = colons.next().map_or(urn.len(), |(at, _)| at);
    Error::new(ErrorKind::UnknownScheme, ErrorSpan::text(start, end))
}
