//! The metrics of the process in the text format of Prometheus: on the admin listener, and on an
//! address of its own if configured.
//!
//! Each thread counts its own events, and a scrape adds them up. No metric names a client, a user,
//! an organisation or an identifier. `docs/reference/metrics.md` lists all of them; a test
//! generates it from running servers. Services report their own metrics
//! ([`Service::report`](crate::services::Service::report)).

mod families;
mod figures;
mod listener;
mod listeners;
mod process;
mod samples;
mod store;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use fingerpost_admin::{AdminServer, Api, Exposition, Status, StatusPeriod};
use fingerpost_http::{Meter, Presented, Replaceable};
use fingerpost_public::Server;
use fingerpost_registry::Registry;
use fingerpost_store::Store;
use jiff::Timestamp;

use crate::clock::now;
pub(crate) use families::{Families, number};
pub(crate) use listener::MetricsListener;
use samples::Samples;
use store::QuotaCache;

/// Adds metrics.
pub(crate) type Reporter = Box<dyn Fn(&mut Families) + Send + Sync>;

/// What the metrics are read from.
pub(crate) struct Metrics {
    started: Timestamp,
    public: Side,
    admin: OnceLock<Admin>,
    /// The store of the data directory.
    store: Arc<Store>,
    data: PathBuf,
    services: OnceLock<Vec<Reporter>>,
    samples: Samples,
}

/// One listener.
struct Side {
    name: &'static str,
    meter: Meter,
    certificate: Option<Presented>,
}

/// The admin listener, once it runs.
struct Admin {
    side: Side,
    registry: Registry,
    api: Arc<Replaceable<Api>>,
    quotas: QuotaCache,
}

impl Metrics {
    /// Creates the metrics of a server; `every` is the time between two samples for the status
    /// page.
    pub(crate) fn new(
        started: Timestamp,
        server: &Server,
        store: &Arc<Store>,
        data: &Path,
        every: Duration,
    ) -> Arc<Self> {
        let (meter, certificate) = (server.meter().clone(), server.certificate());
        Arc::new(Self {
            started,
            public: Side { name: "public", meter, certificate },
            admin: OnceLock::new(),
            store: Arc::clone(store),
            data: data.to_owned(),
            services: OnceLock::new(),
            samples: Samples::new(started, every),
        })
    }

    /// Adds the admin listener, which shows the metrics.
    pub(crate) fn add_admin(self: &Arc<Self>, admin: &AdminServer) {
        let (meter, certificate) = (admin.meter().clone(), admin.certificate());
        let added = Admin {
            side: Side { name: "admin", meter, certificate },
            registry: admin.registry().clone(),
            api: Arc::clone(admin.api()),
            quotas: QuotaCache::default(),
        };
        // There is one admin listener.
        let _ = self.admin.set(added);
        // The listener does not keep alive what it shows, which keeps the listener alive.
        let metrics = Arc::downgrade(self);
        let of_text = metrics.clone();
        let text = move || of_text.upgrade().map(|metrics| metrics.text()).unwrap_or_default();
        let status = move |span| match metrics.upgrade() {
            Some(metrics) => metrics.status(span),
            // The process ends.
            None => Status { started: now(), at: Vec::new(), series: Vec::new() },
        };
        admin.expose(Exposition::new(text, status));
    }

    /// Adds the metrics of the services.
    pub(crate) fn add_services(&self, reporters: Vec<Reporter>) {
        // The services are added once.
        let _ = self.services.set(reporters);
    }

    /// Returns all metrics as text.
    pub(crate) fn text(&self) -> String {
        let mut families = self.families();
        if let Some(admin) = self.admin.get() {
            store::report_quotas(&mut families, &admin.registry, &admin.quotas);
        }
        families.text()
    }

    /// Takes the samples for the status page that are due, if there is an admin listener to show
    /// them.
    pub(crate) fn take_samples(&self) {
        if self.admin.get().is_some() {
            self.samples.take((now(), Instant::now()), || self.families());
        }
    }

    fn status(&self, span: StatusPeriod) -> Status {
        self.samples.status(span, (now(), Instant::now()), &self.families())
    }

    /// Returns all metrics but the use of quotas, for which all organisations are read.
    fn families(&self) -> Families {
        let mut families = Families::default();
        let admin = self.admin.get();
        let sides: Vec<&Side> =
            [Some(&self.public), admin.map(|admin| &admin.side)].into_iter().flatten().collect();
        process::report(&mut families, self.started);
        listeners::report(&mut families, &sides);
        store::report(&mut families, &self.store, &self.data);
        let written = admin.map_or(&self.store, |admin| admin.registry.store());
        store::report_writes(&mut families, written, admin.map(|admin| &*admin.api));
        for report in self.services.get().into_iter().flatten() {
            report(&mut families);
        }
        families
    }
}
