//! A builder that cannot build an invalid URI (RFC 3986, sections 2.4, 3 and 5.3).
//!
//! It takes data, not encoded text, and encodes every character that is not unreserved, so
//! data can never become a delimiter. Only the scheme cannot be encoded; it is checked instead.

use alloc::string::String;
use core::net::IpAddr;

use crate::class::{self, IS_ALPHA, IS_SCHEME};
use crate::error::{Component, ErrorKind, ParseError};
use crate::owned::UriRefBuf;
use crate::percent;

/// Builds a URI reference from data.
///
/// ```
/// use fingerpost_uri::UriBuilder;
///
/// let uri = UriBuilder::new()
///     .scheme("https")?
///     .host("id.example.org")
///     .segments(["01", "09520123456788", "10", "A/B"])
///     .query_pair("linkType", "gs1:pip")
///     .build();
/// assert_eq!(uri.as_str(), "https://id.example.org/01/09520123456788/10/A%2FB?linkType=gs1%3Apip");
/// # Ok::<(), fingerpost_uri::ParseError>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct UriBuilder {
    scheme: String,
    userinfo: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    path: String,
    is_rootless: bool,
    query: Option<String>,
    fragment: Option<String>,
}

impl UriBuilder {
    /// Creates an empty reference.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the scheme.
    ///
    /// # Errors
    ///
    /// `scheme` is not a letter followed by letters, digits, `+`, `-` and `.`.
    pub fn scheme(mut self, scheme: &str) -> Result<Self, ParseError> {
        let wrong = scheme
            .bytes()
            .enumerate()
            .position(|(at, byte)| !class::is(byte, if at == 0 { IS_ALPHA } else { IS_SCHEME }));
        if let Some(at) = wrong.or(scheme.is_empty().then_some(0)) {
            let error = ParseError::new(ErrorKind::UnexpectedCharacter, Component::Scheme, at);
            return Err(error.in_text(scheme));
        }
        self.scheme = String::from(scheme);
        Ok(self)
    }

    /// Sets user information. It is written only together with a host.
    #[must_use]
    pub fn userinfo(mut self, userinfo: &str) -> Self {
        self.userinfo = Some(percent::encode(userinfo).into_owned());
        self
    }

    /// Sets the host to a name, possibly empty. A name in the form of an IPv4 address becomes that
    /// address.
    #[must_use]
    pub fn host(mut self, name: &str) -> Self {
        self.host = Some(percent::encode(name).into_owned());
        self
    }

    /// Sets the host to an address.
    #[must_use]
    pub fn address(mut self, address: IpAddr) -> Self {
        self.host = Some(match address {
            IpAddr::V4(address) => alloc::format!("{address}"),
            IpAddr::V6(address) => alloc::format!("[{address}]"),
        });
        self
    }

    /// Sets the port. It is written only together with a host.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets an absolute path. Every segment is data: a `/` in it is encoded.
    #[must_use]
    pub fn segments<'d>(mut self, segments: impl IntoIterator<Item = &'d str>) -> Self {
        self.path.clear();
        self.is_rootless = false;
        for segment in segments {
            self.path.push('/');
            self.path.push_str(&percent::encode(segment));
        }
        self
    }

    /// Sets a path that does not begin with a slash. If there is a host, a slash is added; else
    /// `./` is added before an empty first segment, which would make the path begin with a
    /// slash (RFC 3986, section 4.2).
    #[must_use]
    pub fn rootless<'d>(self, segments: impl IntoIterator<Item = &'d str>) -> Self {
        let mut builder = self.segments(segments);
        if builder.path.starts_with('/') {
            builder.path.remove(0);
        }
        builder.is_rootless = true;
        builder
    }

    /// Sets the query to data.
    #[must_use]
    pub fn query(mut self, query: &str) -> Self {
        self.query = Some(percent::encode(query).into_owned());
        self
    }

    /// Adds `name=value` to the query, after `&` if the query is not empty.
    #[must_use]
    pub fn query_pair(mut self, name: &str, value: &str) -> Self {
        let query = self.query.get_or_insert_default();
        if !query.is_empty() {
            query.push('&');
        }
        query.extend([&*percent::encode(name), "=", &*percent::encode(value)]);
        self
    }

    /// Sets the fragment to data.
    #[must_use]
    pub fn fragment(mut self, fragment: &str) -> Self {
        self.fragment = Some(percent::encode(fragment).into_owned());
        self
    }

    /// Returns the reference.
    ///
    /// # Panics
    ///
    /// The reference is longer than [`MAX_LEN`](crate::MAX_LEN).
    pub fn build(self) -> UriRefBuf {
        let mut out = self.scheme;
        if !out.is_empty() {
            out.push(':');
        }
        let has_host = self.host.is_some();
        if let Some(host) = self.host {
            out.push_str("//");
            self.userinfo.into_iter().for_each(|userinfo| out.extend([&*userinfo, "@"]));
            out.push_str(&host);
            self.port.into_iter().for_each(|port| out.push_str(&alloc::format!(":{port}")));
        }
        // A path after a host begins with a slash; one without a host does not begin with two.
        let begins_with_slash = self.path.starts_with('/');
        if has_host && !self.path.is_empty() && (self.is_rootless || !begins_with_slash) {
            out.push('/');
        } else if !has_host && self.is_rootless && begins_with_slash {
            out.push_str("./");
        } else if !has_host && self.path.starts_with("//") {
            out.push_str("/.");
        }
        out.push_str(&self.path);
        self.query.into_iter().for_each(|query| out.extend(["?", &*query]));
        self.fragment.into_iter().for_each(|fragment| out.extend(["#", &*fragment]));
        UriRefBuf::parse(out).expect("encoded components make a valid reference")
    }
}
