//! Location of the compressed part of a URI or path.
//!
//! ```text
//! full    = stem "/" 10*symbol
//! partial = stem "/" key-ai "/" value "/" 1*symbol      ; the pair is valid
//! ```
//!
//! A URI is examined only after it was found to have no primary key as written.

use super::bits::index_of;
use crate::limits::MIN_COMPRESSED;
use crate::{Ai, DigitalLink, EntityKey, Options, Span};

/// The compressed part.
pub(super) struct CompressedString {
    pub(super) string: Span,
    /// The uncompressed primary key before it.
    pub(super) key: Option<Ai>,
}

/// Searches a URI whose path ends at `path_end`. Whether all characters of a full string are in the
/// alphabet is checked later, by the reader.
pub(super) fn find(uri: &str, path_end: usize, options: &Options) -> Option<CompressedString> {
    let path_start = uri.find("://")? + 3;
    let path_start = path_start + uri.get(path_start..path_end)?.find('/')?;
    let before = |end: usize| Some(path_start + uri.get(path_start..end)?.rfind('/')?);
    let slash = before(path_end)?;
    let string = Span { start: slash + 1, end: path_end };
    let text = uri.get(string.start..string.end)?;
    let partial = || {
        let value = before(slash)?;
        let key = before(value)?;
        let pair = uri.get(..slash)?;
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric());
        let named = is_name(uri.get(key + 1..value)?);
        let options = options.clone().requisites(false);
        let link = DigitalLink::parse_with(pair, &options).ok().filter(|_| named)?;
        (link.stem().len() == key).then_some(link.key().ai())
    };
    located(text, string, partial)
}

/// Searches the path after a known stem: one segment, or three.
pub(super) fn find_in_path(path: &str, options: &Options) -> Option<CompressedString> {
    let start = usize::from(path.starts_with('/'));
    let segments = path.get(start..)?.bytes().filter(|&byte| byte == b'/').count() + 1;
    let before = path.rfind('/').filter(|_| segments > 1);
    let string = Span { start: before.map_or(start, |slash| slash + 1), end: path.len() };
    let text = path.get(string.start..)?;
    match (segments, before) {
        (1, _) => located(text, string, || None),
        (3, Some(slash)) => {
            let key = || valid_key(path.get(start..slash)?, options);
            located(text, string, key).filter(|located| located.key.is_some())
        }
        _ => None,
    }
}

/// Returns the key, if `pair` is a key with its value.
fn valid_key(pair: &str, options: &Options) -> Option<Ai> {
    if let Ok(key) = EntityKey::parse(pair) {
        return Some(key.primary_key());
    }
    // Pairs that only a lenient parser accepts: convenience alphas and short GTINs.
    let uri = alloc::format!("{}/{pair}", DigitalLink::REFERENCE_STEM);
    let link = DigitalLink::parse_with(&uri, &options.clone().requisites(false)).ok()?;
    Some(link.key().ai())
}

fn located(text: &str, string: Span, key: impl Fn() -> Option<Ai>) -> Option<CompressedString> {
    let readable = !text.is_empty() && text.bytes().all(|byte| index_of(byte).is_some());
    let key = if readable { key() } else { None };
    (key.is_some() || text.len() >= MIN_COMPRESSED).then_some(CompressedString { string, key })
}
