//! Ids of organisations, users, keys and proposals: UUIDv7 (RFC 9562, section 5.7) as 26 letters
//! and digits.
//!
//! ```text
//! id = 26 of "0123456789abcdefghjkmnpqrstvwxyz"   ; Crockford's base 32 of 128 bits, lower case; the first is 0 to 7
//! ```

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An id in the registry. Ids are ordered by their creation time.
///
/// ```
/// use fingerpost_registry::Id;
///
/// let id = Id::random();
/// assert_eq!(id.as_str().len(), 26);
/// assert_eq!(Id::parse(id.as_str()), Some(id));
/// assert_eq!(Id::parse("../users"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; LENGTH]);

impl Id {
    /// Creates a new id from the system time and 74 random bits.
    pub fn random() -> Id {
        Id::of(uuid::Uuid::now_v7().as_u128())
    }

    /// Returns a regular expression (ECMA-262) for ids.
    #[cfg(feature = "schema")]
    pub(crate) fn pattern() -> String {
        let alphabet = std::str::from_utf8(ALPHABET).unwrap_or_default();
        format!("^[0-7][{alphabet}]{{{}}}$", LENGTH - 1)
    }

    fn of(bits: u128) -> Id {
        let mut text = [0; LENGTH];
        for (position, letter) in text.iter_mut().rev().enumerate() {
            let digit = (bits >> (5 * position)) & 31;
            *letter = ALPHABET[usize::try_from(digit).unwrap_or_default()];
        }
        Id(text)
    }

    /// Returns the first id of the same millisecond: it reveals nothing but this time.
    pub(crate) fn first_of_its_time(self) -> Id {
        // 48 bits of time: three in the first letter, five in each of the next nine.
        let mut text = self.0;
        text[10..].fill(ALPHABET[0]);
        Id(text)
    }

    /// Returns an id of this millisecond, for tests that need far more time than they have.
    #[cfg(test)]
    pub(crate) fn of_millisecond(number: u64) -> Id {
        Id::of((u128::from(number) << 80) | 1)
    }

    /// Parses an id.
    pub fn parse(text: &str) -> Option<Id> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().ok()?;
        let is_id = bytes[0] <= b'7' && bytes.iter().all(|byte| ALPHABET.contains(byte));
        is_id.then_some(Id(bytes))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // All bytes are in the alphabet.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.as_str())
    }
}

impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Id, NotAnId> {
        Id::parse(text).ok_or(NotAnId)
    }
}

/// The error for a text that is not an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not an id: ids have 26 lower-case letters and digits")]
pub struct NotAnId;

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

const LENGTH: usize = 26;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_order_as_their_bits_and_are_strict() {
        assert_eq!(Id::of(0).as_str(), "0".repeat(26));
        assert_eq!(Id::of(u128::MAX).as_str(), format!("7{}", "z".repeat(25)));
        assert!(Id::of(31) < Id::of(32) && Id::of(1 << 100) > Id::of(u128::from(u64::MAX)));
        let id = Id::random();
        assert_eq!(id.as_str().parse(), Ok(id));
        for wrong in [
            "",
            "8zzzzzzzzzzzzzzzzzzzzzzzzz",
            &id.as_str().to_uppercase()[..],
            "0000000000000000000000000u",
        ] {
            assert_eq!(Id::parse(wrong), None, "{wrong}");
        }
    }
}
