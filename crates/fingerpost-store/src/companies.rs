//! The company prefixes that have records, as of one commit, in memory.
//!
//! A search for the company prefix of a key in the store costs as much as half of a redirect. After
//! each commit, every request that needs one also reads some of the company prefixes, so that a
//! store with many of them and few commits soon needs no search, and one with many commits pays
//! little for what it never uses.

use std::ops::Bound;
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwapOption;
use fingerpost_engine::{Rows, Table, borrowed, end_of};
use fingerpost_resolver::{Anchor, Beginnings, Digits};

use crate::StoreError;
use crate::limits::{MAX_COMPANIES_IN_MEMORY, READ_COMPANIES};

/// The company prefixes of a commit.
#[derive(Debug, Default)]
pub(crate) struct Companies {
    whole: ArcSwapOption<Known>,
    reading: Mutex<Known>,
}

/// The company prefixes that were read of a commit.
#[derive(Debug, Default)]
struct Known {
    commit: u64,
    prefixes: Beginnings<Digits, ()>,
    /// The key of the last one.
    last: Vec<u8>,
}

impl Companies {
    /// Returns the number of digits of the longest company prefix with a record with which `text`
    /// begins, 0 if there is none; `None` while not all company prefixes of the commit were read.
    #[inline]
    pub(crate) fn longest(&self, commit: u64, text: &str) -> Option<usize> {
        let known = self.whole.load();
        let known = known.as_ref().filter(|known| known.commit == commit)?;
        let longest = known.prefixes.of(&Digits::of(text)).next().map_or(0, |(own, ())| own.len());
        Some(longest)
    }

    /// Reads some of the company prefixes of a commit, if no other thread does so.
    pub(crate) fn read_some<R: Rows + ?Sized>(
        &self,
        rows: &R,
        commit: u64,
    ) -> Result<(), StoreError> {
        let Ok(mut known) = self.reading.try_lock() else { return Ok(()) };
        if known.commit < commit {
            let last = format!("{}/", Anchor::COMPANY_PREFIX).into_bytes();
            *known = Known { commit, last, ..Known::default() };
        }
        // What a request of an earlier commit reads would be of no use to a later one.
        if known.commit > commit || known.prefixes.len() >= MAX_COMPANIES_IN_MEMORY {
            return Ok(());
        }
        let end = end_of(format!("{}/", Anchor::COMPANY_PREFIX).as_bytes());
        let from = known.last.clone();
        let mut keys = rows.keys(Table::Entries, (Bound::Excluded(&from), borrowed(&end)))?;
        for _ in 0..READ_COMPANIES {
            let Some((key, _)) = keys.next().transpose()? else {
                self.whole.store(Some(Arc::new(std::mem::take(&mut *known))));
                return Ok(());
            };
            if let Ok(digits) = std::str::from_utf8(&key[Anchor::COMPANY_PREFIX.len() + 1..]) {
                known.prefixes.push(Digits::of(digits), ());
            }
            known.last = key.into_owned();
        }
        Ok(())
    }
}
