//! Turns: the slots of a piece of work, which it can release to others between its parts.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use super::{CALL_RETRY_AFTER, MAX_CALL_WAIT, Permits, Share, Slots, Work, too_many, wait};
use crate::limits::{BATCH_STEP, BRIEF_CALL, MAX_TURN, SHORT_TRANSACTION, TRANSACTION_REST};
use crate::problem::AdminProblem;

/// The slots of a piece of work, kept until it ends.
#[derive(Debug)]
pub(crate) struct Turn {
    slots: Arc<Slots>,
    shares: Vec<Arc<Share>>,
    work: Work,
    /// Slots of the shares for work in one transaction, which rest longest.
    exclusive: Permits,
    held: Held,
    begin: Instant,
}

#[derive(Debug, Default)]
struct Held {
    /// Slots for long work of the shares.
    long: Permits,
    /// Turns of the shares.
    turns: Permits,
    /// Slots that all callers share.
    shared: Permits,
}

/// Returns how long a share does no more work in one transaction after some that took a time.
/// Nobody else writes while it goes on, so one organisation makes others wait for less than a
/// hundredth of the time.
fn long_rest(took: Duration) -> Duration {
    took.saturating_sub(SHORT_TRANSACTION).saturating_mul(TRANSACTION_REST)
}

impl Turn {
    /// Waits for the slots of the shares in their order, for a short time, and then for those of
    /// all callers.
    pub(super) async fn begin(
        slots: Arc<Slots>,
        shares: Vec<Arc<Share>>,
        work: Work,
    ) -> Result<Self, AdminProblem> {
        let own = async {
            let mut exclusive = Permits::new();
            for share in shares.iter().filter(|_| work == Work::Exclusive) {
                exclusive.push(wait(&share.exclusive).await?);
            }
            Ok((exclusive, of_shares(&shares, work).await?))
        };
        let own = timeout(MAX_CALL_WAIT, own).await;
        let (exclusive, mut held) = own.unwrap_or_else(|_| Err(too_many(CALL_RETRY_AFTER)))?;
        slots.add_to(&mut held, work).await?;
        Ok(Self { slots, shares, work, exclusive, held, begin: Instant::now() })
    }

    /// Ends the work, for which its thread used some processor time. The shares rest as long as a
    /// call computed, and as long as long work took, which makes up for what it reads and writes.
    pub(crate) fn end(self, computed: Duration) {
        let took = self.begin.elapsed();
        self.end_after(took, computed);
    }

    pub(super) fn end_after(self, took: Duration, computed: Duration) {
        let Held { long, turns, shared } = self.held;
        drop(shared);
        if self.shares.is_empty() || (self.work == Work::Call && computed < BRIEF_CALL) {
            return;
        }
        if self.work == Work::Call {
            tokio::spawn(async move {
                sleep(computed).await;
                drop(turns);
            });
            return;
        }
        drop(turns);
        let exclusive = self.exclusive;
        tokio::spawn(async move {
            sleep(took).await;
            drop(long);
            sleep(long_rest(took)).await;
            drop(exclusive);
        });
    }

    /// Yields to others if this work has run for a while: releases the slots, rests, and waits for
    /// them again. Blocks.
    pub(crate) fn give_way(&mut self) -> Result<(), AdminProblem> {
        let took = self.begin.elapsed();
        if took < MAX_TURN {
            return Ok(());
        }
        self.held.turns.clear();
        self.held.shared.clear();
        if !self.held.long.is_empty() {
            thread::sleep(took);
            self.held.long.clear();
        }
        self.come_back()
    }

    /// Releases the slots while it does something long without them, such as waiting for a client.
    /// Blocks.
    pub(crate) fn aside<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, AdminProblem> {
        self.held = Held::default();
        let done = work();
        self.come_back()?;
        Ok(done)
    }

    /// Waits for the slots again.
    fn come_back(&mut self) -> Result<(), AdminProblem> {
        self.held = Handle::current().block_on(async {
            let mut held = of_shares(&self.shares, self.work).await?;
            self.slots.add_to(&mut held, self.work).await?;
            Ok::<_, AdminProblem>(held)
        })?;
        self.begin = Instant::now();
        Ok(())
    }
}

impl Slots {
    /// Waits for the slots that all callers share.
    async fn add_to(&self, held: &mut Held, work: Work) -> Result<(), AdminProblem> {
        if work != Work::Call {
            held.shared.push(wait(&self.long).await?);
        }
        held.shared.push(wait(&self.calls).await?);
        Ok(())
    }
}

/// Waits for the slots of shares. Waiting for one of long work takes no other.
async fn of_shares(shares: &[Arc<Share>], work: Work) -> Result<Held, AdminProblem> {
    let mut held = Held::default();
    if work != Work::Call {
        for share in shares {
            held.long.push(wait(&share.long).await?);
        }
    }
    for share in shares {
        held.turns.push(wait(&share.turns).await?);
    }
    Ok(held)
}

/// The rows of a batch. Reading them gives way to others.
#[derive(Debug)]
pub(crate) struct Paced<'a> {
    rest: &'a [u8],
    /// Number of bytes that can be read without giving way.
    step: usize,
    turn: &'a mut Turn,
}

impl<'a> Paced<'a> {
    pub(crate) fn new(rows: &'a [u8], turn: &'a mut Turn) -> Self {
        Self { rest: rows, step: BATCH_STEP, turn }
    }
}

impl BufRead for Paced<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.step == 0 {
            self.turn.give_way().map_err(|_| io::Error::other("the server stops"))?;
            self.step = BATCH_STEP;
        }
        Ok(&self.rest[..self.step.min(self.rest.len())])
    }

    fn consume(&mut self, amount: usize) {
        self.step -= amount;
        self.rest = &self.rest[amount..];
    }
}

impl Read for Paced<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}
