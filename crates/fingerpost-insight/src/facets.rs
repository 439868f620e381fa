//! What is counted about a scan.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The kind of an answer that is counted. Errors are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AnswerKind {
    /// A redirect to a link.
    Redirect,
    /// A choice of several links (300).
    Choice,
    /// The linkset.
    Linkset,
}

impl AnswerKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 3] = [Self::Redirect, Self::Choice, Self::Linkset];

    /// Returns the name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Redirect => "redirect",
            Self::Choice => "choice",
            Self::Linkset => "linkset",
        }
    }
}

/// The country that a scan comes from: two capital letters (ISO 3166-1 alpha-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode(NonZero<u16>);

impl CountryCode {
    /// Returns the letters as a number; 0 without a code.
    #[inline]
    pub(crate) fn number(code: Option<Self>) -> u16 {
        code.map_or(0, |code| code.0.get())
    }

    pub(crate) fn of_number(number: u16) -> Option<Self> {
        let letters = number.to_be_bytes();
        let number = NonZero::new(number).filter(|_| letters.iter().all(u8::is_ascii_uppercase));
        number.map(Self)
    }
}

impl FromStr for CountryCode {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = <[u8; 2]>::try_from(text.as_bytes()).ok();
        bytes
            .map(u16::from_be_bytes)
            .and_then(Self::of_number)
            .ok_or("expected two capital letters, such as `BE`")
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.get().to_be_bytes().iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
    }
}

impl Serialize for CountryCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CountryCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What is counted about a scan, besides its level and hour.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    /// The kind of the answer.
    pub kind: AnswerKind,
    /// The type of the chosen link or links; absent for a linkset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_type: Option<String>,
    /// The first language of the chosen link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The country, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<CountryCode>,
    /// Whether the user agent is that of a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
}

impl Facets {
    /// Returns the facets for what exceeds the number of counters of a document.
    pub(crate) fn without_details(&self) -> Self {
        Self { link_type: None, language: None, country: None, ..self.clone() }
    }
}

/// The keys of a service relation: they identify people, so they are not counted.
const PEOPLE: [&str; 2] = ["8017/", "8018/"];

/// The qualifiers that identify one item: serial number, third-party serialisation, and the serial
/// number of a component.
const SERIALS: [&str; 3] = ["/21/", "/235/", "/8011/"];

/// The keys that end with an optional serial number, with the length of their text without it.
const SERIAL_KEYS: [(&str, usize); 3] = [("253/", 17), ("255/", 17), ("8003/", 19)];

/// Returns the level at which scans of a registered level are counted, as canonical text: without
/// what identifies a single item, because its scans are those of its owner. `None` for keys that
/// identify people.
///
/// ```
/// use fingerpost_insight::counted_level;
///
/// assert_eq!(counted_level("01/09506000134352/10/A/21/7"), Some("01/09506000134352/10/A"));
/// assert_eq!(counted_level("8018/950600013400000001"), None);
/// ```
#[inline]
pub fn counted_level(level: &str) -> Option<&str> {
    if level.starts_with("01/") && level.len() <= 17 {
        return Some(level); // most scans
    }
    if PEOPLE.iter().any(|key| level.starts_with(key)) {
        return None;
    }
    let end = SERIALS.iter().filter_map(|serial| level.find(serial)).min();
    let level = &level[..end.unwrap_or(level.len())];
    let whole = SERIAL_KEYS.iter().find(|(key, _)| level.starts_with(key));
    Some(whole.and_then(|(_, length)| level.get(..*length)).unwrap_or(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 35.2: no identifier of a visitor, so none of an item that has one owner.
    #[test]
    fn what_belongs_to_one_item_or_person_is_not_counted_apart() {
        for (level, counted) in [
            ("01/09506000134352", Some("01/09506000134352")),
            ("01/09506000134352/22/2A/10/L", Some("01/09506000134352/22/2A/10/L")),
            ("01/09506000134352/21/7", Some("01/09506000134352")),
            ("01/09506000134352/235/7", Some("01/09506000134352")),
            ("253/9506000134352ABC", Some("253/9506000134352")),
            ("8003/09506000134352ABC", Some("8003/09506000134352")),
            ("8010/9506000AB/8011/1", Some("8010/9506000AB")),
            ("8017/950600013400000001", None),
            ("8018/950600013400000001/8019/1", None),
            ("gcp/9506000", Some("gcp/9506000")),
        ] {
            assert_eq!(counted_level(level), counted, "{level}");
        }
    }

    #[test]
    fn a_country_is_two_capital_letters() {
        assert_eq!("BE".parse::<CountryCode>().unwrap().to_string(), "BE");
        for text in ["", "be", "BEL", "É"] {
            assert!(text.parse::<CountryCode>().is_err(), "{text}");
        }
    }
}
