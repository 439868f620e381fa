//! The configuration as it is written: every key may be absent, none may be unknown.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use fingerpost_http::{Items, LimitsLayer, Period, Size};
use fingerpost_resolver::{Contact, ContextList, NamespaceParts, PatternParts, SettingsParts};
use serde::Deserialize;

use super::admin::AdminLayer;
use super::brand::BrandLayer;
use super::{ConfigError, LogFormat, Network};

/// One layer of configuration: what the file, then the environment, then the flags say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FileConfig {
    pub(super) resolver_root: Option<String>,
    pub(super) name: Option<String>,
    pub(super) supported_primary_keys: Option<Items<String>>,
    pub(super) link_type_namespaces: Option<Vec<NamespaceParts>>,
    pub(super) patterns: Option<Vec<PatternParts>>,
    pub(super) default_link_type: Option<String>,
    pub(super) legacy_gtin: Option<bool>,
    pub(super) legacy_alphas: Option<bool>,
    pub(super) legacy_decompression: Option<bool>,
    pub(super) context_values: Option<Items<String>>,
    pub(super) context_lists: Option<Vec<ContextList>>,
    pub(super) contact: Option<Contact>,
    pub(super) extension_profile: Option<String>,
    pub(super) own_context: Option<String>,
    pub(super) media_types_file: Option<PathBuf>,

    pub(super) listen: Option<Items<SocketAddr>>,
    pub(super) tls_cert: Option<PathBuf>,
    pub(super) tls_key: Option<PathBuf>,
    pub(super) tls_self_signed: Option<bool>,
    pub(super) http_redirect_listen: Option<Items<SocketAddr>>,
    pub(super) trusted_proxies: Option<Items<Network>>,
    pub(super) threads: Option<u16>,
    pub(super) cache_bytes: Option<Size>,
    pub(super) map_size: Option<Size>,
    pub(super) linkset_max_age: Option<Period>,
    pub(super) log: Option<LogLayer>,
    pub(super) limits: Option<LimitsLayer>,
    pub(super) admin: Option<AdminLayer>,
    pub(super) brand: Option<BrandLayer>,
}

/// The table `log`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LogLayer {
    pub(super) level: Option<String>,
    pub(super) format: Option<LogFormat>,
}

/// Reads one document. `name` is what errors call it.
pub(super) fn parse(name: &str, text: &str) -> Result<FileConfig, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        ConfigError::at(name, text, offset, error.message())
    })
}

impl FileConfig {
    /// Paths in a file are relative to the file.
    pub(super) fn rebase(&mut self, folder: &Path) {
        let paths = [&mut self.tls_cert, &mut self.tls_key, &mut self.media_types_file];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&*path);
        }
        if let Some(brand) = &mut self.brand {
            brand.rebase(folder);
        }
        if let Some(admin) = &mut self.admin {
            admin.rebase(folder);
        }
    }

    /// Lays `over` on top: what it says wins.
    pub(super) fn overlay(&mut self, over: Self) {
        macro_rules! take {
            ($base:expr, $over:expr; $($field:ident)+) => {
                $(if $over.$field.is_some() { $base.$field = $over.$field; })+
            };
        }
        if let Some(admin) = over.admin {
            self.admin.get_or_insert_default().overlay(admin);
        }
        if let Some(log) = over.log {
            let base = self.log.get_or_insert_default();
            take!(base, log; level format);
        }
        if let Some(limits) = over.limits {
            let base = self.limits.get_or_insert_default();
            take!(base, limits; max_target_bytes max_header_bytes max_connections tls_handshake_timeout
                header_timeout idle_timeout response_timeout shutdown_grace);
        }
        if let Some(brand) = over.brand {
            self.brand.get_or_insert_default().overlay(brand);
        }
        take!(self, over; resolver_root name supported_primary_keys link_type_namespaces patterns
            default_link_type legacy_gtin legacy_alphas legacy_decompression context_values context_lists
            contact extension_profile own_context media_types_file listen tls_cert tls_key
            tls_self_signed http_redirect_listen trusted_proxies threads cache_bytes map_size
            linkset_max_age);
    }

    /// The part that the resolver checks.
    pub(super) fn settings_parts(&self, default_root: &str) -> SettingsParts {
        SettingsParts {
            resolver_root: self.resolver_root.clone().unwrap_or_else(|| default_root.to_owned()),
            name: self.name.clone(),
            supported_primary_keys: self.supported_primary_keys.clone().map(Items::into_vec),
            link_type_namespaces: self.link_type_namespaces.clone().unwrap_or_default(),
            patterns: self.patterns.clone().unwrap_or_default(),
            default_link_type: self.default_link_type.clone(),
            legacy_gtin: self.legacy_gtin.unwrap_or(false),
            legacy_alphas: self.legacy_alphas.unwrap_or(false),
            legacy_decompression: Some(self.legacy_decompression.unwrap_or(true)),
            context_values: self.context_values.clone().map(Items::into_vec).unwrap_or_default(),
            context_lists: self.context_lists.clone().unwrap_or_default(),
            contact: self.contact.clone(),
            extension_profile: self.extension_profile.clone(),
            own_context: self.own_context.clone(),
        }
    }
}
