//! Reads the levels of a request, and pages of the store.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;

use crate::applying;
use crate::cache::Known;
use crate::copy;
use crate::engine::checked::CheckedRows;
use crate::engine::{Bytes, Engine, Snapshot, Table};
use crate::format::Stored;
use crate::store::Backend;
use crate::{Levels, Revision, Store, StoreError, Unavailable, View};

impl Store {
    /// Reads all entries at the levels that apply to a request for `key`, most granular first (RES-2.5.10-4). They come from
    /// one snapshot, which contains every write that returned before, in any process.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of these entries is damaged, [`Unavailable::CopyIncomplete`], or an error if the store cannot be read.
    #[inline]
    pub fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let known = match (&self.cache, self.backend.last_commit()) {
            (Some(cache), Some(now)) => match cache.levels(key, now) {
                Ok(levels) => {
                    cache.count(false);
                    return Ok(levels);
                }
                Err(known) => {
                    cache.count(true);
                    known
                }
            },
            _ => None,
        };
        match &self.backend {
            Backend::Lmdb(lmdb) => {
                self.read_stored(&CheckedRows(&lmdb.raw().reading()?), key, known)
            }
            Backend::Other(engine) => self.read_stored(&*engine.snapshot()?, key, known),
        }
    }

    /// Reads all levels in one snapshot, decoding only entries that the cache does not hold at the same revision. `known` is
    /// the cached item of the key level.
    fn read_stored<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        key: &EntityKey,
        known: Option<Known>,
    ) -> Result<Levels, StoreError> {
        let key_level = key.key_level();
        let Family { stored, has_qualified, has_sets } = family(rows, key_level)?;
        let facts = self.facts(rows)?;
        if facts.is_incomplete {
            return Err(Unavailable::CopyIncomplete.into());
        }
        let repairs = facts.repairs;
        let mut company = Levels::new();
        if facts.has_companies
            && let Some((anchor, bytes)) = applying::company(rows, key)?
        {
            company = self.shared(rows, (&anchor, &bytes), repairs)?;
        }
        let whole = key.is_key_level().then_some(key);
        let bytes = stored.as_deref();
        let base = Read { level: key_level, whole, bytes, known, has_qualified, repairs };
        let base = self.entry(rows, base, company)?;
        if key.is_key_level() || !has_qualified {
            return Ok(base);
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key_level {
                levels.append(base.clone());
                continue;
            }
            let stored = rows.get(Table::Entries, level.as_bytes())?;
            let mut sets = Levels::new();
            if has_sets {
                for (anchor, bytes) in applying::sets(rows, &level)? {
                    sets.append(self.shared(rows, (&anchor, &bytes), repairs)?);
                }
            }
            let known = self.known(&level);
            let (bytes, whole) = (stored.as_deref(), (*level == *key.as_str()).then_some(key));
            let read = Read { level: &level, whole, bytes, known, has_qualified: false, repairs };
            levels.append(self.entry(rows, read, sets)?);
        }
        Ok(levels)
    }

    /// Returns what all reads of a snapshot share. It is kept until the next commit.
    fn facts<S: Snapshot + ?Sized>(&self, rows: &S) -> Result<Facts, StoreError> {
        let Some(at) = rows.commit() else { return self.read_facts(rows) };
        let known = self.facts.load(Ordering::Relaxed);
        if known >> Facts::BITS == at {
            return Ok(Facts::unpack(known));
        }
        let found = self.read_facts(rows)?;
        self.facts.store(at << Facts::BITS | found.pack(), Ordering::Relaxed);
        Ok(found)
    }

    fn read_facts<S: Snapshot + ?Sized>(&self, rows: &S) -> Result<Facts, StoreError> {
        let has_companies = applying::has_companies(rows)?;
        let Some(state) = copy::state(rows, self.location())? else {
            return Ok(Facts { has_companies, ..Facts::default() });
        };
        let repairs = u16::try_from(state.repairs & Facts::REPAIRS).unwrap_or(0);
        Ok(Facts { has_companies, is_incomplete: !state.is_complete(), repairs })
    }

    /// Returns an error if this is a copy that is not complete.
    fn refuse_incomplete(&self, view: &View<'_>) -> Result<(), StoreError> {
        let is_copy = self.is_copy.load(Ordering::Acquire);
        match is_copy && view.copy_state()?.is_some_and(|state| !state.is_complete()) {
            true => Err(Unavailable::CopyIncomplete.into()),
            false => Ok(()),
        }
    }

    /// Returns the entry of an anchor that applies to many levels, so that their items share one.
    fn shared<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        (anchor, bytes): (&str, &[u8]),
        repairs: u16,
    ) -> Result<Levels, StoreError> {
        let (known, bytes) = (self.known(anchor), Some(bytes));
        let read = Read { level: anchor, whole: None, bytes, known, has_qualified: false, repairs };
        self.entry(rows, read, Levels::new())
    }

    fn known(&self, level: &str) -> Option<Known> {
        self.cache.as_ref().and_then(|cache| cache.known(level))
    }

    /// Returns the entry of a level, from the known item if it has the same revision, and the entries that apply after it; marks
    /// the cached item as valid at this commit.
    fn entry<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        read: Read<'_>,
        after: Levels,
    ) -> Result<Levels, StoreError> {
        let Read { level, whole, bytes, known, has_qualified, repairs } = read;
        let stored = bytes.map(|bytes| Stored::parse(level, bytes)).transpose()?;
        let revision = stored.map(|stored| stored.revision).unwrap_or_default();
        let was_known = known.is_some();
        let entry = match (stored, known) {
            (None, _) => None,
            (Some(_), Some(Known { entry: Some(entry), revision: known, repairs: before, .. }))
                if (known, before) == (revision, repairs) =>
            {
                Some(entry)
            }
            (Some(stored), _) => Some(Arc::new(match whole {
                Some(key) => stored.decode_at(level, key.into())?,
                None => stored.decode(level)?,
            })),
        };
        if let (Some(cache), Some(at)) = (&self.cache, rows.commit()) {
            let (entry, after) = (entry.clone(), after.clone());
            let known = Known { entry, revision, repairs, has_qualified, after, at };
            if was_known {
                cache.renew(level, known);
            } else {
                cache.offer(level, known);
            }
        }
        Ok(after.with_first(entry))
    }

    /// Returns at most `limit` entries whose level begins with `prefix`, starting at the bound `from`, in the order of their
    /// canonical texts, each with the revision of its last change.
    ///
    /// To walk a store page by page, pass the last level of a page as [`Bound::Excluded`]; each page is a separate snapshot.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of these entries is damaged, or an error if the store cannot be read.
    pub fn scan(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        let page = self.view(|view| {
            self.refuse_incomplete(view)?;
            view.levels_from(from, prefix, limit)
        })?;
        Ok(page.into_iter().map(|(entry, revision)| (Arc::new(entry), revision)).collect())
    }

    /// Calls [`View::first_key`] on a new snapshot.
    ///
    /// # Errors
    ///
    /// The errors of [`View::first_key`].
    ///
    /// [`View::first_key`]: crate::View::first_key
    pub fn first_key(&self, prefix: &str) -> Result<Option<EntityKey>, StoreError> {
        self.view(|view| {
            self.refuse_incomplete(view)?;
            view.first_key(prefix)
        })
    }
}

/// What all reads of one commit share. Packed into the low bits of a number, below that of the commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Facts {
    /// Whether any record is attached to a company prefix.
    has_companies: bool,
    /// Whether the store is a copy that is not complete.
    is_incomplete: bool,
    /// How often a copy was repaired, modulo [`Facts::REPAIRS`] + 1.
    repairs: u16,
}

impl Facts {
    const REPAIRS: u64 = (1 << 14) - 1;
    const BITS: u32 = 16;

    fn pack(self) -> u64 {
        u64::from(self.has_companies)
            | u64::from(self.is_incomplete) << 1
            | u64::from(self.repairs) << 2
    }

    fn unpack(packed: u64) -> Self {
        let repairs = u16::try_from(packed >> 2 & Self::REPAIRS).unwrap_or(0);
        Self { has_companies: packed & 1 == 1, is_incomplete: packed & 2 == 2, repairs }
    }
}

/// The row of a level, as it is read.
struct Read<'r> {
    level: &'r str,
    /// The key of the request, if it is this level.
    whole: Option<&'r EntityKey>,
    bytes: Option<&'r [u8]>,
    known: Option<Known>,
    has_qualified: bool,
    repairs: u16,
}

/// The rows of a key.
struct Family<'r> {
    /// The row at the key level.
    stored: Option<Bytes<'r>>,
    /// Whether any row is below it.
    has_qualified: bool,
    /// Whether any of those is a set, such as any lot.
    has_sets: bool,
}

/// Reads the row at a key level and the one after it: usually one descent and one step. The sets of a key sort before its other
/// levels, so the row after it shows whether there are any.
fn family<'r, S: Snapshot + ?Sized>(
    rows: &'r S,
    key_level: &str,
) -> Result<Family<'r>, StoreError> {
    let (stored, next) = rows.at_and_after(Table::Entries, key_level.as_bytes())?;
    let below = |level: Option<&[u8]>| {
        let rest = level.and_then(|level| level.strip_prefix(key_level.as_bytes()));
        let mut rest = rest.unwrap_or_default().iter().copied();
        (rest.next(), rest.next())
    };
    let (separator, form) = match below(next.as_deref()) {
        // Longer values of the same key, such as `8004/0614141-1`, come before the levels below it.
        (Some(byte), _) if byte < b'/' => {
            let from = format!("{key_level}/");
            let (_, first) = rows.at_and_after(Table::Entries, from.as_bytes())?;
            below(first.as_deref())
        }
        found => found,
    };
    let has_qualified = separator == Some(b'/');
    let has_sets = has_qualified && form.is_some_and(|byte| !byte.is_ascii_digit());
    Ok(Family { stored, has_qualified, has_sets })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::Verdict;
    use crate::{Batch, StoreOptions};

    const DAMAGED: &str = "01/09506000134352";
    const SOUND: &str = "01/09506000134369";

    fn with_a_damaged_entry(dir: &Path, bytes: &[u8]) -> Store {
        let store = Store::open(dir, StoreOptions::default()).unwrap();
        store
            .engine()
            .write(&mut |rows| {
                rows.put(Table::Entries, DAMAGED.as_bytes(), bytes)?;
                Ok(Verdict::Keep)
            })
            .unwrap();
        store
    }

    #[test]
    fn a_damaged_entry_is_named_and_harms_no_other() {
        for bytes in [&b""[..], b"short", b"\x01\0\0\0\0\0\0\0\x01no entry at all"] {
            let dir = tempfile::tempdir().unwrap();
            let store = with_a_damaged_entry(dir.path(), bytes);
            let named = |error: StoreError| {
                assert!(
                    matches!(&error, StoreError::Corrupt { key, .. } if key == DAMAGED),
                    "{error:?}"
                );
                let text = error.to_string();
                assert!(
                    text.starts_with("the entry stored at `01/09506000134352` is damaged"),
                    "{text}"
                );
            };
            let level = EntityKey::parse(DAMAGED).unwrap();
            named(store.read(&level).unwrap_err());
            named(store.scan(Bound::Unbounded, "", 10).unwrap_err());
            named(store.for_each("", |_, _| Ok::<(), StoreError>(())).unwrap_err());
            assert!(store.read(&EntityKey::parse(SOUND).unwrap()).unwrap().is_empty());
            let mut batch = Batch::new();
            batch.delete(level.clone());
            store.write(&batch).unwrap();
            assert!(store.read(&level).unwrap().is_empty());
        }
    }
}
