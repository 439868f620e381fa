//! Resolving a reference against a base (RFC 3986, seed 003, section 5).
//!
//! The transform of section 5.2.2, in full. Two things that it leaves open are decided here and stated on the crate page: a
//! target without an authority whose path would begin with `//` is written with `/.` before it (URI-RES-14), and `%2e` is no
//! dot unless asked for (URI-RES-12).

use alloc::string::String;

use crate::dots::DotRemover;
use crate::parse::Parts;
use crate::uri_ref::{Uri, UriRef, UriRefBuf};
use crate::words;

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
        let path = parts.path_start as usize..parts.path_end as usize;
        let keeps_base_path = !has_own_authority && path.is_empty();
        // What follows the path in the target.
        let mut tail_len = text.len() - path.end;
        let mut underflow = 0;
        let decode = options.decode_dots;
        let mut target = *base_parts;
        // What lies together in one text is written at once.
        if has_own_scheme {
            target = *parts;
            underflow = DotRemover::new(out, path.start, decode).write(text, path);
        } else if let (Some(authority), Some(own)) = (self.authority(), parts.authority) {
            out.push_str(&base_text[..=base_parts.scheme_end as usize]);
            let slashes = own.start as usize - 2;
            let (net_path, path) = (&text[slashes..], path.start - slashes..path.end - slashes);
            target.authority = Some(authority.parts_at(offset(out.len() - origin + 2)));
            target.path_start = offset(out.len() - origin + path.start);
            underflow = DotRemover::new(out, path.start, decode).write(net_path, path);
        } else if keeps_base_path {
            let has_query = parts.query_end > parts.path_end;
            let end = if has_query { base_parts.path_end } else { base_parts.query_end };
            tail_len += (end - base_parts.path_end) as usize;
            out.push_str(&base_text[..end as usize]);
            out.push_str(&text[path.end..]);
        } else {
            let base_start = base_parts.path_start as usize;
            let is_absolute = text[path.start..].starts_with('/');
            let base_end = if is_absolute { base_start } else { directory_end(base) };
            let mut remover = DotRemover::new(out, base_start, decode);
            remover.write(&base_text[..base_end], base_start..base_end);
            if !is_absolute && base_end == base_start && base_parts.authority.is_some() {
                // The empty path of a base with an authority counts as `/` (section 5.2.3).
                remover.write("/", 0..1);
            }
            underflow = remover.write(&text[path.start..], 0..path.len());
        }
        target.odd_triplets = parts.odd_triplets | base_parts.odd_triplets;
        let path_at = origin + target.path_start as usize;
        if target.authority.is_none() && out[path_at..].starts_with("//") {
            out.insert_str(path_at, "/.");
        }
        target.path_end = offset(out.len() - origin - tail_len);
        target.query_end = offset(out.len() - origin - (text.len() - parts.query_end as usize));
        (target, underflow)
    }
}

/// Too long a target does not become a value, so its offsets do not matter.
fn offset(at: usize) -> u32 {
    at as u32
}

/// Where the directory of the path ends: after its last slash, or where it starts.
fn directory_end(base: &Uri<'_>) -> usize {
    let start = base.parts().path_start as usize;
    words::last_slash(base.path_text().as_bytes()).map_or(start, |slash| start + slash + 1)
}
