//! What the operator decides: one TOML file, then the environment, then flags; checked when built.
//!
//! The meaning of each key is in `docs/reference/configuration.md`, the defaults in
//! `docs/fingerpost.example.toml`, which a test keeps true. The keys that GS1-Conformant Resolver 1.2.0 gives
//! a meaning are checked by [`fingerpost_resolver::Settings`].

mod admin;
mod brand;
mod environment;
mod error;
mod file;
mod network;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_http::{Items, Limits, Period, Size, TlsSource};
use fingerpost_resolver::{MediaTypes, PublicSide, Settings, Vocabulary};

pub use self::admin::{Admin, Oidc, OidcGrant};
pub use self::brand::{Brand, Colour, FooterLink, Localised, Logo};
#[cfg(test)]
pub(crate) use self::brand::{DARK, LIGHT};
pub use self::error::ConfigError;
use self::file::FileConfig;
pub use self::network::{Network, NetworkError};

/// Everything that `serve` needs to know, checked.
///
/// ```
/// use fingerpost_public::Config;
///
/// let config = Config::from_toml("resolver_root = \"https://id.example.org\"\nthreads = 2")?;
/// assert_eq!(config.threads(), 2);
/// assert_eq!(config.limits().max_target_bytes(), 8191);
///
/// let error = Config::from_toml("name = \"x\"\nresolver_rot = \"https://id.example.org\"").unwrap_err();
/// assert!(error.to_string().starts_with("configuration:2: "));
/// # Ok::<(), fingerpost_public::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    settings: Settings,
    vocabulary: Vocabulary,
    root_is_default: bool,
    listen: Vec<SocketAddr>,
    http_redirect_listen: Vec<SocketAddr>,
    tls: Option<TlsSource>,
    trusted_proxies: Vec<Network>,
    threads: usize,
    cache_bytes: usize,
    map_size: usize,
    log: LogConfig,
    limits: Limits,
    admin: Admin,
    brand: Brand,
    warnings: Vec<String>,
}

/// How the program reports on itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// Directives of `tracing-subscriber`, for example `info` or `fingerpost_public=debug`.
    pub level: String,
    /// Form of each line.
    pub format: LogFormat,
}

/// Form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}

/// What the command line says; each value wins over the file and the environment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `listen`; empty: not given.
    pub listen: Vec<SocketAddr>,
    /// `tls_cert`
    pub tls_cert: Option<PathBuf>,
    /// `tls_key`
    pub tls_key: Option<PathBuf>,
    /// `tls_self_signed`, if the flag is there.
    pub tls_self_signed: bool,
    /// `resolver_root`
    pub resolver_root: Option<String>,
    /// `threads`
    pub threads: Option<u16>,
    /// `admin.listen`; empty: not given.
    pub admin_listen: Vec<SocketAddr>,
    /// `admin.enabled = false`, if the flag is there.
    pub no_admin: bool,
}

/// The root that stands in when none is configured; printed codes would not lead here.
pub const DEFAULT_RESOLVER_ROOT: &str = "https://id.example.org";

/// `host:port` of the public side when none is configured: this machine only.
const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

/// Memory for entries in use, in bytes: as the store has it.
const DEFAULT_CACHE_BYTES: usize = 256 << 20;

/// Address space of the store, in bytes; the file grows as needed up to this size. As the store has it.
const DEFAULT_MAP_SIZE: usize = 256 << 30;

/// Log level and up: starts, stops and failures; nothing per request.
const DEFAULT_LOG_LEVEL: &str = "info";

impl Config {
    /// Reads the file, if there is one, then the environment, then the flags.
    ///
    /// `environment` is what [`std::env::vars`] gives; of it the names `FINGERPOST_…` are read:
    /// `FINGERPOST_RESOLVER_ROOT` is `resolver_root`, `FINGERPOST_LIMITS_MAX_CONNECTIONS` is
    /// `limits.max_connections`. Lists and tables are written as in TOML, lists of words also with commas.
    ///
    /// # Errors
    ///
    /// The first fault: a file that cannot be read, an unknown key, a wrong type or value, with file and
    /// line, or the name of the variable.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let mut warnings = Vec::new();
        let mut file = FileConfig::default();
        let mut source = None;
        if let Some(path) = path {
            let name = path.display().to_string();
            let text = fs::read_to_string(path)
                .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })?;
            file = file::parse(&name, &text)?;
            file.rebase(path.parent().unwrap_or(Path::new("")));
            source = Some((name, text));
        }
        environment::apply(&mut file, environment, &mut warnings)?;
        overrides.apply(&mut file);
        Self::check(file, warnings).map_err(|error| {
            error.with_line(source.as_ref().map(|(n, t)| (n.as_str(), t.as_str())))
        })
    }

    /// Reads a configuration from text alone, as tests and embedders do.
    ///
    /// # Errors
    ///
    /// As [`Config::load`]; the name of the file is given as `configuration`.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let file = file::parse("configuration", text)?;
        Self::check(file, Vec::new())
            .map_err(|error| error.with_line(Some(("configuration", text))))
    }

    fn check(mut file: FileConfig, warnings: Vec<String>) -> Result<Self, ConfigError> {
        let root_is_default = file.resolver_root.is_none();
        let settings = Settings::new(file.settings_parts(DEFAULT_RESOLVER_ROOT))
            .map_err(|error| ConfigError::value(error.setting(), error.fault()))?;
        let vocabulary = settings.vocabulary().clone();
        let vocabulary = match &file.media_types_file {
            None => vocabulary,
            Some(path) => vocabulary.with_media_types(media_types(path)?),
        };
        if file.threads == Some(0) {
            return Err(ConfigError::value("threads", "expected at least 1"));
        }
        let limits = Limits::new(&file.limits.take().unwrap_or_default())
            .map_err(|fault| ConfigError::value(fault.key, fault.expected))?;
        let brand = Brand::new(file.brand.take().unwrap_or_default())?;
        let public_side = PublicSide {
            has_privacy: brand.privacy().is_some(),
            has_logo: brand.logo().is_some(),
            max_target_bytes: limits.max_target_bytes(),
            linkset_max_age: file.linkset_max_age.map_or(Duration::ZERO, Period::duration),
        };
        let log = file.log.take().unwrap_or_default();
        let default_listen = || DEFAULT_LISTEN.parse().into_iter().collect();
        Ok(Self {
            root_is_default,
            tls: tls_source(&file)?,
            listen: file.listen.map_or_else(default_listen, Items::into_vec),
            http_redirect_listen: file.http_redirect_listen.map_or_else(Vec::new, Items::into_vec),
            trusted_proxies: file.trusted_proxies.map_or_else(Vec::new, Items::into_vec),
            threads: file.threads.map_or_else(cores, usize::from),
            cache_bytes: file.cache_bytes.map_or(DEFAULT_CACHE_BYTES, Size::bytes),
            map_size: file.map_size.map_or(DEFAULT_MAP_SIZE, Size::bytes),
            log: LogConfig {
                level: log.level.unwrap_or_else(|| DEFAULT_LOG_LEVEL.to_owned()),
                format: log.format.unwrap_or(LogFormat::Text),
            },
            limits,
            brand,
            admin: Admin::new(file.admin.unwrap_or_default())?,
            settings: settings.with_public_side(public_side),
            vocabulary,
            warnings,
        })
    }

    /// What the resolver decides by.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What records are checked against: the words of [`Config::settings`], with the media types of
    /// `media_types_file` if there is one.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Whether nobody configured `resolver_root`, so that [`DEFAULT_RESOLVER_ROOT`] stands in.
    #[must_use]
    pub fn root_is_default(&self) -> bool {
        self.root_is_default
    }

    /// Addresses of the public side. Port 0 takes a free one.
    #[must_use]
    pub fn listen(&self) -> &[SocketAddr] {
        &self.listen
    }

    /// Addresses of the plain listener beside TLS that sends everybody to https (RES-2.2-4).
    #[must_use]
    pub fn http_redirect_listen(&self) -> &[SocketAddr] {
        &self.http_redirect_listen
    }

    /// Where the certificate comes from; `None`: no TLS of our own.
    #[must_use]
    pub fn tls(&self) -> Option<&TlsSource> {
        self.tls.as_ref()
    }

    /// Networks whose word on the scheme of a request is taken (RES-2.2-4).
    #[must_use]
    pub fn trusted_proxies(&self) -> &[Network] {
        &self.trusted_proxies
    }

    /// Number of threads that answer requests, at least one.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Memory for entries in use, in bytes.
    #[must_use]
    pub fn cache_bytes(&self) -> usize {
        self.cache_bytes
    }

    /// Address space of the store, in bytes.
    #[must_use]
    pub fn map_size(&self) -> usize {
        self.map_size
    }

    /// How long a linkset may be kept without asking again; never beyond the next edge of a validity
    /// window (RES-2.5.7-2). Zero: always ask.
    #[must_use]
    pub fn linkset_max_age(&self) -> Duration {
        self.settings.public_side().linkset_max_age
    }

    /// How the program reports on itself.
    #[must_use]
    pub fn log(&self) -> &LogConfig {
        &self.log
    }

    /// What one request or connection may take.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The listener on which links are registered.
    #[must_use]
    pub fn admin(&self) -> &Admin {
        &self.admin
    }

    /// How the public pages look.
    #[must_use]
    pub fn brand(&self) -> &Brand {
        &self.brand
    }

    /// What should be said at start: the root that stands in, variables that mean nothing.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let root = self.root_is_default.then(|| {
            format!(
                "no resolver_root is configured: answers name {DEFAULT_RESOLVER_ROOT}; set it to the address that \
                 printed codes carry"
            )
        });
        root.into_iter().chain(self.warnings.iter().cloned())
    }
}

impl Overrides {
    fn apply(&self, file: &mut FileConfig) {
        if !self.listen.is_empty() {
            file.listen = Some(Items::from(self.listen.clone()));
        }
        if self.tls_cert.is_some() || self.tls_key.is_some() {
            file.tls_self_signed = None;
            file.tls_cert = self.tls_cert.clone().or(file.tls_cert.take());
            file.tls_key = self.tls_key.clone().or(file.tls_key.take());
        }
        if self.tls_self_signed {
            file.tls_self_signed = Some(true);
            file.tls_cert = None;
            file.tls_key = None;
        }
        if let Some(root) = &self.resolver_root {
            file.resolver_root = Some(root.clone());
        }
        file.threads = self.threads.or(file.threads);
        if !self.admin_listen.is_empty() || self.no_admin {
            let admin = file.admin.get_or_insert_default();
            admin.override_by(&self.admin_listen, self.no_admin);
        }
    }
}

fn tls_source(file: &FileConfig) -> Result<Option<TlsSource>, ConfigError> {
    let self_signed = file.tls_self_signed.unwrap_or(false);
    let tls = match (&file.tls_cert, &file.tls_key) {
        (Some(_), _) | (_, Some(_)) if self_signed => {
            let expected = "expected either a certificate and key or tls_self_signed, found both";
            return Err(ConfigError::value("tls_self_signed", expected));
        }
        (Some(cert), Some(key)) => Some(TlsSource::Files { cert: cert.clone(), key: key.clone() }),
        (Some(_), None) => return Err(ConfigError::value("tls_cert", "expected tls_key with it")),
        (None, Some(_)) => return Err(ConfigError::value("tls_key", "expected tls_cert with it")),
        (None, None) => self_signed.then_some(TlsSource::SelfSigned),
    };
    if tls.is_none() && file.http_redirect_listen.is_some() {
        let expected = "expected TLS beside it: tls_cert and tls_key, or tls_self_signed";
        return Err(ConfigError::value("http_redirect_listen", expected));
    }
    Ok(tls)
}

/// The registered media types in place of the built-in ones (RES-2.5.5-2).
fn media_types(path: &Path) -> Result<MediaTypes, ConfigError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(MediaTypes::from_list(&text)),
        Err(error) => Err(ConfigError::Unreadable { path: path.to_owned(), error }),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
