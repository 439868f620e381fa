//! Data of an EPC other than its elements.

use alloc::string::{String, ToString};

use fingerpost_epc::{Epc, EpcUrn, GcpLength};

use crate::read::Identifier;

/// The other spellings of an EPC, as far as the EPC alone determines them.
#[derive(Debug, Default)]
pub struct EpcFacts {
    /// Name of the scheme.
    pub scheme: Option<&'static str>,
    /// Filter value of the tag.
    pub filter: Option<u8>,
    /// What the filter value means for the scheme.
    pub filter_meaning: Option<&'static str>,
    /// Pure identity URI, if the company prefix is known.
    pub urn: Option<String>,
    /// EPC Tag URI.
    pub tag_uri: Option<String>,
    /// The bits in hexadecimal.
    pub hex: Option<String>,
    /// Host name in the EPC itself.
    pub hostname: Option<String>,
    /// Whether the bit that announces further data contradicts the bits after it.
    pub is_toggle_wrong: bool,
}

impl EpcFacts {
    /// Returns the facts of an EPC; `None` if the identifier is not an EPC.
    pub(crate) fn of(identifier: &Identifier<'_>) -> Option<Self> {
        match identifier {
            Identifier::Epc { epc, .. } => Some(Self::of_epc(epc)),
            Identifier::Urn(urn) => Some(Self::of_urn(urn)),
            _ => None,
        }
    }

    fn of_epc(epc: &Epc) -> Self {
        let filter = epc.filter();
        Self {
            scheme: Some(epc.scheme().name()),
            filter,
            filter_meaning: filter.and_then(|filter| epc.scheme().filter_meaning(filter)),
            // The length of a company prefix is never guessed.
            urn: epc.identity(GcpLength::Unknown).ok().map(|identity| identity.to_string()),
            tag_uri: epc.to_tag_uri(),
            hex: Some(epc.to_hex()),
            hostname: epc.hostname().ok().flatten().map(|name| name.to_string()),
            is_toggle_wrong: epc.is_toggle_wrong(),
        }
    }

    fn of_urn(urn: &EpcUrn) -> Self {
        Self { urn: Some(urn.to_string()), ..Self::default() }
    }
}
