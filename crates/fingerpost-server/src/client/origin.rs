//! The origin of a web address: scheme, host and port (RFC 6454).

use std::net::IpAddr;

use ureq::http::Uri;

/// Returns the origin of an address in one spelling: in lower case, without a default port; `None`
/// if it is no web address.
pub fn origin(uri: &Uri) -> Option<String> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let standard = match &*scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let authority = uri.authority()?;
    let host = authority.host().to_ascii_lowercase();
    let port = authority.port_u16().filter(|port| *port != standard);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{scheme}://{host}{port}"))
}

/// Returns whether an address is on this machine.
pub fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}
