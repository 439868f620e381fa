//! Reading the levels of a request, and pages of the store.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use heed::{AnyTls, RoTxn};

use crate::cache::Known;
use crate::format::Stored;
use crate::{Levels, Revision, Store, StoreError};

impl Store {
    /// See [`crate::LinkStore::read`].
    #[inline]
    pub(crate) fn read_levels(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let known = match &self.cache {
            Some(cache) => match cache.levels(key, self.environment.last_transaction()) {
                Ok(levels) => return Ok(levels),
                Err(known) => known,
            },
            None => None,
        };
        self.read_stored(key, known)
    }

    /// Reads all levels in one transaction, decoding only what the cache does not hold at the same revision.
    /// `known` is what it holds of the key level.
    fn read_stored(&self, key: &EntityKey, known: Option<Known>) -> Result<Levels, StoreError> {
        let txn = self.environment.read()?;
        self.environment.announce_commit_of_the_dead(txn.id());
        let key_level = key.key_level();
        let (stored, has_qualified) = self.key_level(&txn, key_level)?;
        let base = self.entry(&txn, key_level, stored, known, has_qualified)?;
        if key.is_key_level() || !has_qualified {
            return Ok(base.into_iter().collect());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key_level {
                levels.extend(base.clone());
            } else {
                let stored = self.stored(&txn, &level)?;
                let known = self.cache.as_ref().and_then(|cache| cache.known(&level));
                levels.extend(self.entry(&txn, &level, stored, known, false)?);
            }
        }
        Ok(levels)
    }

    /// What is stored at a key level, and whether anything is below it: usually one descent and one step.
    fn key_level<'t>(
        &'t self,
        txn: &'t RoTxn<'_, AnyTls>,
        key_level: &str,
    ) -> Result<(Option<&'t [u8]>, bool), StoreError> {
        let mut range = self.range(txn, Bound::Included(key_level), "")?;
        let mut stored = None;
        let mut next = range.next().transpose()?;
        if let Some((level, bytes)) = next
            && level == key_level
        {
            stored = Some(bytes);
            next = range.next().transpose()?;
        }
        let rest = next.and_then(|(level, _)| level.strip_prefix(key_level));
        let has_qualified = match rest.and_then(|rest| rest.bytes().next()).map(|b| b.cmp(&b'/')) {
            None | Some(Ordering::Greater) => false,
            Some(Ordering::Equal) => true,
            // Longer values of the same key, such as `8004/0614141-1`, come before what is below it.
            Some(Ordering::Less) => {
                let below = format!("{key_level}/");
                self.range(txn, Bound::Unbounded, &below)?.next().transpose()?.is_some()
            }
        };
        Ok((stored, has_qualified))
    }

    fn stored<'t>(
        &self,
        txn: &'t RoTxn<'_, AnyTls>,
        level: &str,
    ) -> Result<Option<&'t [u8]>, StoreError> {
        self.databases.entries.get(txn, level).map_err(|error| self.environment.fault(error))
    }

    /// The entry of a level, taken from what was known if it has the same revision; the cache learns that
    /// it is right at this transaction.
    fn entry(
        &self,
        txn: &RoTxn<'_, AnyTls>,
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
        if let Some(cache) = &self.cache {
            let known = Known { entry: entry.clone(), revision, has_qualified, at: txn.id() };
            if was_known {
                cache.renew(level, known);
            } else {
                cache.offer(level, known);
            }
        }
        Ok(entry)
    }

    /// See [`crate::LinkStore::scan`].
    pub(crate) fn page(
        &self,
        from: Bound<&str>,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<(Arc<Entry>, Revision)>, StoreError> {
        let txn = self.environment.read()?;
        let mut page = Vec::new();
        for item in self.range(&txn, from, prefix)?.take(limit) {
            let (level, bytes) = item?;
            let stored = Stored::parse(level, bytes)?;
            page.push((Arc::new(stored.decode(level)?), stored.revision));
        }
        Ok(page)
    }

    /// The stored levels from `from` on that begin with `prefix`.
    pub(crate) fn range<'t>(
        &'t self,
        txn: &'t RoTxn<'_, AnyTls>,
        from: Bound<&str>,
        prefix: &'t str,
    ) -> Result<impl Iterator<Item = Result<(&'t str, &'t [u8]), StoreError>>, StoreError> {
        let fault = |error| self.environment.fault(error);
        let start = match from {
            Bound::Included(text) | Bound::Excluded(text) if text > prefix => from,
            Bound::Excluded(text) if text == prefix && !prefix.is_empty() => from,
            _ if prefix.is_empty() => Bound::Unbounded, // LMDB has no empty keys to seek
            _ => Bound::Included(prefix),
        };
        let range = self.databases.entries.range(txn, &(start, Bound::Unbounded)).map_err(fault)?;
        Ok(range
            .map(move |item| item.map_err(fault))
            .take_while(move |item| !matches!(item, Ok((level, _)) if !level.starts_with(prefix))))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Batch, LinkStore, StoreOptions};

    const DAMAGED: &str = "01/09506000134352";
    const SOUND: &str = "01/09506000134369";

    fn with_a_damaged_entry(dir: &Path, bytes: &[u8]) -> Store {
        let store = Store::open(dir, StoreOptions::default()).unwrap();
        let mut txn = store.environment.write().unwrap();
        store.databases.entries.put(&mut txn, DAMAGED, bytes).unwrap();
        txn.commit().unwrap();
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
