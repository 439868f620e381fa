//! Networks of trusted proxies in the notation of RFC 4632: `10.0.0.0/8`, `2001:db8::/32`, or one address.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A range of addresses with a common beginning.
///
/// ```
/// use fingerpost_public::Network;
///
/// let network: Network = "10.0.0.0/8".parse()?;
/// assert!(network.contains("10.1.2.3".parse()?));
/// assert!(!network.contains("11.0.0.1".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// A text that is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a network such as 10.0.0.0/8 or an address")]
pub struct NetworkError;

impl Network {
    /// Whether the address belongs to the network. An IPv4 address in IPv6 clothes counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let (own, asked, bits) = match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(asked)) => {
                (u128::from(own.to_bits()), u128::from(asked.to_bits()), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(asked)) => (own.to_bits(), asked.to_bits(), 128),
            _ => return false,
        };
        // A shift by the whole width would overflow: prefix 0 covers everything.
        self.prefix == 0 || (own ^ asked) >> (bits - u32::from(self.prefix)) == 0
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            None => (text, None),
            Some((address, prefix)) => (address, Some(prefix)),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => bits,
            Some(digits) => digits.parse().map_err(|_| NetworkError)?,
        };
        if prefix > bits { Err(NetworkError) } else { Ok(Self { address, prefix }) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
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
