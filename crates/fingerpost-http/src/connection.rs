//! One HTTP/1.1 (RFC 9112) or HTTP/2 (RFC 9113) connection, with or without TLS, supervised by a [watch](crate::watch).

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::limits::Limits;
use crate::watch::{Phase, RequestGuard, Watch, WatchOrder, WatchedStream};

/// Maximum number of concurrent requests on one HTTP/2 connection.
const MAX_STREAMS: u32 = 128;

/// A service that answers the requests of a listener.
pub trait Handler: Send + Sync + 'static {
    /// The body of a response.
    type Body: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>>
        + Send
        + 'static;
    /// The future of a response; a response that is ready costs nothing.
    type Future: Future<Output = Response<Self::Body>> + Send + Unpin + 'static;

    /// Answers a request from a client at this address.
    fn handle(&self, request: Request<Incoming>, peer: IpAddr) -> Self::Future;
}

/// HTTP settings shared by all connections of a listener.
#[derive(Clone, Debug)]
pub(crate) struct Protocol(auto::Builder<TokioExecutor>);

impl Protocol {
    pub(crate) fn new(limits: &Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        // Twice the limits: requests slightly over a limit get our response, larger ones get hyper's.
        let buffer = 2 * (limits.max_target_bytes.get() + limits.max_header_bytes.get());
        // No vectored writes, because most responses consist of a head only. `pipeline_flush` is not an option: it accepts requests as
        // long as they arrive, even if the client does not read the responses.
        builder.http1().max_buf_size(buffer).header_read_timeout(None).writev(false);
        builder
            .http2()
            .max_header_list_size(u32::try_from(buffer).unwrap_or(u32::MAX))
            .max_concurrent_streams(MAX_STREAMS);
        Self(builder)
    }
}

/// An accepted connection.
pub(crate) struct Connection<H> {
    pub(crate) peer: IpAddr,
    pub(crate) handler: Arc<H>,
    pub(crate) protocol: Protocol,
    pub(crate) watch: Arc<Watch>,
}

impl<H: Handler> Connection<H> {
    /// Serves requests until the connection ends or is told to end.
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
                    Ok(stream) => {
                        self.watch.enter(Phase::New);
                        self.speak(stream).await;
                    }
                    Err(error) => tracing::debug!(%error, "TLS handshake failed"),
                },
            }
        };
        let mut talk = pin!(talk);
        std::future::poll_fn(|cx| {
            watch.wake_by(cx);
            if watch.is_told(WatchOrder::End) {
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
        let Self { peer, handler, protocol, watch } = self;
        let io = TokioIo::new(WatchedStream { stream, watch: Arc::clone(&watch) });
        let service = WatchedService { handler, watch: Arc::clone(&watch), peer };
        let mut connection = pin!(protocol.0.serve_connection(io, service));
        let mut told = false;
        let served = std::future::poll_fn(|cx| {
            if !told && watch.is_told(WatchOrder::Finish) {
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

/// A guard that marks the end of a connection, for whatever reason it ends.
struct Closing(Arc<Watch>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A service that reports requests in progress to the watch.
struct WatchedService<H> {
    handler: Arc<H>,
    watch: Arc<Watch>,
    peer: IpAddr,
}

impl<H: Handler> hyper::service::Service<Request<Incoming>> for WatchedService<H> {
    type Response = Response<H::Body>;
    type Error = Infallible;
    type Future = RequestInProgress<H::Future>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let guard = self.watch.begin_request(request.version());
        RequestInProgress { answer: self.handler.handle(request, self.peer), guard: Some(guard) }
    }
}

struct RequestInProgress<F> {
    answer: F,
    guard: Option<RequestGuard>,
}

impl<F: Future + Unpin> Future for RequestInProgress<F> {
    type Output = Result<F::Output, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = ready!(Pin::new(&mut self.answer).poll(cx));
        self.guard = None;
        Poll::Ready(Ok(answer))
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready as at_once};
    use std::io::Write;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Duration;

    use http_body_util::Full;

    use super::*;

    /// A service that responds with 64 KiB and counts requests.
    #[derive(Default)]
    struct Large(AtomicUsize);

    impl Handler for Large {
        type Body = Full<Bytes>;
        type Future = Ready<Response<Self::Body>>;

        fn handle(&self, _: Request<Incoming>, _: IpAddr) -> Self::Future {
            self.0.fetch_add(1, Relaxed);
            at_once(Response::new(Full::new(Bytes::from_static(&[b'x'; 64 << 10]))))
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
        let connection = Connection {
            peer: peer.ip(),
            handler: Arc::clone(&answer),
            protocol: Protocol::new(&Limits::default()),
            watch: Watch::new(&Arc::default(), false),
        };
        let serving = tokio::spawn(connection.serve(stream, None));
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
        // The kernel buffers some megabytes, this process a few buffers.
        assert!((1..500).contains(&answered), "{answered} answers that nobody has read");
        drop(client);
        serving.await.unwrap();
    }
}
