//! Connections: HTTP/1.1 (RFC 9112) and HTTP/2 (RFC 9113), bounded in number and time, ended with patience.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use fingerpost_http::{Limits, Shutdown};
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;
use tower_service::Service;

/// Pause after a failure to accept that concerns us, not the client: too many open files, mostly.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often a connection is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Most requests in progress on one HTTP/2 connection.
const MAX_STREAMS: u32 = 64;

/// Address of the other end of the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// What all connections have in common.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) router: Router,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) limits: Limits,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) shutdown: Shutdown,
    pub(crate) tracker: TaskTracker,
}

/// Accepts until told to stop.
pub(crate) async fn accept(listener: TcpListener, shared: Shared) {
    let mut stop = pin!(shared.shutdown.triggered());
    loop {
        let accepted = tokio::select! {
            () = &mut stop => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // One too many is closed at once.
                if let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() {
                    let connection = serve(stream, peer.ip(), shared.clone());
                    shared.tracker.spawn(async move {
                        connection.await;
                        drop(place);
                    });
                } else {
                    tracing::debug!("connection closed at once: admin.max_connections is reached");
                }
            }
            Err(error) => {
                tracing::error!(%error, "cannot accept connections");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve(stream: TcpStream, peer: IpAddr, shared: Shared) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY not set");
    }
    match &shared.tls {
        None => speak(stream, peer, &shared).await,
        Some(acceptor) => {
            let handshake = timeout(shared.limits.tls_handshake_timeout(), acceptor.accept(stream));
            match handshake.await {
                Ok(Ok(stream)) => speak(stream, peer, &shared).await,
                Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
                Err(_) => tracing::debug!("TLS handshake took too long"),
            }
        }
    }
}

/// What a connection does, for the one who looks after it.
struct Activity {
    begun: Instant,
    /// Requests that are not answered yet.
    open: AtomicUsize,
    /// Milliseconds from the beginning to the last change of `open`.
    changed: AtomicU64,
}

impl Activity {
    fn note(&self) {
        let passed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.changed.store(passed, Relaxed);
    }

    /// How long nothing was asked.
    fn idle(&self) -> Duration {
        match self.open.load(Relaxed) {
            0 => self
                .begun
                .elapsed()
                .saturating_sub(Duration::from_millis(self.changed.load(Relaxed))),
            _ => Duration::ZERO,
        }
    }
}

/// One request in progress, until its answer is there or nobody waits for it any more.
struct Open(Arc<Activity>);

impl Open {
    fn new(activity: &Arc<Activity>) -> Self {
        activity.open.fetch_add(1, Relaxed);
        Self(Arc::clone(activity))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Relaxed);
        self.0.note();
    }
}

fn protocol(limits: &Limits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    let buffer = 2 * (limits.max_target_bytes() + limits.max_header_bytes());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout())
        .max_buf_size(buffer);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(u32::try_from(buffer).unwrap_or(u32::MAX))
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(limits.idle_timeout())
        .keep_alive_timeout(limits.header_timeout());
    builder
}

async fn speak<T>(stream: T, peer: IpAddr, shared: &Shared)
where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Arc::new(Activity {
        begun: Instant::now(),
        open: AtomicUsize::new(0),
        changed: AtomicU64::new(0),
    });
    let (router, noted) = (shared.router.clone(), Arc::clone(&activity));
    let service = service_fn(move |mut request: Request<Incoming>| {
        let (mut router, open) = (router.clone(), Open::new(&noted));
        request.extensions_mut().insert(Peer(peer));
        async move {
            let answered = router.call(request.map(Body::new)).await;
            drop(open);
            answered
        }
    });
    let protocol = protocol(&shared.limits);
    let mut connection = pin!(protocol.serve_connection(TokioIo::new(stream), service));
    let mut stop = pin!(shared.shutdown.triggered());
    let idle = idle_for(&activity, shared.limits.idle_timeout());
    let mut idle = pin!(idle);
    tokio::select! {
        served = connection.as_mut() => return report(served),
        () = stop.as_mut() => {}
        () = idle.as_mut() => {}
    }
    connection.as_mut().graceful_shutdown();
    // The runtime ends what is still there when the whole grace is over.
    let rest = shared.limits.shutdown_grace().max(shared.limits.response_timeout());
    match timeout(rest, connection).await {
        Ok(served) => report(served),
        Err(_) => tracing::debug!("connection ended in the middle"),
    }
}

/// Waits until nothing was asked for so long.
async fn idle_for(activity: &Activity, limit: Duration) {
    while activity.idle() < limit {
        sleep(LOOK.min(limit)).await;
    }
}

fn report(served: Result<(), Box<dyn std::error::Error + Send + Sync>>) {
    if let Err(error) = served {
        tracing::debug!(%error, "connection ended early");
    }
}
