//! Resolution of a reference against a base (RFC 3986, section 5).
//!
//! This is the complete transform of section 5.2.2. It leaves two points open, decided here and
//! documented on the crate page: if a target has no authority and its path would begin with `//`,
//! `/.` is written before it, and `%2e` is not treated as a dot unless requested.

use alloc::string::String;
use core::ops::Range;

use crate::dots::{self, DotRemover};
use crate::owned::{UriBuf, UriRefBuf};
use crate::parse::Parts;
use crate::uri_ref::{Uri, UriRef};
use crate::words;

/// Options of resolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResolveOptions {
    strict: bool,
    decode_dots: bool,
}

impl ResolveOptions {
    /// Creates options that follow the standard: strict, and without decoding of encoded dots.
    pub const fn new() -> Self {
        Self { strict: true, decode_dots: false }
    }

    /// Sets the strict mode. With `false`, a reference whose scheme equals that of the base
    /// (compared case-insensitively) is treated as if it had none: the exception that section
    /// 5.2.2 allows for old data.
    #[must_use]
    pub const fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Sets how encoded dots are treated. With `true`, a segment `%2e` or `%2e%2e` is a
    /// dot-segment, as after normalisation.
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
    /// Returns the target of this reference relative to `base`, whose fragment is ignored.
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
    pub fn resolve(self, base: Uri<'_>) -> UriBuf {
        let mut target = String::with_capacity(base.as_str().len() + self.as_str().len() + 3);
        self.write_target(&base, ResolveOptions::new(), &mut target);
        let parts = self.target_parts(&base, target.len());
        UriBuf::of_absolute(UriRefBuf::from_parts(target, parts))
    }

    /// Returns whether this is a reference to the document at `base` itself: its target equals the
    /// base except for the fragment (section 4.4), so no retrieval is needed. Neither side is
    /// normalised.
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

    /// Appends the target of this reference to `out`, and returns how many `..` went above the root
    /// and were dropped.
    pub fn resolve_into(self, base: Uri<'_>, options: ResolveOptions, out: &mut String) -> usize {
        self.write_target(&base, options, out)
    }

    /// Works like [`resolve_into`](Self::resolve_into). Shared with `resolve`, so that the
    /// arguments are not copied again.
    fn write_target(&self, base: &Uri<'_>, options: ResolveOptions, out: &mut String) -> usize {
        let origin = out.len();
        let (text, parts) = (self.as_str(), self.parts());
        let (base_text, base_parts) = (base.as_str(), base.parts());
        let (own_start, path_end) = (parts.path_start as usize, parts.path_end as usize);
        let mut path = &text.as_bytes()[own_start..path_end];
        let decode = options.decode_dots && !path.is_empty();
        // Whether the parts can be written as they are, if the path of the reference contains no
        // dot-segments either.
        let mut is_plain = !decode;
        let mut underflow = 0;
        // The target consists of the base up to `base_end` and the reference from `own_at` on.
        let (base_end, own_at, path_start, has_authority) = match self.own_start(base, options) {
            Start::Scheme => (0, 0, own_start, parts.authority.is_some()),
            Start::Authority(slashes) => {
                let scheme_len = base_parts.scheme_end as usize + 1;
                (scheme_len, slashes, scheme_len + own_start - slashes, true)
            }
            Start::Path => {
                let start = base_parts.path_start as usize;
                let end = match path {
                    [] if parts.query_end > parts.path_end => base_parts.path_end as usize,
                    [] => base_parts.query_end as usize,
                    [b'/', ..] => start,
                    [first, ..] => {
                        let base_path = &base_text.as_bytes()[start..base_parts.path_end as usize];
                        let mut directory = words::directory(base_path);
                        is_plain &= !directory.is_empty() && words::first_dots(directory).is_none();
                        // Most dot-segments are at the beginning: they only move the position where
                        // the parts meet.
                        if is_plain && *first == b'.' {
                            (directory, path, underflow) = dots::climb(directory, path);
                        }
                        start + directory.len()
                    }
                };
                (end, path_end - path.len(), start, base_parts.authority.is_some())
            }
        };
        let (before, own) = (&base_text[..base_end], &text[own_at..]);
        if is_plain && words::first_dots(path).is_none() {
            out.push_str(before);
            out.push_str(own);
        } else {
            let own_end = path_end - own_at;
            let merged =
                Merged { before, path_start, own, own_path: own_end - path.len()..own_end };
            underflow += merged.write_without_dots(has_authority, decode, out);
        }
        let path_at = origin + path_start;
        if !has_authority && out.as_bytes()[path_at..].starts_with(b"//") {
            out.insert_str(path_at, "/.");
        }
        underflow
    }

    /// Returns the parts that a target takes from this reference.
    fn own_start(&self, base: &Uri<'_>, options: ResolveOptions) -> Start {
        let same_scheme = |scheme: &str| scheme.eq_ignore_ascii_case(base.scheme());
        match (self.scheme(), self.parts().authority) {
            (Some(scheme), _) if options.strict || !same_scheme(scheme) => Start::Scheme,
            (_, Some(authority)) => Start::Authority(authority.start as usize - 2),
            _ => Start::Path,
        }
    }

    /// Returns the offsets of the components of the target, of `len` bytes, that the standard asks
    /// for.
    fn target_parts(&self, base: &Uri<'_>, len: usize) -> Parts {
        let (parts, base_parts) = (self.parts(), base.parts());
        let after = |end: u32| offset(len - (self.as_str().len() - end as usize));
        let path_end = after(parts.path_end);
        let odd_triplets = parts.odd_triplets | base_parts.odd_triplets;
        let query_end = after(parts.query_end);
        match self.own_start(base, ResolveOptions::new()) {
            Start::Scheme => Parts { path_end, query_end, odd_triplets, ..*parts },
            Start::Authority(slashes) => {
                let scheme_len = base_parts.scheme_end as usize + 1;
                let start = base_parts.scheme_end + 3;
                Parts {
                    scheme_end: base_parts.scheme_end,
                    authority: self.authority().map(|own| own.parts_at(start)),
                    path_start: offset(scheme_len + parts.path_start as usize - slashes),
                    path_end,
                    query_end,
                    odd_triplets,
                }
            }
            Start::Path => {
                let is_empty = parts.path_start == parts.path_end;
                let path_end = if is_empty { base_parts.path_end } else { path_end };
                Parts { path_end, query_end, odd_triplets, ..*base_parts }
            }
        }
    }
}

/// The component at which the reference's own text starts in the target. The components before it
/// come from the base, and the path may be merged.
#[derive(Clone, Copy)]
enum Start {
    Scheme,
    /// The slashes before the authority, which the reference contains in this case.
    Authority(usize),
    Path,
}

/// The text of a target before its dot-segments are removed.
struct Merged<'t> {
    /// The part of the base. If the path begins in it, it ends with a directory or where the path
    /// begins.
    before: &'t str,
    path_start: usize,
    /// The part of the reference.
    own: &'t str,
    own_path: Range<usize>,
}

impl Merged<'_> {
    /// Writes the target without the dot-segments of its path. Returns how many `..` were dropped.
    fn write_without_dots(self, has_authority: bool, decode: bool, out: &mut String) -> usize {
        let Self { before, path_start, own, own_path } = self;
        let mut remover = DotRemover::new(out, path_start, decode);
        let base_path = path_start.min(before.len())..before.len();
        remover.write(before, base_path);
        if path_start == before.len() && has_authority && !own.starts_with('/') {
            // The empty path of a base with an authority counts as `/` (section 5.2.3).
            remover.write("/", 0..1);
        }
        remover.write(own, own_path)
    }
}

/// Returns an offset. A target that is too long does not become a value, so its offsets do not
/// matter.
fn offset(at: usize) -> u32 {
    at as u32
}
