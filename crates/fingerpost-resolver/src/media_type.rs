//! Media types of targets: IANA's registry, RFC 6838 names (RES-2.5.5-1, RES-2.5.5-2).
//!
//! ```text
//! media-type = type "/" subtype *( OWS ";" OWS parameter )     ; RFC 9110 section 8.3.1
//! type, subtype = restricted-name                              ; RFC 6838 section 4.2
//! ```
//!
//! Only `type/subtype`, in lower case, is compared; parameters are stored but ignored.

use std::borrow::Cow;
use std::sync::LazyLock;

/// The registered media types. The built-in list can be replaced by a newer one at run time.
///
/// ```
/// use fingerpost_resolver::MediaTypes;
///
/// assert!(MediaTypes::builtin().contains("Application/PDF"));
/// assert!(MediaTypes::builtin().contains("text/html; charset=utf-8"));
/// assert!(!MediaTypes::builtin().contains("text/superhtml"));
/// assert!(MediaTypes::from_list("text/superhtml\n").contains("text/superhtml"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaTypes(List);

#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    Builtin,
    Given(Box<[Box<str>]>),
}

impl MediaTypes {
    /// Returns the built-in list.
    pub fn builtin() -> MediaTypes {
        MediaTypes(List::Builtin)
    }

    /// Creates a list from text with one `type/subtype` per line, in any order and letter case;
    /// lines that are empty or start with `#` are skipped.
    pub fn from_list(text: &str) -> MediaTypes {
        let lines = text.lines().map(str::trim);
        let mut names: Vec<Box<str>> = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| line.to_ascii_lowercase().into())
            .collect();
        names.sort_unstable();
        names.dedup();
        MediaTypes(List::Given(names.into()))
    }

    /// Returns whether the type is registered. Letter case and parameters are ignored.
    pub fn contains(&self, media_type: &str) -> bool {
        let essence = media_type_essence(media_type);
        match &self.0 {
            List::Builtin => BUILTIN.binary_search(&essence.as_ref()).is_ok(),
            List::Given(names) => {
                names.binary_search_by(|name| name.as_ref().cmp(essence.as_ref())).is_ok()
            }
        }
    }
}

impl Default for MediaTypes {
    fn default() -> Self {
        MediaTypes::builtin()
    }
}

/// Returns `type/subtype` in lower case without parameters, the form in which media types are
/// compared.
///
/// ```
/// use fingerpost_resolver::media_type_essence;
///
/// assert_eq!(media_type_essence("Text/HTML; charset=utf-8"), "text/html");
/// ```
pub fn media_type_essence(media_type: &str) -> Cow<'_, str> {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(essence.to_ascii_lowercase())
    } else {
        Cow::Borrowed(essence)
    }
}

/// Returns whether the text has the form `type/subtype`, with optional parameters, in visible ASCII
/// and spaces.
pub(crate) fn is_well_formed(media_type: &str) -> bool {
    let (essence, parameters) = match media_type.split_once(';') {
        Some((essence, parameters)) => (essence.trim_end_matches(' '), parameters),
        None => (media_type, ""),
    };
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    is_restricted_name(kind)
        && is_restricted_name(subtype)
        && parameters.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// Returns whether the name is a `restricted-name`, RFC 6838 section 4.2.
fn is_restricted_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && name.len() <= 127
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
}

/// `data/media-types.txt`: lower case, in ASCII order, as the binary search needs it.
static BUILTIN: LazyLock<Box<[&'static str]>> =
    LazyLock::new(|| data_lines(include_str!("../../../data/media-types.txt")).collect());

/// Returns the lines of a data file that are not comments.
pub(crate) fn data_lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_list_is_sorted_and_well_formed() {
        assert!(BUILTIN.is_sorted_by(|a, b| a < b));
        assert!(
            BUILTIN.iter().all(|name| is_well_formed(name) && media_type_essence(name) == *name)
        );
    }

    #[test]
    fn form_is_checked() {
        // RES-2.5.5-2
        for good in ["text/html", "Text/HTML;charset=utf-8", "image/svg+xml ; a=\"b c\""] {
            assert!(is_well_formed(good), "{good}");
        }
        for bad in ["html", "text/", "/html", "text/ht ml", "text/html;\n", "text/é", "", "a/b/c"]
        {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }
}
