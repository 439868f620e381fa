//! The table `acme` of the configuration, and its checks.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_options::{ConfigError, FromLiteral, Items, Period, options};
use serde::Deserialize;

use crate::limits::MAX_NAMES;

options! {
    /// A certificate from an authority that speaks ACME (RFC 8555), such as Let's Encrypt or one of your own: for the listeners with
    /// `tls_acme`, one certificate for all names, renewed in time. See [Certificates](../operations/certificates.md).
    pub struct AcmeOptions {
        /// Host names of the certificate. Each must lead to this server.
        names: Items<String>, example r#"["id.example.org"]"#;
        /// Whether you agree to the terms of service of the authority, which it requires.
        terms_agreed: bool = false;
        /// Addresses at which the authority can reach you about the account.
        contact: Items<String>, example r#"["admin@example.org"]"#;
        /// Address of the directory of the authority. Another authority gets another account.
        directory: String = "https://acme-v02.api.letsencrypt.org/directory";
        /// How the authority sees that the names lead here: `http-01`, by a request to port 80, which `http_redirect_listen` answers;
        /// `tls-alpn-01`, by a TLS connection to port 443, which the listeners with `tls_acme` answer.
        challenge: Challenge = "http-01";
        /// Certificate (PEM) of the authority that signed the certificate of the directory; by default those that this machine trusts.
        root: Option<PathBuf>, example r#""/etc/fingerpost/authority.pem""#;
        /// Profile of the certificate, of those that the authority offers.
        profile: Option<String>, example r#""shortlived""#;
        /// Key identifier of the account that you have at the authority already, if it requires one (external account binding).
        eab_kid: Option<String>, example r#""kid-1""#;
        /// File with the key of that account, in the form base64url. Read when the ACME account is created.
        eab_key_file: Option<PathBuf>, example r#""/etc/fingerpost/eab-key""#;
        /// Time until the next attempt after one that failed; it doubles with each further one, up to 6 hours.
        retry_delay: Period<1> = "1m";
    }
}

/// How an authority validates names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Challenge {
    /// By a request over HTTP (RFC 8555 section 8.3).
    #[serde(rename = "http-01")]
    Http01,
    /// By a TLS handshake (RFC 8737).
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
}

impl Challenge {
    /// Returns the name of its type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Http01 => "http-01",
            Self::TlsAlpn01 => "tls-alpn-01",
        }
    }
}

impl FromLiteral<&str> for Challenge {
    fn from_literal(literal: &str) -> Self {
        if literal == "http-01" { Self::Http01 } else { Self::TlsAlpn01 }
    }
}

/// Which listeners there are for the certificate, and for its challenges.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Whether the public side presents the certificate (`tls_acme`).
    pub public: bool,
    /// Whether the admin side presents it (`admin.tls_acme`).
    pub admin: bool,
    /// Whether there is a listener without TLS (`http_redirect_listen`).
    pub plain: bool,
}

/// The table `acme`, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    names: Vec<String>,
    options: AcmeOptions,
}

impl Config {
    /// Checks the options; returns `None` if no listener uses them.
    pub fn new(options: AcmeOptions, uses: Uses) -> Result<Option<Self>, ConfigError> {
        let fault =
            |key: &str, expected: String| Err(ConfigError::value(format!("acme.{key}"), expected));
        let mut names = options.names.to_vec();
        if !(uses.public || uses.admin) {
            return Ok(None);
        }
        if names.is_empty() || names.len() > MAX_NAMES {
            let expected = format!(
                "expected 1 to {MAX_NAMES} host names for the certificate, such as [\"id.example.org\"], found {}",
                names.len()
            );
            return fault("names", expected);
        }
        names.iter_mut().for_each(|name| name.make_ascii_lowercase());
        if let Some((name, why)) = names.iter().find_map(|name| Some((name, refused(name)?))) {
            return fault("names", format!("expected host names, found {name:?}: {why}"));
        }
        let directory = &options.directory;
        if !directory.starts_with("https://") {
            return fault("directory", format!("expected an https address, found {directory:?}"));
        }
        if !options.terms_agreed {
            let expected = format!(
                "expected true, by which you agree to the terms of service of the authority at {directory}: it issues no certificate \
                 without"
            );
            return fault("terms_agreed", expected);
        }
        if options.challenge == Challenge::Http01 && !uses.plain {
            let expected = "expected http_redirect_listen with http-01: the authority asks at port 80 without TLS; without such a \
                            listener, use tls-alpn-01";
            return fault("challenge", expected.to_owned());
        }
        if options.eab_kid.is_some() != options.eab_key_file.is_some() {
            return fault(
                "eab_kid",
                "expected acme.eab_kid and acme.eab_key_file together".to_owned(),
            );
        }
        if let Some(wrong) = options.contact.iter().find(|contact| !contact.contains('@')) {
            return fault("contact", format!("expected mail addresses, found {wrong:?}"));
        }
        Ok(Some(Self { names, options }))
    }

    /// Returns the names of the certificate.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the address of the directory of the authority.
    pub fn directory(&self) -> &str {
        &self.options.directory
    }

    /// Returns how the authority validates the names.
    pub fn challenge(&self) -> Challenge {
        self.options.challenge
    }

    pub(crate) fn root(&self) -> Option<&Path> {
        self.options.root.as_deref()
    }

    pub(crate) fn profile(&self) -> Option<&str> {
        self.options.profile.as_deref()
    }

    pub(crate) fn retry_delay(&self) -> Duration {
        self.options.retry_delay.get()
    }

    /// Returns the account at the authority to bind to, with the file of its key.
    pub(crate) fn binding(&self) -> Option<(&str, &Path)> {
        self.options.eab_kid.as_deref().zip(self.options.eab_key_file.as_deref())
    }

    /// Returns the contacts as URLs (RFC 8555 section 7.3).
    pub(crate) fn contacts(&self) -> Vec<String> {
        let url = |contact: &String| match contact.starts_with("mailto:") {
            true => contact.clone(),
            false => format!("mailto:{contact}"),
        };
        self.options.contact.iter().map(url).collect()
    }
}

/// Returns why no certificate can be had for a name in this way; `None` if one can.
fn refused(name: &str) -> Option<&'static str> {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.starts_with("*.") {
        Some(
            "a certificate for all names below another needs a challenge over DNS, which fingerpost does not offer",
        )
    } else if name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
        Some("certificates for addresses are not offered")
    } else if !name.is_ascii() {
        Some("write it in its ASCII form, which begins with xn--")
    } else if name.len() > 253 || !name.split('.').all(is_label) {
        Some("it is no host name")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_options::{Document, Section};

    use super::*;

    const ALL: Uses = Uses { public: true, admin: true, plain: true };

    fn read(text: &str, uses: Uses) -> Result<Option<Config>, ConfigError> {
        let sections = [Section::of::<AcmeOptions>("acme")];
        let document = Document::parse("configuration", &format!("[acme]\n{text}"), &sections)?;
        Config::new(document.read("acme")?, uses)
    }

    #[track_caller]
    fn error(text: &str, uses: Uses) -> String {
        read(text, uses).expect_err(text).to_string()
    }

    #[test]
    fn an_authority_is_asked_only_for_a_listener_that_uses_it() {
        assert_eq!(read("", Uses::default()).unwrap(), None);
        let fine = "names = [\"ID.example.org\"]\nterms_agreed = true\ncontact = [\"a@b.example\"]";
        let config = read(fine, ALL).unwrap().expect("used");
        assert_eq!(config.names(), ["id.example.org"]);
        assert_eq!(config.contacts(), ["mailto:a@b.example"]);
        assert_eq!(config.challenge(), Challenge::Http01);
        assert_eq!(read(fine, Uses::default()).unwrap(), None);
        assert!(error("", ALL).contains("expected 1 to 100 host names"));
    }

    #[test]
    fn the_terms_are_agreed_by_the_operator() {
        let error = error("names = \"a.example\"", ALL);
        assert!(error.contains("acme.terms_agreed: expected true, by which you agree"), "{error}");
        assert!(error.contains("letsencrypt.org"), "{error}");
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let with = |text: &str| format!("names = \"a.example\"\nterms_agreed = true\n{text}");
        let no_plain = Uses { plain: false, ..ALL };
        assert!(error(&with(""), no_plain).contains("use tls-alpn-01"));
        read(&with("challenge = \"tls-alpn-01\""), no_plain).expect("needs no plain listener");
        for (text, told) in [
            ("eab_kid = \"a\"", "together"),
            ("contact = [\"nobody\"]", "mail addresses"),
            ("directory = \"http://a.example\"", "https address"),
            ("challenge = \"dns-01\"", "challenge"),
            ("retry_delay = \"0s\"", "retry_delay"),
        ] {
            assert!(error(&with(text), ALL).contains(told), "{}", error(&with(text), ALL));
        }
        for (name, told) in [
            ("*.example.org", "over DNS"),
            ("192.0.2.1", "for addresses"),
            ("2001:db8::1", "for addresses"),
            ("bücher.example", "xn--"),
            ("a..b", "no host name"),
            ("a.example.", "no host name"),
            ("-a.example", "no host name"),
            ("a_b.example", "no host name"),
            ("a.example:443", "no host name"),
            ("", "no host name"),
        ] {
            let text = format!("names = [{name:?}]\nterms_agreed = true");
            assert!(error(&text, ALL).contains(told), "{name}: {}", error(&text, ALL));
        }
    }
}
