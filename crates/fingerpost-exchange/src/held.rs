//! Records that the store holds already, which need not be sorted and written.
//!
//! The threads that check records look them up. A few of each chunk show whether it is worth to
//! look for the others, so that a load of new records is not slower.

use std::hash::{DefaultHasher, Hash, Hasher};

use fingerpost_registry::{Caller, Registry};

use crate::frame::{Frame, Frames};

/// One of so many records of a chunk is looked up first.
const SAMPLE: usize = 16;

/// Bits of the anchors of records that are sorted.
const BITS: usize = 64 << 20;

/// Looks for records in the store; returns for each one whether it holds exactly this record, or
/// nothing if it holds none. A fault is found again, and reported, when the record is written.
pub(crate) fn find_held(registry: &Registry, caller: &Caller, records: &Frames) -> Vec<bool> {
    let look_for = |step: usize| {
        let frames = records.iter().step_by(step);
        let entries: Vec<_> = frames.map(|frame| (frame.key(), frame.value())).collect();
        registry.holds(caller, &entries).unwrap_or_default()
    };
    match look_for(SAMPLE).contains(&true) {
        true => look_for(1),
        false => Vec::new(),
    }
}

/// The anchors of the records that are sorted, so that a later record for one of them is not left
/// out because the store holds it: it replaces the earlier one. A few others may seem to be among
/// them.
#[derive(Debug, Default)]
pub(crate) struct Sorted(Vec<u64>);

impl Sorted {
    /// Adds the anchor of a record.
    pub(crate) fn add(&mut self, record: Frame<'_>) {
        if self.0.is_empty() {
            self.0 = vec![0; BITS / u64::BITS as usize];
        }
        for (word, bit) in places(record) {
            self.0[word] |= bit;
        }
    }

    /// Returns whether the anchor of a record may have been added.
    pub(crate) fn may_have(&self, record: Frame<'_>) -> bool {
        !self.0.is_empty() && places(record).into_iter().all(|(word, bit)| self.0[word] & bit != 0)
    }
}

/// Returns the two bits of an anchor.
fn places(record: Frame<'_>) -> [(usize, u64); 2] {
    let mut hasher = DefaultHasher::new();
    record.key().hash(&mut hasher);
    let hash = hasher.finish();
    [hash, hash >> 32].map(|hash| {
        let bit = hash as usize % BITS;
        (bit / u64::BITS as usize, 1 << (bit % u64::BITS as usize))
    })
}
