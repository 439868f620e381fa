//! The comparison ladder (RFC 3986, section 6): normal forms, and at which rung two references
//! become equal.

use alloc::borrow::Cow;
use core::ops::Range;

use crate::class::{self, IS_UNRESERVED};
use crate::dots::DotRemover;
use crate::parse::AuthorityParts;
use crate::percent;
use crate::schemes::{SchemeRules, Schemes};
use crate::sink::{Sink, Unchanged};
use crate::uri_ref::UriRef;
use crate::words;

/// The rungs of the ladder, each including the ones before it. Higher rungs find more pairs equal
/// and cost more; no rung treats two references as equal that section 6.2 does not.
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
    /// The rules of the scheme: ports, empty paths and hosts that need not be written (section
    /// 6.2.3).
    Scheme,
}

impl Rung {
    /// All rungs, lowest first.
    pub const ALL: [Self; 5] = [Self::String, Self::Case, Self::Percent, Self::Path, Self::Scheme];

    /// Returns the name of the rung.
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
    /// Returns the normal form at `rung`; borrowed if this reference already has that form. The
    /// result is valid, and normalising it again changes nothing.
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

    /// Returns the normal form at `rung`, with a custom table of schemes.
    pub fn normalise_with(self, rung: Rung, schemes: Schemes<'_>) -> Cow<'a, str> {
        if rung == Rung::String {
            return Cow::Borrowed(self.as_str());
        }
        let rules =
            self.scheme().filter(|_| rung == Rung::Scheme).map(|scheme| schemes.rules(scheme));
        let mut out = Unchanged::new(self.as_str());
        Writer { reference: self, rung, rules }.write(&mut out);
        out.finish()
    }

    /// Returns the lowest rung at which this reference and `other` are equal, if any. Compare
    /// targets, not relative references.
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

    /// Returns the same with a custom table of schemes. To leave fragments out, compare
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
    /// The rules of the scheme, at [`Rung::Scheme`] only.
    rules: Option<SchemeRules<'s>>,
}

impl Writer<'_, '_> {
    fn write(&self, out: &mut Unchanged<'_>) {
        let parts = self.reference.parts();
        if parts.scheme_end > 0 {
            out.keep(0..parts.scheme_end as usize + 1);
            lower_from(0, out);
        }
        if let Some(authority) = parts.authority {
            let start = authority.start as usize;
            out.keep(start - 2..start);
            self.write_authority(authority, parts.path_start as usize, out);
        }
        self.write_path(parts.path_start as usize..parts.path_end as usize, out);
        // The query and the fragment.
        self.write_triplets(parts.path_end as usize..self.reference.as_str().len(), out);
    }

    fn write_authority(&self, parts: AuthorityParts, end: usize, out: &mut Unchanged<'_>) {
        let (start, host_start, host_end) =
            (parts.start as usize, parts.host_start as usize, parts.host_end as usize);
        let port = self.reference.as_str()[host_end..end].strip_prefix(':');
        let has_port =
            port.is_some_and(|port| !self.rules.is_some_and(|rules| rules.drops_port(port)));
        self.write_triplets(start..host_start, out);
        // Lower case after decoding: `%41` is the letter `A`.
        let host_at = out.text().len();
        self.write_triplets(host_start..host_end, out);
        lower_from(host_at, out);
        if host_start == start
            && !has_port
            && self.rules.is_some_and(|rules| rules.drops_host(&out.text()[host_at..]))
        {
            out.truncate(host_at);
        }
        if has_port {
            out.keep(host_end..end);
        }
    }

    fn write_path(&self, path: Range<usize>, out: &mut Unchanged<'_>) {
        let has_authority = self.reference.parts().authority.is_some();
        let start = out.text().len();
        self.write_triplets(path, out);
        if self.rung >= Rung::Path
            && self.reference.parts().scheme_end > 0
            && words::first_dots(&out.text().as_bytes()[start..]).is_some()
        {
            let path = out.split_off(start);
            DotRemover::new(out, 0, false).write(&path, 0..path.len());
        }
        if !has_authority && out.text()[start..].starts_with("//") {
            out.insert(start, "/.");
        }
        let Some(rules) = self.rules else { return };
        if has_authority && out.text().len() == start && rules.empty_path_means_slash() {
            out.push("/");
        }
        if rules.has_mail_domain() {
            let at = out.text()[start..].rfind('@').unwrap_or(out.text().len() - start);
            lower_from(start + at, out);
        }
    }

    /// Writes a piece of the reference with the digits of triplets in upper case and, from
    /// [`Rung::Percent`] on, without triplets of unreserved characters.
    #[inline]
    fn write_triplets(&self, range: Range<usize>, out: &mut Unchanged<'_>) {
        if self.reference.parts().odd_triplets {
            self.rewrite_triplets(range, out);
        } else {
            out.keep(range);
        }
    }

    /// Does so in one pass: sequences that a decoded character forms with its neighbours are not
    /// decoded again.
    #[inline(never)]
    fn rewrite_triplets(&self, range: Range<usize>, out: &mut Unchanged<'_>) {
        let decodes = self.rung >= Rung::Percent;
        let bytes = &self.reference.as_str().as_bytes()[..range.end];
        let mut kept = range.start;
        let mut at = words::next_percent(bytes, kept);
        while at < bytes.len() {
            let (row_end, is_lower) = skip_reserved(bytes, at, decodes);
            if is_lower {
                out.keep(kept..at);
                out.keep_in_upper_case(at..row_end);
                kept = row_end;
            }
            at = row_end;
            // The row ends before a triplet of an unreserved character, if there is a triplet.
            if let Some(octet) = percent::triplet(&bytes[at..]) {
                out.keep(kept..at);
                out.change().push(char::from(octet));
                at += 3;
                kept = at;
            }
            at = words::next_percent(bytes, at);
        }
        out.keep(kept..range.end);
    }
}

/// Returns the end of the row of triplets at `start`, and whether any of them has a digit in lower
/// case. If `decodes`, the row ends before a triplet of an unreserved character.
fn skip_reserved(bytes: &[u8], start: usize, decodes: bool) -> (usize, bool) {
    let (mut at, mut is_lower) = (start, false);
    while let [b'%', high, low, ..] = bytes[at..] {
        // Octets beyond ASCII are never unreserved.
        let is_unreserved =
            || percent::triplet(&bytes[at..]).is_some_and(|octet| class::is(octet, IS_UNRESERVED));
        if decodes && high < b'8' && is_unreserved() {
            break;
        }
        is_lower |= (high >= b'a') | (low >= b'a');
        at += 3;
    }
    (at, is_lower)
}

/// Converts the output from `start` on to lower case, except for its triplets.
#[inline]
fn lower_from(start: usize, out: &mut Unchanged<'_>) {
    if has_upper(&out.text()[start..]) {
        lower_names_from(start, out);
    }
}

fn has_upper(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_uppercase())
}

#[inline(never)]
fn lower_names_from(start: usize, out: &mut Unchanged<'_>) {
    let mut pieces = out.text()[start..].split('%');
    if !pieces.next().is_some_and(has_upper) && !pieces.any(|piece| has_upper(&piece[2..])) {
        return;
    }
    let mut rest = &mut out.change()[start..];
    while let Some(at) = rest.find('%') {
        let (name, triplet) = rest.split_at_mut(at);
        name.make_ascii_lowercase();
        rest = &mut triplet[3..];
    }
    rest.make_ascii_lowercase();
}
