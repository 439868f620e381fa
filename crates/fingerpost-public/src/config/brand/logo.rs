//! The picture beside the name: an SVG or a PNG, read once at start.

use std::fs;
use std::io::Read;
use std::path::Path;

use fingerpost_options::ConfigError;

use crate::limits::MAX_LOGO;

/// A logo, in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    content_type: &'static str,
    bytes: Vec<u8>,
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
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
        let content_type = content_type(&bytes).ok_or_else(|| {
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

/// Detects the type by content, because file names are unreliable.
fn content_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(PNG) {
        return Some("image/png");
    }
    let mut text = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim_start();
    // Skip what XML allows before the first element.
    while let Some(end) = ["<?", "<!--", "<!DOCTYPE"]
        .iter()
        .zip(["?>", "-->", ">"])
        .find_map(|(start, end)| text.starts_with(start).then_some(end))
    {
        text = text.split_once(end)?.1.trim_start();
    }
    let rest = text.strip_prefix("<svg")?;
    rest.starts_with([' ', '\t', '\r', '\n', '>', '/']).then_some("image/svg+xml")
}

#[cfg(test)]
mod tests {
    use super::content_type;

    #[test]
    fn pictures_are_recognised_by_their_content() {
        let svg =
            "<?xml version=\"1.0\"?>\n<!-- logo -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
        assert_eq!(content_type(svg.as_bytes()), Some("image/svg+xml"));
        assert_eq!(content_type(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        for other in
            ["", "<html><svg></svg></html>", "<svgx/>", "<?xml", "GIF89a", "<!DOCTYPE html><html>"]
        {
            assert_eq!(content_type(other.as_bytes()), None, "{other}");
        }
        assert_eq!(content_type(b"\xff\xd8\xff"), None);
    }
}
