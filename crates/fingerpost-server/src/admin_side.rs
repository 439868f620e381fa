//! The admin side: on the store in the data directory, or on the database that the node follows, as soon as that answers.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use fingerpost_acme::Keeper;
use fingerpost_admin::{AdminServer, Api};
use fingerpost_http::{Replaceable, ServeError, Shutdown};
use fingerpost_registry::Registry;
use fingerpost_store::Store;

use super::heads::Publisher;
use super::metrics::Metrics;
use super::node::Node;
use super::observers::Observers;
use super::{Side, cannot_serve};
use crate::config::{self, Config, Overrides};
use crate::failure::Failure;
use crate::output;
use crate::source::Database;

/// Pause between two attempts to open the database, and how often it is looked whether the server stops.
const RETRY: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(100);

/// The API of the admin side, once it runs.
pub(super) type RunningApi = Arc<OnceLock<Arc<Replaceable<Api>>>>;

/// What the admin side is made of, besides its store.
pub(super) struct AdminSide {
    pub(super) config: Config,
    /// The configuration file.
    pub(super) file: Option<PathBuf>,
    pub(super) is_demo: bool,
    /// The copy that the node answers scans from.
    pub(super) node: Option<Node>,
    pub(super) api: RunningApi,
    pub(super) metrics: Arc<Metrics>,
    /// The certificate that an authority issues.
    pub(super) keeper: Option<Arc<Keeper>>,
    pub(super) observers: Observers,
}

impl AdminSide {
    /// Binds the admin side, if it is enabled.
    pub(super) fn bind(&self, store: Arc<Store>) -> Result<Option<AdminServer>, Failure> {
        let config = &self.config.admin;
        if !config.options().enabled {
            return Ok(None);
        }
        let mut registry = Registry::new(store, fingerpost_admin::registry_options(config));
        if let Some(node) = &self.node {
            registry = node.registry(&registry);
        }
        let bound = match AdminServer::bind(config, registry.clone()) {
            // A demo must work beside other services on this machine.
            Err(ServeError::Bind { error, .. })
                if self.is_demo && error.kind() == io::ErrorKind::AddrInUse =>
            {
                let flags = Overrides {
                    admin_listen: vec![([127, 0, 0, 1], 0).into()],
                    ..Overrides::default()
                };
                let elsewhere = config::load_with(self.file.as_deref(), &flags)?;
                AdminServer::bind(&elsewhere.admin, registry)
            }
            bound => bound,
        };
        let admin = bound.map_err(|error| cannot_serve(error, Side::Admin))?;
        self.observers.add("admin", admin.meter());
        let _ = self.api.set(Arc::clone(admin.api())); // only one is ever bound
        self.metrics.add_admin(&admin);
        if let (Some(keeper), Some(issued)) = (&self.keeper, admin.issued()) {
            keeper.listeners().add(issued);
        }
        Ok(Some(admin))
    }

    /// Runs the admin side on a database as soon as that answers, until shutdown.
    pub(super) fn run_later(
        &self,
        database: &Database,
        shutdown: &Shutdown,
    ) -> Result<(), Failure> {
        let Some(store) = wait_for(database, shutdown) else { return Ok(()) };
        tracing::info!(store = store.location(), "the database answers: the admin side begins");
        let _publisher = Publisher::start(&self.config.audit, &store)
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        let Some(admin) = self.bind(store)? else { return Ok(()) };
        let mut out = output::stdout();
        for url in admin.urls() {
            writeln!(out, "admin listening on {url}")?;
        }
        out.flush()?;
        drop(out);
        admin.run(shutdown).map_err(|error| cannot_serve(error, Side::Admin))
    }
}

/// Opens the database; returns `None` if the server stops before.
fn wait_for(database: &Database, shutdown: &Shutdown) -> Option<Arc<Store>> {
    loop {
        match database.store() {
            Ok(store) => return Some(store),
            Err(error) => tracing::debug!(%error, "the database cannot be opened"),
        }
        let mut left = RETRY;
        while !left.is_zero() {
            if shutdown.is_triggered() {
                return None;
            }
            thread::sleep(LOOK);
            left = left.saturating_sub(LOOK);
        }
    }
}
