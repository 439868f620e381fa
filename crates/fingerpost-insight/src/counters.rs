//! Counts in memory. Each thread has a part of its own, so that threads do not wait for each other;
//! a scan of a known counter allocates nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bots::is_bot;
use crate::facets::{Facets, counted_level};
use crate::keyed_hash::KeyedHash;
use crate::limits::{COUNTER_PARTS, MAX_COUNTERS, MAX_PENDING, REMEMBERED_AGENTS};
use crate::scan::AnsweredScan;
use crate::table::{Key, Table};

/// The counters of a process.
#[derive(Debug)]
pub struct Counters {
    parts: [Part; COUNTER_PARTS],
    hash: KeyedHash,
    /// The counters of all parts.
    used: AtomicUsize,
    uncounted: AtomicU64,
}

/// The counters of some threads, alone on lines of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Part(Mutex<Local>);

#[derive(Debug)]
struct Local {
    table: Table,
    /// Hashes of user agents, and whether they are programs.
    agents: [(u64, bool); REMEMBERED_AGENTS],
}

impl Default for Local {
    fn default() -> Self {
        let agents = [(0, false); REMEMBERED_AGENTS];
        Self { table: Table::default(), agents }
    }
}

/// Counts that are not written yet, by level and hour since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub(crate) counts: BTreeMap<(String, u32), BTreeMap<Facets, u64>>,
    counters: usize,
}

thread_local! {
    static PART: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Relaxed) % COUNTER_PARTS
    };
}

impl Default for Counters {
    fn default() -> Self {
        Self::new()
    }
}

impl Counters {
    /// Creates counters, all at zero.
    pub fn new() -> Self {
        let parts = std::array::from_fn(|_| Part::default());
        let hash = KeyedHash::default();
        Self { parts, hash, used: AtomicUsize::new(0), uncounted: AtomicU64::new(0) }
    }

    /// Counts a scan.
    pub fn count(&self, scan: &AnsweredScan<'_>) {
        let Some(level) = counted_level(scan.level) else { return };
        let agent = (!scan.user_agent.is_empty()).then(|| self.hash.of(scan.user_agent));
        let part = &self.parts[PART.with(|part| *part)];
        let local = &mut *part.lock();
        let bot = agent.is_none_or(|agent| local.is_bot(agent, scan.user_agent));
        let key = Key::new(scan, level, bot);
        let hash = key.hash(&self.hash);
        if local.table.count(hash, &key) {
            return;
        }
        if self.used.fetch_add(1, Relaxed) < MAX_COUNTERS {
            local.table.insert(hash, key, scan.link_type);
        } else {
            self.used.fetch_sub(1, Relaxed);
            self.uncounted.fetch_add(1, Relaxed);
        }
    }

    /// Moves all counts to `pending`, unless that has too many already.
    pub fn drain(&self, pending: &mut Pending) {
        for part in &self.parts {
            if pending.counters >= MAX_PENDING {
                return;
            }
            let table = std::mem::take(&mut part.lock().table);
            self.used.fetch_sub(table.len(), Relaxed);
            for (level, hour, facets, count) in table.iter() {
                pending.add(level, hour, facets, count);
            }
        }
    }

    /// Returns the number of counters in memory.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed) as u64
    }

    /// Returns the number of scans since the start for which there was no counter left.
    pub fn uncounted(&self) -> u64 {
        self.uncounted.load(Relaxed)
    }
}

impl Part {
    /// A panic cannot leave the counts inconsistent.
    fn lock(&self) -> MutexGuard<'_, Local> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Local {
    /// Returns whether a user agent is that of a program. Comparing it with the list takes longer
    /// than the answer itself.
    fn is_bot(&mut self, hash: u64, agent: &[u8]) -> bool {
        let remembered = &mut self.agents[hash as usize % REMEMBERED_AGENTS];
        if remembered.0 != hash {
            *remembered = (hash, is_bot(agent));
        }
        remembered.1
    }
}

impl Pending {
    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the sum of all counts.
    pub fn scans(&self) -> u64 {
        self.counts.values().flat_map(BTreeMap::values).sum()
    }

    fn add(&mut self, level: &str, hour: u32, facets: Facets, count: u64) {
        let counters = self.counts.entry((level.to_owned(), hour)).or_default();
        let before = counters.len();
        *counters.entry(facets).or_default() += count;
        self.counters += counters.len() - before;
    }

    /// Removes what was written.
    pub(crate) fn remove(&mut self, written: &(String, u32)) {
        let counters = self.counts.remove(written);
        self.counters -= counters.map_or(0, |counters| counters.len());
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use jiff::Timestamp;

    use super::*;
    use crate::{AnswerKind, LinkType};

    const PHONE: &[u8] = b"Mozilla/5.0 (iPhone) Safari/604.1";

    fn scan(level: &str) -> AnsweredScan<'_> {
        AnsweredScan {
            level,
            kind: AnswerKind::Redirect,
            link_type: Some(LinkType::Term("https://gs1.org/voc/pip")),
            language: Some("en"),
            country: "BE".parse().ok(),
            user_agent: PHONE,
            at: Timestamp::from_second(3600 * 10 + 59).unwrap(),
        }
    }

    fn drained(counters: &Counters) -> Pending {
        let mut pending = Pending::default();
        counters.drain(&mut pending);
        pending
    }

    /// 35.2: counters by key level, link type, kind of answer, language, country and hour; bots
    /// apart.
    #[test]
    fn scans_of_all_threads_are_added_up_by_what_is_known() {
        let counters = Counters::new();
        let level = "01/09506000134352";
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..100).for_each(|_| counters.count(&scan(level))));
            }
        });
        counters.count(&AnsweredScan { user_agent: b"curl/8", ..scan(level) });
        counters.count(&AnsweredScan {
            kind: AnswerKind::Linkset,
            link_type: None,
            language: None,
            ..scan(level)
        });
        assert_eq!(counters.used(), 6);
        let pending = drained(&counters);
        let found = &pending.counts[&(level.to_owned(), 10)];
        let facets = Facets {
            kind: AnswerKind::Redirect,
            link_type: Some("https://gs1.org/voc/pip".to_owned()),
            language: Some("en".to_owned()),
            country: "BE".parse().ok(),
            bot: false,
        };
        assert_eq!(found[&facets], 400);
        assert_eq!(found[&Facets { bot: true, ..facets.clone() }], 1);
        let linkset =
            Facets { kind: AnswerKind::Linkset, link_type: None, language: None, ..facets };
        assert_eq!(found[&linkset], 1);
        assert_eq!((pending.scans(), pending.counters, counters.used()), (402, 3, 0));
        assert!(drained(&counters).is_empty());
    }

    /// 35.5: the number of counters is bounded; what exceeds it is counted together.
    #[test]
    fn counters_are_bounded() {
        let counters = Counters::new();
        for number in 0..MAX_COUNTERS + 7 {
            counters.count(&scan(&format!("01/{number:014}")));
        }
        assert_eq!((counters.used(), counters.uncounted()), (MAX_COUNTERS as u64, 7));
        counters.count(&scan("01/00000000000000")); // a known one is still counted
        let mut pending = drained(&counters);
        assert_eq!(pending.scans(), MAX_COUNTERS as u64 + 1);
        assert_eq!(counters.used(), 0);
        // While nothing can be written, at most some more wait.
        for round in 1..6 {
            for number in 0..MAX_COUNTERS {
                counters.count(&scan(&format!("01/{:014}", round * MAX_COUNTERS + number)));
            }
            counters.drain(&mut pending);
        }
        assert!(pending.counters <= MAX_PENDING + MAX_COUNTERS, "{}", pending.counters);
        assert!(counters.uncounted() > 7);
    }
}
