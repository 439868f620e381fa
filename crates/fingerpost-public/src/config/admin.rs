//! The table `admin`: the listener on which links are registered, apart from the public side.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_http::TlsSource;
use fingerpost_options::{Count, Items, Period, options};
use serde::Deserialize;

use super::{ConfigError, tls_source};

options! {
    /// The listener on which links are registered ([`admin-api.md`](admin-api.md)); it shares nothing with the public side but
    /// the store.
    pub struct AdminOptions {
        /// Whether there is an admin listener.
        enabled: bool = true;
        /// Its addresses and ports. By default this machine only; others need TLS, or `admin.insecure`.
        listen: Items<SocketAddr> = ["127.0.0.1:8081"];
        /// Certificate chain (PEM) of this listener, read again when the file changes.
        tls_cert: Option<PathBuf>, example r#""/etc/fingerpost/admin-chain.pem""#;
        /// Private key (PEM) of that certificate.
        tls_key: Option<PathBuf>, example r#""/etc/fingerpost/admin-key.pem""#;
        /// Create a certificate at start, for development only.
        tls_self_signed: bool = false;
        /// Speak without TLS where other machines reach it: only where a front end speaks TLS, because keys and passwords
        /// would cross the network in the clear.
        insecure: bool = false;
        /// Origins under which browsers reach it, besides its own addresses. The first one is also where a provider of
        /// identities sends people back to.
        origins: Items<String>, example r#"["https://admin.example.org"]"#;
        /// Connections at a time; more are closed at once. People and programs that maintain links are few, and each
        /// connection may hold a body of some MiB.
        max_connections: Count = 512;
        /// How long a session of a browser lasts at most: a working day with a break.
        session_lifetime: Period<1> = "12h";
        /// How long a session lasts without a request: longer than a meeting, shorter than a forgotten browser.
        session_idle: Period<1> = "1h";
        /// Days for which replaced states of levels are kept. Absent: without limit. The audit log is always kept.
        history_days: Option<Count>, example "3650";
        /// Sign-in by OpenID Connect, in builds with the feature `oidc`; others refuse to start with it. See
        /// [Single sign-on](../operations/single-sign-on.md).
        oidc: Option<OidcOptions>,
            example r#"{ issuer = "https://login.example.org", client_id = "fingerpost", client_secret_file = "/etc/fingerpost/oidc-secret", scopes = ["profile", "email", "groups"], claim = "groups", roles = { "gs1-admins" = [{ organisation = "installation", role = "admin" }] } }"#;
    }
}

options! {
    /// The keys of `admin.oidc`.
    pub struct OidcOptions {
        /// Address of the provider, exactly as its description names it; `https://`, except on this machine. Required.
        issuer: Option<String>;
        /// The name under which the provider knows this server. Required.
        client_id: Option<String>;
        /// File with the secret shared with the provider, read at start. Absent: a public client. PKCE is always used.
        client_secret_file: Option<PathBuf>;
        /// Scopes that are requested besides `openid`, with which alone most providers give no name.
        scopes: Items<String> = ["profile", "email"];
        /// Claim that decides about rights, of the ID token or else of the UserInfo endpoint: a text or a list of them.
        /// `/realm_access/roles` finds one inside an object.
        claim: String = "groups";
        /// What each value of the claim gives: a role (`reader`, `editor`, `approver`, `admin`) in an organisation, by its id,
        /// or in the whole `installation`. Users with none of the values cannot sign in.
        roles: BTreeMap<String, Vec<OidcGrant>>;
    }
}

/// The admin listener, checked.
#[derive(Clone, Debug)]
pub struct Admin {
    enabled: bool,
    listen: Vec<SocketAddr>,
    tls: Option<TlsSource>,
    insecure: bool,
    origins: Vec<String>,
    max_connections: usize,
    session_lifetime: Duration,
    session_idle: Duration,
    history_days: Option<u32>,
    oidc: Option<Oidc>,
}

impl Admin {
    pub(super) fn new(options: AdminOptions) -> Result<Self, ConfigError> {
        let files = (options.tls_cert.as_deref(), options.tls_key.as_deref());
        let admin = Self {
            enabled: options.enabled,
            tls: tls_source("admin.", files, options.tls_self_signed)?,
            listen: options.listen.into_vec(),
            insecure: options.insecure,
            origins: options.origins.into_vec(),
            max_connections: options.max_connections.get(),
            session_lifetime: options.session_lifetime.get(),
            session_idle: options.session_idle.get(),
            history_days: options
                .history_days
                .map(|days| u32::try_from(days.get()).unwrap_or(u32::MAX)),
            oidc: options.oidc.map(Oidc::new).transpose()?,
        };
        admin.check()
    }

    fn check(self) -> Result<Self, ConfigError> {
        if let Some(origin) = self.origins.iter().find(|origin| !is_origin(origin)) {
            let expected = format!(
                "expected an origin such as https://admin.example.org, without path or slash at the end, found {origin:?}"
            );
            return Err(ConfigError::value("admin.origins", expected));
        }
        self.exposed().map_or(Ok(()), |address| {
            let expected = format!(
                "expected TLS (admin.tls_cert and admin.tls_key) for {address}, which other machines reach: keys and \
                 passwords would cross the network in the clear. Where something in front speaks TLS, say \
                 admin.insecure = true"
            );
            Err(ConfigError::value("admin.listen", expected))
        })?;
        Ok(self)
    }

    /// An address that other machines reach without TLS although nobody said that this is wanted.
    fn exposed(&self) -> Option<SocketAddr> {
        if !self.enabled || self.tls.is_some() || self.insecure {
            return None;
        }
        self.listen.iter().copied().find(|address| !address.ip().to_canonical().is_loopback())
    }

    /// Whether there is an admin listener at all.
    #[must_use]
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Its addresses. Port 0 takes a free one.
    #[must_use]
    pub fn listen(&self) -> &[SocketAddr] {
        &self.listen
    }

    /// Where its certificate comes from; `None`: no TLS of our own.
    #[must_use]
    pub fn tls(&self) -> Option<&TlsSource> {
        self.tls.as_ref()
    }

    /// Whether it may speak without TLS where other machines reach it.
    #[must_use]
    pub fn insecure(&self) -> bool {
        self.insecure
    }

    /// Origins (RFC 6454) under which browsers reach it, besides its own addresses.
    #[must_use]
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Most connections at a time; one more is closed at once.
    #[must_use]
    pub fn max_connections(&self) -> usize {
        self.max_connections
    }

    /// How long a session lasts at most.
    #[must_use]
    pub fn session_lifetime(&self) -> Duration {
        self.session_lifetime
    }

    /// How long a session lasts without a request.
    #[must_use]
    pub fn session_idle(&self) -> Duration {
        self.session_idle
    }

    /// Days for which replaced states of levels are kept; `None`: without limit.
    #[must_use]
    pub fn history_days(&self) -> Option<u32> {
        self.history_days
    }

    /// Sign-in by a provider of identities, if there is one.
    #[must_use]
    pub fn oidc(&self) -> Option<&Oidc> {
        self.oidc.as_ref()
    }

    /// The same on another address, as the command line may ask for.
    ///
    /// # Errors
    ///
    /// An address that other machines reach, without TLS.
    pub fn with_listen(mut self, listen: Vec<SocketAddr>) -> Result<Self, ConfigError> {
        self.listen = listen;
        self.check()
    }
}

/// Sign-in by a provider of identities (OpenID Connect Core 1.0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oidc {
    issuer: String,
    client_id: String,
    client_secret_file: Option<PathBuf>,
    scopes: Vec<String>,
    claim: String,
    roles: BTreeMap<String, Vec<OidcGrant>>,
}

/// What a value of the claim gives.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcGrant {
    /// Id of an organisation, or `installation` for all.
    pub organisation: String,
    /// `reader`, `editor`, `approver` or `admin`.
    pub role: String,
}

impl Oidc {
    fn new(options: OidcOptions) -> Result<Self, ConfigError> {
        let Some(issuer) = options.issuer else {
            return Err(ConfigError::value("admin.oidc", "expected issuer, found none"));
        };
        let Some(client_id) = options.client_id else {
            return Err(ConfigError::value("admin.oidc", "expected client_id, found none"));
        };
        let known = ["reader", "editor", "approver", "admin"];
        let roles = options.roles;
        if let Some(grant) = roles.values().flatten().find(|grant| !known.contains(&&*grant.role)) {
            let expected = format!(
                "expected a role of roles to be reader, editor, approver or admin, found {:?}",
                grant.role
            );
            return Err(ConfigError::value("admin.oidc", expected));
        }
        Ok(Self {
            issuer,
            client_id,
            client_secret_file: options.client_secret_file,
            scopes: options.scopes.into_vec(),
            claim: options.claim,
            roles,
        })
    }

    /// Address of the provider, from which its description is read.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What the provider knows us as.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// File that holds the secret shared with the provider; none for a public client.
    #[must_use]
    pub fn client_secret_file(&self) -> Option<&Path> {
        self.client_secret_file.as_deref()
    }

    /// Scopes asked for besides `openid`.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Name of the claim that decides about rights.
    #[must_use]
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// What each value of the claim gives. Who has none of these values may not sign in.
    #[must_use]
    pub fn roles(&self) -> &BTreeMap<String, Vec<OidcGrant>> {
        &self.roles
    }
}

/// Scheme, host and port as browsers write them in `Origin` (RFC 6454 section 6.2).
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| {
        !host.is_empty()
            && host.bytes().all(|byte| {
                byte.is_ascii_digit() || byte.is_ascii_lowercase() || b".-:[]".contains(&byte)
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    fn error(text: &str) -> String {
        Config::from_toml(text).expect_err(text).to_string()
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
            Config::from_toml(fine).expect(fine);
        }
        let admin = Config::from_toml("").expect("defaults").admin().clone();
        assert!(admin.with_listen(vec!["192.0.2.1:1".parse().expect("address")]).is_err());
    }

    #[test]
    fn values_that_cannot_be_used_are_refused() {
        for wrong in [
            "[admin]\norigins = [\"https://admin.example.org/\"]",
            "[admin]\norigins = [\"admin.example.org\"]",
            "[admin]\nmax_connections = 0",
            "[admin]\nsession_idle = \"0s\"",
            "[admin]\nhistory_days = 0",
            "[admin]\ntls_cert = \"a\"",
            "[admin.oidc]\nissuer = \"https://login.example.org\"",
            "[admin.oidc]\nissuer = \"https://login.example.org\"\nclient_id = \"x\"\n\
             roles = { staff = [{ organisation = \"installation\", role = \"owner\" }] }",
        ] {
            assert!(error(wrong).contains("admin"), "{}", error(wrong));
        }
    }
}
