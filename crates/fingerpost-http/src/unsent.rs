//! The bytes of answers that clients have not accepted yet: counted for each connection and for all
//! connections of a listener, bounded, and with a deadline for each answer.
//!
//! A body is counted from the answer until its last byte has been handed to the connection's
//! buffers, whatever HTTP version and flow control (RFC 9113 section 5.2) do in between; what the
//! kernel does not take from these buffers is counted by [`Unsent::stuck`]. Answers without a body
//! touch no counter that connections share.
//!
//! As the space left becomes smaller, so does the share of each connection, so that some hundreds
//! that hold what they may leave enough for one more (the dynamic thresholds of Choudhury and
//! Hahne, 1998). When little is left, the deadline becomes shorter, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use crate::clock::TICK;
use crate::limits::Limits;
use crate::limits::{DEADLINE_PARTS, UNSENT_SHARE};

/// The parts whose bodies are counted apart. A power of two, with room for some that are over the
/// deadline.
const SLOTS: u32 = 32;

/// The bytes that all connections of a listener may hold.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: usize,
    per_connection: usize,
    held: AtomicUsize,
    /// Ticks in a part of the deadline.
    part: u32,
    /// Parts in the deadline.
    parts: u32,
}

impl Pool {
    pub(crate) fn new(limits: &Limits) -> Self {
        let ticks = limits.response_timeout.get().as_millis().div_ceil(TICK.as_millis());
        let ticks = u32::try_from(ticks).unwrap_or(u32::MAX);
        let part = ticks.div_ceil(DEADLINE_PARTS).max(1);
        Self {
            limit: limits.max_unsent_bytes.get(),
            per_connection: limits.max_unsent_bytes_per_connection.get(),
            held: AtomicUsize::new(0),
            part,
            parts: ticks.div_ceil(part),
        }
    }

    fn is_exceeded(&self) -> bool {
        self.held.load(Relaxed) > self.limit
    }

    /// Returns whether less than an eighth is left.
    fn is_nearly_full(&self) -> bool {
        self.held.load(Relaxed) > self.limit - self.limit / 8
    }
}

/// The bytes that one connection holds.
#[derive(Debug)]
pub(crate) struct Unsent {
    pool: Arc<Pool>,
    /// Bytes of bodies.
    bodies: AtomicUsize,
    /// Bytes that were offered to the socket and not taken.
    stuck: AtomicUsize,
    /// Number of bodies by the part of the deadline in which they began.
    ages: [AtomicU32; SLOTS as usize],
}

impl Unsent {
    pub(crate) fn new(pool: &Arc<Pool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            bodies: AtomicUsize::new(0),
            stuck: AtomicUsize::new(0),
            ages: Default::default(),
        }
    }

    fn slot(&self, part: u32) -> &AtomicU32 {
        &self.ages[(part % SLOTS) as usize]
    }

    /// Counts a body, unless it would be too much. Returns the part of the deadline in which it
    /// began.
    pub(crate) fn take(&self, bytes: usize, now: u32) -> Option<u32> {
        let before = self.pool.held.fetch_add(bytes, Relaxed);
        let free = self.pool.limit.saturating_sub(before);
        let mine = self.bodies.fetch_add(bytes, Relaxed) + self.stuck.load(Relaxed);
        let fits_pool = before == 0 || mine + bytes <= free / UNSENT_SHARE;
        let fits_connection = mine == 0 || mine + bytes <= self.pool.per_connection;
        let part = now / self.pool.part;
        self.slot(part).fetch_add(1, Relaxed);
        if fits_pool && fits_connection {
            return Some(part);
        }
        self.give_back(bytes, part);
        None
    }

    /// Counts a part of a body that is made while it is sent. Returns the part of the deadline in
    /// which it began.
    pub(crate) fn take_part(&self, bytes: usize, now: u32) -> u32 {
        self.pool.held.fetch_add(bytes, Relaxed);
        self.bodies.fetch_add(bytes, Relaxed);
        let part = now / self.pool.part;
        self.slot(part).fetch_add(1, Relaxed);
        part
    }

    /// Counts a body no more.
    pub(crate) fn give_back(&self, bytes: usize, part: u32) {
        self.slot(part).fetch_sub(1, Relaxed);
        self.bodies.fetch_sub(bytes, Relaxed);
        self.pool.held.fetch_sub(bytes, Relaxed);
    }

    /// Records how many bytes wait for the socket. Returns whether that is still within the limit.
    pub(crate) fn stuck(&self, bytes: usize) -> bool {
        let before = self.stuck.swap(bytes, Relaxed);
        if bytes != before {
            self.pool.held.fetch_add(bytes, Relaxed);
            self.pool.held.fetch_sub(before, Relaxed);
        }
        bytes == 0 || !self.pool.is_exceeded()
    }

    /// Returns whether a body is over the deadline, or over a quarter of it if the pool is nearly
    /// full.
    pub(crate) fn is_overdue(&self, now: u32) -> bool {
        if self.bodies.load(Relaxed) == 0 {
            return false;
        }
        let part = now / self.pool.part;
        let parts = if self.pool.is_nearly_full() { self.pool.parts / 4 } else { self.pool.parts };
        (parts + 1..SLOTS).any(|back| self.slot(part.wrapping_sub(back)).load(Relaxed) > 0)
    }

    /// Returns the tick at which the oldest body began, to a part of the deadline; `None` if there
    /// is no body.
    pub(crate) fn oldest(&self, now: u32) -> Option<u32> {
        if self.bodies.load(Relaxed) == 0 {
            return None;
        }
        let part = now / self.pool.part;
        let parts = (0..SLOTS).rev().map(|back| part.wrapping_sub(back));
        let oldest = parts.into_iter().find(|part| self.slot(*part).load(Relaxed) > 0)?;
        Some(oldest.wrapping_mul(self.pool.part))
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_options::FromLiteral;

    use super::*;

    const KIB: usize = 1 << 10;

    fn pool(total: &'static str, one: &'static str) -> Arc<Pool> {
        Arc::new(Pool::new(&Limits {
            max_unsent_bytes: FromLiteral::from_literal(total),
            max_unsent_bytes_per_connection: FromLiteral::from_literal(one),
            response_timeout: FromLiteral::from_literal("4s"),
            ..Limits::default()
        }))
    }

    #[test]
    fn no_connection_holds_more_than_it_may() {
        let pool = pool("1 MiB", "64 KiB");
        let one = Unsent::new(&pool);
        assert_eq!((0..100).filter(|_| one.take(10 * KIB, 0).is_some()).count(), 6);
        let other = Unsent::new(&pool);
        assert!(other.take(200 * KIB, 0).is_some(), "one answer alone may be larger");
        assert!(other.take(1, 0).is_none(), "but only alone");
        one.give_back(60 * KIB, 0);
        assert!(one.stuck(10 * KIB));
        assert!(one.take(60 * KIB, 0).is_none(), "what waits for the socket counts, too");
    }

    #[test]
    fn all_together_hold_no_more_than_the_pool_and_leave_some_for_others() {
        let pool = pool("1 MiB", "1 MiB");
        let hostile: Vec<_> = (0..200).map(|_| Unsent::new(&pool)).collect();
        for _ in 0..1000 {
            for connection in &hostile {
                connection.take(KIB, 0);
            }
        }
        let held = pool.held.load(Relaxed);
        assert!(held <= 1 << 20, "{held}");
        assert!(Unsent::new(&pool).take(KIB, 0).is_some(), "one more gets an answer");
        assert!(pool.is_nearly_full() && hostile[0].is_overdue(5) && !hostile[0].is_overdue(4));
    }

    #[test]
    fn an_answer_larger_than_the_pool_is_sent_if_there_is_no_other() {
        let pool = pool("64 KiB", "64 KiB");
        let one = Unsent::new(&pool);
        let part = one.take(1 << 20, 0).expect("nothing else is held");
        assert!(Unsent::new(&pool).take(1, 0).is_none());
        one.give_back(1 << 20, part);
        assert!(Unsent::new(&pool).take(1, 0).is_some());
    }

    #[test]
    fn a_body_is_overdue_whatever_begins_and_ends_after_it() {
        let pool = pool("1 MiB", "1 MiB");
        let unsent = Unsent::new(&pool);
        // Four seconds are sixteen ticks, of which each is a part of the deadline.
        let first = unsent.take(1, 0).expect("space");
        for now in 1..17 {
            let other = unsent.take(1, now).expect("space");
            assert!(!unsent.is_overdue(now), "{now}");
            assert_eq!(unsent.oldest(now), Some(0));
            unsent.give_back(1, other);
        }
        assert!(unsent.is_overdue(17) && unsent.is_overdue(18));
        unsent.give_back(1, first);
        assert!(!unsent.is_overdue(18) && unsent.oldest(18).is_none());
        assert_eq!(pool.held.load(Relaxed), 0);
    }

    #[test]
    fn bytes_stuck_in_buffers_end_the_connection_if_there_is_no_space_for_them() {
        let pool = pool("64 KiB", "64 KiB");
        let (one, other) = (Unsent::new(&pool), Unsent::new(&pool));
        assert!(one.stuck(60 * KIB) && other.stuck(4 * KIB));
        assert!(!other.stuck(5 * KIB));
        assert!(other.stuck(0) && one.stuck(64 * KIB));
        one.stuck(0);
        assert_eq!(pool.held.load(Relaxed), 0);
    }
}
