//! The authority and its parts (RFC 3986, section 3.2).
//!
//! `authority = [ userinfo "@" ] host [ ":" port ]`

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::error::ParseError;
use crate::ip;
use crate::parse::{self, AuthorityParts, HostKind};
use crate::percent::Encoded;

/// The part between `//` and the path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Authority<'a> {
    /// The whole reference, to which the offsets refer.
    text: &'a str,
    parts: AuthorityParts,
    end: u32,
}

impl<'a> Authority<'a> {
    pub(crate) const fn new(text: &'a str, parts: AuthorityParts, end: u32) -> Self {
        Self { text, parts, end }
    }

    /// Parses a standalone authority, such as `example.com:80`.
    ///
    /// ```
    /// use fingerpost_uri::Authority;
    ///
    /// let authority = Authority::parse("me@[2001:db8::1]:8080")?;
    /// assert_eq!((authority.host_text(), authority.port()), ("[2001:db8::1]", Some("8080")));
    /// assert!(Authority::parse("example.com/path").is_err());
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not an authority, or contains a delimiter that would end it.
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        let (parts, end) = parse::authority_alone(text).map_err(|error| error.in_text(text))?;
        Ok(Self::new(text, parts, end))
    }

    /// Returns its offsets in a text in which it starts at `start`.
    pub(crate) fn parts_at(self, start: u32) -> AuthorityParts {
        let AuthorityParts { start: old_start, host_start, host_end, host_kind } = self.parts;
        // Wraps only in a text that is too long to become a value.
        let moved = |at: u32| start.wrapping_add(at - old_start);
        AuthorityParts {
            start,
            host_start: moved(host_start),
            host_end: moved(host_end),
            host_kind,
        }
    }

    /// Returns the authority as written.
    pub fn as_str(self) -> &'a str {
        &self.text[self.parts.start as usize..self.end as usize]
    }

    /// Returns the user information; `None` without an `@`, possibly empty with one.
    pub fn userinfo(self) -> Option<Encoded<'a>> {
        let AuthorityParts { start, host_start, .. } = self.parts;
        (host_start > start)
            .then(|| Encoded::new(&self.text[start as usize..host_start as usize - 1]))
    }

    /// Returns the host as written, with the brackets of an IP literal.
    pub fn host_text(self) -> &'a str {
        &self.text[self.parts.host_start as usize..self.parts.host_end as usize]
    }

    /// Returns the host, classified.
    pub fn host(self) -> Host<'a> {
        let text = self.host_text();
        let literal = || text.trim_start_matches('[').trim_end_matches(']');
        match self.parts.host_kind {
            HostKind::Ipv4 => ip::parse_ipv4(text.as_bytes()).map(Host::Ipv4),
            HostKind::Ipv6 => ip::parse_ipv6(literal().as_bytes()).map(Host::Ipv6),
            HostKind::IpvFuture => Some(Host::IpvFuture(literal())),
            HostKind::RegName => None,
        }
        .unwrap_or(Host::RegName(Encoded::new(text)))
    }

    /// Returns which alternative of the grammar the host matched.
    pub const fn host_kind(self) -> HostKind {
        self.parts.host_kind
    }

    /// Returns the digits after the colon; `None` without a colon, possibly empty with one. The
    /// grammar sets no upper limit.
    pub fn port(self) -> Option<&'a str> {
        let AuthorityParts { host_end, .. } = self.parts;
        (host_end < self.end).then(|| &self.text[host_end as usize + 1..self.end as usize])
    }

    /// Returns the port as a number; `None` if it is missing, empty, or greater than 65535.
    pub fn port_number(self) -> Option<u16> {
        self.port()?.parse().ok()
    }
}

/// A host, classified by the first rule that matches (section 3.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Host<'a> {
    /// Four decimal numbers.
    Ipv4(Ipv4Addr),
    /// An IPv6 address, in brackets.
    Ipv6(Ipv6Addr),
    /// An address of a future version, without its brackets: `v1.…`.
    IpvFuture(&'a str),
    /// A name; possibly empty.
    RegName(Encoded<'a>),
}

impl Host<'_> {
    /// Returns the IPv4 address that careless software would connect to: also for names such as
    /// `2130706433`, `0x7f.1` or `%31%32%37.1`, which are not addresses in the grammar, and for
    /// IPv6 addresses that contain an IPv4 address. For filters.
    pub fn to_ipv4_lenient(self) -> Option<Ipv4Addr> {
        match self {
            Self::Ipv4(address) => Some(address),
            Self::Ipv6(address) => address.to_ipv4_mapped(),
            Self::IpvFuture(_) => None,
            Self::RegName(name) => {
                ip::parse_ipv4_lenient(name.decode_utf8().ok()?.trim_end_matches('.'))
            }
        }
    }
}
