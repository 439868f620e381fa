//! The built-in namespaces.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use super::namespace::{InvalidNss, Namespace};
use super::service::Service;

/// The services of a resolver that stores links about things.
const LINKS: &[Service] =
    &[Service::I2L, Service::I2Ls, Service::I2C, Service::I2Cs, Service::I2Ns];

pub(super) static BUILTIN: &[&dyn Namespace] =
    &[&Books, &Serials, &Uuid, &Oid, &Ietf, &Epc, &Nbn, &Example];

/// An International Standard Book Number (RFC 3187, now RFC 8254): the digits of an ISBN-10 or
/// ISBN-13 with a correct check digit; hyphens are removed.
///
/// ```
/// use fingerpost_uri::urn::Isbn;
///
/// let isbn: Isbn = "0-451-45052-3".parse()?;
/// assert_eq!(isbn.thirteen(), "9780451450524");
/// # Ok::<(), fingerpost_uri::urn::InvalidNss>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Isbn {
    digits: [u8; 13],
}

impl Isbn {
    /// Parses an ISBN of either length, perhaps with single hyphens between its digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, len) = digits::<13>(text)?;
        let mut isbn = Self { digits };
        match len {
            10 if mod_11_is_right(&digits[..10]) => {
                isbn.digits = [b'9', b'7', b'8', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
                isbn.digits[3..12].copy_from_slice(&digits[..9]);
                isbn.digits[12] = mod_10(&isbn.digits[..12]);
                Some(isbn)
            }
            13 if mod_10(&digits[..12]) == digits[12] => {
                (digits.starts_with(b"978") || digits.starts_with(b"979")).then_some(isbn)
            }
            _ => None,
        }
    }

    /// Returns the thirteen digits. An ISBN of ten digits gets the prefix 978.
    pub fn thirteen(&self) -> &str {
        core::str::from_utf8(&self.digits).unwrap_or_default()
    }

    /// Returns the ten characters, the last one possibly `X`; only for the prefix 978.
    pub fn ten(&self) -> Option<[u8; 10]> {
        let mut ten = [0; 10];
        ten[..9].copy_from_slice(self.digits.strip_prefix(b"978")?.get(..9)?);
        ten[9] = mod_11(&ten[..9]);
        Some(ten)
    }
}

/// An International Standard Serial Number (RFC 3044, now RFC 8254) with a correct check character.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Issn {
    digits: [u8; 8],
}

impl Issn {
    /// Parses an ISSN, perhaps with single hyphens between its digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, len) = digits::<8>(text)?;
        (len == 8 && mod_11_is_right(&digits)).then_some(Self { digits })
    }

    /// Returns the ISSN of its first seven digits; `None` if one is not a digit.
    pub fn from_seven(seven: [u8; 7]) -> Option<Self> {
        if !seven.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut digits = [0; 8];
        digits[..7].copy_from_slice(&seven);
        digits[7] = mod_11(&seven);
        Some(Self { digits })
    }

    /// Returns the eight characters; the last one may be `X`.
    pub fn eight(&self) -> &str {
        core::str::from_utf8(&self.digits).unwrap_or_default()
    }
}

impl FromStr for Isbn {
    type Err = InvalidNss;

    fn from_str(text: &str) -> Result<Self, InvalidNss> {
        Self::parse(text).ok_or(NOT_AN_ISBN)
    }
}

impl FromStr for Issn {
    type Err = InvalidNss;

    fn from_str(text: &str) -> Result<Self, InvalidNss> {
        Self::parse(text).ok_or(NOT_AN_ISSN)
    }
}

impl fmt::Display for Isbn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.thirteen())
    }
}

impl fmt::Display for Issn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.eight())
    }
}

const NOT_AN_ISBN: InvalidNss =
    InvalidNss::new("an ISBN of 10 or 13 digits with a right check digit");

const NOT_AN_ISSN: InvalidNss =
    InvalidNss::new("an ISSN of 8 characters with a right check character");

/// Returns at most `N` digits of `text`, without hyphens and with a final `x` as `X`.
fn digits<const N: usize>(text: &str) -> Option<([u8; N], usize)> {
    if text.starts_with('-') || text.ends_with('-') || text.contains("--") {
        return None;
    }
    let mut digits = [0; N];
    let mut len = 0_usize;
    for byte in text.bytes().filter(|&byte| byte != b'-') {
        if digits.get(len.wrapping_sub(1)) == Some(&b'X') {
            return None;
        }
        *digits.get_mut(len)? = match byte {
            b'0'..=b'9' => byte,
            b'x' | b'X' => b'X',
            _ => return None,
        };
        len += 1;
    }
    Some((digits, len))
}

/// Returns the check character over `digits` with the weights n+1 … 2 modulo 11.
fn mod_11(digits: &[u8]) -> u8 {
    let weights = (2..=digits.len() as u32 + 1).rev();
    let sum: u32 =
        digits.iter().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    match (11 - sum % 11) % 11 {
        10 => b'X',
        digit => b'0' + digit as u8,
    }
}

fn mod_11_is_right(digits: &[u8]) -> bool {
    let Some((check, data)) = digits.split_last() else { return false };
    data.iter().all(u8::is_ascii_digit) && mod_11(data) == *check
}

/// Returns the check digit over twelve digits with the weights 1 and 3 modulo 10; with `X` among
/// them no check digit matches.
fn mod_10(digits: &[u8]) -> u8 {
    if !digits.iter().all(u8::is_ascii_digit) {
        return 0;
    }
    let weights = [1, 3].into_iter().cycle();
    let sum: u32 =
        digits.iter().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    b'0' + ((10 - sum % 10) % 10) as u8
}

/// Returns the string without hyphens and in upper case, borrowed if nothing changes.
fn without_hyphens(nss: &str) -> Cow<'_, str> {
    if nss.contains(['-', 'x']) {
        Cow::Owned(
            nss.chars().filter(|&c| c != '-').map(|c| c.to_ascii_uppercase()).collect::<String>(),
        )
    } else {
        Cow::Borrowed(nss)
    }
}

/// Returns the string in lower case, borrowed if nothing changes.
fn lower(nss: &str) -> Cow<'_, str> {
    if nss.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(nss.to_ascii_lowercase())
    } else {
        Cow::Borrowed(nss)
    }
}

#[derive(Debug)]
struct Books;

impl Namespace for Books {
    fn nid(&self) -> &'static str {
        "isbn"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        Isbn::parse(nss).map(|_| ()).ok_or(NOT_AN_ISBN)
    }

    /// Returns the canonical form. ISBN-10 and ISBN-13 of one book stay different names: they are
    /// only functionally equivalent.
    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        if Isbn::parse(nss).is_some() { without_hyphens(nss) } else { Cow::Borrowed(nss) }
    }

    fn services(&self) -> &[Service] {
        LINKS
    }
}

#[derive(Debug)]
struct Serials;

impl Namespace for Serials {
    fn nid(&self) -> &'static str {
        "issn"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        Issn::parse(nss).map(|_| ()).ok_or(NOT_AN_ISSN)
    }

    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        if Issn::parse(nss).is_some() { without_hyphens(nss) } else { Cow::Borrowed(nss) }
    }

    fn services(&self) -> &[Service] {
        LINKS
    }
}

/// Universally unique identifiers (RFC 9562).
#[derive(Debug)]
struct Uuid;

impl Namespace for Uuid {
    fn nid(&self) -> &'static str {
        "uuid"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        let groups = nss.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
        let is_hex = nss.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
        let expected = InvalidNss::new("32 hexadecimal digits in groups of 8, 4, 4, 4 and 12");
        if groups && is_hex { Ok(()) } else { Err(expected) }
    }

    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        lower(nss)
    }
}

/// Object identifiers (RFC 3061). The first number is 0, 1 or 2, and after 0 and 1 the second is at
/// most 39 (ITU-T X.660, section A.2).
#[derive(Debug)]
struct Oid;

impl Namespace for Oid {
    fn nid(&self) -> &'static str {
        "oid"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        let is_number = |arc: &str| {
            !arc.is_empty()
                && arc.bytes().all(|byte| byte.is_ascii_digit())
                && (arc == "0" || !arc.starts_with('0'))
        };
        if !nss.split('.').all(is_number) {
            return Err(InvalidNss::new("numbers without leading zeros, divided by full stops"));
        }
        let mut arcs = nss.split('.');
        let (root, second) = (arcs.next().unwrap_or_default(), arcs.next().unwrap_or("0"));
        match root {
            "0" | "1" if second.parse().is_ok_and(|arc: u8| arc < 40) => Ok(()),
            "0" | "1" => Err(InvalidNss::new("a second number of at most 39 after 0 or 1")),
            "2" => Ok(()),
            _ => Err(InvalidNss::new("0, 1 or 2 as the first number")),
        }
    }
}

/// Documents of the IETF (RFC 2648), case-insensitive.
#[derive(Debug)]
struct Ietf;

impl Namespace for Ietf {
    fn nid(&self) -> &'static str {
        "ietf"
    }

    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        lower(nss)
    }
}

/// Electronic Product Codes (GS1 EPC Tag Data Standard): a kind, a scheme and fields,
/// case-sensitive.
#[derive(Debug)]
struct Epc;

impl Namespace for Epc {
    fn nid(&self) -> &'static str {
        "epc"
    }

    fn validate_nss(&self, nss: &str) -> Result<(), InvalidNss> {
        let mut parts = nss.splitn(3, ':');
        let kind = parts.next().unwrap_or_default();
        let is_kind = matches!(kind, "id" | "class" | "idpat" | "pat" | "tag" | "raw");
        let has_scheme = parts.next().is_some_and(|scheme| !scheme.is_empty());
        // Raw values have no scheme, so they have one part fewer.
        let has_fields = kind == "raw" || parts.next().is_some_and(|fields| !fields.is_empty());
        if is_kind && has_scheme && has_fields {
            Ok(())
        } else {
            Err(InvalidNss::new("id, class, idpat, pat, tag or raw, then a scheme and its fields"))
        }
    }

    fn services(&self) -> &[Service] {
        LINKS
    }
}

/// National bibliography numbers (RFC 3188, now RFC 8458); each country defines their rules.
#[derive(Debug)]
struct Nbn;

impl Namespace for Nbn {
    fn nid(&self) -> &'static str {
        "nbn"
    }

    /// Returns the name with its prefix, up to the first hyphen, in lower case: the country and the
    /// library are case-insensitive, and what follows is compared as it is.
    fn canonical_nss<'n>(&self, nss: &'n str) -> Cow<'n, str> {
        let end = nss.find('-').unwrap_or(0);
        match lower(&nss[..end]) {
            Cow::Borrowed(_) => Cow::Borrowed(nss),
            Cow::Owned(prefix) => Cow::Owned(prefix + &nss[end..]),
        }
    }
}

/// For examples in documents (RFC 6963).
#[derive(Debug)]
struct Example;

impl Namespace for Example {
    fn nid(&self) -> &'static str {
        "example"
    }
}
