//! Resolving a reference against a base (RFC 3986, seed 003, section 5).
//!
//! The transform of section 5.2.2, in full. Two things that it leaves open are decided here and stated on the crate page: a
//! target without an authority whose path would begin with `//` is written with `/.` before it (URI-RES-14), and `%2e` is no
//! dot unless asked for (URI-RES-12).

use alloc::string::String;

use crate::dots::{self, DotRemover};
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
        let (parts, _) = self.write_target(base, ResolveOptions::new(), &mut target);
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
        self.write_target(base, options, out).1
    }

    /// As [`resolve_into`](Self::resolve_into); also returns where the components of the target lie, counted from its start.
    fn write_target(
        self,
        base: Uri<'_>,
        options: ResolveOptions,
        out: &mut String,
    ) -> (Parts, usize) {
        let origin = out.len();
        // Too long a target does not become a value, so its offsets do not matter.
        let written = |out: &String| (out.len() - origin) as u32;
        let same_scheme = |scheme: &str| scheme.eq_ignore_ascii_case(base.scheme());
        let own_scheme = self.scheme().filter(|scheme| options.strict || !same_scheme(scheme));
        let own_authority = own_scheme.is_some() || self.authority().is_some();
        out.push_str(own_scheme.unwrap_or_else(|| base.scheme()));
        let scheme_end = written(out);
        out.push(':');
        let authority = if own_authority { self.authority() } else { base.authority() };
        let authority_parts = authority.map(|authority| {
            out.push_str("//");
            let parts = authority.parts_at(written(out));
            out.push_str(authority.as_str());
            parts
        });
        let path_start = written(out);
        let keeps_base_path = !own_authority && self.path_text().is_empty();
        let underflow = if keeps_base_path {
            out.push_str(base.path_text());
            0
        } else {
            write_path((!own_authority).then_some(base), self.path_text(), options, out)
        };
        let path_at = origin + path_start as usize;
        if authority.is_none() && out[path_at..].starts_with("//") {
            out.insert_str(path_at, "/.");
        }
        let path_end = written(out);
        if let Some(query) = self.query().or_else(|| base.query().filter(|_| keeps_base_path)) {
            out.push('?');
            out.push_str(query.as_str());
        }
        let query_end = written(out);
        if let Some(fragment) = self.fragment() {
            out.push('#');
            out.push_str(fragment.as_str());
        }
        let parts =
            Parts { scheme_end, authority: authority_parts, path_start, path_end, query_end };
        (parts, underflow)
    }
}

/// Writes the path of a reference without dot-segments; a relative one is merged with that of `base` (section 5.2.3).
fn write_path(
    base: Option<Uri<'_>>,
    path: &str,
    options: ResolveOptions,
    out: &mut String,
) -> usize {
    let dots = if options.decode_dots { dots::decoded_dots } else { dots::literal_dots };
    let mut remover = DotRemover::new(out);
    if let Some(base) = base
        && !path.starts_with('/')
    {
        remover.path(directory(base), dots);
    }
    remover.path(path, dots);
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
