//! From a URN to the GS1 key that links are registered for, and back (catalogue rows URN-MAP-*).
//!
//! | URN | key |
//! |---|---|
//! | `urn:isbn:` | GTIN: `0`, then the ISBN-13 |
//! | `urn:issn:` | GTIN: `0977`, the first seven digits, variant `00`, check digit |
//! | `urn:epc:id:<scheme>:…`, `urn:epc:class:lgtin:…`, `urn:epc:idpat:sgtin:P.IR.*` | the key and qualifier of the scheme (GS1 EPC Tag Data Standard 2.3, sections 6 and 7) |
//!
//! Pure identities carry the GS1 Company Prefix apart from the rest, so no table of prefixes is needed in this direction. In
//! the other direction only what can be computed is offered; the length of a prefix is never guessed.

use std::fmt;

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_uri::urn::{InvalidNss, Registry, Urn, isbn::Isbn, issn};

/// Why a URN leads to no GS1 key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrnKeyError {
    /// The namespace, or the kind of name within it, has no GS1 key: nothing can be known about it (404).
    NoKey,
    /// The name is not what its namespace demands (400, URN-MAP-17).
    Invalid(InvalidNss),
    /// The name has the form of its namespace, but its key would not be valid (400).
    InvalidKey(fingerpost_gs1::Error),
}

impl fmt::Display for UrnKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey => f.write_str(
                "names of this namespace have no GS1 key, so no links are kept for them",
            ),
            Self::Invalid(error) => error.fmt(f),
            Self::InvalidKey(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UrnKeyError {}

/// The GS1 key that a URN names, with its qualifier if it has one.
///
/// ```
/// use fingerpost_resolver::urn_key;
/// use fingerpost_uri::urn::{Mode, Urn};
///
/// let urn = Urn::parse("urn:epc:id:sgtin:0614141.112345.400", Mode::Auto)?;
/// assert_eq!(urn_key(urn)?.as_str(), "01/10614141123459/21/400");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The namespace has no GS1 keys, or the name is none of its names.
pub fn urn_key(urn: Urn<'_>) -> Result<EntityKey, UrnKeyError> {
    let nid = urn.nid().to_ascii_lowercase();
    let nss = urn.nss().as_str();
    let namespace = Registry::builtin().namespace(&nid).ok_or(UrnKeyError::NoKey)?;
    namespace.validate_nss(nss).map_err(UrnKeyError::Invalid)?;
    match &*nid {
        "isbn" => {
            let isbn = Isbn::parse(nss).ok_or(UrnKeyError::NoKey)?;
            key(Ai::GTIN, format!("0{}", isbn.thirteen()), None)
        }
        "issn" => {
            let issn = issn::parse(nss).ok_or(UrnKeyError::NoKey)?;
            let seven = String::from_utf8_lossy(&issn[..7]);
            key(Ai::GTIN, with_check_digit(format!("0977{seven}00")), None)
        }
        "epc" => epc(nss),
        _ => Err(UrnKeyError::NoKey),
    }
}

/// How the texts of all keys of a serial publication begin, whatever the variant (URN-MAP-03).
pub(crate) fn issn_prefix(urn: Urn<'_>) -> Option<String> {
    let issn =
        urn.nid().eq_ignore_ascii_case("issn").then(|| issn::parse(urn.nss().as_str()))??;
    Some(format!("01/0977{}", String::from_utf8_lossy(&issn[..7])))
}

/// The other names of the thing that an entity stands for, as far as they can be computed: ISBN and ISSN of a GTIN.
///
/// ```
/// use fingerpost_gs1::EntityKey;
/// use fingerpost_resolver::key_urns;
///
/// let key = EntityKey::parse("/01/09780451450524")?;
/// assert_eq!(key_urns(&key), ["urn:isbn:9780451450524", "urn:isbn:0451450523"]);
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
#[must_use]
pub fn key_urns(key: &EntityKey) -> Vec<String> {
    let gtin = (key.primary_key() == Ai::GTIN).then(|| key.encoded_value(Ai::GTIN)).flatten();
    let Some(ean) = gtin.and_then(|gtin| gtin.strip_prefix('0')) else { return Vec::new() };
    if let Some(isbn) = Isbn::parse(ean) {
        let ten = isbn.ten().map(|ten| format!("urn:isbn:{}", String::from_utf8_lossy(&ten)));
        return [Some(format!("urn:isbn:{ean}")), ten].into_iter().flatten().collect();
    }
    let seven = ean.strip_prefix("977").and_then(|rest| rest.get(..7));
    let seven = seven.and_then(|seven| <[u8; 7]>::try_from(seven.as_bytes()).ok());
    seven
        .map(|seven| format!("urn:issn:{}", String::from_utf8_lossy(&issn::from_seven(seven))))
        .into_iter()
        .collect()
}

/// `id:scheme:fields`, `class:lgtin:fields` or `idpat:sgtin:P.IR.*` (URN-MAP-04 to URN-MAP-14).
fn epc(nss: &str) -> Result<EntityKey, UrnKeyError> {
    let mut parts = nss.splitn(3, ':');
    let (kind, scheme) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let fields: Vec<&str> = parts.next().unwrap_or_default().split('.').collect();
    let serial = |ai, text: &str| Ok(Some((ai, decode(text)?)));
    match (kind, scheme, &fields[..]) {
        ("id", "sgtin", [prefix, item, number]) => {
            key(Ai::GTIN, gtin(prefix, item)?, serial(Ai::SERIAL, number)?)
        }
        ("idpat", "sgtin", [prefix, item, "*"]) if *item != "*" => {
            key(Ai::GTIN, gtin(prefix, item)?, None)
        }
        ("class", "lgtin", [prefix, item, lot]) => {
            key(Ai::GTIN, gtin(prefix, item)?, serial(Ai::LOT, lot)?)
        }
        ("id", "upui", [prefix, item, extension]) => {
            key(Ai::GTIN, gtin(prefix, item)?, serial(Ai::TPX, extension)?)
        }
        ("id", "itip", [prefix, item, piece, total, number]) => {
            if piece.len() != 2 || total.len() != 2 {
                return malformed("two digits each for the piece and the total");
            }
            let itip = format!("{}{piece}{total}", gtin(prefix, item)?);
            key(Ai::ITIP, itip, serial(Ai::SERIAL, number)?)
        }
        ("id", "sscc", [prefix, reference]) => {
            key(Ai::SSCC, indicated(prefix, reference, 17)?, None)
        }
        ("id", "sgln", [prefix, location, extension]) => {
            let extension = (*extension != "0").then(|| decode(extension)).transpose()?;
            let extension = extension.map(|extension| (Ai::GLN_EXTENSION, extension));
            key(Ai::GLN, joined(prefix, location, 12)?, extension)
        }
        ("id", "pgln", [prefix, party]) => key(Ai::PARTY, joined(prefix, party, 12)?, None),
        ("id", "grai", [prefix, asset, number]) => {
            let grai = format!("0{}{}", joined(prefix, asset, 12)?, decode(number)?);
            key(Ai::GRAI, grai, None)
        }
        ("id", "giai", [prefix, asset]) => {
            key(Ai::GIAI, format!("{}{}", digits(prefix)?, decode(asset)?), None)
        }
        ("id", "gsrn", [prefix, service]) => key(Ai::GSRN, joined(prefix, service, 17)?, None),
        ("id", "gsrnp", [prefix, service]) => key(Ai::GSRNP, joined(prefix, service, 17)?, None),
        ("id", "gdti", [prefix, document, number]) => {
            let gdti = format!("{}{}", joined(prefix, document, 12)?, decode(number)?);
            key(Ai::GDTI, gdti, None)
        }
        ("id", "sgcn", [prefix, coupon, number]) => {
            let gcn = format!("{}{}", joined(prefix, coupon, 12)?, digits(number)?);
            key(Ai::GCN, gcn, None)
        }
        ("id", "cpi", [prefix, part, number]) => {
            let cpid = format!("{}{}", digits(prefix)?, decode(part)?);
            key(Ai::CPID, cpid, serial(Ai::CPID_SERIAL, number)?)
        }
        ("id", "ginc", [prefix, reference]) => {
            key(Ai::GINC, format!("{}{}", digits(prefix)?, decode(reference)?), None)
        }
        ("id", "gsin", [prefix, reference]) => key(Ai::GSIN, joined(prefix, reference, 16)?, None),
        (
            "id",
            "sgtin" | "upui" | "itip" | "sscc" | "sgln" | "pgln" | "grai" | "giai" | "gsrn"
            | "gsrnp" | "gdti" | "sgcn" | "cpi" | "ginc" | "gsin",
            _,
        )
        | ("class", "lgtin", _) => malformed("the fields of its EPC scheme, divided by full stops"),
        // Tags, raw values, wider patterns and schemes without a GS1 key (URN-MAP-14).
        _ => Err(UrnKeyError::NoKey),
    }
}

/// A GTIN from a company prefix, and indicator and item reference in one field (URN-MAP-04).
fn gtin(prefix: &str, item: &str) -> Result<String, UrnKeyError> {
    indicated(prefix, item, 13)
}

/// The first digit of `reference`, then prefix and rest, `length` digits in all, and the check digit.
fn indicated(prefix: &str, reference: &str, length: usize) -> Result<String, UrnKeyError> {
    let (indicator, rest) = digits(reference)?.split_at_checked(1).unwrap_or_default();
    of_length(format!("{indicator}{}{rest}", digits(prefix)?), prefix, length)
}

/// Prefix and reference, `length` digits in all, and the check digit.
fn joined(prefix: &str, reference: &str, length: usize) -> Result<String, UrnKeyError> {
    of_length(format!("{}{}", digits(prefix)?, digits(reference)?), prefix, length)
}

fn of_length(text: String, prefix: &str, length: usize) -> Result<String, UrnKeyError> {
    if text.len() != length || !(6..=12).contains(&prefix.len()) {
        return malformed(
            "a GS1 Company Prefix of 6 to 12 digits and a reference that fills the key",
        );
    }
    Ok(with_check_digit(text))
}

fn digits(text: &str) -> Result<&str, UrnKeyError> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { Ok(text) } else { malformed("digits") }
}

/// The usual check digit of GS1 keys behind `digits`: weights 3 and 1 from the right.
fn with_check_digit(mut digits: String) -> String {
    let weights = [3, 1].into_iter().cycle();
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip(weights)
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    digits.push(char::from(b'0' + ((10 - sum % 10) % 10) as u8));
    digits
}

/// The characters that a field stands for; what is not text is no part of a GS1 key.
fn decode(field: &str) -> Result<String, UrnKeyError> {
    let mut octets = Vec::new();
    let decoded = fingerpost_gs1::percent::decode(field.as_bytes(), &mut octets);
    match (decoded, String::from_utf8(octets)) {
        (Ok(()), Ok(text)) => Ok(text),
        _ => malformed("text in every field"),
    }
}

fn key(
    ai: Ai,
    value: impl AsRef<str>,
    qualifier: Option<(Ai, String)>,
) -> Result<EntityKey, UrnKeyError> {
    let key = (ai, value.as_ref());
    match qualifier {
        Some((ai, text)) => EntityKey::new(key, &[(ai, &text)]),
        None => EntityKey::new(key, &[]),
    }
    .map_err(UrnKeyError::InvalidKey)
}

fn malformed<T>(expected: &'static str) -> Result<T, UrnKeyError> {
    Err(UrnKeyError::Invalid(InvalidNss::new(expected)))
}
