//! The running listener, with its own sockets and runtime, separate from the public side.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use fingerpost_http::{
    Arrival, Handler, HostFault, Identity, Issued, Meter, Presented, Replaceable, ServeError,
    Shutdown, Sockets, Terms, Worker, refusal,
};
use fingerpost_insight::Insight;
use fingerpost_registry::{Caller, Pruning, Registry};
use http::{Request, Response};
use hyper::body::Incoming;
use tokio::runtime;
use tokio::time::{interval, sleep};
use tower_service::Service;

use crate::config::{Config, Site};
use crate::credential::Peer;
use crate::exposition::Exposition;
use crate::extra::ExtraRoutes;
use crate::hashing::Hashing;
use crate::limits::{MAX_BATCHES, MAX_CALLS, MAX_EXPORTS, MAX_IMPORTS, MAX_SIGN_INS, MAX_UPLOADS};
use crate::oidc::Provider;
use crate::state::App;
use crate::{openapi, router};

/// Number of threads that read and write sockets; blocking threads do the work.
const THREADS: usize = 2;

/// Interval at which the last use of keys and sessions is stored.
const USAGE_INTERVAL: Duration = Duration::from_secs(60);

/// Interval between searches for expired states.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The admin listener with bound sockets and a loaded certificate, ready to
/// [`run`](AdminServer::run).
///
/// ```no_run
/// use std::sync::Arc;
/// use fingerpost_admin::{AdminServer, Config, Site};
/// use fingerpost_registry::Registry;
/// use fingerpost_http::{Limits, Shutdown};
/// use fingerpost_options::Document;
/// use fingerpost_resolver::{Settings, SettingsParts};
/// use fingerpost_store::{Store, StoreOptions};
///
/// let store = Arc::new(Store::open("data".as_ref(), StoreOptions::default())?);
/// let parts = SettingsParts { resolver_root: "https://id.example.org".to_owned(), ..SettingsParts::default() };
/// let settings = Settings::new(parts)?;
/// let site = Site {
///     vocabulary: settings.vocabulary().clone(),
///     settings,
///     root_is_default: false,
///     trusted_proxies: Vec::new(),
///     limits: Limits::default(),
/// };
/// let sections = Config::sections().map(|(_, section)| section);
/// let document = Document::parse("example", "[admin]\nlisten = \"127.0.0.1:0\"", &sections)?;
/// let config = Config::read(&document, site)?;
/// let registry = Registry::new(store, fingerpost_admin::registry_options(&config));
/// let admin = AdminServer::bind(&config, registry)?;
/// println!("admin listening on {}", admin.urls().collect::<Vec<_>>().join(", "));
/// admin.run(&Shutdown::new())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AdminServer {
    api: Arc<Replaceable<Api>>,
    registry: Registry,
    identity: Option<Identity>,
    sockets: Sockets,
    meter: Meter,
}

impl AdminServer {
    /// Reads the certificate and binds the addresses, without answering requests yet. See
    /// [`crate::registry_options`] for the options of the registry.
    pub fn bind(config: &Config, registry: Registry) -> Result<Self, ServeError> {
        Self::bind_with(config, registry, None)
    }

    /// As [`AdminServer::bind`], with the routes of another crate. They remain those that the
    /// server was bound with.
    pub fn bind_with(
        config: &Config,
        registry: Registry,
        extra: Option<Arc<dyn ExtraRoutes>>,
    ) -> Result<Self, ServeError> {
        let provider = Provider::new(config)?;
        let host = config.site().settings.root().host();
        let tls = config.tls();
        let identity = tls.map(|source| Identity::load(source, host)).transpose()?;
        let sockets = Sockets::bind(&config.options().listen, 1, &config.site().limits)?;
        let texts = openapi::texts();
        let app = App::new(registry, config.clone(), sockets.local_addrs(), provider, texts);
        let (registry, api) = (app.registry().clone(), Api::new(app, extra));
        Ok(Self {
            api: Arc::new(Replaceable::new(api)),
            registry,
            identity,
            sockets,
            meter: Meter::default(),
        })
    }

    /// Answers `/metrics` and `/v1/status` with these from now on; without, there are no such
    /// resources.
    pub fn expose(&self, metrics: Exposition) {
        self.api.current().app.expose(metrics);
    }

    /// Answers `/v1/insight` with these counts from now on.
    pub fn show_insight(&self, insight: Insight) {
        self.api.current().app.show_insight(insight);
    }

    /// Returns the certificate in use at any time; `None` without TLS.
    pub fn certificate(&self) -> Option<Presented> {
        self.identity.as_ref().map(Identity::presented)
    }

    /// Returns the holder of certificates that the program gives (`admin.tls_acme`); `None` if they
    /// come from elsewhere.
    pub fn issued(&self) -> Option<Issued> {
        self.identity.as_ref().and_then(Identity::issued)
    }

    /// Returns the counters of the listener, also while it runs.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Returns the addresses in use, in the order of `admin.listen`, with the actual ports instead
    /// of port 0.
    pub fn local_addrs(&self) -> &[SocketAddr] {
        self.sockets.local_addrs()
    }

    /// Returns whether the listener uses TLS.
    pub fn is_tls(&self) -> bool {
        self.identity.is_some()
    }

    /// Returns the addresses in use as URLs.
    pub fn urls(&self) -> impl Iterator<Item = String> + '_ {
        let scheme = if self.is_tls() { "https" } else { "http" };
        self.local_addrs().iter().map(move |address| format!("{scheme}://{address}"))
    }

    /// Returns the self-signed certificate created at start (`admin.tls_self_signed`), in PEM form,
    /// for clients that should trust it.
    pub fn self_signed_pem(&self) -> Option<&str> {
        self.identity.as_ref().and_then(Identity::self_signed_pem)
    }

    /// Returns the registry.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the API that answers the requests. It can be replaced by [`Api::with_config`], also
    /// while the server runs; addresses, certificate and identity provider remain those that the
    /// server was bound with, and so do the limits of connections.
    pub fn api(&self) -> &Arc<Replaceable<Api>> {
        &self.api
    }

    /// Serves until shutdown has completed, at the latest after `limits.shutdown_grace`. Blocks.
    /// The public side handles signals and passes them on by `shutdown`.
    pub fn run(self, shutdown: &Shutdown) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(
                MAX_CALLS
                    + MAX_BATCHES
                    + MAX_UPLOADS
                    + MAX_IMPORTS
                    + MAX_EXPORTS
                    + THREADS
                    + MAX_SIGN_INS
                    + 2 * Hashing::at_once(),
            )
            .thread_name("admin")
            .on_thread_start(fingerpost_http::process::yield_to_others)
            .enable_all()
            .build()?;
        let app = Arc::clone(&self.api.current().app);
        let served = runtime.block_on(self.serve(&app, shutdown));
        // Calls in progress end first, because they hold the state that they write.
        runtime.shutdown_timeout(app.config().site().limits.shutdown_grace.get());
        if let Err(error) = app.registry().flush_usage() {
            tracing::error!(%error, "cannot store the last use of API keys");
        }
        served
    }

    async fn serve(self, app: &App, shutdown: &Shutdown) -> Result<(), ServeError> {
        let config = app.config();
        let Site { limits, trusted_proxies, .. } = config.site();
        let slots = config.options().max_connections.get();
        let terms = Terms::new(limits, slots, trusted_proxies, shutdown).counted_by(&self.meter);
        let tls = self.identity.as_ref().map(|identity| identity.acceptor().clone());
        let mut worker = Worker::default();
        for socket in self.sockets.into_workers().into_iter().flatten() {
            worker.add(socket, &self.api, tls.as_ref(), &terms);
        }
        let (commits, stop) = (Arc::clone(app.commits()), shutdown.clone());
        tokio::spawn(async move {
            stop.started().await;
            commits.stop();
        });
        let beside = tokio::spawn(look_after(self.api, self.identity));
        let ended = worker.run().await;
        beside.abort();
        ended
    }
}

/// The API and the console, as a listener serves them.
pub struct Api {
    app: Arc<App>,
    router: Router,
    extra: Option<Arc<dyn ExtraRoutes>>,
}

impl Api {
    fn new(app: App, extra: Option<Arc<dyn ExtraRoutes>>) -> Self {
        let app = Arc::new(app);
        Self { router: router::router(&app, extra.as_deref()), app, extra }
    }

    /// Returns the registry, with the current configuration.
    pub fn registry(&self) -> &Registry {
        self.app.registry()
    }

    /// Returns the slots in use and their number, by kind of work.
    pub fn slots(&self) -> [(&'static str, usize, usize); 5] {
        self.app.admission().slots()
    }

    fn route(
        &self,
        request: Request<Incoming>,
        arrival: Arrival,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>> {
        let mut router = self.router.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(arrival.peer));
        Box::pin(async move {
            let Ok(response) = router.call(request).await;
            response
        })
    }

    /// Returns the same API with another configuration.
    pub fn with_config(&self, config: Config) -> Self {
        Self::new(self.app.with_config(config), self.extra.clone())
    }
}

impl Handler for Api {
    type Body = Body;
    type Future = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

    fn handle(&self, request: Request<Incoming>, arrival: Arrival) -> Self::Future {
        self.route(request, arrival)
    }

    fn refuse_host(
        &self,
        mut request: Request<Incoming>,
        arrival: Arrival,
        fault: HostFault,
    ) -> Self::Future {
        request.extensions_mut().insert(fault);
        self.route(request, arrival)
    }

    fn busy() -> Response<Body> {
        refusal::busy()
    }

    fn is_vital(request: &Request<Incoming>) -> bool {
        matches!(request.uri().path(), "/health" | "/ready")
    }
}

/// Runs periodic tasks: certificate files, the last use of keys, expired states; and what an
/// interrupted process left uncounted.
async fn look_after(api: Arc<Replaceable<Api>>, identity: Option<Identity>) {
    let current = || Arc::clone(&api.current().app);
    let certificates = async {
        if let Some(identity) = identity {
            identity.keep_current().await;
        }
    };
    let upkeep = async {
        note(
            current().call(Registry::determine_principals).await.err(),
            "cannot convert proposals of an earlier release; they cannot be approved yet",
        );
        note(
            current().call(Registry::cover_documents).await.err(),
            "cannot add existing accounts to the audit log",
        );
        let finish = |registry: &Registry| Ok(registry.store().finish_erasures()?);
        note(current().call(finish).await.err(), "cannot finish the erasure of users");
    };
    let usage = async {
        loop {
            sleep(USAGE_INTERVAL).await;
            note(
                current().call(Registry::flush_usage).await.err(),
                "cannot store the last use of API keys",
            );
        }
    };
    let history = async {
        let mut ticks = interval(PRUNE_INTERVAL);
        loop {
            ticks.tick().await;
            let app = current();
            let Some(days) = app.config().history_days() else { continue };
            let kept = jiff::SignedDuration::from_hours(24 * i64::from(days));
            let pruned =
                app.call(move |registry| registry.prune_older_than(&Caller::local("prune"), kept));
            match pruned.await {
                Ok(Pruning::Done(_)) => {}
                Ok(Pruning::ClockJumped { seen, now }) => tracing::error!(
                    %seen, %now,
                    "history is not pruned: the clock is more than {} ahead of when it was last right; correct the clock, or \
                     run `fingerpost audit confirm-clock`",
                    Registry::clock_bound(kept)
                ),
                Err(problem) => note(Some(problem), "history not pruned"),
            }
        }
    };
    let held = async {
        note(
            current().call(Registry::count_use).await.err(),
            "cannot count the records of organisations",
        );
    };
    tokio::join!(certificates, upkeep, usage, history, held);
}

fn note(problem: Option<crate::problem::AdminProblem>, what: &str) {
    if let Some(problem) = problem {
        tracing::error!(?problem, "{what}");
    }
}
