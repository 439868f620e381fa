//! Checks of certificates: that they can be used, are valid now and for a while, name the host, and
//! that nobody else reads the key.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fingerpost_http::{Identity, TlsSource};
use jiff::{SignedDuration, Timestamp};

use super::findings::Findings;
use fingerpost_server::config::Config;

/// Renewal tools renew a month before the end, so less than this is a renewal that did not work.
const SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The part of its validity in which a certificate of a few days should have been renewed: tools do
/// that after half or two thirds.
const LAST_PART: i32 = 4;

/// Permissions of others than the owner and the group.
const OTHERS: u32 = 0o007;

/// Looks at the certificates of both listeners.
pub(super) fn examine(config: &Config, now: Timestamp, findings: &mut Findings) {
    let root = config.public.settings().root().host();
    let (host, _) = root.rsplit_once(':').unwrap_or((root, ""));
    // The default host is nobody's; that it is used is a finding about the configuration.
    let host = Some(host.trim_matches(['[', ']'])).filter(|_| !config.public.root_is_default());
    one("public certificate", config.public.tls(), host, now, findings);
    if config.admin.options().enabled {
        one("admin certificate", config.admin.tls(), None, now, findings);
    }
}

fn one(
    check: &'static str,
    source: Option<&TlsSource>,
    host: Option<&str>,
    now: Timestamp,
    findings: &mut Findings,
) {
    let Some(source) = source else { return };
    let (cert, key) = match source {
        TlsSource::Files { cert, key } => (cert, key),
        // Looked at once, for both listeners, where it is kept.
        TlsSource::Issued => return,
        TlsSource::SelfSigned => {
            let fix = "use a certificate of an authority for everything but tests";
            let found = "it is made at each start, and no browser trusts it";
            return findings.warning(check, found, fix);
        }
    };
    let identity = match Identity::load(source, "localhost") {
        Ok(identity) => identity,
        Err(error) => {
            let fix = "name the chain and the key that belong together, and let the user that runs the server read both";
            return findings.fault(check, error, fix);
        }
    };
    let presented = identity.presented();
    let file = cert.display();
    let Some(validity) = presented.validity() else {
        return findings.warning(
            check,
            format!("`{file}`: its validity cannot be read"),
            "renew it",
        );
    };
    let left = validity.not_after.duration_since(now);
    if now < validity.not_before {
        let fix = "correct the clock of this machine, or use the certificate that was valid before";
        findings.fault(check, format!("`{file}` is valid from {} on", validity.not_before), fix);
    } else if left.is_negative() {
        let fix = "renew it; the server reads changed files by itself";
        findings.fault(check, format!("`{file}` has expired at {}", validity.not_after), fix);
    } else if left < SOON.min(validity.not_after.duration_since(validity.not_before) / LAST_PART) {
        let fix = "see why it was not renewed; the server reads changed files by itself";
        findings.warning(check, format!("`{file}` expires at {}", validity.not_after), fix);
    } else {
        findings.good(check, format!("`{file}` is valid until {}", validity.not_after));
    }
    if let Some(host) = host.filter(|host| !presented.is_for(host)) {
        let fix = "get a certificate for the host of resolver_root, which is printed in codes";
        findings.warning(check, format!("`{file}` is not for the host `{host}`"), fix);
    }
    secrecy(check, key, findings);
}

/// Looks whether others can read the key.
pub(super) fn secrecy(check: &'static str, key: &Path, findings: &mut Findings) {
    let Ok(found) = key.metadata() else { return };
    if found.permissions().mode() & OTHERS != 0 {
        let key = key.display();
        let fix = format!("chmod o= {key}");
        findings.warning(
            check,
            format!("every user of this machine can read the key `{key}`"),
            fix,
        );
    }
}
