//! The root of the index, the only file that is replaced.

use std::time::Duration;

use fingerpost_resolver::{
    CountryOrigin, PublicSide, Settings, SettingsParts, SharedCaching, Vocabulary,
};
use http::HeaderValue;
use serde::{Deserialize, Serialize};

use crate::limits::{MAX_ROOT_BYTES, MAX_SHARD_BITS, PAGE_SHARDS};
use crate::object::{Digest, EdgeFault};

/// The format of the files. A worker refuses others, and passes everything on.
pub const FORMAT: u32 = 1;

/// The root of the index. It names the pages by their digests, and they name the shards, so that
/// whatever it leads to is checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// [`FORMAT`].
    pub format: u32,
    /// Time of the export in milliseconds since 1970. A worker never goes back to an older root,
    /// which slow copies of it at other places could bring.
    pub version: i64,
    /// Revision of the store.
    pub revision: u64,
    /// Binary logarithm of the number of shards.
    pub shard_bits: u32,
    /// Names of the pages; empty for a page of empty shards.
    pub pages: Vec<String>,
    /// Whether any company prefix has a record, or is left to the origin.
    pub has_companies: bool,
    /// What decides the answers besides the records.
    pub settings: EdgeSettings,
}

/// The configuration of the origin that its answers depend on. It has no secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EdgeSettings {
    /// The options of the resolver, by their names in the configuration file.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The content of `link_types_file`.
    pub link_types: Option<String>,
    /// `limits.max_target_bytes`.
    pub max_target_bytes: usize,
    /// `limits.max_header_bytes`.
    pub max_header_bytes: usize,
    /// `linkset_max_age` in seconds.
    pub linkset_max_age: u64,
    /// `cache.shared_max_age`, `cache.stale_while_revalidate` and `cache.stale_if_error` in
    /// seconds.
    pub shared: [u64; 3],
    /// Whether the country of a client can be the context of a request.
    pub has_country: bool,
    /// The value of `Strict-Transport-Security`.
    pub strict_transport_security: Option<String>,
}

impl Root {
    /// Returns the number of pages for a number of shards.
    pub fn pages_of(shard_bits: u32) -> usize {
        (1_usize << shard_bits.min(MAX_SHARD_BITS)).div_ceil(PAGE_SHARDS)
    }

    /// Reads a root.
    pub fn read(json: &[u8]) -> Result<Self, EdgeFault> {
        let refuse = |found: String| EdgeFault::Root(found);
        if json.len() > MAX_ROOT_BYTES {
            return Err(EdgeFault::TooLarge { limit: MAX_ROOT_BYTES, found: json.len() });
        }
        #[derive(Deserialize)]
        struct Any {
            format: u32,
        }
        // The format first, because the rest of another one has other members.
        let Any { format } = serde_json::from_slice(json).map_err(|it| refuse(it.to_string()))?;
        if format != FORMAT {
            return Err(refuse(format!("format {format}")));
        }
        let root: Self = serde_json::from_slice(json).map_err(|it| refuse(it.to_string()))?;
        if root.shard_bits > MAX_SHARD_BITS {
            return Err(refuse(format!("2^{} shards", root.shard_bits)));
        }
        if root.pages.len() != Self::pages_of(root.shard_bits) {
            return Err(refuse(format!("{} pages", root.pages.len())));
        }
        match root.pages.iter().find(|name| !name.is_empty() && Digest::parse(name).is_none()) {
            Some(_) => Err(refuse("a page without a digest".to_owned())),
            None => Ok(root),
        }
    }
}

impl EdgeSettings {
    /// Returns the settings of the resolver.
    pub fn settings(&self) -> Result<Settings, EdgeFault> {
        let refuse = |error: &dyn std::fmt::Display| EdgeFault::Settings(error.to_string());
        let options = serde_json::Value::Object(self.options.clone());
        let parts: SettingsParts = serde_json::from_value(options).map_err(|it| refuse(&it))?;
        let settings = Settings::new(parts)
            .map_err(|error| refuse(&format_args!("{}: {}", error.setting(), error.fault())))?;
        let vocabulary: Vocabulary = settings.vocabulary().clone();
        let vocabulary = match &self.link_types {
            Some(list) => vocabulary.with_link_types(list).map_err(|error| refuse(&error))?,
            None => vocabulary,
        };
        let [max_age, stale_while_revalidate, stale_if_error] =
            self.shared.map(Duration::from_secs);
        let settings = settings.with_vocabulary(vocabulary).with_public_side(PublicSide {
            max_target_bytes: self.max_target_bytes,
            linkset_max_age: Duration::from_secs(self.linkset_max_age),
            shared: SharedCaching { max_age, stale_while_revalidate, stale_if_error },
            ..PublicSide::default()
        });
        // The origin knows the country in its own way, so it answers what depends on it.
        Ok(settings.with_country(self.has_country.then_some(CountryOrigin::Address)))
    }

    pub(crate) fn policy(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.strict_transport_security.as_deref()?).ok()
    }
}
