//! The inverse of resolution: the shortest usual reference from a base to a target (RFC 3986,
//! sections 4.2 and 5.2).

use alloc::string::String;

use crate::owned::UriRefBuf;
use crate::path::PathForm;
use crate::resolve::ResolveOptions;
use crate::uri_ref::Uri;

impl Uri<'_> {
    /// Returns a reference that resolves to this URI against `base`. It is relative if scheme and
    /// authority are the same and the path is hierarchical; otherwise it has an authority, or
    /// is this URI itself.
    ///
    /// Resolution always removes dot-segments, so it can never produce a URI with dot-segments in
    /// its path. For such a URI the reference resolves to the URI without them.
    ///
    /// ```
    /// use fingerpost_uri::Uri;
    ///
    /// let base = Uri::parse("http://example.com/a/b/c?x")?;
    /// assert_eq!(Uri::parse("http://example.com/a/d?y#z")?.relativise(base).as_str(), "../d?y#z");
    /// assert_eq!(Uri::parse("http://example.org/a/d")?.relativise(base).as_str(), "//example.org/a/d");
    /// assert_eq!(Uri::parse("urn:a:b")?.relativise(base).as_str(), "urn:a:b");
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn relativise(self, base: Uri<'_>) -> UriRefBuf {
        let relative = self.relative_text(base).and_then(|text| UriRefBuf::parse(text).ok());
        relative
            .filter(|reference| self.is_target_of(reference, base))
            .unwrap_or_else(|| self.as_uri_ref().to_buf())
    }

    fn is_target_of(self, reference: &UriRefBuf, base: Uri<'_>) -> bool {
        let mut target = String::new();
        reference.as_uri_ref().resolve_into(base, ResolveOptions::new(), &mut target);
        target == self.as_str()
    }

    fn relative_text(self, base: Uri<'_>) -> Option<String> {
        if self.scheme() != base.scheme() {
            return None;
        }
        let mut out = String::new();
        let authority = self.authority().map(|authority| authority.as_str());
        if authority == base.authority().map(|authority| authority.as_str()) {
            self.relative_path(base, &mut out)?;
        } else {
            out.extend(["//", authority?, self.path().as_str()]);
        }
        let (path_stays, query) = (out.is_empty(), self.query().map(|query| query.as_str()));
        if !(path_stays && query == base.query().map(|query| query.as_str())) {
            query.into_iter().for_each(|query| out.extend(["?", query]));
        }
        self.fragment().into_iter().for_each(|fragment| out.extend(["#", fragment.as_str()]));
        Some(out)
    }

    /// Appends the path relative to that of `base` to `out`: nothing if it is the same and can be
    /// omitted. `None` if there is none.
    fn relative_path(self, base: Uri<'_>, out: &mut String) -> Option<()> {
        let (path, base_path) = (self.path(), base.path());
        if path.as_str() == base_path.as_str() && (self.query().is_some() || base.query().is_none())
        {
            return Some(());
        }
        if !path.is_absolute()
            || !matches!(base_path.form(), PathForm::Abempty | PathForm::Absolute)
        {
            return None;
        }
        let (path, base_path) = (path.as_str(), base_path.as_str());
        let directory = &base_path[..base_path.rfind('/').map_or(0, |slash| slash + 1)];
        let shared = shared_directory(directory, path);
        let ups = directory[shared..].matches('/').count();
        out.extend(core::iter::repeat_n("../", ups));
        // A base with an empty path is treated as `/`.
        let rest = if directory.is_empty() { &path[1..] } else { &path[shared..] };
        let first = rest.split('/').next().unwrap_or_default();
        if out.is_empty() && (first.is_empty() || first.contains(':')) {
            out.push_str("./");
        }
        out.push_str(rest);
        Some(())
    }
}

/// Returns the length of the directories that two paths share, with the last slash.
fn shared_directory(directory: &str, path: &str) -> usize {
    let same = directory.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    directory[..same].rfind('/').map_or(0, |slash| slash + 1)
}
