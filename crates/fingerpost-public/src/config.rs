//! What the operator decides: one TOML file, then the environment, then flags; checked when built.
//!
//! The meaning of each key is in `docs/reference/configuration.md`, the defaults in
//! `docs/fingerpost.example.toml`, which a test keeps true. The keys that GS1-Conformant Resolver 1.2.0 gives
//! a meaning are checked by [`fingerpost_resolver::Settings`].

mod admin;
mod brand;
mod network;
mod options;
mod reference;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fingerpost_http::{Limits, TlsSource};
use fingerpost_options::{Count, Document, Section};
use fingerpost_resolver::{MediaTypes, PublicSide, Settings, Vocabulary};

pub use self::admin::{Admin, Oidc, OidcGrant};
pub use self::admin::{AdminOptions, OidcOptions};
pub use self::brand::BrandOptions;
pub use self::brand::{Brand, Colour, FooterLink, Localised, Logo};
#[cfg(test)]
pub(crate) use self::brand::{DARK, LIGHT};
pub use self::network::{Network, NetworkError};
pub use self::options::{ListenOptions, LogOptions, ResolverOptions, StorageOptions};
pub use self::reference::{example, reference};
pub use fingerpost_options::ConfigError;

/// Everything that `serve` needs to know, checked.
///
/// ```
/// use fingerpost_public::Config;
///
/// let config = Config::from_toml("resolver_root = \"https://id.example.org\"\nthreads = 2")?;
/// assert_eq!(config.threads(), 2);
/// assert_eq!(config.limits().max_target_bytes.get(), 8191);
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
    log: LogOptions,
    limits: Limits,
    admin: Admin,
    brand: Brand,
    warnings: Vec<String>,
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

/// Variables of the command line itself, which are no keys.
const NOT_KEYS: [&str; 4] =
    ["FINGERPOST_CONFIG", "FINGERPOST_DATA", "FINGERPOST_SERVER", "FINGERPOST_KEY"];

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
        let mut document = match path {
            None => Document::parse("configuration", "", &sections())?,
            Some(path) => {
                let text = fs::read_to_string(path)
                    .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })?;
                let mut document =
                    Document::parse(&path.display().to_string(), &text, &sections())?;
                document.rebase(path.parent().unwrap_or(Path::new("")));
                document
            }
        };
        let warnings = document.overlay_environment(environment, &NOT_KEYS)?;
        overrides.apply(&mut document)?;
        Self::read(&document, warnings)
    }

    /// Reads a configuration from text alone, as tests and embedders do.
    ///
    /// # Errors
    ///
    /// As [`Config::load`]; the name of the file is given as `configuration`.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::read(&Document::parse("configuration", text, &sections())?, Vec::new())
    }

    fn read(document: &Document, warnings: Vec<String>) -> Result<Self, ConfigError> {
        Self::check(document, warnings).map_err(|fault| document.placed(fault))
    }

    fn check(document: &Document, warnings: Vec<String>) -> Result<Self, ConfigError> {
        let resolver: ResolverOptions = document.read("")?;
        let listening: ListenOptions = document.read("")?;
        let storage: StorageOptions = document.read("")?;
        let media_types_file = resolver.media_types_file.clone();
        let settings = Settings::new(resolver.into())
            .map_err(|error| ConfigError::value(error.setting(), error.fault()))?;
        let vocabulary = settings.vocabulary().clone();
        let vocabulary = match &media_types_file {
            None => vocabulary,
            Some(path) => vocabulary.with_media_types(media_types(path)?),
        };
        let limits: Limits = document.read("limits")?;
        let brand = Brand::new(document.read("brand")?)?;
        let public_side = PublicSide {
            has_privacy: brand.privacy().is_some(),
            has_logo: brand.logo().is_some(),
            max_target_bytes: limits.max_target_bytes.get(),
            linkset_max_age: storage.linkset_max_age.get(),
        };
        Ok(Self {
            root_is_default: !document.has("resolver_root"),
            tls: listening.tls()?,
            listen: listening.listen.into_vec(),
            http_redirect_listen: listening.http_redirect_listen.into_vec(),
            trusted_proxies: listening.trusted_proxies.into_vec(),
            threads: listening.threads.map_or_else(cores, Count::get),
            cache_bytes: storage.cache_bytes.get(),
            map_size: storage.map_size.get(),
            log: document.read("log")?,
            limits,
            brand,
            admin: Admin::new(document.read("admin")?)?,
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
    pub fn log(&self) -> &LogOptions {
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
    fn apply(&self, document: &mut Document) -> Result<(), ConfigError> {
        let texts = |addresses: &[SocketAddr]| -> Vec<String> {
            addresses.iter().map(SocketAddr::to_string).collect()
        };
        if !self.listen.is_empty() {
            document.overlay_flag("--listen", "listen", texts(&self.listen), &[])?;
        }
        for (flag, key, path) in
            [("--tls-cert", "tls_cert", &self.tls_cert), ("--tls-key", "tls_key", &self.tls_key)]
        {
            if let Some(path) = path {
                let path = path.display().to_string();
                document.overlay_flag(flag, key, path, &["tls_self_signed"])?;
            }
        }
        if self.tls_self_signed {
            let files = &["tls_cert", "tls_key"];
            document.overlay_flag("--tls-self-signed", "tls_self_signed", true, files)?;
        }
        if let Some(root) = &self.resolver_root {
            document.overlay_flag("--resolver-root", "resolver_root", root.as_str(), &[])?;
        }
        if let Some(threads) = self.threads {
            document.overlay_flag("--threads", "threads", i64::from(threads), &[])?;
        }
        if !self.admin_listen.is_empty() {
            let addresses = texts(&self.admin_listen);
            document.overlay_flag("--admin-listen", "admin.listen", addresses, &[])?;
            document.overlay_flag("--admin-listen", "admin.enabled", true, &[])?;
        }
        if self.no_admin {
            document.overlay_flag("--no-admin", "admin.enabled", false, &[])?;
        }
        Ok(())
    }
}

impl ListenOptions {
    fn tls(&self) -> Result<Option<TlsSource>, ConfigError> {
        let files = (self.tls_cert.as_deref(), self.tls_key.as_deref());
        let tls = tls_source("", files, self.tls_self_signed)?;
        if tls.is_none() && !self.http_redirect_listen.is_empty() {
            let expected = "expected TLS beside it: tls_cert and tls_key, or tls_self_signed";
            return Err(ConfigError::value("http_redirect_listen", expected));
        }
        Ok(tls)
    }
}

fn sections() -> Vec<Section> {
    options::sections().map(|(_, section)| section).to_vec()
}

/// Where a listener's certificate comes from; `prefix` is that of its keys.
fn tls_source(
    prefix: &str,
    files: (Option<&Path>, Option<&Path>),
    self_signed: bool,
) -> Result<Option<TlsSource>, ConfigError> {
    let needs = |key: &str, other: &str| {
        let expected = format_args!("expected {prefix}{other} with it");
        Err(ConfigError::value(format!("{prefix}{key}"), expected))
    };
    match files {
        (Some(_), _) | (_, Some(_)) if self_signed => {
            let key = format!("{prefix}tls_self_signed");
            let expected =
                format_args!("expected either a certificate and key or {key}, found both");
            Err(ConfigError::value(&key, expected))
        }
        (Some(cert), Some(key)) => {
            Ok(Some(TlsSource::Files { cert: cert.to_owned(), key: key.to_owned() }))
        }
        (Some(_), None) => needs("tls_cert", "tls_key"),
        (None, Some(_)) => needs("tls_key", "tls_cert"),
        (None, None) => Ok(self_signed.then_some(TlsSource::SelfSigned)),
    }
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
