//! Supervision of a connection, so that no client holds a connection without using it.
//!
//! There are no timers per request. Each connection records its phase and the tick of its listener's clock at which the phase began.
//! The listener checks all connections four times a second and orders those over their limit to finish or to end.
//! ```text
//! Handshake -> New -> Head -> (requests in progress) -> Waiting -> Head -> ...
//! ```
//!
//! To add a time limit, add a line to [`Watch::sweep`].

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use http::Version;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::limits::Limits;

/// Length of a tick of the listener's clock, which is the resolution of time limits.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// A clock measured in ticks, advanced by its listener's sweep.
#[derive(Debug, Default)]
pub(crate) struct TickClock(AtomicU32);

impl TickClock {
    pub(crate) fn advance(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    fn now(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

/// The phase of a connection between requests.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// The TLS handshake is in progress.
    Handshake,
    /// Nothing has been received yet.
    New,
    /// The beginning of a request has been received.
    Head,
    /// A request has been answered, and no other has begun.
    Waiting,
}

/// An order to a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum WatchOrder {
    /// Continue.
    Run,
    /// Answer the requests received so far, accept no new ones.
    Finish,
    /// End immediately.
    End,
}

/// State shared by a connection and the sweep.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: Arc<TickClock>,
    phase: AtomicU8,
    since: AtomicU32,
    /// Number of requests without a response; the limits of phases do not apply meanwhile.
    in_progress: AtomicU32,
    /// Tick since which the client has accepted no data; `IDLE_WRITER` when it accepts all.
    blocked: AtomicU32,
    http2: AtomicBool,
    order: AtomicU8,
    closed: AtomicBool,
    waker: OnceLock<Waker>,
}

const IDLE_WRITER: u32 = u32::MAX;

impl Watch {
    pub(crate) fn new(clock: &Arc<TickClock>, tls: bool) -> Arc<Self> {
        let phase = if tls { Phase::Handshake } else { Phase::New };
        Arc::new(Self {
            clock: Arc::clone(clock),
            phase: AtomicU8::new(phase as u8),
            since: AtomicU32::new(clock.now()),
            in_progress: AtomicU32::new(0),
            blocked: AtomicU32::new(IDLE_WRITER),
            http2: AtomicBool::new(false),
            order: AtomicU8::new(WatchOrder::Run as u8),
            closed: AtomicBool::new(false),
            waker: OnceLock::new(),
        })
    }

    fn is(&self, phase: Phase) -> bool {
        self.phase.load(Relaxed) == phase as u8
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.clock.now(), Relaxed);
    }

    fn received(&self) {
        // On HTTP/2, bytes are also acknowledgements, so only requests count there. During a request, they are its body.
        let begins = self.is(Phase::Waiting) && !self.http2.load(Relaxed);
        if (begins || self.is(Phase::New)) && !self.is_answering() {
            self.enter(Phase::Head);
        }
    }

    fn is_answering(&self) -> bool {
        self.in_progress.load(Relaxed) > 0
    }

    /// Records a request in progress until the guard is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>, version: Version) -> RequestGuard {
        if version == Version::HTTP_2 {
            self.http2.store(true, Relaxed);
        }
        self.in_progress.fetch_add(1, Relaxed);
        RequestGuard(Arc::clone(self))
    }

    fn sent(&self, all: bool) {
        if all {
            self.blocked.store(IDLE_WRITER, Relaxed);
        } else if self.blocked.load(Relaxed) == IDLE_WRITER {
            self.blocked.store(self.clock.now(), Relaxed);
        }
    }

    /// Returns whether the connection has received this order or a stronger one.
    pub(crate) fn is_told(&self, order: WatchOrder) -> bool {
        self.order.load(Relaxed) >= order as u8
    }

    /// Stores the waker of the connection's task.
    pub(crate) fn wake_by(&self, cx: &Context<'_>) {
        let _ = self.waker.get_or_init(|| cx.waker().clone());
    }

    /// Gives an order, never weaker than the previous one. Repeating an order wakes the task again: with several threads, an order may be
    /// given before there is a waker.
    pub(crate) fn give(&self, order: WatchOrder) {
        if order as u8 >= self.order.fetch_max(order as u8, Relaxed)
            && let Some(waker) = self.waker.get()
        {
            waker.wake_by_ref();
        }
    }

    /// Records the end of the connection.
    pub(crate) fn close(&self) {
        self.closed.store(true, Relaxed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Gives the orders that the limits require.
    pub(crate) fn sweep(&self, limits: &Limits) {
        let older = |since: u32, limit: Duration| {
            TICK.saturating_mul(self.clock.now().wrapping_sub(since)) > limit
        };
        let since = self.since.load(Relaxed);
        let is = |phase| self.is(phase) && !self.is_answering();
        if is(Phase::Handshake) && older(since, limits.tls_handshake_timeout.get()) {
            self.give(WatchOrder::End);
        }
        if (is(Phase::New) || is(Phase::Head)) && older(since, limits.header_timeout.get()) {
            self.give(WatchOrder::End);
        }
        if is(Phase::Waiting) && older(since, limits.idle_timeout.get()) {
            self.give(WatchOrder::Finish);
            if older(since, limits.idle_timeout.get() + limits.response_timeout.get()) {
                self.give(WatchOrder::End);
            }
        }
        let blocked = self.blocked.load(Relaxed);
        if blocked != IDLE_WRITER && older(blocked, limits.response_timeout.get()) {
            self.give(WatchOrder::End);
        }
    }

    /// Orders the connection to stop because the server does: pending requests are answered, idle connections end.
    pub(crate) fn stop(&self) {
        let unasked = self.is(Phase::New) || self.is(Phase::Handshake);
        self.give(if unasked { WatchOrder::End } else { WatchOrder::Finish });
    }
}

/// A guard for one request in progress, dropped when it is answered or nobody waits for the answer.
#[derive(Debug)]
pub(crate) struct RequestGuard(Arc<Watch>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.enter(Phase::Waiting);
        self.0.in_progress.fetch_sub(1, Relaxed);
    }
}

/// A stream that reports bytes read and written to its watch.
pub(crate) struct WatchedStream<T> {
    pub(crate) stream: T,
    pub(crate) watch: Arc<Watch>,
}

impl<T: AsyncRead + Unpin> AsyncRead for WatchedStream<T> {
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

impl<T: AsyncWrite + Unpin> WatchedStream<T> {
    fn note(&self, polled: &Poll<io::Result<usize>>, offered: usize) {
        match polled {
            Poll::Ready(Ok(taken)) => self.watch.sent(*taken == offered),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.watch.sent(false),
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for WatchedStream<T> {
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
