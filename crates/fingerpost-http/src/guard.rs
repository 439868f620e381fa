//! The address guard of outgoing connections: which addresses a connection to a host that somebody
//! else chose may reach.
//!
//! A name is resolved once for each connection, its addresses are filtered, and the socket connects
//! to an address that remains. So neither a name with a private address, nor a redirect to one, nor
//! a name whose address changes between a check and the connection (DNS rebinding) reaches a
//! private network. Refused are all addresses that are not globally reachable (the special-purpose
//! registries of RFC 6890), including those of metadata services, and the listeners of this server.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use crate::Network;
use crate::limits::MAX_RESOLVED_ADDRESSES;

/// Looks up the addresses of a name, in place of the resolver of the system.
type Names = Arc<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

/// Decides which addresses outgoing connections may reach.
///
/// ```
/// use fingerpost_http::AddressGuard;
///
/// let guard = AddressGuard::new(vec!["10.1.0.0/16".parse()?]);
/// assert!(guard.permits("93.184.215.14:443".parse()?));
/// assert!(guard.permits("10.1.2.3:443".parse()?));
/// for refused in ["10.2.0.1:443", "127.0.0.1:80", "169.254.169.254:80", "[::ffff:127.0.0.1]:80"] {
///     assert!(!guard.permits(refused.parse()?));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct AddressGuard {
    allowed: Vec<Network>,
    own: Vec<SocketAddr>,
    names: Option<Names>,
}

impl AddressGuard {
    /// Creates a guard that permits globally reachable addresses, and these networks.
    pub fn new(allowed: Vec<Network>) -> Self {
        Self { allowed, ..Self::default() }
    }

    /// Refuses the addresses of these listeners, also in permitted networks. An unspecified address
    /// stands for every address of this machine.
    #[must_use]
    pub fn refusing(self, own: Vec<SocketAddr>) -> Self {
        Self { own, ..self }
    }

    /// Looks names up with a function, for tests and measurements.
    #[must_use]
    pub fn with_names(self, names: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Self {
        Self { names: Some(Arc::new(names)), ..self }
    }

    /// Returns whether a connection may reach an address.
    pub fn permits(&self, address: SocketAddr) -> bool {
        let ip = address.ip().to_canonical();
        let allowed = is_global(ip) || self.allowed.iter().any(|network| network.contains(ip));
        allowed && !self.own.iter().any(|own| is_own(*own, SocketAddr::new(ip, address.port())))
    }

    /// Resolves a host, a name or an address, and returns the addresses that a connection may
    /// reach; none if it may reach none of them.
    ///
    /// # Errors
    ///
    /// If the name cannot be resolved.
    pub async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let found: Vec<SocketAddr> = match (literal, &self.names) {
            (Ok(ip), _) => vec![SocketAddr::new(ip, port)],
            (Err(_), Some(names)) => {
                names(host).into_iter().map(|ip| SocketAddr::new(ip, port)).collect()
            }
            (Err(_), None) => tokio::net::lookup_host((host, port)).await?.collect(),
        };
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        let permitted = found.into_iter().filter(|address| self.permits(*address));
        Ok(permitted.take(MAX_RESOLVED_ADDRESSES).collect())
    }
}

impl fmt::Debug for AddressGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AddressGuard");
        shown.field("allowed", &self.allowed).field("own", &self.own).finish_non_exhaustive()
    }
}

/// Returns whether an address is that of a listener. A socket can be bound to the addresses of this
/// machine only, which tells them from others.
fn is_own(own: SocketAddr, address: SocketAddr) -> bool {
    own.port() == address.port()
        && match own.ip().to_canonical() {
            ip if ip.is_unspecified() => UdpSocket::bind((address.ip(), 0)).is_ok(),
            ip => ip == address.ip(),
        }
}

/// Returns whether an address is globally reachable.
fn is_global(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => is_global_v4(ip),
        IpAddr::V6(ip) => is_global_v6(ip),
    }
}

fn is_global_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || a == 0
        || (a == 100 && b & 0xC0 == 64) // shared with carriers (RFC 6598)
        || (a == 192 && b == 0 && c == 0) // protocol assignments
        || (a == 192 && b == 88 && c == 99) // relays of 6to4
        || (a == 198 && b & 0xFE == 18) // benchmarks (RFC 2544)
        || a >= 224) // multicast, reserved, broadcast
}

fn is_global_v6(ip: Ipv6Addr) -> bool {
    match ip.segments() {
        // Translated to IPv4 by NAT64 (RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
            is_global_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Protocol assignments and tunnels, which contain addresses of IPv4; documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000, // global unicast, 2000::/3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits(guard: &AddressGuard, address: &str) -> bool {
        guard.permits(address.parse().expect(address))
    }

    #[test]
    fn only_globally_reachable_addresses_are_permitted() {
        let guard = AddressGuard::default();
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::127.0.0.1]",
            "[64:ff9b::10.0.0.1]",
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b:1::1]",
            "[100::1]",
            "[2001::1]",
            "[2001:db8::1]",
            "[2002:7f00:1::]",
            "[3fff::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[fe80::1]",
            "[fec0::1]",
            "[ff02::1]",
        ] {
            assert!(!permits(&guard, &format!("{address}:80")), "{address}");
        }
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "[2606:4700::1111]",
            "[64:ff9b::1.1.1.1]",
            "[::ffff:1.1.1.1]",
            "[2001:4860:4860::8888]",
        ] {
            assert!(permits(&guard, &format!("{address}:80")), "{address}");
        }
    }

    #[test]
    fn networks_can_be_allowed_but_never_the_own_listeners() {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]);
        assert!(permits(&guard, "127.0.0.1:8080"));
        assert!(permits(&guard, "[::ffff:127.0.0.1]:8080"));
        assert!(!permits(&guard, "10.0.0.1:8080"));
        let own = vec!["0.0.0.0:8080".parse().unwrap(), "127.0.0.7:9090".parse().unwrap()];
        let guard = guard.refusing(own);
        assert!(!permits(&guard, "127.0.0.1:8080"), "every address of this machine");
        assert!(!permits(&guard, "[::ffff:127.0.0.1]:8080"));
        assert!(permits(&guard, "127.0.0.1:8081"));
        assert!(!permits(&guard, "127.0.0.7:9090"));
        assert!(permits(&guard, "127.0.0.8:9090"));
        assert!(permits(&guard, "1.1.1.1:8080"), "another machine");
    }
}
