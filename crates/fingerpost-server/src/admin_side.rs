//! The admin side: on the store in the data directory, or on the database that the node follows, as
//! soon as that answers.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fingerpost_acme::Keeper;
use fingerpost_admin::{AdminServer, Api};
use fingerpost_http::{Replaceable, ServeError, Shutdown};
use fingerpost_registry::Registry;
use fingerpost_store::Store;

use crate::config::{self, Config, Overrides};
use crate::failure::Failure;
use crate::following::Database;
use crate::listen_error::{Side, cannot_serve};
use crate::metrics::Metrics;
use crate::observers::Observers;
use crate::services::Stop;
use crate::services::copy::Node;
use crate::services::insight::CountStore;
use crate::starting::{Notice, Start};

/// Pause between two attempts to open the database.
const RETRY: Duration = Duration::from_secs(2);

/// The API of the admin side, once it runs.
pub(crate) type RunningApi = Arc<OnceLock<Arc<Replaceable<Api>>>>;

/// What the admin side is made of, besides its store.
pub(crate) struct AdminSide {
    pub(crate) config: Config,
    pub(crate) start: Start,
    /// The copy that the node answers scans from.
    pub(crate) node: Option<Node>,
    pub(crate) api: RunningApi,
    pub(crate) metrics: Arc<Metrics>,
    /// The certificate that an authority issues.
    pub(crate) keeper: Option<Arc<Keeper>>,
    pub(crate) observers: Observers,
    /// Where counts of scans are kept, if scans are counted.
    pub(crate) counts: Option<CountStore>,
}

impl AdminSide {
    /// Binds the admin side, if it is enabled.
    pub(crate) fn bind(&self, store: Arc<Store>) -> Result<Option<AdminServer>, Failure> {
        let config = &self.config.admin;
        if !config.options().enabled {
            return Ok(None);
        }
        let options = fingerpost_admin::registry_options(config);
        let mut registry = Registry::new(store, options.webhooks(self.config.webhooks.deliver));
        if let Some(node) = &self.node {
            registry = node.registry(&registry);
        }
        let extra = fingerpost_ce::api_routes(&self.config.ce_api);
        let bound = match AdminServer::bind_with(config, registry.clone(), extra.clone()) {
            // A demo must work beside other services on this machine.
            Err(ServeError::Bind { error, .. })
                if self.start.is_demo && error.kind() == io::ErrorKind::AddrInUse =>
            {
                let flags = Overrides {
                    admin_listen: vec![([127, 0, 0, 1], 0).into()],
                    ..Overrides::default()
                };
                let elsewhere = config::load_with(self.start.file.as_deref(), &flags)?;
                AdminServer::bind_with(&elsewhere.admin, registry, extra)
            }
            bound => bound,
        };
        let admin = bound.map_err(|error| cannot_serve(error, Side::Admin))?;
        self.observers.add("admin", admin.meter());
        let _ = self.api.set(Arc::clone(admin.api())); // only one is ever bound
        self.metrics.add_admin(&admin);
        if let Some(counts) = &self.counts {
            let store = admin.registry().store();
            admin.show_insight(counts.beside(store, &self.config.insight));
        }
        if let (Some(keeper), Some(issued)) = (&self.keeper, admin.issued()) {
            keeper.listeners().add(issued);
        }
        Ok(Some(admin))
    }

    /// Runs the admin side on a database as soon as that answers, until shutdown.
    pub(crate) fn run_later(
        &self,
        database: &Database,
        shutdown: &Shutdown,
    ) -> Result<(), Failure> {
        let Some(store) = wait_for(database, shutdown)? else { return Ok(()) };
        tracing::info!(store = store.location(), "the database answers: the admin side begins");
        let Some(admin) = self.bind(store)? else { return Ok(()) };
        for url in admin.urls() {
            (self.start.notice)(Notice::AdminListening(&url));
        }
        admin.run(shutdown).map_err(|error| cannot_serve(error, Side::Admin))
    }
}

/// Opens the database; returns `None` if the server stops before.
fn wait_for(database: &Database, shutdown: &Shutdown) -> Result<Option<Arc<Store>>, Failure> {
    let stop = Stop::new(shutdown).map_err(Failure::new)?;
    loop {
        match database.store() {
            Ok(store) => return Ok(Some(store)),
            Err(error) => tracing::debug!(%error, "the database cannot be opened"),
        }
        if stop.wait(RETRY) {
            return Ok(None);
        }
    }
}
