//! Serialization of levels in documents: canonical texts with a leading slash.

use fingerpost_gs1::EntityKey;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(
    keys: &[EntityKey],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(keys.iter().map(|key| format!("/{key}")))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<EntityKey>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| EntityKey::parse(text).map_err(serde::de::Error::custom)).collect()
}

/// Serializes a level without the slash.
pub(crate) fn bare<S: Serializer>(key: &EntityKey, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_str())
}

/// Serialization of a level.
pub(crate) mod one {
    use fingerpost_gs1::EntityKey;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        key: &EntityKey,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("/{key}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<EntityKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        EntityKey::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Serialization of a level or null.
pub(crate) mod optional {
    use fingerpost_gs1::EntityKey;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        key: &Option<EntityKey>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        key.as_ref().map(|key| format!("/{key}")).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<EntityKey>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| EntityKey::parse(&text).map_err(serde::de::Error::custom)).transpose()
    }
}
