//! Delivery at an SMTP server (RFC 5321), with TLS from the beginning (RFC 8314) or by STARTTLS
//! (RFC 3207), never without what is configured.

use std::fs;
use std::io;
use std::time::Duration;

use lettre::address::{Address, Envelope};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{SmtpTransport, Transport as _};
use serde::Deserialize;

use crate::config::{MailOptions, MailTls};
use crate::failure::Failure;

/// The file with the credentials.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialsFile {
    username: String,
    password: String,
}

/// An SMTP server.
pub(super) struct Smtp(SmtpTransport);

impl Smtp {
    pub(super) fn new(server: &str, options: &MailOptions) -> Result<Self, Failure> {
        let cannot = |what: String, next: &str| Failure::advise(what, next);
        let (host, port) = server.rsplit_once(':').unwrap_or((server, ""));
        let port = match (port, options.tls) {
            ("", MailTls::Tls) => 465,
            ("", _) => 587,
            (port, _) => port.parse().map_err(|_| {
                cannot(format!("mail.server has no port: {server:?}"), "write HOST or HOST:PORT")
            })?,
        };
        if options.tls == MailTls::None && !matches!(host, "localhost" | "127.0.0.1") {
            return Err(cannot(
                format!("mail.tls is none, but {host:?} is another machine"),
                "mails would cross the network unencrypted: set mail.tls to starttls or tls",
            ));
        }
        let tls = match options.tls {
            MailTls::None => Tls::None,
            MailTls::Starttls => Tls::Required(parameters(host, options)?),
            MailTls::Tls => Tls::Wrapper(parameters(host, options)?),
        };
        let mut builder =
            SmtpTransport::builder_dangerous(host).port(port).tls(tls).timeout(Some(TIMEOUT));
        if let Some(path) = &options.credentials_file {
            let next = "write username = \"…\" and password = \"…\", readable by the server only";
            let text = fs::read_to_string(path)
                .map_err(|error| cannot(format!("mail.credentials_file: {error}"), next))?;
            // The message of the parser quotes the line, which may be the password.
            let CredentialsFile { username, password } = toml::from_str(&text).map_err(|_| {
                cannot("mail.credentials_file is not TOML with these two keys".into(), next)
            })?;
            builder = builder.credentials(Credentials::new(username, password));
        }
        Ok(Self(builder.build()))
    }

    /// Sends a message. Errors contain the answer of the server, at most a line, without addresses.
    pub(super) fn send(&self, from: &str, to: &str, message: &str) -> io::Result<()> {
        let address = |text: &str| text.parse::<Address>().map_err(io::Error::other);
        let envelope = Envelope::new(Some(address(from)?), vec![address(to)?]);
        let envelope = envelope.map_err(io::Error::other)?;
        let sent = self.0.send_raw(&envelope, message.as_bytes());
        sent.map(drop).map_err(|error| {
            let kind = match error.status() {
                Some(code) => format!("the mail server answered {code}"),
                None if error.is_timeout() => "the mail server did not answer in time".to_owned(),
                None if error.is_tls() => "the mail server offers no TLS that we trust".to_owned(),
                None => format!("the mail server cannot be used: {error}"),
            };
            io::Error::other(kind)
        })
    }
}

/// Returns how certificates of the server are checked.
fn parameters(host: &str, options: &MailOptions) -> Result<TlsParameters, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::advise(format!("cannot use TLS for mails: {error}"), "check mail.ca_file")
    };
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(path) = &options.ca_file {
        let pem = fs::read(path).map_err(|error| wrong(&error))?;
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).map_err(|e| wrong(&e))?);
    }
    builder.build_rustls().map_err(|error| wrong(&error))
}

/// How long one step with the server may take.
const TIMEOUT: Duration = Duration::from_secs(30);
