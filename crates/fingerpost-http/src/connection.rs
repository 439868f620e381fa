//! One HTTP/1.1 (RFC 9112) or HTTP/2 (RFC 9113) connection, with or without TLS, supervised by a
//! [watch](crate::watch).

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::handler::{Arrival, Handler};
use crate::host::HostFault;
use crate::issued::CHALLENGE_PROTOCOL;
use crate::limits::Limits;
use crate::limits::{MAX_PENDING_RESETS, MAX_SEND_BUFFER, MAX_STREAMS};
use crate::load::Load;
use crate::meter::{AnswerCounter, Counts, clock};
use crate::observe::{self, Chosen, Observed, Route};
use crate::sending::SentBody;
use crate::stream::WatchedStream;
use crate::watch::{Phase, RequestGuard, Watch, WatchOrder};

/// HTTP settings shared by all connections of a listener.
#[derive(Clone, Debug)]
pub(crate) struct Protocol(auto::Builder<TokioExecutor>);

impl Protocol {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        // Twice the limits: requests slightly over a limit get our response, larger ones get
        // hyper's.
        let buffer = 2 * (limits.max_target_bytes.get() + limits.max_header_bytes.get());
        // No vectored writes, because most responses consist of a head only. `pipeline_flush` is
        // not an option: it accepts requests as long as they arrive, even if the client does not
        // read the responses.
        builder.http1().max_buf_size(buffer).header_read_timeout(None).writev(false);
        builder
            .http2()
            .max_header_list_size(u32::try_from(buffer).unwrap_or(u32::MAX))
            .max_concurrent_streams(MAX_STREAMS)
            .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
            .max_send_buf_size(MAX_SEND_BUFFER);
        Self(builder)
    }
}

/// An accepted connection.
pub(crate) struct Connection<H> {
    pub(crate) peer: IpAddr,
    pub(crate) handler: Arc<H>,
    pub(crate) protocol: Protocol,
    pub(crate) watch: Arc<Watch>,
    pub(crate) load: Arc<Load>,
}

impl<H: Handler> Connection<H> {
    /// Serves requests until the connection ends or is ordered to end.
    pub(crate) async fn serve(self, stream: TcpStream, tls: Option<TlsAcceptor>) {
        let watch = Arc::clone(&self.watch);
        let closing = Closing(Arc::clone(&watch));
        // A response is one small packet; waiting for more data to send with it only delays it.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY not set");
        }
        let talk = async {
            match tls {
                None => self.speak(stream).await,
                Some(acceptor) => match acceptor.accept(stream).await {
                    Ok(mut stream) if is_challenge(&stream) => {
                        // An authority that validates a name has seen the certificate, and sends
                        // nothing (RFC 8737 section 3).
                        if let Err(error) = stream.shutdown().await {
                            tracing::debug!(%error, "connection ended early");
                        }
                    }
                    Ok(stream) => {
                        self.watch.enter(Phase::New);
                        self.speak(stream).await;
                    }
                    Err(error) => {
                        self.watch.counts().handshake_failed();
                        tracing::debug!(%error, "TLS handshake failed");
                    }
                },
            }
        };
        let mut talk = pin!(talk);
        std::future::poll_fn(|cx| {
            watch.wake_by(cx);
            if watch.is_ordered(WatchOrder::End) {
                return Poll::Ready(());
            }
            talk.as_mut().poll(cx)
        })
        .await;
        drop(closing);
    }

    async fn speak<T>(self, stream: T)
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Self { peer, handler, protocol, watch, load } = self;
        let stream = WatchedStream::new(stream, Arc::clone(&watch), Arc::clone(&handler));
        let io = TokioIo::new(stream);
        let service = WatchedService { handler, watch: Arc::clone(&watch), load, peer };
        let mut connection = pin!(protocol.0.serve_connection(io, service));
        let mut told = false;
        let served = std::future::poll_fn(|cx| {
            if !told && watch.is_ordered(WatchOrder::Finish) {
                told = true;
                connection.as_mut().graceful_shutdown();
            }
            connection.as_mut().poll(cx)
        })
        .await;
        if let Err(error) = served {
            tracing::debug!(%error, "connection ended early");
        }
    }
}

/// Returns whether a connection serves only to validate a name.
fn is_challenge(stream: &TlsStream<TcpStream>) -> bool {
    stream.get_ref().1.alpn_protocol() == Some(CHALLENGE_PROTOCOL)
}

/// A guard that marks the end of a connection, for whatever reason it ends.
struct Closing(Arc<Watch>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A service that reports requests in progress to the watch, and refuses those that are too much.
struct WatchedService<H> {
    handler: Arc<H>,
    watch: Arc<Watch>,
    load: Arc<Load>,
    peer: IpAddr,
}

impl<H: Handler> hyper::service::Service<Request<Incoming>> for WatchedService<H> {
    type Response = Response<SentBody<H::Body>>;
    type Error = Infallible;
    type Future = RequestInProgress<H>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let guard = Some(self.watch.begin_request(request.version()));
        let chosen = self.watch.counts().observers().choose();
        let arrival = Arrival { peer: self.peer, at: clock(), is_observed: chosen.is_some() };
        let observed = chosen.map(|chosen| {
            let trace = request.headers().get("traceparent").cloned();
            Box::new(ToObserve { chosen, method: observe::name(request.method()), trace })
        });
        let (version, is_probe) = (request.version(), H::is_vital(&request));
        let is_refused = self.load.is_behind() && !is_probe;
        // Without a closure, which the request would be copied into.
        let answer = if is_refused {
            None
        } else if let Some(fault) = HostFault::of(&request) {
            Some(self.handler.refuse_host(request, arrival, fault))
        } else {
            Some(self.handler.handle(request, arrival))
        };
        RequestInProgress { answer, guard, version, is_probe, at: arrival.at, observed }
    }
}

/// A request that is being answered.
struct RequestInProgress<H: Handler> {
    /// The handler at work; `None` if the server has too much to do.
    answer: Option<H::Future>,
    /// Absent when it is answered.
    guard: Option<RequestGuard>,
    version: Version,
    /// Whether the request is a health check.
    is_probe: bool,
    /// When it arrived.
    at: SystemTime,
    /// The data for observers, if any is chosen.
    observed: Option<Box<ToObserve>>,
}

/// The data of a request for its observers.
struct ToObserve {
    chosen: Chosen,
    method: &'static str,
    trace: Option<HeaderValue>,
}

impl ToObserve {
    /// Passes an answered request to its observers.
    fn report<B>(
        &self,
        counts: &Counts,
        response: &Response<B>,
        counter: AnswerCounter,
        at: SystemTime,
        took: Duration,
    ) {
        let observed = Observed {
            method: self.method,
            route: response.extensions().get::<Route>().map(|Route(route)| &**route),
            status: response.status().as_u16(),
            answer: counter.answer(),
            protocol: counter.protocol(),
            at,
            took,
            trace: self.trace.as_ref().and_then(|trace| trace.to_str().ok()),
        };
        counts.observers().notify(self.chosen, &observed);
    }
}

impl<H: Handler> Future for RequestInProgress<H> {
    type Output = Result<Response<SentBody<H::Body>>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.answer {
            Some(answer) => ready!(Pin::new(answer).poll(cx)),
            None => H::busy(),
        };
        let guard = self.guard.take();
        let Some(guard) = guard else { return Poll::Ready(Ok(H::busy().map(SentBody::empty))) };
        // If the clock was set back, the duration is zero.
        let took = clock().duration_since(self.at).unwrap_or_default();
        let counts = guard.watch().counts();
        let counter = counts.answered(self.version, self.is_probe, &answer, took);
        if let Some(observed) = &self.observed {
            observed.report(counts, &answer, counter, self.at, took);
        }
        let (head, body) = answer.into_parts();
        let answer = match SentBody::new(body, guard) {
            Ok(body) => Response::from_parts(head, body),
            Err(guard) => {
                guard.watch().counts().withheld(counter);
                H::busy().map(SentBody::empty)
            }
        };
        Poll::Ready(Ok(answer))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready as at_once};
    use std::io::Write;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use bytes::Bytes;
    use fingerpost_options::FromLiteral;
    use http_body_util::Full;

    use super::*;
    use crate::clock::{TICK, TickClock};
    use crate::unsent::Pool;

    /// A service that responds with many bytes and counts requests.
    struct Large {
        answered: AtomicUsize,
        head: usize,
        body: &'static [u8],
    }

    impl Handler for Large {
        type Body = Full<Bytes>;
        type Future = Ready<Response<Self::Body>>;

        fn handle(&self, _: Request<Incoming>, _: Arrival) -> Self::Future {
            self.answered.fetch_add(1, Relaxed);
            let response = Response::builder().header("x-large", "x".repeat(self.head));
            at_once(response.body(Full::new(Bytes::from_static(self.body))).unwrap())
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
            Response::default()
        }

        fn is_vital(_: &Request<Incoming>) -> bool {
            false
        }
    }

    /// Returns how many of 20,000 requests are answered for a client that reads nothing.
    async fn answered_unread(head: usize, body: &'static [u8]) -> usize {
        const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = tokio::task::spawn_blocking(move || {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
            let socket = socket.unwrap();
            socket.set_recv_buffer_size(16 << 10).unwrap();
            socket.connect(&address.into()).unwrap();
            socket.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
            std::net::TcpStream::from(socket)
        });
        let mut client = client.await.unwrap();
        let (stream, peer) = listener.accept().await.unwrap();
        let handler = Arc::new(Large { answered: AtomicUsize::new(0), head, body });
        let limits = Limits::default();
        let connection = Connection {
            peer: peer.ip(),
            handler: Arc::clone(&handler),
            protocol: Protocol::new(&limits),
            watch: Watch::new(
                &Arc::default(),
                &Arc::new(Pool::new(&limits)),
                &Arc::default(),
                false,
            ),
            load: Arc::new(Load::new(Duration::from_secs(1))),
        };
        let serving = tokio::spawn(connection.serve(stream, None));
        // Until the server reads no more, or has read everything.
        let client = tokio::task::spawn_blocking(move || {
            let _ = client.write_all(&REQUEST.repeat(20_000));
            client
        });
        let client = client.await.unwrap();
        let mut answered = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            if handler.answered.load(Relaxed) == answered && answered > 0 {
                break;
            }
            answered = handler.answered.load(Relaxed);
        }
        drop(client);
        serving.await.unwrap();
        answered
    }

    #[tokio::test]
    async fn nobody_is_answered_far_ahead_of_reading() {
        // The kernel buffers some megabytes, this process a few buffers: of bodies, and of heads,
        // which have no flow control.
        let answered = answered_unread(1, &[b'x'; 64 << 10]).await;
        assert!((1..500).contains(&answered), "{answered} bodies that nobody has read");
        let answered = answered_unread(4 << 10, b"").await;
        assert!((1..5_000).contains(&answered), "{answered} heads that nobody has read");
    }

    /// A service whose body comes in parts, some time apart.
    struct Slow {
        parts: usize,
        apart: Duration,
        size: usize,
    }

    /// The parts that are left, and the time until the next one.
    struct SlowBody {
        parts: usize,
        apart: Duration,
        size: usize,
        timer: Pin<Box<tokio::time::Sleep>>,
    }

    impl hyper::body::Body for SlowBody {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
            if self.parts == 0 {
                return Poll::Ready(None);
            }
            ready!(self.timer.as_mut().poll(cx));
            self.parts -= 1;
            let next = tokio::time::Instant::now() + self.apart;
            self.timer.as_mut().reset(next);
            let part = Bytes::from(vec![b'x'; self.size]);
            Poll::Ready(Some(Ok(hyper::body::Frame::data(part))))
        }
    }

    impl Handler for Slow {
        type Body = http_body_util::Either<SlowBody, Full<Bytes>>;
        type Future = Ready<Response<Self::Body>>;

        fn handle(&self, _: Request<Incoming>, _: Arrival) -> Self::Future {
            let Slow { parts, apart, size } = *self;
            let timer = Box::pin(tokio::time::sleep(apart));
            let body = SlowBody { parts, apart, size, timer };
            at_once(Response::new(http_body_util::Either::Left(body)))
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
            Response::new(http_body_util::Either::Right(Full::default()))
        }

        fn is_vital(_: &Request<Incoming>) -> bool {
            false
        }
    }

    /// Serves one connection; returns its watch, and a client.
    async fn streaming(
        handler: Slow,
        clock: &Arc<TickClock>,
        limits: &Limits,
    ) -> (Arc<Watch>, tokio::task::JoinHandle<()>, TcpStream) {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, peer) = listener.accept().await.unwrap();
        let watch = Watch::new(clock, &Arc::new(Pool::new(limits)), &Arc::default(), false);
        let connection = Connection {
            peer: peer.ip(),
            handler: Arc::new(handler),
            protocol: Protocol::new(limits),
            watch: Arc::clone(&watch),
            load: Arc::new(Load::new(Duration::from_secs(1))),
        };
        let serving = tokio::spawn(connection.serve(stream, None));
        (watch, serving, client)
    }

    const ASKED: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[tokio::test]
    async fn a_body_of_unknown_size_is_a_request_in_progress_until_its_end() {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let slow = Slow { parts: 4, apart: Duration::from_millis(50), size: 10 };
        let (watch, serving, mut client) =
            streaming(slow, &Arc::default(), &Limits::default()).await;
        client.write_all(ASKED).await.unwrap();
        let mut first = [0; 16];
        client.read_exact(&mut first).await.unwrap();
        assert!(watch.idle_since().is_none(), "it is not idle: parts are to come");
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.unwrap();
        assert!(rest.ends_with(b"0\r\n\r\n"), "complete: {}", String::from_utf8_lossy(&rest));
        serving.await.unwrap();
        assert_eq!(watch.unsent().oldest(watch.now()), None, "nothing is counted any more");
    }

    #[tokio::test]
    async fn a_client_that_reads_no_part_is_given_up_and_nothing_stays_counted() {
        use tokio::io::AsyncWriteExt;
        let limits =
            Limits { response_timeout: FromLiteral::from_literal("1s"), ..Limits::default() };
        let clock = Arc::new(TickClock::default());
        let endless = Slow { parts: usize::MAX, apart: Duration::ZERO, size: 64 << 10 };
        let (watch, serving, mut client) = streaming(endless, &clock, &limits).await;
        client.write_all(ASKED).await.unwrap();
        let begin = tokio::time::Instant::now();
        while !serving.is_finished() {
            tokio::time::sleep(TICK).await;
            clock.advance();
            watch.sweep(&limits);
            assert!(begin.elapsed() < Duration::from_secs(60), "it has a deadline");
        }
        serving.await.unwrap();
        assert!(watch.is_ordered(WatchOrder::End) && watch.is_closed());
        assert_eq!(watch.unsent().oldest(watch.now()), None);
        drop(client);
    }
}
