//! Resolving a reference against a base (RFC 3986, seed 003, section 5).
//!
//! The transform of section 5.2.2, in full. Two things that it leaves open are decided here and stated on the crate page: a
//! target without an authority whose path would begin with `//` is written with `/.` before it (URI-RES-14), and `%2e` is no
//! dot unless asked for (URI-RES-12).

use alloc::string::String;

use crate::dots::DotRemover;
use crate::parse::Parts;
use crate::uri_ref::{Uri, UriRef, UriRefBuf};

/// How to resolve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResolveOptions {
    strict: bool,
    decode_dots: bool,
}

impl ResolveOptions {
    /// The standard's way: strict, and dots only where they stand as dots.
    pub const fn new() -> Self {
        Self { strict: true, decode_dots: false }
    }

    /// With `false`, a reference whose scheme is that of the base (compared without case) is read as if it had none: the
    /// loophole that section 5.2.2 allows for old data (URI-RES-03).
    #[must_use]
    pub const fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// With `true`, a segment `%2e` or `%2e%2e` counts as a dot-segment, as it does after normalisation.
    #[must_use]
    pub const fn decode_dots(self, decode_dots: bool) -> Self {
        Self { decode_dots, ..self }
    }
}

impl Default for ResolveOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl UriRef<'_> {
    /// The target of this reference as seen from `base`, whose fragment is left out (URI-BASE-01).
    ///
    /// ```
    /// use fingerpost_uri::{Uri, UriRef};
    ///
    /// let base = Uri::parse("http://a/b/c/d;p?q")?;
    /// assert_eq!(UriRef::parse("../g?y#s")?.resolve(base).as_str(), "http://a/b/g?y#s");
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// The target is longer than [`MAX_LEN`](crate::MAX_LEN).
    pub fn resolve(self, base: Uri<'_>) -> UriRefBuf {
        let mut target = String::with_capacity(base.as_str().len() + self.as_str().len() + 3);
        let (parts, _) = self.write_target(&base, ResolveOptions::new(), &mut target);
        UriRefBuf::from_parts(target, parts)
    }

    /// Whether this is a reference to the document at `base` itself: its target is the base but for the fragment (section 4.4,
    /// URI-USE-02), so nothing need be fetched. Neither side is normalised (URI-USE-03).
    ///
    /// ```
    /// use fingerpost_uri::{Uri, UriRef};
    ///
    /// let base = Uri::parse("http://a/b?q#here")?;
    /// assert!(UriRef::parse("#there")?.is_same_document(base));
    /// assert!(!UriRef::parse("?other")?.is_same_document(base));
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn is_same_document(self, base: Uri<'_>) -> bool {
        let mut target = String::new();
        self.without_fragment().resolve_into(base, ResolveOptions::new(), &mut target);
        target == base.without_fragment().as_str()
    }

    /// Appends the target of this reference to `out`, and returns how many `..` led above the root and were dropped
    /// (URI-RES-09, URI-RES-16).
    pub fn resolve_into(self, base: Uri<'_>, options: ResolveOptions, out: &mut String) -> usize {
        self.write_target(&base, options, out).1
    }

    /// As [`resolve_into`](Self::resolve_into); also returns where the components of the target lie, counted from its start.
    fn write_target(
        &self,
        base: &Uri<'_>,
        options: ResolveOptions,
        out: &mut String,
    ) -> (Parts, usize) {
        let origin = out.len();
        let (text, parts) = (self.as_str(), self.parts());
        let (base_text, base_parts) = (base.as_str(), base.parts());
        let has_own_scheme = parts.scheme_end > 0
            && (options.strict
                || !text[..parts.scheme_end as usize].eq_ignore_ascii_case(base.scheme()));
        let has_own_authority = has_own_scheme || parts.authority.is_some();
        // All that comes from one text is written at once.
        let mut target = if has_own_scheme {
            out.push_str(&text[..parts.path_start as usize]);
            *parts
        } else if let Some(authority) = self.authority() {
            out.push_str(&base_text[..=base_parts.scheme_end as usize]);
            out.push_str("//");
            let authority_parts = authority.parts_at(offset(out.len() - origin));
            out.push_str(authority.as_str());
            let path_start = offset(out.len() - origin);
            Parts { authority: Some(authority_parts), path_start, ..*base_parts }
        } else {
            out.push_str(&base_text[..base_parts.path_start as usize]);
            *base_parts
        };
        let path_at = out.len();
        let rest = &text[parts.path_start as usize..];
        let path_len = (parts.path_end - parts.path_start) as usize;
        // What follows the path in the target.
        let mut tail_len = rest.len() - path_len;
        let mut underflow = 0;
        if path_len > 0 || has_own_authority {
            let merged = !has_own_authority && !rest.starts_with('/');
            let directory = if merged { directory(*base) } else { "" };
            underflow = write_path(directory, rest, path_len, options, out);
        } else {
            let base_end = if parts.query_end > parts.path_end {
                base_parts.path_end
            } else {
                tail_len += (base_parts.query_end - base_parts.path_end) as usize;
                base_parts.query_end
            };
            out.push_str(&base_text[base_parts.path_start as usize..base_end as usize]);
            out.push_str(rest);
        }
        if target.authority.is_none() && out[path_at..].starts_with("//") {
            out.insert_str(path_at, "/.");
        }
        target.path_end = offset(out.len() - origin - tail_len);
        let fragment_len = text.len() - parts.query_end as usize;
        target.query_end = offset(out.len() - origin - fragment_len);
        (target, underflow)
    }
}

/// Too long a target does not become a value, so its offsets do not matter.
fn offset(at: usize) -> u32 {
    at as u32
}

/// Writes the path that `rest` begins with, without dot-segments, behind the `directory` it is relative to (section 5.2.3), and what
/// follows it.
fn write_path(
    directory: &str,
    rest: &str,
    path_len: usize,
    options: ResolveOptions,
    out: &mut String,
) -> usize {
    let mut remover = DotRemover::new(out, options.decode_dots);
    remover.path(directory, directory.len());
    remover.path(rest, path_len);
    remover.finish()
}

/// The path up to its last slash; a base with an authority and an empty path counts as `/`.
fn directory(base: Uri<'_>) -> &str {
    let path = base.path_text();
    match path.bytes().rposition(|byte| byte == b'/') {
        Some(slash) => &path[..=slash],
        None if base.authority().is_some() => "/",
        None => "",
    }
}
