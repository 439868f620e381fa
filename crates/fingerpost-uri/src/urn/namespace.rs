//! Namespace-specific rules of URNs, in a registry that callers can extend (URN draft of 2012, sections 3, 5 and 9; RFC
//! 8141, section 6).

use alloc::borrow::Cow;
use core::fmt;

use super::namespaces;
use super::service::Service;
use super::{Mode, Urn};

/// The error of a namespace that rejects a name, with what it expected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InvalidNss {
    expected: &'static str,
}

impl InvalidNss {
    /// Creates a fault; `expected` completes the sentence "expected …".
    pub const fn new(expected: &'static str) -> Self {
        Self { expected }
    }
}

impl fmt::Display for InvalidNss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl core::error::Error for InvalidNss {}

/// The rules of one namespace. All methods except [`nid`](Self::nid) have a default: no rules.
pub trait Namespace: fmt::Debug + Sync {
    /// Returns the namespace identifier, in lower case.
    fn nid(&self) -> &str;

    /// Checks a name against the identifier system of the namespace.
    ///
    /// # Errors
    ///
    /// The name does not belong to that system.
    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        let _ = nss;
        Ok(())
    }

    /// Returns the canonical spelling among those that the namespace treats as equal. It may only make more names
    /// equal, never fewer; a name that [`validate_nss`](Self::validate_nss) rejects is returned unchanged.
    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(nss)
    }

    /// Returns the reserved characters within a name, which [`UrnBuf::build`](super::UrnBuf::build) must encode.
    fn special_chars(&self) -> &str {
        ""
    }

    /// Returns whether references may have a fragment in the draft's sense.
    fn allows_fragment(&self) -> bool {
        false
    }

    /// Returns the services that resolvers of this namespace offer.
    fn services(&self) -> &[Service] {
        &[]
    }

    /// Returns the keywords of directives, besides `s`, that the namespace defines.
    fn keywords(&self) -> &[&str] {
        &[]
    }

    /// Returns the service requested by a reference without `s=`.
    fn default_service(&self) -> Service {
        Service::I2L
    }
}

/// A registry of namespaces by identifier.
///
/// ```
/// use fingerpost_uri::urn::{Mode, NameKey, NamespaceRegistry, Urn};
///
/// let registry = NamespaceRegistry::builtin();
/// let key = |text| Urn::parse(text, Mode::Auto).map(|urn| NameKey::with_registry(urn, &registry));
/// assert_eq!(key("urn:isbn:0-451-45052-3")?, key("URN:ISBN:0451450523")?);
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NamespaceRegistry<'n> {
    own: &'n [&'n dyn Namespace],
}

impl<'n> NamespaceRegistry<'n> {
    /// Returns the built-in namespaces: `isbn`, `issn`, `uuid`, `oid`, `ietf`, `epc`, `nbn` and `example`.
    pub const fn builtin() -> Self {
        Self { own: &[] }
    }

    /// Returns the built-in namespaces and the given ones, which replace built-in ones with the same identifier.
    pub const fn extended(own: &'n [&'n dyn Namespace]) -> Self {
        Self { own }
    }

    /// Checks a URN against the rules of its namespace: the name itself, and, in the draft's sense, whether the
    /// reference may have a fragment. An unknown namespace has no rules.
    ///
    /// # Errors
    ///
    /// What the namespace expected.
    pub fn check(&self, urn: Urn<'_>) -> Result<(), InvalidNss> {
        let Some(namespace) = self.namespace(urn.nid()) else { return Ok(()) };
        if urn.mode() == Mode::Draft && urn.fragment().is_some() && !namespace.allows_fragment() {
            return Err(InvalidNss::new("no fragment, which this namespace does not admit"));
        }
        namespace.validate_nss(urn.nss().as_str())
    }

    /// Returns the rules of a namespace, by its identifier in any letter case.
    pub fn namespace(&self, nid: &str) -> Option<&'n dyn Namespace> {
        let fits = |namespace: &&&dyn Namespace| namespace.nid().eq_ignore_ascii_case(nid);
        let own = self.own.iter().find(fits);
        own.or_else(|| namespaces::BUILTIN.iter().find(fits))
            .map(|namespace| *namespace as &dyn Namespace)
    }
}
