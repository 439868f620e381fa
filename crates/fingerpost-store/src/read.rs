//! Reading the levels of a request, and pages of the store.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use heed::{AnyTls, RoTxn};

use crate::cache::Known;
use crate::format::Stored;
use crate::{EmbeddedStore, Levels, Revision, StoreError};

impl EmbeddedStore {
    /// See [`crate::LinkStore::read`].
    #[inline]
    pub(crate) fn read_levels(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let cached = self
            .cache
            .as_ref()
            .and_then(|cache| cache.levels(key, self.environment.last_transaction()));
        match cached {
            Some(levels) => Ok(levels),
            None => self.read_stored(key),
        }
    }

    /// Reads all levels in one transaction, decoding only what the cache does not hold at the same revision.
    fn read_stored(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let txn = self.environment.read()?;
        self.environment.announce_commit_of_the_dead(txn.id());
        let key_level = key.key_level();
        let (stored, has_qualified) = self.key_level(&txn, key_level)?;
        let base = self.renew(&txn, key_level, stored, has_qualified)?;
        if key.is_key_level() || !has_qualified {
            return Ok(base.into_iter().collect());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key_level {
                levels.extend(base.clone());
            } else {
                let stored = self.stored(&txn, &level)?;
                levels.extend(self.renew(&txn, &level, stored, false)?);
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

    /// The entry of a level, from the cache if it has the same revision, and remembered there as right at
    /// this transaction.
    fn renew(
        &self,
        txn: &RoTxn<'_, AnyTls>,
        level: &str,
        bytes: Option<&[u8]>,
        has_qualified: bool,
    ) -> Result<Option<Arc<Entry>>, StoreError> {
        let stored = bytes.map(|bytes| Stored::parse(level, bytes)).transpose()?;
        let revision = stored.map(|stored| stored.revision).unwrap_or_default();
        let known = self.cache.as_ref().and_then(|cache| cache.known(level));
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
            let entry = entry.clone();
            cache.remember(level, Known { entry, revision, has_qualified, at: txn.id() });
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
