//! The hosts that the links of an organisation may lead to, which an operator sets against links to
//! anywhere. Every write of the registry is checked, by any caller.

use fingerpost_resolver::{Entry, ResolverRoot, ascii_host};

use crate::Organisation;
use crate::fault::Fault;
use crate::limits::{MAX_HOST_BYTES, MAX_TARGET_HOSTS};

/// Checks the hosts of a request: names, or `*.` and a name for all names below it. Returns them in
/// lower case and Punycode.
pub(crate) fn checked(given: &[String], faults: &mut Vec<Fault>) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    if given.len() > MAX_TARGET_HOSTS {
        let detail = format!("at most {MAX_TARGET_HOSTS} are allowed, not {}", given.len());
        faults.push(Fault::new("/targetHosts", "size", detail));
    }
    for (index, text) in given.iter().take(MAX_TARGET_HOSTS).enumerate() {
        let text = text.trim();
        let (wildcard, name) = text.strip_prefix("*.").map_or(("", text), |name| ("*.", name));
        let is_label = |label: &str| {
            !label.is_empty()
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let name = ascii_host(name).map(|name| name.to_ascii_lowercase());
        match name.filter(|name| name.len() <= MAX_HOST_BYTES && name.split('.').all(is_label)) {
            Some(name) => hosts.push([wildcard, &name].concat()),
            None => {
                let detail = "host must be a name such as www.example.com, or *.example.com for all names below it";
                faults.push(Fault::new(format!("/targetHosts/{index}"), "targetHosts", detail));
            }
        }
    }
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// Returns faults for the links of a record that lead elsewhere than its organisation allows. Links
/// to this resolver are always allowed, because items have successors.
pub(crate) fn faults(
    entry: &Entry,
    owner: Option<&Organisation>,
    root: Option<&ResolverRoot>,
) -> Vec<Fault> {
    let Some(owner) = owner.filter(|owner| !owner.target_hosts.is_empty()) else {
        return Vec::new();
    };
    let own = root.map(|root| host_of(root.origin()));
    let others = entry.links().filter(|link| {
        let host = host_of(link.href());
        own != Some(host) && !owner.target_hosts.iter().any(|allowed| allows(allowed, host))
    });
    let fault = |link: fingerpost_resolver::Link<'_>| {
        let detail = format!(
            "links of {} can lead to {}, not to {}; an administrator of the installation can change the allowed hosts",
            owner.name,
            owner.target_hosts.join(", "),
            host_of(link.href())
        );
        Fault::new(format!("/links/{}/href", link.index()), "targetHosts", detail)
    };
    others.map(fault).collect()
}

fn allows(allowed: &str, host: &str) -> bool {
    let Some(above) = allowed.strip_prefix('*') else { return allowed.eq_ignore_ascii_case(host) };
    let start = host.len().saturating_sub(above.len());
    start > 0 && host.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(above))
}

/// Returns the host of a target, possibly a template, without the port; empty if it has none.
pub(crate) fn host_of(href: &str) -> &str {
    let Some((_, rest)) = href.split_once("://") else { return "" };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (name, port) = authority.rsplit_once(':').unwrap_or((authority, ""));
    if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { authority }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_all_names_below_one() {
        let mut faults = Vec::new();
        let given = ["Example.com", " *.BÜCHER.example ", "example.com"].map(str::to_owned);
        assert_eq!(checked(&given, &mut faults), ["*.xn--bcher-kva.example", "example.com"]);
        assert_eq!(faults, []);
        for wrong in
            ["", "*", "*.", "https://example.com", "example.com:8443", "a..b", "a.*.b", "a/b"]
        {
            let mut faults = Vec::new();
            assert!(checked(&[wrong.to_owned()], &mut faults).is_empty(), "{wrong}");
            assert_eq!(faults.len(), 1, "{wrong}");
        }
    }

    #[test]
    fn a_wildcard_covers_names_below_only() {
        for (allowed, host, expected) in [
            ("example.com", "EXAMPLE.com", true),
            ("example.com", "www.example.com", false),
            ("*.example.com", "www.example.com", true),
            ("*.example.com", "a.b.Example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "badexample.com", false),
            ("*.example.com", ".example.com", false),
            ("example.com", "", false),
        ] {
            assert_eq!(allows(allowed, host), expected, "{allowed} {host}");
        }
    }
}
