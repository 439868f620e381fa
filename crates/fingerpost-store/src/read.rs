//! Reads the levels of a request, and pages of the store.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fingerpost_engine::{CheckedRows, Engine, KeyRows, Snapshot, Table};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{ContextSource, Entry, Viewer, company_anchor};

use crate::applying::{self, AnchorRow};
use crate::copy;
use crate::format::Stored;
use crate::hot::Miss;
use crate::store::Backend;
use crate::{Levels, Revision, Store, StoreError, View};

impl Store {
    /// Reads all entries at the levels that apply to a request for `key`, as the public sees them,
    /// most granular first (RES-2.5.10-4). They come from one snapshot, which contains every write
    /// that returned before, in any process.
    #[inline]
    pub fn read(&self, key: &EntityKey) -> Result<Levels, StoreError> {
        let miss = match (&self.hot, self.backend.last_commit()) {
            (Some(hot), Some(commit)) => match hot.find(key.as_str(), commit) {
                Ok(levels) => return Ok(levels),
                Err(miss) => Some(miss),
            },
            _ => None,
        };
        match &self.backend {
            Backend::Lmdb(lmdb) => self.read_in(&CheckedRows(&lmdb.raw().reading()?), key, miss),
            Backend::Other(engine) => self.read_in(&*engine.snapshot()?, key, miss),
        }
    }

    /// Reads the same as [`Store::read`], as this viewer sees it. Nothing of it is kept for others.
    pub fn read_as(&self, key: &EntityKey, viewer: &Viewer) -> Result<Levels, StoreError> {
        if viewer.is_public() {
            return self.read(key);
        }
        match &self.backend {
            Backend::Lmdb(lmdb) => {
                self.levels_in(&CheckedRows(&lmdb.raw().reading()?), key, Some(viewer))
            }
            Backend::Other(engine) => self.levels_in(&*engine.snapshot()?, key, Some(viewer)),
        }
    }

    /// Reads all levels in one snapshot, and keeps those that are requested often.
    #[inline]
    fn read_in<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        key: &EntityKey,
        miss: Option<Miss<'_>>,
    ) -> Result<Levels, StoreError> {
        let levels = self.levels_in(rows, key, None)?;
        if let (Some(miss), Some(commit)) = (miss, rows.commit()) {
            miss.keep(key.as_str(), commit, &levels);
        }
        Ok(levels)
    }

    /// Returns the levels as a viewer sees them, or the public.
    #[inline]
    fn levels_in<S: Snapshot + ?Sized>(
        &self,
        rows: &S,
        key: &EntityKey,
        viewer: Option<&Viewer>,
    ) -> Result<Levels, StoreError> {
        let key_level = key.key_level();
        let KeyRows { value, below } = rows.family(key_level)?;
        let facts = self.facts(rows)?;
        if facts.is_incomplete {
            return Err(StoreError::CopyIncomplete);
        }
        let mut levels = Levels::new();
        if facts.has_suspensions
            && let Some(suspension) = applying::suspension(rows, key)?
        {
            levels.push(Arc::new(suspension));
            return Ok(levels);
        }
        if !key.is_key_level() && below.has_levels {
            for level in key.levels().filter(|level| **level != *key_level) {
                if let Some(bytes) = rows.get(Table::Entries, level.as_bytes())? {
                    levels.extend(decoded(key, &level, &bytes, viewer)?);
                }
                if below.has_sets {
                    for (anchor, bytes) in applying::sets(rows, &level)? {
                        levels.extend(decoded(key, &anchor, &bytes, viewer)?);
                    }
                }
            }
        }
        if let Some(bytes) = value {
            levels.extend(decoded(key, key_level, &bytes, viewer)?);
        }
        if facts.has_companies
            && let Some((anchor, bytes)) = self.company(rows, key)?
        {
            levels.extend(decoded(key, &anchor, &bytes, viewer)?);
        }
        Ok(levels)
    }

    /// Returns the longest registered company prefix that covers a key.
    fn company<'r, S: Snapshot + ?Sized>(
        &self,
        rows: &'r S,
        key: &EntityKey,
    ) -> Result<Option<AnchorRow<'r>>, StoreError> {
        let Some(commit) = rows.commit() else { return applying::company(rows, key) };
        let text = key.company_prefix_part().unwrap_or_default();
        match self.companies.longest(commit, text) {
            None => {
                self.companies.read_some(rows, commit)?;
                applying::company(rows, key)
            }
            Some(0) => Ok(None),
            Some(digits) => {
                let anchor = company_anchor(&text[..digits]);
                let bytes = rows.get(Table::Entries, anchor.as_bytes())?;
                Ok(bytes.map(|bytes| (anchor, bytes)))
            }
        }
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
        let has_suspensions = applying::has_suspensions(rows)?;
        let state = copy::state(rows, self.location())?;
        let is_incomplete = state.is_some_and(|state| !state.is_complete());
        Ok(Facts { has_companies, is_incomplete, has_suspensions })
    }

    /// Returns an error if this is a copy that is not complete.
    fn refuse_incomplete(&self, view: &View<'_>) -> Result<(), StoreError> {
        let is_copy = self.is_copy.load(Ordering::Acquire);
        match is_copy && view.copy_state()?.is_some_and(|state| !state.is_complete()) {
            true => Err(StoreError::CopyIncomplete),
            false => Ok(()),
        }
    }

    /// Returns at most `limit` entries whose level begins with `prefix`, starting at the bound
    /// `from`, in the order of their canonical texts, each with the revision of its last change.
    ///
    /// To walk a store page by page, pass the last level of a page as [`Bound::Excluded`]; each
    /// page is a separate snapshot.
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

    /// Calls [`View::context_source`] on a new snapshot.
    pub fn context_source(&self, key: &EntityKey) -> Result<Option<ContextSource>, StoreError> {
        self.view(|view| view.context_source(key))
    }

    /// Calls [`View::first_key`] on a new snapshot.
    pub fn first_key(
        &self,
        prefix: &str,
        viewer: &Viewer,
    ) -> Result<Option<EntityKey>, StoreError> {
        self.view(|view| {
            self.refuse_incomplete(view)?;
            view.first_key(prefix, viewer)
        })
    }
}

/// What all reads of one commit share. Packed into the low bits of a number, below that of the
/// commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Facts {
    /// Whether any record is attached to a company prefix.
    has_companies: bool,
    /// Whether the store is a copy that is not complete.
    is_incomplete: bool,
    /// Whether the keys of any organisation are suspended.
    has_suspensions: bool,
}

impl Facts {
    const BITS: u32 = 3;

    fn pack(self) -> u64 {
        u64::from(self.has_companies)
            | u64::from(self.is_incomplete) << 1
            | u64::from(self.has_suspensions) << 2
    }

    fn unpack(packed: u64) -> Self {
        Self {
            has_companies: packed & 1 == 1,
            is_incomplete: packed & 2 == 2,
            has_suspensions: packed & 4 == 4,
        }
    }
}

/// Decodes what a viewer, or the public, sees of the entry of an anchor, which is often the key of
/// the request.
#[inline]
fn decoded(
    key: &EntityKey,
    anchor: &str,
    bytes: &[u8],
    viewer: Option<&Viewer>,
) -> Result<Option<Arc<Entry>>, StoreError> {
    let stored = Stored::parse(anchor, bytes)?;
    let level = if anchor == key.as_str() { key.into() } else { Stored::anchor(anchor)? };
    match viewer {
        None => Ok(stored.decode_public(anchor, level)?.map(Arc::new)),
        Some(viewer) => Ok(viewer.see(&Arc::new(stored.decode_at(anchor, level)?))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{Batch, StoreOptions};
    use fingerpost_engine::{Prefetch, Verdict};
    use fingerpost_resolver::{RoleParts, Roles, Rules, Vocabulary, read_record};

    const DAMAGED: &str = "01/09506000134352";
    const SOUND: &str = "01/09506000134369";

    fn with_a_damaged_entry(dir: &Path, bytes: &[u8]) -> Store {
        let store = Store::open(dir, StoreOptions::default()).unwrap();
        store
            .engine()
            .write(&Prefetch::NONE, &mut |rows| {
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

    /// 36.1: the public is answered without a look at restricted links, so that they cost no time.
    /// Damage of one is detected by roles and by checks.
    #[test]
    fn restricted_links_are_read_for_roles_only() {
        let recycler = RoleParts { name: "recycler".into(), ..RoleParts::default() };
        let roles = Roles::new(vec![recycler]).unwrap();
        let links = serde_json::json!([
            {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "P", "default": true},
            {"linkType": "gs1:epcis", "href": "https://secret.example", "title": "S", "access": ["recycler"]},
        ]);
        let record = serde_json::json!({"anchor": format!("/{SOUND}"), "itemDescription": "x", "links": links});
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary).with_roles(&roles);
        let entry = read_record(record.to_string().as_bytes(), &rules).unwrap().entry;
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), StoreOptions::default()).unwrap();
        store.write(Batch::new().put(entry)).unwrap();
        let key = EntityKey::parse(SOUND).unwrap();
        let recycler = Viewer::with_roles(["recycler"]);
        let count = |levels: Levels| levels.iter().map(|level| level.link_count()).sum::<usize>();
        assert_eq!(count(store.read_as(&key, &recycler).unwrap()), 3);

        let mut rows = crate::tampering::rows(&store, Table::Entries);
        let (_, value) = rows.first_mut().unwrap();
        let secret = b"secret".len();
        let at = value.windows(secret).position(|text| text == b"secret").unwrap();
        value[at] ^= 1;
        let damage = store.engine().write(&Prefetch::NONE, &mut |rows| {
            rows.put(Table::Entries, SOUND.as_bytes(), value)?;
            Ok(Verdict::Keep)
        });
        damage.unwrap();
        assert_eq!(count(store.read(&key).unwrap()), 2);
        assert!(matches!(store.read_as(&key, &recycler), Err(StoreError::Corrupt { .. })));
        assert!(store.check_rows().is_err());
    }
}
