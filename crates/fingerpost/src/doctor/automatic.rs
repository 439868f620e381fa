//! Checks of the certificate that an authority issues: that it is there, is valid, names what is
//! configured, and is renewed.

use std::path::Path;

use fingerpost_acme::{CertificateState, Config as Acme, Folder};
use jiff::{SignedDuration, Timestamp};

use super::certificates::secrecy;
use super::findings::Findings;
use fingerpost_server::config::Config;

const CHECK: &str = "automatic certificate";

/// An attempt is over by then.
const ATTEMPT: SignedDuration = SignedDuration::from_hours(1);

/// What a look at this machine alone cannot find out.
const UNSEEN: &str = "whether its names and ports are reached from elsewhere is not checked";

/// Looks at the certificate, if a listener uses one.
pub(super) fn examine(config: &Config, data: &Path, now: Timestamp, findings: &mut Findings) {
    let Some(acme) = &config.acme else { return };
    let folder = Folder::of(data);
    let state = folder.state();
    let file = folder.certificate_path();
    let file = file.display();
    let certificate = match folder.certificate() {
        Ok(Some(certificate)) => certificate,
        Ok(None) => {
            let found =
                format!("there is none for {} yet{}", acme.names().join(", "), last(&state));
            return findings.fault(CHECK, found, advice(acme));
        }
        Err(error) => {
            let fix = "restart the server: it orders another one";
            return findings.fault(CHECK, error, fix);
        }
    };
    let Some(validity) = certificate.validity() else {
        return findings.fault(
            CHECK,
            format!("`{file}`: its validity cannot be read"),
            advice(acme),
        );
    };
    if let Some(name) = acme.names().iter().find(|name| !certificate.is_for(name)) {
        let found = format!("`{file}` is not for {name}{}", last(&state));
        findings.fault(CHECK, found, advice(acme));
    }
    let until = validity.not_after;
    if until <= now {
        let found = format!("`{file}` has expired at {until}{}", last(&state));
        findings.fault(CHECK, found, advice(acme));
    } else if state.failures > 0 {
        let found = format!("`{file}` is valid until {until}{}", last(&state));
        findings.warning(CHECK, found, advice(acme));
    } else if state.next_attempt.is_some_and(|next| next < now - ATTEMPT) {
        let found = format!("`{file}` is valid until {until}, and should have been renewed");
        findings.warning(CHECK, found, "see that the server runs, and what its log says");
    } else {
        findings.good(CHECK, format!("`{file}` is valid until {until}; {UNSEEN}"));
    }
    root_is_named(config, acme, findings);
    secrecy(CHECK, &folder.certificate_path(), findings);
}

/// Looks whether printed codes lead to a name of the certificate.
fn root_is_named(config: &Config, acme: &Acme, findings: &mut Findings) {
    let root = config.public.settings().root().host();
    let (host, _) = root.rsplit_once(':').unwrap_or((root, ""));
    let is_public = config.public.tls() == Some(&fingerpost_http::TlsSource::Issued);
    let is_named = acme.names().iter().any(|name| name.eq_ignore_ascii_case(host));
    if is_public && !is_named && !config.public.root_is_default() {
        let fix =
            "add it to acme.names: it is the host of resolver_root, which is printed in codes";
        findings.warning(CHECK, format!("it is not for the host `{host}`"), fix);
    }
}

/// Returns the result of the last attempt, if it failed.
fn last(state: &CertificateState) -> String {
    let Some(failed) = &state.last_failure else { return String::new() };
    let next = state.next_attempt.map(|next| format!(" (next attempt at {next})"));
    let next = next.unwrap_or_default();
    format!("; the last attempt failed at {}: {}{next}", failed.at, failed.reason)
}

fn advice(acme: &Acme) -> String {
    let port = match acme.challenge() {
        fingerpost_acme::Challenge::Http01 => "port 80 leads to http_redirect_listen",
        fingerpost_acme::Challenge::TlsAlpn01 => "port 443 leads to a listener with tls_acme",
    };
    format!(
        "see that the server runs, that each name of acme.names leads to it, and that {port}; {UNSEEN}"
    )
}
