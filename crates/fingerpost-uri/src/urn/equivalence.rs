//! Lexical equivalence of URNs (URN draft of 2012, section 5; RFC 8141 section 3) as keys that can
//! be compared, sorted and hashed.
//!
//! Triplets are never decoded: `%2C` and `,` are different names. Therefore the ladder of
//! [`Rung`](crate::Rung) must not be used on names, and these keys are separate types.

use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;

use super::{Mode, NamespaceRegistry, Urn};
use crate::percent;
use crate::text::shows_its_text;

/// An equivalence key, equal for two URNs that name the same thing: purpose 5a of the draft
/// (directives are ignored) and the equivalence of RFC 8141 (components are ignored).
///
/// ```
/// use fingerpost_uri::urn::{Mode, NameKey, Urn};
///
/// let key = |text| Urn::parse(text, Mode::Auto).map(NameKey::new);
/// assert_eq!(key("URN:foo:a123%2c456")?, key("urn:FOO:a123%2C456?s=I2L")?);
/// assert_ne!(key("urn:foo:a123,456")?, key("urn:foo:a123%2C456")?);
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(String);

impl NameKey {
    /// Returns the key of a name, without the rules of its namespace.
    pub fn new(urn: Urn<'_>) -> Self {
        Self::with_nss(urn, urn.nss().as_str())
    }

    /// Returns the key of a name, with the further equivalences that its namespace declares.
    pub fn with_registry(urn: Urn<'_>, registry: &NamespaceRegistry<'_>) -> Self {
        match registry.namespace(urn.nid()) {
            Some(namespace) => Self::with_nss(urn, &namespace.canonical_nss(urn.nss().as_str())),
            None => Self::new(urn),
        }
    }

    fn with_nss(urn: Urn<'_>, nss: &str) -> Self {
        let mut key = String::with_capacity(urn.name().len());
        key.push_str("urn:");
        key.extend(urn.nid().chars().map(|c| c.to_ascii_lowercase()));
        key.push(':');
        push_upper_triplets(nss, &mut key);
        Self(key)
    }

    /// Returns the preferred spelling of the name, which is itself a URN.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An equivalence key, equal for two references to which a resolver may give the same answer:
/// purpose 5b of the draft, in which directives are compared regardless of their order. In RFC 8141
/// mode it equals [`NameKey`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnswerKey(String);

impl AnswerKey {
    /// Returns the key of a reference, without the rules of its namespace.
    pub fn new(urn: Urn<'_>) -> Self {
        Self::of(urn, NameKey::new(urn))
    }

    /// Returns the key of a reference, with the further equivalences that its namespace declares.
    pub fn with_registry(urn: Urn<'_>, registry: &NamespaceRegistry<'_>) -> Self {
        Self::of(urn, NameKey::with_registry(urn, registry))
    }

    fn of(urn: Urn<'_>, name: NameKey) -> Self {
        let mut key = name.0;
        if urn.mode() == Mode::Draft && urn.query().is_some() {
            let mut directives: Vec<_> = urn.directives().iter().collect();
            directives.sort_by_key(|directive| directive.keyword());
            for (at, directive) in directives.iter().enumerate() {
                key.extend([if at == 0 { "?" } else { "&" }, directive.keyword(), "="]);
                push_upper_triplets(directive.value(), &mut key);
            }
        }
        Self(key)
    }

    /// Returns the preferred spelling of the reference, without its fragment.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Urn<'_> {
    /// Returns whether this and `other` are the same name, lexically: as their [`NameKey`]s are
    /// equal, without the rules of the namespace. Query, components and fragment are ignored
    /// (RFC 8141 section 3.1; the draft, section 5).
    ///
    /// ```
    /// use fingerpost_uri::urn::{Mode, Urn};
    ///
    /// let urn = |text| Urn::parse(text, Mode::Auto);
    /// assert!(urn("URN:foo:a%2cb?+x")?.is_equivalent(urn("urn:FOO:a%2Cb#y")?));
    /// assert!(!urn("urn:foo:a%2cb")?.is_equivalent(urn("urn:foo:a,b")?));
    /// # Ok::<(), fingerpost_uri::urn::UrnError>(())
    /// ```
    pub fn is_equivalent(self, other: Urn<'_>) -> bool {
        let (own, others) = (self.nss().as_str(), other.nss().as_str());
        own.len() == others.len()
            && self.nid().eq_ignore_ascii_case(other.nid())
            && upper_triplets(own).eq(upper_triplets(others))
    }
}

/// Returns the bytes of a valid text, the digits of triplets in upper case.
fn upper_triplets(text: &str) -> impl Iterator<Item = u8> {
    let mut digits = 0_u8;
    text.bytes().map(move |byte| {
        let is_digit = digits > 0;
        digits = if byte == b'%' { 2 } else { digits.saturating_sub(1) };
        if is_digit { byte.to_ascii_uppercase() } else { byte }
    })
}

shows_its_text!([] NameKey, [] AnswerKey);

impl Borrow<str> for NameKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameKey({})", self.0)
    }
}

impl fmt::Debug for AnswerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnswerKey({})", self.0)
    }
}

/// Appends `text` with the digits of triplets in upper case (step 3).
fn push_upper_triplets(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        match percent::triplet(&rest.as_bytes()[at..]) {
            Some(octet) => {
                percent::push_triplet(octet, out);
                rest = &rest[at + 3..];
            }
            None => {
                out.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    out.push_str(rest);
}
