//! HTTP and TLS (RES-2.2-1, RES-2.2-4).

use std::rc::Rc;

use crate::check::Check;
use crate::message::{Trial, WebRequest, WebResponse};
use crate::run::{Run, answer};
use crate::secure::TlsFault;
use crate::subject::is_loopback;

pub(super) const CHECKS: &[Check] = &[
    Check::shall("transport-answers", "2.2", &["RES-2.2-1"])
        .expects("Each request is answered with complete, valid HTTP within the limits of time and size.")
        .advice("Look for the request in the log of the server, and check certificates, timeouts and Content-Length."),
    Check::shall("transport-version", "2.2", &["RES-2.2-1"])
        .expects("Answers are HTTP/1.1 or later.")
        .advice("Enable HTTP/1.1 in the server or in the proxy in front of it."),
    Check::shall("transport-https", "2.2", &["RES-2.2-4"])
        .expects("The resolver answers over HTTPS.")
        .needs("a https URI, or a host other than this machine")
        .advice("Enable TLS in the server or in the proxy in front of it."),
    Check::shall("certificate-authority", "2.2; RFC 9110, 4.3.4", &["RES-2.2-4"])
        .expects("The certificate is signed by an authority that the client trusts.")
        .needs("a server that speaks TLS")
        .advice("Install a certificate of a public authority with its intermediate certificates; for a private authority use --cacert."),
    Check::shall("certificate-host", "2.2; RFC 9110, 4.3.4", &["RES-2.2-4"])
        .expects("The certificate is for the host of the URI.")
        .needs("a server that speaks TLS")
        .advice("Add the host name to the certificate (subjectAltName)."),
    Check::shall("certificate-validity", "2.2; RFC 5280, 4.1.2.5", &["RES-2.2-4"])
        .expects("The certificate has not expired, and is valid already.")
        .needs("a server that speaks TLS")
        .advice("Renew the certificate, and automate its renewal (ACME)."),
    Check::shall("http2-answers", "2.2; RFC 9113, 8", &["RES-2.2-1"])
        .expects("Answers over HTTP/2 have the status, Location, Content-Type, Link and Vary of those over HTTP/1.1.")
        .needs("a https URI whose server offers HTTP/2, with a valid certificate")
        .advice("Look for settings of the proxy that hold for one version only."),
];

/// The checks of a certificate, in the order in which a client judges them.
const CERTIFICATE: [&str; 3] =
    ["certificate-authority", "certificate-validity", "certificate-host"];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let authority = run.subject.origin.split_once("://").map(|(_, it)| it).unwrap_or_default();
    let has_port = authority.rsplit(']').next().is_some_and(|it| it.contains(':'));
    let https = match url.strip_prefix("http://") {
        // Where TLS would be is not known.
        Some(_) if is_loopback(&url) || has_port => return,
        Some(rest) => format!("https://{rest}"),
        None => url.clone(),
    };
    let found = run.handshake(&https);
    let request = WebRequest::get(&*https);
    let error = found.as_ref().err().map(|fault| fault.detail().to_owned());
    let nothing = || "the TLS handshake succeeded; no request was sent".to_owned();
    let response = Err(error.clone().unwrap_or_else(nothing));
    let trial = Rc::new(Trial { request, response });
    let wrong = match &found {
        Err(TlsFault::NoTls(_)) => {
            return run.expect("transport-https", &trial, false, error.unwrap_or_default());
        }
        Err(TlsFault::Authority(_)) => Some(CERTIFICATE[0]),
        Err(TlsFault::Validity(_)) => Some(CERTIFICATE[1]),
        Err(TlsFault::Host(_)) => Some(CERTIFICATE[2]),
        Ok(_) => None,
    };
    if wrong.is_some() && https == url {
        run.ignore_certificates();
    }
    run.expect("transport-https", &trial, true, "");
    match wrong {
        // A client does not look further after the first fault.
        Some(id) => run.expect(id, &trial, false, error.unwrap_or_default()),
        None => CERTIFICATE.into_iter().for_each(|id| run.expect(id, &trial, true, "")),
    }
    if found == Ok(true) && https == url {
        http2(run, &url);
    }
}

fn http2(run: &mut Run, url: &str) {
    let requests = [
        WebRequest::get(url),
        WebRequest::get(url).header("accept", super::linkset::JSON),
        WebRequest::get(format!("{url}/foo")),
        WebRequest::new("HEAD", url),
    ];
    for request in requests {
        let (_, one) = answer!(run, request.clone());
        let trial = run.send_over_http2(request);
        let result = match &trial.response {
            Err(error) => Err(format!("no answer: {error}")),
            Ok(two) => difference(&one, two).map_or(Ok(()), Err),
        };
        run.judge("http2-answers", &trial, result);
    }
}

fn difference(one: &WebResponse, two: &WebResponse) -> Option<String> {
    if one.status != two.status {
        return Some(format!("status {}, over HTTP/1.1 {}", two.status, one.status));
    }
    let names = ["location", "content-type", "link", "vary"];
    let name = names.into_iter().find(|it| one.joined(it) != two.joined(it))?;
    Some(format!("{name} {}, over HTTP/1.1 {}", two.joined(name), one.joined(name)))
}

/// Judges the version of HTTP of any answer.
pub(super) fn version(run: &mut Run, trial: &Rc<Trial>, response: &WebResponse) {
    run.expect("transport-version", trial, response.is_http_1_1, "HTTP/1.0 or earlier");
}
