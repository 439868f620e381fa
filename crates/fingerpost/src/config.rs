//! The configuration as every command reads it: the file, then the environment, then flags.

use std::path::Path;

use fingerpost_public::{Config, ConfigError, Overrides};
use fingerpost_store::StoreOptions;

use crate::failure::Failure;

/// The configuration of a command that serves nothing.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn load(file: Option<&Path>) -> Result<Config, Failure> {
    load_with(file, &Overrides::default())
}

/// The configuration with flags laid over it.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn load_with(file: Option<&Path>, flags: &Overrides) -> Result<Config, Failure> {
    // A variable that is not text cannot be one of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Config::load(file, environment, flags).map_err(|error| {
        let next = match &error {
            ConfigError::Unreadable { .. } => "check the path given with --config",
            _ => "docs/reference/configuration.md lists every key and its default",
        };
        Failure::advise(error, next)
    })
}

/// How a command that reads or writes each entry once opens the store: the map of the configuration, which
/// every process shares, and no cache.
pub(crate) fn store_options(config: &Config) -> StoreOptions {
    StoreOptions::default().map_size(config.map_size()).cache_bytes(0)
}
