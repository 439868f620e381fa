//! Accepts connections on sockets and supervises them until they end.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::clock::{TICK, TickClock};
use crate::connection::{Connection, Protocol};
use crate::handler::Handler;
use crate::limits::Limits;
use crate::load::Load;
use crate::meter::{Counts, Meter};
use crate::shutdown::{Shutdown, Stage};
use crate::slots::Slots;
use crate::unsent::Pool;
use crate::watch::{Watch, WatchOrder};
use crate::{Network, ServeError, refusal};

/// Pause after an accept error that is not the client's fault, mostly too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Interval between checks for closed connections while the server stops.
const DRAIN_STEP: Duration = Duration::from_millis(20);

/// Ticks between lines of the log about slots for connections: ten seconds.
const REPORT_TICKS: u32 = 40;

/// The limits and the shutdown handle that several sockets share. Clones count their connections,
/// and the bytes they hold, together.
#[derive(Clone)]
pub struct Terms {
    limits: Limits,
    slots: Arc<Slots>,
    unsent: Arc<Pool>,
    clock: Arc<TickClock>,
    stage: watch::Receiver<Stage>,
    meter: Meter,
}

impl Terms {
    /// Returns terms for this number of connections, with these limits and this shutdown handle.
    /// Client networks among `exempt`, the proxies through which many clients connect, have no
    /// limit of their own.
    pub fn new(
        limits: &Limits,
        max_connections: usize,
        exempt: &[Network],
        shutdown: &Shutdown,
    ) -> Self {
        Self {
            slots: Arc::new(Slots::new(limits, max_connections, exempt)),
            unsent: Arc::new(Pool::new(limits)),
            limits: limits.clone(),
            clock: Arc::default(),
            stage: shutdown.subscribe(),
            meter: Meter::default(),
        }
    }

    /// Counts the work of the workers in this meter.
    pub fn counted_by(self, meter: &Meter) -> Self {
        let slots = Arc::clone(&self.slots);
        meter.read_connections(move || slots.reading());
        Self { meter: meter.clone(), ..self }
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
            load: Arc::new(Load::new(terms.limits.shed_after.get())),
            counts: terms.meter.counts(),
            terms: terms.clone(),
        };
        self.0.push(Box::pin(async move {
            acceptor.run(TcpListener::from_std(socket)?).await;
            Ok(())
        }));
    }

    /// Serves until shutdown has completed and all connections have ended.
    pub async fn run(self) -> Result<(), ServeError> {
        let mut sockets: JoinSet<_> = self.0.into_iter().collect();
        while let Some(ended) = sockets.join_next().await {
            ended.map_err(|_| ServeError::Panicked)??;
        }
        Ok(())
    }
}

/// The service of one socket.
struct Acceptor<H> {
    handler: Arc<H>,
    tls: Option<TlsAcceptor>,
    protocol: Protocol,
    load: Arc<Load>,
    counts: Arc<Counts>,
    terms: Terms,
}

impl<H: Handler> Acceptor<H> {
    /// Accepts connections until shutdown, then waits for them to end.
    async fn run(self, listener: TcpListener) {
        let mut stage = self.terms.stage.clone();
        let mut watches: Vec<Arc<Watch>> = Vec::new();
        let mut ticked = Instant::now();
        let mut ticks = interval_at(ticked + TICK, TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while *stage.borrow_and_update() < Stage::Finish {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => watches.extend(self.begin(stream, peer.ip())),
                    Err(error) => accept_failed(&error).await,
                },
                _ = ticks.tick() => {
                    self.tick(&mut watches, ticked.elapsed());
                    ticked = Instant::now();
                }
                _ = stage.changed() => {}
            }
        }
        // The kernel has already completed the handshake of clients in the backlog, so serve them.
        while let Ok(Ok((stream, peer))) = timeout(Duration::ZERO, listener.accept()).await {
            watches.extend(self.begin(stream, peer.ip()));
        }
        drop(listener);
        // One step, in which requests that have arrived are read.
        sleep(DRAIN_STEP).await;
        drain(&watches, &stage, self.terms.limits.shutdown_grace.get()).await;
    }

    /// Serves a connection if there is a slot for it; refuses it otherwise.
    fn begin(&self, stream: TcpStream, peer: IpAddr) -> Option<Arc<Watch>> {
        let terms = &self.terms;
        // The longest idle connection is searched for only when a new one needs a slot.
        terms.clock.advance();
        let watch = Watch::new(&terms.clock, &terms.unsent, &self.counts, self.tls.is_some());
        let Some(slot) = terms.slots.admit(peer, &watch) else {
            refusal::too_many_connections(stream, self.tls.is_some());
            return None;
        };
        let connection = Connection {
            peer,
            handler: Arc::clone(&self.handler),
            protocol: self.protocol.clone(),
            watch: Arc::clone(&watch),
            load: Arc::clone(&self.load),
        };
        let served = connection.serve(stream, self.tls.clone());
        tokio::spawn(async move {
            served.await;
            drop(slot);
        });
        Some(watch)
    }

    /// Applies the limits of time. `elapsed` is the time since it was done last.
    fn tick(&self, watches: &mut Vec<Arc<Watch>>, elapsed: Duration) {
        self.counts.tick();
        if self.load.record(elapsed) {
            self.counts.fell_behind();
            let late = elapsed.as_millis();
            tracing::warn!(
                late,
                "this thread has too much to do: requests get 503 until it has caught up"
            );
        }
        self.terms.clock.advance();
        sweep(watches, &self.terms.limits);
        if self.terms.clock.now().is_multiple_of(REPORT_TICKS) {
            self.terms.slots.report();
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

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};
    use std::io::{Read, Write};
    use std::net::TcpStream as Client;

    use bytes::Bytes;
    use fingerpost_options::FromLiteral;
    use http::{Request, Response};
    use http_body_util::Full;
    use hyper::body::Incoming;

    use super::*;
    use crate::{Arrival, HostFault, Sockets, run_workers};

    /// A service that keeps its thread busy.
    struct Busy;

    impl Handler for Busy {
        type Body = Full<Bytes>;
        type Future = Ready<Response<Self::Body>>;

        fn handle(&self, request: Request<Incoming>, _: Arrival) -> Self::Future {
            if request.uri().path() == "/work" {
                std::thread::sleep(Duration::from_millis(800));
            }
            ready(Response::default())
        }

        fn refuse_host(
            &self,
            request: Request<Incoming>,
            arrival: Arrival,
            _: HostFault,
        ) -> Self::Future {
            self.handle(request, arrival)
        }

        fn busy() -> Response<Self::Body> {
            refusal::busy()
        }

        fn is_vital(request: &Request<Incoming>) -> bool {
            request.uri().path() == "/health"
        }
    }

    /// Sends a request and returns the head of the answer.
    fn ask(client: &mut Client, path: &str) -> String {
        client.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            client.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        String::from_utf8(head).unwrap()
    }

    #[test]
    fn a_worker_that_is_behind_refuses_requests_until_it_has_caught_up() {
        let limits = Limits { shed_after: FromLiteral::from_literal("200ms"), ..Limits::default() };
        let shutdown = Shutdown::new();
        let terms = Terms::new(&limits, 10, &[], &shutdown);
        let sockets = Sockets::bind(&["127.0.0.1:0".parse().unwrap()], 1, &limits).unwrap();
        let address = sockets.local_addrs()[0];
        let mut worker = Worker::default();
        for socket in sockets.into_workers().remove(0) {
            worker.add(socket, &Arc::new(Busy), None, &terms);
        }
        let order = shutdown.clone();
        let served = std::thread::spawn(move || run_workers(vec![worker], &order, ready(())));
        let [mut client, mut checker] = [(), ()].map(|()| Client::connect(address).unwrap());
        let refused = (0..20).any(|_| {
            ask(&mut client, "/work");
            let answer = ask(&mut client, "/");
            let health = ask(&mut checker, "/health");
            assert!(health.starts_with("HTTP/1.1 200"), "{health}");
            assert!(answer.starts_with("HTTP/1.1 200") || answer.contains("retry-after: 5\r\n"));
            answer.starts_with("HTTP/1.1 503")
        });
        assert!(refused, "every request was handled");
        while ask(&mut client, "/").starts_with("HTTP/1.1 503") {}
        shutdown.trigger();
        served.join().unwrap().unwrap();
    }
}
