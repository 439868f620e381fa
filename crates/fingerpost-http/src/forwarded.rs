//! The address of a client behind proxies.

use std::net::IpAddr;

use http::header::{HeaderMap, HeaderName};

use crate::Network;

/// `X-Forwarded-For`, to which each proxy adds the address of its client.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the address of the client, as the last trusted proxy reports it in `X-Forwarded-For`.
/// `peer` is the other end of the connection. What an untrusted host says is not read.
pub fn client_address(fields: &HeaderMap, peer: IpAddr, trusted: &[Network]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let lines = fields.get_all(FORWARDED_FOR).iter().rev().filter_map(|line| line.to_str().ok());
    let mut hops = lines.flat_map(|line| line.rsplit(','));
    let mut address = peer;
    while is_trusted(address) {
        match hops.next().and_then(|hop| hop.trim().parse().ok()) {
            Some(hop) => address = hop,
            None => break,
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.4: a client cannot choose its address, whatever it sends.
    #[test]
    fn only_trusted_proxies_are_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        for (peer, lines, expected) in [
            ("192.0.2.1", &["198.51.100.1"][..], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["nonsense"], "10.0.0.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
        ] {
            let mut fields = HeaderMap::new();
            for line in lines {
                fields.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let found = client_address(&fields, peer.parse().unwrap(), &trusted);
            assert_eq!(found.to_string(), expected, "{peer} {lines:?}");
        }
    }
}
