//! Admission: how much of the server one caller and one organisation can take.
//!
//! Calls of the registry share slots. A caller with rights in organisations only has a share of
//! them, and so has each of these organisations: a few *turns*, in which all its work is done,
//! whatever it is. Long work (lists, batches) has one of these turns at a time, rests as long as it
//! took, and gives its slots to others between its parts ([`Turn`]). So an organisation keeps about
//! one core busy, and never a slot that others need. Requests in progress with their bodies, and
//! requests per second, are limited as well. A request beyond its share is refused with 429, or
//! waits for its own organisation. Callers with a right in the whole installation have no share:
//! they are trusted.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use fingerpost_registry::Id;
use governor::clock::{Clock, DefaultClock};
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::config::AdminOptions;
use crate::limits::{
    CALL_RETRY_AFTER, MAX_BATCH_MEMORY, MAX_BATCHES, MAX_BATCHES_OF_CALLER, MAX_CALL_WAIT,
    MAX_CALLS, MAX_LONG_CALLS, MAX_REQUESTS_PER_CALL, RATE_BUCKETS, RATE_BURST,
};
use crate::problem::AdminProblem;

mod transfers;
mod turn;

pub(crate) use turn::{Paced, Turn};

use transfers::Transfers;

type Limiter = RateLimiter<u64, HashMapStateStore<u64>, DefaultClock>;

/// Permits of semaphores.
type Permits = Vec<OwnedSemaphorePermit>;

tokio::task_local! {
    /// The shares of the caller of the request that this task answers.
    static SHARES: Vec<Arc<Share>>;
}

/// The kind of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A call of the registry.
    Call,
    /// A list, a batch, or a verification.
    Long,
    /// Long work in one transaction, which blocks all other writers.
    Exclusive,
}

/// The slots that all callers share, and the shares in use.
pub(crate) struct Admission {
    slots: Arc<Slots>,
    batches: Arc<Semaphore>,
    bodies: Arc<Semaphore>,
    transfers: Transfers,
    shares: Mutex<HashMap<String, Weak<Share>>>,
    caller: Terms,
    organisation: Terms,
    hasher: RandomState,
    clock: DefaultClock,
}

/// The slots in which work runs.
#[derive(Debug)]
struct Slots {
    calls: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

/// The semaphores of a share.
struct Terms {
    calls: usize,
    rate: Limiter,
}

/// The part of the slots that one caller or one organisation can take.
#[derive(Debug)]
struct Share {
    requests: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    long: Arc<Semaphore>,
    exclusive: Arc<Semaphore>,
    arriving: Arc<Semaphore>,
    batches: Arc<Semaphore>,
    imports: Arc<Semaphore>,
    exports: Arc<Semaphore>,
}

impl Admission {
    pub(crate) fn new(options: &AdminOptions) -> Self {
        Self {
            slots: Arc::new(Slots { calls: semaphore(MAX_CALLS), long: semaphore(MAX_LONG_CALLS) }),
            batches: semaphore(MAX_BATCHES),
            bodies: semaphore(MAX_BATCH_MEMORY >> 10),
            transfers: Transfers::new(),
            shares: Mutex::default(),
            caller: Terms::new(options.caller_calls.get(), options.caller_rate.get()),
            organisation: Terms::new(
                options.organisation_calls.get(),
                options.organisation_rate.get(),
            ),
            hasher: RandomState::new(),
            clock: DefaultClock::default(),
        }
    }

    /// Answers a request of a caller, by the text of its actor, within its shares. `organisations`
    /// are those in which the caller has rights; `None` for a caller with a right in the whole
    /// installation.
    pub(crate) async fn admit<T>(
        &self,
        caller: String,
        organisations: Option<Vec<Id>>,
        answer: impl Future<Output = T>,
    ) -> Result<T, AdminProblem> {
        let Some(organisations) = organisations else { return Ok(answer.await) };
        let mut shares = vec![self.share(&caller, &self.caller)?];
        for id in &organisations {
            shares.push(self.share(id.as_str(), &self.organisation)?);
        }
        let requests = shares.iter().map(|share| now(&share.requests));
        let _requests = requests.collect::<Result<Permits, _>>()?;
        Ok(SHARES.scope(shares, answer).await)
    }

    /// Returns the share of a name, after counting a request against its rate.
    fn share(&self, name: &str, terms: &Terms) -> Result<Arc<Share>, AdminProblem> {
        let bucket = self.hasher.hash_one(name) % RATE_BUCKETS;
        if let Err(until) = terms.rate.check_key(&bucket) {
            return Err(too_many(until.wait_time_from(self.clock.now())));
        }
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(name).and_then(Weak::upgrade) {
            return Ok(share);
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Share::new(terms.calls));
        shares.insert(name.to_owned(), Arc::downgrade(&share));
        Ok(share)
    }

    /// Returns a turn for a piece of work of the request that this task answers. It waits for its
    /// shares first, so that waiting for others of the same organisation takes no shared slot.
    pub(crate) async fn turn(&self, work: Work) -> Result<Turn, AdminProblem> {
        Turn::begin(Arc::clone(&self.slots), shares(), work).await
    }

    /// Returns how many slots are in use, and how many there are: of calls, long work, batches,
    /// imports and exports.
    pub(crate) fn slots(&self) -> [(&'static str, usize, usize); 5] {
        let used = |name, slots: &Semaphore, all: usize| {
            (name, all.saturating_sub(slots.available_permits()), all)
        };
        let [imports, exports] = self.transfers.slots();
        [
            used("call", &self.slots.calls, MAX_CALLS),
            used("long", &self.slots.long, MAX_LONG_CALLS),
            used("batch", &self.batches, MAX_BATCHES),
            imports,
            exports,
        ]
    }

    /// Returns the slots of a batch that begins to arrive; shared ones are taken when it has
    /// arrived.
    pub(crate) fn arrive() -> Result<Permits, AdminProblem> {
        shares().iter().map(|share| now(&share.arriving)).collect()
    }

    /// Returns the slots of a batch in progress, while it runs by turns.
    pub(crate) async fn batch(&self) -> Result<Permits, AdminProblem> {
        let mut held = Permits::new();
        for share in shares() {
            held.push(soon(&share.batches).await?);
        }
        held.push(wait(&self.batches).await?);
        Ok(held)
    }

    /// Returns room for some more bytes of a batch.
    pub(crate) fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, AdminProblem> {
        let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        Arc::clone(&self.bodies).try_acquire_many_owned(kib).map_err(|_| {
            let detail = "the server has too many batches in progress; try again later";
            AdminProblem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail)
                .retry_after(CALL_RETRY_AFTER)
        })
    }
}

impl Terms {
    fn new(calls: usize, rate: usize) -> Self {
        let rate = u32::try_from(rate).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MAX);
        let quota = Quota::per_second(rate).allow_burst(rate.saturating_mul(RATE_BURST));
        Self { calls, rate: RateLimiter::hashmap(quota) }
    }
}

impl Share {
    fn new(calls: usize) -> Self {
        Self {
            requests: semaphore(calls * MAX_REQUESTS_PER_CALL),
            turns: semaphore(calls),
            long: semaphore(1),
            exclusive: semaphore(1),
            arriving: semaphore(MAX_BATCHES_OF_CALLER),
            batches: semaphore(1),
            imports: semaphore(1),
            exports: semaphore(1),
        }
    }
}

fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits))
}

/// Returns the shares of the request that this task answers; none for a caller without, and for the
/// server itself.
fn shares() -> Vec<Arc<Share>> {
    SHARES.try_with(Clone::clone).unwrap_or_default()
}

/// Takes a slot now.
fn now(slots: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, AdminProblem> {
    Arc::clone(slots).try_acquire_owned().map_err(|_| too_many(CALL_RETRY_AFTER))
}

/// Waits a short time for a slot of a share.
async fn soon(slots: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, AdminProblem> {
    timeout(MAX_CALL_WAIT, wait(slots)).await.unwrap_or_else(|_| Err(too_many(CALL_RETRY_AFTER)))
}

/// Waits for a slot of a semaphore, which is never closed.
async fn wait(slots: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, AdminProblem> {
    Arc::clone(slots).acquire_owned().await.map_err(|_| AdminProblem::internal())
}

fn too_many(retry_after: Duration) -> AdminProblem {
    let detail = "too many requests in progress or per second for you or your organisation; try again after the seconds in Retry-After";
    AdminProblem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", detail)
        .retry_after(retry_after)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::io::BufRead;
    use std::task::{Context, Poll, Waker};

    use axum::response::IntoResponse;

    use super::*;
    use crate::limits::BRIEF_CALL;

    fn admission() -> Admission {
        Admission::new(&AdminOptions::default())
    }

    fn caller() -> String {
        "key:test".to_owned()
    }

    #[tokio::test]
    async fn an_organisation_takes_its_share_of_the_slots_and_no_more() {
        let admission = admission();
        let (hostile, other) = (Id::random(), Id::random());
        let mut held = Vec::new();
        let flood = admission.admit(caller(), Some(vec![hostile]), async {
            while let Ok(Ok(slots)) = timeout(Duration::ZERO, admission.turn(Work::Call)).await {
                held.push(slots);
            }
        });
        flood.await.expect("admitted");
        assert!(!held.is_empty() && held.len() <= MAX_CALLS / 4, "{} slots", held.len());
        for work in [Work::Call, Work::Long, Work::Exclusive] {
            let caller = "key:other".to_owned();
            let slot = admission.admit(caller, Some(vec![other]), admission.turn(work));
            assert!(timeout(Duration::from_secs(5), slot).await.expect("at once").is_ok());
        }
    }

    #[tokio::test]
    async fn a_batch_that_arrives_holds_no_shared_slot() {
        let admission = admission();
        let organisation = Id::random();
        let arriving = admission.admit(caller(), Some(vec![organisation]), async {
            let slots: Vec<_> =
                (0..MAX_BATCHES_OF_CALLER).map(|_| Admission::arrive().expect("a slot")).collect();
            assert!(Admission::arrive().is_err(), "one organisation sends few at a time");
            slots
        });
        let _held = arriving.await.expect("admitted");
        assert_eq!(admission.batches.available_permits(), MAX_BATCHES);
        assert_eq!(admission.slots.calls.available_permits(), MAX_CALLS);
    }

    #[tokio::test]
    async fn one_piece_of_long_work_of_an_organisation_runs_at_a_time() {
        let admission = admission();
        let organisation = Id::random();
        for (first, second) in [(Work::Long, Work::Exclusive), (Work::Exclusive, Work::Long)] {
            let both = admission.admit(caller(), Some(vec![organisation]), async {
                let first = admission.turn(first).await.expect("a slot");
                let waits = timeout(Duration::ZERO, admission.turn(second)).await.is_err();
                assert!(waits, "{first:?}");
                let call = timeout(Duration::from_secs(30), admission.turn(Work::Call)).await;
                assert!(call.is_ok(), "short calls are served");
                first
            });
            drop(both.await.expect("admitted"));
        }
    }

    #[tokio::test]
    async fn a_call_that_computes_much_rests_as_long() {
        let admission = admission();
        let organisation = Id::random();
        let waits = admission.admit(caller(), Some(vec![organisation]), async {
            for _ in 0..admission.organisation.calls {
                let call = admission.turn(Work::Call).await.expect("a turn");
                call.end_after(Duration::ZERO, Duration::from_secs(60));
            }
            timeout(Duration::ZERO, admission.turn(Work::Call)).await.is_err()
        });
        assert!(waits.await.expect("admitted"), "both turns rest");
        let brief = admission.admit("key:other".into(), Some(vec![Id::random()]), async {
            for _ in 0..10 * admission.organisation.calls {
                let call = admission.turn(Work::Call).await.expect("a turn");
                call.end_after(Duration::from_secs(60), BRIEF_CALL / 2);
            }
        });
        brief.await.expect("calls that wait for the disk do not rest");
    }

    #[tokio::test]
    async fn work_in_one_transaction_rests_long_and_alone() {
        let admission = admission();
        let organisation = Id::random();
        let after = admission.admit(caller(), Some(vec![organisation]), async {
            let first = admission.turn(Work::Exclusive).await.expect("a slot");
            first.end_after(Duration::from_millis(200), Duration::ZERO);
            let list = timeout(Duration::from_secs(30), admission.turn(Work::Long)).await;
            drop(list.expect("a list after as long a rest").expect("a slot"));
            timeout(Duration::ZERO, admission.turn(Work::Exclusive)).await.is_err()
        });
        assert!(after.await.expect("admitted"), "nobody else writes during such work");
    }

    #[tokio::test]
    async fn a_batch_gives_way_to_a_list_of_its_organisation() {
        let admission = Arc::new(admission());
        let organisation = Some(vec![Id::random()]);
        let shared = Arc::clone(&admission);
        let read = admission.admit(caller(), organisation, async {
            let mut turn = shared.turn(Work::Long).await.expect("a slot");
            let list = {
                let mut list = Box::pin(shared.turn(Work::Long));
                assert!(timeout(Duration::ZERO, &mut list).await.is_err(), "the batch runs");
                list
            };
            let (begun, begins) = std::sync::mpsc::channel();
            let batch = tokio::task::spawn_blocking(move || {
                let rows = vec![b'\n'; 1 << 20];
                let mut rows = Paced::new(&rows, &mut turn);
                let mut read = 0;
                while let Ok([_, ..]) = rows.fill_buf() {
                    rows.consume(1);
                    read += 1;
                    if read == 1 {
                        std::thread::sleep(Duration::from_millis(20)); // a part takes a while
                    }
                }
                begun.send(()).expect("the test waits");
                read
            });
            let list = timeout(Duration::from_secs(30), list).await.expect("the batch gives way");
            assert!(begins.try_recv().is_err(), "and waits until the list has ended");
            list.expect("a slot").end(Duration::ZERO);
            batch.await.expect("the batch")
        });
        assert_eq!(read.await.expect("admitted"), 1 << 20);
    }

    #[tokio::test]
    async fn requests_in_progress_beyond_the_share_are_refused() {
        let admission = admission();
        let organisation = Some(vec![Id::random()]);
        let mut open = Vec::new();
        let mut context = Context::from_waker(Waker::noop());
        let refused = loop {
            let request = admission.admit(caller(), organisation.clone(), pending::<()>());
            let mut request = Box::pin(request);
            match request.as_mut().poll(&mut context) {
                Poll::Ready(refused) => break refused,
                Poll::Pending => open.push(request),
            }
        };
        assert!(refused.is_err());
        assert_eq!(open.len(), admission.caller.calls * MAX_REQUESTS_PER_CALL);
        // Callers with a right in the whole installation are not limited.
        assert!(admission.admit(caller(), None, ready(())).await.is_ok());
        drop(open);
        assert!(admission.admit(caller(), organisation, ready(())).await.is_ok());
    }

    #[tokio::test]
    async fn requests_beyond_the_rate_are_refused_with_the_time_to_wait() {
        let admission = admission();
        let mut answered = 0;
        let refused = loop {
            match admission.admit(caller(), Some(vec![Id::random()]), ready(())).await {
                Ok(()) => answered += 1,
                Err(refused) => break refused,
            }
        };
        let rate = AdminOptions::default().caller_rate.get();
        assert!(answered >= rate, "{answered} requests");
        let response = refused.into_response();
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert!(response.headers().contains_key("retry-after"));
    }

    #[tokio::test]
    async fn callers_of_an_organisation_share_its_rate() {
        let admission = admission();
        let organisation = Some(vec![Id::random()]);
        let mut answered = 0;
        // Each of these callers alone would get half as much.
        for caller in ["key:a", "key:b", "key:c"].into_iter().cycle() {
            let admitted =
                admission.admit(caller.to_owned(), organisation.clone(), ready(())).await;
            if admitted.is_err() {
                break;
            }
            answered += 1;
        }
        let most = AdminOptions::default().organisation_rate.get() * 5;
        assert!((most..most * 14 / 10).contains(&answered), "{answered} requests");
    }
}
