//! Walks the whole store, or a part of it, in one snapshot.

use std::ops::Bound;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use fingerpost_resolver::Entry;

use crate::format::Stored;
use crate::limits::{MAX_WALK_PAGES, WALK_PAGE};
use crate::{Revision, Store, StoreError};

/// Some levels and their values, in order, or the error that ended the walk.
type Page = Result<Vec<(String, Vec<u8>)>, StoreError>;

impl Store {
    /// Visits every entry whose level begins with `prefix`, in the order of the canonical texts, in
    /// one snapshot: it does not see later writes. Memory is bounded. The first error of `visit`
    /// ends the walk and is returned.
    ///
    /// During a long walk, the space of replaced entries cannot be reused; the store grows by
    /// everything written meanwhile.
    pub fn for_each<E: From<StoreError>>(
        &self,
        prefix: &str,
        visit: impl FnMut(Entry, Revision) -> Result<(), E>,
    ) -> Result<(), E> {
        self.for_each_in(&[prefix], Revision::default(), visit)
    }

    /// Visits the entries whose level begins with one of these prefixes and whose last change is
    /// this revision or a later one, as [`Store::for_each`] does. The prefixes are disjoint and in
    /// order. Only their rows are read, and only what is visited is decoded.
    pub fn for_each_in<E: From<StoreError>>(
        &self,
        prefixes: &[impl AsRef<str> + Sync],
        since: Revision,
        mut visit: impl FnMut(Entry, Revision) -> Result<(), E>,
    ) -> Result<(), E> {
        // A thread can hold only one snapshot. The walk has its own thread, so `visit` can use the
        // store.
        thread::scope(|scope| {
            let (pages, receive) = sync_channel(MAX_WALK_PAGES);
            let walker = scope.spawn(move || {
                if let Err(error) = self.walk(prefixes, since, &pages) {
                    let _ = pages.send(Err(error)); // fails when the visitor has ended the walk
                }
            });
            let visited = receive.into_iter().try_for_each(|page| {
                for (level, bytes) in page? {
                    let stored = Stored::parse(&level, &bytes)?;
                    visit(stored.decode(&level)?, stored.revision)?;
                }
                Ok(())
            });
            // Joined, as `Store` demands; the visitor has ended the walk if it failed.
            walker.join().unwrap_or_else(|panic| resume_unwind(panic));
            visited
        })
    }

    fn walk(
        &self,
        prefixes: &[impl AsRef<str>],
        since: Revision,
        pages: &SyncSender<Page>,
    ) -> Result<(), StoreError> {
        self.view(|view| {
            let mut page = Vec::with_capacity(WALK_PAGE);
            for prefix in prefixes {
                for row in view.entries(Bound::Unbounded, prefix.as_ref())? {
                    let (key, bytes) = row?;
                    let level = view.text(&key)?;
                    if since > Revision::default() && Stored::parse(level, &bytes)?.revision < since
                    {
                        continue;
                    }
                    page.push((level.to_owned(), bytes.into_owned()));
                    if page.len() == WALK_PAGE {
                        let full = std::mem::replace(&mut page, Vec::with_capacity(WALK_PAGE));
                        if pages.send(Ok(full)).is_err() {
                            return Ok(()); // the visitor has ended the walk
                        }
                    }
                }
            }
            let _ = pages.send(Ok(page)); // as above
            Ok(())
        })
    }
}
