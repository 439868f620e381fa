//! The address of an admin listener: scheme, host and port (RFC 6454), which browsers call its
//! origin.

use std::fmt;

use fingerpost_uri::hide_password;
use ureq::http::Uri;

use super::origin::{is_loopback, origin};
use crate::failure::Failure;
use crate::text::printable;

/// A valid `https://host:port`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    text: String,
    tls: bool,
    loopback: bool,
}

impl Address {
    /// Parses an address as typed by a user.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let wrong = |expected: &str| {
            Failure::advise(
                format!("expected {expected}, found `{}`", printable(&hide_password(text))),
                "write the address that `fingerpost serve` prints: http://127.0.0.1:8081",
            )
        };
        let uri: Uri = text.parse().map_err(|_| wrong("an address"))?;
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(wrong("https:// or http:// before the host")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("a host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("no user before the host"));
        }
        if uri.path() != "/" || uri.query().is_some() {
            return Err(wrong("nothing behind host and port"));
        }
        let text = origin(&uri).ok_or_else(|| wrong("an address"))?;
        Ok(Self { text, tls, loopback: is_loopback(&uri) })
    }

    /// Returns the address without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the address is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Checks that a secret may be sent to this address: over TLS, within this machine, or because
    /// the user allowed it.
    pub fn check(&self, insecure: bool) -> Result<(), Failure> {
        if self.tls || self.loopback || insecure {
            return Ok(());
        }
        Err(Failure::advise(
            format!(
                "{self} is another machine without TLS: keys would cross the network in the clear"
            ),
            "use https://, a tunnel to this machine, or, if you know the network, --insecure",
        ))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn addresses_have_one_spelling_and_nothing_behind_the_port() {
        for (typed, text) in [
            ("HTTPS://Admin.Example.org:443/", "https://admin.example.org"),
            ("http://127.0.0.1:8081", "http://127.0.0.1:8081"),
            ("http://[::1]:8081/", "http://[::1]:8081"),
        ] {
            assert_eq!(Address::parse(typed).unwrap().as_str(), text);
        }
        let what = Address::parse("https://me:secret@a").unwrap_err().what;
        assert!(what.contains("me:***@a") && !what.contains("secret"), "{what}");
        for wrong in ["127.0.0.1:8081", "ftp://a", "https://a/v1", "https://u@a", "https://a?b", ""]
        {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_secret_crosses_no_network_in_the_clear() {
        let check = |text| Address::parse(text).unwrap().check(false).is_ok();
        assert!(
            check("http://localhost:1") && check("http://[::1]:1") && check("https://a.example")
        );
        assert!(!check("http://192.0.2.1:8081") && !check("http://a.example"));
        assert!(Address::parse("http://a.example").unwrap().check(true).is_ok());
    }
}
