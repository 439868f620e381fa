//! Paths and queries (RFC 3986, sections 3.3 and 3.4).
//!
//! ```text
//! path-abempty  = *( "/" segment )                        after an authority
//! path-absolute = "/" [ segment-nz *( "/" segment ) ]
//! path-rootless = segment-nz *( "/" segment )             after a scheme
//! path-noscheme = segment-nz-nc *( "/" segment )          in a relative reference
//! path-empty    = 0<pchar>
//! ```

use crate::percent::Encoded;

/// The path rule that matched, one of five; exactly one matches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PathForm {
    /// `path-empty`, without an authority.
    Empty,
    /// `path-absolute`: begins with one slash.
    Absolute,
    /// `path-rootless`: after a scheme, begins with a segment.
    Rootless,
    /// `path-noscheme`: in a relative reference, begins with a segment without a colon.
    Noscheme,
    /// `path-abempty`: after an authority, empty or begins with a slash.
    Abempty,
}

impl PathForm {
    /// Returns the name of the rule in the standard, without `path-`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Absolute => "absolute",
            Self::Rootless => "rootless",
            Self::Noscheme => "noscheme",
            Self::Abempty => "abempty",
        }
    }
}

/// A path: always present, possibly empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Path<'a> {
    text: &'a str,
    form: PathForm,
}

impl<'a> Path<'a> {
    pub(crate) const fn new(text: &'a str, form: PathForm) -> Self {
        Self { text, form }
    }

    /// Returns the path as written.
    pub const fn as_str(self) -> &'a str {
        self.text
    }

    /// Returns the path rule that it matches.
    pub const fn form(self) -> PathForm {
        self.form
    }

    /// Returns whether it begins with a slash.
    pub fn is_absolute(self) -> bool {
        self.text.starts_with('/')
    }

    /// Returns the segments, without the slash that begins an absolute path. An empty path has
    /// none; empty segments are included.
    ///
    /// ```
    /// use fingerpost_uri::UriRef;
    ///
    /// let uri = UriRef::parse("http://h/a//b%2Fc/")?;
    /// let segments: Vec<_> = uri.path().segments().map(|segment| segment.as_str()).collect();
    /// assert_eq!(segments, ["a", "", "b%2Fc", ""]);
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn segments(self) -> impl DoubleEndedIterator<Item = Encoded<'a>> + Clone {
        let rest = self.text.strip_prefix('/').unwrap_or(self.text);
        let segments = (!self.text.is_empty()).then(|| rest.split('/'));
        segments.into_iter().flatten().map(Encoded::new)
    }
}

/// A query: the part after the first question mark, possibly empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Query<'a>(Encoded<'a>);

impl<'a> Query<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self(Encoded::new(text))
    }

    /// Returns the query as written, without its question mark.
    pub const fn as_str(self) -> &'a str {
        self.0.as_str()
    }

    /// Returns the query as one percent-encoded text.
    pub const fn encoded(self) -> Encoded<'a> {
        self.0
    }

    /// Returns the pieces between `&`, each split at its first `=`. This is a convention of many
    /// schemes, not part of the generic syntax. `+` is not decoded. Empty pieces are left out.
    ///
    /// ```
    /// use fingerpost_uri::UriRef;
    ///
    /// let uri = UriRef::parse("?a=1&&b=x=y&c")?;
    /// let query = uri.query().expect("a query");
    /// let pairs: Vec<_> = query.pairs().map(|(name, value)| (name.as_str(), value.map(|v| v.as_str()))).collect();
    /// assert_eq!(pairs, [("a", Some("1")), ("b", Some("x=y")), ("c", None)]);
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn pairs(self) -> impl Iterator<Item = (Encoded<'a>, Option<Encoded<'a>>)> + Clone {
        self.as_str().split('&').filter(|piece| !piece.is_empty()).map(|piece| {
            match piece.split_once('=') {
                Some((name, value)) => (Encoded::new(name), Some(Encoded::new(value))),
                None => (Encoded::new(piece), None),
            }
        })
    }
}
