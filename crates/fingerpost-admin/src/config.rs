//! The configuration of the admin listener: the table `admin`, validated when read.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use fingerpost_http::{Limits, Network, TlsKeys, TlsSource};
use fingerpost_options::{ByteSize, ConfigError, Count, Document, Items, Period, Section, options};
use fingerpost_registry::{Quotas, Role};
use fingerpost_resolver::{Settings, Vocabulary};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::limits::{MAX_TERMS_BYTES, MAX_TERMS_VERSION};

options! {
    /// The listener on which links are registered ([`admin-api.md`](admin-api.md)); it shares
    /// nothing with the public side but the store.
    pub struct AdminOptions {
        /// Whether there is an admin listener.
        enabled: bool = true;
        /// Its addresses and ports. By default only this machine can connect; other addresses need
        /// TLS, or `admin.insecure`.
        listen: Items<SocketAddr> = ["127.0.0.1:8081"];
        /// Certificate chain (PEM) of this listener, read again when the file changes.
        tls_cert: Option<PathBuf>, example r#""/etc/fingerpost/admin-chain.pem""#;
        /// Private key (PEM) of that certificate.
        tls_key: Option<PathBuf>, example r#""/etc/fingerpost/admin-key.pem""#;
        /// Use the certificate from a certificate authority ([`acme`](#certificates),
        /// [guide](../operations/certificates.md)).
        tls_acme: bool = false;
        /// Create a certificate at start, for development only.
        tls_self_signed: bool = false;
        /// Whether other machines can connect without TLS. Set it only behind a front end that
        /// terminates TLS, because keys and passwords cross the network unencrypted otherwise.
        insecure: bool = false;
        /// Origins at which browsers reach this listener, besides its own addresses. An identity
        /// provider redirects users to the first one.
        origins: Items<String>, example r#"["https://admin.example.org"]"#;
        /// Concurrent connections; one more closes the connection that has been idle longest. Each
        /// connection can hold a request body of several MiB.
        max_connections: Count = 512;
        /// Largest file that can be imported with one request. It is stored in the data directory
        /// until the import has ended.
        max_import_bytes: ByteSize<1> = "1 GiB";
        /// Concurrent calls of one caller, a user or an API key, out of 64 for all callers; one of
        /// them may be a list or a batch. A call that computes for more than a millisecond is
        /// followed by a pause of the same length. More calls wait, and get 429 after 10 s. This
        /// and the next three do not limit callers with a role in the whole installation.
        caller_calls: Count = 2;
        /// Concurrent calls of all callers with a role in one organisation: with 2, one
        /// organisation keeps about one core busy.
        organisation_calls: Count = 2;
        /// Requests of one caller per second, on average, with bursts of five seconds. More
        /// requests get 429.
        caller_rate: Count = 100;
        /// Requests of all callers with a role in one organisation per second, in the same way.
        organisation_rate: Count = 200;
        /// Maximum lifetime of a browser session.
        session_lifetime: Period<1> = "12h";
        /// Time without a request after which a browser session ends.
        session_idle: Period<1> = "1h";
        /// Maximum number of levels with a record of an organisation without its own quota. Absent:
        /// no limit.
        quota_levels: Option<Count>, example "100000";
        /// Maximum number of bytes of these records, as stored. Absent: no limit; `quotas` of an
        /// organisation take precedence.
        quota_bytes: Option<Count>, example "100000000";
        /// Maximum number of API keys that are not revoked, with the same precedence.
        quota_keys: Option<Count>, example "100";
        /// Maximum number of waiting proposals, with the same precedence.
        quota_proposals: Option<Count>, example "100";
        /// Whether administrators who sign in with a password must have a second factor; without
        /// one they can only set it up. API keys are not affected. See
        /// [Accounts](../operations/accounts.md#second-factor).
        require_second_factor: bool = false;
        /// Time for which an invitation can be accepted. See
        /// [Running a resolver for others](../guides/resolver-for-others.md).
        invitation_lifetime: Period<1> = "72h";
        /// Time for which the link in a mail resets a password.
        reset_lifetime: Period<1> = "1h";
        /// Version of the terms that members accept at their first sign-in, and again when it
        /// changes; at most 100 characters. Needs `terms_url` or `terms_file`. Absent: there are no
        /// terms.
        terms_version: Option<String>, example r#""2026-01""#;
        /// Page with the terms, `https://`, which the console links.
        terms_url: Option<String>, example r#""https://example.org/terms""#;
        /// File with the terms as plain text, at most 64 KiB, which the console shows. Read at start.
        terms_file: Option<PathBuf>, example r#""terms.txt""#;
        /// Days for which replaced states of levels are kept. Absent: without limit. The audit log
        /// is always kept.
        history_days: Option<Count>, example "3650";
        /// Sign-in by OpenID Connect, in builds with the feature `oidc`; others refuse to start
        /// with it. See [Single sign-on](../operations/single-sign-on.md).
        oidc: Option<OidcOptions>,
            example r#"{ issuer = "https://login.example.org", client_id = "fingerpost", client_secret_file = "/etc/fingerpost/oidc-secret", scopes = ["profile", "email", "groups"], claim = "groups", roles = { "gs1-admins" = [{ organisation = "installation", role = "admin" }] } }"#;
    }
}

options! {
    /// The keys of `admin.oidc`.
    pub struct OidcOptions {
        /// Address of the provider, exactly as its description names it; `https://`, except on this
        /// machine. Required.
        issuer: String;
        /// The client id of this server at the provider. Required.
        client_id: String;
        /// File with the secret shared with the provider, read at start. Absent: a public client.
        /// PKCE is always used.
        client_secret_file: Option<PathBuf>;
        /// Scopes to request besides `openid`. With `openid` alone, most providers send no name.
        scopes: Items<String> = ["profile", "email"];
        /// Claim that determines the roles of a user, from the ID token or else from the UserInfo
        /// endpoint: a text or a list of texts. `/realm_access/roles` names a member of an object.
        claim: String = "groups";
        /// Roles that each value of the claim grants: a role (`reader`, `editor`, `approver`,
        /// `admin`) in an organisation, by its id, or in the whole `installation`. Users with none
        /// of the values cannot sign in.
        roles: BTreeMap<String, Vec<OidcGrant>>;
        /// Days for which the API keys of a user stay valid after a sign-in with the provider,
        /// which reports nothing about users who left. The next sign-in makes them valid again.
        key_days: Count = 30;
    }
}

/// The role that a value of the claim grants.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcGrant {
    /// Id of an organisation, or `installation` for all of them.
    pub organisation: String,
    /// `reader`, `editor`, `approver` or `admin`.
    pub role: Role,
}

/// The configuration that the admin side shares with the rest of the installation.
#[derive(Clone, Debug)]
pub struct Site {
    /// The settings that the resolver decides by.
    pub settings: Settings,
    /// The vocabulary that records are checked against.
    pub vocabulary: Vocabulary,
    /// Whether the address of the resolver is not configured.
    pub root_is_default: bool,
    /// Networks of proxies that are trusted about the address of a client.
    pub trusted_proxies: Vec<Network>,
    /// The limits of one request or connection.
    pub limits: Limits,
}

/// The validated configuration of the admin side.
#[derive(Clone, Debug)]
pub struct Config {
    site: Site,
    options: AdminOptions,
    tls: Option<TlsSource>,
    terms: Option<Terms>,
}

impl Config {
    /// Returns the sections of the admin side, each with its title.
    pub fn sections() -> [(&'static str, Section); 2] {
        [
            ("Admin", Section::of::<AdminOptions>("admin")),
            ("Sign-in by a provider", Section::of::<OidcOptions>("admin.oidc")),
        ]
    }

    /// Reads the configuration of the admin side from a document with its
    /// [sections](Config::sections) and others.
    pub fn read(document: &Document, site: Site) -> Result<Self, ConfigError> {
        Self::new(document.read("admin")?, site).map_err(|fault| document.with_position(fault))
    }

    fn new(options: AdminOptions, site: Site) -> Result<Self, ConfigError> {
        let keys = TlsKeys {
            cert: options.tls_cert.as_deref(),
            key: options.tls_key.as_deref(),
            self_signed: options.tls_self_signed,
            acme: options.tls_acme,
        };
        let tls = TlsSource::configured("admin.", keys)?;
        options.check(tls.is_some())?;
        let terms = Terms::read(&options)?;
        Ok(Self { site, options, tls, terms })
    }

    /// Returns the configuration shared with the rest of the installation.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the table `admin`.
    pub fn options(&self) -> &AdminOptions {
        &self.options
    }

    /// Returns the source of the certificate; `None` if the listener does not speak TLS itself.
    pub fn tls(&self) -> Option<&TlsSource> {
        self.tls.as_ref()
    }

    /// Returns the terms that members accept, if there are any.
    pub(crate) fn terms(&self) -> Option<&Terms> {
        self.terms.as_ref()
    }

    /// Returns the quotas of organisations that have none of their own.
    pub(crate) fn quotas(&self) -> Quotas {
        let quota = |count: Option<Count>| count.map(|count| count.get() as u64);
        Quotas {
            levels: quota(self.options.quota_levels),
            bytes: quota(self.options.quota_bytes),
            keys: quota(self.options.quota_keys),
            proposals: quota(self.options.quota_proposals),
        }
    }

    /// Returns the number of days for which replaced states of levels are kept; `None` for no
    /// limit.
    pub(crate) fn history_days(&self) -> Option<u32> {
        self.options.history_days.map(|days| u32::try_from(days.get()).unwrap_or(u32::MAX))
    }
}

/// Terms that members accept.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Terms {
    /// The version.
    pub(crate) version: String,
    /// The address of their page, if they have one.
    url: Option<String>,
    /// Their text, if it is shown.
    text: Option<String>,
}

impl Terms {
    fn read(options: &AdminOptions) -> Result<Option<Self>, ConfigError> {
        let wrong = |key, expected: String| Err(ConfigError::value(key, expected));
        let (url, file) = (&options.terms_url, &options.terms_file);
        let Some(version) = &options.terms_version else {
            return match url.is_some() || file.is_some() {
                true => wrong(
                    "admin.terms_version",
                    "expected a version of the terms, found none".into(),
                ),
                false => Ok(None),
            };
        };
        let length = version.chars().count();
        if !(1..=MAX_TERMS_VERSION).contains(&length) || version.chars().any(char::is_control) {
            let expected = format!("expected 1 to {MAX_TERMS_VERSION} characters on one line");
            return wrong("admin.terms_version", expected);
        }
        if url.is_none() && file.is_none() {
            return wrong(
                "admin.terms_version",
                "expected terms_url or terms_file, found neither".into(),
            );
        }
        if let Some(url) = url.as_ref().filter(|url| !url.starts_with("https://")) {
            return wrong(
                "admin.terms_url",
                format!("expected an address that begins with https://, found {url:?}"),
            );
        }
        let text = file.as_ref().map(|file| {
            let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
            match text.len() <= MAX_TERMS_BYTES {
                true => Ok(text),
                false => Err(format!("it is larger than {MAX_TERMS_BYTES} bytes")),
            }
        });
        match text.transpose() {
            Ok(text) => Ok(Some(Self { version: version.clone(), url: url.clone(), text })),
            Err(error) => wrong("admin.terms_file", format!("expected a text file: {error}")),
        }
    }
}

impl AdminOptions {
    fn check(&self, tls: bool) -> Result<(), ConfigError> {
        if let Some(origin) = self.origins.iter().find(|origin| !is_origin(origin)) {
            let expected = format!(
                "expected an origin such as https://admin.example.org, without path or slash at the end, found {origin:?}"
            );
            return Err(ConfigError::value("admin.origins", expected));
        }
        if let Some(address) = self.exposed().filter(|_| !tls) {
            let expected = format!(
                "expected TLS (admin.tls_cert and admin.tls_key, or admin.tls_acme) for {address}, which other machines reach: keys and \
                 passwords would cross the network in the clear. Where something in front speaks TLS, say \
                 admin.insecure = true"
            );
            return Err(ConfigError::value("admin.listen", expected));
        }
        let Some(oidc) = &self.oidc else { return Ok(()) };
        for (key, value) in [("issuer", &oidc.issuer), ("client_id", &oidc.client_id)] {
            if value.is_empty() {
                let expected = format_args!("expected {key}, found none");
                return Err(ConfigError::value("admin.oidc", expected));
            }
        }
        Ok(())
    }

    /// Returns an address that other machines can reach without TLS although the configuration does
    /// not allow that.
    fn exposed(&self) -> Option<SocketAddr> {
        let is_open = |address: &SocketAddr| !address.ip().to_canonical().is_loopback();
        let listens = self.enabled && !self.insecure;
        self.listen.iter().copied().find(is_open).filter(|_| listens)
    }
}

/// Returns scheme, host and port as browsers write them in `Origin` (RFC 6454 section 6.2).
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty()
            && host.bytes().all(|byte| {
                byte.is_ascii_digit() || byte.is_ascii_lowercase() || b".-:[]".contains(&byte)
            })
    })
}

/// The defaults, for tests.
#[cfg(test)]
pub(crate) fn plain() -> Config {
    tests::read("").expect("the defaults")
}

#[cfg(test)]
mod tests {
    use fingerpost_resolver::SettingsParts;

    use super::*;

    pub(super) fn read(text: &str) -> Result<Config, ConfigError> {
        let parts = SettingsParts {
            resolver_root: "https://id.example.org".to_owned(),
            ..SettingsParts::default()
        };
        let settings = Settings::new(parts).expect("settings");
        let vocabulary = settings.vocabulary().clone();
        let limits = Limits::default();
        let site =
            Site { settings, vocabulary, root_is_default: true, trusted_proxies: vec![], limits };
        let sections = Config::sections().map(|(_, section)| section);
        Config::read(&Document::parse("configuration", text, &sections)?, site)
    }

    fn error(text: &str) -> String {
        read(text).expect_err(text).to_string()
    }

    #[test]
    fn what_other_machines_reach_needs_tls() {
        let open = "[admin]\nlisten = \"0.0.0.0:8081\"";
        assert!(error(open).contains("admin.insecure = true"), "{}", error(open));
        assert!(error(open).starts_with("configuration:2: admin.listen: "), "{}", error(open));
        assert!(error("[admin]\nlisten = \"127.0.0.1:1,[2001:db8::1]:1\"").contains("2001:db8::1"));
        for fine in [
            "",
            "[admin]\nlisten = \"[::1]:0\"",
            "[admin]\nlisten = \"0.0.0.0:8081\"\ninsecure = true",
            "[admin]\nlisten = \"0.0.0.0:8081\"\ntls_self_signed = true",
            "[admin]\nlisten = \"0.0.0.0:8081\"\nenabled = false",
        ] {
            read(fine).expect(fine);
        }
    }

    #[test]
    fn values_that_cannot_be_used_are_refused() {
        for wrong in [
            "[admin]\norigins = [\"https://admin.example.org/\"]",
            "[admin]\norigins = [\"admin.example.org\"]",
            "[admin]\nmax_connections = 0",
            "[admin]\nsession_idle = \"0s\"",
            "[admin]\nhistory_days = 0",
            "[admin]\nterms_version = \"1\"",
            "[admin]\nterms_version = \"\"\nterms_url = \"https://example.org/terms\"",
            "[admin]\nterms_url = \"https://example.org/terms\"",
            "[admin]\nterms_version = \"1\"\nterms_url = \"http://example.org/terms\"",
            "[admin]\nterms_version = \"1\"\nterms_file = \"/no/such/file\"",
            "[admin]\ntls_cert = \"a\"",
            "[admin.oidc]\nissuer = \"https://login.example.org\"",
            "[admin.oidc]\nissuer = \"https://login.example.org\"\nclient_id = \"x\"\n\
             roles = { staff = [{ organisation = \"installation\", role = \"owner\" }] }",
        ] {
            assert!(error(wrong).contains("admin"), "{}", error(wrong));
        }
    }
}
