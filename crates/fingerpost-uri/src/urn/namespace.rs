//! Namespace-specific rules of URNs (URN draft of 2012, sections 3, 5 and 9; RFC 8141, section 6).

use alloc::borrow::Cow;
use core::fmt;

use super::service::Service;

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

    /// Returns the canonical spelling among those that the namespace treats as equal. It may only
    /// make more names equal, never fewer; a name that [`validate_nss`](Self::validate_nss)
    /// rejects is returned unchanged.
    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(nss)
    }

    /// Returns the reserved characters within a name, which [`UrnBuf::build`](super::UrnBuf::build)
    /// must encode.
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
