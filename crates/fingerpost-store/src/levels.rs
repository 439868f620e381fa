//! The result of a read: the entries of the levels that apply to a request.

use std::ops::Deref;
use std::sync::Arc;

use fingerpost_resolver::Entry;

/// Entries of one request, most granular level first (RES-2.5.10-4), from one snapshot.
/// Dereferences to a slice.
///
/// Most requests match exactly one level, the key itself; this case needs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Levels(Repr);

#[derive(Clone, Debug, Default)]
enum Repr {
    #[default]
    None,
    One([Arc<Entry>; 1]),
    Many(Vec<Arc<Entry>>),
}

impl Levels {
    /// Creates a value without entries.
    pub const fn new() -> Self {
        Self(Repr::None)
    }

    /// Adds the entry of the next less granular level.
    pub fn push(&mut self, entry: Arc<Entry>) {
        self.0 = match std::mem::take(&mut self.0) {
            Repr::None => Repr::One([entry]),
            Repr::One([first]) => Repr::Many(vec![first, entry]),
            Repr::Many(mut entries) => {
                entries.push(entry);
                Repr::Many(entries)
            }
        };
    }
}

impl Deref for Levels {
    type Target = [Arc<Entry>];

    fn deref(&self) -> &[Arc<Entry>] {
        match &self.0 {
            Repr::None => &[],
            Repr::One(entries) => entries,
            Repr::Many(entries) => entries,
        }
    }
}

impl Extend<Arc<Entry>> for Levels {
    fn extend<I: IntoIterator<Item = Arc<Entry>>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.push(entry));
    }
}

impl FromIterator<Arc<Entry>> for Levels {
    fn from_iter<I: IntoIterator<Item = Arc<Entry>>>(entries: I) -> Self {
        let mut levels = Self::new();
        levels.extend(entries);
        levels
    }
}
