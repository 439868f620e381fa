//! The configuration of all commands: the file, then the environment, then flags.
//!
//! Each part declares its own options; this module combines them into one document.
//! `docs/reference/configuration.md` explains each key, `docs/fingerpost.example.toml` has the
//! defaults; both are generated from the declarations.

mod options;
mod reference;
mod reloaded;
mod schedule;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fingerpost_acme::{AcmeOptions, Config as Acme, Uses};
use fingerpost_admin::{Config as Admin, RoleOptions, Site};
use fingerpost_ce::CeApiOptions;
use fingerpost_http::TlsSource;
use fingerpost_insight::{Insight, InsightOptions};
use fingerpost_linkcheck::LinkOptions;
use fingerpost_options::{ConfigError, Document, Section};
use fingerpost_postgres::DatabaseAddress;
use fingerpost_public::{Config as Public, DEFAULT_RESOLVER_ROOT};
use fingerpost_store::{Store, StoreOptions};
use fingerpost_webhooks::WebhookOptions;

use crate::database;
use crate::failure::Failure;
pub use options::{
    AuditOptions, BackupOptions, LogFormat, LogOptions, MailOptions, MailTls, MetricsOptions,
    OtelOptions, Part, ProcessOptions, PurgeOptions, PurgeService, SourceOptions, StorageOptions,
};
pub use reference::{example, reference};
pub use reloaded::is_reloaded;
pub(crate) use schedule::has_passed;
pub use schedule::{Keep, Schedule};

/// The complete configuration, validated.
#[derive(Clone, Debug)]
pub struct Config {
    /// The public side.
    pub public: Public,
    /// The admin side.
    pub admin: Admin,
    /// The data directory.
    pub storage: StorageOptions,
    /// The store that this node follows.
    pub source: SourceOptions,
    /// Logging options.
    pub log: LogOptions,
    /// The process.
    pub process: ProcessOptions,
    /// Addresses for metrics.
    pub metrics: MetricsOptions,
    /// Traces.
    pub otel: OtelOptions,
    /// Publication of heads of the audit log.
    pub audit: AuditOptions,
    /// The certificate that an authority issues, if a listener uses it.
    pub acme: Option<Acme>,
    /// The data-entry API of Resolver CE.
    pub ce_api: CeApiOptions,
    /// Backups on a schedule.
    pub backup: BackupOptions,
    /// Mails to users.
    pub mail: MailOptions,
    /// Checks of the targets of links.
    pub links: LinkOptions,
    /// Delivery of events.
    pub webhooks: WebhookOptions,
    /// Purging of caches in front.
    pub purge: PurgeOptions,
    /// Counts of scans.
    pub insight: InsightOptions,
    /// Issuers of tokens that prove roles on the public side.
    pub roles: RoleOptions,
    /// The values that are given, to see what has changed.
    values: toml::Table,
    warnings: Vec<String>,
}

/// Flags of the command line; each overrides the file and the environment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `listen`; empty if not given.
    pub listen: Vec<SocketAddr>,
    /// `tls_cert`
    pub tls_cert: Option<PathBuf>,
    /// `tls_key`
    pub tls_key: Option<PathBuf>,
    /// `tls_self_signed`, if the flag is given.
    pub tls_self_signed: bool,
    /// `resolver_root`
    pub resolver_root: Option<String>,
    /// `threads`
    pub threads: Option<u16>,
    /// `admin.listen`; empty if not given.
    pub admin_listen: Vec<SocketAddr>,
    /// `http_redirect_listen`, of sockets that the process was given; empty without.
    pub redirect_listen: Vec<SocketAddr>,
    /// `metrics.listen`, of sockets that the process was given; empty without.
    pub metrics_listen: Vec<SocketAddr>,
    /// `log.format`
    pub log_format: Option<String>,
    /// `admin.enabled = false`, if the flag is given.
    pub no_admin: bool,
    /// `brand.examples`, those of the sample data with `--demo`; empty without.
    pub examples: Vec<&'static str>,
}

/// The directory of the counts of scans within the data directory.
const COUNTS: &str = "insight";

/// Environment variables of the command line itself, which are not configuration keys.
const NOT_KEYS: [&str; 3] = ["FINGERPOST_CONFIG", "FINGERPOST_SERVER", "FINGERPOST_KEY"];

impl Config {
    /// Reads the file, if it exists, then the environment, then the flags.
    ///
    /// `environment` is the result of [`std::env::vars`]; only names `FINGERPOST_…` are read:
    /// `FINGERPOST_RESOLVER_ROOT` is `resolver_root`, `FINGERPOST_LIMITS_MAX_CONNECTIONS` is
    /// `limits.max_connections`. Lists and tables are written as in TOML, lists of words also
    /// with commas.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let mut document = Document::load(path, &all_sections())?;
        let warnings = document.overlay_environment(environment, &NOT_KEYS)?;
        overrides.apply(&mut document)?;
        Self::read(&document, warnings)
    }

    /// Reads a configuration from text only.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        Self::read(&Document::parse("configuration", text, &all_sections())?, Vec::new())
    }

    fn read(document: &Document, warnings: Vec<String>) -> Result<Self, ConfigError> {
        let public = Public::read(document)?;
        let site = Site {
            settings: public.settings().clone(),
            vocabulary: public.vocabulary().clone(),
            root_is_default: public.root_is_default(),
            trusted_proxies: public.trusted_proxies().to_vec(),
            limits: public.limits().clone(),
        };
        let admin = Admin::read(document, site)?;
        let uses = Uses {
            public: public.tls() == Some(&TlsSource::Issued),
            admin: admin.options().enabled && admin.tls() == Some(&TlsSource::Issued),
            plain: !public.http_redirect_listen().is_empty(),
        };
        Ok(Self {
            acme: Acme::new(document.read("acme")?, uses)
                .map_err(|fault| document.with_position(fault))?,
            admin,
            storage: document.read("")?,
            source: document.read("store")?,
            ce_api: document.read("ce_api")?,
            log: document.read("log")?,
            process: document.read("")?,
            metrics: document.read("metrics")?,
            purge: PurgeOptions::checked(document, public.has_surrogate_keys())?,
            otel: document.read("otel")?,
            audit: document.read("audit")?,
            backup: document.read("backup")?,
            mail: MailOptions::checked(document)?,
            links: document.read("links")?,
            webhooks: document.read("webhooks")?,
            insight: document.read("insight")?,
            roles: document.read("")?,
            values: document.values()?,
            public,
            warnings,
        })
    }

    /// Returns the warnings to show at start: a default root in use, a proxy that is not trusted,
    /// variables without meaning.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let root = self.public.root_is_default().then(|| {
            format!(
                "no resolver_root is configured: answers name {DEFAULT_RESOLVER_ROOT}; set it to the address that \
                 printed codes carry"
            )
        });
        let admin = self.admin.options();
        let speaks_tls = self.admin.tls().is_some();
        let has_front = admin.insecure || !admin.origins.is_empty();
        let behind_proxy = admin.enabled && has_front && !speaks_tls;
        let untrusted = behind_proxy && self.public.trusted_proxies().is_empty();
        let proxy = untrusted.then(|| {
            "the admin listener seems to be behind a proxy (admin.insecure or admin.origins), but trusted_proxies is \
             empty: all clients share the address of the proxy, and with it the limits of sign-in"
                .to_owned()
        });
        let unused = self.acme.is_none() && self.values.contains_key("acme");
        let acme = unused.then(|| {
            "the table acme has no effect: set tls_acme or admin.tls_acme to true to use its certificate"
                .to_owned()
        });
        let open = self.metrics.listen.iter().find(|address| is_for_everybody(address.ip()));
        let metrics = open.map(|address| {
            format!(
                "metrics.listen has {address}, which other networks may reach: everybody who does can read the metrics; \
                 choose an address of this machine or of a private network"
            )
        });
        root.into_iter()
            .chain(metrics)
            .chain(proxy)
            .chain(acme)
            .chain(self.warnings.iter().cloned())
    }

    /// Returns all values that are given.
    pub(crate) fn values(&self) -> &toml::Table {
        &self.values
    }

    /// Returns the value that is given for an option; `None` if the default applies.
    pub(crate) fn value(&self, table: &str, key: &str) -> Option<&toml::Value> {
        let table =
            if table.is_empty() { Some(&self.values) } else { self.values.get(table)?.as_table() };
        table?.get(key)
    }

    /// Opens the store that a command works on, which must exist: that of `--data`, else that in
    /// the configured database, else that in the configured directory.
    pub fn open_store(&self, data: Option<&Path>) -> Result<Store, Failure> {
        match self.database(data)? {
            Some(address) => Ok(database::store(&address, self.storage.data.as_deref())?),
            None => self.open_directory(data),
        }
    }

    /// As [`Config::open_store`], but creates a missing store.
    ///
    /// Fails if nothing is configured, or it cannot be opened.
    pub fn create_store(&self, data: Option<&Path>) -> Result<Store, Failure> {
        match self.database(data)? {
            Some(address) => Ok(database::store(&address, self.storage.data.as_deref())?),
            None => self.create_directory(data),
        }
    }

    /// Opens the counts of scans: those in the configured database, unless a directory was named,
    /// else those in the data directory. Returns `None` if nothing was ever counted there.
    pub fn open_insight(&self, data: Option<&Path>) -> Result<Option<Insight>, Failure> {
        let store = match self.database(data)? {
            Some(address) => database::store(&address, self.storage.data.as_deref())?,
            None => {
                let dir = self.data(data)?.join(COUNTS);
                if !dir.is_dir() {
                    return Ok(None);
                }
                Store::open_existing(&dir, self.store_options())?
            }
        };
        Ok(Some(Insight::new(Arc::new(store), self.insight.clone())))
    }

    /// Opens the store of counts in a data directory; creates it if it is missing.
    pub(crate) fn create_count_store(&self, data: &Path) -> Result<Arc<Store>, Failure> {
        Ok(Arc::new(Store::open(&data.join(COUNTS), self.store_options())?))
    }

    /// Opens the store in the data directory, which must exist: on a node, its copy.
    pub fn open_directory(&self, data: Option<&Path>) -> Result<Store, Failure> {
        Ok(Store::open_existing(self.data(data)?, self.store_options())?)
    }

    /// Opens the store in the data directory; creates it if it is missing.
    pub fn create_directory(&self, data: Option<&Path>) -> Result<Store, Failure> {
        Ok(Store::open(self.data(data)?, self.store_options())?)
    }

    /// Returns the address of the configured database, unless a directory was named.
    pub fn database(&self, data: Option<&Path>) -> Result<Option<DatabaseAddress>, Failure> {
        let url = self.source.url.as_deref().filter(|url| database::is_address(url));
        url.filter(|_| data.is_none()).map(database::parse).transpose()
    }

    /// Returns store options for a command that reads or writes each entry once: the configured map
    /// size, and no cache.
    pub fn store_options(&self) -> StoreOptions {
        let options = StoreOptions::default().cache_bytes(0);
        self.storage.map_size.map_or(options, |size| options.map_size(size.get()))
    }

    /// Returns the data directory: that of `--data`, else the configured one.
    pub fn data<'a>(&'a self, flag: Option<&'a Path>) -> Result<&'a Path, Failure> {
        flag.or(self.storage.data.as_deref()).ok_or_else(|| {
            Failure::advise(
                "expected a data directory, found none",
                "give --data DIR, set FINGERPOST_DATA, or set `data` in the configuration",
            )
        })
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
                document.overlay_flag(flag, key, path, &["tls_self_signed", "tls_acme"])?;
            }
        }
        if self.tls_self_signed {
            let files = &["tls_cert", "tls_key", "tls_acme"];
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
        for (key, addresses) in [
            ("http_redirect_listen", &self.redirect_listen),
            ("metrics.listen", &self.metrics_listen),
        ] {
            if !addresses.is_empty() {
                document.overlay_flag(
                    "socket of the process manager",
                    key,
                    texts(addresses),
                    &[],
                )?;
            }
        }
        if let Some(format) = &self.log_format {
            document.overlay_flag("--log-format", "log.format", format.as_str(), &[])?;
        }
        if self.no_admin {
            document.overlay_flag("--no-admin", "admin.enabled", false, &[])?;
        }
        if !self.examples.is_empty() {
            document.overlay_flag("--demo", "brand.examples", self.examples.clone(), &[])?;
        }
        Ok(())
    }
}

/// Returns whether an address is not limited to this machine or a private network.
fn is_for_everybody(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            // Addresses of carriers (RFC 6598) are used for private networks between machines, too.
            let is_shared = first == 100 && second & 0xC0 == 64;
            !(address.is_loopback() || address.is_private() || address.is_link_local() || is_shared)
        }
        IpAddr::V6(address) => {
            !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local())
        }
    }
}

/// Returns every section with its title, in the order of the reference. The keys at the top of the
/// document come before its tables.
fn sections() -> Vec<(&'static str, Section)> {
    let own = [
        ("Storage", Section::of::<StorageOptions>("")),
        ("Roles", Section::of::<RoleOptions>("")),
        ("Process", Section::of::<ProcessOptions>("")),
        ("Nodes", Section::of::<SourceOptions>("store")),
        ("Certificates", Section::of::<AcmeOptions>("acme")),
        ("Log", Section::of::<LogOptions>("log")),
        ("Metrics", Section::of::<MetricsOptions>("metrics")),
        ("Traces", Section::of::<OtelOptions>("otel")),
        ("Audit log", Section::of::<AuditOptions>("audit")),
        ("Data-entry API of Resolver CE", Section::of::<CeApiOptions>("ce_api")),
        ("Backups", Section::of::<BackupOptions>("backup")),
        ("Mail", Section::of::<MailOptions>("mail")),
        ("Link health", Section::of::<LinkOptions>("links")),
        ("Webhooks", Section::of::<WebhookOptions>("webhooks")),
        ("Purging caches", Section::of::<PurgeOptions>("purge")),
        ("Insight", Section::of::<InsightOptions>("insight")),
    ];
    let mut all: Vec<_> =
        Public::sections().into_iter().chain(own).chain(Admin::sections()).collect();
    all.sort_by_key(|(_, section)| !section.table.is_empty());
    all
}

fn all_sections() -> Vec<Section> {
    sections().into_iter().map(|(_, section)| section).collect()
}

/// Returns the configuration of a command that starts no server.
pub fn load(file: Option<&Path>) -> Result<Config, Failure> {
    load_with(file, &Overrides::default())
}

/// Returns the configuration with flags applied.
pub fn load_with(file: Option<&Path>, flags: &Overrides) -> Result<Config, Failure> {
    read(file, flags).map_err(|error| {
        let next = match &error {
            ConfigError::Unreadable { .. } => "check the path given with --config",
            _ => "`fingerpost configuration` lists every key and its default",
        };
        Failure::advise(error, next)
    })
}

/// Returns the configuration with the variables of this process and flags applied.
pub fn read(file: Option<&Path>, flags: &Overrides) -> Result<Config, ConfigError> {
    // A variable that is not text cannot be one of fingerpost's.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Config::load(file, environment, flags)
}
