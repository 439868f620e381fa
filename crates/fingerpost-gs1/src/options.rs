//! Options for parsers to accept more than the default (GS1 Digital Link URI Syntax 1.4.1; this
//! library's choices where the standards leave room).

use alloc::sync::Arc;

use crate::lookups::Lookups;

/// Options of all parsers and checks. The default is strict.
///
/// ```
/// use fingerpost_gs1::{ElementString, Options};
///
/// let one_symbol_of_several = Options::new().requisites(false);
/// assert!(ElementString::parse_bracketed_with("(10)ABC", &one_symbol_of_several).is_ok());
/// assert!(ElementString::parse_bracketed("(10)ABC").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    flags: u32,
    lookups: Option<Arc<dyn Lookups>>,
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident, $query:ident = $bit:literal;)*) => {
        impl Options {
            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $name(mut self, on: bool) -> Options {
                    self.flags = if on { self.flags | 1 << $bit } else { self.flags & !(1 << $bit) };
                    self
                }

                /// Returns whether this option is on.
                #[inline]
                pub(crate) const fn $query(&self) -> bool {
                    self.flags & 1 << $bit != 0
                }
            )*
        }
    };
}

flags! {
    /// Sets whether to check the requirements of each Application Identifier (default: on). Requirements apply to the
    /// whole item; turn this off to parse one of several carriers.
    requisites, wants_requisites = 0;
    /// Sets whether to accept Application Identifiers that are not allocated but could be in future (default: off).
    unknown_ais, allows_unknown_ais = 1;
    /// Sets whether to accept them as query attributes too; needs [`Options::unknown_ais`] (default: off).
    unknown_ais_as_attributes, allows_unknown_attributes = 2;
    /// Sets whether to accept the GTIN (01) of a Digital Link URI with 8, 12 or 13 digits and pad it (default: off).
    zero_suppressed_gtin, allows_short_gtin = 3;
    /// Sets whether to accept what only GS1 Digital Link URI Syntax 1.4.1 allows, not the newest dictionary: 3944, 3945 and
    /// 8020 as a query attribute beside 415 (default: off).
    uri_syntax_1_4, reads_uri_syntax_1_4 = 4;
    /// Sets whether to accept characters outside the URI set; only the character-set rule of the value applies (default: off).
    any_uri_character, allows_any_uri_character = 5;
    /// Sets whether to accept user information before the host (default: off).
    user_information, allows_user_information = 6;
    /// Sets whether to drop a slash after the last value of the path, with a warning (default: off).
    trailing_slash, allows_trailing_slash = 7;
    /// Sets whether to keep a malformed percent triplet of a value as text, with a warning (default: off).
    bad_percent_encoding, allows_bad_percent_encoding = 8;
    /// Sets whether to recognise the convenience alphas of older releases, such as `gtin` (default: off).
    convenience_alphas, allows_convenience_alphas = 9;
    /// Sets whether to keep the last value of a repeated query attribute, with a warning (default: off).
    last_attribute_wins, allows_repeated_attributes = 10;
    /// Sets whether to move qualifiers from the query into the path where that gives a valid sequence (default: off).
    lift_qualifiers, lifts_qualifiers = 11;
    /// Sets whether to accept raw data without the leading FNC1 (default: off).
    missing_leading_fnc1, allows_missing_fnc1 = 12;
    /// Sets whether to accept a compressed Digital Link URI whose trailing padding bits are not zero, with a warning (default: off).
    nonzero_padding, allows_nonzero_padding = 13;
}

impl Options {
    /// Creates strict options.
    #[must_use]
    pub const fn new() -> Options {
        Options { flags: 1, lookups: None }
    }

    /// Turns on every lenient rule of the Digital Link parser, and accepts raw data without its
    /// leading FNC1. Does not change the options about unknown Application Identifiers and
    /// [`Options::uri_syntax_1_4`].
    #[must_use]
    pub const fn lenient(self) -> Options {
        self.zero_suppressed_gtin(true)
            .any_uri_character(true)
            .user_information(true)
            .trailing_slash(true)
            .bad_percent_encoding(true)
            .convenience_alphas(true)
            .last_attribute_wins(true)
            .lift_qualifiers(true)
            .missing_leading_fnc1(true)
            .nonzero_padding(true)
    }

    /// Adds newer code lists, or a list of company prefixes, to the built-in rules.
    #[must_use]
    pub fn lookups(mut self, lookups: Arc<dyn Lookups>) -> Options {
        self.lookups = Some(lookups);
        self
    }

    #[inline]
    pub(crate) fn custom_lookups(&self) -> Option<&dyn Lookups> {
        self.lookups.as_deref()
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}
