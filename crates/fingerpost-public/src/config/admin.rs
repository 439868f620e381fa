//! The table `admin`: the listener on which links are registered, apart from the public side.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_http::{Items, Period, TlsSource};
use serde::Deserialize;

use super::ConfigError;

/// `host:port` of the admin side when none is configured: this machine only.
const LISTEN: &str = "127.0.0.1:8081";
/// People and programs that maintain links are few; each connection may hold a body of some MiB.
const MAX_CONNECTIONS: u32 = 512;
/// A working day with a break: after it one signs in again, whatever happened in between.
const SESSION_LIFETIME: Duration = Duration::from_secs(12 * 60 * 60);
/// A session left alone: longer than a meeting, shorter than a forgotten browser.
const SESSION_IDLE: Duration = Duration::from_secs(60 * 60);
/// Claims that every provider gives with the scope `openid` alone are too few to show a name.
const OIDC_SCOPES: [&str; 2] = ["profile", "email"];
/// The claim that most providers let an administrator fill.
const OIDC_CLAIM: &str = "groups";

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
    pub(super) fn new(layer: AdminLayer) -> Result<Self, ConfigError> {
        let period = |value: Option<Period>, default| value.map_or(default, Period::duration);
        let default_listen = || LISTEN.parse().into_iter().collect();
        let admin = Self {
            enabled: layer.enabled.unwrap_or(true),
            tls: tls_source(&layer)?,
            listen: layer.listen.map_or_else(default_listen, Items::into_vec),
            insecure: layer.insecure.unwrap_or(false),
            origins: layer.origins.map_or_else(Vec::new, Items::into_vec),
            max_connections: layer.max_connections.unwrap_or(MAX_CONNECTIONS) as usize,
            session_lifetime: period(layer.session_lifetime, SESSION_LIFETIME),
            session_idle: period(layer.session_idle, SESSION_IDLE),
            history_days: layer.history_days,
            oidc: layer.oidc.map(Oidc::new).transpose()?,
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
        if self.max_connections == 0 {
            return Err(ConfigError::value("admin.max_connections", "expected at least 1"));
        }
        if self.history_days == Some(0) {
            return Err(ConfigError::value("admin.history_days", "expected at least 1"));
        }
        for (key, period) in [
            ("admin.session_lifetime", self.session_lifetime),
            ("admin.session_idle", self.session_idle),
        ] {
            if period.is_zero() {
                return Err(ConfigError::value(key, "expected more than no time"));
            }
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

    /// Days for which replaced states of levels are kept; `None`: for ever.
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
    fn new(layer: OidcLayer) -> Result<Self, ConfigError> {
        let Some(issuer) = layer.issuer else {
            return Err(ConfigError::value("admin.oidc", "expected issuer, found none"));
        };
        let Some(client_id) = layer.client_id else {
            return Err(ConfigError::value("admin.oidc", "expected client_id, found none"));
        };
        let known = ["reader", "editor", "approver", "admin"];
        let roles = layer.roles.unwrap_or_default();
        if let Some(grant) = roles.values().flatten().find(|grant| !known.contains(&&*grant.role)) {
            let expected = format!(
                "expected a role of roles to be reader, editor, approver or admin, found {:?}",
                grant.role
            );
            return Err(ConfigError::value("admin.oidc", expected));
        }
        let default_scopes = || OIDC_SCOPES.map(str::to_owned).to_vec();
        Ok(Self {
            issuer,
            client_id,
            client_secret_file: layer.client_secret_file,
            scopes: layer.scopes.map_or_else(default_scopes, Items::into_vec),
            claim: layer.claim.unwrap_or_else(|| OIDC_CLAIM.to_owned()),
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

/// The table `admin` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AdminLayer {
    enabled: Option<bool>,
    listen: Option<Items<SocketAddr>>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    tls_self_signed: Option<bool>,
    insecure: Option<bool>,
    origins: Option<Items<String>>,
    max_connections: Option<u32>,
    session_lifetime: Option<Period>,
    session_idle: Option<Period>,
    history_days: Option<u32>,
    oidc: Option<OidcLayer>,
}

/// The table `admin.oidc` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OidcLayer {
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret_file: Option<PathBuf>,
    scopes: Option<Items<String>>,
    claim: Option<String>,
    roles: Option<BTreeMap<String, Vec<OidcGrant>>>,
}

impl AdminLayer {
    /// Paths in a file are relative to the file.
    pub(super) fn rebase(&mut self, folder: &Path) {
        let secret = self.oidc.as_mut().map(|oidc| &mut oidc.client_secret_file);
        let paths = [Some(&mut self.tls_cert), Some(&mut self.tls_key), secret];
        for path in paths.into_iter().flatten().flatten() {
            *path = folder.join(&*path);
        }
    }

    /// What the command line says; no addresses: not given.
    pub(super) fn override_by(&mut self, listen: &[SocketAddr], disable: bool) {
        if !listen.is_empty() {
            self.listen = Some(Items::from(listen.to_vec()));
            self.enabled = Some(true);
        }
        if disable {
            self.enabled = Some(false);
        }
    }

    /// Lays `over` on top: what it says wins.
    pub(super) fn overlay(&mut self, over: Self) {
        macro_rules! take {
            ($base:expr, $over:expr; $($field:ident)+) => {
                $(if $over.$field.is_some() { $base.$field = $over.$field; })+
            };
        }
        if let Some(oidc) = over.oidc {
            let base = self.oidc.get_or_insert_default();
            take!(base, oidc; issuer client_id client_secret_file scopes claim roles);
        }
        take!(self, over; enabled listen tls_cert tls_key tls_self_signed insecure origins max_connections
            session_lifetime session_idle history_days);
    }
}

fn tls_source(layer: &AdminLayer) -> Result<Option<TlsSource>, ConfigError> {
    let self_signed = layer.tls_self_signed.unwrap_or(false);
    match (&layer.tls_cert, &layer.tls_key) {
        (Some(_), _) | (_, Some(_)) if self_signed => {
            let expected =
                "expected either a certificate and key or admin.tls_self_signed, found both";
            Err(ConfigError::value("admin.tls_self_signed", expected))
        }
        (Some(cert), Some(key)) => {
            Ok(Some(TlsSource::Files { cert: cert.clone(), key: key.clone() }))
        }
        (Some(_), None) => {
            Err(ConfigError::value("admin.tls_cert", "expected admin.tls_key with it"))
        }
        (None, Some(_)) => {
            Err(ConfigError::value("admin.tls_key", "expected admin.tls_cert with it"))
        }
        (None, None) => Ok(self_signed.then_some(TlsSource::SelfSigned)),
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
