//! The slots for connections, in total and for each client network. When they are used up, the
//! connection that has been idle longest makes room, so that clients cannot block others by holding
//! connections that they do not use.
//!
//! The listeners of all workers share them. They are locked when a connection begins or ends, not
//! for a request.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::EVICTION_CANDIDATES;
use crate::limits::Limits;
use crate::meter::Connections;
use crate::network::{ClientNetwork, Network};
use crate::watch::{Watch, WatchOrder};

/// The connections of a listener, and how many there may be.
pub(crate) struct Slots {
    limit: usize,
    limits: Limits,
    /// Networks without a limit of their own, because many clients connect through them.
    exempt: Vec<Network>,
    taken: Mutex<Taken>,
    pressure: Pressure,
    /// The counts that were logged last.
    logged: Pressure,
}

/// What had to be done to new connections and for them.
#[derive(Debug, Default)]
struct Pressure {
    /// Connections closed because all slots were taken.
    evicted: AtomicU64,
    /// Connections closed because their network used all its slots.
    evicted_in_network: AtomicU64,
    /// New connections for which there was no slot.
    refused: AtomicU64,
}

#[derive(Default)]
struct Taken {
    next: u64,
    count: usize,
    by_network: HashMap<ClientNetwork, Group>,
    candidates: Candidates,
}

/// The connections of one client network.
#[derive(Default)]
struct Group {
    members: BTreeMap<u64, Arc<Watch>>,
    candidates: Candidates,
}

impl Slots {
    pub(crate) fn new(limits: &Limits, limit: usize, exempt: &[Network]) -> Self {
        Self {
            limit,
            limits: limits.clone(),
            exempt: exempt.to_vec(),
            taken: Mutex::default(),
            pressure: Pressure::default(),
            logged: Pressure::default(),
        }
    }

    /// Logs what had to be done for new connections, or to them.
    pub(crate) fn report(&self) {
        let since = |count: &AtomicU64, logged: &AtomicU64| {
            let now = count.load(Relaxed);
            now.saturating_sub(logged.fetch_max(now, Relaxed))
        };
        let (pressure, logged) = (&self.pressure, &self.logged);
        let evicted = since(&pressure.evicted, &logged.evicted);
        let evicted_in_network = since(&pressure.evicted_in_network, &logged.evicted_in_network);
        let refused = since(&pressure.refused, &logged.refused);
        if evicted + evicted_in_network + refused > 0 {
            let limit = self.limit;
            tracing::warn!(
                limit,
                evicted,
                evicted_in_network,
                refused,
                "the limit of connections was reached: idle connections were closed for new ones, or new ones refused"
            );
        }
    }

    /// Takes a slot for a connection, if necessary that of an idle connection, which is closed.
    /// Returns `None` if there is none.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr, watch: &Arc<Watch>) -> Option<Slot> {
        let limits = &self.limits;
        let network = ClientNetwork::of(peer, limits.ipv4_network, limits.ipv6_network);
        let is_exempt = self.exempt.iter().any(|exempt| exempt.contains(peer));
        let mut taken = self.taken();
        let held = taken.by_network.get(&network).map_or(0, |group| group.members.len());
        let evicted = if !is_exempt && held >= limits.max_connections_per_network.get() {
            Some((taken.oldest_in(network), &self.pressure.evicted_in_network))
        } else if taken.count >= self.limit {
            Some((taken.oldest(), &self.pressure.evicted))
        } else {
            None
        };
        if let Some((oldest, counter)) = evicted {
            let Some(oldest) = oldest else {
                self.pressure.refused.fetch_add(1, Relaxed);
                return None;
            };
            counter.fetch_add(1, Relaxed);
            taken.evict(oldest);
        }
        let id = taken.next;
        taken.next += 1;
        taken.count += 1;
        taken.by_network.entry(network).or_default().members.insert(id, Arc::clone(watch));
        Some(Slot { slots: Arc::clone(self), member: Member { network, id } })
    }

    /// Returns the number of connections, and what had to be done for them.
    pub(crate) fn reading(&self) -> Connections {
        let (open, accepted) = {
            let taken = self.taken();
            (taken.count, taken.next)
        };
        let count = |size| u64::try_from(size).unwrap_or(u64::MAX);
        let Pressure { evicted, evicted_in_network, refused } = &self.pressure;
        Connections {
            open: count(open),
            limit: count(self.limit),
            accepted,
            refused: refused.load(Relaxed),
            evicted: evicted.load(Relaxed),
            evicted_in_network: evicted_in_network.load(Relaxed),
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Returns the connection to close for a new one.
    fn oldest(&mut self) -> Option<Member> {
        let Self { by_network, candidates, .. } = self;
        let current = |member: &Member| {
            by_network.get(&member.network)?.members.get(&member.id)?.idle_since()
        };
        candidates.next(current).or_else(|| {
            let all = by_network.iter();
            candidates.refill(all.flat_map(|(network, group)| idle(&group.members, *network)));
            candidates.next(current)
        })
    }

    /// Returns the connection of a network to close for a new one of it.
    fn oldest_in(&mut self, network: ClientNetwork) -> Option<Member> {
        let Group { members, candidates } = self.by_network.get_mut(&network)?;
        let current = |member: &Member| members.get(&member.id)?.idle_since();
        candidates.next(current).or_else(|| {
            candidates.refill(idle(members, network));
            candidates.next(current)
        })
    }

    fn evict(&mut self, member: Member) {
        if let Some(watch) = self.remove(member) {
            watch.give(WatchOrder::End);
        }
    }

    fn remove(&mut self, member: Member) -> Option<Arc<Watch>> {
        let removed = self.by_network.get_mut(&member.network)?.members.remove(&member.id)?;
        self.count -= 1;
        if self.by_network.get(&member.network).is_some_and(|group| group.members.is_empty()) {
            self.by_network.remove(&member.network);
        }
        Some(removed)
    }
}

fn idle(
    members: &BTreeMap<u64, Arc<Watch>>,
    network: ClientNetwork,
) -> impl Iterator<Item = (u32, Member)> {
    members
        .iter()
        .filter_map(move |(&id, watch)| Some((watch.idle_since()?, Member { id, network })))
}

/// A connection that has a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    id: u64,
    network: ClientNetwork,
}

/// The connections that are to be closed next, the last one first, each with the tick since which
/// it has been idle.
#[derive(Debug, Default)]
struct Candidates(Vec<(u32, Member)>);

impl Candidates {
    /// Takes the next candidate for which nothing has changed. The others were younger than all
    /// candidates, and have not grown older.
    fn next(&mut self, current: impl Fn(&Member) -> Option<u32>) -> Option<Member> {
        while let Some((since, member)) = self.0.pop() {
            if current(&member) == Some(since) {
                return Some(member);
            }
        }
        None
    }

    fn refill(&mut self, all: impl Iterator<Item = (u32, Member)>) {
        self.0 = all.collect();
        if self.0.len() > EVICTION_CANDIDATES {
            self.0.select_nth_unstable(EVICTION_CANDIDATES - 1);
            self.0.truncate(EVICTION_CANDIDATES);
        }
        self.0.sort_unstable_by(|one, other| other.cmp(one));
        self.0.shrink_to_fit();
    }
}

/// A slot that a connection occupies; dropping it releases it.
pub(crate) struct Slot {
    slots: Arc<Slots>,
    member: Member,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken().remove(self.member);
    }
}
