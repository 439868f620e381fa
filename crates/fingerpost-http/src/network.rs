//! Networks of trusted proxies in the notation of RFC 4632: `10.0.0.0/8`, `2001:db8::/32`, or one
//! address; and the networks of clients, which are addresses with a common prefix.

use std::net::IpAddr;
use std::str::FromStr;

use fingerpost_options::FromLiteral;
use ipnet::IpNet;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

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
    /// Returns whether the network contains the address. An IPv4 address mapped to IPv6 counts as
    /// IPv4.
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

/// The length of a prefix, at most `MOST` bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixLength<const MOST: u8>(u8);

impl<const MOST: u8> PrefixLength<MOST> {
    /// Returns the number of bits.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl<'de, const MOST: u8> Deserialize<'de> for PrefixLength<MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = i64::deserialize(deserializer)?;
        let fits = u8::try_from(bits).ok().filter(|bits| *bits <= MOST);
        let wrong = || D::Error::custom(format_args!("expected 0 to {MOST}, found {bits}"));
        fits.map(Self).ok_or_else(wrong)
    }
}

impl<const MOST: u8> FromLiteral<u8> for PrefixLength<MOST> {
    fn from_literal(literal: u8) -> Self {
        Self(literal)
    }
}

/// The network of a client: its address without the bits after the prefix. An IPv4 address mapped
/// to IPv6 counts as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientNetwork(IpNet);

impl ClientNetwork {
    pub(crate) fn of(address: IpAddr, ipv4: PrefixLength<32>, ipv6: PrefixLength<128>) -> Self {
        let address = address.to_canonical();
        let prefix = if address.is_ipv4() { ipv4.get() } else { ipv6.get() };
        Self(IpNet::new(address, prefix).map_or(IpNet::from(address), |network| network.trunc()))
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

    #[test]
    fn clients_are_one_network_if_they_share_the_prefix() {
        let of = |address: &str, ipv4, ipv6| {
            let address = address.parse().expect("an address");
            ClientNetwork::of(address, PrefixLength(ipv4), PrefixLength(ipv6))
        };
        for (one, other, ipv4, ipv6, same) in [
            ("192.0.2.1", "192.0.2.2", 32, 64, false),
            ("192.0.2.1", "192.0.2.2", 24, 64, true),
            ("192.0.2.1", "198.51.100.2", 0, 64, true),
            ("192.0.2.1", "::ffff:192.0.2.1", 32, 64, true),
            ("2001:db8::1", "2001:db8::ffff:0:0:1", 32, 64, true),
            ("2001:db8::1", "2001:db8:0:1::1", 32, 64, false),
            ("2001:db8::1", "2001:db8:0:1::1", 32, 48, true),
            ("0.0.0.0", "::", 0, 0, false),
        ] {
            assert_eq!(of(one, ipv4, ipv6) == of(other, ipv4, ipv6), same, "{one} {other}");
        }
    }
}
