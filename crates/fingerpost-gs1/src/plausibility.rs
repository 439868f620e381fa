//! Plausibility check for GS1 Digital Link URIs. GS1 Digital Link URI Syntax 1.4.1, section 6.1.
//!
//! A scanner can pass on a text if it is plausible; the receiver then does the full validation. The
//! standard gives two regular expressions. Their rules, implemented by hand here:
//!
//! ```text
//! RE1 = ("http:" / "https:") *(not "?" and not "#") "/" KEY "/" 4DIGIT 1*(not "/")  [anything]
//! RE2 = ("http:" / "https:") *(not "?" and not "#") "/" 10*(ALPHA / DIGIT / "_" / "-")  end
//! KEY = one of the 16 primary keys
//! ```
//!
//! Both expressions name an optional authority after the scheme. It needs no rule: the text without
//! `?` and `#` that follows it matches any authority. The printed RE1 has a stray space after
//! `https?:` and the printed RE2 is missing the `_` in its class; both are implemented as intended.

use crate::limits::MIN_COMPRESSED;

/// Whether a text can be a GS1 Digital Link URI, as far as two regular expressions tell:
/// [`Plausibility::of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Plausibility {
    /// RE1 matches: plausibly an uncompressed URI (a partly compressed one looks the same).
    Uncompressed,
    /// Only RE2 matches: plausibly a compressed URI. Many ordinary URLs match too.
    Compressed,
    /// Certainly not a GS1 Digital Link URI.
    No,
}

impl Plausibility {
    /// Performs the procedure of section 6.1.3: RE1 first, then RE2.
    ///
    /// ```
    /// use fingerpost_gs1::Plausibility;
    ///
    /// assert_eq!(Plausibility::of("https://a.example/01/09520123456788"), Plausibility::Uncompressed);
    /// assert_eq!(Plausibility::of("https://a.example/DBHKVAdpQgowOQ"), Plausibility::Compressed);
    /// assert_eq!(Plausibility::of("https://a.example/news?id=5"), Plausibility::No);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Plausibility {
        if Plausibility::matches_re1(text) {
            Plausibility::Uncompressed
        } else if Plausibility::matches_re2(text) {
            Plausibility::Compressed
        } else {
            Plausibility::No
        }
    }

    /// Returns whether RE1 of section 6.1.1 matches.
    ///
    /// It requires the key's value to begin with four digits and accepts any length from five
    /// characters on, so it accepts many invalid values.
    ///
    /// ```
    /// use fingerpost_gs1::Plausibility;
    ///
    /// assert!(Plausibility::matches_re1("http://a.example/some/path/8003/09520123456788"));
    /// assert!(!Plausibility::matches_re1("http://a.example/8004/ABCD1234"));
    /// ```
    #[must_use]
    pub fn matches_re1(text: &str) -> bool {
        let Some(rest) = after_scheme(text) else { return false };
        let before_query = rest.find(['?', '#']).unwrap_or(rest.len());
        rest[..before_query]
            .match_indices('/')
            .any(|(slash, _)| starts_with_key(&rest[slash + 1..]))
    }

    /// Returns whether RE2 of section 6.1.2 matches.
    ///
    /// It never matches a text with a query, and matches many ordinary URLs (`/about-us-page`).
    ///
    /// ```
    /// use fingerpost_gs1::Plausibility;
    ///
    /// assert!(Plausibility::matches_re2("https://a.example/about-us-page"));
    /// assert!(!Plausibility::matches_re2("https://a.example/about-us-page?x"));
    /// ```
    #[must_use]
    pub fn matches_re2(text: &str) -> bool {
        let Some(rest) = after_scheme(text) else { return false };
        let Some((before, last)) = rest.rsplit_once('/') else { return false };
        !before.contains(['?', '#'])
            && last.len() >= MIN_COMPRESSED
            && last.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    }
}

/// Parses `https?:`, case-sensitively, and returns the rest.
fn after_scheme(text: &str) -> Option<&str> {
    text.strip_prefix("http")
        .map(|rest| rest.strip_prefix('s').unwrap_or(rest))
        .and_then(|rest| rest.strip_prefix(':'))
}

/// Returns whether `text` begins with `KEY "/" 4DIGIT 1*(not "/")`.
fn starts_with_key(text: &str) -> bool {
    let Some((key, value)) = text.split_once('/') else { return false };
    let value = value.as_bytes();
    KEYS.contains(&key)
        && value.len() > 4
        && value[..4].iter().all(u8::is_ascii_digit)
        && value[4] != b'/'
}

/// The alternatives of RE1, in its order. Fixed with the expression: a newer key does not match.
const KEYS: [&str; 16] = [
    "01", "8006", "8013", "8010", "414", "415", "417", "8017", "8018", "255", "00", "253", "401",
    "402", "8003", "8004",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn re1_follows_the_printed_expression() {
        let cases = [
            ("https://a/01/12345", true),
            ("https://a/01/1234", false), // four digits and nothing more
            ("https://a/01/1234/5", false), // the fifth character may not be a slash
            ("https://a/01/1234?", true), // but it may be any other
            ("https://a/01/123A5", false), // four digits
            ("https://a/10/12345", false), // no key
            ("https://a?x=/01/12345", false), // nothing behind a query
            ("https://a#/01/12345", false), // nor behind a fragment
            ("https://u:p@a:80/x/00/12345", true),
            ("https:/01/12345", true), // the authority is optional
            ("https://01/12345", true),
            ("http:01/12345", false), // a slash stands before the key
            ("https://a/x01/12345", false),
            ("https://a/01/01/12345", true),
            ("Https://a/01/12345", false),
            ("httpss://a/01/12345", false),
            ("https://a/01/12345/not/a/pair/ at all", true), // not anchored at the end
            ("https://a/01/1234é", true),
            ("", false),
        ];
        for (text, expected) in cases {
            assert_eq!(Plausibility::matches_re1(text), expected, "{text}");
        }
    }

    #[test]
    fn re2_follows_the_printed_expression() {
        let cases = [
            ("https://a/0123456789", true),
            ("https://a/012345678", false),
            ("https://a/aZ09_-aZ09", true),
            ("https://a/0123456789/", false),
            ("https://a/0123.456789", false),
            ("https://a/0123456789#", false),
            ("https://a/b?c/0123456789", false),
            ("https://ten-letters", true), // the expression does not ask for a host
            ("https:0123456789", false),
            ("https://example.com/0123/456789012340123", true), // section 6.1.2's own warning
        ];
        for (text, expected) in cases {
            assert_eq!(Plausibility::matches_re2(text), expected, "{text}");
        }
    }
}
