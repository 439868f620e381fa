//! The running server: one thread with one runtime per core, each with its own sockets and
//! connections.

use std::net::SocketAddr;
use std::sync::Arc;

use fingerpost_http::{
    Identity, Issued, Meter, Presented, Replaceable, ServeError, Shutdown, Sockets, Terms, Tokens,
    Worker, run_workers,
};
use fingerpost_insight::Counters;
use fingerpost_store::Store;

use crate::config::Config;
use crate::redirect::HttpsRedirect;
use crate::{CopyStatus, FindCountry, Router, VerifyToken};

/// A server with its sockets bound and its certificate read, ready to [`run`](Server::run).
///
/// ```no_run
/// use fingerpost_http::Shutdown;
/// use fingerpost_public::{Config, Server};
/// use fingerpost_store::{Store, StoreOptions};
///
/// let store = Store::open("data".as_ref(), StoreOptions::default())?;
/// let server = Server::bind(Config::from_toml("listen = \"127.0.0.1:0\"")?, store)?;
/// println!("listening on http://{}", server.local_addrs()[0]);
/// server.run(&Shutdown::new().on_signals(|| {})?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    router: Arc<Replaceable<Router>>,
    redirect: Arc<HttpsRedirect>,
    tokens: Tokens,
    identity: Option<Identity>,
    public: Sockets,
    plain: Sockets,
    max_connections: usize,
    meter: Meter,
}

impl Server {
    /// Reads the certificate and binds the addresses, without answering requests yet.
    pub fn bind(config: Config, store: impl Into<Arc<Store>>) -> Result<Self, ServeError> {
        let host = config.settings().root().host();
        let identity = config.tls().map(|source| Identity::load(source, host)).transpose()?;
        let threads = config.threads();
        let tokens = Tokens::default();
        let redirect = HttpsRedirect::new(config.settings().root()).with_tokens(tokens.clone());
        Ok(Self {
            public: Sockets::bind(config.listen(), threads, config.limits())?,
            plain: Sockets::bind(config.http_redirect_listen(), threads, config.limits())?,
            max_connections: config.limits().max_connections.get(),
            redirect: Arc::new(redirect),
            router: Arc::new(Replaceable::new(Router::new(config, store))),
            tokens,
            identity,
            meter: Meter::default(),
        })
    }

    /// Returns the certificate in use at any time; `None` without TLS.
    pub fn certificate(&self) -> Option<Presented> {
        self.identity.as_ref().map(Identity::presented)
    }

    /// Returns the holder of certificates that the program gives (`tls_acme`); `None` if they come
    /// from elsewhere.
    pub fn issued(&self) -> Option<Issued> {
        self.identity.as_ref().and_then(Identity::issued)
    }

    /// Returns the key authorizations that the listeners of `http_redirect_listen` answer.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Returns the counters of the server, also while it runs.
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Returns the addresses in use, in the order of `listen`, with the actual ports instead of
    /// port 0.
    pub fn local_addrs(&self) -> &[SocketAddr] {
        self.public.local_addrs()
    }

    /// Returns the addresses in use of `http_redirect_listen`.
    pub fn redirect_addrs(&self) -> &[SocketAddr] {
        self.plain.local_addrs()
    }

    /// Returns whether the public side uses TLS.
    pub fn is_tls(&self) -> bool {
        self.identity.is_some()
    }

    /// Returns the self-signed certificate that was created at start (`tls_self_signed`), in PEM
    /// form, for clients that should trust it.
    pub fn self_signed_pem(&self) -> Option<&str> {
        self.identity.as_ref().and_then(Identity::self_signed_pem)
    }

    /// Returns the router that answers the requests. It can be replaced, also while the server
    /// runs; addresses, certificate and threads remain those that the server was bound with, and so
    /// do the limits of connections.
    pub fn router(&self) -> &Arc<Replaceable<Router>> {
        &self.router
    }

    /// Says that the store is a copy of another one; `/ready` shows how far it is.
    pub fn with_copy(self, copy: CopyStatus) -> Self {
        self.router.replace(self.router.current().with_copy(copy));
        self
    }

    /// Counts scans.
    pub fn with_counters(self, counters: Arc<Counters>) -> Self {
        self.router.replace(self.router.current().with_counters(counters));
        self
    }

    /// Accepts bearer tokens as proof of roles.
    pub fn with_tokens(self, tokens: Arc<dyn VerifyToken>) -> Self {
        self.router.replace(self.router.current().with_tokens(tokens));
        self
    }

    /// Finds the country of client addresses.
    pub fn with_countries(self, countries: Arc<dyn FindCountry>) -> Self {
        self.router.replace(self.router.current().with_countries(countries));
        self
    }

    /// Serves at most this many connections at a time, if `limits.max_connections` is more.
    pub fn limit_connections(self, most: usize) -> Self {
        Self { max_connections: self.max_connections.min(most), ..self }
    }

    /// Serves until shutdown has completed, at the latest after `shutdown_drain` and
    /// `shutdown_grace`. Blocks.
    pub fn run(self, shutdown: &Shutdown) -> Result<(), ServeError> {
        let acceptor = self.identity.as_ref().map(Identity::acceptor);
        let router = self.router.current();
        let config = router.config();
        let proxies = config.trusted_proxies();
        let terms = Terms::new(config.limits(), self.max_connections, proxies, shutdown);
        let terms = terms.counted_by(&self.meter);
        let sockets = self.public.into_workers().into_iter().zip(self.plain.into_workers());
        let workers = sockets.map(|(public, plain)| {
            let mut worker = Worker::default();
            for socket in public {
                worker.add(socket, &self.router, acceptor, &terms);
            }
            for socket in plain {
                worker.add(socket, &self.redirect, None, &terms);
            }
            worker
        });
        let beside = look_after(self.identity.as_ref(), &router, shutdown);
        run_workers(workers.collect(), shutdown, beside)
    }
}

/// Tells load balancers about the end, and reloads certificate files.
async fn look_after(identity: Option<&Identity>, router: &Router, shutdown: &Shutdown) {
    let certificates = async {
        if let Some(identity) = identity {
            identity.keep_current().await;
        }
    };
    let readiness = async {
        shutdown.started().await;
        router.stop_being_ready();
    };
    tokio::join!(certificates, readiness, shutdown.keep_time());
}
