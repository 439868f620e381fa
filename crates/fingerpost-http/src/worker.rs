//! Accepting connections on one socket of one worker, and looking after them until they end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::connection::{self, Answer, Clock, Order, Place, Protocol, TICK, Watch};
use crate::limits::Limits;
use crate::shutdown::{Shutdown, Stage};

/// Pause after a failure to accept that concerns us, not the client: too many open files, mostly.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often the end of connections is looked for while the server stops.
const DRAIN_STEP: Duration = Duration::from_millis(20);

/// What all sockets of all workers have in common.
#[derive(Clone, Debug)]
pub struct Shared {
    limits: Limits,
    taken: Arc<AtomicUsize>,
    stage: watch::Receiver<Stage>,
}

impl Shared {
    /// Shares these limits, this number of connections, and this order to stop.
    #[must_use]
    pub fn new(limits: &Limits, taken: &Arc<AtomicUsize>, shutdown: &Shutdown) -> Self {
        Self { limits: limits.clone(), taken: Arc::clone(taken), stage: shutdown.subscribe() }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// One socket, and what answers there.
#[expect(missing_debug_implementations, reason = "holds what answers, which need not have it")]
pub struct Acceptor<A> {
    /// Where clients connect.
    pub listener: TcpListener,
    /// What answers requests.
    pub answer: Arc<A>,
    /// How TLS is spoken, if it is.
    pub tls: Option<TlsAcceptor>,
    /// How HTTP is spoken.
    pub protocol: Protocol,
    /// What all sockets have in common.
    pub shared: Shared,
}

impl<A: Answer> Acceptor<A> {
    /// Accepts until told to stop, then waits for the connections to end.
    pub async fn run(self) {
        let mut stage = self.shared.stage.clone();
        let clock = Arc::new(Clock::default());
        let mut watches: Vec<Arc<Watch>> = Vec::new();
        let mut refused = 0_u64;
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        while *stage.borrow_and_update() == Stage::Run {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => match Place::take(&self.shared.taken, self.shared.limits.max_connections()) {
                        Some(place) => watches.push(self.begin(stream, peer.ip(), &clock, place)),
                        None => refused += 1,
                    },
                    Err(error) => accept_failed(&error).await,
                },
                _ = ticks.tick() => {
                    clock.advance();
                    sweep(&mut watches, &self.shared.limits);
                    report(&mut refused, &self.shared.limits);
                }
                _ = stage.changed() => {}
            }
        }
        // Who is connected already was promised an answer by the kernel.
        while let Ok(Ok((stream, peer))) = timeout(Duration::ZERO, self.listener.accept()).await {
            let place = Place::take(&self.shared.taken, self.shared.limits.max_connections());
            watches.extend(place.map(|place| self.begin(stream, peer.ip(), &clock, place)));
        }
        drop(self.listener);
        // One step, in which requests that have arrived are read.
        sleep(DRAIN_STEP).await;
        drain(&watches, &stage, self.shared.limits.shutdown_grace()).await;
    }

    fn begin(
        &self,
        stream: TcpStream,
        peer: std::net::IpAddr,
        clock: &Arc<Clock>,
        place: Place,
    ) -> Arc<Watch> {
        let watch = Watch::new(clock, self.tls.is_some());
        tokio::spawn(connection::serve(
            stream,
            peer,
            self.tls.clone(),
            self.protocol.clone(),
            Arc::clone(&self.answer),
            Arc::clone(&watch),
            place,
        ));
        watch
    }
}

fn sweep(watches: &mut Vec<Arc<Watch>>, limits: &Limits) {
    watches.retain(|watch| {
        watch.sweep(limits);
        !watch.is_closed()
    });
}

/// Says once per tick, not once per connection, that there were too many.
fn report(refused: &mut u64, limits: &Limits) {
    if *refused > 0 {
        let limit = limits.max_connections();
        tracing::warn!(
            refused,
            limit,
            "connections closed at once: limits.max_connections is reached"
        );
        *refused = 0;
    }
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

/// Lets connections finish within the grace, then ends them.
async fn drain(watches: &[Arc<Watch>], stage: &watch::Receiver<Stage>, grace: Duration) {
    let deadline = Instant::now() + grace;
    watches.iter().for_each(|watch| watch.stop());
    while watches.iter().any(|watch| !watch.is_closed()) {
        if Instant::now() >= deadline || *stage.borrow() == Stage::End {
            watches.iter().for_each(|watch| watch.give(Order::End));
            // One turn of the runtime, in which the connections see the order.
            tokio::task::yield_now().await;
            return;
        }
        sleep(DRAIN_STEP).await;
    }
}
