//! The validating parser: text in, offsets out (RFC 3986, seed 003, section 3 and Appendix A).
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
//! One pass moves forward over the bytes. Delimiters are found and characters validated in the same step.

use crate::class::{
    self, Flag, IS_ALPHA, IS_DIGIT, IS_HEXDIG, IS_PATH, IS_QUERY, IS_SCHEME, IS_USERINFO,
};
use crate::error::{Component, ErrorKind, ParseError};
use crate::ip;

/// Offsets of the components in a valid URI reference.
///
/// Invariants: all offsets lie on ASCII characters of the text; `path_start <= path_end <= query_end <= text.len()`;
/// where present, `authority` lies between the scheme and the path.
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
    /// `IP-literal` of a version to come: `[v1.…]`.
    IpvFuture,
    /// `reg-name`: anything else, also the empty host.
    RegName,
}

/// Parses a URI reference.
pub(crate) fn parse(text: &str) -> Result<Parts, ParseError> {
    let bytes = text.as_bytes();
    if bytes.len() > crate::MAX_LEN {
        return Err(ParseError::new(ErrorKind::TooLong, Component::Path, crate::MAX_LEN));
    }
    let scheme_end = scheme(bytes);
    let hier_start = scheme_end.map_or(0, |colon| colon + 1);
    let (authority, path_start) = if bytes[hier_start..].starts_with(b"//") {
        let (parts, end) = authority(bytes, hier_start + 2)?;
        (Some(parts), end)
    } else {
        (None, hier_start)
    };
    let path_end = path(bytes, path_start, scheme_end.is_none() && authority.is_none())?;
    let query_end = match bytes.get(path_end) {
        Some(b'?') => run(bytes, path_end + 1, IS_QUERY, Component::Query, b"#")?,
        _ => path_end,
    };
    if bytes.get(query_end) == Some(&b'#') {
        run(bytes, query_end + 1, IS_QUERY, Component::Fragment, b"")?;
    }
    Ok(Parts {
        scheme_end: offset(scheme_end.unwrap_or(0)),
        authority,
        path_start: offset(path_start),
        path_end: offset(path_end),
        query_end: offset(query_end),
    })
}

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`: the index of its colon, or `None` for a relative reference.
fn scheme(bytes: &[u8]) -> Option<usize> {
    if !class::is(*bytes.first()?, IS_ALPHA) {
        return None;
    }
    let end = bytes.iter().position(|&byte| !class::is(byte, IS_SCHEME))?;
    (bytes[end] == b':').then_some(end)
}

/// `authority`, from `start` to the next `/`, `?`, `#` or the end. Returns its offsets and its end.
fn authority(bytes: &[u8], start: usize) -> Result<(AuthorityParts, usize), ParseError> {
    // `[` and `]` stand in no class, so userinfo and reg-name stop there; `:` and `@` are told apart afterwards.
    let first_end = run(bytes, start, IS_USERINFO, Component::Host, b"/?#@[")?;
    let (host_start, text_end) = if bytes.get(first_end) == Some(&b'@') {
        let host_start = first_end + 1;
        (host_start, run(bytes, host_start, IS_USERINFO, Component::Host, b"/?#[")?)
    } else {
        (start, first_end)
    };
    if bytes.get(text_end) == Some(&b'[') {
        return ip_literal(bytes, start, host_start, text_end);
    }
    let host_end = bytes[host_start..text_end]
        .iter()
        .position(|&byte| byte == b':')
        .map_or(text_end, |colon| host_start + colon);
    port(bytes, host_end, text_end)?;
    let host_kind =
        if ip::is_ipv4(&bytes[host_start..host_end]) { HostKind::Ipv4 } else { HostKind::RegName };
    Ok((parts(start, host_start, host_end, host_kind), text_end))
}

/// `IP-literal = "[" ( IPv6address / IPvFuture ) "]"` and the port after it. `open` is where the bracket stands.
fn ip_literal(
    bytes: &[u8],
    start: usize,
    host_start: usize,
    open: usize,
) -> Result<(AuthorityParts, usize), ParseError> {
    if open != host_start {
        return Err(ParseError::new(ErrorKind::UnexpectedCharacter, Component::Host, open));
    }
    let invalid = ParseError::new(ErrorKind::InvalidIpLiteral, Component::Host, open);
    let end = bytes[open..]
        .iter()
        .position(|byte| b"/?#".contains(byte))
        .map_or(bytes.len(), |length| open + length);
    let length = bytes[open..end].iter().position(|&byte| byte == b']').ok_or(invalid)?;
    let close = open + length;
    let literal = &bytes[open + 1..close];
    let host_kind = if ip::parse_ipv6(literal).is_some() {
        HostKind::Ipv6
    } else if is_ipv_future(literal) {
        HostKind::IpvFuture
    } else {
        return Err(invalid);
    };
    let host_end = close + 1;
    if host_end < end && bytes[host_end] != b':' {
        return Err(ParseError::new(ErrorKind::UnexpectedCharacter, Component::Host, host_end));
    }
    port(bytes, host_end, end)?;
    Ok((parts(start, host_start, host_end, host_kind), end))
}

/// `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
fn is_ipv_future(literal: &[u8]) -> bool {
    let Some((b'v' | b'V', rest)) = literal.split_first() else { return false };
    let Some(dot) = rest.iter().position(|&byte| byte == b'.') else { return false };
    let (version, address) = (&rest[..dot], &rest[dot + 1..]);
    !version.is_empty()
        && version.iter().all(|&byte| class::is(byte, IS_HEXDIG))
        && !address.is_empty()
        && address.iter().all(|&byte| class::is(byte, IS_USERINFO))
}

/// `port = *DIGIT` after the colon at `colon`, or nothing when `colon` is the end.
fn port(bytes: &[u8], colon: usize, end: usize) -> Result<(), ParseError> {
    let digits = bytes.get(colon + 1..end).unwrap_or_default();
    match digits.iter().position(|&byte| !class::is(byte, IS_DIGIT)) {
        None => Ok(()),
        Some(at) => {
            Err(ParseError::new(ErrorKind::UnexpectedCharacter, Component::Port, colon + 1 + at))
        }
    }
}

/// The path from `start`; with `noscheme`, its first segment holds no colon (rule `path-noscheme`).
fn path(bytes: &[u8], start: usize, noscheme: bool) -> Result<usize, ParseError> {
    let end = run(bytes, start, IS_PATH, Component::Path, b"?#")?;
    if noscheme {
        let first = bytes[start..end]
            .iter()
            .position(|&byte| byte == b'/')
            .map_or(end, |slash| start + slash);
        if let Some(at) = bytes[start..first].iter().position(|&byte| byte == b':') {
            return Err(ParseError::new(
                ErrorKind::ColonInFirstSegment,
                Component::Path,
                start + at,
            ));
        }
    }
    Ok(end)
}

/// Characters of a class and triplets, up to one of `stops` (which are not in the class) or the end.
fn run(
    bytes: &[u8],
    start: usize,
    flag: Flag,
    component: Component,
    stops: &[u8],
) -> Result<usize, ParseError> {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if class::is(byte, flag) {
            at += 1;
        } else if byte == b'%' {
            if !is_triplet(&bytes[at..]) {
                return Err(ParseError::new(ErrorKind::InvalidTriplet, component, at));
            }
            at += 3;
        } else if stops.contains(&byte) {
            return Ok(at);
        } else {
            return Err(ParseError::new(ErrorKind::UnexpectedCharacter, component, at));
        }
    }
    Ok(at)
}

/// `pct-encoded = "%" HEXDIG HEXDIG` at the start of `bytes`.
pub(crate) fn is_triplet(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if class::is(*high, IS_HEXDIG) && class::is(*low, IS_HEXDIG))
}

fn parts(start: usize, host_start: usize, host_end: usize, host_kind: HostKind) -> AuthorityParts {
    AuthorityParts {
        start: offset(start),
        host_start: offset(host_start),
        host_end: offset(host_end),
        host_kind,
    }
}

/// Offsets fit: the length was checked against `MAX_LEN` first.
fn offset(at: usize) -> u32 {
    at as u32
}
