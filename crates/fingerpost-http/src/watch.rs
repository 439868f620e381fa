//! Supervision of a connection, so that no client holds a connection without using it.
//!
//! There are no timers per request. Each connection records its phase and the tick of the clock at
//! which the phase began, and which answers it has not sent yet. The listener checks all
//! connections four times a second and orders those over their limit to finish or to end.
//! ```text
//! Handshake -> New -> Head -> (requests in progress) -> Waiting -> Head -> ...
//! ```
//!
//! To add a time limit, add a line to [`Watch::sweep`].

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Waker};
use std::time::Duration;

use http::Version;

use crate::clock::{TICK, TickClock};
use crate::limits::Limits;
use crate::meter::{Counts, Deadline};
use crate::unsent::{Pool, Unsent};

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
pub(crate) struct Watch {
    clock: Arc<TickClock>,
    counts: Arc<Counts>,
    phase: AtomicU8,
    since: AtomicU32,
    /// Number of requests without a response; the limits of phases do not apply meanwhile.
    in_progress: AtomicU32,
    /// Tick since which the client has not accepted all data; `IDLE_WRITER` when it has.
    blocked: AtomicU32,
    unsent: Unsent,
    http2: AtomicBool,
    order: AtomicU8,
    closed: AtomicBool,
    waker: OnceLock<Waker>,
}

const IDLE_WRITER: u32 = u32::MAX;

impl Watch {
    pub(crate) fn new(
        clock: &Arc<TickClock>,
        pool: &Arc<Pool>,
        counts: &Arc<Counts>,
        tls: bool,
    ) -> Arc<Self> {
        let phase = if tls { Phase::Handshake } else { Phase::New };
        Arc::new(Self {
            clock: Arc::clone(clock),
            counts: Arc::clone(counts),
            phase: AtomicU8::new(phase as u8),
            since: AtomicU32::new(clock.now()),
            in_progress: AtomicU32::new(0),
            blocked: AtomicU32::new(IDLE_WRITER),
            unsent: Unsent::new(pool),
            http2: AtomicBool::new(false),
            order: AtomicU8::new(WatchOrder::Run as u8),
            closed: AtomicBool::new(false),
            waker: OnceLock::new(),
        })
    }

    pub(crate) fn now(&self) -> u32 {
        self.clock.now()
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(crate) fn unsent(&self) -> &Unsent {
        &self.unsent
    }

    fn is(&self, phase: Phase) -> bool {
        self.phase.load(Relaxed) == phase as u8
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.clock.now(), Relaxed);
    }

    /// Records that the client has sent something.
    pub(crate) fn received(&self) {
        // On HTTP/2, bytes are also acknowledgements, so only requests count there. During a
        // request, they are its body.
        let begins = self.is(Phase::Waiting) && !self.http2.load(Relaxed);
        if (begins || self.is(Phase::New)) && !self.is_answering() {
            self.enter(Phase::Head);
        }
    }

    /// Returns whether everything that is written on the connection is HTTP/1 and the answer to no
    /// request that has been read.
    pub(crate) fn may_be_unread(&self) -> bool {
        !self.http2.load(Relaxed) && !self.is_answering()
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

    /// Records that the client has accepted everything.
    pub(crate) fn sent_all(&self) {
        if self.blocked.load(Relaxed) == IDLE_WRITER {
            return;
        }
        self.blocked.store(IDLE_WRITER, Relaxed);
        self.unsent.stuck(0);
    }

    /// Records that the client has not accepted everything, and how much is left if that is known.
    pub(crate) fn sent_part(&self, left: Option<usize>) {
        if self.blocked.load(Relaxed) == IDLE_WRITER {
            self.blocked.store(self.clock.now(), Relaxed);
        }
        let Some(left) = left else { return };
        if !self.unsent.stuck(left) {
            tracing::debug!("connection ended: too many bytes are unsent");
            self.give(WatchOrder::End);
        }
    }

    /// Returns whether the connection has received this order or a stronger one.
    pub(crate) fn is_ordered(&self, order: WatchOrder) -> bool {
        self.order.load(Relaxed) >= order as u8
    }

    /// Stores the waker of the connection's task.
    pub(crate) fn wake_by(&self, cx: &Context<'_>) {
        let _ = self.waker.get_or_init(|| cx.waker().clone());
    }

    /// Gives an order, never weaker than the previous one. Repeating an order wakes the task again:
    /// with several threads, an order may be given before there is a waker.
    pub(crate) fn give(&self, order: WatchOrder) {
        if order as u8 >= self.order.fetch_max(order as u8, Relaxed)
            && let Some(waker) = self.waker.get()
        {
            waker.wake_by_ref();
        }
    }

    /// Records the end of the connection.
    pub(crate) fn close(&self) {
        self.unsent.stuck(0);
        self.closed.store(true, Relaxed);
    }

    /// Returns the tick since which the connection has been idle: since which the client has not
    /// accepted an answer, or if there is none, since which it has sent no request. `None` while a
    /// request is in progress.
    pub(crate) fn idle_since(&self) -> Option<u32> {
        if self.is_answering() {
            return None;
        }
        let blocked = Some(self.blocked.load(Relaxed)).filter(|since| *since != IDLE_WRITER);
        let unsent = self.unsent.oldest(self.clock.now());
        Some(unsent.into_iter().chain(blocked).min().unwrap_or(self.since.load(Relaxed)))
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
            self.end(WatchOrder::End, Deadline::Handshake);
        }
        if (is(Phase::New) || is(Phase::Head)) && older(since, limits.header_timeout.get()) {
            self.end(WatchOrder::End, Deadline::Head);
        }
        if is(Phase::Waiting) && older(since, limits.idle_timeout.get()) {
            self.end(WatchOrder::Finish, Deadline::Idle);
            if older(since, limits.idle_timeout.get() + limits.response_timeout.get()) {
                self.give(WatchOrder::End);
            }
        }
        let blocked = self.blocked.load(Relaxed);
        let is_stuck = blocked != IDLE_WRITER && older(blocked, limits.response_timeout.get());
        if is_stuck || self.unsent.is_overdue(self.clock.now()) {
            self.end(WatchOrder::End, Deadline::Response);
        }
        if self.is_ordered(WatchOrder::End) {
            self.give(WatchOrder::End);
        }
    }

    /// Gives an order because of a limit, and counts the first one.
    fn end(&self, order: WatchOrder, by: Deadline) {
        if !self.is_ordered(WatchOrder::Finish) {
            self.counts.ended(by);
        }
        self.give(order);
    }

    /// Orders the connection to stop because the server does: pending requests are answered, idle
    /// connections end.
    pub(crate) fn stop(&self) {
        let unasked = self.is(Phase::New) || self.is(Phase::Handshake);
        self.give(if unasked { WatchOrder::End } else { WatchOrder::Finish });
    }
}

/// A guard for one request in progress, dropped when it is answered or the client has gone.
pub(crate) struct RequestGuard(Arc<Watch>);

impl RequestGuard {
    pub(crate) fn watch(&self) -> &Arc<Watch> {
        &self.0
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.enter(Phase::Waiting);
        self.0.in_progress.fetch_sub(1, Relaxed);
    }
}
