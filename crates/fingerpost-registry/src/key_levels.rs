//! Serialization of levels in documents: canonical texts with a leading slash.

use std::fmt::Display;
use std::str::FromStr;

use fingerpost_resolver::Anchor;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<K: Display, S: Serializer>(
    keys: &[K],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(keys.iter().map(|key| format!("/{key}")))
}

pub(crate) fn deserialize<'de, K: FromStr<Err: Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<K>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| text.parse().map_err(serde::de::Error::custom)).collect()
}

/// Serializes a level without the slash.
pub(crate) fn bare<S: Serializer>(key: &Anchor, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_str())
}

/// Deserializes a level with or without the slash.
pub(crate) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Anchor, D::Error> {
    let text = String::deserialize(deserializer)?;
    let canonical = Anchor::from_canonical(text.strip_prefix('/').unwrap_or(&text));
    canonical.ok_or_else(|| serde::de::Error::custom("expected a level in canonical form"))
}

/// Serialization of a level without the slash, or null.
pub(crate) mod optional {
    use fingerpost_resolver::Anchor;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    struct Level(#[serde(deserialize_with = "super::one")] Anchor);

    pub(crate) fn serialize<S: Serializer>(
        key: &Option<Anchor>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        key.as_ref().map(Anchor::as_str).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Anchor>, D::Error> {
        Ok(Option::<Level>::deserialize(deserializer)?.map(|level| level.0))
    }
}
