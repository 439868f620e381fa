//! GS1 Company Prefixes (GS1 General Specifications, section 1.4.4): four to twelve digits.

use std::fmt;

use fingerpost_gs1::EntityKey;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A GS1 Company Prefix.
///
/// ```
/// use fingerpost_resolver::CompanyPrefix;
///
/// let prefix = CompanyPrefix::parse("9506000")?;
/// assert!(prefix.overlaps(&CompanyPrefix::parse("95060001")?));
/// assert!(CompanyPrefix::parse("950").is_err());
/// # Ok::<(), fingerpost_resolver::NotAPrefix>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompanyPrefix(String);

impl CompanyPrefix {
    /// The lengths that GS1 assigns, in digits.
    pub const LENGTHS: std::ops::RangeInclusive<usize> = 4..=12;

    /// Parses a prefix.
    pub fn parse(text: &str) -> Result<CompanyPrefix, NotAPrefix> {
        let is_prefix = Self::LENGTHS.contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && !text.starts_with(GTIN_8)
            && !GTIN_8.starts_with(text);
        if is_prefix { Ok(CompanyPrefix(text.to_owned())) } else { Err(NotAPrefix) }
    }

    /// Returns the digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether one of the prefixes begins with the other. Then some keys would have two
    /// owners.
    pub fn overlaps(&self, other: &CompanyPrefix) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    /// Returns whether the company prefix of the key begins with this prefix.
    pub fn covers(&self, key: &EntityKey) -> bool {
        key.company_prefix_part().is_some_and(|part| part.starts_with(&self.0))
    }
}

impl fmt::Display for CompanyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CompanyPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CompanyPrefix({})", self.0)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for CompanyPrefix {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, Type};

        /// A regular expression (ECMA-262) for prefixes.
        const PATTERN: &str = "^((000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})[0-9]{0,8}|0000[1-9][0-9]{0,7})$";
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(PATTERN));
        text.description(Some("GS1 Company Prefix.")).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for CompanyPrefix {}

/// The error for a text that is not a company prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAPrefix;

impl fmt::Display for NotAPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "not a GS1 Company Prefix: they have 4 to 12 digits and do not begin with 00000",
        )
    }
}

impl std::error::Error for NotAPrefix {}

impl Serialize for CompanyPrefix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CompanyPrefix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CompanyPrefix, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        CompanyPrefix::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// The digits after the indicator digit of a GTIN-8 that is written with 14 digits.
const GTIN_8: &str = "00000";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_told_from_other_digits() {
        for right in ["9506", "950600013435", "0000100", "000190"] {
            assert_eq!(
                CompanyPrefix::parse(right).map(|prefix| prefix.to_string()),
                Ok(right.into())
            );
        }
        for wrong in ["", "950", "9506000134352", "95060A", "00000", "0000", "0000012", "９５０６"]
        {
            assert_eq!(CompanyPrefix::parse(wrong), Err(NotAPrefix), "{wrong}");
        }
    }
}
