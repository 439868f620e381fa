//! The namespaces that a caller knows: the built-in ones, and others that replace or extend them.

use super::namespace::{InvalidNss, Namespace};
use super::namespaces;
use super::{Mode, Urn};

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
    /// Returns the built-in namespaces: `isbn`, `issn`, `uuid`, `oid`, `ietf`, `epc`, `nbn` and
    /// `example`.
    pub const fn builtin() -> Self {
        Self { own: &[] }
    }

    /// Returns the built-in namespaces and the given ones, which replace built-in ones with the
    /// same identifier.
    pub const fn extended(own: &'n [&'n dyn Namespace]) -> Self {
        Self { own }
    }

    /// Checks a URN against the rules of its namespace: the name itself, and, in the draft's sense,
    /// whether the reference may have a fragment. An unknown namespace has no rules.
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
