//! The configuration of the public side, validated when built.
//!
//! [`fingerpost_resolver::Settings`] validates the keys whose meaning GS1-Conformant Resolver 1.2.0
//! defines.

mod brand;
mod country;
mod options;
mod signatures;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use fingerpost_http::{Limits, Network, TlsKeys, TlsSource};
use fingerpost_options::{ConfigError, Count, Document, Section};
use fingerpost_resolver::{
    MediaTypes, PublicSide, Settings, SharedCaching, SigningSecrets, Vocabulary,
};
use fingerpost_signature::{KeyDirectory, Signer};
use http::{HeaderName, HeaderValue};

use crate::headers;
use crate::surrogates::SurrogateHeader;

pub use self::brand::BrandOptions;
pub use self::brand::{Brand, Colour, FooterLink, Localised, Logo};
pub(crate) use self::brand::{DARK, LIGHT, NEEDED, image_source};
pub use self::country::CountrySource;
pub use self::options::{
    CacheOptions, CachingOptions, CountryOptions, ListenOptions, MediaTypeOptions,
    SignedLinkOptions,
};
pub use self::signatures::SignatureOptions;
pub(crate) use self::signatures::Signing;

/// The validated configuration of the public side.
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
/// # Ok::<(), fingerpost_options::ConfigError>(())
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
    limits: Limits,
    brand: Brand,
    hsts: Option<HeaderValue>,
    signing: Option<Arc<Signing>>,
    surrogates: Vec<SurrogateHeader>,
    country: Option<CountrySource>,
    counts_countries: bool,
}

/// The resolver root if none is configured; printed codes would not lead here.
pub const DEFAULT_RESOLVER_ROOT: &str = "https://id.example.org";

/// Seconds of `max-age` that browsers require of hosts in their preload lists: a year.
const PRELOADED_AGE: u64 = 365 * 24 * 60 * 60;

impl Config {
    /// Returns the sections of the public side, each with its title.
    pub fn sections() -> [(&'static str, Section); 10] {
        options::sections()
    }

    /// Reads the configuration of the public side from a document with its
    /// [sections](Config::sections) and others.
    pub fn read(document: &Document) -> Result<Self, ConfigError> {
        Self::check(document).map_err(|fault| document.with_position(fault))
    }

    /// Reads a configuration of the public side only, for tests and embedders.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let sections = Self::sections().map(|(_, section)| section);
        Self::read(&Document::parse("configuration", text, &sections)?)
    }

    fn check(document: &Document) -> Result<Self, ConfigError> {
        let media: MediaTypeOptions = document.read("")?;
        let listening: ListenOptions = document.read("")?;
        let caching: CachingOptions = document.read("")?;
        let settings = Settings::new(document.read("")?)
            .map_err(|error| ConfigError::value(error.setting(), error.fault()))?;
        let vocabulary = settings.vocabulary().clone();
        let vocabulary = match &media.media_types_file {
            None => vocabulary,
            Some(path) => vocabulary.with_media_types(MediaTypes::from_list(&list(path)?)),
        };
        let vocabulary = match &media.link_types_file {
            None => vocabulary,
            Some(path) => vocabulary
                .with_link_types(&list(path)?)
                .map_err(|error| ConfigError::value("link_types_file", error))?,
        };
        let settings = settings.with_vocabulary(vocabulary.clone());
        let limits: Limits = document.read("limits")?;
        let cache: CacheOptions = document.read("cache")?;
        let country: CountryOptions = document.read("country")?;
        let counts_countries = country.count_scans;
        let country = CountrySource::new(country, &listening.trusted_proxies)?;
        let brand = Brand::new(document.read("brand")?)?;
        let signing = Signing::new(document.read("signatures")?)?;
        let public_side = PublicSide {
            has_keys: signing.is_some(),
            has_privacy: brand.privacy().is_some(),
            has_logo: brand.logo().is_some(),
            max_target_bytes: limits.max_target_bytes.get(),
            linkset_max_age: caching.linkset_max_age.get(),
            shared: cache.shared()?,
        };
        Ok(Self {
            root_is_default: !document.has("resolver_root"),
            tls: listening.tls()?,
            hsts: listening.hsts()?,
            listen: listening.listen.into_vec(),
            http_redirect_listen: listening.http_redirect_listen.into_vec(),
            trusted_proxies: listening.trusted_proxies.into_vec(),
            threads: listening.threads.map_or_else(cores, Count::get),
            limits,
            brand,
            signing: signing.map(Arc::new),
            surrogates: cache.surrogates()?,
            counts_countries,
            settings: settings
                .with_country(country.as_ref().map(CountrySource::origin))
                .with_public_side(public_side)
                .with_signing_secrets(signing_secrets(&document.read("signed_links")?)?),
            vocabulary,
            country,
        })
    }

    /// Returns the source of the country of clients, if one is configured.
    pub fn country(&self) -> Option<&CountrySource> {
        self.country.as_ref()
    }

    /// Returns the header that the country of clients is read from.
    pub(crate) fn country_header(&self) -> Option<&HeaderName> {
        match &self.country {
            Some(CountrySource::Header(name)) => Some(name),
            Some(CountrySource::Database(_)) | None => None,
        }
    }

    /// Returns whether scans are counted by country.
    pub fn counts_countries(&self) -> bool {
        self.counts_countries && self.country.is_some()
    }

    /// Returns the headers with surrogate keys.
    pub(crate) fn surrogates(&self) -> &[SurrogateHeader] {
        &self.surrogates
    }

    /// Returns whether answers carry surrogate keys.
    pub fn has_surrogate_keys(&self) -> bool {
        !self.surrogates.is_empty()
    }

    /// Returns the settings that the resolver decides by.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the vocabulary that records are checked against, with the types of
    /// `media_types_file` and `link_types_file` if configured.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns whether `resolver_root` is not configured, so that [`DEFAULT_RESOLVER_ROOT`]
    /// applies.
    pub fn root_is_default(&self) -> bool {
        self.root_is_default
    }

    /// Returns the addresses of the public side. Port 0 takes a free one.
    pub fn listen(&self) -> &[SocketAddr] {
        &self.listen
    }

    /// Returns the addresses of the plain listener beside TLS that redirects everything to https
    /// (RES-2.2-4).
    pub fn http_redirect_listen(&self) -> &[SocketAddr] {
        &self.http_redirect_listen
    }

    /// Returns the source of the certificate; `None` if the server does not speak TLS itself.
    pub fn tls(&self) -> Option<&TlsSource> {
        self.tls.as_ref()
    }

    /// Returns the value of `Strict-Transport-Security` (RFC 6797), if it is configured.
    pub fn hsts(&self) -> Option<&HeaderValue> {
        self.hsts.as_ref()
    }

    /// Returns the networks of proxies that are trusted about the scheme of a request (RES-2.2-4).
    pub fn trusted_proxies(&self) -> &[Network] {
        &self.trusted_proxies
    }

    /// Returns the number of threads that answer requests, at least one.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the limits of one request or connection.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the sections that decide what is answered, as opposed to where and to whom: a
    /// resolver with the same records and these options answers the same.
    pub fn sections_of_answers() -> [Section; 5] {
        options::sections_of_answers()
    }

    /// Returns what signs answers, if a key is configured.
    pub fn signer(&self) -> Option<&Signer> {
        self.signing().map(|signing| &signing.signer)
    }

    /// Returns the public keys that are published, if answers are signed.
    pub fn key_directory(&self) -> Option<&KeyDirectory> {
        self.signing().map(|signing| &signing.directory)
    }

    /// Returns what answers are signed with, if they are.
    pub(crate) fn signing(&self) -> Option<&Signing> {
        self.signing.as_deref()
    }

    /// Returns the appearance of the public pages.
    pub fn brand(&self) -> &Brand {
        &self.brand
    }
}

impl ListenOptions {
    fn tls(&self) -> Result<Option<TlsSource>, ConfigError> {
        let keys = TlsKeys {
            cert: self.tls_cert.as_deref(),
            key: self.tls_key.as_deref(),
            self_signed: self.tls_self_signed,
            acme: self.tls_acme,
        };
        let tls = TlsSource::configured("", keys)?;
        if tls.is_none() && !self.http_redirect_listen.is_empty() {
            let expected =
                "expected TLS beside it: tls_cert and tls_key, tls_acme, or tls_self_signed";
            return Err(ConfigError::value("http_redirect_listen", expected));
        }
        Ok(tls)
    }

    /// Returns the value of `Strict-Transport-Security` (RFC 6797 section 6.1).
    fn hsts(&self) -> Result<Option<HeaderValue>, ConfigError> {
        let Some(max_age) = self.hsts_max_age else {
            for (is_set, key) in [
                (self.hsts_include_subdomains, "hsts_include_subdomains"),
                (self.hsts_preload, "hsts_preload"),
            ] {
                if is_set {
                    return Err(ConfigError::value(key, "expected hsts_max_age with it"));
                }
            }
            return Ok(None);
        };
        if self.tls()?.is_none() {
            let expected = "expected TLS beside it: tls_cert and tls_key, tls_acme, or tls_self_signed; behind a front end that \
                            speaks TLS, the front end sends the header";
            return Err(ConfigError::value("hsts_max_age", expected));
        }
        let seconds = max_age.get().as_secs();
        if self.hsts_preload && !(self.hsts_include_subdomains && seconds >= PRELOADED_AGE) {
            let expected = "expected hsts_include_subdomains and an hsts_max_age of at least 8760h with it: browsers preload \
                            nothing else";
            return Err(ConfigError::value("hsts_preload", expected));
        }
        let subdomains = if self.hsts_include_subdomains { "; includeSubDomains" } else { "" };
        let preload = if self.hsts_preload { "; preload" } else { "" };
        Ok(headers::value(format!("max-age={seconds}{subdomains}{preload}")))
    }
}

impl CacheOptions {
    fn shared(&self) -> Result<SharedCaching, ConfigError> {
        let shared = SharedCaching {
            max_age: self.shared_max_age.get(),
            stale_while_revalidate: self.stale_while_revalidate.get(),
            stale_if_error: self.stale_if_error.get(),
        };
        for (key, time) in [
            ("cache.stale_while_revalidate", shared.stale_while_revalidate),
            ("cache.stale_if_error", shared.stale_if_error),
        ] {
            if !time.is_zero() && shared.max_age.is_zero() {
                return Err(ConfigError::value(key, "expected cache.shared_max_age with it"));
            }
        }
        Ok(shared)
    }

    fn surrogates(&self) -> Result<Vec<SurrogateHeader>, ConfigError> {
        let read = |name: &String| {
            SurrogateHeader::named(name).ok_or_else(|| {
                let expected = format!("expected Surrogate-Key, Cache-Tag or xkey, found {name:?}");
                ConfigError::value("cache.surrogate_keys", expected)
            })
        };
        self.surrogate_keys.iter().map(read).collect()
    }
}

/// Reads the secrets of signed links.
fn signing_secrets(options: &SignedLinkOptions) -> Result<SigningSecrets, ConfigError> {
    let Some(path) = &options.secret_file else { return Ok(SigningSecrets::default()) };
    SigningSecrets::from_lines(&list(path)?).ok_or_else(|| {
        let expected = "expected a file with secrets of at least 32 bytes, one in each line";
        ConfigError::value("signed_links.secret_file", expected)
    })
}

/// Reads a list that can be newer than this release (RES-2.5.2-2, RES-2.5.5-2).
fn list(path: &Path) -> Result<String, ConfigError> {
    fs::read_to_string(path)
        .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
