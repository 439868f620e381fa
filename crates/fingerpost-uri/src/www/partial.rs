//! Partial forms of the first web syntax, which have their own rule for slashes (Internet-Draft before RFC 1630,
//! "Partial (relative) form").
//!
//! This differs from the resolution of RFC 3986: `/g` keeps the context up to its first run of exactly one slash, at
//! any position, and a final `.` leaves no slash.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::scheme_of;

/// The context has no run of exactly as many slashes as the partial form begins with (WWW-PAR-03).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchRun {
    slashes: usize,
}

impl fmt::Display for NoSuchRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a run of exactly {} slashes in the context, found none", self.slashes)
    }
}

impl core::error::Error for NoSuchRun {}

/// Returns the full form of `partial` in the context of `context`, whose search and fragment are ignored (WWW-PAR-06).
///
/// ```
/// use fingerpost_uri::www::expand_partial;
///
/// let context = "magic://a/b/c//d/e/f";
/// assert_eq!(expand_partial(context, "g")?, "magic://a/b/c//d/e/g");
/// assert_eq!(expand_partial(context, "//g")?, "magic://g");
/// assert_eq!(expand_partial(context, "g:a")?, "g:a");
/// # Ok::<(), fingerpost_uri::www::NoSuchRun>(())
/// ```
///
/// # Errors
///
/// The context has no run of as many slashes as the partial form begins with.
pub fn expand_partial(context: &str, partial: &str) -> Result<String, NoSuchRun> {
    // A full form has its colon before any slash (WWW-PAR-01).
    if scheme_of(partial).is_some() {
        return Ok(String::from(partial));
    }
    let context = context.find(['?', '#']).map_or(context, |end| &context[..end]);
    let slashes = partial.len() - partial.trim_start_matches('/').len();
    if slashes > 0 {
        let end = run_of(context, slashes).ok_or(NoSuchRun { slashes })?;
        return Ok([&context[..end], partial].concat());
    }
    let colon = scheme_of(context).map_or(0, |scheme| scheme.len() + 1);
    let directory = context.rfind('/').map_or(colon, |slash| slash + 1);
    let tail = partial.find(['?', '#']).unwrap_or(partial.len());
    let path = [&context[colon..directory], &partial[..tail]].concat();
    Ok([&context[..colon], &*without_dots(&path), &partial[tail..]].concat())
}

/// Returns the start of the first run of exactly `slashes` slashes.
fn run_of(text: &str, slashes: usize) -> Option<usize> {
    let mut at = 0;
    for run in text.split_inclusive(|c| c != '/') {
        let length = run.bytes().filter(|&byte| byte == b'/').count();
        if length == slashes {
            return Some(at);
        }
        at += run.len();
    }
    None
}

/// Removes `xxx/../` and `/.` if these are whole elements, but never the host (WWW-PAR-04, WWW-PAR-06).
fn without_dots(path: &str) -> String {
    // `//host` is one element here; empty elements count as elements.
    let start = path.strip_prefix("//").map_or(0, |rest| 2 + rest.find('/').unwrap_or(rest.len()));
    let (host, path) = path.split_at(start);
    let mut kept: Vec<&str> = Vec::new();
    let mut elements = path.split('/').peekable();
    while let Some(element) = elements.next() {
        let is_last = elements.peek().is_none();
        // `/.` requires a slash before it; `xxx/../` requires one after it and an element to remove, which is not the
        // empty one before the first slash.
        let has_slash_before = !kept.is_empty();
        match element {
            "." if has_slash_before => {}
            ".." if !is_last && kept.len() > 1 && kept.last() != Some(&"..") => {
                kept.pop();
            }
            _ => kept.push(element),
        }
    }
    [host, &*kept.join("/")].concat()
}
