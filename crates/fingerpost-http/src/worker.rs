//! Accepts connections on sockets and supervises them until they end.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::ServeError;
use crate::connection::{Connection, Handler, Protocol};
use crate::limits::Limits;
use crate::shutdown::{Shutdown, Stage};
use crate::watch::{TICK, TickClock, Watch, WatchOrder};

/// Pause after an accept error that is not the client's fault, mostly too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Interval between checks for closed connections while the server stops.
const DRAIN_STEP: Duration = Duration::from_millis(20);

/// The limits and the shutdown handle that several sockets share. Clones count their connections together.
#[derive(Clone, Debug)]
pub struct Terms {
    limits: Limits,
    /// The maximum number of connections, and the key that configures it.
    max_connections: (usize, &'static str),
    open: Arc<AtomicUsize>,
    stage: watch::Receiver<Stage>,
}

impl Terms {
    /// Returns terms with these limits and this shutdown handle.
    #[must_use]
    pub fn new(limits: &Limits, shutdown: &Shutdown) -> Self {
        Self {
            limits: limits.clone(),
            max_connections: (limits.max_connections.get(), "limits.max_connections"),
            open: Arc::default(),
            stage: shutdown.subscribe(),
        }
    }

    /// Limits connections by another key than `limits.max_connections`.
    #[must_use]
    pub fn max_connections(self, limit: usize, key: &'static str) -> Self {
        Self { max_connections: (limit, key), ..self }
    }

    /// Admits a connection unless the limit is reached. Add further limits on who may connect here.
    fn admit(&self, _: IpAddr) -> Option<ConnectionSlot> {
        let slot = ConnectionSlot(Arc::clone(&self.open));
        (slot.0.fetch_add(1, Relaxed) < self.max_connections.0).then_some(slot)
    }
}

/// A permit for one open connection, returned when dropped.
#[derive(Debug)]
struct ConnectionSlot(Arc<AtomicUsize>);

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// The sockets that one runtime serves, each with its service.
#[derive(Default)]
pub struct Worker(Vec<ServedSocket>);

/// A socket that is served until shutdown.
type ServedSocket = Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>;

impl Worker {
    /// Adds a socket.
    pub fn add<H: Handler>(
        &mut self,
        socket: std::net::TcpListener,
        handler: &Arc<H>,
        tls: Option<&TlsAcceptor>,
        terms: &Terms,
    ) {
        let acceptor = Acceptor {
            handler: Arc::clone(handler),
            tls: tls.cloned(),
            protocol: Protocol::new(&terms.limits),
            terms: terms.clone(),
        };
        self.0.push(Box::pin(async move {
            acceptor.run(TcpListener::from_std(socket)?).await;
            Ok(())
        }));
    }

    /// Serves until shutdown has completed and all connections have ended.
    ///
    /// # Errors
    ///
    /// Fails if the runtime cannot use a socket, or because of a bug.
    pub async fn run(self) -> Result<(), ServeError> {
        let mut sockets: JoinSet<_> = self.0.into_iter().collect();
        while let Some(ended) = sockets.join_next().await {
            ended.map_err(|_| ServeError::Panicked)??;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Worker({} sockets)", self.0.len())
    }
}

/// The service of one socket.
struct Acceptor<H> {
    handler: Arc<H>,
    tls: Option<TlsAcceptor>,
    protocol: Protocol,
    terms: Terms,
}

impl<H: Handler> Acceptor<H> {
    /// Accepts connections until shutdown, then waits for them to end.
    async fn run(self, listener: TcpListener) {
        let mut stage = self.terms.stage.clone();
        let limits = &self.terms.limits;
        let clock = Arc::new(TickClock::default());
        let mut watches: Vec<Arc<Watch>> = Vec::new();
        let mut refused = 0_u64;
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while *stage.borrow_and_update() == Stage::Run {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => match self.begin(stream, peer.ip(), &clock) {
                        Some(watch) => watches.push(watch),
                        None => refused += 1,
                    },
                    Err(error) => accept_failed(&error).await,
                },
                _ = ticks.tick() => {
                    clock.advance();
                    sweep(&mut watches, limits);
                    self.report(&mut refused);
                }
                _ = stage.changed() => {}
            }
        }
        // The kernel has already completed the handshake of clients in the backlog, so serve them.
        while let Ok(Ok((stream, peer))) = timeout(Duration::ZERO, listener.accept()).await {
            watches.extend(self.begin(stream, peer.ip(), &clock));
        }
        drop(listener);
        // One step, in which requests that have arrived are read.
        sleep(DRAIN_STEP).await;
        drain(&watches, &stage, limits.shutdown_grace.get()).await;
    }

    /// Serves a connection if it is admitted; closes it immediately otherwise.
    fn begin(&self, stream: TcpStream, peer: IpAddr, clock: &Arc<TickClock>) -> Option<Arc<Watch>> {
        let slot = self.terms.admit(peer)?;
        let watch = Watch::new(clock, self.tls.is_some());
        let connection = Connection {
            peer,
            handler: Arc::clone(&self.handler),
            protocol: self.protocol.clone(),
            watch: Arc::clone(&watch),
        };
        let served = connection.serve(stream, self.tls.clone());
        tokio::spawn(async move {
            served.await;
            drop(slot);
        });
        Some(watch)
    }

    /// Logs once per tick, not once per connection, that there were too many.
    fn report(&self, refused: &mut u64) {
        if *refused > 0 {
            let (limit, key) = self.terms.max_connections;
            tracing::warn!(refused, limit, "connections closed at once: {key} is reached");
            *refused = 0;
        }
    }
}

fn sweep(watches: &mut Vec<Arc<Watch>>, limits: &Limits) {
    watches.retain(|watch| {
        watch.sweep(limits);
        !watch.is_closed()
    });
}

async fn accept_failed(error: &io::Error) {
    let by_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    );
    if !by_client {
        tracing::error!(%error, "cannot accept connections");
        sleep(ACCEPT_PAUSE).await;
    }
}

/// Lets connections finish within the grace period, then ends them.
async fn drain(watches: &[Arc<Watch>], stage: &watch::Receiver<Stage>, grace: Duration) {
    let deadline = Instant::now() + grace;
    watches.iter().for_each(|watch| watch.stop());
    while watches.iter().any(|watch| !watch.is_closed()) {
        if Instant::now() >= deadline || *stage.borrow() == Stage::End {
            watches.iter().for_each(|watch| watch.give(WatchOrder::End));
            // One turn of the runtime, in which the connections see the order.
            tokio::task::yield_now().await;
            return;
        }
        sleep(DRAIN_STEP).await;
    }
}
