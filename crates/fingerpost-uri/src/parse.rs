//! The validating parser, which computes component offsets from text (RFC 3986, section 3 and
//! Appendix A).
//!
//! ```text
//! URI-reference = URI / relative-ref
//! URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
//! relative-ref  = relative-part [ "?" query ] [ "#" fragment ]
//! hier-part     = "//" authority path-abempty / path-absolute / path-rootless / path-empty
//! relative-part = "//" authority path-abempty / path-absolute / path-noscheme / path-empty
//! authority     = [ userinfo "@" ] host [ ":" port ]
//! host          = IP-literal / IPv4address / reg-name
//! ```
//!
//! The parser makes one forward pass. It finds delimiters and validates characters in the same
//! step.

use crate::class::{
    self, Flag, IS_ALPHA, IS_DIGIT, IS_HEXDIG, IS_PATH, IS_PLAIN_HIGH, IS_QUERY, IS_REG_NAME,
    IS_SCHEME, IS_UPPER_HEXDIG, IS_USERINFO,
};
use crate::error::{Component, ErrorKind, ParseError};
use crate::ip;

/// Offsets of the components in a valid URI reference, and other facts found while parsing.
///
/// Invariants: all offsets lie on ASCII characters of the text; `path_start <= path_end <=
/// query_end <= text.len()`; where present, `authority` lies between the scheme and the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Parts {
    /// Index of the colon after the scheme; 0 without a scheme (a scheme is never empty).
    pub(crate) scheme_end: u32,
    pub(crate) authority: Option<AuthorityParts>,
    /// Also the end of the authority.
    pub(crate) path_start: u32,
    pub(crate) path_end: u32,
    /// End of the query; equals `path_end` without a query (a query counts its `?`).
    pub(crate) query_end: u32,
    /// Whether a triplet may need normalisation. If not set, normalisation leaves every triplet
    /// unchanged.
    pub(crate) odd_triplets: bool,
}

/// Offsets within an authority. It starts after `//` and ends where the path starts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AuthorityParts {
    pub(crate) start: u32,
    /// After the `@`; equals `start` without userinfo.
    pub(crate) host_start: u32,
    /// At the colon before the port, or at the end.
    pub(crate) host_end: u32,
    pub(crate) host_kind: HostKind,
}

/// Which alternative of the rule `host` matched; the first match wins (section 3.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HostKind {
    /// `IPv4address`: four decimal numbers from 0 to 255 without leading zeros.
    Ipv4,
    /// `IP-literal` with an `IPv6address`.
    Ipv6,
    /// `IP-literal` of a future version: `[v1.…]`.
    IpvFuture,
    /// `reg-name`: anything else, also the empty host.
    RegName,
}

/// Parses a URI reference. Called from one place only, so that it is inlined there and the offsets
/// are not copied again.
pub(crate) fn parse(text: &str) -> Result<Parts, ParseError> {
    let bytes = text.as_bytes();
    if bytes.len() > crate::MAX_LEN {
        return Err(ParseError::new(ErrorKind::TooLong, Component::Path, crate::MAX_LEN));
    }
    let mut reader = Reader { bytes, odd_triplets: false };
    // A scheme if a colon follows, otherwise part of a path, which allows all characters of a
    // scheme.
    let word_end = class::skip(bytes, 0, IS_SCHEME);
    let has_scheme = bytes.get(word_end) == Some(&b':') && class::is(bytes[0], IS_ALPHA);
    let hier_start = if has_scheme { word_end + 1 } else { 0 };
    let (authority, path_start) = match bytes[hier_start..] {
        [b'/', b'/', ..] => {
            let (parts, end) = reader.authority(hier_start + 2)?;
            (Some(parts), end)
        }
        _ => (None, hier_start),
    };
    let path_end = if has_scheme || authority.is_some() {
        reader.path(path_start)?
    } else {
        reader.path_noscheme(word_end)?
    };
    let mut query_end = path_end;
    if bytes.get(path_end) == Some(&b'?') {
        query_end = reader.run(path_end + 1, IS_QUERY);
        expect_end(bytes, query_end, b"#", Component::Query)?;
    }
    if bytes.get(query_end) == Some(&b'#') {
        let end = reader.run(query_end + 1, IS_QUERY);
        expect_end(bytes, end, b"", Component::Fragment)?;
    }
    Ok(Parts {
        scheme_end: if has_scheme { offset(word_end) } else { 0 },
        authority,
        path_start: offset(path_start),
        path_end: offset(path_end),
        query_end: offset(query_end),
        odd_triplets: reader.odd_triplets,
    })
}

/// Parses an authority that is all of `text`. Returns its offsets and its end.
pub(crate) fn authority_alone(text: &str) -> Result<(AuthorityParts, u32), ParseError> {
    let bytes = text.as_bytes();
    if bytes.len() > crate::MAX_LEN {
        return Err(ParseError::new(ErrorKind::TooLong, Component::Host, crate::MAX_LEN));
    }
    let (parts, end) = Reader { bytes, odd_triplets: false }.authority(0)?;
    expect_end(bytes, end, b"", Component::Host)?;
    Ok((parts, offset(end)))
}

/// Parses components, and records facts that normalisation needs.
struct Reader<'t> {
    bytes: &'t [u8],
    /// See [`Parts::odd_triplets`].
    odd_triplets: bool,
}

impl Reader<'_> {
    /// Parses `authority`, from `start` to the next `/`, `?`, `#` or the end. Returns its offsets
    /// and its end.
    fn authority(&mut self, start: usize) -> Result<(AuthorityParts, usize), ParseError> {
        let bytes = self.bytes;
        let mut host_start = start;
        let (mut host_end, mut text_end) = self.name(start);
        if bytes.get(text_end) == Some(&b'@') {
            host_start = text_end + 1;
            (host_end, text_end) = self.name(host_start);
        }
        let host_kind;
        if text_end == host_start && bytes.get(host_start) == Some(&b'[') {
            (host_kind, host_end) = ip_literal(bytes, host_start)?;
        } else {
            expect_end(bytes, text_end, b"/?#", Component::Host)?;
            let is_ipv4 = ip::is_ipv4(&bytes[host_start..host_end]);
            host_kind = if is_ipv4 { HostKind::Ipv4 } else { HostKind::RegName };
        }
        let end = port(bytes, host_end)?;
        let parts = AuthorityParts {
            start: offset(start),
            host_start: offset(host_start),
            host_end: offset(host_end),
            host_kind,
        };
        Ok((parts, end))
    }

    /// Returns the end of a `reg-name`, and its end including a possible port or password. The
    /// delimiter that follows distinguishes userinfo from host; an IP literal is neither.
    fn name(&mut self, start: usize) -> (usize, usize) {
        if self.bytes.get(start) == Some(&b'[') {
            return (start, start);
        }
        let name_end = self.run(start, IS_REG_NAME);
        match self.bytes.get(name_end) {
            Some(b':') => (name_end, self.run(name_end + 1, IS_USERINFO)),
            _ => (name_end, name_end),
        }
    }

    /// Parses the path from `start`.
    fn path(&mut self, start: usize) -> Result<usize, ParseError> {
        let end = self.run(start, IS_PATH);
        expect_end(self.bytes, end, b"?#", Component::Path)?;
        Ok(end)
    }

    /// Parses `path-noscheme`, or an absolute or empty path: the first segment contains no colon.
    /// Begins with `word_end` characters of a scheme.
    fn path_noscheme(&mut self, word_end: usize) -> Result<usize, ParseError> {
        let end = self.path(word_end)?;
        let rest = &self.bytes[word_end..end];
        match rest.iter().position(|byte| matches!(byte, b'/' | b':')) {
            Some(at) if rest[at] == b':' => {
                let colon = word_end + at;
                Err(ParseError::new(ErrorKind::ColonInFirstSegment, Component::Path, colon))
            }
            _ => Ok(end),
        }
    }

    /// Returns the end of a run of triplets and characters of a class.
    fn run(&mut self, start: usize, flag: Flag) -> usize {
        let end = class::skip_many(self.bytes, start, flag);
        if self.bytes.get(end) == Some(&b'%') { self.run_from_triplet(end, flag) } else { end }
    }

    /// Returns the end of a run that has a percent sign at `start`. Few runs have one; on its own,
    /// this leaves their registers to the others.
    #[inline(never)]
    fn run_from_triplet(&mut self, start: usize, flag: Flag) -> usize {
        let mut at = start;
        while let Some(([b'%', high, low], rest)) = self.bytes[at..].split_first_chunk() {
            if !(class::is(*high, IS_HEXDIG) & class::is(*low, IS_HEXDIG)) {
                break;
            }
            self.odd_triplets |=
                !(class::is(*high, IS_PLAIN_HIGH) & class::is(*low, IS_UPPER_HEXDIG));
            at += 3;
            // Most triplets stand alone, or in a long row of text that is not ASCII.
            if let [b'%', ..] = rest {
                let plain_end = skip_triplets(self.bytes, at, IS_PLAIN_HIGH, IS_UPPER_HEXDIG);
                at = skip_triplets(self.bytes, plain_end, IS_HEXDIG, IS_HEXDIG);
                self.odd_triplets |= plain_end < at;
            }
            at = class::skip_many(self.bytes, at, flag);
        }
        at
    }
}

/// Returns the end of the row of triplets at `start`, with digits of these classes.
fn skip_triplets(bytes: &[u8], start: usize, is_high: Flag, is_low: Flag) -> usize {
    let mut rest = &bytes[start..];
    // Text that is not ASCII consists of long rows of triplets, so each step takes four.
    while let Some(tail) = after_triplets::<12>(rest, is_high, is_low) {
        rest = tail;
    }
    while let Some(tail) = after_triplets::<3>(rest, is_high, is_low) {
        rest = tail;
    }
    bytes.len() - rest.len()
}

/// Returns what follows the first `N` bytes if these are triplets with digits of these classes,
/// without deciding in between.
fn after_triplets<const N: usize>(bytes: &[u8], is_high: Flag, is_low: Flag) -> Option<&[u8]> {
    let (triplets, tail) = bytes.split_first_chunk::<N>()?;
    let (mut others, mut highs, mut lows) = (0, Flag::ALL, Flag::ALL);
    for triplet in triplets.chunks_exact(3) {
        others |= triplet[0] ^ b'%';
        (highs, lows) = (highs.of(triplet[1]), lows.of(triplet[2]));
    }
    (others == 0 && highs.has(is_high) && lows.has(is_low)).then_some(tail)
}

/// Parses `IP-literal = "[" ( IPv6address / IPvFuture ) "]"` at `open`. Returns its kind and its
/// end.
fn ip_literal(bytes: &[u8], open: usize) -> Result<(HostKind, usize), ParseError> {
    let (kind, rest) = match &bytes[open + 1..] {
        [b'v' | b'V', version @ ..] => (HostKind::IpvFuture, ipv_future(version)),
        address => (HostKind::Ipv6, ip::skip_ipv6(address)),
    };
    match rest {
        Some([b']', rest @ ..]) => Ok((kind, bytes.len() - rest.len())),
        _ => Err(ParseError::new(ErrorKind::InvalidIpLiteral, Component::Host, open)),
    }
}

/// Parses `[ ":" port ]` after the host, where `port = *DIGIT`. Returns the end of the authority.
fn port(bytes: &[u8], host_end: usize) -> Result<usize, ParseError> {
    let (end, component) = match bytes.get(host_end) {
        Some(b':') => (class::skip(bytes, host_end + 1, IS_DIGIT), Component::Port),
        _ => (host_end, Component::Host),
    };
    match bytes.get(end) {
        None | Some(b'/' | b'?' | b'#') => Ok(end),
        Some(_) => Err(ParseError::new(ErrorKind::UnexpectedCharacter, component, end)),
    }
}

/// Parses `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )` after its first
/// letter. Returns the rest. No version is defined, so these are rare.
#[cold]
fn ipv_future(version: &[u8]) -> Option<&[u8]> {
    let dot = class::skip(version, 0, IS_HEXDIG);
    let [b'.', address @ ..] = &version[dot..] else { return None };
    let end = class::skip(address, 0, IS_USERINFO);
    (dot > 0 && end > 0).then(|| &address[end..])
}

/// Checks that a component ends at `at`, where `run` stopped: at the end of the text or before one
/// of `delimiters`.
fn expect_end(
    bytes: &[u8],
    at: usize,
    delimiters: &[u8],
    component: Component,
) -> Result<(), ParseError> {
    match bytes.get(at) {
        None => Ok(()),
        Some(byte) if delimiters.contains(byte) => Ok(()),
        Some(b'%') => Err(ParseError::new(ErrorKind::InvalidTriplet, component, at)),
        Some(_) => Err(ParseError::new(ErrorKind::UnexpectedCharacter, component, at)),
    }
}

/// Returns whether `bytes` begins with `pct-encoded = "%" HEXDIG HEXDIG`.
pub(crate) fn is_triplet(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if class::is(*high, IS_HEXDIG) & class::is(*low, IS_HEXDIG))
}

/// Offsets fit: the length was checked against `MAX_LEN` first.
fn offset(at: usize) -> u32 {
    at as u32
}
