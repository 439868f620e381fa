//! Warnings about suspicious URIs (RFC 3986, section 7).
//!
//! None of these makes a URI invalid: a caller can ask for warnings about a valid one.

use core::fmt;

use crate::authority::Host;
use crate::uri_ref::UriRef;

/// A warning about a valid but suspicious URI.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum UriLint {
    /// The user information contains a password.
    Password,
    /// The user information looks like a host, as in `http://bank.example@evil.example/`.
    UserinfoLikeHost,
    /// The host is a name in the grammar, but careless software treats it as an IPv4 address, as in
    /// `http://2130706433/`.
    RareIpv4,
    /// The host is a name that is not possible in the DNS: a label over 63 characters, an empty
    /// one, or characters other than letters, digits, hyphens and underscores.
    NotDnsName,
    /// The triplets of the host are not UTF-8.
    HostNotUtf8,
    /// The port is written but empty, or is more than 65535.
    OddPort,
    /// A well-known port (below 1024) other than the usual one of a web scheme: software that
    /// connects to it could be made to speak another protocol.
    ForeignWellKnownPort,
    /// The scheme requires a host and there is none, as in `http:///x`: valid in the generic syntax, but an error in
    /// the scheme.
    MissingHost,
}

impl UriLint {
    const ALL: [Self; 8] = [
        Self::Password,
        Self::UserinfoLikeHost,
        Self::RareIpv4,
        Self::NotDnsName,
        Self::HostNotUtf8,
        Self::OddPort,
        Self::ForeignWellKnownPort,
        Self::MissingHost,
    ];

    /// Returns the machine-readable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Password => "PASSWORD",
            Self::UserinfoLikeHost => "USERINFO_LIKE_HOST",
            Self::RareIpv4 => "RARE_IPV4",
            Self::NotDnsName => "NOT_DNS_NAME",
            Self::HostNotUtf8 => "HOST_NOT_UTF8",
            Self::OddPort => "ODD_PORT",
            Self::ForeignWellKnownPort => "FOREIGN_WELL_KNOWN_PORT",
            Self::MissingHost => "MISSING_HOST",
        }
    }

    fn applies(self, uri: UriRef<'_>) -> bool {
        let Some(authority) = uri.authority() else {
            return self == Self::MissingHost && needs_host(uri);
        };
        let userinfo = authority.userinfo().map_or("", |userinfo| userinfo.as_str());
        let name = match authority.host() {
            Host::RegName(name) => Some(name),
            _ => None,
        };
        match self {
            Self::Password => {
                userinfo.split_once(':').is_some_and(|(_, password)| !password.is_empty())
            }
            Self::UserinfoLikeHost => {
                userinfo.split([':', '&', ';', ',']).next().is_some_and(|user| user.contains('.'))
            }
            Self::RareIpv4 => name.is_some() && authority.host().to_ipv4_lenient().is_some(),
            Self::NotDnsName => {
                name.is_some_and(|name| !name.is_empty() && !is_dns_name(name.as_str()))
            }
            Self::HostNotUtf8 => name.is_some_and(|name| name.decode_utf8().is_err()),
            Self::OddPort => authority.port().is_some() && authority.port_number().is_none(),
            Self::ForeignWellKnownPort => {
                let usual = match uri.scheme() {
                    Some(scheme) if scheme.eq_ignore_ascii_case("http") => 80,
                    Some(scheme) if scheme.eq_ignore_ascii_case("https") => 443,
                    _ => return false,
                };
                authority.port_number().is_some_and(|port| port < 1024 && port != usual)
            }
            Self::MissingHost => authority.host_text().is_empty() && needs_host(uri),
        }
    }
}

impl fmt::Display for UriLint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Password => "a password stands in the URI",
            Self::UserinfoLikeHost => {
                "what stands before the @ looks like a host, but is a user name"
            }
            Self::RareIpv4 => "the host is a name that some software takes for an IPv4 address",
            Self::NotDnsName => "the host is no name that the DNS could hold",
            Self::HostNotUtf8 => "the host has percent-encoded octets that are not UTF-8",
            Self::OddPort => "the port is empty or over 65535",
            Self::ForeignWellKnownPort => "the port belongs to another protocol",
            Self::MissingHost => "the scheme needs a host, and none stands here",
        })
    }
}

fn needs_host(uri: UriRef<'_>) -> bool {
    let schemes = ["http", "https", "ws", "wss", "ftp"];
    uri.scheme().is_some_and(|own| schemes.iter().any(|scheme| scheme.eq_ignore_ascii_case(own)))
}

/// Returns whether `name` consists of DNS labels: 1 to 63 letters, digits, hyphens and underscores,
/// at most 255 characters; a final dot is allowed and has a meaning.
fn is_dns_name(name: &str) -> bool {
    let labels = name.strip_suffix('.').unwrap_or(name);
    name.len() <= 255
        && labels.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

impl<'a> UriRef<'a> {
    /// Returns warnings about valid but suspicious parts of this reference.
    ///
    /// ```
    /// use fingerpost_uri::{UriLint, UriRef};
    ///
    /// let uri = UriRef::parse("ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm")?;
    /// assert!(uri.lints().any(|lint| lint == UriLint::UserinfoLikeHost));
    /// # Ok::<(), fingerpost_uri::ParseError>(())
    /// ```
    pub fn lints(self) -> impl Iterator<Item = UriLint> + 'a {
        UriLint::ALL.into_iter().filter(move |lint| lint.applies(self))
    }
}
