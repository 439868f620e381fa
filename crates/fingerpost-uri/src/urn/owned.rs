//! URNs that own their text.

use alloc::string::String;

use super::{Directives, Mode, Parts, Urn, UrnError};
use crate::percent::Encoded;
use crate::text::{is_its_text, owns_its_text, works_like};

/// A URN that owns its text. It has the accessors of [`Urn`]; without a [`Mode`] it is parsed by
/// [`Mode::Auto`].
///
/// ```
/// use fingerpost_uri::urn::UrnBuf;
///
/// let urn: UrnBuf = "urn:isbn:0451450523".parse()?;
/// assert_eq!((urn.nid(), urn.nss().as_str()), ("isbn", "0451450523"));
/// # Ok::<(), fingerpost_uri::urn::UrnError>(())
/// ```
#[derive(Clone)]
pub struct UrnBuf {
    text: String,
    parts: Parts,
}

impl UrnBuf {
    /// Parses a text as a URN, without copying it.
    ///
    /// # Errors
    ///
    /// As [`Urn::parse`]; the text is dropped.
    pub fn parse(text: String) -> Result<Self, UrnError> {
        Self::parse_as(text, Mode::Auto)
    }

    /// Works like [`parse`](Self::parse), by one specification.
    ///
    /// # Errors
    ///
    /// As [`Urn::parse`]; the text is dropped.
    pub fn parse_as(text: String, mode: Mode) -> Result<Self, UrnError> {
        let parts = Urn::parse(&text, mode)?.parts();
        Ok(Self { text, parts })
    }

    /// Returns the borrowed form.
    pub fn as_urn(&self) -> Urn<'_> {
        Urn::from_parts(&self.text, self.parts)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text, consuming the value.
    pub fn into_string(self) -> String {
        self.text
    }
}

works_like! { UrnBuf, Urn, as_urn:
    mode() -> Mode;
    nid() -> &str;
    nss() -> Encoded<'_>;
    query() -> Option<&str>;
    directives() -> Directives<'_>;
    resolver_component() -> Option<Encoded<'_>>;
    query_component() -> Option<Encoded<'_>>;
    fragment() -> Option<Encoded<'_>>;
    is_assigned_name() -> bool;
    name() -> &str;
    is_equivalent(other: Urn<'_>) -> bool;
}

impl From<Urn<'_>> for UrnBuf {
    fn from(urn: Urn<'_>) -> Self {
        Self { text: String::from(urn.as_str()), parts: urn.parts() }
    }
}

is_its_text!([] UrnBuf);
owns_its_text! {
    UrnBuf, UrnError;
}
