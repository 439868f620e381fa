//! The running listener, with its own sockets and runtime, separate from the public side.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use fingerpost_http::{Handler, Identity, ServeError, Shutdown, Sockets, Terms, Worker};
use fingerpost_registry::{Caller, Registry};
use http::{Request, Response};
use hyper::body::Incoming;
use jiff::Timestamp;
use tokio::runtime;
use tokio::time::{interval, sleep};
use tower_service::Service;

use crate::config::Config;
use crate::credential::Peer;
use crate::oidc::{MAX_CALLS as PROVIDER_CALLS, Provider};
use crate::state::{App, MAX_CALLS};
use crate::{openapi, router};

/// Number of threads that read and write sockets; blocking threads do the work.
const THREADS: usize = 2;

/// Interval at which the last use of keys and sessions is stored.
const USAGE_INTERVAL: Duration = Duration::from_secs(60);

/// Interval between searches for expired states.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The admin listener with bound sockets and a loaded certificate, ready to [`run`](AdminServer::run).
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
#[derive(Debug)]
pub struct AdminServer {
    app: Arc<App>,
    identity: Option<Identity>,
    sockets: Sockets,
}

impl AdminServer {
    /// Reads the certificate and binds the addresses, without answering requests yet. See [`crate::registry_options`] for the
    /// options of the registry.
    ///
    /// # Errors
    ///
    /// Fails if the server cannot listen on an address or use the certificate, or if this build or this machine cannot use the identity
    /// provider (`admin.oidc`).
    pub fn bind(config: &Config, registry: Registry) -> Result<Self, ServeError> {
        let provider = Provider::new(config)?;
        let host = config.site().settings.root().host();
        let tls = config.tls();
        let identity = tls.map(|source| Identity::load(source, host)).transpose()?;
        let sockets = Sockets::bind(&config.options().listen, 1)?;
        let texts = openapi::texts();
        let app = App::new(registry, config.clone(), sockets.local_addrs(), provider, texts);
        Ok(Self { app: Arc::new(app), identity, sockets })
    }

    /// Returns the addresses in use, in the order of `admin.listen`, with the actual ports in place of port 0.
    #[must_use]
    pub fn local_addrs(&self) -> &[SocketAddr] {
        self.sockets.local_addrs()
    }

    /// Returns whether the listener uses TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.identity.is_some()
    }

    /// Returns the addresses in use as URLs.
    pub fn urls(&self) -> impl Iterator<Item = String> + '_ {
        let scheme = if self.is_tls() { "https" } else { "http" };
        self.local_addrs().iter().map(move |address| format!("{scheme}://{address}"))
    }

    /// Returns the self-signed certificate created at start (`admin.tls_self_signed`), in PEM form, for clients that should trust it.
    #[must_use]
    pub fn self_signed_pem(&self) -> Option<&str> {
        self.identity.as_ref().and_then(Identity::self_signed_pem)
    }

    /// Returns the registry.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        self.app.registry()
    }

    /// Serves until shutdown has completed, at the latest after `limits.shutdown_grace`. Blocks. The public side handles signals and passes
    /// them on by `shutdown`.
    ///
    /// # Errors
    ///
    /// Fails if a runtime cannot be created.
    pub fn run(self, shutdown: &Shutdown) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(MAX_CALLS + THREADS + PROVIDER_CALLS)
            .thread_name("admin")
            .enable_all()
            .build()?;
        let app = Arc::clone(&self.app);
        let served = runtime.block_on(self.serve(shutdown));
        // Calls in progress end first, because they hold the state that they write.
        runtime.shutdown_timeout(app.config().site().limits.shutdown_grace.get());
        if let Err(error) = app.registry().flush_usage() {
            tracing::error!(%error, "the last use of keys was not written down");
        }
        served
    }

    async fn serve(self, shutdown: &Shutdown) -> Result<(), ServeError> {
        let config = self.app.config();
        let terms = Terms::new(&config.site().limits, shutdown)
            .max_connections(config.options().max_connections.get(), "admin.max_connections");
        let api = Arc::new(Api(router::router(&self.app)));
        let tls = self.identity.as_ref().map(|identity| identity.acceptor().clone());
        let mut worker = Worker::default();
        for socket in self.sockets.into_workers().into_iter().flatten() {
            worker.add(socket, &api, tls.as_ref(), &terms);
        }
        let beside = tokio::spawn(look_after(Arc::clone(&self.app), self.identity));
        let ended = worker.run().await;
        beside.abort();
        ended
    }
}

/// The routes as a service for a listener.
struct Api(Router);

impl Handler for Api {
    type Body = Body;
    type Future = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

    fn handle(&self, request: Request<Incoming>, peer: IpAddr) -> Self::Future {
        let mut router = self.0.clone();
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        Box::pin(async move {
            let Ok(response) = router.call(request).await;
            response
        })
    }
}

/// Runs periodic tasks: certificate files, the last use of keys, expired states.
async fn look_after(app: Arc<App>, identity: Option<Identity>) {
    let certificates = async {
        if let Some(identity) = identity {
            identity.keep_current().await;
        }
    };
    let usage = async {
        loop {
            sleep(USAGE_INTERVAL).await;
            note(app.call(Registry::flush_usage).await.err(), "last use not written down");
        }
    };
    let history = async {
        let Some(days) = app.config().history_days() else { return };
        let kept = jiff::SignedDuration::from_hours(24 * i64::from(days));
        let mut ticks = interval(PRUNE_INTERVAL);
        loop {
            ticks.tick().await;
            let pruned = app.call(move |registry| {
                registry.prune_history(&Caller::local("prune"), before(kept))
            });
            note(pruned.await.err(), "history not pruned");
        }
    };
    tokio::join!(certificates, usage, history);
}

fn note(problem: Option<crate::problem::AdminProblem>, what: &str) {
    if let Some(problem) = problem {
        tracing::error!(?problem, "{what}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server reads the clock; what it calls is given the time"
)]
fn before(kept: jiff::SignedDuration) -> Timestamp {
    let now = Timestamp::now();
    now.checked_sub(kept).unwrap_or(Timestamp::MIN)
}
