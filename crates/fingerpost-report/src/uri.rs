//! The components of a URI reference (RFC 3986, section 3), with warnings about suspicious parts
//! (section 7).

use fingerpost_identify::Finding;
use fingerpost_uri::{Authority, HostKind, ReferenceKind, Typed, UriRef};
use serde_json::{Value, json};

use crate::finding::{finding_json, notes, shown};

/// Returns the components of a URI reference as a JSON object, or why it is none.
pub fn uri_json(
    input: &Typed<'_>,
    parsed: &Result<UriRef<'_>, Finding>,
    show_passwords: bool,
) -> Value {
    let (text, notes) = (shown(input.text(), show_passwords), notes(input));
    let uri = match parsed {
        Err(finding) => {
            let faults = [finding_json(finding)];
            return json!({"input": text, "notes": notes, "valid": false, "faults": faults});
        }
        Ok(uri) => uri,
    };
    let authority = uri.authority();
    let userinfo = authority.and_then(Authority::userinfo).map(|userinfo| {
        let mut shown = shown_authority(&[userinfo.as_str(), "@"].concat(), show_passwords);
        shown.pop();
        shown
    });
    let lint =
        |lint: fingerpost_uri::UriLint| json!({"code": lint.code(), "message": lint.to_string()});
    json!({
        "input": text,
        "notes": notes,
        "valid": true,
        "faults": [],
        "kind": kind(*uri).0,
        "scheme": uri.scheme(),
        "authority": authority.map(|authority| shown_authority(authority.as_str(), show_passwords)),
        "userinfo": userinfo,
        "host": authority.map(Authority::host_text),
        "host_kind": authority.map(|authority| host_kind(authority).0),
        "port": authority.and_then(Authority::port),
        "path": uri.path().as_str(),
        "path_form": uri.path().form().as_str(),
        "query": uri.query().map(|query| query.as_str()),
        "fragment": uri.fragment().map(|fragment| fragment.as_str()),
        "lints": uri.lints().map(lint).collect::<Vec<_>>(),
    })
}

/// Returns the names of the kind of reference, for JSON and for text.
pub fn kind(uri: UriRef<'_>) -> (&'static str, &'static str) {
    match uri.kind() {
        ReferenceKind::Uri => ("uri", "URI"),
        ReferenceKind::NetworkPath => ("network-path", "network-path reference"),
        ReferenceKind::AbsolutePath => ("absolute-path", "absolute-path reference"),
        ReferenceKind::RelativePath => ("relative-path", "relative-path reference"),
    }
}

/// Returns the names of the kind of host, for JSON and for text.
pub fn host_kind(authority: Authority<'_>) -> (&'static str, &'static str) {
    match authority.host_kind() {
        HostKind::Ipv4 => ("ipv4", "IPv4 address"),
        HostKind::Ipv6 => ("ipv6", "IPv6 address"),
        HostKind::IpvFuture => ("ipvfuture", "IP address of a version to come"),
        HostKind::RegName => ("reg-name", "registered name"),
    }
}

/// Returns an authority as it is shown.
fn shown_authority(authority: &str, show_passwords: bool) -> String {
    let network_path = ["//", authority].concat();
    shown(&network_path, show_passwords)["//".len()..].to_owned()
}
