//! Builds a URN from data (URN draft of 2012, sections 2.2, 2.5 and 3).

use alloc::string::String;

use super::{Mode, NamespaceRegistry, Urn, UrnError, UrnErrorKind};
use crate::class::{self, IS_PCHAR};
use crate::percent;

/// Builds an assigned name from a namespace identifier and data. Characters that are not allowed in a name are encoded
/// as UTF-8 and then as triplets, and so are the characters to which the namespace gives a meaning.
/// Nothing else is encoded: an unnecessary triplet would make a different name.
///
/// ```
/// use fingerpost_uri::urn::{NamespaceRegistry, build};
///
/// assert_eq!(build("example", "café 50%", &NamespaceRegistry::builtin())?, "urn:example:caf%C3%A9%2050%25");
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
///
/// # Errors
///
/// The identifier is invalid, or the data is empty or contains a null character; the offset refers to the URN.
pub fn build(nid: &str, data: &str, registry: &NamespaceRegistry<'_>) -> Result<String, UrnError> {
    let special = registry.namespace(nid).map_or("", |namespace| namespace.special_chars());
    let keeps = |byte| class::is(byte, IS_PCHAR) && !special.as_bytes().contains(&byte);
    let urn = ["urn:", nid, ":", &percent::encode_except(data, keeps)].concat();
    // Both modes parse the result identically, because it contains neither `/` nor `?`.
    if Urn::parse(&urn, Mode::Rfc8141)?.nid() != nid {
        return Err(UrnError::new(UrnErrorKind::Nid, "urn:".len()));
    }
    Ok(urn)
}
