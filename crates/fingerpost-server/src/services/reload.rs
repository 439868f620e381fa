//! SIGHUP, and a changed file: reads the configuration again, and applies it as a whole or not at all.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

use fingerpost_http::Replaceable;
use fingerpost_public::{Router, Server};

use crate::admin_side::{AdminSide, RunningApi};
use crate::config::{self, Config, Overrides};
use crate::metrics::Metrics;
use crate::process_manager::Manager;

/// What a running server applies a changed configuration to.
pub(crate) struct Reload {
    file: Option<PathBuf>,
    flags: Overrides,
    /// The configuration in use.
    config: Config,
    router: Arc<Replaceable<Router>>,
    api: RunningApi,
    metrics: Arc<Metrics>,
    manager: Manager,
}

/// Interval at which the file is looked at; it must be the same twice.
const LOOK: Duration = Duration::from_secs(1);

impl Reload {
    pub(crate) fn new(
        file: Option<PathBuf>,
        flags: Overrides,
        config: Config,
        server: &Server,
        side: &AdminSide,
        manager: &Manager,
    ) -> Self {
        let (router, api) = (Arc::clone(server.router()), Arc::clone(&side.api));
        Self {
            file,
            flags,
            config,
            router,
            api,
            metrics: Arc::clone(&side.metrics),
            manager: manager.clone(),
        }
    }

    /// Replaces the configuration, or says in the log why not.
    pub(crate) fn reload(&mut self) {
        self.manager.reloading();
        let replaced = self.replace();
        self.manager.ready();
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

/// Reads the configuration again whenever its file has changed, on a thread of its own, if it is configured. A file that is being written
/// is read when it has not changed for a while.
pub(crate) fn watch(reload: &Arc<Mutex<Reload>>) -> io::Result<()> {
    let (file, is_wanted) = {
        let reload = reload.lock().unwrap_or_else(PoisonError::into_inner);
        (reload.file.clone(), reload.config.process.reload_on_change)
    };
    let Some(file) = file.filter(|_| is_wanted) else { return Ok(()) };
    let reload = Arc::clone(reload);
    let mut used = fs::read(&file).ok();
    let mut seen = used.clone();
    thread::Builder::new().name("configuration".to_owned()).spawn(move || {
        loop {
            thread::sleep(LOOK);
            // An editor may replace the file in steps, so that it is missing for a moment.
            let Ok(now) = fs::read(&file) else { continue };
            let (is_new, is_stable) = (used.as_ref() != Some(&now), seen.as_ref() == Some(&now));
            if is_new && is_stable {
                reload.lock().unwrap_or_else(PoisonError::into_inner).reload();
                used = Some(now.clone());
            }
            seen = Some(now);
        }
    })?;
    Ok(())
}
