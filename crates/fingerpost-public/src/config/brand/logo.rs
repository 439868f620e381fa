//! The picture beside the name: an SVG or a PNG, read once at start.

use std::fs;
use std::io::Read;
use std::path::Path;

use fingerpost_options::ConfigError;
use fingerpost_resolver::logo_type;

use crate::limits::MAX_LOGO;

/// A logo, in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    content_type: &'static str,
    bytes: Vec<u8>,
}

const KEY: &str = "brand.logo";

impl Logo {
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let mut bytes = Vec::new();
        fs::File::open(path)
            .and_then(|file| file.take(MAX_LOGO + 1).read_to_end(&mut bytes))
            .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })?;
        if bytes.len() as u64 > MAX_LOGO {
            let expected =
                format!("expected a file of at most {} KiB, found a larger one", MAX_LOGO >> 10);
            return Err(ConfigError::value(KEY, expected));
        }
        let content_type = logo_type(&bytes).ok_or_else(|| {
            ConfigError::value(KEY, "expected an SVG or a PNG, found something else")
        })?;
        Ok(Self { content_type, bytes })
    }

    /// Returns `image/svg+xml` or `image/png`, detected from the content.
    pub fn content_type(&self) -> &'static str {
        self.content_type
    }

    /// Returns the content of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl std::fmt::Debug for Logo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Logo({}, {} bytes)", self.content_type, self.bytes.len())
    }
}
