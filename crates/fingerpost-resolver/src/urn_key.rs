//! Converts a URN to the GS1 key that links are registered for, and back (rows URN-MAP-01 to -18).
//!
//! | URN | key |
//! |---|---|
//! | `urn:isbn:` | GTIN: `0`, then the ISBN-13 |
//! | `urn:issn:` | GTIN: `0977`, the first seven digits, variant `00`, check digit |
//! | `urn:epc:id:…`, `urn:epc:class:lgtin:…`, and `urn:epc:idpat:…` whose stars leave a whole key | the key and qualifier of the scheme (GS1 EPC Tag Data Standard 2.3, sections 6 to 8) |
//!
//! Pure identities contain the GS1 Company Prefix separately, so no table of prefixes is needed in
//! this direction. In the other direction, only names that can be computed are returned; the length
//! of a prefix is never guessed.

use std::fmt;

use fingerpost_epc::{EpcUrn, ErrorKind};
use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_uri::urn::{InvalidNss, Isbn, Issn, NamespaceRegistry, Urn};

/// The reason a URN has no GS1 key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UrnKeyError {
    /// The namespace, or the kind of name within it, has no GS1 key, so nothing can be known about
    /// it (404).
    NoKey,
    /// The name does not follow the rules of its namespace (400, URN-MAP-17).
    Invalid(InvalidNss),
    /// The name has the form of its namespace, but its key would not be valid (400).
    InvalidKey(fingerpost_gs1::Error),
    /// The name is not defined by the EPC Tag Data Standard (400).
    InvalidEpc(fingerpost_epc::Error),
}

impl fmt::Display for UrnKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey => f.write_str(
                "names of this namespace have no GS1 key, so no links are kept for them",
            ),
            Self::Invalid(error) => error.fmt(f),
            Self::InvalidKey(error) => error.fmt(f),
            Self::InvalidEpc(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UrnKeyError {}

/// Returns the GS1 key that a URN names, with its qualifier if it has one.
///
/// ```
/// use fingerpost_resolver::urn_key;
/// use fingerpost_uri::urn::{Mode, Urn};
///
/// let urn = Urn::parse("urn:epc:id:sgtin:0614141.112345.400", Mode::Auto)?;
/// assert_eq!(urn_key(urn)?.as_str(), "01/10614141123459/21/400");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn urn_key(urn: Urn<'_>) -> Result<EntityKey, UrnKeyError> {
    let nid = urn.nid().to_ascii_lowercase();
    let nss = urn.nss().as_str();
    let namespace = NamespaceRegistry::builtin().namespace(&nid).ok_or(UrnKeyError::NoKey)?;
    namespace.validate_nss(nss).map_err(UrnKeyError::Invalid)?;
    match &*nid {
        "isbn" => {
            let isbn = Isbn::parse(nss).ok_or(UrnKeyError::NoKey)?;
            key(Ai::GTIN, format!("0{}", isbn.thirteen()))
        }
        "issn" => {
            let issn = Issn::parse(nss).ok_or(UrnKeyError::NoKey)?;
            let seven = &issn.eight()[..7];
            key(Ai::GTIN, with_check_digit(format!("0977{seven}00")))
        }
        // Tags, raw values and other kinds of EPC URNs are not names (URN-MAP-14).
        "epc" if ["id:", "class:", "idpat:"].iter().any(|kind| nss.starts_with(kind)) => epc(nss),
        _ => Err(UrnKeyError::NoKey),
    }
}

/// Returns the same for looking up links, where a Tag URI (`urn:epc:tag:`) stands for the identity
/// that it encodes.
pub(crate) fn name_key(urn: Urn<'_>) -> Result<EntityKey, UrnKeyError> {
    let nss = urn.nss().as_str();
    if urn.nid().eq_ignore_ascii_case("epc") && nss.starts_with("tag:") {
        return epc(nss);
    }
    urn_key(urn)
}

/// Returns the common beginning of all keys of a serial publication, regardless of the variant
/// (URN-MAP-03).
pub(crate) fn issn_prefix(urn: Urn<'_>) -> Option<String> {
    let issn =
        urn.nid().eq_ignore_ascii_case("issn").then(|| Issn::parse(urn.nss().as_str()))??;
    Some(format!("01/0977{}", &issn.eight()[..7]))
}

/// Returns the other names of the thing that an entity identifies, if they can be computed: ISBN
/// and ISSN of a GTIN.
///
/// ```
/// use fingerpost_gs1::EntityKey;
/// use fingerpost_resolver::key_urns;
///
/// let key = EntityKey::parse("/01/09780451450524")?;
/// assert_eq!(key_urns(&key), ["urn:isbn:9780451450524", "urn:isbn:0451450523"]);
/// # Ok::<(), fingerpost_gs1::Error>(())
/// ```
pub fn key_urns(key: &EntityKey) -> Vec<String> {
    let gtin = (key.primary_key() == Ai::GTIN).then(|| key.encoded_value(Ai::GTIN)).flatten();
    let Some(ean) = gtin.and_then(|gtin| gtin.strip_prefix('0')) else { return Vec::new() };
    if let Some(isbn) = Isbn::parse(ean) {
        let ten = isbn.ten().map(|ten| format!("urn:isbn:{}", String::from_utf8_lossy(&ten)));
        return [Some(format!("urn:isbn:{ean}")), ten].into_iter().flatten().collect();
    }
    let seven = ean.strip_prefix("977").and_then(|rest| rest.get(..7));
    let seven = seven.and_then(|seven| <[u8; 7]>::try_from(seven.as_bytes()).ok());
    let issn = seven.and_then(Issn::from_seven);
    issn.map(|issn| format!("urn:issn:{issn}")).into_iter().collect()
}

/// Reads the rest of an EPC URN by the GS1 EPC Tag Data Standard (URN-MAP-04 to URN-MAP-14).
fn epc(nss: &str) -> Result<EntityKey, UrnKeyError> {
    // Scheme and namespace are case-insensitive, the rest is case-sensitive (URN-MAP-13a).
    EpcUrn::parse(&format!("urn:epc:{nss}"))
        .and_then(|urn| Ok(urn.elements()?.entity_key()?.0))
        .map_err(|error| match error.kind() {
            // Unknown schemes, schemes without a GS1 key, and patterns that leave no key.
            ErrorKind::UnknownScheme | ErrorKind::NoDigitalLink => UrnKeyError::NoKey,
            ErrorKind::Value(error) => UrnKeyError::InvalidKey(error),
            _ => UrnKeyError::InvalidEpc(error),
        })
}

/// Appends the usual check digit of GS1 keys to `digits`: weights 3 and 1 from the right.
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

fn key(ai: Ai, value: impl AsRef<str>) -> Result<EntityKey, UrnKeyError> {
    EntityKey::new((ai, value.as_ref()), &[]).map_err(UrnKeyError::InvalidKey)
}
