//! Passwords in the user information of a URI (RFC 3986, sections 3.2.1 and 7.5; URI-SEC-06).

use alloc::borrow::Cow;
use core::fmt;
use core::ops::Range;

use crate::split::split;
use crate::uri_ref::UriRef;

/// What is shown instead of a password.
const HIDDEN: &str = "***";

/// Returns the position of the password in `text`, which need not be valid: what follows the first
/// colon of the user information, unless it is empty.
///
/// ```
/// let text = "http://anna:secret@example.com/a b";
/// assert_eq!(fingerpost_uri::password_span(text), Some(12..18));
/// assert_eq!(fingerpost_uri::password_span("http://anna@example.com:80/"), None);
/// ```
pub fn password_span(text: &str) -> Option<Range<usize>> {
    let parts = split(text);
    let (userinfo, _) = parts.authority?.rsplit_once('@')?;
    let (user, password) = userinfo.split_once(':')?;
    let start = parts.scheme.map_or(0, |scheme| scheme.len() + 1) + "//".len() + user.len() + 1;
    (!password.is_empty()).then_some(start..start + password.len())
}

/// Returns `text` for display and logs, with a password replaced by `***`. The text need not be
/// valid.
///
/// ```
/// let shown = fingerpost_uri::hide_password("//anna:secret@example.com/");
/// assert_eq!(shown, "//anna:***@example.com/");
/// ```
pub fn hide_password(text: &str) -> Cow<'_, str> {
    match password_span(text) {
        Some(span) => Cow::Owned([&text[..span.start], HIDDEN, &text[span.end..]].concat()),
        None => Cow::Borrowed(text),
    }
}

impl<'a> UriRef<'a> {
    /// Returns this reference for display and logs, with any password hidden.
    ///
    /// ```
    /// use fingerpost_uri::UriRef;
    ///
    /// let uri = UriRef::parse("http://anna:secret@example.com/")?;
    /// assert_eq!(uri.display_safe().to_string(), "http://anna:***@example.com/");
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn display_safe(self) -> impl fmt::Display + 'a {
        hide_password(self.as_str())
    }
}
