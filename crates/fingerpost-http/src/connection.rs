//! One connection: HTTP/1.1 (RFC 9112) or HTTP/2 (RFC 9113), watched so that nobody holds a place for nothing.
//!
//! There are no timers per request. Each connection notes in what phase it is and since which tick of its
//! worker's clock; the worker sweeps over them four times a second and orders those that overstay to finish
//! or to end.
//!
//! ```text
//! Handshake -> New -> Head -> Waiting -> Head -> Waiting ...     answers are made within one poll
//! ```

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::limits::Limits;

/// Length of a tick of the worker's clock; time limits are kept to this grain.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Most requests in progress on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;

/// What answers requests; implemented by the two kinds of listeners.
pub trait Answer: Send + Sync + 'static {
    /// Answers a request of a client with this address.
    fn answer(&self, request: &Request<Incoming>, peer: IpAddr) -> Response<Full<Bytes>>;
}

/// A clock that counts ticks, advanced by the sweep of its worker.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU32);

impl Clock {
    pub(crate) fn advance(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    fn now(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

/// What a connection is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// TLS is being agreed on.
    Handshake,
    /// Nothing was received yet.
    New,
    /// The beginning of a request was received.
    Head,
    /// A request was answered, none has begun since.
    Waiting,
    /// Over.
    Closed,
}

/// What a connection is told.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Order {
    /// Go on.
    Run,
    /// Answer what has been asked, take nothing new.
    Finish,
    /// End now.
    End,
}

/// Shared by a connection and the sweep. Both run on one thread; the atomics satisfy `Send`.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: Arc<Clock>,
    phase: AtomicU8,
    since: AtomicU32,
    /// Tick since which the client accepts nothing; `IDLE_WRITER` when it accepts all.
    blocked: AtomicU32,
    http2: AtomicBool,
    order: AtomicU8,
    waker: OnceLock<Waker>,
}

const IDLE_WRITER: u32 = u32::MAX;

impl Watch {
    pub(crate) fn new(clock: &Arc<Clock>, tls: bool) -> Arc<Self> {
        let phase = if tls { Phase::Handshake } else { Phase::New };
        Arc::new(Self {
            clock: Arc::clone(clock),
            phase: AtomicU8::new(phase as u8),
            since: AtomicU32::new(clock.now()),
            blocked: AtomicU32::new(IDLE_WRITER),
            http2: AtomicBool::new(false),
            order: AtomicU8::new(Order::Run as u8),
            waker: OnceLock::new(),
        })
    }

    fn is(&self, phase: Phase) -> bool {
        self.phase.load(Relaxed) == phase as u8
    }

    fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.clock.now(), Relaxed);
    }

    fn received(&self) {
        // On HTTP/2 bytes are also acknowledgements; only requests count there.
        if (self.is(Phase::Waiting) && !self.http2.load(Relaxed)) || self.is(Phase::New) {
            self.enter(Phase::Head);
        }
    }

    fn answered(&self, version: Version) {
        if version == Version::HTTP_2 {
            self.http2.store(true, Relaxed);
        }
        self.enter(Phase::Waiting);
    }

    fn sent(&self, all: bool) {
        if all {
            self.blocked.store(IDLE_WRITER, Relaxed);
        } else if self.blocked.load(Relaxed) == IDLE_WRITER {
            self.blocked.store(self.clock.now(), Relaxed);
        }
    }

    fn order(&self) -> u8 {
        self.order.load(Relaxed)
    }

    /// Gives an order, never a weaker one than before.
    pub(crate) fn give(&self, order: Order) {
        if (order as u8) > self.order.fetch_max(order as u8, Relaxed)
            && let Some(waker) = self.waker.get()
        {
            waker.wake_by_ref();
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is(Phase::Closed)
    }

    /// Orders what the limits demand.
    pub(crate) fn sweep(&self, limits: &Limits) {
        let older = |since: u32, limit: Duration| {
            TICK.saturating_mul(self.clock.now().wrapping_sub(since)) > limit
        };
        let since = self.since.load(Relaxed);
        if self.is(Phase::Handshake) && older(since, limits.tls_handshake_timeout()) {
            self.give(Order::End);
        }
        if (self.is(Phase::New) || self.is(Phase::Head)) && older(since, limits.header_timeout()) {
            self.give(Order::End);
        }
        if self.is(Phase::Waiting) && older(since, limits.idle_timeout()) {
            self.give(Order::Finish);
            if older(since, limits.idle_timeout() + limits.response_timeout()) {
                self.give(Order::End);
            }
        }
        let blocked = self.blocked.load(Relaxed);
        if blocked != IDLE_WRITER && older(blocked, limits.response_timeout()) {
            self.give(Order::End);
        }
    }

    /// The order to stop the server: who has asked gets an answer, who has not does not wait for one.
    pub(crate) fn stop(&self) {
        let unasked = self.is(Phase::New) || self.is(Phase::Handshake);
        self.give(if unasked { Order::End } else { Order::Finish });
    }
}

/// A place among [`Limits::max_connections`], given back when dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<AtomicUsize>);

impl Place {
    /// A place, if there is one left.
    pub(crate) fn take(taken: &Arc<AtomicUsize>, limit: usize) -> Option<Self> {
        let place = Self(Arc::clone(taken));
        (place.0.fetch_add(1, Relaxed) < limit).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// How connections of a worker speak HTTP.
#[derive(Clone, Debug)]
pub struct Protocol(auto::Builder<TokioExecutor>);

impl Protocol {
    /// Speaks within these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        // Twice the limits: what is a little too large gets an answer of ours, the rest one of hyper's.
        let buffer = 2 * (limits.max_target_bytes() + limits.max_header_bytes());
        // Without vectors: most answers are a head alone. (Not by `pipeline_flush`, which takes requests for as long as they
        // come, whether or not anybody reads the answers.)
        builder.http1().max_buf_size(buffer).header_read_timeout(None).writev(false);
        builder
            .http2()
            .max_header_list_size(u32::try_from(buffer).unwrap_or(u32::MAX))
            .max_concurrent_streams(MAX_STREAMS);
        Self(builder)
    }
}

/// Serves one connection until it ends or is told to.
pub(crate) async fn serve<A: Answer>(
    stream: TcpStream,
    peer: IpAddr,
    tls: Option<TlsAcceptor>,
    protocol: Protocol,
    answer: Arc<A>,
    watch: Arc<Watch>,
    place: Place,
) {
    let closing = Closing(Arc::clone(&watch), place);
    // An answer is one small packet; waiting for more to send with it only delays it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY not set");
    }
    let talk = async {
        match tls {
            None => speak(stream, peer, &protocol, answer, &watch).await,
            Some(acceptor) => match acceptor.accept(stream).await {
                Ok(stream) => {
                    watch.enter(Phase::New);
                    speak(stream, peer, &protocol, answer, &watch).await;
                }
                Err(error) => tracing::debug!(%error, "TLS handshake failed"),
            },
        }
    };
    let mut talk = pin!(talk);
    std::future::poll_fn(|cx| {
        let _ = watch.waker.get_or_init(|| cx.waker().clone());
        if watch.order() == Order::End as u8 {
            return Poll::Ready(());
        }
        talk.as_mut().poll(cx)
    })
    .await;
    drop(closing);
}

/// Marks the end of a connection, however it comes.
struct Closing(Arc<Watch>, #[expect(dead_code, reason = "held for its drop")] Place);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.enter(Phase::Closed);
    }
}

async fn speak<T, A>(
    stream: T,
    peer: IpAddr,
    protocol: &Protocol,
    answer: Arc<A>,
    watch: &Arc<Watch>,
) where
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    A: Answer,
{
    let io = TokioIo::new(Watched { stream, watch: Arc::clone(watch) });
    let service = Service { answer, watch: Arc::clone(watch), peer };
    let mut connection = pin!(protocol.0.serve_connection(io, service));
    let mut told = false;
    let served = std::future::poll_fn(|cx| {
        if !told && watch.order() != Order::Run as u8 {
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

struct Service<A> {
    answer: Arc<A>,
    watch: Arc<Watch>,
    peer: IpAddr,
}

impl<A: Answer> hyper::service::Service<Request<Incoming>> for Service<A> {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Self::Error>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let response = self.answer.answer(&request, self.peer);
        self.watch.answered(request.version());
        ready(Ok(response))
    }
}

/// A stream that tells its watch what comes and goes.
struct Watched<T> {
    stream: T,
    watch: Arc<Watch>,
}

impl<T: AsyncRead + Unpin> AsyncRead for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.watch.received();
        }
        polled
    }
}

impl<T: AsyncWrite + Unpin> Watched<T> {
    fn note(&self, polled: &Poll<io::Result<usize>>, offered: usize) {
        match polled {
            Poll::Ready(Ok(taken)) => self.watch.sent(*taken == offered),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.sent(false),
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Watched<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(&polled, bytes.len());
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.note(&polled, slices.iter().map(|slice| slice.len()).sum());
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        match polled {
            Poll::Ready(Ok(())) => self.watch.sent(true),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.sent(false),
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::Ipv4Addr;

    use super::*;

    /// Answers with 64 KiB, and counts.
    #[derive(Default)]
    struct Large(AtomicUsize);

    impl Answer for Large {
        fn answer(&self, _: &Request<Incoming>, _: IpAddr) -> Response<Full<Bytes>> {
            self.0.fetch_add(1, Relaxed);
            Response::new(Full::new(Bytes::from_static(&[b'x'; 64 << 10])))
        }
    }

    #[tokio::test]
    async fn nobody_is_answered_far_ahead_of_reading() {
        const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut client = tokio::task::spawn_blocking(move || {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None);
            let socket = socket.unwrap();
            socket.set_recv_buffer_size(16 << 10).unwrap();
            socket.connect(&address.into()).unwrap();
            std::net::TcpStream::from(socket)
        })
        .await
        .unwrap();
        let (stream, peer) = listener.accept().await.unwrap();
        let answer = Arc::new(Large::default());
        let clock = Arc::new(Clock::default());
        let watch = Watch::new(&clock, false);
        let place = Place::take(&Arc::new(AtomicUsize::new(0)), 1).unwrap();
        let serving = tokio::spawn(serve(
            stream,
            peer.ip(),
            None,
            Protocol::new(&Limits::default()),
            Arc::clone(&answer),
            Arc::clone(&watch),
            place,
        ));
        // 2,000 requests for 130 MB.
        let client = tokio::task::spawn_blocking(move || {
            client.write_all(&REQUEST.repeat(2_000)).unwrap();
            client
        });
        let client = client.await.unwrap();
        let mut answered = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            if answer.0.load(Relaxed) == answered && answered > 0 {
                break;
            }
            answered = answer.0.load(Relaxed);
        }
        // The kernel takes some megabytes, we a few buffers.
        assert!((1..500).contains(&answered), "{answered} answers that nobody has read");
        drop(client);
        serving.await.unwrap();
    }
}
