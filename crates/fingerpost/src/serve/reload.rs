//! SIGHUP: reads the configuration again, and applies it as a whole or not at all.

use std::path::PathBuf;
use std::sync::Arc;

use fingerpost_http::Replaceable;
use fingerpost_public::{Router, Server};

use super::admin_side::{AdminSide, RunningApi};
use super::metrics::Metrics;
use crate::config::{self, Config, Overrides};

/// What a running server applies a changed configuration to.
pub(super) struct Reload {
    file: Option<PathBuf>,
    flags: Overrides,
    /// The configuration in use.
    config: Config,
    router: Arc<Replaceable<Router>>,
    api: RunningApi,
    metrics: Arc<Metrics>,
}

impl Reload {
    pub(super) fn new(
        file: Option<PathBuf>,
        flags: Overrides,
        config: Config,
        server: &Server,
        side: &AdminSide,
    ) -> Self {
        let (router, api) = (Arc::clone(server.router()), Arc::clone(&side.api));
        Self { file, flags, config, router, api, metrics: Arc::clone(&side.metrics) }
    }

    /// Replaces the configuration, or says in the log why not.
    pub(super) fn reload(&mut self) {
        let replaced = self.replace();
        self.metrics.reloads().count(replaced.is_ok());
        match replaced {
            Ok(changed) if changed.is_empty() => {
                tracing::info!("configuration read again: no key has changed");
            }
            Ok(changed) => {
                tracing::info!(changed = changed.join(", "), "configuration replaced");
            }
            Err(reason) => {
                tracing::error!(%reason, "configuration not replaced, the old one stays in use");
            }
        }
    }

    /// Returns the keys that have changed. Files that keys name, such as a logo, are read again in any case.
    fn replace(&mut self) -> Result<Vec<String>, String> {
        let new = config::read(self.file.as_deref(), &self.flags);
        let new = new.map_err(|error| error.to_string())?;
        let changed = self.config.changed(&new);
        let fixed: Vec<&str> =
            changed.iter().map(String::as_str).filter(|key| !config::is_reloaded(key)).collect();
        if !fixed.is_empty() {
            let keys = fixed.join("`, `");
            return Err(format!("`{keys}` cannot change while the server runs: restart it"));
        }
        self.router.replace(self.router.current().with_config(new.public.clone()));
        if let Some(api) = self.api.get() {
            api.replace(api.current().with_config(new.admin.clone()));
        }
        self.config = new;
        Ok(changed)
    }
}
