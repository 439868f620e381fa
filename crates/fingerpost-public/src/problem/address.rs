//! The requested address as a problem shows it, with the wrong part marked.

use fingerpost_resolver::InvalidPath;
use fingerpost_uri::hide_password;

use crate::limits::MAX_SHOWN_ADDRESS;
use crate::pages::Address;

impl Address {
    pub(super) fn of(invalid: &InvalidPath, path: &[u8]) -> Self {
        let span = invalid.span();
        Self::at(path, span.start, span.end)
    }

    /// Returns the part from `start` to `end`, and the text around it.
    pub(super) fn at(path: &[u8], start: usize, end: usize) -> Self {
        let end = end.min(path.len());
        let start = start.min(end);
        let before = &path[..start];
        let cut = before.len().saturating_sub(MAX_SHOWN_ADDRESS);
        let mut shown = Self {
            before: readable(&before[cut..]),
            part: readable(&path[start..end]),
            after: readable(&path[end..]),
        };
        if cut > 0 {
            shown.before.insert(0, '…');
        }
        shown
    }
}

/// Returns the whole name in a request target, without a password: it is not known which part of it
/// is wrong.
pub(super) fn name_in(target: &str) -> Address {
    let start = target.strip_prefix("/urn/").map_or_else(
        || target.find('?').map_or(target.len(), |query| query + 1),
        |name| target.len() - name.len(),
    );
    let (before, name) = target.split_at(start);
    let shown = [before, &hide_password(name)].concat();
    Address::at(shown.as_bytes(), start, shown.len())
}

/// Returns text to show: at most [`MAX_SHOWN_ADDRESS`] characters, with everything except visible
/// ASCII escaped.
pub(super) fn readable(bytes: &[u8]) -> String {
    let mut text: String = bytes[..bytes.len().min(MAX_SHOWN_ADDRESS)].escape_ascii().to_string();
    if bytes.len() > MAX_SHOWN_ADDRESS {
        text.push('…');
    }
    text
}
