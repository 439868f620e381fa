//! The comparison ladder (RFC 3986, seed 003, section 6): normal forms, and at which rung two references become equal.

use alloc::borrow::Cow;
use alloc::string::String;

use crate::authority::Authority;
use crate::class::{self, IS_UNRESERVED};
use crate::dots::{self, DotRemover};
use crate::percent;
use crate::schemes::Schemes;
use crate::sink::{Sink, Unchanged};
use crate::uri_ref::UriRef;

/// The rungs of the ladder, each including the ones before it. Higher rungs find more pairs equal and cost more; none finds
/// two equal that section 6.2 does not (URI-NRM-02).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rung {
    /// Character by character (section 6.2.1).
    String,
    /// Scheme and host in lower case, the digits of triplets in upper case (section 6.2.2.1).
    Case,
    /// Triplets of unreserved characters decoded, once (section 6.2.2.2).
    Percent,
    /// Dot-segments removed, in URIs only (section 6.2.2.3).
    Path,
    /// The rules of the scheme: ports, empty paths and hosts that need not be written (section 6.2.3).
    Scheme,
}

impl Rung {
    /// All rungs, lowest first.
    pub const ALL: [Self; 5] = [Self::String, Self::Case, Self::Percent, Self::Path, Self::Scheme];

    /// The name of the rung.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Case => "case",
            Self::Percent => "percent",
            Self::Path => "path",
            Self::Scheme => "scheme",
        }
    }
}

impl<'a> UriRef<'a> {
    /// The normal form at `rung`; borrowed when this reference already is in it. The result parses again, and normalising it
    /// again changes nothing (URI-NRM-15).
    ///
    /// ```
    /// use fingerpost_uri::{Rung, UriRef};
    ///
    /// let uri = UriRef::parse("eXAMPLE://a/./b/../b/%63/%7bfoo%7d")?;
    /// assert_eq!(uri.normalise(Rung::Path), "example://a/b/c/%7Bfoo%7D");
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn normalise(self, rung: Rung) -> Cow<'a, str> {
        self.normalise_with(rung, Schemes::BUILTIN)
    }

    /// The normal form at `rung`, with a table of schemes of one's own.
    pub fn normalise_with(self, rung: Rung, schemes: Schemes<'_>) -> Cow<'a, str> {
        let mut out = Unchanged::new(self.as_str());
        let writer = Writer { reference: self, rung, schemes };
        if rung == Rung::String {
            out.push(self.as_str());
        } else {
            writer.write(&mut out);
        }
        out.finish()
    }

    /// The lowest rung at which this reference and `other` are equal, if any. Compare targets, not relative references
    /// (URI-NRM-01).
    ///
    /// ```
    /// use fingerpost_uri::{Rung, UriRef};
    ///
    /// let (a, b) = (UriRef::parse("http://example.com")?, UriRef::parse("http://EXAMPLE.com:80/")?);
    /// assert_eq!(a.equal_at(b), Some(Rung::Scheme));
    /// assert_eq!(a.equal_at(UriRef::parse("http://example.org")?), None);
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn equal_at(self, other: UriRef<'_>) -> Option<Rung> {
        self.equal_at_with(other, Schemes::BUILTIN)
    }

    /// The same with a table of schemes of one's own. To leave fragments out, compare
    /// [`without_fragment`](Self::without_fragment).
    pub fn equal_at_with(self, other: UriRef<'_>, schemes: Schemes<'_>) -> Option<Rung> {
        Rung::ALL
            .into_iter()
            .find(|&rung| self.normalise_with(rung, schemes) == other.normalise_with(rung, schemes))
    }
}

struct Writer<'a, 's> {
    reference: UriRef<'a>,
    rung: Rung,
    schemes: Schemes<'s>,
}

impl Writer<'_, '_> {
    fn write(&self, out: &mut Unchanged<'_>) {
        if let Some(scheme) = self.reference.scheme() {
            push_lower(scheme, out);
            out.push(":");
        }
        if let Some(authority) = self.reference.authority() {
            out.push("//");
            self.write_authority(authority, out);
        }
        self.write_path(out);
        if let Some(query) = self.reference.query() {
            out.push("?");
            out.push(&self.triplets(query.as_str()));
        }
        if let Some(fragment) = self.reference.fragment() {
            out.push("#");
            out.push(&self.triplets(fragment.as_str()));
        }
    }

    fn write_authority(&self, authority: Authority<'_>, out: &mut Unchanged<'_>) {
        let scheme = self.scheme_at_scheme_rung();
        let drops_port = |port| scheme.is_some_and(|scheme| self.schemes.drops_port(scheme, port));
        let port = authority.port().filter(|port| !drops_port(port));
        if let Some(userinfo) = authority.userinfo() {
            out.push(&self.triplets(userinfo.as_str()));
            out.push("@");
        }
        // Lower case after decoding: `%41` is the letter `A`.
        let host = self.triplets(authority.host_text());
        let is_alone = authority.userinfo().is_none() && port.is_none();
        let drops_host = scheme.is_some_and(|scheme| self.schemes.drops_host(scheme, &host));
        if !(is_alone && drops_host) {
            push_host(&host, out);
        }
        if let Some(port) = port {
            out.push(":");
            out.push(port);
        }
    }

    fn write_path(&self, out: &mut Unchanged<'_>) {
        let path = self.triplets(self.reference.path().as_str());
        let start = out.text().len();
        if self.rung >= Rung::Path && self.reference.scheme().is_some() {
            DotRemover::new(out).path(&path, dots::literal_dots);
        } else {
            out.push(&path);
        }
        if self.reference.authority().is_none() && out.text()[start..].starts_with("//") {
            out.insert(start, "/.");
        }
        let Some(scheme) = self.scheme_at_scheme_rung() else { return };
        let is_empty = out.text().len() == start;
        if is_empty
            && self.reference.authority().is_some()
            && self.schemes.empty_path_is_slash(scheme)
        {
            out.push("/");
        }
        if self.schemes.has_mail_domain(scheme)
            && let Some(at) = out.text()[start..].rfind('@')
        {
            let domain = String::from(&out.text()[start + at..]);
            out.truncate(start + at);
            push_host(&domain, out);
        }
    }

    fn scheme_at_scheme_rung(&self) -> Option<&str> {
        self.reference.scheme().filter(|_| self.rung == Rung::Scheme)
    }

    /// Triplets with upper-case digits and, from [`Rung::Percent`] on, without those of unreserved characters. One pass: what a
    /// decoded character forms with its neighbours is not looked at again (URI-NRM-05).
    fn triplets<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let bytes = text.as_bytes();
        let decodes = |octet| self.rung >= Rung::Percent && class::is(octet, IS_UNRESERVED);
        let is_normal = |triplet: &[u8]| {
            !triplet[1..3].iter().any(u8::is_ascii_lowercase)
                && !percent::triplet(triplet).is_some_and(decodes)
        };
        let mut triplets = text.match_indices('%').map(|(at, _)| &bytes[at..]);
        if triplets.all(is_normal) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            out.push_str(&rest[..at]);
            match percent::triplet(&rest.as_bytes()[at..]) {
                Some(octet) if decodes(octet) => out.push(char::from(octet)),
                Some(octet) => percent::push_triplet(octet, &mut out),
                None => unreachable!("a valid reference has whole triplets only"),
            }
            rest = &rest[at + 3..];
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

fn push_lower(text: &str, out: &mut Unchanged<'_>) {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        out.push(&text.to_ascii_lowercase());
    } else {
        out.push(text);
    }
}

/// A host in lower case but for its triplets (URI-SYN-16).
fn push_host(host: &str, out: &mut Unchanged<'_>) {
    let mut rest = host;
    while let Some(at) = rest.find('%') {
        push_lower(&rest[..at], out);
        out.push(&rest[at..at + 3]);
        rest = &rest[at + 3..];
    }
    push_lower(rest, out);
}
