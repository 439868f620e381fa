//! Lists that change more often than this library: code lists and company prefixes.

use core::fmt;

/// Data sources of the caller that replace the built-in lists. Every method has a default that uses
/// the built-in list.
///
/// ```
/// use std::sync::Arc;
/// use fingerpost_gs1::{Ai, CodeList, Lookups, Options};
///
/// #[derive(Debug)]
/// struct Lists2031;
///
/// impl Lookups for Lists2031 {
///     fn contains(&self, list: CodeList, code: &[u8]) -> Option<bool> {
///         (list == CodeList::Iso4217Numeric && code == b"191").then_some(true)
///     }
/// }
///
/// let options = Options::new().lookups(Arc::new(Lists2031));
/// assert!(Ai::new("3912").unwrap().check_value_with(b"191123", &options).is_ok());
/// ```
pub trait Lookups: fmt::Debug + Send + Sync {
    /// Returns whether `code` is in `list`; `None` defers to the built-in list.
    fn contains(&self, list: CodeList, code: &[u8]) -> Option<bool> {
        let _ = (list, code);
        None
    }

    /// Looks up whether a GS1 Company Prefix starts with these characters. They start with four
    /// digits.
    fn company_prefix(&self, text: &[u8]) -> CompanyPrefix {
        let _ = text;
        CompanyPrefix::Allocated
    }
}

/// A code list that [`Lookups::contains`] may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodeList {
    /// ISO 3166-1 numeric country codes.
    Iso3166Numeric,
    /// ISO 3166-1 alpha-2 country codes.
    Iso3166Alpha2,
    /// ISO 4217 numeric currency codes.
    Iso4217Numeric,
    /// UN/ECE Recommendation 21 package types as GS1 uses them.
    PackageType,
    /// GS1 AIDC media types.
    AidcMediaType,
}

/// The result of [`Lookups::company_prefix`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompanyPrefix {
    /// A prefix starts here, or the source does not exclude it.
    Allocated,
    /// No prefix starts here: `L_INVALID_GCP_PREFIX`.
    NotAllocated,
    /// The source cannot answer at the moment: `L_GCP_DATASOURCE_OFFLINE`.
    Unavailable,
}
