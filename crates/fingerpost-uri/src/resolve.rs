//! Resolution of a reference against a base (RFC 3986, section 5).
//!
//! This is the complete transform of section 5.2.2. It leaves two points open, decided here and documented on the crate
//! page: if a target has no authority and its path would begin with `//`, `/.` is written before it, and
//! `%2e` is not treated as a dot unless requested.

use alloc::string::String;

use crate::dots::DotRemover;
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

    /// Sets the strict mode. With `false`, a reference whose scheme equals that of the base (compared
    /// case-insensitively) is treated as if it had none: the exception that section 5.2.2 allows for old data.
    #[must_use]
    pub const fn strict(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// Sets how encoded dots are treated. With `true`, a segment `%2e` or `%2e%2e` is a dot-segment, as after
    /// normalisation.
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
        let written = self.write_target(&base, ResolveOptions::new(), &mut target);
        let parts = self.target_parts(&base, &written, target.len());
        UriBuf::of_absolute(UriRefBuf::from_parts(target, parts))
    }

    /// Returns whether this is a reference to the document at `base` itself: its target equals the base except for the
    /// fragment (section 4.4), so no retrieval is needed. Neither side is normalised.
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

    /// Appends the target of this reference to `out`, and returns how many `..` went above the root and were dropped.
    pub fn resolve_into(self, base: Uri<'_>, options: ResolveOptions, out: &mut String) -> usize {
        self.write_target(&base, options, out).underflow
    }

    /// Works like [`resolve_into`](Self::resolve_into), and returns facts about the written target.
    fn write_target(&self, base: &Uri<'_>, options: ResolveOptions, out: &mut String) -> Written {
        let origin = out.len();
        let (text, parts) = (self.as_str(), self.parts());
        let (base_text, base_parts) = (base.as_str(), base.parts());
        let path = parts.path_start as usize..parts.path_end as usize;
        let own = self.own_start(base, options);
        let mut tail_len = text.len() - path.end;
        let mut underflow = 0;
        let mut has_authority = base_parts.authority.is_some();
        let mut path_start = base_parts.path_start as usize;
        let decode = options.decode_dots;
        // Adjacent parts of one text are written together.
        match own {
            Start::Scheme => {
                has_authority = parts.authority.is_some();
                path_start = path.start;
                underflow = DotRemover::new(out, path.start, decode).write(text, path);
            }
            Start::Authority(slashes) => {
                has_authority = true;
                let scheme = &base_text[..=base_parts.scheme_end as usize];
                let (net_path, path) = (&text[slashes..], path.start - slashes..path.end - slashes);
                path_start = scheme.len() + path.start;
                out.push_str(scheme);
                underflow = DotRemover::new(out, path.start, decode).write(net_path, path);
            }
            Start::Path if path.is_empty() => {
                let has_query = parts.query_end > parts.path_end;
                let end = if has_query { base_parts.path_end } else { base_parts.query_end };
                tail_len += (end - base_parts.path_end) as usize;
                out.push_str(&base_text[..end as usize]);
                out.push_str(&text[path.end..]);
            }
            Start::Path => {
                let is_absolute = text[path.start..].starts_with('/');
                let base_end = if is_absolute { path_start } else { directory_end(base) };
                let mut remover = DotRemover::new(out, path_start, decode);
                remover.write(&base_text[..base_end], path_start..base_end);
                if !is_absolute && base_end == path_start && has_authority {
                    // The empty path of a base with an authority counts as `/` (section 5.2.3).
                    remover.write("/", 0..1);
                }
                underflow = remover.write(&text[path.start..], 0..path.len());
            }
        }
        let path_at = origin + path_start;
        if !has_authority && out.as_bytes()[path_at..].starts_with(b"//") {
            out.insert_str(path_at, "/.");
        }
        Written { own, path_start, tail_len, underflow }
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

    /// Returns the offsets of the components of a target of `len` bytes.
    fn target_parts(&self, base: &Uri<'_>, written: &Written, len: usize) -> Parts {
        let (parts, base_parts) = (self.parts(), base.parts());
        let (scheme_end, authority) = match written.own {
            Start::Scheme => (parts.scheme_end, parts.authority),
            Start::Authority(_) => {
                let start = base_parts.scheme_end + 3;
                (base_parts.scheme_end, self.authority().map(|own| own.parts_at(start)))
            }
            Start::Path => (base_parts.scheme_end, base_parts.authority),
        };
        Parts {
            scheme_end,
            authority,
            path_start: offset(written.path_start),
            path_end: offset(len - written.tail_len),
            query_end: offset(len - (self.as_str().len() - parts.query_end as usize)),
            odd_triplets: parts.odd_triplets | base_parts.odd_triplets,
        }
    }
}

/// The component at which the reference's own text starts in the target. The components before it come from the base,
/// and the path may be merged.
#[derive(Clone, Copy)]
enum Start {
    Scheme,
    /// The slashes before the authority, which the reference contains in this case.
    Authority(usize),
    Path,
}

/// Facts about a written target.
struct Written {
    own: Start,
    path_start: usize,
    /// The length of the part after the path.
    tail_len: usize,
    /// How many `..` were dropped.
    underflow: usize,
}

/// Returns an offset. A target that is too long does not become a value, so its offsets do not matter.
fn offset(at: usize) -> u32 {
    at as u32
}

/// Returns the end of the directory of the path: after its last slash, or at the start of the path.
fn directory_end(base: &Uri<'_>) -> usize {
    let start = base.parts().path_start as usize;
    words::last_slash(base.path_text().as_bytes()).map_or(start, |slash| start + slash + 1)
}
