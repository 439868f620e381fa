//! The running server: one thread with one runtime per core, each with its own sockets and connections.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::Duration;

use fingerpost_http::{Acceptor, Identity, Limits, Protocol, ServeError, Shared, Shutdown, bind};
use fingerpost_store::LinkStore;
use tokio::runtime;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::Router;
use crate::config::Config;
use crate::redirect::HttpsRedirect;

/// How often certificate files are looked at.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(2);

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
/// server.run(&Shutdown::on_signals())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server<S> {
    router: Arc<Router<S>>,
    redirect: Arc<HttpsRedirect>,
    limits: Limits,
    threads: usize,
    identity: Option<Identity>,
    public: Vec<Vec<TcpListener>>,
    plain: Vec<Vec<TcpListener>>,
    local_addrs: Vec<SocketAddr>,
    redirect_addrs: Vec<SocketAddr>,
}

impl<S: LinkStore> Server<S> {
    /// Reads the certificate and takes the addresses. Nothing is answered yet.
    ///
    /// # Errors
    ///
    /// An address that cannot be listened on, a certificate that cannot be used.
    pub fn bind(config: Config, store: S) -> Result<Self, ServeError> {
        let host = config.settings().root().host();
        let identity = config.tls().map(|source| Identity::load(source, host)).transpose()?;
        let threads = config.threads();
        let public = bind_all(config.listen(), threads)?;
        let plain = bind_all(config.http_redirect_listen(), threads)?;
        Ok(Self {
            local_addrs: local_addrs(&public)?,
            redirect_addrs: local_addrs(&plain)?,
            limits: config.limits().clone(),
            redirect: Arc::new(HttpsRedirect::new(config.settings().root())),
            router: Arc::new(Router::new(config, store)),
            threads,
            identity,
            public,
            plain,
        })
    }

    /// The addresses in use, in the order of `listen`, with the ports that were taken for port 0.
    #[must_use]
    pub fn local_addrs(&self) -> &[SocketAddr] {
        &self.local_addrs
    }

    /// The addresses in use of `http_redirect_listen`.
    #[must_use]
    pub fn redirect_addrs(&self) -> &[SocketAddr] {
        &self.redirect_addrs
    }

    /// Whether the public side speaks TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.identity.is_some()
    }

    /// The certificate that was made at start (`tls_self_signed`), in PEM form, for clients that should
    /// trust it.
    #[must_use]
    pub fn self_signed_pem(&self) -> Option<&str> {
        self.identity.as_ref().and_then(Identity::self_signed_pem)
    }

    /// What answers the requests.
    #[must_use]
    pub fn router(&self) -> &Router<S> {
        &self.router
    }

    /// Serves until told to stop and everything has ended, at the latest after `shutdown_grace`. Blocks.
    ///
    /// # Errors
    ///
    /// A thread or runtime that cannot be made; a worker that panicked.
    pub fn run(self, shutdown: &Shutdown) -> Result<(), ServeError> {
        let acceptor = self.identity.as_ref().map(|identity| identity.acceptor().clone());
        let taken = Arc::new(AtomicUsize::new(0));
        let (mut public, mut plain) = (self.public, self.plain);
        let mut handles = Vec::with_capacity(self.threads);
        for number in 1..self.threads {
            let worker = Worker {
                public: public.iter_mut().filter_map(Vec::pop).collect(),
                plain: plain.iter_mut().filter_map(Vec::pop).collect(),
                router: Arc::clone(&self.router),
                redirect: Arc::clone(&self.redirect),
                tls: acceptor.clone(),
                shared: Shared::new(&self.limits, &taken, shutdown),
            };
            let order = shutdown.clone();
            let thread = thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
                let ended = worker.run();
                // A server with fewer workers than it should have looks healthy: rather end.
                order.trigger();
                ended
            });
            handles.push(thread.inspect_err(|_| shutdown.trigger())?);
        }
        // The thread of the caller is the last worker; it also looks after signals and certificates.
        let last = Worker {
            public: public.into_iter().flatten().collect(),
            plain: plain.into_iter().flatten().collect(),
            router: self.router,
            redirect: self.redirect,
            tls: acceptor,
            shared: Shared::new(&self.limits, &taken, shutdown),
        };
        let served = last.run_with(look_after(self.identity, shutdown.clone()));
        shutdown.trigger();
        for handle in handles {
            handle.join().map_err(|_| ServeError::Panicked)??;
        }
        served
    }
}

/// What one thread serves.
struct Worker<S> {
    public: Vec<TcpListener>,
    plain: Vec<TcpListener>,
    router: Arc<Router<S>>,
    redirect: Arc<HttpsRedirect>,
    tls: Option<TlsAcceptor>,
    shared: Shared,
}

impl<S: LinkStore> Worker<S> {
    fn run(self) -> Result<(), ServeError> {
        self.run_with(std::future::ready(()))
    }

    /// Serves, with `beside` running along.
    fn run_with(self, beside: impl Future<Output = ()> + 'static) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let protocol = Protocol::new(self.shared.limits());
            let mut acceptors = JoinSet::new();
            for listener in self.public {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                let (answer, tls) = (Arc::clone(&self.router), self.tls.clone());
                let (protocol, shared) = (protocol.clone(), self.shared.clone());
                acceptors.spawn(Acceptor { listener, answer, tls, protocol, shared }.run());
            }
            for listener in self.plain {
                let listener = tokio::net::TcpListener::from_std(listener)?;
                let (answer, protocol) = (Arc::clone(&self.redirect), protocol.clone());
                let shared = self.shared.clone();
                acceptors.spawn(Acceptor { listener, answer, tls: None, protocol, shared }.run());
            }
            let all = async {
                while let Some(ended) = acceptors.join_next().await {
                    ended.map_err(|_| ServeError::Panicked)?;
                }
                Ok(())
            };
            let beside = async {
                beside.await;
                std::future::pending().await
            };
            tokio::select! {
                ended = all => ended,
                never = beside => never,
            }
        })
    }
}

/// Signals and certificate files.
async fn look_after(identity: Option<Identity>, shutdown: Shutdown) {
    let reload = || {
        if let Some(identity) = &identity {
            identity.reload();
        }
    };
    let certificates = async {
        if identity.is_none() {
            return;
        }
        let mut interval = tokio::time::interval(CERTIFICATE_INTERVAL);
        loop {
            interval.tick().await;
            reload();
        }
    };
    let signals = async {
        if let Err(error) = shutdown.listen_to_signals(reload).await {
            tracing::error!(%error, "signals cannot be heard: stop the process by SIGKILL");
        }
    };
    tokio::join!(certificates, signals);
}

fn bind_all(addresses: &[SocketAddr], count: usize) -> Result<Vec<Vec<TcpListener>>, ServeError> {
    let bind_one = |address: &SocketAddr| {
        bind(*address, count).map_err(|error| ServeError::Bind { address: *address, error })
    };
    addresses.iter().map(bind_one).collect()
}

fn local_addrs(sockets: &[Vec<TcpListener>]) -> Result<Vec<SocketAddr>, ServeError> {
    let first = sockets.iter().filter_map(|of_one_address| of_one_address.first());
    first.map(|listener| listener.local_addr().map_err(ServeError::from)).collect()
}
