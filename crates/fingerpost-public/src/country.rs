//! The country of a client: from a header that a trusted proxy writes, or from its address. The
//! address is used while the request is answered, and neither stored nor logged.

use std::fmt;
use std::net::IpAddr;

use fingerpost_http::{Network, client_address};
use fingerpost_insight::CountryCode;
use http::header::{HeaderMap, HeaderName};

use crate::config::{Config, CountrySource};

/// Finds the country of an address.
pub trait FindCountry: fmt::Debug + Send + Sync {
    /// Returns the country of an address, if it is known. It must not wait: it is called on the
    /// thread of the request.
    fn country_of(&self, address: IpAddr) -> Option<CountryCode>;
}

/// The code that Cloudflare and others send for a country that they do not know, which ISO 3166-1
/// leaves to its users.
const UNKNOWN: &str = "XX";

/// Returns the country of a client, if it is known.
pub(crate) fn of(
    config: &Config,
    countries: Option<&dyn FindCountry>,
    fields: &HeaderMap,
    peer: Option<IpAddr>,
) -> Option<CountryCode> {
    let trusted = config.trusted_proxies();
    match config.country()? {
        CountrySource::Header(name) => of_header(name, fields, peer, trusted),
        CountrySource::Database(_) => of_address(countries?, fields, peer, trusted),
    }
}

/// Returns the country that a proxy reports in a header. It is believed only from a trusted proxy,
/// and only if it is there once: two lines can be one of the proxy and one of the client.
fn of_header(
    name: &HeaderName,
    fields: &HeaderMap,
    peer: Option<IpAddr>,
    trusted: &[Network],
) -> Option<CountryCode> {
    let peer = peer?;
    if !trusted.iter().any(|network| network.contains(peer)) {
        return None;
    }
    let mut lines = fields.get_all(name).iter();
    let (line, None) = (lines.next()?, lines.next()) else { return None };
    let code = line.to_str().ok()?.trim().to_ascii_uppercase();
    code.parse().ok().filter(|_| code != UNKNOWN)
}

/// Returns the country of the client address.
fn of_address(
    countries: &dyn FindCountry,
    fields: &HeaderMap,
    peer: Option<IpAddr>,
    trusted: &[Network],
) -> Option<CountryCode> {
    countries.country_of(client_address(fields, peer?, trusted).to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.4: a forged header from an untrusted client has no effect.
    #[test]
    fn only_one_line_of_a_trusted_proxy_is_believed() {
        let trusted = ["10.0.0.0/8".parse().unwrap()];
        let name = HeaderName::from_static("cf-ipcountry");
        for (peer, lines, expected) in [
            (Some("10.0.0.1"), &["CA"][..], Some("CA")),
            (Some("10.0.0.1"), &["ca"], Some("CA")),
            (Some("192.0.2.1"), &["CA"], None),
            (None, &["CA"], None),
            (Some("10.0.0.1"), &["CA", "BE"], None),
            (Some("10.0.0.1"), &["CA, BE"], None),
            (Some("10.0.0.1"), &["XX"], None),
            (Some("10.0.0.1"), &["T1"], None),
            (Some("10.0.0.1"), &[""], None),
            (Some("10.0.0.1"), &[], None),
        ] {
            let mut fields = HeaderMap::new();
            for line in lines {
                fields.append(&name, line.parse().unwrap());
            }
            let peer = peer.map(|peer| peer.parse().unwrap());
            let found = of_header(&name, &fields, peer, &trusted);
            let found = found.map(|code| code.to_string());
            assert_eq!(found.as_deref(), expected, "{peer:?} {lines:?}");
        }
    }
}
