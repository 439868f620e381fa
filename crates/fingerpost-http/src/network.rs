//! Networks of trusted proxies in the notation of RFC 4632: `10.0.0.0/8`, `2001:db8::/32`, or one address.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// A range of addresses with a common prefix.
///
/// ```
/// use fingerpost_http::Network;
///
/// let network: Network = "10.0.0.0/8".parse()?;
/// assert!(network.contains("10.1.2.3".parse()?));
/// assert!(!network.contains("11.0.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

/// The error for a text that is not a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a network such as 10.0.0.0/8 or an address")]
pub struct NetworkError;

impl Network {
    /// Returns whether the network contains the address. An IPv4 address mapped to IPv6 counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map(Self).map_err(|_| NetworkError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_what_begins_like_them() {
        let cases = [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.0.0.1", true),
            ("0.0.0.0/0", "192.0.2.1", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/33", "2001:db8:ffff::1", false),
        ];
        for (network, address, expected) in cases {
            let parsed: Network = network.parse().expect(network);
            assert_eq!(
                parsed.contains(address.parse().expect(address)),
                expected,
                "{network} {address}"
            );
        }
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "example.org", "10.0.0.0/", "::/129"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong:?}");
        }
    }
}
