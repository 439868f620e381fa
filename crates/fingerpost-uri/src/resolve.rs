//! Resolving a reference against a base (RFC 3986, seed 003, section 5).
//!
//! The transform of section 5.2.2, in full. Two things that it leaves open are decided here and stated on the crate page: a
//! target without an authority whose path would begin with `//` is written with `/.` before it (URI-RES-14), and `%2e` is no
//! dot unless asked for (URI-RES-12).

use alloc::string::String;

use crate::dots::{self, DotRemover};
use crate::path::{Path, PathForm};
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
        self.resolve_into(base, ResolveOptions::new(), &mut target);
        UriRefBuf::parse(target).expect("valid components recompose to a valid URI")
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
        let same_scheme = |scheme: &str| scheme.eq_ignore_ascii_case(base.scheme());
        let own_scheme = self.scheme().filter(|scheme| options.strict || !same_scheme(scheme));
        let own_authority = own_scheme.is_some() || self.authority().is_some();
        out.push_str(own_scheme.unwrap_or_else(|| base.scheme()));
        out.push(':');
        let authority = if own_authority { self.authority() } else { base.authority() };
        if let Some(authority) = authority {
            out.push_str("//");
            out.push_str(authority.as_str());
        }
        let start = out.len();
        let path = self.path();
        let keeps_base_path = !own_authority && path.as_str().is_empty();
        let underflow = if keeps_base_path {
            out.push_str(base.path().as_str());
            0
        } else {
            let base = (!own_authority && !path.is_absolute()).then_some(base);
            write_path(base, path, options, out)
        };
        if authority.is_none() && out[start..].starts_with("//") {
            out.insert_str(start, "/.");
        }
        let query = self.query().or_else(|| base.query().filter(|_| keeps_base_path));
        if let Some(query) = query {
            out.push('?');
            out.push_str(query.as_str());
        }
        if let Some(fragment) = self.fragment() {
            out.push('#');
            out.push_str(fragment.as_str());
        }
        underflow
    }
}

/// Writes the path of a reference without dot-segments, merged with that of `base` if there is one (section 5.2.3).
fn write_path(
    base: Option<Uri<'_>>,
    path: Path<'_>,
    options: ResolveOptions,
    out: &mut String,
) -> usize {
    let dots = if options.decode_dots { dots::decoded_dots } else { dots::literal_dots };
    let mut remover = DotRemover::new(out);
    let mut slash = path.is_absolute();
    if let Some(base) = base {
        // Everything up to the last slash; a base with an authority and an empty path counts as `/`.
        let directory = base.path().as_str().rfind('/').map(|slash| &base.path().as_str()[..slash]);
        if let Some(directory) = directory {
            feed(directory, |slash, segment, _| {
                remover.segment(slash, segment, false, dots(segment));
            });
        }
        slash = directory.is_some() || base.path().form() == PathForm::Abempty;
    }
    let text = path.as_str();
    let text = text.strip_prefix('/').unwrap_or(text);
    let mut segments = text.split('/').peekable();
    while let Some(segment) = segments.next() {
        remover.segment(slash, segment, segments.peek().is_none(), dots(segment));
        slash = true;
    }
    remover.finish()
}

/// Hands every segment of a path to `receive`: whether a slash stands before it, the segment, and whether it is the last.
/// An empty path has no segments.
pub(crate) fn feed(path: &str, mut receive: impl FnMut(bool, &str, bool)) {
    if path.is_empty() {
        return;
    }
    let mut slash = path.starts_with('/');
    let mut segments = path.strip_prefix('/').unwrap_or(path).split('/').peekable();
    while let Some(segment) = segments.next() {
        receive(slash, segment, segments.peek().is_none());
        slash = true;
    }
}
