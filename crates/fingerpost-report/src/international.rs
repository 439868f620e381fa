//! International addresses, which small builds for browsers leave out: the tables of Unicode are a
//! sixth of them.

#[cfg(feature = "international")]
pub(crate) use fingerpost_resolver::ascii_form;

/// Returns nothing: no address is converted.
#[cfg(not(feature = "international"))]
pub(crate) fn ascii_form(_: &str) -> Option<String> {
    None
}
