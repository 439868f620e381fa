//! Builds a URN from data (URN draft of 2012, sections 2.2, 2.5 and 3).

use super::{Mode, NamespaceRegistry, UrnBuf, UrnError, UrnErrorKind};
use crate::class::{self, IS_PCHAR};
use crate::percent;

impl UrnBuf {
    /// Builds an assigned name from a namespace identifier and data. Characters that are not
    /// allowed in a name are encoded as UTF-8 and then as triplets, and so are the characters
    /// to which the namespace gives a meaning. Nothing else is encoded: an unnecessary triplet
    /// would make a different name.
    ///
    /// ```
    /// use fingerpost_uri::urn::{NamespaceRegistry, UrnBuf};
    ///
    /// let urn = UrnBuf::build("example", "café 50%", &NamespaceRegistry::builtin())?;
    /// assert_eq!(urn.as_str(), "urn:example:caf%C3%A9%2050%25");
    /// # Ok::<(), fingerpost_uri::urn::UrnError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The identifier is invalid, or the data is empty or contains a null character; the offset
    /// refers to the URN.
    pub fn build(
        nid: &str,
        data: &str,
        registry: &NamespaceRegistry<'_>,
    ) -> Result<Self, UrnError> {
        let special = registry.namespace(nid).map_or("", |namespace| namespace.special_chars());
        let keeps = |byte| class::is(byte, IS_PCHAR) && !special.as_bytes().contains(&byte);
        let text = ["urn:", nid, ":", &percent::encode_except(data, keeps)].concat();
        // Both modes parse the result identically, because it contains neither `/` nor `?`.
        let urn = Self::parse_as(text, Mode::Rfc8141)?;
        if urn.nid() != nid {
            return Err(UrnError::new(UrnErrorKind::Nid, "urn:".len()));
        }
        Ok(urn)
    }
}
