//! Reads the levels of a request, and pages of the store.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;

use crate::cache::Known;
use crate::engine::{Bytes, Snapshot, Table};
use crate::format::Stored;
use crate::store::Backend;
use crate::{Levels, Revision, Store, StoreError};

impl Store {
    /// Reads all entries at the levels that apply to a request for `key`, most granular first (RES-2.5.10-4). They come from
    /// one snapshot, which contains every write that returned before, in any process.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] if one of these entries is damaged, or an error if the store cannot be read.
    #[inline]
    pub fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let known = match (&self.cache, self.backend.last_commit()) {
            (Some(cache), Some(now)) => match cache.levels(key, now) {
                Ok(levels) => return Ok(levels),
                Err(known) => known,
            },
            _ => None,
        };
        match &self.backend {
            Backend::Lmdb(lmdb) => self.read_stored(&lmdb.reading()?, key, known),
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
        let (stored, has_qualified) = family(rows, key_level)?;
        let base = self.entry(rows, key_level, stored.as_deref(), known, has_qualified)?;
        if key.is_key_level() || !has_qualified {
            return Ok(base.into_iter().collect());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key_level {
                levels.extend(base.clone());
            } else {
                let stored = rows.get(Table::Entries, level.as_bytes())?;
                let known = self.cache.as_ref().and_then(|cache| cache.known(&level));
                levels.extend(self.entry(rows, &level, stored.as_deref(), known, false)?);
            }
        }
        Ok(levels)
    }

    /// Returns the entry of a level, from `known` if it has the same revision; marks the cached item as valid at this commit.
    fn entry<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        level: &str,
        bytes: Option<&[u8]>,
        known: Option<Known>,
        has_qualified: bool,
    ) -> Result<Option<Arc<Entry>>, StoreError> {
        let stored = bytes.map(|bytes| Stored::parse(level, bytes)).transpose()?;
        let revision = stored.map(|stored| stored.revision).unwrap_or_default();
        let was_known = known.is_some();
        let entry = match (stored, known) {
            (None, _) => None,
            (Some(_), Some(Known { entry: Some(entry), revision: known, .. }))
                if known == revision =>
            {
                Some(entry)
            }
            (Some(stored), _) => Some(Arc::new(stored.decode(level)?)),
        };
        if let (Some(cache), Some(at)) = (&self.cache, rows.commit()) {
            let known = Known { entry: entry.clone(), revision, has_qualified, at };
            if was_known {
                cache.renew(level, known);
            } else {
                cache.offer(level, known);
            }
        }
        Ok(entry)
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
        let page = self.view(|view| view.levels_from(from, prefix, limit))?;
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
        self.view(|view| view.first_key(prefix))
    }
}

/// Returns the row at a key level, and whether any row is below it: usually one descent and one step.
fn family<'r, S: Snapshot + ?Sized>(
    rows: &'r S,
    key_level: &str,
) -> Result<(Option<Bytes<'r>>, bool), StoreError> {
    let (stored, next) = match rows.first_two(Table::Entries, key_level.as_bytes())? {
        [Some((level, bytes)), next] if *level == *key_level.as_bytes() => (Some(bytes), next),
        [next, _] => (None, next),
    };
    let next = next.as_ref().and_then(|(level, _)| level.strip_prefix(key_level.as_bytes()));
    let has_qualified = match next.and_then(|rest| rest.first()).map(|byte| byte.cmp(&b'/')) {
        None | Some(Ordering::Greater) => false,
        Some(Ordering::Equal) => true,
        // Longer values of the same key, such as `8004/0614141-1`, come before the levels below it.
        Some(Ordering::Less) => {
            let below = format!("{key_level}/");
            let [first, _] = rows.first_two(Table::Entries, below.as_bytes())?;
            first.is_some_and(|(level, _)| level.starts_with(below.as_bytes()))
        }
    };
    Ok((stored, has_qualified))
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
