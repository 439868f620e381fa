//! SIGHUP, and a changed file: reads the configuration again, and applies it as a whole or not at
//! all.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fingerpost_http::Replaceable;
use fingerpost_public::{Router, Server};

use super::process_manager::Manager;
use super::{Next, Service, Stop};
use crate::admin_side::RunningApi;
use crate::config::{self, Config, Overrides};
use crate::failure::Failure;
use crate::metrics::{Families, number};
use crate::starting::Start;

/// How often the file is read; it must be the same twice.
const LOOK: Duration = Duration::from_secs(1);

/// Applies a changed configuration to the running server.
pub(crate) struct Reload {
    file: Option<PathBuf>,
    flags: Overrides,
    router: Arc<Replaceable<Router>>,
    api: RunningApi,
    manager: Arc<Manager>,
    state: Mutex<State>,
}

struct State {
    /// The configuration in use.
    config: Config,
    /// The contents of the file in use, and of the file when it was last read.
    used: Option<Vec<u8>>,
    seen: Option<Vec<u8>>,
    /// How often a configuration was applied, and how often it was refused.
    applied: u64,
    refused: u64,
}

impl Reload {
    pub(crate) fn new(
        start: &Start,
        config: Config,
        server: &Server,
        api: &RunningApi,
        manager: &Arc<Manager>,
    ) -> Self {
        let Start { file, flags, .. } = start.clone();
        let used = file.as_ref().filter(|_| config.process.reload_on_change);
        let used = used.and_then(|file| fs::read(file).ok());
        let state = State { config, seen: used.clone(), used, applied: 0, refused: 0 };
        Self {
            file,
            flags,
            router: Arc::clone(server.router()),
            api: Arc::clone(api),
            manager: Arc::clone(manager),
            state: Mutex::new(state),
        }
    }

    /// Replaces the configuration, or logs why not.
    pub(crate) fn reload(&self) {
        self.apply(&mut self.state());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn apply(&self, state: &mut State) {
        self.manager.reloading();
        let replaced = self.replace(&mut state.config);
        self.manager.ready();
        *(if replaced.is_ok() { &mut state.applied } else { &mut state.refused }) += 1;
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

    /// Returns the keys that have changed. Files that keys name, such as a logo, are read again in
    /// any case.
    fn replace(&self, config: &mut Config) -> Result<Vec<String>, String> {
        let new = config::read(self.file.as_deref(), &self.flags);
        let new = new.map_err(|error| error.to_string())?;
        let changed = config.changed(&new);
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
        *config = new;
        Ok(changed)
    }
}

impl Service for Reload {
    fn name(&self) -> &'static str {
        "configuration"
    }

    /// Reads the configuration again if its file has changed, and it is not being written any more.
    fn run(&self, _: &Stop) -> Result<Next, Failure> {
        let mut state = self.state();
        let Some(file) = self.file.as_ref().filter(|_| state.config.process.reload_on_change)
        else {
            return Ok(Next::AtStop);
        };
        // An editor may replace the file in steps, so that it is missing for a moment.
        if let Ok(now) = fs::read(file) {
            if state.used.as_ref() != Some(&now) && state.seen.as_ref() == Some(&now) {
                self.apply(&mut state);
                state.used = Some(now.clone());
            }
            state.seen = Some(now);
        }
        Ok(Next::After(LOOK))
    }

    fn report(&self, families: &mut Families) {
        let state = self.state();
        families.counter(
            "configuration_reloads_total",
            "Configurations that were read again, by whether they were taken over.",
            [
                (vec![("result", "taken")], number(state.applied)),
                (vec![("result", "refused")], number(state.refused)),
            ],
        );
    }
}
