//! Partial forms of the first web syntax, which have their own rule for slashes (Internet-Draft
//! before RFC 1630, "Partial (relative) form").
//!
//! This differs from the resolution of RFC 3986: `/g` keeps the context up to its first run of
//! exactly one slash, at any position, and a final `.` leaves no slash.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::scheme_of;

/// The context has no run of exactly as many slashes as the partial form begins with.
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

/// Returns the full form of `partial` in the context of `context`, whose search and fragment are
/// ignored.
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
    // A full form has its colon before any slash.
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

/// Returns the shortest partial form that [`expand_partial`] turns into `uri` in the context of
/// `context`; `uri` itself if there is none.
///
/// ```
/// use fingerpost_uri::www::partial_form;
///
/// let context = "magic://a/b/c//d/e/f";
/// assert_eq!(partial_form(context, "magic://a/b/c//d/e/g"), "g");
/// assert_eq!(partial_form(context, "magic://a/b/c//d/g"), "../g");
/// assert_eq!(partial_form(context, "magic://g"), "//g");
/// assert_eq!(partial_form(context, "news:a"), "news:a");
/// ```
pub fn partial_form(context: &str, uri: &str) -> String {
    let context = context.find(['?', '#']).map_or(context, |end| &context[..end]);
    let equal = context.chars().zip(uri.chars()).take_while(|(a, b)| a == b);
    let same = &context[..equal.map(|(letter, _)| letter.len_utf8()).sum()];
    let mut candidates = Vec::new();
    if let Some(slash) = same.rfind('/') {
        // Up to the deepest directory of both, then down.
        let up = context[slash + 1..].matches('/').count();
        candidates.push(["../".repeat(up).as_str(), &uri[slash + 1..]].concat());
    }
    let mut lengths = Vec::new();
    for (start, _) in same.match_indices('/').filter(|(at, _)| !same[..*at].ends_with('/')) {
        let slashes = uri[start..].bytes().take_while(|&byte| byte == b'/').count();
        // Only the first run of a length can be meant by a partial form.
        if !lengths.contains(&slashes) {
            lengths.push(slashes);
            candidates.push(String::from(&uri[start..]));
        }
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() < uri.len())
        .filter(|candidate| expand_partial(context, candidate).is_ok_and(|full| full == uri))
        .min_by_key(String::len)
        .unwrap_or_else(|| String::from(uri))
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

/// Removes `xxx/../` and `/.` if these are whole elements, but never the host.
fn without_dots(path: &str) -> String {
    // `//host` is one element here; empty elements count as elements.
    let start = path.strip_prefix("//").map_or(0, |rest| 2 + rest.find('/').unwrap_or(rest.len()));
    let (host, path) = path.split_at(start);
    let mut kept: Vec<&str> = Vec::new();
    let mut elements = path.split('/').peekable();
    while let Some(element) = elements.next() {
        let is_last = elements.peek().is_none();
        // `/.` requires a slash before it; `xxx/../` requires one after it and an element to
        // remove, which is not the empty one before the first slash.
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
