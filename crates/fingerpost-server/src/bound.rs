//! The third step of a start: the sockets of all listeners are bound. What remains is to run.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use fingerpost_admin::AdminServer;
use fingerpost_http::{Meter, ServeError, Shutdown};
use fingerpost_insight::Counters;
use fingerpost_public::Server;
use fingerpost_registry::Registry;
use fingerpost_store::Store;
use jiff::Timestamp;

use crate::admin_side::{AdminSide, RunningApi};
use crate::config::Config;
use crate::failure::Failure;
use crate::following::Followed;
use crate::listen_error::{Side, cannot_serve};
use crate::log::Log;
use crate::mark::Mark;
use crate::metrics::{Metrics, MetricsListener, Reporter};
use crate::observers::Observers;
use crate::opened::{Opened, Primary};
use crate::services::audit_heads::AuditHeads;
use crate::services::backups::Backups;
use crate::services::certificates::{self, Certificates};
use crate::services::check::Check;
use crate::services::copy::Node;
use crate::services::countries::Countries;
use crate::services::insight::{CountStore, Scans};
use crate::services::links::Links;
use crate::services::mails::Mails;
use crate::services::process_manager::{Manager, Watchdog};
use crate::services::purges::Purges;
use crate::services::reload::Reload;
use crate::services::role_keys::RoleKeys;
use crate::services::samples::StatusSamples;
use crate::services::webhooks::Webhooks;
use crate::services::{Service, Supervisor};
use crate::starting::{Start, Starting};

/// A server with its sockets bound.
pub struct Bound {
    _log: Log,
    sides: Sides,
    data: PathBuf,
    store: Arc<Store>,
    manager: Arc<Manager>,
    start_timeout: Supervisor,
    _mark: Mark,
}

impl Bound {
    /// Binds the sockets of all listeners.
    pub fn new(opened: Opened) -> Result<Self, Failure> {
        let Opened { starting, data, store, followed, mark } = opened;
        let here = Here { started: starting.started, start: starting.start, data: data.clone() };
        let sides = Sides::start(&starting.config, here, &store, followed.as_ref())?
            .limit_connections(starting.descriptors.for_public());
        let Starting { manager, start_timeout, log, .. } = starting;
        Ok(Self { _log: log, sides, data, store, manager, start_timeout, _mark: mark })
    }

    /// Returns the registry that the admin side works on, if there is one.
    pub fn registry(&self) -> Option<&Registry> {
        self.sides.admin.as_ref().map(AdminServer::registry)
    }

    /// Returns the data directory.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Returns whether the public side uses TLS.
    pub fn is_tls(&self) -> bool {
        self.sides.server.is_tls()
    }

    /// Returns the addresses of the public side.
    pub fn public_addrs(&self) -> &[SocketAddr] {
        self.sides.server.local_addrs()
    }

    /// Returns the addresses from which requests are redirected to TLS.
    pub fn redirect_addrs(&self) -> &[SocketAddr] {
        self.sides.server.redirect_addrs()
    }

    /// Returns the addresses of the admin side.
    pub fn admin_urls(&self) -> Vec<String> {
        self.sides.admin.as_ref().map(|admin| admin.urls().collect()).unwrap_or_default()
    }

    /// Returns the addresses of the metrics.
    pub fn metrics_addrs(&self) -> &[SocketAddr] {
        self.sides.metrics.as_ref().map(MetricsListener::local_addrs).unwrap_or_default()
    }

    /// Returns the addresses of all listeners.
    fn listeners(&self) -> Vec<SocketAddr> {
        let admin = self.sides.admin.as_ref().map(AdminServer::local_addrs).unwrap_or_default();
        // Before the database answers, there is no admin side yet.
        let later = &self.sides.side.config.admin.options().listen;
        [self.public_addrs(), self.redirect_addrs(), admin, &later[..], self.metrics_addrs()]
            .concat()
    }

    /// Runs until the server stops. Calls `announce` when signals are handled, because a reader of
    /// the addresses may send one.
    pub fn run<E: From<Failure>>(
        self,
        announce: impl FnOnce(&Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let (sides, config) = (&self.sides, &self.sides.side.config);
        let api = || sides.side.api.clone();
        let backups = match sides.side.start.is_demo {
            true => None,
            false => Some(Backups::new(config, &self.data, &sides.primary, api())?),
        };
        let mails = sides.has_admin().then(|| Mails::new(config, api())).transpose()?;
        let links = (config.links.check && sides.has_admin())
            .then(|| Links::new(&config.links, root(config), self.listeners(), api()))
            .transpose()?;
        let webhooks = (config.webhooks.deliver && sides.has_admin())
            .then(|| Webhooks::new(&config.webhooks, root(config), self.listeners(), api()))
            .transpose()?;
        let purges = match sides.has_admin() {
            true => Purges::new(&config.purge, api())?,
            false => None,
        };
        let reload = Reload::new(
            &sides.side.start,
            config.clone(),
            &sides.server,
            &sides.side.api,
            &self.manager,
        );
        let reload = Arc::new(reload);
        let services: Vec<Arc<dyn Service>> = [
            sides
                .side
                .keeper
                .clone()
                .map(|keeper| Arc::new(Certificates::new(keeper, api())) as Arc<dyn Service>),
            backups.map(|backups| Arc::new(backups) as _),
            self.store.is_unchecked().then(|| Arc::new(Check(Arc::clone(&self.store))) as _),
            Some(Arc::clone(&reload) as _),
            Some(Arc::new(AuditHeads::new(&config.audit, sides.primary.clone()))),
            sides
                .has_admin()
                .then(|| Arc::new(StatusSamples(Arc::clone(&sides.side.metrics))) as _),
            mails.map(|mails| Arc::new(mails) as _),
            links.map(|links| Arc::new(links) as _),
            webhooks.map(|webhooks| Arc::new(webhooks) as _),
            purges.map(|purges| Arc::new(purges) as _),
            sides.scans().map(|scans| Arc::new(scans) as _),
            sides.countries.clone().map(|countries| Arc::new(countries) as _),
            sides.role_keys.clone().map(|keys| Arc::new(keys) as _),
            Some(Arc::new(Watchdog::new(&self.manager, sides.meter()))),
        ]
        .into_iter()
        .flatten()
        .chain(sides.side.node.iter().flat_map(Node::services))
        .collect();
        let drain = config.public.limits().shutdown_drain.get();
        let hangup = move || reload.reload();
        let shutdown = Shutdown::new().drain_for(drain).on_signals(hangup).map_err(|error| {
            Failure::new(format!("cannot listen to signals such as SIGTERM: {error}"))
        })?;
        announce(&self)?;
        let Self { _log, sides, manager, start_timeout, _mark, .. } = self;
        drop(start_timeout);
        manager.ready();
        sides.side.metrics.add_services(services.iter().map(reporter).collect());
        let mut supervisor = Supervisor::new(&shutdown);
        for service in services {
            supervisor.start(service)?;
        }
        Ok(sides.serve(&shutdown)?)
    }
}

/// Returns the address that printed codes carry.
fn root(config: &Config) -> &str {
    config.public.settings().root().as_str()
}

/// Returns what adds the metrics of a service, without keeping it alive.
fn reporter(service: &Arc<dyn Service>) -> Reporter {
    let service = Arc::downgrade(service);
    Box::new(move |families| {
        if let Some(service) = service.upgrade() {
            service.report(families);
        }
    })
}

/// The process that serves.
pub(crate) struct Here {
    pub(crate) started: Timestamp,
    pub(crate) start: Start,
    pub(crate) data: PathBuf,
}

/// Both sides, with their sockets bound.
pub(crate) struct Sides {
    pub(crate) server: Server,
    pub(crate) side: AdminSide,
    primary: Primary,
    pub(crate) admin: Option<AdminServer>,
    metrics: Option<MetricsListener>,
    counters: Arc<Counters>,
    role_keys: Option<RoleKeys>,
    countries: Option<Countries>,
}

impl Sides {
    /// Binds the public side to the store of the data directory, and the admin side to the store
    /// that is written.
    pub(crate) fn start(
        config: &Config,
        here: Here,
        store: &Arc<Store>,
        followed: Option<&Followed>,
    ) -> Result<Self, Failure> {
        let Here { started, start: given, data } = here;
        let wait = config.source.write_wait.get();
        let start = |followed: &Followed| Node::new(followed.source(), store, wait);
        let node = followed.map(start).transpose()?;
        let mut server = Server::bind(config.public.clone(), Arc::clone(store))
            .map_err(|error| cannot_serve(error, Side::Public))?;
        if let Some(node) = &node {
            server = server.with_copy(node.status());
        }
        let (counters, counts) =
            (Arc::new(Counters::new()), CountStore::open(config, &data, followed)?);
        if counts.is_some() {
            server = server.with_counters(Arc::clone(&counters));
        }
        let role_keys = RoleKeys::new(config)?;
        if let Some(keys) = &role_keys {
            server = server.with_tokens(Arc::new(keys.clone()));
        }
        let countries = Countries::open(&config.public)?;
        #[cfg(feature = "country")] // without it, there are none
        if let Some(countries) = &countries {
            server = server.with_countries(Arc::new(countries.clone()));
        }
        let observers = Observers::start(&config.log, &config.otel)?;
        observers.add("public", server.meter());
        let api = RunningApi::default();
        let keeper = certificates::keeper(config, &server, &data, given.is_demo)?;
        let every = config.metrics.sample_every.get();
        let metrics = Metrics::new(started, &server, store, &data, every);
        let own = config.clone();
        let start = given;
        let side = AdminSide { config: own, start, node, api, metrics, keeper, observers, counts };
        let primary = Primary::of(store, followed)?;
        let admin = match &primary {
            Primary::Here(store) => side.bind(Arc::clone(store))?,
            Primary::Away(_) | Primary::Elsewhere => None,
        };
        let metrics = MetricsListener::bind(&config.metrics.listen, config.public.limits())
            .map_err(|error| cannot_serve(error, Side::Metrics))?;
        let sides = Self { server, side, primary, admin, metrics, counters, role_keys, countries };
        if !sides.has_public() && !sides.has_admin() {
            return Err(Failure::advise(
                "neither the public nor the admin side has an address",
                "name one in `listen`, or in the table `admin` of the configuration",
            ));
        }
        Ok(sides)
    }

    /// Returns whether this process answers scans.
    fn has_public(&self) -> bool {
        !self.server.local_addrs().is_empty()
    }

    /// Returns the service that writes the counts of scans, if this process counts any.
    fn scans(&self) -> Option<Scans> {
        let counts = self.side.counts.clone().filter(|_| self.has_public())?;
        Some(Scans::new(Arc::clone(&self.counters), counts, &self.side.config.insight))
    }

    /// Returns whether this process has an admin side, at the start or as soon as its database
    /// answers.
    fn has_admin(&self) -> bool {
        self.admin.is_some() || matches!(self.primary, Primary::Away(_))
    }

    /// Limits the connections of the public side.
    fn limit_connections(self, most: usize) -> Self {
        Self { server: self.server.limit_connections(most), ..self }
    }

    /// Returns the meter of the threads that must run: those of scans, or of the admin side if this
    /// process serves nothing else.
    fn meter(&self) -> &Meter {
        match &self.admin {
            Some(admin) if !self.has_public() => admin.meter(),
            _ => self.server.meter(),
        }
    }

    /// Runs both sides. They stop together, after a signal or when one of them fails.
    pub(crate) fn serve(self, shutdown: &Shutdown) -> Result<(), Failure> {
        let (has_public, has_admin) = (self.has_public(), self.has_admin());
        let Self { server, side, primary, admin, metrics, .. } = self;
        let run = || match (admin, &primary) {
            (Some(admin), _) => {
                admin.run(shutdown).map_err(|error| cannot_serve(error, Side::Admin))
            }
            (None, Primary::Away(database)) => side.run_later(database, shutdown),
            (None, Primary::Here(_) | Primary::Elsewhere) => Ok(()),
        };
        thread::scope(|scope| {
            let beside = has_admin.then(|| {
                scope.spawn(|| {
                    let ended = run();
                    shutdown.trigger();
                    ended
                })
            });
            let shown = metrics.map(|listener| {
                scope.spawn(|| {
                    let ended = listener.run(&side.metrics, shutdown);
                    shutdown.trigger();
                    ended.map_err(|error| cannot_serve(error, Side::Metrics))
                })
            });
            // Without addresses of its own, the public side is another process.
            let served = if has_public {
                let served = server.run(shutdown);
                shutdown.trigger();
                served
            } else {
                Ok(())
            };
            let panicked = |_| Err(cannot_serve(ServeError::Panicked, Side::Admin));
            let beside = beside.map_or(Ok(()), |thread| thread.join().unwrap_or_else(panicked));
            let panicked = |_| Err(cannot_serve(ServeError::Panicked, Side::Metrics));
            let shown = shown.map_or(Ok(()), |thread| thread.join().unwrap_or_else(panicked));
            side.observers.finish();
            served.map_err(|error| cannot_serve(error, Side::Public))?;
            beside.and(shown)
        })
    }
}
